// The cache of data derived from a document that take time: the pyramid of a large map, and the summary of every head.
// Computed a little at a time between update and draw; draw only reads it.
#ifndef VIZ_DERIVED_H
#define VIZ_DERIVED_H

#include "viz/head_summary.h"

// Owns its memory. Its results are valid until derived_forget or derived_close; the pyramid of a head, as long as the
// head is one of the last three that were wanted.
typedef struct Derived Derived;
Derived *derived_open(void);
void derived_close(Derived *derived);  // NULL is allowed
void derived_forget(Derived *derived); // the document has changed: compute everything again

// What a picture needs. A head of −1 is not needed. `all`: the summaries of all heads.
typedef struct {
    int layer[2], head[2];
    bool all;
} DerivedWanted;

// Works for about `seconds` (INFINITY: to the end; 0: one step): first the pyramids of the wanted heads, then their
// summaries, then those of the other heads. The next call continues. true: done.
bool derived_prepare(Derived *derived, const Document *d, DerivedWanted wanted, double seconds);

const Pyramid *derived_pyramid(const Derived *derived, int layer, int head); // NULL: not ready
// While it is built: it covers the first *rows rows of the map. NULL: it is ready, or not begun.
const Pyramid *derived_pyramid_so_far(const Derived *derived, int layer, int head, int *rows);
const HeadSummary *derived_summary(const Derived *derived, int layer, int head); // .ready false: not ready
int derived_summaries_ready(const Derived *derived);                             // of layers · heads

// order (layers · heads): heads as layer · heads + head, the largest statistic first, equal ones by number, those
// without a value last. stat −1: by number.
void derived_order(int *order, const Derived *derived, const Document *d, int stat);
void derived_order_by(int *order, const double *values, int count); // the same by any values; NaN: no value

#endif
