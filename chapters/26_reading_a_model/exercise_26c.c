// Exercise 26c. Predict: what is said, what is missed.
//
// Write the numbers, to two decimals, then run: make exercise-26c
#include "base/portable_math.h"

// A stream is two numbers wide. At its end the embedding has added (1, 0), head 0 (2, 0) and head 1 (0, 5). The last
// norm divides by the root of the mean square; gains are 1. The lead is the sum of both numbers after the norm.

// 1. The lead.
float my_lead(void) { return NAN; }

// 2. The share of head 1 in it.
float my_share(void) { return NAN; }

// 3. What is lost of the lead when head 1 gives (0, 0).
float my_loss(void) { return NAN; }

// 4. How much of what head 1 says the norm gives back then.
float my_return(void) { return NAN; }

// 5. What is lost when head 0 gives its mean, (1, 0).
float my_loss_with_mean(void) { return NAN; }

// 6. Two words, two layers of one causal head each. The second word weighs itself by 0.4 in layer 0, and by 0.8 in
//    layer 1. Its rollout at the first word.
float my_rollout(void) { return NAN; }

// 7. What two matrices that know nothing of each other may expect as a composition score, with D = 256.
float my_chance(void) { return NAN; }
