// Builds the pyramid. Two rows make one row of the next level as soon as both are read, so the data stays in cache, and
// levels that are not kept need memory for two rows only.
#include "viz/pyramid.h"

enum { BAND_CELLS = 1 << 17 };

// ---- bands

RowBand row_band_open(Arena *arena, const Document *d)
{
    REQUIRE(0 <= d->T && d->T <= SIDE_MOST && 0 <= d->S && d->S <= SIDE_MOST, "a map is (%d, %d), a side at most %d",
            d->T, d->S, (int)SIDE_MOST);
    int rows = d->S < BAND_CELLS / 2 ? BAND_CELLS / 2 / (d->S + !d->S) * 2 : 2;
    if (rows > d->T) rows = d->T;
    RowBand band = { .d = d, .rows = mat_new(arena, rows, d->S) };
    if (d->masked == MASK_SCORES) band.scores = mat_new(arena, rows, d->S);
    return band;
}

void row_band_begin(RowBand *band, int layer, int head)
{
    band->layer = layer;
    band->head = head;
    band->next = 0;
}

int row_band_keys(const Document *d, int i)
{
    if (d->masked != MASK_CAUSAL) return d->S;
    long seen = (long)i + d->S - d->T + 1;
    return seen < 0 ? 0 : seen > d->S ? d->S : (int)seen;
}

static void hide_by_scores(RowBand *band, Mat rows)
{
    const Document *d = band->d;
    Mat scores = mat_rows(band->scores, 0, rows.rows);
    field_read(scores, &d->fields[d->of[FIELD_SCORES]], band->layer, band->head, band->next, 0);
    for (int i = 0; i < rows.rows; i++) {
        float *row = mat_row(rows, i);
        const float *score = mat_row(scores, i);
        for (int j = 0; j < rows.cols; j++) row[j] = score[j] == -INFINITY ? -INFINITY : row[j];
    }
}

Mat row_band_read(RowBand *band)
{
    const Document *d = band->d;
    int count = d->T - band->next < band->rows.rows ? d->T - band->next : band->rows.rows;
    Mat rows = mat_rows(band->rows, 0, count);
    if (!count) return rows;
    int seen = row_band_keys(d, band->next + count - 1);
    if (seen) field_read(mat_cols(rows, 0, seen), document_maps(d), band->layer, band->head, band->next, 0);
    for (int i = 0; i < count; i++)
        for (int j = row_band_keys(d, band->next + i); j < d->S; j++) mat_row(rows, i)[j] = -INFINITY;
    if (d->masked == MASK_SCORES) hide_by_scores(band, rows);
    band->next += count;
    return rows;
}

int pyramid_queries(int fold, int r, int T)
{
    long left = T - (long)r * fold;
    return left < 0 ? 0 : left < fold ? (int)left : fold;
}

// ---- levels: two rows become one. At the bottom, sums and largest ones are both allocated from the band.

// to (⌈n / 2⌉) = the mean of rows a and b (n), weighted by the queries that they stand for.
static void fold_sum(float *restrict to, const float *restrict a, const float *restrict b, int n, float share_a,
                     float share_b)
{
    for (int j = 0; j < n / 2; j++) {
        float upper = pyramid_shown(a[2 * j]) + pyramid_shown(a[2 * j + 1]);
        float lower = pyramid_shown(b[2 * j]) + pyramid_shown(b[2 * j + 1]);
        to[j] = share_a * upper + share_b * lower;
    }
    if (n % 2) to[n / 2] = share_a * pyramid_shown(a[n - 1]) + share_b * pyramid_shown(b[n - 1]);
}

static void fold_most(float *restrict to, const float *restrict a, const float *restrict b, int n)
{
    for (int j = 0; j < n / 2; j++)
        to[j] = pyramid_larger(pyramid_larger(a[2 * j], a[2 * j + 1]), pyramid_larger(b[2 * j], b[2 * j + 1]));
    if (n % 2) to[n / 2] = pyramid_larger(a[n - 1], b[n - 1]);
}

// Row r of a level; one that is not kept alternates between two rows.
static float *row_of(Mat m, int r) { return mat_row(m, r % m.rows); }

// Computes row r of level n ≥ 1 from rows 2r and 2r + 1 of the level below: a[0], b[0] sums, a[1], b[1] maxima.
static void fold_rows(PyramidWork *work, int n, int r, const float *const a[2], const float *const b[2])
{
    int T = work->band.d->T, fold = work->pyramid.level[n - 1].fold, cells = pyramid_cells(work->band.d->S, fold);
    int first = pyramid_queries(fold, 2 * r, T), second = pyramid_queries(fold, 2 * r + 1, T);
    float share = (float)first / (float)(first + second);
    const float *below[2] = { second ? b[0] : work->zero, second ? b[1] : work->hidden };
    const PyramidLevel *to = &work->pyramid.level[n];
    fold_sum(row_of(to->sum, r), a[0], below[0], cells, share, 1.0f - share);
    fold_most(row_of(to->most, r), a[1], below[1], cells);
}

// Row r of level n is complete: computes the rows above that it completes.
static void fold_upward(PyramidWork *work, int n, int r)
{
    const Pyramid *pyramid = &work->pyramid;
    int T = work->band.d->T;
    for (; n + 1 < pyramid->count; n++) {
        const PyramidLevel *from = &pyramid->level[n];
        bool complete = r % 2 || r == pyramid_cells(T, from->fold) - 1;
        if (!complete) return;
        r /= 2;
        const float *a[2] = { row_of(from->sum, 2 * r), row_of(from->most, 2 * r) };
        const float *b[2] = { row_of(from->sum, 2 * r + 1), row_of(from->most, 2 * r + 1) };
        fold_rows(work, n + 1, r, a, b);
    }
}

// ---- the work

static int first_kept(const Document *d)
{
    int n = 1;
    while ((double)pyramid_cells(d->T, 1 << n) * pyramid_cells(d->S, 1 << n) > PYRAMID_CELLS) n++;
    return n;
}

PyramidWork pyramid_open(Arena *arena, const Document *d)
{
    PyramidWork work = { .band = row_band_open(arena, d), .pyramid = { .first = first_kept(d), .count = 1 } };
    int longest = d->T > d->S ? d->T : d->S;
    work.pyramid.level[0].fold = 1;
    for (int *n = &work.pyramid.count; pyramid_cells(longest, 1 << (*n - 1)) > 1; ++*n)
        work.pyramid.level[*n].fold = 1 << *n;
    work.zero = mat_new(arena, 1, d->S).at;
    Mat hidden = mat_new(arena, 1, d->S);
    mat_fill(hidden, -INFINITY);
    work.hidden = hidden.at;
    return work;
}

void pyramid_begin(PyramidWork *work, int layer, int head) { row_band_begin(&work->band, layer, head); }

// Allocates the sums or maxima of a level: 17 MB take milliseconds.
static void make_half(PyramidWork *work, Arena *arena)
{
    int n = 1 + work->allocated / 2;
    PyramidLevel *level = &work->pyramid.level[n];
    int rows = pyramid_cells(work->band.d->T, level->fold), cols = pyramid_cells(work->band.d->S, level->fold);
    if (n < work->pyramid.first && rows > 2) rows = 2;
    *(work->allocated % 2 ? &level->most : &level->sum) = mat_new(arena, rows, cols);
    work->allocated++;
}

bool pyramid_step(PyramidWork *work, Arena *arena)
{
    if (work->allocated < 2 * (work->pyramid.count - 1)) {
        make_half(work, arena);
        return false;
    }
    int row = work->band.next;
    Mat band = row_band_read(&work->band);
    if (work->pyramid.count < 2) return work->band.next >= work->band.d->T;
    for (int i = 0; i < band.rows; i += 2) {
        const float *a[2] = { mat_row(band, i), mat_row(band, i) };
        int under = i + 1 < band.rows ? i + 1 : i;
        const float *b[2] = { mat_row(band, under), mat_row(band, under) };
        fold_rows(work, 1, (row + i) / 2, a, b);
        fold_upward(work, 1, (row + i) / 2);
    }
    return work->band.next >= work->band.d->T;
}

Pyramid pyramid_kept(const PyramidWork *work)
{
    Pyramid kept = work->pyramid;
    int end = kept.first < kept.count ? kept.first : kept.count;
    for (int n = 1; n < end; n++) kept.level[n].sum = kept.level[n].most = (Mat){ 0 };
    return kept;
}

bool pyramid_hidden(const PyramidLevel *level, int i, int j) { return *mat_ref(level->most, i, j) == -INFINITY; }
