// Chapters 05 and 18. Masks: causal (bottom-right), window, sinks, globals, padding, ALiBi.
#include "attention/mask.h"

#include "base/error.h"
#include "base/portable_math.h"

#include <stdint.h>
#include <stdlib.h>

static int larger(int a, int b) { return a > b ? a : b; }
static int within(int64_t x, int low, int high) { return x < low ? low : x > high ? high : (int)x; }

float mask_scale(Mask mask, int d)
{
    REQUIRE(mask.scale >= 0.0f, "scale is %g; it must be positive, or 0 for 1/√d", (double)mask.scale);
    return mask.scale > 0.0f ? mask.scale : 1.0f / sqrtf((float)d);
}

float mask_root(Mask mask, int d) { return mask.scale == 0.0f ? sqrtf((float)d) : 1.0f / mask_scale(mask, d); }

// With a KV cache there are more keys than queries; the last query is the newest token.
int mask_position(Mask mask, int i, int T, int S) { return i + S - T + mask.shift; }

int mask_pinned(Mask mask) { return mask.globals > 0 ? larger(mask.sinks, mask.globals - mask.before) : mask.sinks; }

bool mask_open(Mask mask, int i, int T, int S)
{
    if (mask.window <= 0) return true;
    return mask.globals > 0 && mask_position(mask, i, T, S) < mask.globals - mask.before;
}

// Whether a query at position p, or key j, is one of the first `globals` of the sequence.
static bool is_global(Mask mask, int p, int j)
{
    return mask.globals > 0 && (p < mask.globals - mask.before || j < mask.globals - mask.before);
}

bool mask_sees(Mask mask, int i, int j, int T, int S)
{
    int p = mask_position(mask, i, T, S);
    if (j >= S - mask.padding) return false;
    if (mask.causal && j > p) return false;
    if (mask.window > 0 && j >= mask.sinks && !is_global(mask, p, j)) return abs(p - j) < mask.window;
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

// Consecutive queries have overlapping or adjacent windows: their union is one range, from the start of the first
// window to the end of the last. Globals come first; what one of them sees touches the next query's window.
MaskVisible mask_visible(Mask mask, MaskRange queries, int T, int S)
{
    if (queries.count <= 0) return (MaskVisible){ 0 };
    int64_t first = mask_position(mask, queries.first, T, S), last = first + queries.count - 1;

    // 1. Up to the padding; with `causal`, up to the last query's own position.
    int end = within((int64_t)S - mask.padding, 0, S);
    if (mask.causal) end = within(last + 1, 0, end);
    if (mask_open(mask, queries.first, T, S)) return (MaskVisible){ .keys = { 0, end } };

    // 2. The sinks, and the later keys that are in the window.
    int sinks = within(mask_pinned(mask), 0, end);
    int from = within(first - mask.window + 1, sinks, end), to = within(last + mask.window, from, end);
    if (from == to) return (MaskVisible){ .keys = { 0, sinks } };
    if (from == sinks) return (MaskVisible){ .keys = { 0, to } };
    return (MaskVisible){ sinks, { from, to - from } };
}

// In the segment, key j becomes key j − first. Positions of queries must decrease by `first` as well, so that every
// distance is unchanged; without a shift they would change by count − S. Sinks before the segment and padding after it
// are not in it. Globals need the segment's offset (`before`), because their queries see it even if their keys are not
// in it.
Mask mask_of_part(Mask mask, int S, int first, int count)
{
    REQUIRE(first >= 0 && count >= 0 && first <= S - count, "%d keys from key %d on, of %d", count, first, S);
    int behind = S - first - count;
    Mask part = mask;
    part.shift = mask.shift + behind;
    part.padding = larger(mask.padding - behind, 0);
    part.sinks = larger(mask.sinks - first, 0);
    part.before = mask.before + first;
    return part;
}
