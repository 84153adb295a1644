// Draws one map: cells, grid lines, numbers, frames, labels, and legend swatches.
#include "figure/map.h"

#include "base/portable_math.h"
#include "figure/map_kept.h"
#include "figure/ticks.h"

#include <string.h>

// ---- cells ----------------------------------------------------------------------------------------------------------

// Corner and size of the drawn cells.
static CanvasRect grid_of(const Map *map)
{
    const MapPlace *m = &map->place;
    return (CanvasRect){
        m->frame.x + (map->cells.first_col * m->fold_cols - m->col) * m->cell_width,
        m->frame.y + (map->cells.first_row * m->fold_rows - m->row) * m->cell_height,
        m->fold_cols * m->cell_width,
        m->fold_rows * m->cell_height,
    };
}

// Rounds the edges of a rectangle to pixels.
static CanvasRect snap_to_pixels(const Canvas *canvas, CanvasRect at)
{
    double x = canvas_crisp(canvas, at.x), y = canvas_crisp(canvas, at.y);
    return (CanvasRect){ x, y, canvas_crisp(canvas, at.x + at.width) - x, canvas_crisp(canvas, at.y + at.height) - y };
}

// The rectangle of `count` drawn cells of row i, from column j on.
static CanvasRect cells_at(const Canvas *canvas, CanvasRect grid, int i, int j, int count)
{
    CanvasRect at = { grid.x + j * grid.width, grid.y + i * grid.height, count * grid.width, grid.height };
    return snap_to_pixels(canvas, at);
}

static bool is_shown(const MapCells *cells, int i, int j) { return *mat_ref(cells->kind, i, j) == MAP_SHOWN; }

static Color plain_masked_color(void) { return color_mix(COLOR_PAPER, COLOR_RULE, 0.6); }

// Colours of a row of cells, one run of equal kinds at a time: masked cells need no lookup.
static void color_cells(const Map *map, Color *to, int i, Color masked)
{
    const float *values = mat_row(map->cells.values, i), *kinds = mat_row(map->cells.kind, i);
    int cols = map->cells.values.cols;
    for (int j = 0, end; j < cols; j = end) {
        end = j + 1;
        while (end < cols && kinds[end] == kinds[j]) end++;
        Color plain = kinds[j] == MAP_MASKED ? masked : kinds[j] == MAP_ABSENT ? COLOR_PAPER : COLOR_RULE;
        if (kinds[j] == MAP_SHOWN) ramp_colors(&map->ramp, to + j, values + j, end - j);
        else
            for (int k = j; k < end; k++) to[k] = plain;
    }
}

// Draws all cells at once; hatching and NaN marks are drawn over them later.
static void draw_cells(Canvas *canvas, const Map *map, CanvasRect grid)
{
    int rows = map->cells.values.rows, cols = map->cells.values.cols;
    Color masked = map->plain ? plain_masked_color() : COLOR_PAPER;
    ArenaMark mark = arena_mark(canvas->arena);
    Color *colors = arena_alloc(canvas->arena, ((size_t)rows * (size_t)cols + 1) * sizeof *colors);
    for (int i = 0; i < rows; i++) color_cells(map, colors + (size_t)i * (size_t)cols, i, masked);
    canvas_cells(canvas, grid.x, grid.y, grid.width, grid.height, rows, cols, colors);
    arena_release(canvas->arena, mark);
}

// Sparse lines, perpendicular to the hatching. They are measured from the canvas's corner, as the hatching is, so that
// adjacent areas join.
static void hatch_absent(Canvas *canvas, CanvasRect at)
{
    const double apart = 9;
    CanvasBox whole = canvas_clip(canvas, at.x, at.y, at.width, at.height);
    double first = floor((at.x - at.y - at.height) / apart) * apart;
    for (double d = first; d < at.x + at.width - at.y; d += apart)
        canvas_line(canvas, at.y + d, at.y, at.y + at.height + d, at.y + at.height, 1, COLOR_RULE);
    canvas_unclip(canvas, whole);
}

// Hatches masked cells and strikes out absent ones, in runs of adjacent cells.
static void draw_kind(Canvas *canvas, const Map *map, CanvasRect grid, float wanted)
{
    Mat kind = map->cells.kind;
    for (int i = 0; i < kind.rows; i++)
        for (int j = 0, to; j < kind.cols; j = to) {
            const float *kinds = mat_row(kind, i);
            to = j + 1;
            while (to < kind.cols && kinds[to] == kinds[j]) to++;
            if (kinds[j] != wanted) continue;
            CanvasRect at = cells_at(canvas, grid, i, j, to - j);
            if (wanted == MAP_MASKED) canvas_hatch(canvas, at.x, at.y, at.width, at.height);
            else hatch_absent(canvas, at);
        }
}

// NaN is COLOR_MARK, with a diagonal stroke if no number is written: the diverging map contains a similar red.
static void stroke_nan(Canvas *canvas, CanvasRect at)
{
    if (at.width < 5 || at.height < 5) return;
    canvas_line(canvas, at.x + 2, at.y + at.height - 2, at.x + at.width - 2, at.y + 2, 1.2, COLOR_PAPER);
}

static void draw_nan(Canvas *canvas, const Map *map, CanvasRect grid)
{
    for (int i = 0; i < map->cells.values.rows; i++)
        for (int j = 0; j < map->cells.values.cols; j++)
            if (isnan(*mat_ref(map->cells.values, i, j)) && is_shown(&map->cells, i, j))
                stroke_nan(canvas, cells_at(canvas, grid, i, j, 1));
}

// Grid lines between cells that are large enough.
static void draw_rules(Canvas *canvas, const Map *map, CanvasRect grid)
{
    enum { LEAST = 9 };
    bool light = map->ramp.colors == COLOR_DIVERGING;
    Color color = light ? COLOR_INK : COLOR_PAPER;
    double thin = fmax(1, floor(canvas->scale)) / canvas->scale, opacity = light ? 0.08 : 0.16;
    CanvasRect frame = snap_to_pixels(canvas, map->place.frame);
    if (grid.height >= LEAST)
        for (int i = 1; i < map->cells.values.rows; i++) {
            double y = canvas_crisp(canvas, grid.y + i * grid.height);
            canvas_tint(canvas, frame.x, y, frame.width, thin, color, opacity);
        }
    if (grid.width >= LEAST)
        for (int j = 1; j < map->cells.values.cols; j++) {
            double x = canvas_crisp(canvas, grid.x + j * grid.width);
            canvas_tint(canvas, x, frame.y, thin, frame.height, color, opacity);
        }
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// 0.5 is written as 0 (round half to even).
static bool rounds_to_0(double value, int decimals)
{
    double least = 0.5;
    for (int k = 0; k < decimals; k++) least /= 10;
    return fabs(value) < least || (decimals == 0 && fabs(value) == 0.5);
}

const char *map_number(Arena *arena, double value, int decimals)
{
    return ticks_text(arena, rounds_to_0(value, decimals) ? 0 : value, decimals);
}

CanvasText map_number_style(double size)
{
    return (CanvasText){ .size = size, .face = CANVAS_MONO, .color = COLOR_QUIET };
}

static bool has_number(const MapCells *cells, int i, int j, int decimals, bool zeros)
{
    return is_shown(cells, i, j) && (zeros || !rounds_to_0((double)*mat_ref(cells->values, i, j), decimals));
}

double map_widest_number(Arena *arena, const MapCells *cells, int decimals, bool zeros)
{
    double widest = 0;
    for (int i = 0; i < cells->values.rows; i++)
        for (int j = 0; j < cells->values.cols; j++) {
            if (!has_number(cells, i, j, decimals, zeros)) continue;
            ArenaMark mark = arena_mark(arena);
            const char *text = map_number(arena, (double)*mat_ref(cells->values, i, j), decimals);
            widest = fmax(widest, canvas_text_width(map_number_style(1), text));
            arena_release(arena, mark);
        }
    return widest;
}

static void draw_number(Canvas *canvas, const Map *map, CanvasRect at, double value)
{
    CanvasText style = map_number_style(map->number_size);
    Color ground = ramp_color(&map->ramp, value);
    style.anchor = CANVAS_AT_MIDDLE;
    style.color = color_over(ground);
    bool stands_back = !map->zeros_count && rounds_to_0(value, map->decimals);
    if (stands_back) style.color = color_text(color_mix(ground, style.color, 0.5), ground);
    const char *text = map_number(canvas->arena, value, map->decimals);
    canvas_text(canvas, at.x + at.width / 2, at.y + at.height / 2 + 0.365 * style.size, style, text);
}

static void draw_numbers(Canvas *canvas, const Map *map, CanvasRect grid)
{
    for (int i = 0; i < map->cells.values.rows; i++)
        for (int j = 0; j < map->cells.values.cols; j++) {
            if (!has_number(&map->cells, i, j, map->decimals, map->zeros)) continue;
            draw_number(canvas, map, cells_at(canvas, grid, i, j, 1), (double)*mat_ref(map->cells.values, i, j));
        }
}

// ---- frames ---------------------------------------------------------------------------------------------------------

// Around tiny cells it is a ring.
static void draw_mark(Canvas *canvas, const Map *map)
{
    enum { LEAST = 7 };
    const MapPlace *m = &map->place;
    MapMark mark = map->mark;
    if (mark.rows < 1) return;
    CanvasRect at = { m->frame.x + (mark.col - m->col) * m->cell_width,
                      m->frame.y + (mark.row - m->row) * m->cell_height, mark.cols * m->cell_width,
                      mark.rows * m->cell_height };
    double wider = fmax(0, LEAST - at.width), higher = fmax(0, LEAST - at.height);
    at = snap_to_pixels(canvas,
                        (CanvasRect){ at.x - wider / 2, at.y - higher / 2, at.width + wider, at.height + higher });
    CanvasRect f = m->frame;
    CanvasBox whole = canvas_clip(canvas, f.x - 4, f.y - 4, f.width + 8, f.height + 8);
    canvas_frame(canvas, at.x - 1, at.y - 1, at.width + 2, at.height + 2, 2, mark.color);
    canvas_frame(canvas, at.x - 2, at.y - 2, at.width + 4, at.height + 4, 1, COLOR_PAPER);
    canvas_unclip(canvas, whole);
}

// A border around the map, if its lightest colour is the paper.
static void draw_border(Canvas *canvas, const Map *map)
{
    CanvasRect at = snap_to_pixels(canvas, map->place.frame);
    bool seen = at.width > 0 && at.height > 0;
    if (seen && map->ramp.colors == COLOR_DIVERGING)
        canvas_frame(canvas, at.x - 1, at.y - 1, at.width + 2, at.height + 2, 1, COLOR_RULE);
}

// ---- labels ---------------------------------------------------------------------------------------------------------

// Steps are 1, 2, 5, 10, 20, 50, … for positions, and 1, 2, 4, 8, … for words.
int map_label_step(const MapLabels *labels, double cell, double least)
{
    enum { MOST = 1 << 27 };
    int step = 1;
    for (int k = 0; step * cell < least; k++) {
        if (step >= MOST) break;
        step = !labels->words && k % 3 == 1 ? step / 2 * 5 : step * 2;
    }
    return step;
}

bool map_label_shown(const MapLabels *labels, int i)
{
    int mark = labels->mark - 1;
    if (!(labels->size > 0)) return false;
    if (i == mark) return true;
    bool near = mark >= 0 && i > mark - labels->step && i < mark + labels->step;
    return i % labels->step == 0 && !near;
}

CanvasText map_label_style(const MapLabels *labels, int i)
{
    if (i == labels->mark - 1)
        return (CanvasText){ .size = labels->size, .face = CANVAS_SANS_BOLD, .color = labels->mark_color };
    return (CanvasText){ .size = labels->size,
                         .color = labels->found && labels->found[i] ? labels->found_color : COLOR_INK };
}

const char *map_label(Arena *arena, const MapLabels *labels, int i)
{
    const char *word = labels->words ? labels->words[i] : NULL;
    if (i == labels->mark - 1 && labels->marked) word = labels->marked;
    if (!word && !labels->words) return arena_format(arena, "%d", i);
    return canvas_text_fit(arena, map_label_style(labels, i), word ? word : "", labels->most);
}

static void draw_row_labels(Canvas *canvas, const Map *map)
{
    const MapPlace *m = &map->place;
    int first = (int)fmax(0, ceil(m->row - 0.5));
    for (int i = first; i < m->rows; i++) {
        double y = m->frame.y + (i + 0.5 - m->row) * m->cell_height;
        if (y > m->frame.y + m->frame.height) break;
        if (!map_label_shown(&map->rows, i)) continue;
        CanvasText style = map_label_style(&map->rows, i);
        style.anchor = CANVAS_AT_END;
        const char *text = map_label(canvas->arena, &map->rows, i);
        canvas_text(canvas, m->frame.x - MAP_GAP, y + 0.35 * style.size, style, text);
    }
}

// A rotated label starts over the middle of its cells.
static void draw_col_labels(Canvas *canvas, const Map *map)
{
    const MapPlace *m = &map->place;
    int first = (int)fmax(0, ceil(m->col - 0.5));
    for (int j = first; j < m->cols; j++) {
        double x = m->frame.x + (j + 0.5 - m->col) * m->cell_width, y = m->frame.y - MAP_GAP;
        if (x > m->frame.x + m->frame.width) break;
        if (!map_label_shown(&map->cols, j)) continue;
        CanvasText style = map_label_style(&map->cols, j);
        const char *text = map_label(canvas->arena, &map->cols, j);
        if (map->cols.turned) {
            style.angle = MAP_SLANT;
            x += 0.3 * style.size * MAP_SINE;
            y += 0.3 * style.size * MAP_COSINE;
        } else style.anchor = CANVAS_AT_MIDDLE;
        canvas_text(canvas, x, y, style, text);
    }
}

// ---- all ------------------------------------------------------------------------------------------------------------

// Do opaque cells cover the whole clip?
static bool covers(const Canvas *canvas, const Map *map, CanvasRect grid)
{
    const CanvasBox *clip = &canvas->clip;
    CanvasRect all = snap_to_pixels(canvas, (CanvasRect){ grid.x, grid.y, grid.width * map->cells.values.cols,
                                                          grid.height * map->cells.values.rows });
    double x = clip->x / canvas->scale, y = clip->y / canvas->scale;
    return all.x <= x && all.y <= y && all.x + all.width >= x + clip->width / canvas->scale &&
           all.y + all.height >= y + clip->height / canvas->scale;
}

// Everything inside the frame except numbers.
static void draw_inside(Canvas *canvas, const Map *map, CanvasRect grid)
{
    bool numbers = map->number_size > 0;
    MapKept *kept = numbers || !covers(canvas, map, grid) ? NULL : map->kept;
    if (kept && map_kept_paint(kept, canvas, map)) return;
    draw_cells(canvas, map, grid);
    if (!map->plain) draw_kind(canvas, map, grid, MAP_MASKED);
    if (!map->plain) draw_kind(canvas, map, grid, MAP_ABSENT);
    if (!numbers && grid.width >= 5 && grid.height >= 5) draw_nan(canvas, map, grid);
    if (!map->plain) draw_rules(canvas, map, grid);
    if (kept) map_kept_take(kept, canvas, map);
}

void map_draw(Canvas *canvas, const Map *map)
{
    CanvasRect f = map->place.frame, grid = grid_of(map);
    CanvasBox whole = canvas_clip(canvas, f.x, f.y, f.width, f.height);
    draw_inside(canvas, map, grid);
    if (map->number_size > 0) draw_numbers(canvas, map, grid);
    canvas_unclip(canvas, whole);
    draw_border(canvas, map);
    draw_mark(canvas, map);
    draw_row_labels(canvas, map);
    draw_col_labels(canvas, map);
}

// ---- the legend -----------------------------------------------------------------------------------------------------

MapLegend map_legend(const MapCells *cells, const char *masked)
{
    MapLegend legend = { .masked = NULL };
    bool found[MAP_ABSENT + 1] = { false }, nan = false;
    for (int i = 0; i < cells->kind.rows; i++) {
        const float *kinds = mat_row(cells->kind, i), *values = mat_row(cells->values, i);
        float last = -1;
        for (int j = 0; j < cells->kind.cols; j++) { // equal kinds are mostly adjacent
            if (kinds[j] != last) found[(int)(last = kinds[j])] = true;
            nan |= (values[j] != values[j]) & (last == MAP_SHOWN);
        }
    }
    legend.nan = nan;
    legend.left_out = found[MAP_LEFT_OUT];
    legend.absent = found[MAP_ABSENT];
    if (found[MAP_MASKED]) legend.masked = masked;
    return legend;
}

enum { SWATCH = 12, SWATCHES = 6 };

// The text of swatch k; NULL: absent.
static const char *swatch_name(const MapLegend *legend, int k)
{
    const char *const names[SWATCHES] = { legend->names[0],
                                          legend->names[1],
                                          legend->masked,
                                          legend->left_out ? "left out" : NULL,
                                          legend->nan ? "NaN" : NULL,
                                          legend->absent ? "not there" : NULL };
    return names[k];
}

int map_legend_count(const MapLegend *legend)
{
    int count = 0;
    for (int k = 0; k < SWATCHES; k++) count += swatch_name(legend, k) != NULL;
    return count;
}

static CanvasText swatch_style(void) { return (CanvasText){ .size = 11, .color = COLOR_QUIET }; }

static double swatch_width(const char *name) { return SWATCH + 6 + canvas_text_width(swatch_style(), name) + 16; }

double map_legend_room(const MapLegend *legend)
{
    double width = 0;
    for (int k = 0; k < SWATCHES; k++)
        if (swatch_name(legend, k)) width += swatch_width(swatch_name(legend, k));
    return width;
}

static void draw_swatch(Canvas *canvas, const MapLegend *legend, int k, double x, double y)
{
    const Color colors[SWATCHES] = { legend->colors[0], legend->colors[1], plain_masked_color(),
                                     COLOR_RULE,        COLOR_MARK,        COLOR_PAPER };
    CanvasRect at = snap_to_pixels(canvas, (CanvasRect){ x, y, SWATCH, SWATCH });
    if (k == 2 && !legend->plain) canvas_hatch(canvas, at.x, at.y, at.width, at.height);
    else canvas_rect(canvas, at.x, at.y, at.width, at.height, colors[k]);
    if (k == 4) stroke_nan(canvas, at);
    if (k == 5) hatch_absent(canvas, at);
    if (k == 5) canvas_frame(canvas, at.x, at.y, at.width, at.height, 1, COLOR_RULE);
    canvas_text(canvas, at.x + SWATCH + 6, at.y + 10, swatch_style(), swatch_name(legend, k));
}

void map_legend_draw(Canvas *canvas, const MapLegend *legend, double x, double y, bool horizontal)
{
    for (int k = 0; k < SWATCHES; k++) {
        if (!swatch_name(legend, k)) continue;
        draw_swatch(canvas, legend, k, x, y);
        if (horizontal) x += swatch_width(swatch_name(legend, k));
        else y += MAP_LINE;
    }
}
