// Chapter 25, step 3's picture: the blocks of four families on the same six slots for norms.
#include "steps.h"

#include <string.h>

enum { LEFT = 84, COLUMN = 190, BOX = 150, ROW = 56, TALL = 40, PLUS = 30, MOST = 64 };

// What stands in a row of every column. Rows without a box are where another family has one.
typedef enum {
    IN,
    BEFORE_ATTENTION,
    ATTENTION,
    AFTER_ATTENTION,
    FIRST_SUM,
    SUM_ATTENTION,
    BEFORE_MLP,
    MLP,
    AFTER_MLP,
    SECOND_SUM,
    SUM_MLP,
    LAST_NORM,
    OUT,
    ROWS
} Row;

typedef struct {
    const char *title, *lines;
} Part;
typedef struct {
    const char *name;
    Part parts[ROWS];
} Block;

// clang-format off
static const Block blocks[] = {
    { "BERT, 2018", {
        [IN] = { "words", "+ place + kind, norm" }, [ATTENTION] = { "attention", "H heads, biases" },
        [SUM_ATTENTION] = { "LayerNorm", NULL }, [MLP] = { "W1, GELU, W2", "biases" },
        [SUM_MLP] = { "LayerNorm", NULL }, [OUT] = { "words out", "dense, norm; tied" } } },
    { "GPT-2, 2019", {
        [IN] = { "words", "+ place" }, [BEFORE_ATTENTION] = { "LayerNorm", NULL },
        [ATTENTION] = { "attention", "causal" }, [BEFORE_MLP] = { "LayerNorm", NULL },
        [MLP] = { "W1, GELU~, W2", "its tanh form" }, [LAST_NORM] = { "LayerNorm", NULL },
        [OUT] = { "words out", "tied" } } },
    { "LLaMA 3, 2024", {
        [IN] = { "words", NULL }, [BEFORE_ATTENTION] = { "RMSNorm", NULL },
        [ATTENTION] = { "attention", "RoPE, G key heads" }, [BEFORE_MLP] = { "RMSNorm", NULL },
        [MLP] = { "SwiGLU", "no biases" }, [LAST_NORM] = { "RMSNorm", NULL },
        [OUT] = { "words out", "untied" } } },
    { "Gemma 2, 2024", {
        [IN] = { "words", "× √D" }, [BEFORE_ATTENTION] = { "RMSNorm, 1 + w", NULL },
        [ATTENTION] = { "attention", "caps, windows" }, [AFTER_ATTENTION] = { "RMSNorm, 1 + w", NULL },
        [BEFORE_MLP] = { "RMSNorm, 1 + w", NULL }, [MLP] = { "GeGLU~", NULL },
        [AFTER_MLP] = { "RMSNorm, 1 + w", NULL }, [LAST_NORM] = { "RMSNorm, 1 + w", NULL },
        [OUT] = { "words out", "tied, cap" } } },
};
// clang-format on

enum { COLUMNS = sizeof blocks / sizeof *blocks };

typedef struct {
    DiagramBox boxes[MOST];
    DiagramArrow arrows[MOST];
    int box_count, arrow_count;
} Drawing;

static int add_box(Drawing *d, DiagramBox box)
{
    REQUIRE(d->box_count < MOST, "%d boxes, and another one", d->box_count);
    d->boxes[d->box_count] = box;
    return d->box_count++;
}

static void add_arrow(Drawing *d, DiagramArrow arrow)
{
    REQUIRE(d->arrow_count < MOST, "%d arrows, and another one", d->arrow_count);
    d->arrows[d->arrow_count++] = arrow;
}

// Coloured is what has another name than in the column to the left, or none there.
static bool is_new(int column, int row)
{
    if (column == 0) return false;
    const char *title = blocks[column].parts[row].title, *left = blocks[column - 1].parts[row].title;
    return title && (!left || strcmp(title, left) != 0);
}

static void add_column(Drawing *d, int column)
{
    int at[ROWS], before = -1;
    double x = LEFT + column * COLUMN;
    for (int r = 0; r < ROWS; r++) {
        const Part *part = &blocks[column].parts[r];
        bool sum = r == FIRST_SUM || r == SECOND_SUM;
        at[r] = -1;
        if (!part->title && !sum) continue;
        CanvasRect place = { x, 30 + r * ROW, BOX, TALL };
        if (sum) place = (CanvasRect){ x + (BOX - PLUS) / 2.0, 30 + r * ROW + (TALL - PLUS) / 2.0, PLUS, PLUS };
        at[r] = add_box(d, (DiagramBox){ .at = place,
                                         .title = sum ? "+" : part->title,
                                         .lines = part->lines,
                                         .color = is_new(column, r) ? COLOR_SERIES[1] : (Color){ 0, 0, 0 } });
        if (before >= 0)
            add_arrow(d,
                      (DiagramArrow){ .from = before, .to = at[r], .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_TOP });
        before = at[r];
    }
    double outside = (BOX - PLUS) / 2.0 + 5;
    bool on_sum = at[SUM_ATTENTION] >= 0;
    int second = at[SUM_ATTENTION];
    if (!on_sum) // a point of the stream below "+"
        second = add_box(d, (DiagramBox){ .at = { x + BOX / 2.0, 30 + SUM_ATTENTION * ROW + TALL / 2.0, 0, 0 },
                                          .bare = true });
    add_arrow(d, (DiagramArrow){ .from = at[IN],
                                 .to = at[FIRST_SUM],
                                 .leaves = DIAGRAM_LEFT,
                                 .enters = DIAGRAM_LEFT,
                                 .bend = 12,
                                 .color = COLOR_QUIET });
    add_arrow(d, (DiagramArrow){ .from = second,
                                 .to = at[SECOND_SUM],
                                 .leaves = DIAGRAM_LEFT,
                                 .enters = DIAGRAM_LEFT,
                                 .bend = on_sum ? 12 : outside,
                                 .color = COLOR_QUIET });
}

void figure_blocks(Lesson *lesson)
{
    static Drawing d;
    static const struct {
        Row row;
        const char *name;
    } slots[] = {
        { BEFORE_ATTENTION, "before" }, { AFTER_ATTENTION, "after" }, { SUM_ATTENTION, "on the sum" },
        { BEFORE_MLP, "before" },       { AFTER_MLP, "after" },       { SUM_MLP, "on the sum" },
    };
    DiagramLabel labels[COLUMNS + 6];
    d.box_count = d.arrow_count = 0;
    for (int c = 0; c < COLUMNS; c++) {
        add_column(&d, c);
        labels[c] = (DiagramLabel){
            .x = LEFT + c * COLUMN + BOX / 2.0,
            .y = 12,
            .text = blocks[c].name,
            .style = { .size = 14, .face = CANVAS_SANS_BOLD, .color = COLOR_INK, .anchor = CANVAS_AT_MIDDLE }
        };
    }
    for (int n = 0; n < 6; n++)
        labels[COLUMNS + n] = (DiagramLabel){ .x = 0,
                                              .y = 30 + slots[n].row * ROW + TALL / 2.0 + 4,
                                              .style = { .size = 11, .color = COLOR_QUIET },
                                              .text = slots[n].name };
    figure_diagram(lesson, "blocks.png",
                   "one layer of four families; coloured: a part that the column to the left has "
                   "not",
                   (Diagram){ .title = "The same block, and six slots for norms",
                              .boxes = d.boxes,
                              .box_count = d.box_count,
                              .arrows = d.arrows,
                              .arrow_count = d.arrow_count,
                              .labels = labels,
                              .label_count = COLUMNS + 6 });
}
