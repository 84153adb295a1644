// Numbers of 16 bits, as GPUs multiply them: float16 and bfloat16. C11 has neither, so they travel as their bits.
//
// float16 has 10 fraction bits and reaches 65504; bfloat16 has 7 and the range of float32, whose upper half it is.
#ifndef BASE_HALF_H
#define BASE_HALF_H

#include <stdint.h>

typedef enum { FLOAT16, BFLOAT16 } HalfKind;

// The nearest of them, the even one of two that are as near; too large becomes ±INFINITY, NaN stays NaN.
uint16_t half_of(HalfKind kind, float x);

// Exact.
float half_value(HalfKind kind, uint16_t bits);

#endif
