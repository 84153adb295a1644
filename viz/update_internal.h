// Shared by update*.c. Each file calls only those before it: update_view.c, update_text.c, update_mouse.c, update.c.
#ifndef VIZ_UPDATE_INTERNAL_H
#define VIZ_UPDATE_INTERNAL_H

#include "viz/layout_internal.h"
#include "viz/update.h"

// update_view.c
State update_fit(State state); // makes it valid for its document, which may have been replaced
State update_view(State state, ViewKind view);
State update_next_view(State state, int step);
State update_reveal(State state);                // scrolls to the pinned cell
bool update_has_cells(const State *state);       // cells are shown and pinned in this view
State update_head_hidden(State state, int head); // Lines: toggles whether it is drawn
State update_head_alone(State state, int head);  // Lines: alone, or all

// update_text.c
State update_begin_typing(State state, Typing what);
State update_insert(State state, const char *text);
bool update_is_for_line(Key key);
State update_typed(State state, Key key);
State update_pasted(State state); // asks for the clipboard, as a new sentence
State update_find(State state);   // searches again
State update_next_found(State state, int step);

// update_mouse.c
State update_mouse(State state, Event event, const Derived *derived);
State update_hover(State state);                // finds the cell under the mouse again
State update_zoom(State state, double notches); // at the pinned cell if seen, else at the middle of the map

#endif
