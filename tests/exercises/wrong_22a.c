// Exercise 22a, solved wrongly: number WRONG of these gets this answer.
//
// 1: the second map is added
// 2: λ is left out
// 3: λ stands before the first map
// 4: it is the other way round
// 5: the first map alone
// 6: each map has a softmax of its own
// 7: each map's queries are d wide
// 8: the scores are not scaled
// 9: divided by 1 − λ
// 10: negative weights stay
// 11: the minus of negative weights is lost
// 12: the first queries meet the second keys
// 13: both maps are causal
// 14: a softmax after the subtraction
// 15: they have keys of their own
// 16: not that of two causal maps
// 17: nothing has changed
// 18: every pair has its own
// 19: no root taken
// 20: not divided by how many there are
// 21: it is 1 − init
// 22: the factor 1 − init is missing
// 23: it is multiplied
// 24: this norm leaves it
// 25: it is taken along a row
// 26: is not 1 − init after it
// 27: this is the second map alone
// 28: 1 − λ times the second map
// 29: λ stands before both maps
// 30: no key is hidden from the first map
// 31: no key is hidden from the second map
// 32: they have queries of their own
// 33: λ is negative here, and its minus is lost
// 34: over P numbers
// 35: by the first one's root
// 36: only the first pair
// 37: the squares of the pairs before
// 38: numbers that had changed already
// 39: 10⁻⁶ is not added
// 40: 10⁻⁶ is added to the root
// 41: the 10⁻⁶ counts
#include "attention/attention.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "exercises/wrong.h"

void my_difference(Mat out, Mat q, Mat k, Mat v, float lambda);
void my_norm(Mat out, int P, float init);

static float joined(float a, float b, float lambda, int how)
{
    float right = a - lambda * b;
    if (how == 1) return a + lambda * b;
    if (how == 2) return a - b;
    if (how == 3) return lambda * a - b;
    if (how == 4) return b - lambda * a;
    if (how == 5) return a;
    if (how == 9) return right / (1.0f - lambda);
    if (how == 10) return right > 0.0f ? right : 0.0f;
    if (how == 11) return right > 0.0f ? right : -right;
    if (how == 16) return right * 0.5f;
    if (how == 27) return b;
    if (how == 28) return (1.0f - lambda) * b;
    if (how == 29) return lambda * (a - b);
    if (how == 33) return a - fabsf(lambda) * b;
    return right;
}

// The two maps as scores first: how 6 subtracts these.
static void maps_of(Mat a, Mat b, Mat q, Mat k, float lambda, int how)
{
    int d = q.cols / 2, other = how == 12 ? d : 0;
    Mask mask = { .scale = how == 7 ? 1.0f / sqrtf(2.0f * (float)d) : how == 8 ? 1.0f : 0.0f };
    attention_scores(a, mat_cols(q, 0, d), mat_cols(k, other, d), mask);
    attention_scores(b, mat_cols(q, how == 32 ? 0 : d, d), mat_cols(k, how == 15 ? 0 : d - other, d), mask);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.cols; j++) {
            if (how == 6) *mat_ref(a, i, j) -= lambda * *mat_ref(b, i, j);
            if (j > i && how != 13 && how != 30) *mat_ref(a, i, j) = -INFINITY;
            if (j > i && how != 13 && how != 31) *mat_ref(b, i, j) = -INFINITY;
        }
    softmax_rows(a, a);
    softmax_rows(b, b);
}

void my_difference(Mat out, Mat q, Mat k, Mat v, float lambda)
{
    Arena *arena = arena_open();
    int how = wrong();
    Mat a = mat_new(arena, q.rows, k.rows), b = mat_new(arena, q.rows, k.rows);
    maps_of(a, b, q, k, lambda, how);
    for (int i = 0; i < a.rows; i++) {
        for (int j = 0; j < a.cols && how != 6; j++)
            *mat_ref(a, i, j) = joined(*mat_ref(a, i, j), *mat_ref(b, i, j), lambda, how);
        if (how == 14) softmax(mat_row(a, i), mat_row(a, i), i + 1);
        for (int c = 0; c < v.cols; c++) *mat_ref(out, i, c) = 0.0f;
        for (int j = 0; j < a.cols; j++)
            for (int c = 0; c < v.cols; c++) *mat_ref(out, i, c) += *mat_ref(a, i, j) * *mat_ref(v, j, c);
    }
    arena_close(arena);
}

static float by_row(Mat x, int i, int first, int n, float off, int how)
{
    float sum = 0.0f;
    for (int c = how == 37 ? 0 : first; c < first + n; c++)
        sum += (*mat_ref(x, i, c) - off) * (*mat_ref(x, i, c) - off);
    if (how == 40) return sqrtf(sum / (float)n) + 1e-6f;
    float square = (how == 20 ? sum : sum / (float)n) + (how == 39 ? 0.0f : how == 41 ? 2e-6f : 1e-6f);
    return how == 19 ? square : sqrtf(square);
}

static float by_column(Mat x, int c)
{
    float sum = 0.0f;
    for (int i = 0; i < x.rows; i++) sum += *mat_ref(x, i, c) * *mat_ref(x, i, c);
    return sqrtf(sum / (float)x.rows + 1e-6f);
}

void my_norm(Mat out, int P, float init)
{
    int how = wrong(), n = how == 18 ? out.cols : how == 34 ? P : out.cols / P;
    if (how == 17) return;
    Arena *arena = arena_open();
    Mat x = mat_copy(arena, out);
    float factor = how == 21 ? init : how == 22 ? 1.0f : how == 23 ? 1.0f / (1.0f - init) : 1.0f - init;
    if (how == 26) factor *= 0.65f; // nothing that is known
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < (how == 36 ? n : x.cols); c++) {
            int first = how == 35 ? 0 : c / n * n;
            float off = 0.0f;
            for (int e = first; e < first + n && how == 24; e++) off += *mat_ref(x, i, e) / (float)n;
            float size = how == 25 ? by_column(x, c) : by_row(how == 38 ? out : x, i, first, n, off, how);
            *mat_ref(out, i, c) = (*mat_ref(x, i, c) - off) / size * factor;
        }
    arena_close(arena);
}
