// Runs the book's translator on a sentence, and gives everything that its heads compute.
#include "viz/model_backend.h"

#include "attention/attention_product.h"
#include "attention/product.h"
#include "base/portable_math.h"
#include "language/grammar.h"
#include "language/head_roles.h"
#include "language/translator.h"
#include "model/gradient.h"

#include <stdlib.h>
#include <string.h>

// The sample from which the chapters name heads, so that names agree; sentences per call.
enum { ROLE_SENTENCES = 300, ROLE_SEED = 2, A_CALL = 8, JOBS_SHOWN = 2 };

// How the translator reads and answers; a model of another language would be another such table.
typedef struct {
    const char *sentence; // the default
    bool (*read)(int **tokens, int *T, Arena *arena, const char *text, Error *error);
    const char *(*token)(int token);
    const char *(*answer)(Arena *arena, int output);
    bool (*learn)(Live *live); // learns roles, some sentences per call; true: done
} Language;

// The unablated run of a sentence, cached, since the same sentence runs again for every ablated head.
typedef struct {
    int T, room, *tokens, *answers;
    double loss;
} Whole;

typedef struct {
    Transformer model;
    const Language *language;
    Whole whole;
    Random random;      // for the sample
    int learned;        // sentences so far
    HeadScores *scores; // (layers · heads)
    HeadOffsets offsets;
} Translator;

static Translator *of(const Live *live) { return live->of; }

const char LIVE_WEIGHTS[] = "glosses-4.safetensors", LIVE_TITLE[] = "glosses";

// Room for T tokens, doubled when a sentence is longer than all before.
static void make_room(Whole *whole, Arena *arena, int T)
{
    if (T <= whole->room) return;
    whole->room = 2 * T;
    whole->tokens = arena_alloc(arena, (size_t)whole->room * sizeof *whole->tokens);
    whole->answers = arena_alloc(arena, (size_t)whole->room * sizeof *whole->answers);
    whole->T = 0;
}

// ---- roles

// The best roles of a head, or else what it does by its statistics. At most 14 characters.
static const char *role_name(const Live *live, int head)
{
    GlossRelationKind jobs[GLOSS_RELATION_KINDS];
    int count = head_role_relations(jobs, &of(live)->scores[head], &of(live)->offsets);
    if (!count) return head_role_text(live->arena, head_role_of(&of(live)->scores[head], &of(live)->offsets));
    const char *list = "";
    if (count > JOBS_SHOWN) count = JOBS_SHOWN;
    for (int n = 0; n < count; n++)
        list = arena_format(live->arena, "%s%s%s", list, n ? ", " : "", gloss_relation_name(jobs[n]));
    return list;
}

static void score_sentences(Arena *scratch, Live *live, const Run *run, const GlossedSentence *sentences)
{
    int H = live_heads(live);
    for (int b = 0; b < run->batch.count; b++) {
        head_offsets_add(&of(live)->offsets, &sentences[b]);
        for (int n = 0; n < live_layers(live) * H; n++)
            head_role_add(&of(live)->scores[n], run_weights(scratch, run, b, n / H, n % H), &sentences[b]);
    }
}

static bool learn_glosses(Live *live)
{
    if (of(live)->learned == ROLE_SENTENCES) return true;
    GlossedSentence sentences[A_CALL];
    int left = ROLE_SENTENCES - of(live)->learned, count = left < A_CALL ? left : A_CALL;
    for (int b = 0; b < count; b++) grammar_sentence_test(&sentences[b], &of(live)->random);

    Arena *scratch = arena_open();
    Run run =
        run_transformer(scratch, of(live)->model, translator_sentences_batch(scratch, sentences, count), (Mat){ 0 });
    score_sentences(scratch, live, &run, sentences);
    arena_close(scratch);

    of(live)->learned += count;
    if (of(live)->learned < ROLE_SENTENCES) return false;
    for (int n = 0; n < live_layers(live) * live_heads(live); n++) live->roles[n] = role_name(live, n);
    return true;
}

static bool read_glosses(int **tokens, int *T, Arena *arena, const char *text, Error *error)
{
    int words[WORD_SENTENCE_MOST];
    if (!words_of_sentence(words, T, text, error)) return false;
    *tokens = arena_alloc(arena, (size_t)*T * sizeof **tokens);
    memcpy(*tokens, words, (size_t)*T * sizeof **tokens);
    return true;
}

static const char *answer_of_gloss(Arena *arena, int gloss) { return gloss_text(arena, gloss); }

static const Language glosses = {
    "The animal did not cross the street last night because it was too tired.",
    read_glosses,
    word_text,
    answer_of_gloss,
    learn_glosses,
};

// ---- the run

static Run run_of(Arena *arena, const Live *live, const int *words, int T, const unsigned char *off, const Mat *instead)
{
    Mat gates = mat_new(arena, live->layers, live->heads);
    for (int n = 0; n < gates.rows * gates.cols; n++) gates.at[n] = off && off[n] ? 0.0f : 1.0f;
    return run_instead_transformer(arena, of(live)->model, run_batch_of_one(arena, words, T), gates, instead);
}

static bool all_on(const Run *run)
{
    for (int n = 0; n < run->gates.rows * run->gates.cols; n++)
        if (run->gates.at[n] == 0.0f) return false;
    return true;
}

static double mean_loss(const Run *run, const int *answers)
{
    return cross_entropy(run->logits, answers, 0.0f, (Mat){ 0 }) / run->logits.rows;
}

static void keep_whole(Live *live, const Run *run)
{
    Whole *whole = &of(live)->whole;
    make_room(whole, live->arena, run->logits.rows);
    whole->T = run->logits.rows;
    for (int t = 0; t < whole->T; t++) {
        whole->tokens[t] = run->batch.tokens[t];
        whole->answers[t] = run_answer(run, 0, t);
    }
    whole->loss = mean_loss(run, whole->answers);
}

static bool same_sentence(const Whole *whole, const Run *run)
{
    if (whole->T != run->logits.rows) return false;
    for (int t = 0; t < whole->T; t++)
        if (whole->tokens[t] != run->batch.tokens[t]) return false;
    return true;
}

// Fills of(live)->whole for the sentence of `run`: from the cache, from the run itself, or by another run.
static void find_whole(Live *live, const Run *run)
{
    if (same_sentence(&of(live)->whole, run)) return;
    if (all_on(run)) {
        keep_whole(live, run);
        return;
    }
    Arena *scratch = arena_open();
    Run whole = run_of(scratch, live, run->batch.tokens, run->logits.rows, NULL, NULL);
    keep_whole(live, &whole);
    arena_close(scratch);
}

// ---- fields

// Head h's part of the output: its columns of the heads times its rows of Wo. (T, D)
static void make_out(Mat out, const Run *run, int l, int h)
{
    Mat gated = run->layers[l].gated, wo = run->model.layers[l].wo;
    int d = gated.cols / run->model.config.H;
    mat_fill(out, 0.0f);
    product_add(out, mat_cols(gated, h * d, d), mat_rows(wo, h * d, d));
}

static void make_matrix(Mat to, const void *of, FieldKind kind, int l, int h)
{
    const Run *run = of;
    const Config *c = &run->model.config;
    HeadProjections p = run_qkv_of_head(c, run->layers[l].qkv, h);
    if (kind == FIELD_WEIGHTS) attention_product_weights(to, p.q, p.k, config_mask(c, l, h));
    else if (kind == FIELD_SCORES) attention_product_scores(to, p.q, p.k, config_mask(c, l, h));
    else make_out(to, run, l, h);
}

// Fields that the run has stored, per head; keys and values per group.
static void fill_views(Document *out, Arena *arena, const Run *run)
{
    int L = out->layers, H = out->heads, G = out->groups, d = run->model.config.D / H;
    Mat *views[FIELD_OTHER];
    for (int kind = 0; kind < FIELD_OTHER; kind++) views[kind] = arena_alloc(arena, (size_t)(L * H) * sizeof(Mat));
    for (int n = 0; n < L * H; n++) {
        int l = n / H, h = n % H, g = l * G + h / (H / G);
        HeadProjections p = run_qkv_of_head(&run->model.config, run->layers[l].qkv, h);
        views[FIELD_Q][n] = p.q;
        views[FIELD_K][g] = p.k;
        views[FIELD_V][g] = p.v;
        views[FIELD_HEAD][n] = mat_cols(run->layers[l].heads, h * d, d);
    }
    static const FieldKind stand[] = { FIELD_Q, FIELD_K, FIELD_V, FIELD_HEAD };
    for (size_t n = 0; n < sizeof stand / sizeof *stand; n++) {
        bool shared = stand[n] == FIELD_K || stand[n] == FIELD_V;
        out->fields[stand[n]] = live_field_stored(arena, stand[n], L, shared ? G : H, views[stand[n]]);
    }
}

// One field of every kind, in order.
static void fill_fields(Document *out, Arena *arena, const Run *run)
{
    LiveMaker *maker = live_maker(arena, make_matrix, run, out->layers, out->heads);
    out->fields = arena_alloc(arena, FIELD_OTHER * sizeof *out->fields);
    out->count = FIELD_OTHER;
    out->fields[FIELD_WEIGHTS] = live_field_lazy(maker, FIELD_WEIGHTS, out->T, out->S);
    out->fields[FIELD_SCORES] = live_field_lazy(maker, FIELD_SCORES, out->T, out->S);
    out->fields[FIELD_OUT] = live_field_lazy(maker, FIELD_OUT, out->T, run->model.config.D);
    fill_views(out, arena, run);
    for (int kind = 0; kind < FIELD_OTHER; kind++) out->of[kind] = kind;
    out->of[FIELD_OTHER] = -1;
}

// ---- texts

// The range of the visible weights. Weights of a model from a file are finite, but computed values may overflow.
static void fill_range(Document *out, Arena *arena, const Run *run)
{
    Arena *scratch = arena_open();
    float least = INFINITY, most = -INFINITY;
    bool numbers = true;
    for (int n = 0; n < out->layers * out->heads; n++) {
        int l = n / out->heads, h = n % out->heads;
        ArenaMark mark = arena_mark(scratch);
        Mat weights = run_weights(scratch, run, 0, l, h);
        Mask mask = config_mask(&run->model.config, l, h);
        for (int i = 0; i < out->T; i++)
            for (int j = 0; j < out->S; j++) {
                float w = *mat_ref(weights, i, j);
                numbers = numbers && !isnan(w);
                if (!mask_sees(mask, i, j, out->T, out->S)) continue;
                least = fminf(least, w);
                most = fmaxf(most, w);
            }
        arena_release(scratch, mark);
    }
    arena_close(scratch);
    out->range = arena_format(arena, "%.3f … %.3f%s", (double)least, (double)most, numbers ? ", rows sum to 1" : "");
    out->warning = numbers ? NULL : "some weights are NaN: numbers inside the model are too large for float32";
}

static void fill_words(Document *out, Arena *arena, const Live *live, const Run *run)
{
    const Language *language = of(live)->language;
    const Whole *whole = &of(live)->whole;
    size_t bytes = (size_t)out->T * sizeof(char *);
    const char **words = arena_alloc(arena, bytes), **answers = arena_alloc(arena, bytes);
    const char **all = arena_alloc(arena, bytes);
    for (int t = 0; t < out->T; t++) {
        words[t] = language->token(whole->tokens[t]);
        answers[t] = language->answer(arena, run_answer(run, 0, t));
        all[t] = language->answer(arena, whole->answers[t]);
    }
    out->queries = out->keys = words;
    out->answers = answers;
    out->whole = all;
    out->answer_is = "gloss of this word";
    out->answer_one = "gloss";
    out->answer_many = "glosses";
}

// The output of ablated heads: (L) of (T, D); NULL: zero.
static bool stand_ins(const Mat **out, Arena *arena, const Live *live, const LiveRequest *request, const int *tokens,
                      int T, Error *error)
{
    *out = NULL;
    if (request->ablation == ABLATE_ZERO || !request->ablated) return true;
    if (request->ablation == ABLATE_MEAN) {
        Run whole = run_of(arena, live, tokens, T, NULL, NULL);
        *out = run_mean_heads(arena, &whole);
        return true;
    }
    const Run *held = request->held->run;
    if (request->held->T != T) return live_length_error(request->held, T, error);
    Mat *heads = arena_alloc(arena, (size_t)live->layers * sizeof *heads);
    for (int l = 0; l < live->layers; l++) heads[l] = held->layers[l].gated;
    *out = heads;
    return true;
}

static bool run_translator(Document *out, Arena *arena, Live *live, const LiveRequest *request, Error *error)
{
    // 1. Tokens.
    int *tokens, T;
    const Mat *instead;
    if (!of(live)->language->read(&tokens, &T, arena, request->text, error)) return false;

    // 2. The run, and the unablated one.
    const Config *c = &of(live)->model.config;
    if (!stand_ins(&instead, arena, live, request, tokens, T, error)) return false;
    Run *run = arena_alloc(arena, sizeof *run);
    *run = run_of(arena, live, tokens, T, request->ablated, instead);
    find_whole(live, run);

    // 3. The document.
    *out = (Document){ .title = live->name,
                       .source = live->source,
                       .maps = FIELD_WEIGHTS,
                       .layers = c->L,
                       .heads = c->H,
                       .T = T,
                       .S = T,
                       .groups = c->G,
                       .masked = MASK_SCORES,
                       .shape = live_shape(arena, live, c->G, T, c->causal ? "causal" : "bidirectional"),
                       .roles = live->roles,
                       .live = true,
                       .ablation = request->ablation,
                       .run = run,
                       .adds_at = -1 };
    fill_fields(out, arena, run);
    fill_range(out, arena, run);
    fill_words(out, arena, live, run);
    out->loss = mean_loss(run, of(live)->whole.answers);
    out->whole_loss = of(live)->whole.loss;
    return true;
}

static bool learn_roles(Live *live) { return of(live)->language->learn(live); }

bool live_open(Live **out, Arena *arena, Transformer model, const char *name, const char *source, Error *error)
{
    const Config *c = &model.config;
    if (c->words != words_count() || c->outputs != glosses_count())
        return error_set(error,
                         "%s reads tokens 0 … %d and answers with one of %d numbers; to read a sentence a model "
                         "needs the %d words and %d glosses of the book, as data/models/glosses-4.safetensors",
                         source, c->words - 1, c->outputs, words_count(), glosses_count());
    if (c->differ != CONFIG_DIFFER_NONE || c->head_norm)
        return error_set(error, "%s %s; heads that write as they are can be shown and switched off", source,
                         config_beyond(c));
    size_t heads = (size_t)c->L * (size_t)c->H;
    Translator *translator = arena_alloc(arena, sizeof *translator);
    *translator = (Translator){ .model = model, .language = &glosses, .random = random_from(ROLE_SEED) };
    translator->scores = arena_alloc(arena, heads * sizeof *translator->scores);
    make_room(&translator->whole, arena, WORD_SENTENCE_MOST);
    static const ModelBackend kind = { run_translator, learn_roles, NULL, NULL, false };
    return live_new(out, arena,
                    &(Live){ .kind = &kind,
                             .of = translator,
                             .layers = c->L,
                             .heads = c->H,
                             .name = name,
                             .source = source,
                             .sentence = glosses.sentence },
                    error);
}
