// Chapter 04. One attention head with its projections.
#include "attention/self_attention.h"

#include "attention/dot_product.h"

HeadProjections head_project(Arena *arena, Mat x, Mat y, HeadWeights w)
{
    HeadProjections p = {
        .q = mat_new(arena, x.rows, w.wq.cols),
        .k = mat_new(arena, y.rows, w.wk.cols),
        .v = mat_new(arena, y.rows, w.wv.cols),
    };
    matmul(p.q, x, w.wq);
    matmul(p.k, y, w.wk);
    matmul(p.v, y, w.wv);
    return p;
}

// Queries are from x, keys and values from y. In self-attention y is x.
void cross_attention(Attended to, Mat x, Mat y, HeadWeights w, Mask mask)
{
    Arena *scratch = arena_open();
    HeadProjections p = head_project(scratch, x, y, w);
    attention_naive(to, p.q, p.k, p.v, mask);
    arena_close(scratch);
}

void self_attention(Attended to, Mat x, HeadWeights w, Mask mask) { cross_attention(to, x, x, w, mask); }
