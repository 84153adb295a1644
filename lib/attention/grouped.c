// Chapter 12. One expression more than chapter 06. [Shazeer 2019, arXiv:1911.02150; Ainslie et al. 2023, arXiv:2305.13245]
#include "attention/grouped.h"

#include "attention/positions.h"

static void require_shapes(Attended to, Mat q, Mat k, Mat v, int H)
{
    REQUIRE(H >= 1 && q.cols >= H && q.cols % H == 0, "q is " SHAPE ": it cannot be split among %d heads", SHAPED(q), H);
    int d = q.cols / H, G = k.cols / d;
    REQUIRE(k.cols >= d && k.cols % d == 0 && H % G == 0, "q is " SHAPE " in %d heads of %d columns, k is " SHAPE
            ": its columns must be G heads of %d, and G must divide %d", SHAPED(q), H, d, SHAPED(k), d, H);
    REQUIRE(v.cols % G == 0, "v is " SHAPE ": it cannot be split among %d key heads", SHAPED(v), G);
    REQUIRE(to.out.rows == q.rows && to.out.cols == H * (v.cols / G), "out is " SHAPE "; it must be " SHAPE, SHAPED(to.out),
            q.rows, H * (v.cols / G));
    REQUIRE(mat_empty(to.lse) || (to.lse.rows == q.rows && to.lse.cols == H), "lse is " SHAPE "; it must be " SHAPE,
            SHAPED(to.lse), q.rows, H);
    REQUIRE(mat_empty(to.weights) || (to.weights.rows == H * q.rows && to.weights.cols == k.rows),
            "weights is " SHAPE "; it must be " SHAPE, SHAPED(to.weights), H * q.rows, k.rows);
}

// Query head h reads key head h / (H / G): with G = H its own, with G = 1 the only one there is. Nothing is copied.
void grouped_attend(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks, AttentionKernel *kernel)
{
    require_shapes(to, q, k, v, H);
    int T = q.rows, d = q.cols / H, G = k.cols / d, dv = v.cols / G;
    for (int h = 0; h < H; h++) {
        Mat qh = mat_cols(q, h * d, d);
        Mat kh = mat_cols(k, (h / (H / G)) * d, d), vh = mat_cols(v, (h / (H / G)) * dv, dv);
        Attended head = {
            .out = mat_cols(to.out, h * dv, dv),
            .lse = mat_empty(to.lse) ? to.lse : mat_cols(to.lse, h, 1),
            .weights = mat_empty(to.weights) ? to.weights : mat_rows(to.weights, h * T, T),
        };
        kernel(head, qh, kh, vh, masks[h]);
    }
}

void masks_for_heads(Mask *masks, int H, Mask mask, bool alibi)
{
    for (int h = 0; h < H; h++) {
        masks[h] = mask;
        if (alibi) masks[h].alibi = alibi_slope(h, H);
    }
}
