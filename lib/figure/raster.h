// Anti-aliased coverage of pixels by an outline: fills polygons, lines and glyphs. Internal to this folder.
#ifndef FIGURE_RASTER_H
#define FIGURE_RASTER_H

#include "figure/canvas.h"

#include <string.h>

// Accumulation buffer of a shape. `change` holds, for each row of the box, the difference in coverage from each pixel
// to the next; a running sum gives the coverage. Only columns from … to − 1 of a row are non-zero. Painting resets them
// to 0, so that a cover can be reused for one band of rows after the other.
typedef struct {
    CanvasBox box;  // in pixels
    float *change;  // (height, width + 1)
    int *from, *to; // (height)
} RasterCover;

enum { RASTER_BAND = 32 }; // rows per band, so that its buffer stays in the L1 cache

CanvasBox raster_box_meet(CanvasBox a, CanvasBox b);            // the intersection; may be empty
CanvasBox raster_box_clip(CanvasBox box, const Canvas *canvas); // its part inside the clip; may be empty
CanvasBox raster_canvas_box(const Canvas *canvas);              // the whole canvas
RasterCover raster_cover_open(Arena *arena, CanvasBox box);
void raster_cover_edge(RasterCover *cover, double x0, double y0, double x1,
                       double y1); // one edge of a closed outline, in pixels
void raster_cover_paint(Canvas *canvas, RasterCover *cover, Color color);
void raster_cover_keep(RasterCover *cover,
                       uint8_t *alphas); // (height, width), instead of painting; `alphas` must be zeroed

// Pixels as 32-bit words, whose bytes are r, g, b, alpha in memory order.
static inline uint32_t *canvas_words(const Canvas *canvas, int x, int y)
{
    return (uint32_t *)(void *)canvas->rgba + (size_t)y * (size_t)canvas->width + x;
}
static inline uint32_t color_word(Color color)
{
    const uint32_t one = 1;
    uint32_t word = (uint32_t)color.r | (uint32_t)color.g << 8 | (uint32_t)color.b << 16 | 255u << 24;
    bool little = *(const uint8_t *)&one == 1; // a compile-time constant
    return little ? word : __builtin_bswap32(word);
}
void raster_word_run(uint32_t *at, int count, uint32_t word, unsigned alpha); // blends `count` pixels with a colour

// Converts opacity from 0 … 1 to 0 … 255.
static inline unsigned alpha_of(double amount)
{
    int a = (int)(amount * 255 + 0.5);
    return a <= 0 ? 0 : a >= 255 ? 255 : (unsigned)a;
}

// Blends each byte of `ground` towards that of `word` by alpha / 255, rounded. Two bytes at once, in 16 bits each: (t +
// t / 256) / 256 with t = x + 128 is x / 255 rounded, for every x up to 255².
static inline uint32_t word_mix(uint32_t ground, uint32_t word, unsigned alpha)
{
    const uint32_t pair = 0x00ff00ff, half = 0x00800080;
    uint32_t even = (ground & pair) * (255 - alpha) + (word & pair) * alpha + half;
    uint32_t odd = (ground >> 8 & pair) * (255 - alpha) + (word >> 8 & pair) * alpha + half;
    even = (even + (even >> 8 & pair)) >> 8 & pair;
    odd = (odd + (odd >> 8 & pair)) & ~pair;
    return even | odd;
}

// Points to pixels, rounded to 1/256 pixel, so that differences between math libraries never show.
double raster_canvas_pixels(const Canvas *canvas, double points);

#endif
