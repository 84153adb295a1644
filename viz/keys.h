// Key bindings and the list of keys that help shows, in one table for all shells.
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

// The binding of a typed letter ("f", "?", " "), independent of the keyboard layout. An unbound capital acts as the
// small letter. caps: Caps Lock is on and has inverted the case.
Key key_of_letter(const char *text, bool caps);

// The binding of a key that types nothing, by name: "Left", "Home", "Enter", "Escape", "F11"; with Ctrl held also "+",
// "O", …. KEY_NONE: unbound, or a letter, which arrives as text.
Key key_of_name(const char *name, bool ctrl);

// The list of keys.
typedef struct {
    const char *keys, *meaning;
} KeyLine;
int key_lines(void);
KeyLine key_line(int n);

#endif
