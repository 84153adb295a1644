// Chapter 10. Pruning: switch heads off, and count what goes wrong.
// Run build/chapters/10_pruning with README.md of this folder open beside it.
#include "attention/positions.h"
#include "base/threads.h"
#include "io/file.h"
#include "io/json.h"
#include "language/grammar.h"
#include "language/roles.h"
#include "language/translator.h"
#include "lesson/lesson.h"
#include "model/gradient.h"
#include "model/run_trace.h"
#include "train/shipped.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 7, HEADS_MOST = 64, ORDERS = 5 };

// The kinds of words that are counted apart: those whose gloss needs another word.
static const RelationKind KIND[KINDS] = { RELATION_DET, RELATION_ATTR, RELATION_AUX, RELATION_VERB, RELATION_IT,
                                          RELATION_PRON, RELATION_DUP };
enum { AUX = 2, VERB = 3, IT = 4 };                            // places in KIND
static const char *const KIND_NAME[KINDS + 1] = { "det", "attr", "aux", "verb", "it", "pron", "dup", "all" };

// The test: sentences, their batch, and how many words there are of each kind.
typedef struct { Glossed *sentences; Batch batch; int count, words, of_kind[KINDS]; } Test;

// What a model answers: shares of right words, and the mean loss of a word in nats.
typedef struct { double all, kind[KINDS], loss; } Score;

typedef struct { double importance, cost, on_object; const char *name, *role; } HeadFacts;

// One model on the test, with what is known of each head. Head n is head n % H of layer n / H.
typedef struct {
    const char *name;
    Transformer model;
    int         heads;                                         // L · H
    Score       full, without[HEADS_MOST];                     // all heads; all but head n
    HeadFacts   head[HEADS_MOST];
    double      look[HEADS_MOST];                              // mean weight from `it`: layer 0 on its adjective,
} Studied;                                                     // later layers on the noun it stands for

// ---- the test

static void count_kinds(Test *test)
{
    test->words = test->batch.start[test->count];
    for (int b = 0; b < test->count; b++)
        for (int k = 0; k < KINDS; k++)
            for (int t = 0; t < test->sentences[b].T; t++)
                test->of_kind[k] += relation_to(&test->sentences[b], KIND[k], t) >= 0;
}

static Test draw_test(Lesson *lesson, int count)
{
    Test test = { .count = count };
    test.sentences = arena_alloc(lesson->arena, (size_t)count * sizeof *test.sentences);
    for (int b = 0; b < count; b++) sentence_test(&test.sentences[b], &lesson->random);
    test.batch = sentences_batch(lesson->arena, test.sentences, count);
    count_kinds(&test);
    return test;
}

static Test part_of_test(Lesson *lesson, const Test *test, int count)
{
    Test part = { .count = count, .sentences = test->sentences };
    part.batch = batch_part(lesson->arena, test->batch, 0, count);
    count_kinds(&part);
    return part;
}

static Score measure(Transformer model, const Test *test, Mat gates, bool loss)
{
    Arena *scratch = arena_open();
    Run run = transformer_run(scratch, model, test->batch, gates);
    int right = 0, right_of[KINDS] = { 0 };
    for (int b = 0; b < test->count; b++)
        for (int t = 0; t < test->sentences[b].T; t++) {
            bool ok = run_answer(&run, b, t) == test->sentences[b].glosses[t];
            right += ok;
            for (int k = 0; k < KINDS; k++) right_of[k] += ok && relation_to(&test->sentences[b], KIND[k], t) >= 0;
        }
    Score score = { .all = (double)right / test->words };
    if (loss) score.loss = cross_entropy(run.logits, test->batch.targets, 1.0f, (Mat){ 0 }) / test->words;
    for (int k = 0; k < KINDS; k++) score.kind[k] = test->of_kind[k] ? (double)right_of[k] / test->of_kind[k] : 0.0;
    arena_close(scratch);
    return score;
}

// ---- many sets of gates at once: one thread a set, so no sum depends on the number of threads

typedef struct { Transformer model; const Test *test; Mat *gates; Score *score; bool loss; } Trials;

static void run_trial(int i, void *context)
{
    Trials *trials = context;
    trials->score[i] = measure(trials->model, trials->test, trials->gates[i], trials->loss);
}

static Mat gates_all(Arena *arena, const Studied *s, float value)
{
    Mat gates = mat_new(arena, s->model.config.L, s->model.config.H);
    mat_fill(gates, value);
    return gates;
}

static Mat gates_without(Arena *arena, Mat gates, int head)
{
    Mat fewer = mat_copy(arena, gates);
    fewer.at[head] = 0.0f;
    return fewer;
}

static void switch_off_one_by_one(Lesson *lesson, Studied *s, const Test *test)
{
    Mat gates[HEADS_MOST + 1], on = gates_all(lesson->arena, s, 1.0f);
    Score score[HEADS_MOST + 1];
    for (int n = 0; n < s->heads; n++) gates[n] = gates_without(lesson->arena, on, n);
    gates[s->heads] = on;
    parallel_for(s->heads + 1, run_trial, &(Trials){ s->model, test, gates, score, true });
    s->full = score[s->heads];
    for (int n = 0; n < s->heads; n++) s->without[n] = score[n];
    for (int n = 0; n < s->heads; n++) s->head[n].cost = s->full.all - score[n].all;
}

// ---- roles, and where `it` looks

static void look_at_heads(Lesson *lesson, Studied *s, const Test *test)
{
    Arena *scratch = arena_open();
    Run run = transformer_run(scratch, s->model, test->batch, (Mat){ 0 });
    HeadScores *scores = arena_alloc(scratch, (size_t)s->heads * sizeof *scores);
    Offsets offsets = { 0 };
    int H = s->model.config.H, asked = 0;
    for (int b = 0; b < test->count; b++) {
        const Glossed *g = &test->sentences[b];
        offsets_add(&offsets, g);
        asked += g->it >= 0;
        for (int n = 0; n < s->heads; n++) {
            Mat weights = run_weights(scratch, &run, b, n / H, n % H);
            head_add(&scores[n], weights, g);
            if (g->it < 0) continue;
            int to = n < H ? g->adjective : relation_to(g, RELATION_IT, g->it);
            s->look[n] += (double)*mat_ref(weights, g->it, to);
        }
    }
    for (int n = 0; n < s->heads; n++) {
        s->look[n] /= asked;
        s->head[n].role = role_text(lesson->arena, head_role(&scores[n], &offsets));
        s->head[n].name = arena_format(lesson->arena, "%d.%d", n / H, n % H);
        s->head[n].on_object = mean_of(scores[n].mass[RELATION_VERB]);
    }
    arena_close(scratch);
}

// ---- the gradient of every gate

enum { SHARES = 8 };

typedef struct { const Studied *s; const Test *test; double sum[SHARES][HEADS_MOST]; } GateWork;

// One share of the sentences, one after the other: |∂ loss / ∂ gate|, added up.
static void gate_share(int share, void *context)
{
    GateWork *work = context;
    Arena *arena = arena_open();
    Transformer gradient = transformer_new(arena, work->s->model.config);
    for (int b = share; b < work->test->count; b += SHARES) {
        ArenaMark mark = arena_mark(arena);
        Batch one = batch_part(arena, work->test->batch, b, 1);
        Run run = transformer_run(arena, work->s->model, one, (Mat){ 0 });
        Mat dlogits = mat_new(arena, run.logits.rows, run.logits.cols), dgates = gates_all(arena, work->s, 0.0f);
        cross_entropy(run.logits, one.targets, 1.0f / (float)one.start[1], dlogits);
        transformer_backward(gradient, dgates, &run, dlogits, 0.0f);
        for (int n = 0; n < work->s->heads; n++) work->sum[share][n] += fabs((double)dgates.at[n]);
        arena_release(arena, mark);
    }
    arena_close(arena);
}

static void gate_gradients(Studied *s, const Test *test)
{
    GateWork work = { .s = s, .test = test };
    parallel_for(SHARES, gate_share, &work);
    for (int n = 0; n < s->heads; n++) {
        double sum = 0.0;
        for (int share = 0; share < SHARES; share++) sum += work.sum[share][n];
        s->head[n].importance = sum / test->count;
    }
}

static Studied study(Lesson *lesson, const char *name, Transformer model, const Test *test)
{
    Studied s = { .name = name, .model = model, .heads = model.config.L * model.config.H };
    switch_off_one_by_one(lesson, &s, test);
    look_at_heads(lesson, &s, test);
    gate_gradients(&s, test);
    return s;
}

// ---- 1

static int dearest(const Studied *s, int kind)                 // the head without which most words of a kind go wrong
{
    int worst = 0;
    for (int n = 1; n < s->heads; n++)
        if (s->without[n].kind[kind] < s->without[worst].kind[kind]) worst = n;
    return worst;
}

static double lost(const Studied *s, int n, int kind) { return s->full.kind[kind] - s->without[n].kind[kind]; }

static const char **names_of(Lesson *lesson, const Studied *s)
{
    const char **names = arena_alloc(lesson->arena, (size_t)s->heads * sizeof *names);
    for (int n = 0; n < s->heads; n++) names[n] = s->head[n].name;
    return names;
}

static Mat losses(Lesson *lesson, const Studied *s)
{
    Mat table = mat_new(lesson->arena, s->heads, KINDS + 1);
    for (int n = 0; n < s->heads; n++) {
        for (int k = 0; k < KINDS; k++) *mat_ref(table, n, k) = (float)lost(s, n, k);
        *mat_ref(table, n, KINDS) = (float)s->head[n].cost;
    }
    return table;
}

static HeatMap map_of_losses(Lesson *lesson, const Studied *s)
{
    return (HeatMap){ .title = arena_format(lesson->arena, "%s without one head", s->name),
                      .values = losses(lesson, s), .row_labels = names_of(lesson, s),
                      .col_labels = KIND_NAME, .row_title = "the head", .col_title = "kind of word",
                      .colors = CIVIDIS, .low = 0, .high = 0.6, .decimals = 2, .cell = 44,
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

static int it_head(const Studied *s)                           // of the later layers
{
    int worst = s->model.config.H;
    for (int n = worst; n < s->heads; n++)
        if (lost(s, n, IT) > lost(s, worst, IT)) worst = n;
    return worst;
}

static void switch_off(Lesson *lesson, const Studied *s, const Test *test, bool ours)
{
    step(lesson, "Switch a head off, and count");
    say(lesson, "%d sentences drawn anew, %d words; %s has %d heads. Right with all of them: %.2f.", test->count,
        test->words, s->name, s->heads, s->full.all);
    show_table(lesson, (Table){ .name = "accuracy lost without one head, by kind of word", .values = losses(lesson, s),
                                .rows = names_of(lesson, s), .cols = KIND_NAME, .low = 0, .high = 0.6,
                                .colors = CIVIDIS });
    int it = it_head(s), other = spares_it(s, AUX);
    if (ours) {
        check(lesson, s->full.all > 0.99, "with all heads more than 0.99 of the words are right");
        check(lesson, lost(s, it, IT) > 0.4 && lost(s, it, VERB) < 0.05,
              "without head %s, it loses more than 0.4, the verb less than 0.05", s->head[it].name);
        check(lesson, lost(s, other, AUX) > 0.3 && lost(s, other, IT) < 0.05 && lost(s, it, AUX) < 0.05,
              "without head %s, aux loses more than 0.3 and it less than 0.05; without %s, aux less than 0.05",
              s->head[other].name, s->head[it].name);
        check(lesson, lost(s, dearest(s, VERB), VERB) < 0.1, "no single head costs the verb as much as 0.1");
    }
    figure_map(lesson, "ablation.png", "accuracy lost, head by head and kind by kind", map_of_losses(lesson, s));
}

// Twins about an animal and a place that training never joined: `it` with all heads, and without the head of `it`.
static void never_trained(Lesson *lesson, const Studied *s, bool ours)
{
    enum { PAIRS = 50 };
    Random random = lesson->random;                            // a copy: what is drawn later stays
    Test test = { .count = 2 * PAIRS };
    test.sentences = arena_alloc(lesson->arena, 2 * PAIRS * sizeof *test.sentences);
    for (int i = 0; i < PAIRS; i++) sentence_twins(&test.sentences[2 * i], &test.sentences[2 * i + 1], false, &random);
    test.batch = sentences_batch(lesson->arena, test.sentences, test.count);
    count_kinds(&test);
    int it = it_head(s);
    double with = measure(s->model, &test, (Mat){ 0 }, false).kind[IT];
    double without = measure(s->model, &test, gates_without(lesson->arena, gates_all(lesson->arena, s, 1.0f), it),
                             false).kind[IT];
    say(lesson, "%d more, each with an animal and a place that were never trained together: it is right in %.2f, "
        "without head %s in %.2f.", test.count, with, s->head[it].name, without);
    if (ours) check(lesson, with > 0.9 && with - without > 0.3, "here, too, it loses more than 0.3");
}

// Nobody is alone: the later heads two at a time, and what that costs the verb.
static void two_at_a_time(Lesson *lesson, const Studied *s, const Test *test, bool ours)
{
    Mat gates[HEADS_MOST], on = gates_all(lesson->arena, s, 1.0f);
    Score score[HEADS_MOST];
    int first[HEADS_MOST], second[HEADS_MOST], pairs = 0, H = s->model.config.H;
    for (int a = H; a < s->heads; a++)
        for (int b = a + 1; b < s->heads && pairs < HEADS_MOST; b++, pairs++) {
            first[pairs] = a;
            second[pairs] = b;
            gates[pairs] = gates_without(lesson->arena, gates_without(lesson->arena, on, a), b);
        }
    if (!pairs) return;
    parallel_for(pairs, run_trial, &(Trials){ s->model, test, gates, score, false });
    int worst = 0;
    for (int p = 1; p < pairs; p++)
        if (score[p].kind[VERB] < score[worst].kind[VERB]) worst = p;
    double together = s->full.kind[VERB] - score[worst].kind[VERB];
    double alone[] = { lost(s, first[worst], VERB), lost(s, second[worst], VERB) };
    say(lesson, "Without %s the verb loses %.2f, without %s %.2f, without both %.2f.", s->head[first[worst]].name,
        alone[0], s->head[second[worst]].name, alone[1], together);
    say(lesson, "From the verb to the noun of its object they give %.2f and %.2f of their weight.",
        s->head[first[worst]].on_object, s->head[second[worst]].on_object);
    if (ours) check(lesson, together > 2 * (alone[0] + alone[1]),
                    "together they cost the verb more than twice what they cost one by one");
}

// ---- 2

static Mat weight_and_loss(Lesson *lesson, const Studied *s, int first, int count)
{
    Mat table = mat_new(lesson->arena, count, 2);
    for (int n = 0; n < count; n++) {
        *mat_ref(table, n, 0) = (float)s->look[first + n];
        *mat_ref(table, n, 1) = (float)s->without[first + n].kind[IT];
    }
    return table;
}

// Dots from left to right, so that the name of the series stands by the last. A label that the next
// dots would cover is left out.
static Series scatter(Lesson *lesson, const Studied *s, const double *x, const double *y, int count)
{
    double *to[2];
    const char **names = arena_alloc(lesson->arena, (size_t)count * sizeof *names);
    for (int c = 0; c < 2; c++) to[c] = arena_alloc(lesson->arena, (size_t)count * sizeof(double));
    for (int n = 0; n < count; n++) {
        int at = n;                                            // insertion
        for (; at > 0 && to[0][at - 1] > x[n]; at--)
            to[0][at] = to[0][at - 1], to[1][at] = to[1][at - 1], names[at] = names[at - 1];
        to[0][at] = x[n], to[1][at] = y[n], names[at] = s->head[n].name;
    }
    for (int n = 0; n < count; n++)
        for (int m = n + 1; m < count; m++)
            if (to[0][m] - to[0][n] < 0.07 && fabs(to[1][m] - to[1][n]) < 0.04) names[n] = NULL;
    for (int n = 1; n < count; n++)                            // one above the other
        if (to[0][n] - to[0][n - 1] < 0.005 && fabs(to[1][n] - to[1][n - 1]) < 0.025) names[n] = NULL;
    return (Series){ .name = s->name, .x = to[0], .y = to[1], .count = count, .dots = true, .labels = names };
}

static Series dots_of(Lesson *lesson, const Studied *s)
{
    double y[HEADS_MOST];
    for (int n = 0; n < s->heads; n++) y[n] = lost(s, n, IT);
    return scatter(lesson, s, s->look, y, s->model.config.H);
}

// All heads of one layer that give more than 0.9 of the weight of `it` to the right place, switched off together.
static double it_without_lookers(Lesson *lesson, const Studied *s, const Test *test, int first, int *count)
{
    Mat gates = gates_all(lesson->arena, s, 1.0f);
    *count = 0;
    for (int n = first; n < first + s->model.config.H; n++)
        if (s->look[n] > 0.9) gates.at[n] = 0.0f, ++*count;
    return measure(s->model, test, gates, false).kind[IT];
}

static void weight_is_not_importance(Lesson *lesson, const Studied *four, const Studied *eight, const Test *test,
                                     bool ours)
{
    static const char *const cols[] = { "weight", "it left" };
    step(lesson, "Weight is not importance");
    say(lesson, "For every head: the weight from it to the predicate adjective (layer 0) or to the noun that it "
        "stands for (layer 1), and how many of it are right without that head.");
    const Studied *both[] = { four, eight };
    for (int m = 0; m < 2; m++)
        show_table(lesson, (Table){ .name = arena_format(lesson->arena, "%s, layer 0, the adjective", both[m]->name),
                                    .values = weight_and_loss(lesson, both[m], 0, both[m]->model.config.H),
                                    .rows = names_of(lesson, both[m]), .cols = cols, .high = 1 });
    show_table(lesson, (Table){ .name = arena_format(lesson->arena, "%s, layer 1, the noun", eight->name),
                                .values = weight_and_loss(lesson, eight, eight->model.config.H, eight->model.config.H),
                                .rows = names_of(lesson, eight) + eight->model.config.H, .cols = cols, .high = 1 });
    int blind = -1, idle = -1, adjectives, nouns;
    for (int n = 0; n < four->model.config.H; n++)
        if (four->look[n] < 0.05 && (blind < 0 || lost(four, n, IT) > lost(four, blind, IT))) blind = n;
    for (int n = 0; n < eight->model.config.H; n++)
        if (eight->look[n] > 0.9 && (idle < 0 || lost(eight, n, IT) < lost(eight, idle, IT))) idle = n;
    double no_adjective = it_without_lookers(lesson, eight, test, 0, &adjectives);
    double no_noun = it_without_lookers(lesson, eight, test, eight->model.config.H, &nouns);
    if (ours) {
        check(lesson, blind >= 0 && lost(four, blind, IT) > 0.03,
              "%s: head %s gives the adjective less than 0.05; without it, more than 0.03 of it go wrong", four->name,
              four->head[blind].name);
        check(lesson, adjectives >= 3 && lost(eight, idle, IT) < 0.02,
              "%s: %d heads give the adjective more than 0.9; head %s is one, and it loses less than 0.02 without it",
              eight->name, adjectives, eight->head[idle].name);
    }
    say(lesson, "%s without all %d of them: it keeps %.2f. Without the %d heads of layer 1 that give the noun more "
        "than 0.9: %.2f.", eight->name, adjectives, no_adjective, nouns, no_noun);
    Series series[] = { dots_of(lesson, four), dots_of(lesson, eight) };
    figure_plot(lesson, "weight.png", "weight on the adjective, and what it loses without the head: layer 0",
                (Plot){ .title = "A head can look and not matter, or matter and not look",
                        .x_title = "weight from it to its adjective", .y_title = "accuracy of it lost without the head",
                        .series = series, .count = 2 });
}

// ---- 3

static double rank(const double *x, int n, int i)              // 0 … n − 1; equals share the middle
{
    double below = 0.0;
    for (int j = 0; j < n; j++) below += j == i ? 0.0 : x[j] < x[i] ? 1.0 : x[j] == x[i] ? 0.5 : 0.0;
    return below;
}

// Spearman's: the correlation of the ranks. 1: the same order; −1: the opposite one; 0: no relation.
static double rank_correlation(const double *x, const double *y, int n)
{
    double middle = (n - 1) / 2.0, xy = 0.0, xx = 0.0, yy = 0.0;
    for (int i = 0; i < n; i++) {
        double a = rank(x, n, i) - middle, b = rank(y, n, i) - middle;
        xy += a * b, xx += a * a, yy += b * b;
    }
    return xx > 0.0 && yy > 0.0 ? xy / sqrt(xx * yy) : 0.0;
}

static double foretold(const Studied *s)                       // gradient against what a missing head really costs
{
    double x[HEADS_MOST], y[HEADS_MOST];
    for (int n = 0; n < s->heads; n++) x[n] = s->head[n].importance, y[n] = s->without[n].loss;
    return rank_correlation(x, y, s->heads);
}

static double largest_importance(const Studied *s)
{
    double largest = 0.0;
    for (int n = 0; n < s->heads; n++) largest = fmax(largest, s->head[n].importance);
    return largest;
}

static Series gate_dots(Lesson *lesson, const Studied *s)
{
    double x[HEADS_MOST], y[HEADS_MOST], most = largest_importance(s);
    for (int n = 0; n < s->heads; n++) x[n] = s->head[n].importance / most;
    for (int n = 0; n < s->heads; n++) y[n] = s->without[n].loss - s->full.loss;
    return scatter(lesson, s, x, y, s->heads);
}

static void gates_foretell(Lesson *lesson, const Studied *four, const Studied *eight, bool ours)
{
    static const char *const cols[] = { "gradient", "loss" };
    step(lesson, "Importance without switching off");
    say(lesson, "The mean size of the gradient of each gate, the largest as 1; and how much the loss rises, in nats a "
        "word, when the head is switched off.");
    Mat table = mat_new(lesson->arena, eight->heads, 2);
    double most = largest_importance(eight);
    for (int n = 0; n < eight->heads; n++) {
        *mat_ref(table, n, 0) = (float)(eight->head[n].importance / most);
        *mat_ref(table, n, 1) = (float)(eight->without[n].loss - eight->full.loss);
    }
    show_table(lesson, (Table){ .name = arena_format(lesson->arena, "%s: gradient of the gate, rise of the loss",
                                                              eight->name),
                                .values = table, .rows = names_of(lesson, eight), .cols = cols, .high = 1 });
    say(lesson, "Rank correlation of the two columns: %.2f. The same for %s: %.2f.", foretold(eight), four->name,
        foretold(four));
    if (ours) check(lesson, foretold(eight) > 0.3 && foretold(four) < 0.3, "for %s it is above 0.3, for %s below",
                    eight->name, four->name);
    Series series[] = { gate_dots(lesson, four), gate_dots(lesson, eight) };
    figure_plot(lesson, "gradient.png", "the gradient of a gate against what the head is worth",
                (Plot){ .title = "What the gates foretell", .x_title = "|gradient| of the gate, largest = 1",
                        .y_title = "rise of the loss", .series = series, .count = 2 });
}

// ---- 4

// Heads in the order in which they go, and the accuracy after 0, 1, 2 … of them.
typedef struct { int order[HEADS_MOST]; double accuracy[HEADS_MOST + 1]; } Pruned;

// Each time the head without which most words are still right; of equal ones the one with the smallest gradient.
static Pruned prune_greedily(Lesson *lesson, const Studied *s, const Test *test)
{
    Pruned pruned = { 0 };
    Mat gates = gates_all(lesson->arena, s, 1.0f);
    pruned.accuracy[0] = measure(s->model, test, gates, false).all;
    for (int gone = 0; gone < s->heads; gone++) {
        Mat tried[HEADS_MOST];
        Score score[HEADS_MOST];
        int head[HEADS_MOST], count = 0, best = 0;
        for (int n = 0; n < s->heads; n++)
            if (gates.at[n] > 0.0f) head[count] = n, tried[count++] = gates_without(lesson->arena, gates, n);
        parallel_for(count, run_trial, &(Trials){ s->model, test, tried, score, false });
        for (int c = 1; c < count; c++)
            if (score[c].all > score[best].all
                || (score[c].all == score[best].all
                    && s->head[head[c]].importance < s->head[head[best]].importance)) best = c;
        gates.at[head[best]] = 0.0f;
        pruned.order[gone] = head[best];
        pruned.accuracy[gone + 1] = score[best].all;
    }
    return pruned;
}

static Pruned prune_in_order(Lesson *lesson, const Studied *s, const Test *test, const int *order)
{
    Pruned pruned = { 0 };
    Mat gates[HEADS_MOST + 1];
    Score score[HEADS_MOST + 1];
    gates[0] = gates_all(lesson->arena, s, 1.0f);
    for (int n = 0; n < s->heads; n++) {
        pruned.order[n] = order[n];
        gates[n + 1] = gates_without(lesson->arena, gates[n], order[n]);
    }
    parallel_for(s->heads + 1, run_trial, &(Trials){ s->model, test, gates, score, false });
    for (int n = 0; n <= s->heads; n++) pruned.accuracy[n] = score[n].all;
    return pruned;
}

static Pruned prune_by_gradient(Lesson *lesson, const Studied *s, const Test *test)
{
    int order[HEADS_MOST] = { 0 };
    for (int n = 0; n < s->heads; n++) {                       // insertion: the least important first
        int at = n;
        for (; at > 0 && s->head[order[at - 1]].importance > s->head[n].importance; at--) order[at] = order[at - 1];
        order[at] = n;
    }
    return prune_in_order(lesson, s, test, order);
}

static Pruned prune_by_chance(Lesson *lesson, const Studied *s, const Test *test)
{
    Pruned mean = { 0 };
    int order[HEADS_MOST] = { 0 };
    for (int n = 0; n < s->heads; n++) order[n] = n;
    for (int o = 0; o < ORDERS; o++) {
        random_shuffle(&lesson->random, order, s->heads);
        Pruned one = prune_in_order(lesson, s, test, order);
        for (int n = 0; n <= s->heads; n++) mean.accuracy[n] += one.accuracy[n] / ORDERS;
    }
    return mean;
}

// How many heads can go, in this order, before accuracy has fallen by more than this.
static int heads_within(const Pruned *pruned, int heads, double fall)
{
    int n = 0;
    while (n < heads && pruned->accuracy[0] - pruned->accuracy[n + 1] <= fall) n++;
    return n;
}

static Pruned prune(Lesson *lesson, const Studied *s, const Test *test, bool ours)
{
    static const char *const cols[] = { "greedy", "gradient", "chance" };
    enum { WAYS = 3 };
    step(lesson, "Take the least needed head away, again and again");
    Pruned way[WAYS] = { prune_greedily(lesson, s, test), prune_by_gradient(lesson, s, test),
                         prune_by_chance(lesson, s, test) };
    Mat table = mat_new(lesson->arena, s->heads + 1, WAYS);
    const char **rows = arena_alloc(lesson->arena, (size_t)(s->heads + 1) * sizeof *rows);
    double *x = arena_alloc(lesson->arena, (size_t)(s->heads + 1) * sizeof *x);
    for (int n = 0; n <= s->heads; n++) {
        rows[n] = n ? arena_format(lesson->arena, "%d: %s", n, s->head[way[0].order[n - 1]].name) : "0";
        x[n] = n;
        for (int w = 0; w < WAYS; w++) *mat_ref(table, n, w) = (float)way[w].accuracy[n];
    }
    say(lesson, "%s, the first %d sentences of the test. Left: heads gone, and the last one that went, greedily.",
        s->name, test->count);
    show_table(lesson, (Table){ .name = "accuracy", .values = table, .rows = rows, .cols = cols, .high = 1 });

    int one = heads_within(&way[0], s->heads, 0.01), five = heads_within(&way[0], s->heads, 0.05);
    int gradient[] = { heads_within(&way[1], s->heads, 0.01), heads_within(&way[1], s->heads, 0.05) };
    say(lesson, "Greedily, %d of %d heads go within one point (0.01) of accuracy, %d within five. By gradient: %d and "
        "%d. By chance: %d and %d.", one, s->heads, five, gradient[0], gradient[1], heads_within(&way[2], s->heads, 0.01),
        heads_within(&way[2], s->heads, 0.05));
    if (ours) {
        check(lesson, one >= 3 && five >= 6, "3 or more of the heads go within one point, 6 or more within five");
        check(lesson, way[0].accuracy[s->heads / 4] > way[2].accuracy[s->heads / 4] + 0.05,
              "after %d heads, greedy is more than 0.05 above chance", s->heads / 4);
        check(lesson, way[0].accuracy[s->heads] < 0.5, "without any head, less than half of the words are right");
    }
    Series series[WAYS] = {
        { .name = "greedy", .x = x, .y = way[0].accuracy, .count = s->heads + 1 },
        { .name = "by gradient", .x = x, .y = way[1].accuracy, .count = s->heads + 1 },
        { .name = "by chance", .x = x, .y = way[2].accuracy, .count = s->heads + 1, .dashed = true },
    };
    figure_plot(lesson, "pruning.png", "accuracy against heads taken away, in three orders",
                (Plot){ .title = arena_format(lesson->arena, "%s: heads taken away", s->name),
                        .x_title = "heads switched off", .y_title = "accuracy", .series = series, .count = WAYS,
                        .y_low = 0, .y_high = 1 });
    return way[0];
}

// ---- 5

static void survivors(Lesson *lesson, const Studied *s, const Test *test, const Pruned *pruned)
{
    step(lesson, "Which heads survive");
    int five = heads_within(pruned, s->heads, 0.05);
    Mat gates = gates_all(lesson->arena, s, 1.0f);
    for (int n = 0; n < five; n++) gates.at[pruned->order[n]] = 0.0f;
    for (int gone = 1; gone >= 0; gone--) {
        const char *list = "";
        int in_layer[8] = { 0 };
        for (int n = 0; n < s->heads; n++) {
            if ((gates.at[n] > 0.0f) == (gone == 1)) continue;
            list = arena_format(lesson->arena, "%s%s%s (%s)", list, *list ? ", " : "", s->head[n].name,
                                s->head[n].role);
            in_layer[n / s->model.config.H]++;
        }
        say(lesson, "%s, %d in layer 0 and %d in layer 1: %s.", gone ? "Gone" : "Left", in_layer[0], in_layer[1], list);
    }
    Score left = measure(s->model, test, gates, false);
    Mat row = mat_new(lesson->arena, 1, KINDS + 1);
    for (int k = 0; k < KINDS; k++) *mat_ref(row, 0, k) = (float)left.kind[k];
    *mat_ref(row, 0, KINDS) = (float)left.all;
    show_table(lesson, (Table){ .name = "accuracy with those that are left", .values = row, .cols = KIND_NAME,
                                .high = 1 });
}

// ---- 6

static void what_it_saves(Lesson *lesson, const Studied *s, const Pruned *pruned)
{
    step(lesson, "What it saves");
    Arena *arena = lesson->arena;
    Config c = s->model.config;
    Glossed g;
    sentence_of_the_book(&g, false);
    Batch one = batch_of_one(arena, g.words, g.T);
    int64_t T = g.T, D = c.D, d = c.D / c.H;
    int gone = heads_within(pruned, s->heads, 0.05), first = pruned->order[0];

    // A head that is off, and a head whose rows of Wo are 0.
    Transformer emptied = transformer_new(arena, c);
    transformer_set(emptied, s->model);
    mat_fill(mat_rows(emptied.layers[first / c.H].wo, first % c.H * (int)d, (int)d), 0.0f);
    Run off = transformer_run(arena, s->model, one, gates_without(arena, gates_all(arena, s, 1.0f), first));
    Run zeros = transformer_run(arena, emptied, one, (Mat){ 0 });
    check(lesson, mat_max_difference(off.logits, zeros.logits) == 0.0,
          "a gate of 0 is %d rows of zeros in Wo: the same logits", (int)d);

    Cost before = counted;
    transformer_run(arena, s->model, one, (Mat){ 0 });
    int64_t all = cost_since(before).multiplies, head = 4 * T * D * d + 2 * T * T * d;
    before = counted;
    rope_turns(arena, 0, (int)T, (int)d);
    int64_t turning = c.positions == POSITIONS_ROPE ? cost_since(before).multiplies + c.L * 4 * T * D : 0;
    cost(lesson, "multiplications of a sentence, less the turns of RoPE", all - turning,
         "L(4TD² + 2T²D + 2TDM) + TDV", c.L * (4 * T * D * D + 2 * T * T * D + 2 * T * D * c.mlp) + T * D * c.outputs);
    say(lesson, "One head: 4·D·d = %d parameters of %d, and 4TDd + 2T²d = %d multiplications of %d, at T = %d.",
        (int)(4 * D * d), (int)transformer_numbers(s->model), (int)head, (int)all, (int)T);
    say(lesson, "%d heads: %.1f %% of the parameters, %.1f %% of the multiplications.", gone,
        100.0 * gone * (double)(4 * D * d) / (double)transformer_numbers(s->model), 100.0 * gone * (double)head / (double)all);
    check(lesson, 4 * D * d * c.H == (int64_t)s->model.layers[0].wqkv.rows * s->model.layers[0].wqkv.cols
                  + (int64_t)s->model.layers[0].wo.rows * s->model.layers[0].wo.cols,
          "the heads of a layer share all of Wqkv and Wo: 4·D·d each");
}

// ---- --json and --dump

static const char *head_json(Arena *arena, const Studied *s, int n)
{
    const char *list = "";
    for (int k = 0; k < KINDS; k++)
        list = arena_format(arena, "%s\"%s\": %s, ", list, KIND_NAME[k], json_number(arena, lost(s, n, k)));
    return arena_format(arena, "{ \"layer\": %d, \"head\": %d, \"role\": %s, \"gate_gradient\": %s, "
                        "\"loss_rises\": %s,\n      \"accuracy_lost\": { %s\"all\": %s } }", n / s->model.config.H,
                        n % s->model.config.H, json_quote(arena, s->head[n].role),
                        json_number(arena, s->head[n].importance),
                        json_number(arena, s->without[n].loss - s->full.loss), list, json_number(arena, s->head[n].cost));
}

static const char *model_json(Arena *arena, const Studied *s)
{
    const char *heads = "";
    for (int n = 0; n < s->heads; n++)
        heads = arena_format(arena, "%s%s\n    %s", heads, n ? "," : "", head_json(arena, s, n));
    return arena_format(arena, "{ \"name\": %s, \"accuracy\": %s, \"loss\": %s, \"heads\": [%s ] }",
                        json_quote(arena, s->name), json_number(arena, s->full.all), json_number(arena, s->full.loss),
                        heads);
}

// "pruned": after 0, 1, 2 … heads, which one went and what is left of the accuracy.
static void write_json(Lesson *lesson, const Studied *four, const Studied *eight, const Test *test, const Pruned *pruned,
                       const char *path)
{
    Arena *arena = lesson->arena;
    const char *gone = "";
    for (int n = 0; n <= eight->heads; n++)
        gone = arena_format(arena, "%s%s{ \"went\": %s, \"accuracy\": %s }", gone, n ? ",\n    " : "",
                            n ? json_quote(arena, eight->head[pruned->order[n - 1]].name) : "null",
                            json_number(arena, pruned->accuracy[n]));
    const char *text = arena_format(arena, "{ \"program\": \"manyheads\", \"chapter\": 10,\n"
                                    "  \"sentences\": %d, \"words\": %d,\n  \"model\": %s,\n"
                                    "  \"pruned_model\": %s,\n  \"pruned\": [\n    %s ] }\n", test->count, test->words,
                                    model_json(arena, four), model_json(arena, eight), gone);
    Error error;
    if (!file_write(path, text, strlen(text), &error)) lesson_fail(&error);
    say(lesson, "written: %s", path);
}

// The reader's sentence or the book's, for the viewer: every head of the first model.
static void dump_sentence(Lesson *lesson, Transformer model, Glossed g)
{
    const char **words = arena_alloc(lesson->arena, (size_t)g.T * sizeof *words);
    for (int t = 0; t < g.T; t++) words[t] = word_text(g.words[t]);
    Run run = transformer_run(lesson->arena, model, batch_of_one(lesson->arena, g.words, g.T), (Mat){ 0 });
    run_trace(lesson->trace, &run, words);
}

// Weights for the test: words in and glosses out as the grammar has them, two layers, and no more heads than fit here.
static Transformer load(Lesson *lesson, const char *program, const char *name, const char *path)
{
    Transformer model;
    Error error;
    if (!shipped_model(&model, lesson->arena, program, name, path, &error)) lesson_fail(&error);
    Config c = model.config;
    if (c.words != words_count() || c.outputs != glosses_count() || c.L != 2 || c.L * c.H > HEADS_MOST || c.causal) {
        error_set(&error, "%s: found %d words, %d glosses, %d layers, H = %d; a translator of chapter 09 has %d words, "
                  "%d glosses, 2 layers, H up to %d, and is not causal", path ? path : name, c.words, c.outputs, c.L, c.H,
                  words_count(), glosses_count(), HEADS_MOST / 2);
        lesson_fail(&error);
    }
    return model;
}

int main(int argc, char **argv)
{
    const char *path = NULL, *pruned_path = NULL, *sentence = NULL, *json = NULL;
    int sentences = 200;
    Flag flags[] = {
        { "model", FLAG_TEXT, &path, 0, 0, "weights for steps 1 to 3 (default glosses-4 of data/models)" },
        { "pruned", FLAG_TEXT, &pruned_path, 0, 0, "weights that are pruned in step 4 (default glosses-8)" },
        { "sentence", FLAG_TEXT, &sentence, 0, 0, "the sentence whose maps are shown, of words in lib/language/vocabulary.c" },
        { "json", FLAG_TEXT, &json, 0, 0, "a file: what every head is worth, and the order in which they went" },
        { "sentences", FLAG_INT, &sentences, 100, 4000, "sentences of the test; pruning takes half (default 200)" },
    };
    Lesson lesson = lesson_open_with(argc, argv, 10, "Pruning", flags, 5);
    bool ours = !path && !pruned_path;
    Glossed shown;
    Error error;
    sentence_of_the_book(&shown, false);
    if (sentence && !sentence_unglossed(&shown, sentence, &error)) lesson_fail(&error);
    Transformer models[] = { load(&lesson, argv[0], "glosses-4", path),
                             load(&lesson, argv[0], "glosses-8", pruned_path) };
    Test test = draw_test(&lesson, sentences), half = part_of_test(&lesson, &test, sentences / 2);

    Studied four = study(&lesson, path ? "--model" : "glosses-4", models[0], &test);
    switch_off(&lesson, &four, &test, ours);
    never_trained(&lesson, &four, ours);
    two_at_a_time(&lesson, &four, &test, ours);
    Studied eight = study(&lesson, pruned_path ? "--pruned" : "glosses-8", models[1], &test);
    weight_is_not_importance(&lesson, &four, &eight, &test, ours);
    gates_foretell(&lesson, &four, &eight, ours);
    Pruned pruned = prune(&lesson, &eight, &half, ours);
    survivors(&lesson, &eight, &test, &pruned);
    what_it_saves(&lesson, &eight, &pruned);
    dump_sentence(&lesson, models[0], shown);
    if (json) write_json(&lesson, &four, &eight, &test, &pruned, json);
    return lesson_close(&lesson);
}
