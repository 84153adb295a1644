// A document's maps as cells to be drawn, and the ramps that colour them as the state wants it.
#ifndef VIZ_CELLS_H
#define VIZ_CELLS_H

#include "viz/view.h"

// The part of a head's map that a place shows, as sums or largest values (state->largest) where cells are folded; and
// of any matrix, where −∞ is masked and the value furthest from 0 stands for many.
MapCells cells_of_head(Arena *arena, const View *view, const Document *d, int layer, int head, const MapPlace *place);
MapCells cells_new(Arena *arena, const MapPlace *place); // of that part, all of them 0
// The levels of a map so large that a frame would stand still are waited for: until then the cells of rows that have
// not been read are left out.
bool cells_awaited(const View *view, const Document *d, int layer, int head, const MapPlace *place);
int cells_read(const View *view, const Document *d, int layer, int head); // how many rows have been
MapCells cells_of_mat(Arena *arena, Mat m, const MapPlace *place);

// The scale that a document opens on: SCALE_LOG where next to no weight passes 0.2, as of hundreds of tokens, for from
// 0 to 1 that is a dark square. Looks at some rows of some heads; fewer than 64 keys can be told apart on any scale.
Scale cells_usual_scale(const Document *d);

// A head's scale; and that of any cells, from their values: around 0 where one is negative.
Ramp cells_ramp_of_head(const View *view, const Document *d, const MapCells *cells);
Ramp cells_ramp(const MapCells *cells, ColorMap colors, const char *title);

// A head's values as its ramp colours them. On "times uniform" these are weights times allowed keys, of which one
// counts where the weights are sums over fold_cols of them.
Mat cells_colored(Arena *arena, const View *view, const Document *d, int layer, int head, const MapCells *cells,
                  const Ramp *ramp, int fold_rows, int fold_cols);

#endif
