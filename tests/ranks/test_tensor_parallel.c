// Tests of lib/ranks/tensor: heads among ranks give what one rank gives, forward and backward.
#include "ranks/tensor_parallel.h"

#include "attention/tiled.h"
#include "ranks/collective.h"
#include "support/reference.h"
#include "support/suite.h"

static const int counts[] = { 1, 2, 3, 4, 7 };
// clang-format off
static const ShareSequence shapes[] = {
    { .T = 13, .H = 4, .G = 4, .d = 4, .dv = 4 }, { .T = 10, .H = 8, .G = 2, .d = 3, .dv = 5 },
    { .T = 9, .H = 6, .G = 3, .d = 2, .dv = 2, .mask = { .causal = true } },
    { .T = 16, .H = 7, .G = 1, .d = 4, .dv = 3, .mask = { .causal = true, .window = 4, .sinks = 1 } },
};
// clang-format on
enum { COUNTS = sizeof counts / sizeof *counts, SHAPES = sizeof shapes / sizeof *shapes, D = 12 };

typedef struct {
    Mat x, dout;
    TensorParallelHeads w;
} Problem;

static Problem problem_of(Arena *memory, ShareSequence s)
{
    Random random = random_from((uint64_t)(s.T * 10 + s.H));
    Problem a = { .x = random_mat(memory, &random, s.T, D) };
    a.dout = random_mat(memory, &random, s.T, D);
    a.w.wq = random_mat(memory, &random, D, s.H * s.d);
    a.w.wk = random_mat(memory, &random, D, s.G * s.d);
    a.w.wv = random_mat(memory, &random, D, s.G * s.dv);
    a.w.wo = random_mat(memory, &random, s.H * s.dv, D);
    Mat all[] = { a.w.wq, a.w.wk, a.w.wv, a.w.wo };
    for (int n = 0; n < 4; n++)
        for (int64_t i = 0; i < mat_numbers(all[n]); i++) all[n].at[i] *= 0.3f;
    return a;
}

typedef struct {
    Mat out, dx, lse, dwo, others;                         // others (R T, D): each rank's output
    Mat dwq[RANKS_MOST], dwk[RANKS_MOST], dwv[RANKS_MOST]; // of each rank's heads
    int64_t bytes[RANKS_MOST], back[RANKS_MOST];
} Result;

// One matrix of each rank, to rank 0.
static void bring(Rank *rank, Mat *all, Mat mine)
{
    if (rank->me > 0) rank_wait(rank, rank_send_mat(rank, 0, mine, "the test"));
    else mat_set(all[0], mine);
    for (int r = 1; r < rank->count && rank->me == 0; r++)
        rank_wait(rank, rank_receive_mat(rank, r, all[r], "the test"));
}

static void tensor_work(Rank *rank, const void *task, void *result)
{
    ShareSequence s = *(const ShareSequence *)task;
    Result none = { .bytes = { 0 } }, *whole = result ? result : &none;
    Arena *room = arena_open();
    Problem a = problem_of(room, s);
    TensorParallelHeads own = tensor_parallel_heads(a.w, s, rank->count, rank->me);
    Mat out = mat_new(room, s.T, D), dx = mat_new(room, s.T, D);
    TensorParallelHeads dw = { mat_new(room, D, own.wq.cols), mat_new(room, D, own.wk.cols),
                               mat_new(room, D, own.wv.cols), mat_new(room, own.wo.rows, D) };
    mat_fill(dx, 1.0f);
    TensorParallelKept kept = tensor_parallel_attend(rank, out, a.x, own, s, attention_tiled);
    int64_t bytes = rank->bytes;
    tensor_parallel_backward(rank, dx, dw, a.dout, a.x, own, kept, s);
    int64_t back = rank->bytes - bytes;
    if (rank->me == 0) mat_set(whole->out, out);
    if (rank->me == 0) mat_set(whole->dx, dx);
    rank_gather(rank, whole->others, out);
    rank_gather(rank, whole->dwo, dw.wo);
    bring(rank, whole->dwq, dw.wq);
    bring(rank, whole->dwk, dw.wk);
    bring(rank, whole->dwv, dw.wv);
    rank_gather_bytes(rank, whole->bytes, &bytes, sizeof bytes);
    rank_gather_bytes(rank, whole->back, &back, sizeof back);
    arena_close(room);
}

// In float64: out = Σ heads Wo, and a loss Σ out · dout whose slopes are taken by differences.
static Table output_of(Arena *memory, Table x, const Problem *a, ShareSequence s)
{
    Table q = reference_matmul(memory, x, table_of(memory, a->w.wq));
    Table k = reference_matmul(memory, x, table_of(memory, a->w.wk));
    Table v = reference_matmul(memory, x, table_of(memory, a->w.wv)), heads = table_new(memory, s.T, s.H * s.dv);
    for (int h = 0; h < s.H; h++) {
        int g = h / (s.H / s.G);
        Table out =
            reference_attention(memory, table_cols(memory, q, h * s.d, s.d), table_cols(memory, k, g * s.d, s.d),
                                table_cols(memory, v, g * s.dv, s.dv), s.mask)
                .out;
        for (int i = 0; i < s.T; i++)
            for (int c = 0; c < s.dv; c++) heads.at[i * heads.cols + h * s.dv + c] = out.at[i * s.dv + c];
    }
    return reference_matmul(memory, heads, table_of(memory, a->w.wo));
}

static double loss_of(Arena *memory, Table x, const Problem *a, ShareSequence s)
{
    Table out = output_of(memory, x, a, s);
    double sum = 0.0;
    for (int i = 0; i < s.T; i++)
        for (int c = 0; c < D; c++) sum += out.at[i * D + c] * (double)*mat_ref(a->dout, i, c);
    return sum;
}

// A few elements of x, nudged.
static void assert_slopes(Arena *memory, Mat dx, const Problem *a, ShareSequence s)
{
    for (int n = 0; n < 12; n++) {
        int i = n * 5 % s.T, c = n * 7 % D;
        Table x = table_of(memory, a->x);
        double *at = &x.at[i * D + c], old = *at, up, down;
        *at = old + 1e-5;
        up = loss_of(memory, x, a, s);
        *at = old - 1e-5;
        down = loss_of(memory, x, a, s);
        ck_assert_double_eq_tol((double)*mat_ref(dx, i, c) - 1.0, (up - down) / 2e-5, 5e-5);
    }
}

// dWk or dWv of all ranks, those of a key head added up, against one rank's.
static void assert_summed(Arena *memory, const Mat *parts, Mat one, ShareSequence s, int R, int width)
{
    Mat sum = mat_new(memory, one.rows, one.cols);
    for (int r = 0; r < R; r++) {
        int first = share_key_heads(share_heads(s.H, R, r), s.H, s.G).first * width;
        for (int i = 0; i < one.rows; i++)
            for (int c = 0; c < parts[r].cols; c++) *mat_ref(sum, i, first + c) += *mat_ref(parts[r], i, c);
    }
    assert_close(sum, table_of(memory, one).at, 2e-6, 4e-6);
}

TEST_EACH(equal_to_one_rank, COUNTS)
{
    int R = counts[_i];
    for (int n = 0; n < SHAPES; n++) {
        Arena *memory = arena_open();
        ShareSequence s = shapes[n];
        Problem a = problem_of(memory, s);
        Result one = { .out = mat_new(memory, s.T, D),
                       .dx = mat_new(memory, s.T, D),
                       .dwo = mat_new(memory, s.H * s.dv, D),
                       .others = mat_new(memory, R * s.T, D) },
               got = one;
        got.out = mat_new(memory, s.T, D);
        got.dx = mat_new(memory, s.T, D);
        got.dwo = mat_new(memory, s.H * s.dv, D);
        one.others = mat_new(memory, s.T, D);
        one.dwq[0] = mat_new(memory, D, s.H * s.d);
        one.dwk[0] = mat_new(memory, D, s.G * s.d);
        one.dwv[0] = mat_new(memory, D, s.G * s.dv);
        for (int r = 0; r < R; r++) {
            MaskRange heads = share_heads(s.H, R, r);
            int keys = share_key_heads(heads, s.H, s.G).count;
            got.dwq[r] = mat_new(memory, D, heads.count * s.d);
            got.dwk[r] = mat_new(memory, D, keys * s.d);
            got.dwv[r] = mat_new(memory, D, keys * s.dv);
        }
        Ranks ranks = ranks_open(NULL, 0);
        case_is("H = %d, G = %d, R = %d", s.H, s.G, R);
        ranks_run(&ranks, 1, tensor_work, &s, sizeof s, &one);
        ranks_run(&ranks, R, tensor_work, &s, sizeof s, &got);
        assert_close(got.out, output_of(memory, table_of(memory, a.x), &a, s).at, 2e-6, 3e-6);
        assert_close(got.out, table_of(memory, one.out).at, 2e-6, 2e-6);
        assert_close(got.dx, table_of(memory, one.dx).at, 2e-6, 4e-6);
        assert_close(got.dwo, table_of(memory, one.dwo).at, 2e-6, 4e-6);
        assert_slopes(memory, got.dx, &a, s);
        assert_summed(memory, got.dwk, one.dwk[0], s, R, s.d);
        assert_summed(memory, got.dwv, one.dwv[0], s, R, s.dv);
        for (int r = 0; r < R; r++) {
            MaskRange heads = share_heads(s.H, R, r);
            Mat own = mat_cols(one.dwq[0], heads.first * s.d, heads.count * s.d);
            assert_close(got.dwq[r], table_of(memory, own).at, 2e-6, 4e-6);
            assert_same(mat_rows(got.others, r * s.T, s.T), got.out);
            // One all-reduce each way: 2 (R − 1) / R of T D numbers, whole parts.
            double formula = 2.0 * (R - 1) / R * s.T * D * 4;
            ck_assert_double_le(fabs((double)got.bytes[r] - formula), s.T * D % R ? 8.0 * R : 0.0);
            ck_assert_int_eq(got.back[r], got.bytes[r]);
        }
        arena_close(memory);
    }
}
