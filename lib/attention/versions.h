// Chapter 15. A kernel in plain C, compiled once for each kind of processor. The one for the kind in use is called.
#ifndef ATTENTION_VERSIONS_H
#define ATTENTION_VERSIONS_H

#include "attention/fast.h"
#include "attention/fast_kinds.h"

// VERSIONS(attention_x, x) defines the kernel attention_x from x, which is ALWAYS_INLINE and takes what a kernel takes,
// and how many floats a vector register holds.
#if defined __x86_64__
#define VERSIONS(kernel, f)                                                                                           \
    AVX512 static void f##_avx512(Attended to, Mat q, Mat k, Mat v, Mask mask) { f(to, q, k, v, mask, 16); }          \
    AVX2 static void f##_avx2(Attended to, Mat q, Mat k, Mat v, Mask mask) { f(to, q, k, v, mask, 8); }               \
    static void f##_plain(Attended to, Mat q, Mat k, Mat v, Mask mask) { f(to, q, k, v, mask, 4); }                   \
    void kernel(Attended to, Mat q, Mat k, Mat v, Mask mask)                                                          \
    {                                                                                                                 \
        attention_require(to, q, k, v);                                                                               \
        bool widest = !strcmp(fast_kind(), "avx512"), wide = !strcmp(fast_kind(), "avx2");                            \
        (widest ? f##_avx512 : wide ? f##_avx2 : f##_plain)(to, q, k, v, mask);                                       \
        attention_weights(to.weights, q, k, mask);                                                                    \
    }
#else
#define VERSIONS(kernel, f)                                                                                           \
    void kernel(Attended to, Mat q, Mat k, Mat v, Mask mask)                                                          \
    {                                                                                                                 \
        attention_require(to, q, k, v);                                                                               \
        f(to, q, k, v, mask, 4);                                                                                      \
        attention_weights(to.weights, q, k, mask);                                                                    \
    }
#endif

#endif
