// Chapter 15, step 9. All heads, on several threads; and what was measured of that.
#include "base/portable_math.h"
#include "kernels/fast.h"
#include "attention/grouped.h"
#include "base/threads.h"
#include "steps.h"

// What heads that are views of a wide matrix gain by packing, on two cores, and all heads by a second thread, as
// measured.
static void wide_and_threads(Lesson *lesson)
{
    TableRows bench = zen4_rows(lesson->arena), intel = intel_rows(lesson->arena);
    const Shape one = { 1024, 1024, 64, false, 1 }, two = { 1024, 1024, 64, false, 2 };
    double views = 100 * (double)measured(bench, "fast views", one, SHARE);
    double packed = 100 * (double)measured(bench, "packed views", one, SHARE);
    double alone = 100 * (double)measured(bench, "all heads", one, SHARE);
    double both = 100 * (double)measured(bench, "all heads", two, SHARE);
    if (isnan(views + packed + alone + both)) return;
    say(lesson,
        "In the run of step 10, heads that are views of a wide matrix: fast %.1f %% of the probe, packed %.1f; "
        "on the Intel core of step 11 %.1f and %.1f. Twelve such heads on one thread: %.1f %%, on two threads: %.1f %% "
        "of what one core can do.",
        views, packed, 100 * (double)measured(intel, "fast views", one, SHARE),
        100 * (double)measured(intel, "packed views", one, SHARE), alone, both);
}

void threads_and_wide_rows(Lesson *lesson)
{
    step(lesson, "Threads, and heads in a wide matrix");
    enum { H = 6, G = 3, T = 200, d = 16 };
    HeadProjections p = random_qkv(lesson, T, T, H * d, G * d);
    p.k = mat_cols(p.k, 0, G * d);
    Mask masks[H];
    for (int h = 0; h < H; h++) masks[h] = h % 2 ? CAUSAL : EVERYTHING;
    Arena *arena = lesson->arena;
    Attended naive = { .out = mat_new(arena, T, H * d) }, fast = { .out = mat_new(arena, T, H * d) };
    Mat one = mat_new(arena, T, H * d);
    grouped_attend(naive, p.q, p.k, p.v, H, masks, attention_naive);
    bool same = true, right = true;
    for (int threads = 1; threads <= 7; threads++) {
        threads_set(threads);
        attention_fast_heads(fast, p.q, p.k, p.v, H, masks);
        if (threads == 1) mat_set(one, fast.out);
        same = same && mat_equal(one, fast.out);
        right = right && mat_max_difference(fast.out, naive.out) < 1e-5;
    }
    threads_set(0);
    check(lesson, right, "%d heads, %d key heads, some causal: attention_naive, within 0.00001", H, G);
    check(lesson, same, "with 1 to 7 threads the same bits");

    int64_t scratch[2];
    for (int n = 0; n < 2; n++) {
        HeadProjections more = random_qkv(lesson, n ? 640 : 64, n ? 640 : 64, d, d);
        cost_counted = (Cost){ 0 };
        attention_fast((Attended){ .out = mat_new(arena, more.q.rows, d) }, more.q, more.k, more.v, EVERYTHING);
        scratch[n] = cost_counted.scratch;
    }
    check(lesson, scratch[0] == scratch[1], "ten times as many words take not one byte more of scratch");
    wide_and_threads(lesson);
}
