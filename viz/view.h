// What draw reads, and changes nothing of: the state, and what is prepared for it. The scenes may be NULL or not ready:
// then the picture has gaps, which the next one fills.
#ifndef VIZ_VIEW_H
#define VIZ_VIEW_H

#include "viz/layout.h"

typedef struct {
    const State *state;
    const Scene *scene, *other; // of state->document; of state->other
    MapKept *const *kept;       // one for each of the layout's maps; NULL: none, and all is drawn
} View;

static inline const Scene *view_scene(const View *view, const Document *d)
{
    return d == view->state->document ? view->scene : view->other;
}

// What a head looks like; NULL: that is not known yet.
static inline const HeadLook *view_look(const View *view, const Document *d, int layer, int head)
{
    const Scene *scene = view_scene(view, d);
    const HeadLook *look = scene ? scene_look(scene, layer, head) : NULL;
    return look && look->ready ? look : NULL;
}

#endif
