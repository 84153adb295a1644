// The graph: nodes clockwise from the top, arrows as curves that lean towards the middle.
#include "figure/graph.h"

#include <math.h>
#include <stdlib.h>

static const double MARGIN = 24, PI = 3.14159265358979323846, NODE = 5, CLEAR = 9, LABEL_GAP = 13, LOOP = 13;

typedef struct {
    Arena       *arena;
    Canvas      *canvas;
    const Graph *graph;
    double       x, y, radius, most;                 // the circle's middle and radius; the largest weight shown
    bool         loops;                              // some node attends to itself
} Circle;

typedef struct { int from, to; double weight; } Arrow;

static double angle_of(const Circle *circle, int node) { return 2 * PI * node / circle->graph->weights.rows; }

static void node_at(const Circle *circle, int node, double away, double *x, double *y)
{
    double angle = angle_of(circle, node);
    *x = circle->x + (circle->radius + away) * sin(angle);
    *y = circle->y - (circle->radius + away) * cos(angle);
}

static Text label_style(const Graph *graph, int node)
{
    bool marked = node == graph->mark - 1;
    return (Text){ .size = 13, .face = marked ? SANS_BOLD : SANS, .color = marked ? MARK : INK };
}

static const char *label_of(const Circle *circle, int node)
{
    const char *label = circle->graph->labels ? circle->graph->labels[node] : NULL;
    return text_fit(circle->arena, label_style(circle->graph, node), label ? label : "", 140);
}

// At the top and the bottom a label stands over its node, at the sides beside it.
static Anchor anchor_of(const Circle *circle, int node)
{
    double side = sin(angle_of(circle, node));
    return side > 0.2 ? AT_START : side < -0.2 ? AT_END : AT_MIDDLE;
}

static double label_gap(const Circle *circle) { return LABEL_GAP + (circle->loops ? 2 * LOOP - 6 : 0); }

// The largest circle whose labels stay inside a box of width × height that starts at `top`; and its middle.
static void circle_place(Circle *circle, double top, double width, double height)
{
    const double letters = 14;
    double gap = label_gap(circle), down = 0;        // down: how far below the middle the lowest node is, in radii
    for (int i = 0; i < circle->graph->weights.rows; i++) down = fmax(down, -cos(angle_of(circle, i)));
    double radius = fmin(width / 2, (height - 2 * letters - (1 + down) * gap) / (1 + down));
    for (int i = 0; i < circle->graph->weights.rows; i++) {
        double side = fabs(sin(angle_of(circle, i)));
        double label = text_width(label_style(circle->graph, i), label_of(circle, i));
        if (side > 0.2) radius = fmin(radius, (width / 2 - label) / side - gap);
    }
    circle->radius = fmax(radius, 20);
    double rest = height - 2 * letters - (1 + down) * (circle->radius + gap);
    circle->x = MARGIN + width / 2;
    circle->y = top + letters + gap + circle->radius + fmax(rest, 0) / 2;
}

static int by_weight(const void *a, const void *b)
{
    const Arrow *p = a, *q = b;
    if (p->weight != q->weight) return p->weight < q->weight ? -1 : 1;
    return p->from != q->from ? p->from - q->from : p->to - q->to;
}

// The arrows that are shown, the lightest first.
static int arrows_find(Circle *circle, Arrow *arrows)
{
    Mat weights = circle->graph->weights;
    int count = 0;
    for (int i = 0; i < weights.rows; i++)
        for (int j = 0; j < weights.cols; j++) {
            double weight = (double)*mat_ref(weights, i, j);
            if (!isfinite(weight) || weight <= 0 || weight < circle->graph->least) continue;
            arrows[count++] = (Arrow){ i, j, weight };
            circle->most = fmax(circle->most, weight);
            if (i == j) circle->loops = true;
        }
    qsort(arrows, (size_t)count, sizeof *arrows, by_weight);
    return count;
}

static Color color_of(const Circle *circle, const Arrow *arrow)
{
    double share = arrow->weight / circle->most;
    if (arrow->from == circle->graph->mark - 1) return color_mix(PAPER, MARK, 0.5 + 0.5 * share);
    return color_mix(PAPER, ACCENT, circle->graph->mark > 0 ? 0.12 + 0.4 * share : 0.15 + 0.85 * share);
}

// Where one node is marked, the arrows of the others step back.
static double thick_of(const Circle *circle, const Arrow *arrow)
{
    double share = arrow->weight / circle->most;
    if (arrow->from == circle->graph->mark - 1) return 1.2 + 3.6 * share;
    return circle->graph->mark > 0 ? 0.7 + 2 * share : 0.8 + 4 * share;
}

// From node to node, each end drawn to the middle, and a little to the side so that there and back are two curves.
static void arrow_curve(const Circle *circle, const Arrow *arrow, double xy[8])
{
    double x0, y0, x1, y1;
    node_at(circle, arrow->from, 0, &x0, &y0);
    node_at(circle, arrow->to, 0, &x1, &y1);
    double dx = x1 - x0, dy = y1 - y0, chord = sqrt(dx * dx + dy * dy);
    double pull = 0.25 + 0.4 * chord / (2 * circle->radius), aside = 0.08;
    double curve[8] = {
        x0, y0, x0 + pull * (circle->x - x0) - aside * dy, y0 + pull * (circle->y - y0) + aside * dx,
        x1 + pull * (circle->x - x1) - aside * dy, y1 + pull * (circle->y - y1) + aside * dx, x1, y1,
    };
    for (int i = 0; i < 8; i++) xy[i] = curve[i];
}

// A loop leaves its node outwards to one side and comes back from the other.
static void loop_curve(const Circle *circle, const Arrow *arrow, double xy[8])
{
    double x, y, angle = angle_of(circle, arrow->from), reach = 2.4 * LOOP;
    node_at(circle, arrow->from, 0, &x, &y);
    xy[0] = xy[6] = x;
    xy[1] = xy[7] = y;
    xy[2] = x + reach * sin(angle - 0.7);
    xy[3] = y - reach * cos(angle - 0.7);
    xy[4] = x + reach * sin(angle + 0.7);
    xy[5] = y - reach * cos(angle + 0.7);
}

static double distance(double x0, double y0, double x1, double y1)
{
    return sqrt((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0));
}

static void draw_head(Canvas *canvas, double x, double y, double tip_x, double tip_y, double width, Color color)
{
    double length = distance(x, y, tip_x, tip_y);
    if (length == 0) return;
    double nx = -(tip_y - y) / length * width / 2, ny = (tip_x - x) / length * width / 2;
    canvas_polygon(canvas, (double[]){ tip_x, tip_y, x + nx, y + ny, x - nx, y - ny }, 3, color);
}

// The curve without what lies under the nodes and the head; then the head, up to the target.
static void draw_arrow(const Circle *circle, const Arrow *arrow)
{
    enum { PIECES = 96 };
    double xy[8], points[2 * (PIECES + 1)], x, y;
    double thick = thick_of(circle, arrow), head = fmin(6 + 2 * thick, circle->radius / 4);
    bool loop = arrow->from == arrow->to;
    if (loop) {
        head = fmin(head, 8);
        thick = fmin(thick, 2.6);
    }
    if (loop) loop_curve(circle, arrow, xy);
    else arrow_curve(circle, arrow, xy);

    int n = 0, tip = PIECES;
    do canvas_curve_point(xy, tip-- / (double)PIECES, &x, &y);
    while (tip > PIECES / 2 && distance(x, y, xy[6], xy[7]) < CLEAR - 1);
    double tip_x = x, tip_y = y;
    for (int i = 0; i <= tip; i++) {
        canvas_curve_point(xy, i / (double)PIECES, &x, &y);
        if (i < PIECES / 2 && distance(x, y, xy[0], xy[1]) < CLEAR - 2) continue;
        if (i > PIECES / 2 && distance(x, y, tip_x, tip_y) < head) break;
        points[2 * n] = x;
        points[2 * n + 1] = y;
        n++;
    }
    if (n == 0) return;
    Color color = color_of(circle, arrow);
    canvas_polyline(circle->canvas, points, n, thick, color);
    draw_head(circle->canvas, points[2 * n - 2], points[2 * n - 1], tip_x, tip_y, 4 + 2 * thick, color);
}

static void draw_nodes(const Circle *circle)
{
    const Graph *graph = circle->graph;
    double x, y;
    for (int i = 0; i < graph->weights.rows; i++) {
        Text style = label_style(graph, i);
        node_at(circle, i, 0, &x, &y);
        canvas_disc(circle->canvas, x, y, NODE, style.color);
        node_at(circle, i, label_gap(circle), &x, &y);
        style.anchor = anchor_of(circle, i);
        double fall = style.anchor == AT_MIDDLE ? (cos(angle_of(circle, i)) > 0 ? 1 : 10) : 4.5;
        canvas_text(circle->canvas, x, y + fall, style, label_of(circle, i));
    }
}

// What an arrow means, under the circle.
static void draw_key(const Circle *circle, double size, double bottom)
{
    Text style = { .size = 12, .color = QUIET };
    const char *text = "query → key; thicker: more weight";
    double least = circle->graph->least;
    if (least > 0) text = arena_format(circle->arena, "%s; below %g left out", text, least);
    canvas_text(circle->canvas, MARGIN, bottom, style, text_fit(circle->arena, style, text, size - 2 * MARGIN));
}

Canvas *graph_draw(Arena *arena, const Graph *graph, Paper paper)
{
    Mat weights = graph->weights;
    REQUIRE(weights.rows == weights.cols, "a graph needs as many queries as keys; weights are " SHAPE, SHAPED(weights));
    double size = graph->size > 0 ? graph->size : 560, top = MARGIN + (graph->title ? 15 + 14 : 0), key = 30;
    Circle circle = { .arena = arena, .graph = graph, .canvas = canvas_new(arena, size, size, paper.scale) };
    canvas_record(circle.canvas, paper.record);
    Arrow *arrows = arena_alloc(arena, ((size_t)weights.rows * (size_t)weights.cols + 1) * sizeof *arrows);
    int count = arrows_find(&circle, arrows);
    double width = size - 2 * MARGIN, height = size - top - key - MARGIN;
    circle_place(&circle, top, width, height);

    if (graph->title)
        canvas_text(circle.canvas, MARGIN, MARGIN + 13, (Text){ .size = 15, .face = SANS_BOLD, .color = INK },
                    graph->title);
    for (int pass = 0; pass < 2; pass++)             // the marked node's arrows over all others
        for (int k = 0; k < count; k++)
            if ((arrows[k].from == graph->mark - 1) == (pass == 1)) draw_arrow(&circle, &arrows[k]);
    draw_nodes(&circle);
    draw_key(&circle, size, size - MARGIN);
    return circle.canvas;
}
