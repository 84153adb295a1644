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
// 11: each is the mean of 4
// 12: the last head of each group
// 13: divided by G
// 14: the keys of a group go with its values
// 15: what is mixed are the values
// 16: keys are shared, queries are not
// 17: mix the values of key head 0
// 18: look at the keys of key head 0
// 19: the first group reads key head 0
// 20: keys and values are exchanged
// 21: compared with the values here
// 22: taken by the number of the group
// 23: so groups overlap
// 24: left out of the sum
// 25: all heads are pooled into each
// 26: all the heads that there are
// 27: divided by n twice
// 28: divided by d
// 29: the number of rows
// 30: divided by n - 1
// 31: a division of whole numbers
// 32: is a view
// 33: the columns of query head 2 hold no numbers
// 34: the columns of query head 2 hold no numbers
// 35: reads the last key head
// 36: key head g is taken from column g on
// 37: the first head of each group is left out
// 38: head j is taken from column j on
// 39: it begins at 0 for each
// 40: the last one weighs most
// 41: one mean for all columns
// 42: each stands in another place
// 43: q has 8 columns, k and v have 4 it was stopped, for the reason that stands above hint: mat_cols
#include "attention/attention.h"
#include "exercises/wrong.h"

void my_shared_heads(Mat out, Mat q, Mat k, Mat v, int H);
void my_pooled_heads(Mat to, Mat from, int d);

void my_shared_heads(Mat out, Mat q, Mat k, Mat v, int H)
{
    int how = wrong(), d = q.cols / H, G = k.cols / d;
    for (int h = 0; h < (how == 34 ? G : H); h++) {
        int g = how == 1 ? h % G : how == 2 ? 0 : how == 3 ? h / G % G : h / (H / G);
        if (how == 19) g = G - 1 - g;
        if (how == 35) g = G - 1;
        if (how == 34) g = h;
        int key = how == 43 ? h : how == 14 ? h % G : how == 18 ? 0 : g, value = how == 5 ? h % G : how == 17 ? 0 : g;
        int query = how == 16 ? g * (H / G) : how == 22 ? g : h, apart = how == 36 ? 1 : d;
        Mat keys = mat_cols(how == 20 || how == 21 ? v : k, key * apart, d);
        Mat to = mat_cols(out, (how == 33 ? g : h) * d, d);
        Mat values = mat_cols(how == 15 || how == 20 ? k : v, value * apart, d);
        attention_naive((Attended){ .out = to }, mat_cols(q, query * d, d), keys, values, (Mask){ .causal = how == 4 });
        if (how == 6) *mat_ref(to, 0, 0) *= 0.5f; // nothing that is known
    }
}

// What the sum of a group is divided by.
static int divisor(int how, int n, Mat to, int d)
{
    int G = to.cols / d;
    switch (how) {
    case 13: return G;
    case 25:
    case 26: return n * G;
    case 27: return n * n;
    case 28: return d;
    case 29: return to.rows;
    case 30: return n - 1;
    case 40: return 2;
    default: return n;
    }
}

void my_pooled_heads(Mat to, Mat from, int d)
{
    int how = wrong(), n = from.cols / to.cols, G = to.cols / d;
    float sum = 0.0f;
    for (int i = 0; i < to.rows; i++)
        for (int c = 0; c < to.cols; c++) {
            if (how != 39) sum = 0.0f;
            for (int m = 0; m < (how == 8 ? 1 : how == 24 ? n - 1 : how == 25 ? n * G : n); m++) {
                int head = how == 9 ? m * G + c / d : how == 23 ? c / d + m : c / d * n + (how == 12 ? n - 1 : m);
                if (how == 25) head = m;
                int column = how == 10 ? c * n + m : how == 38 ? head + c % d : head * d + c % d;
                if (how == 37 && m == 0) continue;
                if (how == 40) sum *= 0.5f;
                for (int e = 0; e < d && how == 41; e++) sum += *mat_ref(from, i, head * d + e) / (float)d;
                if (how == 41) continue;
                sum += how == 32 ? from.at[i * from.cols + column] : *mat_ref(from, i, column);
            }
            if (how == 31) sum *= (float)(1 / n);
            int place = how == 42 ? c % d * G + c / d : c;
            *mat_ref(to, i, place) = how == 7 || how == 8 ? sum
                                     : how == 11          ? 3.0f * sum
                                                          : sum / (float)divisor(how, n, to, d);
        }
}
