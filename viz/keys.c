// The key bindings: each line of the list with its keys. One letter: a typed text; longer: a key name; "Ctrl " with
// Ctrl held. Mouse actions have no key.
#include "viz/keys.h"

#include <string.h>

enum { MOST = 5 };

typedef struct {
    const char *name;
    Key key;
} Bound;
typedef struct {
    KeyLine line;
    Bound bound[MOST];
} Row;

// clang-format off
static const Row rows[] = {
    { { "← →  ↑ ↓", "head, layer; in Tiles the tile, in Ranks the step" },
      { { "Left", KEY_LEFT }, { "Right", KEY_RIGHT }, { "Up", KEY_UP }, { "Down", KEY_DOWN } } },
    { { "Shift + arrows", "pin a cell and move it; in Compare the other head" }, { { NULL, KEY_NONE } } },
    { { "Ctrl, Alt + arrows", "pin a cell and move it, in Compare too; pan, scroll" },
      { { "Ctrl Left", KEY_LEFT }, { "Ctrl Right", KEY_RIGHT }, { "Ctrl Up", KEY_UP }, { "Ctrl Down", KEY_DOWN } } },
    { { "+   −", "zoom the map at the pinned cell, or its middle" },
      { { "+", KEY_MAP_IN }, { "=", KEY_MAP_IN }, { "-", KEY_MAP_OUT } } },
    { { "Tab, Shift+Tab", "next view, the one before" }, { { "Tab", KEY_TAB } } },
    { { "Enter, double click", "open the head" }, { { "Enter", KEY_ENTER } } },
    { { "Esc", "back one step" }, { { "Escape", KEY_BACK } } },
    { { "click", "pin a cell, once more unpins it" }, { { NULL, KEY_NONE } } },
    { { "wheel, drag", "zoom at the cursor, pan" }, { { NULL, KEY_NONE } } },
    { { "F   R", "fit the map; reset what is looked at" }, { { "f", KEY_FIT }, { "r", KEY_RESET } } },
    { { "S   C", "scale; colours" }, { { "s", KEY_SCALE }, { "c", KEY_COLORS } } },
    { { "M", "folded cells: sum and mean, or the largest" }, { { "m", KEY_LARGEST } } },
    { { "H", "leave out the first 1, 2, 4, 8 keys" }, { { "h", KEY_HIDE } } },
    { { "O", "order of all heads: statistics, cell, adds, role" }, { { "o", KEY_SORT } } },
    { { "Ctrl+F   N  Shift+N", "find “it”, “it > animal”; next one, the one before" },
      { { "Ctrl F", KEY_FIND }, { "n", KEY_NEXT_FOUND }, { "N", KEY_FOUND_BEFORE } } },
    { { "J", "next head with this role" }, { { "j", KEY_ROLE } } },
    { { "[   ]", "stage before, after" }, { { "[", KEY_STAGE_BEFORE }, { "]", KEY_STAGE_AFTER } } },
    { { "D", "compare two heads" }, { { "d", KEY_COMPARE } } },
    { { "A   Shift+A", "the head off, or on; what off gives: 0, mean, held" },
      { { "a", KEY_ABLATE }, { "A", KEY_ABLATION_KIND } } },
    { { "W", "maps of heads, or made of them: means, rollout …" }, { { "w", KEY_REDUCTION } } },
    { { "L", "Lines of a head, a layer, all layers, all kinds" }, { { "l", KEY_LINES } } },
    { { "T   Shift+T", "there: draw the head or not; that head alone, or all" },
      { { "t", KEY_DRAW_HEAD }, { "T", KEY_DRAW_ONLY_HEAD } } },
    { { "K   G", "Lines: who attends to this key; maps too: A → B …" }, { { "k", KEY_BY_KEY }, { "g", KEY_PAIR } } },
    { { "V", "decoder, cross, encoder attention of one file" }, { { "v", KEY_KIND } } },
    { { "B", "hold the sentence, to compare another; let it go" }, { { "b", KEY_HOLD } } },
    { { "/", "type a sentence" }, { { "/", KEY_TYPE } } },
    { { "Ctrl  A  C  V", "in the line that is typed: all of it, copy, paste" },
      { { "Ctrl A", KEY_ALL }, { "Ctrl C", KEY_COPY }, { "Ctrl V", KEY_PASTE } } },
    { { "Space", "play tiles or steps, pause" }, { { " ", KEY_PLAY } } },
    { { "E   Shift+E   Ctrl+E", "save as PNG, as SVG; all heads as a page" },
      { { "e", KEY_SAVE }, { "E", KEY_SAVE_SVG }, { "Ctrl E", KEY_SAVE_PAGE } } },
    { { "Ctrl+O", "open a file, or words; or drop one on the window" }, { { "Ctrl O", KEY_OPEN } } },
    { { "Ctrl  +  −  0", "larger, smaller, 100 %" },
      { { "Ctrl +", KEY_ZOOM_IN }, { "Ctrl =", KEY_ZOOM_IN }, { "Ctrl -", KEY_ZOOM_OUT },
        { "Ctrl 0", KEY_ZOOM_NONE } } },
    { { "P", "paper, or dark" }, { { "p", KEY_DARK } } },
    { { "I", "formulas of the statistics, or none" }, { { "i", KEY_FORMULAS } } },
    { { "F11", "full screen" }, { { "F11", KEY_FULL_SCREEN } } },
    { { "Q, Ctrl+Q", "quit" }, { { "q", KEY_QUIT }, { "Ctrl Q", KEY_QUIT } } },
    { { NULL, NULL },                                // not listed
      { { "?", KEY_HELP }, { "Home", KEY_HOME }, { "End", KEY_END }, { "Backspace", KEY_BACKSPACE },
        { "Delete", KEY_DELETE } } },
};
// clang-format on
enum { ROWS = sizeof rows / sizeof *rows };

static Key key_named(const char *name)
{
    for (int r = 0; r < ROWS; r++)
        for (int b = 0; b < MOST; b++)
            if (rows[r].bound[b].name && !strcmp(rows[r].bound[b].name, name)) return rows[r].bound[b].key;
    return KEY_NONE;
}

static bool is_small(char c) { return c >= 'a' && c <= 'z'; }
static bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

Key key_of_letter(const char *text, bool caps)
{
    enum { CASE = 'a' - 'A' };
    char letter[2] = { text[0], 0 };
    if (!text[0] || text[1]) return KEY_NONE;
    if (caps && is_small(letter[0])) letter[0] = (char)(letter[0] - CASE);
    else if (caps && is_capital(letter[0])) letter[0] = (char)(letter[0] + CASE);
    Key key = key_named(letter);
    if (key || !is_capital(letter[0])) return key;
    letter[0] = (char)(letter[0] + CASE);
    return key_named(letter);
}

Key key_of_name(const char *name, bool ctrl)
{
    static const char held[] = "Ctrl ";
    char with[32] = "";
    if (!name[0] || strlen(name) + sizeof held > sizeof with || !strncmp(name, held, strlen(held))) return KEY_NONE;
    if (!ctrl) return name[1] ? key_named(name) : KEY_NONE;
    strcat(strcat(with, held), name);
    return key_named(with);
}

int key_lines(void) { return ROWS - 1; }
KeyLine key_line(int n) { return rows[n].line; }
