// The layout of the window, for drawing and for hit tests. In points, after the zoom of Ctrl + and −.
#ifndef VIZ_LAYOUT_H
#define VIZ_LAYOUT_H

#include "figure/map.h"
#include "viz/state.h"

// Rectangles of width 0 are not shown.
bool layout_holds(CanvasRect rect, double x, double y);

// The size of cells and labels of a map. Maps side by side share it.
typedef struct {
    double width, height;           // for the cells
    double fit, fit_height;         // cell size when the whole map is seen
    double word;                    // type size of labels
    double left, above;             // longest label left of and above the map; 0: no labels, no titles
    bool turned;                    // labels above are slanted
    double words_left, words_above; // room for the labels
} MapRoom;

// Thumbnails of all heads, in rows.
typedef struct {
    CanvasRect frame;              // of the rows, without names at the edges
    double wide, high;             // of a thumbnail
    double across_step, down_step; // from one to the next
    int across;                    // thumbnails in a row
    bool by_layer;                 // each layer starts a row, under its name
    bool names;                    // under the thumbnails
    bool edges;                    // a row is a layer: its name on the left, head numbers above
    double scrolled, tall;         // points scrolled; height of all rows
    double above;                  // room above the first row of a layer
} ThumbLayout;

// Lines: one layer of one document: curves from queries on the left to keys on the right, and a swatch for each head.
typedef struct {
    const Document *of;
    int layer;
    CanvasRect curves;
    CanvasRect swatches; // width 0: none
    double side, step;   // of a swatch; from one to the next
    int across, shown;   // swatches per row; in all, as far as they fit
    int first;           // layer · heads + head of the first; heads from `own` on belong to another document
    int own;
} LineBand;

// A column of words or dots: queries of the band on its right, keys of the band on its left, or both.
typedef struct {
    const Document *of;
    int queries_of, keys_of; // bands; −1: none
    double x;                // anchor of the words
    CanvasAnchor anchor;
    double most; // longest word; 0: dots
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
    bool close;             // large type in a small window: one tab in the last line, no title
    bool no_panel;          // and no panel
    bool strip;             // thumbs are beside another view
    CanvasRect tabs[VIEWS]; // close: only the current view's, which leads to the next
    CanvasRect body;        // between header and footer
    CanvasRect sentence;    // the line that is edited
    double status;          // baseline of the last line
    CanvasRect panel;       // details of the cell and the head
    ThumbLayout thumbs;     // of All heads, or of the strip
    MapPlace maps[3];       // One head, Stages, Tiles: one; Compare: three
    int map_count;
    MapRoom room;               // of the maps; Lines: longest words on both sides
    CanvasRect lines;           // Lines: below their titles
    double line_step;           // distance of words
    int line_first, line_count; // visible words, of
    int line_words;             // of the longest column
    LineBand bands[BANDS_MOST];
    LineColumn columns[2 * BANDS_MOST];
    int band_count, column_count;
    CanvasRect steps[STAGES]; // Stages: their names
} PageLayout;

PageLayout layout_of(const State *state);

Hit layout_hit(const PageLayout *layout, const State *state, const Derived *derived, double x, double y);

// The heads in the order of thumbnails: order[place] = layer · heads + head, of state_heads. By a statistic as far as
// it is computed; `derived` may be NULL.
void layout_order(int *order, const State *state, const Derived *derived);
CanvasRect layout_thumb(const PageLayout *layout, const State *state, int place);
double layout_layer_name(const PageLayout *layout, const State *state, int layer); // its baseline
double layout_scrolled(const PageLayout *layout, double by); // camera.scroll when the thumbnails move by so much
CanvasRect layout_swatch(const LineBand *band, int head);

enum { LAYOUT_MARGIN = 24, HEADER = 48, PANEL_WIDTH = 256, STRIP_WIDTH = 264, BAR_ROOM = 84, EDGE_ROOM = 64 };
enum { WORD_MOST = 110, WORD_SIZE = 13, WORD_LARGE = 16, TITLE_LEFT = 28, TITLE_ABOVE = 26 };
enum { STRIP_NAME = 19 };                  // height of a layer's name in the strip
enum { VALUE_WIDE = 25, VALUE_HIGH = 13 }; // a cell that fits a number in large type
enum { CLOSE_MARGIN = 12, CLOSE_BAR = 62 };
enum { LYING_BAR = 58, TABLE_ROOM = 140 };                     // Compare: below the maps
enum { LINES_TITLE = 44, LINES_MORE = 20, LINES_WORDS = 140 }; // Lines: room above, below and beside
enum { BAND_TITLE = 20, SWATCH_SIDE = 12 };

#endif
