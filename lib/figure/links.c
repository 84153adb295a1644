// Draws attention weights as lines between two columns of words.
#include "figure/links.h"

#include "base/portable_math.h"

static const double MARGIN = 24, LINE = 25, PANEL = 350, COLUMN = 130, APART = 50, HEAD = 58, FOOT = 36, THICKEST = 15;

typedef struct {
    Canvas *canvas;
    Arena *arena;
    const Links *links;
    double left, top; // of the panel
} Panel;

static double line_y(const Panel *panel, int word) { return panel->top + HEAD + LINE * word; }

static CanvasText word_style(bool marked, CanvasAnchor anchor)
{
    return (CanvasText){ .size = 13,
                         .face = marked ? CANVAS_SANS_BOLD : CANVAS_SANS,
                         .color = marked ? COLOR_MARK : COLOR_INK,
                         .anchor = anchor };
}

static CanvasText value_style(CanvasAnchor anchor)
{
    return (CanvasText){ .size = 11, .face = CANVAS_MONO, .color = COLOR_MARK, .anchor = anchor };
}

// A column of words, each with its weight if this column is the far end of the lines.
static void draw_column(const Panel *panel, bool of_keys)
{
    const Links *links = panel->links;
    int count = of_keys ? links->weights.cols : links->weights.rows, marked = of_keys ? links->col : links->row;
    bool far_end = of_keys ? links->row > 0 : links->row == 0 && links->col > 0;
    const char *const *words = of_keys ? links->keys : links->queries;
    double x = panel->left + (of_keys ? PANEL - COLUMN : COLUMN), outwards = of_keys ? 1 : -1;
    CanvasAnchor anchor = of_keys ? CANVAS_AT_START : CANVAS_AT_END;
    canvas_text(panel->canvas, x + 8 * outwards, panel->top + HEAD - 28,
                (CanvasText){ .size = 12, .color = COLOR_QUIET, .anchor = anchor }, of_keys ? "is asked" : "asks");
    for (int i = 0; i < count; i++) {
        CanvasText style = word_style(i == marked - 1, anchor);
        const char *word = canvas_text_fit(panel->arena, style, words[i], COLUMN - 60);
        canvas_text(panel->canvas, x + 8 * outwards, line_y(panel, i) + 4.5, style, word);
        if (!far_end) continue;
        double weight = (double)(of_keys ? *mat_ref(links->weights, links->row - 1, i)
                                         : *mat_ref(links->weights, i, links->col - 1));
        canvas_text(panel->canvas, panel->left + (of_keys ? PANEL - 12 : 12), line_y(panel, i) + 4,
                    value_style(of_keys ? CANVAS_AT_END : CANVAS_AT_START), arena_format(panel->arena, "%.2f", weight));
    }
}

static void draw_line(const Panel *panel, int query, int key)
{
    double weight = (double)*mat_ref(panel->links->weights, query, key);
    if (!(weight > 0) || !isfinite(weight)) return;
    double x0 = panel->left + COLUMN, x1 = panel->left + PANEL - COLUMN, bend = 0.4 * (x1 - x0);
    double y0 = line_y(panel, query), y1 = line_y(panel, key), share = fmin(weight, 1);
    double thick = 0.7 + THICKEST * share, across = 7 + 1.1 * thick, neck = x1 - 0.8 * across;
    Color color = color_mix(COLOR_PAPER, COLOR_MARK, 0.3 + 0.7 * sqrt(share));
    canvas_curve(panel->canvas, (double[]){ x0, y0, x0 + bend, y0, neck - bend, y1, neck, y1 }, thick, color);
    canvas_polygon(panel->canvas, (double[]){ x1, y1, neck, y1 - across / 2, neck, y1 + across / 2 }, 3, color);
}

// Draws the lines of the panel, the weakest first, and returns the sum of their weights.
static double draw_lines(const Panel *panel)
{
    const Links *links = panel->links;
    bool leaving = links->row > 0;
    int count = leaving ? links->weights.cols : links->col > 0 ? links->weights.rows : 0;
    double sum = 0;
    int *order = arena_alloc(panel->arena, (size_t)(count + 1) * sizeof *order);
    for (int i = 0; i < count; i++) {
        int query = leaving ? links->row - 1 : i, key = leaving ? i : links->col - 1, at = i;
        float weight = *mat_ref(links->weights, query, key);
        sum += (double)weight;
        for (; at > 0; at--) {
            int before = order[at - 1];
            if (!(*mat_ref(links->weights, leaving ? query : before, leaving ? before : key) > weight)) break;
            order[at] = before;
        }
        order[at] = i;
    }
    for (int k = 0; k < count; k++)
        draw_line(panel, leaving ? links->row - 1 : order[k], leaving ? order[k] : links->col - 1);
    return sum;
}

static void draw_panel(const Panel *panel, double bottom)
{
    const Links *links = panel->links;
    if (links->title)
        canvas_text(panel->canvas, panel->left + PANEL / 2, panel->top,
                    (CanvasText){ .size = 13, .color = COLOR_INK, .anchor = CANVAS_AT_MIDDLE }, links->title);
    double sum = draw_lines(panel);
    draw_column(panel, false);
    draw_column(panel, true);
    if (links->row == 0 && links->col == 0) return;
    bool leaving = links->row > 0;
    canvas_text(panel->canvas, panel->left + (leaving ? PANEL - 12 : 12), bottom,
                value_style(leaving ? CANVAS_AT_END : CANVAS_AT_START),
                arena_format(panel->arena, leaving ? "sum %.2f" : "%.2f sum", sum));
}

Canvas *links_draw(Arena *arena, const char *title, const Links *panels, int count, RenderTarget paper)
{
    int lines = 0;
    for (int p = 0; p < count; p++) {
        int rows = panels[p].weights.rows, cols = panels[p].weights.cols;
        REQUIRE(0 <= panels[p].row && panels[p].row <= rows && 0 <= panels[p].col && panels[p].col <= cols,
                "row %d, column %d of weights " MAT_SHAPE, panels[p].row, panels[p].col, rows, cols);
        lines = rows > lines ? rows : lines;
        lines = cols > lines ? cols : lines;
    }
    double top = MARGIN + (title ? 15 + 20 : 6), bottom = top + HEAD + LINE * lines;
    double width = 2 * MARGIN + (PANEL + APART) * (count > 0 ? count : 1) - APART;
    Canvas *canvas = canvas_new(arena, width, ceil(bottom + FOOT), paper.scale);
    canvas_record(canvas, paper.record);
    if (title)
        canvas_text(canvas, MARGIN, MARGIN + 13,
                    (CanvasText){ .size = 15, .face = CANVAS_SANS_BOLD, .color = COLOR_INK }, title);
    for (int p = 0; p < count; p++) {
        Panel panel = { canvas, arena, &panels[p], MARGIN + (PANEL + APART) * p, top + 13 };
        draw_panel(&panel, bottom + 13);
    }
    return canvas;
}
