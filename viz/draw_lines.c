// Lines: query words on the left, key words on the right, a curve from one to the other as dark as its weight.
#include "viz/parts.h"

#include <math.h>

typedef struct { const Layout *layout; double left, right, most, size; int first, rows, all; } Columns;

static Columns columns_of(const State *state, const Layout *layout)
{
    enum { WIDEST = 720 };
    Rect box = layout->lines;
    Columns c = { .layout = layout, .size = layout->room.word, .first = layout->line_first,
                  .rows = layout->line_count };
    double width = fmin(box.width - 2 * layout->room.words_left, WIDEST);
    c.left = box.x + (box.width - width) / 2;
    c.right = c.left + width;
    c.most = layout->room.left;
    c.all = state->document->T > state->document->S ? state->document->T : state->document->S;
    return c;
}

static double y_of(const Columns *c, int i) { return c->layout->lines.y + (i - c->first + 0.5) * c->layout->line_step; }
static bool inside(const Columns *c, int i) { return i >= c->first && i < c->first + c->rows; }

static void draw_curve(Canvas *canvas, const State *state, const Columns *c, int i, int j, double weight, bool strong)
{
    double ya = y_of(c, i), yb = y_of(c, j), bend = (c->right - c->left) * 0.4;
    const double xy[8] = { c->left, ya, c->left + bend, ya, c->right - bend, yb, c->right, yb };
    Color color = strong ? (state->pinned.row >= 0 ? MARK : ACCENT) : ACCENT;
    canvas_curve(canvas, xy, 0.6 + 4 * weight, color_mix(PAPER, color, fmin(1, 0.12 + 0.88 * weight)));
}

// Light ones first, so that heavy ones lie on top. Below a hundredth nothing is drawn. A line to a key that is not in
// sight leaves the picture at its edge. Keys that are left out get none.
static void draw_weights(Canvas *canvas, const State *state, const Columns *c, int only)
{
    const Document *d = state->document;
    static const double bounds[] = { 0.01, 0.1, 0.3, 0.6, INFINITY };
    ArenaMark mark = arena_mark(canvas->arena);
    Mat row = mat_new(canvas->arena, 1, d->S);
    for (int pass = 0; pass < 4; pass++)
        for (int i = 0; i < d->T; i++) {
            if (!inside(c, i) || (only >= 0 && i != only)) continue;
            field_read(row, document_maps(d), state->layer, state->head, i, 0);
            for (int j = state->hide; j < d->S; j++) {
                double weight = (double)*mat_ref(row, 0, j);
                if (!(weight >= bounds[pass] && weight < bounds[pass + 1])) continue;
                draw_curve(canvas, state, c, i, j, fmin(weight, 1), only >= 0);
            }
        }
    arena_release(canvas->arena, mark);
}

static void draw_words(Canvas *canvas, const State *state, const Columns *c, int marked)
{
    const Document *d = state->document;
    Arena *arena = canvas->arena;
    Color strong = state->pinned.row >= 0 ? MARK : ACCENT;
    int end = c->first + c->rows < c->all ? c->first + c->rows : c->all;
    for (int i = c->first; i < end; i++) {
        double y = y_of(c, i) + 0.35 * c->size;
        Text query = { .size = c->size, .color = INK, .anchor = AT_END }, key = { .size = c->size, .color = INK };
        if (i < d->T && find_query(&state->find, d, i)) query.color = color_text(SERIES[1], PAPER);
        if (i < d->S && find_key(&state->find, d, i)) key.color = color_text(SERIES[1], PAPER);
        if (i == marked) {
            query.face = SANS_BOLD;
            query.color = strong;
        }
        if (i < d->T)
            canvas_text(canvas, c->left - 8, y, query, text_fit(arena, query, document_query(arena, d, i), c->most));
        if (i >= d->S) continue;
        double weight = marked >= 0 ? (double)field_at(document_maps(d), state->layer, state->head, marked, i) : 0;
        if (i < state->hide) key.color = QUIET;      // left out
        else if (weight >= 0.1) {
            key.face = SANS_BOLD;
            key.color = strong;
        }
        canvas_text(canvas, c->right + 8, y, key, text_fit(arena, key, document_key(arena, d, i), c->most));
    }
}

// Over and under the lines: which column is which, and how many words are out of sight.
static void draw_titles(Canvas *canvas, const Columns *c)
{
    Rect box = c->layout->lines;
    double y = box.y - 28, middle = (c->left + c->right) / 2;
    bool whole = text_width((Text){ .size = 12 }, "query (attends from)") <= c->left - 8 - box.x;
    int below = c->all - c->first - c->rows;
    draw_text(canvas, c->left - 8, y, SANS, 12, QUIET, AT_END, whole ? "query (attends from)" : "query");
    draw_text(canvas, c->right + 8, y, SANS, 12, QUIET, AT_START, whole ? "key (attended to)" : "key");
    const char *over = arena_format(canvas->arena, "↑ %d more", c->first);
    const char *under = arena_format(canvas->arena, "↓ %d more", below);
    if (c->first > 0) draw_text(canvas, middle, box.y - 8, SANS, 12, QUIET, AT_MIDDLE, over);
    if (below > 0) draw_text(canvas, middle, box.y + box.height + 16, SANS, 12, QUIET, AT_MIDDLE, under);
}

void draw_lines(Canvas *canvas, const View *view, const Layout *layout)
{
    const State *state = view->state;
    Columns c = columns_of(state, layout);
    int marked = state_cell(state).row;
    if (!inside(&c, marked)) marked = -1;
    Box all = canvas_clip(canvas, c.left - 2, layout->lines.y, c.right - c.left + 4, layout->lines.height);
    draw_weights(canvas, state, &c, marked);
    canvas_unclip(canvas, all);
    draw_words(canvas, state, &c, marked);
    if (layout->lines.y > layout->body.y) draw_titles(canvas, &c);
}
