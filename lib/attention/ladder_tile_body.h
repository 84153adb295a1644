// Chapter 15. The tile of the lower rungs: scores, their maximum, weights, in three passes as in chapter 14. Included in
// fast_body.h in the place of its own tile, which keeps a score in its register until it is a weight.

// p = q · k, masked, for `rows` ≤ ROWS keys from row `row` of the tile on, and n vectors from `first` on.
INLINE void NAME(score_rows)(Walk *w, V *largest, int j, int row, const int rows, int first, const int n,
                             const bool cut)
{
    const float *key[ROWS];
    for (int r = 0; r < ROWS; r++) key[r] = mat_row(w->k, j + row + (r < rows ? r : 0));
    V sums[ROWS][VECTORS] = { { { 0 } } };
    MULTIPLY(sums, w->k.cols, key[r][step], w->q + first)
    UNROLLED for (int v = 0; v < n; v++)
        UNROLLED for (int r = 0; r < rows; r++) {
            V score = cut ? NAME(masked)(w, sums[r][v], j + row + r, first + v) : sums[r][v];
            largest[v] = MAX(score, largest[v]);
            w->p[(row + r) * VECTORS + first + v] = score;
        }
}

INLINE void NAME(tile)(Walk *w, int j, int keys, int first, const int n, const bool cut)
{
    // 1. Scores, and the largest of each query.
    V largest[VECTORS];
    int row = 0;
    for (int v = 0; v < n; v++) largest[v] = SPLAT(-FLT_MAX);
    for (; row + ROWS <= keys; row += ROWS) NAME(score_rows)(w, largest, j, row, ROWS, first, n, cut);
    for (; row < keys; row++) NAME(score_rows)(w, largest, j, row, 1, first, n, cut);
    w->multiplies += (int64_t)keys * n * LANES * w->k.cols;

    // 2. A larger maximum than before scales what was summed up.
    NAME(raise)(w, largest, first, n);

    // 3. Scores become weights; the weights mix the values.
    for (row = 0; row < keys; row++)
        for (int v = first; v < first + n; v++) {
            V *p = &w->p[row * VECTORS + v];
            *p = EXP2((*p - w->max[v]) * w->scale);
            w->sum[v] += *p;
        }
    if (cut && !NAME(all_finite)(mat_rows(w->v, j, keys))) NAME(mix_seen)(w, j, keys, first, n);
    else NAME(mix)(w, j, keys, first, n);
}
