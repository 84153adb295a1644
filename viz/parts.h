// The parts of the picture, one file each. For draw.c and these files only.
#ifndef VIZ_PARTS_H
#define VIZ_PARTS_H

#include "viz/map.h"

void draw_heads(Canvas *canvas, const View *view, const Layout *layout);         // All heads
void draw_strip(Canvas *canvas, const View *view, const Layout *layout);         // the thumbnails left of other views
void draw_head(Canvas *canvas, const View *view, const Layout *layout);          // One head
void draw_stage(Canvas *canvas, const View *view, const Layout *layout);         // Stages
void draw_lines(Canvas *canvas, const View *view, const Layout *layout);
void draw_compare(Canvas *canvas, const View *view, const Layout *layout);
void draw_tiles(Canvas *canvas, const View *view, const Layout *layout);
void draw_panel(Canvas *canvas, const View *view, const Layout *layout);         // the cell and the head at hand

// A name for a head: "layer 1 head 2", without the layer where there is but one, and its role where that is known.
const char *head_name(Arena *arena, const Document *d, int layer, int head);

#endif
