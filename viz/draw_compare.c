// Two maps side by side and their difference, which has a scale around 0.
#include "viz/parts.h"

#include <math.h>
#include <string.h>

static MapPart part_of(const State *state, int place, const char *title)
{
    return (MapPart){ .place = place, .row_words = place == 0, .keys = true, .title = title, .no_bar = true,
                      .cell = state_cell(state) };
}

static bool same_words(const char *const *one, const char *const *other, int count)
{
    if (one == other) return true;
    if (!one || !other) return false;
    for (int n = 0; n < count; n++)
        if (strcmp(one[n], other[n])) return false;
    return true;
}

// a − b where both are shown.
static MapCells difference(Arena *arena, const MapCells *a, const MapCells *b)
{
    MapCells seen = { mat_copy(arena, a->values), mat_copy(arena, a->kind), a->first_row, a->first_col };
    for (int i = 0; i < seen.values.rows; i++)
        for (int j = 0; j < seen.values.cols; j++) {
            *mat_ref(seen.values, i, j) -= *mat_ref(b->values, i, j);
            if (*mat_ref(b->kind, i, j) != MAP_SHOWN) *mat_ref(seen.kind, i, j) = *mat_ref(b->kind, i, j);
        }
    return seen;
}

static const char *title_of(Arena *arena, const State *state, const Document *d, int layer, int head)
{
    const char *name = draw_head_name(arena, d, layer, head);
    if (!state->other) return name;
    return name[0] ? arena_format(arena, "%s, %s", d->title, name) : d->title;
}

static const char *value_text(Arena *arena, double value)
{
    return isnan(value) ? "" : map_number(arena, value, 2);
}

// What is a logarithm or a ratio for weights, and not for other numbers, is linear where both are compared.
static Ramp plain(Ramp ramp, ColorMap colors)
{
    if (ramp.kind == RAMP_LINEAR) return ramp;
    return (Ramp){ RAMP_LINEAR, colors, 0, 1, .title = "value" };
}

// One scale for both, which is the wider of the two: equal colours are equal numbers.
static Ramp common(Ramp a, Ramp b, ColorMap colors)
{
    if (a.kind != b.kind) {
        a = plain(a, colors);
        b = plain(b, colors);
        a.title = "value";
    }
    a.low = fmin(a.low, b.low);
    a.high = fmax(a.high, b.high);
    a.below |= b.below;
    a.above |= b.above;
    if (a.kind == RAMP_LINEAR && (a.colors == DIVERGING || b.colors == DIVERGING)) {
        a.colors = DIVERGING;
        a.high = fmax(a.high, -a.low);
        a.low = -a.high;
    }
    return a;
}

// Around 0; where there is no difference at all, from −1 to 1.
static Ramp difference_ramp(const MapCells *cells)
{
    Ramp ramp = cells_ramp(cells, DIVERGING, "difference");
    ramp.high = fmax(fabs(ramp.low), fabs(ramp.high));
    if (ramp.high <= 1e-30) ramp.high = 1;
    ramp.low = -ramp.high;
    return ramp;
}

// One bar for the two heads, one for the difference, between them what the colours leave unsaid.
static void draw_bars(Canvas *canvas, const Layout *layout, const MapPart *a, const MapPart *b, const MapPart *c)
{
    Rect frame = layout->maps[0].frame;
    double y = frame.y + frame.height + 14;
    if (!(layout->room.above > 0)) return;
    MapLegend legend = map_legend(&a->cells, "masked"), other = map_legend(&b->cells, "masked");
    if (other.masked) legend.masked = other.masked;
    legend.left_out |= other.left_out;
    legend.nan |= other.nan;
    draw_bar(canvas, &a->ramp, frame.x, y, frame.width, true);
    map_legend_draw(canvas, &legend, layout->maps[b->place].frame.x, y, true);
    draw_bar(canvas, &c->ramp, layout->maps[c->place].frame.x, y, frame.width, true);
}

// Under the maps: the statistics of both heads, and by how much they differ. All lines, or none.
static void draw_looks(Canvas *canvas, const View *view, const Layout *layout)
{
    enum { LINE = 21 };
    const State *state = view->state;
    const Document *other = state->other ? state->other : state->document;
    const HeadLook *a = view_look(view, state->document, state->layer, state->head);
    const HeadLook *b = view_look(view, other, state->other_layer, state->other_head);
    const MapPlace *m = layout->maps;
    double y = m[0].frame.y + m[0].frame.height + LYING_BAR + 24, width = m[0].frame.width;
    bool fits = width >= 170 && y + LINE * (LOOKS - 1) <= layout->body.y + layout->body.height;
    if (state->document->loose || !a || !b || !fits || !(layout->room.above > 0)) return;
    for (int k = 0; k < LOOKS; k++) {
        double values[] = { a->looks[k], b->looks[k], a->looks[k] - b->looks[k] };
        if (isnan(values[0]) && isnan(values[1])) continue;
        draw_text(canvas, m[0].frame.x, y, SANS, 13, INK, AT_START, look_name((Look)k));
        for (int n = 0; n < 3; n++)
            draw_text(canvas, m[n].frame.x + width, y, MONO, 13, INK, AT_END, value_text(canvas->arena, values[n]));
        y += LINE;
    }
}

static void draw_misfit(Canvas *canvas, const State *state, const Layout *layout)
{
    const Document *d = state->document, *other = state->other;
    Text style = { .size = 15, .color = INK };
    const char *lines[] = {
        arena_format(canvas->arena, "%s has maps of %d × %d,", d->title, d->T, d->S),
        arena_format(canvas->arena, "%s of %d × %d:", other->title, other->T, other->S),
        "they cannot be laid over each other.",
    };
    for (int k = 0; k < 3; k++)
        canvas_text(canvas, layout->body.x, layout->body.y + 40 + 24 * k, style,
                    text_fit(canvas->arena, style, lines[k], layout->body.width));
}

void draw_compare(Canvas *canvas, const View *view, const Layout *layout)
{
    const State *state = view->state;
    const Document *d = state->document, *other = state->other ? state->other : d;
    Arena *arena = canvas->arena;
    if (other->T != d->T || other->S != d->S) {
        draw_misfit(canvas, state, layout);
        return;
    }
    int layer = state->layer, head = state->head, other_layer = state->other_layer, other_head = state->other_head;
    const MapPlace *place = layout->maps;            // the same for all three, but for where it stands
    MapPart a = part_of(state, 0, title_of(arena, state, d, layer, head));
    MapPart b = part_of(state, 1, title_of(arena, state, other, other_layer, other_head));
    MapPart c = part_of(state, 2, "first − second");
    a.cells = cells_of_head(arena, view, d, layer, head, place);
    b.cells = cells_of_head(arena, view, other, other_layer, other_head, place);
    b.of = other;
    c.keys = same_words(d->keys, other->keys, d->S);
    c.cells = difference(arena, &a.cells, &b.cells);
    a.ramp = common(cells_ramp_of_head(view, d, &a.cells), cells_ramp_of_head(view, other, &b.cells), state->colors);
    if (a.ramp.title && !strcmp(a.ramp.title, "weight, this head")) a.ramp.title = "weight, both heads";
    b.ramp = a.ramp;
    c.ramp = difference_ramp(&c.cells);
    a.cells.values = cells_colored(arena, view, d, layer, head, &a.cells, &a.ramp, place->fold_rows, place->fold_cols);
    b.cells.values = cells_colored(arena, view, other, other_layer, other_head, &b.cells, &b.ramp, place->fold_rows,
                                   place->fold_cols);
    draw_map(canvas, view, layout, &a);
    draw_map(canvas, view, layout, &b);
    draw_map(canvas, view, layout, &c);
    draw_bars(canvas, layout, &a, &b, &c);
    draw_looks(canvas, view, layout);
}
