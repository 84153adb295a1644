// A random number generator of our own: a seed gives the same numbers on every machine. The state is one 64-bit word.
//
// The generator is SplitMix64 (Steele, Lea, Flood 2014): a counter with a golden-ratio step, hashed.
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include "base/mat.h"

#include <stdint.h>

typedef struct {
    uint64_t state;
} Random;

Random random_from(uint64_t seed);
uint64_t random_bits(Random *random);
float random_uniform(Random *random);    // 0 ≤ x < 1, in steps of 2⁻²⁴
int random_below(Random *random, int n); // uniform in 0 … n − 1; n ≥ 1
float random_normal(Random *random);     // mean 0, variance 1 (Box and Muller 1958)

void random_normals(Random *random, Mat m);             // fills m, row by row
void random_shuffle(Random *random, int *order, int n); // Fisher-Yates shuffle of `order`

#endif
