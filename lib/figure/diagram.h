// Flow diagrams: boxes that hold text or a small matrix, arrows between them, labels.
//
// The caller chooses positions in points, with (0, 0) at the top left under the title; the picture is as large as its
// content. Drawing order: groups, arrows, boxes, labels.
//
//     const DiagramBox boxes[] = { { .at = { 0, 0, 0, 0 }, .title = "scores", .values = scores, .decimals = 2 },
//                                  { .at = { 200, 0, 0, 0 }, .title = "weights", .values = weights, .decimals = 2 } };
//     const DiagramArrow arrows[] = { { .from = 0, .to = 1, .label = "softmax" } };
//     Diagram diagram = { .boxes = boxes, .box_count = 2, .arrows = arrows, .arrow_count = 1 };
#ifndef FIGURE_DIAGRAM_H
#define FIGURE_DIAGRAM_H

#include "base/mat.h"
#include "figure/canvas.h"

// The content of a box is centred: title, lines, matrix. A colour of 0, 0, 0 selects the default.
typedef struct {
    CanvasRect at;                         // width and height are minimums: a box grows with its content
    const char *title;                     // bold; may be NULL
    const char *lines;                     // separated by '\n'; may be NULL
    bool mono;                             // monospaced lines
    Mat values;                            // a small matrix, or empty; a NaN cell has no number
    int decimals;                          // of the matrix's numbers
    const char *const *rows, *const *cols; // names of its rows and columns; may be NULL
    bool shaded;                           // cells are coloured from low to high; both 0: the range of the values
    ColorMap colors;
    double low, high;
    int mark_row, mark_col;   // one cell framed in MARK when both are set from 1; 0, 0 marks nothing
    int mark_rows, mark_cols; // size of a marked block that starts at that cell; 0: one cell
    Color color;              // of frame and title, and, pale, of the background
    bool marked;              // emphasised by a thick frame in MARK
    bool bare;                // no frame and no background: only text or numbers; if empty, an end point for arrows
    bool group;               // drawn behind other boxes, title at the top left
} DiagramBox;

// FACING: the sides of the two boxes that face each other.
typedef enum { DIAGRAM_FACING, DIAGRAM_LEFT, DIAGRAM_RIGHT, DIAGRAM_TOP, DIAGRAM_BOTTOM } DiagramSide;

typedef struct {
    int from, to; // boxes
    DiagramSide leaves, enters;
    double from_shift, to_shift; // offset along the side from its middle, in points, right or down
    double bend; // 0: straight, or with one corner between perpendicular sides. Else the distance of the first corner:
                 // on the way between opposite sides, or outside of both boxes if both sides are the same
    const char *label;       // above a level line, right of a vertical one, on an oblique one; may be NULL
    double label_x, label_y; // offset of the label, in points
    bool dashed;
    bool headless;
    Color color;  // of line and label
    double thick; // points; 0: 1.5
} DiagramArrow;

typedef struct {
    double x, y;
    CanvasText style;
    const char *text;
} DiagramLabel; // size 0: 12; (x, y) is on the baseline

typedef struct {
    const char *title; // may be NULL
    const DiagramBox *boxes;
    int box_count;
    const DiagramArrow *arrows;
    int arrow_count;
    const DiagramLabel *labels;
    int label_count;
    double width, height; // minimum size with margins, in points; 0: the size of the content
} Diagram;

Canvas *diagram_draw(Arena *arena, const Diagram *diagram, RenderTarget paper);

// The size that a box will have, for placing others next to it.
CanvasRect diagram_box(Arena *arena, const DiagramBox *box);

#endif
