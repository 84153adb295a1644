// MODELS.md's checks, all of them (make test-train):
//
//     check A                 five seeds of model A in two sizes, and the controls
//     check B, check B8       five seeds of model B with 4 and with 8 heads: the published table, failures included
//     check B0                three of model B with 4 heads, trained without its bonus
//     check FILE …            the shipped models, read from their files
//
// Exits non-zero when a check fails.
#include "base/portable_math.h"
#include "language/grammar.h"
#include "language/induction.h"
#include "language/language.h"
#include "language/head_roles.h"
#include "language/translator.h"
#include "model/gradient.h"
#include "train/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

// A check of one number; what fails is named.
static void check(const char *what, double value, bool ok)
{
    if (!ok) printf("    FAILED: %s is %.3f\n", what, value);
    failed += !ok;
}

// ---- model A

typedef struct {
    Config config;
    TrainingRecipe recipe;
    TrainingDraw *draw;
    double early; // the loss at step 300
    Transformer model;
    InductionScores scores; // at the end
} Trial;

// Trains it, and fills in what is measured.
static void run_trial(Arena *arena, Trial *trial)
{
    Training *t = training_open(arena, trial->config, trial->recipe);
    while (t->step < t->recipe.steps) {
        if (t->step == 300) trial->early = induction_scores(arena, t->model, trial->draw, 64, 7).loss;
        training_step(t, trial->draw, NULL);
    }
    trial->model = t->model;
    trial->scores = induction_scores(arena, t->model, trial->draw, 64, 7);
    training_close(t);
}

static void print_trial(const char *name, uint64_t seed, const Trial *t, double copied)
{
    const InductionScores *s = &t->scores;
    printf("%-22s seed %d   loss at 300 %.2f, at the end %.3f   accuracy %.3f   previous %.3f   induction %.3f   "
           "copy %.3f\n",
           name, (int)seed, t->early, s->loss, s->accuracy, s->best_previous, s->best_induction, copied);
    fflush(stdout);
}

// What MODELS.md asks of model A on any seed.
static void check_a(const InductionScores *scores, double copied)
{
    check("the loss at the end", scores->loss, scores->loss < 0.2);
    check("the previous-token mass", scores->best_previous, scores->best_previous >= 0.8);
    check("the induction mass", scores->best_induction, scores->best_induction >= 0.9);
    check("copying", copied, copied >= 0.98);
}

static void five_seeds(const char *name, int D, int H)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        Arena *arena = arena_open();
        Trial t = { .config = induction_config(D, H), .draw = induction_batch };
        t.recipe = D == 32 ? induction_recipe(seed) : induction_recipe_wide(seed);
        run_trial(arena, &t);
        double copied = induction_copy_accuracy(t.model, 64, 8);
        print_trial(name, seed, &t, copied);
        check_a(&t.scores, copied);
        if (D == 32) check("the loss at step 300", t.early, t.early > 2.5);
        arena_close(arena);
    }
}

static void control(const char *name, Trial t, double least, double most)
{
    Arena *arena = arena_open();
    run_trial(arena, &t);
    print_trial(name, t.recipe.seed, &t, induction_copy_accuracy(t.model, 64, 8));
    check("the accuracy", t.scores.accuracy, t.scores.accuracy >= least && t.scores.accuracy <= most);
    arena_close(arena);
}

static void all_of_a(void)
{
    Trial t = { .config = induction_config(32, 2), .recipe = induction_recipe(0), .draw = induction_batch };
    Trial one = t, alibi = t, periodic = t, single = t;
    five_seeds("A, d 32, H 2", 32, 2);
    five_seeds("A, d 64, H 4", 64, 4);
    one.config.L = 1;
    alibi.config.positions = CONFIG_POSITIONS_ALIBI;
    periodic.draw = induction_periodic_batch;
    single.config.H = single.config.G = 1;
    control("control: one layer", one, 0.0, 0.3);
    control("control: ALiBi", alibi, 0.0, 0.9);
    control("control: one head", single, 0.5, 1.0);
    control("control: periodic", periodic, 0.98, 1.0);
}

// ---- model B

enum { SENTENCES = 600, TWINS = 200, SCORED = GLOSS_RELATION_PREVIOUS };

typedef struct {
    double argmax;
    int layer, h;
} Best;

typedef struct {
    double accuracy;
    Best best[SCORED];               // of each relation, the head whose argmax is right most often
    double output, argmax, pairwise; // `it` and its twin: glosses right; both argmaxes; both orders
    int layer, h;                    // the head of the argmaxes
    double it_left, verb_left;       // accuracy on `it` and on verbs without that head
} Report;

static double accuracy_of(const Run *run, const GlossedSentence *sentences, GlossRelationKind kind)
{
    int asked = 0, right = 0;
    for (int b = 0; b < run->batch.count; b++)
        for (int e = 0; e < sentences[b].relation_count; e++) {
            GlossRelation r = sentences[b].relations[e];
            if (r.kind != kind) continue;
            asked++;
            right += run_answer(run, b, r.from) == sentences[b].glosses[r.from];
        }
    return asked ? (double)right / asked : 0.0;
}

static void score_relations(Arena *scratch, Report *report, const Run *run, const GlossedSentence *sentences)
{
    int right = 0, asked = run->batch.start[run->batch.count];
    for (int b = 0; b < run->batch.count; b++)
        for (int t = 0; t < sentences[b].T; t++) right += run_answer(run, b, t) == sentences[b].glosses[t];
    report->accuracy = (double)right / asked;
    for (int l = 0; l < run->model.config.L; l++)
        for (int h = 0; h < run->model.config.H; h++) {
            HeadScores scores = { 0 };
            for (int b = 0; b < run->batch.count; b++)
                head_role_add(&scores, run_weights(scratch, run, b, l, h), &sentences[b]);
            for (int k = 0; k < SCORED; k++) {
                double argmax = head_mean_value(scores.argmax[k]);
                if (argmax > report->best[k].argmax) report->best[k] = (Best){ argmax, l, h };
            }
        }
}

static void score_twins(Report *report, Transformer model)
{
    static GlossedSentence tired[TWINS], wide[TWINS];
    Arena *scratch = arena_open();
    Random random = random_from(5);
    for (int i = 0; i < TWINS; i++) grammar_sentence_twins(&tired[i], &wide[i], i < TWINS / 4, &random);
    Run x = run_transformer(scratch, model, translator_sentences_batch(scratch, tired, TWINS), (Mat){ 0 });
    Run y = run_transformer(scratch, model, translator_sentences_batch(scratch, wide, TWINS), (Mat){ 0 });
    for (int b = 0; b < TWINS; b++)
        report->output += (run_answer(&x, b, tired[b].it) == tired[b].glosses[tired[b].it] &&
                           run_answer(&y, b, wide[b].it) == wide[b].glosses[wide[b].it]) /
                          (double)TWINS;
    for (int l = 0; l < model.config.L; l++)
        for (int h = 0; h < model.config.H; h++) {
            HeadTwinScores scores = { 0 };
            for (int b = 0; b < TWINS; b++)
                head_twins_add(&scores, run_weights(scratch, &x, b, l, h), &tired[b], run_weights(scratch, &y, b, l, h),
                               &wide[b]);
            double both = head_mean_value(scores.switched);
            if (both > report->argmax) {
                report->argmax = both;
                report->layer = l;
                report->h = h;
            }
            report->pairwise = fmax(report->pairwise, head_mean_value(scores.pairwise));
        }
    arena_close(scratch);
}

static Report report_on(Transformer model)
{
    static GlossedSentence sentences[SENTENCES];
    Report report = { 0 };
    Arena *scratch = arena_open();
    Random random = random_from(2);
    for (int i = 0; i < SENTENCES; i++) grammar_sentence_test(&sentences[i], &random);
    RunBatch batch = translator_sentences_batch(scratch, sentences, SENTENCES);
    Run full = run_transformer(scratch, model, batch, (Mat){ 0 });
    score_relations(scratch, &report, &full, sentences);
    score_twins(&report, model);

    Mat gates = mat_new(scratch, model.config.L, model.config.H);
    mat_fill(gates, 1.0f);
    *mat_ref(gates, report.layer, report.h) = 0.0f;
    Run without = run_transformer(scratch, model, batch, gates);
    report.it_left = accuracy_of(&without, sentences, GLOSS_RELATION_IT);
    report.verb_left = accuracy_of(&without, sentences, GLOSS_RELATION_VERB);
    arena_close(scratch);
    return report;
}

static void print_report(const char *name, const Report *r)
{
    printf("%-16s accuracy %.4f  ", name, r->accuracy);
    for (int k = 0; k < SCORED; k++)
        if (k != GLOSS_RELATION_PADJ)
            printf(" %s %d.%d %.2f", gloss_relation_name((GlossRelationKind)k), r->best[k].layer, r->best[k].h,
                   r->best[k].argmax);
    printf("   switch: output %.3f, argmax %.3f, order %.3f   without %d.%d: it %.2f, verb %.2f\n", r->output,
           r->argmax, r->pairwise, r->layer, r->h, r->it_left, r->verb_left);
    fflush(stdout);
}

// What MODELS.md asks of any seed, and of the shipped one.
static void check_any(const Report *r)
{
    check("the output switch", r->output, r->output >= 0.95);
    check("the order switch", r->pairwise, r->pairwise >= 0.9);
}

static void check_shipped(const Report *r)
{
    check("the accuracy", r->accuracy, r->accuracy >= 0.99);
    check("det", r->best[GLOSS_RELATION_DET].argmax, r->best[GLOSS_RELATION_DET].argmax >= 0.9);
    check("verb", r->best[GLOSS_RELATION_VERB].argmax, r->best[GLOSS_RELATION_VERB].argmax >= 0.9);
    check("it", r->best[GLOSS_RELATION_IT].argmax, r->best[GLOSS_RELATION_IT].argmax >= 0.9);
    check("pron", r->best[GLOSS_RELATION_PRON].argmax, r->best[GLOSS_RELATION_PRON].argmax >= 0.85);
    check("the argmax switch", r->argmax, r->argmax >= 0.9);
    check("it without its head", r->it_left, r->it_left < 0.6);
    check("the verb without the head of it", r->verb_left, r->verb_left > 0.95);
}

static void seeds_of_b(int H, int seeds, bool bonus)
{
    for (int seed = 0; seed < seeds; seed++) {
        Arena *arena = arena_open();
        TrainingRecipe recipe = translator_recipe((uint64_t)seed);
        if (!bonus) recipe.bonus = 0.0;
        Training *t = training_open(arena, translator_config(H, H), recipe);
        while (t->step < t->recipe.steps) training_step(t, translator_batch, NULL);
        Report r = report_on(t->model);
        print_report(arena_format(arena, "B, H %d, %sseed %d", H, bonus ? "" : "no bonus, ", seed), &r);
        check_any(&r);
        training_close(t);
        arena_close(arena);
    }
}

// ---- C

enum { DOCUMENTS = 64 };

static void check_c(const char *name, Transformer model, double most)
{
    Arena *arena = arena_open();
    DocumentSample *documents = arena_alloc(arena, DOCUMENTS * sizeof *documents);
    Random random = random_from(20);
    for (int i = 0; i < DOCUMENTS; i++) document_draw(&documents[i], DOCUMENT_WORDS, &random);
    LanguageScores s = language_scores(model, (Mat){ 0 }, documents, DOCUMENTS);
    printf("%-16s loss %.4f, entropy %.4f, over it %.4f ", name, s.loss, s.entropy, s.loss - s.entropy);
    for (int k = 0; k < DOCUMENT_RECALL_KINDS; k++)
        printf(" %s %.2f right", document_recall_name((DocumentRecall)k), s.right[k]);
    putchar('\n');
    fflush(stdout);
    check("over the entropy", s.loss - s.entropy, s.loss > s.entropy && s.loss - s.entropy <= most);
    arena_close(arena);
}

static void seeds_of_c(int seeds)
{
    for (int seed = 0; seed < seeds; seed++) {
        Arena *arena = arena_open();
        Training *t = training_open(arena, language_config(64), language_recipe(64, (uint64_t)seed));
        language_begin(t->model, (uint64_t)seed);
        while (t->step < t->recipe.steps) training_step(t, document_batch, NULL);
        check_c(arena_format(arena, "C, seed %d", seed), t->model, 0.2);
        training_close(t);
        arena_close(arena);
    }
}

// ---- the shipped files

static void check_file(const char *path)
{
    Arena *arena = arena_open();
    Error error;
    Transformer model;
    if (!checkpoint_read_model(&model, NULL, arena, path, &error)) {
        printf("    FAILED: %s\n", error.text);
        failed++;
    } else if (model.config.mlp_kind == CONFIG_MLP_SWIGLU) {
        bool target = model.config.D == 64 && model.config.positions == CONFIG_POSITIONS_ROPE;
        check_c(path, model, target ? 0.2 : 0.8);
    } else if (model.config.causal) {
        InductionScores scores = induction_scores(arena, model, induction_batch, 64, 7);
        double copied = induction_copy_accuracy(model, 64, 8);
        printf("%s: loss %.3f, previous %.3f, induction %.3f, copy %.3f\n", path, scores.loss, scores.best_previous,
               scores.best_induction, copied);
        check_a(&scores, copied);
    } else {
        Report r = report_on(model);
        print_report(path, &r);
        check_any(&r);
        if (model.config.H == 4) check_shipped(&r);
    }
    arena_close(arena);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "check: nothing to check; say A, B, B8, B0, C, or name files\n");
        return 2;
    }
    for (int a = 1; a < argc; a++) {
        if (!strcmp(argv[a], "A")) all_of_a();
        else if (!strcmp(argv[a], "B")) seeds_of_b(4, 5, true);
        else if (!strcmp(argv[a], "B8")) seeds_of_b(8, 5, true);
        else if (!strcmp(argv[a], "B0")) seeds_of_b(4, 3, false);
        else if (!strcmp(argv[a], "C")) seeds_of_c(3);
        else check_file(argv[a]);
    }
    printf(failed ? "%d checks failed\n" : "all checks passed\n", failed);
    return failed != 0;
}
