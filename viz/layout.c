// Lays out the window: tabs, footer, panel, strip. The view lays out the rest (views.h).
#include "base/portable_math.h"
#include "viz/layout_internal.h"

// Only the current view's tab if not all fit.
static void place_tabs(PageLayout *layout, const State *state)
{
    double all = 0, width[VIEWS];
    if (state->display.bare) return;
    for (int v = 0; v < VIEWS; v++) {
        width[v] = canvas_text_width((CanvasText){ .size = 13 }, state_view_name(state, (ViewKind)v));
        if (state_has_view(state, (ViewKind)v)) all += width[v] + 26;
    }
    double right = layout->width - layout->margin;
    bool alone = all > right || layout->close;
    for (int v = VIEWS - 1; v >= 0; v--) {
        if (!state_has_view(state, (ViewKind)v) || (alone && v != (int)state->shown.view)) continue;
        layout->tabs[v] = (CanvasRect){ right - width[v], 8, width[v], HEADER - 8 };
        if (layout->close) layout->tabs[v] = (CanvasRect){ right - width[v], layout->height - 28, width[v], 26 };
        right -= width[v] + 26;
    }
}

static void place_footer(PageLayout *layout, const State *state)
{
    double bottom = layout->height - 40, m = layout->margin;
    layout->status = layout->height - 16;
    if (layout->close) {
        bool line = state->shown.document->live || state->editing.typing;
        double end = layout->height - (line ? 62 : 30);
        layout->status = layout->height - 10;
        if (line) layout->sentence = (CanvasRect){ m, end + 4, layout->width - 2 * m, 28 };
        layout->body = (CanvasRect){ m, 4, layout->width - 2 * m, end - 4 };
        return;
    }
    if (state->shown.document->live || state->editing.typing) {
        layout->sentence = (CanvasRect){ m, layout->height - 66, layout->width - 2 * m, 30 };
        bottom = layout->height - 72;
    }
    layout->body = (CanvasRect){ m, HEADER + 14, layout->width - 2 * m, bottom - HEADER - 24 };
}

static PageLayout laid_out(const State *state, bool close, bool no_panel)
{
    PageLayout layout = { .width = state->camera.width / state->camera.zoom,
                          .height = state->camera.height / state->camera.zoom,
                          .close = close,
                          .no_panel = no_panel,
                          .margin = close ? CLOSE_MARGIN : LAYOUT_MARGIN };
    place_tabs(&layout, state);
    place_footer(&layout, state);
    view_ops(state->shown.view)->layout(&layout, state);
    return layout;
}

// Do numbers fit into cells?
static bool shows_values(const PageLayout *layout)
{
    return layout->map_count && layout->room.fit >= VALUE_WIDE && layout->room.fit_height >= VALUE_HIGH;
}

// With large type, tabs and title are dropped before labels and numbers of the map, and then the panel.
PageLayout layout_of(const State *state)
{
    const double wide = 640, high = 460; // points; below that labels are dropped, too
    PageLayout usual = laid_out(state, false, false);
    if (state->camera.zoom <= 1 || shows_values(&usual)) return usual;
    PageLayout close = laid_out(state, true, false);
    if (shows_values(&close)) return close;
    PageLayout alone = laid_out(state, true, true);
    if (shows_values(&alone)) return alone;
    return usual.width <= wide || usual.height <= high ? close : usual;
}

Hit layout_hit(const PageLayout *layout, const State *state, const Derived *derived, double x, double y)
{
    const ViewOps *ops = view_ops(state->shown.view);
    for (int v = 0; v < VIEWS; v++)
        if (layout_holds(layout->tabs[v], x, y)) return (Hit){ .kind = HIT_TAB, .view = (ViewKind)v };
    if (layout_holds(layout->sentence, x, y)) return (Hit){ .kind = HIT_SENTENCE };
    int head = layout_thumb_at(layout, state, derived, x, y);
    if (head >= 0) return (Hit){ .kind = HIT_HEAD, .head = head };
    return ops->hit ? ops->hit(layout, state, x, y) : (Hit){ .kind = HIT_NONE };
}
