// What a map's cells looked like in the last picture, for a window that draws the same map again under a mouse that
// moves. What they are drawn from is kept beside the pixels, number by number, and compared: a picture that has become
// old cannot be taken for the one at hand. For map.c, and those who own one.
#ifndef FIGURE_MAP_KEPT_H
#define FIGURE_MAP_KEPT_H

#include "figure/map.h"

// Owns its memory: as many bytes as the cells and pixels of one map.
MapKept *map_kept_open(void);
void map_kept_close(MapKept *kept); // NULL is allowed

// Paints the cells of a map, and the lines between them, as they were kept; `canvas->clip` is what is seen of them.
// false, and nothing is painted: they are others, or would be recorded.
bool map_kept_paint(const MapKept *kept, Canvas *canvas, const Map *map);

// Keeps what has been painted of them. The cells must have covered all of `canvas->clip`.
void map_kept_take(MapKept *kept, const Canvas *canvas, const Map *map);

#endif
