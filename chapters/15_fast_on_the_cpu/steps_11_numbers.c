// Chapter 15, step 11. The same kernel with other numbers: what a table of speeds had not shown.
#include "steps.h"

#include <math.h>

enum { T = 512, D = 64, UNMASKED = 3 };              // the first row of sharp numbers; they are seen without a mask

// Of all weights 2ˣ, how many lie below 2 to the power `least`, in percent; scores are `by` times as large.
static double asked_below(Projected p, float by, float least)
{
    double below = 0;
    for (int i = 0; i < T; i++) {
        float row[T], max = -INFINITY, scale = by * 1.44269504f / sqrtf((float)D);
        for (int j = 0; j < T; j++) {
            row[j] = 0.0f;
            for (int c = 0; c < D; c++) row[j] += *mat_ref(p.q, i, c) * *mat_ref(p.k, j, c);
            row[j] *= scale;
            max = fmaxf(max, row[j]);
        }
        for (int j = 0; j < T; j++) below += row[j] - max < least;
    }
    return 100 * below / ((double)T * T);
}

static NamedRows kept(Lesson *lesson)
{
    NamedRows rows = assist_rows(lesson->arena);
    REQUIRE(rows.values.rows > 5, "data/bench/assists.tsv has %d rows", rows.values.rows);
    return rows;
}

void other_numbers(Lesson *lesson)
{
    step(lesson, "Other numbers");
    NamedRows rows = kept(lesson);
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
    check(lesson, worst < 0.05, "in that run: with other numbers it went at %.2f of its speed", worst);
    check(lesson, least > 0.7, "and goes at %.2f of it, or more", least);

    Projected p = drawn(lesson, T, T, D, D);
    double usual = asked_below(p, 1.0f, -126.0f), sharp = asked_below(p, 40.0f, -126.0f);
    check(lesson, usual == 0.0, "counted: of Gaussian scores, none asks for a number below 2⁻¹²⁶");
    check(lesson, sharp > 25, "of scores that are 40 times as large, %.0f %% do", sharp);
    int hidden = 0;
    for (int i = 0; i < KEYS; i++)
        for (int j = 0; j < KEYS; j++) hidden += !mask_sees(CAUSAL, i, j, KEYS, KEYS);
    check(lesson, hidden == KEYS * (KEYS - 1) / 2, "of a tile on the diagonal %d of %d weights are hidden, 2 to the "
          "power −∞: they do, too", hidden, KEYS * KEYS);
}
