// All heads as one HTML page without external parts: to open in a browser, send, or publish.
#ifndef VIZ_PAGE_H
#define VIZ_PAGE_H

#include "viz/state.h"

// Weights are stored in 16 bits, linearly between the least and largest of their head; above PAGE_FINE cells in 8 bits,
// by square roots if none is negative, so that small ones can be distinguished. Code 0 is masked, 1 is NaN or infinite.
enum { PAGE_FINE = 1 << 20, PAGE_MOST = 1 << 26 };
enum { PAGE_MASKED, PAGE_NAN, PAGE_FIRST };

typedef struct {
    double low, high;
    int bits;
    bool squares;
} PageScale;
unsigned page_code(PageScale scale, float value);  // −∞ is masked
double page_value(PageScale scale, unsigned code); // NaN for the first two

// Writes the page of all heads of the state's document, with its scale and colours; the current head and pinned cell
// are shown first. `sentence` NULL: none. Fails above PAGE_MOST cells.
bool page_encode(FileBytes *out, Arena *arena, const State *state, const char *sentence, const char *command,
                 Error *error);

#endif
