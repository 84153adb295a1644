// Chapter 14, steps 3 and 6. Pictures of the two memories, on the way there and back: what stays in the fast one, and
// what passes by.
#include "steps.h"

enum { TILES = 3, MOST_ROWS = 4, TALL = 46, APART = 72, UPPER = 38, LEFT = 76, TILE = 104, GAP = 8 };
enum { SLOW_WIDE = LEFT + TILES * (TILE + GAP) + 6, FAST_X = SLOW_WIDE + 136, WIDE = 142, FAST_WIDE = 2 * WIDE + 66 };

typedef struct {
    DiagramBox boxes[2 + MOST_ROWS * (TILES + 2) + 2];
    DiagramLabel labels[MOST_ROWS];
    int count, rows;
} Memories;

static int add_box(Memories *m, DiagramBox box)
{
    m->boxes[m->count] = box;
    return m->count++;
}

static Memories two_memories(int rows)
{
    Memories m = { .rows = rows };
    int height = UPPER + (rows - 1) * APART + TALL + 16;
    add_box(&m, (DiagramBox){ .at = { 0, 0, SLOW_WIDE, height }, .title = "slow memory", .group = true });
    add_box(&m, (DiagramBox){ .at = { FAST_X, 0, FAST_WIDE, height }, .title = "fast memory: scratch", .group = true });
    return m;
}

// A point at the edge of slow memory, for an arrow of that row, so far below its middle.
static int add_end(Memories *m, int row, double below)
{
    return add_box(m,
                   (DiagramBox){ .at = { SLOW_WIDE, UPPER + row * APART + TALL / 2.0 + below, 0, 0 }, .bare = true });
}

// A matrix in slow memory, in three tiles; the second is at hand.
static void add_matrix(Memories *m, const Lesson *lesson, int row, const char *name, Color color)
{
    int T = lesson->sentence.x.rows;
    double y = UPPER + row * APART;
    m->labels[row] =
        (DiagramLabel){ 14, y + TALL / 2.0 + 4, { .size = 13, .face = CANVAS_SANS_BOLD, .color = COLOR_INK }, name };
    for (int n = 0; n < TILES; n++) {
        int first = (T * n + TILES - 1) / TILES, end = (T * (n + 1) + TILES - 1) / TILES;
        add_box(m, (DiagramBox){ .at = { LEFT + n * (TILE + GAP), y, TILE, TALL },
                                 .color = color,
                                 .marked = n == 1,
                                 .lines = name_of_keys(lesson, (MaskRange){ first, end - first }) });
    }
}

static int add_fast(Memories *m, int row, const char *title, const char *lines, Color color)
{
    return add_box(m, (DiagramBox){ .at = { FAST_X + 14, UPPER + row * APART, WIDE, TALL },
                                    .title = title,
                                    .lines = lines,
                                    .color = color });
}

// The tile of the table, beside the first two rows of fast memory.
static int add_table(Memories *m, const char *title, const char *lines)
{
    return add_box(m, (DiagramBox){ .at = { FAST_X + 14 + WIDE + 38, UPPER, WIDE, APART + TALL },
                                    .title = title,
                                    .lines = lines });
}

static void draw(Lesson *lesson, const Memories *m, const char *file, const char *caption, const char *title,
                 const DiagramArrow *arrows, int count)
{
    figure_diagram(lesson, file, caption,
                   (Diagram){ .title = title,
                              .boxes = m->boxes,
                              .box_count = m->count,
                              .arrows = arrows,
                              .arrow_count = count,
                              .labels = m->labels,
                              .label_count = m->rows });
}

void figure_memories(Lesson *lesson)
{
    Memories m = two_memories(3);
    add_matrix(&m, lesson, 0, "q", COLOR_SERIES[0]);
    add_matrix(&m, lesson, 1, "k, v", COLOR_SERIES[1]);
    add_matrix(&m, lesson, 2, "out", COLOR_SERIES[2]);
    int q = add_end(&m, 0, 0), kv = add_end(&m, 1, 0), out = add_end(&m, 2, 0);
    int one_q = add_fast(&m, 0, "a tile of q", "stays for the row", COLOR_SERIES[0]);
    int one_kv = add_fast(&m, 1, "a tile of k and v", "passes by", COLOR_SERIES[1]);
    int state = add_fast(&m, 2, "m, l, out so far", "stay for the row", COLOR_SERIES[2]);
    int scores = add_table(&m, "scores, weights", "of this tile;\nthen forgotten");
    const DiagramArrow arrows[] = {
        { .from = q, .to = one_q, .label = "once", .label_x = -7, .color = COLOR_SERIES[0] },
        { .from = kv, .to = one_kv, .label = "one after the other", .label_x = -7, .color = COLOR_SERIES[1] },
        { .from = state, .to = out, .label = "once, divided by l", .label_x = -7, .color = COLOR_SERIES[2] },
        { .from = one_q, .to = scores, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT, .to_shift = -APART / 2.0 },
        { .from = one_kv,
          .to = scores,
          .leaves = DIAGRAM_RIGHT,
          .enters = DIAGRAM_LEFT,
          .to_shift = APART / 2.0,
          .label = "k" },
        { .from = one_kv, .to = state, .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_TOP, .label = "v" },
        { .from = scores, .to = state, .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_RIGHT, .bend = 1 },
    };
    draw(lesson, &m, "memory.png", "one row of tiles: what stays in fast memory, and what passes by",
         "The second row of tiles, at its second tile", arrows, sizeof arrows / sizeof *arrows);
}

void figure_way_back(Lesson *lesson)
{
    enum { UP = -9, DOWN = 9, SIDE = 30 };
    Memories m = two_memories(4);
    add_matrix(&m, lesson, 0, "k, v", COLOR_SERIES[1]);
    add_matrix(&m, lesson, 1, "q, dout", COLOR_SERIES[0]);
    add_matrix(&m, lesson, 2, "dq", COLOR_SERIES[3]);
    add_matrix(&m, lesson, 3, "dk, dv", COLOR_SERIES[2]);
    int kv = add_end(&m, 0, 0), q = add_end(&m, 1, 0), dkv = add_end(&m, 3, 0);
    int dq_out = add_end(&m, 2, UP), dq_back = add_end(&m, 2, DOWN);
    int one_kv = add_fast(&m, 0, "a tile of k and v", "stays for the column", COLOR_SERIES[1]);
    int one_q = add_fast(&m, 1, "q, dout, lse, D", "pass by", COLOR_SERIES[0]);
    int one_dq = add_fast(&m, 2, "a tile of dq", "is added to", COLOR_SERIES[3]);
    int sums = add_fast(&m, 3, "dk, dv so far", "stay for the column", COLOR_SERIES[2]);
    int table = add_table(&m, "weights again", "exp(score − lse),\nthen dscores;\nthen forgotten");
    const DiagramArrow arrows[] = {
        { .from = kv, .to = one_kv, .label = "once", .label_x = -7, .color = COLOR_SERIES[1] },
        { .from = q, .to = one_q, .label = "one after the other", .label_x = -7, .color = COLOR_SERIES[0] },
        { .from = dq_out,
          .to = one_dq,
          .to_shift = UP,
          .label = "for every tile",
          .label_x = -7,
          .color = COLOR_SERIES[3] },
        { .from = one_dq,
          .to = dq_back,
          .from_shift = DOWN,
          .label = "and back",
          .label_x = -7,
          .label_y = 22,
          .color = COLOR_SERIES[3] },
        { .from = sums, .to = dkv, .label = "once, added", .label_x = -7, .color = COLOR_SERIES[2] },
        { .from = one_kv, .to = table, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT, .to_shift = -APART / 2.0 },
        { .from = one_q, .to = table, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT, .to_shift = APART / 2.0 },
        { .from = table,
          .to = one_dq,
          .leaves = DIAGRAM_BOTTOM,
          .enters = DIAGRAM_RIGHT,
          .from_shift = -SIDE,
          .bend = 1 },
        { .from = table, .to = sums, .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_RIGHT, .from_shift = SIDE, .bend = 1 },
    };
    draw(lesson, &m, "back.png",
         "the way back, one column of tiles: what stays in fast memory, and what goes to and "
         "fro",
         "The way back: the second column of tiles, at its second tile", arrows, sizeof arrows / sizeof *arrows);
}
