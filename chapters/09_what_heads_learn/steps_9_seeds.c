// Chapter 09, step 9. Five seeds of model B, none left out, and the same width in more heads and in fewer.
#include "base/portable_math.h"
#include "language/grammar.h"
#include "steps.h"

// The least of the first `count` scores of a training.
static double least_of(TableRows seeds, int n, int count)
{
    double least = 1.0;
    for (int c = 0; c < count; c++) least = fmin(least, mat_value(seeds.values, n, c));
    return least;
}

// Some of the scores; how many; trainings of one H; trainings without the bonus, in the rows behind those.
enum { FINDS_IT = 4, FINDS_NAME, DUP, SCORES, SWITCH = SCORES };
enum { SEEDS_EACH = 5, WITH_BONUS = 2 * SEEDS_EACH, WITHOUT = 3 };

// Sentences that seeds.tsv is of (tests/train/check.c). Step 8 draws from the same seed: the first of them.
enum { SWEPT = 600 };

// Of trainings first … first + 4 the best at `dup` among those whose other scores are all 1.00.
static int best_at_dup(TableRows seeds, int first)
{
    int best = first;
    for (int n = first; n < first + SEEDS_EACH; n++) {
        bool better = mat_value(seeds.values, n, DUP) > mat_value(seeds.values, best, DUP);
        if (least_of(seeds, n, DUP) >= 1.0 && (better || least_of(seeds, best, DUP) < 1.0)) best = n;
    }
    return best;
}

// … and the one whose worst score is best.
static int best_worst(TableRows seeds, int first)
{
    int best = first;
    for (int n = first; n < first + SEEDS_EACH; n++)
        if (least_of(seeds, n, SCORES) > least_of(seeds, best, SCORES)) best = n;
    return best;
}

// The seeds of data/train.c.
static void which_are_kept(Lesson *lesson, TableRows seeds)
{
    int four = best_at_dup(seeds, 0), eight = best_worst(seeds, SEEDS_EACH), other = best_worst(seeds, 0);
    check(lesson, four == 4,
          "glosses-4, model B here, is %s: of those with 1.00 for the first six the best at dup, "
          "%.2f",
          seeds.names[four], mat_value(seeds.values, four, DUP));
    check(lesson, eight == SEEDS_EACH + 1,
          "glosses-8, of later chapters, is %s: its least share, %.2f, is the largest "
          "least one",
          seeds.names[eight], least_of(seeds, eight, SCORES));
    say(lesson, "By the second rule glosses-4 would be %s, with %.2f.", seeds.names[other],
        least_of(seeds, other, SCORES));
}

// How many relations the shares are of.
static void how_many(Lesson *lesson)
{
    static const GlossRelationKind scored[SCORES] = { GLOSS_RELATION_DET, GLOSS_RELATION_ATTR, GLOSS_RELATION_VERB,
                                                      GLOSS_RELATION_AUX, GLOSS_RELATION_IT,   GLOSS_RELATION_PRON,
                                                      GLOSS_RELATION_DUP };
    static GlossedSentence sentence;
    HeadOffsets *offsets = arena_alloc(lesson->arena, sizeof *offsets);
    Random random = random_from(2);
    for (int i = 0; i < SWEPT; i++) {
        grammar_sentence_test(&sentence, &random);
        head_offsets_add(offsets, &sentence);
    }
    say(lesson, "Relations in them: %s. Step 8 has the first %d of these sentences, so its shares differ a little.",
        relations_counted(lesson->arena, offsets, scored, SCORES), SENTENCES);
}

// The least or the largest of a score, over `count` trainings.
static double end_of(TableRows seeds, int first, int count, int column, bool largest)
{
    double end = mat_value(seeds.values, first, column);
    for (int n = first + 1; n < first + count; n++) {
        double one = mat_value(seeds.values, n, column);
        end = largest ? fmax(end, one) : fmin(end, one);
    }
    return end;
}

// Is it the bonus that makes heads so neat?
static void without_the_bonus(Lesson *lesson, TableRows seeds)
{
    double roles = 1.0, it[WITHOUT], turns[WITHOUT];
    for (int n = 0; n < WITHOUT; n++) {
        roles = fmin(roles, least_of(seeds, WITH_BONUS + n, FINDS_IT));
        it[n] = mat_value(seeds.values, WITH_BONUS + n, FINDS_IT);
        turns[n] = mat_value(seeds.values, WITH_BONUS + n, SWITCH);
    }
    check(lesson, roles >= 0.9 && fmax(it[1], it[2]) >= 0.9 && it[0] < 0.9,
          "without the bonus the best heads for det, attr, verb and aux are as good, and for \"it\" in 2 of 3 "
          "trainings");
    say(lesson, "In the other the best head finds it in %.2f, and changes its noun in %.3f of the pairs.", it[0],
        turns[0]);
    say(lesson, "For pron the best of four heads has %.2f to %.2f with the bonus, %.2f to %.2f without it.",
        end_of(seeds, 0, SEEDS_EACH, FINDS_NAME, false), end_of(seeds, 0, SEEDS_EACH, FINDS_NAME, true),
        end_of(seeds, WITH_BONUS, WITHOUT, FINDS_NAME, false), end_of(seeds, WITH_BONUS, WITHOUT, FINDS_NAME, true));
}

void five_seeds(Lesson *lesson, TableRows seeds)
{
    step(lesson, "Five seeds, and none left out");
    static const char *const cols[] = { "det", "attr", "verb", "aux", "it", "pron", "dup" };
    if (!check(lesson, seeds.values.rows == WITH_BONUS + WITHOUT, "five trainings each, and %d without the bonus",
               WITHOUT))
        return;
    show_table(lesson, (Table){ .name = arena_format(lesson->arena,
                                                     "model B: share right of the best head, in %d "
                                                     "sentences",
                                                     SWEPT),
                                .values = mat_cols(seeds.values, 0, SCORES),
                                .rows = seeds.names,
                                .cols = cols });
    how_many(lesson);
    double least = 1.0;
    int clean = 0, below = 0;
    for (int n = 0; n < WITH_BONUS; n++) {
        clean += least_of(seeds, n, SCORES) >= (double)0.9f;
        below += *mat_ref(seeds.values, n, FINDS_IT) < 0.9f;
        least = fmin(least, mat_value(seeds.values, n, SWITCH));
    }
    check(lesson, below == 0,
          "in all %d trainings with the bonus some head finds what \"it\" stands for, in 0.9 or "
          "more",
          WITH_BONUS);
    check(lesson, least > 0.98, "in each of them one head changes its noun in more than 0.98 of 200 pairs");
    check(lesson, clean <= 1, "a head with 0.9 or more for each of the seven: %d of %d trainings", clean, WITH_BONUS);
    without_the_bonus(lesson, seeds);
    which_are_kept(lesson, seeds);
}

// Columns of widths.tsv, after the width of a head.
enum { MEAN_LOSS = 1, LEAST, MOST, ACCURACY, PEAK };

// Its row of 4 heads; before it stands that of 2, after it that of 8.
enum { FOUR = 2 };

static bool ranges_meet(TableRows rows, int one, int other)
{
    return mat_value(rows.values, one, LEAST) <= mat_value(rows.values, other, MOST) &&
           mat_value(rows.values, other, LEAST) <= mat_value(rows.values, one, MOST);
}

void widths(Lesson *lesson, TableRows rows)
{
    static const char *const cols[] = { "loss", "least", "largest", "accuracy" };
    Rows table = rows_of(lesson, "one width, more heads: 450 steps, mean and range of three seeds", cols, 4);
    table.table.decimals = 3;
    int last = rows.values.rows - 1, best = 0; // the last row has no bonus
    for (int n = 0; n < last; n++) {
        rows_add_from(&table, mat_cols(rows.values, MEAN_LOSS, 4), n, "%s, d = %.0f", rows.names[n],
                      mat_value(rows.values, n, 0));
        if (*mat_ref(rows.values, n, MEAN_LOSS) < *mat_ref(rows.values, best, MEAN_LOSS)) best = n;
    }
    show_rows(lesson, &table);
    check(lesson, best > 0 && best + 1 < last, "the loss is least at %s: neither with one head nor with many",
          table.labels[best]);
    check(lesson, ranges_meet(rows, FOUR - 1, FOUR) && !ranges_meet(rows, FOUR, FOUR + 1),
          "the ranges of 2 and 4 heads overlap, those of 4 and 8 do not");
    say(lesson,
        "The loss is −log p alone: the bonus is not in it. H = 4 without the bonus, mean of three seeds: loss "
        "%.3f, accuracy %.3f; the largest weight of a row is %.2f on average, with the bonus %.2f.",
        mat_value(rows.values, last, MEAN_LOSS), mat_value(rows.values, last, ACCURACY),
        mat_value(rows.values, last, PEAK), mat_value(rows.values, FOUR, PEAK));
    double without = mat_value(rows.values, last, MEAN_LOSS);
    check(lesson, without > mat_value(rows.values, FOUR, LEAST) && without < mat_value(rows.values, FOUR, MOST),
          "without the bonus the loss is inside the range with it");
}
