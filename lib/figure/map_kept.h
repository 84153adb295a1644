// Cache of a map's pixels, for a window that draws the same map again as the mouse moves. It stores the inputs next to
// the pixels and compares them number by number, so a stale picture is never used. Used by map.c and by callers that
// own a MapKept.
#ifndef FIGURE_MAP_KEPT_H
#define FIGURE_MAP_KEPT_H

#include "figure/map.h"

// Allocates its own memory: the size of one map's cells and pixels.
MapKept *map_kept_open(void);
void map_kept_close(MapKept *kept); // NULL is allowed

// Paints the cached cells and grid lines of the map inside `canvas->clip`. Returns false and paints nothing if the
// inputs differ or the canvas records.
bool map_kept_paint(const MapKept *kept, Canvas *canvas, const Map *map);

// Stores the painted cells. They must cover all of `canvas->clip`.
void map_kept_take(MapKept *kept, const Canvas *canvas, const Map *map);

#endif
