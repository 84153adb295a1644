// Tests of lib/attention/sink.c: one key more, of value 0.
#include "attention/sink.h"

#include "base/portable_math.h"
#include "kernels/fast.h"
#include "attention/grouped.h"
#include "attention/online.h"
#include "attention/tiled.h"
#include "support/kernel.h"
#include "support/random_inputs.h"
#include "support/suite.h"

static AttentionKernel *const kernels[] = { attention_naive, attention_online, attention_tiled, attention_fast };

// In float64: a key of score s and value 0 takes its share of the softmax, and leaves the rest as it was.
static void assert_sink(Attended got, Mat q, Mat k, Mat v, Mask mask, float s)
{
    Reference want = reference_of(q, k, v, mask);
    for (int i = 0; i < q.rows; i++) {
        double both[2] = { want.lse.at[i], (double)s }, all = reference_logsumexp(both, 2), left = exp(both[0] - all);
        want.lse.at[i] = all;
        for (int j = 0; j < k.rows; j++) want.weights.at[i * k.rows + j] *= left;
        for (int c = 0; c < v.cols; c++) want.out.at[i * v.cols + c] *= left;
    }
    assert_close(got.lse, want.lse.at, 0, 3e-6);
    assert_close(got.weights, want.weights.at, 0, 1e-6);
    assert_close(got.out, want.out.at, 0, 2e-6);
}

TEST(one_key_more)
{
    Mask masks[kernel_mask_count];
    kernel_masks(masks, 33);
    for (int m = 0; m < kernel_mask_count; m++)
        for (int e = 0; e < 8; e++) {
            ArenaMark mark = arena_mark(arena);
            Mat q = random_rows(17, 8), k = random_rows(33, 8), v = random_rows(33, 3);
            Attended to = { mat_new(arena, 17, 3), mat_new(arena, 17, 1), mat_new(arena, 17, 33) };
            float s = e < 2 ? 0.0f : 3.0f * random_normal(&random_state);
            Mask mask = masks[m];
            mask.scale = 0.0f;
            kernels[e % 4](to, q, k, v, mask);
            sink_apply(to, &s, 1);
            assert_sink(to, q, k, v, mask, s);
            arena_release(arena, mark);
        }
}

TEST(minus_infinity_is_no_sink)
{
    Mat q = random_rows(9, 4), k = random_rows(11, 4), v = random_rows(11, 3);
    Attended to = { mat_new(arena, 9, 3), mat_new(arena, 9, 1), mat_new(arena, 9, 11) };
    attention_naive(to, q, k, v, (Mask){ .causal = true });
    Mat out = mat_copy(arena, to.out), weights = mat_copy(arena, to.weights), lse = mat_copy(arena, to.lse);
    float s = -INFINITY;
    sink_apply(to, &s, 1);
    case_is("a sink of -infinity");
    assert_same(to.out, out);
    assert_same(to.lse, lse);
    assert_same(to.weights, weights);
}

TEST(every_head_has_its_own)
{
    enum { T = 5, S = 9, H = 4, G = 2, d = 3 };
    Mat q = random_rows(T, H * d), k = random_rows(S, G * d), v = random_rows(S, G * d);
    float s[H] = { 0.0f, 1.5f, -2.0f, 4.0f };
    Mask masks[H] = { { .causal = true }, { 0 }, { .causal = true, .window = 2 }, { .padding = 9 } };
    Attended to = { mat_new(arena, T, H * d), mat_new(arena, T, H), mat_new(arena, H * T, S) };
    grouped_attend(to, q, k, v, H, masks, attention_naive);
    sink_apply(to, s, H);
    for (int h = 0; h < H; h++) {
        Attended head = { mat_cols(to.out, h * d, d), mat_cols(to.lse, h, 1), mat_rows(to.weights, h * T, T) };
        int g = h * G / H;
        assert_sink(head, mat_cols(q, h * d, d), mat_cols(k, g * d, d), mat_cols(v, g * d, d), masks[h], s[h]);
    }
    ck_assert(*mat_ref(to.lse, 0, 3) == 4.0f && *mat_ref(to.out, 0, 3 * d) == 0.0f); // nothing but the sink is seen
}

TEST(large_scores_and_none)
{
    ck_assert(sink_left(-INFINITY, 3.0f) == 0.0f && sink_left(200.0f, -200.0f) == 1.0f);
    ck_assert(sink_left(-200.0f, 200.0f) == 0.0f && sink_left(5.0f, 5.0f) == 0.5f && isnan(sink_left(NAN, 0.0f)));
    ck_assert(sink_left(INFINITY, 0.0f) == 1.0f);
}

TEST_ABORTS(without_lse_it_stops, 1)
{
    quiet();
    float s = 0.0f;
    sink_apply((Attended){ .out = mat_new(arena, 3, 2) }, &s, 1);
}
