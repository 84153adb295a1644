// The frame of the window: header, footer, the list of keys. The view (views.h) draws what is between them.
#include "viz/draw.h"

#include "base/portable_math.h"
#include "viz/draw_internal.h"

#include <string.h>

static void draw_header(Canvas *canvas, const State *state, const PageLayout *layout)
{
    const Document *d = state->shown.document;
    double first_tab = layout->width - LAYOUT_MARGIN, x = LAYOUT_MARGIN;
    if (layout->close) return;
    for (int v = 0; v < VIEWS; v++) {
        CanvasRect tab = layout->tabs[v];
        if (!(tab.width > 0)) continue;
        bool here = v == (int)state->shown.view;
        first_tab = fmin(first_tab, tab.x);
        draw_text(canvas, tab.x, 28, CANVAS_SANS, 13, here ? COLOR_INK : COLOR_QUIET, CANVAS_AT_START,
                  state_view_name(state, (ViewKind)v));
        if (here) canvas_rect(canvas, tab.x, 35, tab.width, 2, COLOR_ACCENT);
    }
    CanvasText bold = { .size = 15, .face = CANVAS_SANS_BOLD, .color = COLOR_INK },
               plain = { .size = 13, .color = COLOR_QUIET };
    const char *title = canvas_text_fit(canvas->arena, bold, d->title, fmax(0, first_tab - x - 40));
    if (first_tab - x >= 100) canvas_text(canvas, x, 28, bold, title);
    x += canvas_text_width(bold, title) + 24;
    const char *understood = d->range ? arena_format(canvas->arena, "%s · %s", d->shape, d->range) : d->shape;
    if (understood && first_tab - x >= 150)
        canvas_text(canvas, x, 28, plain, canvas_text_fit(canvas->arena, plain, understood, first_tab - x - 30));
    canvas_rect(canvas, LAYOUT_MARGIN, HEADER, layout->width - 2 * LAYOUT_MARGIN, 1, COLOR_RULE);
}

// "3 queries, 3 keys", and which match is current.
static const char *find_text(Arena *arena, const State *state)
{
    const Find *f = &state->editing.find;
    const char *queries = f->queries.count == 1 ? "query" : "queries", *keys = f->keys.count == 1 ? "key" : "keys";
    if (!f->any) return "a word, or two: it > animal";
    const char *count = arena_format(arena, "%d %s, %d %s", f->queries.count, queries, f->keys.count, keys);
    if (state->editing.found < 0) return count;
    return arena_format(arena, "%s, %d of %d", count, state->editing.found + 1, find_count(f));
}

// The line that is edited: sentence, path or search. A long line is scrolled so that the caret is visible.
static void draw_sentence(Canvas *canvas, const State *state, const PageLayout *layout)
{
    CanvasRect at = layout->sentence;
    bool find = state->editing.typing == TYPING_FIND;
    const char *sign = state->editing.typing == TYPING_PATH ? "open" : find ? "find" : "/";
    const char *line = state_line(state), *found = find_text(canvas->arena, state);
    CanvasText style = { .size = 15, .color = COLOR_INK };
    double baseline = at.y + 20, x = at.x + canvas_text_width(style, sign) + 12, room = at.x + at.width - x;
    canvas_rect(canvas, at.x, at.y - 4, at.width, 1, COLOR_RULE);
    draw_text(canvas, at.x, baseline, CANVAS_SANS, 15, COLOR_QUIET, CANVAS_AT_START, sign);
    if (find && room > 400) {
        draw_text(canvas, at.x + at.width, baseline, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_END, found);
        room -= 260;
    }
    const char *text = state->editing.typing ? line : canvas_text_fit(canvas->arena, style, line, room);
    double width = canvas_text_width(style, text);
    double caret = canvas_text_caret(style, line, state->editing.caret);
    double moved = state->editing.typing ? fmax(0, caret + 2 - room) : 0;
    CanvasBox whole = canvas_clip(canvas, x, at.y, room, at.height + 6);
    if (state->editing.selected) canvas_tint(canvas, x - moved, baseline - 15, width, 19, COLOR_ACCENT, 0.25);
    canvas_text(canvas, x - moved, baseline, style, text);
    canvas_rect(canvas, x, baseline + 5, fmin(fmax(width - moved, 60), room), 1,
                state->editing.typing ? COLOR_ACCENT : COLOR_RULE);
    if (state->editing.typing) canvas_rect(canvas, x - moved + caret + 0.5, baseline - 14, 1.5, 18, COLOR_ACCENT);
    canvas_unclip(canvas, whole);
}

static const char *scale_text(Arena *arena, const State *state)
{
    const Document *d = state->shown.document;
    bool weights = d->of[FIELD_WEIGHTS] >= 0 && !d->warning && !d->unnormalized;
    const char *linear = weights ? "linear 0–1" : "linear, all heads";
    bool usual = weights && state->shown.scale == SCALE_LOG && state->shown.scale == state->shown.usual_scale;
    const char *scale = state->shown.scale == SCALE_LINEAR ? linear
                        : usual                            ? "log, as few weights pass 0.2"
                                                           : scale_name(state->shown.scale);
    if (weights && state->shown.scale == SCALE_UNIFORM)
        return arena_format(arena, "%s · diverging%s", scale,
                            state->shown.use_largest ? " · largest of folded cells" : "");
    return arena_format(arena, "%s · %s", scale, draw_colors_text(arena, state, !weights));
}

// The mass of the hidden first keys, over all queries. NaN: reading it would take too long before the summary is ready,
// since each query is on another page of the file.
static double hidden_mass(const View *view)
{
    enum { AT_ONCE = 1 << 14 };
    const State *state = view->state;
    const Document *d = state->shown.document;
    const HeadSummary *summary = view_summary(view, d, state->shown.layer, state->shown.head);
    double sum = 0;
    int keys = state->shown.hide_keys < d->S ? state->shown.hide_keys : d->S;
    if (summary && state->shown.hide_keys <= HIDE_MOST) return summary->mass[state->shown.hide_keys];
    if ((double)d->T * keys > AT_ONCE) return (double)NAN;
    for (int i = 0; i < d->T; i++)
        for (int j = 0; j < keys; j++)
            sum += (double)field_at(document_maps(d), state->shown.layer, state->shown.head, i, j);
    return d->T ? sum / d->T : 0;
}

// The words of the marked cell, if the picture shortens one of them; otherwise NULL.
static const char *cut_words(Arena *arena, const State *state, const PageLayout *layout)
{
    const Document *d = state->shown.document;
    const MapRoom *room = &layout->room;
    HeadCell cell = state_cell(state);
    CanvasText style = { .size = room->word, .face = CANVAS_SANS_BOLD };
    if (cell.row < 0 || !(room->left > 0) || state->shown.view == VIEW_TILES) return NULL;
    if (state->shown.view == VIEW_STAGES && state->shown.stage > STAGE_WEIGHTS) return NULL;
    bool whole = canvas_text_width(style, document_query(arena, d, cell.row)) <= room->left &&
                 canvas_text_width(style, document_key(arena, d, cell.col)) <= room->above;
    return whole ? NULL : draw_cell_words(arena, d, cell);
}

// From the left: the marked cell if its words are shortened, the search, what is shown, and the rest.
static const char *status_text(Arena *arena, const View *view, const PageLayout *layout)
{
    const State *state = view->state;
    const ViewOps *ops = view_ops(state->shown.view);
    const char *text = ops->status ? ops->status(arena, view) : NULL;
    int hide = state->shown.hide_keys;
    if (!text) text = arena_format(arena, "%s · %s", draw_map_name(arena, state), scale_text(arena, state));
    if (hide) {
        double mass = hidden_mass(view);
        text = arena_format(arena, "%s · first %d %s left out%s", text, hide, hide == 1 ? "key" : "keys",
                            isnan(mass) ? "" : arena_format(arena, ", with %.2f of the mass", mass));
    }
    if (ops->status_more) text = arena_format(arena, "%s%s", text, ops->status_more(arena, view, layout));
    if (state->editing.find.any && state->editing.typing != TYPING_FIND)
        text = arena_format(arena, "“%s”: %s · %s", state->editing.find_text, find_text(arena, state), text);
    const char *words = cut_words(arena, state, layout);
    return words ? arena_format(arena, "%s · %s", words, text) : text;
}

// How many heads are ablated, and what that changed.
static const char *ablation_text(Arena *arena, const State *state)
{
    const Document *d = state->shown.document, *of = d->reduced_from ? d->reduced_from : d;
    int off = 0, changed = 0, heads = of->layers * of->heads;
    if (heads > MAPS_MOST) heads = MAPS_MOST;
    for (int h = 0; h < heads; h++) off += state->shown.ablated[h];
    if (!off || !d->live) return NULL;
    static const char *const by[ABLATIONS] = { "off", "at the mean", "from the held sentence" };
    const char *heads_off = arena_format(arena, "%d %s %s", off, off == 1 ? "head" : "heads", by[d->ablation]);
    if (!d->answers) return heads_off;
    for (int t = 0; t < d->T; t++) {
        if (!d->answers[t] || !d->whole[t]) return arena_format(arena, "%s · …", heads_off);
        changed += strcmp(d->answers[t], d->whole[t]) != 0;
    }
    return arena_format(arena, "%s · %d %s changed · loss %.3f → %.3f", heads_off, changed,
                        changed == 1 ? d->answer_one : d->answer_many, d->whole_loss, d->loss);
}

// Compact layout: the current view's name at the end of the last line. Returns where the line has to end.
static double draw_menu(Canvas *canvas, const State *state, const PageLayout *layout)
{
    CanvasRect tab = layout->tabs[state->shown.view];
    if (!(tab.width > 0)) return layout->width - layout->margin;
    draw_text(canvas, tab.x, layout->status, CANVAS_SANS, 13, COLOR_INK, CANVAS_AT_START,
              state_view_name(state, state->shown.view));
    canvas_rect(canvas, tab.x, layout->status + 4, tab.width, 2, COLOR_ACCENT);
    return tab.x - 18;
}

static void draw_footer(Canvas *canvas, const View *view, const PageLayout *layout)
{
    const State *state = view->state;
    double left = layout->margin, right = layout->width - left;
    if (layout->close) right = draw_menu(canvas, state, layout);
    double width = right - left;
    CanvasText style = { .size = 13, .color = COLOR_QUIET }, wrong = { .size = 13, .color = COLOR_MARK };
    if (layout->sentence.width > 0) draw_sentence(canvas, state, layout);
    else if (!layout->close) canvas_rect(canvas, left, layout->height - 38, width, 1, COLOR_RULE);
    const char *problem = state->message.error          ? state->message.error
                          : state->message.file_changed ? state->message.file_changed
                          : state->message.status       ? NULL
                                                        : state->shown.document->warning;
    const char *off = ablation_text(canvas->arena, state);
    const char *hint = state->display.bare ? "" : layout->width > 900 ? "? lists the keys" : "?";
    const char *runs = NULL;
    if (state->message.progress > 0)
        runs = arena_format(canvas->arena, "the model runs: %.0f %%", 100 * state->message.progress);
    if (runs) canvas_rect(canvas, left, layout->status + 6, width * state->message.progress, 3, COLOR_ACCENT);
    if (runs) problem = NULL;
    const char *note = runs                    ? runs
                       : problem               ? problem
                       : state->message.status ? state->message.status
                       : off                   ? off
                                               : hint;
    CanvasText note_style = problem ? wrong : style;
    if (off && !problem && !state->message.status) note_style.color = COLOR_MARK;
    double most = problem ? width : width * 0.5, room = fmin(most, canvas_text_width(note_style, note));
    note_style.anchor = CANVAS_AT_END;
    canvas_text(canvas, right, layout->status, note_style, canvas_text_fit(canvas->arena, note_style, note, most));
    if (width - room - 24 < 120) return;
    canvas_text(canvas, left, layout->status, style,
                canvas_text_fit(canvas->arena, style, status_text(canvas->arena, view, layout), width - room - 24));
}

// In one or two columns, whichever allows larger type.
static void draw_keys(Canvas *canvas, const PageLayout *layout)
{
    enum { WIDE = 560, LINE = 24 };
    int columns = 0, lines = 0;
    double tall = 0, broad = 0, s = 0;
    for (int n = 1; n <= 2; n++) {
        int high = (key_lines() + n - 1) / n;
        double fit = fmin(1, fmin((layout->width - 16) / (n * WIDE), (layout->height - 16) / (high * LINE + 40)));
        if (fit <= s) continue;
        s = fit;
        columns = n;
        lines = high;
        tall = high * LINE + 40;
        broad = columns * WIDE;
    }
    double x = (layout->width - s * broad) / 2, y = (layout->height - s * tall) / 2;
    canvas_tint(canvas, 0, 0, layout->width, layout->height, COLOR_PAPER, 0.85);
    canvas_rect(canvas, x - 1, y - 1, s * broad + 2, s * tall + 2, COLOR_RULE);
    canvas_rect(canvas, x, y, s * broad, s * tall, COLOR_PAPER);
    for (int k = 0; k < key_lines(); k++) {
        double left = x + s * WIDE * (k / lines), baseline = y + s * (36 + LINE * (k % lines));
        draw_text(canvas, left + s * 24, baseline, CANVAS_SANS_BOLD, s * 13, COLOR_INK, CANVAS_AT_START,
                  key_line(k).keys);
        draw_text(canvas, left + s * 190, baseline, CANVAS_SANS, s * 13, COLOR_INK, CANVAS_AT_START,
                  key_line(k).meaning);
    }
}

void draw_view(Canvas *canvas, const View *view)
{
    const State *state = view->state;
    PageLayout layout = layout_of(state);
    if (layout.body.width < 120 || layout.body.height < 90) return; // too small
    draw_header(canvas, state, &layout);
    const ViewOps *ops = view_ops(state->shown.view);
    if (layout.strip) draw_thumbs(canvas, view, &layout);
    ops->draw(canvas, view, &layout);
    if (layout.panel.width > 0 && !ops->own_panel) draw_panel(canvas, view, &layout);
    draw_footer(canvas, view, &layout);
    if (state->display.help) draw_keys(canvas, &layout);
}
