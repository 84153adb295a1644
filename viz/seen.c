// What is seen of a map: the cells that its frame shows, folded where they are smaller than a pixel.
#include "viz/map.h"

#include <math.h>

// The drawn cells that the frame touches: from `first`, as many as are returned.
static int span_seen(double at, double length, int fold, int all, int *first)
{
    int drawn = (all + fold - 1) / fold, last = (int)ceil((at + length) / fold - 1e-9);
    *first = (int)floor(at / fold + 1e-9);
    if (last > drawn) last = drawn;
    return last > *first ? last - *first : 0;
}

static Seen seen_new(Arena *arena, const MapPlace *place)
{
    Seen seen = { .first_row = 0 };
    double high = place->frame.height / place->cell_height, wide = place->frame.width / place->cell_width;
    int rows = span_seen(place->row, high, place->fold_rows, place->rows, &seen.first_row);
    int cols = span_seen(place->col, wide, place->fold_cols, place->cols, &seen.first_col);
    seen.values = mat_new(arena, rows, cols);
    seen.kind = mat_new(arena, rows, cols);
    return seen;
}

// Sum over the keys and mean over the queries of one drawn cell, or the largest, straight from the field.
static void fold_cell(Seen *seen, const Document *d, int layer, int head, const MapPlace *place, bool largest, int i,
                      int j)
{
    int row = (seen->first_row + i) * place->fold_rows, col = (seen->first_col + j) * place->fold_cols, allowed = 0;
    int rows = place->rows - row < place->fold_rows ? place->rows - row : place->fold_rows;
    int cols = place->cols - col < place->fold_cols ? place->cols - col : place->fold_cols;
    double sum = 0, most = -INFINITY;
    for (int r = row; r < row + rows; r++)
        for (int c = col; c < col + cols; c++) {
            if (document_hidden(d, layer, head, r, c)) continue;
            double value = (double)field_at(document_maps(d), layer, head, r, c);
            sum += value, allowed++;
            most = isnan(value) ? value : fmax(most, value);
        }
    *mat_ref(seen->values, i, j) = (float)(largest ? most : sum / rows);
    *mat_ref(seen->kind, i, j) = allowed ? SHOWN : MASKED;
}

// The first keys are left out: whole drawn columns.
static void leave_out(Seen *seen, const MapPlace *place, int keys)
{
    for (int j = 0; j < seen->kind.cols && (seen->first_col + j) * place->fold_cols < keys; j++)
        for (int i = 0; i < seen->kind.rows; i++) *mat_ref(seen->kind, i, j) = LEFT_OUT;
}

Seen seen_of_head(Arena *arena, const View *view, const Document *d, int layer, int head, const MapPlace *place)
{
    const State *state = view->state;
    Seen seen = seen_new(arena, place);
    int rows = seen.values.rows, cols = seen.values.cols, fold = place->fold_rows;
    const Scene *scene = view_scene(view, d);
    const Levels *levels = scene ? scene_levels(scene, layer, head) : NULL;
    int level = levels ? levels->first : 0;
    while (levels && level + 1 < levels->count && levels->level[level].fold < fold) level++;
    if (fold == 1 && place->fold_cols == 1) {
        field_read(seen.values, document_maps(d), layer, head, seen.first_row, seen.first_col);
        for (int i = 0; i < rows && d->masked != MASK_NONE; i++)
            for (int j = 0; j < cols; j++)
                if (document_hidden(d, layer, head, seen.first_row + i, seen.first_col + j))
                    *mat_ref(seen.kind, i, j) = MASKED;
    } else if (levels && fold == place->fold_cols && levels->level[level].fold == fold) {
        const Level *from = &levels->level[level];
        Mat all = state->largest ? from->most : from->sum;
        mat_set(seen.values, mat_block(all, seen.first_row, rows, seen.first_col, cols));
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++)
                *mat_ref(seen.kind, i, j) = level_hidden(from, seen.first_row + i, seen.first_col + j) ? MASKED : SHOWN;
    } else
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) fold_cell(&seen, d, layer, head, place, state->largest, i, j);
    leave_out(&seen, place, state->hide);
    return seen;
}

Seen seen_of_mat(Arena *arena, Mat m, const MapPlace *place)
{
    Seen seen = seen_new(arena, place);
    for (int i = 0; i < seen.values.rows; i++)
        for (int j = 0; j < seen.values.cols; j++) {
            float most = -INFINITY;
            int row = (seen.first_row + i) * place->fold_rows, col = (seen.first_col + j) * place->fold_cols;
            for (int r = row; r < row + place->fold_rows && r < m.rows; r++)
                for (int c = col; c < col + place->fold_cols && c < m.cols; c++)
                    if (fabsf(*mat_ref(m, r, c)) >= fabsf(most) || most == -INFINITY) most = *mat_ref(m, r, c);
            *mat_ref(seen.values, i, j) = most;
            *mat_ref(seen.kind, i, j) = most == -INFINITY ? MASKED : SHOWN;
        }
    return seen;
}
