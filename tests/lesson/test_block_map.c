// The map of the transformer: every place marks its parts, and nothing else; all of it can be drawn.
#include "lesson/block_map.h"
#include "support/suite.h"

#include <string.h>

// The titles of what is marked, one after the other.
static const char *marked(BlockMapPlace place)
{
    Diagram map = block_map(arena, place);
    const char *list = "";
    for (int b = 0; b < map.box_count; b++)
        if (map.boxes[b].marked) list = arena_format(arena, "%s%s%s", list, *list ? ", " : "", map.boxes[b].title);
    return list;
}

TEST(places_are_marked)
{
    ck_assert_str_eq(marked(BLOCK_MAP_CACHE), "cache");
    ck_assert_str_eq(marked(BLOCK_MAP_KEY_HEADS), "Wq  Wk  Wv, cache");
    ck_assert_str_eq(marked(BLOCK_MAP_KERNEL), "scores, mask, softmax, sum");
    ck_assert_str_eq(marked(BLOCK_MAP_GATES), "gates");
    ck_assert_str_eq(marked(BLOCK_MAP_CIRCUITS), "Wq  Wk  Wv, Wo");
    ck_assert_str_eq(marked(BLOCK_MAP_LOSS), "loss");
    ck_assert_str_eq(marked(BLOCK_MAP_FAMILIES), "norm, Wq  Wk  Wv, positions, mask, norm, W1 + b1, ReLU, W2 + b2");
    ck_assert_str_eq(marked(BLOCK_MAP_MLP), "W1 + b1, ReLU, W2 + b2");
}

// Boxes do not stand on one another, but for the layer, which holds them; letters stay on the paper.
TEST(every_map_is_drawn)
{
    for (int place = 0; place < BLOCK_MAP_KINDS; place++) {
        Diagram map = block_map(arena, (BlockMapPlace)place);
        ck_assert_msg(*marked((BlockMapPlace)place), "place %d marks nothing", place);
        ck_assert_ptr_nonnull(strstr(map.title, "Marked: "));
        for (int a = 0; a < map.box_count; a++)
            for (int b = 0; b < a; b++) {
                CanvasRect p = diagram_box(arena, &map.boxes[a]), q = diagram_box(arena, &map.boxes[b]);
                if (map.boxes[a].group || map.boxes[b].group) continue;
                bool apart =
                    p.x >= q.x + q.width || q.x >= p.x + p.width || p.y >= q.y + q.height || q.y >= p.y + p.height;
                ck_assert_msg(apart, "boxes %d and %d overlap", a, b);
            }
        Canvas *canvas = diagram_draw(arena, &map, (RenderTarget){ .scale = 1 });
        ck_assert_int_le(canvas->width, 860);
        for (int t = 0; t < canvas->text_count; t++)
            ck_assert_int_le(canvas->text[t].x + canvas->text[t].width, canvas->width);
    }
}
