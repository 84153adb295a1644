// Cells of a document's maps as they are drawn, and their colour scales.
#ifndef VIZ_CELLS_H
#define VIZ_CELLS_H

#include "viz/view.h"

// The visible part of a head's map; folded cells are sums or maxima (use_largest). cells_of_mat: of any matrix; −∞ is
// masked, and a folded cell shows the value furthest from 0.
MapCells cells_of_head(Arena *arena, const View *view, const Document *d, int layer, int head, const MapPlace *place);
MapCells cells_new(Arena *arena, const MapPlace *place); // all 0
// true while a folded picture has to wait for the pyramid, since reading the map would freeze the window. Cells of rows
// that have not been read are left out.
bool cells_awaited(const View *view, const Document *d, int layer, int head, const MapPlace *place);
int cells_read(const View *view, const Document *d, int layer, int head); // rows that have been read
MapCells cells_of_mat(Arena *arena, Mat m, const MapPlace *place);

// The scale that a document opens with: SCALE_LOG when few weights exceed 0.2, as with hundreds of tokens, where a
// linear scale would show a dark square. Samples some rows. With fewer than 64 keys always linear.
Scale cells_usual_scale(const Document *d);

// The scale of a head, and of any cells: diverging around 0 if one is negative.
Ramp cells_ramp_of_head(const View *view, const Document *d, const MapCells *cells);
Ramp cells_ramp(const MapCells *cells, ColorMap colors, const char *title);

// The values that are mapped to colours. For "times uniform": weights × allowed keys, divided by fold_cols where
// weights are sums.
Mat cells_colored(Arena *arena, const View *view, const Document *d, int layer, int head, const MapCells *cells,
                  const Ramp *ramp, int fold_rows, int fold_cols);

#endif
