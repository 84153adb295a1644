// Chapter 26. Activation patching: rows of the residual stream are replaced by those of another run.
#ifndef MODEL_PATCH_H
#define MODEL_PATCH_H

#include "base/mat.h"

// Before layer `layer` (L: before the last norm) the rows of the stream from `row` on are replaced by `rows` (n, D).
typedef struct {
    int layer, row;
    Mat rows;
} StreamPatch;

#endif
