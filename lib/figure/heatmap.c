// Heat maps, one or many: both are a grid of panels on one scale. A picture is made in four passes: read (what is
// shown, on which scale), size (cells and labels), place (where everything stands), draw. This file reads.
#include "figure/heatmap_grid.h"

#include <math.h>

bool cell_hidden(const Panel *panel, int i, int j)
{
    return !mat_empty(panel->hidden) && *mat_ref(panel->hidden, i, j) != 0.0f;
}

// One cell that stands for a block: the value furthest from 0 among the visible, NaN if there is one; hidden if all
// are.
static float fold_block(const HeatMap *map, Mat block, int row, int col, bool *hidden)
{
    float best = 0;
    *hidden = true;
    for (int i = 0; i < block.rows; i++)
        for (int j = 0; j < block.cols; j++) {
            if (!mat_empty(map->hidden) && *mat_ref(map->hidden, row + i, col + j) != 0.0f) continue;
            float value = *mat_ref(block, i, j);
            if (*hidden || isnan(value) || fabsf(value) > fabsf(best)) best = value;
            *hidden = false;
            if (isnan(value)) return value;
        }
    return best;
}

static void panel_fold(Arena *arena, Panel *panel, int fold)
{
    const HeatMap *map = panel->map;
    Mat full = map->values;
    panel->fold = fold;
    panel->values = mat_new(arena, (full.rows + fold - 1) / fold, (full.cols + fold - 1) / fold);
    panel->hidden = mat_new(arena, panel->values.rows, panel->values.cols);
    for (int i = 0; i < panel->values.rows; i++)
        for (int j = 0; j < panel->values.cols; j++) {
            int row = i * fold, col = j * fold;
            int rows = full.rows - row < fold ? full.rows - row : fold;
            int cols = full.cols - col < fold ? full.cols - col : fold;
            bool hidden;
            *mat_ref(panel->values, i, j) = fold_block(map, mat_block(full, row, rows, col, cols), row, col, &hidden);
            *mat_ref(panel->hidden, i, j) = hidden ? 1.0f : 0.0f;
        }
}

// The scale that the visible, finite values ask for.
static void grid_scale(Grid *grid, double least, double most)
{
    const HeatMap *first = grid->panels[0].map;
    grid->low = first->low;
    grid->high = first->high;
    if (first->low == 0 && first->high == 0) {
        double reach = fmax(fabs(least), fabs(most));
        bool seen = most >= least, same = most == least;
        grid->low = !seen ? 0 : first->colors == DIVERGING ? -reach : same ? fmin(least, 0) : least;
        grid->high = !seen ? 1 : first->colors == DIVERGING ? reach : same ? fmax(most, 0) : most;
    }
    if (!(grid->high > grid->low)) grid->high = grid->low + 1;
    grid->below = least < grid->low;
    grid->above = most > grid->high;
}

static void grid_read(Grid *grid)
{
    double least = INFINITY, most = -INFINITY;
    for (int p = 0; p < grid->count; p++) {
        const Panel *panel = &grid->panels[p];
        for (int i = 0; i < panel->values.rows; i++)
            for (int j = 0; j < panel->values.cols; j++) {
                double value = (double)*mat_ref(panel->values, i, j);
                if (cell_hidden(panel, i, j)) { grid->any_hidden = true; continue; }
                grid->any = !panel->map->no_bar;
                if (isnan(value)) grid->any_nan = true;
                if (!isfinite(value)) continue;
                least = fmin(least, value);
                most = fmax(most, value);
            }
    }
    grid_scale(grid, least, most);
}

Canvas *heatmaps_draw(Arena *arena, const char *title, const HeatMap *maps, int count, int across, Paper paper)
{
    REQUIRE(count >= 1 && across >= 1, "%d maps, %d across: there must be one or more", count, across);
    Grid grid = { .arena = arena, .title = title, .count = count, .across = across < count ? across : count };
    grid.panels = arena_alloc(arena, (size_t)count * sizeof *grid.panels);
    int longest = 1;
    for (int p = 0; p < count; p++) {
        Mat values = maps[p].values, hidden = maps[p].hidden;
        REQUIRE(mat_empty(hidden) || (hidden.rows == values.rows && hidden.cols == values.cols),
                "map %d: values are " SHAPE ", hidden is " SHAPE, p, SHAPED(values), SHAPED(hidden));
        grid.panels[p] = (Panel){ .map = &maps[p], .values = values, .hidden = hidden, .fold = 1 };
        longest = values.rows > longest ? values.rows : longest;
        longest = values.cols > longest ? values.cols : longest;
    }
    int fold = (int)ceil(longest / grid_budget(&grid, longest, longest));
    for (int p = 0; p < count && fold > 1; p++) panel_fold(arena, &grid.panels[p], fold);

    grid_read(&grid);
    grid_cells(&grid);
    grid_titles(&grid);
    grid_labels(&grid);
    grid_place(&grid);
    Canvas *canvas = canvas_new(arena, grid.width, grid.height, paper.scale);
    canvas_record(canvas, paper.record);
    grid_draw(canvas, &grid);
    return canvas;
}

Canvas *heatmap_draw(Arena *arena, const HeatMap *map, Paper paper)
{
    return heatmaps_draw(arena, map->title, map, 1, 1, paper);
}
