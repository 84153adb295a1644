// The layout of heat maps: how large cells, labels and numbers are, and where everything stands.
#include "figure/heatmap_grid.h"
#include "figure/ticks.h"

#include <math.h>
#include <string.h>

// ---- size -----------------------------------------------------------------------------------------------------------

const char *cell_number(Grid *grid, const Panel *panel, int i, int j)
{
    return ticks_text(grid->arena, (double)*mat_ref(panel->values, i, j), grid->panels[0].map->decimals);
}

// The widest number of all cells, in points at size 1.
static double widest_number(Grid *grid)
{
    double widest = 0;
    for (int p = 0; p < grid->count; p++) {
        const Panel *panel = &grid->panels[p];
        for (int i = 0; i < panel->values.rows; i++)
            for (int j = 0; j < panel->values.cols; j++) {
                ArenaMark mark = arena_mark(grid->arena);
                if (!cell_hidden(panel, i, j))
                    widest = fmax(widest, text_width(number_style(1), cell_number(grid, panel, i, j)));
                arena_release(grid->arena, mark);
            }
    }
    return widest;
}

// The side that the cells of one panel may fill together.
double grid_budget(const Grid *grid, int rows, int cols)
{
    if (grid->count == 1) return cols > 3 * rows ? 640 : 440;
    double budget = 740.0 / (grid->across < grid->count ? grid->across : grid->count);
    return budget > 320 ? 320 : budget < 150 ? 150 : budget;
}

static bool has_labels(const Grid *grid)
{
    for (int p = 0; p < grid->count; p++)
        if (grid->panels[p].map->row_labels || grid->panels[p].map->col_labels) return true;
    return false;
}

// The cell that suits the largest panel: whole points, large enough for words and numbers where that is to be had.
void grid_cells(Grid *grid)
{
    int rows = 1, cols = 1, decimals = grid->panels[0].map->decimals;
    for (int p = 0; p < grid->count; p++) {
        rows = grid->panels[p].values.rows > rows ? grid->panels[p].values.rows : rows;
        cols = grid->panels[p].values.cols > cols ? grid->panels[p].values.cols : cols;
    }
    int longest = rows > cols ? rows : cols;
    double budget = grid_budget(grid, rows, cols);
    double number_width = decimals >= 0 && longest <= 64 ? widest_number(grid) : 0;
    double cell = fmin(56, fmax(1, floor(budget / longest + 0.5)));
    double wanted = ceil(10 * number_width + 5);
    if (number_width > 0 && wanted > cell && wanted * longest <= 1.5 * budget) cell = wanted;
    if (cell < 15 && has_labels(grid) && 15 * longest <= 1.5 * fmin(budget, 440)) cell = 15;
    for (int p = 0; p < grid->count; p++) {
        Panel *panel = &grid->panels[p];
        panel->cell_width = panel->cell_height = panel->map->cell > 0 ? panel->map->cell : cell;
        if (!(panel->map->cell > 0) && rows <= 3 && cell < 20) panel->cell_height = 20;     // a strip, not a thread
        panel->width = panel->cell_width * panel->values.cols;
        panel->height = panel->cell_height * panel->values.rows;
    }
    const Panel *first = &grid->panels[0];
    for (double size = 12; size >= 8 && number_width > 0 && grid->value_size == 0; size--)
        if (size * number_width + 4 <= first->cell_width && size * 1.3 <= first->cell_height) grid->value_size = size;
}

// How many labels to step over so that those left stand `least` points apart: 1, 2, 4, 5, 8, 10, 16, 20, …
static int label_step(double cell, double least)
{
    static const int steps[] = { 1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128 };
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        if (steps[s] * cell >= least) return steps[s];
    return (int)ceil(least / cell);
}

bool label_shown(const Labels *labels, int i)
{
    if (!labels->text) return false;
    if (i == labels->mark - 1) return true;
    bool beside_mark = labels->mark > 0 && i > labels->mark - 1 - labels->step && i < labels->mark - 1 + labels->step;
    return i % labels->step == 0 && !beside_mark;
}

Text label_text(const Labels *labels, int i)
{
    bool marked = i == labels->mark - 1;
    return (Text){ .size = labels->size, .face = marked ? SANS_BOLD : SANS, .color = marked ? MARK : INK };
}

// The label of drawn cell i, shortened where it is very long.
const char *label_at(Arena *arena, const Panel *panel, const Labels *labels, int i)
{
    const char *text = labels->text[i * panel->fold];
    return text_fit(arena, label_text(labels, i), text ? text : "", 120);
}

static double widest_label(Arena *arena, const Panel *panel, const Labels *labels)
{
    double widest = 0;
    for (int i = 0; i < labels->count; i++)
        if (label_shown(labels, i))
            widest = fmax(widest, text_width(label_text(labels, i), label_at(arena, panel, labels, i)));
    return widest;
}

// Lying labels when each fits over its cells, else turned ones.
static void labels_measure(Arena *arena, Panel *panel)
{
    Labels *rows = &panel->rows, *cols = &panel->cols;
    double sizes[] = { 13, 12, 11, 10 }, size = 10;
    for (int s = 3; s >= 0; s--)
        if (panel->cell_height >= 1.2 * sizes[s] && panel->cell_width * SINE >= 1.15 * sizes[s]) size = sizes[s];
    rows->size = cols->size = size < 11 && panel->cell_width < 14 ? 11 : size;
    rows->step = label_step(panel->cell_height, 1.25 * rows->size);
    cols->step = label_step(panel->cell_width, 1.12 * cols->size / SINE);
    if (rows->text && cols->text && rows->step > 1 && rows->step < cols->step) rows->step = cols->step;
    if (rows->text) rows->room = widest_label(arena, panel, rows) + GAP;
    if (!cols->text) return;

    double widest = widest_label(arena, panel, cols);
    if (widest + 8 <= panel->cell_width * cols->step) {
        cols->room = cols->size + GAP;
        return;
    }
    cols->turned = true;
    cols->room = widest_label(arena, panel, cols) * SINE + 0.6 * cols->size + GAP - 2;
}

static bool same_labels(const char *const *a, const char *const *b, int count)
{
    if (a == b || !a || !b) return a == b;
    for (int i = 0; i < count; i++)
        if (!a[i] || !b[i] || strcmp(a[i], b[i])) return false;
    return true;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

// Axis titles that several panels share are said once, for the whole grid.
void grid_titles(Grid *grid)
{
    const HeatMap *first = grid->panels[0].map;
    bool rows_same = grid->count > 1, cols_same = grid->count > 1;
    for (int p = 1; p < grid->count; p++) {
        rows_same = rows_same && same_text(first->row_title, grid->panels[p].map->row_title);
        cols_same = cols_same && same_text(first->col_title, grid->panels[p].map->col_title);
    }
    grid->row_title = rows_same ? first->row_title : NULL;
    grid->col_title = cols_same ? first->col_title : NULL;
    for (int p = 0; p < grid->count; p++) {
        grid->panels[p].row_title = rows_same ? NULL : grid->panels[p].map->row_title;
        grid->panels[p].col_title = cols_same ? NULL : grid->panels[p].map->col_title;
    }
}

// Labels that the panel to the left (above) shows already are not shown again.
void grid_labels(Grid *grid)
{
    for (int p = 0; p < grid->count; p++) {
        Panel *panel = &grid->panels[p];
        const HeatMap *map = panel->map;
        const HeatMap *beside = p % grid->across ? grid->panels[p - 1].map : NULL;
        const HeatMap *over = p >= grid->across ? grid->panels[p - grid->across].map : NULL;
        bool rows_said = beside && beside->values.rows == map->values.rows &&
                         same_labels(beside->row_labels, map->row_labels, map->values.rows);
        bool cols_said = over && over->values.cols == map->values.cols &&
                         same_labels(over->col_labels, map->col_labels, map->values.cols);
        bool marked = map->mark_row > 0 && map->mark_col > 0;
        panel->rows = (Labels){ rows_said ? NULL : map->row_labels, .count = panel->values.rows };
        panel->cols = (Labels){ cols_said ? NULL : map->col_labels, .count = panel->values.cols };
        bool block = map->mark_rows > 1 || map->mark_cols > 1;         // a block is framed, its labels stay as they are
        panel->rows.mark = marked && !block ? (map->mark_row - 1) / panel->fold + 1 : 0;
        panel->cols.mark = marked && !block ? (map->mark_col - 1) / panel->fold + 1 : 0;
        labels_measure(grid->arena, panel);
    }
}

// ---- place ----------------------------------------------------------------------------------------------------------

// A row title that is longer than the map is high lies above the row labels instead of reading upwards.
bool panel_title_lies(const Panel *panel)
{
    return panel->row_title && text_width(title_style(), panel->row_title) > panel->height + 8;
}

static double room_left(const Panel *panel)
{
    if (!panel->row_title) return panel->rows.room;
    if (panel_title_lies(panel)) return fmax(panel->rows.room, text_width(title_style(), panel->row_title) + GAP);
    return panel->rows.room + LINE + 4;
}

static double room_above(const Grid *grid, const Panel *panel)
{
    bool own_title = grid->count > 1 && panel->map->title;
    double above = panel->cols.room + (panel->col_title ? LINE + 2 : 0);
    if (panel_title_lies(panel)) above = fmax(above, LINE);
    return above + (own_title ? LINE + (above > 0 ? 4 : 0) : 0);
}

// How far to the right the panel's words reach.
static double reach_right(Arena *arena, const Panel *panel)
{
    double reach = panel->x + panel->width;
    const Labels *cols = &panel->cols;
    for (int j = 0; cols->turned && j < cols->count; j++) {
        if (!label_shown(cols, j)) continue;
        double width = text_width(label_text(cols, j), label_at(arena, panel, cols, j));
        reach = fmax(reach, panel->x + (j + 0.5) * panel->cell_width + width * COSINE + 0.4 * cols->size);
    }
    if (panel->col_title) {
        double width = text_width(title_style(), panel->col_title);
        reach = fmax(reach, fmax(panel->x + (panel->width + width) / 2, panel->x + width));
    }
    return reach;
}

static void place_columns(Grid *grid)
{
    double x = MARGIN + (grid->row_title ? LINE + 4 : 0);
    for (int c = 0; c < grid->across && c < grid->count; c++) {
        double left = 0, width = 0;
        for (int p = c; p < grid->count; p += grid->across) {
            left = fmax(left, room_left(&grid->panels[p]));
            width = fmax(width, grid->panels[p].width);
        }
        x += left;
        for (int p = c; p < grid->count; p += grid->across) grid->panels[p].x = x;
        if (c == 0) grid->left = x;
        grid->right = x + width;
        x += width + LINE;
    }
}

static void place_rows(Grid *grid)
{
    double y = MARGIN + (grid->title ? 15 + 14 : 0) + (grid->col_title ? LINE : 0);
    for (int r = 0; r < grid->count; r += grid->across) {
        double above = 0, height = 0;
        for (int p = r; p < grid->count && p < r + grid->across; p++) {
            above = fmax(above, room_above(grid, &grid->panels[p]));
            height = fmax(height, grid->panels[p].height);
        }
        y += above;
        for (int p = r; p < grid->count && p < r + grid->across; p++) {
            grid->panels[p].y = y;
            grid->panels[p].above = above;
        }
        if (r == 0) grid->top = y;
        grid->bottom = y + height;
        y += height + LINE;
    }
}

const char *grid_hidden_title(const Grid *grid)
{
    return grid->panels[0].map->hidden_title ? grid->panels[0].map->hidden_title : "masked";
}

// How far the hatched swatch and its word reach, beside the next one.
double grid_hidden_room(const Grid *grid)
{
    return 84 + text_width(number_style(11), grid_hidden_title(grid)) - text_width(number_style(11), "masked");
}

double grid_legend_height(const Grid *grid) { return (grid->any_hidden ? LINE : 0) + (grid->any_nan ? LINE : 0); }

// The numbers of the colour bar: both ends, and round numbers that stand clear of them.
int grid_bar_ticks(const Grid *grid, double *at, double length, double apart)
{
    double round[MOST_TICKS];
    int count = 0, rounds = ticks_round(round, grid->low, grid->high, (int)fmax(2, fmin(6, length / 50)));
    double clear = apart / length * (grid->high - grid->low);
    at[count++] = grid->low;
    for (int k = 0; k < rounds && count < MOST_TICKS - 1; k++)
        if (round[k] - grid->low >= clear && grid->high - round[k] >= clear) at[count++] = round[k];
    at[count++] = grid->high;
    return count;
}

// A number of the bar. An end that larger (smaller) values are coloured like says so.
const char *grid_bar_text(const Grid *grid, const double *at, int count, int k)
{
    const char *text = ticks_text(grid->arena, at[k], ticks_decimals(at, count, grid->high - grid->low));
    bool cut = (k == 0 && grid->below) || (k == count - 1 && grid->above);
    return cut ? arena_format(grid->arena, "%s %s", k ? "≥" : "≤", text) : text;
}

// The width of the colour bar, its numbers and its title; legends stand in the same column.
double grid_bar_room(const Grid *grid)
{
    double at[MOST_TICKS], widest = 0;
    int count = grid->any ? grid_bar_ticks(grid, at, grid->bottom - grid->top, 22) : 0;
    for (int k = 0; k < count; k++)
        widest = fmax(widest, text_width(number_style(11), grid_bar_text(grid, at, count, k)));
    bool titled = grid->any && grid->panels[0].map->bar_title;
    double room = BAR_WIDTH + 6 + widest + (titled ? LINE : 0);
    return grid->any_hidden ? fmax(room, BAR_WIDTH + 6 + text_width(number_style(11), grid_hidden_title(grid))) : room;
}

// The same for a bar that lies.
static double lying_room(const Grid *grid)
{
    const char *title = grid->panels[0].map->bar_title;
    double room = grid->any ? 160 + 12 + (title ? text_width(title_style(), title) + LINE : 0) : 0;
    return room + (grid->any_hidden ? grid_hidden_room(grid) : 0) + (grid->any_nan ? 50 : 0) - 12;
}

void grid_place(Grid *grid)
{
    place_columns(grid);
    place_rows(grid);
    grid->overhang = grid->right;
    for (int p = 0; p < grid->count; p++)
        grid->overhang = fmax(grid->overhang, reach_right(grid->arena, &grid->panels[p]));

    grid->bar_lies = grid->bottom - grid->top - grid_legend_height(grid) < 90;
    bool legend = grid->any || grid_legend_height(grid) > 0;
    double right = grid->overhang;
    if (!grid->bar_lies && legend) right = fmax(right, grid->right + LINE + grid_bar_room(grid));
    if (grid->bar_lies && legend) right = fmax(right, grid->left + lying_room(grid));
    if (grid->title) {
        double width = text_width((Text){ .size = 15, .face = SANS_BOLD }, grid->title);
        right = fmax(right, MARGIN + width);
    }
    grid->width = ceil(right + MARGIN);
    double under = (grid->bar_lies && legend ? 50 : 0) + (grid->panels[0].fold > 1 ? LINE : 0);
    grid->height = ceil(grid->bottom + under + MARGIN);
}
