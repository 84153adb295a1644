// Layout of heat maps: sizes of cells, labels and numbers, and positions.
#include "base/portable_math.h"
#include "figure/heatmap_grid.h"

#include <string.h>

// ---- size -----------------------------------------------------------------------------------------------------------

// The widest number of all cells, in points at size 1.
static double widest_number(const HeatmapGrid *grid)
{
    double widest = 0;
    for (int p = 0; p < grid->count; p++) {
        const Map *map = &grid->panels[p].map;
        widest = fmax(widest, map_widest_number(grid->arena, &map->cells, grid->panels[0].map.decimals, true));
    }
    return widest;
}

// The maximal side of the cells of one panel.
double heatmap_grid_budget(const HeatmapGrid *grid, int rows, int cols)
{
    if (grid->count == 1) return cols > 3 * rows ? 640 : 440;
    double budget = 740.0 / (grid->across < grid->count ? grid->across : grid->count);
    return budget > 320 ? 320 : budget < 150 ? 150 : budget;
}

static bool has_labels(const HeatmapGrid *grid)
{
    for (int p = 0; p < grid->count; p++)
        if (grid->panels[p].asked->row_labels || grid->panels[p].asked->col_labels) return true;
    return false;
}

// The largest font size whose numbers fit into the cells; 0: none.
static double number_size(const MapPlace *place, double width)
{
    for (double size = 12; size >= 8; size--)
        if (size * width + 4 <= place->cell_width && size * 1.3 <= place->cell_height) return size;
    return 0;
}

// The cell size for the largest panel: whole points, large enough for labels and numbers if possible.
void heatmap_grid_cells(HeatmapGrid *grid)
{
    int rows = 1, cols = 1, decimals = grid->panels[0].map.decimals;
    for (int p = 0; p < grid->count; p++) {
        const MapPlace *place = &grid->panels[p].map.place;
        rows = place->rows > rows ? place->rows : rows;
        cols = place->cols > cols ? place->cols : cols;
    }
    int longest = rows > cols ? rows : cols;
    double budget = heatmap_grid_budget(grid, rows, cols);
    double number_width = decimals >= 0 && longest <= 64 ? widest_number(grid) : 0;
    double cell = fmin(56, fmax(1, floor(budget / longest + 0.5)));
    double wanted = ceil(10 * number_width + 5);
    if (number_width > 0 && wanted > cell && wanted * longest <= 1.5 * budget) cell = wanted;
    if (cell < 15 && has_labels(grid) && 15 * longest <= 1.5 * fmin(budget, 440)) cell = 15;
    for (int p = 0; p < grid->count; p++) {
        MapPlace *place = &grid->panels[p].map.place;
        double own = grid->panels[p].asked->cell;
        place->cell_width = place->cell_height = own > 0 ? own : cell;
        if (!(own > 0) && rows <= 3 && cell < 20)
            place->cell_height = 20; // at most three rows: make them at least 20 points high
        place->frame.width = place->cell_width * place->cols;
        place->frame.height = place->cell_height * place->rows;
    }
    double size = number_width > 0 ? number_size(&grid->panels[0].map.place, number_width) : 0;
    for (int p = 0; p < grid->count; p++) {
        grid->panels[p].map.number_size = size;
        grid->panels[p].map.decimals = decimals;
    }
}

static double widest_label(Arena *arena, const MapLabels *labels, int count)
{
    double widest = 0;
    for (int i = 0; i < count; i++)
        if (map_label_shown(labels, i))
            widest = fmax(widest, canvas_text_width(map_label_style(labels, i), map_label(arena, labels, i)));
    return widest;
}

// Horizontal labels if each fits over its cells, else rotated ones. An axis without labels also gets a size and a step.
static void labels_measure(Arena *arena, HeatmapPanel *panel)
{
    const MapPlace *place = &panel->map.place;
    MapLabels *rows = &panel->map.rows, *cols = &panel->map.cols;
    double sizes[] = { 13, 12, 11, 10 }, size = 10;
    for (int s = 3; s >= 0; s--)
        if (place->cell_height >= 1.2 * sizes[s] && place->cell_width * MAP_SINE >= 1.15 * sizes[s]) size = sizes[s];
    size = size < 11 && place->cell_width < 14 ? 11 : size;
    rows->step = map_label_step(rows, place->cell_height, 1.25 * size);
    cols->step = map_label_step(cols, place->cell_width, 1.12 * size / MAP_SINE);
    if (rows->words && cols->words && rows->step > 1 && rows->step < cols->step) rows->step = cols->step;
    if (rows->words) {
        rows->size = size;
        panel->rows_room = widest_label(arena, rows, place->rows) + MAP_GAP;
    }
    if (!cols->words) return;

    cols->size = size;
    double widest = widest_label(arena, cols, place->cols);
    if (widest + 8 <= place->cell_width * cols->step) {
        panel->cols_room = size + MAP_GAP;
        return;
    }
    cols->turned = true;
    panel->cols_room = widest * MAP_SINE + 0.6 * size + MAP_GAP - 2;
}

static bool same_labels(const char *const *a, const char *const *b, int count)
{
    if (a == b || !a || !b) return a == b;
    for (int i = 0; i < count; i++)
        if (!a[i] || !b[i] || strcmp(a[i], b[i])) return false;
    return true;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

// Axis titles that several panels share are drawn once, for the whole grid.
void heatmap_grid_titles(HeatmapGrid *grid)
{
    const Heatmap *first = grid->panels[0].asked;
    bool rows_same = grid->count > 1, cols_same = grid->count > 1;
    for (int p = 1; p < grid->count; p++) {
        rows_same = rows_same && same_text(first->row_title, grid->panels[p].asked->row_title);
        cols_same = cols_same && same_text(first->col_title, grid->panels[p].asked->col_title);
    }
    grid->row_title = rows_same ? first->row_title : NULL;
    grid->col_title = cols_same ? first->col_title : NULL;
    for (int p = 0; p < grid->count; p++) {
        grid->panels[p].row_title = rows_same ? NULL : grid->panels[p].asked->row_title;
        grid->panels[p].col_title = cols_same ? NULL : grid->panels[p].asked->col_title;
    }
}

// The labels of the drawn cells, from those of `count` cells.
static const char *const *folded_words(Arena *arena, const char *const *words, int count, int fold)
{
    if (!words || fold == 1) return words;
    const char **out = arena_alloc(arena, (size_t)(count / fold + 1) * sizeof *out);
    for (int i = 0; i * fold < count; i++) out[i] = words[i * fold];
    return out;
}

// Omits labels that the panel to the left (above) already has. A mark of one cell marks its labels, a block does not.
void heatmap_grid_labels(HeatmapGrid *grid)
{
    enum { LONGEST = 120 };
    for (int p = 0; p < grid->count; p++) {
        HeatmapPanel *panel = &grid->panels[p];
        const Heatmap *map = panel->asked;
        const Heatmap *left_panel = p % grid->across ? grid->panels[p - 1].asked : NULL;
        const Heatmap *upper_panel = p >= grid->across ? grid->panels[p - grid->across].asked : NULL;
        bool rows_shown = left_panel && left_panel->values.rows == map->values.rows &&
                          same_labels(left_panel->row_labels, map->row_labels, map->values.rows);
        bool cols_shown = upper_panel && upper_panel->values.cols == map->values.cols &&
                          same_labels(upper_panel->col_labels, map->col_labels, map->values.cols);
        bool one = map->mark_row > 0 && map->mark_col > 0 && map->mark_rows <= 1 && map->mark_cols <= 1;
        panel->map.rows = panel->map.cols = (MapLabels){ .most = LONGEST, .mark_color = COLOR_MARK };
        if (!rows_shown)
            panel->map.rows.words = folded_words(grid->arena, map->row_labels, map->values.rows, panel->fold);
        if (!cols_shown)
            panel->map.cols.words = folded_words(grid->arena, map->col_labels, map->values.cols, panel->fold);
        panel->map.rows.mark = one ? (map->mark_row - 1) / panel->fold + 1 : 0;
        panel->map.cols.mark = one ? (map->mark_col - 1) / panel->fold + 1 : 0;
        labels_measure(grid->arena, panel);
    }
}

// ---- place ----------------------------------------------------------------------------------------------------------

// A row title longer than the map is high is drawn horizontally above the row labels.
bool heatmap_grid_title_lies(const HeatmapPanel *panel)
{
    return panel->row_title &&
           canvas_text_width(heatmap_grid_title_style(), panel->row_title) > panel->map.place.frame.height + 8;
}

static double space_left(const HeatmapPanel *panel)
{
    if (!panel->row_title) return panel->rows_room;
    if (!heatmap_grid_title_lies(panel)) return panel->rows_room + MAP_LINE + 4;
    return fmax(panel->rows_room, canvas_text_width(heatmap_grid_title_style(), panel->row_title) + MAP_GAP);
}

static double space_above(const HeatmapGrid *grid, const HeatmapPanel *panel)
{
    bool own_title = grid->count > 1 && panel->asked->title;
    double above = panel->cols_room + (panel->col_title ? MAP_LINE + 2 : 0);
    if (heatmap_grid_title_lies(panel)) above = fmax(above, MAP_LINE);
    return above + (own_title ? MAP_LINE + (above > 0 ? 4 : 0) : 0);
}

// The right end of the panel's text.
static double text_right(Arena *arena, const HeatmapPanel *panel)
{
    const MapPlace *place = &panel->map.place;
    const MapLabels *cols = &panel->map.cols;
    CanvasRect at = place->frame;
    double reach = at.x + at.width;
    if (cols->turned)
        for (int j = 0; j < place->cols; j++) {
            if (!map_label_shown(cols, j)) continue;
            double width = canvas_text_width(map_label_style(cols, j), map_label(arena, cols, j));
            reach = fmax(reach, at.x + (j + 0.5) * place->cell_width + width * MAP_COSINE + 0.4 * cols->size);
        }
    if (panel->col_title) {
        double width = canvas_text_width(heatmap_grid_title_style(), panel->col_title);
        reach = fmax(reach, fmax(at.x + (at.width + width) / 2, at.x + width));
    }
    return reach;
}

static void place_columns(HeatmapGrid *grid)
{
    double x = HEATMAP_MARGIN + (grid->row_title ? MAP_LINE + 4 : 0);
    for (int c = 0; c < grid->across; c++) {
        double left = 0, width = 0;
        for (int p = c; p < grid->count; p += grid->across) {
            left = fmax(left, space_left(&grid->panels[p]));
            width = fmax(width, grid->panels[p].map.place.frame.width);
        }
        x += left;
        for (int p = c; p < grid->count; p += grid->across) grid->panels[p].map.place.frame.x = x;
        if (c == 0) grid->left = x;
        grid->right = x + width;
        x += width + MAP_LINE;
    }
}

static void place_rows(HeatmapGrid *grid)
{
    double y = HEATMAP_MARGIN + (grid->title ? 15 + 14 : 0) + (grid->col_title ? MAP_LINE : 0);
    for (int r = 0; r < grid->count; r += grid->across) {
        int end = r + grid->across < grid->count ? r + grid->across : grid->count;
        double above = 0, height = 0;
        for (int p = r; p < end; p++) {
            above = fmax(above, space_above(grid, &grid->panels[p]));
            height = fmax(height, grid->panels[p].map.place.frame.height);
        }
        y += above;
        for (int p = r; p < end; p++) {
            grid->panels[p].map.place.frame.y = y;
            grid->panels[p].above = above;
        }
        if (r == 0) grid->top = y;
        grid->bottom = y + height;
        y += height + MAP_LINE;
    }
}

double heatmap_grid_legend_height(const HeatmapGrid *grid) { return MAP_LINE * map_legend_count(&grid->legend); }

// The width of the colour bar with its numbers and title, or of the legend in the same column.
double heatmap_grid_bar_room(const HeatmapGrid *grid)
{
    double room = RAMP_BAR + 6;
    if (grid->any) room = ramp_room(grid->arena, &grid->ramp, grid->bottom - grid->top);
    if (grid->any && grid->ramp.title) room += MAP_LINE;
    const char *const names[] = { grid->legend.masked, grid->legend.names[0], grid->legend.names[1] };
    for (int n = 0; n < 3; n++)
        if (names[n]) room = fmax(room, RAMP_BAR + 6 + canvas_text_width(map_number_style(11), names[n]));
    return room;
}

// The same for a horizontal bar.
static double horizontal_bar_width(const HeatmapGrid *grid)
{
    const char *title = grid->ramp.title;
    double room =
        grid->any ? 160 + 12 + (title ? canvas_text_width(heatmap_grid_title_style(), title) + MAP_LINE : 0) : 0;
    return room + map_legend_room(&grid->legend) - 12;
}

void heatmap_grid_place(HeatmapGrid *grid)
{
    place_columns(grid);
    place_rows(grid);
    grid->overhang = grid->right;
    for (int p = 0; p < grid->count; p++)
        grid->overhang = fmax(grid->overhang, text_right(grid->arena, &grid->panels[p]));

    grid->bar_lies = grid->bottom - grid->top - heatmap_grid_legend_height(grid) < 90;
    bool legend = grid->any || heatmap_grid_legend_height(grid) > 0;
    double right = grid->overhang;
    if (!grid->bar_lies && legend) right = fmax(right, grid->right + MAP_LINE + heatmap_grid_bar_room(grid));
    if (grid->bar_lies && legend) right = fmax(right, grid->left + horizontal_bar_width(grid));
    if (grid->title) {
        double width = canvas_text_width((CanvasText){ .size = 15, .face = CANVAS_SANS_BOLD }, grid->title);
        right = fmax(right, HEATMAP_MARGIN + width);
    }
    grid->width = ceil(right + HEATMAP_MARGIN);
    double under = (grid->bar_lies && legend ? 50 : 0) + (grid->panels[0].fold > 1 ? MAP_LINE : 0);
    grid->height = ceil(grid->bottom + under + HEATMAP_MARGIN);
}
