// The panel: how the weight of one cell was computed, the largest weights of its row, and statistics of the head. What
// does not fit is omitted, from the bottom.
#include "viz/draw_internal.h"

#include "base/portable_math.h"
#include "figure/ticks.h"

#include <string.h>

typedef struct {
    Canvas *canvas;
    const View *view;
    const State *state;
    CanvasRect at;
    double y;
} Panel;

// Lines: the column of a key is shown, not the row of a query.
static bool by_key(const Panel *p) { return p->state->shown.view == VIEW_LINES && state_by_key(p->state); }

static bool fits(const Panel *p, double height) { return p->y + height <= p->at.y + p->at.height; }

static void heading(Panel *p, const char *text)
{
    p->y += 26;
    draw_text(p->canvas, p->at.x, p->y, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_START, text);
    p->y += 4;
}

static void line(Panel *p, const char *name, const char *value, bool strong)
{
    p->y += 21;
    draw_text(p->canvas, p->at.x, p->y, strong ? CANVAS_SANS_BOLD : CANVAS_SANS, 13, COLOR_INK, CANVAS_AT_START, name);
    draw_text(p->canvas, p->at.x + p->at.width, p->y, CANVAS_MONO, 13, COLOR_INK, CANVAS_AT_END, value);
}

static const char *number(const Panel *p, double value, int decimals)
{
    return map_number(p->canvas->arena, value, decimals);
}

// Small positive values in scientific notation, not as 0: 3.2·10⁻⁷.
static const char *exact(const Panel *p, double value, int decimals)
{
    Arena *arena = p->canvas->arena;
    if (!(value > 0 && value < 0.5 * pow(10, -decimals))) return number(p, value, decimals);
    double power = pow(10, floor(log10(value)));
    return arena_format(arena, "%.1f·%s", value / power, ticks_power_text(arena, power, 10));
}

// ---- the cell -------------------------------------------------------------------------------------------------------

static void cell_title(Panel *p, HeadCell cell)
{
    const State *s = p->state;
    Arena *arena = p->canvas->arena;
    bool pinned = s->selection.pinned.row >= 0,
         masked = document_hidden(s->shown.document, s->shown.layer, s->shown.head, cell.row, cell.col);
    CanvasText style = { .size = 15, .face = CANVAS_SANS_BOLD, .color = pinned ? COLOR_MARK : COLOR_ACCENT };
    const char *both = draw_cell_words(arena, s->shown.document, cell);
    const char *query = document_query(arena, s->shown.document, cell.row);
    const char *key = document_key(arena, s->shown.document, cell.col);
    p->y += 16;
    if (canvas_text_width(style, both) <= p->at.width) canvas_text(p->canvas, p->at.x, p->y, style, both);
    else {
        double arrow = canvas_text_width(style, "→ ");
        canvas_text(p->canvas, p->at.x, p->y, style, canvas_text_fit(arena, style, query, p->at.width));
        p->y += 20;
        canvas_text(p->canvas, p->at.x, p->y, style, "→");
        canvas_text(p->canvas, p->at.x + arrow, p->y, style, canvas_text_fit(arena, style, key, p->at.width - arrow));
    }
    p->y += 20;
    draw_text(p->canvas, p->at.x, p->y, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_START,
              arena_format(arena, "query %d, key %d%s%s", cell.row, cell.col, masked ? ", masked" : "",
                           pinned ? ", pinned" : ""));
}

static void key_title(Panel *p, HeadCell cell)
{
    Arena *arena = p->canvas->arena;
    bool pinned = p->state->selection.pinned.row >= 0;
    CanvasText style = { .size = 15, .face = CANVAS_SANS_BOLD, .color = pinned ? COLOR_MARK : COLOR_ACCENT };
    const char *text =
        arena_format(arena, "who attends to %s", document_key(arena, p->state->shown.document, cell.col));
    p->y += 16;
    canvas_text(p->canvas, p->at.x, p->y, style, canvas_text_fit(arena, style, text, p->at.width));
}

// q · k as a bar for each column; their sum is the first number below.
static void terms(Panel *p, const Explained *e)
{
    double most = 0, height = 56, step = fmin(p->at.width / e->terms, 32), pixel = 1 / p->canvas->scale;
    for (int c = 0; c < e->terms; c++) most = fmax(most, fabs((double)e->q[c] * (double)e->k[c]));
    heading(p, "q · k, term by term");
    double middle = p->y + 6 + height / 2;
    for (int c = 0; c < e->terms; c++) {
        if (!(most > 0)) break;
        double term = (double)e->q[c] * (double)e->k[c], tall = fabs(term) / most * height / 2;
        double x = p->at.x + c * step, width = fmax(step > 3 ? step - fmin(4, step / 4) : step, pixel);
        canvas_rect(p->canvas, x, term > 0 ? middle - tall : middle, width, tall, term > 0 ? COLOR_ACCENT : COLOR_MARK);
    }
    canvas_rect(p->canvas, p->at.x, middle - 0.5, p->at.width, 1, COLOR_RULE);
    p->y += height + 10;
}

static void how(Panel *p, const Explained *e)
{
    Arena *arena = p->canvas->arena;
    if (e->terms) {
        line(p, "q · k", number(p, e->dot, 2), false);
        line(p, arena_format(arena, "÷ √%d", e->terms), number(p, e->scaled, 3), false);
        double cap = p->state->shown.document->cap;
        if (cap > 0) line(p, arena_format(arena, "soft cap ± %g", cap), number(p, e->capped, 3), false);
    }
    if (e->terms && e->added != 0) line(p, e->hidden ? "+ mask" : "+ bias", number(p, e->added, 3), false);
    if (e->from_scores && !e->terms) line(p, "score", number(p, e->capped + e->added, 3), false);
    if (e->from_scores) {
        line(p, arena_format(arena, "− row maximum %s", number(p, e->max, 3)),
             number(p, e->capped + e->added - e->max, 3), false);
        line(p, "exp", exact(p, e->exp, 4), false);
        line(p, "÷ row sum", number(p, e->sum, 3), false);
    }
    bool weights = p->state->shown.document->of[FIELD_WEIGHTS] >= 0 && !p->state->shown.document->unnormalized;
    line(p, weights ? "weight" : "value", exact(p, e->weight, 4), true);
    if (!e->from_scores && weights) line(p, "sum of the row", number(p, e->row_sum, 4), false);
    if (e->dv && isfinite(e->pull)) line(p, "pull on the output", exact(p, e->pull, 3), false);
}

// "queries 64–71".
static const char *span(Arena *arena, const char *one, const char *many, int first, int count)
{
    return count > 1 ? arena_format(arena, "%s %d–%d", many, first, first + count - 1)
                     : arena_format(arena, "%s %d", one, first);
}

// A folded cell: which queries and keys it covers, their sum and maximum.
static void folded(Panel *p, HeadCell cell, const MapPlace *place)
{
    const Document *d = p->state->shown.document;
    Arena *arena = p->canvas->arena;
    int n = place->fold_rows, m = place->fold_cols, row = cell.row / n * n, col = cell.col / m * m;
    int rows = d->T - row < n ? d->T - row : n, cols = d->S - col < m ? d->S - col : m;
    Mat block = mat_new(arena, rows, cols);
    field_read(block, document_maps(d), p->state->shown.layer, p->state->shown.head, row, col);
    double sum = 0, most = -INFINITY;
    HeadCell at = { row, col };
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double value = (double)*mat_ref(block, i, j);
            sum += value;
            if (value > most) {
                most = value;
                at = (HeadCell){ row + i, col + j };
            }
        }
    CanvasText style = { .size = 15, .face = CANVAS_SANS_BOLD, .color = COLOR_ACCENT };
    p->y += 16;
    canvas_text(p->canvas, p->at.x, p->y, style, span(arena, "query", "queries", row, rows));
    p->y += 20;
    canvas_text(p->canvas, p->at.x, p->y, style, arena_format(arena, "→ %s", span(arena, "key", "keys", col, cols)));
    p->y += 4;
    line(p, "sum of keys, mean of queries", exact(p, sum / rows, 4), false);
    line(p, arena_format(arena, "largest: %d → %d", at.row, at.col), exact(p, most, 4), false);
}

// ---- the row --------------------------------------------------------------------------------------------------------

// One answer or weight: word, bar, number.
static void bar(Panel *p, const char *word, bool strong, double share, const char *value)
{
    p->y += 21;
    CanvasText style = { .size = 13, .face = strong ? CANVAS_SANS_BOLD : CANVAS_SANS, .color = COLOR_INK };
    double x = p->at.x + 80, width = p->at.width - 80 - 52;
    canvas_text(p->canvas, p->at.x, p->y, style, canvas_text_fit(p->canvas->arena, style, word, 74));
    canvas_rect(p->canvas, x, p->y - 11, width, 12, COLOR_RULE);
    canvas_rect(p->canvas, x, p->y - 11, fmax(1, width * fmin(1, fmax(0, share))), 12, COLOR_ACCENT);
    draw_text(p->canvas, p->at.x + p->at.width, p->y, CANVAS_MONO, 13, COLOR_INK, CANVAS_AT_END, value);
}

enum { ROW_SHOWN = 5 };

// The largest keys of a row, or queries of a column.
static int largest_of(const Panel *p, HeadCell cell, int keys[ROW_SHOWN], double values[ROW_SHOWN])
{
    const Document *d = p->state->shown.document;
    bool column = by_key(p);
    int count = 0, length = column ? d->T : d->S;
    Mat all = column ? mat_new(p->canvas->arena, d->T, 1) : mat_new(p->canvas->arena, 1, d->S);
    field_read(all, document_maps(d), p->state->shown.layer, p->state->shown.head, column ? 0 : cell.row,
               column ? cell.col : 0);
    for (int j = 0; j < length; j++) {
        double value = (double)all.at[(ptrdiff_t)j * (column ? all.stride : 1)];
        int i = column ? j : cell.row, key = column ? cell.col : j;
        if (document_hidden(d, p->state->shown.layer, p->state->shown.head, i, key) || isnan(value)) continue;
        if (count == ROW_SHOWN && values[count - 1] >= value) continue;
        int at = count < ROW_SHOWN ? count++ : count - 1;
        for (; at > 0 && values[at - 1] < value; at--) {
            keys[at] = keys[at - 1];
            values[at] = values[at - 1];
        }
        keys[at] = j;
        values[at] = value;
    }
    return count;
}

static void row(Panel *p, HeadCell cell)
{
    int keys[ROW_SHOWN];
    double values[ROW_SHOWN] = { 0 };
    Arena *arena = p->canvas->arena;
    bool column = by_key(p);
    int count = largest_of(p, cell, keys, values);
    heading(p, column ? arena_format(arena, "column of key %d, largest first", cell.col)
                      : arena_format(arena, "row of query %d, largest first", cell.row));
    p->y -= 2;
    for (int k = 0; k < count; k++) {
        if (!fits(p, 22)) break;
        double most = p->state->shown.document->unnormalized ? values[0] : 1;
        const char *key = column ? document_query(arena, p->state->shown.document, keys[k])
                                 : document_key(arena, p->state->shown.document, keys[k]);
        bar(p, key, keys[k] == cell.col && !column, values[k] / fmax(most, 1e-30), number(p, values[k], 3));
    }
}

// ---- the head -------------------------------------------------------------------------------------------------------

static void formula(Panel *p, SummaryStat summary)
{
    CanvasText style = { .size = 12, .color = COLOR_ACCENT };
    p->y += 17;
    canvas_text(p->canvas, p->at.x, p->y, style,
                canvas_text_fit(p->canvas->arena, style, summary_formula(summary), p->at.width));
}

// The head's role, by name or from its statistics; NULL: unknown.
static const char *role_of(const Panel *p)
{
    const Document *d = p->state->shown.document;
    int head = p->state->shown.layer * d->heads + p->state->shown.head;
    if (d->roles) return d->roles[head];
    int role = d->live || d->reduced_from ? -1 : state_role(p->state, view_derived(p->view, d), head);
    return role < 0 ? NULL : arena_format(p->canvas->arena, "%s ≥ %.1f", summary_name((SummaryStat)role), ROLE_LEAST);
}

static void head(Panel *p)
{
    const State *s = p->state;
    const Document *d = s->shown.document;
    Arena *arena = p->canvas->arena;
    const HeadSummary *summary = view_summary(p->view, d, s->shown.layer, s->shown.head);
    const char *role = role_of(p);
    int stats_shown = 0;
    if (!summary) return;
    if (d->of[FIELD_WEIGHTS] < 0 || d->unnormalized) {
        if (!fits(p, 80) || isnan(summary->least)) return;
        heading(p, d->reduced_from ? "values of this map" : "values of this head");
        line(p, "smallest", number(p, summary->least, 2), false);
        line(p, "largest", number(p, summary->most, 2), false);
        return;
    }
    for (int k = 0; k < SUMMARY_STATS; k++) {
        if (!fits(p, stats_shown ? 24 : 60)) break;
        if (isnan(summary->stats[k])) continue;
        if (!stats_shown++)
            heading(p, role ? arena_format(arena, "this head: %s", role) : d->reduced_from ? "this map" : "this head");
        const char *unit = summary_unit((SummaryStat)k), *value = number(p, summary->stats[k], 2);
        line(p, summary_name((SummaryStat)k), unit[0] ? arena_format(arena, "%s %s", value, unit) : value, false);
        CanvasRect over = { p->at.x, p->y - 16, p->at.width, 21 };
        bool asked =
            s->display.formulas || layout_holds(over, s->mouse.x / s->camera.zoom, s->mouse.y / s->camera.zoom);
        if (asked && fits(p, 17)) formula(p, (SummaryStat)k);
    }
}

static void predictions(Panel *p, const TopPredictions *predictions, const char *whole)
{
    for (int k = 0; k < TOP_PREDICTIONS; k++) {
        if (!predictions->word[k] || !fits(p, 22)) break;
        bool strong = whole && !strcmp(whole, predictions->word[k]);
        bar(p, predictions->word[k], strong, (double)predictions->share[k],
            number(p, (double)predictions->share[k], 3));
    }
}

// The head's direct logit attribution to the best answer.
static void adds(Panel *p, int row)
{
    const Document *d = p->state->shown.document;
    if (!d->adds || d->adds_at != row || !d->answers[row] || !fits(p, 22)) return;
    double value = (double)d->adds[p->state->shown.layer * d->heads + p->state->shown.head];
    CanvasText style = { .size = 13, .color = COLOR_INK };
    const char *name =
        arena_format(p->canvas->arena, "this head adds to %s", canvas_text_apart(p->canvas->arena, d->answers[row]));
    const char *sign = value > 0 ? "+" : "";
    p->y += 22;
    canvas_text(p->canvas, p->at.x, p->y, style, canvas_text_fit(p->canvas->arena, style, name, p->at.width - 60));
    draw_text(p->canvas, p->at.x + p->at.width, p->y, CANVAS_MONO, 13, COLOR_INK, CANVAS_AT_END,
              arena_format(p->canvas->arena, "%s%s", sign, number(p, value, 2)));
}

// The model's answer at the query, and the unablated one.
static void answer(Panel *p, int row)
{
    const Document *d = p->state->shown.document;
    if (!d->answers || !fits(p, 30)) return;
    heading(p, d->predictions ? arena_format(p->canvas->arena, "%s, position %d", d->answer_is, row) : d->answer_is);
    if (d->predictions) {
        if (!d->predictions[row].word[0]) line(p, "…", "", false);
        predictions(p, &d->predictions[row], d->whole[row]);
        adds(p, row);
        return;
    }
    p->y += 21;
    draw_text(p->canvas, p->at.x, p->y, CANVAS_SANS_BOLD, 13, COLOR_INK, CANVAS_AT_START, d->answers[row]);
    if (d->whole && d->whole[row] != d->answers[row])
        draw_text(p->canvas, p->at.x + p->at.width, p->y, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_END, d->whole[row]);
}

// Without a cell: the name of the head or word, or how to choose a cell.
static void invitation(Panel *p, HeadCell cell)
{
    const State *s = p->state;
    Arena *arena = p->canvas->arena;
    const char *invitation = view_ops(s->shown.view)->invitation;
    const char *title = !invitation     ? draw_head_name(arena, s->shown.document, s->shown.layer, s->shown.head)
                        : cell.row >= 0 ? document_query(arena, s->shown.document, cell.row)
                                        : NULL;
    CanvasText style = { .size = 13, .color = COLOR_QUIET };
    if (title)
        style = (CanvasText){ .size = 15, .face = CANVAS_SANS_BOLD, .color = invitation ? COLOR_ACCENT : COLOR_INK };
    else title = invitation;
    p->y += 16;
    canvas_text(p->canvas, p->at.x, p->y, style, canvas_text_fit(arena, style, title, p->at.width));
}

void draw_panel(Canvas *canvas, const View *view, const PageLayout *layout)
{
    const State *state = view->state;
    Panel p = { canvas, view, state, layout->panel, layout->panel.y };
    HeadCell cell = state_cell(state);
    const MapPlace *place = &layout->maps[0];
    bool many = layout->map_count && (place->fold_rows > 1 || place->fold_cols > 1) && state->shown.view != VIEW_LINES;
    bool map = state->shown.view != VIEW_STAGES || state->shown.stage <= STAGE_WEIGHTS;
    CanvasBox whole = canvas_clip(canvas, p.at.x - 2, p.at.y - 2, p.at.width + 4, p.at.height + 4);
    if (cell.row >= 0 && many && state->selection.pinned.row < 0) folded(&p, cell, place);
    else if (cell.row >= 0 && by_key(&p)) key_title(&p, cell);
    else if (cell.row >= 0 && map) {
        Explained e = document_explain(canvas->arena, state->shown.document, state->shown.layer, state->shown.head,
                                       cell.row, cell.col);
        cell_title(&p, cell);
        if (e.terms && fits(&p, 330)) terms(&p, &e);
        how(&p, &e);
    } else invitation(&p, cell);
    if (cell.row >= 0 && map && fits(&p, 60)) row(&p, cell);
    bool last =
        state->shown.document->predictions && state->shown.document->T > 0; // nothing is selected: the next word
    if ((cell.row >= 0 || last) && !by_key(&p) && fits(&p, 60))
        answer(&p, cell.row >= 0 ? cell.row : state->shown.document->T - 1);
    head(&p);
    canvas_unclip(canvas, whole);
}
