// Chapter 15, step 11: the fast kernel of today with the 2ˣ that it once had, and without care for small numbers.
#if defined __x86_64__
    #undef KIND
    #define KIND           16
    #define fast_kernel_16 fast_kernel_as_it_was
    #define speed_steady   not_used_1
    #define speed_restored not_used_2
    #define vec_exp2       not_used_3
    #include "attention/fast_kernel.h"
    #undef speed_steady
    #undef speed_restored
    #undef vec_exp2

static inline uint64_t speed_steady(void) { return 0; }
static inline void speed_restored(uint64_t was) { (void)was; }

// What is below −200 counts as −200: so every such lane asks for a number that float32 does not have.
INLINE Vec vec_exp2(Vec x)
{
    x = _mm512_max_ps(vec_splat(-200.0f), x);
    Vec n = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT), r = x - n;
    return _mm512_scalef_ps(POLYNOMIAL(r), n);
}

    #include "attention/fast_kernel.c"
#endif
