// The list of views.
#include "viz/views.h"

const ViewOps *view_ops(ViewKind view)
{
#define VIEW_ENTRY(kind, table) [kind] = &table,
    static const ViewOps *const all[VIEWS] = { VIEW_LIST(VIEW_ENTRY) };
#undef VIEW_ENTRY
    return all[view];
}

bool state_has_view(const State *state, ViewKind view)
{
    return view_ops(view)->has(state->shown.document, state->shown.other_document);
}

const char *state_view_name(const State *state, ViewKind view)
{
    const ViewOps *ops = view_ops(view);
    const char *title = ops->title ? ops->title(state->shown.document) : NULL;
    return title ? title : ops->name;
}
