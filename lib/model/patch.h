// Chapter 26. A piece of the stream that is another run's.
#ifndef MODEL_PATCH_H
#define MODEL_PATCH_H

#include "base/mat.h"

// Before layer `layer` (L: before the last norm) the rows of the stream from `row` on are these (rows, D).
typedef struct {
    int layer, row;
    Mat rows;
} StreamPatch;

#endif
