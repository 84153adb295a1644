// Heat maps: which cell is where, what the scale is made of, and that every shape can be drawn.
#include "base/portable_math.h"
#include "figure/glyphs.h"
#include "figure/heatmap.h"
#include "support/suite.h"

#include <string.h>

enum { CELL = 20, EDGE = 24 }; // without words, the first cell starts at the margin

static const char *const WORDS[] = { "The",     "animal", "didn't", "cross", "the",   "street",
                                     "because", "it",     "was",    "too",   "tired", "." };

static Color color_in(const Canvas *canvas, double x, double y)
{
    size_t column = (size_t)(x * canvas->scale), row = (size_t)(y * canvas->scale);
    const uint8_t *at = canvas->rgba + (row * (size_t)canvas->width + column) * 4;
    return (Color){ at[0], at[1], at[2] };
}

// The colour in cell (i, j) of a map without words, away from its rules and its number.
static Color cell_color(const Canvas *canvas, int i, int j)
{
    return color_in(canvas, EDGE + CELL * j + 3, EDGE + CELL * i + 3);
}

static void assert_color(Color color, Color expected)
{
    ck_assert_msg(color.r == expected.r && color.g == expected.g && color.b == expected.b,
                  "the colour is (%d, %d, %d), not (%d, %d, %d)", color.r, color.g, color.b, expected.r, expected.g,
                  expected.b);
}

static Heatmap plain(Mat values) { return (Heatmap){ .values = values, .decimals = -1, .cell = CELL }; }

TEST(row_0_is_on_top_and_column_0_at_the_left)
{
    for (int scale = 1; scale <= 2; scale++) {
        Heatmap map = plain(mat_of(arena, 2, 3, (float[]){ 0, 1, 2, 3, 4, 5 }));
        Canvas *canvas = heatmap_draw(arena, &map, (RenderTarget){ .scale = scale });
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++)
                assert_color(cell_color(canvas, i, j), color_at(COLOR_VIRIDIS, (i * 3 + j) / 5.0));
        assert_color(color_in(canvas, EDGE - 1, EDGE + 5), COLOR_PAPER);
        assert_color(color_in(canvas, EDGE + 5, EDGE + 2 * CELL), COLOR_PAPER);
        assert_color(color_in(canvas, EDGE + 3 * CELL, EDGE + 5), COLOR_PAPER);
    }
}

// Maps of one row, and where on the colour map each cell is. Hidden cells, NaN and infinity are out of the scale.
TEST(scales)
{
    static const struct {
        float values[4], hidden[4];
        double low, high;
        ColorMap colors;
        double at[4]; // NaN: not asked
    } cases[] = {
        { { 1, 1000, 2, 3 }, { 0, 1, 0, 0 }, 0, 0, COLOR_VIRIDIS, { 0, NAN, 0.5, 1 } },
        { { NAN, 0, 1, INFINITY }, { 0 }, 0, 0, COLOR_VIRIDIS, { NAN, 0, 1, 1 } },
        { { -1, 0, 4, 4 }, { 0 }, 0, 0, COLOR_DIVERGING, { 0.375, 0.5, 1, 1 } },
        { { 0.25f, 0.5f, 7, 0 }, { 0 }, 0, 1, COLOR_VIRIDIS, { 0.25, 0.5, 1, 0 } },
        { { 0.25f, 0.25f, 0.25f, 0.25f }, { 0 }, 0, 0, COLOR_VIRIDIS, { 1, 1, 1, 1 } },
        { { 0 }, { 0 }, 0, 0, COLOR_VIRIDIS, { 0, 0, 0, 0 } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Heatmap map = plain(mat_of(arena, 1, 4, cases[c].values));
        map.hidden = mat_of(arena, 1, 4, cases[c].hidden);
        map.low = cases[c].low;
        map.high = cases[c].high;
        map.colors = cases[c].colors;
        Canvas *canvas = heatmap_draw(arena, &map, (RenderTarget){ .scale = 1 });
        for (int j = 0; j < 4; j++) {
            if (!isnan(cases[c].at[j])) assert_color(cell_color(canvas, 0, j), color_at(map.colors, cases[c].at[j]));
            else if (isnan(cases[c].values[j])) assert_color(cell_color(canvas, 0, j), COLOR_MARK);
        }
    }
}

TEST(several_maps_share_one_scale)
{
    Heatmap maps[2] = { plain(mat_of(arena, 1, 1, (float[]){ 0 })), plain(mat_of(arena, 1, 2, (float[]){ 5, 10 })) };
    Canvas *canvas = heatmaps_draw(arena, NULL, maps, 2, 2, (RenderTarget){ .scale = 1 });
    assert_color(cell_color(canvas, 0, 0), color_at(COLOR_VIRIDIS, 0));
    assert_color(color_in(canvas, EDGE + CELL + 20 + 3, EDGE + 3), color_at(COLOR_VIRIDIS, 0.5));
    assert_color(color_in(canvas, EDGE + CELL + 20 + CELL + 3, EDGE + 3), color_at(COLOR_VIRIDIS, 1));
}

// The bar's ends are the ends of the map: its top is the largest colour, its foot the smallest.
TEST(the_bar_shows_the_scale)
{
    float values[64];
    for (int i = 0; i < 64; i++) values[i] = (float)i;
    Heatmap map = plain(mat_of(arena, 8, 8, values));
    Canvas *canvas = heatmap_draw(arena, &map, (RenderTarget){ .scale = 1 });
    double x = EDGE + 8 * CELL + 20 + 6;
    Color top = color_in(canvas, x, EDGE), middle = color_in(canvas, x, EDGE + 4 * CELL);
    Color foot = color_in(canvas, x, EDGE + 8 * CELL - 1);
    ck_assert_double_gt(color_luminance(top), color_luminance(middle));
    ck_assert_double_gt(color_luminance(middle), color_luminance(foot));
    assert_color(top, color_at(COLOR_VIRIDIS, 1 - 0.5 / 160));
    assert_color(foot, color_at(COLOR_VIRIDIS, 0.5 / 160));
}

TEST(a_block_is_marked)
{
    Heatmap map = plain(mat_of(arena, 3, 3, (float[]){ 0, 1, 2, 3, 4, 5, 6, 7, 8 }));
    map.mark_row = 2;
    map.mark_col = 2;
    map.mark_rows = 2;
    map.mark_cols = 2;
    Canvas *canvas = heatmap_draw(arena, &map, (RenderTarget){ .scale = 1 });
    for (int cell = 1; cell < 3; cell++) { // left, right, top, bottom
        assert_color(color_in(canvas, EDGE + CELL, EDGE + cell * CELL + 10), COLOR_MARK);
        assert_color(color_in(canvas, EDGE + 3 * CELL, EDGE + cell * CELL + 10), COLOR_MARK);
        assert_color(color_in(canvas, EDGE + cell * CELL + 10, EDGE + CELL), COLOR_MARK);
        assert_color(color_in(canvas, EDGE + cell * CELL + 10, EDGE + 3 * CELL), COLOR_MARK);
    }
    assert_color(color_in(canvas, EDGE + 2 * CELL + 10, EDGE + CELL + 10), color_at(COLOR_VIRIDIS, 5 / 8.0));
    map.mark_rows = 3; // reaches over the edge: nothing is marked
    canvas = heatmap_draw(arena, &map, (RenderTarget){ .scale = 1 });
    map.mark_row = 0;
    Canvas *again = heatmap_draw(arena, &map, (RenderTarget){ .scale = 1 });
    ck_assert(!memcmp(canvas->rgba, again->rgba, (size_t)(4 * canvas->width * canvas->height)));
}

// Without a bar the picture ends at the cells; what is hatched keeps its swatch, under maps as low as this.
TEST(no_bar)
{
    Heatmap map = plain(mat_of(arena, 2, 2, (float[]){ 0, 1, 1, 0 }));
    int with = heatmap_draw(arena, &map, (RenderTarget){ .scale = 1 })->width;
    map.no_bar = true;
    Canvas *bare = heatmap_draw(arena, &map, (RenderTarget){ .scale = 1 });
    ck_assert_int_lt(bare->width, with);
    ck_assert_int_eq(bare->height, 2 * EDGE + 2 * CELL);
    map.hidden = mat_of(arena, 2, 2, (float[]){ 0, 0, 0, 1 });
    map.hidden_title = "off";
    Canvas *few = heatmap_draw(arena, &map, (RenderTarget){ .scale = 1 });
    ck_assert_int_gt(few->height, bare->height);
    map.hidden_title = "a much longer word for it";
    ck_assert_int_gt(heatmap_draw(arena, &map, (RenderTarget){ .scale = 1 })->width, few->width);
}

// Every shape is drawn: nothing, one cell, one row, one column, more cells than the picture has points.
TEST(every_shape_is_drawn)
{
    const int shapes[][2] = { { 0, 0 },  { 0, 5 },   { 5, 0 },   { 1, 1 },      { 1, 12 },
                              { 12, 1 }, { 3, 200 }, { 700, 3 }, { 1000, 1000 } };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int rows = shapes[s][0], cols = shapes[s][1];
        Heatmap map = { .title = "a shape", .values = mat_new(arena, rows, cols), .decimals = 2 };
        map.row_title = "query (attends from)";
        map.col_title = "key (attended to)";
        map.bar_title = "weight";
        map.row_labels = rows <= 12 ? WORDS : NULL;
        map.col_labels = cols <= 12 ? WORDS : NULL;
        map.mark_row = rows;
        map.mark_col = cols;
        for (int hidden = 0; hidden < 2; hidden++) {
            map.hidden = mat_new(arena, rows, cols);
            if (hidden) mat_fill(map.hidden, 1);
            Canvas *canvas = heatmap_draw(arena, &map, (RenderTarget){ .scale = 1 });
            ck_assert_int_lt(canvas->width, 1200);
            ck_assert_int_lt(canvas->height, 900);
        }
    }
}

// A block of cells that shares a point shows its largest: a single 1 among zeros stays visible, beside what is hidden.
TEST(a_large_map_keeps_its_peaks)
{
    Heatmap map = { .values = mat_new(arena, 900, 900), .hidden = mat_new(arena, 900, 900), .decimals = -1 };
    *mat_ref(map.values, 450, 300) = 1;
    *mat_ref(map.values, 450, 301) = 2;
    *mat_ref(map.hidden, 450, 301) = 1;
    Canvas *canvas = heatmap_draw(arena, &map, (RenderTarget){ .scale = 1 });
    Color peak = color_at(COLOR_VIRIDIS, 1);
    int found = 0;
    for (int y = EDGE; y < canvas->height - EDGE; y++)
        for (int x = EDGE; x < EDGE + 300; x++) {
            Color color = color_in(canvas, x, y);
            if (color.r != peak.r || color.g != peak.g || color.b != peak.b) continue;
            ck_assert_int_eq(x, EDGE + 100);
            ck_assert_int_eq(y, EDGE + 150);
            found++;
        }
    ck_assert_int_eq(found, 1);
}

static bool overlap(CanvasBox a, CanvasBox b, int slack)
{
    return a.x + slack < b.x + b.width && b.x + slack < a.x + a.width && a.y + slack < b.y + b.height &&
           b.y + slack < a.y + a.height;
}

// Labels thin out rather than collide. The boxes of level text may touch by their margins, no more.
TEST(row_labels_do_not_collide)
{
    const char *labels[100];
    for (int i = 0; i < 100; i++) labels[i] = arena_format(arena, "%d", i);
    const int sizes[] = { 3, 12, 20, 33, 64, 100 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        Heatmap map = {
            .values = mat_new(arena, sizes[s], sizes[s]), .decimals = -1, .row_labels = labels, .col_labels = labels
        };
        Canvas *canvas = heatmap_draw(arena, &map, (RenderTarget){ .scale = 1 });
        for (int a = 0; a < canvas->text_count; a++)
            for (int b = 0; b < a; b++) {
                CanvasBox p = canvas->text[a], q = canvas->text[b];
                bool level = p.y > EDGE + 40 && q.y > EDGE + 40;
                ck_assert_msg(!level || !overlap(p, q, 5), "%d cells: texts %d and %d", sizes[s], a, b);
            }
    }
}
