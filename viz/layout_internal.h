// Placing maps and thumbnails. For layout*.c and view_….c.
#ifndef VIZ_LAYOUT_INTERNAL_H
#define VIZ_LAYOUT_INTERNAL_H

#include "viz/views.h"

// A map inside a box, with room for its words and its colour bar.
typedef struct {
    CanvasRect box;
    int rows, cols;
    const char *const *row_words, *const *col_words; // NULL: positions
    int row_count, col_count;                        // words; 0: one for each row, each column
    double bar;
    double left; // how long words on the left may be; 0: what the longest needs
    bool bare;   // without words and titles
} MapRequest;
MapRoom layout_map_room(const State *state, const MapRequest *request);
MapPlace layout_place_map(const State *state, const MapRequest *request, const MapRoom *room);
// The only map of a view; cells false: its columns are not keys.
void layout_place_one_map(PageLayout *layout, const State *state, CanvasRect box, int rows, int cols, bool cells);
double layout_words_width(const char *const *words, int count, double size);
// Are the queries or keys of one document those of another?
bool layout_same_words(const Document *a, bool keys_of_a, const Document *b, bool keys_of_b);
double layout_clamp(double at, double least, double most); // least where least > most
bool layout_is_bare(const PageLayout *layout);             // a window so small that maps have no words

// The body without the panel and the strip of thumbnails, which are placed where the window is wide enough.
CanvasRect layout_place_sides(PageLayout *layout, const State *state, double panel_from, bool strip);
ThumbLayout layout_place_thumbs(const State *state, CanvasRect frame, bool alone); // alone: All heads, not the strip
int layout_thumb_at(const PageLayout *layout, const State *state, const Derived *derived, double x, double y);

// Functions of ViewOps for views of maps.
Hit layout_hit_map(const PageLayout *layout, const State *state, double x, double y);
void layout_pan_map(State *state, const PageLayout *layout, int down, int right);
void layout_reveal_cell(State *state, const PageLayout *layout, const Derived *derived);
bool layout_has_cells(const State *state); // always

#endif
