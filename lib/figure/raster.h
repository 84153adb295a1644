// How much of each pixel a shape covers, from its outline: what polygons, lines and letters are filled with. For the
// files of this folder only.
#ifndef FIGURE_RASTER_H
#define FIGURE_RASTER_H

#include "figure/canvas.h"

// A shape on its way to the canvas. `change` holds, for each row of the box, by how much the coverage changes from one
// pixel to the next; a running sum gives the coverage.
typedef struct {
    Box       box;                 // in pixels, inside the canvas
    float    *change;              // (height, width + 1)
    ArenaMark mark;
} Cover;

Box   box_clip(Box box, const Canvas *canvas);       // the part that lies on the canvas; may be empty
Cover cover_open(Canvas *canvas, Box box);
void  cover_edge(Cover *cover, double x0, double y0, double x1, double y1);   // one edge of a closed outline, in pixels
void  cover_fill(Canvas *canvas, Cover *cover, Color color);                  // paints it and gives its memory back

// One pixel of the canvas, mixed with a colour. `amount` from 0 to 1.
void canvas_blend(Canvas *canvas, int x, int y, Color color, double amount);

// Points to pixels, on a grid of 1/256 pixel, so that the last bit of a machine's sine is never seen.
double pixels(const Canvas *canvas, double points);

#endif
