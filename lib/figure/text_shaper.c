// The current shaper, and clearing of the glyph caches when the shaper or a font changes.
#include "figure/shaping.h"
#include "figure/stamps.h"

#include <stddef.h>

static const Shaping *shaping;

void shaping_shape_by(const Shaping *by)
{
    if (shaping != by) shaping_forget_texts();
    shaping = by;
}

void shaping_forget_texts(void)
{
    stamps_forget();
    if (shaping) shaping->forget();
}

const Shaping *shaping_current(void) { return shaping; }
