// What drawing reads: the state, and derived data, which may be NULL or incomplete; the picture then has gaps that
// later pictures fill.
#ifndef VIZ_VIEW_H
#define VIZ_VIEW_H

#include "viz/layout.h"

typedef struct {
    const State *state;
    const Derived *derived, *other_derived; // of the shown and of the second document
    MapKept *const *kept;                   // cached pictures, one per map of the layout; NULL: none
} View;

static inline const Derived *view_derived(const View *view, const Document *d)
{
    return d == view->state->shown.document ? view->derived : view->other_derived;
}

// The summary of a head; NULL: not ready.
static inline const HeadSummary *view_summary(const View *view, const Document *d, int layer, int head)
{
    const Derived *derived = view_derived(view, d);
    const HeadSummary *summary = derived ? derived_summary(derived, layer, head) : NULL;
    return summary && summary->ready ? summary : NULL;
}

#endif
