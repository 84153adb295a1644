// PNG by stb. Opaque images are written as RGB, which saves a quarter of the compression time.
#include "figure/png.h"

#include "base/memory.h"
#include "figure/png_about.h"

#ifdef HAVE_STB

    #include <limits.h>
    #include <stdlib.h>
    #include <string.h>

    #pragma GCC diagnostic ignored "-Wunused-function" // found at the end of the file: not inside push and pop
    #pragma GCC diagnostic push
    #pragma GCC diagnostic ignored "-Wconversion"
    #pragma GCC diagnostic ignored "-Wsign-compare"
    #pragma GCC diagnostic ignored "-Wshadow"
    #pragma GCC diagnostic ignored "-Wunused-parameter"
    #define STB_IMAGE_WRITE_STATIC
    #define STB_IMAGE_WRITE_IMPLEMENTATION
    #define STBI_WRITE_NO_STDIO
    #define STBIW_MALLOC  memory_new // stb does not check for NULL
    #define STBIW_REALLOC memory_resized
    #define STBIW_FREE    free
    #include <stb/stb_image_write.h>
    #define STB_IMAGE_STATIC
    #define STB_IMAGE_IMPLEMENTATION
    #define STBI_ONLY_PNG
    #define STBI_NO_STDIO
    #define STBI_NO_HDR
    #define STBI_NO_LINEAR
    #define STBI_NO_FAILURE_STRINGS
    #define STBI_MAX_DIMENSIONS 16384
    #define STBI_MALLOC         memory_new
    #define STBI_REALLOC        memory_resized
    #define STBI_FREE           free
    #include <stb/stb_image.h>
    #pragma GCC diagnostic pop

enum { MOST_PIXELS = 1 << 27 };

bool png_available(void) { return true; }

// The pixels without their alpha. free() them.
static unsigned char *without_alpha(const uint8_t *rgba, size_t count)
{
    unsigned char *rgb = memory_new(count * 3);
    for (size_t i = 0; i < count; i++) memcpy(rgb + 3 * i, rgba + 4 * i, 3);
    return rgb;
}

static bool is_opaque(const uint8_t *rgba, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rgba[4 * i + 3] != 255) return false;
    return true;
}

bool png_encode(unsigned char **out, int *size, const Canvas *canvas, Error *error)
{
    size_t count = (size_t)canvas->width * (size_t)canvas->height;
    bool opaque = is_opaque(canvas->rgba, count);
    int channels = opaque ? 3 : 4;
    unsigned char *rgb = opaque ? without_alpha(canvas->rgba, count) : NULL;
    const unsigned char *from = opaque ? rgb : canvas->rgba;

    stbi_write_png_compression_level = 5;
    stbi_write_force_png_filter = 0; // flat colours compress as well without a filter
    int width = canvas->width, height = canvas->height;
    *out = stbi_write_png_to_mem(from, width * channels, width, height, channels, size);
    free(rgb);
    return *out || error_set(error, "a PNG of %d × %d pixels cannot be made", width, height);
}

unsigned char *png_deflated(const unsigned char *bytes, int size, int *packed)
{
    unsigned char *copy = memory_new((size_t)size + 1); // stb's argument is not const
    memcpy(copy, bytes, (size_t)size);
    unsigned char *out = stbi_zlib_compress(copy, size, packed, 8);
    free(copy);
    return out;
}

unsigned char *png_inflated(const unsigned char *bytes, int size, int most, int *whole)
{
    char *out = memory_new((size_t)most + 1);
    *whole = stbi_zlib_decode_buffer(out, most, (const char *)bytes, size);
    if (*whole >= 0) return (unsigned char *)out;
    free(out);
    return NULL;
}

bool png_encode_about(unsigned char **out, int *size, const Canvas *canvas, PngAbout about, Error *error)
{
    if (!png_encode(out, size, canvas, error)) return false;
    size_t more = 0, whole = (size_t)*size;
    unsigned char *chunks = png_chunks(about, &more);
    bool fits = more < INT_MAX - whole;
    if (fits) {
        unsigned char *joined = memory_resized(*out, whole + more);
        memmove(joined + PNG_HEADER + more, joined + PNG_HEADER, whole - PNG_HEADER);
        memcpy(joined + PNG_HEADER, chunks, more);
        *out = joined;
        *size = (int)(whole + more);
    } else {
        free(*out);
        *out = NULL;
    }
    free(chunks);
    return fits || error_set(error, "a PNG with %zu bytes of texts is too large", more);
}

bool png_decode(Canvas **out, Arena *arena, const void *bytes, int size, const char *name, Error *error)
{
    static const unsigned char signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    int width, height, channels;
    if (size < 8 || memcmp(bytes, signature, 8))
        return error_set(error, "%s: the first 8 bytes are not those of a PNG file", name);
    if (!stbi_info_from_memory(bytes, size, &width, &height, &channels))
        return error_set(error, "%s: the PNG header cannot be read, or names a picture of more than %d pixels a side",
                         name, STBI_MAX_DIMENSIONS);
    if (height > MOST_PIXELS / width)
        return error_set(error, "%s: %d × %d pixels; at most %d can be read", name, width, height, MOST_PIXELS);
    unsigned char *rgba = stbi_load_from_memory(bytes, size, &width, &height, &channels, 4);
    if (!rgba)
        return error_set(error, "%s: the pixels of the PNG cannot be read; the file is damaged or cut off", name);

    *out = canvas_new(arena, width, height, 1);
    memcpy((*out)->rgba, rgba, (size_t)width * (size_t)height * 4);
    stbi_image_free(rgba);
    return true;
}

#else

bool png_available(void) { return false; }

bool png_encode(unsigned char **out, int *size, const Canvas *canvas, Error *error)
{
    (void)canvas;
    *out = NULL;
    *size = 0;
    return error_set(error, "this build cannot write PNG files: stb was not there (make deps installs it)");
}

unsigned char *png_deflated(const unsigned char *bytes, int size, int *packed)
{
    (void)bytes;
    (void)size;
    *packed = 0;
    return NULL;
}

unsigned char *png_inflated(const unsigned char *bytes, int size, int most, int *whole)
{
    (void)bytes;
    (void)size;
    (void)most;
    *whole = 0;
    return NULL;
}

bool png_encode_about(unsigned char **out, int *size, const Canvas *canvas, PngAbout about, Error *error)
{
    (void)about;
    return png_encode(out, size, canvas, error);
}

bool png_decode(Canvas **out, Arena *arena, const void *bytes, int size, const char *name, Error *error)
{
    (void)arena;
    (void)bytes;
    (void)size;
    *out = NULL;
    return error_set(error, "%s: this build cannot read PNG files: stb was not there (make deps installs it)", name);
}

#endif
