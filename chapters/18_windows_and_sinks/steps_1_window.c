// Chapter 18, steps 1 and 2. Masks that let a query see few keys: a window, sinks, globals.
#include "lesson/block_map.h"
#include "steps.h"

enum { SMALL = 12 }; // tokens of the pictures

static int pairs_in_sight(Mask mask, int T)
{
    int pairs = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) pairs += mask_sees(mask, i, j, T, T);
    return pairs;
}

// 1 where a query sees a key.
static Mat picture_of(Arena *arena, Mask mask)
{
    Mat m = mat_new(arena, SMALL, SMALL);
    for (int i = 0; i < SMALL; i++)
        for (int j = 0; j < SMALL; j++) *mat_ref(m, i, j) = mask_sees(mask, i, j, SMALL, SMALL) ? 1.0f : 0.0f;
    return m;
}

Heatmap map_of_mask(Arena *arena, const char *title, Mask mask)
{
    const char *const *names = numbered(arena, "", SMALL);
    return (Heatmap){ .title = title,
                      .values = picture_of(arena, mask),
                      .row_labels = names,
                      .col_labels = names,
                      .row_title = "query",
                      .col_title = "key",
                      .low = 0,
                      .high = 1,
                      .decimals = -1,
                      .cell = 15,
                      .no_bar = true,
                      .low_name = "hidden",
                      .high_name = "in sight" };
}

void a_window(Lesson *lesson)
{
    step(lesson, "A window");
    block_map_figure(lesson, "here.png", BLOCK_MAP_MASK);
    enum { W = 4, T = 1000 };
    Arena *arena = lesson->arena;
    static const char *const cols[] = { "thousands", "share" };
    Rows table = rows_of(lesson, "1000 tokens: pairs of query and key in sight", cols, 2);
    table.table.decimals = 3;
    double all = pairs_in_sight((Mask){ .causal = true }, T);
    rows_add(&table, ROW(all / 1000, 1.0), "causal");
    for (int window = 256; window >= W; window /= 4) {
        double pairs = pairs_in_sight((Mask){ .causal = true, .window = window }, T);
        rows_add(&table, ROW(pairs / 1000, pairs / all), "W = %d", window);
    }
    show_rows(lesson, &table);
    cost(lesson, "pairs with a window of 16", pairs_in_sight((Mask){ .causal = true, .window = 16 }, T),
         "W·T - W(W-1)/2", 16 * T - 16 * 15 / 2);
    Heatmap maps[] = { map_of_mask(arena, "causal", (Mask){ .causal = true }),
                       map_of_mask(arena, "window of 4", (Mask){ .causal = true, .window = W }),
                       map_of_mask(arena, "window of 4, 1 sink", (Mask){ .causal = true, .window = W, .sinks = 1 }) };
    figure_maps(lesson, "windows.png", "which keys 12 queries see: causal; a window of 4; and one sink", NULL, maps, 3,
                3);
}

// ---- 2. Globals

// What reaches what in two layers: query i sees some key k that saw key j in the layer before.
static Mat in_two_layers(Arena *arena, Mat sees)
{
    Mat reaches = mat_new(arena, sees.rows, sees.cols);
    for (int i = 0; i < sees.rows; i++)
        for (int j = 0; j < sees.cols; j++)
            for (int k = 0; k < sees.cols; k++)
                if (*mat_ref(sees, i, k) > 0.0f && *mat_ref(sees, k, j) > 0.0f) *mat_ref(reaches, i, j) = 1.0f;
    return reaches;
}

void globals(Lesson *lesson, int count)
{
    step(lesson, "Globals");
    enum { W = 3, T = 1000 };
    Arena *arena = lesson->arena;
    Mask window = { .window = W }, mask = { .window = W, .globals = count };
    Mat near = in_two_layers(arena, picture_of(arena, window)), far = in_two_layers(arena, picture_of(arena, mask));
    static const char *const cols[] = { "in sight", "in 2 layers" };
    Rows table = rows_of(lesson, "12 tokens, no causal mask: pairs of 144", cols, 2);
    table.table.decimals = -1;
    rows_add(&table, ROW(pairs_in_sight(window, SMALL), mat_sum(near)), "window of 3");
    rows_add(&table, ROW(pairs_in_sight(mask, SMALL), mat_sum(far)), "and %d global%s", count, count == 1 ? "" : "s");
    show_rows(lesson, &table);
    int without = T * (2 * W - 1) - W * (W - 1), pairs = pairs_in_sight((Mask){ .window = W, .globals = 1 }, T);
    cost(lesson, "pairs of 1000 tokens with one global", pairs, "T(2W-1) - W(W-1), and 2(T-W) more",
         without + 2 * (T - W));
    if (count)
        check(lesson, mat_sum(far) == (double)SMALL * SMALL,
              "through a global every token reaches every other in two layers");
    Heatmap maps[] = {
        map_of_mask(arena, "window of 3", window),
        map_of_mask(arena, arena_format(arena, "window of 3, globals %d", count), mask),
        map_of_mask(arena, "the same, causal", (Mask){ .causal = true, .window = W, .globals = count }),
    };
    figure_maps(lesson, "globals.png", "a window to both sides; with globals; the same with a causal mask", NULL, maps,
                3, 3);
}
