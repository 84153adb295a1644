// The pixels of the last picture are painted again where nothing that they come from has changed, and only there.
#include "base/portable_math.h"
#include "figure/map_kept.h"
#include "support/suite.h"

#include <string.h>

enum { SIDE = 12, CELL = 10, LEFT = 30, TOP = 20, WIDE = 180, HIGH = 160 };

static MapKept *kept;

static void setup(void)
{
    kept = map_kept_open();
    color_scheme(COLOR_ON_PAPER);
}

static void teardown(void)
{
    color_scheme(COLOR_ON_PAPER);
    map_kept_close(kept);
}
FIXTURE(setup, teardown);

// Cells of all kinds, one of them NaN, of which the frame shows a part.
static Map a_map(void)
{
    Map map = { .ramp = { RAMP_LINEAR, COLOR_VIRIDIS, 0, 1, false, false, "weight" } };
    map.cells = (MapCells){ mat_new(arena, SIDE, SIDE), mat_new(arena, SIDE, SIDE), 0, 0 };
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            *mat_ref(map.cells.values, i, j) = (float)(i * SIDE + j) / (SIDE * SIDE);
            *mat_ref(map.cells.kind, i, j) = j > i ? MAP_MASKED : i == 9 && j < 4 ? MAP_ABSENT : MAP_SHOWN;
        }
    *mat_ref(map.cells.values, 7, 2) = NAN;
    map.place = (MapPlace){ { LEFT, TOP, 10 * CELL, 9 * CELL }, CELL, CELL, 0.5, 0.25, SIDE, SIDE, 1, 1 };
    return map;
}

static Canvas *drawn(const Map *map, MapKept *with, double scale)
{
    Canvas *canvas = canvas_new(arena, WIDE, HIGH, scale);
    Map drawn = *map;
    drawn.kept = with;
    map_draw(canvas, &drawn);
    return canvas;
}

static bool same_pixels(const Canvas *a, const Canvas *b)
{
    return a->width == b->width && a->height == b->height &&
           !memcmp(a->rgba, b->rgba, 4 * (size_t)a->width * (size_t)a->height);
}

// Whether what is kept is painted for this map; where it is not, nothing is.
static bool paints(const Map *map, double scale)
{
    Canvas *canvas = canvas_new(arena, WIDE, HIGH, scale), *blank = canvas_new(arena, WIDE, HIGH, scale);
    CanvasRect f = map->place.frame;
    CanvasBox whole = canvas_clip(canvas, f.x, f.y, f.width, f.height);
    bool painted = map_kept_paint(kept, canvas, map);
    canvas_unclip(canvas, whole);
    ck_assert(painted == !same_pixels(canvas, blank));
    return painted;
}

// In whatever order maps come, large ones and small, the picture is the one that nothing was kept for.
TEST(every_change_is_seen)
{
    enum { CHANGES = 21 };
    for (int change = 0; change < CHANGES; change++) {
        Map before = a_map(), map = a_map();
        double scale = 1;
        color_scheme(COLOR_ON_PAPER);
        drawn(&before, kept, 1);
        ck_assert(paints(&before, 1));
        switch (change) {
        case 0: *mat_ref(map.cells.values, 6, 6) += 0.25f; break;
        case 1: *mat_ref(map.cells.values, 7, 2) = 0.5f; break;
        case 2: *mat_ref(map.cells.kind, 6, 6) = MAP_MASKED; break;
        case 3: *mat_ref(map.cells.kind, 0, 5) = MAP_LEFT_OUT; break;
        case 4:
            map.cells.first_row = 1;
            map.place.rows++;
            break;
        case 5:
            map.cells.first_col = 1;
            map.place.cols++;
            break;
        case 6: map.place.row = 0.75; break;
        case 7: map.place.col = 0; break;
        case 8: map.place.frame.x += 10; break;
        case 9: map.place.frame.y += 10; break;
        case 10: map.place.frame.width -= 10; break;
        case 11: map.place.frame.height -= 10; break;
        case 12: map.place.cell_width = 10.5; break;
        case 13: map.place.cell_height = 11; break;
        case 14: map.ramp.high = 2; break;
        case 15: map.ramp.low = -1; break;
        case 16: map.ramp.colors = COLOR_MAGMA; break;
        case 17: map.ramp = (Ramp){ RAMP_LOG, COLOR_VIRIDIS, 1e-4, 1, false, false, NULL }; break;
        case 18: map.plain = true; break;
        case 19: color_scheme(COLOR_ON_DARK); break;
        default: scale = 1.5; break;
        }
        ck_assert_msg(!paints(&map, scale), "change %d is not seen", change);
        ck_assert_msg(same_pixels(drawn(&map, kept, scale), drawn(&map, NULL, scale)), "change %d", change);
    }
}

TEST(of_another_size_there_is_room)
{
    Map large = a_map(), small = a_map();
    small.cells.values = mat_block(large.cells.values, 0, 9, 0, 8);
    small.cells.kind = mat_block(large.cells.kind, 0, 9, 0, 8);
    small.place.frame.width = 7 * CELL;
    small.place.frame.height = 8 * CELL;
    for (int turn = 0; turn < 3; turn++) {
        ck_assert(same_pixels(drawn(&small, kept, 1), drawn(&small, NULL, 1)));
        ck_assert(paints(&small, 1) && !paints(&large, 1));
        ck_assert(same_pixels(drawn(&large, kept, 1), drawn(&large, NULL, 1)));
        ck_assert(paints(&large, 1) && !paints(&small, 1));
    }
}

// Where cells leave something of the ground to be seen, or hold numbers, or are recorded, nothing is kept.
TEST(what_cannot_be_kept_is_not)
{
    Map short_of = a_map(), numbered = a_map();
    short_of.place.frame.width = 14 * CELL;
    drawn(&short_of, kept, 1);
    ck_assert(!paints(&short_of, 1));
    numbered.number_size = 6;
    numbered.decimals = 1;
    drawn(&numbered, kept, 1);
    ck_assert(!paints(&numbered, 1));

    Map map = a_map();
    drawn(&map, kept, 1);
    Canvas *canvas = canvas_new(arena, WIDE, HIGH, 1);
    Arena *record = arena_open();
    CanvasRect f = map.place.frame;
    canvas_record(canvas, record);
    CanvasBox whole = canvas_clip(canvas, f.x, f.y, f.width, f.height);
    ck_assert(!map_kept_paint(kept, canvas, &map));
    canvas_unclip(canvas, whole);
    arena_close(record);
}
