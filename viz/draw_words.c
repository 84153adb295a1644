// Names of heads and cells, and what the status line says of colours.
#include "viz/draw_internal.h"

const char *draw_head_name(Arena *arena, const Document *d, int layer, int head)
{
    const char *role = d->roles ? d->roles[layer * d->heads + head] : NULL;
    if (d->reduced_from && d->heads == 1)
        return d->layers > 1 ? arena_format(arena, "layer %d: %s", layer, d->reduced_name) : d->reduced_name;
    const char *name = d->layers > 1  ? arena_format(arena, "layer %d head %d", layer, head)
                       : d->heads > 1 ? arena_format(arena, "head %d", head)
                                      : "";
    return role ? arena_format(arena, "%s: %s", name, role) : name;
}

const char *draw_cell_words(Arena *arena, const Document *d, HeadCell cell)
{
    return arena_format(arena, "%s → %s", canvas_text_apart(arena, document_query(arena, d, cell.row)),
                        canvas_text_apart(arena, document_key(arena, d, cell.col)));
}

void draw_text(Canvas *canvas, double x, double y, CanvasFace face, double size, Color color, CanvasAnchor anchor,
               const char *text)
{
    canvas_text(canvas, x, y, (CanvasText){ .size = size, .face = face, .color = color, .anchor = anchor }, text);
}

const char *draw_map_name(Arena *arena, const State *state)
{
    const Document *d = state->shown.document;
    if (state_heads(state) <= 1 && !d->reduced_from) return document_maps(d)->name;
    return draw_head_name(arena, d, state->shown.layer, state->shown.head);
}

const char *draw_colors_text(Arena *arena, const State *state, bool may_be_signed)
{
    return arena_format(arena, "%s%s%s", color_map_name(state->shown.colors),
                        may_be_signed ? ", diverging where signed" : "",
                        state->shown.use_largest ? " · largest of folded cells" : "");
}

const char *draw_map_status(Arena *arena, const View *view, const PageLayout *layout)
{
    const DocumentView *shown = &view->state->shown;
    const Document *d = shown->document;
    const char *text = "";
    if (shown->pair != PAIR_ALL) text = arena_format(arena, " · %s alone", pair_name(shown->pair));
    if (!layout->map_count || !cells_awaited(view, d, shown->layer, shown->head, &layout->maps[0])) return text;
    return arena_format(arena, "%s · the map is being read: %d of %d rows", text,
                        cells_read(view, d, shown->layer, shown->head), d->T);
}
