// A canvas as a PNG file, through stb_image_write. The same canvas gives the same bytes.
#ifndef FIGURE_PNG_H
#define FIGURE_PNG_H

#include "base/error.h"
#include "figure/canvas.h"

bool png_available(void);                                                            // false: built without stb
bool png_encode(unsigned char **out, int *size, const Canvas *canvas, Error *error); // free() it
// The same, saying where it comes from: each text as a chunk that image programs show (tEXt, or iTXt where Latin-1 does
// not suffice), and how large a pixel is. A key is 1 to 79 letters of ASCII ("Title", "Source", "Software" are common);
// a value is UTF-8, in which controls other than line ends become U+FFFD.
typedef struct {
    const char *key, *value;
} PngText;
typedef struct {
    const PngText *texts;
    int count;
    double dpi;
} PngAbout; // dpi 0: not said
bool png_encode_about(unsigned char **out, int *size, const Canvas *canvas, PngAbout about, Error *error);

// Any bytes as a PNG holds them, by zlib's deflate, and back. free() them. NULL: this build has no stb; or they are
// damaged, or more than `most`.
unsigned char *png_deflated(const unsigned char *bytes, int size, int *packed);
unsigned char *png_inflated(const unsigned char *bytes, int size, int most, int *whole);

bool png_decode(Canvas **out, Arena *arena, const void *bytes, int size, const char *name, Error *error);

#endif
