// Two maps side by side and their difference, which has a scale around 0.
#include "viz/parts.h"

#include <math.h>
#include <string.h>

static MapPicture picture(const State *state, const Layout *layout, int m, const char *title)
{
    return (MapPicture){ .place = layout->maps[m], .document = state->document, .row_words = m == 0, .keys = true,
                         .title = title, .no_bar = true, .mark = state_cell(state), .pinned = state->pinned.row >= 0,
                         .decimals = 2 };
}

// a − b where both are shown.
static Seen difference(Arena *arena, const Seen *a, const Seen *b)
{
    Seen seen = { mat_copy(arena, a->values), mat_copy(arena, a->kind), a->first_row, a->first_col };
    for (int i = 0; i < seen.values.rows; i++)
        for (int j = 0; j < seen.values.cols; j++) {
            *mat_ref(seen.values, i, j) -= *mat_ref(b->values, i, j);
            if (*mat_ref(b->kind, i, j) != SHOWN) *mat_ref(seen.kind, i, j) = *mat_ref(b->kind, i, j);
        }
    return seen;
}

static const char *title_of(Arena *arena, const State *state, const Document *d, int layer, int head)
{
    const char *name = head_name(arena, d, layer, head);
    if (!state->other) return name;
    return name[0] ? arena_format(arena, "%s, %s", d->title, name) : d->title;
}

static const char *value_text(Arena *arena, double value)
{
    return isnan(value) ? "" : number_text(arena, value, 2);
}

// One scale for both, which is the wider of the two: equal colours are equal numbers.
static Ramp common(Ramp a, Ramp b)
{
    a.low = fmin(a.low, b.low), a.high = fmax(a.high, b.high);
    a.below |= b.below, a.above |= b.above;
    if (a.kind == RAMP_LINEAR && (a.colors == DIVERGING || b.colors == DIVERGING)) {
        a.colors = DIVERGING, a.high = fmax(a.high, -a.low), a.low = -a.high;
    }
    return a;
}

// Around 0; where there is no difference at all, from −1 to 1.
static Ramp difference_ramp(const Seen *seen)
{
    Ramp ramp = ramp_of_seen(seen, DIVERGING, "difference");
    ramp.high = fmax(fabs(ramp.low), fabs(ramp.high));
    if (ramp.high <= 1e-30) ramp.high = 1;
    ramp.low = -ramp.high;
    return ramp;
}

// One bar for the two heads, one for the difference, between them what the colours leave unsaid.
static void draw_bars(Canvas *canvas, const MapPicture *a, const MapPicture *b, const MapPicture *c)
{
    const MapPlace *m = &a->place;
    double y = m->frame.y + m->frame.height + 14;
    if (!(m->above > 0)) return;
    Legend legend = legend_of_seen(&a->seen), other = legend_of_seen(&b->seen);
    legend.masked |= other.masked, legend.left_out |= other.left_out, legend.nan |= other.nan;
    ramp_draw_lying(canvas, &a->ramp, m->frame.x, y, m->frame.width);
    legend_draw(canvas, &legend, b->place.frame.x, y, true);
    ramp_draw_lying(canvas, &c->ramp, c->place.frame.x, y, m->frame.width);
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
    if (!a || !b || !fits || !(m[0].above > 0)) return;
    for (int k = 0; k < LOOKS; k++) {
        double values[] = { a->looks[k], b->looks[k], a->looks[k] - b->looks[k] };
        if (isnan(values[0]) && isnan(values[1])) continue;
        write_at(canvas, m[0].frame.x, y, SANS, 13, INK, AT_START, look_name((Look)k));
        for (int n = 0; n < 3; n++)
            write_at(canvas, m[n].frame.x + width, y, MONO, 13, INK, AT_END, value_text(canvas->arena, values[n]));
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
    MapPicture a = picture(state, layout, 0, title_of(arena, state, d, state->layer, state->head));
    MapPicture b = picture(state, layout, 1, title_of(arena, state, other, state->other_layer, state->other_head));
    MapPicture c = picture(state, layout, 2, "first − second");
    a.seen = seen_of_head(arena, view, d, state->layer, state->head, &a.place);
    b.seen = seen_of_head(arena, view, other, state->other_layer, state->other_head, &b.place);
    c.seen = difference(arena, &a.seen, &b.seen);
    a.ramp = common(ramp_of_head(view, d, &a.seen), ramp_of_head(view, other, &b.seen));
    if (a.ramp.title && !strcmp(a.ramp.title, "weight, this head")) a.ramp.title = "weight, both heads";
    b.ramp = a.ramp;
    c.ramp = difference_ramp(&c.seen);
    map_draw(canvas, state, &a);
    map_draw(canvas, state, &b);
    map_draw(canvas, state, &c);
    draw_bars(canvas, &a, &b, &c);
    draw_looks(canvas, view, layout);
}
