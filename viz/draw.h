// Draws a state; changes nothing.
#ifndef VIZ_DRAW_H
#define VIZ_DRAW_H

#include "figure/canvas.h"
#include "viz/view.h"

// Draws the window on a canvas of width / zoom points at pixels · zoom (of state->camera).
void draw_view(Canvas *canvas, const View *view);

#endif
