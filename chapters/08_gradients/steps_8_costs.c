// Chapter 08, steps 8 and 9. What the forward pass must keep for the backward pass, and what both cost.
#include "base/portable_math.h"
#include "steps.h"

// ---- 8

static int64_t floats_of(Mat m) { return (int64_t)m.rows * m.cols; }

static void kept_by_a_layer(Lesson *lesson)
{
    enum { D = 512, H = 8, SIZES = 3 };
    static const int lengths[SIZES] = { 10, 320, 640 };
    static const char *const rows[] = { "x", "q | k | v", "weights of all heads", "heads, side by side", "in all" };
    static const char *const cols[] = { "T = 10", "T = 320", "T = 640" };
    Mat table = mat_new(lesson->arena, 5, SIZES);
    int64_t bytes = 0;
    bool level = false;
    for (int n = 0; n < SIZES; n++) {
        int T = lengths[n];
        Arena *arena = arena_open();
        BackwardKept kept = backward_kept_new(arena, mat_new(arena, T, D), H);
        Mat all[] = { kept.x, kept.qkv, kept.weights, kept.heads };
        for (int i = 0; i < 4; i++) *mat_ref(table, i, n) = (float)(4 * floats_of(all[i])) / 1024.0f;
        *mat_ref(table, 4, n) = (float)arena_used(arena) / 1024.0f;
        if (T == 5 * D / H) level = 2.0f * *mat_ref(table, 2, n) == *mat_ref(table, 4, n);
        bytes = (int64_t)arena_used(arena);
        arena_close(arena);
    }
    show_table(lesson, (Table){ .name = "KiB kept by one layer for one sentence of T words",
                                .values = table,
                                .rows = rows,
                                .cols = cols,
                                .decimals = -1 });
    int64_t T = lengths[SIZES - 1];
    cost(lesson, "bytes at T = 640", bytes, "4·(5·T·D + H·T²)", 4 * (5 * T * D + H * T * T));
    const int64_t words = 4096;
    say(lesson, "The weights of %lld words would take %lld MiB.", (long long)words,
        (long long)(4 * H * words * words >> 20));
    check(lesson, level, "at T = 5·d = %d the weights are half of it; from there on they are more", 5 * D / H);
}

// Weights from what chapter 14 keeps in their place: one logsumexp for each query.
static void recompute(Lesson *lesson, const Head *h)
{
    Arena *arena = lesson->arena;
    Mat q = h->kept.p.q, k = h->kept.p.k, weights = mat_new(arena, q.rows, k.rows), lse = mat_new(arena, q.rows, 1);
    Mat out = mat_new(arena, q.rows, h->out.cols);
    attention_naive((Attended){ .out = out, .lse = lse }, q, k, h->kept.p.v, EVERYTHING);
    Cost before = cost_counted;
    attention_scores(weights, q, k, EVERYTHING);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++) *mat_ref(weights, i, j) = expf(*mat_ref(weights, i, j) - *mat_ref(lse, i, 0));
    check(lesson, mat_max_difference(weights, h->kept.weights) < 1e-5,
          "exp(score - lse) gives the weights again: %d number%s kept, not %d", q.rows, q.rows == 1 ? "" : "s",
          q.rows * k.rows);
    cost(lesson, "multiplications for that", cost_since(before).multiplies,
         arena_format(arena, "T²·d = %d·%d", q.rows * q.rows, q.cols), (int64_t)q.rows * k.rows * q.cols);
}

void what_must_be_kept(Lesson *lesson, const Head *h)
{
    step(lesson, "What must be kept: D = 512, H = 8");
    kept_by_a_layer(lesson);
    recompute(lesson, h);
}

// ---- 9

void what_it_costs(Lesson *lesson, MultiHead m)
{
    step(lesson, "What it costs");
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, out = mat_new(arena, x.rows, x.cols), dx = mat_new(arena, x.rows, x.cols);
    int64_t T = x.rows, D = x.cols, H = m.H;
    say(lesson, "T = %d, D = %d, H = %d", x.rows, x.cols, m.H);
    MultiHead dm = multi_head_new(arena, x.cols, m.H);
    BackwardKept kept = backward_kept_new(arena, x, m.H);
    Cost before = cost_counted;
    backward_keep_multi_head(out, kept, m, EVERYTHING);
    int64_t forward = cost_since(before).multiplies;
    cost(lesson, "multiplications forward", forward, "4·T·D² + 2·T²·D", 4 * T * D * D + 2 * T * T * D);
    before = cost_counted;
    backward_multi_head(dx, dm, out, kept, m, EVERYTHING);
    Cost work = cost_since(before);
    cost(lesson, "multiplications backward", work.multiplies, "8·T·D² + 4·T²·D + 2·H·T²",
         8 * T * D * D + 4 * T * T * D + 2 * H * T * T);
    check(lesson, work.multiplies == 2 * forward + 2 * H * T * T && work.exps == 0,
          "backward is twice forward, and 2 for each weight of each head; no exponential");
    int64_t parameters = floats_of(m.wqkv) + floats_of(m.wo);
    cost(lesson, "forward passes for differences of all weights", 2 * parameters, "2·4·D²", 8 * D * D);
}
