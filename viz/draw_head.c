// One head's map, the stages of one head, and the walk of a tiled kernel or of ranks: each is one map with its words.
#include "viz/draw_internal.h"

#include "figure/ticks.h"

#include <math.h>

void draw_head(Canvas *canvas, const View *view, const PageLayout *layout)
{
    const State *state = view->state;
    const Document *d = state->shown.document;
    bool keys = d->of[FIELD_WEIGHTS] >= 0 || d->of[FIELD_SCORES] >= 0;
    const MapPlace *place = &layout->maps[0];
    int layer = state->shown.layer, head = state->shown.head;
    MapPart p = { .row_words = true, .keys = keys, .cell = state_cell(state) };
    p.cells = cells_of_head(canvas->arena, view, d, layer, head, place);
    p.ramp = cells_ramp_of_head(view, d, &p.cells);
    p.cells.values =
        cells_colored(canvas->arena, view, d, layer, head, &p.cells, &p.ramp, place->fold_rows, place->fold_cols);
    draw_map(canvas, view, layout, &p);
}

// ---- stages ---------------------------------------------------------------------------------------------------------

// The names of the stages in their order, that at hand underlined; what the document lacks is written quietly.
static void draw_steps(Canvas *canvas, const State *state, const PageLayout *layout)
{
    if (!(layout->steps[0].width > 0)) return;
    for (int s = 0; s < STAGES; s++) {
        CanvasRect at = layout->steps[s];
        bool here = s == (int)state->shown.stage, there = document_has_stage(state->shown.document, (Stage)s);
        CanvasText style = { .size = 13,
                             .face = here ? CANVAS_SANS_BOLD : CANVAS_SANS,
                             .color = there ? COLOR_INK : COLOR_QUIET };
        canvas_text(canvas, at.x, at.y + 14, style, stage_name((Stage)s));
        if (here) canvas_rect(canvas, at.x, at.y + 20, at.width, 2, COLOR_ACCENT);
        double before = at.x + at.width, after = s + 1 < STAGES ? layout->steps[s + 1].x : before;
        if (after > before)
            draw_text(canvas, (before + after) / 2, at.y + 14, CANVAS_SANS, 13, COLOR_QUIET, CANVAS_AT_MIDDLE, "→");
    }
}

void draw_stage(Canvas *canvas, const View *view, const PageLayout *layout)
{
    static const char *const bars[STAGES] = {
        "q · k", "q · k / √d", "score", "weight", "output of the head", "added after Wo",
    };
    const State *state = view->state;
    const Document *d = state->shown.document;
    draw_steps(canvas, state, layout);
    if (state->shown.stage == STAGE_WEIGHTS) {
        draw_head(canvas, view, layout);
        return;
    }
    Mat stage = document_stage(canvas->arena, d, state->shown.layer, state->shown.head, state->shown.stage);
    if (mat_empty(stage)) return;
    bool map = state->shown.stage < STAGE_WEIGHTS;
    MapPart p = { .row_words = true, .keys = map, .cell = map ? state_cell(state) : (HeadCell){ -1, -1 } };
    p.cells = cells_of_mat(canvas->arena, stage, &layout->maps[0]);
    p.ramp = cells_ramp(&p.cells, state->shown.colors, bars[state->shown.stage]);
    draw_map(canvas, view, layout, &p);
}

// ---- tiles ----------------------------------------------------------------------------------------------------------

// A frame of the walk: the weights so far; what no tile has reached is masked.
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

// The largest weight of all frames, so that colours do not jump from one to the next.
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

// What the kernel knows of the queries of the tile at hand: a table left of the map, as long as there is room.
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

// A step of the ranks: who computes what now, and, paler, what has been computed before.
static MapCells cells_of_step(Arena *arena, const State *state, const MapPlace *place, int *scores)
{
    const Document *d = state->shown.document;
    const Field *ranks = &d->fields[d->walk.ranks];
    Mat m = mat_new(arena, ranks->rows, ranks->cols), then = mat_new(arena, ranks->rows, ranks->cols);
    mat_fill(m, -INFINITY);
    for (int f = 0; f <= state->shown.frame; f++) {
        field_read(then, ranks, 0, f, 0, 0);
        for (int64_t i = 0; i < mat_numbers(m); i++) {
            if (!(then.at[i] >= 1 && then.at[i] <= (float)d->walk.many)) continue; // a mapped file may have changed
            m.at[i] = then.at[i] + (f < state->shown.frame ? 0.5f : 0.0f);
            int *of_rank = &scores[2 * ((int)then.at[i] - 1)];
            of_rank[0] += f == state->shown.frame;
            of_rank[1]++;
        }
    }
    return cells_of_mat(arena, m, place);
}

// What each rank has done: a table left of the map, as long as there is room.
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

void draw_tiles(Canvas *canvas, const View *view, const PageLayout *layout)
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
