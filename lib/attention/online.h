// Chapter 13. Online softmax: a running maximum and a running sum in one pass, and the merge of two partial results.
// [Milakov and Gimelshein 2018, arXiv:1805.02867; Rabe and Staats 2021, arXiv:2112.05682]
#ifndef ATTENTION_ONLINE_H
#define ATTENTION_ONLINE_H

#include "attention/attention.h"

// One pass over the keys; no row of scores is stored. weights, if requested, take a second pass.
AttentionKernel attention_online;

// Merges two results for the same queries over disjoint sets of keys, out (T, dv) and lse (T, 1) each, into `out` and
// `lse`. Bitwise commutative, associative up to rounding. A result over no keys (out 0, lse −INFINITY) changes no bit.
// Accuracy is limited by the precision of lse: near ±1e4 consecutive floats differ by 1/1024.
void attention_merge(Mat out, Mat lse, Mat other_out, Mat other_lse);

#endif
