// Chapter 15, step 4. The picture of where everything lies while a block of queries goes past a tile of keys.
#include "steps.h"

enum {
    LANES = 16,
    VECTORS = 4,
    D = 64,
    REGISTERS = 32,
    X = 196,
    WIDE = 116,
    PITCH = 120,
    TALL = 92,
    NOTES = X + VECTORS * PITCH + 8, // of the right side
    TURNED = 46,
    WEIGHTS = 178,
    OUTPUTS = 310,
    FILE_Y = 452, // from the top
    STRIP = 20,
    LANE = 13,
    QUERY = LANES + LANE,
    ROOM = 64,
};
static const Color blue = { 49, 104, 142 }, orange = { 199, 127, 29 }, grey = { 96, 96, 108 };

typedef struct {
    DiagramBox boxes[ROOM];
    DiagramLabel labels[ROOM];
    int boxes_count, labels_count;
} Sheet;

static void put(Sheet *s, CanvasRect at, Color color, const char *words)
{
    s->boxes[s->boxes_count++] = (DiagramBox){ .at = at, .color = color, .lines = words };
}

static void note(Sheet *s, double x, double y, const char *words)
{
    s->labels[s->labels_count++] = (DiagramLabel){ .x = x, .y = y, .text = words };
}

// A matrix whose columns are the queries of the block: vectors side by side, one row or some marked off, and one lane.
static void right_side(Sheet *s, double y, Color color, const char *strip)
{
    for (int v = 0; v < VECTORS; v++) put(s, (CanvasRect){ X + PITCH * v, y, WIDE, TALL }, grey, NULL);
    for (int v = 0; v < VECTORS; v++) put(s, (CanvasRect){ X + PITCH * v, y + 36, WIDE, STRIP }, color, NULL);
    double lane = X + PITCH + (double)WIDE * LANE / LANES;
    s->boxes[s->boxes_count++] = (DiagramBox){ .at = { lane, y - 5, (double)WIDE / LANES, TALL + 10 }, .marked = true };
    note(s, X + 6, y + 50, strip);
}

// A tile as it lies: a row is a key. `width` and `height`: of the numbers that meet the vectors.
static void left_side(Sheet *s, double y, double width, double height, const char *name, const char *numbers)
{
    put(s, (CanvasRect){ 0, y, 150, TALL }, grey, NULL);
    put(s, (CanvasRect){ 50, y + 36, width, height }, orange, NULL);
    note(s, 0, y - 8, name);
    note(s, 22, y + 76, numbers);
}

// The registers, in the order in which gcc takes them: queries, the number, sums.
static void registers(Sheet *s)
{
    for (int r = 0; r < REGISTERS; r++) {
        bool query = r < VECTORS, number = r == VECTORS, sum = r <= VECTORS + ROWS * VECTORS;
        put(s, (CanvasRect){ 26.5 * r, FILE_Y, 23, 30 },
            query    ? blue
            : number ? orange
                     : grey,
            query    ? "q"
            : number ? "k"
            : sum    ? "s"
                     : NULL);
    }
}

void draw_where(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    Sheet *s = arena_alloc(arena, sizeof *s);
    const char *kib = arena_format(arena, "%d KiB", D * LANES * VECTORS * 4 / 1024);
    for (int v = 0; v < VECTORS; v++) {
        note(s, X + PITCH * v, 12, arena_format(arena, "vector %d", v));
        note(s, X + PITCH * v, 30, arena_format(arena, "queries %d … %d", LANES * v, LANES * (v + 1) - 1));
    }
    right_side(s, TURNED, blue, "channel c");
    right_side(s, WEIGHTS, grey, "4 keys: sums");
    right_side(s, OUTPUTS, grey, "4 channels");
    left_side(s, WEIGHTS, 12, STRIP, "a tile of K, as it lies", "4 keys, channel c");
    left_side(s, OUTPUTS, 22, 12, "a tile of V, as it lies", "a key, 4 channels");

    note(s, NOTES, TURNED + 18, "Qᵀ, turned once: a row");
    note(s, NOTES, TURNED + 36, "is a channel of 64 queries");
    note(s, NOTES, TURNED + 62, arena_format(arena, "%s: first cache, L1", kib));
    note(s, NOTES, WEIGHTS + 18, "scores, then weights:");
    note(s, NOTES, WEIGHTS + 36, "a row is a key");
    note(s, NOTES, WEIGHTS + 62, arena_format(arena, "%s: first cache, L1", kib));
    note(s, NOTES, OUTPUTS + 18, "outputs so far: a row");
    note(s, NOTES, OUTPUTS + 36, "is a channel");
    note(s, NOTES, OUTPUTS + 62, arena_format(arena, "%s: second cache, L2", kib));
    note(s, X + PITCH, OUTPUTS + TALL + 24,
         arena_format(arena, "Query %d is lane %d of vector 1, all the way down.", QUERY, LANE));
    note(s, 0, OUTPUTS + TALL + 24, arena_format(arena, "a tile: %s, L2", kib));
    registers(s);
    const char *words = "The %d registers while scores are made: %d vectors q, the blue row; one number k in all "
                        "lanes; %d sums s, of four keys.";
    note(s, 0, FILE_Y + 50, arena_format(arena, words, REGISTERS, VECTORS, ROWS * VECTORS));
    figure_diagram(lesson, "where.png", "where a lane, a tile and the sums lie, for a block of 64 queries",
                   (Diagram){ .title = "A lane is a query, from its first number to its output",
                              .boxes = s->boxes,
                              .box_count = s->boxes_count,
                              .labels = s->labels,
                              .label_count = s->labels_count });
}
