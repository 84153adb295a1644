// Thumbnails of heads: those of All heads, and the strip beside other views.
#include "base/portable_math.h"
#include "viz/draw_internal.h"

// The cells of a thumbnail: of its pyramid level, folded further if they would be smaller than pixels.
typedef struct {
    MapCells cells;
    int fold;
} Thumb;

static void fold_cells(Thumb *t, const State *state, const PyramidLevel *from, int times, int i, int j)
{
    int row = i * times, col = j * times, rows = from->sum.rows - row, cols = from->sum.cols - col;
    double sum = 0, most = -INFINITY;
    if (rows > times) rows = times;
    if (cols > times) cols = times;
    for (int r = row; r < row + rows; r++) {
        const float *sums = mat_row(from->sum, r), *mosts = mat_row(from->most, r);
        for (int c = col; c < col + cols; c++) {
            if (mosts[c] == -INFINITY) continue;
            sum += (double)sums[c];
            most = isnan(mosts[c]) ? (double)mosts[c] : fmax(most, (double)mosts[c]);
        }
    }
    *mat_ref(t->cells.values, i, j) = (float)(state->shown.use_largest ? most : sum / rows);
    *mat_ref(t->cells.kind, i, j) = (j + 1) * t->fold <= state->shown.hide_keys ? MAP_LEFT_OUT
                                    : most == -INFINITY                         ? MAP_MASKED
                                                                                : MAP_SHOWN;
}

static Thumb thumb_of(Arena *arena, const State *state, const HeadSummary *summary, double wide, double high)
{
    const PyramidLevel *from = &summary->thumb;
    int times = 1, rows = from->sum.rows, cols = from->sum.cols;
    double pixels = state->camera.pixels * state->camera.zoom;
    while (times < THUMB && (cols > times * wide * pixels || rows > times * high * pixels)) times *= 2;
    rows = (rows + times - 1) / times;
    cols = (cols + times - 1) / times;
    Thumb t = { { mat_new(arena, rows, cols), mat_new(arena, rows, cols), 0, 0 }, from->fold * times };
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) fold_cells(&t, state, from, times, i, j);
    return t;
}

// The scale of the current view; with "per head" each thumbnail has its own.
static Ramp thumb_ramp(const View *view, const Thumb *t)
{
    return cells_ramp_of_head(view, view->state->shown.document, &t->cells);
}

// Masked cells are plain: hatching would be too fine.
static void draw_thumb(Canvas *canvas, const View *view, CanvasRect at, int layer, int head)
{
    const Document *d = view->state->shown.document;
    const HeadSummary *summary = view_summary(view, d, layer, head);
    if (!summary) {
        canvas_rect(canvas, at.x, at.y, at.width, at.height, COLOR_RULE);
        return;
    }
    ArenaMark mark = arena_mark(canvas->arena);
    Thumb t = thumb_of(canvas->arena, view->state, summary, at.width, at.height);
    int rows = t.cells.values.rows, cols = t.cells.values.cols;
    Map map = { .cells = t.cells, .ramp = thumb_ramp(view, &t), .plain = true };
    map.cells.values = cells_colored(canvas->arena, view, d, layer, head, &t.cells, &map.ramp, t.fold, t.fold);
    map.place = (MapPlace){ at, at.width / cols, at.height / rows, 0, 0, rows, cols, 1, 1 };
    map_draw(canvas, &map);
    arena_release(canvas->arena, mark);
}

static bool is_off(const State *state, int head) { return head < MAPS_MOST && state->shown.ablated[head]; }

static void draw_off(Canvas *canvas, CanvasRect at)
{
    canvas_tint(canvas, at.x, at.y, at.width, at.height, COLOR_PAPER, 0.72);
    canvas_line(canvas, at.x + 3, at.y + at.height - 3, at.x + at.width - 3, at.y + 3, 2, COLOR_MARK);
}

// "3 previous", or the statistic that sorts the heads; with shared keys and no names, the KV head: "3 keys 0".
static void draw_name(Canvas *canvas, const View *view, const PageLayout *layout, CanvasRect at, int index)
{
    const State *state = view->state;
    const Document *d = state->shown.document;
    bool here = index == state->shown.layer * d->heads + state->shown.head, shared = d->groups < d->heads;
    int layer = index / d->heads, head = index % d->heads;
    const char *number = layout->thumbs.by_layer ? arena_format(canvas->arena, "%d", head)
                                                 : arena_format(canvas->arena, "%d.%d", layer, head);
    const char *role = d->roles ? d->roles[index] : NULL;
    const HeadSummary *summary = view_summary(view, d, layer, head);
    if (shared && (d->live || !role)) role = arena_format(canvas->arena, "keys %d", head / (d->heads / d->groups));
    bool cells = state->shown.sort >= SORT_CELL && state->shown.sort != SORT_ROLE;
    double cell = !cells                            ? 0
                  : state->shown.sort == SORT_CELL  ? state_cell_of_head(state, index)
                  : state->shown.sort == SORT_FOUND ? state_found_of_head(state, index)
                                                    : state_adds_of_head(state, index);
    const char *none = state->shown.sort == SORT_ADDS ? "…" : "masked";
    if (cells) role = isnan(cell) ? none : map_number(canvas->arena, cell, 2);
    else if (state->shown.sort == SORT_ROLE) role = state_role_name(state, view->derived, index);
    else if (state->shown.sort != SORT_NONE && summary)
        role = map_number(canvas->arena, summary->stats[state->shown.sort], 2);
    if (is_off(state, index)) role = "off";
    double room = layout->thumbs.across_step - 8, y = at.y + at.height + 14;
    CanvasText style = { .size = 11, .face = here && !role ? CANVAS_SANS_BOLD : CANVAS_SANS, .color = COLOR_QUIET };
    CanvasText name = { .size = 11, .face = here ? CANVAS_SANS_BOLD : CANVAS_SANS, .color = COLOR_INK };
    canvas_text(canvas, at.x, y, style, number);
    double after = canvas_text_width(style, number) + 5;
    if (role && room - after >= 24)
        canvas_text(canvas, at.x + after, y, name, canvas_text_fit(canvas->arena, name, role, room - after));
}

// A line under heads that share keys and values.
static void draw_group(Canvas *canvas, const State *state, const PageLayout *layout, CanvasRect at, int head)
{
    const Document *d = state->shown.document;
    if (d->groups >= d->heads || !layout->thumbs.by_layer) return;
    int size = d->heads / d->groups, across = layout->thumbs.across;
    bool last = head % size == size - 1 || head % across == across - 1;
    double y = at.y + at.height + (layout->thumbs.names ? 19 : 2), to = last ? at.width : layout->thumbs.across_step;
    canvas_rect(canvas, at.x, y, to, 1.5, COLOR_SERIES[head / size % 6]);
}

// Head numbers above the columns, as many as fit.
static void draw_columns(Canvas *canvas, const State *state, const ThumbLayout *t)
{
    int heads = state->shown.document->heads, step = t->across_step < 20 ? 2 : 1;
    if (!t->edges) return;
    for (int h = 0; h < heads; h += step)
        draw_text(canvas, t->frame.x + h * t->across_step + t->wide / 2, t->frame.y - 8, CANVAS_SANS, 11, COLOR_QUIET,
                  CANVAS_AT_MIDDLE, arena_format(canvas->arena, "%d", h));
}

static void draw_layer_name(Canvas *canvas, const State *state, const PageLayout *layout, int layer, CanvasRect first)
{
    const ThumbLayout *t = &layout->thumbs;
    const char *name = arena_format(canvas->arena, "layer %d", layer);
    if (t->edges)
        draw_text(canvas, t->frame.x - 12, first.y + first.height / 2 + 4, CANVAS_SANS, 11, COLOR_QUIET, CANVAS_AT_END,
                  name);
    else if (t->above > 0)
        draw_text(canvas, t->frame.x, layout_layer_name(layout, state, layer), CANVAS_SANS,
                  t->above > STRIP_NAME ? 13 : 11, COLOR_QUIET, CANVAS_AT_START, name);
}

void draw_thumbs(Canvas *canvas, const View *view, const PageLayout *layout)
{
    const State *state = view->state;
    const Document *d = state->shown.document;
    const ThumbLayout *t = &layout->thumbs;
    int count = state_heads(state), *order = arena_alloc(canvas->arena, (size_t)count * sizeof *order);
    layout_order(order, state, view->derived);
    CanvasRect f = t->frame;
    draw_columns(canvas, state, t);
    CanvasBox whole = canvas_clip(canvas, f.x - (t->edges ? EDGE_ROOM : 4), f.y - 4, f.width + EDGE_ROOM, f.height + 8);
    for (int place = 0; place < count; place++) {
        int layer = order[place] / d->heads, head = order[place] % d->heads;
        CanvasRect at = layout_thumb(layout, state, place);
        if (at.y + at.height < f.y - 30 || at.y > f.y + f.height + 30) continue;
        if (t->by_layer && head == 0) draw_layer_name(canvas, state, layout, layer, at);
        draw_thumb(canvas, view, at, layer, head);
        if (is_off(state, order[place])) draw_off(canvas, at);
        draw_group(canvas, state, layout, at, head);
        bool here = layer == state->shown.layer && head == state->shown.head;
        if (here) canvas_frame(canvas, at.x - 3, at.y - 3, at.width + 6, at.height + 6, 2, COLOR_MARK);
        if (t->names) draw_name(canvas, view, layout, at, order[place]);
    }
    canvas_unclip(canvas, whole);
}

Ramp draw_thumb_ramp(Arena *arena, const View *view, const HeadSummary *summary, const ThumbLayout *t)
{
    Thumb thumb = thumb_of(arena, view->state, summary, t->wide, t->high);
    return thumb_ramp(view, &thumb);
}
