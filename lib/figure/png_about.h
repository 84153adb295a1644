// Metadata of a PNG file: the chunks between header and pixels. For png.c.
#ifndef FIGURE_PNG_ABOUT_H
#define FIGURE_PNG_ABOUT_H

#include "figure/png.h"

#include <stddef.h>

enum { PNG_HEADER = 33 }; // bytes of the signature and of IHDR, which must come first

// Concatenated chunks of `about`; free() them. `size` may be 0.
unsigned char *png_chunks(PngAbout about, size_t *size);

#endif
