// Chapter 15, steps 7 and 8. All heads on several threads; one query, where memory is the limit.
#include "attention/fast.h"
#include "attention/grouped.h"
#include "base/threads.h"
#include "steps.h"

// ---- 7

void in_out_and_threads(Lesson *lesson)
{
    step(lesson, "In, out and threads");
    enum { H = 6, G = 3, T = 200, d = 16 };
    Drawn p = drawn(lesson, T, T, H * d, G * d);
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
        Drawn more = drawn(lesson, n ? 640 : 64, n ? 640 : 64, d, d);
        counted = (Cost){ 0 };
        attention_fast((Attended){ .out = mat_new(arena, more.q.rows, d) }, more.q, more.k, more.v, EVERYTHING);
        scratch[n] = counted.scratch;
    }
    check(lesson, scratch[0] == scratch[1], "ten times as many words need not a byte more of scratch");
}

// ---- 8

// What was measured while decoding: bytes a second, as a share of what reading alone gives.
static void decoding_measured(Lesson *lesson)
{
    NamedRows bench = bench_rows(lesson->arena);
    static const char *const names[] = { "one stream", "four streams", "fast views", "decode views", "decode" };
    enum { NAMES = sizeof names / sizeof *names };
    static const char *const columns[] = { "4096: GB/s", "share %", "32768: GB/s", "share %" };
    Rows table = rows_of(lesson, "measured with H = 32, G = 8, d = 128: by the number of keys", columns, 4);
    table.table.decimals = 1;
    for (int n = 0; n < NAMES; n++) {
        double numbers[4];
        for (int e = 0; e < 2; e++) {
            Shape at = { 1, e ? 32768 : 4096, 128, false, 1 };
            numbers[2 * e] = (double)measured(bench, names[n], at, GBYTES);
            numbers[2 * e + 1] = 100 * (double)measured(bench, names[n], at, SHARE);
        }
        rows_add(&table, numbers, "%s", names[n]);
    }
    show_rows(lesson, &table);
}

void one_query(Lesson *lesson)
{
    step(lesson, "One query: memory is the limit");
    enum { H = 8, G = 2, S = 1000, d = 24 };
    Drawn p = drawn(lesson, 1, S, H * d, G * d);
    p.k = mat_cols(p.k, 0, G * d);
    Mask masks[H] = { { 0 } };
    Attended naive = { .out = mat_new(lesson->arena, 1, H * d) }, fast = { .out = mat_new(lesson->arena, 1, H * d) };
    grouped_attend(naive, p.q, p.k, p.v, H, masks, attention_naive);
    attention_fast_decode(fast, p.q, p.k, p.v, H, masks);
    check(lesson, mat_max_difference(naive.out, fast.out) < 1e-5,
          "a step of %d heads, %d key heads, %d keys: attention_naive, within 0.00001", H, G, S);

    static const char *const columns[] = { "MiB read", "a number" };
    static const struct { int H, G, d, S; } steps[] = { { 32, 32, 128, 4096 }, { 32, 8, 128, 4096 },
                                                        { 32, 8, 128, 32768 } };
    Rows table = rows_of(lesson, "a step of one layer, d = 128: the cache; multiply-adds a number", columns, 2);
    table.table.decimals = -1;
    for (int n = 0; n < 3; n++) {
        double numbers = 2.0 * steps[n].S * steps[n].G * steps[n].d, work = 2.0 * steps[n].S * steps[n].H * steps[n].d;
        rows_add(&table, ROW(4 * numbers / (1024 * 1024), work / numbers), "H = %d, G = %d, S = %d", steps[n].H,
                 steps[n].G, steps[n].S);
    }
    show_rows(lesson, &table);
    decoding_measured(lesson);
}
