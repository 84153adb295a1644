// Chapter 13. Softmax in one pass: a running maximum and a running sum, and how two partial results become one.
#ifndef ATTENTION_ONLINE_H
#define ATTENTION_ONLINE_H

#include "attention/attention.h"

// One pass over the keys; no row of scores is ever stored (weights, when asked for, cost a second pass).
// [Milakov and Gimelshein 2018, arXiv:1805.02867; Rabe and Staats 2021, arXiv:2112.05682]
AttentionKernel attention_online;

// Two results for the same queries over two sets of keys that have no key in common, out (T, dv) and lse (T, 1) each,
// become the result over both sets, in `out` and `lse`. Commutative to the bit, associative up to rounding. A result
// over no keys at all (out 0, lse −INFINITY) changes nothing, to the bit. The shares of the two are as good as their
// lse: near ±1e4 a float has steps of 1/1024.
void attention_merge(Mat out, Mat lse, Mat other_out, Mat other_lse);

#endif
