// What the command line asks of a state.
#include "viz/options.h"

#include <stdio.h>
#include <string.h>

static bool apply_choices(State *state, const ViewerOptions *o, Error *error)
{
    if (o->scale >= 0) state->scale = (Scale)o->scale;
    if (o->colors >= 0) state->colors = (ColorMap)o->colors;
    if (o->sort == SORT_CELL && !o->cell) return error_set(error, "--sort cell needs --cell, such as --cell 0,0");
    if (o->find) {
        HeadCell pinned = state->pinned;
        *state = state_sought(*state, o->find);
        if (state->said) return error_set(error, "--find %s: that is not among the words of these maps", o->find);
        if (o->cell) state->pinned = pinned;
    }
    if (o->sort == SORT_FOUND && !state_can_sort_by_found(state))
        return error_set(error, "--sort found needs --find with two words, such as --find \"it > animal\"");
    if (o->sort == SORT_ADDS && !state_can_sort_by_adds(state))
        return error_set(error, "--sort adds: %s has no next token that heads add to; a causal model is needed",
                         state->document->title);
    if (o->sort >= 0) state->sort = o->sort;
    if (o->made >= 0) {
        if (!made_possible(state->document, (MapReduction)o->made))
            return error_set(error, "--of %s: that cannot be made of %s", made_word((MapReduction)o->made),
                             state->document->title);
        state->made = (MapReduction)o->made;
    }
    if (o->stage >= 0) {
        Stage stage = (Stage)o->stage;
        if (!document_has_stage(state->document, stage))
            return error_set(error, "--stage: %s does not hold what that is made of", state->document->title);
        *state = state_turned(*state, VIEW_STAGES);
        state->stage = stage;
    }
    if (o->view >= 0) {
        if (!state_has_view(state, (ViewKind)o->view))
            return error_set(error, "--view: %s has nothing to show there", state->document->title);
        *state = state_turned(*state, (ViewKind)o->view);
    }
    return true;
}

static bool in_range(const char *flag, int value, int count, const char *what, Error *error)
{
    return value < count || error_set(error, "--%s %d: there are %d %s, counted from 0", flag, value, count, what);
}

// "1.2": layer 1 head 2.
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
    const Document *d = state->document;
    if (!d->live) return error_set(error, "--off: heads can be switched off in a model only, not in %s", d->title);
    for (int layer, head, length; *list; list += *list == ',') {
        if (!head_at(d, "off", list, &layer, &head, &length, error)) return false;
        if (layer * d->heads + head < STATE_HEADS_MOST) state->off[layer * d->heads + head] = 1;
        list += length;
        if (*list && *list != ',')
            return error_set(error, "--off: \"%s\" stands where a comma or the end is needed", list);
    }
    return true;
}

// Lines of these heads alone, of a layer where they are all of one.
static bool apply_only(State *state, const char *list, bool layers, Error *error)
{
    const Document *d = state->document;
    int all = d->layers * d->heads;
    bool one = true;
    memset(state->unlit, 1, (size_t)(all < STATE_HEADS_MOST ? all : STATE_HEADS_MOST));
    for (int layer, head, length; *list; list += *list == ',') {
        if (!head_at(d, "only", list, &layer, &head, &length, error)) return false;
        if (layer * d->heads + head < STATE_HEADS_MOST) state->unlit[layer * d->heads + head] = 0;
        one = one && layer == state->layer;
        list += length;
        if (*list && *list != ',')
            return error_set(error, "--only: \"%s\" stands where a comma or the end is needed", list);
    }
    if (!layers) state->lines = one && d->heads > 1 ? LINES_LAYER : d->layers > 1 ? LINES_LAYERS : LINES_HEAD;
    return true;
}

static bool apply_lines(State *state, const ViewerOptions *o, Error *error)
{
    const char *title = state->document->title;
    bool map = o->view == VIEW_HEAD || o->view == VIEW_COMPARE;
    if (map && o->parts > 0 && o->lines < 0 && !o->only && !o->by_key && state_has_parts(state)) {
        state->parts = (SentencePair)o->parts;
        return true;
    }
    if (o->lines < 0 && !o->only && !o->by_key && o->parts <= 0) return true;
    if (!state_has_view(state, VIEW_LINES))
        return error_set(error, "--view lines: %s has nothing to show there", title);
    if (o->view < 0) *state = state_turned(*state, VIEW_LINES);
    if (o->lines >= 0 && !state_has_lines(state, (LinesOf)o->lines))
        return error_set(error, "--lines %s: %s has not so many", lines_word((LinesOf)o->lines), title);
    if (o->lines >= 0) state->lines = (LinesOf)o->lines;
    if (o->only && !apply_only(state, o->only, o->lines >= 0, error)) return false;
    state->pinned_key = o->by_key;
    if (o->parts > 0 && !state_has_parts(state))
        return error_set(error, "--parts: the words of %s are of one sentence", title);
    if (o->parts >= 0) state->parts = (SentencePair)o->parts;
    return true;
}

static bool apply_cell(State *state, const char *word, Error *error)
{
    const Document *d = state->document;
    char rest;
    int row, col;
    if (sscanf(word, "%d,%d%c", &row, &col, &rest) != 2 || row < 0 || col < 0 || row >= d->T || col >= d->S)
        return error_set(error, "--cell %s: query,key is needed, such as 0,0; there are %d × %d", word, d->T, d->S);
    state->pinned = (HeadCell){ row, col };
    return true;
}

bool viewer_options_apply(State *state, const ViewerOptions *o, Error *error)
{
    const Document *d = state->document, *other = state->other ? state->other : d;
    int length;
    const char *layers = d->layers == 1 ? "layer" : "layers", *heads = d->heads == 1 ? "head" : "heads";
    if (o->layer >= 0 && !in_range("layer", o->layer, d->layers, layers, error)) return false;
    if (o->head >= 0 && !in_range("head", o->head, d->heads, heads, error)) return false;
    const char *frames = d->walk.frames && mat_empty(d->walk.tiles) ? "steps" : "tiles";
    if (o->frame >= 0 && !in_range("frame", o->frame, d->walk.frames, frames, error)) return false;
    if (o->cell && !apply_cell(state, o->cell, error)) return false;
    if (o->off && !apply_off(state, o->off, error)) return false;
    if (o->off_by >= 0) state->off_by = (AblationKind)o->off_by;
    if (o->layer >= 0) state->layer = o->layer;
    if (o->head >= 0) state->head = o->head;
    if (state->other) { // the same head of the second file, if it has that
        state->other_layer = state->layer < other->layers ? state->layer : other->layers - 1;
        state->other_head = state->head < other->heads ? state->head : other->heads - 1;
    }
    if (o->frame >= 0) state->frame = o->frame;
    if (o->hide >= 0) state->hide = o->hide;
    state->largest = o->largest;
    state->zoom = o->zoom;
    state->dark = o->dark;
    state->bare = o->bare;
    state->formulas = o->formulas;
    return apply_choices(state, o, error) && apply_lines(state, o, error) &&
           (!o->other || head_at(other, "other", o->other, &state->other_layer, &state->other_head, &length, error));
}
