// Exercise 06: my_heads.
#include "attention/multi_head.h"
#include "base/random.h"
#include "exercises/judge.h"

void my_heads(Mat out, Mat q, Mat k, Mat v, int H);

// Head h as the h-th part of the memory: the wrong reshape of chapter 06.
static Mat part_of_memory(Mat m, int h, int H)
{
    int d = m.cols / H;
    return (Mat){ m.at + (ptrdiff_t)h * m.rows * d, m.rows, d, d };
}

static Mat by_wrong_reshape(Arena *arena, Mat q, Mat k, Mat v, int H)
{
    Mat out = mat_new(arena, q.rows, q.cols);
    for (int h = 0; h < H; h++)
        attention_naive((Attended){ .out = mat_cols(out, h * q.cols / H, q.cols / H) }, part_of_memory(q, h, H),
                        part_of_memory(k, h, H), part_of_memory(v, h, H), (Mask){ 0 });
    return out;
}

static Mat random_mat(Arena *arena, Random *random, int rows, int cols)
{
    Mat m = mat_new(arena, rows, cols);
    random_normals(random, m);
    return m;
}

static void heads_of(Judge *judge, int T, int D, int H)
{
    Random random = random_from((uint64_t)H);
    Mat q = random_mat(judge->arena, &random, T, D), k = random_mat(judge->arena, &random, T, D);
    Mat v = random_mat(judge->arena, &random, T, D), got = judge_output(judge, T, D);
    Mat expected = mat_new(judge->arena, T, D), one_head = mat_new(judge->arena, T, D);
    Mat causal = mat_new(judge->arena, T, D);
    heads_attend(causal, (Mat){ 0 }, q, k, v, H, (Mask){ .causal = true });
    heads_attend(expected, (Mat){ 0 }, q, k, v, H, (Mask){ 0 });
    attention_naive((Attended){ .out = one_head }, q, k, v, (Mask){ 0 });

    judge_trying(judge, "my_heads of %d tokens, D = %d, H = %d", T, D, H);
    my_heads(got, q, k, v, H);
    judge_answer(judge, (Answer){
        .got = got, .expected = expected,
        .hint = "for every h, attend with mat_cols(q, h * d, d) and the same columns of k, v and out; d = D / H",
        .mistakes = { { "this is the wrong reshape: head h is a share of the columns, not a share of the memory",
                        by_wrong_reshape(judge->arena, q, k, v, H) },
                      { "this is one head of full width: split the columns among the heads", one_head },
                      { "no mask was asked for: every word sees every word", causal } } });
}

static void check(Judge *judge)
{
    heads_of(judge, 3, 4, 1);
    heads_of(judge, 3, 4, 2);
    heads_of(judge, 11, 12, 4);
    heads_of(judge, 5, 6, 6);
}

int main(void) { return judge_main(6, check); }
