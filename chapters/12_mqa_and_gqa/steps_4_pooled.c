// Chapter 12, step 4. A trained model turned into others, with fewer key heads. What takes long was computed
// before, by steps_4_retrain.c.
#include "base/portable_math.h"
#include "base/threads.h"
#include "io/table.h"
#include "language/translator.h"
#include "model/pooling.h"
#include "steps.h"
#include "train/bundled.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    int H, G, seeds;
    double mean[WAYS];
} Group;

// Means over the seeds: rows of the same H and G.
static int groups_of(Group *groups, int most, TableRows rows)
{
    int count = 0;
    for (int i = 0; i < rows.values.rows; i++) {
        int H = 0, G = 0, g = 0;
        if (sscanf(rows.names[i], "H = %d, G = %d", &H, &G) != 2) continue;
        while (g < count && (groups[g].H != H || groups[g].G != G)) g++;
        if (g == most) continue;
        if (g == count) groups[count++] = (Group){ .H = H, .G = G };
        for (int w = 0; w < WAYS; w++)
            groups[g].mean[w] += (mat_value(rows.values, i, w) - groups[g].mean[w]) / (groups[g].seeds + 1);
        groups[g].seeds++;
    }
    return count;
}

typedef struct {
    Transformer model[16];
    double right[16];
    const char *name[16];
    int count;
} Pooled;

static void measure_pooled(int i, void *context)
{
    enum { FEW = 200 };
    Pooled *pooled = context;
    pooled->right[i] = accuracy(pooled->model[i], FEW);
}

// The book's own models, pooled here and now: two columns, mean and first.
static Pooled pool_shipped(Lesson *lesson, const char *program)
{
    static const char *const names[] = { "glosses-4", "glosses-8" };
    Pooled pooled = { .count = 0 };
    Error error;
    for (int m = 0; m < 2; m++) {
        Transformer model;
        if (!bundled_model(&model, lesson->arena, program, names[m], NULL, &error)) lesson_fail(&error);
        for (int G = model.config.H; G >= 1; G /= 2)
            for (int way = 0; way < 2; way++) {
                pooled.name[pooled.count] = arena_format(lesson->arena, "%s, G = %d", names[m], G);
                pooled.model[pooled.count++] = pool_transformer(lesson->arena, model, G, (Pooling)way);
            }
    }
    threads_parallel_for(pooled.count, measure_pooled, &pooled);
    return pooled;
}

static void show_pooled(Lesson *lesson, const Pooled *pooled)
{
    static const char *const cols[] = { "mean", "first" };
    Rows table = rows_of(lesson, "pooled, and not trained: words glossed right", cols, 2);
    table.table.low = 0;
    table.table.high = 1;
    double worst = 0.0;
    for (int i = 0; i < pooled->count; i++) {
        if (i % 2 == 0) rows_add(&table, &pooled->right[i], "%s", pooled->name[i]);
        if (pooled->model[i].config.G < pooled->model[i].config.H) worst = fmax(worst, pooled->right[i]);
    }
    show_rows(lesson, &table);
    check(lesson, worst < 0.7, "pooling alone leaves less than 0.7 of the words right, whatever G < H");
}

static void show_groups(Lesson *lesson, const Group *groups, int count, TableRows rows)
{
    static const char *const cols[] = { "mean", "mean+5", "first", "first+5", "new", "new+5", "scratch", "all" };
    Rows table = rows_of(lesson, "words glossed right", cols, WAYS);
    table.table.decimals = 3;
    table.table.low = 0;
    table.table.high = 1;
    double least_on = 1.0, least_whole = 1.0, low = 1.0, high = 0.0;
    for (int g = 0; g < count; g++) {
        const double *mean = groups[g].mean;
        rows_add(&table, mean, "H = %d, G = %d", groups[g].H, groups[g].G);
        least_on = fmin(least_on, mean[MEAN_ON]);
        least_whole = fmin(least_whole, mean[WHOLE]);
        if (groups[g].G == groups[g].H) continue;
        double share = (mean[NEW_ON] - mean[SHORT]) / (mean[MEAN_ON] - mean[SHORT]);
        low = fmin(low, share);
        high = fmax(high, share);
    }
    say(lesson, "Now trained on, for %d of %d steps; the mean of %d seeds for H = 4 and of %d for H = 8.",
        short_recipe(0).steps, translator_recipe(0).steps, groups[0].seeds, groups[count - 1].seeds);
    show_rows(lesson, &table);
    int pairs = 0, before = 0, after = 0, above_new = 0, first_above_new = 0;
    for (int i = 0; i < rows.values.rows; i++) {
        const float *row = mat_row(rows.values, i);
        if (row[MEAN] == row[FIRST]) continue; // G = H: there is nothing to pool
        pairs++;
        before += row[MEAN] > row[FIRST];
        after += row[MEAN_ON] > row[FIRST_ON];
        above_new += row[MEAN_ON] > row[NEW_ON];
        first_above_new += row[FIRST_ON] > row[NEW_ON];
    }
    check(lesson, before == pairs && after == pairs,
          "in all %d cases with G < H the mean is better than the first head, before the 5 %% and after", pairs);
    check(lesson, above_new == pairs,
          "after the 5 %% it is better than new heads in all of them; the first head is in "
          "%d of %d",
          first_above_new, pairs);
    check(lesson, low > 2.0 / 3 && high < 1.0,
          "of what the mean reaches above scratch, new heads reach %.2f to %.2f, by the rows with G < H", low, high);
    say(lesson, "Ainslie et al. (2023, table 1), T5-XXL, seconds a sample and mean score over seven tasks: MHA 1.51 "
                "and 47.2; trained on for 5 %%, 8 groups 0.28 and 47.1, MQA 0.24 and 46.6.");
    say(lesson, "DeepSeek-AI (2024, table 8), three models of 7 billion weights, trained from the start, MMLU: MHA "
                "45.2 %%, 8 groups 41.2 %%, MQA 37.9 %%.");
    check(lesson, least_on > 0.97, "mean pooled and trained on for 5 %%: above 0.97 for every G");
    check(lesson, least_whole > 0.99, "trained from the start, for all steps: above 0.99 for every G");
}

// What was pooled here agrees with the table's row of the seed that the model was trained from.
static void agrees_with_table(Lesson *lesson, const Pooled *pooled, TableRows rows)
{
    double apart = 0.0;
    for (int i = 0; i < pooled->count; i++) {
        int H = pooled->model[i].config.H, seed = H == 4 ? 4 : 1; // of the shipped models
        const char *name = arena_format(lesson->arena, "H = %d, G = %d, seed %d", H, pooled->model[i].config.G, seed);
        for (int r = 0; r < rows.values.rows; r++)
            if (!strcmp(rows.names[r], name))
                apart = fmax(apart, fabs(pooled->right[i] - mat_value(rows.values, r, i % 2 ? FIRST : MEAN)));
    }
    check(lesson, apart < 0.04, "pooled, the book's two models are within 0.04 of their seeds' rows in groups.tsv");
}

static void groups_figure(Lesson *lesson, const Group *groups, int count, int H)
{
    static const char *const names[] = { "mean", "mean, then 5 %", "first",        "first, then 5 %",
                                         "new",  "new, then 5 %",  "scratch, 5 %", "all steps" };
    static const int order[] = { WHOLE, MEAN_ON, FIRST_ON, NEW_ON, MEAN, FIRST, SHORT };
    enum { LINES = sizeof order / sizeof *order };
    double x[8], y[WAYS][8];
    int n = 0;
    for (int g = 0; g < count; g++) {
        if (groups[g].H != H || n == 8) continue;
        x[n] = H / groups[g].G;
        for (int w = 0; w < WAYS; w++) y[w][n] = groups[g].mean[w];
        n++;
    }
    PlotSeries series[LINES];
    for (int s = 0; s < LINES; s++)
        series[s] =
            (PlotSeries){ .name = names[order[s]], .x = x, .y = y[order[s]], .count = n, .dashed = order[s] == SHORT };
    figure_plot(lesson, "pooling.png", "words glossed right, by how many query heads share a key head",
                (Plot){ .title = arena_format(lesson->arena, "%d query heads share their key heads", H),
                        .x_title = "query heads that share a key head, H / G",
                        .y_title = "words glossed right",
                        .series = series,
                        .count = LINES,
                        .log_x = true,
                        .y_low = 0,
                        .y_high = 1 });
}

void turned_into_others(Lesson *lesson, const char *program, const char *folder, int steps)
{
    step(lesson, "Fewer key heads from a trained model");
    TableRows rows;
    Error error;
    if (!bundled_rows(&rows, lesson->arena, program, folder, "groups.tsv", WAYS, &error)) lesson_fail(&error);
    Group groups[16];
    int count = groups_of(groups, 16, rows);
    Pooled pooled = pool_shipped(lesson, program);
    show_pooled(lesson, &pooled);
    show_groups(lesson, groups, count, rows);
    if (!folder) agrees_with_table(lesson, &pooled, rows);
    groups_figure(lesson, groups, count, 8);
    if (!steps) return;
    for (int i = 0; i < pooled.count; i += 2) {
        TrainingRecipe recipe = short_recipe(0);
        recipe.steps = steps;
        Config config = pooled.model[i].config;
        if (config.G == config.H) continue;
        Transformer on = trained(lesson->arena, pooled.name[i], config, recipe, &pooled.model[i]);
        say(lesson, "%s, mean pooled, trained on here for %d steps: %.3f", pooled.name[i], steps,
            accuracy(on, SENTENCES));
    }
}
