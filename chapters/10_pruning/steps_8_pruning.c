// Chapter 10, steps 8 to 10. Heads go one after the other, in four orders; and those that are left.
#include "steps.h"

#include <string.h>

enum { ORDERS = 5 }; // shuffles, of which the order by chance is the mean

// ---- 8

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
            if (gates.at[n] > 0.0f) {
                head[count] = n;
                tried[count++] = gates_without(lesson->arena, gates, n);
            }
        measure_all(s->model, test, tried, score, count, false);
        for (int c = 1; c < count; c++)
            if (score[c].all > score[best].all ||
                (score[c].all == score[best].all && s->head[head[c]].importance < s->head[head[best]].importance))
                best = c;
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
    measure_all(s->model, test, gates, score, s->heads + 1, false);
    for (int n = 0; n <= s->heads; n++) pruned.accuracy[n] = score[n].all;
    return pruned;
}

// In the order of what each head's absence costs, the least first; of equal ones the one with the smallest gradient.
static Pruned prune_sorted(Lesson *lesson, const Studied *s, const Test *test, const double *cost)
{
    int order[HEADS_MOST] = { 0 };
    for (int n = 0; n < s->heads; n++) { // insertion
        int at = n;
        for (; at > 0; at--) {
            int before = order[at - 1];
            bool equal = cost[before] == cost[n];
            if (equal ? s->head[before].importance <= s->head[n].importance : cost[before] < cost[n]) break;
            order[at] = before;
        }
        order[at] = n;
    }
    return prune_in_order(lesson, s, test, order);
}

// Each head is switched off once, alone, on the sentences that an order is found on.
static Pruned prune_once(Lesson *lesson, const Studied *s, const Test *found, const Test *test)
{
    Mat all = gates_all(lesson->arena, s, 1.0f), gates[HEADS_MOST];
    Score score[HEADS_MOST];
    double cost[HEADS_MOST];
    for (int n = 0; n < s->heads; n++) gates[n] = gates_without(lesson->arena, all, n);
    measure_all(s->model, found, gates, score, s->heads, false);
    for (int n = 0; n < s->heads; n++) cost[n] = -score[n].all;
    return prune_sorted(lesson, s, test, cost);
}

static Pruned prune_by_gradient(Lesson *lesson, const Studied *s, const Test *test)
{
    double cost[HEADS_MOST];
    for (int n = 0; n < s->heads; n++) cost[n] = s->head[n].importance;
    return prune_sorted(lesson, s, test, cost);
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

int heads_within(const Pruned *pruned, int heads, double fall)
{
    int n = 0;
    while (n < heads && pruned->accuracy[0] - pruned->accuracy[n + 1] <= fall) n++;
    return n;
}

enum { GREEDY, ONCE, GRADIENT, CHANCE, WAYS };

static void figure_of_pruning(Lesson *lesson, const Studied *s, const Pruned way[WAYS], const Pruned *found)
{
    double x[HEADS_MOST + 1];
    for (int n = 0; n <= s->heads; n++) x[n] = n;
    PlotSeries series[WAYS + 1] = {
        { .name = "greedy", .x = x, .y = way[GREEDY].accuracy, .count = s->heads + 1 },
        { .name = "once", .x = x, .y = way[ONCE].accuracy, .count = s->heads + 1 },
        { .name = "by gradient", .x = x, .y = way[GRADIENT].accuracy, .count = s->heads + 1 },
        { .name = "by chance", .x = x, .y = way[CHANCE].accuracy, .count = s->heads + 1, .dashed = true },
        { .name = "found on", .x = x, .y = found->accuracy, .count = s->heads + 1, .dots = true },
    };
    figure_plot(lesson, "pruning.png", "accuracy against heads taken away, in four orders",
                (Plot){ .title = arena_format(lesson->arena, "%s: heads taken away", s->name),
                        .x_title = "heads switched off",
                        .y_title = "accuracy on unseen sentences; dots: where the "
                                   "greedy order was found",
                        .series = series,
                        .count = WAYS + 1,
                        .y_low = 0,
                        .y_high = 1 });
}

static void table_of_pruning(Lesson *lesson, const Studied *s, const Pruned way[WAYS], const Pruned *found)
{
    static const char *const cols[] = { "found on", "greedy", "once", "gradient", "chance" };
    Rows rows = rows_of(lesson, "accuracy", cols, WAYS + 1);
    for (int n = 0; n <= s->heads; n++) {
        const double *row = ROW(found->accuracy[n], way[GREEDY].accuracy[n], way[ONCE].accuracy[n],
                                way[GRADIENT].accuracy[n], way[CHANCE].accuracy[n]);
        if (n == 0) rows_add(&rows, row, "0");
        else rows_add(&rows, row, "%d: %s", n, s->head[way[GREEDY].order[n - 1]].name);
    }
    rows.table.high = 1;
    rows.table.decimals = 3;
    show_rows(lesson, &rows);
}

// Heads that find the noun of `it`, as they go: what `it` keeps without the first, without two …
static void copies_of_it(Lesson *lesson, const Studied *s, const Test *test, const int *order)
{
    const char *list = "";
    Mat gates = gates_all(lesson->arena, s, 1.0f);
    for (int n = 0; n < s->heads; n++) {
        if (strcmp(s->head[order[n]].role, "it")) continue;
        gates = gates_without(lesson->arena, gates, order[n]);
        list =
            arena_format(lesson->arena, "%s%s %.2f without %s%s", list, *list ? "," : "",
                         measure(s->model, test, gates, false).kind[IT], s->head[order[n]].name, *list ? ", too" : "");
    }
    if (*list) say(lesson, "If only heads of \"it\" go, in this order, \"it\" keeps%s.", list);
}

// Orders are found on one half of the test and judged on the other. Answers the greedy one, as it was found.
Pruned prune(Lesson *lesson, const Studied *s, const Test *test, const Test *other, bool ours)
{
    step(lesson, "Take the least needed head away, again and again");
    Studied seen = *s;
    gate_gradients(lesson, &seen, test);
    Pruned found = prune_greedily(lesson, &seen, test);
    Pruned way[WAYS] = { prune_in_order(lesson, s, other, found.order), prune_once(lesson, &seen, test, other),
                         prune_by_gradient(lesson, &seen, other), prune_by_chance(lesson, s, other) };
    say(lesson,
        "%s. Found on: the greedy order, on the %d sentences that it was found on; beside it the four orders "
        "on the other %d. Left: heads gone, and the last one that went, greedily.",
        s->name, test->count, other->count);
    table_of_pruning(lesson, s, way, &found);

    int one[WAYS], five[WAYS], quarter = s->heads / 4;
    for (int w = 0; w < WAYS; w++) {
        one[w] = heads_within(&way[w], s->heads, 0.01);
        five[w] = heads_within(&way[w], s->heads, 0.05);
    }
    say(lesson,
        "Greedily, %d of %d heads go within one point (0.01) of accuracy, %d within five. Once: %d and %d. By "
        "gradient: %d and %d. By chance: %d and %d. One point is %.0f of %d words. On the sentences that it was found "
        "on, the greedy order has %d and %d.",
        one[GREEDY], s->heads, five[GREEDY], one[ONCE], five[ONCE], one[GRADIENT], five[GRADIENT], one[CHANCE],
        five[CHANCE], 0.01 * other->words, other->words, heads_within(&found, s->heads, 0.01),
        heads_within(&found, s->heads, 0.05));
    copies_of_it(lesson, s, other, found.order);
    if (ours) {
        check(lesson, one[GREEDY] >= 3 && five[GREEDY] >= 6,
              "3 or more of the heads go within one point, 6 or more within five");
        check(lesson, way[GREEDY].accuracy[quarter] > way[CHANCE].accuracy[quarter] + 0.05,
              "after %d heads, greedy is more than 0.05 above chance", quarter);
        check(lesson, way[GREEDY].accuracy[s->heads] < 0.5, "without any head, less than half of the words are right");
    }
    figure_of_pruning(lesson, s, way, &found);
    return found;
}

// ---- 9

// Of the heads of one layer only head n stays on; the other layers keep all.
static Mat only(Lesson *lesson, const Studied *s, int n)
{
    Mat gates = gates_all(lesson->arena, s, 1.0f);
    int H = s->model.config.H;
    mat_fill(mat_rows(gates, n / H, 1), 0.0f);
    gates.at[n] = 1.0f;
    return gates;
}

// Michel et al. 2019, §3.3: each layer with the best of its heads alone.
void one_head_a_layer(Lesson *lesson, const Studied *s, const Test *found, const Test *unseen)
{
    step(lesson, "One head a layer");
    Mat gates[HEADS_MOST];
    Score score[HEADS_MOST];
    for (int n = 0; n < s->heads; n++) gates[n] = only(lesson, s, n);
    measure_all(s->model, found, gates, score, s->heads, false);
    static const char *const cols[] = { "found on", "unseen" };
    Rows rows = rows_of(lesson,
                        arena_format(lesson->arena, "%s: accuracy on %d words, and on %d unseen ones", s->name,
                                     found->words, unseen->words),
                        cols, 2);
    Mat both = gates_all(lesson->arena, s, 0.0f);
    int H = s->model.config.H;
    for (int l = 0; l < s->model.config.L; l++) {
        int best = l * H;
        for (int n = l * H; n < (l + 1) * H; n++)
            if (score[n].all > score[best].all) best = n;
        both.at[best] = 1.0f;
        rows_add(&rows, ROW(score[best].all, measure(s->model, unseen, gates[best], false).all), "layer %d has only %s",
                 l, s->head[best].name);
    }
    rows_add(&rows, ROW(measure(s->model, found, both, false).all, measure(s->model, unseen, both, false).all), "both");
    rows.table.high = 1;
    show_rows(lesson, &rows);
}

// ---- 10

void survivors(Lesson *lesson, const Studied *s, const Test *test, const Pruned *pruned)
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
            list =
                arena_format(lesson->arena, "%s%s%s (%s)", list, *list ? ", " : "", s->head[n].name, s->head[n].role);
            in_layer[n / s->model.config.H]++;
        }
        say(lesson, "%s, %d in layer 0 and %d in layer 1: %s.", gone ? "Gone" : "Left", in_layer[0], in_layer[1], list);
    }
    Score left = measure(s->model, test, gates, false);
    Mat row = mat_new(lesson->arena, 1, KINDS + 1);
    for (int k = 0; k < KINDS; k++) *mat_ref(row, 0, k) = (float)left.kind[k];
    *mat_ref(row, 0, KINDS) = (float)left.all;
    show_table(lesson, (Table){ .name = arena_format(lesson->arena,
                                                     "accuracy with those that are left, "
                                                     "on all %d words",
                                                     test->words),
                                .values = row,
                                .cols = KIND_NAME,
                                .high = 1 });
}
