// Chapter 23. Ring attention, forward and backward. [Liu, Zaharia and Abbeel 2023, arXiv:2310.01889]
#include "ranks/ring.h"

#include "attention/online.h"
#include "attention/tiled.h"
#include "base/error.h"
#include "base/measure.h"
#include "base/portable_math.h"
#include "ranks/collective.h"

// Keys and values of one share, or their gradients.
typedef struct {
    Mat k, v;
} Block;

typedef struct {
    RankMessage *k, *v;
} Messages;

static int next_of(const Rank *rank) { return (rank->me + 1) % rank->count; }
static int previous_of(const Rank *rank) { return (rank->me + rank->count - 1) % rank->count; }

// Owner of the current block: in each step the block comes from the previous rank, so the owner decreases by one.
static int owner_of(const Rank *rank, int step) { return (rank->me - step + rank->count) % rank->count; }

static Share share_in(const Rank *rank, ShareSequence s, int step)
{
    return share_of(s.layout, s.T, rank->count, owner_of(rank, step));
}

static Block block_new(Rank *rank, ShareSequence s)
{
    int most = share_most(s.layout, s.T, rank->count);
    Mat k = mat_new(rank->arena, most, s.G * s.d);
    return (Block){ k, mat_new(rank->arena, most, s.G * s.dv) };
}

static Block first_rows(Block buffer, int rows)
{
    return (Block){ mat_rows(buffer.k, 0, rows), mat_rows(buffer.v, 0, rows) };
}

static Messages send_block(Rank *rank, Block block, const char *keys, const char *values)
{
    RankMessage *k = rank_send_mat(rank, next_of(rank), block.k, keys);
    return (Messages){ k, rank_send_mat(rank, next_of(rank), block.v, values) };
}

static Messages receive_block(Rank *rank, Block block, const char *keys, const char *values)
{
    RankMessage *k = rank_receive_mat(rank, previous_of(rank), block.k, keys);
    return (Messages){ k, rank_receive_mat(rank, previous_of(rank), block.v, values) };
}

// Waits for both messages. Returns the seconds from the start of the later one to its arrival.
static double wait_for(Rank *rank, Messages *messages)
{
    if (messages->k) rank_wait(rank, messages->k);
    double seconds = messages->v ? rank_wait(rank, messages->v) : 0.0;
    *messages = (Messages){ NULL, NULL };
    return seconds;
}

static void require_shapes(const Rank *rank, HeadProjections own, Attended to, ShareSequence s)
{
    int n = share_in(rank, s, 0).rows;
    REQUIRE(s.H >= 1 && s.G >= 1 && s.H % s.G == 0, "%d heads over %d key heads", s.H, s.G);
    REQUIRE(own.q.rows == n && own.k.rows == n && own.v.rows == n && own.q.cols == s.H * s.d &&
                own.k.cols == s.G * s.d && own.v.cols == s.G * s.dv,
            "rank %d of %d has %d of %d rows; q is " MAT_SHAPE ", k is " MAT_SHAPE ", v is " MAT_SHAPE, rank->me,
            rank->count, n, s.T, MAT_SHAPED(own.q), MAT_SHAPED(own.k), MAT_SHAPED(own.v));
    REQUIRE(to.out.rows == n && to.out.cols == s.H * s.dv && to.lse.rows == n && to.lse.cols == s.H,
            "out is " MAT_SHAPE ", lse is " MAT_SHAPE, MAT_SHAPED(to.out), MAT_SHAPED(to.lse));
}

// ---- a pair of runs: a run of this rank's queries and a run of the block's keys

typedef struct {
    MaskRange queries, keys;
    ShareSeen seen;
} Pair; // queries: rows of the share; keys: rows of the block

// The n-th pair of runs of two shares: there is 1 pair, or 4 with zigzag.
static Pair pair_of(Share mine, Share theirs, int n, ShareSequence s)
{
    int a = n / theirs.count, b = n % theirs.count;
    Pair pair = { { a ? mine.runs[0].count : 0, mine.runs[a].count },
                  { b ? theirs.runs[0].count : 0, theirs.runs[b].count },
                  share_seen(s.mask, s.T, mine.runs[a], theirs.runs[b]) };
    pair.keys.count = pair.seen.keys;
    return pair;
}

// View of head h in a pair's rows.
static Mat head_rows(Mat m, MaskRange rows, int h, int width)
{
    return mat_block(m, rows.first, rows.count, h * width, width);
}

static void attend_pair(Attended to, Attended scratch, HeadProjections own, Block block, Pair pair, int h,
                        ShareSequence s, AttentionKernel *kernel)
{
    int g = h / (s.H / s.G);
    Attended part = { .out = mat_rows(scratch.out, 0, pair.queries.count),
                      .lse = mat_rows(scratch.lse, 0, pair.queries.count) };
    kernel(part, head_rows(own.q, pair.queries, h, s.d), head_rows(block.k, pair.keys, g, s.d),
           head_rows(block.v, pair.keys, g, s.dv), pair.seen.mask);
    attention_merge(head_rows(to.out, pair.queries, h, s.dv), head_rows(to.lse, pair.queries, h, 1), part.out,
                    part.lse);
}

// ---- forward

// rank_progress between heads lets MPI transfer large messages during the computation.
static void attend_block(Rank *rank, Attended to, Attended scratch, HeadProjections own, Block block, ShareSequence s,
                         AttentionKernel *kernel, RingStep *step)
{
    Share mine = share_in(rank, s, 0), theirs = share_of(s.layout, s.T, rank->count, step->owner);
    if (!kernel) return;
    for (int h = 0; h < s.H; h++) {
        for (int n = 0; n < mine.count * theirs.count; n++) {
            Pair pair = pair_of(mine, theirs, n, s);
            bool sees = pair.seen.keys > 0;
            if (sees) attend_pair(to, scratch, own, block, pair, h, s, kernel);
            step->worked_on += sees;
            step->hidden += !sees;
        }
        rank_progress(rank);
    }
}

void ring_attend(Rank *rank, Attended to, HeadProjections own, ShareSequence s, AttentionKernel *kernel,
                 RingStep *steps)
{
    require_shapes(rank, own, to, s);
    int R = rank->count;
    ArenaMark mark = arena_mark(rank->arena);
    Block buffers[2] = { { .k = { 0 } } }, current = { own.k, own.v };
    for (int n = 0; n < 2 && n < R - 1; n++) buffers[n] = block_new(rank, s);
    Attended part = { .out = mat_new(rank->arena, own.q.rows, s.dv), .lse = mat_new(rank->arena, own.q.rows, 1) };
    mat_fill(to.out, 0.0f);
    mat_fill(to.lse, -INFINITY);

    for (int t = 0; t < R; t++) {
        // 1. Start sending the current block and receiving the next one into the free buffer.
        RingStep step = { .owner = owner_of(rank, t), .began = measure_clock_wall() - rank->began };
        Messages sending = { NULL, NULL }, receiving = { NULL, NULL };
        Block next = current;
        if (t < R - 1) {
            next = first_rows(buffers[t % 2], share_in(rank, s, t + 1).rows);
            receiving = receive_block(rank, next, "keys of the ring", "values of the ring");
            sending = send_block(rank, current, "keys of the ring", "values of the ring");
        }

        // 2. Attend to the current block during the transfer.
        Cost before = cost_counted;
        attend_block(rank, to, part, own, current, s, kernel, &step);
        step.multiplies = cost_since(before).multiplies;
        step.worked = measure_clock_wall() - rank->began;

        // 3. Wait for both transfers: the next step overwrites a buffer.
        step.arrived = t < R - 1 ? step.began + wait_for(rank, &receiving) : step.worked;
        wait_for(rank, &sending);
        step.ended = t < R - 1 ? measure_clock_wall() - rank->began : step.worked;
        if (steps) steps[t] = step;
        current = next;
    }
    arena_release(rank->arena, mark);
}

// ---- backward

// Gradient contributions of one block. The weights are recomputed with the logsumexp over all keys, so they are the
// final ones.
static void block_backward(Rank *rank, Mat dq, Block gradient, Mat dout, HeadProjections own, Block block,
                           Attended forward, ShareSequence s, int owner)
{
    Share mine = share_in(rank, s, 0), theirs = share_of(s.layout, s.T, rank->count, owner);
    for (int h = 0; h < s.H; h++) {
        int g = h / (s.H / s.G);
        for (int n = 0; n < mine.count * theirs.count; n++) {
            Pair pair = pair_of(mine, theirs, n, s);
            if (pair.seen.keys == 0) continue;
            HeadProjections to = { head_rows(dq, pair.queries, h, s.d), head_rows(gradient.k, pair.keys, g, s.d),
                                   head_rows(gradient.v, pair.keys, g, s.dv) };
            HeadProjections p = { head_rows(own.q, pair.queries, h, s.d), head_rows(block.k, pair.keys, g, s.d),
                                  head_rows(block.v, pair.keys, g, s.dv) };
            Attended all = { .out = head_rows(forward.out, pair.queries, h, s.dv),
                             .lse = head_rows(forward.lse, pair.queries, h, 1) };
            attention_tiled_backward(to, head_rows(dout, pair.queries, h, s.dv), p, all, pair.seen.mask,
                                     (TileSizes){ 64, 64 });
        }
        rank_progress(rank);
    }
}

static void add_to(Mat sum, Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) *mat_ref(sum, i, c) += *mat_ref(m, i, c);
}

static void block_add(Block sum, Block block)
{
    add_to(sum.k, block.k);
    add_to(sum.v, block.v);
}

// Step 0 handles the own block. In step t ≥ 1 the t − 1 previous ranks have accumulated the gradients of the current
// block; the sum arrives while this rank computes its contribution, and is passed on with it.
void ring_backward(Rank *rank, HeadProjections to, Mat dout, HeadProjections own, Attended forward, ShareSequence s)
{
    static const char keys[] = "gradients of keys", values[] = "gradients of values";
    require_shapes(rank, own, forward, s);
    int R = rank->count;
    ArenaMark mark = arena_mark(rank->arena);
    Block buffers[2] = { { .k = { 0 } } }, parts[2] = { { .k = { 0 } } }, received = { .k = { 0 } },
          current = { own.k, own.v };
    for (int n = 0; n < 2 && n < R - 1; n++) buffers[n] = block_new(rank, s);
    for (int n = 0; n < 2 && n < R - 1; n++) parts[n] = block_new(rank, s);
    if (R > 1) received = block_new(rank, s);
    Messages sending_sums = { NULL, NULL };

    for (int t = 0; t < R; t++) {
        // 1. Transfer keys and values, as in the forward pass, and receive the gradient sums of the current block.
        Messages sending = { NULL, NULL }, receiving = { NULL, NULL }, sums = { NULL, NULL };
        int rows = share_in(rank, s, t).rows;
        Block next = current, sum = first_rows(received, t > 0 ? rows : 0);
        if (t > 1) sums = receive_block(rank, sum, keys, values); // sent before the next keys
        if (t < R - 1) {
            next = first_rows(buffers[t % 2], share_in(rank, s, t + 1).rows);
            receiving = receive_block(rank, next, "keys of the ring", "values of the ring");
            sending = send_block(rank, current, "keys of the ring", "values of the ring");
        }

        // 2. This rank's contribution, plus the sum of the previous ranks.
        Block part = t == 0 ? (Block){ to.k, to.v } : first_rows(parts[(t - 1) % 2], rows);
        if (t > 0) mat_fill(part.k, 0.0f);
        if (t > 0) mat_fill(part.v, 0.0f);
        block_backward(rank, to.q, part, dout, own, current, forward, s, owner_of(rank, t));
        wait_for(rank, &sums);
        if (t > 1) block_add(part, sum);

        // 3. Pass the sum on; after the last step it returns to the owner.
        wait_for(rank, &sending_sums);
        wait_for(rank, &receiving);
        wait_for(rank, &sending);
        if (t > 0) sending_sums = send_block(rank, part, keys, values);
        current = next;
    }
    if (R > 1) {
        Block home = first_rows(received, own.k.rows);
        Messages coming = receive_block(rank, home, keys, values);
        wait_for(rank, &coming);
        wait_for(rank, &sending_sums);
        block_add((Block){ to.k, to.v }, home);
    }
    arena_release(rank->arena, mark);
}

// ---- formulas

// In step t this rank sends the block of owner me − t; it sends none in the last step.
int64_t ring_bytes(ShareSequence s, int R, int rank)
{
    int64_t rows = 0;
    for (int t = 0; t < R - 1; t++) rows += share_of(s.layout, s.T, R, (rank - t + R) % R).rows;
    return rows * s.G * (s.d + s.dv) * 4;
}

int64_t ring_memory(ShareSequence s, int R, int rank)
{
    int64_t n = share_of(s.layout, s.T, R, rank).rows, most = share_most(s.layout, s.T, R);
    int64_t block = s.G * (s.d + s.dv), buffers = R > 2 ? 2 : R - 1;
    return 4 * (n * (s.H * s.d + block + s.H * s.dv + s.H) + buffers * most * block + n * (s.dv + 1));
}
