// viz/live_translator.c: documents of a run, compared with the run and with definitions in float64.
#include "viz/live.h"

#include "attention/product.h"
#include "base/portable_math.h"
#include "io/bench.h"
#include "language/grammar.h"
#include "language/translator.h"
#include "support/reference.h"
#include "train/bundled.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

enum { L = 2, H = 4, HEADS = L * H, IT = 6 }; // of glosses-4; head 1.2 finds what `it` stands for

static const char TIRED[] = "The animal did not cross the street last night because it was too tired .";
static const char WIDE[] = "the animal did not cross the street last night because it was too wide.";

static Error error;
static Transformer model;
static Live *live;

static Live *opened(Transformer m)
{
    Live *new;
    ck_assert_msg(live_open(&new, arena, m, "glosses", "data/models/glosses-4.safetensors", &error), "%s", error.text);
    return new;
}

static void setup(void)
{
    ck_assert_msg(bundled_model(&model, arena, "tests", "glosses-4", NULL, &error), "%s", error.text);
    live = opened(model);
}
static void teardown(void) {}
FIXTURE(setup, teardown);

static Document run(Live *of, const char *text, const unsigned char *off)
{
    Document d;
    ck_assert_msg(live_run(&d, arena, of, (LiveRequest){ .text = text, .ablated = off }, &error), "%s", error.text);
    return d;
}

// One matrix of a field, cell by cell.
static Mat plane(const Document *d, FieldKind kind, int layer, int head)
{
    ck_assert_int_ge(d->of[kind], 0);
    const Field *f = &d->fields[d->of[kind]];
    ck_assert(f->kind == kind && f->stored == DTYPE_F32 && layer < f->layers && head < f->heads);
    Mat m = mat_new(arena, f->rows, f->cols);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(m, i, j) = field_at(f, layer, head, i, j);
    return m;
}

// The plain run of a sentence.
static Run run_plain(Transformer m, const char *text, const unsigned char *off)
{
    int words[WORD_SENTENCE_MOST], T, *tokens = arena_alloc(arena, sizeof words);
    ck_assert_msg(words_of_sentence(words, &T, text, &error), "%s", error.text);
    memcpy(tokens, words, sizeof words);
    Mat gates = mat_new(arena, m.config.L, m.config.H);
    for (int n = 0; n < m.config.L * m.config.H; n++) gates.at[n] = off && off[n] ? 0.0f : 1.0f;
    return run_transformer(arena, m, run_batch_of_one(arena, tokens, T), gates);
}

// ---- what a document holds

TEST(the_default_sentence)
{
    Document d = run(live, live_sentence(live), NULL);
    GlossedSentence book;
    grammar_sentence_of_the_book(&book, false);
    ck_assert(d.T == 16 && d.S == 16);
    for (int t = 0; t < d.T; t++) {
        ck_assert(!strcmp(d.queries[t], word_text(book.words[t])) && !strcmp(d.keys[t], d.queries[t]));
        ck_assert_str_eq(d.answers[t], gloss_text(arena, book.glosses[t]));
        ck_assert_str_eq(d.whole[t], d.answers[t]);
    }
    ck_assert_str_eq(d.answers[book.it], "su-polmel");
    ck_assert_str_eq(d.title, "glosses");
    ck_assert_str_eq(d.source, "data/models/glosses-4.safetensors");
    ck_assert_str_eq(d.shape, "2 layers × 4 heads · 16 tokens · bidirectional");
    ck_assert_str_eq(d.range, "0.000 … 1.000, rows sum to 1");
    ck_assert(d.live && !d.warning && d.masked == MASK_SCORES && d.maps == d.of[FIELD_WEIGHTS] && d.count == 7);
    ck_assert(d.layers == L && d.heads == H && d.groups == H && live_layers(live) == L && live_heads(live) == H);
    ck_assert(d.loss == d.whole_loss && d.loss > 0.0 && d.loss < 0.01);
}

TEST(maps_are_those_of_the_run)
{
    static const char *const texts[] = { TIRED, "Anna", "the ripe, ripe melon.", "," };
    for (size_t s = 0; s < sizeof texts / sizeof *texts; s++) {
        case_is("%s", texts[s]);
        Document d = run(live, texts[s], NULL);
        Run plain = run_plain(model, texts[s], NULL);
        for (int n = 0; n < HEADS; n++)
            assert_same(plane(&d, FIELD_WEIGHTS, n / H, n % H), run_weights(arena, &plain, 0, n / H, n % H));
        for (int t = 0; t < d.T; t++) ck_assert_str_eq(d.answers[t], gloss_text(arena, run_answer(&plain, 0, t)));
    }
}

// Recomputes scores from q and k, weights from scores, and the head from weights and v, in float64.
static void check_head(const Document *d, const Config *c, int l, int h)
{
    int g = h / (c->H / c->G), dh = c->D / c->H;
    Mask mask = config_mask(c, l, h);
    Mat q = plane(d, FIELD_Q, l, h), k = plane(d, FIELD_K, l, g), v = plane(d, FIELD_V, l, g);
    Mat scores = plane(d, FIELD_SCORES, l, h), weights = plane(d, FIELD_WEIGHTS, l, h);
    Mat head = plane(d, FIELD_HEAD, l, h);
    ck_assert(q.rows == d->T && q.cols == dh && k.rows == d->S && k.cols == dh && v.rows == d->S && v.cols == dh);
    Table want = table_new(arena, d->T, d->S), mixed = table_new(arena, d->T, dh);
    for (int i = 0; i < d->T; i++) {
        double row[WORD_SENTENCE_MOST];
        for (int j = 0; j < d->S; j++) {
            double dot = 0.0, size = 0.0, score = (double)*mat_ref(scores, i, j);
            row[j] = score;
            if (!reference_sees(mask, i, j, d->T, d->S)) {
                ck_assert_msg(score == -INFINITY, "%d.%d: %d sees %d", l, h, i, j);
                continue;
            }
            for (int e = 0; e < dh; e++) {
                dot += (double)*mat_ref(q, i, e) * (double)*mat_ref(k, j, e);
                size += fabs((double)*mat_ref(q, i, e) * (double)*mat_ref(k, j, e));
            }
            ck_assert_msg(fabs(dot / sqrt(dh) - score) <= 1e-5 * size / sqrt(dh),
                          "%d.%d: score %d, %d is %.9g, want %.9g", l, h, i, j, score, dot / sqrt(dh));
        }
        reference_softmax(want.at + i * d->S, row, d->S);
        for (int j = 0; j < d->S; j++)
            for (int e = 0; e < dh; e++)
                mixed.at[i * dh + e] += (double)*mat_ref(weights, i, j) * (double)*mat_ref(v, j, e);
    }
    assert_close(weights, want.at, 1e-5, 1e-9);
    assert_close(head, mixed.at, 1e-5, 1e-5);
}

// The heads' outputs sum to the layer's.
static void check_sum(const Document *d, const Run *plain, int l)
{
    Mat sum = mat_copy(arena, plain->layers[l].in);
    for (int h = 0; h < d->heads; h++) {
        Mat out = plane(d, FIELD_OUT, l, h);
        ck_assert(out.rows == d->T && out.cols == plain->model.config.D);
        for (int i = 0; i < out.rows; i++)
            for (int c = 0; c < out.cols; c++) *mat_ref(sum, i, c) += *mat_ref(out, i, c);
    }
    assert_close(sum, table_of(arena, plain->layers[l].middle).at, 1e-5, 1e-5);
}

static void check_document(const Document *d, Transformer m, const char *text, const unsigned char *off)
{
    Run plain = run_plain(m, text, off);
    for (int l = 0; l < d->layers; l++) {
        for (int h = 0; h < d->heads; h++) check_head(d, &m.config, l, h);
        check_sum(d, &plain, l);
    }
}

TEST(every_stage_follows_from_the_one_before)
{
    const unsigned char off[HEADS] = { [1] = 1, [6] = 1 };
    Document all = run(live, TIRED, NULL), some = run(live, WIDE, off);
    check_document(&all, model, TIRED, NULL);
    check_document(&some, model, WIDE, off);
}

// Random models unlike the book's: shared keys, causal, one layer, no RoPE.
TEST(models_of_another_shape)
{
    Config c = translator_config(4, 2);
    c.causal = true;
    Transformer grouped = transformer_new(arena, c);
    transformer_init(grouped, &random_state);
    Document d = run(opened(grouped), TIRED, NULL);
    ck_assert_str_eq(d.shape, "2 layers × 4 heads on 2 key heads · 16 tokens · causal");
    ck_assert(d.groups == 2 && d.fields[d.of[FIELD_K]].heads == 2 && d.fields[d.of[FIELD_Q]].heads == 4);
    check_document(&d, grouped, TIRED, NULL);

    c = (Config){ .words = words_count(), .outputs = glosses_count(), .D = 8, .H = 1, .G = 1, .L = 1 };
    Transformer one = transformer_new(arena, c);
    transformer_init(one, &random_state);
    d = run(opened(one), "anna", NULL);
    ck_assert_str_eq(d.shape, "1 layer × 1 head · 3 tokens · bidirectional");
    check_document(&d, one, "anna", NULL);
}

// 256 output matrices of 64 KB: 4 MB are cached, and all are correct in any order.
TEST(fields_are_computed_on_demand)
{
    enum { D_WIDE = 1024, MANY = 256, WIDTH = D_WIDE / MANY, KEPT_BYTES = 1 << 22 };
    Config c = { .words = words_count(), .outputs = glosses_count(), .D = D_WIDE, .H = MANY, .G = 1, .L = 1 };
    Transformer wide = transformer_new(arena, c);
    transformer_init(wide, &random_state);
    Document d = run(opened(wide), TIRED, NULL);
    Run plain = run_plain(wide, TIRED, NULL);
    Mat got = mat_new(arena, d.T, D_WIDE), want = mat_new(arena, d.T, D_WIDE);
    size_t used = arena_used(arena);
    for (int n = 0; n < 3 * MANY; n++) {
        int h = n < MANY ? n : n < 2 * MANY ? 2 * MANY - 1 - n : random_below(&random_state, MANY);
        field_read(got, &d.fields[d.of[FIELD_OUT]], 0, h, 0, 0);
        mat_fill(want, 0.0f);
        product_add(want, mat_cols(plain.layers[0].gated, h * WIDTH, WIDTH),
                    mat_rows(wide.layers[0].wo, h * WIDTH, WIDTH));
        case_is("head %d", h);
        assert_same(got, want);
    }
    size_t after = arena_used(arena) - used;
    ck_assert_msg(after >= KEPT_BYTES && after < KEPT_BYTES + 4096, "%zu bytes for what was read", after);
}

TEST(overflow_is_reported)
{
    mat_fill(model.layers[1].wqkv, 1e30f);
    Document d = run(live, TIRED, NULL);
    ck_assert(!strstr(d.range, "rows sum") && strstr(d.warning, "NaN"));
}

// ---- heads that are switched off

static double loss_of(const Run *now, const Run *whole)
{
    double loss = 0.0;
    for (int t = 0; t < now->logits.rows; t++) {
        double logits[2048];
        for (int o = 0; o < now->logits.cols; o++) logits[o] = (double)*mat_ref(now->logits, t, o);
        loss += reference_logsumexp(logits, now->logits.cols) - logits[run_answer(whole, 0, t)];
    }
    return loss / now->logits.rows;
}

TEST(an_ablated_head)
{
    Document whole = run(live, TIRED, NULL);
    Run full = run_plain(model, TIRED, NULL);
    for (int n = 0; n < HEADS; n++) {
        unsigned char off[HEADS] = { 0 };
        off[n] = 1;
        Document d = run(live, TIRED, off);
        Run plain = run_plain(model, TIRED, off);
        for (int m = 0; m < HEADS; m++) {
            case_is("head %d, without head %d", m, n);
            int l = m / H, h = m % H;
            assert_same(plane(&d, FIELD_WEIGHTS, l, h), run_weights(arena, &plain, 0, l, h));
            Mat out = plane(&d, FIELD_OUT, l, h);
            if (m == n) assert_same(out, mat_new(arena, 16, 64));
            else ck_assert_int_eq(mat_equal(out, plane(&whole, FIELD_OUT, l, h)), l <= n / H);
        }
        double right = loss_of(&plain, &full);
        ck_assert_msg(fabs(d.loss - right) <= 1e-6 * (1.0 + d.loss), "loss is %.9g, want %.9g", d.loss, right);
        ck_assert(d.whole_loss == whole.loss && d.loss > d.whole_loss);
    }
}

static void same_document(const Document *a, const Document *b)
{
    ck_assert(a->T == b->T && a->loss == b->loss && a->whole_loss == b->whole_loss);
    for (int t = 0; t < a->T; t++)
        ck_assert(!strcmp(a->answers[t], b->answers[t]) && !strcmp(a->whole[t], b->whole[t]));
    for (int n = 0; n < HEADS; n++) assert_same(plane(a, FIELD_OUT, n / H, n % H), plane(b, FIELD_OUT, n / H, n % H));
}

// Every run equals a fresh one, whatever ran before.
TEST(the_cache_belongs_to_its_sentence)
{
    const unsigned char one[HEADS] = { [0] = 1 }, two[HEADS] = { [3] = 1, [IT] = 1 };
    const struct {
        const char *text;
        const unsigned char *off;
    } runs[] = {
        { TIRED, one },  { WIDE, one },       { WIDE, two },   { TIRED, two }, { TIRED, NULL }, { WIDE, two },
        { "anna", two }, { "anna. it", two }, { "anna", one }, { WIDE, NULL }, { TIRED, one },  { TIRED, one }
    };
    for (size_t n = 0; n < sizeof runs / sizeof *runs; n++) {
        case_is("run %d", (int)n);
        Document got = run(live, runs[n].text, runs[n].off), want = run(opened(model), runs[n].text, runs[n].off);
        same_document(&got, &want);
    }
}

// Head 1.2 carries the referent of "it": patched from the held sentence, it changes that answer alone.
TEST(a_head_from_another_sentence)
{
    const unsigned char off[HEADS] = { [IT] = 1 };
    Document tired = run(live, TIRED, NULL), wide = run(live, WIDE, NULL), d, mean;
    ck_assert(live_run(&d, arena, live, (LiveRequest){ TIRED, off, ABLATE_HELD, &tired, &wide }, &error));
    ck_assert(live_run(&mean, arena, live, (LiveRequest){ TIRED, off, ABLATE_MEAN, &tired, NULL }, &error));
    ck_assert(d.whole_loss == tired.loss && mean.whole_loss == tired.loss && d.ablation == ABLATE_HELD);
    Run from = run_plain(model, WIDE, NULL), gated = run_plain(model, TIRED, off),
        whole = run_plain(model, TIRED, NULL);
    Mat heads[L] = { from.layers[0].heads, from.layers[1].heads };
    Run held = run_instead_transformer(arena, model, gated.batch, gated.gates, heads);
    Run at_mean = run_instead_transformer(arena, model, gated.batch, gated.gates, run_mean_heads(arena, &whole));
    for (int t = 0; t < d.T; t++) {
        ck_assert(!strcmp(tired.queries[t], "it") == (strcmp(d.answers[t], tired.answers[t]) != 0));
        ck_assert_str_eq(d.answers[t], gloss_text(arena, run_answer(&held, 0, t)));
        ck_assert_str_eq(mean.answers[t], gloss_text(arena, run_answer(&at_mean, 0, t)));
    }
    Mat out = plane(&mean, FIELD_OUT, 1, 2), expected = mat_new(arena, out.rows, out.cols);
    int width = out.cols / H;
    product_add(expected, mat_cols(at_mean.layers[1].gated, 2 * width, width),
                mat_rows(model.layers[1].wo, 2 * width, width));
    assert_same(out, expected);
    Document other = run(live, "the animal", NULL);
    ck_assert(!live_run(&d, arena, live, (LiveRequest){ TIRED, off, ABLATE_HELD, NULL, &other }, &error));
    ERROR_HAS(&error, "4 tokens, this one 16");
}

// ---- roles

TEST(roles_match_the_chapter)
{
    static const char *const chapter[HEADS] = { "mixed",     "mixed",      "mixed",    "mixed",
                                                "aux, attr", "pron, verb", "it, verb", "mixed" };
    Document before = run(live, TIRED, NULL);
    int calls = 1;
    for (; !live_learn_roles(live); calls++) ck_assert_ptr_null(run(live, calls % 2 ? WIDE : TIRED, NULL).roles[IT]);
    ck_assert(calls == 38 && live_learn_roles(live));
    Document after = run(live, TIRED, NULL);
    for (int n = 0; n < HEADS; n++) ck_assert_str_eq(after.roles[n], chapter[n]);
    same_document(&before, &after);
}

// ---- what is refused

TEST(sentences_that_cannot_be_read)
{
    static const struct {
        const char *text, *says[2];
    } cases[] = {
        { "The animal did not cro", { "the sentence's word 5, \"cro\", is not one of", "near it: cross" } },
        { "The animal didn't cross", { "word 3, \"didn't\"", "write did not" } },
        { "", { "the sentence is empty", "at least one word" } },
        { " . ", { "the sentence is empty", "at least one word" } },
        { "the the the the the the the the the the the the the the the the the the the the the the the the the",
          { "more than 22 words", "full stop" } },
        { "anna \xff", { "word 2", "\\xff" } },
    };
    Document d = run(live, WIDE, NULL), before, after, fresh;
    memcpy(&before, &d, sizeof d);
    size_t used = arena_used(arena);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        ck_assert_msg(!live_run(&d, arena, live, (LiveRequest){ .text = cases[n].text }, &error), "%s", cases[n].text);
        ERROR_HAS(&error, cases[n].says[0], cases[n].says[1]);
        ck_assert(!memcmp(&d, &before, sizeof d));
    }
    ck_assert(arena_used(arena) == used && !live_run(&d, arena, live, (LiveRequest){ .text = "cro" }, NULL));
    unsigned char off[HEADS] = { [IT] = 1 };
    after = run(live, TIRED, off);
    fresh = run(opened(model), TIRED, off);
    same_document(&after, &fresh);
}

TEST(models_that_are_refused)
{
    static const struct {
        int words, outputs, L, H; // more than the translator's
        int differ;
        bool head_norm;
        const char *says;
    } cases[] = {
        { -1, 0, 2, 4, CONFIG_DIFFER_NONE, false, "a.safetensors reads" },
        { 0, 1, 2, 4, CONFIG_DIFFER_NONE, false, "a.safetensors reads" },
        { 0, 0, 2, 4, CONFIG_DIFFER_FIXED, false, "a.safetensors subtracts maps; heads that write as they are" },
        { 0, 0, 2, 4, CONFIG_DIFFER_NONE, true, "a.safetensors has norms of its heads" },
        { 0, 0, 65, 64, CONFIG_DIFFER_NONE, false, "a.safetensors has L = 65, H = 64" },
    };
    Live *out = live;
    Config c;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        c = translator_config(cases[n].H, cases[n].H);
        c.words += cases[n].words;
        c.outputs += cases[n].outputs;
        if ((c.L = cases[n].L) > 2) c.D = 128, c.window = NULL;
        c.differ = cases[n].differ;
        c.head_norm = cases[n].head_norm;
        ck_assert(!live_open(&out, arena, transformer_new(arena, c), "a", "a.safetensors", &error) && out == live);
        ERROR_HAS(&error, cases[n].says);
    }
    c.L = 64;
    ck_assert(live_open(&out, arena, transformer_new(arena, c), "a", "b", &error) && out != live);
}
