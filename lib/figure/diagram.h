// Diagrams: what has a flow and no axes. Boxes that hold words or a small matrix, arrows between them, labels.
//
// The caller lays it out: (0, 0) is the top left under the title, in points; what reaches furthest decides how large
// the picture is. Groups lie behind arrows, arrows behind boxes, labels over all.
//
//     const DiagramBox boxes[] = { { .at = { 0, 0, 0, 0 }, .title = "scores", .values = scores, .decimals = 2 },
//                                  { .at = { 200, 0, 0, 0 }, .title = "weights", .values = weights, .decimals = 2 } };
//     const DiagramArrow arrows[] = { { .from = 0, .to = 1, .label = "softmax" } };
//     Diagram diagram = { .boxes = boxes, .box_count = 2, .arrows = arrows, .arrow_count = 1 };
#ifndef FIGURE_DIAGRAM_H
#define FIGURE_DIAGRAM_H

#include "base/mat.h"
#include "figure/canvas.h"

// What is in a box stands in its middle: the title, the lines, the matrix. A colour of 0, 0, 0 is the usual one.
typedef struct {
    CanvasRect at;                         // width and height are the least: a box grows with what it holds
    const char *title;                     // bold; may be NULL
    const char *lines;                     // cut at '\n'; may be NULL
    bool mono;                             // the lines are code
    Mat values;                            // a small matrix, or empty; NaN leaves a cell without a number
    int decimals;                          // of its numbers
    const char *const *rows, *const *cols; // names of its rows and columns; may be NULL
    bool shaded;                           // cells have colours, from low to high; both 0: from the values
    ColorMap colors;
    double low, high;
    int mark_row, mark_col;   // one cell framed in MARK when both are set from 1; 0, 0 marks nothing
    int mark_rows, mark_cols; // more than one cell: a block whose first cell is that one; 0: one
    Color color;              // of frame, title and, thinly, ground
    bool marked;              // stands out: a thick frame in MARK
    bool bare;                // no frame, no ground: words or numbers alone, or, empty, a point for arrows
    bool group;               // stands behind others, its title at the top left
} DiagramBox;

// FACING: the sides of the two boxes that face each other.
typedef enum { DIAGRAM_FACING, DIAGRAM_LEFT, DIAGRAM_RIGHT, DIAGRAM_TOP, DIAGRAM_BOTTOM } DiagramSide;

typedef struct {
    int from, to; // boxes
    DiagramSide leaves, enters;
    double from_shift, to_shift; // points along the side, from its middle, right or down
    double bend;                 // 0: straight. Round one corner where the sides are at right angles; from opposite
                                 // sides across after that many points, from the same side that far outside of both
    const char *label;           // over a level line, right of an upright one, on one that is aslant; may be NULL
    double label_x, label_y;     // the label moved, in points
    bool dashed;
    bool headless;
    Color color;  // of line and label
    double thick; // points; 0: 1.5
} DiagramArrow;

typedef struct {
    double x, y;
    CanvasText style;
    const char *text;
} DiagramLabel; // size 0: 12; a baseline at (x, y)

typedef struct {
    const char *title; // may be NULL
    const DiagramBox *boxes;
    int box_count;
    const DiagramArrow *arrows;
    int arrow_count;
    const DiagramLabel *labels;
    int label_count;
    double width, height; // points, the least with margins; 0: what it takes
} Diagram;

Canvas *diagram_draw(Arena *arena, const Diagram *diagram, RenderTarget paper);

// How large a box becomes, for those who put others beside it.
CanvasRect diagram_box(Arena *arena, const DiagramBox *box);

#endif
