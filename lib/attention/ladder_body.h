// Chapter 15. The rungs below the fast kernel, for one kind of processor: KIND, and RUNG(f, name) for the name of function
// f of a rung. ladder.c includes this file once for each kind. Every rung is the fast kernel's body without some of its
// ideas.

#define NAME(f) RUNG(f, _lanes)
#include "attention/fast_kind.h"
#undef ROWS
#undef STRIP
#undef FAR
#undef EXP2
#define ROWS  1
#define STRIP KEYS
#define FAR   0.0f
#define EXP2(x) NAME(exp2_by_lane)(x)
#define TILE_IN_PASSES
typedef float NAME(Lanes) __attribute__((vector_size(4 * KIND), may_alias));
TARGET static inline __attribute__((always_inline)) NAME(Lanes) NAME(exp2_by_lane)(NAME(Lanes) x)
{
    for (int lane = 0; lane < KIND; lane++) x[lane] = exp2f(x[lane]);
    return x;
}
#include "attention/fast_body.h"
#include "attention/fast_undef.h"

#define NAME(f) RUNG(f, _1x4)
#include "attention/fast_kind.h"
#undef ROWS
#undef STRIP
#undef FAR
#define ROWS  1
#define STRIP KEYS
#define FAR   0.0f
#define TILE_IN_PASSES
#include "attention/fast_body.h"
#include "attention/fast_undef.h"

#define NAME(f) RUNG(f, _2x4)
#include "attention/fast_kind.h"
#undef ROWS
#undef STRIP
#undef FAR
#define ROWS  2
#define STRIP KEYS
#define FAR   0.0f
#define TILE_IN_PASSES
#include "attention/fast_body.h"
#include "attention/fast_undef.h"

#define NAME(f) RUNG(f, _4x4)
#include "attention/fast_kind.h"
#undef STRIP
#undef FAR
#define STRIP KEYS
#define FAR   0.0f
#define TILE_IN_PASSES
#include "attention/fast_body.h"
#include "attention/fast_undef.h"

#define NAME(f) RUNG(f, _lazy)
#include "attention/fast_kind.h"
#undef STRIP
#define STRIP KEYS
#include "attention/fast_body.h"
#include "attention/fast_undef.h"

#undef KIND
#undef RUNG
