// Put before every file of the suites that are compiled for float64 (Makefile: build/double): every `float` is a
// double.
//
// float32 rounds at 6e-8, so a derivative that is wrong by 1e-6 passes there. The same code on float64 has to agree
// with the differences to 1e-7. The functions ending in f follow by name. Literals such as 0.1f stay rounded to
// float32; where the code has one that is not exact, the definition in the test may differ by 2e-8 of it.
//
// The system's headers come first: they must keep their float.
#ifndef SUPPORT_FLOAT64_SHIM_H
#define SUPPORT_FLOAT64_SHIM_H

#define _XOPEN_SOURCE        700 // these two as in lib/io/file.c, which cannot be first
#define _DEFAULT_SOURCE      1
#define BASE_PORTABLE_MATH_H // its functions are of float32
#include "base/portable_math.h"

#include <check.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
    #pragma clang diagnostic ignored "-Wkeyword-macro"
#endif

#define float double
#define copysignf copysign
#define expf      exp
#define fabsf     fabs
#define fmaxf     fmax
#define logf      log
#define sqrtf     sqrt

#endif
