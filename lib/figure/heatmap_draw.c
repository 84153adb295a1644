// Heat maps onto the canvas, from a finished layout.
#include "figure/heatmap_grid.h"
#include "figure/ticks.h"

#include <math.h>
#include <string.h>

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

// All cells at once; then those that are hatched or NaN, over what stands there.
static void draw_cells(Canvas *canvas, const Grid *grid, const Panel *panel)
{
    int rows = panel->values.rows, cols = panel->values.cols;
    Color *colors = arena_alloc(grid->arena, (size_t)rows * (size_t)cols * sizeof *colors), *next = colors;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            *next++ = cell_hidden(panel, i, j) ? PAPER : color_of(grid, (double)*mat_ref(panel->values, i, j));
    canvas_cells(canvas, panel->x, panel->y, panel->cell_width, panel->cell_height, rows, cols, colors);

    double x, y, width, height;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            bool stroke = isnan(*mat_ref(panel->values, i, j)) && grid->value_size == 0;
            if (!stroke && !cell_hidden(panel, i, j)) continue;
            cell_edges(canvas, panel, i, j, &x, &y, &width, &height);
            if (cell_hidden(panel, i, j)) canvas_hatch(canvas, x, y, width, height);
            else draw_nan(canvas, x, y, width, height);
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
            if (cell_hidden(panel, i, j)) continue;
            const char *text = cell_number(grid, panel, i, j);
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
        Text style = label_text(rows, i);
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
        Text style = label_text(cols, j);
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
    if (panel_title_lies(panel)) {
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
    int count = grid_bar_ticks(grid, at, length, grid->bar_lies ? 44 : 22);
    for (int k = 0; k < count; k++) {
        Text style = number_style(11);
        double t = (at[k] - grid->low) / (grid->high - grid->low);
        const char *text = grid_bar_text(grid, at, count, k);
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
    double x = crisp(canvas, grid->right + LINE), length = grid->bottom - grid->top - grid_legend_height(grid);
    if (grid_legend_height(grid) > 0) length -= 8;
    const char *title = grid->panels[0].map->bar_title;
    if (grid->any) {
        draw_bar(canvas, grid, x, grid->top, length);
        draw_bar_numbers(canvas, grid, x, grid->top, length);
    }
    if (grid->any && title) {
        Text style = title_style();
        style.angle = 90;
        style.anchor = AT_MIDDLE;
        canvas_text(canvas, x + grid_bar_room(grid), grid->top + length / 2, style, title);
    }
    double y = grid->bottom - BAR_WIDTH;
    if (grid->any_nan) draw_swatch(canvas, x, y, NULL), y -= LINE;
    if (grid->any_hidden) draw_swatch(canvas, x, y, grid_hidden_title(grid));
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
    if (grid->any_hidden) draw_swatch(canvas, x, y, grid_hidden_title(grid)), x += grid_hidden_room(grid);
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

void grid_draw(Canvas *canvas, Grid *grid)
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
