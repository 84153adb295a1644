// The viewer without a window: what it understands of a file, how keys change it, what it draws.
#include "viz/view.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { T = 3, H = 2 };

static Bytes written(Arena *arena, const Tensors *all)
{
    char path[] = "/tmp/manyheads-view-XXXXXX";
    Error error = { "" };
    Bytes file;
    close(mkstemp(path));
    ck_assert_msg(safetensors_write(path, all, &error), "%s", error.text);
    ck_assert_msg(file_read(&file, arena, path, &error), "%s", error.text);
    unlink(path);
    return file;
}

// A file as a chapter's --dump writes it: a matrix x (3, 4) and two heads of weights (2, 3, 3).
static Bytes dumped(Arena *arena)
{
    static float x[T * 4] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    static float weights[H * T * T] = { 1, 0, 0, 0.5f, 0.5f, 0, 0.25f, 0.25f, 0.5f, 0, 0, 1, 0, 1, 0, 1, 0, 0 };
    Tensor tensors[] = {
        { "x", { .axes = 2, .shape = { T, 4 }, .at = x, .count = T * 4 } },
        { "weights", { .axes = 3, .shape = { H, T, T }, .at = weights, .count = H * T * T } },
        { "flat", { .axes = 1, .shape = { T }, .at = x, .count = T } },
    };
    Note notes[] = { { "chapter", "06 Multi-head attention" }, { "tokens", "[\"a\",\"b\",\"c\"]" }, { "key_tokens", "[\"a\",\"b\",\"c\"]" } };
    return written(arena, &(Tensors){ tensors, 3, notes, 3 });
}
static Document opened(Arena *arena)
{
    Document document;
    Error error = { "" };
    ck_assert_msg(document_parse(&document, arena, dumped(arena), "dump", &error), "%s", error.text);
    return document;
}

START_TEST(a_dump_is_understood)
{
    Arena *arena = arena_open();
    Document d = opened(arena);
    ck_assert_str_eq(d.title, "06 Multi-head attention");
    ck_assert_int_eq(d.count, 2);                    // the tensor with one axis is no map
    ck_assert_int_eq(d.items[0].heads, 0);
    ck_assert_int_eq(d.items[1].heads, H);
    ck_assert_int_eq(d.queries_count, T);
    ck_assert_str_eq(d.keys[2], "c");
    Mat second = document_map(&d, 1, 1);
    ck_assert_int_eq(second.rows, T);
    ck_assert_float_eq(*mat_ref(second, 0, 2), 1.0f);
    ck_assert_float_eq(*mat_ref(second, 2, 0), 1.0f);
    arena_close(arena);
}
END_TEST

START_TEST(other_files_are_refused)
{
    Arena *arena = arena_open();
    Document d;
    Error error = { "" };
    Bytes file = dumped(arena);
    for (size_t size = 0; size < file.size; size += 7)
        ck_assert(!document_parse(&d, arena, (Bytes){ file.at, size }, "cut.safetensors", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "cut.safetensors"));
    arena_close(arena);
}
END_TEST

// What chapter 14 dumps: two frames of a walk over a 2 × 2 map, and where their tiles lie.
static Document walked(Arena *arena, const float tiles[8], int frames_of_state)
{
    static float weights[2 * 2 * 2] = { 1, 0, 0, 0, 0.5f, 0.5f, 0, 0 };
    static float state[2 * 2 * 3] = { 0.3f, 1, 0, 0, 0, 0, 0.3f, 2, 0.7f, 0, 0, 0 };
    float *where = arena_alloc(arena, 8 * sizeof *where);
    memcpy(where, tiles, 8 * sizeof *where);
    Tensor tensors[] = {
        { "walk.weights", { .axes = 3, .shape = { 2, 2, 2 }, .at = weights, .count = 8 } },
        { "walk.state", { .axes = 3, .shape = { frames_of_state, 2, 3 }, .at = state,
                          .count = (size_t)frames_of_state * 6 } },
        { "walk.tiles", { .axes = 2, .shape = { 2, 4 }, .at = where, .count = 8 } },
    };
    Document document;
    Error error = { "" };
    Bytes file = written(arena, &(Tensors){ tensors, 3, NULL, 0 });
    ck_assert_msg(document_parse(&document, arena, file, "walk", &error), "%s", error.text);
    return document;
}

static const float two_tiles[8] = { 0, 1, 0, 1, 0, 1, 1, 1 };

START_TEST(a_walk_is_understood)
{
    Arena *arena = arena_open();
    Document d = walked(arena, two_tiles, 2);
    ck_assert_int_eq(d.walk.tiles.rows, 2);
    ck_assert_str_eq(d.items[d.walk.weights].name, "walk.weights");
    ck_assert_str_eq(d.items[d.walk.state].name, "walk.state");
    Document none = opened(arena);
    ck_assert(mat_empty(none.walk.tiles));
    arena_close(arena);
}
END_TEST

// A file that puts a tile outside the map, or between its cells, is shown as plain heads.
START_TEST(a_walk_that_leaves_its_map_is_none)
{
    static const float wrong[] = { -1, 3, 0.5f, NAN, INFINITY, 1e30f };
    Arena *arena = arena_open();
    for (int e = 0; e < 8 * 6; e++) {
        float tiles[8];
        memcpy(tiles, two_tiles, sizeof tiles);
        tiles[e % 8] = wrong[e / 8];
        ck_assert(mat_empty(walked(arena, tiles, 2).walk.tiles));
    }
    ck_assert(mat_empty(walked(arena, two_tiles, 1).walk.tiles));      // a frame without its state
    arena_close(arena);
}
END_TEST

static View after(View view, const Key *keys, int count)
{
    for (int k = 0; k < count; k++) view = view_update(view, keys[k]);
    return view;
}

START_TEST(keys_move_and_stop_at_the_ends)
{
    Arena *arena = arena_open();
    Document d = opened(arena);
    View view = view_of(&d);
    ck_assert_int_eq(view.item, 1);                  // it opens on the weights
    view = after(view, (Key[]){ KEY_RIGHT, KEY_RIGHT, KEY_RIGHT }, 3);
    ck_assert_int_eq(view.head, H - 1);
    view = after(view, (Key[]){ KEY_UP }, 1);
    ck_assert_int_eq(view.item, 0);
    ck_assert_int_eq(view.head, 0);                  // x has no heads
    view = after(view, (Key[]){ KEY_UP, KEY_LEFT, KEY_COLORS }, 3);
    ck_assert_int_eq(view.item, 0);
    ck_assert_int_eq(view.head, 0);
    ck_assert_int_eq(view.colors, CIVIDIS);
    arena_close(arena);
}
END_TEST

static bool same_picture(const Canvas *a, const Canvas *b)
{
    return a->width == b->width && a->height == b->height && !memcmp(a->rgba, b->rgba, (size_t)a->width * (size_t)a->height * 4);
}

START_TEST(space_plays_to_the_end)
{
    Arena *arena = arena_open();
    Document d = walked(arena, two_tiles, 2);
    View view = view_of(&d);
    ck_assert_int_eq(view_update(view, KEY_TICK).head, 0);             // nobody has asked it to play
    view = view_update(view, KEY_PLAY);
    ck_assert(view.playing && view.head == 0);
    ck_assert(!view_update(view, KEY_PLAY).playing);
    view = view_update(view, KEY_TICK);
    ck_assert(!view.playing && view.head == 1);                        // the last frame
    view = view_update(view, KEY_PLAY);
    ck_assert(view.playing && view.head == 0);                         // once more
    view = after(view_of(&d), (Key[]){ KEY_DOWN, KEY_DOWN, KEY_PLAY }, 3);
    ck_assert(!view.playing);                                          // a single matrix has nothing to play
    arena_close(arena);
}
END_TEST

// The same values as heads and as a walk: hatching, frame and labels make another picture of it, another for each frame.
START_TEST(a_walk_is_drawn_as_one)
{
    Arena *arena = arena_open();
    Document d = walked(arena, two_tiles, 2), plain = d;
    plain.walk = (Walk){ 0 };
    for (int frame = 0; frame < 2; frame++) {
        View view = view_of(&d), as_heads = view_of(&plain);
        view.head = as_heads.head = frame;
        Canvas *picture = view_draw(arena, &view, 900, 600, 1);
        ck_assert(!same_picture(picture, view_draw(arena, &as_heads, 900, 600, 1)));
        Mat state = document_map(&d, d.walk.state, frame);
        float l = *mat_ref(state, 0, 1);
        *mat_ref(state, 0, 1) = 7;                    // l of the tile's query is written beside it
        ck_assert(!same_picture(picture, view_draw(arena, &view, 900, 600, 1)));
        *mat_ref(state, 0, 1) = l;
        *mat_ref(state, 1, 1) = 7;                    // that of a query outside the tile is not
        ck_assert(same_picture(picture, view_draw(arena, &view, 900, 600, 1)));
        for (int size = 1; size < 500; size += 31) view_draw(arena, &view, size, size, 1);
        view.item = d.walk.state;
        view_draw(arena, &view, 900, 600, 1);
    }
    arena_close(arena);
}
END_TEST

START_TEST(escape_goes_back_before_it_goes_out)
{
    Arena *arena = arena_open();
    Document d = opened(arena);
    View view = after(view_of(&d), (Key[]){ KEY_HELP, KEY_BACK }, 2);
    ck_assert(!view.help && !view.quit);
    ck_assert(view_update(view, KEY_BACK).quit);
    arena_close(arena);
}
END_TEST

// Two maps that differ in their scale alone: rows that sum to 1 are shown on 0 … 1, others on a scale of their own.
START_TEST(only_weights_are_shown_from_0_to_1)
{
    Arena *arena = arena_open();
    Document d = opened(arena);
    View view = view_of(&d);
    Mat map = document_map(&d, 1, 0);
    Canvas *weights = view_draw(arena, &view, 640, 480, 1);
    *mat_ref(map, 0, 0) = 0.5f;                      // row 0 no longer sums to 1, and 0.5 is the largest value
    Canvas *other = view_draw(arena, &view, 640, 480, 1);
    *mat_ref(map, 0, 0) = 1.0f;
    const size_t middle = 4 * ((size_t)240 * 640 + 320);       // a cell of row 1: its value is the same in both
    ck_assert(memcmp(weights->rgba + middle, other->rgba + middle, 4) != 0);
    arena_close(arena);
}
END_TEST

START_TEST(drawing_depends_on_the_state_alone)
{
    Arena *arena = arena_open();
    Document d = opened(arena);
    View view = view_of(&d), other = view_update(view, KEY_RIGHT);
    Canvas *first = view_draw(arena, &view, 640, 480, 1);
    ck_assert(same_picture(first, view_draw(arena, &view, 640, 480, 1)));
    ck_assert(!same_picture(first, view_draw(arena, &other, 640, 480, 1)));
    ck_assert_int_eq(view_draw(arena, &view, 640, 480, 2)->width, 1280);
    view_draw(arena, &view, 1, 1, 1);                // a window as small as can be
    arena_close(arena);
}
END_TEST

Suite *view_suite(void);
Suite *view_suite(void)
{
    Suite *suite = suite_create("view");
    TCase *all = tcase_create("view");
    tcase_add_test(all, a_dump_is_understood);
    tcase_add_test(all, other_files_are_refused);
    tcase_add_test(all, a_walk_is_understood);
    tcase_add_test(all, a_walk_that_leaves_its_map_is_none);
    tcase_add_test(all, space_plays_to_the_end);
    tcase_add_test(all, a_walk_is_drawn_as_one);
    tcase_add_test(all, keys_move_and_stop_at_the_ends);
    tcase_add_test(all, escape_goes_back_before_it_goes_out);
    tcase_add_test(all, only_weights_are_shown_from_0_to_1);
    tcase_add_test(all, drawing_depends_on_the_state_alone);
    suite_add_tcase(suite, all);
    return suite;
}
