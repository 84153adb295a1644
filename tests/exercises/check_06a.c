// Exercise 06a: my_heads.
#include "attention/multi_head.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

void my_heads(Mat out, Mat q, Mat k, Mat v, int H);

// Head h of m, cut rightly and wrongly.
typedef Mat Cut(Mat m, int h, int H);
static Mat by_columns(Mat m, int h, int H) { return mat_cols(m, h * (m.cols / H), m.cols / H); }
static Mat from_column_h(Mat m, int h, int H) { return mat_cols(m, h, m.cols / H); }

// Heads as wide as a share of the tokens; there are at least H tokens, and no more of them than columns.
static Mat as_wide_as_tokens(Mat m, int h, int H) { return mat_cols(m, h * (m.rows / H), m.rows / H); }

static Mat from_column_h_H(Mat m, int h, int H)
{
    int d = m.cols / H;
    return mat_cols(m, h * H + d <= m.cols ? h * H : h * d, d);
}

// The h-th part of the memory: the wrong reshape of chapter 06.
static Mat by_memory(Mat m, int h, int H)
{
    int d = m.cols / H;
    return (Mat){ m.at + (ptrdiff_t)h * m.rows * d, m.rows, d, d };
}

// A share of the tokens: of rows, where columns were meant. Needs as many tokens as columns.
static Mat by_rows(Mat m, int h, int H) { return mat_rows(m, h * (m.cols / H), m.cols / H); }

// A view of d columns whose stride is d, too: each row begins right behind the one before it.
static Mat with_stride_d(Mat m, int h, int H)
{
    int d = m.cols / H;
    return (Mat){ m.at + h * d, m.rows, d, d };
}

// Heads from the last to the first.
static Mat from_behind(Mat m, int h, int H) { return by_columns(m, H - 1 - h, H); }

static Mat whole(Mat m, int h, int H)
{
    (void)h;
    (void)H;
    return m;
}

// A view of d columns whose stride is the width of m, which may be a view itself.
static Mat with_stride_D(Mat m, int h, int H)
{
    int d = m.cols / H;
    return (Mat){ m.at + h * d, m.rows, d, m.cols };
}

static Mat of_head_0(Mat m, int h, int H)
{
    (void)h;
    return by_columns(m, 0, H);
}

typedef struct {
    Arena *arena;
    Mat q, k, v;
    int H;
} Heads;

static Mat cut_by(const Heads *a, Cut *in, Cut *out, Mask mask)
{
    Mat to = mat_new(a->arena, a->q.rows, a->q.cols);
    for (int h = 0; h < a->H; h++)
        attention_naive((Attended){ .out = out(to, h, a->H) }, in(a->q, h, a->H), in(a->k, h, a->H), in(a->v, h, a->H),
                        mask);
    return to;
}

// Some of q, k and v are always cut from the columns of head 0.
static Mat shared(const Heads *a, bool q, bool k, bool v)
{
    Mat to = mat_new(a->arena, a->q.rows, a->q.cols);
    for (int h = 0; h < a->H; h++)
        attention_naive((Attended){ .out = by_columns(to, h, a->H) }, by_columns(a->q, q ? 0 : h, a->H),
                        by_columns(a->k, k ? 0 : h, a->H), by_columns(a->v, v ? 0 : h, a->H), (Mask){ 0 });
    return to;
}

// One result for all queries and keys, of which head h takes its columns of the values.
static Mat scores_of_full_width(const Heads *a)
{
    Mat to = mat_new(a->arena, a->q.rows, a->q.cols);
    Mask mask = { .scale = 1.0f / sqrtf((float)(a->q.cols / a->H)) };
    for (int h = 0; h < a->H; h++)
        attention_naive((Attended){ .out = by_columns(to, h, a->H) }, whole(a->q, h, a->H), whole(a->k, h, a->H),
                        by_columns(a->v, h, a->H), mask);
    return to;
}

// Columns dealt out in turn: head h has h, h + H, h + 2H …
static Mat dealt(Arena *arena, Mat m, int H, bool back)
{
    Mat to = mat_new(arena, m.rows, m.cols);
    int d = m.cols / H;
    for (int i = 0; i < m.rows; i++)
        for (int h = 0; h < H; h++)
            for (int c = 0; c < d; c++) {
                int side_by_side = h * d + c, in_turn = c * H + h;
                *mat_ref(to, i, back ? in_turn : side_by_side) = *mat_ref(m, i, back ? side_by_side : in_turn);
            }
    return to;
}

static Mat in_turn(const Heads *a)
{
    Heads dealt_out = { a->arena, dealt(a->arena, a->q, a->H, false), dealt(a->arena, a->k, a->H, false),
                        dealt(a->arena, a->v, a->H, false), a->H };
    return dealt(a->arena, cut_by(&dealt_out, by_columns, by_columns, (Mask){ 0 }), a->H, true);
}

static Mat times(Arena *arena, Mat m, float factor)
{
    Mat product = mat_copy(arena, m);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(product, i, j) *= factor;
    return product;
}

static Mat random_mat(Arena *arena, Random *random, int rows, int cols)
{
    Mat m = mat_new(arena, rows, cols);
    random_normals(random, m);
    return m;
}

static bool same(Mat a, Mat b) { return mat_max_difference(a, b) <= 1e-5; } // not where one is NaN

// The heads whose columns of the output are not right; or what can be said of one that has not been written.
static const char *wrong_heads(const Heads *a, Mat got, Mat expected)
{
    const char *all = "the columns of the output that are wrong belong to head";
    int count = 0, last = a->H - 1, d = a->q.cols / a->H, H = a->H;
    Mat narrow = mat_cols(cut_by(a, from_column_h, from_column_h, (Mask){ 0 }), 0, last + d);
    if (last > 0 && d > 1 && same(mat_cols(got, 0, last + d), narrow))
        return "head h begins at column h · d, not at column h: in q, k, v and out";
    if (last > 0 && d > 1 && isnan(mat_sum(by_columns(got, last, H))) &&
        same(mat_cols(got, last, d), by_columns(expected, last, H)))
        return "head h's output begins at column h · d of out, not at column h";
    if (H > 1 && H < d && isnan(mat_sum(mat_cols(got, H * H, a->q.cols - H * H))) &&
        !isnan(mat_sum(mat_cols(got, 0, H * H))))
        return "H heads of H columns leave the rest of out unwritten: each head is d = D / H columns wide";
    if (last > 0 && isnan(mat_sum(by_columns(got, last, a->H))) &&
        same(of_head_0(got, 0, a->H), by_columns(expected, last, a->H)))
        return "every head has written into columns 0 … d - 1 of out: each must have columns of its own";
    int T = a->q.rows, reached = T / H * H;
    if (T >= H && reached < a->q.cols && isnan(mat_sum(mat_cols(got, reached, a->q.cols - reached))) &&
        same(mat_cols(got, 0, reached),
             mat_cols(cut_by(a, as_wide_as_tokens, as_wide_as_tokens, (Mask){ 0 }), 0, reached)))
        return "a head is d = D / H columns wide, and D is the columns of q, not its rows";
    for (int h = 0; h < a->H; h++) {
        if (isnan(mat_sum(by_columns(got, h, a->H))))
            return arena_format(a->arena,
                                "not all of head %d's columns of out have been written: does your loop reach "
                                "it?",
                                h);
        if (same(by_columns(got, h, a->H), by_columns(expected, h, a->H))) continue;
        all = arena_format(a->arena, "%s%s %d", all, count++ ? "," : "", h);
    }
    return all;
}

// `fused`: q, k and v are views of one matrix, as they are in the layer.
static void heads_of(Judge *judge, int T, int D, int H, bool fused)
{
    Random random = random_from((uint64_t)H);
    Mat q = random_mat(judge->arena, &random, T, D), k = random_mat(judge->arena, &random, T, D);
    Mat v = random_mat(judge->arena, &random, T, D), got = judge_output(judge, T, D);
    Mat qkv = random_mat(judge->arena, &random, T, 3 * D);
    if (fused) {
        q = mat_cols(qkv, 0, D);
        k = mat_cols(qkv, D, D);
        v = mat_cols(qkv, 2 * D, D);
    }
    Heads a = { judge->arena, q, k, v, H }, exchanged = { judge->arena, q, k, v, D / H };
    Mask everything = { 0 }, causal = { .causal = true };
    Mask wide = { .scale = 1.0f / sqrtf((float)D) }, bare = { .scale = 1.0f };
    Mask by_heads = { .scale = 1.0f / sqrtf((float)H) }, no_root = { .scale = (float)H / (float)D };
    Mat one_head = mat_new(judge->arena, T, D), expected = cut_by(&a, by_columns, by_columns, everything);
    attention_naive((Attended){ .out = one_head }, q, k, v, everything);
    Mat some_tokens = T >= D ? cut_by(&a, by_rows, by_rows, everything) : mat_new(judge->arena, T, D);

    judge_trying(judge, "my_heads of %d tokens, D = %d, H = %d%s", T, D, H, fused ? ", q | k | v one matrix" : "");
    my_heads(got, q, k, v, H);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = expected,
            .hints = { .property = wrong_heads(&a, got, expected),
                       .question = "which columns of q, k and v belong to head h, and where does its output go?",
                       .formula = "O_h = softmax(Q_h K_hᵀ / √d) V_h, with d = D / H; out = O_0 | O_1 | …" },
            .mistakes = {
                { "this is the wrong reshape: head h is a share of the columns, not a share of the memory",
                  cut_by(&a, by_memory, by_columns, everything) },
                { "this is the wrong reshape, on the way in and on the way out: head h is a share of the columns",
                  cut_by(&a, by_memory, by_memory, everything) },
                { "the heads are right, but not side by side: head h fills columns h·d … of out, not a share of its memory",
                  cut_by(&a, by_columns, by_memory, everything) },
                { "a head is given some of the tokens: it must have all of them, and some of the columns",
                  some_tokens },
                { "head h begins at column h · d, not at column h", cut_by(&a, from_column_h, by_columns, everything) },
                { "head h begins at column h · d: there are h heads before it, each d columns wide, not H",
                  cut_by(&a, from_column_h_H, by_columns, everything) },
                { "the scores are divided by √D; a head of width d divides by √d",
                  cut_by(&a, by_columns, by_columns, wide) },
                { "this is one head of full width: split the columns among the heads", one_head },
                { "H and d have changed places: there are H heads, each D / H columns wide",
                  cut_by(&exchanged, by_columns, by_columns, everything) },
                { "the scores are not divided: a head of width d divides them by √d, which scale 0 stands for",
                  cut_by(&a, by_columns, by_columns, bare) },
                { "the scores are divided by √H; a head of width d divides by √d",
                  cut_by(&a, by_columns, by_columns, by_heads) },
                { "the scores are divided by d; a head of width d divides by √d, which scale 0 stands for",
                  cut_by(&a, by_columns, by_columns, no_root) },
                { "each head has the queries of head 0: q must be cut for each", shared(&a, true, false, false) },
                { "each head has the keys of head 0: k must be cut for each", shared(&a, false, true, false) },
                { "each head has the values of head 0: v must be cut for each", shared(&a, false, false, true) },
                { "each head has the keys and values of head 0: k and v must be cut for each",
                  shared(&a, false, true, true) },
                { "a view keeps the stride of its matrix: from one row of q to the next it is D floats, not d",
                  cut_by(&a, with_stride_d, by_columns, everything) },
                { "q, k and v are views here: from one row to the next it is `stride` floats, which is more than `cols`",
                  cut_by(&a, with_stride_D, by_columns, everything) },
                { "k and v have changed places: k is what is compared, v is what is mixed",
                  cut_by(&(Heads){ judge->arena, q, v, k, H }, by_columns, by_columns, everything) },
                { "q and k have changed places: each row of q asks, and what it asks are the rows of k",
                  cut_by(&(Heads){ judge->arena, k, q, v, H }, by_columns, by_columns, everything) },
                { "the queries were taken for the keys: a score is made of q and k",
                  cut_by(&(Heads){ judge->arena, q, q, v, H }, by_columns, by_columns, everything) },
                { "the keys were taken for the values: what is mixed is v",
                  cut_by(&(Heads){ judge->arena, q, k, k, H }, by_columns, by_columns, everything) },
                { "the heads are right, but they stand in the wrong order: head h fills columns h·d … of out",
                  cut_by(&a, by_columns, from_behind, everything) },
                { "columns are dealt out in turn here, h, h + H, …; head h has d columns that stand side by side",
                  in_turn(&a) },
                { "every head works on the columns of head 0: q, k and v must be cut for each",
                  shared(&a, true, true, true) },
                { "each head has the queries and keys of head 0: q and k must be cut for each",
                  shared(&a, true, true, false) },
                { "the scores are multiplied by √d; they are divided by it, which scale 0 stands for",
                  cut_by(&a, by_columns, by_columns, (Mask){ .scale = sqrtf((float)D / (float)H) }) },
                { "every head compares all columns of q and k: it must have its own share of each",
                  scores_of_full_width(&a) },
                { "the heads stand side by side: nothing is divided by their number",
                  times(judge->arena, expected, 1.0f / (float)H) },
                { "no mask was asked for: every word sees every word",
                  cut_by(&a, by_columns, by_columns, causal) } } });
}

static void check(Judge *judge)
{
    heads_of(judge, 6, 6, 2, false); // d is 3: none of √d, √D, √H and d are the same
    heads_of(judge, 4, 4, 1, false);
    heads_of(judge, 4, 4, 2, false);
    heads_of(judge, 3, 4, 2, false);
    heads_of(judge, 5, 6, 2, false);
    heads_of(judge, 11, 12, 4, false);
    heads_of(judge, 5, 6, 6, false);
    heads_of(judge, 5, 6, 3, true);
}

int main(void) { return judge_main("06a", check); }
