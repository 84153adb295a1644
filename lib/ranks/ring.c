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
static int before_of(const Rank *rank) { return (rank->me + rank->count - 1) % rank->count; }

// Whose keys are here in this step: blocks come from the rank before, so they are older by one rank each time.
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

static Block block_rows(Block room, int rows)
{
    return (Block){ mat_rows(room.k, 0, rows), mat_rows(room.v, 0, rows) };
}

static Messages send_block(Rank *rank, Block block, const char *keys, const char *values)
{
    RankMessage *k = rank_send_mat(rank, next_of(rank), block.k, keys);
    return (Messages){ k, rank_send_mat(rank, next_of(rank), block.v, values) };
}

static Messages receive_block(Rank *rank, Block block, const char *keys, const char *values)
{
    RankMessage *k = rank_receive_mat(rank, before_of(rank), block.k, keys);
    return (Messages){ k, rank_receive_mat(rank, before_of(rank), block.v, values) };
}

// Answers the seconds from the start of the later one to its arrival.
static double wait_for(Rank *rank, Messages *messages)
{
    if (messages->k) rank_wait(rank, messages->k);
    double took = messages->v ? rank_wait(rank, messages->v) : 0.0;
    *messages = (Messages){ NULL, NULL };
    return took;
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

// ---- a pair of runs: some queries of this rank, some keys of the block that is here

typedef struct {
    MaskRange queries, keys;
    ShareSeen seen;
} Pair; // rows of the share, rows of the block

// Pair number n of those that two shares have: 1, or 4 of zigzag.
static Pair pair_of(Share mine, Share theirs, int n, ShareSequence s)
{
    int a = n / theirs.count, b = n % theirs.count;
    Pair pair = { { a ? mine.runs[0].count : 0, mine.runs[a].count },
                  { b ? theirs.runs[0].count : 0, theirs.runs[b].count },
                  share_seen(s.mask, s.T, mine.runs[a], theirs.runs[b]) };
    pair.keys.count = pair.seen.keys;
    return pair;
}

// Of head h: the view of a pair's queries, and of its keys.
static Mat head_rows(Mat m, MaskRange rows, int h, int width)
{
    return mat_block(m, rows.first, rows.count, h * width, width);
}

static void attend_pair(Attended to, Attended room, HeadProjections own, Block block, Pair pair, int h, ShareSequence s,
                        AttentionKernel *kernel)
{
    int g = h / (s.H / s.G);
    Attended part = { .out = mat_rows(room.out, 0, pair.queries.count),
                      .lse = mat_rows(room.lse, 0, pair.queries.count) };
    kernel(part, head_rows(own.q, pair.queries, h, s.d), head_rows(block.k, pair.keys, g, s.d),
           head_rows(block.v, pair.keys, g, s.dv), pair.seen.mask);
    attention_merge(head_rows(to.out, pair.queries, h, s.dv), head_rows(to.lse, pair.queries, h, 1), part.out,
                    part.lse);
}

// ---- forward

// MPI moves large messages while it is called, so it is called between heads.
static void attend_block(Rank *rank, Attended to, Attended room, HeadProjections own, Block block, ShareSequence s,
                         AttentionKernel *kernel, RingStep *step)
{
    Share mine = share_in(rank, s, 0), theirs = share_of(s.layout, s.T, rank->count, step->owner);
    if (!kernel) return;
    for (int h = 0; h < s.H; h++) {
        for (int n = 0; n < mine.count * theirs.count; n++) {
            Pair pair = pair_of(mine, theirs, n, s);
            bool sees = pair.seen.keys > 0;
            if (sees) attend_pair(to, room, own, block, pair, h, s, kernel);
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
    Block room[2] = { { .k = { 0 } } }, here = { own.k, own.v };
    for (int n = 0; n < 2 && n < R - 1; n++) room[n] = block_new(rank, s);
    Attended part = { .out = mat_new(rank->arena, own.q.rows, s.dv), .lse = mat_new(rank->arena, own.q.rows, 1) };
    mat_fill(to.out, 0.0f);
    mat_fill(to.lse, -INFINITY);

    for (int t = 0; t < R; t++) {
        // 1. The block that is here goes on, and the next one comes into the room that is free.
        RingStep step = { .owner = owner_of(rank, t), .began = measure_clock_wall() - rank->began };
        Messages sending = { NULL, NULL }, receiving = { NULL, NULL };
        Block next = here;
        if (t < R - 1) {
            next = block_rows(room[t % 2], share_in(rank, s, t + 1).rows);
            receiving = receive_block(rank, next, "keys of the ring", "values of the ring");
            sending = send_block(rank, here, "keys of the ring", "values of the ring");
        }

        // 2. Meanwhile, the work.
        Cost before = cost_counted;
        attend_block(rank, to, part, own, here, s, kernel, &step);
        step.multiplies = cost_since(before).multiplies;
        step.worked = measure_clock_wall() - rank->began;

        // 3. Nothing is written over before it has been sent.
        step.arrived = t < R - 1 ? step.began + wait_for(rank, &receiving) : step.worked;
        wait_for(rank, &sending);
        step.ended = t < R - 1 ? measure_clock_wall() - rank->began : step.worked;
        if (steps) steps[t] = step;
        here = next;
    }
    arena_release(rank->arena, mark);
}

// ---- backward

// This block's part of all gradients, from the logsumexp over all keys: the weights of these keys among all.
static void block_backward(Rank *rank, Mat dq, Block gradient, Mat dout, HeadProjections own, Block block, Attended did,
                           ShareSequence s, int owner)
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
            Attended all = { .out = head_rows(did.out, pair.queries, h, s.dv),
                             .lse = head_rows(did.lse, pair.queries, h, 1) };
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

// Step 0 is at home. In step t ≥ 1 the gradients of the block that is here have been added up by the t − 1 ranks
// before; they arrive while this rank computes its own part, and go on with it.
void ring_backward(Rank *rank, HeadProjections to, Mat dout, HeadProjections own, Attended did, ShareSequence s)
{
    static const char keys[] = "gradients of keys", values[] = "gradients of values";
    require_shapes(rank, own, did, s);
    int R = rank->count;
    ArenaMark mark = arena_mark(rank->arena);
    Block room[2] = { { .k = { 0 } } }, parts[2] = { { .k = { 0 } } }, came = { .k = { 0 } }, here = { own.k, own.v };
    for (int n = 0; n < 2 && n < R - 1; n++) room[n] = block_new(rank, s);
    for (int n = 0; n < 2 && n < R - 1; n++) parts[n] = block_new(rank, s);
    if (R > 1) came = block_new(rank, s);
    Messages gone = { NULL, NULL };

    for (int t = 0; t < R; t++) {
        // 1. Keys and values, as in the forward pass; and the sums of the gradients of the block that is here.
        Messages sending = { NULL, NULL }, receiving = { NULL, NULL }, sums = { NULL, NULL };
        int rows = share_in(rank, s, t).rows;
        Block next = here, sum = block_rows(came, t > 0 ? rows : 0);
        if (t > 1) sums = receive_block(rank, sum, keys, values); // sent before the next keys
        if (t < R - 1) {
            next = block_rows(room[t % 2], share_in(rank, s, t + 1).rows);
            receiving = receive_block(rank, next, "keys of the ring", "values of the ring");
            sending = send_block(rank, here, "keys of the ring", "values of the ring");
        }

        // 2. This rank's part, and what the ranks before have added up for this block.
        Block part = t == 0 ? (Block){ to.k, to.v } : block_rows(parts[(t - 1) % 2], rows);
        if (t > 0) mat_fill(part.k, 0.0f);
        if (t > 0) mat_fill(part.v, 0.0f);
        block_backward(rank, to.q, part, dout, own, here, did, s, owner_of(rank, t));
        wait_for(rank, &sums);
        if (t > 1) block_add(part, sum);

        // 3. On to the next rank; the last of them is the owner.
        wait_for(rank, &gone);
        wait_for(rank, &receiving);
        wait_for(rank, &sending);
        if (t > 0) gone = send_block(rank, part, keys, values);
        here = next;
    }
    if (R > 1) {
        Block home = block_rows(came, own.k.rows);
        Messages coming = receive_block(rank, home, keys, values);
        wait_for(rank, &coming);
        wait_for(rank, &gone);
        block_add((Block){ to.k, to.v }, home);
    }
    arena_release(rank->arena, mark);
}

// ---- formulas

// Blocks are sent by the rank that has them: in step t that of owner me − t, but for the last step.
int64_t ring_bytes(ShareSequence s, int R, int rank)
{
    int64_t rows = 0;
    for (int t = 0; t < R - 1; t++) rows += share_of(s.layout, s.T, R, (rank - t + R) % R).rows;
    return rows * s.G * (s.d + s.dv) * 4;
}

int64_t ring_memory(ShareSequence s, int R, int rank)
{
    int64_t n = share_of(s.layout, s.T, R, rank).rows, most = share_most(s.layout, s.T, R);
    int64_t block = s.G * (s.d + s.dv), rooms = R > 2 ? 2 : R - 1;
    return 4 * (n * (s.H * s.d + block + s.H * s.dv + s.H) + rooms * most * block + n * (s.dv + 1));
}
