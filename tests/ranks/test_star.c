// Tests of lib/ranks/star.c: cuts, the mask, two phases on ranks held against attention in float64, messages, bytes.
#include "ranks/star.h"

#include "attention/online.h"
#include "attention/positions.h"
#include "base/portable_math.h"
#include "base/random.h"
#include "ranks/collective.h"
#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>

static const int counts[] = { 1, 2, 3, 4, 7 };
enum { COUNTS = sizeof counts / sizeof *counts };

// The mask, word by word: own block, anchor, no future; the query everything.
TEST(who_sees_whom)
{
    for (int anchor = 0; anchor <= 4; anchor++) {
        Star star = { 14, 4, anchor };
        int64_t pairs = 0;
        for (int i = 0; i < 18; i++)
            for (int j = 0; j < 18; j++) {
                bool same = (i < 4 && j < 4) || (i >= 4 && i < 8 && j >= 4 && j < 8) ||
                            (i >= 8 && i < 12 && j >= 8 && j < 12) || (i >= 12 && j >= 12);
                bool sees = j <= i && (i >= 14 || same || j < anchor);
                ck_assert_msg(star_sees(star, i, j) == sees, "anchor %d: %d and %d", anchor, i, j);
                pairs += i < 14 && sees;
            }
        ck_assert_int_eq(star_pairs(star), pairs);
    }
}

typedef struct {
    Star star;
    StarHeads heads;
    int more, chunk; // tokens of the query; how many at once
    float alibi;
    int window;
    uint64_t seed;
} Task;

typedef struct {
    Mat q, k, v;
} Inputs;

// Every rank can make all of them, and takes its own.
static Inputs inputs_of(Arena *in, const Task *task)
{
    Random random = random_from(task->seed);
    int T = task->star.context + task->more;
    StarHeads h = task->heads;
    Inputs inputs = { mat_new(in, T, h.H * h.d), mat_new(in, T, h.G * h.d), mat_new(in, T, h.G * h.dv) };
    random_normals(&random, inputs.q);
    random_normals(&random, inputs.k);
    random_normals(&random, inputs.v);
    return inputs;
}

static void masks_of(Mask *masks, const Task *task)
{
    for (int h = 0; h < task->heads.H; h++)
        masks[h] = (Mask){ .causal = true, .window = task->window, .alibi = task->alibi / (float)(h + 1) };
}

typedef struct {
    int64_t messages[2], bytes[2], kept;
    int tokens;
} Count;
typedef struct {
    Mat out, lse;
    Count counts[RANKS_MOST];
} Result;

static void feed(StarCache *cache, Inputs in, int first, int n, Attended to, const Mask *masks)
{
    star_attend(to, cache, mat_rows(in.q, first, n), mat_rows(in.k, first, n), mat_rows(in.v, first, n), cache->heads.H,
                masks, attention_online);
}

static void two_phases(Rank *rank, const void *argument, void *result)
{
    const Task *task = argument;
    Arena *own_arena = arena_open();
    Inputs in = inputs_of(own_arena, task);
    StarHeads h = task->heads;
    Star star = task->star;
    Mask masks[16];
    masks_of(masks, task);
    StarCache cache = star_cache_new(rank->arena, rank, star, h, task->more);
    MaskRange own = cache.own, blocks = star_blocks_of(star, rank->me, rank->count);
    bool last = rank->me == rank->count - 1;
    int rows = own.count + (last ? task->more : 0);
    Mat out = mat_new(own_arena, rows, h.H * h.dv), lse = mat_new(own_arena, rows, h.H);
    Count count = { .tokens = own.count };

    for (int n = blocks.first; n < blocks.first + blocks.count; n++) {
        MaskRange block = star_block(star, n);
        int a = star_anchor(star, n), row = block.first - own.first;
        star_anchor_next(&cache);
        if (a > 0) feed(&cache, in, 0, a, (Attended){ .out = mat_new(own_arena, a, out.cols) }, masks);
        star_block_next(&cache, n);
        feed(&cache, in, block.first, block.count,
             (Attended){ mat_rows(out, row, block.count), mat_rows(lse, row, block.count), { 0 } }, masks);
    }
    count.messages[0] = rank->messages;
    count.bytes[0] = rank->bytes;
    star_query_next(&cache);
    count.kept = star_cache_bytes(&cache);
    for (int t = 0; t < task->more; t += task->chunk) {
        int n = t + task->chunk > task->more ? task->more - t : task->chunk;
        if (!last) star_answer(&cache, n, masks, attention_online);
        else
            feed(&cache, in, star.context + t, n,
                 (Attended){
                     mat_rows(out, own.count + t, n), t % 2 ? (Mat){ 0 } : mat_rows(lse, own.count + t, n), { 0 } },
                 masks);
    }
    count.messages[1] = rank->messages - count.messages[0];
    count.bytes[1] = rank->bytes - count.bytes[0];
    Result *to = result;
    rank_gather_bytes(rank, to ? to->counts : NULL, &count, sizeof count);
    rank_gather(rank, to ? to->out : (Mat){ 0 }, out);
    rank_gather(rank, to ? to->lse : (Mat){ 0 }, lse);
    arena_close(own_arena);
}

// The definition in float64: the scores of each pair in sight, their softmax, the values' sum.
static void expected_of(double *out, double *lse, const Task *task)
{
    Inputs in = inputs_of(arena, task);
    StarHeads s = task->heads;
    int T = in.q.rows;
    double *scores = arena_alloc(arena, (size_t)T * sizeof *scores);
    double *weights = arena_alloc(arena, (size_t)T * sizeof *weights);
    Mask masks[16];
    masks_of(masks, task);
    for (int i = 0; i < T; i++)
        for (int h = 0; h < s.H; h++) {
            int g = h / (s.H / s.G);
            for (int j = 0; j < T; j++) {
                double sum = 0;
                for (int c = 0; c < s.d; c++)
                    sum += (double)*mat_ref(in.q, i, h * s.d + c) * (double)*mat_ref(in.k, j, g * s.d + c);
                bool sees = star_sees(task->star, i, j) && reference_sees(masks[h], i, j, T, T);
                scores[j] = sees ? sum / sqrt(s.d) - (double)masks[h].alibi * abs(i - j) : -INFINITY;
            }
            reference_softmax(weights, scores, T);
            lse[i * s.H + h] = reference_logsumexp(scores, T);
            for (int c = 0; c < s.dv; c++) {
                double *to = &out[(i * s.H + h) * s.dv + c];
                *to = 0;
                for (int j = 0; j < T; j++) *to += weights[j] * (double)*mat_ref(in.v, j, g * s.dv + c);
            }
        }
}

// Rows whose lse nobody has asked for.
static bool asked(const Task *task, int i)
{
    int t = i - task->star.context;
    return t < 0 || (t / task->chunk * task->chunk) % 2 == 0;
}

static void hold(const Task *task, int R)
{
    StarHeads h = task->heads;
    int T = task->star.context + task->more;
    double *out = arena_alloc(arena, (size_t)(T * h.H * h.dv + 1) * sizeof *out);
    double *lse = arena_alloc(arena, (size_t)(T * h.H + 1) * sizeof *lse);
    Result result = { .out = mat_new(arena, T, h.H * h.dv), .lse = mat_new(arena, T, h.H) };
    Ranks ranks = ranks_open(NULL, 0);
    case_is("R = %d, context %d in blocks of %d, anchor %d, query %d by %d, H %d, G %d, alibi %g, window %d", R,
            task->star.context, task->star.block, task->star.anchor, task->more, task->chunk, h.H, h.G,
            (double)task->alibi, task->window);
    ranks_run(&ranks, R, two_phases, task, sizeof *task, &result);
    expected_of(out, lse, task);
    assert_close(result.out, out, 0, 1e-5);
    for (int i = 0; i < T; i++)
        if (!asked(task, i))
            for (int c = 0; c < h.H; c++) *mat_ref(result.lse, i, c) = (float)lse[i * h.H + c];
    assert_close(result.lse, lse, 1e-5, 1e-5);

    // The same through the mask, in one process.
    Inputs in = inputs_of(arena, task);
    Mask masks[16];
    masks_of(masks, task);
    Mat once = mat_new(arena, T, h.H * h.dv), sum = mat_new(arena, T, h.H), map = mat_new(arena, h.H * T, T);
    star_masked((Attended){ once, sum, map }, in.q, in.k, in.v, h.H, masks, task->star);
    assert_close(once, out, 0, 1e-5);
    assert_close(sum, lse, 1e-5, 1e-5);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) ck_assert((*mat_ref(map, i, j) != 0) <= star_sees(task->star, i, j));

    // Nothing in phase 1; in phase 2 queries from the last rank, outputs and lse from the others, once a chunk.
    int chunks = (task->more + task->chunk - 1) / task->chunk;
    for (int r = 0; r < R; r++) {
        bool last = r == R - 1;
        ck_assert_int_eq(result.counts[r].messages[0] + result.counts[r].bytes[0], 0);
        ck_assert_int_eq(result.counts[r].messages[1], last ? chunks * (R - 1) : chunks);
        ck_assert_int_eq(result.counts[r].bytes[1], 4LL * task->more * h.H * (last ? h.d * (R - 1) : h.dv + 1));
        ck_assert_int_eq(result.counts[r].kept, 4LL * h.G * (h.d + h.dv) * result.counts[r].tokens);
    }
}

TEST_EACH(two_phases_are_one_mask, COUNTS)
{
    static const StarHeads heads[] = { { 1, 1, 4, 4 }, { 4, 2, 8, 5 }, { 6, 1, 3, 2 } };
    int R = counts[_i];
    for (int h = 0; h < 3; h++)
        for (int T = 0; T <= 31; T += T < 4 ? 1 : 9)
            for (int block = 1; block <= 16; block += block < 3 ? 1 : 5)
                for (int a = 0; a < 3; a++) {
                    Task task = { .star = { T, block, a * block / 2 },
                                  .heads = heads[h],
                                  .more = 5,
                                  .chunk = 1 + a,
                                  .seed = (uint64_t)(T + block) };
                    hold(&task, R);
                }
}

// ALiBi and a window ask where a key stands in the text: also an anchor's, and a block's far from it.
TEST_EACH(everything_keeps_its_place, COUNTS)
{
    int R = counts[_i];
    for (int a = 0; a <= 6; a += 3) {
        Task alibi = { .star = { 27, 6, a }, .heads = { 2, 1, 4, 4 }, .more = 4, .chunk = 4, .alibi = 0.3f, .seed = 9 };
        Task window = { .star = { 27, 6, a }, .heads = { 2, 2, 4, 4 }, .more = 4, .chunk = 2, .window = 9, .seed = 8 };
        hold(&alibi, R);
        hold(&window, R);
    }
}

// A model asks the store where the next token stands.
TEST(positions_of_a_store)
{
    StarHeads h = { 1, 1, 2, 2 };
    StarCache cache = star_cache_new(arena, NULL, (Star){ 11, 4, 3 }, h, 3);
    KvStore store = star_cache_store(&cache);
    Mat rows = mat_new(arena, 4, 2), out = mat_new(arena, 4, 2);
    const Mask mask = { .causal = true };
    for (int n = 0; n < 3; n++) {
        int a = n ? 3 : 0, b = n == 2 ? 3 : 4;
        star_anchor_next(&cache);
        ck_assert_int_eq(store.length(store.cache), 0);
        store.attend((Attended){ .out = mat_rows(out, 0, a) }, store.cache, mat_rows(rows, 0, a), mat_rows(rows, 0, a),
                     mat_rows(rows, 0, a), 1, &mask, attention_online);
        ck_assert_int_eq(store.bytes(store.cache), 16 * (4 * n + a));
        star_block_next(&cache, n);
        ck_assert_int_eq(store.length(store.cache), 4 * n);
        store.attend((Attended){ .out = mat_rows(out, 0, b) }, store.cache, mat_rows(rows, 0, b), mat_rows(rows, 0, b),
                     mat_rows(rows, 0, b), 1, &mask, attention_online);
        ck_assert_int_eq(store.length(store.cache), 4 * n + b);
    }
    star_query_next(&cache);
    ck_assert_int_eq(store.length(store.cache), 11);
    ck_assert_int_eq(store.bytes(store.cache), 16 * 11);
    ck_assert_ptr_null((void *)(uintptr_t)store.truncate);
}

TEST_ABORTS(an_anchor_larger_than_a_block, 1)
{
    quiet();
    star_blocks((Star){ 10, 4, 5 });
}
TEST_ABORTS(more_anchor_than_there_is_room, 1)
{
    quiet();
    StarCache cache = star_cache_new(arena, NULL, (Star){ 8, 4, 2 }, (StarHeads){ 1, 1, 2, 2 }, 0);
    Mat rows = mat_new(arena, 3, 2), out = mat_new(arena, 3, 2);
    star_anchor_next(&cache);
    star_attend((Attended){ .out = out }, &cache, rows, rows, rows, 1, &(Mask){ .causal = true }, attention_online);
}
