// A head set as one page of HTML that needs nothing else: to be opened in a browser, sent, put on a course's site.
#ifndef VIZ_PAGE_H
#define VIZ_PAGE_H

#include "viz/state.h"

// A weight is kept in 16 bits, evenly from its head's least to its largest; of more than PAGE_FINE cells in all, in 8
// bits, by squares where none is negative, so that small ones are told apart. Code 0 is masked, 1 is NaN or infinite.
enum { PAGE_FINE = 1 << 20, PAGE_MOST = 1 << 26 };
enum { PAGE_MASKED, PAGE_NAN, PAGE_FIRST };

typedef struct {
    double low, high;
    int bits;
    bool squares;
} PageScale;
unsigned page_code(PageScale scale, float value);  // −∞ is masked
double page_value(PageScale scale, unsigned code); // NaN for the first two

// The page, in `arena`, of all heads of the state's document, on its scale and colours, its head and pinned cell first.
// `sentence` NULL: there is none. false, with one sentence: more than PAGE_MOST cells.
bool page_encode(FileBytes *out, Arena *arena, const State *state, const char *sentence, const char *command,
                 Error *error);

#endif
