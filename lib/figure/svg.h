// Encodes a recorded canvas as SVG: scalable, with text as text. Equal drawings give equal bytes.
#ifndef FIGURE_SVG_H
#define FIGURE_SVG_H

#include "figure/canvas.h"

#include <stddef.h>

// The canvas must have been recorded from the start (canvas_record). The result ends with a 0 that `size` does not
// count; free() it.
char *svg_encode(size_t *size, const Canvas *canvas);

#endif
