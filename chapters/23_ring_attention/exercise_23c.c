// Exercise 23c. Predict: bytes on the wire.
//
// Write the numbers, then run: make exercise-23c
#include "base/portable_math.h"

// One layer's attention: T = 65,536 tokens on R = 8 ranks, H = 32 heads over G = 8 key heads, d = dv = 128, model width
// D = 4096. All numbers have 2 bytes. Answers are in MiB: 2^20 bytes.

// 1. One block of the ring: the keys and values of one rank.
float my_block(void) { return NAN; }

// 2. What each rank sends in the forward pass of the ring.
float my_forward(void) { return NAN; }

// 3. What it sends in the backward pass.
float my_backward(void) { return NAN; }

// 4. What each rank sends with Ulysses: queries, keys and values there, outputs back; its lse is left out.
float my_ulysses(void) { return NAN; }

// 5. Heads among ranks: what each rank sends in the all-reduce of an output (T, D).
float my_all_reduce(void) { return NAN; }

// 6. The forward pass of the ring once more, with 32 key heads.
float my_all_key_heads(void) { return NAN; }

// 7. And with 8 key heads on twice as many ranks, R = 16.
float my_sixteen_ranks(void) { return NAN; }
