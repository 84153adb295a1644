// Chapter 24, step 6. Model C on ranks: each reads its blocks of a document, the last one goes on with it.
#include "base/portable_math.h"
#include "model/sample.h"
#include "ranks/collective.h"
#include "steps.h"
#include "train/bundled.h"

#include <stdio.h>
#include <string.h>

enum { NEW = 16, ASKED_FOR = 16, PATH_MOST = 1024 }; // words generated; words of the query

typedef struct {
    Star star;
    int tokens[DOCUMENT_WORDS];
    char path[PATH_MOST];
} ModelTask;

typedef struct {
    int64_t messages[2], bytes[2], kept;
} ModelCount;
typedef struct {
    Mat logits;  // (ASKED_FOR + NEW, outputs)
    Mat anchors; // (ranks · anchor, G d)  the upper layer's keys of the anchor
    int tokens[NEW];
    ModelCount counts[RANKS_MOST];
} ModelResult;

// Phase 1 with a whole model: the anchor, if it is not this rank's own, and then each block, layer after layer. Keys of
// the last anchor that was read, in the upper layer, are copied: (anchor, G d).
static void read_blocks(Decoder *decoder, StarCache *caches, const ModelTask *task, MaskRange blocks, Mat anchor)
{
    Arena *scratch = arena_open();
    int L = decoder->model.config.L;
    Mat unused = mat_new(scratch, task->star.block, decoder->model.config.outputs);
    for (int n = blocks.first; n < blocks.first + blocks.count; n++) {
        MaskRange block = star_block(task->star, n);
        int a = star_anchor(task->star, n);
        for (int l = 0; l < L; l++) star_anchor_next(&caches[l]);
        if (a > 0) decoder_feed(mat_rows(unused, 0, a), decoder, task->tokens, a);
        if (a > 0) mat_set(anchor, kv_cache_filled(caches[L - 1].anchor).k);
        for (int l = 0; l < L; l++) star_block_next(&caches[l], n);
        decoder_feed(mat_rows(unused, 0, block.count), decoder, task->tokens + block.first, block.count);
        if (n == 0) mat_set(anchor, mat_rows(caches[L - 1].cache.k, 0, task->star.anchor));
    }
    for (int l = 0; l < L; l++) star_query_next(&caches[l]);
    arena_close(scratch);
}

// The last rank: the query in one chunk, then word by word.
static void ask(Decoder *decoder, const ModelTask *task, Mat logits, int *tokens)
{
    decoder_feed(mat_rows(logits, 0, ASKED_FOR), decoder, task->tokens + task->star.context, ASKED_FOR);
    for (int t = 0; t < NEW; t++) {
        tokens[t] = sample_likeliest(mat_row(logits, ASKED_FOR + t - 1), logits.cols);
        decoder_feed(mat_rows(logits, ASKED_FOR + t, 1), decoder, &tokens[t], 1);
    }
}

// All others: as often as the last one asks, layer by layer.
static void answer(StarCache *caches, const Config *c)
{
    Mask masks[HEADS_MOST];
    for (int t = 0; t <= NEW; t++)
        for (int l = 0; l < c->L; l++) {
            for (int h = 0; h < c->H; h++) masks[h] = config_mask(c, l, h);
            star_answer(&caches[l], t == 0 ? ASKED_FOR : 1, masks, attention_naive);
        }
}

// From the last rank to rank 0, which shows it.
static void hand_over(Rank *rank, Mat logits, int *tokens)
{
    int last = rank->count - 1;
    if (rank->count == 1) return;
    if (rank->me == last) {
        rank_wait(rank, rank_send_mat(rank, 0, logits, "logits"));
        rank_wait(rank, rank_send(rank, 0, tokens, NEW * sizeof *tokens, "words"));
    }
    if (rank->me == 0) {
        rank_wait(rank, rank_receive_mat(rank, last, logits, "logits"));
        rank_wait(rank, rank_receive(rank, last, tokens, NEW * sizeof *tokens, "words"));
    }
}

void model_work(Rank *rank, const void *argument, void *result)
{
    const ModelTask *task = argument;
    Arena *beside = arena_open(); // every rank has the weights
    Transformer model;
    Error error;
    if (!bundled_plain_model(&model, beside, "", "", task->path, &error)) rank_fail(rank, "%s", error.text);
    const Config *c = &model.config;
    StarCache *caches = arena_alloc(beside, (size_t)c->L * sizeof *caches);
    KvStore *stores = arena_alloc(beside, (size_t)c->L * sizeof *stores);
    for (int l = 0; l < c->L; l++) {
        caches[l] = star_cache_new(rank->arena, rank, task->star, star_heads(c), ASKED_FOR + NEW);
        stores[l] = star_cache_store(&caches[l]);
    }
    Decoder decoder = decoder_over(beside, model, task->star.context + ASKED_FOR + NEW, stores);
    Mat logits = mat_new(beside, ASKED_FOR + NEW, c->outputs);
    Mat anchor = mat_new(beside, task->star.anchor, c->G * (c->D / c->H));
    int tokens[NEW] = { 0 };
    ModelCount count = { { 0 }, { 0 }, 0 };

    read_blocks(&decoder, caches, task, star_blocks_of(task->star, rank->me, rank->count), anchor);
    count.messages[0] = rank->messages;
    count.bytes[0] = rank->bytes;
    for (int l = 0; l < c->L; l++) count.kept += star_cache_bytes(&caches[l]);
    if (rank->me == rank->count - 1) ask(&decoder, task, logits, tokens);
    else answer(caches, c);
    count.messages[1] = rank->messages - count.messages[0];
    count.bytes[1] = rank->bytes - count.bytes[0];

    ModelResult *to = result;
    rank_gather_bytes(rank, to ? to->counts : NULL, &count, sizeof count);
    rank_gather(rank, to ? to->anchors : (Mat){ 0 }, anchor);
    hand_over(rank, logits, tokens);
    if (to) mat_set(to->logits, logits);
    if (to) memcpy(to->tokens, tokens, sizeof tokens);
    arena_close(beside);
}

static ModelResult model_on_ranks(Arena *arena, Ranks *ranks, int R, const Config *c, const ModelTask *task)
{
    ModelResult result = { .logits = mat_new(arena, ASKED_FOR + NEW, c->outputs),
                           .anchors = mat_new(arena, R * task->star.anchor, c->G * (c->D / c->H)) };
    ranks_run(ranks, R, model_work, task, sizeof *task, &result);
    return result;
}

// Ranks that have read something have the same keys of the anchor, to the bit: nobody had to send them.
static bool same_anchors(const ModelTask *task, Mat anchors, int R)
{
    int a = task->star.anchor;
    for (int r = 1; r < R; r++)
        if (star_blocks_of(task->star, r, R).count > 0 &&
            !mat_equal(mat_rows(anchors, r * a, a), mat_rows(anchors, (R - 1) * a, a)))
            return false;
    return true;
}

static const char *text_of(Arena *arena, const int *words, int count)
{
    const char *text = "";
    for (int t = 0; t < count; t++)
        text = arena_format(arena, "%s%s%s", text, t ? " " : "", document_word_text(words[t]));
    return text;
}

void a_model_on_ranks(Lesson *lesson, Transformer model, const Asked *asked)
{
    step(lesson, "A model on ranks");
    static const char *const cols[] = { "read in", "KB kept", "sent, 1", "messages", "sent, 2" };
    Arena *arena = lesson->arena;
    const Config *c = &model.config;
    ModelTask task = { .star = { CONTEXT, 24, 24 } };
    Random random = random_from(2401);
    DocumentSample *document = arena_alloc(arena, sizeof *document);
    document_draw(document, DOCUMENT_WORDS, &random);
    memcpy(task.tokens, document->words, sizeof task.tokens);
    snprintf(task.path, sizeof task.path, "%s", asked->model_path);
    int R = asked->ranks->count, d = c->D / c->H;
    ModelResult one = model_on_ranks(arena, asked->ranks, 1, c, &task);
    ModelResult ours = model_on_ranks(arena, asked->ranks, R, c, &task);
    Rows table = rows_of(lesson, "96 words in blocks of 24; 16 ask at once; 16 new ones, one by one", cols, 5);
    table.table.decimals = 3;
    table.table.whole = 29;
    int64_t sent = 0, expected = 4LL * c->L * (ASKED_FOR + NEW) * (R - 1) * c->H * (d + d + 1);
    for (int r = 0; r < R; r++) {
        const ModelCount *n = &ours.counts[r];
        rows_add(&table,
                 ROW(star_own(task.star, r, R).count, (double)n->kept / 1e3, (double)n->bytes[0],
                     (double)n->messages[1], (double)n->bytes[1]),
                 "rank %d", r);
        sent += n->bytes[1];
    }
    show_rows(lesson, &table);
    say(lesson, "Messages: %d rounds in %d layers; in each the last rank asks all others.", NEW + 1, c->L);
    say(lesson, "The query ends: \"%s\". All ranks together go on: \"%s\"",
        text_of(arena, task.tokens + CONTEXT + ASKED_FOR - 6, 6), text_of(arena, ours.tokens, NEW));
    cost(lesson, "bytes sent in all", sent, "4 L n (R-1) (H d + H (dv+1)), n tokens", expected);
    check(lesson,
          mat_max_difference(one.logits, ours.logits) < 1e-4 && !memcmp(one.tokens, ours.tokens, sizeof one.tokens),
          "one rank says the same words, its logits less than 0.0001 apart");
    check(lesson, same_anchors(&task, ours.anchors, R),
          "each rank has made the same keys for the anchor, to the bit: it sees nothing but itself");
}
