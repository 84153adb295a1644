// Chapter 23. Shares of a sequence, and the mask between two of them.
#include "ranks/shares.h"

#include "attention/tiled.h"
#include "base/error.h"
#include "ranks/collective.h"

const char *const share_layout_names[SHARE_LAYOUTS + 1] = { "contiguous", "striped", "zigzag", NULL };

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }
static int floor_div(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
static int ceil_div(int a, int b) { return -floor_div(-a, b); }

// Piece i of n contiguous pieces of T positions.
static ShareRun piece_of(int T, int i, int n)
{
    int first = (int)((int64_t)T * i / n), end = (int)((int64_t)T * (i + 1) / n);
    return (ShareRun){ first, end - first, 1 };
}

Share share_of(ShareLayout layout, int T, int R, int rank)
{
    REQUIRE(0 <= rank && rank < R && T >= 0, "%d positions, rank %d of %d", T, rank, R);
    Share share = { .count = 1 };
    if (layout == SHARE_CONTIGUOUS) share.runs[0] = piece_of(T, rank, R);
    if (layout == SHARE_STRIPED) share.runs[0] = (ShareRun){ rank, rank < T ? (T - rank - 1) / R + 1 : 0, R };
    if (layout == SHARE_ZIGZAG) {
        share.runs[0] = piece_of(T, rank, 2 * R);
        share.runs[1] = piece_of(T, 2 * R - 1 - rank, 2 * R);
        share.count = 2;
    }
    for (int n = 0; n < share.count; n++) share.rows += share.runs[n].count;
    return share;
}

int share_most(ShareLayout layout, int T, int R)
{
    int most = 0;
    for (int r = 0; r < R; r++) most = larger(most, share_of(layout, T, R, r).rows);
    return most;
}

// Query i of the first run and key j of the second are `distance` + step · (i − j) positions apart. So relative to the
// keys of the run, query i has position floor(distance / step) + i, and a window of W positions leaves i − j < ⌈(W −
// distance) / step⌉. With a step of 1 this is mask_of_part.
ShareSeen share_seen(Mask mask, int S, ShareRun queries, ShareRun keys)
{
    int step = keys.step, distance = queries.first - keys.first + mask.shift, offset = floor_div(distance, step);
    REQUIRE(queries.step == step, "runs of steps %d and %d", queries.step, step);
    REQUIRE(step == 1 || (mask.alibi == 0.0f && mask.globals == 0 && (mask.causal || mask.window == 0)),
            "no mask says what ALiBi, globals or a two-sided window leave between runs of step %d", step);
    ShareSeen seen = { .keys = keys.count, .mask = mask };

    // 1. Keys that are always visible, and keys that never are.
    seen.mask.sinks = larger(0, ceil_div(mask.sinks - keys.first, step));
    seen.mask.padding = larger(0, keys.count - larger(0, ceil_div(S - mask.padding - keys.first, step)));
    seen.mask.before = mask.before + keys.first;

    // 2. The window. If nothing remains of it, only the sinks are visible.
    if (mask.window > 0) seen.mask.window = ceil_div(mask.window - distance, step) + offset;
    if (mask.window > 0 && seen.mask.window <= 0) {
        seen.keys = smaller(keys.count - seen.mask.padding, seen.mask.sinks);
        seen.mask.sinks = seen.mask.window = seen.mask.padding = 0;
    }

    // 3. Positions of the queries, relative to the bottom-right alignment of the last query and key.
    seen.mask.shift = offset - (seen.keys - queries.count);
    if (queries.count <= 0 || seen.keys <= 0) return (ShareSeen){ 0 };
    MaskRange all = { 0, queries.count }, key_range = { 0, seen.keys };
    return tile_kind(seen.mask, all, key_range, queries.count, seen.keys) == TILE_EMPTY ? (ShareSeen){ 0 } : seen;
}

Mat share_rows(Arena *arena, Mat whole, Share share)
{
    Mat rows = mat_new(arena, share.rows, whole.cols);
    for (int n = 0, row = 0; n < share.count; n++)
        for (int i = 0; i < share.runs[n].count; i++, row++)
            mat_set(mat_rows(rows, row, 1), mat_rows(whole, share.runs[n].first + i * share.runs[n].step, 1));
    return rows;
}

void share_gather(Rank *rank, Mat whole, Mat mine, ShareLayout layout, int T)
{
    Arena *scratch = arena_open();
    Mat all = rank->me == 0 ? mat_new(scratch, T, mine.cols) : (Mat){ 0 };
    rank_gather(rank, all, mine);
    int ranks = rank->me == 0 ? rank->count : 0; // the others only send
    for (int r = 0, row = 0; r < ranks; r++) {
        Share share = share_of(layout, T, rank->count, r);
        for (int n = 0; n < share.count; n++)
            for (int i = 0; i < share.runs[n].count; i++, row++)
                mat_set(mat_rows(whole, share.runs[n].first + i * share.runs[n].step, 1), mat_rows(all, row, 1));
    }
    arena_close(scratch);
}

MaskRange share_heads(int n, int R, int rank)
{
    ShareRun piece = piece_of(n, rank, R);
    return (MaskRange){ piece.first, piece.count };
}

MaskRange share_key_heads(MaskRange heads, int H, int G)
{
    if (heads.count == 0) return (MaskRange){ 0, 0 };
    int group = H / G, first = heads.first / group;
    return (MaskRange){ first, (heads.first + heads.count - 1) / group - first + 1 };
}
