// Chapter 10, step 11. Training goes on with the gates of pruned heads fixed at 0: how much comes back. That takes
// minutes, so the numbers are kept in data/models/pruned.tsv, and --retrain computes them again.
#include "base/portable_math.h"
#include "io/file.h"
#include "language/translator.h"
#include "steps.h"
#include "train/bundled.h"

#include <string.h>

enum { STEPS = 300, LOOKS = 4, SENTENCES = 600 };
static const int look_at[LOOKS] = { 0, 30, 100, STEPS };

// What is measured at each look, and so the columns of the table.
enum { WHOLE, OF_IT, LOSS, EACH, COLUMNS = LOOKS * EACH };

// So many heads go, in the greedy order or in a shuffled one. The seed is that of the batches, and of the shuffle.
typedef struct {
    int gone;
    bool chance;
    int seed;
} Trial;
enum { UNPRUNED, GREEDY_8 = 2, CHANCE_8 = 5, GREEDY_10 = 8, GREEDY_11, GREEDY_14, TRIALS };
static const Trial trials[TRIALS] = {
    { 0, false, 0 }, { 5, false, 0 }, { 8, false, 0 },  { 8, false, 1 },  { 8, false, 2 },  { 8, true, 0 },
    { 8, true, 1 },  { 8, true, 2 },  { 10, false, 0 }, { 11, false, 0 }, { 14, false, 0 },
};

// A third of the first rate, and no bonus: rows of heads that are gone would be rewarded, too.
static TrainingRecipe short_recipe(uint64_t seed)
{
    TrainingRecipe recipe = translator_recipe(seed);
    recipe.steps = STEPS;
    recipe.warmup = 30;
    recipe.lr = 1e-3;
    recipe.bonus = 0.0;
    return recipe;
}

static const char *look(Arena *arena, const char *line, Transformer model, const Test *test, Mat gates)
{
    Score s = measure(model, test, gates, true);
    return arena_format(arena, "%s\t%.4f\t%.4f\t%.4f", line, s.all, s.kind[IT], s.loss);
}

// A line of the table: the first `gone` heads of an order are off, and the others learn on.
static const char *one_line(Lesson *lesson, const Studied *s, const Test *test, const char *name, const int *order,
                            int gone, uint64_t seed)
{
    Arena *arena = arena_open();
    Mat gates = gates_all(arena, s, 1.0f);
    for (int n = 0; n < gone; n++) gates.at[order[n]] = 0.0f;
    Training *t = training_open(arena, s->model.config, short_recipe(1000 + seed));
    transformer_set(t->model, s->model);
    t->gates = gates;
    const char *line = name;
    TrainingProgress progress = training_progress_begin(name, 0);
    for (int n = 0; n < LOOKS; n++) {
        while (t->step < look_at[n])
            training_progress_show(&progress, t->step, STEPS, training_step(t, translator_batch, NULL));
        line = look(arena, line, t->model, test, gates);
    }
    training_close(t);
    const char *kept = arena_format(lesson->arena, "%s\n", line);
    arena_close(arena);
    return kept;
}

static Test fresh_test(Lesson *lesson) // it had no say in the order
{
    Lesson aside = *lesson;
    aside.random = random_from(10);
    return test_draw(&aside, SENTENCES);
}

// The table is written anew after every line, so that an interrupted run has not been for nothing.
void retrain(Lesson *lesson, const char *folder, const Studied *s, const Pruned *pruned)
{
    Arena *arena = lesson->arena;
    Error error;
    Test test = fresh_test(lesson);
    const char *
        path = arena_format(arena, "%s/pruned.tsv", folder),
       *text = arena_format(
           arena,
           "# build/chapters/"
           "10_pruning --retrain %s\n# heads gone\taccuracy, of it, loss: before\tafter 30 steps\tafter 100\tafter 300\n",
           folder);
    if (!file_make_folder(folder, &error)) lesson_fail(&error);
    for (int trial = 0; trial < TRIALS; trial++) {
        const Trial *one = &trials[trial];
        if (one->gone > s->heads) continue;
        int order[HEADS_MOST];
        memcpy(order, pruned->order, sizeof order);
        Random random = random_from((uint64_t)one->seed);
        if (one->chance) random_shuffle(&random, order, s->heads);
        const char *name =
            arena_format(arena, "%d %s, seed %d", one->gone, one->chance ? "by chance" : "greedily", one->seed);
        if (!one->gone) name = "none";
        text =
            arena_format(arena, "%s%s", text, one_line(lesson, s, &test, name, order, one->gone, (uint64_t)one->seed));
        if (!file_write(path, text, strlen(text), &error)) lesson_fail(&error);
    }
}

static void show_looks(Lesson *lesson, TableRows rows, const char *name, int what)
{
    static const char *const cols[] = { "0 steps", "30", "100", "300" };
    Rows table = rows_of(lesson, name, cols, LOOKS);
    for (int n = 0; n < rows.values.rows; n++) {
        double row[LOOKS];
        for (int c = 0; c < LOOKS; c++) row[c] = mat_value(rows.values, n, c * EACH + what);
        rows_add(&table, row, "%s", rows.names[n]);
    }
    table.table.high = 1;
    show_rows(lesson, &table);
}

static double at_look(TableRows rows, int trial, int look, int what)
{
    return mat_value(rows.values, trial, look * EACH + what);
}

// The mean and the least over three trainings.
static double mean_of_three(TableRows rows, int first, int look, int what)
{
    double sum = 0.0;
    for (int n = first; n < first + 3; n++) sum += at_look(rows, n, look, what);
    return sum / 3;
}

static double least_of_three(TableRows rows, int first, int look, int what)
{
    double least = 1.0;
    for (int n = first; n < first + 3; n++) least = fmin(least, at_look(rows, n, look, what));
    return least;
}

static void what_comes_back(Lesson *lesson, TableRows rows)
{
    enum { LAST = LOOKS - 1 };
    if (!check(lesson, rows.values.rows == TRIALS, "%d trainings", rows.values.rows)) return;
    say(lesson, "The loss without 8 heads, mean of three: greedily %.3f, after %d steps %.3f; by chance %.3f and %.3f.",
        mean_of_three(rows, GREEDY_8, 0, LOSS), STEPS, mean_of_three(rows, GREEDY_8, LAST, LOSS),
        mean_of_three(rows, CHANCE_8, 0, LOSS), mean_of_three(rows, CHANCE_8, LAST, LOSS));
    check(lesson,
          least_of_three(rows, GREEDY_8, LAST, WHOLE) > 0.999 && least_of_three(rows, GREEDY_8, LAST, OF_IT) > 0.99,
          "8 heads, greedily, each time: more than 0.999 of all words are right again, 0.99 of \"it\"");
    check(lesson,
          least_of_three(rows, CHANCE_8, LAST, WHOLE) > 0.94 && least_of_three(rows, CHANCE_8, LAST, OF_IT) > 0.98,
          "8 heads, by chance, each time: more than 0.94 of all words, 0.98 of \"it\"");
    check(lesson, at_look(rows, GREEDY_10, LAST, OF_IT) > 0.9 && at_look(rows, GREEDY_11, LAST, OF_IT) < 0.1,
          "10 heads, greedily: \"it\" comes back; 11: it does not");
}

void train_on(Lesson *lesson, const char *program, const char *folder, bool ours)
{
    step(lesson, "Train on");
    if (!ours && !folder) {
        say(lesson, "Kept for the book's models alone: --retrain DIR trains yours on, in some minutes.");
        return;
    }
    TableRows rows;
    Error error;
    if (!bundled_rows(&rows, lesson->arena, program, folder, "pruned.tsv", COLUMNS, &error)) lesson_fail(&error);
    Test test = fresh_test(lesson);
    say(lesson,
        "glosses-8 with some heads gone, trained for %d steps more, a sixth of its first training, gates fixed "
        "at 0. On %d sentences that had no say in the order, %d words, %d of them \"it\":",
        STEPS, SENTENCES, test.words, test.of_kind[IT]);
    show_looks(lesson, rows, "accuracy, all words", WHOLE);
    show_looks(lesson, rows, "accuracy of \"it\"", OF_IT);
    if (ours) what_comes_back(lesson, rows);
}
