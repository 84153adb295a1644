// Two arrays of the same shape, theirs and ours: which element is worst, how many are out of tolerance, how far in all.
#ifndef JUDGE_COMPARE_H
#define JUDGE_COMPARE_H

#include <stddef.h>

// An element is within tolerance when |theirs − ours| ≤ a + r · |ours|. NaN and ±Inf must stand where ours stand.
typedef struct {
    double r, a;
} CompareTolerance;

typedef struct {
    size_t count, out;       // elements; those out of tolerance
    size_t not_finite;       // of these: NaN or ±Inf on one side only, or another kind of it
    double worst;            // in tolerances: above 1 is out; INFINITY where NaN or ±Inf do not match
    size_t at;               // where that is
    double largest;          // |theirs − ours|, of the elements that are finite in both
    double difference, size; // Σ (theirs − ours)² and Σ ours², of the same
} Comparison;

Comparison compare_arrays(const double *theirs, const double *ours, size_t count, CompareTolerance tolerance);
void compare_add(Comparison *sum, Comparison part, size_t first); // `part` begins at element `first`

// ‖theirs − ours‖ / ‖ours‖ in the Frobenius norm. 0 when both are 0; INFINITY when only `ours` is, or when NaN or ±Inf
// do not match.
double compare_relative(const Comparison *comparison);

#endif
