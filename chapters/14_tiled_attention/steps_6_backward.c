// Chapter 14, step 6. The backward pass of a tiled kernel, from out and lse alone.
#include "attention/backward.h"
#include "steps.h"

static HeadProjections no_gradient(Arena *arena, HeadProjections of)
{
    return (HeadProjections){ mat_new(arena, of.q.rows, of.q.cols), mat_new(arena, of.k.rows, of.k.cols),
                              mat_new(arena, of.v.rows, of.v.cols) };
}

static double gradients_apart(HeadProjections a, HeadProjections b)
{
    return fmax(mat_max_difference(a.q, b.q), fmax(mat_max_difference(a.k, b.k), mat_max_difference(a.v, b.v)));
}

static void add_cost(Rows *rows, const char *name, double kept, Cost cost)
{
    rows_add(rows, ROW(kept, (double)cost.scratch, (double)cost.multiplies, (double)cost.exps), "%s", name);
}

void backward_without_the_table(Lesson *lesson)
{
    step(lesson, "The way back, without the table");
    enum { T = 128, d = 16 };
    static const TileSizes tiles = { 16, 16 };
    Arena *arena = lesson->arena;
    HeadProjections p = random_qkv(lesson, T, T, d, d), plain = no_gradient(arena, p), tiled = no_gradient(arena, p);
    Mat dout = mat_new(arena, T, d), weights = mat_new(arena, T, T);
    random_normals(&lesson->random, dout);
    Attended naive = { .out = mat_new(arena, T, d), .weights = weights }, did = room_for(arena, T, d);

    cost_counted = (Cost){ 0 };
    attention_naive(naive, p.q, p.k, p.v, EVERYTHING);
    backward_attention(plain, dout, p, weights, EVERYTHING);
    Cost before = cost_counted;
    cost_counted = (Cost){ 0 };
    attention_tiled_with(did, p.q, p.k, p.v, EVERYTHING, tiles);
    attention_tiled_backward(tiled, dout, p, did, EVERYTHING, tiles);
    Cost now = cost_counted;

    check(lesson, gradients_apart(plain, tiled) < 1e-5,
          "dq, dk and dv are those of chapter 08, within 0.00001 (T = %d, tiles of 16 × 16)", T);
    static const char *const columns[] = { "kept", "scratch", "multiplications", "exps" };
    Rows rows = rows_of(lesson, "forward and backward: bytes kept between them, and all work", columns, 4);
    rows.table.decimals = -1;
    add_cost(&rows, "chapter 08", 4 * T * T, before);
    add_cost(&rows, "tiled", 4 * T * (d + 1), now);
    show_rows(lesson, &rows);
    say(lesson, "Both keep q, k and v besides. The scratch of chapter 08 is two tables, dweights and dscores.");
    cost(lesson, "exps", now.exps, "2·T·S + T·(S / 16 − 1): every weight twice, and what rescales",
         2 * T * T + T * (T / 16 - 1));
    double more = 100.0 * ((double)now.multiplies / (double)before.multiplies - 1);
    check(lesson, more < 20, "%.1f %% more multiplications", more);
    cost(lesson, "bytes kept", 4 * ((int64_t)did.out.rows * did.out.cols + did.lse.rows), "4·T·(dv + 1), out and lse",
         4 * T * (d + 1));
    figure_way_back(lesson);
}
