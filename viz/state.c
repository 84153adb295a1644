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

const char *lines_word(LinesOf lines)
{
    static const char *const words[LINES_OF] = { "head", "layer", "layers", "kinds" };
    return words[lines];
}

const char *sentence_pair_name(SentencePair parts)
{
    static const char *const names[SENTENCE_PAIR] = { "all", "A → A", "A → B", "B → A", "B → B" };
    return names[parts];
}

static const HeadCell NO_CELL = { -1, -1 };

static int clamp(int n, int most) { return n < 0 ? 0 : n > most ? most : n; }

static double between(double at, double least, double most) { return at < least ? least : at > most ? most : at; }

int state_heads(const State *state) { return state->document->layers * state->document->heads; }

static bool has_walk(const Document *d) { return d->walk.frames > 0; }

const char *state_view_name(const State *state, ViewKind view)
{
    bool ranks = has_walk(state->document) && mat_empty(state->document->walk.tiles);
    return view == VIEW_TILES && ranks ? "Ranks" : view_name(view);
}

bool state_has_view(const State *state, ViewKind view)
{
    const Document *d = state->document;
    bool weights = d->of[FIELD_WEIGHTS] >= 0;
    switch (view) {
    case VIEW_HEADS: return state_heads(state) > 1;
    case VIEW_LINES: return weights;
    case VIEW_STAGES: return document_has_stage(d, STAGE_DOTS) || (weights && d->of[FIELD_SCORES] >= 0);
    case VIEW_COMPARE: return state_heads(state) > 1 || state->other;
    case VIEW_TILES: return has_walk(d);
    default: return true;
    }
}

HeadCell state_cell(const State *state) { return state->pinned.row >= 0 ? state->pinned : state->hover; }

bool state_by_key(const State *state) { return state->pinned.row >= 0 ? state->pinned_key : state->hover_key; }

bool state_has_parts(const State *state) { return state->document->query_parts && state->document->key_parts; }

bool state_pair_in_sentences(SentencePair parts, const Document *d, int query, int key)
{
    int from = parts == SENTENCE_PAIR_BA || parts == SENTENCE_PAIR_BB,
        to = parts == SENTENCE_PAIR_AB || parts == SENTENCE_PAIR_BB;
    if (parts == SENTENCE_PAIR_ALL || !d->query_parts || !d->key_parts) return true;
    return (query < 0 || d->query_parts[query] == from) && (key < 0 || d->key_parts[key] == to);
}

bool state_has_lines(const State *state, LinesOf lines)
{
    const Document *d = state->document;
    if (lines == LINES_KINDS) return d->kind_count > 1 && !d->of_maps;
    return lines == LINES_HEAD || (lines == LINES_LAYER ? d->heads > 1 : d->layers > 1);
}

// ---- the places of two documents ------------------------------------------------------------------------------------

static int place_of(const AlignedAxis *along, int one)
{
    int at = 0;
    while (at < along->count - 1 && along->one[at] != one) at++;
    return at;
}

// A cell of the document at hand on the places of both, and back; there it may be absent.
static HeadCell spot_of(const State *state, HeadCell cell)
{
    if (!state->aligned || cell.row < 0) return cell;
    return (HeadCell){ place_of(&state->aligned->rows, cell.row), place_of(&state->aligned->cols, cell.col) };
}

static HeadCell cell_of(const State *state, HeadCell spot)
{
    if (!state->aligned || spot.row < 0) return spot;
    HeadCell cell = { state->aligned->rows.one[spot.row], state->aligned->cols.one[spot.col] };
    return cell.row >= 0 && cell.col >= 0 ? cell : NO_CELL;
}

HeadCell state_spot(const State *state)
{
    if (state->pinned_spot.row >= 0) return state->pinned_spot;
    if (state->pinned.row >= 0) return spot_of(state, state->pinned);
    return state->spot.row >= 0 ? state->spot : spot_of(state, state->hover);
}

// The pinned cell, in Compare on the places of both; −1, −1: there is none.
static HeadCell pinned_place(const State *state)
{
    if (state->view != VIEW_COMPARE) return state->pinned;
    return state->pinned_spot.row >= 0 || state->pinned.row >= 0 ? state_spot(state) : NO_CELL;
}

static bool is_spot(const State *state, HeadCell spot)
{
    int rows = state->aligned ? state->aligned->rows.count : state->document->T;
    int cols = state->aligned ? state->aligned->cols.count : state->document->S;
    return spot.row >= 0 && spot.col >= 0 && spot.row < rows && spot.col < cols;
}

// What the state says about a document must be true of it: after another one has come, too.
static State fitted(State state)
{
    const Document *d = state.document;
    state.layer = clamp(state.layer, d->layers - 1);
    state.head = clamp(state.head, d->heads - 1);
    const Document *other = state.other ? state.other : d;
    state.other_layer = clamp(state.other_layer, other->layers - 1);
    state.other_head = clamp(state.other_head, other->heads - 1);
    if (state.pinned.row >= d->T || state.pinned.col >= d->S) state.pinned = NO_CELL;
    if (state.hover.row >= d->T || state.hover.col >= d->S) state.hover = NO_CELL;
    if (!is_spot(&state, state.spot)) state.spot = NO_CELL;
    if (state.view != VIEW_COMPARE || !is_spot(&state, state.pinned_spot)) state.pinned_spot = NO_CELL;
    if (!state_has_lines(&state, state.lines)) state.lines = LINES_HEAD;
    if (!state_has_parts(&state)) state.parts = SENTENCE_PAIR_ALL;
    if (state.kind >= d->kind_count) state.kind = d->kind_at;
    if (state.sort == SORT_CELL && !state_can_sort_by_cell(&state)) state.sort = SORT_NONE;
    if (state.sort == SORT_FOUND && !state_can_sort_by_found(&state)) state.sort = SORT_NONE;
    if (state.sort == SORT_ADDS && !state_can_sort_by_adds(&state)) state.sort = SORT_NONE;
    if (!state_has_view(&state, state.view)) state.view = VIEW_HEAD;
    if (!document_has_stage(d, state.stage)) state.stage = STAGE_WEIGHTS;
    state.frame = has_walk(d) ? clamp(state.frame, d->walk.frames - 1) : 0;
    if (state.off_by == ABLATION_HELD && !state.held) state.off_by = ABLATION_ZERO;
    if (state.view != VIEW_TILES) state.playing = false;
    if (!d->live && state.typing == TYPING_SENTENCE) state.typing = TYPING_NOTHING;
    if (!state.typing) state.selected = false;
    return state;
}

State state_of(const Document *document, double width, double height, double pixels)
{
    State state = {
        .document = document,
        .width = width,
        .height = height,
        .pixels = pixels,
        .zoom = 1,
        .sort = SORT_NONE,
        .stage = STAGE_WEIGHTS,
        .x = -1,
        .y = -1,
        .hover = NO_CELL,
        .pinned = NO_CELL,
        .found = -1,
        .spot = NO_CELL,
        .pinned_spot = NO_CELL,
        .kind = document->kind_at,
    };
    state.view = has_walk(document) ? VIEW_TILES : VIEW_HEAD;
    return fitted(state);
}

Wanted state_wanted(const State *state)
{
    Wanted wanted = { { state->layer, -1 }, { state->head, -1 }, .all = state_heads(state) > 1 };
    if (state->view == VIEW_COMPARE && !state->other) {
        wanted.layer[1] = state->other_layer;
        wanted.head[1] = state->other_head;
    }
    return wanted;
}

Wanted state_wanted_of_other(const State *state)
{
    return (Wanted){ { state->other_layer, -1 }, { state->other_head, -1 }, .all = false };
}

// ---- what is typed --------------------------------------------------------------------------------------------------

static char *line_of(State *state)
{
    return state->typing == TYPING_PATH ? state->path : state->typing == TYPING_FIND ? state->sought : state->text;
}

static void cut(char *line, int from, int to) { memmove(line + from, line + to, strlen(line + to) + 1); }

const char *state_line(const State *state)
{
    return state->typing == TYPING_PATH ? state->path : state->typing == TYPING_FIND ? state->sought : state->text;
}

static State cleared(State state)
{
    line_of(&state)[0] = 0;
    state.caret = 0;
    state.selected = false;
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
    char *line = line_of(&state), added[STATE_TEXT];
    size_t held = state.selected ? 0 : strlen(line);
    int length = as_line(added, text, STATE_TEXT - 1 - held);
    if (length < 0) {
        state.said = "That is too long: a line has room for 8191 bytes.";
        return state;
    }
    if (state.selected) state = cleared(state);
    line = line_of(&state);
    memmove(line + state.caret + length, line + state.caret, held - (size_t)state.caret + 1);
    memcpy(line + state.caret, added, (size_t)length);
    state.caret += length;
    return state;
}

static State untyped(State state)
{
    if (state.typing == TYPING_FIND) state = cleared(state);
    state.typing = TYPING_NOTHING;
    state.said = NULL;
    return state;
}

// What is selected is taken away as one, and left at one of its ends.
static State typed_selected(State state, Key key)
{
    int end = (int)strlen(line_of(&state));
    state.selected = false;
    if (key == KEY_BACKSPACE || key == KEY_DELETE) return cleared(state);
    state.caret = key == KEY_LEFT || key == KEY_HOME ? 0 : end;
    return state;
}

// ---- what is looked for ---------------------------------------------------------------------------------------------

// After the line or the document has changed.
static State looked_for(State state)
{
    state.find = find_words(state.document, state.sought);
    state.found = -1;
    return state;
}

// The key with the largest weight of a row, or the query with that of a column; 0 where all are masked.
static int largest_beside(const State *state, int query, int key)
{
    const Document *d = state->document;
    Arena *scratch = arena_open();
    bool row = query >= 0;
    int count = row ? d->S : d->T, best = 0;
    double most = -INFINITY;
    Mat values = row ? mat_new(scratch, 1, count) : mat_new(scratch, count, 1);
    field_read(values, document_maps(d), state->layer, state->head, row ? query : 0, row ? 0 : key);
    for (int n = 0; n < count; n++) {
        double value = (double)(row ? *mat_ref(values, 0, n) : *mat_ref(values, n, 0));
        if (document_hidden(d, state->layer, state->head, row ? query : n, row ? n : key) || !(value > most)) continue;
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
    int count = find_count(&state.find), query, key;
    if (!count) {
        state.said = state.find.any ? "That is not among the words of these maps."
                                    : "Nothing is looked for: Ctrl+F takes a word, or two: it > animal.";
        return state;
    }
    state.found = state.found < 0 ? (step > 0 ? 0 : count - 1) : (state.found + step + count) % count;
    find_place(&state.find, state.document, state.found, &query, &key);
    state.pinned = (HeadCell){ query >= 0 ? query : largest_beside(&state, -1, key),
                               key >= 0 ? key : largest_beside(&state, query, -1) };
    state.pinned_spot = NO_CELL;
    state.pinned_key = query < 0;
    return in_sight(state);
}

Find state_find_in(const State *state, const Document *d)
{
    return d == state->document || !state->find.any ? state->find : find_words(d, state->sought);
}

bool state_can_sort_by_found(const State *state)
{
    return !state->document->of_maps && find_cells(&state->find, state->document) > 0;
}

bool state_can_sort_by_adds(const State *state) { return state->document->can_add; }

double state_adds_of_head(const State *state, int head)
{
    return state->document->adds ? (double)state->document->adds[head] : (double)NAN;
}

double state_found_of_head(const State *state, int head)
{
    const Document *d = state->document;
    return find_sum(&state->find, d, head / d->heads, head % d->heads);
}

// From one word to another: the heads stand by it.
static State sought(State state)
{
    state = next_found(looked_for(state), 1);
    if (state_can_sort_by_found(&state)) state.sort = SORT_FOUND;
    return state;
}

State state_sought(State state, const char *text)
{
    size_t size = strlen(text) < STATE_TEXT ? strlen(text) : STATE_TEXT - 1;
    memcpy(state.sought, text, size);
    state.sought[size] = 0;
    return sought(state);
}

// ---- keys for a line ------------------------------------------------------------------------------------------------

static State entered(State state)
{
    Typing what = state.typing;
    state.typing = TYPING_NOTHING;
    if (what == TYPING_PATH && state.path[0]) state.command = COMMAND_OPEN;
    return what == TYPING_FIND && state.find.any ? sought(state) : state;
}

static State typed(State state, Key key)
{
    char *line = line_of(&state);
    int before = canvas_text_letter_before(line, state.caret),
        after = state.caret + canvas_text_letter(line + state.caret);
    bool moves = key == KEY_LEFT || key == KEY_RIGHT || key == KEY_HOME || key == KEY_END;
    if (state.selected && (moves || key == KEY_BACKSPACE || key == KEY_DELETE)) return typed_selected(state, key);
    switch (key) {
    case KEY_LEFT: state.caret = canvas_text_caret_moved((CanvasText){ 0 }, line, state.caret, -1); break;
    case KEY_RIGHT: state.caret = canvas_text_caret_moved((CanvasText){ 0 }, line, state.caret, 1); break;
    case KEY_HOME: state.caret = 0; break;
    case KEY_END: state.caret = (int)strlen(line); break;
    case KEY_BACKSPACE:
        cut(line, before, state.caret);
        state.caret = before;
        break;
    case KEY_DELETE: cut(line, state.caret, after); break;
    case KEY_ALL:
        state.selected = line[0] != 0;
        state.caret = (int)strlen(line);
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
    if (what == TYPING_SENTENCE && !state.document->live)
        state.said = "A sentence can be typed only where a model is loaded: start the viewer without a file.";
    else state.typing = what;
    state.caret = (int)strlen(line_of(&state));
    state.selected = what != TYPING_SENTENCE && state.caret > 0; // another path takes the place of the last one
    return state;
}

// Where nothing is typed, what is pasted is a sentence.
static State pasted(State state)
{
    state = begin_typing(state, TYPING_SENTENCE);
    if (state.typing == TYPING_NOTHING) return state;
    state.selected = true;
    state.command = COMMAND_PASTE;
    return state;
}

Event state_event_of_text(const State *state, const char *text, bool caps)
{
    if (state->typing) return (Event){ EVENT_TEXT, .text = text };
    return (Event){ EVENT_KEY, .key = key_of_letter(text, caps) };
}

// ---- keys -----------------------------------------------------------------------------------------------------------

// A head is not held against itself, unless it is moved there.
static State turned_to(State state, ViewKind view)
{
    const Document *d = state.document;
    if (!state_has_view(&state, view)) return state;
    bool same = !state.other && state.other_layer == state.layer && state.other_head == state.head;
    if (view == VIEW_COMPARE && state.view != view && same) {
        if (d->heads > 1) state.other_head = state.head ? state.head - 1 : 1;
        else state.other_layer = state.layer ? state.layer - 1 : 1;
    }
    state.view = view;
    return state;
}

State state_turned(State state, ViewKind view) { return fitted(turned_to(state, view)); }

// Where Esc leads before it leads out.
static ViewKind home_of(const State *state)
{
    return state_heads(state) > 1 ? VIEW_HEADS : has_walk(state->document) ? VIEW_TILES : VIEW_HEAD;
}

// Is a cell that is pinned seen? In All heads and Tiles there is none, nor where columns are no keys.
static bool marks_cells(const State *state)
{
    if (state->view == VIEW_STAGES) return state->stage <= STAGE_WEIGHTS;
    return state->view != VIEW_HEADS && state->view != VIEW_TILES;
}

static State next_view(State state, int step)
{
    int view = (int)state.view;
    do view = (view + step + VIEWS) % VIEWS;
    while (!state_has_view(&state, (ViewKind)view));
    return turned_to(state, (ViewKind)view);
}

static State next_stage(State state, int step)
{
    if (!state_has_view(&state, VIEW_STAGES)) return state;
    if (state.view != VIEW_STAGES) return turned_to(state, VIEW_STAGES);
    int next = (int)state.stage + step;
    while (next >= 0 && next < STAGES && !document_has_stage(state.document, (Stage)next)) next += step;
    if (next >= 0 && next < STAGES) state.stage = (Stage)next;
    return state;
}

static State next_frame(State state, int step)
{
    int last = state.document->walk.frames - 1;
    state.frame = clamp(state.frame + step, last);
    if (state.frame == last) state.playing = false;
    return state;
}

// The pinned cell is: the map is moved so far, or the lines are.
static State in_sight(State state)
{
    Layout layout = layout_of(&state);
    HeadCell cell = pinned_place(&state);
    if (cell.row < 0 || !marks_cells(&state)) return state;
    if (state.view == VIEW_LINES) {
        int last = layout.line_first + layout.line_count - 1, row = state_by_key(&state) ? cell.col : cell.row;
        if (row < layout.line_first) state.row = row;
        else if (row > last) state.row = layout.line_first + row - last;
        return state;
    }
    const MapPlace *map = &layout.maps[0];
    if (!layout.map_count || !(map->cell_width > layout.room.fit)) return state;
    double rows = map->frame.height / map->cell_height, cols = map->frame.width / map->cell_width;
    state.row = between(map->row, fmin(cell.row + 1 - rows, cell.row), cell.row);
    state.col = between(map->col, fmin(cell.col + 1 - cols, cell.col), cell.col);
    return state;
}

// In Compare over the places of both, of which one may be absent here.
static State moved_spot(State state, int down, int right)
{
    HeadCell spot = state_spot(&state);
    if (spot.row < 0) spot = (HeadCell){ 0, 0 };
    else
        spot = (HeadCell){ clamp(spot.row + down, state.aligned->rows.count - 1),
                           clamp(spot.col + right, state.aligned->cols.count - 1) };
    state.pinned = cell_of(&state, spot);
    state.pinned_spot = state.pinned.row < 0 ? spot : NO_CELL;
    return in_sight(state);
}

static State moved_cell(State state, int down, int right)
{
    if (state.view == VIEW_COMPARE && state.aligned) return moved_spot(state, down, right);
    HeadCell cell = state_cell(&state);
    if (cell.row < 0) cell = (HeadCell){ 0, 0 };
    else
        cell =
            (HeadCell){ clamp(cell.row + down, state.document->T - 1), clamp(cell.col + right, state.document->S - 1) };
    state.pinned = cell;
    return in_sight(state);
}

static State scrolled_lines(State state, const Layout *layout, double notches);

static State scrolled_heads(State state, const Layout *layout, double by)
{
    double most = fmax(0, layout->thumbs.tall - layout->thumbs.frame.height);
    state.scrolled = between(layout->thumbs.scrolled + by, 0, most);
    return state;
}

// A quarter of what is seen. What is seen whole stays where it is.
static State panned(State state, int down, int right)
{
    Layout layout = layout_of(&state);
    const MapPlace *map = &layout.maps[0];
    if (state.view == VIEW_HEADS) return scrolled_heads(state, &layout, down * layout.thumbs.frame.height / 4);
    if (state.view == VIEW_LINES) return scrolled_lines(state, &layout, -down);
    if (!layout.map_count || !(map->cell_width > layout.room.fit)) return state;
    double rows = map->frame.height / map->cell_height, cols = map->frame.width / map->cell_width;
    state.row = between(map->row + down * rows / 4, 0, fmax(0, map->rows - rows));
    state.col = between(map->col + right * cols / 4, 0, fmax(0, map->cols - cols));
    return state;
}

// Heads that stand in an order are gone to by where they stand.
static State next_place(State state, int down, int right, const Scene *scene)
{
    int order[MAPS_MOST], count = state_heads(&state), place = 0;
    Layout layout = layout_of(&state);
    layout_order(order, &state, scene);
    while (place < count - 1 && order[place] != state.layer * state.document->heads + state.head) place++;
    int to = place + right + down * layout.thumbs.across;
    if (to >= 0 && to < count) place = to;
    state.layer = order[place] / state.document->heads;
    state.head = order[place] % state.document->heads;
    return state;
}

// All heads: the one at hand is moved into sight.
static State head_in_sight(State state, const Scene *scene)
{
    int order[MAPS_MOST], place = 0;
    Layout layout = layout_of(&state);
    const ThumbPlace *t = &layout.thumbs;
    layout_order(order, &state, scene);
    while (place < state_heads(&state) - 1 && order[place] != state.layer * state.document->heads + state.head) place++;
    CanvasRect at = layout_thumb(&layout, &state, place);
    double under = at.y + t->down_step - t->frame.y - t->frame.height, over = t->frame.y + t->above - at.y;
    if (over > 0) return scrolled_heads(state, &layout, -over);
    return under > 0 ? scrolled_heads(state, &layout, under) : state;
}

static State arrow_among_heads(State state, int down, int right, const Scene *scene)
{
    if (state.sort != SORT_NONE) state = next_place(state, down, right, scene);
    else {
        state.head += right;
        state.layer += down;
    }
    return head_in_sight(fitted(state), scene);
}

static State arrow(State state, Event event, const Scene *scene)
{
    Key key = event.key;
    bool shift = event.shift;
    int right = key == KEY_RIGHT ? 1 : key == KEY_LEFT ? -1 : 0, down = key == KEY_DOWN ? 1 : key == KEY_UP ? -1 : 0;
    if (event.alt) return panned(state, down, right);
    if (event.ctrl && marks_cells(&state)) return moved_cell(state, down, right);
    if (state.view == VIEW_TILES) return next_frame(state, right + down);
    if (state.view == VIEW_HEADS && !shift) return arrow_among_heads(state, down, right, scene);
    if (state.view == VIEW_COMPARE && shift) {
        state.other_head += right;
        state.other_layer += down;
        return state;
    }
    if (shift && marks_cells(&state)) return moved_cell(state, down, right);
    state.head += right;
    state.layer += down;
    return state;
}

static State back(State state)
{
    if (state.said) state.said = NULL;
    else if (state.pinned_spot.row >= 0) state.pinned_spot = NO_CELL;
    else if (state.pinned.row >= 0 && marks_cells(&state)) state.pinned = NO_CELL;
    else if (state.cell > 0 && state.view != VIEW_HEADS && state.view != VIEW_LINES)
        state.cell = state.row = state.col = 0;
    else if (state.find.any) {
        state.sought[0] = 0;
        state = looked_for(state);
    } else if (state.view != home_of(&state)) state = turned_to(state, home_of(&state));
    else state.noted = "Q or Ctrl+Q quits.";
    return state;
}

// How it is looked at is as it was at first. The view and its heads, the sentence, what is switched off and the window
// stay.
static State reset(State state)
{
    State fresh = state_of(state.document, state.width, state.height, state.pixels);
    state.scrolled = state.cell = state.row = state.col = 0;
    state.stage = fresh.stage;
    state.frame = fresh.frame;
    state.playing = false;
    state.scale = state.usual;
    state.colors = fresh.colors;
    state.largest = fresh.largest;
    state.hide = fresh.hide;
    state.sort = fresh.sort;
    state.lines = fresh.lines;
    state.parts = fresh.parts;
    memset(state.unlit, 0, sizeof state.unlit);
    state.pinned = state.pinned_spot = NO_CELL;
    state.sought[0] = 0;
    if (state.typing == TYPING_FIND) state.caret = 0;
    return state;
}

static State compared(State state) { return turned_to(state, state.view == VIEW_COMPARE ? VIEW_HEAD : VIEW_COMPARE); }

bool state_can_sort_by_cell(const State *state) { return state->pinned.row >= 0 && !state->document->of_maps; }

double state_cell_of_head(const State *state, int head)
{
    const Document *d = state->document;
    int layer = head / d->heads, h = head % d->heads, row = state->pinned.row, col = state->pinned.col;
    if (document_hidden(d, layer, h, row, col)) return (double)NAN;
    return (double)field_at(document_maps(d), layer, h, row, col);
}

static State sorted_next(State state)
{
    do state.sort = state.sort < SORT_ROLE ? state.sort + 1 : SORT_NONE;
    while ((state.sort == SORT_CELL && !state_can_sort_by_cell(&state)) ||
           (state.sort == SORT_FOUND && !state_can_sort_by_found(&state)) ||
           (state.sort == SORT_ADDS && !state_can_sort_by_adds(&state)));
    return state;
}

// ---- roles

int state_role(const State *state, const Scene *scene, int head)
{
    static const Look looks[] = { LOOK_PREVIOUS, LOOK_DIAGONAL, LOOK_INDUCTION, LOOK_FIRST };
    const Document *d = state->document;
    const HeadLook *look = scene ? scene_look(scene, head / d->heads, head % d->heads) : NULL;
    int role = -1;
    if (!look || !look->ready || d->of[FIELD_WEIGHTS] < 0 || d->loose) return -1;
    for (int k = 0; k < 4; k++) {
        double value = look->looks[looks[k]];
        if (value >= (role < 0 ? ROLE_LEAST : look->looks[role]) && (role < 0 || value > look->looks[role]))
            role = (int)looks[k];
    }
    return role;
}

const char *state_role_name(const State *state, const Scene *scene, int head)
{
    if (state->document->roles) return state->document->roles[head];
    int role = state_role(state, scene, head);
    return role < 0 ? NULL : look_name((Look)role);
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

bool state_shares_role(const State *state, const Scene *scene, int head, int of)
{
    const char *role = state_role_name(state, scene, of), *its = state_role_name(state, scene, head);
    return role && its && share_role(role, its);
}

// A head without a role is followed by the next one that has any.
static bool has_role_of(const State *state, const Scene *scene, int head, int of)
{
    if (!state_role_name(state, scene, of)) return state_role_name(state, scene, head);
    return state_shares_role(state, scene, head, of);
}

static State next_of_role(State state, const Scene *scene)
{
    int heads = state.document->heads, count = state_heads(&state), at = state.layer * heads + state.head;
    for (int step = 1; step < count; step++) {
        int head = (at + step) % count;
        if (!has_role_of(&state, scene, head, at)) continue;
        state.layer = head / heads;
        state.head = head % heads;
        return state.view == VIEW_HEADS ? head_in_sight(state, scene) : state;
    }
    bool known = state.document->roles || (scene && scene_looks_ready(scene) == count);
    state.noted = known ? "No other head has this role." : "What the heads do is not known yet.";
    return state;
}

// ---- the other keys

// The next of what can be made of the heads.
static State made_next(State state)
{
    const Document *of = state.document->of_maps ? state.document->of_maps : state.document;
    do state.made = (MapReduction)((state.made + 1) % MADES);
    while (!made_possible(of, state.made));
    return state;
}

// ---- lines of several heads

static State lines_next(State state)
{
    if (state.view != VIEW_LINES) return turned_to(state, VIEW_LINES);
    do state.lines = (LinesOf)((state.lines + 1) % LINES_OF);
    while (!state_has_lines(&state, state.lines));
    return state;
}

// The heads that are switched as one: those of the layer, where all bands are of that, or else all.
static void range_of_lines(const State *state, int *from, int *to)
{
    int heads = state->document->heads;
    bool all = state->lines == LINES_LAYERS;
    *from = all ? 0 : state->layer * heads;
    *to = all ? state_heads(state) : *from + heads;
    if (*to > STATE_HEADS_MOST) *to = STATE_HEADS_MOST;
}

static State lit_toggled(State state, int head)
{
    if (head < STATE_HEADS_MOST) state.unlit[head] ^= 1;
    return state;
}

// That head alone; all of them, where it is alone already.
static State lit_alone(State state, int head)
{
    int from, to;
    bool alone = head < STATE_HEADS_MOST && !state.unlit[head];
    range_of_lines(&state, &from, &to);
    for (int h = from; h < to; h++) alone = alone && (h == head || state.unlit[h]);
    for (int h = from; h < to; h++) state.unlit[h] = !alone && h != head;
    return state;
}

// The head at hand, where lines of several are shown.
static State lit(State state, bool alone)
{
    int head = state.layer * state.document->heads + state.head;
    if (state.view != VIEW_LINES || state.lines == LINES_HEAD) {
        state.said = "Heads are drawn or not in Lines of several heads: L leads there.";
        return state;
    }
    return alone ? lit_alone(state, head) : lit_toggled(state, head);
}

// The pinned word asks, or is asked.
static State who_attends(State state)
{
    bool here = state.view == VIEW_LINES;
    if (!state_has_view(&state, VIEW_LINES)) return state;
    bool by_key = !(here && state.pinned.row >= 0 && state.pinned_key);
    state = turned_to(state, VIEW_LINES);
    state = moved_cell(state, 0, 0);
    state.pinned_key = by_key;
    return state;
}

static State parts_next(State state)
{
    if (state_has_parts(&state)) {
        if (state.view != VIEW_HEAD && state.view != VIEW_COMPARE) state = turned_to(state, VIEW_LINES);
        state.parts = (SentencePair)((state.parts + 1) % SENTENCE_PAIR);
    } else state.said = "These words are of one sentence: there is no [SEP] or </s> between two, and no segments.";
    return state;
}

static State kind_next(State state)
{
    int count = state.document->kind_count;
    if (count > 1) state.kind = (state.kind + 1) % count;
    else state.said = "This file has attention of one kind; encoder, decoder and cross attention would be three.";
    return state;
}

// ---- two sentences

static State held_or_not(State state)
{
    if (!state.document->live) {
        state.said = "A sentence can be held only where a model is loaded: start the viewer without a file.";
        return state;
    }
    if (state.other && !state.held) {
        state.said = "A second file is open: there is no place for a second sentence.";
        return state;
    }
    state.held = !state.held;
    return state;
}

static State ablated(State state)
{
    if (!state.document->live) {
        state.said = "A head can be switched off only where a model is loaded: start the viewer without a file.";
        return state;
    }
    if (state.document->of_maps && state.document->of_maps->heads != state.document->heads) {
        state.said = "This map is made of several heads: W goes on to the heads themselves, which can be switched off.";
        return state;
    }
    int at = state.layer * state.document->heads + state.head;
    if (at < STATE_HEADS_MOST) state.off[at] ^= 1;
    return state;
}

// What heads that are off give: nothing, their mean, or what they gave in the sentence that is held.
static State off_by_next(State state)
{
    static const char *const notes[ABLATION_KINDS] = {
        "Heads that are off give nothing.",
        "Heads that are off give their mean over this sentence.",
        "Heads that are off give what they gave in the held sentence.",
    };
    if (!state.document->live) {
        state.said = "A head can be switched off only where a model is loaded: start the viewer without a file.";
        return state;
    }
    state.off_by = (AblationKind)((state.off_by + 1) % (state.held ? ABLATION_KINDS : ABLATION_HELD));
    state.noted = notes[state.off_by];
    return state;
}

static State played(State state)
{
    if (!has_walk(state.document)) return state;
    state = turned_to(state, VIEW_TILES);
    state.playing = !state.playing;
    if (state.playing && state.frame == state.document->walk.frames - 1) state.frame = 0;
    return state;
}

// From all heads to the one at hand; in a map, to the cell under the mouse.
static State enter(State state)
{
    if (state.view == VIEW_HEADS) return turned_to(state, VIEW_HEAD);
    return marks_cells(&state) ? moved_cell(state, 0, 0) : state;
}

// The list of keys closes at the first one, which then does what the list says of it.
static State zoomed_by_key(State state, double notches);

static State key_down(State state, Event event, const Scene *scene)
{
    Key key = event.key;
    bool shift = event.shift;
    bool listed = state.help;
    if (key) state.help = false;
    if (listed && (key == KEY_BACK || key == KEY_HELP)) return state;
    if (state.typing && is_for_line(key)) return typed(state, key);
    if (key != KEY_BACK) state.said = NULL;
    state.noted = NULL;
    switch (key) {
    case KEY_LEFT:
    case KEY_RIGHT:
    case KEY_UP:
    case KEY_DOWN: return arrow(state, event, scene);
    case KEY_HOME: state.head = state.layer = state.frame = 0; break;
    case KEY_END: state.head = state.layer = state.frame = 1 << 20; break;
    case KEY_TAB: return next_view(state, shift ? -1 : 1);
    case KEY_BACK: return back(state);
    case KEY_ENTER: return enter(state);
    case KEY_FIT: state.cell = state.row = state.col = 0; break;
    case KEY_RESET: return reset(state);
    case KEY_SCALE: state.scale = (Scale)((state.scale + 1) % SCALES); break;
    case KEY_COLORS: state.colors = (ColorMap)((state.colors + 1) % COLOR_DIVERGING); break;
    case KEY_STAGE_BEFORE: return next_stage(state, -1);
    case KEY_STAGE_AFTER: return next_stage(state, 1);
    case KEY_COMPARE: return compared(state);
    case KEY_ABLATE: return ablated(state);
    case KEY_OFF_BY: return off_by_next(state);
    case KEY_PLAY: return played(state);
    case KEY_LARGEST: state.largest = !state.largest; break;
    case KEY_HIDE: state.hide = state.hide == 0 ? 1 : state.hide < HIDE_MOST ? 2 * state.hide : 0; break;
    case KEY_SORT: return sorted_next(state);
    case KEY_MADE: return made_next(state);
    case KEY_LINES: return lines_next(state);
    case KEY_LIT: return lit(state, false);
    case KEY_LIT_ALONE: return lit(state, true);
    case KEY_WHO: return who_attends(state);
    case KEY_PARTS: return parts_next(state);
    case KEY_KIND: return kind_next(state);
    case KEY_HOLD: return held_or_not(state);
    case KEY_FIND: return begin_typing(state, TYPING_FIND);
    case KEY_NEXT_FOUND: return next_found(state, 1);
    case KEY_FOUND_BEFORE: return next_found(state, -1);
    case KEY_ROLE: return next_of_role(state, scene);
    case KEY_NEARER: return zoomed_by_key(state, 2);
    case KEY_FARTHER: return zoomed_by_key(state, -2);
    case KEY_DARK: state.dark = !state.dark; break;
    case KEY_FORMULAS: state.formulas = !state.formulas; break;
    case KEY_QUIT: state.quit = true; break;
    case KEY_TYPE: return begin_typing(state, TYPING_SENTENCE);
    case KEY_OPEN: return begin_typing(state, TYPING_PATH);
    case KEY_SAVE: state.command = COMMAND_SAVE_PNG; break;
    case KEY_SAVE_SVG: state.command = COMMAND_SAVE_SVG; break;
    case KEY_SAVE_PAGE: state.command = COMMAND_SAVE_PAGE; break;
    case KEY_COPY: state.command = state.document->live ? COMMAND_COPY : COMMAND_NONE; break;
    case KEY_PASTE: return pasted(state);
    case KEY_FULL_SCREEN: state.command = COMMAND_FULL_SCREEN; break;
    case KEY_HELP: state.help = true; break;
    case KEY_ZOOM_IN: state.zoom = between(state.zoom * 1.1, 0.5, 3); break;
    case KEY_ZOOM_OUT: state.zoom = between(state.zoom / 1.1, 0.5, 3); break;
    case KEY_ZOOM_NONE: state.zoom = 1; break;
    default: break;
    }
    return state;
}

// ---- the mouse ------------------------------------------------------------------------------------------------------

static bool is_outside(const State *state) { return state->x < 0 || state->y < 0; }

// Of several kinds the one that is pointed at comes to hand, unless a cell is pinned.
static State pointed_lines(State state, const Layout *layout, double x, double y)
{
    LinePlace place = layout_line_at(layout, x, y);
    const Document *of = place.index >= 0 ? layout->bands[place.band].of : NULL;
    if (!of) return state;
    bool here = state.lines != LINES_KINDS || of->kind_at == state.document->kind_at;
    if (!here && state.pinned.row < 0) state.kind = of->kind_at;
    if (!here) return state;
    state.hover = layout_cell_at(layout, x, y);
    state.hover_key = place.by_key;
    return state;
}

static State pointed(State state)
{
    state.hover = state.spot = NO_CELL;
    state.hover_key = false;
    if (is_outside(&state) || !marks_cells(&state)) return state;
    Layout layout = layout_of(&state);
    double x = state.x / state.zoom, y = state.y / state.zoom;
    if (state.view == VIEW_LINES) return pointed_lines(state, &layout, x, y);
    state.hover = state.spot = layout_cell_at(&layout, x, y);
    if (state.view == VIEW_COMPARE) state.hover = cell_of(&state, state.spot);
    return state;
}

// What is seen whole stays where it is. The cell that was pressed stays under the mouse.
static State dragged(State state, double x, double y)
{
    Layout layout = layout_of(&state);
    const MapPlace *map = &layout.maps[0];
    if (!state.moved) {
        state.x = state.pressed_x;
        state.y = state.pressed_y;
    }
    state.moved = true;
    if (!layout.map_count || !(map->cell_width > layout.room.fit)) return state;
    state.col = map->col - (x - state.x) / state.zoom / map->cell_width;
    state.row = map->row - (y - state.y) / state.zoom / map->cell_height;
    return state;
}

static State mouse_moved(State state, double x, double y)
{
    bool drags = state.moved || hypot(x - state.pressed_x, y - state.pressed_y) > 3;
    if (state.dragging && drags) state = dragged(state, x, y);
    state.x = x;
    state.y = y;
    return state;
}

static State pressed(State state, double x, double y, const Scene *scene)
{
    state.x = x;
    state.y = y;
    state.noted = NULL;
    double px = x / state.zoom, py = y / state.zoom;
    Layout layout = layout_of(&state);
    if (state.help) {
        state.help = false;
        return state;
    }
    for (int v = 0; v < VIEWS; v++)
        if (layout_holds(layout.tabs[v], px, py))
            return layout.close ? next_view(state, 1) : turned_to(state, (ViewKind)v);
    for (int s = 0; s < STAGES; s++) {
        bool there = document_has_stage(state.document, (Stage)s);
        if (there && layout_holds(layout.steps[s], px, py)) state.stage = (Stage)s;
    }
    if (layout_holds(layout.sentence, px, py))
        return begin_typing(state, state.typing ? state.typing : state.document->live ? TYPING_SENTENCE : TYPING_PATH);
    state.typing = TYPING_NOTHING;
    int head = layout_thumb_at(&layout, &state, scene, px, py);
    if (head >= 0) {
        state.layer = head / state.document->heads;
        state.head = head % state.document->heads;
    }
    int swatch = layout_swatch_at(&layout, px, py);
    if (swatch >= 0) return lit_toggled(state, swatch);
    state.dragging = layout_cell_at(&layout, px, py).row >= 0;
    state.moved = false;
    state.pressed_x = x;
    state.pressed_y = y;
    return state;
}

// A press and a release in one place pin the cell, or unpin it.
static State released(State state, double x, double y)
{
    bool clicked = state.dragging && !state.moved;
    state = pointed(mouse_moved(state, x, y));
    clicked = clicked && !state.moved;
    state.dragging = false;
    bool compares = state.view == VIEW_COMPARE;
    HeadCell cell = compares ? state.spot : state.hover, before = pinned_place(&state);
    if (!clicked || cell.row < 0) return state;
    bool same = before.row == cell.row && before.col == cell.col && (compares || state.pinned_key == state.hover_key);
    state.pinned = same ? NO_CELL : state.hover;
    state.pinned_spot = same || !compares || state.hover.row >= 0 ? NO_CELL : cell;
    state.pinned_key = state.hover_key;
    return state;
}

static State scrolled_lines(State state, const Layout *layout, double notches)
{
    int longest = layout->line_words;
    double seen = layout->lines.height / layout->line_step - 3; // a little less: the picture sees to the end
    state.row = between(state.row - 3 * notches, 0, fmax(0, longest - seen));
    return state;
}

// The cell at that place of map m stays there while the map grows, unless that would leave a gap at an edge.
static State zoomed_at(State state, Layout *layout, int m, double x, double y, double notches)
{
    const MapPlace *map = &layout->maps[m];
    double row = map->row + (y - map->frame.y) / map->cell_height;
    double col = map->col + (x - map->frame.x) / map->cell_width;
    double fit = layout->room.fit;
    state.cell = between(map->cell_width * pow(1.2, notches), fit, fmax(64, fit));
    if (state.cell <= fit) {
        state.cell = state.row = state.col = 0;
        return state;
    }
    *layout = layout_of(&state); // the frame has grown with the map
    state.col = col - (x - map->frame.x) / map->cell_width;
    state.row = row - (y - map->frame.y) / map->cell_height;
    return state;
}

// At the pinned cell where that is seen, else at the middle of the map.
static State zoomed_by_key(State state, double notches)
{
    Layout layout = layout_of(&state);
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
    Layout layout = layout_of(&state);
    double x = state.x / state.zoom, y = state.y / state.zoom;
    if (is_outside(&state)) return state;
    if (state.view == VIEW_HEADS || layout_holds(layout.thumbs.frame, x, y))
        return scrolled_heads(state, &layout, -40 * notches);
    if (state.view == VIEW_LINES) return scrolled_lines(state, &layout, notches);
    int m = 0;
    while (m < layout.map_count && !layout_holds(layout.maps[m].frame, x, y)) m++;
    return m == layout.map_count ? state : zoomed_at(state, &layout, m, x, y, notches);
}

// Where there is no thumbnail it is a second click.
static State double_clicked(State state, double x, double y, const Scene *scene)
{
    Layout layout = layout_of(&state);
    int head = layout_thumb_at(&layout, &state, scene, x / state.zoom, y / state.zoom);
    int swatch = layout_swatch_at(&layout, x / state.zoom, y / state.zoom);
    if (swatch >= 0) return lit_alone(lit_toggled(state, swatch), swatch); // the first click has toggled it
    state = pressed(state, x, y, scene);
    return head >= 0 ? turned_to(state, VIEW_HEAD) : state;
}

// ---- all ------------------------------------------------------------------------------------------------------------

// A window of no size, or of one that no screen has, is drawn as the next one that can be.
static State resized(State state, double width, double height, double pixels)
{
    state.width = between(width, 1, 16384);
    state.height = between(height, 1, 16384);
    state.pixels = between(pixels, 0.25, fmin(8, 32000 / fmax(state.width, state.height)));
    return state;
}

static State told(State state, const char *sentence)
{
    state.said = sentence;
    state.noted = NULL;
    return state;
}

// The second file shows the same head as the first, as long as nobody has chosen another there.
static State linked(State state, const State *before)
{
    bool same = before->other_layer == before->layer && before->other_head == before->head;
    bool chosen = state.other_layer != before->other_layer || state.other_head != before->other_head;
    if (!state.other || !same || chosen) return state;
    state.other_layer = state.layer;
    state.other_head = state.head;
    return state;
}

State state_update(State state, Event event, const Scene *scene)
{
    if (!isfinite(event.x) || !isfinite(event.y) || !isfinite(event.wheel) || !isfinite(event.pixels)) return state;
    const State before = state;
    switch (event.kind) {
    case EVENT_KEY: state = key_down(state, event, scene); break;
    case EVENT_TEXT:
        if (state.typing && event.text) state = insert(state, event.text);
        break;
    case EVENT_MOVE: state = mouse_moved(state, event.x, event.y); break;
    case EVENT_LEAVE: state.x = state.y = -1; break;
    case EVENT_PRESS: state = pressed(state, event.x, event.y, scene); break;
    case EVENT_RELEASE: state = released(state, event.x, event.y); break;
    case EVENT_DOUBLE: state = double_clicked(state, event.x, event.y, scene); break;
    case EVENT_WHEEL: state = wheeled(state, event.wheel); break;
    case EVENT_RESIZE: state = resized(state, event.x, event.y, event.pixels); break;
    case EVENT_TICK:
        if (state.playing) state = next_frame(state, 1);
        break;
    case EVENT_DOCUMENT:
        state.document = event.document;
        state.find = find_words(state.document, state.sought);
        break;
    case EVENT_SAID: state = told(state, event.text); break;
    case EVENT_NOTED: state.noted = event.text; break;
    default: break;
    }
    if (strcmp(state.sought, before.sought)) state = looked_for(state);
    return pointed(fitted(linked(fitted(state), &before)));
}
