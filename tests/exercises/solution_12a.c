// Exercise 12a, solved with the library's own functions.
#include "attention/grouped.h"
#include "model/pooling.h"

void my_shared_heads(Mat out, Mat q, Mat k, Mat v, int H);
void my_pooled_heads(Mat to, Mat from, int d);

void my_shared_heads(Mat out, Mat q, Mat k, Mat v, int H)
{
    Mask masks[64] = { { 0 } };
    grouped_attend((Attended){ .out = out }, q, k, v, H, masks, attention_naive);
}

void my_pooled_heads(Mat to, Mat from, int d) { pool_heads(to, from, to.cols / d, d, POOL_MEAN); }
