// Chapter 05. Masks: causal (bottom-right), window, sinks, padding, ALiBi.
#include "attention/mask.h"

#include <math.h>
#include <stdlib.h>

// The query's position among the keys. With a cache there are more keys than queries, and the last query is the newest.
static int position(int i, int T, int S) { return i + S - T; }

bool mask_sees(Mask mask, int i, int j, int T, int S)
{
    int p = position(i, T, S);
    if (j >= S - mask.padding) return false;
    if (mask.causal && j > p) return false;
    if (mask.window > 0 && j >= mask.sinks) return abs(p - j) < mask.window;
    return true;
}

float mask_alibi(Mask mask, int i, int j, int T, int S)
{
    return -mask.alibi * (float)abs(position(i, T, S) - j);
}

float mask_bias(Mask mask, int i, int j, int T, int S)
{
    if (!mask_sees(mask, i, j, T, S)) return -INFINITY;
    return mask_alibi(mask, i, j, T, S);
}
