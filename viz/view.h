// What draw reads, and changes nothing of: the state, and what is prepared for it. The scenes may be NULL or not ready:
// then the picture has gaps, which the next one fills.
#ifndef VIZ_VIEW_H
#define VIZ_VIEW_H

#include "viz/layout.h"

typedef struct {
    const State *state;
    const Derived *derived, *other; // of state->document; of state->other
    MapKept *const *kept;           // one for each of the layout's maps; NULL: none, and all is drawn
} View;

static inline const Derived *view_derived(const View *view, const Document *d)
{
    return d == view->state->shown.document ? view->derived : view->other;
}

// What a head looks like; NULL: that is not known yet.
static inline const HeadSummary *view_summary(const View *view, const Document *d, int layer, int head)
{
    const Derived *derived = view_derived(view, d);
    const HeadSummary *summary = derived ? derived_summary(derived, layer, head) : NULL;
    return summary && summary->ready ? summary : NULL;
}

#endif
