// Chapter 07, step 7. RoPE's base, and what becomes of a head when the text is longer than those of training.
#include "base/portable_math.h"
#include "steps.h"

enum { d = 64, PAIRS = d / 2, TRAINED = 4096, WAYS = 5, AGO = 5 };

// A way to turn: the angle of pair m at position p is p / stretch / base^(2m/d). With `by_parts` only slow pairs are
// divided: those that did not go round in training by stretch, those that went round MANY times not at all (YaRN, but
// for its factor on the scores).
typedef struct {
    const char *name;
    double base, stretch;
    bool by_parts;
} Way;

enum { MANY = 32 };

static double radians(Way way, int m)
{
    double turn = pow(way.base, -2.0 * m / d), rounds = turn * TRAINED / (2.0 * acos(-1.0));
    double kept = way.by_parts ? fmin(fmax((rounds - 1.0) / (MANY - 1), 0.0), 1.0) : 0.0;
    return kept * turn + (1.0 - kept) * turn / way.stretch;
}

static RopeTable turns_at(Arena *arena, Way way, int position)
{
    RopeTable turns = { mat_new(arena, 1, PAIRS), mat_new(arena, 1, PAIRS) };
    for (int m = 0; m < PAIRS; m++) {
        *mat_ref(turns.cosine, 0, m) = (float)cos(position * radians(way, m));
        *mat_ref(turns.sine, 0, m) = (float)sin(position * radians(way, m));
    }
    return turns;
}

// The distance at which q likes best a key that was made to be found AGO words back.
static int found_at(Lesson *lesson, Mat q, Way way)
{
    enum { LEAST = 65 };
    int apart = 2 * AGO * way.stretch > LEAST ? (int)(2 * AGO * way.stretch) : LEAST, from = apart + AGO;
    Arena *arena = lesson->arena;
    Mat made = turned(arena, q, AGO), here = mat_copy(arena, q);
    rope_apply(here, turns_at(arena, way, from));
    int best = 0;
    double most = -INFINITY;
    for (int n = 0; n < apart; n++) {
        Mat there = mat_copy(arena, made);
        rope_apply(there, turns_at(arena, way, from - n));
        double score = (double)*scores_of(arena, (HeadProjections){ here, there, there }).at;
        if (score > most) best = n;
        most = fmax(most, score);
    }
    return best;
}

// How many words each pair needs for a full circle, against the lengths of both texts.
static void figure_of_circles(Lesson *lesson, const Way *ways, int end)
{
    Arena *arena = lesson->arena;
    double *x = arena_alloc(arena, PAIRS * sizeof *x);
    const int lengths[] = { TRAINED, end };
    PlotSeries series[WAYS + 2];
    for (int m = 0; m < PAIRS; m++) x[m] = m;
    for (int s = 0; s < WAYS + 2; s++) {
        double *y = arena_alloc(arena, PAIRS * sizeof *y);
        for (int m = 0; m < PAIRS; m++) y[m] = s < WAYS ? 2.0 * acos(-1.0) / radians(ways[s], m) : lengths[s - WAYS];
        series[s] = (PlotSeries){ .x = x, .y = y, .count = PAIRS, .dashed = s >= WAYS };
        series[s].name = s < WAYS ? ways[s].name : arena_format(arena, "%d words", lengths[s - WAYS]);
    }
    figure_plot(lesson, "base.png", "how many words each pair needs to go round once",
                (Plot){ .title = "Above a dashed line a pair does not go round in a text so long",
                        .x_title = "pair",
                        .y_title = "words for a full circle",
                        .log_y = true,
                        .series = series,
                        .count = end > TRAINED ? WAYS + 2 : WAYS + 1 });
}

void longer_texts(Lesson *lesson, double base, double stretch)
{
    step(lesson, "Longer texts: RoPE's base");
    Arena *arena = lesson->arena;
    static const char *const cols[] = { "first", "last", "found at" };
    int end = (int)(TRAINED * stretch);
    const Way ways[WAYS] = {
        { "base 10000", 10000.0, 1.0, false },
        { arena_format(arena, "positions / %g", stretch), 10000.0, stretch, false },
        { arena_format(arena, "base %.0f", base), base, 1.0, false },
        { arena_format(arena, "base 10000·%g^(d/(d-2))", stretch), 10000.0 * pow(stretch, (double)d / (d - 2)), 1.0,
          false },
        { "YaRN", 10000.0, stretch, true },
    };
    const char *name = arena_format(arena, "radians turned: first pair in 1 word, last in %d", end);
    Rows rows = rows_of(lesson, name, cols, 3);
    rows.table.decimals = 3;
    rows.table.whole = 1 << 2;
    rows.table.units = COLUMNS_APART;
    Random random = random_from(1);
    Mat q = mat_new(arena, 1, d);
    random_normals(&random, q);
    for (int w = 0; w < WAYS; w++) {
        double last = radians(ways[w], PAIRS - 1) * end;
        rows_add(&rows, ROW(radians(ways[w], 0), last, found_at(lesson, q, ways[w])), "%s", ways[w].name);
    }
    show_rows(lesson, &rows);
    double seen = radians(ways[0], PAIRS - 1) * TRAINED;
    say(lesson,
        "d = %d. In training, over %d words, the last pair turned by %.3f radians. Found at: the distance of "
        "a key that was made to be found %d words back.",
        d, TRAINED, seen, AGO);
    int round = 0;
    for (int m = 0; m < PAIRS; m++) round += radians(ways[0], m) * TRAINED >= 2.0 * acos(-1.0);
    check(lesson, round < PAIRS, "%d of %d pairs went round in training: they have seen all their angles", round,
          PAIRS);
    check(lesson,
          fabs(radians(ways[1], PAIRS - 1) * end - seen) <= 1e-3 * seen &&
              fabs(radians(ways[3], PAIRS - 1) * end - seen) <= 1e-3 * seen,
          "divided positions and the base made for it bring the last pair back to what it knows");
    figure_of_circles(lesson, ways, end);
}
