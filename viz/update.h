// How an event changes the state. Knows nothing of windows: a test sends the events that a window sends.
#ifndef VIZ_UPDATE_H
#define VIZ_UPDATE_H

#include "viz/state.h"

// Clears the buffers, which must outlive the state and its copies.
State state_of(StateBuffers *buffers, const Document *document, double width, double height, double pixels);

// Events with NaN or ∞ are ignored. `derived` may be NULL: heads are then not sorted by statistics.
State state_update(State state, Event event, const Derived *derived);

State state_with_view(State state, ViewKind view);    // unchanged where the document does not have the view
State state_with_find(State state, const char *text); // searches, and pins the first match

// A typed text: into the line that is edited, or else a key; caps as in key_of_letter.
Event state_event_of_text(const State *state, const char *text, bool caps);

#endif
