// A recorded canvas as an SVG file: the same picture, sharp at every size, its text text. The same drawing gives the
// same bytes.
#ifndef FIGURE_SVG_H
#define FIGURE_SVG_H

#include "figure/canvas.h"

#include <stddef.h>

// The canvas must have been recorded from the start (canvas_record). The file ends with a 0 that `size` does not count.
// free() it.
char *svg_encode(size_t *size, const Canvas *canvas);

#endif
