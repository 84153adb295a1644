// Applies the command line to a state.
#include "viz/options.h"

#include "viz/update.h"
#include "viz/views.h"

#include <stdio.h>
#include <string.h>

static bool apply_choices(State *state, const ViewerOptions *o, Error *error)
{
    if (o->scale >= 0) state->shown.scale = (Scale)o->scale;
    if (o->colors >= 0) state->shown.colors = (ColorMap)o->colors;
    if (o->sort == SORT_CELL && !o->cell) return error_set(error, "--sort cell needs --cell, such as --cell 0,0");
    if (o->find) {
        HeadCell pinned = state->selection.pinned;
        *state = state_with_find(*state, o->find);
        if (state->message.error)
            return error_set(error, "--find %s: that is not among the words of these maps", o->find);
        if (o->cell) state->selection.pinned = pinned;
    }
    if (o->sort == SORT_FOUND && !state_can_sort_by_found(state))
        return error_set(error, "--sort found needs --find with two words, such as --find \"it > animal\"");
    if (o->sort == SORT_ADDS && !state_can_sort_by_adds(state))
        return error_set(error, "--sort adds: %s has no next token that heads add to; a causal model is needed",
                         state->shown.document->title);
    if (o->sort >= 0) state->shown.sort = o->sort;
    if (o->reduction >= 0) {
        if (!reduction_possible(state->shown.document, (MapReduction)o->reduction))
            return error_set(error, "--of %s: that cannot be made of %s", reduction_word((MapReduction)o->reduction),
                             state->shown.document->title);
        state->shown.reduction = (MapReduction)o->reduction;
    }
    if (o->stage >= 0) {
        Stage stage = (Stage)o->stage;
        if (!document_has_stage(state->shown.document, stage))
            return error_set(error, "--stage: %s does not hold what that is made of", state->shown.document->title);
        *state = state_with_view(*state, VIEW_STAGES);
        state->shown.stage = stage;
    }
    if (o->view >= 0) {
        if (!state_has_view(state, (ViewKind)o->view))
            return error_set(error, "--view: %s has nothing to show there", state->shown.document->title);
        *state = state_with_view(*state, (ViewKind)o->view);
    }
    return true;
}

static bool in_range(const char *flag, int value, int count, const char *what, Error *error)
{
    return value < count || error_set(error, "--%s %d: there are %d %s, counted from 0", flag, value, count, what);
}

// Parses "1.2": layer 1 head 2.
static bool head_at(const Document *d, const char *flag, const char *word, int *layer, int *head, int *length,
                    Error *error)
{
    *length = 0;
    bool two = sscanf(word, "%d.%d%n", layer, head, length) == 2;
    if (two && *layer >= 0 && *head >= 0 && *layer < d->layers && *head < d->heads) return true;
    return error_set(error, "--%s %s: layer.head is needed, such as 0.1, from %d layer%s of %d head%s", flag, word,
                     d->layers, d->layers == 1 ? "" : "s", d->heads, d->heads == 1 ? "" : "s");
}

static bool apply_off(State *state, const char *list, Error *error)
{
    const Document *d = state->shown.document;
    if (!d->live) return error_set(error, "--off: heads can be switched off in a model only, not in %s", d->title);
    for (int layer, head, length; *list; list += *list == ',') {
        if (!head_at(d, "off", list, &layer, &head, &length, error)) return false;
        if (layer * d->heads + head < MAPS_MOST) state->shown.ablated[layer * d->heads + head] = 1;
        list += length;
        if (*list && *list != ',')
            return error_set(error, "--off: \"%s\" stands where a comma or the end is needed", list);
    }
    return true;
}

// --only: Lines of these heads; of a layer if all are in one.
static bool apply_only(State *state, const char *list, bool layers, Error *error)
{
    const Document *d = state->shown.document;
    int all = d->layers * d->heads;
    bool one = true;
    memset(state->shown.hidden_heads, 1, (size_t)(all < MAPS_MOST ? all : MAPS_MOST));
    for (int layer, head, length; *list; list += *list == ',') {
        if (!head_at(d, "only", list, &layer, &head, &length, error)) return false;
        if (layer * d->heads + head < MAPS_MOST) state->shown.hidden_heads[layer * d->heads + head] = 0;
        one = one && layer == state->shown.layer;
        list += length;
        if (*list && *list != ',')
            return error_set(error, "--only: \"%s\" stands where a comma or the end is needed", list);
    }
    if (!layers) state->shown.lines = one && d->heads > 1 ? LINES_LAYER : d->layers > 1 ? LINES_LAYERS : LINES_HEAD;
    return true;
}

static bool apply_lines(State *state, const ViewerOptions *o, Error *error)
{
    const char *title = state->shown.document->title;
    bool map = o->view == VIEW_HEAD || o->view == VIEW_COMPARE;
    if (map && o->pair > 0 && o->lines < 0 && !o->only && !o->by_key && state_has_pairs(state)) {
        state->shown.pair = (SentencePair)o->pair;
        return true;
    }
    if (o->lines < 0 && !o->only && !o->by_key && o->pair <= 0) return true;
    if (!state_has_view(state, VIEW_LINES))
        return error_set(error, "--view lines: %s has nothing to show there", title);
    if (o->view < 0) *state = state_with_view(*state, VIEW_LINES);
    if (o->lines >= 0 && !state_has_lines(state, (LinesScope)o->lines))
        return error_set(error, "--lines %s: %s has not so many", lines_scope_word((LinesScope)o->lines), title);
    if (o->lines >= 0) state->shown.lines = (LinesScope)o->lines;
    if (o->only && !apply_only(state, o->only, o->lines >= 0, error)) return false;
    state->selection.pinned_by_key = o->by_key;
    if (o->pair > 0 && !state_has_pairs(state))
        return error_set(error, "--parts: the words of %s are of one sentence", title);
    if (o->pair >= 0) state->shown.pair = (SentencePair)o->pair;
    return true;
}

static bool apply_cell(State *state, const char *word, Error *error)
{
    const Document *d = state->shown.document;
    char rest;
    int row, col;
    if (sscanf(word, "%d,%d%c", &row, &col, &rest) != 2 || row < 0 || col < 0 || row >= d->T || col >= d->S)
        return error_set(error, "--cell %s: query,key is needed, such as 0,0; there are %d × %d", word, d->T, d->S);
    state->selection.pinned = (HeadCell){ row, col };
    return true;
}

bool viewer_options_apply(State *state, const ViewerOptions *o, Error *error)
{
    const Document *d = state->shown.document, *other = state->shown.other_document ? state->shown.other_document : d;
    int length;
    const char *layers = d->layers == 1 ? "layer" : "layers", *heads = d->heads == 1 ? "head" : "heads";
    if (o->layer >= 0 && !in_range("layer", o->layer, d->layers, layers, error)) return false;
    if (o->head >= 0 && !in_range("head", o->head, d->heads, heads, error)) return false;
    const char *frames = d->walk.frames && mat_empty(d->walk.tiles) ? "steps" : "tiles";
    if (o->frame >= 0 && !in_range("frame", o->frame, d->walk.frames, frames, error)) return false;
    if (o->cell && !apply_cell(state, o->cell, error)) return false;
    if (o->off && !apply_off(state, o->off, error)) return false;
    if (o->ablation >= 0) state->shown.ablation = (AblationKind)o->ablation;
    if (o->layer >= 0) state->shown.layer = o->layer;
    if (o->head >= 0) state->shown.head = o->head;
    if (state->shown.other_document) { // the same head in the second file, if it exists
        state->shown.other_layer = state->shown.layer < other->layers ? state->shown.layer : other->layers - 1;
        state->shown.other_head = state->shown.head < other->heads ? state->shown.head : other->heads - 1;
    }
    if (o->frame >= 0) state->shown.frame = o->frame;
    if (o->hide >= 0) state->shown.hide_keys = o->hide;
    state->shown.use_largest = o->largest;
    state->camera.zoom = o->zoom;
    state->display.dark = o->dark;
    state->display.bare = o->bare;
    state->display.formulas = o->formulas;
    return apply_choices(state, o, error) && apply_lines(state, o, error) &&
           (!o->other ||
            head_at(other, "other", o->other, &state->shown.other_layer, &state->shown.other_head, &length, error));
}
