// Chapter 14, step 3. The picture of the two memories: what stays in the fast one, and what passes by.
#include "steps.h"

enum { TILES = 3, ROWS_OF_IT = 3, TALL = 46, APART = 72, UPPER = 38, LEFT = 50, TILE = 104, GAP = 8 };
enum { SLOW_WIDE = LEFT + TILES * (TILE + GAP) + 6, FAST_X = SLOW_WIDE + 136, WIDE = 136, FAST_WIDE = 2 * WIDE + 66 };
enum { HEIGHT = UPPER + ROWS_OF_IT * APART - APART + TALL + 16 };

typedef struct {
    DiagramBox   boxes[2 + ROWS_OF_IT * (TILES + 1) + 4];
    DiagramLabel labels[ROWS_OF_IT];
    int          count;
} Memories;

static int add_box(Memories *m, DiagramBox box)
{
    m->boxes[m->count] = box;
    return m->count++;
}

// A matrix in slow memory, in three tiles; the second is at hand. Answers a point at the edge, for an arrow.
static int add_matrix(Memories *m, const Lesson *lesson, int row, const char *name, Color color)
{
    int T = lesson->sentence.x.rows;
    double y = UPPER + row * APART;
    m->labels[row] = (DiagramLabel){ 14, y + TALL / 2.0 + 4, { .size = 13, .face = SANS_BOLD, .color = INK }, name };
    for (int n = 0; n < TILES; n++) {
        int first = (T * n + TILES - 1) / TILES, end = (T * (n + 1) + TILES - 1) / TILES;
        add_box(m, (DiagramBox){ .at = { LEFT + n * (TILE + GAP), y, TILE, TALL }, .color = color, .marked = n == 1,
                                 .lines = name_of_keys(lesson, (Span){ first, end - first }) });
    }
    return add_box(m, (DiagramBox){ .at = { SLOW_WIDE, y + TALL / 2.0, 0, 0 }, .bare = true });
}

static int add_fast(Memories *m, int row, double right, const char *title, const char *lines, Color color)
{
    return add_box(m, (DiagramBox){ .at = { FAST_X + 14 + right, UPPER + row * APART, WIDE, TALL }, .title = title,
                                    .lines = lines, .color = color });
}

void figure_memories(Lesson *lesson)
{
    Memories m = { .count = 0 };
    add_box(&m, (DiagramBox){ .at = { 0, 0, SLOW_WIDE, HEIGHT }, .title = "slow memory", .group = true });
    add_box(&m, (DiagramBox){ .at = { FAST_X, 0, FAST_WIDE, HEIGHT }, .title = "fast memory: scratch", .group = true });
    int q = add_matrix(&m, lesson, 0, "q", SERIES[0]), kv = add_matrix(&m, lesson, 1, "k, v", SERIES[1]);
    int out = add_matrix(&m, lesson, 2, "out", SERIES[2]);
    int one_q = add_fast(&m, 0, 0, "a tile of q", "stays for the row", SERIES[0]);
    int one_kv = add_fast(&m, 1, 0, "a tile of k and v", "passes by", SERIES[1]);
    int state = add_fast(&m, 2, 0, "m, l, out so far", "stay for the row", SERIES[2]);
    int scores = add_box(&m, (DiagramBox){ .at = { FAST_X + 14 + WIDE + 38, UPPER, WIDE, APART + TALL },
                                           .title = "scores, weights", .lines = "of this tile;\nthen forgotten" });
    const DiagramArrow arrows[] = {
        { .from = q, .to = one_q, .label = "once", .label_x = -7, .color = SERIES[0] },
        { .from = kv, .to = one_kv, .label = "one after the other", .label_x = -7, .color = SERIES[1] },
        { .from = state, .to = out, .label = "once, divided by l", .label_x = -7, .color = SERIES[2] },
        { .from = one_q, .to = scores, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT, .to_shift = -APART / 2.0 },
        { .from = one_kv, .to = scores, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT, .to_shift = APART / 2.0 },
        { .from = scores, .to = state, .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_RIGHT, .bend = 1 },
    };
    figure_diagram(lesson, "memory.png", "one row of tiles: what stays in fast memory, and what passes by",
                   (Diagram){ .title = "The second row of tiles, at its second tile", .boxes = m.boxes,
                              .box_count = m.count, .arrows = arrows, .arrow_count = sizeof arrows / sizeof *arrows,
                              .labels = m.labels, .label_count = ROWS_OF_IT });
}
