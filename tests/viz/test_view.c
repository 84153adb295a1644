// The viewer without a window: what it understands of a file, how keys change it, what it draws.
#include "viz/view.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { T = 3, H = 2 };

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
    Tensors all = { tensors, 3, notes, 3 };
    char path[] = "/tmp/manyheads-view-XXXXXX";
    Error error = { "" };
    Bytes file;
    close(mkstemp(path));
    ck_assert_msg(safetensors_write(path, &all, &error), "%s", error.text);
    ck_assert_msg(file_read(&file, arena, path, &error), "%s", error.text);
    unlink(path);
    return file;
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

static bool same_picture(const Canvas *a, const Canvas *b)
{
    return a->width == b->width && a->height == b->height && !memcmp(a->rgba, b->rgba, (size_t)a->width * (size_t)a->height * 4);
}

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
    tcase_add_test(all, keys_move_and_stop_at_the_ends);
    tcase_add_test(all, escape_goes_back_before_it_goes_out);
    tcase_add_test(all, only_weights_are_shown_from_0_to_1);
    tcase_add_test(all, drawing_depends_on_the_state_alone);
    suite_add_tcase(suite, all);
    return suite;
}
