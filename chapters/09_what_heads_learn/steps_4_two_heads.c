// Chapter 09, steps 4 and 6. The two heads that copy together, and what is left of them when one thing is changed.
#include "base/portable_math.h"
#include "language/chunks.h"
#include "language/induction.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

// ---- 4

static const char *const *tokens_as_words(Arena *arena, const int *tokens, int T)
{
    const char **words = arena_alloc(arena, (size_t)T * sizeof *words);
    for (int t = 0; t < T; t++) words[t] = arena_format(arena, "%d", tokens[t]);
    return words;
}

Tokens tokens_read(const Lesson *lesson, const char *text, int words)
{
    Tokens tokens = { 0 };
    for (const char *at = text; *at;) {
        char *end;
        long value = strtol(at, &end, 10);
        if (end == at || value < 0 || value >= words)
            lesson_misused(lesson->state, "--tokens: found \"%.20s\"; a token of model A is a number, 0 to %d", at,
                           words - 1);
        if (tokens.T == TOKENS_MOST) lesson_misused(lesson->state, "--tokens: more than %d of them", TOKENS_MOST);
        tokens.at[tokens.T++] = (int)value;
        at = end + strspn(end, " ,");
    }
    if (tokens.T == 0) lesson_misused(lesson->state, "--tokens: found none; a token is a number, 0 to %d", words - 1);
    return tokens;
}

// What model A answers after each of the reader's tokens, and what the induction head looks at.
static void answers_to(Lesson *lesson, Transformer a, const Tokens *own, Pair best)
{
    enum { ACROSS = 11 };
    static const char *const names[] = { "token", "answer", "looks at", "… place" };
    Arena *arena = lesson->arena;
    Run run = run_transformer(arena, a, run_batch_of_one(arena, own->at, own->T), (Mat){ 0 });
    Mat weights = run_weights(arena, &run, 0, 1, best.induction);
    for (int first = 0; first < own->T; first += ACROSS) {
        int count = own->T - first < ACROSS ? own->T - first : ACROSS;
        Mat rows = mat_new(arena, 4, count);
        for (int t = 0; t < count; t++) {
            int place = mat_argmax(weights, first + t);
            const int column[] = { own->at[first + t], run_answer(&run, 0, first + t), own->at[place], place };
            for (int r = 0; r < 4; r++) *mat_ref(rows, r, t) = (float)column[r];
        }
        const char *name = arena_format(arena, "your tokens, from position %d", first);
        show_table(lesson, (Table){ .name = name, .values = rows, .rows = names, .decimals = -1 });
    }
}

static void maps_of_two_heads(Lesson *lesson, Transformer a, Pair best)
{
    enum { PERIOD = 8, T = 2 * PERIOD };
    Arena *arena = lesson->arena;
    int tokens[T], targets[T];
    Random random = lesson->random;
    chunks_repeated_sequence(tokens, targets, T, PERIOD, CHUNKS_VOCABULARY, &random);
    Run run = run_transformer(arena, a, run_batch_of_one(arena, tokens, T), (Mat){ 0 });
    Sentence words = { T, tokens_as_words(arena, tokens, T), (Mat){ 0 } };
    Heatmap maps[2];
    for (int l = 0; l < 2; l++) {
        Mat weights = run_weights(arena, &run, 0, l, l ? best.induction : best.previous);
        const char *title = l ? arena_format(arena, "1.%d: what came after it before", best.induction)
                              : arena_format(arena, "0.%d: the token before", best.previous);
        maps[l] = map_of_weights(title, weights, &words, &words);
        maps[l].hidden = mat_hidden(arena, (Mask){ .causal = true }, T, T);
        maps[l].decimals = -1;
    }
    figure_maps(lesson, "two_heads.png", "both heads on 8 random tokens, said twice", "Two heads that copy together",
                maps, 2, 2);
}

Pair the_two_heads(Lesson *lesson, Transformer a, const Tokens *own)
{
    step(lesson, "What the two heads do");
    InductionScores s = induction_scores(lesson->arena, a, induction_batch, 64, 7);
    static const char *const cols[] = { "previous", "induction" };
    Rows rows = rows_of(lesson, "mean mass of each head, on 64 fresh sequences", cols, 2);
    for (int n = 0; n < 4; n++) rows_add(&rows, ROW(s.previous[n], s.induction[n]), "layer %d, head %d", n / 2, n % 2);
    show_rows(lesson, &rows);
    Pair best = { .previous = s.previous[1] > s.previous[0], .induction = s.induction[3] > s.induction[2] };
    check(lesson, s.best_previous >= 0.8, "head %d of layer 0 has 0.8 of its mass or more on the token before",
          best.previous);
    check(lesson, s.best_induction >= 0.9, "head %d of layer 1 has 0.9 or more on what followed its token before",
          best.induction);
    check(lesson, induction_copy_accuracy(a, 64, 8) >= 0.98,
          "15 fresh random tokens, then the same again: 0.98 or more of the "
          "second round is predicted");
    if (own) answers_to(lesson, a, own, best);
    maps_of_two_heads(lesson, a, best);
    return best;
}

// ---- 6

enum { CONTROLS = 8, ONE_LAYER = 1, ONE_HEAD, ALIBI, SLOPE_1 = 5, PERIODS, PERIOD_12 };

typedef enum { MEAN, LEAST, LARGEST } Of;

// A column of a control, over its seeds.
static double of_seeds(TableRows rows, int control, int column, Of which)
{
    double sum = 0.0, least = INFINITY, largest = -INFINITY;
    for (int n = control * CONTROL_SEEDS; n < (control + 1) * CONTROL_SEEDS; n++) {
        double one = mat_value(rows.values, n, column);
        sum += one;
        least = fmin(least, one);
        largest = fmax(largest, one);
    }
    return which == MEAN ? sum / CONTROL_SEEDS : which == LEAST ? least : largest;
}

static void show_means(Lesson *lesson, TableRows rows)
{
    static const char *const cols[] = { "own", "chunks", "previous", "induction", "copy" };
    Rows table = rows_of(lesson,
                         arena_format(lesson->arena,
                                      "after 1000 steps, means of %d seeds: right answers, and "
                                      "masses",
                                      CONTROL_SEEDS),
                         cols, FELL - RIGHT_OWN);
    for (int k = 0; k < CONTROLS; k++) {
        double mean[CONTROL_COLUMNS];
        for (int c = RIGHT_OWN; c < CONTROL_COLUMNS; c++) mean[c] = of_seeds(rows, k, c, MEAN);
        rows_add(&table, mean + RIGHT_OWN, "%s", rows.names[k * CONTROL_SEEDS]);
    }
    show_rows(lesson, &table);
}

static void show_spread(Lesson *lesson, TableRows rows)
{
    static const char *const cols[] = { "own", "to", "induction", "to", "copy", "to" };
    static const int shown[] = { RIGHT_OWN, MASS_INDUCTION, COPIES };
    Rows table = rows_of(lesson, "the least and the largest of them", cols, 6);
    for (int k = 0; k < CONTROLS; k++) {
        double range[6];
        for (int c = 0; c < 6; c++) range[c] = of_seeds(rows, k, shown[c / 2], c % 2 ? LARGEST : LEAST);
        rows_add(&table, range, "%s", rows.names[k * CONTROL_SEEDS]);
    }
    show_rows(lesson, &table);
}

// When the loss fell, with every seed.
static void say_falls(Lesson *lesson, TableRows rows)
{
    const char *list = "";
    for (int seed = 0; seed < CONTROL_SEEDS; seed++)
        list = arena_format(lesson->arena, "%s%s%.0f", list, seed ? ", " : "", mat_value(rows.values, seed, FELL));
    say(lesson,
        "Measured every 25 steps, the loss of model A is below 1 from step %s on; with one head a layer from "
        "%.0f to %.0f; with ALiBi, slope 1, from %.0f to %.0f.",
        list, of_seeds(rows, ONE_HEAD, FELL, LEAST), of_seeds(rows, ONE_HEAD, FELL, LARGEST),
        of_seeds(rows, SLOPE_1, FELL, LEAST), of_seeds(rows, SLOPE_1, FELL, LARGEST));
    check(lesson, of_seeds(rows, ONE_LAYER, FELL, LARGEST) == 0.0 && of_seeds(rows, ALIBI, FELL, LARGEST) == 0.0,
          "with one layer, and with ALiBi's own slopes for two heads, it never is");
    check(lesson, of_seeds(rows, SLOPE_1, FELL, LARGEST) < of_seeds(rows, 0, FELL, LEAST),
          "slope 1, with its slowest seed, is before RoPE with its fastest");
}

// Claims hold for each seed, not for the mean alone.
void controls(Lesson *lesson, TableRows rows)
{
    step(lesson, "Controls");
    int trainings = rows.values.rows;
    if (!check(lesson, trainings == CONTROLS * CONTROL_SEEDS, "%d trainings: %d models or corpora, %d seeds each",
               trainings, CONTROLS, CONTROL_SEEDS))
        return;
    show_means(lesson, rows);
    show_spread(lesson, rows);
    check(lesson, of_seeds(rows, ONE_LAYER, RIGHT_OWN, LARGEST) < 0.3,
          "one layer of two heads does not copy: with every seed fewer than 0.3 of the answers are right");
    say_falls(lesson, rows);
    say(lesson, "ALiBi's slopes: %.4f and %.4f for two heads, %.2f to %.4f for four.", (double)alibi_slope(0, 2),
        (double)alibi_slope(1, 2), (double)alibi_slope(0, 4), (double)alibi_slope(3, 4));
    check(lesson,
          of_seeds(rows, PERIODS, RIGHT_CHUNKS, LEAST) > 0.98 && of_seeds(rows, PERIODS, MASS_INDUCTION, LEAST) > 0.9,
          "trained on periods of 8 to 16, every seed copies chunks it has never seen: induction heads");
    check(lesson,
          of_seeds(rows, PERIOD_12, RIGHT_OWN, LEAST) > 0.98 &&
              of_seeds(rows, PERIOD_12, RIGHT_CHUNKS, LARGEST) < 0.3 &&
              of_seeds(rows, PERIOD_12, MASS_INDUCTION, LARGEST) < 0.3,
          "trained on one period alone, every seed is as good there, fails on chunks, and has no induction head");
}
