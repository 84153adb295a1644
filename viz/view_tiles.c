// Tiles: one map as a tiled kernel or several ranks compute it, frame by frame.
#include "viz/draw_internal.h"
#include "viz/layout_internal.h"

#include "base/portable_math.h"
#include "figure/ticks.h"

static bool has(const Document *document, const Document *other)
{
    (void)other;
    return document->walk.frames > 0;
}

static const char *title(const Document *document)
{
    return document->walk.frames > 0 && mat_empty(document->walk.tiles) ? "Ranks" : NULL;
}

// The table is left of the map.
static void place(PageLayout *page, const State *state)
{
    const Document *d = state->shown.document;
    CanvasRect box = page->body;
    if (page->width >= 640) {
        page->panel = (CanvasRect){ box.x, box.y, PANEL_WIDTH + 40, box.height };
        box.x += PANEL_WIDTH + 40 + LAYOUT_MARGIN;
        box.width -= PANEL_WIDTH + 40 + LAYOUT_MARGIN;
    }
    layout_place_one_map(page, state, box, d->T, d->S, true);
}

// The weights so far; cells that no tile has reached are masked.
static MapCells cells_of_frame(Arena *arena, const State *state, const MapPlace *place)
{
    const Document *d = state->shown.document;
    const Field *weights = &d->fields[d->walk.weights];
    Mat m = mat_new(arena, weights->rows, weights->cols), done = mat_new(arena, weights->rows, weights->cols);
    field_read(m, weights, 0, state->shown.frame, 0, 0);
    for (int f = 0; f <= state->shown.frame; f++) {
        const float *tile = mat_row(d->walk.tiles, f);
        mat_fill(mat_block(done, (int)tile[0], (int)tile[1], (int)tile[2], (int)tile[3]), 1.0f);
    }
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            if (*mat_ref(done, i, j) == 0.0f) *mat_ref(m, i, j) = -INFINITY;
    return cells_of_mat(arena, m, place);
}

// The largest weight of all frames, so that the scale is constant.
static double largest_weight(Arena *arena, const Field *weights)
{
    Mat m = mat_new(arena, weights->rows, weights->cols);
    double most = 0;
    for (int f = 0; f < weights->heads; f++) {
        field_read(m, weights, 0, f, 0, 0);
        for (int i = 0; i < m.rows; i++)
            for (int j = 0; j < m.cols; j++) most = fmax(most, (double)*mat_ref(m, i, j));
    }
    return most > 0 ? most : 1;
}

// The kernel's state for the queries of the current tile: a table left of the map.
static void draw_known(Canvas *canvas, const State *state, const PageLayout *layout)
{
    static const char *const names[] = { "m", "l", "rescale" };
    static const char *const meaning[] = {
        "m: the largest score so far",
        "l: Σ exp(score − m), so far",
        "rescale: exp(m before − m), by which l and",
        "the output so far are multiplied",
    };
    const Document *d = state->shown.document;
    const Field *known = &d->fields[d->walk.state];
    const float *tile = mat_row(d->walk.tiles, state->shown.frame);
    CanvasRect at = layout->panel;
    int first = (int)tile[0], count = (int)tile[1], room = (int)fmax(0, (at.height - 90) / 24);
    int shown = count < room ? count : room;
    draw_text(canvas, at.x, at.y + 14, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_START,
              "what the kernel keeps of these queries");
    for (int c = 0; c < 3; c++)
        draw_text(canvas, at.x + 150 + 70 * c, at.y + 46, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_END, names[c]);
    for (int r = 0; r < shown; r++) {
        double y = at.y + 74 + 24 * r;
        CanvasText word = { .size = 13, .color = COLOR_INK };
        const char *query = document_query(canvas->arena, d, first + r);
        canvas_text(canvas, at.x, y, word, canvas_text_fit(canvas->arena, word, query, 95));
        for (int c = 0; c < 3; c++)
            draw_text(canvas, at.x + 150 + 70 * c, y, CANVAS_MONO, 13, COLOR_INK, CANVAS_AT_END,
                      ticks_text(canvas->arena, (double)field_at(known, 0, state->shown.frame, first + r, c), 3));
    }
    double y = at.y + 74 + 24 * shown;
    const char *more = arena_format(canvas->arena, "and %d more", count - shown);
    if (shown < count) draw_text(canvas, at.x, y, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_START, more);
    if (y + 100 >= at.y + at.height) return;
    for (int k = 0; k < 4; k++)
        draw_text(canvas, at.x, y + 30 + 21 * k, CANVAS_SANS, 12, COLOR_QUIET, CANVAS_AT_START, meaning[k]);
}

// A step: which rank computes what now, and, paler, before.
static MapCells cells_of_step(Arena *arena, const State *state, const MapPlace *place, int *scores)
{
    const Document *d = state->shown.document;
    const Field *ranks = &d->fields[d->walk.ranks];
    Mat m = mat_new(arena, ranks->rows, ranks->cols), then = mat_new(arena, ranks->rows, ranks->cols);
    mat_fill(m, -INFINITY);
    for (int f = 0; f <= state->shown.frame; f++) {
        field_read(then, ranks, 0, f, 0, 0);
        for (int64_t i = 0; i < mat_numbers(m); i++) {
            if (!(then.at[i] >= 1 && then.at[i] <= (float)d->walk.many)) continue; // a mapped file may change
            m.at[i] = then.at[i] + (f < state->shown.frame ? 0.5f : 0.0f);
            int *of_rank = &scores[2 * ((int)then.at[i] - 1)];
            of_rank[0] += f == state->shown.frame;
            of_rank[1]++;
        }
    }
    return cells_of_mat(arena, m, place);
}

// What each rank has computed: a table left of the map.
static void draw_ranks(Canvas *canvas, const Walk *walk, const PageLayout *layout, const int *scores)
{
    CanvasRect at = layout->panel;
    int room = (int)fmax(0, (at.height - 60) / 24), shown = walk->many < room ? walk->many : room;
    const Ramp names = { RAMP_NAMES, COLOR_VIRIDIS, 0, walk->many, .title = NULL };
    draw_text(canvas, at.x, at.y + 14, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_START, "scores that each rank computes");
    draw_text(canvas, at.x + 150, at.y + 46, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_END, "in this step");
    draw_text(canvas, at.x + 230, at.y + 46, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_END, "so far");
    for (int r = 0; r < shown; r++) {
        double y = at.y + 74 + 24 * r;
        canvas_rect(canvas, at.x, y - 10, 12, 12, ramp_color(&names, r + 1));
        draw_text(canvas, at.x + 20, y, CANVAS_SANS, 13, COLOR_INK, CANVAS_AT_START,
                  arena_format(canvas->arena, "rank %d", r));
        for (int c = 0; c < 2; c++)
            draw_text(canvas, at.x + 150 + 80 * c, y, CANVAS_MONO, 13, COLOR_INK, CANVAS_AT_END,
                      arena_format(canvas->arena, "%d", scores[2 * r + c]));
    }
    const char *more = arena_format(canvas->arena, "and %d more", walk->many - shown);
    if (shown < walk->many)
        draw_text(canvas, at.x, at.y + 74 + 24 * shown, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_START, more);
}

static void draw_step(Canvas *canvas, const View *view, const PageLayout *layout)
{
    const Walk *walk = &view->state->shown.document->walk;
    int *scores = arena_alloc(canvas->arena, 2 * (size_t)walk->many * sizeof *scores);
    MapPart p = { .row_words = true, .keys = true, .cell = { -1, -1 }, .masked = "not so far" };
    p.cells = cells_of_step(canvas->arena, view->state, &layout->maps[0], scores);
    p.ramp = (Ramp){ RAMP_NAMES, COLOR_VIRIDIS, 0, walk->many, .title = "rank; paler: in an earlier step" };
    draw_map(canvas, view, layout, &p);
    if (layout->panel.width > 0) draw_ranks(canvas, walk, layout, scores);
}

static void draw(Canvas *canvas, const View *view, const PageLayout *layout)
{
    const State *state = view->state;
    if (mat_empty(state->shown.document->walk.tiles)) {
        draw_step(canvas, view, layout);
        return;
    }
    const Document *d = state->shown.document;
    const float *tile = mat_row(d->walk.tiles, state->shown.frame);
    MapPart p = { .row_words = true, .keys = true, .cell = { -1, -1 }, .masked = "not yet" };
    p.cells = cells_of_frame(canvas->arena, state, &layout->maps[0]);
    double most = largest_weight(canvas->arena, &d->fields[d->walk.weights]);
    p.ramp = (Ramp){ RAMP_LINEAR, state->shown.colors, 0, most, .title = "weight so far" };
    p.block = (MapMark){ (int)tile[0], (int)tile[2], (int)tile[1], (int)tile[3], COLOR_MARK };
    draw_map(canvas, view, layout, &p);
    if (layout->panel.width > 0) draw_known(canvas, state, layout);
}

static bool arrow(State *state, const PageLayout *layout, const Derived *derived, bool shift, int down, int right)
{
    (void)layout;
    (void)derived;
    (void)shift;
    *state = state_next_frame(*state, right + down);
    return true;
}

static const char *status(Arena *arena, const View *view)
{
    const DocumentView *shown = &view->state->shown;
    const Walk *walk = &shown->document->walk;
    return arena_format(arena, "%s %d of %d%s", mat_empty(walk->tiles) ? "step" : "tile", shown->frame + 1,
                        walk->frames, shown->playing ? " · playing" : "");
}

const ViewOps view_tiles = {
    .name = "Tiles",
    .word = "tiles",
    .picture = "tiles",
    .has = has,
    .title = title,
    .layout = place,
    .draw = draw,
    .own_panel = true,
    .arrow = arrow,
    .hit = layout_hit_map,
    .pan = layout_pan_map,
    .reveal = layout_reveal_cell,
    .status = status,
};
