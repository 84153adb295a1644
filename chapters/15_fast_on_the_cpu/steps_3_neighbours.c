// Chapter 15, step 3. Why the compiler may not add up a dot product in another order by itself.
#include "base/portable_math.h"
#include "steps.h"

enum { N = 64 };

// n numbers as `sums` sums side by side, which are added up in the end: what vectors of so many lanes would do.
static float added(const float *x, int n, int sums)
{
    float part[N] = { 0 }, sum = 0.0f;
    for (int i = 0; i < n; i++) part[i % sums] += x[i];
    for (int s = 0; s < sums; s++) sum += part[s];
    return sum;
}

void neighbours(Lesson *lesson)
{
    step(lesson, "Neighbours, not sums");
    static const int ways[] = { 1, 4, 8, 16 };
    static const char *const columns[] = { "sum" };
    Random random = random_from(1);
    Mat x = mat_new(lesson->arena, 2, N);
    float products[N];
    double exact = 0;
    random_normals(&random, x);
    for (int c = 0; c < N; c++) {
        products[c] = *mat_ref(x, 0, c) * *mat_ref(x, 1, c);
        exact += (double)products[c];
    }
    Rows table = rows_of(lesson, arena_format(lesson->arena, "the same %d products, in so many sums", N), columns, 1);
    table.table.decimals = 7;
    table.table.given = true; // nobody adds so many numbers in the head
    bool same = true, near = true;
    for (int w = 0; w < 4; w++) {
        float sum = added(products, N, ways[w]);
        rows_add(&table, ROW(sum), "%d", ways[w]);
        same = same && sum == added(products, N, 1);
        near = near && fabs((double)sum - exact) < 1e-5;
    }
    show_rows(lesson, &table);
    check(lesson, near && !same, "all are right up to rounding, and not all are equal");
}
