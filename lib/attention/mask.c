// Chapter 05. Masks: causal (bottom-right), window, sinks, padding, ALiBi.
#include "attention/mask.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

float mask_scale(Mask mask, int d)
{
    REQUIRE(mask.scale >= 0.0f, "scale is %g; it must be positive, or 0 for 1/√d", (double)mask.scale);
    return mask.scale > 0.0f ? mask.scale : 1.0f / sqrtf((float)d);
}

float mask_root(Mask mask, int d) { return mask.scale == 0.0f ? sqrtf((float)d) : 1.0f / mask_scale(mask, d); }

// With a cache there are more keys than queries, and the last query is the newest.
int mask_position(Mask mask, int i, int T, int S) { return i + S - T + mask.shift; }

bool mask_sees(Mask mask, int i, int j, int T, int S)
{
    int p = mask_position(mask, i, T, S);
    if (j >= S - mask.padding) return false;
    if (mask.causal && j > p) return false;
    if (mask.window > 0 && j >= mask.sinks) return abs(p - j) < mask.window;
    return true;
}

float mask_alibi(Mask mask, int i, int j, int T, int S)
{
    return -mask.alibi * (float)abs(mask_position(mask, i, T, S) - j);
}

float mask_bias(Mask mask, int i, int j, int T, int S)
{
    if (!mask_sees(mask, i, j, T, S)) return -INFINITY;
    return mask_alibi(mask, i, j, T, S);
}
