// One map on the canvas: its cells, numbers and words.
#include "viz/map.h"

#include "figure/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void write_at(Canvas *canvas, double x, double y, Face face, double size, Color color, Anchor anchor, const char *text)
{
    canvas_text(canvas, x, y, (Text){ .size = size, .face = face, .color = color, .anchor = anchor }, text);
}

const char *number_text(Arena *arena, double value, int decimals)
{
    double least = 0.5;
    for (int k = 0; k < decimals; k++) least /= 10;
    return ticks_text(arena, fabs(value) < least ? 0 : value, decimals);
}

// ---- cells ----------------------------------------------------------------------------------------------------------

typedef struct { double x, y, width, height; } Grid;           // of the drawn cells: the first one's corner, their size

static Grid grid_of(const MapPicture *p)
{
    const MapPlace *m = &p->place;
    return (Grid){
        m->frame.x + (p->seen.first_col * m->fold_cols - m->col) * m->cell_width,
        m->frame.y + (p->seen.first_row * m->fold_rows - m->row) * m->cell_height,
        m->fold_cols * m->cell_width, m->fold_rows * m->cell_height,
    };
}

// "times uniform": the values as they are coloured. Folded weights are sums over keys, of which one counts.
static Mat times_uniform(Arena *arena, const State *state, const MapPicture *p)
{
    Mat out = mat_new(arena, p->seen.values.rows, p->seen.values.cols);
    for (int i = 0; i < out.rows; i++) {
        int row = (p->seen.first_row + i) * p->place.fold_rows;
        double allowed = document_allowed(p->document, state->layer, state->head, row);
        double times = allowed / (state->largest ? 1 : p->place.fold_cols);
        const float *values = mat_row(p->seen.values, i);
        for (int j = 0; j < out.cols; j++) *mat_ref(out, i, j) = (float)((double)values[j] * times);
    }
    return out;
}

static void draw_cells(Canvas *canvas, const MapPicture *p, Grid grid)
{
    int rows = p->seen.values.rows, cols = p->seen.values.cols;
    ArenaMark mark = arena_mark(canvas->arena);
    Color *colors = arena_alloc(canvas->arena, ((size_t)rows * (size_t)cols + 1) * sizeof *colors);
    for (int i = 0; i < rows; i++) {
        const float *values = mat_row(p->seen.values, i), *kinds = mat_row(p->seen.kind, i);
        Color *row = colors + (size_t)i * (size_t)cols;
        for (int j = 0; j < cols; j++) row[j] = kinds[j] == SHOWN ? ramp_color(&p->ramp, (double)values[j]) : PAPER;
    }
    canvas_cells(canvas, grid.x, grid.y, grid.width, grid.height, rows, cols, colors);
    arena_release(canvas->arena, mark);
}

// Runs of hatched cells in a row are hatched at once. What is left out is plain.
static void draw_hidden(Canvas *canvas, const MapPicture *p, Grid grid)
{
    for (int i = 0; i < p->seen.kind.rows; i++)
        for (int j = 0, to; j < p->seen.kind.cols; j = to) {
            float kind = *mat_ref(p->seen.kind, i, j);
            for (to = j + 1; to < p->seen.kind.cols && *mat_ref(p->seen.kind, i, to) == kind; to++) continue;
            double x = grid.x + j * grid.width, y = grid.y + i * grid.height, width = (to - j) * grid.width;
            if (kind == MASKED) canvas_hatch(canvas, x, y, width, grid.height);
            if (kind == LEFT_OUT) canvas_rect(canvas, x, y, width, grid.height, RULE);
        }
}

// Thin lines between cells, on whole pixels.
static void draw_rules(Canvas *canvas, const MapPicture *p, Grid grid)
{
    enum { LEAST = 9 };
    bool light = p->ramp.colors == DIVERGING;
    Color color = light ? INK : PAPER;
    double scale = canvas->scale, thin = fmax(1, floor(scale)) / scale, opacity = light ? 0.08 : 0.16;
    Rect f = p->place.frame;
    for (int i = 1; i < p->seen.values.rows && grid.height >= LEAST; i++) {
        double y = floor((grid.y + i * grid.height) * scale + 0.5) / scale;
        canvas_tint(canvas, f.x, y, f.width, thin, color, opacity);
    }
    for (int j = 1; j < p->seen.values.cols && grid.width >= LEAST; j++) {
        double x = floor((grid.x + j * grid.width) * scale + 0.5) / scale;
        canvas_tint(canvas, x, f.y, thin, f.height, color, opacity);
    }
}

static bool is_zero(const char *text) { return strspn(text, "0.−") == strlen(text); }

// The widest number that would be written, in points at size 1.
static double widest_number(Canvas *canvas, const MapPicture *p, int decimals)
{
    double widest = 0;
    for (int i = 0; i < p->seen.values.rows; i++)
        for (int j = 0; j < p->seen.values.cols; j++) {
            if (*mat_ref(p->seen.kind, i, j) != SHOWN) continue;
            ArenaMark mark = arena_mark(canvas->arena);
            const char *text = number_text(canvas->arena, (double)*mat_ref(p->seen.values, i, j), decimals);
            if (!is_zero(text)) widest = fmax(widest, text_width((Text){ .size = 1, .face = MONO }, text));
            arena_release(canvas->arena, mark);
        }
    return widest;
}

static void draw_number(Canvas *canvas, const MapPicture *p, Grid grid, int i, int j, double size, int decimals)
{
    double value = (double)*mat_ref(p->seen.values, i, j);
    if (*mat_ref(p->seen.kind, i, j) != SHOWN) return;
    char text[32];
    ArenaMark mark = arena_mark(canvas->arena);
    snprintf(text, sizeof text, "%s", number_text(canvas->arena, value, decimals));
    arena_release(canvas->arena, mark);              // before canvas_text, which remembers where text stands
    Text style = { .size = size, .face = MONO, .anchor = AT_MIDDLE, .color = color_over(ramp_color(&p->ramp, value)) };
    double x = grid.x + (j + 0.5) * grid.width, y = grid.y + (i + 0.5) * grid.height + 0.365 * size;
    if (!is_zero(text)) canvas_text(canvas, x, y, style, text);
}

// All numbers are written with as many decimals as fit for the widest, if need be small ones, or none are. What is
// written as 0 is left out.
static void draw_numbers(Canvas *canvas, const MapPicture *p, Grid grid)
{
    const double small = 9.5;
    double size = grid.width >= 60 ? 14 : grid.width >= 44 ? 12 : grid.width >= 34 ? 11 : small;
    int decimals = p->decimals;
    for (; decimals >= 0; decimals--) {
        double fitting = (grid.width - 3) / fmax(widest_number(canvas, p, decimals), 1e-9);
        if (fitting >= small) { size = fmin(size, fitting); break; }
    }
    if (decimals < 0 || size * 1.3 > grid.height) return;
    for (int i = 0; i < p->seen.values.rows; i++)
        for (int j = 0; j < p->seen.values.cols; j++) draw_number(canvas, p, grid, i, j, size, decimals);
}

// A frame around a block of cells, whole pixels. Around a cell that is hardly seen it is a ring.
static void draw_frame(Canvas *canvas, const MapPlace *m, Rect cells, Color color)
{
    enum { LEAST = 7 };
    double pixel = 1 / canvas->scale;
    double x = m->frame.x + (cells.x - m->col) * m->cell_width, y = m->frame.y + (cells.y - m->row) * m->cell_height;
    double width = cells.width * m->cell_width, height = cells.height * m->cell_height;
    if (width < LEAST) x -= (LEAST - width) / 2, width = LEAST;
    if (height < LEAST) y -= (LEAST - height) / 2, height = LEAST;
    x = floor(x / pixel + 0.5) * pixel, y = floor(y / pixel + 0.5) * pixel;
    width = floor(width / pixel + 0.5) * pixel, height = floor(height / pixel + 0.5) * pixel;
    canvas_frame(canvas, x - 1, y - 1, width + 2, height + 2, 2, color);
}

// ---- words ----------------------------------------------------------------------------------------------------------

// Every step-th label is shown: 1, 2, 5, 10, 20, 50, …
static int label_step(double cell, double least)
{
    int step = 1;
    for (int k = 0; step * cell < least && k < 30; k++) step = k % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

// The labels of one axis: each word, every second one, or positions where words would be too far apart for a sentence.
typedef struct { double size; int step; bool words, turned; } Labels;

static double digits_width(double size, int count)
{
    double digits = count > 1 ? floor(log10(count - 1)) + 1 : 1;
    return digits * text_width((Text){ .size = size, .face = SANS_BOLD }, "0") + 0.8 * size;
}

static Labels row_labels(const MapPicture *p)
{
    const MapPlace *m = &p->place;
    Labels l = { .size = fmin(m->word, fmax(11, m->cell_height * 0.8)) };
    l.step = label_step(m->cell_height, 1.2 * l.size);
    l.words = p->document->queries && l.step <= 2;
    return l;
}

static Labels col_labels(const MapPicture *p)
{
    const MapPlace *m = &p->place;
    Labels l = { .size = fmin(m->word, fmax(11, m->cell_width * 0.8)), .turned = m->turned };
    l.step = label_step(m->cell_width, m->turned ? 1.15 * l.size / WORD_SINE : 0);
    l.words = p->keys && p->document->keys && l.step <= 2;
    if (l.words) return l;
    l.turned = false;
    l.step = label_step(m->cell_width, digits_width(l.size, m->cols));
    return l;
}

static const char *label_of(Canvas *canvas, const char *const *words, int i, Text style, double most)
{
    return words ? text_fit(canvas->arena, style, words[i], most) : arena_format(canvas->arena, "%d", i);
}

static bool is_near(int i, int mark, int step) { return mark >= 0 && i != mark && i > mark - step && i < mark + step; }

static Text label_style(const MapPicture *p, bool marked, double size)
{
    Color color = marked && p->pinned ? MARK : marked ? ACCENT : INK;
    return (Text){ .size = size, .face = marked ? SANS_BOLD : SANS, .color = color };
}

static void draw_row_words(Canvas *canvas, const MapPicture *p, Labels l)
{
    const MapPlace *m = &p->place;
    int first = (int)ceil(m->row - 0.5), mark = p->mark.row;
    for (int i = first < 0 ? 0 : first; i < m->rows; i++) {
        double y = m->frame.y + (i + 0.5 - m->row) * m->cell_height;
        if (y > m->frame.y + m->frame.height) break;
        if (i != mark && (i % l.step || is_near(i, mark, l.step))) continue;
        Text style = label_style(p, i == mark, l.size);
        style.anchor = AT_END;
        const char *const *words = l.words || i == mark ? p->document->queries : NULL;
        canvas_text(canvas, m->frame.x - MAP_GAP, y + 0.35 * l.size, style, label_of(canvas, words, i, style, m->left));
    }
}

static void draw_col_words(Canvas *canvas, const MapPicture *p, Labels l)
{
    const MapPlace *m = &p->place;
    int first = (int)ceil(m->col - 0.5), mark = p->mark.col;
    for (int j = first < 0 ? 0 : first; j < m->cols; j++) {
        double x = m->frame.x + (j + 0.5 - m->col) * m->cell_width, y = m->frame.y - MAP_GAP;
        if (x > m->frame.x + m->frame.width) break;
        if (j != mark && (j % l.step || is_near(j, mark, l.step))) continue;
        Text style = label_style(p, j == mark, l.size);
        if (l.turned) x += 0.3 * l.size * WORD_SINE, y += 0.3 * l.size * WORD_COSINE, style.angle = 55;
        else style.anchor = AT_MIDDLE;
        canvas_text(canvas, x, y, style, label_of(canvas, l.words ? p->document->keys : NULL, j, style, m->above));
    }
}

// Where both axes count positions in cells of one size, they count alike.
static void draw_words(Canvas *canvas, const MapPicture *p)
{
    Labels rows = row_labels(p), cols = col_labels(p);
    bool alike = !rows.words && !cols.words && p->place.cell_width == p->place.cell_height;
    if (alike) rows.step = cols.step = rows.step > cols.step ? rows.step : cols.step;
    if (p->row_words) draw_row_words(canvas, p, rows);
    draw_col_words(canvas, p, cols);
}

static void draw_axis_titles(Canvas *canvas, const MapPicture *p)
{
    const MapPlace *m = &p->place;
    double middle = m->frame.x + m->frame.width / 2, y = m->frame.y - m->words_above - 10;
    Text bold = { .size = 13, .face = SANS_BOLD, .color = INK, .anchor = AT_MIDDLE };
    Text style = { .size = 12, .color = QUIET, .anchor = AT_MIDDLE };
    if (p->title) canvas_text(canvas, middle, y, bold, text_fit(canvas->arena, bold, p->title, m->frame.width + 8));
    else canvas_text(canvas, middle, y, style, p->keys ? "key (attended to) →" : "column →");
    if (!p->row_words) return;
    style.angle = 90;
    const char *rows = "← query (attends from)";
    if (text_width(style, rows) > m->frame.height + 8) rows = "query";
    if (text_width(style, rows) <= m->frame.height + 8)
        canvas_text(canvas, m->frame.x - m->words_left - 12, m->frame.y + m->frame.height / 2, style, rows);
}

// A bar is as long as the map is high, but no stump.
static void draw_bar(Canvas *canvas, const MapPicture *p)
{
    const MapPlace *m = &p->place;
    Legend legend = legend_of_seen(&p->seen);
    legend.hidden = p->hidden_title;
    int rows = legend.masked + legend.left_out + legend.nan;
    double below = rows ? 20 * rows + 6 : 0, x = floor(m->frame.x + m->frame.width + 16);
    double length = fmax(fmax(m->frame.height, fmin(140, m->room)) - below, 30);
    ramp_draw(canvas, &p->ramp, x, m->frame.y, length);
    legend_draw(canvas, &legend, x, m->frame.y + length + 14, false);
}

// ---- all ------------------------------------------------------------------------------------------------------------

static void draw_map_cells(Canvas *canvas, const MapPicture *p)
{
    const MapPlace *m = &p->place;
    Rect f = m->frame;
    Grid grid = grid_of(p);
    Box whole = canvas_clip(canvas, f.x, f.y, f.width, f.height);
    draw_cells(canvas, p, grid);
    draw_hidden(canvas, p, grid);
    draw_rules(canvas, p, grid);
    if (p->decimals >= 0 && m->fold_cols == 1 && grid.width >= 26 && grid.height >= 12) draw_numbers(canvas, p, grid);
    canvas_unclip(canvas, whole);
    if (p->ramp.colors == DIVERGING) canvas_frame(canvas, f.x - 1, f.y - 1, f.width + 2, f.height + 2, 1, RULE);

    whole = canvas_clip(canvas, f.x - 4, f.y - 4, f.width + 8, f.height + 8);
    if (p->frame.width > 0) draw_frame(canvas, m, p->frame, MARK);
    if (p->mark.row >= 0) draw_frame(canvas, m, (Rect){ p->mark.col, p->mark.row, 1, 1 }, p->pinned ? MARK : ACCENT);
    canvas_unclip(canvas, whole);
}

void map_draw(Canvas *canvas, const State *state, const MapPicture *picture)
{
    MapPicture p = *picture;
    if (p.ramp.kind == RAMP_RATIO) p.seen.values = times_uniform(canvas->arena, state, picture);
    draw_map_cells(canvas, &p);
    if (!(p.place.above > 0)) return;                // a stamp: no words, no titles
    draw_words(canvas, &p);
    draw_axis_titles(canvas, &p);
    if (!p.no_bar) draw_bar(canvas, &p);
}
