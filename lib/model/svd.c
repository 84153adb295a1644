// Chapter 17. One-sided Jacobi: rotations from the right make all columns orthogonal; their lengths are what is sought.
// [Hestenes 1958, J. SIAM 6]
#include "model/svd.h"

#include "base/error.h"
#include "base/portable_math.h"

#include <stdbool.h>

enum { SWEEPS = 60 }; // far more than any matrix has needed
#define ANGLE 1e-15   // cosine of two columns that count as orthogonal

static double inner(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void turn(double *a, double *b, int n, double cosine, double sine)
{
    for (int i = 0; i < n; i++) {
        double x = a[i];
        a[i] = cosine * x - sine * b[i];
        b[i] = sine * x + cosine * b[i];
    }
}

// Columns a and b (m), and the same two of v (n), turned until a · b = 0. false: they were orthogonal already.
static bool made_orthogonal(double *a, double *b, int m, double *va, double *vb, int n)
{
    double aa = inner(a, a, m), bb = inner(b, b, m), ab = inner(a, b, m);
    if (!(fabs(ab) > ANGLE * sqrt(aa) * sqrt(bb))) return false;
    double zeta = (bb - aa) / (2.0 * ab);
    double tangent = copysign(1.0, zeta) / (fabs(zeta) + hypot(1.0, zeta));
    double cosine = 1.0 / hypot(1.0, tangent);
    turn(a, b, m, cosine, cosine * tangent);
    turn(va, vb, n, cosine, cosine * tangent);
    return true;
}

// a (m, n) with m ≥ n: its columns become rows here, so that each lies in one piece, scaled by `largest`.
static double *columns_of(Arena *arena, const double *a, int m, int n, bool transposed, double largest)
{
    double *columns = arena_alloc(arena, sizeof(double) * (size_t)m * (size_t)n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            columns[(size_t)j * (size_t)m + (size_t)i] =
                (transposed ? a[(size_t)j * (size_t)m + (size_t)i] : a[(size_t)i * (size_t)n + (size_t)j]) / largest;
    return columns;
}

// order[k]: the column with the k-th largest length.
static int *by_length(Arena *arena, const double *length, int n)
{
    int *order = arena_alloc(arena, sizeof(int) * (size_t)n);
    for (int j = 0; j < n; j++) {
        int at = j;
        for (; at > 0 && length[order[at - 1]] < length[j]; at--) order[at] = order[at - 1];
        order[at] = j;
    }
    return order;
}

// rows (n, width) become the columns of (width, n), in this order; each is divided by its entry of `by`.
static double *as_columns(Arena *arena, const double *rows, int n, int width, const int *order, const double *by)
{
    double *to = arena_alloc(arena, sizeof(double) * (size_t)n * (size_t)width);
    for (int k = 0; k < n; k++) {
        double length = by ? by[order[k]] : 1.0;
        for (int i = 0; i < width; i++)
            to[(size_t)i * (size_t)n + (size_t)k] =
                length > 0.0 ? rows[(size_t)order[k] * (size_t)width + (size_t)i] / length : 0.0;
    }
    return to;
}

Svd svd_decompose(Arena *arena, const double *a, int m, int n)
{
    REQUIRE(m >= 0 && n >= 0, "a matrix (%d, %d)", m, n);
    // 1. The longer side down; its columns, and the turns they go through, which begin as none.
    bool transposed = m < n;
    int tall = transposed ? n : m, r = transposed ? m : n;
    double largest = 0.0;
    for (size_t i = 0; i < (size_t)m * (size_t)n; i++) {
        REQUIRE(isfinite(a[i]), "element %zu is %g", i, a[i]);
        largest = fmax(largest, fabs(a[i]));
    }
    if (largest == 0.0) largest = 1.0;
    double *columns = columns_of(arena, a, tall, r, transposed, largest);
    double *turns = arena_alloc(arena, sizeof(double) * (size_t)r * (size_t)r);
    for (int j = 0; j < r; j++) turns[(size_t)j * (size_t)r + (size_t)j] = 1.0;

    // 2. Every pair, again and again, until a whole sweep finds nothing to turn.
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (int p = 0; p < r; p++)
            for (int q = p + 1; q < r; q++)
                turned |= made_orthogonal(columns + (size_t)p * (size_t)tall, columns + (size_t)q * (size_t)tall, tall,
                                          turns + (size_t)p * (size_t)r, turns + (size_t)q * (size_t)r, r);
    }

    // 3. Lengths are the singular values; directions are u, and the turns are v.
    double *length = arena_alloc(arena, sizeof(double) * (size_t)r);
    double *s = arena_alloc(arena, sizeof(double) * (size_t)r);
    for (int j = 0; j < r; j++) {
        const double *column = columns + (size_t)j * (size_t)tall;
        length[j] = sqrt(inner(column, column, tall));
    }
    const int *order = by_length(arena, length, r);
    for (int k = 0; k < r; k++) s[k] = length[order[k]] * largest;
    double *left = as_columns(arena, columns, r, tall, order, length);
    double *right = as_columns(arena, turns, r, r, order, NULL);
    return (Svd){ m, n, r, transposed ? right : left, s, transposed ? left : right };
}
