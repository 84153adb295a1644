// The viewer's state, a small value that is copied at each event, and the events. update.h changes it.
#ifndef VIZ_STATE_H
#define VIZ_STATE_H

#include "figure/color.h"
#include "viz/align.h"
#include "viz/find.h"
#include "viz/keys.h"
#include "viz/aggregate.h"
#include "viz/derived.h"

// One line for each view: its name here, and its table of functions (views.h).
#define VIEW_LIST(VIEW) \
    VIEW(VIEW_HEADS, view_heads) \
    VIEW(VIEW_HEAD, view_head) \
    VIEW(VIEW_LINES, view_lines) \
    VIEW(VIEW_STAGES, view_stages) \
    VIEW(VIEW_COMPARE, view_compare) \
    VIEW(VIEW_TILES, view_tiles)
#define VIEW_KIND(kind, table) kind,
typedef enum { VIEW_LIST(VIEW_KIND) VIEWS } ViewKind;
#undef VIEW_KIND

// How weights become colours. Linear and per head: from 0 to 1, or to the largest visible value if these are not
// weights; log: from 10⁻⁴; "times uniform": weight × allowed keys, where 1 is uniform attention.
typedef enum { SCALE_LINEAR, SCALE_HEAD, SCALE_LOG, SCALE_UNIFORM, SCALES } Scale;
const char *scale_word(Scale scale); // for flags: "linear", "head", "log", "uniform"
const char *scale_name(Scale scale); // "linear", "per head", "log", "times uniform"

// How All heads is sorted, largest first: not at all, by a statistic, by the weight of the pinned cell, by the sum of
// weights from one word to another, by attribution to the answer, or by role.
enum { SORT_NONE = -1, SORT_CELL = SUMMARY_STATS, SORT_FOUND, SORT_ADDS, SORT_ROLE, SORTS };
const char *sort_word(int sort); // for flags: "entropy", …, "cell", "found", "adds", "role"

// A head's role is the largest of its previous, diagonal, induction and first-token statistics, if at least this.
#define ROLE_LEAST 0.4

// Lines show one head, the heads of a layer, all layers (a band each), or every kind of attention (a band each); and of
// two sentences, from which to which.
typedef enum { LINES_HEAD, LINES_LAYER, LINES_LAYERS, LINES_KINDS, LINES_SCOPES } LinesScope;
typedef enum { PAIR_ALL, PAIR_AA, PAIR_AB, PAIR_BA, PAIR_BB, PAIRS } SentencePair;
const char *lines_scope_word(LinesScope lines); // for flags and file names: "head", "layer", "layers", "kinds"
const char *pair_word(SentencePair pair);       // "all", "aa", "ab", "ba", "bb"
const char *pair_name(SentencePair pair);       // "all", "A → A", "A → B", …

enum { TEXT_BYTES = 1 << 13 };

typedef struct {
    int row, col;
} HeadCell;
#define NO_CELL ((HeadCell){ -1, -1 })

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
} Command; // a pasted text arrives as EVENT_TEXT

// The window, and which part of a map or list it shows.
typedef struct {
    double width, height; // of the window, points
    double pixels;        // a point, in pixels
    double zoom;          // Ctrl + and −: 1 is 100 %
    double scroll;        // All heads: points above the first row that is seen
    double cell_size;     // points a cell; 0: the whole map fits
    double row, col;      // the cell at the top left of the map; Lines: the first word
} Camera;

// What is shown of which document, and how values become colours.
typedef struct {
    const Document *document;
    ViewKind view;
    int layer, head;
    MapReduction reduction; // wanted; the app computes it
    int kind;               // wanted, of the document's kinds of attention; the app switches to it
    Stage stage;
    LinesScope lines;
    SentencePair pair;
    int frame; // Tiles
    bool playing;
    int other_layer, other_head;    // Compare: the second head
    const Document *other_document; // Compare: of which document; NULL: the same
    const Aligned *aligned;         // Compare: which words of both belong together; NULL: those of equal index
    bool held;                      // Compare: the second document is an earlier sentence of the model
    int sort;                       // SORT_NONE, a SummaryStat, or one of the SORT_… below
    Scale scale;
    Scale usual_scale; // the document's default, which R restores
    ColorMap colors;
    bool use_largest;            // a folded cell shows its largest value, not sum and mean
    int hide_keys;               // the first keys get no colour; their mass is printed
    unsigned char *hidden_heads; // Lines of several heads (layers · heads): 1 is not drawn
    unsigned char *ablated;      // (layers · heads): 1 is switched off in the model
    AblationKind ablation;       // the output of these heads; ABLATE_HELD only while a sentence is held
} DocumentView;

typedef struct {
    double x, y;          // points; −1, −1: outside
    bool dragging, moved; // a button is down on a map; the mouse has moved since
    double pressed_x, pressed_y;
} Mouse;

// The cell under the mouse, and the pinned one.
typedef struct {
    HeadCell hover, pinned;
    bool hover_by_key, pinned_by_key;       // Lines: the key was pointed at: who attends to it
    HeadCell hover_aligned, pinned_aligned; // Compare: the same in aligned indices; pinned_aligned only for a cell that
                                            // the first document does not have
} Selection;

// The line that is typed. Lines are UTF-8, 0-terminated, of TEXT_BYTES.
typedef struct {
    Typing typing;
    char *sentence;  // of a live model
    char *path;      // of a file to open
    char *find_text; // a word, or two
    Find find;       // matches of find_text in the document
    int found;       // index of the match that was shown last; −1: none
    int caret;       // bytes, in the line that is typed
    bool selected;   // the whole line; typing replaces it
} Editing;

// Sentences for the last line; NULL: none.
typedef struct {
    const char *error;
    const char *file_changed; // the file differs from what is shown
    const char *status;       // what was done ("written: …"), until the next key or click
    double progress;          // of a running model, 0 … 1; 0: none runs
} StatusLine;

typedef struct {
    bool dark, bare; // bare: without tabs and hints, for pictures
    bool formulas;   // the panel shows those of all statistics
    bool help;       // the list of keys is open
} Display;

// Text and head masks are too large to be copied at each event: copies of a State share them.
typedef struct {
    char sentence[TEXT_BYTES], path[TEXT_BYTES], find_text[TEXT_BYTES];
    unsigned char hidden_heads[MAPS_MOST], ablated[MAPS_MOST];
} StateBuffers;

typedef struct {
    Camera camera;
    DocumentView shown;
    Mouse mouse;
    Selection selection;
    Editing editing;
    StatusLine message;
    Display display;
    Command command; // for the shell to do, which then resets it
    bool quit;
} State;
_Static_assert(sizeof(State) <= 1024, "a State is copied at every event");

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
    EVENT_ERROR,
    EVENT_STATUS,
    EVENTS
} EventKind;

typedef struct {
    EventKind kind;
    Key key;
    bool shift, ctrl, alt;
    double x, y;              // the mouse, or the window's new size, in points
    double pixels;            // EVENT_RESIZE: pixels per point
    double wheel;             // notches, up is positive
    const char *text;         // EVENT_TEXT: UTF-8; EVENT_ERROR, EVENT_STATUS: the sentence, or NULL
    const Document *document; // EVENT_DOCUMENT: the new document
} Event;

const char *state_line(const State *state);                // the line that is edited, or else the sentence
bool state_can_sort_by_cell(const State *state);           // a cell is pinned, and maps are not reductions
double state_cell_of_head(const State *state, int head);   // its value in the pinned cell; NaN: masked
Find state_find_in(const State *state, const Document *d); // the search in another document
bool state_can_sort_by_found(const State *state);          // "a > b", and both match
double state_found_of_head(const State *state, int head);  // the sum of its weights over all matches; NaN: all masked
bool state_can_sort_by_adds(const State *state);           // attribution is possible
double state_adds_of_head(const State *state, int head);   // NaN: not computed yet
int state_role(const State *state, const Derived *derived, int head); // by statistics: a SummaryStat; −1: none
const char *state_role_name(const State *state, const Derived *derived, int head); // NULL: unknown
// Is the first role of head `of` among the roles of `head`?
bool state_shares_role(const State *state, const Derived *derived, int head, int of);
int state_heads(const State *state);             // layers · heads
bool state_by_key(const State *state);           // Lines: the cell was chosen by its key
HeadCell state_aligned_cell(const State *state); // Compare: the marked cell in aligned indices, or NO_CELL
bool state_has_lines(const State *state, LinesScope lines);
bool state_has_pairs(const State *state);                                          // the words are of two sentences
bool pair_in_sentences(SentencePair parts, const Document *d, int query, int key); // −1: any
HeadCell state_cell(const State *state); // the pinned cell, else the one under the mouse, or NO_CELL

HeadCell state_pinned_cell(const State *state);            // in Compare in aligned indices; or NO_CELL
HeadCell state_align(const State *state, HeadCell cell);   // from the document's indices to aligned ones
HeadCell state_unalign(const State *state, HeadCell cell); // and back; NO_CELL: the document does not have it
State state_next_frame(State state, int step);             // Tiles; playing ends with the last one
State state_head_clamped(State state);                     // a layer and a head that the document has
DerivedWanted state_wanted(const State *state);            // what is to be computed for its document,
DerivedWanted state_wanted_of_other(const State *state);   // and for the second one

#endif
