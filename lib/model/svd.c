// Chapter 17. One-sided Jacobi: rotations from the right make the columns orthogonal; their norms are the singular values.
// [Hestenes 1958, J. SIAM 6]
#include "model/svd.h"

#include "base/error.h"
#include "base/portable_math.h"

#include <stdbool.h>

enum { SWEEPS = 60 }; // far more than any matrix needs
#define ANGLE 1e-15   // cosine below which two columns count as orthogonal

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void rotate(double *a, double *b, int n, double cosine, double sine)
{
    for (int i = 0; i < n; i++) {
        double x = a[i];
        a[i] = cosine * x - sine * b[i];
        b[i] = sine * x + cosine * b[i];
    }
}

// Rotates columns a and b (m), and the same two of v (n), so that a · b = 0. false: they were orthogonal already.
static bool orthogonalize(double *a, double *b, int m, double *va, double *vb, int n)
{
    double aa = dot(a, a, m), bb = dot(b, b, m), ab = dot(a, b, m);
    if (!(fabs(ab) > ANGLE * sqrt(aa) * sqrt(bb))) return false;
    double zeta = (bb - aa) / (2.0 * ab);
    double tangent = copysign(1.0, zeta) / (fabs(zeta) + hypot(1.0, zeta));
    double cosine = 1.0 / hypot(1.0, tangent);
    rotate(a, b, m, cosine, cosine * tangent);
    rotate(va, vb, n, cosine, cosine * tangent);
    return true;
}

// a (m, n) with m ≥ n, transposed so that each column is contiguous, and scaled by `largest`.
static double *columns_of(Arena *arena, const double *a, int m, int n, bool transposed, double largest)
{
    double *columns = arena_alloc(arena, sizeof(double) * (size_t)m * (size_t)n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            columns[(size_t)j * (size_t)m + (size_t)i] =
                (transposed ? a[(size_t)j * (size_t)m + (size_t)i] : a[(size_t)i * (size_t)n + (size_t)j]) / largest;
    return columns;
}

// order[k]: the column with the k-th largest norm.
static int *order_by_norm(Arena *arena, const double *length, int n)
{
    int *order = arena_alloc(arena, sizeof(int) * (size_t)n);
    for (int j = 0; j < n; j++) {
        int position = j;
        for (; position > 0 && length[order[position - 1]] < length[j]; position--)
            order[position] = order[position - 1];
        order[position] = j;
    }
    return order;
}

// rows (n, width), in this order and each divided by its entry of `by`, become the columns of (width, n).
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
    // 1. Transpose if m < n; the rotations v start as the identity.
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

    // 2. Sweeps over all pairs until one finds nothing to rotate.
    bool rotated = true;
    for (int sweep = 0; rotated && sweep < SWEEPS; sweep++) {
        rotated = false;
        for (int p = 0; p < r; p++)
            for (int q = p + 1; q < r; q++)
                rotated |= orthogonalize(columns + (size_t)p * (size_t)tall, columns + (size_t)q * (size_t)tall, tall,
                                         turns + (size_t)p * (size_t)r, turns + (size_t)q * (size_t)r, r);
    }

    // 3. Norms are the singular values; normalized columns are u, the rotations v.
    double *length = arena_alloc(arena, sizeof(double) * (size_t)r);
    double *s = arena_alloc(arena, sizeof(double) * (size_t)r);
    for (int j = 0; j < r; j++) {
        const double *column = columns + (size_t)j * (size_t)tall;
        length[j] = sqrt(dot(column, column, tall));
    }
    const int *order = order_by_norm(arena, length, r);
    for (int k = 0; k < r; k++) s[k] = length[order[k]] * largest;
    double *left = as_columns(arena, columns, r, tall, order, length);
    double *right = as_columns(arena, turns, r, r, order, NULL);
    return (Svd){ m, n, r, transposed ? right : left, s, transposed ? left : right };
}
