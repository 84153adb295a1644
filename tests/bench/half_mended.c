// Chapter 15, step 11: the fast kernel of today, 2ˣ mended, and still without care for small numbers.
#if defined __x86_64__
    #undef KIND
    #define KIND           16
    #define fast_kernel_16 fast_kernel_half_mended
    #define speed_steady   not_used_1
    #define speed_restored not_used_2
    #include "attention/fast_kernel.h"
    #undef speed_steady
    #undef speed_restored

static inline uint64_t speed_steady(void) { return 0; }
static inline void speed_restored(uint64_t was) { (void)was; }

    #include "attention/fast_kernel.c"
#endif
