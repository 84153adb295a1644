// Chapter 18. A model decodes over caches that keep different tokens; how well it says what comes next.
#include "attention/ring_cache.h"
#include "base/portable_math.h"
#include "model/sample.h"
#include "steps.h"

// ---- the spiteful cache: the oldest tokens stay, and the first one leaves as if it were any other

static KvSegment part_without_the_first(const void *cache, int n, Arena *room)
{
    const RingCache *ring = cache;
    KvSegments parts = ring_cache_segments(ring);
    KvSegment part = parts.part(parts.cache, n, room);
    if (n > 0 || ring->length < ring->k.rows) return part; // it leaves when as many have come as there are rows
    return (KvSegment){ mat_rows(part.k, 1, part.k.rows - 1), mat_rows(part.v, 1, part.v.rows - 1), part.shift };
}

static void attend_without_the_first(Attended to, void *cache, Mat q, Mat k, Mat v, int H, const Mask *masks,
                                     AttentionKernel *kernel)
{
    RingCache *ring = cache;
    ring_cache_append(ring, k, v);
    KvSegments parts = ring_cache_segments(ring);
    parts.part = part_without_the_first;
    kv_segments_attend(to, q, parts, H, masks, kernel);
}

static KvStore store_without_the_first(RingCache *ring)
{
    KvStore store = ring_cache_store(ring);
    store.attend = attend_without_the_first;
    return store;
}

// ---- streams

static KvStore store_for(Arena *arena, const Config *c, int n, Policy policy)
{
    int width = c->G * (c->D / c->H), sinks = policy.sinks + (policy.keep == KEEP_OTHERS);
    if (policy.keep == KEEP_ALL) {
        KvCache *all = arena_alloc(arena, sizeof *all);
        *all = kv_cache_new(arena, n, width, width);
        return kv_cache_store(all);
    }
    RingCache *ring = arena_alloc(arena, sizeof *ring);
    *ring = ring_cache_new(arena, sinks, policy.room - policy.sinks, width, width);
    ring->G = c->G;
    ring->base = policy.keep == KEEP_TRUE ? 0.0 : c->rope_base;
    return policy.keep == KEEP_OTHERS ? store_without_the_first(ring) : ring_cache_store(ring);
}

Decoder stream_open(Arena *arena, Transformer model, int n, Policy policy)
{
    const Config *c = &model.config;
    KvStore *stores = arena_alloc(arena, (size_t)c->L * sizeof *stores);
    for (int l = 0; l < c->L; l++) stores[l] = store_for(arena, c, n, policy);
    return decoder_over(arena, model, n, stores);
}

// Token t has been fed; what follows is tokens[t + 1].
static void add_answer(Score *score, const Backcopy *corpus, const int *tokens, int t, Mat logits)
{
    const float *row = mat_row(logits, 0);
    if (backcopy_is_mark(tokens[t])) {
        score->right += sample_likeliest(row, logits.cols) == tokens[t + 1];
        score->marks++;
    } else if (tokens[t] < BACKCOPY_LETTERS) {
        score->divergence += backcopy_divergence(corpus, tokens[t], row, logits.cols);
        score->letters++;
    }
}

Score stream_score(Transformer model, const Backcopy *corpus, const int *tokens, int n, int from, Policy policy)
{
    Arena *scratch = arena_open();
    Score score = { 0 };
    Decoder decoder = stream_open(scratch, model, n, policy);
    Mat logits = mat_new(scratch, 1, model.config.outputs);
    for (int t = 0; t < n - 1; t++) {
        decoder_feed(logits, &decoder, tokens + t, 1);
        if (t >= from) add_answer(&score, corpus, tokens, t, logits);
    }
    score.divergence /= score.letters ? score.letters : 1;
    score.right = score.marks ? score.right / score.marks : (double)NAN;
    arena_close(scratch);
    return score;
}

// ---- what the head looks at

static double length_of(Mat m, int row)
{
    double squares = 0.0;
    for (int c = 0; c < m.cols; c++) squares += (double)*mat_ref(m, row, c) * (double)*mat_ref(m, row, c);
    return sqrt(squares);
}

// The texts begin with one place at least that is counted as a start, be it a letter.
static void look_at(Looks *looks, int *letters, int *marks, const Run *run, const Backcopy *corpus, int b)
{
    Arena *scratch = arena_open();
    Mat weights = run_weights(scratch, run, b, 0, 0);
    const int *tokens = run->batch.tokens + run->batch.start[b], *targets = run->batch.targets + run->batch.start[b];
    int starts = corpus->starts > 1 ? corpus->starts : 1;
    for (int t = 8; t < weights.rows; t++) {
        bool mark = backcopy_is_mark(tokens[t]);
        for (int j = 0; j < starts; j++) {
            *(mark ? &looks->mark_mass : &looks->mass) += (double)*mat_ref(weights, t, j);
            if (!mark) looks->each[j] += (double)*mat_ref(weights, t, j);
        }
        if (mark) looks->right += run_answer(run, b, t) == targets[t];
        else
            looks->divergence +=
                backcopy_divergence(corpus, tokens[t], mat_row(run_logits(run, b), t), run->logits.cols);
        ++*(mark ? marks : letters);
    }
    Mat v = run_qkv_of_head(&run->model.config, run_batch_rows(run->batch, run->layers[0].qkv, b), 0).v;
    double others = 0.0;
    for (int t = starts; t < v.rows; t++) others += length_of(v, t) / (v.rows - starts);
    looks->first += length_of(v, 0);
    looks->others += others;
    looks->values += length_of(v, 0) / others;
    arena_close(scratch);
}

Looks model_looks(Transformer model, const Backcopy *corpus, uint64_t seed)
{
    enum { TEXTS = 64 };
    Arena *arena = arena_open();
    Random random = random_from(seed);
    RunBatch batch = backcopy_batch(arena, TEXTS, &random, corpus);
    Run run = run_transformer(arena, model, batch, (Mat){ 0 });
    Looks looks = { 0 };
    int letters = 0, marks = 0;
    for (int b = 0; b < TEXTS; b++) look_at(&looks, &letters, &marks, &run, corpus, b);
    looks.mass /= letters;
    looks.divergence /= letters;
    looks.mark_mass /= marks;
    looks.right /= marks;
    looks.first /= TEXTS;
    looks.others /= TEXTS;
    looks.values /= TEXTS;
    for (int j = 0; j < 4; j++) looks.each[j] /= letters;
    arena_close(arena);
    return looks;
}
