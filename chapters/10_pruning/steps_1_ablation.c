// Chapter 10, steps 1 to 3. Heads switched off, one at a time and two at a time, and what goes wrong then.
#include "base/portable_math.h"
#include "lesson/block_map.h"
#include "steps.h"

#include <string.h>

// The head without which most words of a kind go wrong.
static int dearest(const Studied *s, int kind)
{
    int worst = 0;
    for (int n = 1; n < s->heads; n++)
        if (s->without[n].kind[kind] < s->without[worst].kind[kind]) worst = n;
    return worst;
}

static Rows losses(Lesson *lesson, const Studied *s)
{
    Rows rows = rows_of(lesson, "accuracy lost without one head, by kind of word", KIND_NAME, KINDS + 1);
    for (int n = 0; n < s->heads; n++) {
        double row[KINDS + 1];
        for (int k = 0; k < KINDS; k++) row[k] = lost(s, n, k);
        row[KINDS] = s->head[n].cost;
        rows_add(&rows, row, "%s", s->head[n].name);
    }
    rows.table.high = 0.6;
    rows.table.colors = COLOR_CIVIDIS;
    return rows;
}

static Heatmap map_of_losses(Lesson *lesson, const Studied *s, const Rows *rows)
{
    return (Heatmap){ .title = arena_format(lesson->arena, "%s without one head", s->name),
                      .values = rows->table.values,
                      .row_labels = rows->labels,
                      .col_labels = KIND_NAME,
                      .row_title = "the head",
                      .col_title = "kind of word",
                      .colors = COLOR_CIVIDIS,
                      .low = 0,
                      .high = 0.6,
                      .decimals = 2,
                      .cell = 44,
                      .bar_title = "accuracy lost" };
}

// The later head that hurts a kind most among those that leave `it` alone.
static int spares_it(const Studied *s, int kind)
{
    int best = -1;
    for (int n = s->model.config.H; n < s->heads; n++)
        if (lost(s, n, IT) < 0.05 && (best < 0 || lost(s, n, kind) > lost(s, best, kind))) best = n;
    return best < 0 ? s->heads - 1 : best;
}

int it_head(const Studied *s)
{
    int worst = s->model.config.H;
    for (int n = worst; n < s->heads; n++)
        if (lost(s, n, IT) > lost(s, worst, IT)) worst = n;
    return worst;
}

static void one_at_a_time(Lesson *lesson, const Studied *s, bool ours)
{
    Rows rows = losses(lesson, s);
    show_rows(lesson, &rows);
    int it = it_head(s), other = spares_it(s, AUX);
    if (ours) {
        check(lesson, s->full.all > 0.99, "with all heads more than 0.99 of the words are right");
        check(lesson, lost(s, it, IT) > 0.4 && lost(s, it, VERB) < 0.05,
              "without head %s, \"it\" loses more than 0.4, the verb less than 0.05", s->head[it].name);
        check(lesson, lost(s, other, AUX) > 0.3 && lost(s, other, IT) < 0.05 && lost(s, it, AUX) < 0.05,
              "without head %s, aux loses more than 0.3 and \"it\" less than 0.05; without %s, aux less than 0.05",
              s->head[other].name, s->head[it].name);
        check(lesson, lost(s, dearest(s, VERB), VERB) < 0.1, "no single head costs the verb as much as 0.1");
    }
    figure_map(lesson, "ablation.png", "accuracy lost, head by head and kind by kind", map_of_losses(lesson, s, &rows));
}

const Word *noun_named(Arena *arena, int gloss)
{
    const char *hyphen = strchr(gloss_text(arena, gloss), '-');
    for (int w = 0; hyphen && w < words_count(); w++)
        if (word_at(w)->class == WORD_NOUN && !strcmp(word_at(w)->stem, hyphen + 1)) return word_at(w);
    return NULL;
}

// Of twins the first are about an animal (which: 0), the second about a place (1): how many `it` are right, and how
// many name another noun of the right kind.
typedef struct {
    int right, another;
} Named;

static Named its_named(Lesson *lesson, const Studied *s, const Test *twins, Mat gates, int which)
{
    Run run = run_instead_transformer(lesson->arena, s->model, twins->batch, gates, twins->instead);
    Named named = { 0, 0 };
    for (int b = which; b < twins->count; b += 2) {
        const GlossedSentence *g = &twins->sentences[b];
        int answer = run_answer(&run, b, g->it), noun = g->words[gloss_relation_to(g, GLOSS_RELATION_IT, g->it)];
        bool right = answer == g->glosses[g->it];
        named.right += right;
        const Word *other = noun_named(lesson->arena, answer);
        named.another += !right && other && other->kind == word_at(noun)->kind;
    }
    return named;
}

// With the head of `it` gone: the later one without which fewest places stay right; `stay`: how many.
static int stands_in(Lesson *lesson, const Studied *s, const Test *twins, Mat gates, int *stay)
{
    int best = -1;
    for (int n = s->model.config.H; n < s->heads; n++) {
        if (gates.at[n] == 0.0f) continue;
        int left = its_named(lesson, s, twins, gates_without(lesson->arena, gates, n), 1).right;
        if (best >= 0 && left >= *stay) continue;
        best = n;
        *stay = left;
    }
    return best;
}

// Twins about an animal and a place that were never subject and object in training: `it` with all heads, and without
// the head of `it`.
static void never_trained(Lesson *lesson, const Studied *s, bool means, bool ours)
{
    enum { PAIRS = 50 };
    Arena *arena = lesson->arena;
    Random random = lesson->random; // a copy: what is drawn later stays
    Test test = test_of_pairs(lesson, PAIRS, &random);
    if (means) test = test_with_means(lesson, s->model, &test);
    int it = it_head(s);
    Mat gates = gates_without(arena, gates_all(arena, s, 1.0f), it);
    double with = measure(s->model, &test, (Mat){ 0 }, false).kind[IT];
    double without = measure(s->model, &test, gates, false).kind[IT];
    say(lesson,
        "%d more sentences, each with an animal and a place that were never subject and object in training: "
        "\"it\" is right in %.2f, without head %s in %.2f.",
        test.count, with, s->head[it].name, without);
    Named animals = its_named(lesson, s, &test, gates, 0), places = its_named(lesson, s, &test, gates, 1);
    say(lesson,
        "Without the head %d of the %d that stand for an animal are right, and %d name another animal; of the "
        "%d that stand for a place %d are right, and %d name another place.",
        animals.right, PAIRS, animals.another, PAIRS, places.right, places.another);
    int stay = 0, other = stands_in(lesson, s, &test, gates, &stay);
    if (other >= 0)
        say(lesson, "With %s off as well, %d of those %d places are right.", s->head[other].name, stay, PAIRS);
    if (!ours) return;
    check(lesson, with > 0.9 && with - without > 0.3, "here, too, \"it\" loses more than 0.3");
    check(lesson, places.right > 0.8 * PAIRS && animals.another > 0.8 * PAIRS,
          "which animal is lost: more than 0.8 of the places stay right, of the animals as many become another one");
}

typedef struct {
    int first, second;
} Pair; // two heads that go together

// Every two heads of the later layers, as many pairs as there is room for, and gates that switch both off.
static int later_pairs(Arena *arena, const Studied *s, Pair pair[HEADS_MOST], Mat gates[HEADS_MOST])
{
    Mat on = gates_all(arena, s, 1.0f);
    int count = 0;
    for (int a = s->model.config.H; a < s->heads; a++)
        for (int b = a + 1; b < s->heads; b++) {
            if (count == HEADS_MOST) return count;
            pair[count] = (Pair){ a, b };
            gates[count++] = gates_without(arena, gates_without(arena, on, a), b);
        }
    return count;
}

// Nobody is alone: the later heads two at a time, and what that costs the verb.
static void two_at_a_time(Lesson *lesson, const Studied *s, const Test *test, bool ours)
{
    Mat gates[HEADS_MOST];
    Score score[HEADS_MOST];
    Pair pair[HEADS_MOST];
    int pairs = later_pairs(lesson->arena, s, pair, gates), worst = 0;
    if (!pairs) return;
    measure_all(s->model, test, gates, score, pairs, false);
    for (int p = 1; p < pairs; p++)
        if (score[p].kind[VERB] < score[worst].kind[VERB]) worst = p;
    int first = pair[worst].first, second = pair[worst].second;
    double together = s->full.kind[VERB] - score[worst].kind[VERB];
    double alone[] = { lost(s, first, VERB), lost(s, second, VERB) };
    say(lesson, "Without %s the verb loses %.2f, without %s %.2f, without both %.2f.", s->head[first].name, alone[0],
        s->head[second].name, alone[1], together);
    say(lesson, "From the verb to the noun of its object they give %.2f and %.2f of their weight.",
        s->head[first].on_object, s->head[second].on_object);
    if (ours)
        check(lesson, together > 2 * (alone[0] + alone[1]),
              "together they cost the verb more than twice what they cost one by one");
}

// ---- few words

// 95 of 100 times the true share lies between these, when `hits` of `n` are found.            [Wilson 1927]
typedef struct {
    double low, high;
} Interval;

static Interval wilson(int hits, int n)
{
    const double z = 1.96;
    double share = (double)hits / n, middle = share + z * z / (2 * n), wide = 1 + z * z / n;
    double reach = z * sqrt(share * (1 - share) / n + z * z / (4.0 * n * n));
    return (Interval){ (middle - reach) / wide, (middle + reach) / wide };
}

// How likely heads and tails are at least as unequal as a and b, when a fair coin is thrown a + b times.
static double as_unequal(int a, int b)
{
    int n = a + b, most = a > b ? a : b;
    double ways = 1.0, sum = 0.0; // of n things k can be taken in so many ways
    for (int k = 0; k <= n; k++) {
        if (k >= most) sum += ways;
        ways *= (double)(n - k) / (k + 1);
    }
    return fmin(1.0, 2.0 * sum / pow(2.0, n));
}

// Every `it` of a test, in order: is it right?
static int its_right(bool *right, Transformer model, const Test *test, Mat gates)
{
    Arena *scratch = arena_open();
    Run run = run_instead_transformer(scratch, model, test->batch, gates, test->instead);
    int count = 0;
    for (int b = 0; b < test->count; b++) {
        const GlossedSentence *s = &test->sentences[b];
        if (s->it >= 0) right[count++] = run_answer(&run, b, s->it) == s->glosses[s->it];
    }
    arena_close(scratch);
    return count;
}

// Without a head: how many `it` go wrong with 0 in its place, how many with its mean, and how many in one case alone.
typedef struct {
    int count, zero, mean, zero_alone, mean_alone;
} Wrong;

static Wrong its_wrong(Lesson *lesson, const Studied *s, const Test *test, int head)
{
    Test with_0 = *test, with_mean = test_with_means(lesson, s->model, test);
    with_0.instead = NULL;
    Mat gates = gates_without(lesson->arena, gates_all(lesson->arena, s, 1.0f), head);
    size_t room = (size_t)test->count * sizeof(bool);
    bool *zero = arena_alloc(lesson->arena, room), *mean = arena_alloc(lesson->arena, room);
    Wrong wrong = { .count = its_right(zero, s->model, &with_0, gates) };
    its_right(mean, s->model, &with_mean, gates);
    for (int i = 0; i < wrong.count; i++) {
        wrong.zero += !zero[i];
        wrong.mean += !mean[i];
        wrong.zero_alone += !zero[i] && mean[i];
        wrong.mean_alone += !mean[i] && zero[i];
    }
    return wrong;
}

// A whole number, rounded, with a comma before its last three digits.
static const char *thousands(Arena *arena, double x)
{
    int64_t whole = llround(x);
    if (whole < 1000) return arena_format(arena, "%d", (int)whole);
    return arena_format(arena, "%s,%03d", thousands(arena, (double)(whole / 1000)), (int)(whole % 1000));
}

static void say_wrong(Lesson *lesson, const char *where, Wrong w)
{
    Interval zero = wilson(w.zero, w.count), mean = wilson(w.mean, w.count);
    double chance = as_unequal(w.zero_alone, w.mean_alone);
    const char *often = chance > 0.5
                            ? "most of the time"
                            : arena_format(lesson->arena, "once in %s times", thousands(lesson->arena, 1.0 / chance));
    say(lesson,
        "%s, with 0: %d of %d \"it\" are wrong, a share of %.2f to %.2f; with the mean %d, %.2f to %.2f. Wrong "
        "with 0 alone: %d, with the mean alone: %d. A fair coin is as unequal %s.",
        where, w.zero, w.count, zero.low, zero.high, w.mean, mean.low, mean.high, w.zero_alone, w.mean_alone, often);
}

// The head for which zero and mean differ most, chosen from this test, and held against sentences that did not choose.
static void few_words(Lesson *lesson, const Studied *s, const Test *test, int head, bool ours)
{
    enum { MORE = 600 };
    Lesson aside = *lesson;
    aside.random = random_from(random_bits(&aside.random)); // a copy: what is drawn later stays
    Test fresh = test_draw(&aside, MORE);
    Wrong here = its_wrong(lesson, s, test, head), there = its_wrong(lesson, s, &fresh, head);
    say_wrong(lesson, arena_format(lesson->arena, "Without head %s", s->head[head].name), here);
    say_wrong(lesson, arena_format(lesson->arena, "On %d other sentences", MORE), there);
    if (ours && as_unequal(here.zero_alone, here.mean_alone) < 0.05) // else there is nothing to ask again
        check(lesson, there.zero_alone > 2 * there.mean_alone,
              "there, too, 0 does more harm than the mean: of words that one of them alone gets wrong, twice as many");
}

// What is lost of `it`, as much as all heads get right less what is right without one, and its Wilson interval.
static void figure_of_means(Lesson *lesson, const Studied *s, int its, double (*of_it)[2])
{
    double low[HEADS_MOST][2], high[HEADS_MOST][2];
    for (int n = 0; n < s->heads; n++)
        for (int way = 0; way < 2; way++) {
            double right = s->full.kind[IT] - of_it[n][way];
            Interval kept = wilson((int)lround(right * its), its);
            low[n][way] = s->full.kind[IT] - kept.high;
            high[n][way] = s->full.kind[IT] - kept.low;
        }
    static const char *const ways[] = { "0 in its place", "its mean" };
    const char *names[HEADS_MOST];
    for (int n = 0; n < s->heads; n++) names[n] = s->head[n].name;
    figure_bars(lesson, "mean.png", "what \"it\" loses with 0 in a head's place, and with its mean",
                (PlotBars){ .title = "0 in a head's place, or its mean",
                            .y_title = "lost of \"it\"; lines: Wilson intervals",
                            .groups = names,
                            .series = ways,
                            .group_count = s->heads,
                            .series_count = 2,
                            .values = of_it[0],
                            .low = low[0],
                            .high = high[0],
                            .decimals = s->heads > 8 ? -1 : 2,
                            .width = 720,
                            .height = 300 });
}

// A head's mean output in its place: what is lost then was in how the output changes from word to word.
void means_in_place(Lesson *lesson, const Studied *s, const Test *test, bool ours)
{
    step(lesson, "Zeros, or the mean");
    static const char *const cols[] = { "all: 0", "all: mean", "it: 0", "it: mean" };
    Test with_0 = *test, with_means = test_with_means(lesson, s->model, test);
    with_0.instead = NULL;
    Rows rows = rows_of(lesson, "lost with 0 in its place, and with its mean", cols, 4);
    int milder = 0, it = it_head(s), most = 0;
    double left = 0.0, saves = 0.0, lost_of_it[HEADS_MOST][2];
    for (int n = 0; n < s->heads; n++) {
        Mat gates = gates_without(lesson->arena, gates_all(lesson->arena, s, 1.0f), n);
        Score mean = measure(s->model, &with_means, gates, false), zero = measure(s->model, &with_0, gates, false);
        double of_it = s->full.kind[IT] - mean.kind[IT];
        rows_add(&rows, ROW(s->full.all - zero.all, s->full.all - mean.all, s->full.kind[IT] - zero.kind[IT], of_it),
                 "%s", s->head[n].name);
        lost_of_it[n][0] = s->full.kind[IT] - zero.kind[IT];
        lost_of_it[n][1] = of_it;
        milder += mean.all > zero.all;
        if (n == it) left = of_it;
        if (mean.kind[IT] - zero.kind[IT] <= saves) continue;
        most = n;
        saves = mean.kind[IT] - zero.kind[IT];
    }
    rows.table.high = 0.6;
    rows.table.colors = COLOR_CIVIDIS;
    show_rows(lesson, &rows);
    if (test->of_kind[IT]) figure_of_means(lesson, s, test->of_kind[IT], lost_of_it);
    say(lesson, "The mean costs fewer words for %d of %d heads.", milder, s->heads);
    if (ours)
        check(lesson, left > 0.3, "with its mean in its place, too, \"it\" loses more than 0.3 without head %s",
              s->head[it].name);
    if (saves > 0.0) few_words(lesson, s, test, most, ours);
}

static const char *counts_of(Arena *arena, const Test *test)
{
    const char *list = "";
    for (int k = 0; k < KINDS; k++)
        list = arena_format(arena, "%s%s%s %d", list, k ? ", " : "", KIND_NAME[k], test->of_kind[k]);
    return list;
}

void switch_off(Lesson *lesson, const Studied *s, const Test *test, bool ours)
{
    step(lesson, "Switch a head off, and count");
    block_map_figure(lesson, "here.png", BLOCK_MAP_GATES);
    say(lesson, "%d sentences drawn anew, %d words; %s has %d heads. Right with all of them: %.2f.", test->count,
        test->words, s->name, s->heads, s->full.all);
    double share = lost(s, it_head(s), IT), n = test->of_kind[IT];
    say(lesson, "Words of each kind: %s. Of %.0f \"it\", a share of %.2f is off by %.2f, typically.",
        counts_of(lesson->arena, test), n, share, sqrt(share * (1.0 - share) / n));
    one_at_a_time(lesson, s, ours);
}

void who_stands_in(Lesson *lesson, const Studied *s, const Test *test, bool ours)
{
    step(lesson, "Which animal, and who stands in");
    never_trained(lesson, s, test->instead != NULL, ours);
    two_at_a_time(lesson, s, test, ours);
}
