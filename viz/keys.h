// The keys: which one does what, and what the list of keys says about it. One table for every shell and for that list.
#ifndef VIZ_KEYS_H
#define VIZ_KEYS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    KEY_NONE,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_ENTER,
    KEY_BACK,
    KEY_TAB,
    KEY_BACKSPACE,
    KEY_DELETE,
    KEY_FIT,
    KEY_RESET,
    KEY_SCALE,
    KEY_COLORS,
    KEY_STAGE_BEFORE,
    KEY_STAGE_AFTER,
    KEY_COMPARE,
    KEY_ABLATE,
    KEY_ABLATION_KIND,
    KEY_PLAY,
    KEY_LARGEST,
    KEY_HIDE,
    KEY_SORT,
    KEY_TYPE,
    KEY_HELP,
    KEY_ZOOM_IN,
    KEY_ZOOM_OUT,
    KEY_ZOOM_NONE,
    KEY_SAVE,
    KEY_SAVE_SVG,
    KEY_OPEN,
    KEY_FULL_SCREEN,
    KEY_ALL,
    KEY_COPY,
    KEY_PASTE,
    KEY_REDUCTION,
    KEY_LINES,
    KEY_DRAW_HEAD,
    KEY_DRAW_ONLY_HEAD,
    KEY_BY_KEY,
    KEY_PAIR,
    KEY_KIND,
    KEY_HOLD,
    KEY_SAVE_PAGE,
    KEY_FIND,
    KEY_NEXT_FOUND,
    KEY_FOUND_BEFORE,
    KEY_ROLE,
    KEY_MAP_IN,
    KEY_MAP_OUT,
    KEY_DARK,
    KEY_FORMULAS,
    KEY_QUIT,
    KEYS
} Key;

// What a typed letter does ("f", "?", " "), whatever the keyboard; a capital that has no meaning of its own does what
// the letter does. caps: Caps Lock is on, and has turned the case of what was typed. KEY_NONE: nothing.
Key key_of_letter(const char *text, bool caps);

// What a key that types no letter does, by its name: "Left", "Home", "Enter", "Escape", "F11" …; with Ctrl held, "+",
// "O" and the like. KEY_NONE: nothing, or a letter, which comes as text.
Key key_of_name(const char *name, bool ctrl);

// The list of keys, a line each.
typedef struct {
    const char *keys, *meaning;
} KeyLine;
int key_lines(void);
KeyLine key_line(int n);

#endif
