// Chapter 17, step 7. A trained model with keys and values, turned into one that keeps latents.
#include "attention/attention_product.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "model/svd.h"
#include "base/threads.h"
#include "language/chunks.h"
#include "language/documents.h"
#include "model/decode.h"
#include "model/mla_conversion.h"
#include "model/pooling.h"
#include "steps.h"
#include "train/bundled.h"

#include <stdlib.h>

// Ways to choose c numbers: of keys and values together or apart, from documents or from the weights alone.
enum { JOINT_DOCUMENTS, JOINT_WEIGHTS, APART_DOCUMENTS, APART_WEIGHTS, WAYS };
static const char *const WAY[WAYS] = { "joint", "joint-W", "apart", "apart-W" };

enum { L_MOST = 8, RANKS = 8, LEARNT_FROM = 32 };

typedef struct {
    Transformer model;
    const DocumentSample *documents; // that losses are taken over
    int count, width;                // width: of keys and values together
    int full;                        // so many numbers say all of them
    int ways;                        // the first so many are tried
    Arena *arenas[WAYS * L_MOST];    // of what threads make
    MlaMoments of[2][L_MOST];        // from documents, from weights
    Mat whole[WAYS][L_MOST];         // the widest basis of each way: narrower ones are its first columns
} Subject;

// ---- a sum of products, small enough for pencil and paper

static void by_hand(Lesson *lesson)
{
    static const double z[] = { 3, 1, 1, 3 };
    Arena *arena = lesson->arena;
    Svd parts = svd_decompose(arena, z, 2, 2);
    double first[4], rest[4], missing = 0.0, all = 0.0;
    for (int i = 0; i < 4; i++) {
        first[i] = parts.u[i / 2 * 2] * parts.s[0] * parts.v[i % 2 * 2];
        rest[i] = z[i] - first[i];
        missing += rest[i] * rest[i];
        all += z[i] * z[i];
    }
    Mat shown = mat_of(arena, 2, 2, (const float[]){ 3, 1, 1, 3 });
    show_table(lesson, (Table){ .decimals = -1, .given = true, .name = "Z, two rows z", .values = shown });
    say(lesson,
        "The largest product is (%.0f, %.0f) in both rows: of the column (%.0f, %.0f) · √2 and the row (1, 1) "
        "/ √2. What is missing is the other one, (%.0f, %.0f) and (%.0f, %.0f).",
        first[0], first[1], first[0], first[2], rest[0], rest[1], rest[2], rest[3]);
    check(lesson, fabs(parts.s[1] * parts.s[1] - missing) < 1e-9 && fabs(fabs(parts.v[0]) - sqrt(0.5)) < 1e-9,
          "c = 1: of all squares, %.0f, those of the missing are %.0f, the square of the second singular value", all,
          missing);
}

// ---- the loss

// Mean −log of the chance that the next word got, over all documents, each read at once: in the expanded form.
static double loss_of(const Subject *s, const Mat *basis)
{
    int T = s->documents[0].T - 1, L = s->model.config.L, words = 0;
    double sum = 0.0;
    for (int n = 0; n < s->count; n++) {
        Arena *scratch = arena_open();
        LatentStore *stores;
        KvStore *caches = basis ? mla_stores(scratch, &stores, basis, L, T, s->width / 2) : NULL;
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
    Mat basis = mla_basis(s->arenas[i], s->of[weights][l], s->full, is_apart(way) ? MLA_SEPARATE : MLA_JOINT);
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

// more: nats a word; while they are computed the loss itself.
typedef struct {
    const Subject *subject;
    int ranks[RANKS];
    double more[WAYS][RANKS];
} Curves;

static void one_loss(int i, void *context)
{
    Curves *curves = context;
    Arena *scratch = arena_open();
    Mat basis[L_MOST];
    bases(scratch, basis, curves->subject, i / RANKS, curves->ranks[i % RANKS]);
    curves->more[i / RANKS][i % RANKS] = loss_of(curves->subject, basis);
    arena_close(scratch);
}

// ---- the subject

// The documents, and bases of the first so many ways for a model of them.
static Subject subject_of(Lesson *lesson, Transformer model, int documents, int ways)
{
    Subject s = { .model = model, .count = documents, .ways = ways };
    Arena *arena = lesson->arena;
    const Config *c = &s.model.config;
    s.width = 2 * c->G * (c->D / c->H);
    s.full = s.width < c->D ? s.width : c->D;
    Random random = random_from(1700);
    DocumentSample *all = arena_alloc(arena, sizeof *all * (size_t)(documents + LEARNT_FROM));
    for (int n = 0; n < documents + LEARNT_FROM; n++) document_draw(&all[n], DOCUMENT_WORDS, &random);
    s.documents = all + LEARNT_FROM;
    Run run = run_transformer(arena, s.model, documents_batch(arena, all, LEARNT_FROM), (Mat){ 0 });
    for (int l = 0; l < c->L; l++) {
        s.of[0][l] = mla_moments_of_run(arena, &run, l);
        s.of[1][l] = mla_moments_of_weights(arena, s.model, l);
    }
    for (int i = 0; i < ways * c->L; i++) s.arenas[i] = arena_open();
    threads_parallel_for(ways * c->L, widest, &s);
    return s;
}

static void subject_close(const Subject *s)
{
    for (int i = 0; i < s->ways * s->model.config.L; i++) arena_close(s->arenas[i]);
}

// By how much the loss grows for each way and each c, from all that there is to say downwards; plain: what it is.
static Curves curves_of(const Subject *s, double *plain)
{
    Curves curves = { .subject = s };
    for (int r = 0; r < RANKS; r++) curves.ranks[r] = s->full * (RANKS - r) / RANKS / 2 * 2;
    threads_parallel_for(s->ways * RANKS, one_loss, &curves);
    *plain = loss_of(s, NULL);
    for (int w = 0; w < s->ways; w++)
        for (int r = 0; r < RANKS; r++) curves.more[w][r] -= *plain;
    return curves;
}

static Transformer model_without_rope(Lesson *lesson, const char *program, const char *path)
{
    Transformer model;
    Error error;
    if (!bundled_plain_model(&model, lesson->arena, program, "language-64-nope", path, &error)) lesson_fail(&error);
    const Config *c = &model.config;
    if (!c->causal || c->positions == CONFIG_POSITIONS_ROPE || c->words != document_words() || c->outputs != c->words ||
        c->L > L_MOST || c->H > HEADS_MOST) {
        error_set(&error,
                  "%s: step 7 takes a causal model of the book's documents, without RoPE, of %d layers at "
                  "most",
                  path ? path : "language-64-nope", L_MOST);
        lesson_fail(&error);
    }
    return model;
}

static Transformer shipped(Lesson *lesson, const char *program, const char *name)
{
    Transformer model;
    Error error;
    if (!bundled_model(&model, lesson->arena, program, name, NULL, &error)) lesson_fail(&error);
    return model;
}

static double entropy_of(const Subject *s)
{
    double sum = 0.0;
    for (int n = 0; n < s->count; n++) sum += document_surprise(&s->documents[n]) / (s->documents[n].T - 1);
    return sum / s->count;
}

// The other way to as few bytes, of chapter 12: key heads are averaged, until G of them are left; nothing is trained.
enum { POOLED_MOST = 6 };
typedef struct {
    int G[POOLED_MOST], count;
    double bytes[POOLED_MOST], more[POOLED_MOST], out[POOLED_MOST];
} Pooled;

// The share of all squares of z that averaged heads leave out, in all layers. To average is to choose directions, too:
// in B numbers of a head go to those of its group of n, times 1/√n. order[h]: which head stands at place h; NULL: h.
static double left_out(Lesson *lesson, const Subject *s, int G, const int *order)
{
    const Config *c = &s->model.config;
    int d = c->D / c->H, n = c->G / G, keys = s->width / 2;
    double out = 0.0, all = 0.0;
    Mat basis = mat_new(lesson->arena, s->width, 2 * G * d);
    for (int part = 0; part < 2; part++)
        for (int h = 0; h < c->G; h++)
            for (int e = 0; e < d; e++)
                *mat_ref(basis, part * keys + (order ? order[h] : h) * d + e, (part * G + h / n) * d + e) =
                    1.0f / sqrtf((float)n);
    for (int l = 0; l < c->L; l++) {
        double squares = 0.0;
        for (int a = 0; a < s->width; a++) squares += s->of[0][l].at[a * s->width + a];
        out += squares * mla_lost(s->of[0][l], basis);
        all += squares;
    }
    return out / all;
}

static Pooled pooled_heads(Lesson *lesson, const Subject *s, double full)
{
    const Config *c = &s->model.config;
    Pooled pooled = { .count = 0 };
    Subject other = *s;
    for (int G = c->G / 2; G >= 1 && c->G % G == 0 && pooled.count < POOLED_MOST; G /= 2) {
        other.model = pool_transformer(lesson->arena, s->model, G, POOL_MEAN);
        pooled.G[pooled.count] = G;
        pooled.bytes[pooled.count] = 4.0 * c->L * 2 * G * (c->D / c->H);
        pooled.out[pooled.count] = left_out(lesson, s, G, NULL);
        pooled.more[pooled.count++] = loss_of(&other, NULL) - full;
    }
    return pooled;
}

// What two key heads lose where of four heads 0 is averaged with `other`, and the two left with each other. Neighbours
// are averaged, so the heads change places.
static double pooled_with(Lesson *lesson, const Subject *s, int other, double full, double *out)
{
    const Config *c = &s->model.config;
    const int order[] = { 0, other, other == 1 ? 2 : 1, other == 3 ? 2 : 3 };
    int d = c->D / c->H;
    Subject paired = *s;
    Transformer model = pool_transformer(lesson->arena, s->model, c->G, POOL_MEAN);
    for (int l = 0; l < c->L; l++)
        for (int h = 0; h < c->H; h++) {
            TransformerLayer to = model.layers[l], from = s->model.layers[l];
            for (int part = 0; part < 3; part++) // queries, keys, values
                mat_set(mat_cols(to.wqkv, part * c->D + h * d, d), mat_cols(from.wqkv, part * c->D + order[h] * d, d));
            mat_set(mat_rows(to.wo, h * d, d), mat_rows(from.wo, order[h] * d, d));
        }
    paired.model = pool_transformer(lesson->arena, model, 2, POOL_MEAN);
    *out = left_out(lesson, s, 2, order);
    return loss_of(&paired, NULL) - full;
}

// From the narrowest latent to the widest. What loses nothing has no place on a logarithm: such a line ends before.
static void figure_loss(Lesson *lesson, const Curves *curves, const Pooled *pooled, int L)
{
    static const double least = 5e-5;
    static double x[RANKS], y[WAYS][RANKS];
    double most = 2.5;
    PlotSeries series[WAYS + 1];
    const char *labels[POOLED_MOST];
    for (int n = 0; n < pooled->count; n++) {
        labels[n] = arena_format(lesson->arena, "G = %d, averaged", pooled->G[n]);
        most = fmax(most, pooled->more[n]);
    }
    series[WAYS] =
        (PlotSeries){ .x = pooled->bytes, .y = pooled->more, .count = pooled->count, .dots = true, .labels = labels };
    for (int w = 0; w < WAYS; w++) {
        for (int r = 0; r < RANKS; r++) {
            double more = curves->more[w][r];
            x[RANKS - 1 - r] = 4.0 * L * curves->ranks[r];
            y[w][RANKS - 1 - r] = fmax(more, least);
            most = fmax(most, more);
        }
        series[w] = (PlotSeries){ .name = WAY[w], .x = x, .y = y[w], .count = RANKS - (curves->more[w][0] < least) };
    }
    figure_plot(lesson, "loss.png",
                "what the loss grows by, against bytes a token, for four ways to choose the "
                "latent, and for averaged heads",
                (Plot){ .title = "The same model over smaller and smaller latents",
                        .x_title = "bytes of the cache a token",
                        .y_title = arena_format(lesson->arena,
                                                "loss grows by, nats a word; at %d bytes joint and "
                                                "joint-W lose nothing",
                                                4 * L * curves->ranks[0]),
                        .series = series,
                        .count = WAYS + 1,
                        .log_y = true,
                        .y_low = least,
                        .y_high = 1.2 * most,
                        .width = 720,
                        .height = 450,
                        .below = &series[JOINT_WEIGHTS] });
}

// ---- both forms on the converted model

// The outputs of all heads in each layer, for one document token by token: how far the two forms are apart, at most.
static double forms_apart(Lesson *lesson, const Subject *s, const Mat *basis)
{
    const Config *c = &s->model.config;
    int T = s->documents[0].T - 1, keys = s->width / 2;
    double worst = 0.0;
    RunBatch batch = run_batch_of_one(lesson->arena, s->documents[0].words, T);
    Run run = run_transformer(lesson->arena, s->model, batch, (Mat){ 0 });
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

// The share of the squares that D numbers leave out of model A's keys and values in layer l of run: keys turned by RoPE
// are no product with x.
static double lost_of_layer(Lesson *lesson, const Run *run, int l)
{
    MlaMoments moments = mla_moments_of_run(lesson->arena, run, l);
    return mla_lost(moments, mla_basis(lesson->arena, moments, run->model.config.D, MLA_JOINT));
}

typedef struct {
    double first, last;
    int D;
} Lost; // of the first layer and of the last one

static Lost lost_with_rope(Lesson *lesson, const char *program)
{
    enum { SEQUENCES = 16, LENGTH = 128, PERIOD = 32 };
    Transformer model = shipped(lesson, program, "induction-32");
    static int tokens[SEQUENCES * LENGTH], targets[LENGTH], start[SEQUENCES + 1];
    Random random = random_from(1700);
    for (int b = 0; b < SEQUENCES; b++) {
        chunks_repeated_sequence(tokens + b * LENGTH, targets, LENGTH, PERIOD, model.config.words, &random);
        start[b + 1] = (b + 1) * LENGTH;
    }
    Run run = run_transformer(lesson->arena, model, (RunBatch){ SEQUENCES, start, tokens, NULL }, (Mat){ 0 });
    return (Lost){ lost_of_layer(lesson, &run, 0), lost_of_layer(lesson, &run, model.config.L - 1), model.config.D };
}

// ---- the step

enum { DOCUMENTS_ENOUGH = 12, HALF = RANKS / 2 };

static void show_ways(Lesson *lesson, const Curves *curves, int L)
{
    Rows table = rows_of(lesson, "what the loss grows by, nats a word", WAY, WAYS);
    table.table.decimals = 4;
    for (int r = 0; r < RANKS; r++)
        rows_add(&table, ROW(curves->more[0][r], curves->more[1][r], curves->more[2][r], curves->more[3][r]),
                 "c = %d, %d bytes", curves->ranks[r], 4 * L * curves->ranks[r]);
    show_rows(lesson, &table);
}

// Averaged heads; of four key heads the other pairs, too.
static void show_pooled(Lesson *lesson, const Subject *s, const Pooled *pooled, const Curves *curves, double plain,
                        bool shipped_one)
{
    static const char *const cols[] = { "grows by", "left out" };
    Rows table = rows_of(lesson, "averaged heads, as in chapter 12; left out: of all squares", cols, 2);
    table.table.decimals = 4;
    for (int n = 0; n < pooled->count; n++)
        rows_add(&table, ROW(pooled->more[n], pooled->out[n]), "G = %d, %.0f bytes", pooled->G[n], pooled->bytes[n]);
    double pairs[4] = { 0 }, out[4];
    for (int other = 1; shipped_one && other <= 3; other++) {
        pairs[other] = pooled_with(lesson, s, other, plain, &out[other]);
        if (other > 1)
            rows_add(&table, ROW(pairs[other], out[other]), "0 with %d, %.0f bytes", other, pooled->bytes[0]);
    }
    if (pooled->count) show_rows(lesson, &table);
    if (!shipped_one) return;
    check(lesson, pooled->more[1] > 10 * curves->more[JOINT_DOCUMENTS][HALF],
          "%.0f bytes: one averaged key head loses "
          "more than ten times as much as a joint latent",
          pooled->bytes[1]);
    check(lesson,
          fabs(pairs[1] - pooled->more[0]) < 1e-4 && fabs(out[1] - pooled->out[0]) < 1e-9 &&
              fmax(pairs[2], pairs[3]) < pooled->more[1] && pooled->more[1] < pooled->more[0] &&
              pooled->out[1] > 1.4 * pooled->out[0],
          "one key head leaves out more than two of neighbours, and loses less; two of other pairs lose still less");
}

static void show_turned(Lesson *lesson, const Subject *s, const Curves *curves)
{
    const Config *c = &s->model.config;
    Rows table = rows_of(lesson,
                         arena_format(lesson->arena,
                                      "language-64: RoPE, G = %d, %d numbers a token a layer; "
                                      "joint",
                                      c->G, s->width),
                         (const char *const[]){ "grows by" }, 1);
    table.table.decimals = 4;
    for (int r = 1; r < RANKS - 1; r++)
        rows_add(&table, ROW(curves->more[0][r]), "c = %d, %d bytes", curves->ranks[r], 4 * c->L * curves->ranks[r]);
    show_rows(lesson, &table);
}

static void with_rope(Lesson *lesson, const char *program, int documents)
{
    Subject s = subject_of(lesson, shipped(lesson, program, "language-64"), documents, 1);
    double plain;
    Curves curves = curves_of(&s, &plain);
    show_turned(lesson, &s, &curves);
    Mat basis[L_MOST];
    bases(lesson->arena, basis, &s, JOINT_DOCUMENTS, curves.ranks[HALF]);
    check(lesson, forms_apart(lesson, &s, basis) < 2e-6, "with RoPE, too, absorbed and expanded give the same");
    Lost lost = lost_with_rope(lesson, program);
    check(lesson, fmin(lost.first, lost.last) > 1e-4,
          "chapter 09's model A has RoPE: as many numbers as its x has, "
          "%d, leave out %.4f of the squares in its first layer and %.4f in its last",
          lost.D, lost.first, lost.last);
    subject_close(&s);
}

void converted(Lesson *lesson, const char *program, const char *path, int documents)
{
    step(lesson, "A trained model, turned into latents");
    by_hand(lesson);
    Subject s = subject_of(lesson, model_without_rope(lesson, program, path), documents, WAYS);
    const Config *config = &s.model.config;
    int L = config->L, full = s.full;
    say(lesson,
        "%d layers, D = %d, H = G = %d, no RoPE. Keys and values: %d numbers a token a layer. Loss over %d "
        "document%s; the basis is from %d others.",
        L, config->D, config->G, s.width, s.count, s.count == 1 ? "" : "s", LEARNT_FROM);

    double plain;
    Curves curves = curves_of(&s, &plain);
    show_ways(lesson, &curves, L);
    say(lesson,
        "The loss with keys and values: %.4f, at %d bytes a token. Whoever knew each word's chance would lose "
        "%.4f, the language's entropy.",
        plain, 4 * L * s.width, entropy_of(&s));
    bool joint = true, aware = true;
    for (int r = 1; r < RANKS; r++) {
        joint = joint && curves.more[JOINT_DOCUMENTS][r] < curves.more[APART_DOCUMENTS][r] &&
                curves.more[JOINT_WEIGHTS][r] < curves.more[APART_WEIGHTS][r];
        aware = aware && (r > HALF || curves.more[JOINT_DOCUMENTS][r] < curves.more[JOINT_WEIGHTS][r]);
    }
    check(lesson,
          fabs(curves.more[JOINT_DOCUMENTS][0]) < 1e-5 && fabs(curves.more[JOINT_WEIGHTS][0]) < 1e-5 &&
              fabs(mla_lost(s.of[0][L - 1], s.whole[0][L - 1])) < 1e-6,
          "c = %d, as many as x has columns: nothing is lost, at %d bytes for %d", full, 4 * L * full, 4 * L * s.width);
    // What one document shows, or another model, may be otherwise: that is for the reader to see.
    bool shipped_one = !path && documents >= DOCUMENTS_ENOUGH;
    Pooled pooled = pooled_heads(lesson, &s, plain);
    if (shipped_one) {
        check(lesson, joint,
              "joint is better than apart at every smaller c, from documents and from the weights alone");
        check(lesson, aware, "down to c = %d, from documents is better than from the weights alone",
              curves.ranks[HALF]);
    }
    show_pooled(lesson, &s, &pooled, &curves, plain, shipped_one);
    Mat basis[L_MOST];
    bases(lesson->arena, basis, &s, JOINT_DOCUMENTS, curves.ranks[HALF]);
    check(lesson, forms_apart(lesson, &s, basis) < 2e-6,
          "absorbed and expanded, token by token, c = %d: the heads of "
          "all layers give the same, within 2 · 10⁻⁶",
          curves.ranks[HALF]);
    with_rope(lesson, program, documents);
    figure_loss(lesson, &curves, &pooled, L);
    subject_close(&s);
}
