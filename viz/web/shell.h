// The viewer as a page has it: what viewer.js calls, one viewer a program. Files lie in the program's own folder, which
// the page fills; events come in, pixels go out. It knows of no browser: a test calls it as the page does.
#ifndef VIZ_WEB_SHELL_H
#define VIZ_WEB_SHELL_H

#include "viz/state.h"

// `words`: what the command line would say after "viewer", each ended by a newline. false, with one sentence in
// shell_why: nothing is open, and nothing else may be called but this.
bool shell_open(const char *words);
void shell_close(void);
const char *shell_why(void);

// A file that now lies there: maps, a folder of a model, or words for the maps that are shown. The one that is shown
// already is read again, and how it is looked at stays. false: the picture says why.
bool shell_show(const char *path);

// Points, and pixels a point.
void shell_size(double width, double height, double pixels);

enum { HELD_SHIFT = 1, HELD_CTRL = 2, HELD_ALT = 4 };
bool shell_key(const char *name, int held);     // by its name (viz/keys.h); false: it has no meaning
bool shell_letter(const char *text, bool caps); // one that was typed; the same
void shell_mouse(int kind, double x, double y); // an EventKind: EVENT_MOVE, EVENT_PRESS …
void shell_wheel(double notches);               // where the mouse is; up is positive
void shell_paste(const char *text);             // where nothing is typed it is a sentence
void shell_say(const char *sentence);           // what went wrong outside, in the picture

// The line that is typed, which a field of the page holds too. NULL: none is.
const char *shell_line(void);
int shell_caret(void); // bytes before it
bool shell_selected(void);
void shell_type(const char *line, int caret, bool selected);
const double *shell_line_place(void); // x, y, width, height in points

// What is left to do besides drawing, for about `seconds`, at `now` seconds of a clock.
enum { TURN_CHANGED = 1, TURN_DONE = 2, TURN_PLAYS = 4 }; // another picture is due; nothing is left; it plays
int shell_turn(double now, double seconds);

int shell_command(void);              // what the page is to do now (Command); afterwards there is none
const char *shell_copied(void);       // for the clipboard
const char *shell_save(int kind);     // a PictureKind: the file that was written; NULL: it says why not
bool shell_last_view(bool backwards); // the next one (Tab) would be the first again
bool shell_quit(void);                // that is asked for; afterwards it is not
bool shell_dark(void);
const char *shell_title(void);

// Every point of the picture, row after row, until the next one.
const unsigned char *shell_picture(void);
int shell_width(void);
int shell_height(void);

// The same in words, for who does not see it: what was said last, the view and the head, and all that the panel has.
const char *shell_words(void);

#endif
