// The two sums that the judge's time goes into, with the instructions that the processor has. The same bits with all.
#ifndef JUDGE_SUMS_H
#define JUDGE_SUMS_H

double judge_dot(const double *a, const double *b, int n);

enum { JUDGE_MIXED = 4 }; // keys at once
// out (n) += Σ weights[e] · values[e], of MIXED keys.
void judge_mix(double *out, const double *weights, const double *const *values, int n);

#endif
