// The viewer for a web page: functions that viewer.js calls; one viewer per program. Files are in the program's virtual
// folder, which the page fills. Events come in, pixels go out. It does not depend on a browser, so a test calls it as
// the page does.
#ifndef VIZ_WEB_SHELL_H
#define VIZ_WEB_SHELL_H

#include "viz/state.h"

// `words`: the command line after "viewer", each word ended by a newline. On failure nothing is open, only shell_why
// may be called, and it says why.
bool shell_open(const char *words);
void shell_close(void);
const char *shell_why(void);

// Shows a file in the virtual folder: maps, a model's folder, or words for the current maps. The current file is read
// again, and the selection stays. false: the picture shows the error.
bool shell_show(const char *path);

// Size in points, and pixels per point.
void shell_size(double width, double height, double pixels);

enum { HELD_SHIFT = 1, HELD_CTRL = 2, HELD_ALT = 4 };
bool shell_key(const char *name, int held);     // by name (viz/keys.h); false: unbound
bool shell_letter(const char *text, bool caps); // a typed letter; false: unbound
void shell_mouse(int kind, double x, double y); // an EventKind: EVENT_MOVE, EVENT_PRESS …
void shell_wheel(double notches);               // at the mouse; up is positive
void shell_paste(const char *text);             // outside a line: as a new sentence
void shell_say(const char *sentence);           // shows an error in the picture

// The line that is edited, mirrored in a field of the page. NULL: none.
const char *shell_line(void);
int shell_caret(void); // in bytes
bool shell_selected(void);
void shell_type(const char *line, int caret, bool selected);
const double *shell_line_place(void); // x, y, width, height in points

// Does background work for about `seconds`, at `now` seconds of a clock.
enum { TURN_CHANGED = 1, TURN_DONE = 2, TURN_PLAYS = 4 }; // draw again; no work left; an animation plays
int shell_turn(double now, double seconds);

int shell_command(void);              // what the page has to do (Command); reset by this call
const char *shell_copied(void);       // for the clipboard
const char *shell_save(int kind);     // a PictureKind: the written file; NULL: shell_why
bool shell_last_view(bool backwards); // Tab would wrap around
bool shell_quit(void);                // quit was requested; reset by this call
bool shell_dark(void);
const char *shell_title(void);

// The picture in RGBA, row by row, until the next call.
const unsigned char *shell_picture(void);
int shell_width(void);
int shell_height(void);

// Text for screen readers: the last message, view and head, and the panel.
const char *shell_words(void);

#endif
