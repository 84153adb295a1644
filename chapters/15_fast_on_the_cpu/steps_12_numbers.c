// Chapter 15, step 12. The same kernel with other numbers: what a table of speeds had not shown.
#include "base/portable_math.h"
#include "steps.h"

enum { T = 512, D = 64, UNMASKED = 3 }; // the first row of sharp numbers; they are seen without a mask

// log₂ of every weight, by that of the row's largest: scores are `by` times as large.
static Mat exponents(Arena *arena, HeadProjections p, float by)
{
    Mat x = mat_new(arena, T, T);
    float scale = by * 1.44269504f / sqrtf((float)D);
    for (int i = 0; i < T; i++) {
        float *row = mat_row(x, i), max = -INFINITY;
        for (int j = 0; j < T; j++) {
            for (int c = 0; c < D; c++) row[j] += *mat_ref(p.q, i, c) * *mat_ref(p.k, j, c);
            row[j] *= scale;
            max = fmaxf(max, row[j]);
        }
        for (int j = 0; j < T; j++) row[j] -= max;
    }
    return x;
}

// Percent of the weights below 2⁻¹²⁶.
static double asked_below(Mat x)
{
    double below = 0;
    for (int e = 0; e < T * T; e++) below += x.at[e] < -126.0f;
    return 100 * below / ((double)T * T);
}

// Percent of the vectors of 16 weights, of 16 queries and one key, that hold one below 2⁻¹²⁶ which is not 0.
static double vectors_with_small(Mat x)
{
    enum { LANES = 16 };
    double found = 0;
    for (int i = 0; i < T; i += LANES)
        for (int j = 0; j < T; j++) {
            bool small = false;
            for (int lane = 0; lane < LANES; lane++) {
                float one = *mat_ref(x, i + lane, j);
                small = small || (one < -126.0f && one > -150.0f);
            }
            found += small;
        }
    return 100 * found / ((double)T / LANES * T);
}

// Percent of the vectors of 16 queries and one key with a query that does not see it, among those with one that does.
static double vectors_cut(Mask mask)
{
    enum { LANES = 16 };
    double cut = 0, seen = 0;
    for (int i = 0; i < T; i += LANES)
        for (int j = 0; j < T; j++) {
            int see = 0;
            for (int lane = 0; lane < LANES; lane++) see += mask_sees(mask, i + lane, j, T, T);
            cut += see > 0 && see < LANES;
            seen += see > 0;
        }
    return 100 * cut / seen;
}

static TableRows kept(Lesson *lesson)
{
    TableRows rows = assist_rows(lesson->arena);
    REQUIRE(rows.values.rows > 5, "data/bench/assists.tsv has %d rows", rows.values.rows);
    return rows;
}

void other_numbers(Lesson *lesson)
{
    step(lesson, "Other numbers");
    TableRows rows = kept(lesson);
    static const char *const columns[] = { "was", "2ˣ mended", "is" };
    Rows table = rows_of(lesson, "the fast kernel, GFLOP/s: as it was, with another 2ˣ, as it is", columns, 3);
    table.table.decimals = 1;
    for (int i = 0; i < rows.values.rows; i++) {
        const float *row = mat_row(rows.values, i);
        rows_add(&table, ROW((double)row[0], (double)row[1], (double)row[2]), "%s", rows.names[i]);
    }
    say(lesson, "T = S = %d, d = %d, one thread, measured on %s, %s.", T, D, assist_fact(lesson->arena, "date: "),
        assist_fact(lesson->arena, "cpu: "));
    show_rows(lesson, &table);

    Mat found = rows.values;
    double least = 1, worst = 1;
    for (int i = UNMASKED; i < found.rows; i++) {
        least = fmin(least, mat_value(found, i, AS_IT_IS) / mat_value(found, 0, AS_IT_IS));
        worst = fmin(worst, mat_value(found, i, AS_IT_WAS) / mat_value(found, 0, AS_IT_WAS));
    }
    check(lesson, worst < 0.05, "in that run, without a mask: with other numbers it went at %.2f of its speed", worst);
    check(lesson, least > 0.7, "and goes at %.2f of it, or more", least);

    HeadProjections p = random_qkv(lesson, T, T, D, D);
    static const float factors[] = { 1, 40, 200 };
    static const char *const kinds[] = { "weights", "vectors" };
    Rows small = rows_of(lesson, "percent: weights below 2⁻¹²⁶; vectors of 16 with such a one, not 0", kinds, 2);
    small.table.decimals = 1;
    for (int n = 0; n < 3; n++) {
        Mat x = exponents(lesson->arena, p, factors[n]);
        rows_add(&small, ROW(asked_below(x), vectors_with_small(x)), "q × %g", (double)factors[n]);
    }
    show_rows(lesson, &small);
    Mat share = small.table.values;
    check(lesson, *mat_ref(share, 0, 0) == 0.0f && *mat_ref(share, 1, 0) > 25,
          "counted: Gaussian scores ask for no "
          "number below 2⁻¹²⁶, sharp ones for many");
    check(lesson, *mat_ref(share, 1, 1) > 4 * *mat_ref(share, 2, 1),
          "where q is 200 times as large most of them are 0: fewer vectors hold one");
    double causal = vectors_cut(CAUSAL), window = vectors_cut((Mask){ .causal = true, .window = 64 });
    check(lesson, vectors_cut(EVERYTHING) == 0 && causal < 10 && window > 20,
          "counted: the causal mask's edge cuts "
          "%.1f %% of the vectors, edges of the window %.1f %%",
          causal, window);
}
