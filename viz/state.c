// update: what an event does to the state.
#include "viz/state.h"

#include "io/text.h"
#include "viz/layout.h"

#include <math.h>
#include <string.h>

const char *view_name(ViewKind view)
{
    static const char *const names[VIEWS] = { "All heads", "One head", "Lines", "Stages", "Compare", "Tiles" };
    return names[view];
}

const char *scale_name(Scale scale)
{
    static const char *const names[SCALES] = { "linear", "per head", "log", "times uniform" };
    return names[scale];
}

const char *lines_scope_word(LinesScope lines)
{
    static const char *const words[LINES_SCOPES] = { "head", "layer", "layers", "kinds" };
    return words[lines];
}

const char *pair_name(SentencePair parts)
{
    static const char *const names[PAIRS] = { "all", "A → A", "A → B", "B → A", "B → B" };
    return names[parts];
}

static const HeadCell NO_CELL = { -1, -1 };

static int clamp(int n, int most) { return n < 0 ? 0 : n > most ? most : n; }

static double between(double at, double least, double most) { return at < least ? least : at > most ? most : at; }

int state_heads(const State *state) { return state->shown.document->layers * state->shown.document->heads; }

static bool has_walk(const Document *d) { return d->walk.frames > 0; }

const char *state_view_name(const State *state, ViewKind view)
{
    bool ranks = has_walk(state->shown.document) && mat_empty(state->shown.document->walk.tiles);
    return view == VIEW_TILES && ranks ? "Ranks" : view_name(view);
}

bool state_has_view(const State *state, ViewKind view)
{
    const Document *d = state->shown.document;
    bool weights = d->of[FIELD_WEIGHTS] >= 0;
    switch (view) {
    case VIEW_HEADS: return state_heads(state) > 1;
    case VIEW_LINES: return weights;
    case VIEW_STAGES: return document_has_stage(d, STAGE_DOTS) || (weights && d->of[FIELD_SCORES] >= 0);
    case VIEW_COMPARE: return state_heads(state) > 1 || state->shown.other_document;
    case VIEW_TILES: return has_walk(d);
    default: return true;
    }
}

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

// ---- the places of two documents ------------------------------------------------------------------------------------

static int place_of(const AlignedAxis *along, int one)
{
    int at = 0;
    while (at < along->count - 1 && along->first[at] != one) at++;
    return at;
}

// A cell of the document at hand on the places of both, and back; there it may be absent.
static HeadCell spot_of(const State *state, HeadCell cell)
{
    if (!state->shown.aligned || cell.row < 0) return cell;
    return (HeadCell){ place_of(&state->shown.aligned->rows, cell.row),
                       place_of(&state->shown.aligned->cols, cell.col) };
}

static HeadCell cell_of(const State *state, HeadCell spot)
{
    if (!state->shown.aligned || spot.row < 0) return spot;
    HeadCell cell = { state->shown.aligned->rows.first[spot.row], state->shown.aligned->cols.first[spot.col] };
    return cell.row >= 0 && cell.col >= 0 ? cell : NO_CELL;
}

HeadCell state_aligned_cell(const State *state)
{
    if (state->selection.pinned_aligned.row >= 0) return state->selection.pinned_aligned;
    if (state->selection.pinned.row >= 0) return spot_of(state, state->selection.pinned);
    return state->selection.hover_aligned.row >= 0 ? state->selection.hover_aligned
                                                   : spot_of(state, state->selection.hover);
}

// The pinned cell, in Compare on the places of both; −1, −1: there is none.
static HeadCell pinned_place(const State *state)
{
    if (state->shown.view != VIEW_COMPARE) return state->selection.pinned;
    return state->selection.pinned_aligned.row >= 0 || state->selection.pinned.row >= 0 ? state_aligned_cell(state)
                                                                                        : NO_CELL;
}

static bool is_spot(const State *state, HeadCell spot)
{
    int rows = state->shown.aligned ? state->shown.aligned->rows.count : state->shown.document->T;
    int cols = state->shown.aligned ? state->shown.aligned->cols.count : state->shown.document->S;
    return spot.row >= 0 && spot.col >= 0 && spot.row < rows && spot.col < cols;
}

// What the state says about a document must be true of it: after another one has come, too.
static State fitted(State state)
{
    const Document *d = state.shown.document;
    state.shown.layer = clamp(state.shown.layer, d->layers - 1);
    state.shown.head = clamp(state.shown.head, d->heads - 1);
    const Document *other = state.shown.other_document ? state.shown.other_document : d;
    state.shown.other_layer = clamp(state.shown.other_layer, other->layers - 1);
    state.shown.other_head = clamp(state.shown.other_head, other->heads - 1);
    if (state.selection.pinned.row >= d->T || state.selection.pinned.col >= d->S) state.selection.pinned = NO_CELL;
    if (state.selection.hover.row >= d->T || state.selection.hover.col >= d->S) state.selection.hover = NO_CELL;
    if (!is_spot(&state, state.selection.hover_aligned)) state.selection.hover_aligned = NO_CELL;
    if (state.shown.view != VIEW_COMPARE || !is_spot(&state, state.selection.pinned_aligned))
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
    return fitted(state);
}

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

// ---- what is typed --------------------------------------------------------------------------------------------------

static char *line_of(State *state)
{
    return state->editing.typing == TYPING_PATH   ? state->editing.path
           : state->editing.typing == TYPING_FIND ? state->editing.find_text
                                                  : state->editing.sentence;
}

static void cut(char *line, int from, int to) { memmove(line + from, line + to, strlen(line + to) + 1); }

const char *state_line(const State *state)
{
    return state->editing.typing == TYPING_PATH   ? state->editing.path
           : state->editing.typing == TYPING_FIND ? state->editing.find_text
                                                  : state->editing.sentence;
}

static State cleared(State state)
{
    line_of(&state)[0] = 0;
    state.editing.caret = 0;
    state.editing.selected = false;
    return state;
}

// A line: what ends lines becomes a space, and so do other controls and broken bytes, which no font has. −1: it is
// longer than `room`.
static int as_line(char *line, const char *text, size_t room)
{
    size_t size = strlen(text), length, n = 0;
    while (size && strchr("\r\n", text[size - 1])) size--;
    for (size_t i = 0; i < size; i += length ? length : 1) {
        length = text_utf8_length((const unsigned char *)text + i, size - i);
        bool plain = length && (unsigned char)text[i] >= 0x20 && text[i] != 0x7F;
        if (n + (plain ? length : 1) > room) return -1;
        if (plain) memcpy(line + n, text + i, length);
        else line[n] = ' ';
        n += plain ? length : 1;
    }
    return (int)n;
}

static State insert(State state, const char *text)
{
    char *line = line_of(&state), added[TEXT_BYTES];
    size_t held = state.editing.selected ? 0 : strlen(line);
    int length = as_line(added, text, TEXT_BYTES - 1 - held);
    if (length < 0) {
        state.message.error = "That is too long: a line has room for 8191 bytes.";
        return state;
    }
    if (state.editing.selected) state = cleared(state);
    line = line_of(&state);
    memmove(line + state.editing.caret + length, line + state.editing.caret, held - (size_t)state.editing.caret + 1);
    memcpy(line + state.editing.caret, added, (size_t)length);
    state.editing.caret += length;
    return state;
}

static State untyped(State state)
{
    if (state.editing.typing == TYPING_FIND) state = cleared(state);
    state.editing.typing = TYPING_NOTHING;
    state.message.error = NULL;
    return state;
}

// What is selected is taken away as one, and left at one of its ends.
static State typed_selected(State state, Key key)
{
    int end = (int)strlen(line_of(&state));
    state.editing.selected = false;
    if (key == KEY_BACKSPACE || key == KEY_DELETE) return cleared(state);
    state.editing.caret = key == KEY_LEFT || key == KEY_HOME ? 0 : end;
    return state;
}

// ---- what is looked for ---------------------------------------------------------------------------------------------

// After the line or the document has changed.
static State looked_for(State state)
{
    state.editing.find = find_words(state.shown.document, state.editing.find_text);
    state.editing.found = -1;
    return state;
}

// The key with the largest weight of a row, or the query with that of a column; 0 where all are masked.
static int largest_beside(const State *state, int query, int key)
{
    const Document *d = state->shown.document;
    Arena *scratch = arena_open();
    bool row = query >= 0;
    int count = row ? d->S : d->T, best = 0;
    double most = -INFINITY;
    Mat values = row ? mat_new(scratch, 1, count) : mat_new(scratch, count, 1);
    field_read(values, document_maps(d), state->shown.layer, state->shown.head, row ? query : 0, row ? 0 : key);
    for (int n = 0; n < count; n++) {
        double value = (double)(row ? *mat_ref(values, 0, n) : *mat_ref(values, n, 0));
        if (document_hidden(d, state->shown.layer, state->shown.head, row ? query : n, row ? n : key) ||
            !(value > most))
            continue;
        most = value;
        best = n;
    }
    arena_close(scratch);
    return best;
}

static State in_sight(State state);

// Of one word: its query with the key that it looks at most, its key with the query that looks at it most.
static State next_found(State state, int step)
{
    int count = find_count(&state.editing.find), query, key;
    if (!count) {
        state.message.error = state.editing.find.any
                                  ? "That is not among the words of these maps."
                                  : "Nothing is looked for: Ctrl+F takes a word, or two: it > animal.";
        return state;
    }
    state.editing.found =
        state.editing.found < 0 ? (step > 0 ? 0 : count - 1) : (state.editing.found + step + count) % count;
    find_place(&state.editing.find, state.shown.document, state.editing.found, &query, &key);
    state.selection.pinned = (HeadCell){ query >= 0 ? query : largest_beside(&state, -1, key),
                                         key >= 0 ? key : largest_beside(&state, query, -1) };
    state.selection.pinned_aligned = NO_CELL;
    state.selection.pinned_by_key = query < 0;
    return in_sight(state);
}

Find state_find_in(const State *state, const Document *d)
{
    return d == state->shown.document || !state->editing.find.any ? state->editing.find
                                                                  : find_words(d, state->editing.find_text);
}

bool state_can_sort_by_found(const State *state)
{
    return !state->shown.document->reduced_from && find_cells(&state->editing.find, state->shown.document) > 0;
}

bool state_can_sort_by_adds(const State *state) { return state->shown.document->can_add; }

double state_adds_of_head(const State *state, int head)
{
    return state->shown.document->adds ? (double)state->shown.document->adds[head] : (double)NAN;
}

double state_found_of_head(const State *state, int head)
{
    const Document *d = state->shown.document;
    return find_sum(&state->editing.find, d, head / d->heads, head % d->heads);
}

// From one word to another: the heads stand by it.
static State sought(State state)
{
    state = next_found(looked_for(state), 1);
    if (state_can_sort_by_found(&state)) state.shown.sort = SORT_FOUND;
    return state;
}

State state_with_find(State state, const char *text)
{
    size_t size = strlen(text) < TEXT_BYTES ? strlen(text) : TEXT_BYTES - 1;
    memcpy(state.editing.find_text, text, size);
    state.editing.find_text[size] = 0;
    return sought(state);
}

// ---- keys for a line ------------------------------------------------------------------------------------------------

static State entered(State state)
{
    Typing what = state.editing.typing;
    state.editing.typing = TYPING_NOTHING;
    if (what == TYPING_PATH && state.editing.path[0]) state.command = COMMAND_OPEN;
    return what == TYPING_FIND && state.editing.find.any ? sought(state) : state;
}

static State typed(State state, Key key)
{
    char *line = line_of(&state);
    int before = canvas_text_letter_before(line, state.editing.caret),
        after = state.editing.caret + canvas_text_letter(line + state.editing.caret);
    bool moves = key == KEY_LEFT || key == KEY_RIGHT || key == KEY_HOME || key == KEY_END;
    if (state.editing.selected && (moves || key == KEY_BACKSPACE || key == KEY_DELETE))
        return typed_selected(state, key);
    switch (key) {
    case KEY_LEFT:
        state.editing.caret = canvas_text_caret_moved((CanvasText){ 0 }, line, state.editing.caret, -1);
        break;
    case KEY_RIGHT:
        state.editing.caret = canvas_text_caret_moved((CanvasText){ 0 }, line, state.editing.caret, 1);
        break;
    case KEY_HOME: state.editing.caret = 0; break;
    case KEY_END: state.editing.caret = (int)strlen(line); break;
    case KEY_BACKSPACE:
        cut(line, before, state.editing.caret);
        state.editing.caret = before;
        break;
    case KEY_DELETE: cut(line, state.editing.caret, after); break;
    case KEY_ALL:
        state.editing.selected = line[0] != 0;
        state.editing.caret = (int)strlen(line);
        break;
    case KEY_COPY: state.command = COMMAND_COPY; break;
    case KEY_PASTE: state.command = COMMAND_PASTE; break;
    case KEY_ENTER: return entered(state);
    default: return untyped(state); // KEY_BACK
    }
    return state;
}

static bool is_for_line(Key key)
{
    return key == KEY_LEFT || key == KEY_RIGHT || key == KEY_HOME || key == KEY_END || key == KEY_BACKSPACE ||
           key == KEY_DELETE || key == KEY_ENTER || key == KEY_BACK || key == KEY_ALL || key == KEY_COPY ||
           key == KEY_PASTE;
}

static State begin_typing(State state, Typing what)
{
    if (what == TYPING_SENTENCE && !state.shown.document->live)
        state.message.error = "A sentence can be typed only where a model is loaded: start the viewer without a file.";
    else state.editing.typing = what;
    state.editing.caret = (int)strlen(line_of(&state));
    state.editing.selected =
        what != TYPING_SENTENCE && state.editing.caret > 0; // another path takes the place of the last one
    return state;
}

// Where nothing is typed, what is pasted is a sentence.
static State pasted(State state)
{
    state = begin_typing(state, TYPING_SENTENCE);
    if (state.editing.typing == TYPING_NOTHING) return state;
    state.editing.selected = true;
    state.command = COMMAND_PASTE;
    return state;
}

Event state_event_of_text(const State *state, const char *text, bool caps)
{
    if (state->editing.typing) return (Event){ EVENT_TEXT, .text = text };
    return (Event){ EVENT_KEY, .key = key_of_letter(text, caps) };
}

// ---- keys -----------------------------------------------------------------------------------------------------------

// A head is not held against itself, unless it is moved there.
static State turned_to(State state, ViewKind view)
{
    const Document *d = state.shown.document;
    if (!state_has_view(&state, view)) return state;
    bool same = !state.shown.other_document && state.shown.other_layer == state.shown.layer &&
                state.shown.other_head == state.shown.head;
    if (view == VIEW_COMPARE && state.shown.view != view && same) {
        if (d->heads > 1) state.shown.other_head = state.shown.head ? state.shown.head - 1 : 1;
        else state.shown.other_layer = state.shown.layer ? state.shown.layer - 1 : 1;
    }
    state.shown.view = view;
    return state;
}

State state_with_view(State state, ViewKind view) { return fitted(turned_to(state, view)); }

// Where Esc leads before it leads out.
static ViewKind home_of(const State *state)
{
    return state_heads(state) > 1 ? VIEW_HEADS : has_walk(state->shown.document) ? VIEW_TILES : VIEW_HEAD;
}

// Is a cell that is pinned seen? In All heads and Tiles there is none, nor where columns are no keys.
static bool marks_cells(const State *state)
{
    if (state->shown.view == VIEW_STAGES) return state->shown.stage <= STAGE_WEIGHTS;
    return state->shown.view != VIEW_HEADS && state->shown.view != VIEW_TILES;
}

static State next_view(State state, int step)
{
    int view = (int)state.shown.view;
    do view = (view + step + VIEWS) % VIEWS;
    while (!state_has_view(&state, (ViewKind)view));
    return turned_to(state, (ViewKind)view);
}

static State next_stage(State state, int step)
{
    if (!state_has_view(&state, VIEW_STAGES)) return state;
    if (state.shown.view != VIEW_STAGES) return turned_to(state, VIEW_STAGES);
    int next = (int)state.shown.stage + step;
    while (next >= 0 && next < STAGES && !document_has_stage(state.shown.document, (Stage)next)) next += step;
    if (next >= 0 && next < STAGES) state.shown.stage = (Stage)next;
    return state;
}

static State next_frame(State state, int step)
{
    int last = state.shown.document->walk.frames - 1;
    state.shown.frame = clamp(state.shown.frame + step, last);
    if (state.shown.frame == last) state.shown.playing = false;
    return state;
}

// The pinned cell is: the map is moved so far, or the lines are.
static State in_sight(State state)
{
    PageLayout layout = layout_of(&state);
    HeadCell cell = pinned_place(&state);
    if (cell.row < 0 || !marks_cells(&state)) return state;
    if (state.shown.view == VIEW_LINES) {
        int last = layout.line_first + layout.line_count - 1, row = state_by_key(&state) ? cell.col : cell.row;
        if (row < layout.line_first) state.camera.row = row;
        else if (row > last) state.camera.row = layout.line_first + row - last;
        return state;
    }
    const MapPlace *map = &layout.maps[0];
    if (!layout.map_count || !(map->cell_width > layout.room.fit)) return state;
    double rows = map->frame.height / map->cell_height, cols = map->frame.width / map->cell_width;
    state.camera.row = between(map->row, fmin(cell.row + 1 - rows, cell.row), cell.row);
    state.camera.col = between(map->col, fmin(cell.col + 1 - cols, cell.col), cell.col);
    return state;
}

// In Compare over the places of both, of which one may be absent here.
static State moved_spot(State state, int down, int right)
{
    HeadCell spot = state_aligned_cell(&state);
    if (spot.row < 0) spot = (HeadCell){ 0, 0 };
    else
        spot = (HeadCell){ clamp(spot.row + down, state.shown.aligned->rows.count - 1),
                           clamp(spot.col + right, state.shown.aligned->cols.count - 1) };
    state.selection.pinned = cell_of(&state, spot);
    state.selection.pinned_aligned = state.selection.pinned.row < 0 ? spot : NO_CELL;
    return in_sight(state);
}

static State moved_cell(State state, int down, int right)
{
    if (state.shown.view == VIEW_COMPARE && state.shown.aligned) return moved_spot(state, down, right);
    HeadCell cell = state_cell(&state);
    if (cell.row < 0) cell = (HeadCell){ 0, 0 };
    else
        cell = (HeadCell){ clamp(cell.row + down, state.shown.document->T - 1),
                           clamp(cell.col + right, state.shown.document->S - 1) };
    state.selection.pinned = cell;
    return in_sight(state);
}

static State scrolled_lines(State state, const PageLayout *layout, double notches);

static State scrolled_heads(State state, const PageLayout *layout, double by)
{
    double most = fmax(0, layout->thumbs.tall - layout->thumbs.frame.height);
    state.camera.scroll = between(layout->thumbs.scrolled + by, 0, most);
    return state;
}

// A quarter of what is seen. What is seen whole stays where it is.
static State panned(State state, int down, int right)
{
    PageLayout layout = layout_of(&state);
    const MapPlace *map = &layout.maps[0];
    if (state.shown.view == VIEW_HEADS) return scrolled_heads(state, &layout, down * layout.thumbs.frame.height / 4);
    if (state.shown.view == VIEW_LINES) return scrolled_lines(state, &layout, -down);
    if (!layout.map_count || !(map->cell_width > layout.room.fit)) return state;
    double rows = map->frame.height / map->cell_height, cols = map->frame.width / map->cell_width;
    state.camera.row = between(map->row + down * rows / 4, 0, fmax(0, map->rows - rows));
    state.camera.col = between(map->col + right * cols / 4, 0, fmax(0, map->cols - cols));
    return state;
}

// Heads that stand in an order are gone to by where they stand.
static State next_place(State state, int down, int right, const Derived *derived)
{
    int order[MAPS_MOST], count = state_heads(&state), place = 0;
    PageLayout layout = layout_of(&state);
    layout_order(order, &state, derived);
    while (place < count - 1 && order[place] != state.shown.layer * state.shown.document->heads + state.shown.head)
        place++;
    int to = place + right + down * layout.thumbs.across;
    if (to >= 0 && to < count) place = to;
    state.shown.layer = order[place] / state.shown.document->heads;
    state.shown.head = order[place] % state.shown.document->heads;
    return state;
}

// All heads: the one at hand is moved into sight.
static State head_in_sight(State state, const Derived *derived)
{
    int order[MAPS_MOST], place = 0;
    PageLayout layout = layout_of(&state);
    const ThumbLayout *t = &layout.thumbs;
    layout_order(order, &state, derived);
    while (place < state_heads(&state) - 1 &&
           order[place] != state.shown.layer * state.shown.document->heads + state.shown.head)
        place++;
    CanvasRect at = layout_thumb(&layout, &state, place);
    double under = at.y + t->down_step - t->frame.y - t->frame.height, over = t->frame.y + t->above - at.y;
    if (over > 0) return scrolled_heads(state, &layout, -over);
    return under > 0 ? scrolled_heads(state, &layout, under) : state;
}

static State arrow_among_heads(State state, int down, int right, const Derived *derived)
{
    if (state.shown.sort != SORT_NONE) state = next_place(state, down, right, derived);
    else {
        state.shown.head += right;
        state.shown.layer += down;
    }
    return head_in_sight(fitted(state), derived);
}

static State arrow(State state, Event event, const Derived *derived)
{
    Key key = event.key;
    bool shift = event.shift;
    int right = key == KEY_RIGHT ? 1 : key == KEY_LEFT ? -1 : 0, down = key == KEY_DOWN ? 1 : key == KEY_UP ? -1 : 0;
    if (event.alt) return panned(state, down, right);
    if (event.ctrl && marks_cells(&state)) return moved_cell(state, down, right);
    if (state.shown.view == VIEW_TILES) return next_frame(state, right + down);
    if (state.shown.view == VIEW_HEADS && !shift) return arrow_among_heads(state, down, right, derived);
    if (state.shown.view == VIEW_COMPARE && shift) {
        state.shown.other_head += right;
        state.shown.other_layer += down;
        return state;
    }
    if (shift && marks_cells(&state)) return moved_cell(state, down, right);
    state.shown.head += right;
    state.shown.layer += down;
    return state;
}

static State back(State state)
{
    if (state.message.error) state.message.error = NULL;
    else if (state.selection.pinned_aligned.row >= 0) state.selection.pinned_aligned = NO_CELL;
    else if (state.selection.pinned.row >= 0 && marks_cells(&state)) state.selection.pinned = NO_CELL;
    else if (state.camera.cell_size > 0 && state.shown.view != VIEW_HEADS && state.shown.view != VIEW_LINES)
        state.camera.cell_size = state.camera.row = state.camera.col = 0;
    else if (state.editing.find.any) {
        state.editing.find_text[0] = 0;
        state = looked_for(state);
    } else if (state.shown.view != home_of(&state)) state = turned_to(state, home_of(&state));
    else state.message.status = "Q or Ctrl+Q quits.";
    return state;
}

// How it is looked at is as it was at first. The view and its heads, the sentence, what is switched off and the window
// stay.
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

static State compared(State state)
{
    return turned_to(state, state.shown.view == VIEW_COMPARE ? VIEW_HEAD : VIEW_COMPARE);
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

static State sorted_next(State state)
{
    do state.shown.sort = state.shown.sort < SORT_ROLE ? state.shown.sort + 1 : SORT_NONE;
    while ((state.shown.sort == SORT_CELL && !state_can_sort_by_cell(&state)) ||
           (state.shown.sort == SORT_FOUND && !state_can_sort_by_found(&state)) ||
           (state.shown.sort == SORT_ADDS && !state_can_sort_by_adds(&state)));
    return state;
}

// ---- roles

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

// Is the first name of one list, "it, verb", among those of the other?
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

// A head without a role is followed by the next one that has any.
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
        return state.shown.view == VIEW_HEADS ? head_in_sight(state, derived) : state;
    }
    bool known = state.shown.document->roles || (derived && derived_summaries_ready(derived) == count);
    state.message.status = known ? "No other head has this role." : "What the heads do is not known yet.";
    return state;
}

// ---- the other keys

// The next of what can be made of the heads.
static State made_next(State state)
{
    const Document *of = state.shown.document->reduced_from ? state.shown.document->reduced_from : state.shown.document;
    do state.shown.reduction = (MapReduction)((state.shown.reduction + 1) % REDUCTIONS);
    while (!reduction_possible(of, state.shown.reduction));
    return state;
}

// ---- lines of several heads

static State lines_next(State state)
{
    if (state.shown.view != VIEW_LINES) return turned_to(state, VIEW_LINES);
    do state.shown.lines = (LinesScope)((state.shown.lines + 1) % LINES_SCOPES);
    while (!state_has_lines(&state, state.shown.lines));
    return state;
}

// The heads that are switched as one: those of the layer, where all bands are of that, or else all.
static void range_of_lines(const State *state, int *from, int *to)
{
    int heads = state->shown.document->heads;
    bool all = state->shown.lines == LINES_LAYERS;
    *from = all ? 0 : state->shown.layer * heads;
    *to = all ? state_heads(state) : *from + heads;
    if (*to > MAPS_MOST) *to = MAPS_MOST;
}

static State lit_toggled(State state, int head)
{
    if (head < MAPS_MOST) state.shown.hidden_heads[head] ^= 1;
    return state;
}

// That head alone; all of them, where it is alone already.
static State lit_alone(State state, int head)
{
    int from, to;
    bool alone = head < MAPS_MOST && !state.shown.hidden_heads[head];
    range_of_lines(&state, &from, &to);
    for (int h = from; h < to; h++) alone = alone && (h == head || state.shown.hidden_heads[h]);
    for (int h = from; h < to; h++) state.shown.hidden_heads[h] = !alone && h != head;
    return state;
}

// The head at hand, where lines of several are shown.
static State lit(State state, bool alone)
{
    int head = state.shown.layer * state.shown.document->heads + state.shown.head;
    if (state.shown.view != VIEW_LINES || state.shown.lines == LINES_HEAD) {
        state.message.error = "Heads are drawn or not in Lines of several heads: L leads there.";
        return state;
    }
    return alone ? lit_alone(state, head) : lit_toggled(state, head);
}

// The pinned word asks, or is asked.
static State who_attends(State state)
{
    bool here = state.shown.view == VIEW_LINES;
    if (!state_has_view(&state, VIEW_LINES)) return state;
    bool by_key = !(here && state.selection.pinned.row >= 0 && state.selection.pinned_by_key);
    state = turned_to(state, VIEW_LINES);
    state = moved_cell(state, 0, 0);
    state.selection.pinned_by_key = by_key;
    return state;
}

static State parts_next(State state)
{
    if (state_has_pairs(&state)) {
        if (state.shown.view != VIEW_HEAD && state.shown.view != VIEW_COMPARE) state = turned_to(state, VIEW_LINES);
        state.shown.pair = (SentencePair)((state.shown.pair + 1) % PAIRS);
    } else
        state.message.error =
            "These words are of one sentence: there is no [SEP] or </s> between two, and no segments.";
    return state;
}

static State kind_next(State state)
{
    int count = state.shown.document->kind_count;
    if (count > 1) state.shown.kind = (state.shown.kind + 1) % count;
    else
        state.message.error =
            "This file has attention of one kind; encoder, decoder and cross attention would be three.";
    return state;
}

// ---- two sentences

static State held_or_not(State state)
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

static State ablated(State state)
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

// What heads that are off give: nothing, their mean, or what they gave in the sentence that is held.
static State off_by_next(State state)
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

static State played(State state)
{
    if (!has_walk(state.shown.document)) return state;
    state = turned_to(state, VIEW_TILES);
    state.shown.playing = !state.shown.playing;
    if (state.shown.playing && state.shown.frame == state.shown.document->walk.frames - 1) state.shown.frame = 0;
    return state;
}

// From all heads to the one at hand; in a map, to the cell under the mouse.
static State enter(State state)
{
    if (state.shown.view == VIEW_HEADS) return turned_to(state, VIEW_HEAD);
    return marks_cells(&state) ? moved_cell(state, 0, 0) : state;
}

// The list of keys closes at the first one, which then does what the list says of it.
static State zoomed_by_key(State state, double notches);

static State key_down(State state, Event event, const Derived *derived)
{
    Key key = event.key;
    bool shift = event.shift;
    bool listed = state.display.help;
    if (key) state.display.help = false;
    if (listed && (key == KEY_BACK || key == KEY_HELP)) return state;
    if (state.editing.typing && is_for_line(key)) return typed(state, key);
    if (key != KEY_BACK) state.message.error = NULL;
    state.message.status = NULL;
    switch (key) {
    case KEY_LEFT:
    case KEY_RIGHT:
    case KEY_UP:
    case KEY_DOWN: return arrow(state, event, derived);
    case KEY_HOME: state.shown.head = state.shown.layer = state.shown.frame = 0; break;
    case KEY_END: state.shown.head = state.shown.layer = state.shown.frame = 1 << 20; break;
    case KEY_TAB: return next_view(state, shift ? -1 : 1);
    case KEY_BACK: return back(state);
    case KEY_ENTER: return enter(state);
    case KEY_FIT: state.camera.cell_size = state.camera.row = state.camera.col = 0; break;
    case KEY_RESET: return reset(state);
    case KEY_SCALE: state.shown.scale = (Scale)((state.shown.scale + 1) % SCALES); break;
    case KEY_COLORS: state.shown.colors = (ColorMap)((state.shown.colors + 1) % COLOR_DIVERGING); break;
    case KEY_STAGE_BEFORE: return next_stage(state, -1);
    case KEY_STAGE_AFTER: return next_stage(state, 1);
    case KEY_COMPARE: return compared(state);
    case KEY_ABLATE: return ablated(state);
    case KEY_ABLATION_KIND: return off_by_next(state);
    case KEY_PLAY: return played(state);
    case KEY_LARGEST: state.shown.use_largest = !state.shown.use_largest; break;
    case KEY_HIDE:
        state.shown.hide_keys = state.shown.hide_keys == 0          ? 1
                                : state.shown.hide_keys < HIDE_MOST ? 2 * state.shown.hide_keys
                                                                    : 0;
        break;
    case KEY_SORT: return sorted_next(state);
    case KEY_REDUCTION: return made_next(state);
    case KEY_LINES: return lines_next(state);
    case KEY_DRAW_HEAD: return lit(state, false);
    case KEY_DRAW_ONLY_HEAD: return lit(state, true);
    case KEY_BY_KEY: return who_attends(state);
    case KEY_PAIR: return parts_next(state);
    case KEY_KIND: return kind_next(state);
    case KEY_HOLD: return held_or_not(state);
    case KEY_FIND: return begin_typing(state, TYPING_FIND);
    case KEY_NEXT_FOUND: return next_found(state, 1);
    case KEY_FOUND_BEFORE: return next_found(state, -1);
    case KEY_ROLE: return next_of_role(state, derived);
    case KEY_MAP_IN: return zoomed_by_key(state, 2);
    case KEY_MAP_OUT: return zoomed_by_key(state, -2);
    case KEY_DARK: state.display.dark = !state.display.dark; break;
    case KEY_FORMULAS: state.display.formulas = !state.display.formulas; break;
    case KEY_QUIT: state.quit = true; break;
    case KEY_TYPE: return begin_typing(state, TYPING_SENTENCE);
    case KEY_OPEN: return begin_typing(state, TYPING_PATH);
    case KEY_SAVE: state.command = COMMAND_SAVE_PNG; break;
    case KEY_SAVE_SVG: state.command = COMMAND_SAVE_SVG; break;
    case KEY_SAVE_PAGE: state.command = COMMAND_SAVE_PAGE; break;
    case KEY_COPY: state.command = state.shown.document->live ? COMMAND_COPY : COMMAND_NONE; break;
    case KEY_PASTE: return pasted(state);
    case KEY_FULL_SCREEN: state.command = COMMAND_FULL_SCREEN; break;
    case KEY_HELP: state.display.help = true; break;
    case KEY_ZOOM_IN: state.camera.zoom = between(state.camera.zoom * 1.1, 0.5, 3); break;
    case KEY_ZOOM_OUT: state.camera.zoom = between(state.camera.zoom / 1.1, 0.5, 3); break;
    case KEY_ZOOM_NONE: state.camera.zoom = 1; break;
    default: break;
    }
    return state;
}

// ---- the mouse ------------------------------------------------------------------------------------------------------

static bool is_outside(const State *state) { return state->mouse.x < 0 || state->mouse.y < 0; }

// Of several kinds the one that is pointed at comes to hand, unless a cell is pinned.
static State pointed_lines(State state, const PageLayout *layout, double x, double y)
{
    LineHit place = layout_line_at(layout, x, y);
    const Document *of = place.index >= 0 ? layout->bands[place.band].of : NULL;
    if (!of) return state;
    bool here = state.shown.lines != LINES_KINDS || of->kind_at == state.shown.document->kind_at;
    if (!here && state.selection.pinned.row < 0) state.shown.kind = of->kind_at;
    if (!here) return state;
    state.selection.hover = layout_cell_at(layout, x, y);
    state.selection.hover_by_key = place.by_key;
    return state;
}

static State pointed(State state)
{
    state.selection.hover = state.selection.hover_aligned = NO_CELL;
    state.selection.hover_by_key = false;
    if (is_outside(&state) || !marks_cells(&state)) return state;
    PageLayout layout = layout_of(&state);
    double x = state.mouse.x / state.camera.zoom, y = state.mouse.y / state.camera.zoom;
    if (state.shown.view == VIEW_LINES) return pointed_lines(state, &layout, x, y);
    state.selection.hover = state.selection.hover_aligned = layout_cell_at(&layout, x, y);
    if (state.shown.view == VIEW_COMPARE) state.selection.hover = cell_of(&state, state.selection.hover_aligned);
    return state;
}

// What is seen whole stays where it is. The cell that was pressed stays under the mouse.
static State dragged(State state, double x, double y)
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

static State mouse_moved(State state, double x, double y)
{
    bool drags = state.mouse.moved || hypot(x - state.mouse.pressed_x, y - state.mouse.pressed_y) > 3;
    if (state.mouse.dragging && drags) state = dragged(state, x, y);
    state.mouse.x = x;
    state.mouse.y = y;
    return state;
}

static State pressed(State state, double x, double y, const Derived *derived)
{
    state.mouse.x = x;
    state.mouse.y = y;
    state.message.status = NULL;
    double px = x / state.camera.zoom, py = y / state.camera.zoom;
    PageLayout layout = layout_of(&state);
    if (state.display.help) {
        state.display.help = false;
        return state;
    }
    for (int v = 0; v < VIEWS; v++)
        if (layout_holds(layout.tabs[v], px, py))
            return layout.close ? next_view(state, 1) : turned_to(state, (ViewKind)v);
    for (int s = 0; s < STAGES; s++) {
        bool there = document_has_stage(state.shown.document, (Stage)s);
        if (there && layout_holds(layout.steps[s], px, py)) state.shown.stage = (Stage)s;
    }
    if (layout_holds(layout.sentence, px, py))
        return begin_typing(state, state.editing.typing         ? state.editing.typing
                                   : state.shown.document->live ? TYPING_SENTENCE
                                                                : TYPING_PATH);
    state.editing.typing = TYPING_NOTHING;
    int head = layout_thumb_at(&layout, &state, derived, px, py);
    if (head >= 0) {
        state.shown.layer = head / state.shown.document->heads;
        state.shown.head = head % state.shown.document->heads;
    }
    int swatch = layout_swatch_at(&layout, px, py);
    if (swatch >= 0) return lit_toggled(state, swatch);
    state.mouse.dragging = layout_cell_at(&layout, px, py).row >= 0;
    state.mouse.moved = false;
    state.mouse.pressed_x = x;
    state.mouse.pressed_y = y;
    return state;
}

// A press and a release in one place pin the cell, or unpin it.
static State released(State state, double x, double y)
{
    bool clicked = state.mouse.dragging && !state.mouse.moved;
    state = pointed(mouse_moved(state, x, y));
    clicked = clicked && !state.mouse.moved;
    state.mouse.dragging = false;
    bool compares = state.shown.view == VIEW_COMPARE;
    HeadCell cell = compares ? state.selection.hover_aligned : state.selection.hover, before = pinned_place(&state);
    if (!clicked || cell.row < 0) return state;
    bool same = before.row == cell.row && before.col == cell.col &&
                (compares || state.selection.pinned_by_key == state.selection.hover_by_key);
    state.selection.pinned = same ? NO_CELL : state.selection.hover;
    state.selection.pinned_aligned = same || !compares || state.selection.hover.row >= 0 ? NO_CELL : cell;
    state.selection.pinned_by_key = state.selection.hover_by_key;
    return state;
}

static State scrolled_lines(State state, const PageLayout *layout, double notches)
{
    int longest = layout->line_words;
    double seen = layout->lines.height / layout->line_step - 3; // a little less: the picture sees to the end
    state.camera.row = between(state.camera.row - 3 * notches, 0, fmax(0, longest - seen));
    return state;
}

// The cell at that place of map m stays there while the map grows, unless that would leave a gap at an edge.
static State zoomed_at(State state, PageLayout *layout, int m, double x, double y, double notches)
{
    const MapPlace *map = &layout->maps[m];
    double row = map->row + (y - map->frame.y) / map->cell_height;
    double col = map->col + (x - map->frame.x) / map->cell_width;
    double fit = layout->room.fit;
    state.camera.cell_size = between(map->cell_width * pow(1.2, notches), fit, fmax(64, fit));
    if (state.camera.cell_size <= fit) {
        state.camera.cell_size = state.camera.row = state.camera.col = 0;
        return state;
    }
    *layout = layout_of(&state); // the frame has grown with the map
    state.camera.col = col - (x - map->frame.x) / map->cell_width;
    state.camera.row = row - (y - map->frame.y) / map->cell_height;
    return state;
}

// At the pinned cell where that is seen, else at the middle of the map.
static State zoomed_by_key(State state, double notches)
{
    PageLayout layout = layout_of(&state);
    const MapPlace *map = &layout.maps[0];
    if (!layout.map_count) return state;
    CanvasRect f = map->frame;
    double x = f.x + f.width / 2, y = f.y + f.height / 2;
    HeadCell cell = pinned_place(&state);
    double cell_x = f.x + (cell.col + 0.5 - map->col) * map->cell_width;
    double cell_y = f.y + (cell.row + 0.5 - map->row) * map->cell_height;
    bool seen = cell.row >= 0 && layout_holds(f, cell_x, cell_y);
    return zoomed_at(state, &layout, 0, seen ? cell_x : x, seen ? cell_y : y, notches);
}

static State wheeled(State state, double notches)
{
    PageLayout layout = layout_of(&state);
    double x = state.mouse.x / state.camera.zoom, y = state.mouse.y / state.camera.zoom;
    if (is_outside(&state)) return state;
    if (state.shown.view == VIEW_HEADS || layout_holds(layout.thumbs.frame, x, y))
        return scrolled_heads(state, &layout, -40 * notches);
    if (state.shown.view == VIEW_LINES) return scrolled_lines(state, &layout, notches);
    int m = 0;
    while (m < layout.map_count && !layout_holds(layout.maps[m].frame, x, y)) m++;
    return m == layout.map_count ? state : zoomed_at(state, &layout, m, x, y, notches);
}

// Where there is no thumbnail it is a second click.
static State double_clicked(State state, double x, double y, const Derived *derived)
{
    PageLayout layout = layout_of(&state);
    int head = layout_thumb_at(&layout, &state, derived, x / state.camera.zoom, y / state.camera.zoom);
    int swatch = layout_swatch_at(&layout, x / state.camera.zoom, y / state.camera.zoom);
    if (swatch >= 0) return lit_alone(lit_toggled(state, swatch), swatch); // the first click has toggled it
    state = pressed(state, x, y, derived);
    return head >= 0 ? turned_to(state, VIEW_HEAD) : state;
}

// ---- all ------------------------------------------------------------------------------------------------------------

// A window of no size, or of one that no screen has, is drawn as the next one that can be.
static State resized(State state, double width, double height, double pixels)
{
    state.camera.width = between(width, 1, 16384);
    state.camera.height = between(height, 1, 16384);
    state.camera.pixels = between(pixels, 0.25, fmin(8, 32000 / fmax(state.camera.width, state.camera.height)));
    return state;
}

static State told(State state, const char *sentence)
{
    state.message.error = sentence;
    state.message.status = NULL;
    return state;
}

// The second file shows the same head as the first, as long as nobody has chosen another there.
static State linked(State state, const State *before)
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
        if (state.editing.typing && event.text) state = insert(state, event.text);
        break;
    case EVENT_MOVE: state = mouse_moved(state, event.x, event.y); break;
    case EVENT_LEAVE: state.mouse.x = state.mouse.y = -1; break;
    case EVENT_PRESS: state = pressed(state, event.x, event.y, derived); break;
    case EVENT_RELEASE: state = released(state, event.x, event.y); break;
    case EVENT_DOUBLE: state = double_clicked(state, event.x, event.y, derived); break;
    case EVENT_WHEEL: state = wheeled(state, event.wheel); break;
    case EVENT_RESIZE: state = resized(state, event.x, event.y, event.pixels); break;
    case EVENT_TICK:
        if (state.shown.playing) state = next_frame(state, 1);
        break;
    case EVENT_DOCUMENT:
        state.shown.document = event.document;
        state.editing.find = find_words(state.shown.document, state.editing.find_text);
        break;
    case EVENT_ERROR: state = told(state, event.text); break;
    case EVENT_STATUS: state.message.status = event.text; break;
    default: break;
    }
    if (strcmp(state.editing.find_text, find_text)) state = looked_for(state);
    return pointed(fitted(linked(fitted(state), &before)));
}
