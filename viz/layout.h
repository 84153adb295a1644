// Where things stand in the window: asked by update, to know what the mouse points at, and by draw. In points, after
// the zoom of Ctrl + and −.
#ifndef VIZ_LAYOUT_H
#define VIZ_LAYOUT_H

#include "figure/map.h"
#include "viz/state.h"

// A rectangle of width 0 is not shown.
bool layout_holds(CanvasRect rect, double x, double y);

// Around a map: how large its cells are when all of it is seen, and its words. Maps side by side have the same.
typedef struct {
    double width, height;           // what the cells may take
    double fit, fit_height;         // cell_width and cell_height when the whole map is seen
    double word;                    // size of the words
    double left, above;             // how long a word may be left of the map, and over it; 0: no words, no titles
    bool turned;                    // the words above stand aslant
    double words_left, words_above; // room that the words take
} MapRoom;

// Thumbnails of all heads, in rows.
typedef struct {
    CanvasRect frame;              // of the rows, without the names on their edges
    double wide, high;             // of a thumbnail
    double across_step, down_step; // from one to the next
    int across;                    // thumbnails in a row
    bool by_layer;                 // every layer begins a row of its own, under its name
    bool names;                    // under the thumbnails
    bool edges;                    // a row is a layer, its name on the left, the heads' numbers over the columns
    double scrolled, tall;         // how far it is scrolled down; height of all rows
    double above;                  // room over the first row of a layer
} ThumbLayout;

// Lines: the curves of a layer, from their queries on the left to their keys on the right, and the swatches of its
// heads. A band is one layer of one document.
typedef struct {
    const Document *of;
    int layer;
    CanvasRect curves;
    CanvasRect swatches; // width 0: there are none
    double side, step;   // of a swatch; from one to the next
    int across, shown;   // swatches in a row; in all, as far as there is room
    int first;           // layer · heads + head of the first one; heads from `own` on are none of the state's
    int own;
} LineBand;

// A column of words, or of dots: queries of the band on its right, keys of the one on its left, or both.
typedef struct {
    const Document *of;
    int queries_of, keys_of; // bands; −1: it is no such column
    double x;                // where words begin, end, or have their middle
    CanvasAnchor anchor;
    double most; // how long a word may be; 0: dots
} LineColumn;

enum { BANDS_MOST = 24 };
// What is at a point of the window.
typedef enum { HIT_NONE, HIT_TAB, HIT_SENTENCE, HIT_HEAD, HIT_SWATCH, HIT_STAGE, HIT_CELL } HitKind;
typedef struct {
    HitKind kind;
    ViewKind view; // HIT_TAB
    Stage stage;   // HIT_STAGE
    int head;      // HIT_HEAD, HIT_SWATCH: layer · heads + head
    HeadCell cell; // HIT_CELL: in Compare in aligned indices; of Lines a query or key, and the same index again
    bool by_key;   // of Lines: it is a key
    int attention; // of Lines: of which of the document's kinds of attention
} Hit;

typedef struct {
    double width, height;
    double margin;
    bool close;             // large type in a small window: one word for all tabs, in the last line; no title
    bool no_panel;          // … and no panel either
    bool strip;             // thumbs are those beside another view
    CanvasRect tabs[VIEWS]; // close: that of the view at hand, which leads to the next one
    CanvasRect body;        // between header and footer
    CanvasRect sentence;    // of a live model
    double status;          // baseline of the last line
    CanvasRect panel;       // right: the cell and the head at hand
    ThumbLayout thumbs;     // All heads, and the strip on the left of other views
    MapPlace maps[3];       // One head, Stages, Tiles: one; Compare: three
    int map_count;
    MapRoom room;               // of the maps; of Lines how long the words on either side may be
    CanvasRect lines;           // Lines: all of them, under their titles
    double line_step;           // from one word to the next
    int line_first, line_count; // the words in sight, of
    int line_words;             // of the longest column
    LineBand bands[BANDS_MOST];
    LineColumn columns[2 * BANDS_MOST];
    int band_count, column_count;
    CanvasRect steps[STAGES]; // Stages: their names, to click at
} PageLayout;

PageLayout layout_of(const State *state);

Hit layout_hit(const PageLayout *layout, const State *state, const Derived *derived, double x, double y);

// The heads in the order of the thumbnails: order[place] = layer · heads + head, of state_heads. By a statistic as far
// as it is computed; `derived` may be NULL.
void layout_order(int *order, const State *state, const Derived *derived);
CanvasRect layout_thumb(const PageLayout *layout, const State *state, int place);
double layout_layer_name(const PageLayout *layout, const State *state, int layer); // its baseline
double layout_scrolled(const PageLayout *layout, double by); // camera.scroll when the thumbnails move by so much
CanvasRect layout_swatch(const LineBand *band, int head);

enum { LAYOUT_MARGIN = 24, HEADER = 48, PANEL_WIDTH = 256, STRIP_WIDTH = 264, BAR_ROOM = 84, EDGE_ROOM = 64 };
enum { WORD_MOST = 110, WORD_SIZE = 13, WORD_LARGE = 16, TITLE_LEFT = 28, TITLE_ABOVE = 26 };
enum { STRIP_NAME = 19 };                  // of a layer, over its rows in the strip
enum { VALUE_WIDE = 25, VALUE_HIGH = 13 }; // with large type, a cell in which a number can stand
enum { CLOSE_MARGIN = 12, CLOSE_BAR = 62 };
enum { LYING_BAR = 58, TABLE_ROOM = 140 };                     // Compare: under the maps
enum { LINES_TITLE = 44, LINES_MORE = 20, LINES_WORDS = 140 }; // Lines: room above, below, and at the sides
enum { BAND_TITLE = 20, SWATCH_SIDE = 12 };

#endif
