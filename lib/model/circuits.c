// Chapter 09. Residual-stream components through one head: scores, writes, logits.
#include "model/circuits.h"

#include "attention/positions.h"
#include "attention/product.h"
#include "base/portable_math.h"
#include "model/run.h"

static Mat normed(Arena *arena, Mat x, Mat gain)
{
    Mat y = mat_new(arena, x.rows, x.cols);
    run_rms_norm(y, x, gain);
    return y;
}

static Mat matmul(Arena *arena, Mat x, Mat w)
{
    Mat out = mat_new(arena, x.rows, w.cols);
    product_add(out, x, w);
    return out;
}

// Columns of one head in Wq | Wk | Wv, where `before` heads come first.
static Mat head_columns(const Config *c, Mat wqkv, int before)
{
    int d = c->D / c->H;
    return mat_cols(wqkv, before * d, d);
}

static void require_head(const Config *c, int layer, int h)
{
    REQUIRE(layer >= 0 && layer < c->L && h >= 0 && h < c->H, "head %d of layer %d; there are %d in %d layers", h,
            layer, c->H, c->L);
}

Mat circuit_scores(Arena *arena, Transformer model, int layer, int h, Mat x, Mat y, int distance)
{
    const Config *c = &model.config;
    require_head(c, layer, h);
    TransformerLayer w = model.layers[layer];
    int d = c->D / c->H;
    Mat q = matmul(arena, normed(arena, x, w.norm), head_columns(c, w.wqkv, h));
    Mat k = matmul(arena, normed(arena, y, w.norm), head_columns(c, w.wqkv, c->H + h / (c->H / c->G)));
    if (c->positions == CONFIG_POSITIONS_ROPE) {
        RopeTable turn = rope_table(arena, distance, 1, d);
        for (int i = 0; i < q.rows; i++) rope_apply(mat_rows(q, i, 1), turn);
    }
    Mat scores = mat_new(arena, x.rows, y.rows);
    product_add_transposed(scores, q, k);
    float scale = 1.0f / sqrtf((float)d);
    for (int i = 0; i < scores.rows; i++)
        for (int j = 0; j < scores.cols; j++) *mat_ref(scores, i, j) *= scale;
    return scores;
}

Mat circuit_by_distance(Arena *arena, Transformer model, int layer, int h, Mat x, Mat y, int farthest)
{
    REQUIRE(farthest >= 0, "keys up to %d back", farthest);
    Mat all = mat_new(arena, x.rows, farthest + 1);
    for (int r = 0; r <= farthest; r++) {
        Mat scores = circuit_scores(arena, model, layer, h, x, y, r);
        for (int i = 0; i < x.rows; i++)
            for (int j = 0; j < y.rows; j++) *mat_ref(all, i, r) += *mat_ref(scores, i, j) / (float)y.rows;
    }
    return all;
}

Mat circuit_over_distances(Arena *arena, Transformer model, int layer, int h, Mat x, Mat y, int farthest)
{
    REQUIRE(farthest >= 1, "keys up to %d back", farthest);
    Mat all = mat_new(arena, x.rows, y.rows);
    for (int r = 1; r <= farthest; r++) {
        Mat scores = circuit_scores(arena, model, layer, h, x, y, r);
        for (int i = 0; i < x.rows; i++)
            for (int j = 0; j < y.rows; j++) *mat_ref(all, i, j) += *mat_ref(scores, i, j) / (float)farthest;
    }
    return all;
}

Mat circuit_writes(Arena *arena, Transformer model, int layer, int h, Mat x)
{
    const Config *c = &model.config;
    require_head(c, layer, h);
    TransformerLayer w = model.layers[layer];
    int d = c->D / c->H;
    Mat v = matmul(arena, normed(arena, x, w.norm), head_columns(c, w.wqkv, c->H + c->G + h / (c->H / c->G)));
    return matmul(arena, v, mat_rows(w.wo, h * d, d));
}

Mat circuit_logits(Arena *arena, Transformer model, Mat x)
{
    return matmul(arena, normed(arena, x, model.norm), model.output);
}
