// Chapter 24. Model C reads the context of a document in blocks, or as it always does, and then the query.
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "base/threads.h"
#include "model/sample.h"
#include "steps.h"

typedef struct {
    Transformer model;
    RunBatch documents;
    Reading reading;
    Read *of;
} Job;

StarHeads star_heads(const Config *c) { return (StarHeads){ c->H, c->G, c->D / c->H, c->D / c->H }; }

// The words before block n, and the position of the first of them.
static int words_before(int *words, const int *tokens, Reading reading, MaskRange block, int b)
{
    int a = reading.anchor;
    Random random = random_from((uint64_t)(1000 * b + block.first));
    for (int t = 0; t < a; t++) switch (reading.before) {
        case BEFORE_FIRST:
        case BEFORE_SHUFFLED: words[t] = tokens[t]; break;
        case BEFORE_PREVIOUS: words[t] = tokens[block.first - a + t]; break;
        case BEFORE_RANDOM: words[t] = random_below(&random, document_words()); break;
        case BEFORE_ONE_WORD: words[t] = document_word_named("the"); break;
        }
    for (int t = a - 1; t > 0 && reading.before == BEFORE_SHUFFLED; t--) {
        int other = random_below(&random, t + 1), word = words[t];
        words[t] = words[other];
        words[other] = word;
    }
    return reading.stands == STANDS_FIRST ? 0 : block.first - a;
}

// In blocks: logits (QUERY, outputs) of the query.
static void read_in_blocks(Arena *arena, Mat logits, Transformer model, const int *tokens, Reading reading, int b)
{
    const Config *c = &model.config;
    Star star = { CONTEXT, reading.block, reading.anchor };
    StarCache *caches = arena_alloc(arena, (size_t)c->L * sizeof *caches);
    KvStore *stores = arena_alloc(arena, (size_t)c->L * sizeof *stores);
    for (int l = 0; l < c->L; l++) {
        caches[l] = star_cache_new(arena, NULL, star, star_heads(c), QUERY);
        stores[l] = star_cache_store(&caches[l]);
    }
    Decoder decoder = decoder_over(arena, model, CONTEXT + QUERY, stores);
    Mat unused = mat_new(arena, CONTEXT, c->outputs);
    int words[CONTEXT];
    for (int n = 0; n < star_blocks(star); n++) {
        MaskRange block = star_block(star, n);
        if (star_anchor(star, n) > 0) {
            int at = words_before(words, tokens, reading, block, b);
            for (int l = 0; l < c->L; l++) {
                star_anchor_next(&caches[l]);
                caches[l].at = at;
            }
            decoder_feed(mat_rows(unused, 0, star.anchor), &decoder, words, star.anchor);
        }
        for (int l = 0; l < c->L; l++) star_block_next(&caches[l], n);
        decoder_feed(mat_rows(unused, 0, block.count), &decoder, tokens + block.first, block.count);
    }
    for (int l = 0; l < c->L; l++) star_query_next(&caches[l]);
    decoder_feed(logits, &decoder, tokens + CONTEXT, QUERY);
}

// Through a window, or none: the context with it, the query without.
static void read_through_window(Arena *arena, Mat logits, Transformer model, const int *tokens, int window, bool narrow)
{
    const Config *c = &model.config;
    Decoder decoder = decoder_new(arena, model, CONTEXT + QUERY);
    int *windows = arena_alloc(arena, (size_t)c->L * sizeof *windows);
    for (int l = 0; l < c->L; l++) windows[l] = window;
    decoder.model.config.window = windows;
    decoder_feed(mat_new(arena, CONTEXT, c->outputs), &decoder, tokens, CONTEXT);
    if (!narrow) decoder.model.config.window = NULL;
    decoder_feed(logits, &decoder, tokens + CONTEXT, QUERY);
}

static void read_document(int b, void *context)
{
    Job *job = context;
    Arena *arena = arena_open();
    int outputs = job->model.config.outputs, first = job->documents.start[b];
    const int *tokens = job->documents.tokens + first, *targets = job->documents.targets + first + CONTEXT;
    Mat logits = mat_new(arena, QUERY, outputs), full = mat_new(arena, QUERY, outputs);
    read_through_window(arena, full, job->model, tokens, 0, false);
    if (job->reading.block) read_in_blocks(arena, logits, job->model, tokens, job->reading, b);
    else read_through_window(arena, logits, job->model, tokens, job->reading.window, job->reading.narrow);
    for (int t = 0; t < QUERY; t++) {
        const float *row = mat_row(logits, t), *all = mat_row(full, t);
        double sum = (double)logsumexp(row, outputs), sum_all = (double)logsumexp(all, outputs);
        job->of[b].loss += sum - (double)row[targets[t]];
        job->of[b].agree += sample_likeliest(row, outputs) == sample_likeliest(all, outputs);
        for (int o = 0; o < outputs; o++)
            job->of[b].divergence += exp((double)all[o] - sum_all) * ((double)all[o] - sum_all - (double)row[o] + sum);
    }
    arena_close(arena);
}

Read reading_measured(Transformer model, RunBatch documents, Reading reading)
{
    Arena *arena = arena_open();
    Job job = { model, documents, reading, arena_alloc(arena, (size_t)documents.count * sizeof(Read)) };
    threads_parallel_for(documents.count, read_document, &job);
    Read mean = { 0, 0, 0 };
    double n = (double)documents.count * QUERY;
    for (int b = 0; b < documents.count; b++) {
        mean.loss += job.of[b].loss / n;
        mean.divergence += job.of[b].divergence / n;
        mean.agree += job.of[b].agree / n;
    }
    arena_close(arena);
    return mean;
}
