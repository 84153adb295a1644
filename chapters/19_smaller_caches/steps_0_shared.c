// Chapter 19. What its steps share: model C over caches of any kind, its documents, a planted outlier.
#include "base/portable_math.h"
#include "base/threads.h"
#include "language/language.h"
#include "model/decode.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

Mat random_mat(Lesson *lesson, int rows, int cols)
{
    Mat m = mat_new(lesson->arena, rows, cols);
    random_normals(&lesson->random, m);
    return m;
}

RunBatch documents_of(Arena *arena, int count)
{
    Random random = random_from(1900);
    return document_batch(arena, count, &random, NULL);
}

QuantisedFormat format_of(QuantisedKind kind, int block)
{
    return (QuantisedFormat){ kind, block, 16, QUANTISED_PER_CHANNEL, QUANTISED_PER_TOKEN };
}

double float_bytes(const Config *c)
{
    int owners = 0;
    for (int l = 0; l < c->L; l++) owners += config_owner(c, l) == l;
    return 4.0 * 2 * c->G * (c->D / c->H) * owners;
}

// ---- an outlier

static void scale_pair(Mat head, float by)
{
    for (int i = 0; i < head.rows; i++)
        for (int c = 0; c < 2; c++) *mat_ref(head, i, c) *= by;
}

// The first pair of every key head times s, the same pair of the queries that read it divided by s: q · k stays.
// RoPE turns a pair within itself, so it does not matter that it comes later.
Transformer with_outlier(Arena *arena, Transformer model, float s)
{
    const Config *c = &model.config;
    Transformer copy = transformer_new(arena, *c);
    transformer_set(copy, model);
    for (int l = 0; l < c->L; l++) {
        Mat w = copy.layers[l].wqkv;
        for (int h = 0; h < c->H; h++) scale_pair(run_qkv_head(c, w, RUN_QKV_Q, h), 1.0f / s);
        for (int g = 0; g < c->G && config_owner(c, l) == l; g++) scale_pair(run_qkv_head(c, w, RUN_QKV_K, g), s);
    }
    return copy;
}

// ---- a model over caches

static KvStore store_of(Arena *arena, const Config *c, Way way, int T, int layer)
{
    int width = c->G * (c->D / c->H);
    switch (way.keeping) {
    case KEEP_FLOATS:
    case KEEP_PAIRS: {
        KvCache *cache = arena_alloc(arena, sizeof *cache);
        *cache = kv_cache_new(arena, T, width, width);
        return kv_cache_store(cache);
    }
    case KEEP_CODES: {
        QuantisedCache *cache = arena_alloc(arena, sizeof *cache);
        *cache = quantised_new(arena, way.format, T, width, width);
        return quantised_store(cache);
    }
    default: {
        EvictingCache *cache = arena_alloc(arena, sizeof *cache);
        *cache = evicting_new(arena, way.policy, way.budget, c->G, width, width, (uint64_t)(1 + layer));
        return evicting_store(cache);
    }
    }
}

static double loss_of_row(const float *logits, int n, int target)
{
    double most = -INFINITY, sum = 0.0;
    for (int o = 0; o < n; o++) most = fmax(most, (double)logits[o]);
    for (int o = 0; o < n; o++) sum += exp((double)logits[o] - most);
    return log(sum) + most - (double)logits[target];
}

// Layers in pairs read one cache: the second keeps its Wq, and looks at the keys and values of the first. What it made
// of its own is gone; the model was not trained for that.
static Transformer in_pairs(Arena *arena, Transformer model)
{
    Config config = model.config;
    config.share = 2;
    Transformer copy = transformer_new(arena, config);
    for (int p = 0; p < copy.count; p++) // the same tables, but for Wq | Wk | Wv that is Wq alone now
        mat_set(copy.table[p].at, mat_cols(model.table[p].at, 0, copy.table[p].at.cols));
    return copy;
}

typedef struct {
    Transformer model, reads; // reads: the same model, or in pairs of layers
    RunBatch documents;
    Way way;
    double *loss, *bytes, *right; // of each document; right: the squares of all that its heads give
    double *off;                  // squares, of each word in each layer and head
    int *asked;
} Job;

// Every layer's queries over such a cache, and what its heads give then, beside what they gave in the model: what one
// layer gets wrong does not add to the next one's.
static void compare_heads(Job *job, int b, Arena *arena, RunBatch document)
{
    const Config *c = &job->model.config, *pairs = &job->reads.config;
    Run run = run_transformer(arena, job->model, document, (Mat){ 0 });
    int T = document.start[1], width = c->G * (c->D / c->H);
    Mask *masks = arena_alloc(arena, (size_t)c->H * sizeof *masks);
    for (int l = 0; l < c->L; l++) {
        KvStore store = store_of(arena, c, job->way, T, l);
        Mat keys = mat_cols(run.layers[config_owner(pairs, l)].qkv, c->D, 2 * width), got = mat_new(arena, T, c->D);
        for (int h = 0; h < c->H; h++) masks[h] = config_mask(c, l, h);
        store.attend((Attended){ .out = got }, store.cache, mat_cols(run.layers[l].qkv, 0, c->D),
                     mat_cols(keys, 0, width), mat_cols(keys, width, width), c->H, masks, attention_naive);
        double *off = job->off + ((ptrdiff_t)job->documents.start[b] * c->L + (ptrdiff_t)l * T) * c->H;
        for (int t = 0; t < T; t++)
            for (int i = 0; i < c->D; i++) {
                double want = mat_value(run.layers[l].heads, t, i);
                off[t * c->H + i / (c->D / c->H)] += pow(mat_value(got, t, i) - want, 2.0);
                job->right[b] += want * want;
            }
    }
}

static int larger_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void measure_document(int b, void *context)
{
    Job *job = context;
    const Config *c = &job->reads.config;
    Arena *arena = arena_open();
    int first = job->documents.start[b], T = job->documents.start[b + 1] - first;
    KvStore *stores = arena_alloc(arena, (size_t)c->L * sizeof *stores);
    for (int l = 0; l < c->L; l++)
        if (config_owner(c, l) == l) stores[l] = store_of(arena, c, job->way, T, l);
    Decoder decoder = decoder_over(arena, job->reads, T, stores);
    Mat logits = mat_new(arena, T, c->outputs);
    decoder_feed(logits, &decoder, job->documents.tokens + first, T);
    for (int t = 0; t < T; t++) {
        int target = job->documents.targets[first + t];
        if (target < 0) continue;
        job->loss[b] += loss_of_row(mat_row(logits, t), c->outputs, target);
        job->asked[b]++;
    }
    job->bytes[b] = (double)decoder_bytes(&decoder) / T;
    compare_heads(job, b, arena, run_batch_of_one(arena, job->documents.tokens + first, T));
    arena_close(arena);
}

static double *zeros(Arena *arena, int n) { return arena_alloc(arena, (size_t)n * sizeof(double)); }

Measured measure_way(Transformer model, RunBatch documents, Way way)
{
    Arena *arena = arena_open();
    int n = documents.count, places = documents.start[n] * model.config.L * model.config.H;
    Job job = { model,
                way.keeping == KEEP_PAIRS ? in_pairs(arena, model) : model,
                documents,
                way,
                zeros(arena, n),
                zeros(arena, n),
                zeros(arena, n),
                zeros(arena, places),
                arena_alloc(arena, (size_t)n * sizeof(int)) };
    threads_parallel_for(n, measure_document, &job);
    double loss = 0.0, bytes = 0.0, right = 0.0, off = 0.0, tenth = 0.0;
    int asked = 0;
    for (int b = 0; b < n; b++) {
        loss += job.loss[b];
        asked += job.asked[b];
        bytes += job.bytes[b] / n;
        right += job.right[b];
    }
    qsort(job.off, (size_t)places, sizeof *job.off, larger_first);
    for (int p = 0; p < places; p++) {
        off += job.off[p];
        if (p < places / 10) tenth += job.off[p];
    }
    arena_close(arena);
    return (Measured){ loss / asked, bytes, sqrt(off / right), off > 0.0 ? tenth / off : 0.0 };
}

Measured from_table(TableRows rows, const char *name)
{
    for (int r = 0; r < rows.values.rows; r++)
        if (!strcmp(rows.names[r], name))
            return (Measured){ mat_value(rows.values, r, LOSS), mat_value(rows.values, r, BYTES),
                               rows.values.cols > ERROR ? mat_value(rows.values, r, ERROR) : (double)NAN, (double)NAN };
    Error error;
    error_set(&error, "the table of caches has no row \"%s\"; --retrain DIR makes it anew", name);
    lesson_fail(&error);
}
