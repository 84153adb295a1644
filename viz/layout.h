// Where things stand in the window: asked by update, to know what the mouse points at, and by draw. In points, after
// the zoom of Ctrl + and −.
#ifndef VIZ_LAYOUT_H
#define VIZ_LAYOUT_H

#include "viz/state.h"

typedef struct { double x, y, width, height; } Rect;           // width 0: not shown
bool rect_holds(Rect rect, double x, double y);

// A map, or the part of it that is seen through `frame`.
typedef struct {
    Rect   frame;
    double cell_width, cell_height;        // points a cell; a large map has less than a pixel
    double row, col;               // the cell at the top left of the frame; with a fraction
    int    rows, cols;             // of the whole map
    int    fold_rows, fold_cols;   // cells that are drawn as one: 1, 2, 4, …; the same, but in very low or narrow maps
    double fit, fit_height;        // cell_width and cell_height when the whole map is seen
    double room;                   // height that is left from the frame's top on
    double word;                   // size of the words
    double left, above;            // how long a word may be left of the map, and over it; 0: no words, no titles
    bool   turned;                 // the words above stand aslant
    double words_left, words_above;        // room that the words take
} MapPlace;

// Thumbnails of all heads, in rows.
typedef struct {
    Rect   frame;                  // of the rows, without the names on their edges
    double wide, high;             // of a thumbnail
    double across_step, down_step; // from one to the next
    int    across;                 // thumbnails in a row
    bool   by_layer;               // every layer begins a row of its own, under its name
    bool   names;                  // under the thumbnails
    bool   edges;                  // a row is a layer, its name on the left, the heads' numbers over the columns
    double scrolled, tall;         // how far it is scrolled down; height of all rows
    double above;                  // room over the first row of a layer
} ThumbPlace;

typedef struct {
    double width, height;
    Rect   tabs[VIEWS];
    Rect   body;                   // between header and footer
    Rect   sentence;               // of a live model
    double status;                 // baseline of the last line
    Rect   panel;                  // right: the cell and the head at hand
    ThumbPlace thumbs;             // All heads, and the strip on the left of other views
    MapPlace   maps[3];            // One head, Stages, Tiles: one; Compare: three
    int        map_count;
    Rect   lines;                  // Lines: all of them, under their titles
    double line_step;              // from one word to the next
    int    line_first, line_count; // the words in sight, of
    int    line_queries, line_keys;
    Rect   steps[STAGES];          // Stages: their names, to click at
} Layout;

Layout layout_of(const State *state);

// Heads in the order in which thumbnails stand: place → layer · heads + head. order (state_heads). By a statistic as far
// as the scene, which may be NULL, has it.
void   layout_order(int *order, const State *state, const Scene *scene);
Rect   layout_thumb(const Layout *layout, const State *state, int place);
double layout_layer_name(const Layout *layout, const State *state, int layer);         // its baseline
// The head whose thumbnail is there; −1: none.
int    layout_thumb_at(const Layout *layout, const State *state, const Scene *scene, double x, double y);
Cell   layout_cell_at(const Layout *layout, double x, double y);       // of any map; of Lines a query and its own place

// A map inside a box, with room for its words and its colour bar. cell 0: as large as fits; row and col: what is at the
// top left when it is larger.
typedef struct {
    Rect   box;
    int    rows, cols;
    const char *const *row_words, *const *col_words;           // NULL: positions
    double bar;
    double left;                   // how long words on the left may be; 0: what the longest needs
    bool   bare;                   // without words and titles
} MapAsk;
MapPlace layout_map(const State *state, MapAsk ask, double cell, double row, double col);

enum { MARGIN = 24, MAP_GAP = 8, HEADER = 48, PANEL_WIDTH = 256, STRIP_WIDTH = 264, BAR_ROOM = 84, EDGE_ROOM = 64 };
enum { WORD_MOST = 110, WORD_SIZE = 13, WORD_LARGE = 16, TITLE_LEFT = 28, TITLE_ABOVE = 26 };
enum { LYING_BAR = 58, TABLE_ROOM = 140 };           // Compare: under the maps
enum { LINES_TITLE = 44, LINES_MORE = 20 };          // Lines: room above and below
#define WORD_SINE 0.819152044288992                  // of the 55° by which words stand aslant
#define WORD_COSINE 0.573576436351046

#endif
