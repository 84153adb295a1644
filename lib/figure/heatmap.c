// Heat maps, one or many: both are a grid of panels on one scale. Four passes: read (visible values, scale), size
// (cells, labels), place (positions), draw. This file reads.
#include "base/portable_math.h"
#include "figure/heatmap_grid.h"

static bool is_hidden(const Heatmap *map, int i, int j)
{
    return !mat_empty(map->hidden) && *mat_ref(map->hidden, i, j) != 0.0f;
}

// One value for a block of cells: the one furthest from 0 among the visible ones, NaN if there is one; hidden if all
// are hidden.
static float fold_block(const Heatmap *map, Mat block, int row, int col, bool *hidden)
{
    float best = 0;
    *hidden = true;
    for (int i = 0; i < block.rows; i++)
        for (int j = 0; j < block.cols; j++) {
            if (is_hidden(map, row + i, col + j)) continue;
            float value = *mat_ref(block, i, j);
            if (*hidden || isnan(value) || fabsf(value) > fabsf(best)) best = value;
            *hidden = false;
            if (isnan(value)) return value;
        }
    return best;
}

// The drawn cells: blocks of fold × fold cells of the map.
static MapCells read_cells(Arena *arena, const Heatmap *map, int fold)
{
    Mat full = map->values;
    int drawn_rows = (full.rows + fold - 1) / fold, drawn_cols = (full.cols + fold - 1) / fold;
    MapCells cells = { mat_new(arena, drawn_rows, drawn_cols), mat_new(arena, drawn_rows, drawn_cols), 0, 0 };
    for (int i = 0; i < drawn_rows; i++)
        for (int j = 0; j < drawn_cols; j++) {
            int row = i * fold, col = j * fold;
            int rows = full.rows - row < fold ? full.rows - row : fold;
            int cols = full.cols - col < fold ? full.cols - col : fold;
            bool hidden;
            *mat_ref(cells.values, i, j) = fold_block(map, mat_block(full, row, rows, col, cols), row, col, &hidden);
            *mat_ref(cells.kind, i, j) = hidden ? MAP_MASKED : MAP_SHOWN;
        }
    return cells;
}

// The frame of the marked cells; none if it exceeds the map.
static MapMark read_mark(const Heatmap *map, int fold)
{
    if (map->mark_row < 1 || map->mark_col < 1) return (MapMark){ .rows = 0 };
    int row = map->mark_row - 1, last_row = row + (map->mark_rows > 1 ? map->mark_rows - 1 : 0);
    int col = map->mark_col - 1, last_col = col + (map->mark_cols > 1 ? map->mark_cols - 1 : 0);
    if (last_row >= map->values.rows || last_col >= map->values.cols) return (MapMark){ .rows = 0 };
    int top = row / fold, left = col / fold;
    return (MapMark){ top, left, last_row / fold - top + 1, last_col / fold - left + 1, COLOR_MARK };
}

static void read_panel(Arena *arena, HeatmapPanel *panel, const Heatmap *map, int fold)
{
    *panel = (HeatmapPanel){ .asked = map, .fold = fold };
    panel->map.cells = read_cells(arena, map, fold);
    panel->map.mark = read_mark(map, fold);
    panel->map.decimals = map->decimals;
    panel->map.zeros = true;
    panel->map.zeros_count = map->zeros_count;
    panel->map.place.rows = panel->map.cells.values.rows;
    panel->map.place.cols = panel->map.cells.values.cols;
    panel->map.place.fold_rows = panel->map.place.fold_cols = 1;
}

// The scale from the visible finite values.
static void grid_scale(HeatmapGrid *grid, double least, double most)
{
    const Heatmap *first = grid->panels[0].asked;
    Ramp *ramp = &grid->ramp;
    *ramp = (Ramp){ first->ramp, first->colors, first->low, first->high, .title = first->bar_title };
    if (first->low == 0 && first->high == 0) {
        REQUIRE(first->ramp == RAMP_LINEAR, "a logarithmic scale needs low and high");
        double reach = fmax(fabs(least), fabs(most));
        bool seen = most >= least, same = most == least;
        ramp->low = !seen ? 0 : first->colors == COLOR_DIVERGING ? -reach : same ? fmin(least, 0) : least;
        ramp->high = !seen ? 1 : first->colors == COLOR_DIVERGING ? reach : same ? fmax(most, 0) : most;
    }
    bool even = first->ramp == RAMP_LINEAR || first->ramp == RAMP_NAMES;
    REQUIRE(even || ramp->low > 0, "a logarithmic scale from %g", ramp->low);
    if (!(ramp->high > ramp->low)) ramp->high = ramp->low + 1;
    ramp->below = least < ramp->low;
    ramp->above = most > ramp->high;
}

static void grid_read(HeatmapGrid *grid)
{
    double least = INFINITY, most = -INFINITY;
    for (int p = 0; p < grid->count; p++) {
        const MapCells *cells = &grid->panels[p].map.cells;
        for (int i = 0; i < cells->values.rows; i++)
            for (int j = 0; j < cells->values.cols; j++) {
                double value = (double)*mat_ref(cells->values, i, j);
                if (*mat_ref(cells->kind, i, j) != MAP_SHOWN) continue;
                grid->any = !grid->panels[p].asked->no_bar;
                if (!isfinite(value)) continue;
                least = fmin(least, value);
                most = fmax(most, value);
            }
        const char *hidden = grid->panels[0].asked->hidden_title;
        MapLegend legend = map_legend(cells, hidden ? hidden : "masked");
        if (legend.masked) grid->legend.masked = legend.masked;
        grid->legend.nan |= legend.nan;
    }
    grid_scale(grid, least, most);
    for (int p = 0; p < grid->count; p++) grid->panels[p].map.ramp = grid->ramp;
    const Heatmap *first = grid->panels[0].asked;
    grid->legend.names[0] = first->high_name;
    grid->legend.names[1] = first->low_name;
    grid->legend.colors[0] = ramp_color(&grid->ramp, grid->ramp.high);
    grid->legend.colors[1] = ramp_color(&grid->ramp, grid->ramp.low);
}

Canvas *heatmaps_draw(Arena *arena, const char *title, const Heatmap *maps, int count, int across, RenderTarget paper)
{
    REQUIRE(count >= 1 && across >= 1, "%d maps, %d across: there must be one or more", count, across);
    HeatmapGrid grid = { .arena = arena, .title = title, .count = count, .across = across < count ? across : count };
    grid.panels = arena_alloc(arena, (size_t)count * sizeof *grid.panels);
    int longest = 1;
    for (int p = 0; p < count; p++) {
        Mat values = maps[p].values, hidden = maps[p].hidden;
        REQUIRE(mat_empty(hidden) || (hidden.rows == values.rows && hidden.cols == values.cols),
                "map %d: values are " MAT_SHAPE ", hidden is " MAT_SHAPE, p, MAT_SHAPED(values), MAT_SHAPED(hidden));
        longest = values.rows > longest ? values.rows : longest;
        longest = values.cols > longest ? values.cols : longest;
    }
    int fold = (int)ceil(longest / heatmap_grid_budget(&grid, longest, longest));
    for (int p = 0; p < count; p++) read_panel(arena, &grid.panels[p], &maps[p], fold);

    grid_read(&grid);
    heatmap_grid_cells(&grid);
    heatmap_grid_titles(&grid);
    heatmap_grid_labels(&grid);
    heatmap_grid_place(&grid);
    Canvas *canvas = canvas_new(arena, grid.width, grid.height, paper.scale);
    canvas_record(canvas, paper.record);
    heatmap_grid_draw(canvas, &grid);
    return canvas;
}

Canvas *heatmap_draw(Arena *arena, const Heatmap *map, RenderTarget paper)
{
    return heatmaps_draw(arena, map->title, map, 1, 1, paper);
}
