// All heads: a thumbnail of each, in an order that can be chosen.
#include "base/portable_math.h"
#include "viz/draw_internal.h"
#include "viz/layout_internal.h"

static bool has(const Document *document, const Document *other)
{
    (void)other;
    return document->layers * document->heads > 1;
}

// Places the thumbnails, spread over the width, and the panel if there is room.
static void place(PageLayout *page, const State *state)
{
    CanvasRect box = page->body, frame = { box.x, box.y, box.width - BAR_ROOM, box.height };
    ThumbLayout *t = &page->thumbs;
    *t = layout_place_thumbs(state, frame, true);
    double rest = t->frame.width - (t->across - 1) * t->across_step - t->wide;
    if (rest >= PANEL_WIDTH + LAYOUT_MARGIN) {
        page->panel = (CanvasRect){ box.x + box.width - PANEL_WIDTH, box.y, PANEL_WIDTH, box.height };
        rest -= PANEL_WIDTH + LAYOUT_MARGIN;
        t->frame.width -= PANEL_WIDTH + LAYOUT_MARGIN;
    }
    if (t->across > 1) t->across_step += fmin(rest / (t->across - 1), fmax(0.4 * t->wide, 16));
    int lines = t->by_layer
                    ? state->shown.document->layers * ((state->shown.document->heads + t->across - 1) / t->across)
                    : (state_heads(state) + t->across - 1) / t->across;
    double below = t->frame.height - t->tall;
    double wider = below > 0 && lines > 1 ? fmin(below / (lines - 1), fmin(0.35 * t->high, 24)) : 0;
    t->down_step += wider;
    t->tall += wider * (lines - 1);
    below -= wider * (lines - 1);
    if (below > 0.25 * t->frame.height) {
        t->frame.y += 0.4 * below;
        t->frame.height -= 0.4 * below;
    }
    t->scrolled = layout_clamp(state->camera.scroll, 0, fmax(0, t->tall - t->frame.height));
}

// The legend for all heads.
static MapLegend legend_of_heads(const View *view)
{
    const State *state = view->state;
    const Document *d = state->shown.document;
    MapLegend legend = { .plain = true, .left_out = state->shown.hide_keys > 0 };
    for (int h = 0; h < state_heads(state); h++) {
        const HeadSummary *summary = view_summary(view, d, h / d->heads, h % d->heads);
        if (!summary) continue;
        if (summary->any_hidden) legend.masked = "masked";
        legend.nan |= summary->any_nan;
    }
    return legend;
}

static void draw(Canvas *canvas, const View *view, const PageLayout *layout)
{
    const State *state = view->state;
    const ThumbLayout *t = &layout->thumbs;
    draw_thumbs(canvas, view, layout);
    const HeadSummary *summary = view_summary(view, state->shown.document, state->shown.layer, state->shown.head);
    if (!summary || layout->body.width < 300) return;
    double right = t->frame.x + (t->across - 1) * t->across_step + t->wide;
    double x = floor(right + 18), y = t->frame.y + t->above;
    double length = fmin(fmin(t->tall - t->above, t->frame.height - 80), 420);
    if (length < 40) return;
    Ramp ramp = draw_thumb_ramp(canvas->arena, view, summary, t);
    if (state->shown.scale == SCALE_HEAD) ramp.title = "scale of the framed head";
    MapLegend legend = legend_of_heads(view);
    draw_bar(canvas, &ramp, x, y, length, false);
    map_legend_draw(canvas, &legend, x, y + length + 14, false);
}

// ---- keys and the wheel

static int place_of_head(const int *order, const State *state)
{
    int place = 0;
    while (place < state_heads(state) - 1 &&
           order[place] != state->shown.layer * state->shown.document->heads + state->shown.head)
        place++;
    return place;
}

static void reveal(State *state, const PageLayout *page, const Derived *derived)
{
    int order[MAPS_MOST];
    const ThumbLayout *t = &page->thumbs;
    layout_order(order, state, derived);
    CanvasRect at = layout_thumb(page, state, place_of_head(order, state));
    double under = at.y + t->down_step - t->frame.y - t->frame.height, over = t->frame.y + t->above - at.y;
    if (over > 0) state->camera.scroll = layout_scrolled(page, -over);
    else if (under > 0) state->camera.scroll = layout_scrolled(page, under);
}

// In sorted heads the arrows follow the order.
static void next_place(State *state, const PageLayout *page, const Derived *derived, int down, int right)
{
    int order[MAPS_MOST], heads = state->shown.document->heads;
    layout_order(order, state, derived);
    int place = place_of_head(order, state), to = place + right + down * page->thumbs.across;
    if (to >= 0 && to < state_heads(state)) place = to;
    state->shown.layer = order[place] / heads;
    state->shown.head = order[place] % heads;
}

static bool arrow(State *state, const PageLayout *page, const Derived *derived, bool shift, int down, int right)
{
    if (shift) return false;
    if (state->shown.sort != SORT_NONE) next_place(state, page, derived, down, right);
    else {
        state->shown.head += right;
        state->shown.layer += down;
    }
    *state = state_head_clamped(*state);
    reveal(state, page, derived);
    return true;
}

static void wheel(State *state, const PageLayout *page, double notches)
{
    state->camera.scroll = layout_scrolled(page, -40 * notches);
}

static void pan(State *state, const PageLayout *page, int down, int right)
{
    (void)right;
    state->camera.scroll = layout_scrolled(page, down * page->thumbs.frame.height / 4);
}

// ---- status

// Which answer the heads are sorted for.
static const char *adds_text(Arena *arena, const Document *d)
{
    if (!d->adds || !d->answers[d->adds_at]) return "sorted by what they add to the answer";
    return arena_format(arena, "sorted by what they add to “%s” after “%s”",
                        canvas_text_apart(arena, d->answers[d->adds_at]),
                        canvas_text_apart(arena, d->queries[d->adds_at]));
}

static const char *sorted_text(Arena *arena, const State *state)
{
    const Document *d = state->shown.document;
    const Find *find = &state->editing.find;
    switch (state->shown.sort) {
    case SORT_NONE: return "";
    case SORT_CELL: return arena_format(arena, " · sorted by %s", draw_cell_words(arena, d, state->selection.pinned));
    case SORT_FOUND: return arena_format(arena, " · sorted by Σ w over %d × %d", find->queries.count, find->keys.count);
    case SORT_ADDS: return arena_format(arena, " · %s", adds_text(arena, d));
    case SORT_ROLE: return " · sorted by role";
    default: return arena_format(arena, " · sorted by %s", summary_name((SummaryStat)state->shown.sort));
    }
}

static const char *status_more(Arena *arena, const View *view, const PageLayout *page)
{
    (void)page;
    const char *sorted = sorted_text(arena, view->state);
    int ready = view->derived ? derived_summaries_ready(view->derived) : 0, all = state_heads(view->state);
    return ready < all ? arena_format(arena, "%s · %d of %d heads read", sorted, ready, all) : sorted;
}

const ViewOps view_heads = {
    .name = "All heads",
    .word = "heads",
    .picture = "heads",
    .has = has,
    .layout = place,
    .draw = draw,
    .arrow = arrow,
    .wheel = wheel,
    .pan = pan,
    .reveal = reveal,
    .status_more = status_more,
};
