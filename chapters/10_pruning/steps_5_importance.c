// Chapter 10, steps 5 to 7. What seems to tell how much a head matters, held against what is lost without it: where it
// looks, and the gradient of its gate.
#include "base/portable_math.h"
#include "steps.h"

// ---- 5

static void show_weight_and_loss(Lesson *lesson, const Studied *s, int layer, const char *where)
{
    static const char *const cols[] = { "weight", "it right" };
    int H = s->model.config.H;
    Rows rows = rows_of(lesson, arena_format(lesson->arena, "%s, layer %d, %s", s->name, layer, where), cols, 2);
    for (int n = layer * H; n < (layer + 1) * H; n++)
        rows_add(&rows, ROW(s->look[n], s->without[n].kind[IT]), "%s", s->head[n].name);
    rows.table.high = 1;
    show_rows(lesson, &rows);
}

// Of the heads of layer 0 that hardly look at the adjective the one that is missed most; −1: all look.
static int blind_and_needed(const Studied *s)
{
    int blind = -1;
    for (int n = 0; n < s->model.config.H; n++)
        if (s->look[n] < 0.05 && (blind < 0 || lost(s, n, IT) > lost(s, blind, IT))) blind = n;
    return blind;
}

// Of those that look at hardly anything else the one that is missed least; −1: none looks.
static int looking_and_idle(const Studied *s)
{
    int idle = -1;
    for (int n = 0; n < s->model.config.H; n++)
        if (s->look[n] > 0.9 && (idle < 0 || lost(s, n, IT) < lost(s, idle, IT))) idle = n;
    return idle;
}

// Of two dots whose labels would cover one another one has both.
static void join_labels(Arena *arena, const char **names, const double *x, const double *y, int count)
{
    for (int n = 0; n < count; n++)
        for (int m = n + 1; m < count && names[n]; m++)
            if (x[m] - x[n] < 0.07 && fabs(y[m] - y[n]) < 0.016) {
                int by = y[n] > y[m] ? n : m; // the higher, so that the label covers neither
                if (!names[m]) continue;
                names[by] = arena_format(arena, "%s, %s", names[n], names[m]);
                names[n + m - by] = NULL;
            }
}

// Dots from left to right, so that the name of the series stands by the last.
static PlotSeries scatter(Lesson *lesson, const Studied *s, const double *x, const double *y, int count)
{
    Arena *arena = lesson->arena;
    const char **names = arena_alloc(arena, (size_t)count * sizeof *names);
    double *to[2];
    for (int c = 0; c < 2; c++) to[c] = arena_alloc(arena, (size_t)count * sizeof(double));
    for (int n = 0; n < count; n++) {
        int at = n; // insertion
        for (; at > 0 && to[0][at - 1] > x[n]; at--) {
            to[0][at] = to[0][at - 1];
            to[1][at] = to[1][at - 1];
            names[at] = names[at - 1];
        }
        to[0][at] = x[n];
        to[1][at] = y[n];
        names[at] = s->head[n].name;
    }
    join_labels(arena, names, to[0], to[1], count);
    return (PlotSeries){ .name = s->name, .x = to[0], .y = to[1], .count = count, .dots = true, .labels = names };
}

static PlotSeries dots_of(Lesson *lesson, const Studied *s)
{
    double y[HEADS_MOST];
    for (int n = 0; n < s->heads; n++) y[n] = lost(s, n, IT);
    return scatter(lesson, s, s->look, y, s->model.config.H);
}

// What `it` keeps when heads of one layer are switched off together: those that give more than 0.9 of its weight to the
// right place, and, to compare, all others of the layer. lost_alone: the most that is lost without one of the first.
typedef struct {
    int count, others;
    double kept, kept_without_others, lost_alone;
} Lookers;

static Lookers it_without_lookers(Lesson *lesson, const Studied *s, const Test *test, int layer)
{
    Mat gates[] = { gates_all(lesson->arena, s, 1.0f), gates_all(lesson->arena, s, 1.0f) };
    Lookers it = { 0 };
    int H = s->model.config.H;
    for (int n = layer * H; n < (layer + 1) * H; n++) {
        bool looks = s->look[n] > 0.9;
        gates[looks ? 0 : 1].at[n] = 0.0f;
        it.count += looks;
        if (looks) it.lost_alone = fmax(it.lost_alone, lost(s, n, IT));
    }
    it.others = H - it.count;
    it.kept = measure(s->model, test, gates[0], false).kind[IT];
    it.kept_without_others = measure(s->model, test, gates[1], false).kind[IT];
    return it;
}

void weight_is_not_importance(Lesson *lesson, const Studied *four, const Studied *eight, const Test *test, bool ours)
{
    step(lesson, "Weight is not importance");
    say(lesson,
        "For every head: the weight from \"it\" to the predicate adjective (layer 0) or to the noun that it "
        "stands for (layer 1), and the share of the %d \"it\" that is right without that head.",
        test->of_kind[IT]);
    show_weight_and_loss(lesson, four, 0, "the adjective");
    show_weight_and_loss(lesson, eight, 0, "the adjective");
    show_weight_and_loss(lesson, eight, 1, "the noun");
    int blind = blind_and_needed(four), idle = looking_and_idle(eight);
    Lookers adjective = it_without_lookers(lesson, eight, test, 0), noun = it_without_lookers(lesson, eight, test, 1);
    int adjectives = adjective.count;
    if (ours) {
        check(lesson, blind >= 0 && lost(four, blind, IT) > 0.03,
              "%s: head %s gives the adjective less than 0.05; without it %.0f of %d \"it\" go wrong", four->name,
              four->head[blind].name, lost(four, blind, IT) * test->of_kind[IT], test->of_kind[IT]);
        check(lesson, adjectives >= 3 && lost(eight, idle, IT) < 0.02,
              "%s: %d heads give the adjective more than 0.9; head %s is one, and \"it\" loses less than 0.02 without "
              "it",
              eight->name, adjectives, eight->head[idle].name);
    }
    say(lesson,
        "%s without all %d of them: \"it\" keeps %.2f; without the %d others of layer 0 %.2f. Without the %d "
        "heads of layer 1 that give the noun more than 0.9: %.2f; without the %d others %.2f.",
        eight->name, adjectives, adjective.kept, adjective.others, adjective.kept_without_others, noun.count, noun.kept,
        noun.others, noun.kept_without_others);
    double look = 0.0, together = eight->full.kind[IT] - adjective.kept;
    for (int n = 0; n < eight->model.config.H; n++)
        if (eight->look[n] > 0.9) look += eight->look[n] / adjectives;
    PlotSeries series[] = { dots_of(lesson, four),
                            dots_of(lesson, eight),
                            { .name = arena_format(lesson->arena, "all %d", adjectives),
                              .x = &look,
                              .y = &together,
                              .count = adjectives > 0,
                              .dots = true } };
    figure_plot(lesson, "weight.png", "weight on the adjective, and what \"it\" loses without the head: layer 0",
                (Plot){ .title =
                            arena_format(lesson->arena, "%s: %d heads look at the adjective%s", eight->name, adjectives,
                                         adjective.lost_alone < 0.02 ? "; one alone is hardly missed" : ""),
                        .x_title = "weight from \"it\" to its adjective",
                        .y_title = "accuracy of \"it\" lost without the head",
                        .series = series,
                        .count = adjectives > 0 ? 3 : 2 });
}

// ---- 6

// How many are smaller, 0 … n − 1; equals share the middle.
static double rank(const double *x, int n, int i)
{
    double below = 0.0;
    for (int j = 0; j < n; j++) {
        if (x[j] < x[i]) below += 1.0;
        if (j != i && x[j] == x[i]) below += 0.5;
    }
    return below;
}

// Spearman's: the correlation of the ranks. 1: the same order; −1: the opposite one; 0: no relation.
static double rank_correlation(const double *x, const double *y, int n)
{
    double middle = (n - 1) / 2.0, xy = 0.0, xx = 0.0, yy = 0.0;
    for (int i = 0; i < n; i++) {
        double a = rank(x, n, i) - middle, b = rank(y, n, i) - middle;
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    return xx > 0.0 && yy > 0.0 ? xy / sqrt(xx * yy) : 0.0;
}

// The gradient against what a missing head really costs.
static double foretold(const Studied *s)
{
    double x[HEADS_MOST], y[HEADS_MOST];
    for (int n = 0; n < s->heads; n++) x[n] = s->head[n].importance;
    for (int n = 0; n < s->heads; n++) y[n] = s->without[n].loss;
    return rank_correlation(x, y, s->heads);
}

// The same, each gradient divided by the length of those of its layer [Michel et al. 2019, §4.1].
static double foretold_by_length(const Studied *s)
{
    double x[HEADS_MOST], y[HEADS_MOST];
    int H = s->model.config.H;
    for (int n = 0; n < s->heads; n++) {
        double squares = 0.0;
        for (int m = n / H * H; m < (n / H + 1) * H; m++) squares += s->head[m].importance * s->head[m].importance;
        x[n] = s->head[n].importance / sqrt(squares);
        y[n] = s->without[n].loss;
    }
    return rank_correlation(x, y, s->heads);
}

static double largest_importance(const Studied *s)
{
    double largest = 0.0;
    for (int n = 0; n < s->heads; n++) largest = fmax(largest, s->head[n].importance);
    return largest;
}

static PlotSeries gate_dots(Lesson *lesson, const Studied *s)
{
    double x[HEADS_MOST], y[HEADS_MOST], most = largest_importance(s);
    for (int n = 0; n < s->heads; n++) x[n] = s->head[n].importance / most;
    for (int n = 0; n < s->heads; n++) y[n] = s->without[n].loss - s->full.loss;
    return scatter(lesson, s, x, y, s->heads);
}

// The head with the largest gradient, and the one that is missed most.
static int steepest_of(const Studied *s)
{
    int steep = 0;
    for (int n = 1; n < s->heads; n++)
        if (s->head[n].importance > s->head[steep].importance) steep = n;
    return steep;
}

static int most_missed(const Studied *s)
{
    int dear = 0;
    for (int n = 1; n < s->heads; n++)
        if (s->without[n].loss > s->without[dear].loss) dear = n;
    return dear;
}

static void say_extremes(Lesson *lesson, const Studied *s)
{
    int steep = steepest_of(s), dear = most_missed(s);
    say(lesson,
        "Of %s head %s has the largest gradient, and the loss rises by %.2f without it; it rises most, by "
        "%.2f, without head %s, whose gradient is %.2f.",
        s->name, s->head[steep].name, s->without[steep].loss - s->full.loss, s->without[dear].loss - s->full.loss,
        s->head[dear].name, s->head[dear].importance / s->head[steep].importance);
}

// The same question on fresh tests, half as large: what hangs on the sentences, and what on the model.
enum { TESTS = 5 };

static void on_other_tests(Lesson *lesson, const Studied *four, const Studied *eight, const Test *test, bool ours)
{
    static const char *const cols[] = { "here", "2", "3", "4", "5" };
    Lesson aside = *lesson;
    aside.random = random_from(random_bits(&aside.random)); // a copy: what is drawn later stays
    double of[2][TESTS], apart = 2.0;
    const char *names = four->head[steepest_of(four)].name;
    for (int t = 0; t < TESTS; t++) {
        Studied again[] = { *eight, *four };
        if (t > 0) {
            Test other = test_draw(&aside, test->count / 2);
            for (int m = 0; m < 2; m++) {
                Test asked = test->instead ? test_with_means(lesson, again[m].model, &other) : other;
                again[m] = study(lesson, again[m].name, again[m].model, &asked);
            }
            names = arena_format(lesson->arena, "%s, %s", names, again[1].head[steepest_of(&again[1])].name);
        }
        for (int m = 0; m < 2; m++) of[m][t] = foretold(&again[m]);
        apart = fmin(apart, of[0][t] - of[1][t]);
    }
    Rows rows = rows_of(lesson,
                        arena_format(lesson->arena, "the rank correlation here, and on %d fresh sentences each",
                                     test->count / 2),
                        cols, TESTS);
    rows_add(&rows, of[0], "%s", eight->name);
    rows_add(&rows, of[1], "%s", four->name);
    show_rows(lesson, &rows);
    if (ours)
        check(lesson, apart > 0.3, "on each of the five tests it is more than 0.3 higher for %s than for %s",
              eight->name, four->name);
    say(lesson, "The largest gradient in %s is that of %s.", four->name, names);
}

// The way from 1 to 0: how much the loss has risen at each of these gates.
enum { GATES = 4 };
static const double gate_at[GATES] = { 0.75, 0.5, 0.25, 0.0 };
typedef struct {
    double rise[GATES][HEADS_MOST];
} Way;

static Way gates_turned_down(Lesson *lesson, const Studied *s, const Test *test)
{
    Way way = { 0 };
    for (int g = 0; g < GATES; g++) {
        Mat gates[HEADS_MOST];
        Score score[HEADS_MOST];
        for (int n = 0; n < s->heads; n++) {
            gates[n] = gates_all(lesson->arena, s, 1.0f);
            gates[n].at[n] = (float)gate_at[g];
        }
        if (gate_at[g] > 0.0) measure_all(s->model, test, gates, score, s->heads, true);
        for (int n = 0; n < s->heads; n++)
            way.rise[g][n] = (gate_at[g] > 0.0 ? score[n] : s->without[n]).loss - s->full.loss;
    }
    return way;
}

static PlotSeries turned_down(Arena *arena, const Studied *s, const Way *way, int head)
{
    double *x = arena_alloc(arena, GATES * sizeof *x), *y = arena_alloc(arena, GATES * sizeof *y);
    for (int g = 0; g < GATES; g++) {
        x[g] = 1.0 - gate_at[g];
        y[g] = way ? way->rise[g][head] : s->head[head].importance * x[g];
    }
    return (PlotSeries){ .x = x, .y = y, .count = GATES, .dashed = !way };
}

// The steepest head and the one that is missed most, each beside what its slope foretells.
static void figure_of_gates(Lesson *lesson, const Studied *s, const Way *way)
{
    Arena *arena = lesson->arena;
    const int head[] = { steepest_of(s), most_missed(s) };
    PlotSeries series[4];
    for (int c = 0; c < 2; c++) {
        const char *name = s->head[head[c]].name;
        series[c] = turned_down(arena, s, way, head[c]);
        series[c].name = name;
        series[2 + c] = turned_down(arena, s, NULL, head[c]);
        series[2 + c].name = arena_format(arena, "%s foretold", name);
    }
    const char *title = arena_format(arena, "%s: %s is steepest at first, %s is missed most", s->name,
                                     s->head[head[0]].name, s->head[head[1]].name);
    figure_plot(lesson, "gates.png", "the loss while a gate goes from 1 to 0, and what its slope at 1 foretells",
                (Plot){ .title = title,
                        .x_title = "how far it is turned down: 1 − gate",
                        .y_title = "rise of the loss, nats a word; dashed: what the slope foretells",
                        .series = series,
                        .count = 4,
                        .log_y = true });
}

// All the way down: how many times as far as its slope foretells the loss rises, for the head where that is least.
static double least_beyond(const Studied *s)
{
    double least = INFINITY;
    for (int n = 0; n < s->heads; n++) least = fmin(least, (s->without[n].loss - s->full.loss) / s->head[n].importance);
    return least;
}

// How well the slopes at 1 order the heads by how far the loss has risen at each gate. Answers that at ¼.
static double add_ordered(Rows *rows, const Studied *s, const Way *way)
{
    enum { QUARTER = 2 };
    double slope[HEADS_MOST], ordered[GATES];
    for (int n = 0; n < s->heads; n++) slope[n] = s->head[n].importance;
    for (int g = 0; g < GATES; g++) ordered[g] = rank_correlation(slope, way->rise[g], s->heads);
    rows_add(rows, ordered, "%s", s->name);
    return ordered[QUARTER];
}

static void why_it_misleads(Lesson *lesson, const Studied *s, const Studied *eight, const Test *test,
                            const Test *test_8, bool ours)
{
    step(lesson, "A slope knows the first step alone");
    say(lesson,
        "The loss with all gates at 1: %.5f for %s, %.5f for %s. Of all slopes of %s %.2f come from the "
        "steepest %d of %d sentences.",
        eight->full.loss, eight->name, s->full.loss, s->name, s->name, s->steepest, test->count / 20, test->count);
    static const char *const cols[] = { "slope", "at ¾", "at ½", "at ¼", "at 0" };
    Way way = gates_turned_down(lesson, s, test);
    Rows rows =
        rows_of(lesson, arena_format(lesson->arena, "%s: mean size of the slope at 1, rise of the loss below", s->name),
                cols, GATES + 1);
    for (int n = 0; n < s->heads; n++)
        rows_add(&rows, ROW(s->head[n].importance, way.rise[0][n], way.rise[1][n], way.rise[2][n], way.rise[3][n]),
                 "%s", s->head[n].name);
    rows.table.decimals = 5;
    show_rows(lesson, &rows);
    Way way_8 = gates_turned_down(lesson, eight, test_8);
    Rows ordered = rows_of(lesson, "rank correlation of the slope at 1 with the rise below", cols + 1, GATES);
    double quarter_8 = add_ordered(&ordered, eight, &way_8), quarter = add_ordered(&ordered, s, &way);
    show_rows(lesson, &ordered);
    if (ours)
        check(lesson, quarter_8 > 0.3 && quarter < 0.0, "at a gate of ¼ it is above 0.3 for %s, below 0 for %s",
              eight->name, s->name);
    if (ours)
        check(lesson, least_beyond(s) > 100.0,
              "without a head, whichever it is, the loss rises by more than 100 "
              "times what its slope foretells");
    figure_of_gates(lesson, s, &way);
}

void gates_foretell(Lesson *lesson, const Studied *four, const Studied *eight, const Test *test, const Test *test_8,
                    bool ours)
{
    static const char *const cols[] = { "gradient", "loss" };
    step(lesson, "Importance without switching off");
    say(lesson, "The mean size of the gradient of each gate, the largest as 1; and how much the loss rises, in nats a "
                "word, when the head is switched off.");
    Rows rows = rows_of(lesson, arena_format(lesson->arena, "%s: gradient of the gate, rise of the loss", eight->name),
                        cols, 2);
    double most = largest_importance(eight);
    for (int n = 0; n < eight->heads; n++)
        rows_add(&rows, ROW(eight->head[n].importance / most, eight->without[n].loss - eight->full.loss), "%s",
                 eight->head[n].name);
    rows.table.high = 1;
    show_rows(lesson, &rows);
    say(lesson,
        "Rank correlation of the two columns: %.2f. The same for %s: %.2f. With each gradient divided by the "
        "length of those of its layer: %.2f and %.2f.",
        foretold(eight), four->name, foretold(four), foretold_by_length(eight), foretold_by_length(four));
    say_extremes(lesson, four);
    on_other_tests(lesson, four, eight, test, ours);
    PlotSeries series[] = { gate_dots(lesson, four), gate_dots(lesson, eight) };
    figure_plot(lesson, "gradient.png", "the gradient of a gate against what the head is worth",
                (Plot){ .title = "What the gates foretell",
                        .x_title = "|gradient| of the gate, largest = 1",
                        .y_title = "rise of the loss",
                        .series = series,
                        .count = 2 });
    why_it_misleads(lesson, four, eight, test, test_8, ours);
}
