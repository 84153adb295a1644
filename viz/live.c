// A sentence through the model, and everything that a head made of it.
#include "viz/live.h"

#include "attention/product.h"
#include "language/grammar.h"
#include "language/roles.h"
#include "language/translator.h"
#include "model/gradient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The sentences by which chapter 09 names the heads, so that both say the same; and how many of them a call reads.
enum { ROLE_SENTENCES = 300, ROLE_SEED = 2, A_CALL = 8, JOBS_SHOWN = 2 };

// What the model makes of a sentence with every head on. Kept, as the same sentence is run once more for every head that
// is switched.
typedef struct { int T, words[SENTENCE_MOST], answers[SENTENCE_MOST]; double loss; } Whole;

struct Live {
    Transformer  model;
    const char  *name, *source;
    Whole        whole;
    Random       random;           // of the sentences that roles are learned from
    int          learned;          // how many of them there were
    HeadScores  *scores;           // (layers · heads)
    Offsets      offsets;
    Arena       *arena;
    const char **roles;            // (layers · heads)
};

const char LIVE_WEIGHTS[] = "glosses-4.safetensors", LIVE_TITLE[] = "glosses";

int live_layers(const Live *live) { return live->model.config.L; }
int live_heads(const Live *live) { return live->model.config.H; }

const char *live_sentence(const Live *live)
{
    (void)live;
    return "The animal did not cross the street last night because it was too tired.";
}

bool live_open(Live **out, Arena *arena, Transformer model, const char *name, const char *source, Error *error)
{
    const Config *c = &model.config;
    if (c->words != words_count() || c->outputs != glosses_count())
        return error_set(error, "%s reads tokens 0 … %d and answers with one of %d numbers; to read a sentence a model "
                         "needs the %d words and %d glosses of the book, as data/models/glosses-4.safetensors", source,
                         c->words - 1, c->outputs, words_count(), glosses_count());
    if (c->L * c->H > LIVE_HEADS_MOST)
        return error_set(error, "%s has %d layers of %d heads; up to %d heads in all can be shown and switched off", source,
                         c->L, c->H, LIVE_HEADS_MOST);
    size_t heads = (size_t)(c->L * c->H);
    Live *live = arena_alloc(arena, sizeof *live);
    *live = (Live){ .model = model, .name = name, .source = source, .random = random_from(ROLE_SEED), .arena = arena };
    live->scores = arena_alloc(arena, heads * sizeof *live->scores);
    live->roles = arena_alloc(arena, heads * sizeof *live->roles);
    *out = live;
    return true;
}

// ---- roles

// The best jobs of a head, as chapter 09 lists them; without any, the name of what it does. At most 14 characters.
static const char *role_name(const Live *live, int head)
{
    RelationKind jobs[RELATION_KINDS];
    int count = head_relations(jobs, &live->scores[head], &live->offsets);
    if (!count) return role_text(live->arena, head_role(&live->scores[head], &live->offsets));
    const char *list = "";
    for (int n = 0; n < count && n < JOBS_SHOWN; n++)
        list = arena_format(live->arena, "%s%s%s", list, n ? ", " : "", relation_name(jobs[n]));
    return list;
}

static void score(Arena *scratch, Live *live, const Run *run, const Glossed *sentences)
{
    int H = live_heads(live);
    for (int b = 0; b < run->batch.count; b++) {
        offsets_add(&live->offsets, &sentences[b]);
        for (int n = 0; n < live_layers(live) * H; n++)
            head_add(&live->scores[n], run_weights(scratch, run, b, n / H, n % H), &sentences[b]);
    }
}

bool live_learn_roles(Live *live)
{
    if (live->learned == ROLE_SENTENCES) return true;
    Glossed sentences[A_CALL];
    int left = ROLE_SENTENCES - live->learned, count = left < A_CALL ? left : A_CALL;
    for (int b = 0; b < count; b++) sentence_test(&sentences[b], &live->random);

    Arena *scratch = arena_open();
    Run run = transformer_run(scratch, live->model, sentences_batch(scratch, sentences, count), (Mat){ 0 });
    score(scratch, live, &run, sentences);
    arena_close(scratch);

    live->learned += count;
    if (live->learned < ROLE_SENTENCES) return false;
    for (int n = 0; n < live_layers(live) * live_heads(live); n++) live->roles[n] = role_name(live, n);
    return true;
}

// ---- the run

static Run run_of(Arena *arena, const Live *live, const int *words, int T, const unsigned char *off)
{
    Mat gates = mat_new(arena, live_layers(live), live_heads(live));
    for (int n = 0; n < gates.rows * gates.cols; n++) gates.at[n] = off && off[n] ? 0.0f : 1.0f;
    return transformer_run(arena, live->model, batch_of_one(arena, words, T), gates);
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

static void keep_whole(Whole *whole, const Run *run)
{
    whole->T = run->logits.rows;
    for (int t = 0; t < whole->T; t++) {
        whole->words[t] = run->batch.tokens[t];
        whole->answers[t] = run_answer(run, 0, t);
    }
    whole->loss = mean_loss(run, whole->answers);
}

static bool same_sentence(const Whole *whole, const Run *run)
{
    if (whole->T != run->logits.rows) return false;
    for (int t = 0; t < whole->T; t++)
        if (whole->words[t] != run->batch.tokens[t]) return false;
    return true;
}

// Fills live->whole for the sentence of `run`: from what is kept, from the run itself, or from one more.
static void find_whole(Live *live, const Run *run)
{
    if (same_sentence(&live->whole, run)) return;
    if (all_on(run)) {
        keep_whole(&live->whole, run);
        return;
    }
    Arena *scratch = arena_open();
    Run whole = run_of(scratch, live, run->batch.tokens, run->logits.rows, NULL);
    keep_whole(&live->whole, &whole);
    arena_close(scratch);
}

// ---- fields

// What head h adds to the sum of layer l: its columns of the gated outputs times its rows of Wo. (T, D)
static Mat added(Arena *arena, const Run *run, int l, int h)
{
    Mat gated = run->layers[l].gated, wo = run->model.layers[l].wo;
    int d = gated.cols / run->model.config.H;
    Mat out = mat_new(arena, gated.rows, gated.cols);
    product_add(out, mat_cols(gated, h * d, d), mat_rows(wo, h * d, d));
    return out;
}

// views (layers · heads), all of the same shape and stride.
static void fill_field(Document *out, Arena *arena, FieldKind kind, int heads, const Mat *views)
{
    const uint16_t one = 1;
    size_t count = (size_t)(out->layers * heads);
    const unsigned char **planes = arena_alloc(arena, count * sizeof *planes);
    for (size_t n = 0; n < count; n++) planes[n] = (const unsigned char *)views[n].at;
    out->fields[kind] = (Field){
        .name = trace_name((TraceKind)kind), .kind = kind, .layers = out->layers, .heads = heads, .rows = views->rows, .cols = views->cols,
        .planes = planes, .row_step = views->stride * (ptrdiff_t)sizeof(float), .col_step = sizeof(float),
        .stored = STORED_F32, .big_endian = *(const unsigned char *)&one == 0,
    };
    out->of[kind] = (int)kind;
}

// One field of every kind, in the order of the kinds. Keys and values have a plane a group.
static void fill_fields(Document *out, Arena *arena, const Run *run)
{
    int L = out->layers, H = out->heads, G = out->groups;
    Mat *views[FIELD_OTHER];
    for (int kind = 0; kind < FIELD_OTHER; kind++) views[kind] = arena_alloc(arena, (size_t)(L * H) * sizeof(Mat));
    for (int n = 0; n < L * H; n++) {
        int l = n / H, h = n % H, g = l * G + h / (H / G);
        HeadStages stages = run_head(arena, run, 0, l, h);
        views[FIELD_WEIGHTS][n] = stages.weights;
        views[FIELD_SCORES][n] = stages.scores;
        views[FIELD_Q][n] = stages.q;
        views[FIELD_K][g] = stages.k;
        views[FIELD_V][g] = stages.v;
        views[FIELD_HEAD][n] = stages.out;
        views[FIELD_OUT][n] = added(arena, run, l, h);
    }
    out->fields = arena_alloc(arena, FIELD_OTHER * sizeof *out->fields);
    out->count = FIELD_OTHER;
    out->of[FIELD_OTHER] = -1;
    for (FieldKind kind = 0; kind < FIELD_OTHER; kind++) {
        bool shared = kind == FIELD_K || kind == FIELD_V;
        fill_field(out, arena, kind, shared ? G : H, views[kind]);
    }
}

// ---- texts

static const char *many(Arena *arena, int count, const char *what)
{
    return arena_format(arena, "%d %s%s", count, what, count == 1 ? "" : "s");
}

static const char *shape_of(Arena *arena, const Config *c, int T)
{
    const char *shared = c->G == c->H ? "" : arena_format(arena, " on %s", many(arena, c->G, "key head"));
    return arena_format(arena, "%s × %s%s · %s · %s", many(arena, c->L, "layer"), many(arena, c->H, "head"), shared,
                        many(arena, T, "token"), c->causal ? "causal" : "bidirectional");
}

// From the smallest to the largest weight that no mask hides. A model that is read from a file is finite, but what it
// computes may overflow.
static void fill_range(Document *out, Arena *arena, const Run *run)
{
    float least = INFINITY, most = -INFINITY;
    bool numbers = true;
    for (int n = 0; n < out->layers * out->heads; n++) {
        int l = n / out->heads, h = n % out->heads;
        Mat weights = run_weights(arena, run, 0, l, h);
        Mask mask = config_mask(&run->model.config, l, h);
        for (int i = 0; i < out->T; i++)
            for (int j = 0; j < out->S; j++) {
                float w = *mat_ref(weights, i, j);
                numbers = numbers && !isnan(w);
                if (!mask_sees(mask, i, j, out->T, out->S)) continue;
                least = fminf(least, w);
                most = fmaxf(most, w);
            }
    }
    out->range = arena_format(arena, "%.3f … %.3f%s", (double)least, (double)most, numbers ? ", rows sum to 1" : "");
    out->doubt = numbers ? NULL : "some weights are NaN: numbers inside the model are too large for float32";
}

static void fill_words(Document *out, Arena *arena, const Whole *whole, const Run *run)
{
    size_t bytes = (size_t)out->T * sizeof(char *);
    const char **words = arena_alloc(arena, bytes), **answers = arena_alloc(arena, bytes), **all = arena_alloc(arena, bytes);
    for (int t = 0; t < out->T; t++) {
        words[t] = word_text(whole->words[t]);
        answers[t] = gloss_text(arena, run_answer(run, 0, t));
        all[t] = gloss_text(arena, whole->answers[t]);
    }
    out->queries = out->keys = words;
    out->answers = answers;
    out->whole = all;
}

bool live_run(Document *out, Arena *arena, Live *live, const char *text, const unsigned char *off, Error *error)
{
    // 1. Words.
    int words[SENTENCE_MOST], T;
    if (!sentence_words(words, &T, text, error)) return false;
    int *tokens = arena_alloc(arena, sizeof words);
    for (int t = 0; t < T; t++) tokens[t] = words[t];

    // 2. The run, and what it is held against.
    const Config *c = &live->model.config;
    Run run = run_of(arena, live, tokens, T, off);
    find_whole(live, &run);

    // 3. All of it as a document.
    *out = (Document){ .title = live->name, .source = live->source, .maps = FIELD_WEIGHTS, .layers = c->L, .heads = c->H,
                       .T = T, .S = T, .groups = c->G, .masked = MASK_SCORES, .walk = { -1, -1, { 0 } },
                       .shape = shape_of(arena, c, T), .roles = live->roles, .live = true };
    fill_fields(out, arena, &run);
    fill_range(out, arena, &run);
    fill_words(out, arena, &live->whole, &run);
    out->loss = mean_loss(&run, live->whole.answers);
    out->whole_loss = live->whole.loss;
    return true;
}

bool live_place(LivePlace *out, const Document *d)
{
    double furthest = 0;
    int layer = d->layers - 1;
    for (int i = 0; i < d->T; i++) {
        if (strcmp(d->queries[i], "it")) continue;
        for (int h = 0; h < d->heads; h++)
            for (int j = 0; j < d->S; j++) {
                double reach = (double)field_at(document_maps(d), layer, h, i, j) * abs(i - j);
                if (reach <= furthest || d->keys[j][0] == '[') continue;
                furthest = reach;
                *out = (LivePlace){ layer, h, i, j };
            }
    }
    return furthest > 0;
}
