// Stages: what one head computes, from q · k to its part of the output.
#include "base/portable_math.h"
#include "viz/draw_internal.h"
#include "viz/layout_internal.h"

static bool has(const Document *document, const Document *other)
{
    (void)other;
    return document_has_stage(document, STAGE_DOTS) ||
           (document->of[FIELD_WEIGHTS] >= 0 && document->of[FIELD_SCORES] >= 0);
}

// Names of the stages above the map, with arrows.
static CanvasRect place_steps(PageLayout *layout, CanvasRect box)
{
    double width[STAGES], all = 0, x = box.x;
    CanvasText style = { .size = 13, .face = CANVAS_SANS_BOLD };
    for (int s = 0; s < STAGES; s++) all += width[s] = canvas_text_width(style, stage_name((Stage)s));
    double gap = fmin(34, (box.width - all) / (STAGES - 1));
    if (gap < 20) return box;
    for (int s = 0; s < STAGES; s++, x += gap) {
        layout->steps[s] = (CanvasRect){ x, box.y, width[s], 24 };
        x += width[s];
    }
    return (CanvasRect){ box.x, box.y + 34, box.width, box.height - 34 };
}

// The shape of a stage: queries × keys, or × columns of values or of the model.
static void stage_shape(const State *state, int *rows, int *cols, bool *map)
{
    const Document *d = state->shown.document;
    *rows = d->T;
    *cols = d->S;
    *map = state->shown.stage <= STAGE_WEIGHTS;
    int field = state->shown.stage == STAGE_OUT ? d->of[FIELD_OUT]
                : d->of[FIELD_V] >= 0           ? d->of[FIELD_V]
                                                : d->of[FIELD_HEAD];
    if (!*map && field >= 0) *cols = d->fields[field].cols;
}

static void place(PageLayout *page, const State *state)
{
    int rows, cols;
    bool map;
    stage_shape(state, &rows, &cols, &map);
    CanvasRect box = place_steps(page, layout_place_sides(page, state, 720, true));
    layout_place_one_map(page, state, box, rows, cols, map);
}

// Stage names in order; the current one underlined, missing ones quiet.
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

static void draw(Canvas *canvas, const View *view, const PageLayout *layout)
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

static Hit hit(const PageLayout *layout, const State *state, double x, double y)
{
    for (int s = 0; s < STAGES; s++) {
        bool there = document_has_stage(state->shown.document, (Stage)s);
        if (there && layout_holds(layout->steps[s], x, y)) return (Hit){ .kind = HIT_STAGE, .stage = (Stage)s };
    }
    return layout_hit_map(layout, state, x, y);
}

// After the weights columns are not keys.
static bool has_cells(const State *state) { return state->shown.stage <= STAGE_WEIGHTS; }

static const char *status(Arena *arena, const View *view)
{
    const State *state = view->state;
    if (state->shown.stage == STAGE_WEIGHTS) return NULL;
    return arena_format(arena, "%s · stage “%s” · %s", draw_map_name(arena, state), stage_name(state->shown.stage),
                        draw_colors_text(arena, state, true));
}

const ViewOps view_stages = {
    .name = "Stages",
    .word = "stages",
    .picture = "stages",
    .has = has,
    .layout = place,
    .draw = draw,
    .invitation = "Point at a cell: how it came about.",
    .hit = hit,
    .has_cells = has_cells,
    .pan = layout_pan_map,
    .reveal = layout_reveal_cell,
    .status = status,
};
