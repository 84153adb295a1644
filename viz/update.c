// update: keys, and what every event requires afterwards.
#include "base/portable_math.h"
#include "viz/update_internal.h"

#include <string.h>

static int clamp(int n, int most) { return n < 0 ? 0 : n > most ? most : n; }

static bool has_walk(const Document *d) { return d->walk.frames > 0; }

// ---- views, heads and cells ------------------------------------------------------------------------------------------

// The view that Esc returns to.
static ViewKind home_view(const State *state)
{
    return state_heads(state) > 1 ? VIEW_HEADS : has_walk(state->shown.document) ? VIEW_TILES : VIEW_HEAD;
}

static State next_stage(State state, int step)
{
    if (!state_has_view(&state, VIEW_STAGES)) return state;
    if (state.shown.view != VIEW_STAGES) return update_view(state, VIEW_STAGES);
    int next = (int)state.shown.stage + step;
    while (next >= 0 && next < STAGES && !document_has_stage(state.shown.document, (Stage)next)) next += step;
    if (next >= 0 && next < STAGES) state.shown.stage = (Stage)next;
    return state;
}

// Moves the pin in aligned indices; the first document may not have the cell.
static State move_aligned_cell(State state, int down, int right)
{
    HeadCell spot = state_aligned_cell(&state);
    if (spot.row < 0) spot = (HeadCell){ 0, 0 };
    else
        spot = (HeadCell){ clamp(spot.row + down, state.shown.aligned->rows.count - 1),
                           clamp(spot.col + right, state.shown.aligned->cols.count - 1) };
    state.selection.pinned = state_unalign(&state, spot);
    state.selection.pinned_aligned = state.selection.pinned.row < 0 ? spot : NO_CELL;
    return update_reveal(state);
}

static State move_cell(State state, int down, int right)
{
    if (state.shown.view == VIEW_COMPARE && state.shown.aligned) return move_aligned_cell(state, down, right);
    HeadCell cell = state_cell(&state);
    if (cell.row < 0) cell = (HeadCell){ 0, 0 };
    else
        cell = (HeadCell){ clamp(cell.row + down, state.shown.document->T - 1),
                           clamp(cell.col + right, state.shown.document->S - 1) };
    state.selection.pinned = cell;
    return update_reveal(state);
}

static State arrow(State state, Event event, const Derived *derived)
{
    Key key = event.key;
    const ViewOps *ops = view_ops(state.shown.view);
    int right = key == KEY_RIGHT ? 1 : key == KEY_LEFT ? -1 : 0, down = key == KEY_DOWN ? 1 : key == KEY_UP ? -1 : 0;
    PageLayout layout = layout_of(&state);
    if (event.alt) {
        ops->pan(&state, &layout, down, right);
        return state;
    }
    if (event.ctrl && update_has_cells(&state)) return move_cell(state, down, right);
    if (ops->arrow && ops->arrow(&state, &layout, derived, event.shift, down, right)) return state;
    if (event.shift && update_has_cells(&state)) return move_cell(state, down, right);
    state.shown.head += right;
    state.shown.layer += down;
    return state;
}

static State go_back(State state)
{
    if (state.message.error) state.message.error = NULL;
    else if (state.selection.pinned_aligned.row >= 0) state.selection.pinned_aligned = NO_CELL;
    else if (state.selection.pinned.row >= 0 && update_has_cells(&state)) state.selection.pinned = NO_CELL;
    else if (state.camera.cell_size > 0 && !view_ops(state.shown.view)->wheel)
        state.camera.cell_size = state.camera.row = state.camera.col = 0;
    else if (state.editing.find.any) {
        state.editing.find_text[0] = 0;
        state = update_find(state);
    } else if (state.shown.view != home_view(&state)) state = update_view(state, home_view(&state));
    else state.message.status = "Q or Ctrl+Q quits.";
    return state;
}

// Resets scales, sizes and selections. View, head, sentence, ablation and window stay.
static State reset(State state)
{
    DocumentView *shown = &state.shown;
    state.camera.scroll = state.camera.cell_size = state.camera.row = state.camera.col = 0;
    shown->stage = STAGE_WEIGHTS;
    shown->frame = 0;
    shown->playing = false;
    shown->scale = shown->usual_scale;
    shown->colors = (ColorMap)0;
    shown->use_largest = false;
    shown->hide_keys = 0;
    shown->sort = SORT_NONE;
    shown->lines = LINES_HEAD;
    shown->pair = PAIR_ALL;
    memset(shown->hidden_heads, 0, MAPS_MOST);
    state.selection.pinned = state.selection.pinned_aligned = NO_CELL;
    state.editing.find_text[0] = 0;
    if (state.editing.typing == TYPING_FIND) state.editing.caret = 0;
    return state;
}

static State toggle_compare(State state)
{
    return update_view(state, state.shown.view == VIEW_COMPARE ? VIEW_HEAD : VIEW_COMPARE);
}

static State next_sort(State state)
{
    do state.shown.sort = state.shown.sort < SORT_ROLE ? state.shown.sort + 1 : SORT_NONE;
    while ((state.shown.sort == SORT_CELL && !state_can_sort_by_cell(&state)) ||
           (state.shown.sort == SORT_FOUND && !state_can_sort_by_found(&state)) ||
           (state.shown.sort == SORT_ADDS && !state_can_sort_by_adds(&state)));
    return state;
}

// From a head without a role to the next one that has any.
static bool has_role_of(const State *state, const Derived *derived, int head, int of)
{
    if (!state_role_name(state, derived, of)) return state_role_name(state, derived, head);
    return state_shares_role(state, derived, head, of);
}

static State next_of_role(State state, const Derived *derived)
{
    int heads = state.shown.document->heads, count = state_heads(&state),
        at = state.shown.layer * heads + state.shown.head;
    for (int step = 1; step < count; step++) {
        int head = (at + step) % count;
        if (!has_role_of(&state, derived, head, at)) continue;
        state.shown.layer = head / heads;
        state.shown.head = head % heads;
        if (state.shown.view == VIEW_HEADS) {
            PageLayout layout = layout_of(&state);
            view_ops(VIEW_HEADS)->reveal(&state, &layout, derived);
        }
        return state;
    }
    bool known = state.shown.document->roles || (derived && derived_summaries_ready(derived) == count);
    state.message.status = known ? "No other head has this role." : "What the heads do is not known yet.";
    return state;
}

// The next possible reduction.
static State next_reduction(State state)
{
    const Document *of = state.shown.document->reduced_from ? state.shown.document->reduced_from : state.shown.document;
    do state.shown.reduction = (MapReduction)((state.shown.reduction + 1) % REDUCTIONS);
    while (!reduction_possible(of, state.shown.reduction));
    return state;
}

// ---- Lines -----------------------------------------------------------------------------------------------------------

static State next_lines(State state)
{
    if (state.shown.view != VIEW_LINES) return update_view(state, VIEW_LINES);
    do state.shown.lines = (LinesScope)((state.shown.lines + 1) % LINES_SCOPES);
    while (!state_has_lines(&state, state.shown.lines));
    return state;
}

// T and Shift+T: for the current head.
static State toggle_head_drawn(State state, bool alone)
{
    int head = state.shown.layer * state.shown.document->heads + state.shown.head;
    if (state.shown.view != VIEW_LINES || state.shown.lines == LINES_HEAD) {
        state.message.error = "Heads are drawn or not in Lines of several heads: L leads there.";
        return state;
    }
    return alone ? update_head_alone(state, head) : update_head_hidden(state, head);
}

// K: the pinned word as key (who attends to it), or as query.
static State toggle_by_key(State state)
{
    bool here = state.shown.view == VIEW_LINES;
    if (!state_has_view(&state, VIEW_LINES)) return state;
    bool by_key = !(here && state.selection.pinned.row >= 0 && state.selection.pinned_by_key);
    state = update_view(state, VIEW_LINES);
    state = move_cell(state, 0, 0);
    state.selection.pinned_by_key = by_key;
    return state;
}

static State next_pair(State state)
{
    if (state_has_pairs(&state)) {
        if (state.shown.view != VIEW_HEAD && state.shown.view != VIEW_COMPARE) state = update_view(state, VIEW_LINES);
        state.shown.pair = (SentencePair)((state.shown.pair + 1) % PAIRS);
    } else
        state.message.error =
            "These words are of one sentence: there is no [SEP] or </s> between two, and no segments.";
    return state;
}

static State next_kind(State state)
{
    int count = state.shown.document->kind_count;
    if (count > 1) state.shown.kind = (state.shown.kind + 1) % count;
    else
        state.message.error =
            "This file has attention of one kind; encoder, decoder and cross attention would be three.";
    return state;
}

// ---- a model ---------------------------------------------------------------------------------------------------------

static State toggle_held(State state)
{
    if (!state.shown.document->live) {
        state.message.error = "A sentence can be held only where a model is loaded: start the viewer without a file.";
        return state;
    }
    if (state.shown.other_document && !state.shown.held) {
        state.message.error = "A second file is open: there is no place for a second sentence.";
        return state;
    }
    state.shown.held = !state.shown.held;
    return state;
}

static State toggle_ablated(State state)
{
    if (!state.shown.document->live) {
        state.message.error =
            "A head can be switched off only where a model is loaded: start the viewer without a file.";
        return state;
    }
    if (state.shown.document->reduced_from &&
        state.shown.document->reduced_from->heads != state.shown.document->heads) {
        state.message.error =
            "This map is made of several heads: W goes on to the heads themselves, which can be switched off.";
        return state;
    }
    int at = state.shown.layer * state.shown.document->heads + state.shown.head;
    if (at < MAPS_MOST) state.shown.ablated[at] ^= 1;
    return state;
}

// Shift+A: ablated heads give zero, their mean, or their output in the held sentence.
static State next_ablation(State state)
{
    static const char *const notes[ABLATIONS] = {
        "Heads that are off give nothing.",
        "Heads that are off give their mean over this sentence.",
        "Heads that are off give what they gave in the held sentence.",
    };
    if (!state.shown.document->live) {
        state.message.error =
            "A head can be switched off only where a model is loaded: start the viewer without a file.";
        return state;
    }
    state.shown.ablation = (AblationKind)((state.shown.ablation + 1) % (state.shown.held ? ABLATIONS : ABLATE_HELD));
    state.message.status = notes[state.shown.ablation];
    return state;
}

// ---- keys ------------------------------------------------------------------------------------------------------------

static State toggle_playing(State state)
{
    if (!has_walk(state.shown.document)) return state;
    state = update_view(state, VIEW_TILES);
    state.shown.playing = !state.shown.playing;
    if (state.shown.playing && state.shown.frame == state.shown.document->walk.frames - 1) state.shown.frame = 0;
    return state;
}

// Enter: opens the head; in a map, pins the cell under the mouse.
static State open_or_pin(State state)
{
    if (state.shown.view == VIEW_HEADS) return update_view(state, VIEW_HEAD);
    return update_has_cells(&state) ? move_cell(state, 0, 0) : state;
}

static State key_down(State state, Event event, const Derived *derived)
{
    Key key = event.key;
    bool shift = event.shift;
    bool listed = state.display.help;
    if (key) state.display.help = false;
    if (listed && (key == KEY_BACK || key == KEY_HELP)) return state;
    if (state.editing.typing && update_is_for_line(key)) return update_typed(state, key);
    if (key != KEY_BACK) state.message.error = NULL;
    state.message.status = NULL;
    switch (key) {
    case KEY_LEFT:
    case KEY_RIGHT:
    case KEY_UP:
    case KEY_DOWN: return arrow(state, event, derived);
    case KEY_HOME: state.shown.head = state.shown.layer = state.shown.frame = 0; break;
    case KEY_END: state.shown.head = state.shown.layer = state.shown.frame = 1 << 20; break;
    case KEY_TAB: return update_next_view(state, shift ? -1 : 1);
    case KEY_BACK: return go_back(state);
    case KEY_ENTER: return open_or_pin(state);
    case KEY_FIT: state.camera.cell_size = state.camera.row = state.camera.col = 0; break;
    case KEY_RESET: return reset(state);
    case KEY_SCALE: state.shown.scale = (Scale)((state.shown.scale + 1) % SCALES); break;
    case KEY_COLORS: state.shown.colors = (ColorMap)((state.shown.colors + 1) % COLOR_DIVERGING); break;
    case KEY_STAGE_BEFORE: return next_stage(state, -1);
    case KEY_STAGE_AFTER: return next_stage(state, 1);
    case KEY_COMPARE: return toggle_compare(state);
    case KEY_ABLATE: return toggle_ablated(state);
    case KEY_ABLATION_KIND: return next_ablation(state);
    case KEY_PLAY: return toggle_playing(state);
    case KEY_LARGEST: state.shown.use_largest = !state.shown.use_largest; break;
    case KEY_HIDE:
        state.shown.hide_keys = state.shown.hide_keys == 0          ? 1
                                : state.shown.hide_keys < HIDE_MOST ? 2 * state.shown.hide_keys
                                                                    : 0;
        break;
    case KEY_SORT: return next_sort(state);
    case KEY_REDUCTION: return next_reduction(state);
    case KEY_LINES: return next_lines(state);
    case KEY_DRAW_HEAD: return toggle_head_drawn(state, false);
    case KEY_DRAW_ONLY_HEAD: return toggle_head_drawn(state, true);
    case KEY_BY_KEY: return toggle_by_key(state);
    case KEY_PAIR: return next_pair(state);
    case KEY_KIND: return next_kind(state);
    case KEY_HOLD: return toggle_held(state);
    case KEY_FIND: return update_begin_typing(state, TYPING_FIND);
    case KEY_NEXT_FOUND: return update_next_found(state, 1);
    case KEY_FOUND_BEFORE: return update_next_found(state, -1);
    case KEY_ROLE: return next_of_role(state, derived);
    case KEY_MAP_IN: return update_zoom(state, 2);
    case KEY_MAP_OUT: return update_zoom(state, -2);
    case KEY_DARK: state.display.dark = !state.display.dark; break;
    case KEY_FORMULAS: state.display.formulas = !state.display.formulas; break;
    case KEY_QUIT: state.quit = true; break;
    case KEY_TYPE: return update_begin_typing(state, TYPING_SENTENCE);
    case KEY_OPEN: return update_begin_typing(state, TYPING_PATH);
    case KEY_SAVE: state.command = COMMAND_SAVE_PNG; break;
    case KEY_SAVE_SVG: state.command = COMMAND_SAVE_SVG; break;
    case KEY_SAVE_PAGE: state.command = COMMAND_SAVE_PAGE; break;
    case KEY_COPY: state.command = state.shown.document->live ? COMMAND_COPY : COMMAND_NONE; break;
    case KEY_PASTE: return update_pasted(state);
    case KEY_FULL_SCREEN: state.command = COMMAND_FULL_SCREEN; break;
    case KEY_HELP: state.display.help = true; break;
    case KEY_ZOOM_IN: state.camera.zoom = layout_clamp(state.camera.zoom * 1.1, 0.5, 3); break;
    case KEY_ZOOM_OUT: state.camera.zoom = layout_clamp(state.camera.zoom / 1.1, 0.5, 3); break;
    case KEY_ZOOM_NONE: state.camera.zoom = 1; break;
    default: break;
    }
    return state;
}

// ---- all events ------------------------------------------------------------------------------------------------------

// Impossible window sizes are clamped.
static State resize(State state, double width, double height, double pixels)
{
    state.camera.width = layout_clamp(width, 1, 16384);
    state.camera.height = layout_clamp(height, 1, 16384);
    state.camera.pixels = layout_clamp(pixels, 0.25, fmin(8, 32000 / fmax(state.camera.width, state.camera.height)));
    return state;
}

static State show_error(State state, const char *sentence)
{
    state.message.error = sentence;
    state.message.status = NULL;
    return state;
}

// The second file follows the head of the first until another is chosen.
static State follow_first_head(State state, const State *before)
{
    bool same = before->shown.other_layer == before->shown.layer && before->shown.other_head == before->shown.head;
    bool chosen =
        state.shown.other_layer != before->shown.other_layer || state.shown.other_head != before->shown.other_head;
    if (!state.shown.other_document || !same || chosen) return state;
    state.shown.other_layer = state.shown.layer;
    state.shown.other_head = state.shown.head;
    return state;
}

State state_update(State state, Event event, const Derived *derived)
{
    if (!isfinite(event.x) || !isfinite(event.y) || !isfinite(event.wheel) || !isfinite(event.pixels)) return state;
    const State before = state;
    char find_text[TEXT_BYTES];
    memcpy(find_text, state.editing.find_text, strlen(state.editing.find_text) + 1);
    switch (event.kind) {
    case EVENT_KEY: state = key_down(state, event, derived); break;
    case EVENT_TEXT:
        if (state.editing.typing && event.text) state = update_insert(state, event.text);
        break;
    case EVENT_MOVE:
    case EVENT_LEAVE:
    case EVENT_PRESS:
    case EVENT_RELEASE:
    case EVENT_DOUBLE:
    case EVENT_WHEEL: state = update_mouse(state, event, derived); break;
    case EVENT_RESIZE: state = resize(state, event.x, event.y, event.pixels); break;
    case EVENT_TICK:
        if (state.shown.playing) state = state_next_frame(state, 1);
        break;
    case EVENT_DOCUMENT:
        state.shown.document = event.document;
        state.editing.find = find_words(state.shown.document, state.editing.find_text);
        break;
    case EVENT_ERROR: state = show_error(state, event.text); break;
    case EVENT_STATUS: state.message.status = event.text; break;
    default: break;
    }
    if (strcmp(state.editing.find_text, find_text)) state = update_find(state);
    return update_hover(update_fit(follow_first_head(update_fit(state), &before)));
}
