// Compares two arrays of the same shape, theirs (tested) and ours (reference): the worst element, the number out of
// tolerance, and the norm of the difference.
#ifndef JUDGE_COMPARE_H
#define JUDGE_COMPARE_H

#include <stddef.h>

// An element is within tolerance if |theirs − ours| ≤ a + r · |ours|. NaN and ±Inf must be at the same positions.
typedef struct {
    double r, a;
} CompareTolerance;

typedef struct {
    size_t count, out;       // number of elements; number out of tolerance
    size_t not_finite;       // of these: NaN or ±Inf in one array only, or not the same in both
    double worst;            // largest error in tolerances (above 1: out); INFINITY if NaN or ±Inf mismatch
    size_t at;               // index of the worst element
    double largest;          // max |theirs − ours| over elements finite in both
    double difference, size; // Σ (theirs − ours)² and Σ ours², over the same
} Comparison;

Comparison compare_arrays(const double *theirs, const double *ours, size_t count, CompareTolerance tolerance);
void compare_add(Comparison *sum, Comparison part, size_t first); // `first`: index of the first element of `part`

// ‖theirs − ours‖ / ‖ours‖ in the Frobenius norm. 0 if both are 0; INFINITY if only `ours` is 0, or if NaN or ±Inf
// mismatch.
double compare_relative(const Comparison *comparison);

#endif
