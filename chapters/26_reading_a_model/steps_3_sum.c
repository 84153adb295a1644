// Chapter 26, steps 3 and 4. Direct attribution: a logit is a sum, so every part has its share. And the lens, which is
// that sum cut short.
#include "base/portable_math.h"
#include "language/induction.h"
#include "language/translator.h"
#include "steps.h"

#include <string.h>

enum { SOME = 48, SEED = 7 };

static double parts_of(const ReadingAttribution *a)
{
    double sum = a->embedding;
    for (int n = 0; n < a->heads.rows * a->heads.cols; n++) sum += (double)a->heads.at[n];
    for (int l = 0; l < a->mlps.cols; l++) sum += (double)a->mlps.at[l];
    return sum;
}

// ---- 3

// Model A: means over all places that have an answer; the answer's logit less that of the token that stands there.
typedef struct {
    double embedding, heads[HEADS_MOST], whole, off;
    int count;
} Means;

static Means means_of(const Run *run)
{
    Means m = { 0 };
    int heads = run->model.config.L * run->model.config.H;
    for (int i = 0; i < run->logits.rows; i++) {
        if (run->batch.targets[i] < 0) continue;
        Arena *scratch = arena_open();
        ReadingAttribution a = reading_attribution(scratch, run, i, run->batch.targets[i], run->batch.tokens[i]);
        m.embedding += a.embedding;
        m.whole += a.whole;
        for (int n = 0; n < heads; n++) m.heads[n] += (double)a.heads.at[n];
        m.off = fmax(m.off, fabs(parts_of(&a) - a.whole));
        m.count++;
        arena_close(scratch);
    }
    m.embedding /= m.count;
    m.whole /= m.count;
    for (int n = 0; n < heads; n++) m.heads[n] /= m.count;
    return m;
}

static Mat without(Arena *arena, const Config *c, int first, int second)
{
    Mat gates = mat_new(arena, c->L, c->H);
    mat_fill(gates, 1.0f);
    gates.at[first] = gates.at[second] = 0.0f;
    return gates;
}

// The share of answers that the lens has right before a layer.
static double lens_right(Arena *arena, const Run *run, int layer, int only)
{
    Mat logits = reading_lens(arena, run, layer);
    int right = 0, count = 0;
    for (int i = 0; i < logits.rows; i++) {
        int target = run->batch.targets[i];
        if (target < 0 || (only >= 0 && run->batch.tokens[i] != only)) continue;
        right += mat_argmax(logits, i) == target;
        count++;
    }
    return (double)right / count;
}

static Run glossed_run(Arena *arena, const Translator *b)
{
    enum { SENTENCES = 100 };
    Random random = random_from(SEED);
    GlossedSentence *s = arena_alloc(arena, SENTENCES * sizeof *s);
    for (int i = 0; i < SENTENCES; i++) grammar_sentence_test(&s[i], &random);
    return run_transformer(arena, b->model, translator_sentences_batch(arena, s, SENTENCES), (Mat){ 0 });
}

static void the_lens(Lesson *lesson, const Run *a, const Translator *four)
{
    static const char *const cols[] = { "layer 0", "layer 1", "the end" };
    Arena *arena = lesson->arena;
    Run b = glossed_run(arena, four);
    Rows rows = rows_of(lesson, "right, if the model stopped before …", cols, 3);
    double right[3][3];
    int it = four->book.s[0].words[four->book.s[0].it];
    for (int l = 0; l < 3; l++) {
        right[0][l] = lens_right(arena, a, l, -1);
        right[1][l] = lens_right(arena, &b, l, -1);
        right[2][l] = lens_right(arena, &b, l, it);
    }
    rows_add(&rows, right[0], "A: the next token");
    rows_add(&rows, right[1], "B: any gloss");
    rows_add(&rows, right[2], "B: it");
    show_rows(lesson, &rows);
    check(lesson, right[0][1] < 0.1 && right[0][2] > 0.99,
          "A: before layer 1 the lens sees no answer, and at the end nearly all");
}

void a_sum(Lesson *lesson, Transformer a, const Translator *four)
{
    static const char *const cols[] = { "direct", "lost without" };
    Arena *arena = lesson->arena;
    step(lesson, "A logit is a sum");
    Random random = random_from(SEED);
    Run run = run_transformer(arena, a, induction_batch(arena, SOME, &random, NULL), (Mat){ 0 });
    Means m = means_of(&run);
    Rows rows = rows_of(lesson, "lead of the answer over the token at hand: shares, and falls", cols, 2);
    const Config *c = &a.config;
    double least = INFINITY, most = 0.0;
    for (int n = 0; n < c->L * c->H; n++) {
        Run off = run_transformer(arena, a, run.batch, without(arena, c, n, n));
        rows_add(&rows, ROW(m.heads[n], m.whole - means_of(&off).whole), "%d.%d", n / c->H, n % c->H);
        if (n >= c->H) least = fmin(least, m.heads[n]);
        else most = fmax(most, fabs(m.heads[n]));
    }
    Run off = run_transformer(arena, a, run.batch, without(arena, c, 0, 1));
    double both = m.whole - means_of(&off).whole;
    rows_add(&rows, ROW(m.heads[0] + m.heads[1], both), "0.0 and 0.1");
    show_rows(lesson, &rows);
    say(lesson, "%d answers. Embedding %.2f; all parts together %.2f.", m.count, m.embedding, m.whole);
    check(lesson, m.off < 1e-3, "at every place the shares add up to the lead: less than 0.001 is missing");
    check(lesson, least > 2.5 && most < 1.0, "each head of layer 1 says more than 2.5, none of layer 0 as much as 1");
    check(lesson, both > m.whole / 3, "without 0.0 and 0.1, which say next to nothing, more than a third is lost");
    the_lens(lesson, &run, four);
}

// ---- 4

// Shares at `it`, in order: embedding, heads, MLPs, and their sum.
enum { PARTS_MOST = HEADS_MOST + 8 };

static void add_shares(Sample to[PARTS_MOST], const Translator *b, const Twins *t, int k)
{
    int L = b->model.config.L, it = t->s[0].it;
    Arena *scratch = arena_open();
    ReadingAttribution a = reading_attribution(scratch, &t->run[k], it, t->s[k].glosses[it], t->s[!k].glosses[it]);
    sample_add(&to[0], a.embedding);
    for (int n = 0; n < b->heads; n++) sample_add(&to[1 + n], (double)a.heads.at[n]);
    for (int l = 0; l < L; l++) sample_add(&to[1 + b->heads + l], (double)a.mlps.at[l]);
    sample_add(&to[1 + b->heads + L], a.whole);
    arena_close(scratch);
}

void who_speaks(Lesson *lesson, const Translator *b)
{
    static const char *const cols[] = { "the book's", "… tired", "… wide", "mean" };
    step(lesson, "Who speaks for the answer");
    Sample of[BOTH][PARTS_MOST] = { { { 0 } } }, book[PARTS_MOST] = { { 0 } };
    add_shares(book, b, &b->book, 0);
    for (int p = 0; p < BOTH * PAIRS; p++) add_shares(of[p % BOTH], b, &b->pair[p / BOTH], p % BOTH);
    int parts = b->heads + b->model.config.L + 2, loudest = 1, object = 1;
    double tired[PARTS_MOST], wide[PARTS_MOST], error = 0.0;
    say(lesson, "%d pairs of twins: sentences of model B that differ in one adjective, and so in what \"it\" is.",
        PAIRS);
    Rows rows = rows_of(lesson, "glosses-4, at \"it\": lead of the right noun, in shares", cols, 4);
    for (int i = 0; i < parts; i++) {
        tired[i] = sample_mean(&of[0][i]);
        wide[i] = sample_mean(&of[1][i]);
        const double *row = ROW(sample_mean(&book[i]), tired[i], wide[i], (tired[i] + wide[i]) / 2);
        if (i == 0) rows_add(&rows, row, "embedding");
        else if (i <= b->heads) rows_add(&rows, row, "%s", b->head[i - 1]);
        else if (i < parts - 1) rows_add(&rows, row, "MLP %d", i - 1 - b->heads);
        else rows_add(&rows, row, "lead");
        error = fmax(error, fmax(sample_error(&of[0][i]), sample_error(&of[1][i])));
        if (i == 0 || i > b->heads) continue;
        if (tired[i] + wide[i] > tired[loudest] + wide[loudest]) loudest = i;
        if (wide[i] - tired[i] > wide[object] - tired[object]) object = i;
    }
    show_rows(lesson, &rows);
    say(lesson, "Standard errors of … tired and … wide: up to %.2f; of head %s, %.2f and %.2f.", error,
        b->head[object - 1], sample_error(&of[0][object]), sample_error(&of[1][object]));
    check(lesson, !strcmp(b->head[loudest - 1], "1.2"), "of the heads, %s says most", b->head[loudest - 1]);
    check(lesson, tired[object] < 0.0 && wide[object] > 1.0,
          "head %s speaks for the object in both: against the answer in one, for it in the other", b->head[object - 1]);
}
