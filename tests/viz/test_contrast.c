// Contrast: every text in a picture against its background, by the formula of WCAG 2.1 (4.5 for text, AA), of every view
// and both schemes, and in figures of lib/figure whose text takes given colours.
#include "viz/draw.h"

#include "base/portable_math.h"
#include "figure/diagram.h"
#include "figure/vector_plot.h"
#include "figure/plot.h"
#include "figure/record.h"
#include "support/maps.h"
#include "viz/update.h"
#include "viz/views.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static Arena *kept; // what was drawn, as a list
static Derived *derived;
static Document d;
static State s;
static StateBuffers buffers;

static void setup(void)
{
    kept = arena_open();
    derived = derived_open();
}
static void teardown(void)
{
    color_scheme(COLOR_ON_PAPER);
    derived_close(derived);
    arena_close(kept);
}
FIXTURE(setup, teardown);

// ---- the formula, with a libm's power

static double linear(uint8_t byte)
{
    double v = byte / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double light(Color c) { return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b); }

static double contrast(Color a, Color b)
{
    double x = light(a) + 0.05, y = light(b) + 0.05;
    return x > y ? x / y : y / x;
}

// ---- colours alone

static const ColorScheme schemes[] = { COLOR_ON_PAPER, COLOR_ON_DARK };

TEST(palette_colours_have_contrast)
{
    for (int n = 0; n < 2; n++) {
        color_scheme(schemes[n]);
        const Color texts[] = { COLOR_INK, COLOR_QUIET, COLOR_ACCENT, COLOR_MARK };
        for (int t = 0; t < 4; t++) ck_assert_double_ge(contrast(texts[t], COLOR_PAPER), 4.5);
        ck_assert_double_ge(contrast(COLOR_QUIET, color_mix(COLOR_PAPER, COLOR_ACCENT, 0.06)),
                            4.5); // of a diagram's group
        for (int c = 0; c < 6; c++) ck_assert_double_ge(contrast(COLOR_SERIES[c], COLOR_PAPER), 3); // lines
    }
}

TEST(text_over_cells_has_contrast)
{
    for (int n = 0; n < 2; n++) {
        color_scheme(schemes[n]);
        for (int map = COLOR_VIRIDIS; map <= COLOR_DIVERGING; map++)
            for (int i = 0; i <= 1000; i++) {
                Color ground = color_at((ColorMap)map, i / 1000.0), faint = color_mix(ground, color_over(ground), 0.5);
                ck_assert_double_ge(contrast(color_over(ground), ground), 4.5);
                ck_assert_double_ge(contrast(color_text(faint, ground), ground), 4.5);
            }
        Color same = color_text(COLOR_INK, COLOR_PAPER); // what reads already stays
        ck_assert(same.r == COLOR_INK.r && same.g == COLOR_INK.g && same.b == COLOR_INK.b);
    }
}

// ---- pictures

// The most frequent colour of a box: the background of its text.
static Color most_of(const Canvas *canvas, double x, double y, double width, double height)
{
    enum { KINDS = 64 };
    struct {
        Color color;
        int count;
    } kinds[KINDS];
    int count = 0, best = 0, x0 = (int)fmax(0, x), y0 = (int)fmax(0, y);
    int x1 = (int)fmin(canvas->width, x + width), y1 = (int)fmin(canvas->height, y + height);
    for (int row = y0; row < y1; row++)
        for (int col = x0; col < x1; col++) {
            const uint8_t *at = canvas->rgba + 4 * (row * canvas->width + col);
            int k = 0;
            while (k < count && memcmp(&kinds[k].color, at, 3)) k++;
            if (k == count && count < KINDS) {
                kinds[count].color = (Color){ at[0], at[1], at[2] };
                kinds[count++].count = 0;
            }
            if (k < count) kinds[k].count++;
        }
    for (int k = 1; k < count; k++)
        if (kinds[k].count > kinds[best].count) best = k;
    return count ? kinds[best].color : COLOR_PAPER;
}

// Checks horizontal text; returns how many.
static int judge(const Canvas *canvas, const char *what)
{
    int count = 0;
    double scale = canvas->scale;
    for (const RecordOperation *o = canvas->record->first; o; o = o->next) {
        if (o->kind != RECORD_TEXT || o->text.style.angle != 0) continue;
        CanvasText style = o->text.style;
        double size = style.size > 0 ? style.size : 13, width = o->text.width;
        double x = o->text.x - (style.anchor == CANVAS_AT_END      ? width
                                : style.anchor == CANVAS_AT_MIDDLE ? width / 2
                                                                   : 0);
        Color ground = most_of(canvas, (x - 1) * scale, (o->text.y - 0.9 * size) * scale, (width + 2) * scale,
                               1.15 * size * scale);
        double ratio = contrast(o->color, ground);
        ck_assert_msg(ratio >= 4.5, "%s: \"%s\" #%02x%02x%02x on #%02x%02x%02x: %.2f", what, o->text.words, o->color.r,
                      o->color.g, o->color.b, ground.r, ground.g, ground.b, ratio);
        count++;
    }
    return count;
}

static int judge_view(const char *what)
{
    derived_prepare(derived, &d, state_wanted(&s), (double)INFINITY);
    Canvas *canvas = canvas_new(arena, s.camera.width / s.camera.zoom, s.camera.height / s.camera.zoom,
                                s.camera.pixels * s.camera.zoom);
    canvas_record(canvas, kept);
    draw_view(canvas, &(View){ .state = &s, .derived = derived });
    return judge(canvas, what);
}

TEST_EACH(text_of_all_views_has_contrast, 2)
{
    int texts = 0;
    color_scheme(schemes[_i]);
    d = document_random(arena, &random_state, (Shape){ 2, 3, 8, 8, 4, 10, .causal = true, .words = true });
    for (ViewKind v = VIEW_HEADS; v <= VIEW_COMPARE; v++)
        for (Scale scale = SCALE_LINEAR; scale < SCALES; scale++) {
            s = state_with_view(state_of(&buffers, &d, 1280, 800, 1), v);
            s.shown.scale = scale;
            s.shown.colors = (ColorMap)(scale % COLOR_DIVERGING);
            s.shown.lines = (LinesScope)(scale % LINES_KINDS);
            s.selection.pinned = (HeadCell){ 3, 1 };
            s.message.status = "written: maps.png";
            texts += judge_view(view_ops(v)->name);
            s.message.error = "That was wrong.";
            s.selection.pinned = (HeadCell){ -1, -1 };
            s.selection.hover = (HeadCell){ 2, 2 };
            s.shown.stage = STAGE_SCALED;
            texts += judge_view("a cell under the mouse");
        }
    ck_assert_int_gt(texts, 1000);
}

// Walks and the key list; and a status does not have the colour of an error.
TEST(walks_and_key_list_have_contrast)
{
    for (int n = 0; n < 4; n++) {
        color_scheme(schemes[n / 2]);
        d = n % 2 ? document_of_ranks(arena, &random_state, 8, 4) : document_walk(arena, &random_state, 8, 4);
        s = state_of(&buffers, &d, 1280, 800, 1);
        s.message.status = "written";
        derived_forget(derived);
        ck_assert_int_gt(judge_view("a walk"), 20);
        s.display.help = true;
        s.camera.width = 600;
        Canvas *canvas = canvas_new(arena, s.camera.width, s.camera.height, 1);
        canvas_record(canvas, kept);
        draw_view(canvas, &(View){ .state = &s, .derived = derived });
        RecordOperation *last = canvas->record->last; // of the list, what lies over the rest
        ck_assert(last->kind == RECORD_TEXT && contrast(last->color, COLOR_PAPER) >= 4.5);
        for (const RecordOperation *o = canvas->record->first; o; o = o->next)
            if (o->kind == RECORD_TEXT && !strcmp(o->text.words, "written"))
                ck_assert(memcmp(&o->color, &COLOR_MARK, sizeof o->color));
    }
}

// Text in every colour that a plot or diagram can be given.
TEST(text_of_figures_has_contrast)
{
    for (int n = 0; n < 2; n++) {
        color_scheme(schemes[n]);
        RenderTarget paper = { 2, kept };
        DiagramBox boxes[7];
        DiagramArrow arrows[6];
        Mat m = mat_new(arena, 2, 3);
        static const char *const names[] = { "one", "two", "three" };
        for (int c = 0; c < 7; c++)
            boxes[c] = (DiagramBox){ .at = { 190 * c, 0, 0, 0 },
                                     .title = "values",
                                     .values = m,
                                     .rows = names,
                                     .cols = names,
                                     .color = COLOR_SERIES[c % 6],
                                     .marked = c == 6,
                                     .shaded = c > 2 };
        for (int c = 0; c < 6; c++)
            arrows[c] = (DiagramArrow){ .from = c, .to = c + 1, .label = "to", .color = COLOR_SERIES[c] };
        for (int i = 0; i < 6; i++) m.at[i] = (float)i;
        Diagram diagram = { .boxes = boxes, .box_count = 7, .arrows = arrows, .arrow_count = 6 };
        ck_assert_int_gt(judge(diagram_draw(arena, &diagram, paper), "diagram"), 70);
        double x[] = { 1, 2, 3 }, y[6][3];
        PlotSeries series[6];
        for (int c = 0; c < 6; c++) {
            for (int k = 0; k < 3; k++) y[c][k] = c + k;
            series[c] = (PlotSeries){ .x = x, .y = y[c], .count = 3, .name = "a series" };
        }
        Plot plot = { .series = series, .count = 6, .x_title = "x", .y_title = "y" };
        ck_assert_int_gt(judge(plot_draw(arena, &plot, paper), "plot"), 10);
        VectorPlotPoint points[6];
        for (int c = 0; c < 6; c++) points[c] = (VectorPlotPoint){ c, c, "a point", 45, COLOR_SERIES[c] };
        const double area[] = { 0, 0, 6, 0, 6, 6, 0, 6 };
        VectorPlot plane = { .points = points, .point_count = 6, .area = area, .corners = 4, .x_high = 7, .y_high = 7 };
        ck_assert_int_ge(judge(vector_plot_draw(arena, &plane, paper), "plane"), 6);
    }
}
