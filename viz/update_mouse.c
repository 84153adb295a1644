// The mouse: hovering, pinning, dragging and zooming.
#include "base/portable_math.h"
#include "viz/update_internal.h"

static bool is_outside(const State *state) { return state->mouse.x < 0 || state->mouse.y < 0; }

static Hit hit_at(const State *state, const PageLayout *layout, const Derived *derived)
{
    return layout_hit(layout, state, derived, state->mouse.x / state->camera.zoom, state->mouse.y / state->camera.zoom);
}

// Where Lines show several kinds of attention, pointing at one of them chooses it, unless a cell is pinned.
State update_hover(State state)
{
    Selection *selection = &state.selection;
    selection->hover = selection->hover_aligned = NO_CELL;
    selection->hover_by_key = false;
    if (is_outside(&state) || !update_has_cells(&state)) return state;
    PageLayout layout = layout_of(&state);
    const ViewOps *ops = view_ops(state.shown.view);
    Hit hit = ops->hit(&layout, &state, state.mouse.x / state.camera.zoom, state.mouse.y / state.camera.zoom);
    if (hit.kind != HIT_CELL) return state;
    if (state.shown.view == VIEW_LINES && hit.attention != state.shown.document->kind_at) {
        if (selection->pinned.row < 0) state.shown.kind = hit.attention;
        return state;
    }
    selection->hover = hit.cell;
    selection->hover_by_key = hit.by_key;
    if (state.shown.view != VIEW_LINES) selection->hover_aligned = hit.cell;
    if (state.shown.view == VIEW_COMPARE) selection->hover = state_unalign(&state, hit.cell);
    return state;
}

// Pans a zoomed map; the pressed cell stays under the mouse.
static State drag(State state, double x, double y)
{
    PageLayout layout = layout_of(&state);
    const MapPlace *map = &layout.maps[0];
    if (!state.mouse.moved) {
        state.mouse.x = state.mouse.pressed_x;
        state.mouse.y = state.mouse.pressed_y;
    }
    state.mouse.moved = true;
    if (!layout.map_count || !(map->cell_width > layout.room.fit)) return state;
    state.camera.col = map->col - (x - state.mouse.x) / state.camera.zoom / map->cell_width;
    state.camera.row = map->row - (y - state.mouse.y) / state.camera.zoom / map->cell_height;
    return state;
}

static State move_mouse(State state, double x, double y)
{
    bool drags = state.mouse.moved || hypot(x - state.mouse.pressed_x, y - state.mouse.pressed_y) > 3;
    if (state.mouse.dragging && drags) state = drag(state, x, y);
    state.mouse.x = x;
    state.mouse.y = y;
    return state;
}

static State press(State state, double x, double y, const Derived *derived)
{
    const Document *d = state.shown.document;
    state.mouse.x = x;
    state.mouse.y = y;
    state.message.status = NULL;
    if (state.display.help) {
        state.display.help = false;
        return state;
    }
    PageLayout layout = layout_of(&state);
    Hit hit = hit_at(&state, &layout, derived);
    if (hit.kind == HIT_TAB) return layout.close ? update_next_view(state, 1) : update_view(state, hit.view);
    Typing typing = state.editing.typing ? state.editing.typing : d->live ? TYPING_SENTENCE : TYPING_PATH;
    if (hit.kind == HIT_SENTENCE) return update_begin_typing(state, typing);
    state.editing.typing = TYPING_NOTHING;
    if (hit.kind == HIT_SWATCH) return update_head_hidden(state, hit.head);
    if (hit.kind == HIT_STAGE) state.shown.stage = hit.stage;
    if (hit.kind == HIT_HEAD) {
        state.shown.layer = hit.head / d->heads;
        state.shown.head = hit.head % d->heads;
    }
    state.mouse.dragging = hit.kind == HIT_CELL;
    state.mouse.moved = false;
    state.mouse.pressed_x = x;
    state.mouse.pressed_y = y;
    return state;
}

// Press and release at one point pin or unpin a cell.
static State release(State state, double x, double y)
{
    bool clicked = state.mouse.dragging && !state.mouse.moved;
    state = update_hover(move_mouse(state, x, y));
    clicked = clicked && !state.mouse.moved;
    state.mouse.dragging = false;
    bool compares = state.shown.view == VIEW_COMPARE;
    HeadCell cell = compares ? state.selection.hover_aligned : state.selection.hover,
             before = state_pinned_cell(&state);
    if (!clicked || cell.row < 0) return state;
    bool same = before.row == cell.row && before.col == cell.col &&
                (compares || state.selection.pinned_by_key == state.selection.hover_by_key);
    state.selection.pinned = same ? NO_CELL : state.selection.hover;
    state.selection.pinned_aligned = same || !compares || state.selection.hover.row >= 0 ? NO_CELL : cell;
    state.selection.pinned_by_key = state.selection.hover_by_key;
    return state;
}

// Zooms map m; the cell at (x, y) stays there unless an edge of the map is reached.
static State zoom_at(State state, PageLayout *layout, int m, double x, double y, double notches)
{
    const MapPlace *map = &layout->maps[m];
    double row = map->row + (y - map->frame.y) / map->cell_height;
    double col = map->col + (x - map->frame.x) / map->cell_width;
    double fit = layout->room.fit;
    state.camera.cell_size = layout_clamp(map->cell_width * pow(1.2, notches), fit, fmax(64, fit));
    if (state.camera.cell_size <= fit) {
        state.camera.cell_size = state.camera.row = state.camera.col = 0;
        return state;
    }
    *layout = layout_of(&state); // the frame grows with the map
    state.camera.col = col - (x - map->frame.x) / map->cell_width;
    state.camera.row = row - (y - map->frame.y) / map->cell_height;
    return state;
}

State update_zoom(State state, double notches)
{
    PageLayout layout = layout_of(&state);
    const MapPlace *map = &layout.maps[0];
    if (!layout.map_count) return state;
    CanvasRect f = map->frame;
    double x = f.x + f.width / 2, y = f.y + f.height / 2;
    HeadCell cell = state_pinned_cell(&state);
    double cell_x = f.x + (cell.col + 0.5 - map->col) * map->cell_width;
    double cell_y = f.y + (cell.row + 0.5 - map->row) * map->cell_height;
    bool seen = cell.row >= 0 && layout_holds(f, cell_x, cell_y);
    return zoom_at(state, &layout, 0, seen ? cell_x : x, seen ? cell_y : y, notches);
}

static State turn_wheel(State state, double notches)
{
    const ViewOps *ops = view_ops(state.shown.view);
    PageLayout layout = layout_of(&state);
    double x = state.mouse.x / state.camera.zoom, y = state.mouse.y / state.camera.zoom;
    if (is_outside(&state)) return state;
    if (layout.strip && layout_holds(layout.thumbs.frame, x, y)) {
        state.camera.scroll = layout_scrolled(&layout, -40 * notches);
        return state;
    }
    if (ops->wheel) {
        ops->wheel(&state, &layout, notches);
        return state;
    }
    int m = 0;
    while (m < layout.map_count && !layout_holds(layout.maps[m].frame, x, y)) m++;
    return m == layout.map_count ? state : zoom_at(state, &layout, m, x, y, notches);
}

// A second click on a head opens it, and on a swatch draws that head alone; elsewhere it is a click like the first.
static State double_click(State state, double x, double y, const Derived *derived)
{
    State at = state;
    at.mouse.x = x;
    at.mouse.y = y;
    PageLayout layout = layout_of(&state);
    Hit hit = hit_at(&at, &layout, derived);
    if (hit.kind == HIT_SWATCH) return update_head_alone(update_head_hidden(state, hit.head), hit.head);
    state = press(state, x, y, derived);
    return hit.kind == HIT_HEAD ? update_view(state, VIEW_HEAD) : state;
}

State update_mouse(State state, Event event, const Derived *derived)
{
    switch (event.kind) {
    case EVENT_MOVE: return move_mouse(state, event.x, event.y);
    case EVENT_PRESS: return press(state, event.x, event.y, derived);
    case EVENT_RELEASE: return release(state, event.x, event.y);
    case EVENT_DOUBLE: return double_click(state, event.x, event.y, derived);
    case EVENT_WHEEL: return turn_wheel(state, event.wheel);
    default: state.mouse.x = state.mouse.y = -1; return state; // EVENT_LEAVE
    }
}
