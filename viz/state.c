// Questions about a state.
#include "viz/state.h"

#include "base/portable_math.h"

#include <string.h>

const char *scale_name(Scale scale)
{
    static const char *const names[SCALES] = { "linear", "per head", "log", "times uniform" };
    return names[scale];
}

const char *scale_word(Scale scale)
{
    static const char *const words[SCALES] = { "linear", "head", "log", "uniform" };
    return words[scale];
}

const char *sort_word(int sort)
{
    static const char *const words[SORTS - SORT_CELL] = { "cell", "found", "adds", "role" };
    return sort < SORT_CELL ? summary_word((SummaryStat)sort) : words[sort - SORT_CELL];
}

const char *pair_word(SentencePair pair)
{
    static const char *const words[PAIRS] = { "all", "aa", "ab", "ba", "bb" };
    return words[pair];
}

const char *lines_scope_word(LinesScope lines)
{
    static const char *const words[LINES_SCOPES] = { "head", "layer", "layers", "kinds" };
    return words[lines];
}

const char *pair_name(SentencePair pair)
{
    static const char *const names[PAIRS] = { "all", "A → A", "A → B", "B → A", "B → B" };
    return names[pair];
}

static int clamp(int n, int most) { return n < 0 ? 0 : n > most ? most : n; }

int state_heads(const State *state) { return state->shown.document->layers * state->shown.document->heads; }

HeadCell state_cell(const State *state)
{
    return state->selection.pinned.row >= 0 ? state->selection.pinned : state->selection.hover;
}

bool state_by_key(const State *state)
{
    return state->selection.pinned.row >= 0 ? state->selection.pinned_by_key : state->selection.hover_by_key;
}

bool state_has_pairs(const State *state)
{
    return state->shown.document->query_sentence && state->shown.document->key_sentence;
}

bool pair_in_sentences(SentencePair parts, const Document *d, int query, int key)
{
    int from = parts == PAIR_BA || parts == PAIR_BB, to = parts == PAIR_AB || parts == PAIR_BB;
    if (parts == PAIR_ALL || !d->query_sentence || !d->key_sentence) return true;
    return (query < 0 || d->query_sentence[query] == from) && (key < 0 || d->key_sentence[key] == to);
}

bool state_has_lines(const State *state, LinesScope lines)
{
    const Document *d = state->shown.document;
    if (lines == LINES_KINDS) return d->kind_count > 1 && !d->reduced_from;
    return lines == LINES_HEAD || (lines == LINES_LAYER ? d->heads > 1 : d->layers > 1);
}

const char *state_line(const State *state)
{
    return state->editing.typing == TYPING_PATH   ? state->editing.path
           : state->editing.typing == TYPING_FIND ? state->editing.find_text
                                                  : state->editing.sentence;
}

State state_head_clamped(State state)
{
    state.shown.layer = clamp(state.shown.layer, state.shown.document->layers - 1);
    state.shown.head = clamp(state.shown.head, state.shown.document->heads - 1);
    return state;
}

State state_next_frame(State state, int step)
{
    int last = state.shown.document->walk.frames - 1;
    state.shown.frame = clamp(state.shown.frame + step, last);
    if (state.shown.frame == last) state.shown.playing = false;
    return state;
}

// ---- aligned cells ---------------------------------------------------------------------------------------------------

static int aligned_index(const AlignedAxis *along, int one)
{
    int at = 0;
    while (at < along->count - 1 && along->first[at] != one) at++;
    return at;
}

// Converts a cell to aligned indices and back.
HeadCell state_align(const State *state, HeadCell cell)
{
    if (!state->shown.aligned || cell.row < 0) return cell;
    return (HeadCell){ aligned_index(&state->shown.aligned->rows, cell.row),
                       aligned_index(&state->shown.aligned->cols, cell.col) };
}

HeadCell state_unalign(const State *state, HeadCell spot)
{
    if (!state->shown.aligned || spot.row < 0) return spot;
    HeadCell cell = { state->shown.aligned->rows.first[spot.row], state->shown.aligned->cols.first[spot.col] };
    return cell.row >= 0 && cell.col >= 0 ? cell : NO_CELL;
}

HeadCell state_aligned_cell(const State *state)
{
    if (state->selection.pinned_aligned.row >= 0) return state->selection.pinned_aligned;
    if (state->selection.pinned.row >= 0) return state_align(state, state->selection.pinned);
    return state->selection.hover_aligned.row >= 0 ? state->selection.hover_aligned
                                                   : state_align(state, state->selection.hover);
}

HeadCell state_pinned_cell(const State *state)
{
    if (state->shown.view != VIEW_COMPARE) return state->selection.pinned;
    return state->selection.pinned_aligned.row >= 0 || state->selection.pinned.row >= 0 ? state_aligned_cell(state)
                                                                                        : NO_CELL;
}

// ---- what is computed for it -----------------------------------------------------------------------------------------

DerivedWanted state_wanted(const State *state)
{
    DerivedWanted wanted = { { state->shown.layer, -1 }, { state->shown.head, -1 }, .all = state_heads(state) > 1 };
    if (state->shown.view == VIEW_COMPARE && !state->shown.other_document) {
        wanted.layer[1] = state->shown.other_layer;
        wanted.head[1] = state->shown.other_head;
    }
    return wanted;
}

DerivedWanted state_wanted_of_other(const State *state)
{
    return (DerivedWanted){ { state->shown.other_layer, -1 }, { state->shown.other_head, -1 }, .all = false };
}

// ---- values that sort heads ------------------------------------------------------------------------------------------

Find state_find_in(const State *state, const Document *d)
{
    return d == state->shown.document || !state->editing.find.any ? state->editing.find
                                                                  : find_words(d, state->editing.find_text);
}

bool state_can_sort_by_cell(const State *state)
{
    return state->selection.pinned.row >= 0 && !state->shown.document->reduced_from;
}

double state_cell_of_head(const State *state, int head)
{
    const Document *d = state->shown.document;
    int layer = head / d->heads, h = head % d->heads, row = state->selection.pinned.row,
        col = state->selection.pinned.col;
    if (document_hidden(d, layer, h, row, col)) return (double)NAN;
    return (double)field_at(document_maps(d), layer, h, row, col);
}

bool state_can_sort_by_found(const State *state)
{
    return !state->shown.document->reduced_from && find_cells(&state->editing.find, state->shown.document) > 0;
}

double state_found_of_head(const State *state, int head)
{
    const Document *d = state->shown.document;
    return find_sum(&state->editing.find, d, head / d->heads, head % d->heads);
}

bool state_can_sort_by_adds(const State *state) { return state->shown.document->can_add; }

double state_adds_of_head(const State *state, int head)
{
    return state->shown.document->adds ? (double)state->shown.document->adds[head] : (double)NAN;
}

// ---- roles -----------------------------------------------------------------------------------------------------------

int state_role(const State *state, const Derived *derived, int head)
{
    static const SummaryStat stats[] = { SUMMARY_PREVIOUS, SUMMARY_DIAGONAL, SUMMARY_INDUCTION, SUMMARY_FIRST };
    const Document *d = state->shown.document;
    const HeadSummary *summary = derived ? derived_summary(derived, head / d->heads, head % d->heads) : NULL;
    int role = -1;
    if (!summary || !summary->ready || d->of[FIELD_WEIGHTS] < 0 || d->unnormalized) return -1;
    for (int k = 0; k < 4; k++) {
        double value = summary->stats[stats[k]];
        if (value >= (role < 0 ? ROLE_LEAST : summary->stats[role]) && (role < 0 || value > summary->stats[role]))
            role = (int)stats[k];
    }
    return role;
}

const char *state_role_name(const State *state, const Derived *derived, int head)
{
    if (state->shown.document->roles) return state->shown.document->roles[head];
    int role = state_role(state, derived, head);
    return role < 0 ? NULL : summary_name((SummaryStat)role);
}

// Is the first role of a list, "it, verb", in another list?
static bool share_role(const char *one, const char *other)
{
    size_t length = strcspn(one, ",");
    for (; *other; other += strspn(other, ", ")) {
        size_t n = strcspn(other, ",");
        if (n == length && !memcmp(one, other, n)) return true;
        other += n;
    }
    return false;
}

bool state_shares_role(const State *state, const Derived *derived, int head, int of)
{
    const char *role = state_role_name(state, derived, of), *its = state_role_name(state, derived, head);
    return role && its && share_role(role, its);
}
