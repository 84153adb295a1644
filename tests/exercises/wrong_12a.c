// Exercise 12a, solved wrongly: number WRONG of these gets this answer.
//
// 1: reads key head h % G here
// 2: every query head reads key head 0
// 3: a group does not have G heads
// 4: no mask was asked for
// 5: the values of a group go with its keys
// 6: query head 0 is the first that is wrong
// 7: this is the sum
// 8: the first head of each group alone
// 9: a group's heads are neighbours
// 10: neighbouring columns are pooled here
// 11: each is the mean of 2
// 12: the last head of each group
// 13: divided by G
// 14: the keys of a group go with its values
// 15: what is mixed are the values
// 16: keys are shared, queries are not
#include "attention/attention.h"
#include "exercises/wrong.h"

void my_shared_heads(Mat out, Mat q, Mat k, Mat v, int H);
void my_pooled_heads(Mat to, Mat from, int d);

void my_shared_heads(Mat out, Mat q, Mat k, Mat v, int H)
{
    int how = wrong(), d = q.cols / H, G = k.cols / d;
    for (int h = 0; h < H; h++) {
        int g = how == 1 ? h % G : how == 2 ? 0 : how == 3 ? h / G % G : h / (H / G);
        int key = how == 14 ? h % G : g, query = how == 16 ? g * (H / G) : h;
        Mat values = mat_cols(how == 15 ? k : v, (how == 5 ? h % G : g) * d, d), to = mat_cols(out, h * d, d);
        attention_naive((Attended){ .out = to }, mat_cols(q, query * d, d), mat_cols(k, key * d, d), values,
                        (Mask){ .causal = how == 4 });
        if (how == 6) *mat_ref(to, 0, 0) *= 0.5f;              // nothing that is known
    }
}

void my_pooled_heads(Mat to, Mat from, int d)
{
    int how = wrong(), n = from.cols / to.cols, G = to.cols / d;
    for (int i = 0; i < to.rows; i++)
        for (int c = 0; c < to.cols; c++) {
            float sum = 0.0f;
            for (int m = 0; m < (how == 8 ? 1 : n); m++) {
                int head = how == 9 ? m * G + c / d : c / d * n + (how == 12 ? n - 1 : m);
                sum += *mat_ref(from, i, how == 10 ? c * n + m : head * d + c % d);
            }
            *mat_ref(to, i, c) = how == 7 || how == 8 ? sum : how == 11 ? 3.0f * sum : sum / (float)(how == 13 ? G : n);
        }
}
