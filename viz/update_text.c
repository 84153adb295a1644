// The line that is typed: a sentence, a path, or words to search for.
#include "viz/update_internal.h"

#include "base/portable_math.h"
#include "io/text.h"

#include <string.h>

static char *edited_line(State *state)
{
    return state->editing.typing == TYPING_PATH   ? state->editing.path
           : state->editing.typing == TYPING_FIND ? state->editing.find_text
                                                  : state->editing.sentence;
}

static void delete_bytes(char *line, int from, int to) { memmove(line + from, line + to, strlen(line + to) + 1); }

static State clear_line(State state)
{
    edited_line(&state)[0] = 0;
    state.editing.caret = 0;
    state.editing.selected = false;
    return state;
}

// Converts text to one line: line ends, controls and invalid bytes become spaces. −1: longer than `room`.
static int to_line(char *line, const char *text, size_t room)
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

State update_insert(State state, const char *text)
{
    char *line = edited_line(&state), added[TEXT_BYTES];
    size_t held = state.editing.selected ? 0 : strlen(line);
    int length = to_line(added, text, TEXT_BYTES - 1 - held);
    if (length < 0) {
        state.message.error = "That is too long: a line has room for 8191 bytes.";
        return state;
    }
    if (state.editing.selected) state = clear_line(state);
    line = edited_line(&state);
    memmove(line + state.editing.caret + length, line + state.editing.caret, held - (size_t)state.editing.caret + 1);
    memcpy(line + state.editing.caret, added, (size_t)length);
    state.editing.caret += length;
    return state;
}

static State stop_typing(State state)
{
    if (state.editing.typing == TYPING_FIND) state = clear_line(state);
    state.editing.typing = TYPING_NOTHING;
    state.message.error = NULL;
    return state;
}

// Keys on a selected line: delete all of it, or go to one of its ends.
static State edit_selected(State state, Key key)
{
    int end = (int)strlen(edited_line(&state));
    state.editing.selected = false;
    if (key == KEY_BACKSPACE || key == KEY_DELETE) return clear_line(state);
    state.editing.caret = key == KEY_LEFT || key == KEY_HOME ? 0 : end;
    return state;
}

// ---- search ----------------------------------------------------------------------------------------------------------

// Searches again after the line or the document has changed.
State update_find(State state)
{
    state.editing.find = find_words(state.shown.document, state.editing.find_text);
    state.editing.found = -1;
    return state;
}

// The key with the largest weight of a row, or the query with that of a column; 0 if all are masked.
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

// Pins the next match. Of one word: a query with its largest key, a key with its largest query.
State update_next_found(State state, int step)
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
    return update_reveal(state);
}

// Goes to the first match; "a > b" also sorts the heads.
static State go_to_first(State state)
{
    state = update_next_found(update_find(state), 1);
    if (state_can_sort_by_found(&state)) state.shown.sort = SORT_FOUND;
    return state;
}

State state_with_find(State state, const char *text)
{
    size_t size = strlen(text) < TEXT_BYTES ? strlen(text) : TEXT_BYTES - 1;
    memcpy(state.editing.find_text, text, size);
    state.editing.find_text[size] = 0;
    return go_to_first(state);
}

// ---- keys ------------------------------------------------------------------------------------------------------------

static State enter_line(State state)
{
    Typing what = state.editing.typing;
    state.editing.typing = TYPING_NOTHING;
    if (what == TYPING_PATH && state.editing.path[0]) state.command = COMMAND_OPEN;
    return what == TYPING_FIND && state.editing.find.any ? go_to_first(state) : state;
}

State update_typed(State state, Key key)
{
    char *line = edited_line(&state);
    int before = canvas_text_letter_before(line, state.editing.caret),
        after = state.editing.caret + canvas_text_letter(line + state.editing.caret);
    bool moves = key == KEY_LEFT || key == KEY_RIGHT || key == KEY_HOME || key == KEY_END;
    if (state.editing.selected && (moves || key == KEY_BACKSPACE || key == KEY_DELETE))
        return edit_selected(state, key);
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
        delete_bytes(line, before, state.editing.caret);
        state.editing.caret = before;
        break;
    case KEY_DELETE: delete_bytes(line, state.editing.caret, after); break;
    case KEY_ALL:
        state.editing.selected = line[0] != 0;
        state.editing.caret = (int)strlen(line);
        break;
    case KEY_COPY: state.command = COMMAND_COPY; break;
    case KEY_PASTE: state.command = COMMAND_PASTE; break;
    case KEY_ENTER: return enter_line(state);
    default: return stop_typing(state); // KEY_BACK
    }
    return state;
}

bool update_is_for_line(Key key)
{
    return key == KEY_LEFT || key == KEY_RIGHT || key == KEY_HOME || key == KEY_END || key == KEY_BACKSPACE ||
           key == KEY_DELETE || key == KEY_ENTER || key == KEY_BACK || key == KEY_ALL || key == KEY_COPY ||
           key == KEY_PASTE;
}

State update_begin_typing(State state, Typing what)
{
    if (what == TYPING_SENTENCE && !state.shown.document->live)
        state.message.error = "A sentence can be typed only where a model is loaded: start the viewer without a file.";
    else state.editing.typing = what;
    state.editing.caret = (int)strlen(edited_line(&state));
    state.editing.selected = what != TYPING_SENTENCE && state.editing.caret > 0; // typing replaces the previous path
    return state;
}

// Ctrl+V outside a line: pastes a new sentence.
State update_pasted(State state)
{
    state = update_begin_typing(state, TYPING_SENTENCE);
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
