// Chapter 17, step 7. A trained model with keys and values, turned into one that keeps latents.
#include "attention/attention_product.h"
#include "attention/softmax.h"
#include "base/svd.h"
#include "base/threads.h"
#include "language/chunks.h"
#include "language/documents.h"
#include "model/decode.h"
#include "model/latent.h"
#include "model/pooling.h"
#include "steps.h"
#include "train/shipped.h"

#include <math.h>
#include <stdlib.h>

// Ways to choose c numbers: of keys and values together or apart, from documents or from the weights alone.
enum { JOINT_DOCUMENTS, JOINT_WEIGHTS, APART_DOCUMENTS, APART_WEIGHTS, WAYS };
static const char *const WAY[WAYS] = { "joint", "joint-W", "apart", "apart-W" };

enum { L_MOST = 8, RANKS = 8, LEARNT_FROM = 32 };

typedef struct {
    Transformer     model;
    const Document *documents;     // that losses are taken over
    int             count, width;  // width: of keys and values together
    int             full;          // so many numbers say all of them
    Arena          *arenas[WAYS * L_MOST];     // of what threads make
    Moments         of[2][L_MOST]; // from documents, from weights
    Mat             whole[WAYS][L_MOST];       // the widest basis of each way: narrower ones are its first columns
} Subject;

// ---- the loss

// Mean −log of the chance that the next word got, over all documents, each read at once: in the expanded form.
static double loss_of(const Subject *s, const Mat *basis)
{
    int T = s->documents[0].T - 1, L = s->model.config.L, words = 0;
    double sum = 0.0;
    for (int n = 0; n < s->count; n++) {
        Arena *scratch = arena_open();
        LatentStore *stores;
        KvStore *caches = basis ? latent_stores(scratch, &stores, basis, L, T, s->width / 2) : NULL;
        for (int l = 0; basis && l < L; l++) stores[l].expanded = true;
        Decoder decoder = caches ? decoder_over(scratch, s->model, T, caches) : decoder_new(scratch, s->model, T);
        decoder.kernel = attention_product;
        Mat logits = mat_new(scratch, T, s->model.config.outputs);
        decoder_feed(logits, &decoder, s->documents[n].words, T);
        for (int t = 0; t < T; t++, words++) {
            int next = s->documents[n].words[t + 1];
            sum += (double)(logsumexp(mat_row(logits, t), logits.cols) - *mat_ref(logits, t, next));
        }
        arena_close(scratch);
    }
    return sum / words;
}

static bool is_apart(int way) { return way == APART_DOCUMENTS || way == APART_WEIGHTS; }

// The widest basis of one way and one layer: i counts both.
static void widest(int i, void *context)
{
    Subject *s = context;
    int L = s->model.config.L, way = i / L, l = i % L, weights = way == JOINT_WEIGHTS || way == APART_WEIGHTS;
    Mat basis = latent_basis(s->arenas[i], s->of[weights][l], s->full, is_apart(way) ? LATENT_SEPARATE : LATENT_JOINT);
    s->whole[way][l] = basis;
}

// One layer's basis of c columns after another: the first ones; apart, the first of the keys' and of the values'.
static void bases(Arena *arena, Mat basis[L_MOST], const Subject *s, int way, int c)
{
    int first = is_apart(way) ? c / 2 : c;
    for (int l = 0; l < s->model.config.L; l++) {
        basis[l] = mat_new(arena, s->width, c);
        mat_set(mat_cols(basis[l], 0, first), mat_cols(s->whole[way][l], 0, first));
        if (first < c) mat_set(mat_cols(basis[l], first, first), mat_cols(s->whole[way][l], s->full / 2, first));
    }
}

typedef struct { const Subject *subject; int ranks[RANKS]; double loss[WAYS][RANKS]; } Curves;

static void one_loss(int i, void *context)
{
    Curves *curves = context;
    Arena *scratch = arena_open();
    Mat basis[L_MOST];
    bases(scratch, basis, curves->subject, i / RANKS, curves->ranks[i % RANKS]);
    curves->loss[i / RANKS][i % RANKS] = loss_of(curves->subject, basis);
    arena_close(scratch);
}

// ---- the subject

static Subject subject_of(Lesson *lesson, const char *program, const char *path, int documents)
{
    Subject s = { .count = documents };
    Error error;
    Arena *arena = lesson->arena;
    if (!shipped_plain_model(&s.model, arena, program, "language-64-nope", path, &error)) lesson_fail(&error);
    const Config *c = &s.model.config;
    if (!c->causal || c->positions == POSITIONS_ROPE || c->words != document_words() || c->outputs != c->words
        || c->L > L_MOST || c->H > HEADS_MOST) {
        error_set(&error, "%s: step 7 takes a causal model of the book's documents, without RoPE, of %d layers at "
                  "most", path ? path : "language-64-nope", L_MOST);
        lesson_fail(&error);
    }
    s.width = 2 * c->G * (c->D / c->H);
    s.full = s.width < c->D ? s.width : c->D;
    Random random = random_from(1700);
    Document *all = arena_alloc(arena, sizeof *all * (size_t)(documents + LEARNT_FROM));
    for (int n = 0; n < documents + LEARNT_FROM; n++) document_draw(&all[n], DOCUMENT_WORDS, &random);
    s.documents = all + LEARNT_FROM;
    Run run = transformer_run(arena, s.model, documents_batch(arena, all, LEARNT_FROM), (Mat){ 0 });
    for (int l = 0; l < c->L; l++) {
        s.of[0][l] = latent_moments_of_run(arena, &run, l);
        s.of[1][l] = latent_moments_of_weights(arena, s.model, l);
    }
    for (int i = 0; i < WAYS * c->L; i++) s.arenas[i] = arena_open();
    parallel_for(WAYS * c->L, widest, &s);
    return s;
}

static double entropy_of(const Subject *s)
{
    double sum = 0.0;
    for (int n = 0; n < s->count; n++) sum += document_surprise(&s->documents[n]) / (s->documents[n].T - 1);
    return sum / s->count;
}

// The other way to as few bytes, of chapter 12: key heads are averaged, until G of them are left; nothing is trained.
enum { POOLED_MOST = 6 };
typedef struct { int G[POOLED_MOST], count; double bytes[POOLED_MOST], more[POOLED_MOST]; } Pooled;

static Pooled pooled_heads(Lesson *lesson, const Subject *s, double full)
{
    const Config *c = &s->model.config;
    Pooled pooled = { .count = 0 };
    Subject other = *s;
    for (int G = c->G / 2; G >= 1 && c->G % G == 0 && pooled.count < POOLED_MOST; G /= 2) {
        other.model = transformer_pooled(lesson->arena, s->model, G, POOL_MEAN);
        pooled.G[pooled.count] = G;
        pooled.bytes[pooled.count] = 4.0 * c->L * 2 * G * (c->D / c->H);
        pooled.more[pooled.count++] = loss_of(&other, NULL) - full;
    }
    return pooled;
}

// What two key heads lose where of four heads 0 is averaged with `other`, and the two left with each other. Neighbours
// are averaged, so the heads change places.
static double pooled_with(Lesson *lesson, const Subject *s, int other, double full)
{
    const Config *c = &s->model.config;
    const int order[] = { 0, other, other == 1 ? 2 : 1, other == 3 ? 2 : 3 };
    int d = c->D / c->H;
    Subject paired = *s;
    Transformer model = transformer_pooled(lesson->arena, s->model, c->G, POOL_MEAN);
    for (int l = 0; l < c->L; l++)
        for (int h = 0; h < c->H; h++) {
            Layer to = model.layers[l], from = s->model.layers[l];
            for (int part = 0; part < 3; part++)     // queries, keys, values
                mat_set(mat_cols(to.wqkv, part * c->D + h * d, d), mat_cols(from.wqkv, part * c->D + order[h] * d, d));
            mat_set(mat_rows(to.wo, h * d, d), mat_rows(from.wo, order[h] * d, d));
        }
    paired.model = transformer_pooled(lesson->arena, model, 2, POOL_MEAN);
    return loss_of(&paired, NULL) - full;
}

// From the narrowest latent to the widest but one: at the widest nothing may be lost, and a logarithm has no place.
static void figure_loss(Lesson *lesson, const Curves *curves, const Pooled *pooled, double full, int L)
{
    enum { SHOWN = RANKS - 1 };
    static const double least = 5e-5;
    static double x[SHOWN], y[WAYS][SHOWN];
    double most = 2.5;
    Series series[WAYS + 1];
    const char *labels[POOLED_MOST];
    for (int n = 0; n < pooled->count; n++) {
        labels[n] = arena_format(lesson->arena, "G = %d, averaged", pooled->G[n]);
        most = fmax(most, pooled->more[n]);
    }
    series[WAYS] = (Series){ .x = pooled->bytes, .y = pooled->more, .count = pooled->count, .dots = true,
                             .labels = labels };
    for (int w = 0; w < WAYS; w++) {
        for (int r = 1; r < RANKS; r++) {
            double more = curves->loss[w][r] - full;
            x[RANKS - 1 - r] = 4.0 * L * curves->ranks[r];
            y[w][RANKS - 1 - r] = fmax(more, least);
            most = fmax(most, more);
        }
        series[w] = (Series){ .name = WAY[w], .x = x, .y = y[w], .count = SHOWN };
    }
    figure_plot(lesson, "loss.png", "what the loss grows by, against bytes a token, for four ways to choose the "
                "latent, and for averaged heads",
                (Plot){ .title = "The same model over smaller and smaller latents",
                        .x_title = "bytes of the cache a token",
                        .y_title = arena_format(lesson->arena, "loss grows by, nats a word; at %d bytes joint and "
                                                "joint-W lose nothing", 4 * L * curves->ranks[0]),
                        .series = series, .count = WAYS + 1, .log_y = true, .y_low = least,
                        .y_high = 1.2 * most, .width = 720, .height = 450 });
}

// ---- both forms on the converted model

// The outputs of all heads in each layer, for one document token by token: how far the two forms are apart, at most.
static double forms_apart(Lesson *lesson, const Subject *s, const Mat *basis)
{
    const Config *c = &s->model.config;
    int T = s->documents[0].T - 1, keys = s->width / 2;
    double worst = 0.0;
    Batch batch = batch_of_one(lesson->arena, s->documents[0].words, T);
    Run run = transformer_run(lesson->arena, s->model, batch, (Mat){ 0 });
    Mask masks[HEADS_MOST];
    for (int l = 0; l < c->L; l++) {
        Mat q = mat_cols(run.layers[l].qkv, 0, c->D), k = mat_cols(run.layers[l].qkv, c->D, keys);
        Mat v = mat_cols(run.layers[l].qkv, c->D + keys, keys), out[2];
        for (int h = 0; h < c->H; h++) masks[h] = config_mask(c, l, h);
        for (int form = 0; form < 2; form++) {
            LatentStore latents = latent_store_new(lesson->arena, T, basis[l], keys);
            latents.expanded = form;
            KvStore store = latent_store(&latents);
            out[form] = mat_new(lesson->arena, T, c->D);
            for (int t = 0; t < T; t++)
                store.attend((Attended){ .out = mat_rows(out[form], t, 1) }, store.cache, mat_rows(q, t, 1),
                             mat_rows(k, t, 1), mat_rows(v, t, 1), c->H, masks, attention_naive);
        }
        worst = fmax(worst, off_by(out[0], out[1]));
    }
    return worst;
}

// What D numbers leave out of model A's keys and values, in the last layer: keys turned by RoPE are no product with x.
static double lost_with_rope(Lesson *lesson, const char *program)
{
    enum { LENGTH = 128, PERIOD = 32 };
    Transformer model;
    Error error;
    if (!shipped_model(&model, lesson->arena, program, "induction-32", NULL, &error)) lesson_fail(&error);
    int tokens[LENGTH], targets[LENGTH], last = model.config.L - 1;
    Random random = random_from(1700);
    repeated_sequence(tokens, targets, LENGTH, PERIOD, model.config.words, &random);
    Run run = transformer_run(lesson->arena, model, batch_of_one(lesson->arena, tokens, LENGTH), (Mat){ 0 });
    Moments moments = latent_moments_of_run(lesson->arena, &run, last);
    return latent_lost(moments, latent_basis(lesson->arena, moments, model.config.D, LATENT_JOINT));
}

enum { DOCUMENTS_ENOUGH = 12 };

void converted(Lesson *lesson, const char *program, const char *path, int documents)
{
    step(lesson, "A trained model, turned into latents");
    Subject s = subject_of(lesson, program, path, documents);
    const Config *config = &s.model.config;
    int L = config->L, D = config->D, full = s.full;
    Arena *arena = lesson->arena;
    say(lesson, "%d layers, D = %d, H = G = %d, no RoPE. Keys and values: %d numbers a token a layer. Loss over %d "
        "document%s; the basis is from %d others.", L, D, config->G, s.width, s.count, s.count == 1 ? "" : "s",
        LEARNT_FROM);

    Curves curves = { .subject = &s };
    for (int r = 0; r < RANKS; r++) curves.ranks[r] = full * (RANKS - r) / RANKS / 2 * 2;
    parallel_for(WAYS * RANKS, one_loss, &curves);
    double plain = loss_of(&s, NULL);
    Rows table = rows_of(lesson, "what the loss grows by, nats a word", WAY, WAYS);
    table.table.decimals = 4;
    for (int r = 0; r < RANKS; r++) {
        double more[WAYS];
        for (int w = 0; w < WAYS; w++) more[w] = curves.loss[w][r] - plain;
        rows_add(&table, more, "c = %d, %d bytes", curves.ranks[r], 4 * L * curves.ranks[r]);
    }
    show_rows(lesson, &table);
    Pooled pooled = pooled_heads(lesson, &s, plain);
    Rows other = rows_of(lesson, "with averaged heads, as in chapter 12", (const char *const[]){ "grows by" }, 1);
    other.table.decimals = 4;
    for (int n = 0; n < pooled.count; n++)
        rows_add(&other, &pooled.more[n], "G = %d, %.0f bytes", pooled.G[n], pooled.bytes[n]);
    if (pooled.count) show_rows(lesson, &other);
    say(lesson, "With keys and values: %.4f at %d bytes a token; the language's own entropy is %.4f.", plain,
        4 * L * s.width, entropy_of(&s));

    bool joint = true, aware = true;
    int half = RANKS / 2;
    for (int r = 1; r < RANKS; r++) {
        joint = joint && curves.loss[JOINT_DOCUMENTS][r] < curves.loss[APART_DOCUMENTS][r]
            && curves.loss[JOINT_WEIGHTS][r] < curves.loss[APART_WEIGHTS][r];
        aware = aware && (r > half || curves.loss[JOINT_DOCUMENTS][r] < curves.loss[JOINT_WEIGHTS][r]);
    }
    check(lesson, fabs(curves.loss[JOINT_DOCUMENTS][0] - plain) < 1e-5
          && fabs(curves.loss[JOINT_WEIGHTS][0] - plain) < 1e-5,
          "c = %d, as many as x has columns: nothing is lost, at %d bytes for %d", full, 4 * L * full, 4 * L * s.width);
    // What one document shows, or another model, may be otherwise: that is for the reader to see.
    bool shipped = !path && documents >= DOCUMENTS_ENOUGH;
    if (shipped) {
        check(lesson, joint,
              "joint is better than apart at every smaller c, from documents and from the weights alone");
        check(lesson, aware, "down to c = %d, from documents is better than from the weights alone",
              curves.ranks[half]);
        check(lesson, pooled.more[1] > 10 * (curves.loss[JOINT_DOCUMENTS][half] - plain), "%.0f bytes: one averaged "
              "key head loses more than ten times as much as a joint latent", pooled.bytes[1]);
        double pairs[] = { pooled_with(lesson, &s, 1, plain), pooled_with(lesson, &s, 2, plain),
                           pooled_with(lesson, &s, 3, plain) };
        check(lesson, fabs(pairs[0] - pooled.more[0]) < 1e-4 && fmax(pairs[1], pairs[2]) < pooled.more[1],
              "two key heads of 0 with 1, 2 with 3, neighbours, lose more than one; of 0 with 2, or with 3, they would "
              "lose %.4f, or %.4f, less than one", pairs[1], pairs[2]);
    }

    Mat basis[L_MOST];
    bases(arena, basis, &s, JOINT_DOCUMENTS, curves.ranks[half]);
    double apart = forms_apart(lesson, &s, basis);
    check(lesson, apart < 2e-6, "absorbed and expanded, token by token, c = %d: the heads of all layers give the same, "
          "within 2 · 10⁻⁶", curves.ranks[half]);
    double turned = lost_with_rope(lesson, program), straight = latent_lost(s.of[0][L - 1], s.whole[0][L - 1]);
    check(lesson, turned > 1e-4 && fabs(straight) < 1e-6, "chapter 09's model A has RoPE: as many numbers as its x has "
          "leave out %.4f of its keys and values, in squares; here they leave out nothing", turned);
    figure_loss(lesson, &curves, &pooled, plain, L);
    for (int i = 0; i < WAYS * L; i++) arena_close(s.arenas[i]);
}
