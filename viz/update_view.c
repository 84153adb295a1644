// Which view, head and cell are shown, and what must hold for every state.
#include "viz/update_internal.h"

#include <string.h>

static int clamp(int n, int most) { return n < 0 ? 0 : n > most ? most : n; }

static bool has_walk(const Document *d) { return d->walk.frames > 0; }

static bool is_aligned_cell(const State *state, HeadCell spot)
{
    int rows = state->shown.aligned ? state->shown.aligned->rows.count : state->shown.document->T;
    int cols = state->shown.aligned ? state->shown.aligned->cols.count : state->shown.document->S;
    return spot.row >= 0 && spot.col >= 0 && spot.row < rows && spot.col < cols;
}

// Makes the state valid for its document, which may have been replaced.
State update_fit(State state)
{
    const Document *d = state.shown.document;
    state.shown.layer = clamp(state.shown.layer, d->layers - 1);
    state.shown.head = clamp(state.shown.head, d->heads - 1);
    const Document *other = state.shown.other_document ? state.shown.other_document : d;
    state.shown.other_layer = clamp(state.shown.other_layer, other->layers - 1);
    state.shown.other_head = clamp(state.shown.other_head, other->heads - 1);
    if (state.selection.pinned.row >= d->T || state.selection.pinned.col >= d->S) state.selection.pinned = NO_CELL;
    if (state.selection.hover.row >= d->T || state.selection.hover.col >= d->S) state.selection.hover = NO_CELL;
    if (!is_aligned_cell(&state, state.selection.hover_aligned)) state.selection.hover_aligned = NO_CELL;
    if (state.shown.view != VIEW_COMPARE || !is_aligned_cell(&state, state.selection.pinned_aligned))
        state.selection.pinned_aligned = NO_CELL;
    if (!state_has_lines(&state, state.shown.lines)) state.shown.lines = LINES_HEAD;
    if (!state_has_pairs(&state)) state.shown.pair = PAIR_ALL;
    if (state.shown.kind >= d->kind_count) state.shown.kind = d->kind_at;
    if (state.shown.sort == SORT_CELL && !state_can_sort_by_cell(&state)) state.shown.sort = SORT_NONE;
    if (state.shown.sort == SORT_FOUND && !state_can_sort_by_found(&state)) state.shown.sort = SORT_NONE;
    if (state.shown.sort == SORT_ADDS && !state_can_sort_by_adds(&state)) state.shown.sort = SORT_NONE;
    if (!state_has_view(&state, state.shown.view)) state.shown.view = VIEW_HEAD;
    if (!document_has_stage(d, state.shown.stage)) state.shown.stage = STAGE_WEIGHTS;
    state.shown.frame = has_walk(d) ? clamp(state.shown.frame, d->walk.frames - 1) : 0;
    if (state.shown.ablation == ABLATE_HELD && !state.shown.held) state.shown.ablation = ABLATE_ZERO;
    if (state.shown.view != VIEW_TILES) state.shown.playing = false;
    if (!d->live && state.editing.typing == TYPING_SENTENCE) state.editing.typing = TYPING_NOTHING;
    if (!state.editing.typing) state.editing.selected = false;
    return state;
}

State state_of(StateBuffers *buffers, const Document *document, double width, double height, double pixels)
{
    buffers->sentence[0] = buffers->path[0] = buffers->find_text[0] = 0;
    memset(buffers->hidden_heads, 0, sizeof buffers->hidden_heads);
    memset(buffers->ablated, 0, sizeof buffers->ablated);
    State state = {
        .camera = { .width = width, .height = height, .pixels = pixels, .zoom = 1 },
        .shown = { .document = document,
                   .sort = SORT_NONE,
                   .stage = STAGE_WEIGHTS,
                   .kind = document->kind_at,
                   .hidden_heads = buffers->hidden_heads,
                   .ablated = buffers->ablated },
        .mouse = { .x = -1, .y = -1 },
        .selection = { NO_CELL, NO_CELL, .hover_aligned = NO_CELL, .pinned_aligned = NO_CELL },
        .editing = { .sentence = buffers->sentence,
                     .path = buffers->path,
                     .find_text = buffers->find_text,
                     .found = -1 },
    };
    state.shown.view = has_walk(document) ? VIEW_TILES : VIEW_HEAD;
    return update_fit(state);
}

State update_view(State state, ViewKind view)
{
    if (!state_has_view(&state, view)) return state;
    if (state.shown.view != view && view_ops(view)->enter) view_ops(view)->enter(&state);
    state.shown.view = view;
    return state;
}

State state_with_view(State state, ViewKind view) { return update_fit(update_view(state, view)); }

// Are cells shown and pinned in this view?
bool update_has_cells(const State *state)
{
    const ViewOps *ops = view_ops(state->shown.view);
    return ops->has_cells && ops->has_cells(state);
}

State update_next_view(State state, int step)
{
    int view = (int)state.shown.view;
    do view = (view + step + VIEWS) % VIEWS;
    while (!state_has_view(&state, (ViewKind)view));
    return update_view(state, (ViewKind)view);
}

// Scrolls so that the pinned cell is seen.
State update_reveal(State state)
{
    const ViewOps *ops = view_ops(state.shown.view);
    PageLayout layout = layout_of(&state);
    if (state_pinned_cell(&state).row >= 0 && update_has_cells(&state)) ops->reveal(&state, &layout, NULL);
    return state;
}

// The heads that T and Shift+T affect: those of the layer, or all if all layers are shown.
static void range_of_lines(const State *state, int *from, int *to)
{
    int heads = state->shown.document->heads;
    bool all = state->shown.lines == LINES_LAYERS;
    *from = all ? 0 : state->shown.layer * heads;
    *to = all ? state_heads(state) : *from + heads;
    if (*to > MAPS_MOST) *to = MAPS_MOST;
}

State update_head_hidden(State state, int head)
{
    if (head < MAPS_MOST) state.shown.hidden_heads[head] ^= 1;
    return state;
}

// Draws this head alone, or all if it is alone already.
State update_head_alone(State state, int head)
{
    int from, to;
    bool alone = head < MAPS_MOST && !state.shown.hidden_heads[head];
    range_of_lines(&state, &from, &to);
    for (int h = from; h < to; h++) alone = alone && (h == head || state.shown.hidden_heads[h]);
    for (int h = from; h < to; h++) state.shown.hidden_heads[h] = !alone && h != head;
    return state;
}
