// The viewer in tests: driven by scripts of keys and text, its state in words, so that a table can say what keys, clicks
// and flags lead to.
#ifndef SUPPORT_VIEWER_H
#define SUPPORT_VIEWER_H

#include "viz/files.h"

// The view, layer.head, and what differs from a state that has just been opened: "compare 0.0 and 0.1 scale log". Until
// the next call.
const char *facts_of(const State *s);

// A script is words with a space between them: keys by the names and letters of keys.c, `Right  Shift+Down  d  Right*9`
// (nine times), and 'text' that is typed or pasted. `other` takes words of its own and returns false for keys.
typedef void ViewerSend(Event event);
void viewer_script(const State *s, ViewerSend *send, bool (*other)(const char *word), const char *script);

// The viewer on a command line, its words separated by '|'.
extern Files files;
extern App *const app;
bool viewer_tries(const char *line, Error *error);
void viewer_opens(const char *line);
void viewer_press(const char *script);
void viewer_facts(const char *facts); // asserts that the state is this
void viewer_work(void);               // until nothing is left to prepare
void viewer_draw(void);

#endif
