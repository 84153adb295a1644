// Encodes a canvas as PNG, with stb_image_write. Equal canvases give equal bytes.
#ifndef FIGURE_PNG_H
#define FIGURE_PNG_H

#include "base/error.h"
#include "figure/canvas.h"

bool png_available(void);                                                            // false: built without stb
bool png_encode(unsigned char **out, int *size, const Canvas *canvas, Error *error); // free() it
// The same with metadata: each text as a chunk that image programs show (tEXt, or iTXt where Latin-1 does not suffice),
// and the resolution. A key is 1 to 79 ASCII letters ("Title", "Source", "Software" are common); a value is UTF-8, in
// which controls other than line ends become U+FFFD.
typedef struct {
    const char *key, *value;
} PngText;
typedef struct {
    const PngText *texts;
    int count;
    double dpi;
} PngAbout; // dpi 0: unspecified
bool png_encode_about(unsigned char **out, int *size, const Canvas *canvas, PngAbout about, Error *error);

// Compresses bytes with zlib's deflate as in PNG, and decompresses. free() the result. NULL: built without stb; or the
// data are damaged, or larger than `most`.
unsigned char *png_deflated(const unsigned char *bytes, int size, int *packed);
unsigned char *png_inflated(const unsigned char *bytes, int size, int most, int *whole);

bool png_decode(Canvas **out, Arena *arena, const void *bytes, int size, const char *name, Error *error);

#endif
