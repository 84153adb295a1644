// The picture of a state. Reads, and changes nothing.
#ifndef VIZ_DRAW_H
#define VIZ_DRAW_H

#include "figure/canvas.h"
#include "viz/view.h"

// The whole window, onto a canvas of its size: state->width / state->zoom points at state->pixels · state->zoom.
void draw_view(Canvas *canvas, const View *view);

#endif
