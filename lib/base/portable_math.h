// <math.h> with our own expf, exp2f and logf, so that every system computes the same bits.
//
// The C standard does not say how exactly these functions round, and C libraries differ in the last bit. One such bit in
// a softmax is enough for a model that a chapter trains to end with other weights. Include this header and not <math.h>;
// tests/house/layers.c checks that. The functions of double stay the system's: what the book prints and stores of them
// is rounded to far fewer digits than they differ in.
#ifndef BASE_PORTABLE_MATH_H
#define BASE_PORTABLE_MATH_H

#include <math.h>

// Both are within 0.502 of a unit in the last place. portable_expf returns the bits that musl's expf returns, and
// glibc's without FMA instructions, for every float.
float portable_expf(float x);
float portable_exp2f(float x);
float portable_logf(float x); // the float next to the logarithm, but for one float in 10⁷ at most

#define expf  portable_expf
#define exp2f portable_exp2f
#define logf  portable_logf

#endif
