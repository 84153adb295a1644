// Gradients by small nudges: central differences of a float64 loss, for the suites of backward passes.
#ifndef SUPPORT_SLOPES_H
#define SUPPORT_SLOPES_H

#include "support/reference.h"

// A loss looks at numbers that the test holds, through `of`; it may use the arena, what it takes is given back.
typedef double Loss(void *of);
Table slopes(Arena *arena, Table numbers, Loss *loss, void *of); // ∂ loss / ∂ numbers

double inner(Table a, Table b); // Σ a · b over all elements

// Relative error at most SLOPES_RTOL; entries that are small beside the largest may be off by SLOPES_ATOL times the
// largest. A suite that is compiled for float64, too (tests/support/float64_shim.h), has to be nearly as good there as the
// differences.
#define SLOPES_WIDE (sizeof(float) == sizeof(double))
#define SLOPES_RTOL (SLOPES_WIDE ? 1e-7 : 1e-4)
#define SLOPES_ATOL (SLOPES_WIDE ? 1e-9 : 2e-6)
double slopes_tolerance(Table want);

#define assert_gradient(got, want) \
    do { \
        Table want_ = (want); \
        assert_close((got), want_.at, SLOPES_RTOL, slopes_tolerance(want_)); \
    } while (0)

#endif
