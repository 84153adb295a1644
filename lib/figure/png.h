// A canvas as a PNG file, through stb_image_write. The same canvas gives the same bytes.
#ifndef FIGURE_PNG_H
#define FIGURE_PNG_H

#include "base/error.h"
#include "figure/canvas.h"

bool png_available(void);                                      // false: built without stb
bool png_encode(unsigned char **out, int *size, const Canvas *canvas, Error *error);   // free() it
bool png_decode(Canvas **out, Arena *arena, const void *bytes, int size, const char *name, Error *error);

#endif
