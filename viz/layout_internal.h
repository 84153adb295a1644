// Places maps and thumbnails. For layout*.c and view_….c.
#ifndef VIZ_LAYOUT_INTERNAL_H
#define VIZ_LAYOUT_INTERNAL_H

#include "viz/views.h"

// A map to be placed in a box, with labels and colour bar.
typedef struct {
    CanvasRect box;
    int rows, cols;
    const char *const *row_words, *const *col_words; // NULL: positions
    int row_count, col_count;                        // labels; 0: one per row and column
    double bar;
    double left; // longest label on the left; 0: as the words need
    bool bare;   // no labels and titles
} MapRequest;
MapRoom layout_map_room(const State *state, const MapRequest *request);
MapPlace layout_place_map(const State *state, const MapRequest *request, const MapRoom *room);
// Places the only map of a view; cells false: its columns are not keys.
void layout_place_one_map(PageLayout *layout, const State *state, CanvasRect box, int rows, int cols, bool cells);
double layout_words_width(const char *const *words, int count, double size);
// Do the queries or keys of two documents have equal words?
bool layout_same_words(const Document *a, bool keys_of_a, const Document *b, bool keys_of_b);
double layout_clamp(double at, double least, double most); // least if least > most
bool layout_is_bare(const PageLayout *layout);             // too small for labels

// The rest of the body beside panel and strip, which are placed if the window is wide enough.
CanvasRect layout_place_sides(PageLayout *layout, const State *state, double panel_from, bool strip);
ThumbLayout layout_place_thumbs(const State *state, CanvasRect frame, bool alone); // alone: of All heads
int layout_thumb_at(const PageLayout *layout, const State *state, const Derived *derived, double x, double y);

// ViewOps functions for views of maps.
Hit layout_hit_map(const PageLayout *layout, const State *state, double x, double y);
void layout_pan_map(State *state, const PageLayout *layout, int down, int right);
void layout_reveal_cell(State *state, const PageLayout *layout, const Derived *derived);
bool layout_has_cells(const State *state); // always true

#endif
