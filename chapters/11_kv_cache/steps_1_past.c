// Chapter 11, step 1. What was computed for the words before does not change when another comes.
#include "attention/attention.h"
#include "lesson/block_map.h"
#include "steps.h"

// Two layers of one head on the words themselves: what the second one is given has already looked at other words.
static Mat two_layers(Arena *arena, Mat x, Mask mask)
{
    Mat first = mat_new(arena, x.rows, x.cols), second = mat_new(arena, x.rows, x.cols);
    attention_naive((Attended){ .out = first }, x, x, x, mask);
    attention_naive((Attended){ .out = second }, first, first, first, mask);
    return second;
}

void the_past_stays(Lesson *lesson)
{
    step(lesson, "The past stays as it was");
    block_map_figure(lesson, "here.png", BLOCK_MAP_CACHE);
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x;
    int late = (x.rows + 2) / 3, before = x.rows - late;
    Mat moved = mat_new(arena, 2, before);
    for (int causal = 0; causal < 2; causal++) {
        Mask mask = { .causal = causal };
        Mat all = two_layers(arena, x, mask), fewer = two_layers(arena, mat_rows(x, 0, before), mask);
        for (int i = 0; i < before; i++)
            *mat_ref(moved, causal, i) = (float)mat_max_difference(mat_rows(all, i, 1), mat_rows(fewer, i, 1));
    }
    static const char *const rows[] = { "no mask", "causal" };
    if (before)
        show_table(lesson,
                   (Table){ .name = arena_format(arena,
                                                 "2 layers: largest change in a word's %d numbers when %d more come%s",
                                                 x.cols, late, late == 1 ? "s" : ""),
                            .values = moved,
                            .rows = rows,
                            .cols = lesson->sentence.words });
    check(lesson, mat_sum(mat_rows(moved, 1, 1)) == 0.0, "with the causal mask no earlier word moves, to the bit");
    if (!lesson->own_words)
        check(lesson, mat_sum(mat_rows(moved, 0, 1)) > 0.1,
              "without it they move: what was kept of them would be wrong");
}
