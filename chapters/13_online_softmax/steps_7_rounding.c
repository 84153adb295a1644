// Chapter 13, steps 7 and 8. What is lost by rounding: lse of large scores, and sums over long rows.
#include "lesson/reference.h"
#include "steps.h"

// ---- 7

// Equal scores, so that every key has the same weight: `first` keys of value 1, and others of value 0.
void large_scores(Lesson *lesson)
{
    enum { FIRST = 11, OTHERS = 13, S = FIRST + OTHERS };
    static const float sizes[] = { 0, 100, 10000 };
    static const char *const columns[] = { "at once", "merged" };
    step(lesson, "What lse has no digits for");
    Arena *arena = lesson->arena;
    Rows rows = rows_of(lesson, arena_format(arena, "the share of %d keys among %d", FIRST, S), columns, 2);
    rows.table.decimals = 5;
    Mat q = mat_of(arena, 1, 1, (float[]){ 1.0f }), k = mat_new(arena, S, 1), v = mat_new(arena, S, 1);
    mat_fill(mat_rows(v, 0, FIRST), 1.0f);
    double at_once[3], in_two[3];
    for (int e = 0; e < 3; e++) {
        mat_fill(k, sizes[e]);
        Part a = of_keys(arena, q, k, v, 0, FIRST), b = of_keys(arena, q, k, v, FIRST, OTHERS);
        at_once[e] = *of_keys(arena, q, k, v, 0, S).out.at;
        in_two[e] = *merged(arena, a, b).out.at;
        rows_add(&rows, ROW(at_once[e], in_two[e]), "all scores %g", (double)sizes[e]);
    }
    show_rows(lesson, &rows);
    double share = (double)FIRST / S, off = fabs(in_two[2] - share), place = 1.0 / 1024;
    check(lesson, (double)(nextafterf(10000.0f, INFINITY) - 10000.0f) == place,
          "from 10,000 to the next float it is 1/1024");
    double most = 0.0;
    for (int e = 0; e < 3; e++) most = fmax(most, fabs(at_once[e] - share));
    check(lesson, most <= 1e-6 && fabs(in_two[0] - share) <= 1e-6,
          "at once at all three, and merged at 0, it is %d/%d within 1e-6", FIRST, S);
    check(lesson, off > 1e-4 && off <= place / 2,
          "merged at 10,000 it is off by more than 0.0001, by less than half that step");
}

// ---- 8

// The largest relative error of an output of one query.
static double error_of(Part p, const double *want)
{
    double worst = 0.0;
    for (int c = 0; c < p.out.cols; c++) worst = fmax(worst, fabs(mat_value(p.out, 0, c) / want[c] - 1.0));
    return worst;
}

enum { RUN = 64, DV = 4 };

// Runs of 64 keys, merged two and two, and the results again two and two.
static Part by_halves(Arena *arena, Mat q, Mat k, Mat v)
{
    int half = k.rows / 2;
    if (k.rows <= RUN) return of_keys(arena, q, k, v, 0, k.rows);
    Part a = by_halves(arena, q, mat_rows(k, 0, half), mat_rows(v, 0, half));
    Part b = by_halves(arena, q, mat_rows(k, half, k.rows - half), mat_rows(v, half, k.rows - half));
    return merged(arena, a, b);
}

typedef struct {
    double naive, online, halves;
} Errors;

static Errors errors_of(Lesson *lesson, int S)
{
    enum { d = 8 };
    Arena *arena = lesson->arena;
    ArenaMark mark = arena_mark(arena);
    Mat q = mat_new(arena, 1, d), k = mat_new(arena, S, d), v = mat_new(arena, S, DV);
    random_normals(&lesson->random, q);
    random_normals(&lesson->random, k);
    for (int e = 0; e < S * DV; e++) v.at[e] = random_uniform(&lesson->random);
    const double *want = reference_compute(arena, q, k, v, EVERYTHING);
    Errors errors = { .naive = error_of(attend(arena, attention_naive, q, k, v, EVERYTHING), want),
                      .online = error_of(attend(arena, attention_online, q, k, v, EVERYTHING), want),
                      .halves = error_of(by_halves(arena, q, k, v), want) };
    arena_release(arena, mark);
    return errors;
}

// The mean of several queries; `worst` grows to the largest of them.
static Errors mean_errors(Lesson *lesson, int S, int queries, Errors *worst)
{
    Errors mean = { 0, 0, 0 };
    for (int n = 0; n < queries; n++) {
        Errors e = errors_of(lesson, S);
        mean = (Errors){ mean.naive + e.naive / queries, mean.online + e.online / queries,
                         mean.halves + e.halves / queries };
        *worst = (Errors){ fmax(worst->naive, e.naive), fmax(worst->online, e.online), fmax(worst->halves, e.halves) };
    }
    return mean;
}

void long_rows(Lesson *lesson)
{
    enum { MOST = 65536, QUERIES = 8 };
    static const char *const columns[] = { "naive", "online", "merged" };
    step(lesson, "Long rows");
    const char *title = arena_format(lesson->arena, "error in millionths, mean of %d queries", QUERIES);
    Rows rows = rows_of(lesson, title, columns, 3);
    rows.table.decimals = 1;
    Errors worst = { 0, 0, 0 }, last = { 0, 0, 0 };
    bool alike = true;
    for (int S = 1024; S <= MOST; S *= 8) {
        last = mean_errors(lesson, S, QUERIES, &worst);
        rows_add(&rows, ROW(1e6 * last.naive, 1e6 * last.online, 1e6 * last.halves), "S = %d", S);
        alike = alike && last.online < 3.0 * last.naive;
    }
    int merges = 0;
    for (int keys = RUN; keys < MOST; keys *= 2) merges++;
    say(lesson,
        "At most, a number passes through %d additions in a row; in runs of %d keys, merged two and two, "
        "through %d + %d = %d.",
        MOST - 1, RUN, RUN - 1, merges, RUN - 1 + merges);
    say(lesson, "The error of an output is the largest relative error of its %d numbers, against float64.", DV);
    show_rows(lesson, &rows);
    check(lesson, worst.naive < 1e-4 && worst.online < 1e-4, "naive and online are within 1e-4, at every length");
    check(lesson, alike, "online is less than three times as far off as naive, at every length");
    check(lesson, worst.halves < 1e-6, "in runs of 64 keys, merged two and two, it is within 1e-6");
    check(lesson, 20.0 * last.halves < last.naive && 20.0 * last.halves < last.online,
          "at 65,536 keys that is more than twenty times as close as either");
}
