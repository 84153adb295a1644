// Heat maps, one or many: both are a grid of panels on one scale. A picture is made in four passes: read (what is
// shown, on which scale), size (cells and labels), place (where everything stands), draw.
#include "figure/heatmap.h"

#include "figure/ticks.h"

#include <math.h>
#include <string.h>

static const double MARGIN = 24, GAP = 8, SLANT = 55, SINE = 0.819152044288992, COSINE = 0.573576436351046;
static const double BAR_WIDTH = 12, LINE = 20;       // a line of text that stands alone

typedef struct {
    const char *const *text;                         // NULL: not shown
    int    count, step, mark;                        // every step-th is shown; mark from 1
    bool   turned;
    double size, room;                               // of the letters; of the space that the labels take
} Labels;

typedef struct {
    const HeatMap *map;
    Mat         values, hidden;                      // as drawn: smaller than the map's when that has too many cells
    int         fold;                                // a drawn cell stands for fold × fold of the map's
    const char *row_title, *col_title;               // NULL: not shown
    Labels      rows, cols;
    double      cell_width, cell_height, x, y, width, height, above;   // x, y: top left of the cells
} Panel;

typedef struct {
    Arena  *arena;
    const char *title;
    Panel  *panels;
    int     count, across;
    double  low, high;
    bool    any, any_hidden, any_nan, below, above;  // what the legend shows, and values outside low … high
    double  value_size;                              // of the numbers in the cells; 0: none are written
    bool    bar_lies;                                // under the maps, where those are low
    const char *row_title, *col_title;               // said once for all panels; NULL: each says its own
    double  left, top, right, bottom, overhang;      // around all cells; overhang: how far right words reach
    double  width, height;
} Grid;

static bool is_hidden(const Panel *panel, int i, int j)
{
    return !mat_empty(panel->hidden) && *mat_ref(panel->hidden, i, j) != 0.0f;
}

// ---- read -----------------------------------------------------------------------------------------------------------

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
                if (is_hidden(panel, i, j)) { grid->any_hidden = true; continue; }
                grid->any = !panel->map->no_bar;
                if (isnan(value)) grid->any_nan = true;
                if (!isfinite(value)) continue;
                least = fmin(least, value);
                most = fmax(most, value);
            }
    }
    grid_scale(grid, least, most);
}

// ---- size -----------------------------------------------------------------------------------------------------------

static Text label_style(double size) { return (Text){ .size = size, .color = INK }; }
static Text number_style(double size) { return (Text){ .size = size, .face = MONO, .color = QUIET }; }
static Text title_style(void) { return (Text){ .size = 12, .color = QUIET }; }

static const char *number(Grid *grid, const Panel *panel, int i, int j)
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
                if (!is_hidden(panel, i, j))
                    widest = fmax(widest, text_width(number_style(1), number(grid, panel, i, j)));
                arena_release(grid->arena, mark);
            }
    }
    return widest;
}

// The side that the cells of one panel may fill together.
static double budget_of(const Grid *grid, int rows, int cols)
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
static void grid_cells(Grid *grid)
{
    int rows = 1, cols = 1, decimals = grid->panels[0].map->decimals;
    for (int p = 0; p < grid->count; p++) {
        rows = grid->panels[p].values.rows > rows ? grid->panels[p].values.rows : rows;
        cols = grid->panels[p].values.cols > cols ? grid->panels[p].values.cols : cols;
    }
    int longest = rows > cols ? rows : cols;
    double budget = budget_of(grid, rows, cols);
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

static bool label_shown(const Labels *labels, int i)
{
    if (!labels->text) return false;
    if (i == labels->mark - 1) return true;
    bool beside_mark = labels->mark > 0 && i > labels->mark - 1 - labels->step && i < labels->mark - 1 + labels->step;
    return i % labels->step == 0 && !beside_mark;
}

static Text style_of_label(const Labels *labels, int i)
{
    bool marked = i == labels->mark - 1;
    return (Text){ .size = labels->size, .face = marked ? SANS_BOLD : SANS, .color = marked ? MARK : INK };
}

// The label of drawn cell i, shortened where it is very long.
static const char *label_at(Arena *arena, const Panel *panel, const Labels *labels, int i)
{
    const char *text = labels->text[i * panel->fold];
    return text_fit(arena, style_of_label(labels, i), text ? text : "", 120);
}

static double widest_label(Arena *arena, const Panel *panel, const Labels *labels)
{
    double widest = 0;
    for (int i = 0; i < labels->count; i++)
        if (label_shown(labels, i))
            widest = fmax(widest, text_width(style_of_label(labels, i), label_at(arena, panel, labels, i)));
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
static void grid_titles(Grid *grid)
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
static void grid_labels(Grid *grid)
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
static bool row_title_lies(const Panel *panel)
{
    return panel->row_title && text_width(title_style(), panel->row_title) > panel->height + 8;
}

static double room_left(const Panel *panel)
{
    if (!panel->row_title) return panel->rows.room;
    if (row_title_lies(panel)) return fmax(panel->rows.room, text_width(title_style(), panel->row_title) + GAP);
    return panel->rows.room + LINE + 4;
}

static double room_above(const Grid *grid, const Panel *panel)
{
    bool own_title = grid->count > 1 && panel->map->title;
    double above = panel->cols.room + (panel->col_title ? LINE + 2 : 0);
    if (row_title_lies(panel)) above = fmax(above, LINE);
    return above + (own_title ? LINE + (above > 0 ? 4 : 0) : 0);
}

// How far to the right the panel's words reach.
static double reach_right(Arena *arena, const Panel *panel)
{
    double reach = panel->x + panel->width;
    const Labels *cols = &panel->cols;
    for (int j = 0; cols->turned && j < cols->count; j++) {
        if (!label_shown(cols, j)) continue;
        double width = text_width(style_of_label(cols, j), label_at(arena, panel, cols, j));
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

static const char *hidden_title(const Grid *grid)
{
    return grid->panels[0].map->hidden_title ? grid->panels[0].map->hidden_title : "masked";
}

// How far the hatched swatch and its word reach, beside the next one.
static double hidden_room(const Grid *grid)
{
    return 84 + text_width(number_style(11), hidden_title(grid)) - text_width(number_style(11), "masked");
}

static double legend_height(const Grid *grid) { return (grid->any_hidden ? LINE : 0) + (grid->any_nan ? LINE : 0); }

// The numbers of the colour bar: both ends, and round numbers that stand clear of them.
static int bar_ticks(const Grid *grid, double *at, double length, double apart)
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
static const char *bar_text(const Grid *grid, const double *at, int count, int k)
{
    const char *text = ticks_text(grid->arena, at[k], ticks_decimals(at, count, grid->high - grid->low));
    bool cut = (k == 0 && grid->below) || (k == count - 1 && grid->above);
    return cut ? arena_format(grid->arena, "%s %s", k ? "≥" : "≤", text) : text;
}

// The width of the colour bar, its numbers and its title; legends stand in the same column.
static double bar_room(const Grid *grid)
{
    double at[MOST_TICKS], widest = 0;
    int count = grid->any ? bar_ticks(grid, at, grid->bottom - grid->top, 22) : 0;
    for (int k = 0; k < count; k++) widest = fmax(widest, text_width(number_style(11), bar_text(grid, at, count, k)));
    bool titled = grid->any && grid->panels[0].map->bar_title;
    double room = BAR_WIDTH + 6 + widest + (titled ? LINE : 0);
    return grid->any_hidden ? fmax(room, BAR_WIDTH + 6 + text_width(number_style(11), hidden_title(grid))) : room;
}

// The same for a bar that lies.
static double lying_room(const Grid *grid)
{
    const char *title = grid->panels[0].map->bar_title;
    double room = grid->any ? 160 + 12 + (title ? text_width(title_style(), title) + LINE : 0) : 0;
    return room + (grid->any_hidden ? hidden_room(grid) : 0) + (grid->any_nan ? 50 : 0) - 12;
}

static void grid_place(Grid *grid)
{
    place_columns(grid);
    place_rows(grid);
    grid->overhang = grid->right;
    for (int p = 0; p < grid->count; p++)
        grid->overhang = fmax(grid->overhang, reach_right(grid->arena, &grid->panels[p]));

    grid->bar_lies = grid->bottom - grid->top - legend_height(grid) < 90;
    bool legend = grid->any || legend_height(grid) > 0;
    double right = grid->overhang;
    if (!grid->bar_lies && legend) right = fmax(right, grid->right + LINE + bar_room(grid));
    if (grid->bar_lies && legend) right = fmax(right, grid->left + lying_room(grid));
    if (grid->title) {
        double width = text_width((Text){ .size = 15, .face = SANS_BOLD }, grid->title);
        right = fmax(right, MARGIN + width);
    }
    grid->width = ceil(right + MARGIN);
    double under = (grid->bar_lies && legend ? 50 : 0) + (grid->panels[0].fold > 1 ? LINE : 0);
    grid->height = ceil(grid->bottom + under + MARGIN);
}

// ---- draw -----------------------------------------------------------------------------------------------------------

// The nearest edge of a pixel, in points.
static double crisp(const Canvas *canvas, double at) { return floor(at * canvas->scale + 0.5) / canvas->scale; }

static Color color_of(const Grid *grid, double value)
{
    double t = (value - grid->low) / (grid->high - grid->low);
    if (isinf(value)) t = value > 0 ? 1 : 0;
    return color_at(grid->panels[0].map->colors, t);
}

// The edges of drawn cell (i, j).
static void cell_edges(const Canvas *canvas, const Panel *panel, int i, int j, double *x, double *y, double *width,
                       double *height)
{
    *x = crisp(canvas, panel->x + j * panel->cell_width);
    *y = crisp(canvas, panel->y + i * panel->cell_height);
    *width = crisp(canvas, panel->x + (j + 1) * panel->cell_width) - *x;
    *height = crisp(canvas, panel->y + (i + 1) * panel->cell_height) - *y;
}

// NaN is MARK, with a stroke through it where no number says so: the signed map has a red of its own.
static void draw_nan(Canvas *canvas, double x, double y, double width, double height)
{
    canvas_rect(canvas, x, y, width, height, MARK);
    if (width < 5 || height < 5) return;
    canvas_line(canvas, x + 2, y + height - 2, x + width - 2, y + 2, 1.2, PAPER);
}

static void draw_cells(Canvas *canvas, const Grid *grid, const Panel *panel)
{
    double x, y, width, height;
    for (int i = 0; i < panel->values.rows; i++)
        for (int j = 0; j < panel->values.cols; j++) {
            cell_edges(canvas, panel, i, j, &x, &y, &width, &height);
            double value = (double)*mat_ref(panel->values, i, j);
            if (is_hidden(panel, i, j)) canvas_hatch(canvas, x, y, width, height);
            else if (isnan(value) && grid->value_size == 0) draw_nan(canvas, x, y, width, height);
            else canvas_rect(canvas, x, y, width, height, color_of(grid, value));
        }
}

// Thin lines between cells that are large enough for them, and a frame where the lightest colour is the paper.
static void draw_rules(Canvas *canvas, const Grid *grid, const Panel *panel)
{
    bool light = grid->panels[0].map->colors == DIVERGING;
    double thin = 1 / canvas->scale, left = crisp(canvas, panel->x), top = crisp(canvas, panel->y);
    double width = crisp(canvas, panel->x + panel->width) - left;
    double height = crisp(canvas, panel->y + panel->height) - top;
    Color color = light ? INK : PAPER;
    double opacity = light ? 0.08 : 0.16;
    if (canvas->scale >= 2) thin = 1.5 / canvas->scale, thin = crisp(canvas, thin);
    for (int i = 1; i < panel->values.rows && panel->cell_height >= 9; i++)
        canvas_tint(canvas, left, crisp(canvas, panel->y + i * panel->cell_height), width, thin, color, opacity);
    for (int j = 1; j < panel->values.cols && panel->cell_width >= 9; j++)
        canvas_tint(canvas, crisp(canvas, panel->x + j * panel->cell_width), top, thin, height, color, opacity);
    if (light && width > 0 && height > 0) canvas_frame(canvas, left - 1, top - 1, width + 2, height + 2, 1, RULE);
}

// Numbers in the cells. Those that are written as 0 stand back.
static void draw_values(Canvas *canvas, Grid *grid, const Panel *panel)
{
    double x, y, width, height;
    for (int i = 0; i < panel->values.rows && grid->value_size > 0; i++)
        for (int j = 0; j < panel->values.cols; j++) {
            if (is_hidden(panel, i, j)) continue;
            const char *text = number(grid, panel, i, j);
            Color ground = color_of(grid, (double)*mat_ref(panel->values, i, j));
            bool zero = strspn(text, "0.") == strlen(text);
            Text style = number_style(grid->value_size);
            style.anchor = AT_MIDDLE;
            style.color = zero ? color_mix(ground, color_over(ground), 0.5) : color_over(ground);
            cell_edges(canvas, panel, i, j, &x, &y, &width, &height);
            canvas_text(canvas, x + width / 2, y + height / 2 + 0.365 * style.size, style, text);
        }
}

static void draw_mark(Canvas *canvas, const Panel *panel)
{
    const HeatMap *map = panel->map;
    if (map->mark_row < 1 || map->mark_col < 1) return;
    int top = (map->mark_row - 1) / panel->fold, left = (map->mark_col - 1) / panel->fold;
    int bottom = (map->mark_row - 1 + (map->mark_rows > 1 ? map->mark_rows - 1 : 0)) / panel->fold;
    int right = (map->mark_col - 1 + (map->mark_cols > 1 ? map->mark_cols - 1 : 0)) / panel->fold;
    if (bottom >= panel->values.rows || right >= panel->values.cols) return;

    double x, y, x1, y1, width, height;
    cell_edges(canvas, panel, bottom, right, &x1, &y1, &width, &height);
    x1 += width, y1 += height;
    cell_edges(canvas, panel, top, left, &x, &y, &width, &height);
    canvas_frame(canvas, x - 1, y - 1, x1 - x + 2, y1 - y + 2, 2, MARK);
}

static void draw_row_labels(Canvas *canvas, const Grid *grid, const Panel *panel)
{
    const Labels *rows = &panel->rows;
    for (int i = 0; i < rows->count; i++) {
        if (!label_shown(rows, i)) continue;
        Text style = style_of_label(rows, i);
        style.anchor = AT_END;
        double y = panel->y + (i + 0.5) * panel->cell_height + 0.35 * style.size;
        canvas_text(canvas, panel->x - GAP, y, style, label_at(grid->arena, panel, rows, i));
    }
}

// A turned label starts with the middle of its letters over the middle of its cells.
static void draw_col_labels(Canvas *canvas, const Grid *grid, const Panel *panel)
{
    const Labels *cols = &panel->cols;
    for (int j = 0; j < cols->count; j++) {
        if (!label_shown(cols, j)) continue;
        Text style = style_of_label(cols, j);
        const char *text = label_at(grid->arena, panel, cols, j);
        double x = panel->x + (j + 0.5) * panel->cell_width;
        if (cols->turned) {
            style.angle = SLANT;
            canvas_text(canvas, x + 0.3 * style.size * SINE, panel->y - GAP + 0.3 * style.size * COSINE, style, text);
        } else {
            style.anchor = AT_MIDDLE;
            canvas_text(canvas, x, panel->y - GAP, style, text);
        }
    }
}

static void draw_titles(Canvas *canvas, const Grid *grid, const Panel *panel)
{
    Text style = title_style();
    if (row_title_lies(panel)) {
        style.anchor = AT_END;
        canvas_text(canvas, panel->x - GAP, panel->y - GAP, style, panel->row_title);
    } else if (panel->row_title) {
        style.anchor = AT_MIDDLE;
        style.angle = 90;
        canvas_text(canvas, panel->x - panel->rows.room - 10, panel->y + panel->height / 2, style, panel->row_title);
    }
    double above = panel->y - fmax(panel->cols.room, 0) - 8;
    if (panel->col_title) {
        double width = text_width(title_style(), panel->col_title);
        double x = fmax(panel->x, panel->x + (panel->width - width) / 2);
        canvas_text(canvas, x, above, title_style(), panel->col_title);
    }
    if (grid->count < 2 || !panel->map->title) return;
    double y = panel->y - panel->above + 13;
    Text own = label_style(13);
    canvas_text(canvas, panel->x, y, own, text_fit(grid->arena, own, panel->map->title, panel->width + 4));
}

// The bar is drawn pixel by pixel of its length, from the same function as the cells.
static void draw_bar(Canvas *canvas, const Grid *grid, double x, double y, double length)
{
    bool lies = grid->bar_lies;
    double from = lies ? x : y, pixel = 1 / canvas->scale;
    double start = crisp(canvas, from), stop = crisp(canvas, from + length);
    for (double at = start; at < stop - pixel / 2; at += pixel) {
        double t = (at + pixel / 2 - start) / (stop - start);
        Color color = color_at(grid->panels[0].map->colors, lies ? t : 1 - t);
        if (lies) canvas_rect(canvas, at, y, pixel, BAR_WIDTH, color);
        else canvas_rect(canvas, x, at, BAR_WIDTH, pixel, color);
    }
}

static void draw_bar_numbers(Canvas *canvas, const Grid *grid, double x, double y, double length)
{
    double at[MOST_TICKS];
    int count = bar_ticks(grid, at, length, grid->bar_lies ? 44 : 22);
    for (int k = 0; k < count; k++) {
        Text style = number_style(11);
        double t = (at[k] - grid->low) / (grid->high - grid->low);
        const char *text = bar_text(grid, at, count, k);
        if (grid->bar_lies) {
            style.anchor = k == 0 ? AT_START : k == count - 1 ? AT_END : AT_MIDDLE;
            canvas_text(canvas, x + t * length, y + BAR_WIDTH + 14, style, text);
        } else {
            double fall = k == 0 ? 0 : k == count - 1 ? 8 : 4;       // the ends' numbers keep inside the bar's length
            canvas_text(canvas, x + BAR_WIDTH + 6, y + (1 - t) * length + fall, style, text);
        }
    }
}

static void draw_swatch(Canvas *canvas, double x, double y, const char *hidden)        // NULL: of NaN
{
    x = crisp(canvas, x);
    y = crisp(canvas, y);
    if (hidden) canvas_hatch(canvas, x, y, BAR_WIDTH, BAR_WIDTH);
    else draw_nan(canvas, x, y, BAR_WIDTH, BAR_WIDTH);
    canvas_text(canvas, x + BAR_WIDTH + 6, y + 10, (Text){ .size = 11, .color = QUIET }, hidden ? hidden : "NaN");
}

static void draw_standing_bar(Canvas *canvas, const Grid *grid)
{
    double x = crisp(canvas, grid->right + LINE), length = grid->bottom - grid->top - legend_height(grid);
    if (legend_height(grid) > 0) length -= 8;
    const char *title = grid->panels[0].map->bar_title;
    if (grid->any) {
        draw_bar(canvas, grid, x, grid->top, length);
        draw_bar_numbers(canvas, grid, x, grid->top, length);
    }
    if (grid->any && title) {
        Text style = title_style();
        style.angle = 90;
        style.anchor = AT_MIDDLE;
        canvas_text(canvas, x + bar_room(grid), grid->top + length / 2, style, title);
    }
    double y = grid->bottom - BAR_WIDTH;
    if (grid->any_nan) draw_swatch(canvas, x, y, NULL), y -= LINE;
    if (grid->any_hidden) draw_swatch(canvas, x, y, hidden_title(grid));
}

static void draw_lying_bar(Canvas *canvas, const Grid *grid)
{
    double x = grid->left, y = crisp(canvas, grid->bottom + 22), length = 160;
    const char *title = grid->panels[0].map->bar_title;
    if (grid->any) {
        draw_bar(canvas, grid, x, y, length);
        draw_bar_numbers(canvas, grid, x, y, length);
        x += length + 12;
    }
    if (grid->any && title) {
        canvas_text(canvas, x, y + 10, title_style(), title);
        x += text_width(title_style(), title) + LINE;
    }
    if (grid->any_hidden) draw_swatch(canvas, x, y, hidden_title(grid)), x += hidden_room(grid);
    if (grid->any_nan) draw_swatch(canvas, x, y, NULL);
}

// The axis titles of all panels: over the grid, and up its left side.
static void draw_shared_titles(Canvas *canvas, const Grid *grid)
{
    Text style = title_style();
    style.anchor = AT_MIDDLE;
    if (grid->col_title)
        canvas_text(canvas, (grid->left + grid->right) / 2, grid->top - grid->panels[0].above - 8, style,
                    grid->col_title);
    style.angle = 90;
    if (grid->row_title)
        canvas_text(canvas, MARGIN + 12, (grid->top + grid->bottom) / 2, style, grid->row_title);
}

static void grid_draw(Canvas *canvas, Grid *grid)
{
    if (grid->title)
        canvas_text(canvas, MARGIN, MARGIN + 13, (Text){ .size = 15, .face = SANS_BOLD, .color = INK }, grid->title);
    draw_shared_titles(canvas, grid);
    for (int p = 0; p < grid->count; p++) {
        const Panel *panel = &grid->panels[p];
        draw_cells(canvas, grid, panel);
        draw_rules(canvas, grid, panel);
        draw_values(canvas, grid, panel);
        draw_mark(canvas, panel);
        draw_row_labels(canvas, grid, panel);
        draw_col_labels(canvas, grid, panel);
        draw_titles(canvas, grid, panel);
    }
    if (grid->bar_lies) draw_lying_bar(canvas, grid);
    else draw_standing_bar(canvas, grid);
    int fold = grid->panels[0].fold;
    if (fold > 1)
        canvas_text(canvas, grid->left, grid->height - MARGIN, (Text){ .size = 11, .color = QUIET },
                    arena_format(grid->arena, "each cell is the largest of %d × %d", fold, fold));
}

Canvas *heatmaps_draw(Arena *arena, const char *title, const HeatMap *maps, int count, int across, double scale)
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
    int fold = (int)ceil(longest / budget_of(&grid, longest, longest));
    for (int p = 0; p < count && fold > 1; p++) panel_fold(arena, &grid.panels[p], fold);

    grid_read(&grid);
    grid_cells(&grid);
    grid_titles(&grid);
    grid_labels(&grid);
    grid_place(&grid);
    Canvas *canvas = canvas_new(arena, grid.width, grid.height, scale);
    grid_draw(canvas, &grid);
    return canvas;
}

Canvas *heatmap_draw(Arena *arena, const HeatMap *map, double scale)
{
    return heatmaps_draw(arena, map->title, map, 1, 1, scale);
}
