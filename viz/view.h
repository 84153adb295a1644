// The viewer's state, how an event changes it, and how it is drawn. Neither knows of windows: the same picture goes to the
// screen and into a file.
#ifndef VIZ_VIEW_H
#define VIZ_VIEW_H

#include "figure/heatmap.h"
#include "viz/document.h"

typedef struct {
    const Document *document;
    int             item, head;
    ColorMap        colors;
    bool            playing, help, quit;
} View;

typedef enum {
    KEY_NONE, KEY_LEFT, KEY_RIGHT, KEY_UP, KEY_DOWN, KEY_COLORS, KEY_PLAY, KEY_TICK, KEY_HELP, KEY_BACK
} Key;

View    view_of(const Document *document);

// ←→ head or tile, ↑↓ matrix, Space plays and pauses, C colours, ? keys, Esc back or out. KEY_TICK: time for the next
// frame.
View    view_update(View view, Key key);
Canvas *view_draw(Arena *arena, const View *view, double width, double height, double scale);   // points; scale pixels each

#endif
