// Chapter 13, step 3. The library's kernel, which keeps no row of scores.
#include "lesson/dump.h"
#include "steps.h"

static void hidden_nan(Lesson *lesson, Mat x)
{
    Arena *arena = lesson->arena;
    const Mask last = { .padding = 1 };
    Mat sick = mat_copy(arena, x);
    mat_fill(mat_rows(sick, x.rows - 1, 1), NAN);
    Part well = attend(arena, attention_online, x, x, x, last);
    Part same = attend(arena, attention_online, x, sick, sick, last);
    check(lesson, parts_same(well, same), "a masked key and its value may be NaN: no output moves, not by a bit");
}

void the_kernel(Lesson *lesson, const Followed *f)
{
    step(lesson, "No row of scores");
    Arena *arena = lesson->arena;
    AttentionKernel *const kernels[] = { attention_naive, attention_online };
    Mat x = lesson->sentence.x, maps[2];
    int64_t scratch[2];
    Part all[2], past[2];
    for (int e = 0; e < 2; e++) {
        cost_counted = (Cost){ 0 };
        all[e] = attend(arena, kernels[e], x, x, x, EVERYTHING);
        scratch[e] = cost_counted.scratch;
        past[e] = attend(arena, kernels[e], x, x, x, CAUSAL);
        maps[e] = mat_new(arena, x.rows, x.rows);
        kernels[e]((Attended){ .out = mat_new(arena, x.rows, x.cols), .weights = maps[e] }, x, x, x, EVERYTHING);
    }
    double size = mat_magnitude(x);
    check(lesson, parts_close(all[1], all[0], size) && parts_close(past[1], past[0], size),
          "attention_online gives what attention_naive gives, without a mask and with a causal one, within 1e-5");
    check(lesson, mat_max_difference(maps[0], maps[1]) <= 1e-6, "and the weights, where they are asked for");
    if (f->book) {
        double animal = mat_value(maps[1], f->word, 1);
        check(lesson, fabs(animal - 0.113) < 0.0005, "it gives animal %.3f", animal);
    }
    hidden_nan(lesson, x);
    cost(lesson, "bytes of scratch, naive", scratch[0], "4·T·S, rounded up to a multiple of 64",
         (4 * (int64_t)x.rows * x.rows + 63) / 64 * 64);
    cost(lesson, "bytes of scratch, online", scratch[1], "nothing: the row of the output is the accumulator", 0);
    trace_heads(lesson->trace, (TraceHeads){ .q = x,
                                             .k = x,
                                             .v = x,
                                             .scores = lesson_dump_scores(lesson, x, x, 1, NULL),
                                             .weights = maps[1],
                                             .heads = all[1].out });
    trace_mat(lesson->trace, "lse", all[1].lse);
}
