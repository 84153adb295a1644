// What update.c, update_mouse.c and update_text.c share.
#ifndef VIZ_UPDATE_INTERNAL_H
#define VIZ_UPDATE_INTERNAL_H

#include "viz/layout_internal.h"
#include "viz/update.h"

// update_view.c: which view, head and cell.
State update_view(State state, ViewKind view);
State update_next_view(State state, int step);
State update_reveal(State state);                // the pinned cell
bool update_has_cells(const State *state);       // a pinned cell is seen in this view
State update_head_hidden(State state, int head); // Lines: drawn or not
State update_head_alone(State state, int head);  // Lines: alone, or all

// update_mouse.c
State update_mouse(State state, Event event, const Derived *derived);
State update_hover(State state);                // the cell under the mouse, after anything has changed
State update_zoom(State state, double notches); // at the pinned cell where that is seen, else at the middle of the map

// update_text.c
State update_begin_typing(State state, Typing what);
State update_insert(State state, const char *text);
bool update_is_for_line(Key key);
State update_typed(State state, Key key);
State update_pasted(State state); // where nothing is typed, what is pasted is a sentence
State update_find(State state);   // after the line or the document has changed
State update_next_found(State state, int step);

#endif
