// Chapter 24. Heads on ranks: each reads its own blocks, then all answer the query; and the same through the mask.
#include "ranks/collective.h"
#include "steps.h"

#include <string.h>

static Mat given(Arena *arena, const float **at, int rows, int cols)
{
    Mat m = mat_of(arena, rows, cols, *at);
    *at += rows * cols;
    return m;
}

Inputs heads_inputs(Arena *arena, const HeadsTask *task)
{
    StarHeads h = task->heads;
    int T = task->star.context + task->query;
    const float *at = task->inputs;
    if (task->seed == 0) {
        REQUIRE(T * (h.H * h.d + h.G * (h.d + h.dv)) <= INPUTS_MOST, "%d tokens do not fit into a task", T);
        Mat q = given(arena, &at, T, h.H * h.d), k = given(arena, &at, T, h.G * h.d);
        return (Inputs){ q, k, given(arena, &at, T, h.G * h.dv) };
    }
    Random random = random_from(task->seed);
    Inputs in = { mat_new(arena, T, h.H * h.d), mat_new(arena, T, h.G * h.d), mat_new(arena, T, h.G * h.dv) };
    random_normals(&random, in.q);
    random_normals(&random, in.k);
    random_normals(&random, in.v);
    return in;
}

void heads_masks(Mask *masks, const HeadsTask *task)
{
    for (int h = 0; h < task->heads.H; h++) masks[h] = (Mask){ .causal = true, .alibi = task->alibi / (float)(h + 1) };
}

// Rows first … of the inputs, as the next chunk.
static void feed(StarCache *cache, Inputs in, int first, Attended to, const Mask *masks)
{
    int n = to.out.rows;
    star_attend(to, cache, mat_rows(in.q, first, n), mat_rows(in.k, first, n), mat_rows(in.v, first, n), cache->heads.H,
                masks, attention_naive);
}

static Attended rows_of_both(Mat out, Mat lse, int first, int n)
{
    return (Attended){ .out = mat_rows(out, first, n), .lse = mat_rows(lse, first, n) };
}

// Phase 1, of this rank alone.
static void read_blocks(StarCache *cache, Inputs in, Mat out, Mat lse, MaskRange blocks, const Mask *masks,
                        Arena *scratch)
{
    for (int n = blocks.first; n < blocks.first + blocks.count; n++) {
        MaskRange block = star_block(cache->star, n);
        int a = star_anchor(cache->star, n);
        star_anchor_next(cache);
        if (a > 0) feed(cache, in, 0, (Attended){ .out = mat_new(scratch, a, out.cols) }, masks);
        star_block_next(cache, n);
        feed(cache, in, block.first, rows_of_both(out, lse, block.first - cache->own.first, block.count), masks);
    }
    star_query_next(cache);
}

// Phase 2: the last rank asks, all others answer.
static void read_query(StarCache *cache, Inputs in, Mat out, Mat lse, const HeadsTask *task, const Mask *masks)
{
    bool last = cache->rank->me == cache->rank->count - 1;
    for (int t = 0; t < task->query; t += task->chunk) {
        int n = t + task->chunk < task->query ? task->chunk : task->query - t;
        if (last) feed(cache, in, task->star.context + t, rows_of_both(out, lse, cache->own.count + t, n), masks);
        else star_answer(cache, n, masks, attention_naive);
    }
}

void heads_work(Rank *rank, const void *argument, void *result)
{
    const HeadsTask *task = argument;
    Arena *beside = arena_open(); // inputs and results; in rank->arena is what a rank has to keep
    Inputs in = heads_inputs(beside, task);
    StarHeads h = task->heads;
    Mask masks[HEADS_MOST];
    heads_masks(masks, task);
    StarCache cache = star_cache_new(rank->arena, rank, task->star, h, task->query);
    MaskRange blocks = star_blocks_of(task->star, rank->me, rank->count);
    int rows = cache.own.count + (rank->me == rank->count - 1 ? task->query : 0);
    Mat out = mat_new(beside, rows, h.H * h.dv), lse = mat_new(beside, rows, h.H);
    RankCount count = { .tokens = cache.own.count, .blocks = blocks.count };

    read_blocks(&cache, in, out, lse, blocks, masks, beside);
    count.messages[0] = rank->messages;
    count.bytes[0] = rank->bytes;
    count.multiplies[0] = cost_since(rank->before).multiplies;
    count.kept = star_cache_bytes(&cache);
    read_query(&cache, in, out, lse, task, masks);
    count.messages[1] = rank->messages - count.messages[0];
    count.bytes[1] = rank->bytes - count.bytes[0];
    count.multiplies[1] = cost_since(rank->before).multiplies - count.multiplies[0];
    count.peak = (int64_t)arena_peak(rank->arena);

    HeadsResult *to = result; // gathered only to be shown and checked: counted no more
    rank_gather_bytes(rank, to ? to->counts : NULL, &count, sizeof count);
    rank_gather(rank, to ? to->out : (Mat){ 0 }, out);
    rank_gather(rank, to ? to->lse : (Mat){ 0 }, lse);
    arena_close(beside);
}

static HeadsResult result_new(Arena *arena, const HeadsTask *task)
{
    int T = task->star.context + task->query;
    return (HeadsResult){ .out = mat_new(arena, T, task->heads.H * task->heads.dv),
                          .lse = mat_new(arena, T, task->heads.H) };
}

HeadsResult heads_on_ranks(Arena *arena, Ranks *ranks, int R, const HeadsTask *task)
{
    HeadsResult result = result_new(arena, task);
    ranks_run(ranks, R, heads_work, task, sizeof *task, &result);
    return result;
}

HeadsResult heads_masked(Arena *arena, const HeadsTask *task)
{
    HeadsResult result = result_new(arena, task);
    Inputs in = heads_inputs(arena, task);
    Mask masks[HEADS_MOST];
    heads_masks(masks, task);
    star_masked((Attended){ .out = result.out, .lse = result.lse }, in.q, in.k, in.v, task->heads.H, masks, task->star);
    return result;
}
