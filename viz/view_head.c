// One head: its map, with the words of queries and keys.
#include "viz/draw_internal.h"
#include "viz/layout_internal.h"

static bool has(const Document *document, const Document *other)
{
    (void)document;
    (void)other;
    return true;
}

static void place(PageLayout *page, const State *state)
{
    const Document *d = state->shown.document;
    layout_place_one_map(page, state, layout_place_sides(page, state, 720, true), d->T, d->S, true);
}

const ViewOps view_head = {
    .name = "One head",
    .word = "head",
    .picture = "map",
    .has = has,
    .layout = place,
    .draw = draw_head,
    .has_cells = layout_has_cells,
    .invitation = "Point at a cell: how it came about.",
    .hit = layout_hit_map,
    .pan = layout_pan_map,
    .reveal = layout_reveal_cell,
    .status_more = draw_map_status,
};
