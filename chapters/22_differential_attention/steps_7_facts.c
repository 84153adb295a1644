// Chapter 22, step 7. A task of noise and retrieval, and one trained model on one text.
#include "base/portable_math.h"
#include "steps.h"

#include <string.h>

// One text and what the model says of it.
typedef struct {
    int length, T, at[FACTS_COUNT];
    int *tokens, *targets;
    const char **names;
    Run run;
} Text22;

static Text22 a_text(Lesson *lesson, Transformer model, int length)
{
    Arena *arena = lesson->arena;
    Text22 t = { .length = length, .T = length + FACTS_COUNT };
    Random random = random_from(5);
    t.tokens = arena_alloc(arena, (size_t)t.T * sizeof *t.tokens);
    t.targets = arena_alloc(arena, (size_t)t.T * sizeof *t.targets);
    t.names = arena_alloc(arena, (size_t)t.T * sizeof *t.names);
    facts_text(t.tokens, t.targets, t.at, length, &random);
    for (int n = 0; n < t.T; n++) t.names[n] = facts_name(arena, t.tokens[n]);
    t.run = run_keeping_transformer(arena, model, run_batch_of_one(arena, t.tokens, t.T), (Mat){ 0 });
    return t;
}

static void say_text(Lesson *lesson, const Text22 *t)
{
    const char *text = "", *line = "";
    for (int n = 0; n < t->T; n++) {
        if (strlen(line) + strlen(t->names[n]) > 68) {
            text = arena_format(lesson->arena, "%s%s\n", text, line);
            line = "";
        }
        line = arena_format(lesson->arena, "%s%s%s", line, *line ? " " : "", t->names[n]);
    }
    say_lines(lesson, arena_format(lesson->arena, "%s%s\n", text, line));
}

// Rows of the questions alone, columns up to the last token before them.
static Mat questions_of(Mat map, const Text22 *t) { return mat_block(map, t->length, FACTS_COUNT, 0, t->length); }

// Facts alone are named: the rest is noise.
static void figure_pairs(Lesson *lesson, const Text22 *t, int pairs)
{
    const char **facts = arena_alloc(lesson->arena, (size_t)t->length * sizeof *facts);
    for (int n = 0; n < t->length; n++) facts[n] = t->tokens[n] < FACTS_SUBJECTS * FACTS_VALUES ? t->names[n] : "";
    static const char *const titles[] = { "pair 0", "pair 1", "pair 2", "pair 3" };
    static const char *const heads[] = { "head 0", "head 1", "head 2", "head 3" };
    Heatmap maps[4];
    bool differs = t->run.model.config.differ != CONFIG_DIFFER_NONE;
    for (int p = 0; p < pairs; p++)
        maps[p] = (Heatmap){ .title = (differs ? titles : heads)[p],
                             .values = questions_of(facts_map(lesson->arena, &t->run, p), t),
                             .row_labels = t->names + t->length,
                             .col_labels = facts,
                             .row_title = "question",
                             .col_title = "facts; where no word stands, noise",
                             .colors = COLOR_DIVERGING,
                             .low = -1,
                             .high = 1,
                             .decimals = -1,
                             .cell = 14,
                             .bar_title = "weight" };
    figure_maps(lesson, "questions.png", "where eight questions look: signed weights of the trained model",
                "Eight questions, facts and noise", maps, pairs, 1);
}

// What each map of every pair has at each question's fact, and the signed map.
static void show_facts(Lesson *lesson, const Text22 *t, int pairs, int shown)
{
    const char **cols = arena_alloc(lesson->arena, FACTS_COUNT * sizeof *cols);
    const Config *c = &t->run.model.config;
    for (int q = 0; q < FACTS_COUNT; q++) cols[q] = t->names[t->length + q];
    Rows table = rows_of(lesson, "weight of each question on its fact", cols, FACTS_COUNT);
    table.table.low = -1;
    table.table.high = 1;
    table.table.colors = COLOR_DIVERGING;
    for (int p = 0; p < pairs; p++) {
        double row[3][FACTS_COUNT];
        if (shown >= 0 && p != shown) continue;
        for (int q = 0; q < FACTS_COUNT; q++) {
            int i = t->length + q, j = t->at[q];
            for (int n = 0; n < 2 && c->differ != CONFIG_DIFFER_NONE; n++)
                row[n][q] = mat_value(run_weights(lesson->arena, &t->run, 0, 0, 2 * p + n), i, j);
            row[2][q] = mat_value(facts_map(lesson->arena, &t->run, p), i, j);
        }
        if (c->differ != CONFIG_DIFFER_NONE) {
            rows_add(&table, row[0], "pair %d, first", p);
            rows_add(&table, row[1], "second");
        }
        rows_add(&table, row[2], c->differ == CONFIG_DIFFER_NONE ? "head %d" : "signed", p);
    }
    show_rows(lesson, &table);
}

void noise_and_retrieval(Lesson *lesson, Transformer model, const Asked *asked)
{
    step(lesson, "Noise and retrieval");
    Text22 t = a_text(lesson, model, asked->noise);
    int pairs = config_head_outputs(&model.config), right = 0;
    if (asked->noise <= 128) say_text(lesson, &t);
    for (int q = 0; q < FACTS_COUNT; q++) right += run_answer(&t.run, 0, t.length + q) == t.targets[t.length + q];
    say(lesson, "%d of these %d questions are answered right. The first is %s, and the answer %s.", right, FACTS_COUNT,
        t.names[t.length], facts_value(t.targets[t.length]));
    show_facts(lesson, &t, pairs, asked->pair);
    if (asked->noise <= 128) figure_pairs(lesson, &t, pairs);

    Answers answers = facts_answers(model, asked->noise, 7);
    say(lesson, "The model has %d,%03d numbers%s. %d texts: %.3f of the questions are answered right.",
        (int)(transformer_numbers(model) / 1000), (int)(transformer_numbers(model) % 1000),
        isnan(facts_lambda(model)) ? "" : arena_format(lesson->arena, ", and its lambda is %.3f", facts_lambda(model)),
        TEXTS, answers.right);
    Shared shared = facts_shared(model, asked->noise, 7);
    const char *list = "";
    for (int h = 0; h < model.config.H; h++)
        list = arena_format(lesson->arena, "%s%s%d", list, h ? ", " : "", shared.facts[h]);
    say(lesson, "The maps share out the %d facts, by %s: %s.", FACTS_SUBJECTS * FACTS_VALUES,
        model.config.differ == CONFIG_DIFFER_NONE ? "head" : "pair, its first and its second map", list);
    if (asked->path || asked->noise != FACTS_LENGTH) return;
    check(lesson, answers.right > 0.9 && transformer_numbers(model) == config_parameters(&model.config),
          "more than 0.9 of the questions; by chance it would be %.4f", 1.0 / FACTS_VALUES);
    check(lesson, answers.negative > 0.1,
          "in %.2f of the questions the largest share of weight on the fact is below 0: the second map found it",
          answers.negative);
    check(lesson, shared.own > 0.95, "every fact has its map: in %.3f of the questions it has the largest weight on it",
          shared.own);
}
