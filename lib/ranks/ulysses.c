// Chapter 23. Ulysses: all-to-all between sequence shards and head shards. [Jacobs et al. 2023, arXiv:2309.14509]
#include "ranks/ulysses.h"

#include "base/error.h"
#include "ranks/collective.h"

static MaskRange heads_of(ShareSequence s, int R, int rank) { return share_heads(s.H, R, rank); }
static MaskRange keys_of(ShareSequence s, int R, int rank) { return share_key_heads(heads_of(s, R, rank), s.H, s.G); }

static ShareRun rows_of(ShareSequence s, int R, int rank) { return share_of(SHARE_CONTIGUOUS, s.T, R, rank).runs[0]; }

// First all-to-all: sends each rank i the columns of its heads in m (n, …), and receives from each rank the rows of its
// positions, stacked.
static Mat to_heads(Rank *rank, Mat m, ShareSequence s, int width,
                    MaskRange (*heads_of_rank)(ShareSequence s, int R, int rank))
{
    Mat parts[RANKS_MOST], into[RANKS_MOST];
    Mat whole = mat_new(rank->arena, s.T, heads_of_rank(s, rank->count, rank->me).count * width);
    for (int i = 0; i < rank->count; i++) {
        MaskRange heads = heads_of_rank(s, rank->count, i);
        ShareRun rows = rows_of(s, rank->count, i);
        parts[i] = mat_copy(rank->arena, mat_cols(m, heads.first * width, heads.count * width));
        into[i] = mat_rows(whole, rows.first, rows.count);
    }
    rank_all_to_all(rank, into, parts);
    return whole;
}

// Second all-to-all: sends each rank the rows of its positions in m (T, heads · width), and receives from each rank the
// columns of its heads.
static void to_positions(Rank *rank, Mat to, Mat m, ShareSequence s, int width)
{
    Mat parts[RANKS_MOST], into[RANKS_MOST];
    for (int i = 0; i < rank->count; i++) {
        ShareRun rows = rows_of(s, rank->count, i);
        parts[i] = mat_rows(m, rows.first, rows.count);
        into[i] = mat_new(rank->arena, to.rows, heads_of(s, rank->count, i).count * width);
    }
    rank_all_to_all(rank, into, parts);
    for (int i = 0; i < rank->count; i++)
        mat_set(mat_cols(to, heads_of(s, rank->count, i).first * width, into[i].cols), into[i]);
}

void ulysses_attend(Rank *rank, Attended to, HeadProjections own, ShareSequence s, AttentionKernel *kernel)
{
    REQUIRE(rank->count <= s.H, "%d ranks and %d heads: a rank would have none", rank->count, s.H);
    ArenaMark mark = arena_mark(rank->arena);
    MaskRange heads = heads_of(s, rank->count, rank->me), keys = keys_of(s, rank->count, rank->me);

    // 1. Gather the whole sequence for this rank's heads.
    Mat q = to_heads(rank, own.q, s, s.d, heads_of);
    Mat k = to_heads(rank, own.k, s, s.d, keys_of), v = to_heads(rank, own.v, s, s.dv, keys_of);

    // 2. Attention, head by head, as without ranks.
    Mat out = mat_new(rank->arena, s.T, heads.count * s.dv), lse = mat_new(rank->arena, s.T, heads.count);
    for (int n = 0; n < heads.count; n++) {
        int g = (heads.first + n) / (s.H / s.G) - keys.first;
        kernel((Attended){ .out = mat_cols(out, n * s.dv, s.dv), .lse = mat_cols(lse, n, 1) },
               mat_cols(q, n * s.d, s.d), mat_cols(k, g * s.d, s.d), mat_cols(v, g * s.dv, s.dv), s.mask);
    }

    // 3. Return outputs and lse to the ranks of their positions.
    to_positions(rank, to.out, out, s, s.dv);
    to_positions(rank, to.lse, lse, s, 1);
    arena_release(rank->arena, mark);
}

int64_t ulysses_bytes(ShareSequence s, int R, int rank)
{
    int64_t n = rows_of(s, R, rank).count, numbers = (s.T - n) * heads_of(s, R, rank).count * (s.dv + 1);
    for (int i = 0; i < R; i++)
        if (i != rank) numbers += n * (heads_of(s, R, i).count * s.d + keys_of(s, R, i).count * (s.d + s.dv));
    return 4 * numbers;
}
