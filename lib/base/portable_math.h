// <math.h> with our own expf, exp2f and logf, so that every system computes the same bits.
//
// The C standard does not specify how accurately these functions round, and C libraries differ in the last bit. One
// such bit in a softmax is enough to change the weights that training ends with. Include this header instead of
// <math.h>; tests/house/layers.c checks that. The double functions are the system's: their results are printed and
// stored with far fewer digits than systems differ in.
#ifndef BASE_PORTABLE_MATH_H
#define BASE_PORTABLE_MATH_H

#include <math.h>

// Both are within 0.502 ULP. For every float, portable_expf returns the same bits as musl's expf and as glibc's without
// FMA.
float portable_expf(float x);
float portable_exp2f(float x);
float portable_logf(float x); // correctly rounded, except for at most one float in 10⁷

#define expf  portable_expf
#define exp2f portable_exp2f
#define logf  portable_logf

#endif
