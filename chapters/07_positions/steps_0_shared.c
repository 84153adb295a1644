// Chapter 07. What several steps do: run a head, turn its queries and keys, compare two sentences.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "steps.h"

double longest(Mat m)
{
    double most = 0.0;
    for (int i = 0; i < m.rows; i++) most = fmax(most, (double)vector_norm(mat_row(m, i), m.cols));
    return most;
}

// What attention gives, in memory of its own.
Attended attend(Arena *arena, HeadProjections p, Mask mask)
{
    Attended a = { .out = mat_new(arena, p.q.rows, p.v.cols), .weights = mat_new(arena, p.q.rows, p.k.rows) };
    attention_naive(a, p.q, p.k, p.v, mask);
    return a;
}

Mat outputs(Lesson *lesson, Mat x, HeadWeights w, Mask mask)
{
    return attend(lesson->arena, head_project(lesson->arena, x, x, w), mask).out;
}

// A copy of m whose first row stands at position `first`.
Mat turned(Arena *arena, Mat m, int first)
{
    Mat copy = mat_copy(arena, m);
    rope_apply(copy, rope_table(arena, first, m.rows, m.cols));
    return copy;
}

// The same queries and keys, turned: their sentence begins at position `first`.
HeadProjections placed(Arena *arena, HeadProjections p, int first)
{
    return (HeadProjections){ turned(arena, p.q, first), turned(arena, p.k, first), p.v };
}

Mat scores_of(Arena *arena, HeadProjections p)
{
    Mat scores = mat_new(arena, p.q.rows, p.k.rows);
    attention_scores(scores, p.q, p.k, EVERYTHING);
    return scores;
}

// How far the outputs of each word differ between the two sentences, at most.
double told_apart(Arena *arena, const Mat out[2])
{
    Mat second = mat_new(arena, FIVE, out[1].cols);
    for (int i = 0; i < FIVE; i++) mat_set(mat_rows(second, i, 1), mat_rows(out[1], moved_to[i], 1));
    return mat_max_difference(mat_rows(out[0], 0, FIVE), second);
}

// One word's row of both results, one below the other.
Mat both_rows(Arena *arena, const Mat m[2], int first, int second)
{
    Mat rows = mat_new(arena, 2, m[0].cols);
    mat_set(mat_rows(rows, 0, 1), mat_rows(m[0], first, 1));
    mat_set(mat_rows(rows, 1, 1), mat_rows(m[1], second, 1));
    return rows;
}
