// Tests of lib/attention against PyTorch: data/reference/README.md says where the numbers come from.
#include "kernels/kernels.h"
#include "attention/multi_head.h"
#include "attention/softmax.h"
#include "io/npy.h"
#include "support/reference.h"
#include "support/suite.h"

// float32 work against float64 rounded to float32. Inputs are of size 1 and sums have at most 36 terms.
static const double RTOL = 1e-5, ATOL = 2e-6;

static Mat vectors(const char *name)
{
    Mat m;
    Error error;
    bool read = npy_read_mat(&m, arena, arena_format(arena, "data/reference/%s.npy", name), &error);
    ck_assert_msg(read, "%s", error.text);
    return m;
}

// Three axes (H, T, T) as our stacked maps (H · T, T).
static Mat maps(const char *name)
{
    NpyArray a;
    Error error;
    bool read = npy_read(&a, arena, arena_format(arena, "data/reference/%s.npy", name), &error);
    ck_assert_msg(read, "%s", error.text);
    ck_assert_int_eq(a.axes, 3);
    return mat_of(arena, (int)(a.shape[0] * a.shape[1]), (int)a.shape[2], a.at);
}

typedef struct {
    const char *result;
    const char *query;
    Mask mask;
} Attention;

static const Attention attentions[] = {
    { "attention_full", "attention_q", { 0 } },
    { "attention_square_causal", "attention_square_q", { .causal = true } },
    { "attention_causal", "attention_q", { .causal = true } },
    { "attention_window", "attention_square_q", { .causal = true, .window = 3 } },
    { "attention_window_sinks", "attention_square_q", { .causal = true, .window = 3, .sinks = 2 } },
    { "attention_padding", "attention_q", { .padding = 4 } },
    { "attention_alibi", "attention_q", { .alibi = 0.25f } },
    { "attention_causal_alibi", "attention_q", { .causal = true, .alibi = 0.25f } },
};

TEST_EACH(scaled_dot_product_attention, sizeof attentions / sizeof *attentions)
{
    const Attention *a = &attentions[_i];
    Mat q = vectors(a->query), k = vectors("attention_k"), v = vectors("attention_v"), want = vectors(a->result);
    ck_assert(q.cols == 8 && k.rows == 11 && want.rows == q.rows && want.cols == 5);
    for (int e = 0; e < attention_kernels_count; e++) {
        if (!attention_kernel_exact(&attention_kernels[e])) continue;
        Attended to = { mat_new(arena, q.rows, 5), mat_new(arena, q.rows, 1), { 0 } };
        attention_kernels[e].run(to, q, k, v, a->mask);
        case_is("%s, %s", attention_kernels[e].name, a->result);
        assert_close(to.out, table_of(arena, want).at, RTOL, ATOL);
        if (_i == 0) assert_close(to.lse, table_of(arena, vectors("attention_full_lse")).at, RTOL, ATOL);
    }
}

TEST_EACH(multi_head_attention, 3)
{
    static const char *const names[] = { "multi_head_full", "multi_head_causal", "multi_head_padding" };
    static const Mask masks[] = { { 0 }, { .causal = true }, { .padding = 2 } };
    Mat x = vectors("multi_head_x"), want = vectors(names[_i]);
    Mat want_maps = maps(arena_format(arena, "%s_weights", names[_i]));
    MultiHead m = { 3, vectors("multi_head_wqkv"), vectors("multi_head_wo") };
    ck_assert(x.rows == 6 && x.cols == 12 && want.rows == 6 && want.cols == 12);
    ck_assert(want_maps.rows == 18 && want_maps.cols == 6);
    void (*const forms[])(Mat, Mat, Mat, MultiHead, Mask) = { multi_head_separate, multi_head_views, multi_head_fused };
    for (int f = 0; f < 3; f++) {
        Mat out = mat_new(arena, 6, 12), weights = mat_new(arena, 18, 6);
        case_is("%s, form %d", names[_i], f);
        forms[f](out, weights, x, m, masks[_i]);
        assert_close(weights, table_of(arena, want_maps).at, RTOL, ATOL);
        assert_close(out, table_of(arena, want).at, RTOL, ATOL);
    }
}

TEST(softmax_and_its_jacobian)
{
    Mat scores = vectors("softmax_scores"), weights = mat_new(arena, 6, 9), lse = mat_new(arena, 6, 1);
    Mat jacobian = mat_new(arena, 9, 9), want = vectors("softmax_weights"), want_jacobian = vectors("softmax_jacobian");
    ck_assert(scores.rows == 6 && scores.cols == 9 && want_jacobian.rows == 9 && want_jacobian.cols == 9);
    softmax_rows(weights, scores);
    assert_close(weights, table_of(arena, want).at, RTOL, 1e-9);
    for (int i = 0; i < 6; i++) *mat_ref(lse, i, 0) = logsumexp(mat_row(scores, i), 9);
    assert_close(lse, table_of(arena, vectors("softmax_logsumexp")).at, RTOL, ATOL);
    softmax_jacobian(jacobian, mat_row(weights, 0), 9);
    assert_close(jacobian, table_of(arena, want_jacobian).at, RTOL, 1e-8);
}
