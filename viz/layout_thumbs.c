// Places the thumbnails of all heads and orders them; places panel and strip beside a view.
#include "base/portable_math.h"
#include "viz/layout_internal.h"

static double pixel_of(const State *state) { return 1 / (state->camera.pixels * state->camera.zoom); }

static double gap_for(double size) { return size >= 64 ? 24 : size >= 40 ? 12 : size >= 24 ? 8 : 4; }

// The longer side of a thumbnail; whole pixels per cell if cells are large enough to show it.
static double snap_to_cells(const State *state, double size)
{
    int cells =
        state->shown.document->T > state->shown.document->S ? state->shown.document->T : state->shown.document->S;
    while (cells > THUMB) cells = (cells + 1) / 2;
    double pixel = pixel_of(state), cell = floor(size / cells / pixel) * pixel;
    return cell >= 5 * pixel ? cell * cells : size;
}

// Rows of thumbnails of one size. `alone`: All heads, not the strip.
static ThumbLayout place_at_size(const State *state, CanvasRect frame, double size, bool alone)
{
    const Document *d = state->shown.document;
    double least = fmin(6, size), gap = gap_for(size), longest = d->T > d->S ? d->T : d->S;
    size = snap_to_cells(state, size);
    ThumbLayout t = { .frame = frame, .names = size >= 56, .by_layer = state->shown.sort == SORT_NONE && size >= 16 };
    t.wide = fmax(fmax(size * d->S / longest, size / 8), least);
    t.high = fmax(fmax(size * d->T / longest, size / 8), least);
    bool named = d->roles || d->groups < d->heads; // names need room; numbers fit at the edge
    bool edge = alone && t.by_layer && d->layers > 1 && (!t.names || !named);
    if (edge && gap > 12) gap = 12;
    t.edges = edge && d->heads * (t.wide + gap) - gap <= frame.width - EDGE_ROOM;
    if (!t.edges) gap = gap_for(size);
    t.names = t.names && !t.edges;
    if (t.edges)
        t.frame = (CanvasRect){ frame.x + EDGE_ROOM, frame.y + 20, frame.width - EDGE_ROOM, frame.height - 20 };
    t.above = t.by_layer && d->layers > 1 && size >= 40 && !t.edges ? 26 : 0;
    t.across_step = t.wide + gap;
    t.down_step = t.high + gap + (t.names ? 8 : 0);
    int across = (int)floor((t.frame.width + gap) / t.across_step), heads = t.by_layer ? d->heads : state_heads(state);
    int rows = across < 1 ? heads : (heads + across - 1) / across;
    if (!alone && t.by_layer && d->layers > 1 && rows > 1 && !(t.above > 0)) t.above = STRIP_NAME;
    t.across = (heads + rows - 1) / rows; // fill the last row if possible
    t.tall = (t.by_layer ? d->layers * (rows * t.down_step + t.above) : rows * t.down_step) - gap + (t.names ? 14 : 0);
    return t;
}

// The largest size at which all fit, or a somewhat smaller one with one row per layer; the smallest if none fits.
ThumbLayout layout_place_thumbs(const State *state, CanvasRect frame, bool alone)
{
    double largest = alone ? 720 : floor((frame.width - 24) / 2), smallest = alone ? 16 : 12;
    bool layers = state->shown.document->layers > 1;
    ThumbLayout best = { .wide = 0 };
    for (double size = largest; size >= smallest; size--) {
        ThumbLayout t = place_at_size(state, frame, size, alone);
        if (t.tall > t.frame.height) continue;
        double least = alone ? 0.75 * best.wide : best.wide < 24 ? 0.75 * best.wide : best.wide;
        if (best.wide > 0 && t.wide < least) break;
        if (layers && t.by_layer && t.across == state->shown.document->heads) return t;
        if (!(best.wide > 0)) best = t;
    }
    return best.wide > 0 ? best : place_at_size(state, frame, smallest, alone);
}

static void order_by_value(int *order, const State *state, int count, double (*value)(const State *, int))
{
    Arena *scratch = arena_open();
    double *values = arena_alloc(scratch, (size_t)count * sizeof *values);
    for (int n = 0; n < count; n++) values[n] = value(state, n);
    derived_order_by(order, values, count);
    arena_close(scratch);
}

// Heads with the same main role together, in the order of their first heads; heads without a role last.
static void order_by_role(int *order, const State *state, const Derived *derived, int count)
{
    Arena *scratch = arena_open();
    double *values = arena_alloc(scratch, (size_t)count * sizeof *values);
    for (int n = 0; n < count; n++) {
        int first = 0;
        while (first < n && !state_shares_role(state, derived, first, n)) first++;
        values[n] = state_role_name(state, derived, n) ? -first : (double)NAN;
    }
    derived_order_by(order, values, count);
    arena_close(scratch);
}

void layout_order(int *order, const State *state, const Derived *derived)
{
    int count = state_heads(state);
    for (int i = 0; i < count; i++) order[i] = i;
    if (state->shown.sort == SORT_CELL) order_by_value(order, state, count, state_cell_of_head);
    else if (state->shown.sort == SORT_FOUND) order_by_value(order, state, count, state_found_of_head);
    else if (state->shown.sort == SORT_ADDS) order_by_value(order, state, count, state_adds_of_head);
    else if (state->shown.sort == SORT_ROLE) order_by_role(order, state, derived, count);
    else if (derived && state->shown.sort != SORT_NONE)
        derived_order(order, derived, state->shown.document, state->shown.sort);
}

CanvasRect layout_thumb(const PageLayout *layout, const State *state, int place)
{
    const ThumbLayout *t = &layout->thumbs;
    int heads = state->shown.document->heads;
    int layer = t->by_layer ? place / heads : 0, at = t->by_layer ? place % heads : place;
    int rows = (heads + t->across - 1) / t->across;
    double y = t->frame.y - t->scrolled + (t->by_layer ? layer * (rows * t->down_step + t->above) + t->above : 0);
    return (CanvasRect){ t->frame.x + at % t->across * t->across_step, y + at / t->across * t->down_step, t->wide,
                         t->high };
}

double layout_layer_name(const PageLayout *layout, const State *state, int layer)
{
    return layout_thumb(layout, state, layer * state->shown.document->heads).y -
           (layout->thumbs.above > STRIP_NAME ? 10 : 5);
}

int layout_thumb_at(const PageLayout *layout, const State *state, const Derived *derived, double x, double y)
{
    int order[MAPS_MOST], count = state_heads(state);
    if (!layout_holds(layout->thumbs.frame, x, y)) return -1;
    layout_order(order, state, derived);
    for (int place = 0; place < count; place++)
        if (layout_holds(layout_thumb(layout, state, place), x, y)) return order[place];
    return -1;
}

double layout_scrolled(const PageLayout *layout, double by)
{
    const ThumbLayout *t = &layout->thumbs;
    return layout_clamp(t->scrolled + by, 0, t->tall - t->frame.height);
}

// ---- beside a view ----------------------------------------------------------------------------------------------------

// Scrolls the strip to the current head.
static void follow_head(PageLayout *layout, const State *state)
{
    ThumbLayout *t = &layout->thumbs;
    CanvasRect at = layout_thumb(layout, state, state->shown.layer * state->shown.document->heads + state->shown.head);
    double wanted = at.y + at.height / 2 - t->frame.y - t->frame.height / 2;
    t->scrolled = layout_clamp(wanted, 0, fmax(0, t->tall - t->frame.height));
}

CanvasRect layout_place_sides(PageLayout *layout, const State *state, double panel_from, bool strip)
{
    CanvasRect box = layout->body;
    if (layout->width >= panel_from && !layout->no_panel) {
        layout->panel = (CanvasRect){ box.x + box.width - PANEL_WIDTH, box.y, PANEL_WIDTH, box.height };
        box.width -= PANEL_WIDTH + LAYOUT_MARGIN;
    }
    if (strip && state_heads(state) > 1 && layout->width >= 1100) {
        double width = floor(layout_clamp(0.2 * layout->width, STRIP_WIDTH, 1.5 * STRIP_WIDTH));
        layout->thumbs = layout_place_thumbs(state, (CanvasRect){ box.x, box.y, width - 16, box.height }, false);
        layout->strip = true;
        follow_head(layout, state);
        box.x += width;
        box.width -= width;
    }
    return box;
}
