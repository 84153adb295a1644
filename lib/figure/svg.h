// A recorded canvas as an SVG file: the same picture, sharp at every size, its text text. The same drawing gives the
// same bytes.
#ifndef FIGURE_SVG_H
#define FIGURE_SVG_H

#include "base/error.h"
#include "figure/canvas.h"

#include <stddef.h>

// The canvas must have been recorded from the start (canvas_record). The file ends with a 0 that `size` does not count.
// Fails only for want of memory. free() it.
bool svg_encode(char **out, size_t *size, const Canvas *canvas, Error *error);

#endif
