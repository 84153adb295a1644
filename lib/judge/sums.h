// The two innermost loops of the judge, compiled for several instruction sets. All give the same bits.
#ifndef JUDGE_SUMS_H
#define JUDGE_SUMS_H

double judge_dot(const double *a, const double *b, int n);

enum { JUDGE_MIXED = 4 }; // number of keys that judge_mix adds at once
// out (n) += Σ weights[e] · values[e] over JUDGE_MIXED keys.
void judge_mix(double *out, const double *weights, const double *const *values, int n);

#endif
