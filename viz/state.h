// The viewer's state, and how an event changes it. Knows nothing of windows: a test drives it as the window does.
#ifndef VIZ_STATE_H
#define VIZ_STATE_H

#include "figure/color.h"
#include "viz/align.h"
#include "viz/find.h"
#include "viz/keys.h"
#include "viz/made.h"
#include "viz/scene.h"

typedef enum { VIEW_HEADS, VIEW_HEAD, VIEW_LINES, VIEW_STAGES, VIEW_COMPARE, VIEW_TILES, VIEWS } ViewKind;
const char *view_name(ViewKind view); // "All heads", …; of a document, state_view_name

// How a weight becomes a colour. Shared and per head run from 0 to 1 or to the largest visible value where these are
// weights; log from 10⁻⁴; "times uniform" is weight × allowed keys, 1 is what a head that does not care would give.
typedef enum { SCALE_LINEAR, SCALE_HEAD, SCALE_LOG, SCALE_UNIFORM, SCALES } Scale;
const char *scale_name(Scale scale); // "linear 0–1", "per head", "log", "× uniform"

// The order of All heads: as they stand, or by a statistic, or by the pinned cell, or by the weight from one word that
// is looked for to the other, or by what they add to the answer, the largest first.
enum { SORT_NONE = -1, SORT_CELL = LOOKS, SORT_FOUND, SORT_ADDS, SORT_ROLE };

// A head has the role of the largest of its previous, diagonal, induction and first one, where that is at least this.
#define ROLE_LEAST 0.4

// Lines: those of one head, of all heads of a layer, of all layers, a band each, or of every kind of attention that the
// document has, a band each; and, of two sentences in one, from which to which.
typedef enum { LINES_HEAD, LINES_LAYER, LINES_LAYERS, LINES_KINDS, LINES_OF } LinesOf;
typedef enum {
    SENTENCE_PAIR_ALL,
    SENTENCE_PAIR_AA,
    SENTENCE_PAIR_AB,
    SENTENCE_PAIR_BA,
    SENTENCE_PAIR_BB,
    SENTENCE_PAIR
} SentencePair;
const char *lines_word(LinesOf lines);              // for a flag or a file: "head", "layer", "layers", "kinds"
const char *sentence_pair_name(SentencePair parts); // "A → B", …

enum { STATE_TEXT = 1 << 13, STATE_HEADS_MOST = MAPS_MOST };

typedef struct {
    int row, col;
} HeadCell; // −1, −1: none

typedef enum { TYPING_NOTHING, TYPING_SENTENCE, TYPING_PATH, TYPING_FIND } Typing;
typedef enum {
    COMMAND_NONE,
    COMMAND_SAVE_PNG,
    COMMAND_SAVE_SVG,
    COMMAND_SAVE_PAGE,
    COMMAND_OPEN,
    COMMAND_FULL_SCREEN,
    COMMAND_COPY,
    COMMAND_PASTE
} Command; // the clipboard is the window's: EVENT_TEXT brings it

typedef struct {
    const Document *document;
    // the window
    double width, height; // points
    double pixels;        // a point has so many
    double zoom;          // Ctrl + and −: 1 is 100 %
    // what is looked at
    ViewKind view;
    int layer, head;
    MapReduction made; // what the maps are, or are to be: the app follows
    double scrolled;   // All heads: points by which it is scrolled down
    Stage stage;
    int other_layer, other_head; // Compare: the head that the one at hand is held against
    const Document *other;       // Compare: the file that it is of; NULL: the same
    const Aligned *aligned;      // Compare: which words of both belong together; NULL: the same numbers do
    bool held;                   // Compare: the other one is a sentence of the model that was held; the app follows
    LinesOf lines;
    unsigned char unlit[STATE_HEADS_MOST]; // Lines of several heads (layers · heads): 1 is not drawn
    SentencePair parts;                    // Lines
    int kind;                              // which of the document's kinds is shown, or is to be: the app follows
    int frame;                             // Tiles
    bool playing;
    // how it is looked at
    Scale scale; // values to colours
    Scale usual; // the one that the document was opened on, and that R brings back
    ColorMap colors;
    bool largest;    // of folded cells the largest is shown, not sum and mean
    int hide;        // the first keys are left out of colours, and their mass is said
    int sort;        // SORT_NONE, a Look, or one of those above
    double cell;     // One head: points a cell; 0: what fits
    double row, col; // One head: the cell at the top left of the map, in cells
    // the mouse
    double x, y;          // points; −1, −1: outside
    bool dragging, moved; // a button is down on a map; and the mouse has moved since
    double pressed_x, pressed_y;
    HeadCell hover, pinned;
    bool hover_key, pinned_key; // Lines: of this cell the key counts: who attends to it
    HeadCell spot, pinned_spot; // Compare: the same on the places of both (viz/align.h); the second where the
                                // document at hand has no such cell
    // what is typed: UTF-8, 0-terminated
    Typing typing;
    char text[STATE_TEXT];               // the sentence of a live model
    char path[STATE_TEXT];               // a file to open
    char sought[STATE_TEXT];             // a word, or two, to be found
    Find find;                           // that in this document
    int found;                           // the occurrence that was gone to last; −1: none
    int caret;                           // bytes, in the one of them that is typed
    bool selected;                       // all of it: what is typed takes its place
    unsigned char off[STATE_HEADS_MOST]; // (layers · heads): 1 is switched off
    AblationKind off_by;                 // what it then gives; ABLATION_HELD only while a sentence is held
    const char *said;                    // what went wrong, one sentence; NULL: nothing did
    const char *stale;                   // what has become of the file since it was read, one sentence; NULL: nothing
    const char *noted;                   // what was done ("written: …"), until the next key or click; NULL: nothing
    Command command;                     // what the shell is to do next; it sets it back
    double busy;                         // a model runs, and is so far, 0 … 1; 0: it does not, or has only begun
    bool dark;                           // the colours are those for a dark wall
    bool bare;                           // without tabs and hints, for pictures
    bool formulas;                       // the panel has those of all statistics
    bool help, quit;
} State;

typedef enum {
    EVENT_KEY,
    EVENT_TEXT,
    EVENT_MOVE,
    EVENT_LEAVE,
    EVENT_PRESS,
    EVENT_RELEASE,
    EVENT_DOUBLE,
    EVENT_WHEEL,
    EVENT_RESIZE,
    EVENT_TICK,
    EVENT_DOCUMENT,
    EVENT_SAID,
    EVENT_NOTED,
    EVENTS
} EventKind;

typedef struct {
    EventKind kind;
    Key key;
    bool shift, ctrl, alt;
    double x, y;              // the mouse, or the window's new size, in points
    double pixels;            // EVENT_RESIZE: a point has so many
    double wheel;             // notches, up is positive
    const char *text;         // EVENT_TEXT: UTF-8; EVENT_SAID, EVENT_NOTED: the sentence, or NULL
    const Document *document; // EVENT_DOCUMENT: the one to show from now on
} Event;

State state_of(const Document *document, double width, double height, double pixels);
// An event with NaN or ∞ in it is none. The order of All heads hangs on the scene, which may be NULL.
State state_update(State state, Event event, const Scene *scene);
State state_turned(State state, ViewKind view); // the same at another view, where it has that
// Into the line that is typed, or a key of its own; caps as in key_of_letter.
Event state_event_of_text(const State *state, const char *text, bool caps);
Wanted state_wanted(const State *state);          // what the scene is to prepare for it
Wanted state_wanted_of_other(const State *state); // what the scene of the other file is to prepare

const char *state_view_name(const State *state, ViewKind view); // Tiles are called Ranks where ranks walk
bool state_has_view(const State *state, ViewKind view);         // Tiles need a walk, Stages q and k or scores, …
const char *state_line(const State *state);                     // what is typed, or else the sentence; to be copied
bool state_can_sort_by_cell(const State *state);           // one is pinned, and heads are not made anew for every look
double state_cell_of_head(const State *state, int head);   // its value there, layer · heads + head; NaN: hidden
Find state_find_in(const State *state, const Document *d); // what is looked for, in a document that stands beside
bool state_can_sort_by_found(const State *state);          // from one word to another, and both are there
double state_found_of_head(const State *state, int head);  // the sum of its weights there; NaN: all are masked
bool state_can_sort_by_adds(const State *state);           // of a model whose answer is a sum that heads are parts of
double state_adds_of_head(const State *state, int head);   // NaN: not known yet
int state_role(const State *state, const Scene *scene, int head);              // of a file's head: a Look; −1: none
const char *state_role_name(const State *state, const Scene *scene, int head); // of any head; NULL: none is known
// The first role of head `of` is among the roles of `head`.
bool state_shares_role(const State *state, const Scene *scene, int head, int of);
State state_sought(State state, const char *text); // looks for it, and goes to the first one that there is
int state_heads(const State *state);               // layers · heads
bool state_by_key(const State *state);             // of that cell the key counts
HeadCell state_spot(const State *state);           // Compare: the marked place of both; −1, −1: none
bool state_has_lines(const State *state, LinesOf lines);
bool state_has_parts(const State *state); // the words are of two sentences
bool state_pair_in_sentences(SentencePair parts, const Document *d, int query, int key); // −1: whatever that one is
HeadCell state_cell(const State *state); // the pinned cell, else the one under the mouse; −1, −1: none

#endif
