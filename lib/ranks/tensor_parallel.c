// Chapter 23. Tensor parallelism over heads. [Shoeybi et al. 2019, arXiv:1909.08053, §3]
#include "ranks/tensor_parallel.h"

#include "attention/product.h"
#include "attention/tiled.h"
#include "base/error.h"
#include "ranks/collective.h"

TensorParallelHeads tensor_parallel_heads(TensorParallelHeads all, ShareSequence s, int R, int rank)
{
    MaskRange heads = share_heads(s.H, R, rank), keys = share_key_heads(heads, s.H, s.G);
    return (TensorParallelHeads){ mat_cols(all.wq, heads.first * s.d, heads.count * s.d),
                                  mat_cols(all.wk, keys.first * s.d, keys.count * s.d),
                                  mat_cols(all.wv, keys.first * s.dv, keys.count * s.dv),
                                  mat_rows(all.wo, heads.first * s.dv, heads.count * s.dv) };
}

// Views of this rank's head n: its queries, its KV head, its output and lse.
typedef struct {
    HeadProjections p;
    Mat out, lse;
} Head;

static Head head_of(const Rank *rank, HeadProjections p, Mat out, Mat lse, ShareSequence s, int n)
{
    MaskRange heads = share_heads(s.H, rank->count, rank->me), keys = share_key_heads(heads, s.H, s.G);
    int g = (heads.first + n) / (s.H / s.G) - keys.first;
    return (Head){ { mat_cols(p.q, n * s.d, s.d), mat_cols(p.k, g * s.d, s.d), mat_cols(p.v, g * s.dv, s.dv) },
                   mat_cols(out, n * s.dv, s.dv),
                   mat_empty(lse) ? lse : mat_cols(lse, n, 1) };
}

static void require_heads(const Rank *rank, TensorParallelHeads own, ShareSequence s)
{
    MaskRange heads = share_heads(s.H, rank->count, rank->me), keys = share_key_heads(heads, s.H, s.G);
    REQUIRE(own.wq.cols == heads.count * s.d && own.wk.cols == keys.count * s.d && own.wv.cols == keys.count * s.dv &&
                own.wo.rows == heads.count * s.dv,
            "rank %d of %d has %d heads of %d and %d key heads; Wq is " MAT_SHAPE ", Wk is " MAT_SHAPE, rank->me,
            rank->count, heads.count, s.d, keys.count, MAT_SHAPED(own.wq), MAT_SHAPED(own.wk));
}

TensorParallelKept tensor_parallel_attend(Rank *rank, Mat out, Mat x, TensorParallelHeads own, ShareSequence s,
                                          AttentionKernel *kernel)
{
    require_heads(rank, own, s);
    Arena *arena = rank->arena;
    int T = x.rows, count = own.wq.cols / s.d;
    TensorParallelKept kept = { { mat_new(arena, T, own.wq.cols), mat_new(arena, T, own.wk.cols),
                                  mat_new(arena, T, own.wv.cols) },
                                mat_new(arena, T, own.wo.rows),
                                mat_new(arena, T, count) };

    // 1. Projections and attention of this rank's heads, without communication.
    product_add(kept.p.q, x, own.wq);
    product_add(kept.p.k, x, own.wk);
    product_add(kept.p.v, x, own.wv);
    for (int n = 0; n < count; n++) {
        Head head = head_of(rank, kept.p, kept.heads, kept.lse, s, n);
        kernel((Attended){ .out = head.out, .lse = head.lse }, head.p.q, head.p.k, head.p.v, s.mask);
    }

    // 2. heads · Wo is a sum over heads: all-reduce adds the ranks' contributions.
    mat_fill(out, 0.0f);
    product_add(out, kept.heads, own.wo);
    rank_all_reduce(rank, out);
    return kept;
}

void tensor_parallel_backward(Rank *rank, Mat dx, TensorParallelHeads dw, Mat dout, Mat x, TensorParallelHeads own,
                              TensorParallelKept kept, ShareSequence s)
{
    require_heads(rank, own, s);
    Arena *scratch = arena_open();
    Mat dheads = mat_new(scratch, x.rows, own.wo.rows), sum = mat_new(scratch, x.rows, x.cols);
    HeadProjections dp = { mat_new(scratch, x.rows, own.wq.cols), mat_new(scratch, x.rows, own.wk.cols),
                           mat_new(scratch, x.rows, own.wv.cols) };

    // Forward: out = Σ heads Wo. Every rank has all of dout, so its heads' gradients need no communication.
    product_add_transposed(dheads, dout, own.wo);
    product_add_transposed_left(dw.wo, kept.heads, dout);
    for (int n = 0; n < own.wq.cols / s.d; n++) {
        Head head = head_of(rank, kept.p, kept.heads, kept.lse, s, n);
        Head to = head_of(rank, dp, dheads, (Mat){ 0 }, s, n);
        attention_tiled_backward(to.p, to.out, head.p, (Attended){ .out = head.out, .lse = head.lse }, s.mask,
                                 (TileSizes){ 64, 64 });
    }

    // Forward: q = x Wq, and k and v. x is an input of all heads on all ranks: its gradient is a sum over ranks.
    product_add_transposed_left(dw.wq, x, dp.q);
    product_add_transposed_left(dw.wk, x, dp.k);
    product_add_transposed_left(dw.wv, x, dp.v);
    product_add_transposed(sum, dp.q, own.wq);
    product_add_transposed(sum, dp.k, own.wk);
    product_add_transposed(sum, dp.v, own.wv);
    rank_all_reduce(rank, sum);
    for (int i = 0; i < dx.rows; i++)
        for (int c = 0; c < dx.cols; c++) *mat_ref(dx, i, c) += *mat_ref(sum, i, c);
    arena_close(scratch);
}
