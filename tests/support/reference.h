// What the suites hold the library against: the definitions again in float64, sharing no code with lib/attention.
//
// A Table is a matrix of float64, row after row without gaps. Everything made here lives in the arena it is given.
#ifndef SUPPORT_REFERENCE_H
#define SUPPORT_REFERENCE_H

#include "attention/attention.h"
#include "base/mat.h"
#include "base/random.h"

#include <check.h>

typedef struct {
    double *at;
    int rows, cols;
} Table;

Table table_new(Arena *arena, int rows, int cols);
Table table_of(Arena *arena, Mat m);
Table table_cols(Arena *arena, Table t, int first, int count); // a copy
Table reference_matmul(Arena *arena, Table a, Table b);
double reference_logsumexp(const double *scores, int n);
void reference_softmax(double *weights, const double *scores, int n);

// DESIGN.md's words on masks, one after the other.
bool reference_sees(Mask mask, int i, int j, int T, int S);
double reference_bias(Mask mask, int i, int j, int T, int S); // for a key in sight

// out (T, dv), lse (T, 1), weights (T, S), scores (T, S) with −INFINITY out of sight.
typedef struct {
    Table out, lse, weights, scores;
} Reference;
Reference reference_attention(Arena *arena, Table q, Table k, Table v, Mask mask);

// x (T, D), wqkv (D, 3D), wo (D, D) or empty. out (T, D), weights (H · T, T); lse and scores stay empty.
Reference reference_multi_head(Arena *arena, Table x, Table wqkv, Table wo, int H, Mask mask);

// Every query head of `got` against the definition: q (T, H d), k (S, G d), v (S, G dv), of any G. A float32 score of
// size s is rounded at s · 2⁻²⁴, so `atol` grows with scores above 16. Call case_is first.
void reference_heads(Attended got, Mat q, Mat k, Mat v, int H, const Mask *masks, double rtol, double atol);

// Matrices for tests. A framed matrix is a column view of a wider one; everything outside the view is `poison`.
typedef struct {
    Mat view, whole;
} Framed;
Mat random_mat(Arena *arena, Random *random, int rows, int cols);
Framed framed_mat(Arena *arena, int rows, int cols, float poison);
bool frame_untouched(Framed framed, float poison);

// Names the case at hand; the text is part of every message below.
void case_is(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Whether case i of a long loop is tried: always, and with THIN=n in the environment one in n, as SEED deals. Under a
// sanitizer the longest loops take minutes.
bool case_tried(int i);

// |got − want| ≤ atol + rtol · |want| for every element; NaN and ±INFINITY must stand where they stand in `want`.
// A failure reports the worst element, its index and both values.
bool reference_close(char *why, size_t room, Mat got, const double *want, double rtol, double atol);
bool reference_same(char *why, size_t room, Mat got, Mat want);

#define assert_close(got, want, rtol, atol) \
    do { \
        char why_[600]; \
        bool close_ = reference_close(why_, sizeof why_, (got), (want), (rtol), (atol)); \
        ck_assert_msg(close_, "%s is not %s: %s", #got, #want, why_); \
    } while (0)

// The same shape and the same bits.
#define assert_same(got, want) \
    do { \
        char why_[600]; \
        bool same_ = reference_same(why_, sizeof why_, (got), (want)); \
        ck_assert_msg(same_, "%s is not %s to the bit: %s", #got, #want, why_); \
    } while (0)

// For tests that expect the program to stop: its last words do not belong into the report.
void quiet(void);

#endif
