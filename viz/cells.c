// Reads the cells that a map's frame shows, folded where they are smaller than a pixel, and chooses their colour scale.
#include "viz/cells.h"

#include "base/portable_math.h"

#include <float.h>

// How many drawn cells the frame touches, from *first on.
static int span_seen(double at, double length, int fold, int all, int *first)
{
    int drawn = (all + fold - 1) / fold, last = (int)ceil((at + length) / fold - 1e-9);
    *first = (int)floor(at / fold + 1e-9);
    if (last > drawn) last = drawn;
    return last > *first ? last - *first : 0;
}

MapCells cells_new(Arena *arena, const MapPlace *place)
{
    MapCells seen = { .first_row = 0 };
    double high = place->frame.height / place->cell_height, wide = place->frame.width / place->cell_width;
    int rows = span_seen(place->row, high, place->fold_rows, place->rows, &seen.first_row);
    int cols = span_seen(place->col, wide, place->fold_cols, place->cols, &seen.first_col);
    seen.values = mat_new(arena, rows, cols);
    seen.kind = mat_new(arena, rows, cols);
    return seen;
}

// Folds one drawn cell directly from the field: sum over keys and mean over queries, or the maximum.
static void fold_cell(MapCells *seen, const Document *d, int layer, int head, const MapPlace *place, bool largest,
                      int i, int j)
{
    int row = (seen->first_row + i) * place->fold_rows, col = (seen->first_col + j) * place->fold_cols, allowed = 0;
    int rows = place->rows - row < place->fold_rows ? place->rows - row : place->fold_rows;
    int cols = place->cols - col < place->fold_cols ? place->cols - col : place->fold_cols;
    double sum = 0, most = -INFINITY;
    for (int r = row; r < row + rows; r++)
        for (int c = col; c < col + cols; c++) {
            if (document_hidden(d, layer, head, r, c)) continue;
            double value = (double)field_at(document_maps(d), layer, head, r, c);
            sum += value;
            allowed++;
            most = isnan(value) || isnan(most) ? (double)NAN : fmax(most, value);
        }
    *mat_ref(seen->values, i, j) = (float)(largest ? most : sum / rows);
    *mat_ref(seen->kind, i, j) = allowed ? MAP_SHOWN : MAP_MASKED;
}

// Leaves out the first keys, as whole drawn columns.
static void leave_out(MapCells *seen, const MapPlace *place, int keys)
{
    int cols = (keys + place->fold_cols - 1) / place->fold_cols - seen->first_col;
    if (cols > seen->kind.cols) cols = seen->kind.cols;
    if (cols > 0) mat_fill(mat_cols(seen->kind, 0, cols), MAP_LEFT_OUT);
}

// Leaves out words of the other sentence: drawn rows and columns without a word of this one.
static void leave_pairs_out(MapCells *seen, const Document *d, const MapPlace *place, SentencePair parts)
{
    Arena *scratch = arena_open();
    int rows = seen->kind.rows, cols = seen->kind.cols, T = place->rows, S = place->cols;
    bool *row = arena_alloc(scratch, (size_t)(rows + cols + 1) * sizeof *row), *col = row + rows;
    for (int i = 0; i < rows * place->fold_rows; i++) {
        int at = seen->first_row * place->fold_rows + i;
        if (at < T && pair_in_sentences(parts, d, at, -1)) row[i / place->fold_rows] = true;
    }
    for (int j = 0; j < cols * place->fold_cols; j++) {
        int at = seen->first_col * place->fold_cols + j;
        if (at < S && pair_in_sentences(parts, d, -1, at)) col[j / place->fold_cols] = true;
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            if (!row[i] || !col[j]) *mat_ref(seen->kind, i, j) = MAP_LEFT_OUT;
    arena_close(scratch);
}

// Without folding: one drawn cell for each cell.
static void read_cells(MapCells *seen, const Document *d, int layer, int head)
{
    field_read(seen->values, document_maps(d), layer, head, seen->first_row, seen->first_col);
    bool weights = document_maps(d)->kind == FIELD_WEIGHTS;
    for (int i = 0; i < seen->kind.rows; i++)
        for (int j = 0; j < seen->kind.cols; j++) {
            float *value = mat_ref(seen->values, i, j);
            bool hidden = document_hidden(d, layer, head, seen->first_row + i, seen->first_col + j);
            if (hidden) *mat_ref(seen->kind, i, j) = MAP_MASKED;
            else if (weights && *value == -INFINITY) *value = NAN; // no mask hides it, so it is an invalid weight
        }
}

// Reads the first `rows` drawn rows from a level of the pyramid.
static void read_level(MapCells *seen, const PyramidLevel *from, bool largest, int rows)
{
    int cols = seen->kind.cols;
    mat_set(mat_rows(seen->values, 0, rows),
            mat_block(largest ? from->most : from->sum, seen->first_row, rows, seen->first_col, cols));
    for (int i = 0; i < rows; i++) {
        const float *most = mat_row(from->most, seen->first_row + i) + seen->first_col;
        float *kinds = mat_row(seen->kind, i);
        for (int j = 0; j < cols; j++)
            if (most[j] == -INFINITY) kinds[j] = MAP_MASKED; // as pyramid_hidden
    }
}

// The level with fold × fold cells; NULL: not prepared.
static const PyramidLevel *level_of(const Pyramid *pyramid, int fold)
{
    if (!pyramid) return NULL;
    for (int n = pyramid->first; n < pyramid->count; n++)
        if (pyramid->level[n].fold == fold) return &pyramid->level[n];
    return NULL;
}

bool cells_awaited(const View *view, const Document *d, int layer, int head, const MapPlace *place)
{
    const double at_once = 1 << 20; // cells that are folded in 0.1 s
    const Derived *derived = view_derived(view, d);
    bool coming = derived && place->fold_rows == place->fold_cols && !derived_pyramid(derived, layer, head);
    double cells = fmin(place->frame.width / place->cell_width, place->cols) *
                   fmin(place->frame.height / place->cell_height, place->rows);
    return coming && place->fold_rows > 1 && cells > at_once;
}

// While the pyramid is built: rows that have not been read are left out.
static void read_begun(MapCells *seen, const Derived *derived, int layer, int head, const MapPlace *place, bool largest)
{
    int read;
    const PyramidLevel *level = level_of(derived_pyramid_so_far(derived, layer, head, &read), place->fold_rows);
    int rows = read / place->fold_rows - seen->first_row, all = seen->kind.rows;
    rows = !level || rows < 0 ? 0 : rows < all ? rows : all;
    if (rows) read_level(seen, level, largest, rows);
    mat_fill(mat_rows(seen->kind, rows, all - rows), MAP_LEFT_OUT);
}

int cells_read(const View *view, const Document *d, int layer, int head)
{
    int rows;
    derived_pyramid_so_far(view_derived(view, d), layer, head, &rows);
    return rows;
}

MapCells cells_of_head(Arena *arena, const View *view, const Document *d, int layer, int head, const MapPlace *place)
{
    MapCells seen = cells_new(arena, place);
    bool largest = view->state->shown.use_largest, square = place->fold_rows == place->fold_cols;
    const Derived *derived = view_derived(view, d);
    const Pyramid *pyramid = derived && square ? derived_pyramid(derived, layer, head) : NULL;
    const PyramidLevel *level = level_of(pyramid, place->fold_rows);
    if (place->fold_rows == 1 && place->fold_cols == 1) read_cells(&seen, d, layer, head);
    else if (level) read_level(&seen, level, largest, seen.kind.rows);
    else if (cells_awaited(view, d, layer, head, place)) read_begun(&seen, derived, layer, head, place, largest);
    else
        for (int i = 0; i < seen.kind.rows; i++)
            for (int j = 0; j < seen.kind.cols; j++) fold_cell(&seen, d, layer, head, place, largest, i, j);
    leave_out(&seen, place, view->state->shown.hide_keys);
    if (view->state->shown.pair != PAIR_ALL) leave_pairs_out(&seen, d, place, view->state->shown.pair);
    return seen;
}

// The value further from 0; NaN beats all, −∞ (masked) loses.
static float further(float a, float b)
{
    if (isnan(a) || a == -INFINITY) return isnan(a) ? a : b;
    if (isnan(b) || b == -INFINITY) return isnan(b) ? b : a;
    return fabsf(b) > fabsf(a) ? b : a;
}

MapCells cells_of_mat(Arena *arena, Mat m, const MapPlace *place)
{
    MapCells seen = cells_new(arena, place);
    for (int i = 0; i < seen.values.rows; i++)
        for (int j = 0; j < seen.values.cols; j++) {
            float most = -INFINITY;
            int row = (seen.first_row + i) * place->fold_rows, col = (seen.first_col + j) * place->fold_cols;
            int end_row = row + place->fold_rows < m.rows ? row + place->fold_rows : m.rows;
            int end_col = col + place->fold_cols < m.cols ? col + place->fold_cols : m.cols;
            for (int r = row; r < end_row; r++)
                for (int c = col; c < end_col; c++) most = further(most, *mat_ref(m, r, c));
            *mat_ref(seen.values, i, j) = most;
            *mat_ref(seen.kind, i, j) = most == -INFINITY ? MAP_MASKED : MAP_SHOWN;
        }
    return seen;
}

// ---- scales ---------------------------------------------------------------------------------------------------------

static void range_of(const MapCells *cells, double *least, double *most)
{
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < cells->values.rows; i++) {
        const float *values = mat_row(cells->values, i), *kinds = mat_row(cells->kind, i);
        for (int j = 0; j < cells->values.cols; j++) {
            bool counts = (kinds[j] == MAP_SHOWN) & (fabsf(values[j]) <= FLT_MAX);
            float above = counts ? values[j] : INFINITY, below = counts ? values[j] : -INFINITY;
            low = above < low ? above : low;
            high = below > high ? below : high;
        }
    }
    *least = (double)low;
    *most = (double)high;
}

Ramp cells_ramp(const MapCells *cells, ColorMap colors, const char *title)
{
    double least, most;
    range_of(cells, &least, &most);
    Ramp ramp = { RAMP_LINEAR, colors, least, most, .title = title };
    if (!(most >= least)) {
        ramp.low = 0;
        ramp.high = 1;
    } else if (least < 0) {
        ramp.colors = COLOR_DIVERGING;
        ramp.high = fmax(-least, most);
        ramp.low = -ramp.high;
    } else if (least == most) {
        ramp.low = 0;
        ramp.high = fmax(1e-30, most);
    }
    return ramp;
}

static bool are_weights(const Document *d)
{
    return d->of[FIELD_WEIGHTS] >= 0 && d->maps == d->of[FIELD_WEIGHTS] && !d->warning && !d->unnormalized;
}

// Samples at most 8 heads and 16 rows of each, evenly spread.
Scale cells_usual_scale(const Document *d)
{
    enum { HEADS = 8, ROWS = 16, LEAST = 64 };
    const double much = 0.2, few = 0.01;
    int heads = d->layers * d->heads, head_step = heads / HEADS + 1, row_step = d->T / ROWS + 1;
    double large = 0, all = 0;
    if (!are_weights(d) || d->S < LEAST) return SCALE_LINEAR;
    Arena *scratch = arena_open();
    Mat row = mat_new(scratch, 1, d->S);
    for (int h = 0; h < heads; h += head_step)
        for (int i = row_step / 2; i < d->T; i += row_step) {
            int layer = h / d->heads, head = h % d->heads;
            field_read(row, document_maps(d), layer, head, i, 0);
            all += document_allowed(d, layer, head, i);
            for (int j = 0; j < d->S; j++) large += (double)row.at[j] > much;
        }
    arena_close(scratch);
    return all > 0 && large < few * all ? SCALE_LOG : SCALE_LINEAR;
}

// The range over all heads whose summaries are ready.
static void shared_range(const View *view, const Document *d, double *least, double *most)
{
    for (int l = 0; l < d->layers; l++)
        for (int h = 0; h < d->heads; h++) {
            const HeadSummary *summary = view_summary(view, d, l, h);
            if (!summary) continue;
            *least = fmin(*least, summary->least);
            *most = fmax(*most, summary->most);
        }
}

Ramp cells_ramp_of_head(const View *view, const Document *d, const MapCells *cells)
{
    const State *state = view->state;
    bool weights = are_weights(d);
    double least, most, n = d->S;
    range_of(cells, &least, &most);
    if (weights && state->shown.scale == SCALE_LOG)
        return (Ramp){ RAMP_LOG, state->shown.colors, 1e-4, 1, least < 1e-4, false, "weight, log" };
    if (weights && state->shown.scale == SCALE_UNIFORM)
        return (Ramp){ RAMP_RATIO, COLOR_DIVERGING, 1 / fmax(n, 2), fmax(n, 2), true, false, "weight × allowed keys" };
    if (weights && state->shown.scale == SCALE_LINEAR)
        return (Ramp){ RAMP_LINEAR, state->shown.colors, 0, 1, false, most > 1.0005, "weight" };
    if (state->shown.scale != SCALE_HEAD && d == state->shown.document) shared_range(view, d, &least, &most);
    if (!(most > least)) {
        least = fmin(0, least);
        most = fmax(isfinite(most) ? most : 1, least + 1e-30);
    }
    if (!isfinite(least)) least = 0;
    if (least < 0) {
        double reach = fmax(-least, most);
        return (Ramp){ RAMP_LINEAR, COLOR_DIVERGING, -reach, reach, .title = weights ? "weight" : "value" };
    }
    const char *title = weights ? "weight, this head" : d->reduced_name ? d->reduced_name : "value";
    return (Ramp){ RAMP_LINEAR, state->shown.colors, weights || d->unnormalized ? 0 : least, most, .title = title };
}

Mat cells_colored(Arena *arena, const View *view, const Document *d, int layer, int head, const MapCells *cells,
                  const Ramp *ramp, int fold_rows, int fold_cols)
{
    if (ramp->kind != RAMP_RATIO) return cells->values;
    Mat out = mat_new(arena, cells->values.rows, cells->values.cols);
    for (int i = 0; i < out.rows; i++) {
        double allowed = document_allowed(d, layer, head, (cells->first_row + i) * fold_rows);
        double times = allowed / (view->state->shown.use_largest ? 1 : fold_cols);
        const float *values = mat_row(cells->values, i);
        for (int j = 0; j < out.cols; j++) *mat_ref(out, i, j) = (float)((double)values[j] * times);
    }
    return out;
}
