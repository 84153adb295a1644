// The viewer's state in words, so that a table can say what keys, clicks and flags lead to.
#ifndef SUPPORT_VIEWER_H
#define SUPPORT_VIEWER_H

#include "viz/state.h"

// The view, layer.head, and what differs from a state that has just been opened: "compare 0.0 and 0.1 scale log". Until
// the next call.
const char *facts_of(const State *s);

#endif
