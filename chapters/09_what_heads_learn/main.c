// Chapter 09. What heads learn: two small models, trained from nothing, and every head held against what is true.
// Run build/chapters/09_what_heads_learn with README.md of this folder open beside it.
#include "io/file.h"
#include "io/json.h"
#include "language/chunks.h"
#include "language/grammar.h"
#include "language/induction.h"
#include "language/roles.h"
#include "language/translator.h"
#include "lesson/lesson.h"
#include "model/gradient.h"
#include "model/run_trace.h"
#include "train/shipped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVERY = 25, SENTENCES = 300, TWINS = 100, HEADS_MOST = 16 };

// ---- tables that were computed before: data/models/<name>.tsv

// In `folder`; or, when that is NULL, where the book's models are.
static NamedRows table_of(Lesson *lesson, const char *program, const char *folder, const char *name, int cols)
{
    NamedRows rows;
    Error error;
    if (!shipped_rows(&rows, lesson->arena, program, folder, name, cols, &error)) lesson_fail(&error);
    return rows;
}

static void rows_write(Lesson *lesson, const char *folder, const char *name, const char *text)
{
    Error error;
    const char *all = arena_format(lesson->arena, "# build/chapters/09_what_heads_learn --retrain %s\n%s", folder, text);
    if (!file_write(arena_format(lesson->arena, "%s/%s", folder, name), all, strlen(all), &error)) lesson_fail(&error);
}

// ---- training model A

// What is measured on the way, on the same fresh sequences each time: loss, previous-token mass, induction mass.
static void measure(NamedRows *curve, Arena *arena, const Training *t)
{
    InductionScores s = induction_scores(arena, t->model, induction_batch, 64, 7);
    int n = curve->values.rows++;
    curve->names[n] = arena_format(arena, "%d", t->step);
    float *row = mat_row(curve->values, n);
    row[0] = (float)s.loss, row[1] = (float)s.best_previous, row[2] = (float)s.best_induction;
}

static NamedRows train_live(Lesson *lesson, int steps)
{
    Recipe recipe = induction_recipe(0);
    if (steps) recipe.steps = steps;
    size_t most = (size_t)recipe.steps / EVERY + 2;
    NamedRows curve = { arena_alloc(lesson->arena, most * sizeof(char *)), mat_new(lesson->arena, (int)most, 3) };
    curve.values.rows = 0;
    Training *t = training_open(lesson->arena, induction_config(32, 2), recipe);
    Progress progress = progress_from("model A", 0);
    curve.values.rows = 0;
    measure(&curve, lesson->arena, t);
    while (t->step < recipe.steps) {
        double loss = training_step(t, induction_batch, NULL);
        if (isatty(STDERR_FILENO)) progress_show(&progress, t->step, recipe.steps, loss);
        if (t->step % EVERY == 0 || t->step == recipe.steps) measure(&curve, lesson->arena, t);
    }
    training_close(t);
    return curve;
}

// The control: 12 random tokens, over and over. The last copy of every token is exactly 12 back.
static Batch fixed_period_batch(Arena *arena, int count, Random *random, const void *corpus)
{
    enum { PERIOD = 12 };
    (void)corpus;
    int *start = arena_alloc(arena, (size_t)(count + 1) * sizeof *start);
    int *tokens = arena_alloc(arena, (size_t)count * CHUNKS_T * sizeof(int));
    int *targets = arena_alloc(arena, (size_t)count * CHUNKS_T * sizeof(int));
    for (int b = 0; b < count; b++) {
        start[b + 1] = start[b] + CHUNKS_T;
        repeated_sequence(tokens + start[b], targets + start[b], CHUNKS_T, PERIOD, CHUNKS_VOCABULARY, random);
    }
    return (Batch){ count, start, tokens, targets };
}

static const char *one_control(Arena *arena, const char *name, Config config, DrawBatch *draw)
{
    Recipe recipe = induction_recipe(0);
    Training *t = training_open(arena, config, recipe);
    Progress progress = progress_from(name, 0);
    while (t->step < recipe.steps) progress_show(&progress, t->step, recipe.steps, training_step(t, draw, NULL));
    InductionScores own = induction_scores(arena, t->model, draw, 64, 7);
    InductionScores s = induction_scores(arena, t->model, induction_batch, 64, 7);
    const char *line = arena_format(arena, "%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\n", name, own.accuracy, s.accuracy,
                                    s.best_previous, s.best_induction, copy_accuracy(t->model, 64, 8));
    training_close(t);
    return line;
}

// Model B with H heads of width 64 / H, after 450 steps: mean loss and accuracy of three seeds on fresh sentences.
static const char *one_width(Arena *arena, int H)
{
    enum { SEEDS = 3, STEPS = 450 };
    static Glossed sentences[SENTENCES];
    double loss = 0.0;
    int right = 0, words = 0;
    Random random = random_from(2);
    for (int i = 0; i < SENTENCES; i++) sentence_test(&sentences[i], &random);
    Batch batch = sentences_batch(arena, sentences, SENTENCES);
    int N = batch.start[SENTENCES];
    for (int seed = 0; seed < SEEDS; seed++) {
        Recipe recipe = translator_recipe((uint64_t)seed);
        recipe.steps = STEPS;
        Training *t = training_open(arena, translator_config(H, H), recipe);
        Progress progress = progress_from(arena_format(arena, "model B, H = %d", H), 0);
        while (t->step < STEPS) progress_show(&progress, t->step, STEPS, training_step(t, translator_batch, NULL));
        Run run = transformer_run(arena, t->model, batch, (Mat){ 0 });
        loss += cross_entropy(run.logits, batch.targets, 0.0f, (Mat){ 0 }) / N / SEEDS;
        words += N;
        for (int i = 0; i < SENTENCES; i++)
            for (int w = 0; w < sentences[i].T; w++) right += run_answer(&run, i, w) == sentences[i].glosses[w];
        training_close(t);
    }
    return arena_format(arena, "H = %d\t%d\t%.4f\t%.4f\n", H, 64 / H, loss, (double)right / words);
}

static void retrain(Lesson *lesson, const char *folder)
{
    Arena *arena = lesson->arena;
    Error error;
    if (!folder_make(folder, &error)) lesson_fail(&error);
    NamedRows curve = train_live(lesson, 0);
    const char *text = "# step\tloss\tprevious\tinduction\n";
    for (int n = 0; n < curve.values.rows; n++) {
        const float *row = mat_row(curve.values, n);
        text = arena_format(arena, "%s%s\t%.4f\t%.4f\t%.4f\n", text, curve.names[n], (double)row[0], (double)row[1],
                            (double)row[2]);
    }
    rows_write(lesson, folder, "induction-curve.tsv", text);

    Config two = induction_config(32, 2), one = two, alibi = two, single = induction_config(32, 1);
    one.L = 1;
    alibi.positions = POSITIONS_ALIBI;
    text = "# control\taccuracy on its corpus\ton chunks\tprevious\tinduction\tcopy\n";
    text = arena_format(arena, "%s%s", text, one_control(arena, "as above", two, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "one layer", one, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "one head a layer", single, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "ALiBi", alibi, induction_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "periods 8 to 16", two, periodic_batch));
    text = arena_format(arena, "%s%s", text, one_control(arena, "period 12", two, fixed_period_batch));
    rows_write(lesson, folder, "controls.tsv", text);

    text = "# heads\twidth of a head\tloss\taccuracy\n";
    for (int H = 1; H <= 16; H *= 2) text = arena_format(arena, "%s%s", text, one_width(arena, H));
    rows_write(lesson, folder, "widths.tsv", text);
}

// ---- 1

static const char *const *tokens_as_words(Arena *arena, const int *tokens, int T)
{
    const char **words = arena_alloc(arena, (size_t)T * sizeof *words);
    for (int t = 0; t < T; t++) words[t] = arena_format(arena, "%d", tokens[t]);
    return words;
}

static void the_corpus(Lesson *lesson)
{
    enum { T = CHUNKS_T, ACROSS = 11 };
    step(lesson, "A corpus that only the past explains");
    int tokens[T], targets[T], asked = 0, right = 0;
    Random random = lesson->random;
    chunks_sequence(tokens, targets, T, CHUNKS_VOCABULARY, &random);
    for (int first = 0; first < T; first += ACROSS) {
        int count = first + ACROSS < T ? ACROSS : T - first;
        Mat rows = mat_new(lesson->arena, 2, count), hidden = mat_new(lesson->arena, 2, count);
        for (int t = 0; t < count; t++) {
            *mat_ref(rows, 0, t) = (float)tokens[first + t];
            *mat_ref(rows, 1, t) = (float)targets[first + t];
            *mat_ref(hidden, 1, t) = targets[first + t] < 0;
        }
        static const char *const names[] = { "token", "answer" };
        const char *name = arena_format(lesson->arena, "a sequence, positions %d to %d", first, first + count - 1);
        show_table(lesson, (Table){ .name = name, .values = rows, .hidden = hidden, .rows = names, .decimals = -1 });
    }
    for (int t = 0; t < T; t++) {
        if (targets[t] < 0) continue;
        int earlier = t - 1;
        while (earlier >= 0 && tokens[earlier] != tokens[t]) earlier--;
        asked++;
        right += earlier >= 0 && tokens[earlier + 1] == targets[t];
    }
    check(lesson, right == asked, "each of the %d answers is what followed the same token before", asked);
}

// ---- 2

static double at_step(NamedRows curve, int wanted, int column)
{
    for (int n = 0; n < curve.values.rows; n++)
        if (atoi(curve.names[n]) == wanted) return (double)*mat_ref(curve.values, n, column);
    return NAN;
}

static void train_here(Lesson *lesson, NamedRows live)
{
    int count = live.values.rows, last = atoi(live.names[count - 1]);
    if (last < 700) return;
    check(lesson, at_step(live, 300, 0) > 2.5, "trained here and now: at step 300 the loss is above 2.5");
    check(lesson, at_step(live, last, 0) < 0.5 && at_step(live, last, 1) > 0.6 && at_step(live, last, 2) > 0.8,
          "at step %d it is below 0.5, with masses above 0.6 and 0.8", last);
}

static void the_fall(Lesson *lesson, NamedRows curve, bool live)
{
    int count = curve.values.rows, shown = 0, last = atoi(curve.names[count - 1]);
    Mat table = mat_new(lesson->arena, count, 3);
    const char **rows = arena_alloc(lesson->arena, (size_t)count * sizeof *rows);
    for (int n = 0; n < count; n++) {
        int at = atoi(curve.names[n]), apart = last > 500 ? 100 : 50;
        if (at % apart) continue;
        mat_set(mat_rows(table, shown, 1), mat_rows(curve.values, n, 1));
        rows[shown++] = arena_format(lesson->arena, "step %d", at);
    }
    static const char *const cols[] = { "loss", "previous", "induction" };
    show_table(lesson, (Table){ .name = "on 64 fresh sequences", .values = mat_rows(table, 0, shown), .rows = rows,
                                .cols = cols });
    double *x = arena_alloc(lesson->arena, (size_t)count * sizeof *x), *y[3];
    for (int c = 0; c < 3; c++) {
        y[c] = arena_alloc(lesson->arena, (size_t)count * sizeof *x);
        for (int n = 0; n < count; n++) {
            x[n] = atof(curve.names[n]);
            y[c][n] = (double)*mat_ref(curve.values, n, c);
        }
    }
    if (!live) {
        check(lesson, at_step(curve, 300, 0) > 2.5 && at_step(curve, 300, 2) < 0.3,
              "at step 300 the loss is still above 2.5, and no head is an induction head");
        check(lesson, at_step(curve, last, 0) < 0.1 && at_step(curve, last, 1) > 0.8 && at_step(curve, last, 2) > 0.9,
              "at the end: loss below 0.1, previous-token mass above 0.8, induction mass above 0.9");
    }
    Series series[] = { { "loss", x, y[0], count, false, false, NULL },
                        { "previous", x, y[1], count, false, false, NULL },
                        { "induction", x, y[2], count, false, false, NULL } };
    figure_plot(lesson, "fall.png", "the loss falls when the second head has found the first",
                (Plot){ .title = "Two heads appear, and the loss falls", .x_title = "training step",
                        .y_title = "loss; mass of the best head", .series = series, .count = 3, .y_low = 0.0,
                        .y_high = 4.0 });
}

// ---- 3

typedef struct { int previous, induction; } Pair;

static void the_two_heads(Lesson *lesson, Transformer a)
{
    enum { PERIOD = 8, T = 2 * PERIOD };
    step(lesson, "What the two heads do");
    Arena *arena = lesson->arena;
    InductionScores s = induction_scores(lesson->arena, a, induction_batch, 64, 7);
    Mat table = mat_new(arena, 4, 2);
    Pair best = { 0, 0 };
    for (int l = 0; l < 2; l++)
        for (int h = 0; h < 2; h++) {
            *mat_ref(table, 2 * l + h, 0) = (float)s.previous[2 * l + h];
            *mat_ref(table, 2 * l + h, 1) = (float)s.induction[2 * l + h];
        }
    best.previous = s.previous[1] > s.previous[0];
    best.induction = s.induction[3] > s.induction[2];
    static const char *const rows[] = { "layer 0, head 0", "layer 0, head 1", "layer 1, head 0", "layer 1, head 1" };
    static const char *const cols[] = { "previous", "induction" };
    show_table(lesson, (Table){ .name = "mean mass of each head, on 64 fresh sequences", .values = table, .rows = rows,
                                .cols = cols });
    check(lesson, s.best_previous >= 0.8, "head %d of layer 0 has 0.8 of its mass or more on the token before",
          best.previous);
    check(lesson, s.best_induction >= 0.9, "head %d of layer 1 has 0.9 or more on what followed its token before",
          best.induction);
    check(lesson, copy_accuracy(a, 64, 8) >= 0.98, "15 fresh random tokens, then the same again: 0.98 or more of the "
          "second round is foretold");

    int tokens[T], targets[T];
    Random random = lesson->random;
    repeated_sequence(tokens, targets, T, PERIOD, CHUNKS_VOCABULARY, &random);
    Run run = transformer_run(arena, a, batch_of_one(arena, tokens, T), (Mat){ 0 });
    Mat hidden = mat_new(arena, T, T);
    for (int i = 0; i < T; i++)
        for (int j = i + 1; j < T; j++) *mat_ref(hidden, i, j) = 1.0f;
    Sentence words = { T, tokens_as_words(arena, tokens, T), (Mat){ 0 } };
    HeatMap maps[2];
    for (int l = 0; l < 2; l++) {
        Mat weights = run_weights(arena, &run, 0, l, l ? best.induction : best.previous);
        maps[l] = map_of_weights(l ? "layer 1: what came after it before" : "layer 0: the token before", weights, &words,
                                 &words);
        maps[l].hidden = hidden;
        maps[l].decimals = -1;
    }
    figure_maps(lesson, "two_heads.png", "both heads on 8 random tokens, said twice", "Two heads that copy together", maps,
                2, 2);
}

// ---- 4

static void controls(Lesson *lesson, NamedRows rows)
{
    step(lesson, "Controls");
    static const char *const cols[] = { "own", "chunks", "previous", "induction", "copy" };
    show_table(lesson, (Table){ .name = "after 1000 steps, seed 0: shares of right answers, and masses",
                                .values = rows.values, .rows = rows.names, .cols = cols });
    bool whole = rows.values.rows == 6;
    check(lesson, whole && *mat_ref(rows.values, 1, 0) < 0.3f, "one layer cannot: fewer than 0.3 of the answers are right");
    check(lesson, whole && *mat_ref(rows.values, 4, 1) > 0.98f,
          "trained on periods of 8 to 16, it copies chunks it has never seen: induction heads");
    check(lesson, whole && *mat_ref(rows.values, 5, 0) > 0.98f && *mat_ref(rows.values, 5, 1) < 0.3f,
          "trained on one period alone, it is as good there, fails on chunks, and has no induction head");
}

// ---- model B

typedef struct { double argmax; int layer, head; } Best;

typedef struct {
    Transformer model;
    bool        shipped;                             // not --model: claims about the book's weights apply
    HeadScores (*scores)[HEADS_MOST];                // (L)
    Offsets     offsets;
    double      accuracy;
    Best        it;                                  // the head that finds what `it` stands for most often
    double      output;                              // twins: share of pairs with both glosses of `it` right
    TwinScores  twins;                               // … and what that head does
} Translator;

static double argmax_of(const Translator *b, int l, int h, RelationKind kind)
{
    return mean_of(b->scores[l][h].argmax[kind]);
}

// The first head of those whose largest weight gets most relations of a kind right.
static Best best_of(const Translator *b, RelationKind kind)
{
    Best best = { argmax_of(b, 0, 0, kind), 0, 0 };
    for (int l = 0; l < b->model.config.L; l++)
        for (int h = 0; h < b->model.config.H; h++)
            if (argmax_of(b, l, h, kind) > best.argmax) best = (Best){ argmax_of(b, l, h, kind), l, h };
    return best;
}

static void score_sentences(Translator *b)
{
    static Glossed sentences[SENTENCES];
    Arena *scratch = arena_open();
    Random random = random_from(2);
    for (int i = 0; i < SENTENCES; i++) sentence_test(&sentences[i], &random);
    Run run = transformer_run(scratch, b->model, sentences_batch(scratch, sentences, SENTENCES), (Mat){ 0 });
    int right = 0;
    for (int i = 0; i < SENTENCES; i++) {
        offsets_add(&b->offsets, &sentences[i]);
        for (int t = 0; t < sentences[i].T; t++) right += run_answer(&run, i, t) == sentences[i].glosses[t];
        for (int l = 0; l < b->model.config.L; l++)
            for (int h = 0; h < b->model.config.H; h++)
                head_add(&b->scores[l][h], run_weights(scratch, &run, i, l, h), &sentences[i]);
    }
    b->accuracy = (double)right / run.batch.start[SENTENCES];
    b->it = best_of(b, RELATION_IT);
    arena_close(scratch);
}

static void score_twins(Translator *b)
{
    static Glossed tired[TWINS], wide[TWINS];
    Arena *scratch = arena_open();
    Random random = random_from(5);
    for (int i = 0; i < TWINS; i++) sentence_twins(&tired[i], &wide[i], i < TWINS / 4, &random);
    Run x = transformer_run(scratch, b->model, sentences_batch(scratch, tired, TWINS), (Mat){ 0 });
    Run y = transformer_run(scratch, b->model, sentences_batch(scratch, wide, TWINS), (Mat){ 0 });
    for (int i = 0; i < TWINS; i++) {
        int it = tired[i].it;
        b->output += (run_answer(&x, i, it) == tired[i].glosses[it] && run_answer(&y, i, it) == wide[i].glosses[it])
            / (double)TWINS;
        twins_add(&b->twins, run_weights(scratch, &x, i, b->it.layer, b->it.head), &tired[i],
                  run_weights(scratch, &y, i, b->it.layer, b->it.head), &wide[i]);
    }
    arena_close(scratch);
}

static Translator translator_open(Lesson *lesson, const char *program, const char *path)
{
    Translator b = { .shipped = !path };
    Error error;
    if (!shipped_model(&b.model, lesson->arena, program, "glosses-4", path, &error)) lesson_fail(&error);
    const Config *c = &b.model.config;
    if (c->words != words_count() || c->outputs != glosses_count() || c->H > HEADS_MOST) {
        error_set(&error, "--model %s: %d words, %d answers, %d heads; a translator has %d, %d and %d at most", path,
                  c->words, c->outputs, c->H, words_count(), glosses_count(), HEADS_MOST);
        lesson_fail(&error);
    }
    b.scores = arena_alloc(lesson->arena, (size_t)c->L * sizeof *b.scores);
    return b;
}

// ---- 5

// A sentence as model B reads it, and what it says.
typedef struct { Glossed s; Run run; Mat it; const char *const *words; } Reading;   // it: the map of its head

static Reading reading_of(Lesson *lesson, const Translator *b, const Glossed *sentence)
{
    Arena *arena = lesson->arena;
    Reading r = { .s = *sentence };
    int *tokens = arena_alloc(arena, sizeof r.s.words);
    memcpy(tokens, r.s.words, sizeof r.s.words);
    r.run = transformer_run(arena, b->model, batch_of_one(arena, tokens, r.s.T), (Mat){ 0 });
    r.it = run_weights(arena, &r.run, 0, b->it.layer, b->it.head);
    const char **words = arena_alloc(arena, (size_t)r.s.T * sizeof *words);
    for (int t = 0; t < r.s.T; t++) words[t] = word_text(r.s.words[t]);
    r.words = words;
    return r;
}

static const char *gloss_at(Lesson *lesson, const Reading *r, int t)
{
    return gloss_text(lesson->arena, run_answer(&r->run, 0, t));
}

// The word that row t of a map looks at most.
static const char *looks_at(const Reading *r, Mat weights, int t)
{
    const float *row = mat_row(weights, t);
    int best = 0;
    for (int j = 1; j < r->s.T; j++)
        if (row[j] > row[best]) best = j;
    return r->words[best];
}

static void print_pair(Lesson *lesson, const Reading *x, const Reading *y)
{
    printf("\n    %-11s%s\n", "word", y ? "gloss, tired    gloss, wide" : "gloss");
    for (int t = 1; t < x->s.T; t++) {
        const char *one = gloss_at(lesson, x, t), *other = y ? gloss_at(lesson, y, t) : one;
        bool same = !strcmp(one, other);
        bool swapped = y && x->s.words[t] != y->s.words[t];
        const char *word = swapped ? arena_format(lesson->arena, "%s/%s", x->words[t], y->words[t]) : x->words[t];
        if (same) printf("    %-11s%s\n", word, one);
        else printf("    %-11s%-16s%s\n", word, one, other);
    }
}

static void one_pair(Lesson *lesson, const Translator *b, const Reading *x, const Reading *y)
{
    int it = x->s.it, right = 0;
    Mat table = mat_new(lesson->arena, 2, 2);
    static const char *const rows[] = { "… too tired", "… too wide" }, *const cols[] = { "animal", "street" };
    for (int n = 0; n < 2; n++) {
        *mat_ref(table, n, 0) = *mat_ref(n ? y->it : x->it, it, x->s.subject);
        *mat_ref(table, n, 1) = *mat_ref(n ? y->it : x->it, it, x->s.object);
    }
    show_table(lesson, (Table){ .name = arena_format(lesson->arena, "the weights of \"it\" in head %d of layer %d",
                                                     b->it.head, b->it.layer),
                                .values = table, .rows = rows, .cols = cols });
    for (int t = 0; t < x->s.T; t++)
        right += run_answer(&x->run, 0, t) == x->s.glosses[t] && run_answer(&y->run, 0, t) == y->s.glosses[t];
    if (!b->shipped) return;
    check(lesson, right == x->s.T, "all glosses of both sentences are right");
    check(lesson, !strcmp(looks_at(x, x->it, it), "animal") && !strcmp(looks_at(y, y->it, it), "street"),
          "\"it\" looks at animal in one, at street in the other");
    check(lesson, b->output >= 0.95, "%d such pairs, none ever trained: both glosses of \"it\" are right in 0.95 of them "
          "or more", TWINS);
    check(lesson, mean_of(b->twins.switched) >= 0.9, "the head changes its noun in 0.9 of them or more");
}

// The reader's sentence: its glosses, and where the head that is best at a pronoun looks from it.
static Reading own_sentence(Lesson *lesson, const Translator *b, const Glossed *own)
{
    Reading r = reading_of(lesson, b, own);
    say(lesson, "your sentence:");
    print_pair(lesson, &r, NULL);
    for (int t = 0; t < r.s.T; t++) {
        const Word *word = word_at(r.s.words[t]);
        if (word->class != WORD_PRONOUN) continue;
        Best best = best_of(b, word->kind == KIND_NONE ? RELATION_IT : RELATION_PRON);
        say(lesson, "in head %d of layer %d, \"%s\" (word %d) looks at: %s", best.head, best.layer, word->text, t,
            looks_at(&r, run_weights(lesson->arena, &r.run, 0, best.layer, best.head), t));
    }
    return r;
}

static Reading glosses(Lesson *lesson, const Translator *b, const Glossed *own)
{
    step(lesson, "A language in which it matters");
    Glossed tired, wide;
    sentence_of_the_book(&tired, false);
    sentence_of_the_book(&wide, true);
    Reading x = reading_of(lesson, b, &tired), y = reading_of(lesson, b, &wide);
    if (b->shipped)
        check(lesson, b->accuracy >= 0.99, "0.99 or more of all words in %d fresh sentences are glossed right", SENTENCES);
    print_pair(lesson, &x, &y);
    one_pair(lesson, b, &x, &y);
    return own ? own_sentence(lesson, b, own) : x;
}

// ---- 6

static const RelationKind SHOWN[] = { RELATION_DET, RELATION_ATTR, RELATION_VERB, RELATION_AUX, RELATION_IT,
                                      RELATION_PRON, RELATION_PADJ, RELATION_DUP, RELATION_PREVIOUS, RELATION_NEXT };
enum { SHOWN_COUNT = sizeof SHOWN / sizeof *SHOWN };

// Every job of a head, the best first; without any, the name of what it does.
static const char *jobs_of(Arena *arena, const Translator *b, int l, int h)
{
    RelationKind jobs[RELATION_KINDS];
    int count = head_relations(jobs, &b->scores[l][h], &b->offsets);
    const char *list = "";
    for (int n = 0; n < count; n++) list = arena_format(arena, "%s%s%s", list, n ? ", " : "", relation_name(jobs[n]));
    return count ? list : role_text(arena, head_role(&b->scores[l][h], &b->offsets));
}

static void role_maps(Lesson *lesson, const Translator *b, const Reading *r)
{
    int L = b->model.config.L, H = b->model.config.H;
    HeatMap *maps = arena_alloc(lesson->arena, (size_t)(L * H) * sizeof *maps);
    Sentence words = { r->s.T, r->words, (Mat){ 0 } };
    for (int l = 0; l < L; l++)
        for (int h = 0; h < H; h++) {
            HeatMap *map = &maps[l * H + h];
            const char *role = jobs_of(lesson->arena, b, l, h);
            *map = map_of_weights(arena_format(lesson->arena, "%d.%d: %s", l, h, role), run_weights(lesson->arena, &r->run, 0, l, h),
                                  &words, &words);
            map->decimals = -1;
        }
    figure_maps(lesson, "roles.png", arena_format(lesson->arena, "all %d heads on a sentence, with their roles", L * H),
                "What each head looks at", maps, L * H, H < 4 ? H : 4);
}

static void every_head(Lesson *lesson, const Translator *b, const Reading *r)
{
    step(lesson, "Every head against every relation");
    Arena *arena = lesson->arena;
    int L = b->model.config.L, H = b->model.config.H, n = L * H;
    Mat table = mat_new(arena, n + 1, SHOWN_COUNT);
    const char **rows = arena_alloc(arena, (size_t)(n + 1) * sizeof *rows), *cols[SHOWN_COUNT], *roles = "";
    for (int c = 0; c < SHOWN_COUNT; c++) {
        cols[c] = arena_format(arena, "%.5s", relation_name(SHOWN[c]));
        *mat_ref(table, n, c) = (float)offsets_best(&b->offsets, SHOWN[c]).share;
        for (int e = 0; e < n; e++) *mat_ref(table, e, c) = (float)argmax_of(b, e / H, e % H, SHOWN[c]);
    }
    for (int e = 0; e < n; e++) {
        rows[e] = arena_format(arena, "%d.%d", e / H, e % H);
        roles = arena_format(arena, "%s%s%s %s", roles, e ? "; " : "", rows[e], jobs_of(arena, b, e / H, e % H));
    }
    rows[n] = "fixed";
    show_table(lesson, (Table){ .name = "layer.head: share of relations that its largest weight gets right",
                                .values = table, .rows = rows, .cols = cols, .low = 0.0, .high = 1.0 });
    say(lesson, "roles: %s", roles);
    if (b->shipped) {
        check(lesson, best_of(b, RELATION_DET).argmax >= 0.9 && best_of(b, RELATION_VERB).argmax >= 0.9
                  && best_of(b, RELATION_IT).argmax >= 0.9,
              "for det, verb and it there is a head that is right in 0.9 or more");
        check(lesson, best_of(b, RELATION_PRON).argmax >= 0.85, "for pron there is one that is right in 0.85 or more");
        check(lesson, best_of(b, RELATION_DUP).argmax < 0.9, "for dup there is none with 0.9");
    }
    role_maps(lesson, b, r);
}

// ---- 7

static void five_seeds(Lesson *lesson, NamedRows seeds)
{
    step(lesson, "Five seeds, and none left out");
    static const char *const cols[] = { "det", "attr", "verb", "aux", "it", "pron", "dup" };
    show_table(lesson, (Table){ .name = "the best head for each relation, of model B with H = 4 and H = 8",
                                .values = mat_cols(seeds.values, 0, 7), .rows = seeds.names, .cols = cols });
    double least = 1.0;
    int clean = 0, below = 0, all = seeds.values.rows;
    for (int n = 0; n < all; n++) {
        bool each = true;
        for (int c = 0; c < 7; c++) each = each && *mat_ref(seeds.values, n, c) >= 0.9f;
        clean += each;
        below += *mat_ref(seeds.values, n, 4) < 0.9f;
        least = fmin(least, (double)*mat_ref(seeds.values, n, 7));
    }
    check(lesson, below == 0, "in all %d trainings some head finds what \"it\" stands for, in 0.9 or more", all);
    check(lesson, least > 0.98, "in each of them one head changes its noun in more than 0.98 of 200 pairs");
    check(lesson, clean <= 1, "a head with 0.9 or more for each of the seven: %d of %d trainings", clean, all);
}

static void widths(Lesson *lesson, NamedRows rows)
{
    Mat table = mat_copy(lesson->arena, mat_cols(rows.values, 1, 2));
    static const char *const cols[] = { "loss", "accuracy" };
    for (int n = 0; n < rows.values.rows; n++)
        rows.names[n] = arena_format(lesson->arena, "%s, d = %.0f", rows.names[n], (double)*mat_ref(rows.values, n, 0));
    show_table(lesson, (Table){ .name = "the same width in more heads: 450 steps, the mean of three seeds", .values = table,
                                .rows = rows.names, .cols = cols, .decimals = 3 });
    int best = 0;
    for (int n = 1; n < rows.values.rows; n++)
        if (*mat_ref(rows.values, n, 1) < *mat_ref(rows.values, best, 1)) best = n;
    check(lesson, best > 0 && best + 1 < rows.values.rows, "the loss is least at %s: neither with one head nor with many",
          rows.names[best]);
}

// ---- 8

static void what_it_costs(Lesson *lesson, Transformer a, const Translator *b)
{
    step(lesson, "What it costs");
    const Config *c = &a.config;
    int64_t D = c->D, V = c->words;
    cost(lesson, "parameters of model A", config_parameters(c), "2·V·D + 2·(4·D² + D) + D",
         2 * V * D + 2 * (4 * D * D + D) + D);
    cost(lesson, "numbers in its file's tensors", transformer_numbers(a), "the same", config_parameters(c));
    if (b->shipped) {
        const Config *t = &b->model.config;
        int64_t E = t->D, M = t->mlp;
        cost(lesson, "parameters of model B", config_parameters(t),
             "(words + glosses)·D + 2·(4·D² + 2·D·M + 3·D + M) + D",
             (t->words + t->outputs) * E + 2 * (4 * E * E + 2 * E * M + 3 * E + M) + E);
    }
    Recipe recipe = induction_recipe(0);
    recipe.steps = 1;
    Training *t = training_open(lesson->arena, *c, recipe);
    Cost before = counted;
    training_step(t, induction_batch, NULL);
    int64_t work = cost_since(before).multiplies, N = (int64_t)recipe.batch * CHUNKS_T;
    training_close(t);
    say(lesson, "one step of model A: %.1f million multiplications, that is %.1f MFLOP, for %d positions; %.0f "
        "multiplications for each parameter and position", (double)work / 1e6, 2.0 * (double)work / 1e6, (int)N,
        (double)work / (double)N / (double)config_parameters(c));
}

// ---- --json and --dump

static const char *relations_json(Arena *arena, const Mean *means)
{
    const char *list = "";
    for (int k = 0; k < RELATION_KINDS; k++)
        list = arena_format(arena, "%s%s\"%s\": %s", list, k ? ", " : "", relation_name((RelationKind)k),
                            json_number(arena, mean_of(means[k])));
    return arena_format(arena, "{ %s }", list);
}

static const char *head_json(Arena *arena, const Translator *b, int l, int h)
{
    const HeadScores *s = &b->scores[l][h];
    const char *stats = "";
    for (int e = 0; e < HEAD_STATS; e++)
        stats = arena_format(arena, "%s%s\"%s\": %s", stats, e ? ", " : "", head_stat_name((HeadStat)e),
                             json_number(arena, mean_of(s->stats[e])));
    return arena_format(arena, "{ \"layer\": %d, \"head\": %d, \"role\": %s,\n      \"argmax\": %s,\n"
                        "      \"mass\": %s,\n      \"stats\": { %s } }", l, h,
                        json_quote(arena, role_text(arena, head_role(s, &b->offsets))), relations_json(arena, s->argmax),
                        relations_json(arena, s->mass), stats);
}

// "argmax": of each relation the best score, and whose it is; beside it what the best fixed offset reaches.
static const char *best_json(Arena *arena, const Translator *b)
{
    const char *list = "";
    for (int k = 0; k < RELATION_KINDS; k++) {
        Best best = best_of(b, (RelationKind)k);
        Baseline fixed = offsets_best(&b->offsets, (RelationKind)k);
        list = arena_format(arena, "%s%s\n    \"%s\": { \"score\": %s, \"layer\": %d, \"head\": %d, "
                            "\"fixed_offset\": %d, \"fixed_score\": %s }", list, k ? "," : "", relation_name((RelationKind)k),
                            json_number(arena, best.argmax), best.layer, best.head, fixed.offset,
                            json_number(arena, fixed.share));
    }
    return list;
}

static void write_json(Lesson *lesson, const Translator *b, const char *model, const char *path)
{
    Arena *arena = lesson->arena;
    const char *heads = "";
    for (int l = 0; l < b->model.config.L; l++)
        for (int h = 0; h < b->model.config.H; h++)
            heads = arena_format(arena, "%s%s\n    %s", heads, l + h ? "," : "", head_json(arena, b, l, h));
    const char *twins = arena_format(arena, "{ \"pairs\": %d, \"layer\": %d, \"head\": %d, \"switch\": %s, "
                                     "\"order\": %s, \"both_glosses\": %s }", TWINS, b->it.layer, b->it.head,
                                     json_number(arena, mean_of(b->twins.switched)),
                                     json_number(arena, mean_of(b->twins.pairwise)), json_number(arena, b->output));
    const char *text = arena_format(arena, "{ \"program\": \"manyheads\", \"chapter\": 9, \"model\": %s,\n"
                                    "  \"sentences\": %d, \"accuracy\": %s,\n  \"argmax\": {%s },\n"
                                    "  \"pairs_never_trained\": %s,\n  \"heads\": [%s ] }\n",
                                    json_quote(arena, model ? model : "glosses-4"), SENTENCES,
                                    json_number(arena, b->accuracy), best_json(arena, b), twins, heads);
    Error error;
    if (!file_write(path, text, strlen(text), &error)) lesson_fail(&error);
    say(lesson, "written: %s", path);
}

int main(int argc, char **argv)
{
    const char *model = NULL, *sentence = NULL, *json = NULL, *tables = NULL;
    int steps = 0;
    Flag flags[] = {
        { "sentence", FLAG_TEXT, &sentence, 0, 0, "a sentence for model B, of the words in lib/language/vocabulary.c" },
        { "train", FLAG_INT, &steps, 1, 5000, "train model A for N steps (default 700), and show that run" },
        { "retrain", FLAG_TEXT, &tables, 0, 0, "a folder: train A, its controls, and B with 1 to 16 heads anew (minutes), "
                                               "and write the three tables there" },
        { "model", FLAG_TEXT, &model, 0, 0, "another file of weights for model B" },
        { "json", FLAG_TEXT, &json, 0, 0, "a file: all scores of all heads" },
    };
    Lesson lesson = lesson_open_with(argc, argv, 9, "What heads learn", flags, 5);
    Glossed own = { 0 };
    Error error;
    if (sentence && !sentence_unglossed(&own, sentence, &error)) lesson_fail(&error);
    Transformer a;
    if (!shipped_model(&a, lesson.arena, argv[0], "induction-32", NULL, &error)) lesson_fail(&error);
    Translator b = translator_open(&lesson, argv[0], model);

    the_corpus(&lesson);
    if (tables) retrain(&lesson, tables);
    step(&lesson, "The fall");
    NamedRows live = train_live(&lesson, steps ? steps : 700);
    the_fall(&lesson, steps ? live : table_of(&lesson, argv[0], tables, "induction-curve.tsv", 3), steps > 0);
    train_here(&lesson, live);
    the_two_heads(&lesson, a);
    controls(&lesson, table_of(&lesson, argv[0], tables, "controls.tsv", 5));
    score_sentences(&b);
    score_twins(&b);
    Reading reading = glosses(&lesson, &b, sentence ? &own : NULL);
    every_head(&lesson, &b, &reading);
    five_seeds(&lesson, table_of(&lesson, argv[0], NULL, "seeds.tsv", 8));
    widths(&lesson, table_of(&lesson, argv[0], tables, "widths.tsv", 3));
    what_it_costs(&lesson, a, &b);
    run_trace(lesson.trace, &reading.run, reading.words);
    if (json) write_json(&lesson, &b, model, json);
    return lesson_close(&lesson);
}
