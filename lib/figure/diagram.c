// Draws diagrams: measures the boxes, routes the arrows, and draws in layers.
#include "figure/diagram.h"

#include "base/error.h"
#include "base/portable_math.h"
#include "figure/map.h"

#include <string.h>

static const double MARGIN = 24, PAD_X = 9, PAD_Y = 7, LINE = 16, CELL_HEIGHT = 20, GAP = 5, HEAD = 9;

static CanvasText title_style(void)
{
    return (CanvasText){ .size = 13, .face = CANVAS_SANS_BOLD, .color = COLOR_INK, .anchor = CANVAS_AT_MIDDLE };
}
static CanvasText number_style(void)
{
    return (CanvasText){ .size = 12, .face = CANVAS_MONO, .color = COLOR_INK, .anchor = CANVAS_AT_MIDDLE };
}
static CanvasText name_style(CanvasAnchor anchor)
{
    return (CanvasText){ .size = 12, .color = COLOR_QUIET, .anchor = anchor };
}

static CanvasText line_style(const DiagramBox *box)
{
    return (CanvasText){
        .size = 12, .face = box->mono ? CANVAS_MONO : CANVAS_SANS, .color = COLOR_INK, .anchor = CANVAS_AT_MIDDLE
    };
}

static Color color_or(Color color, Color fallback) { return color.r || color.g || color.b ? color : fallback; }

// ---- measuring ------------------------------------------------------------------------------------------------------

// Sizes of a box's content: the whole, and the parts of its matrix.
typedef struct {
    double width, height;
    double names; // width of the row names, with their gap
    double cell;  // width of a cell
} Content;

// Line n of a text, copied to the arena; NULL after the last one.
static const char *line_of(Arena *arena, const char *lines, int n)
{
    for (; lines && n > 0; n--) {
        lines = strchr(lines, '\n');
        if (lines) lines++;
    }
    if (!lines) return NULL;
    return arena_format(arena, "%.*s", (int)strcspn(lines, "\n"), lines);
}

static bool has_matrix(const DiagramBox *box) { return box->values.rows > 0 && box->values.cols > 0; }

static const char *number_at(Arena *arena, const DiagramBox *box, int i, int j)
{
    double value = (double)*mat_ref(box->values, i, j);
    return isnan(value) ? "" : map_number(arena, value, box->decimals);
}

static void measure_matrix(Arena *arena, const DiagramBox *box, Content *content)
{
    Mat m = box->values;
    double widest = 0;
    for (int i = 0; i < m.rows; i++) {
        for (int j = 0; j < m.cols; j++)
            widest = fmax(widest, canvas_text_width(number_style(), number_at(arena, box, i, j)));
        if (box->rows)
            content->names = fmax(content->names, canvas_text_width(name_style(CANVAS_AT_END), box->rows[i]) + GAP);
    }
    for (int j = 0; box->cols && j < m.cols; j++)
        widest = fmax(widest, canvas_text_width(name_style(CANVAS_AT_MIDDLE), box->cols[j]));
    content->cell = ceil(widest) + 8;
    content->width = fmax(content->width, content->names + m.cols * content->cell);
    content->height += (content->height > 0 ? GAP : 0) + m.rows * CELL_HEIGHT + (box->cols ? LINE : 0);
}

static Content measure(Arena *arena, const DiagramBox *box)
{
    Content content = { 0 };
    if (box->title) {
        content.width = canvas_text_width(title_style(), box->title);
        content.height = LINE;
    }
    int n = 0;
    for (const char *line = line_of(arena, box->lines, 0); line; line = line_of(arena, box->lines, ++n)) {
        content.width = fmax(content.width, canvas_text_width(line_style(box), line));
        content.height += LINE;
    }
    if (has_matrix(box)) measure_matrix(arena, box, &content);
    return content;
}

CanvasRect diagram_box(Arena *arena, const DiagramBox *box)
{
    Content content = measure(arena, box);
    bool point = box->bare && content.height == 0;
    CanvasRect at = box->at;
    at.width = fmax(at.width, content.width + (point ? 0 : 2 * PAD_X));
    at.height = fmax(at.height, content.height + (point ? 0 : 2 * PAD_Y));
    return at;
}

// ---- arrows ---------------------------------------------------------------------------------------------------------

enum { MOST_CORNERS = 4 };
typedef struct {
    double xy[2 * MOST_CORNERS];
    int count;
} Path;

static bool is_horizontal(DiagramSide side) { return side == DIAGRAM_LEFT || side == DIAGRAM_RIGHT; }

// The side of `a` that faces `b`: across the wider gap.
static DiagramSide facing_side(CanvasRect a, CanvasRect b)
{
    double right = b.x - (a.x + a.width), left = a.x - (b.x + b.width);
    double below = b.y - (a.y + a.height), above = a.y - (b.y + b.height);
    if (fmax(left, right) >= fmax(above, below)) return right >= left ? DIAGRAM_RIGHT : DIAGRAM_LEFT;
    return below >= above ? DIAGRAM_BOTTOM : DIAGRAM_TOP;
}

static void side_point(CanvasRect at, DiagramSide side, double shift, double *x, double *y)
{
    *x = is_horizontal(side) ? at.x + (side == DIAGRAM_RIGHT ? at.width : 0) : at.x + at.width / 2 + shift;
    *y = is_horizontal(side) ? at.y + at.height / 2 + shift : at.y + (side == DIAGRAM_BOTTOM ? at.height : 0);
}

static void path_add(Path *path, double x, double y)
{
    path->xy[2 * path->count] = x;
    path->xy[2 * path->count + 1] = y;
    path->count++;
}

// The route from side to side. Between parallel sides it has a middle piece at the coordinate `across`, and two
// corners.
static Path path_of(const DiagramArrow *arrow, CanvasRect from, CanvasRect to)
{
    DiagramSide leaves = arrow->leaves ? arrow->leaves : facing_side(from, to);
    DiagramSide enters = arrow->enters ? arrow->enters : facing_side(to, from);
    double x0, y0, x1, y1;
    side_point(from, leaves, arrow->from_shift, &x0, &y0);
    side_point(to, enters, arrow->to_shift, &x1, &y1);
    Path path = { 0 };
    path_add(&path, x0, y0);
    if (arrow->bend != 0 && is_horizontal(leaves) != is_horizontal(enters)) {
        path_add(&path, is_horizontal(leaves) ? x1 : x0, is_horizontal(leaves) ? y0 : y1);
    } else if (arrow->bend != 0) {
        bool onward = leaves == DIAGRAM_RIGHT || leaves == DIAGRAM_BOTTOM;
        double start = is_horizontal(leaves) ? x0 : y0, end = is_horizontal(leaves) ? x1 : y1;
        double outer = leaves != enters ? start : onward ? fmax(start, end) : fmin(start, end);
        double across = outer + (onward ? arrow->bend : -arrow->bend);
        path_add(&path, is_horizontal(leaves) ? across : x0, is_horizontal(leaves) ? y0 : across);
        path_add(&path, is_horizontal(leaves) ? across : x1, is_horizontal(leaves) ? y1 : across);
    }
    path_add(&path, x1, y1);
    return path;
}

static double distance(double x0, double y0, double x1, double y1)
{
    return sqrt((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0));
}

// The middle of the longest segment, and whether that is horizontal or vertical.
static void label_position(const Path *path, double *x, double *y, bool *horizontal, bool *vertical)
{
    double longest = -1;
    for (int k = 0; k + 1 < path->count; k++) {
        const double *p = path->xy + 2 * k;
        double length = distance(p[0], p[1], p[2], p[3]);
        if (length <= longest) continue;
        longest = length;
        *x = (p[0] + p[2]) / 2;
        *y = (p[1] + p[3]) / 2;
        *horizontal = fabs(p[3] - p[1]) < 0.15 * length;
        *vertical = fabs(p[2] - p[0]) < 0.15 * length;
    }
}

static DiagramLabel label_of(const DiagramArrow *arrow, const Path *path)
{
    double x = 0, y = 0;
    bool horizontal = false, vertical = false;
    label_position(path, &x, &y, &horizontal, &vertical);
    CanvasText style = { .size = 12,
                         .color = color_or(arrow->color, COLOR_QUIET),
                         .anchor = vertical ? CANVAS_AT_START : CANVAS_AT_MIDDLE };
    return (DiagramLabel){ x + arrow->label_x + (vertical ? 6 : 0), y + arrow->label_y + (horizontal ? -5 : 4), style,
                           arrow->label };
}

static void draw_dashes(Canvas *canvas, const double *p, double length, double thick, Color color)
{
    const double dash = 5, period = 9;
    for (double at = 0; at < length; at += period) {
        double from = at / length, to = fmin(at + dash, length) / length;
        canvas_line(canvas, p[0] + from * (p[2] - p[0]), p[1] + from * (p[3] - p[1]), p[0] + to * (p[2] - p[0]),
                    p[1] + to * (p[3] - p[1]), thick, color);
    }
}

// Ends the line where the arrow head begins.
static void draw_arrow(Canvas *canvas, const DiagramArrow *arrow, const Path *path)
{
    Color color = color_or(arrow->color, COLOR_QUIET);
    double thick = arrow->thick > 0 ? arrow->thick : 1.5, xy[2 * MOST_CORNERS];
    memcpy(xy, path->xy, sizeof xy);
    double *last = xy + 2 * (path->count - 2), length = distance(last[0], last[1], last[2], last[3]);
    if (!arrow->headless && length > 0) {
        double head = fmin(HEAD + thick, length), ux = (last[2] - last[0]) / length, uy = (last[3] - last[1]) / length;
        double tip_x = last[2], tip_y = last[3], half = 2.5 + thick;
        last[2] -= head * ux;
        last[3] -= head * uy;
        const double corners[] = {
            tip_x, tip_y, last[2] - half * uy, last[3] + half * ux, last[2] + half * uy, last[3] - half * ux
        };
        canvas_polygon(canvas, corners, 3, color);
    }
    if (!arrow->dashed) {
        canvas_polyline(canvas, xy, path->count, thick, color);
        return;
    }
    for (int k = 0; k + 1 < path->count; k++) {
        const double *p = xy + 2 * k;
        draw_dashes(canvas, p, distance(p[0], p[1], p[2], p[3]), thick, color);
    }
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

static void draw_centred_text(Canvas *canvas, double x, double middle, CanvasText style, const char *text)
{
    canvas_text(canvas, x, middle + 0.36 * style.size, style, text);
}

// The colour scale of a matrix: as given, or from its finite values.
static Ramp ramp_of(const DiagramBox *box)
{
    Ramp ramp = { .kind = RAMP_LINEAR, .colors = box->colors, .low = box->low, .high = box->high };
    if (box->low != box->high) return ramp;
    ramp.low = INFINITY;
    ramp.high = -INFINITY;
    for (int i = 0; i < box->values.rows; i++)
        for (int j = 0; j < box->values.cols; j++) {
            double value = (double)*mat_ref(box->values, i, j);
            if (!isfinite(value)) continue;
            ramp.low = fmin(ramp.low, value);
            ramp.high = fmax(ramp.high, value);
        }
    if (box->colors == COLOR_DIVERGING) {
        ramp.high = fmax(fabs(ramp.low), fabs(ramp.high));
        ramp.low = -ramp.high;
    }
    if (!(ramp.low < ramp.high)) ramp.high = ramp.low + 1;
    return ramp;
}

static void draw_cell(Canvas *canvas, const DiagramBox *box, const Ramp *ramp, CanvasRect at, int i, int j)
{
    double value = (double)*mat_ref(box->values, i, j);
    CanvasText style = number_style();
    double x = canvas_crisp(canvas, at.x), y = canvas_crisp(canvas, at.y);
    double width = canvas_crisp(canvas, at.x + at.width) - x, height = canvas_crisp(canvas, at.y + at.height) - y;
    if (box->shaded && !isnan(value)) {
        Color ground = ramp_color(ramp, value);
        canvas_rect(canvas, x, y, width, height, ground);
        style.color = color_over(ground);
    } else {
        canvas_rect(canvas, x, y, width, height, COLOR_PAPER);
    }
    canvas_frame(canvas, x, y, width, height, 0.5, COLOR_RULE);
    draw_centred_text(canvas, at.x + at.width / 2, at.y + at.height / 2, style, number_at(canvas->arena, box, i, j));
}

static Color color_of(const DiagramBox *box) { return box->marked ? COLOR_MARK : color_or(box->color, COLOR_QUIET); }

// A box without a background may be inside another box, so its background is unknown.
static Color background_of(const DiagramBox *box)
{
    return color_mix(COLOR_PAPER, color_of(box), box->group ? 0.06 : 0.12);
}

static void draw_matrix(Canvas *canvas, const DiagramBox *box, const Content *content, double left, double top)
{
    Mat m = box->values;
    Ramp ramp = ramp_of(box);
    CanvasText over = name_style(CANVAS_AT_MIDDLE), beside = name_style(CANVAS_AT_END);
    over.color = beside.color = color_text(COLOR_QUIET, background_of(box));
    left += content->names;
    for (int j = 0; box->cols && j < m.cols; j++)
        draw_centred_text(canvas, left + (j + 0.5) * content->cell, top + LINE / 2 - 1, over, box->cols[j]);
    if (box->cols) top += LINE;
    for (int i = 0; i < m.rows; i++) {
        double y = top + i * CELL_HEIGHT;
        if (box->rows) draw_centred_text(canvas, left - GAP, y + CELL_HEIGHT / 2, beside, box->rows[i]);
        for (int j = 0; j < m.cols; j++)
            draw_cell(canvas, box, &ramp, (CanvasRect){ left + j * content->cell, y, content->cell, CELL_HEIGHT }, i,
                      j);
    }
    if (box->mark_row < 1 || box->mark_col < 1) return;
    int rows = box->mark_rows > 0 ? box->mark_rows : 1, cols = box->mark_cols > 0 ? box->mark_cols : 1;
    canvas_frame(canvas, left + (box->mark_col - 1) * content->cell - 1, top + (box->mark_row - 1) * CELL_HEIGHT - 1,
                 cols * content->cell + 2, rows * CELL_HEIGHT + 2, 2, COLOR_MARK);
}

static void draw_background(Canvas *canvas, const DiagramBox *box, CanvasRect at, Color color)
{
    double x = canvas_crisp(canvas, at.x), y = canvas_crisp(canvas, at.y);
    double width = canvas_crisp(canvas, at.x + at.width) - x, height = canvas_crisp(canvas, at.y + at.height) - y;
    canvas_rect(canvas, x, y, width, height, background_of(box));
    canvas_frame(canvas, x, y, width, height, box->marked ? 2.5 : 1,
                 box->group ? color_mix(COLOR_PAPER, color, 0.5) : color);
}

// Draws the content from the top down; a group has its title at the left.
static void draw_box(Canvas *canvas, const DiagramBox *box, double dx, double dy)
{
    CanvasRect at = diagram_box(canvas->arena, box);
    at.x += dx;
    at.y += dy;
    Content content = measure(canvas->arena, box);
    if (!box->bare) draw_background(canvas, box, at, color_of(box));
    double y = box->group ? at.y + PAD_Y : at.y + (at.height - content.height) / 2, middle = at.x + at.width / 2;
    CanvasText title = title_style();
    title.color = color_text(box->marked ? COLOR_MARK : color_or(box->color, COLOR_INK), background_of(box));
    if (box->group) title.anchor = CANVAS_AT_START;
    if (box->title) {
        draw_centred_text(canvas, box->group ? at.x + PAD_X : middle, y + LINE / 2, title, box->title);
        y += LINE;
    }
    int n = 0;
    for (const char *line = line_of(canvas->arena, box->lines, 0); line;) {
        draw_centred_text(canvas, middle, y + LINE / 2, line_style(box), line);
        y += LINE;
        line = line_of(canvas->arena, box->lines, ++n);
    }
    if (!has_matrix(box)) return;
    double width = content.names + box->values.cols * content.cell;
    draw_matrix(canvas, box, &content, at.x + (at.width - width) / 2, y + (y > at.y + PAD_Y ? GAP : 0));
}

// ---- all of it ------------------------------------------------------------------------------------------------------

static Path arrow_path(Arena *arena, const Diagram *diagram, const DiagramArrow *arrow)
{
    int count = diagram->box_count;
    REQUIRE(arrow->from >= 0 && arrow->from < count && arrow->to >= 0 && arrow->to < count,
            "an arrow runs from box %d to box %d; there are %d", arrow->from, arrow->to, count);
    return path_of(arrow, diagram_box(arena, &diagram->boxes[arrow->from]),
                   diagram_box(arena, &diagram->boxes[arrow->to]));
}

static void include_point(double *width, double *height, double x, double y)
{
    *width = fmax(*width, x);
    *height = fmax(*height, y);
}

static void include_label(double *width, double *height, const DiagramLabel *label)
{
    double letters = canvas_text_width(label->style, label->text);
    double right = label->style.anchor == CANVAS_AT_START    ? letters
                   : label->style.anchor == CANVAS_AT_MIDDLE ? letters / 2
                                                             : 0;
    include_point(width, height, label->style.angle == 0 ? label->x + right : label->x, label->y + 3);
}

// The right and bottom ends of all boxes, arrows and labels.
static void measure_all(Arena *arena, const Diagram *diagram, double *width, double *height)
{
    for (int k = 0; k < diagram->box_count; k++) {
        CanvasRect at = diagram_box(arena, &diagram->boxes[k]);
        include_point(width, height, at.x + at.width, at.y + at.height);
    }
    for (int k = 0; k < diagram->arrow_count; k++) {
        Path path = arrow_path(arena, diagram, &diagram->arrows[k]);
        for (int p = 0; p < path.count; p++) include_point(width, height, path.xy[2 * p] + 1, path.xy[2 * p + 1] + 1);
        DiagramLabel label = label_of(&diagram->arrows[k], &path);
        if (label.text) include_label(width, height, &label);
    }
    for (int k = 0; k < diagram->label_count; k++) include_label(width, height, &diagram->labels[k]);
}

static void draw_label(Canvas *canvas, DiagramLabel label, double dx, double dy)
{
    if (!(label.style.size > 0)) label.style.size = 12;
    label.style.color = color_text(color_or(label.style.color, COLOR_INK),
                                   color_mix(COLOR_PAPER, COLOR_ACCENT, 0.06)); // or a group's background
    canvas_text(canvas, label.x + dx, label.y + dy, label.style, label.text);
}

// A label on an oblique line gets its own background.
static void draw_arrow_label(Canvas *canvas, const DiagramArrow *arrow, const Path *path)
{
    DiagramLabel label = label_of(arrow, path);
    double x, y;
    bool horizontal = false, vertical = false;
    label_position(path, &x, &y, &horizontal, &vertical);
    double width = canvas_text_width(label.style, label.text) + 4;
    if (!horizontal && !vertical) canvas_rect(canvas, label.x - width / 2, label.y - 12, width, 16, COLOR_PAPER);
    draw_label(canvas, label, 0, 0);
}

static void draw_boxes(Canvas *canvas, const Diagram *diagram, bool groups, double dy)
{
    for (int k = 0; k < diagram->box_count; k++)
        if (diagram->boxes[k].group == groups) draw_box(canvas, &diagram->boxes[k], MARGIN, dy);
}

Canvas *diagram_draw(Arena *arena, const Diagram *diagram, RenderTarget paper)
{
    double width = 0, height = 0, top = MARGIN + (diagram->title ? 15 + 18 : 0);
    CanvasText title = { .size = 15, .face = CANVAS_SANS_BOLD, .color = COLOR_INK };
    if (diagram->title) width = canvas_text_width(title, diagram->title);
    measure_all(arena, diagram, &width, &height);
    width = fmax(ceil(width) + 2 * MARGIN, diagram->width);
    Canvas *canvas = canvas_new(arena, width, fmax(ceil(height) + top + MARGIN, diagram->height), paper.scale);
    canvas_record(canvas, paper.record);

    if (diagram->title) canvas_text(canvas, MARGIN, MARGIN + 13, title, diagram->title);
    draw_boxes(canvas, diagram, true, top);
    for (int pass = 0; pass < 3; pass++) { // lines, then boxes over their ends, then labels
        if (pass == 1) draw_boxes(canvas, diagram, false, top);
        for (int k = 0; k < diagram->arrow_count && pass != 1; k++) {
            const DiagramArrow *arrow = &diagram->arrows[k];
            Path path = arrow_path(arena, diagram, arrow);
            for (int p = 0; p < path.count; p++) {
                path.xy[2 * p] += MARGIN;
                path.xy[2 * p + 1] += top;
            }
            if (pass == 0) draw_arrow(canvas, arrow, &path);
            else if (arrow->label) draw_arrow_label(canvas, arrow, &path);
        }
    }
    for (int k = 0; k < diagram->label_count; k++) draw_label(canvas, diagram->labels[k], MARGIN, top);
    return canvas;
}
