// The map of the transformer as a diagram. The residual stream runs down the left; attention and MLP branch off it.
#include "lesson/block_map.h"

enum {
    B_LAYER,
    B_EMBEDDING,
    B_SPLIT,
    B_NORM,
    B_PROJECTIONS,
    B_POSITIONS,
    B_SCORES,
    B_MASK,
    B_SOFTMAX,
    B_SUM,
    B_GATES,
    B_OUTPUT,
    B_ADD,
    B_SPLIT_MLP,
    B_MLP_NORM,
    B_MLP_IN,
    B_RELU,
    B_MLP_OUT,
    B_ADD_MLP,
    B_LAST_NORM,
    B_LOGITS,
    B_PROBABILITIES,
    B_LOSS,
    B_NEXT,
    B_CACHE,
    BOXES
};

// Coordinates of columns and rows.
enum { X0 = 42, X1 = 130, X2 = 226, X3 = 362, X4 = 498, X5 = 634, WIDE = 110, STREAM = 66, POINT = X0 + STREAM / 2 };
enum { Y0 = 0, Y1 = 106, Y2 = 190, Y3 = 258, Y4 = 352, Y5 = 446, Y6 = 500, HIGH = 64 };

static const DiagramBox BOX[BOXES] = {
    [B_LAYER] = { .at = { 0, 72, 766, 404 }, .group = true, .color = { 49, 104, 142 } },
    [B_EMBEDDING] = { .at = { POINT - 75, Y0, 150, 0 }, .title = "embedding", .lines = "a row for each token" },
    [B_SPLIT] = { .at = { POINT, Y1 + HIGH / 2, 0, 0 }, .bare = true },
    [B_NORM] = { .at = { X1, Y1, 66, HIGH }, .title = "norm", .lines = "09" },
    [B_PROJECTIONS] = { .at = { X2, Y1, WIDE, HIGH }, .title = "Wq  Wk  Wv", .lines = "04, 06, 12, 17" },
    [B_POSITIONS] = { .at = { X3, Y1, WIDE, HIGH }, .title = "positions", .lines = "07" },
    [B_SCORES] = { .at = { X4, Y1, WIDE, HIGH }, .title = "scores", .lines = "q · k / √d\n01, 03" },
    [B_MASK] = { .at = { X5, Y1, WIDE, HIGH }, .title = "mask", .lines = "05, 07, 18" },
    [B_SOFTMAX] = { .at = { X5, Y3, WIDE, HIGH }, .title = "softmax", .lines = "weights\n02, 13, 18, 22" },
    [B_SUM] = { .at = { X4, Y3, WIDE, HIGH }, .title = "sum", .lines = "weights · v\n03" },
    [B_GATES] = { .at = { X3, Y3, WIDE, HIGH }, .title = "gates", .lines = "all H heads\n06, 10" },
    [B_OUTPUT] = { .at = { X2, Y3, WIDE, HIGH }, .title = "Wo", .lines = "06" },
    [B_ADD] = { .at = { POINT - 16, Y3 + 16, 32, 32 }, .title = "+" },
    [B_SPLIT_MLP] = { .at = { POINT, Y4 + HIGH / 2, 0, 0 }, .bare = true },
    [B_MLP_NORM] = { .at = { X1, Y4, 66, HIGH }, .title = "norm", .lines = "09" },
    [B_MLP_IN] = { .at = { X2, Y4, WIDE, HIGH }, .title = "W1 + b1", .lines = "09" },
    [B_RELU] = { .at = { X3, Y4, WIDE, HIGH }, .title = "ReLU", .lines = "max(0, ·)\n09" },
    [B_MLP_OUT] = { .at = { X4, Y4, WIDE, HIGH }, .title = "W2 + b2", .lines = "09" },
    [B_ADD_MLP] = { .at = { POINT - 16, Y5 - 16, 32, 32 }, .title = "+" },
    [B_LAST_NORM] = { .at = { X0, Y6, STREAM, HIGH }, .title = "norm", .lines = "09" },
    [B_LOGITS] = { .at = { X2, Y6, WIDE, HIGH }, .title = "Wout", .lines = "logits\n09" },
    [B_PROBABILITIES] = { .at = { X3, Y6, WIDE, HIGH }, .title = "softmax", .lines = "probabilities\n02" },
    [B_LOSS] = { .at = { X4, Y6, WIDE, HIGH }, .title = "loss", .lines = "−log p\n08, 09" },
    [B_NEXT] = { .at = { X5, Y6, WIDE, HIGH }, .title = "next token", .lines = "11, 21" },
    [B_CACHE] = { .at = { X3, Y2, WIDE, 46 }, .title = "cache", .lines = "11, 12, 17–20" },
};

// clang-format off
static const DiagramArrow ARROW[] = {
    { .from = B_EMBEDDING, .to = B_ADD, .label = "x", .label_y = -76, .thick = 3 },
    { .from = B_SPLIT, .to = B_NORM },
    { .from = B_NORM, .to = B_PROJECTIONS },
    { .from = B_PROJECTIONS, .to = B_POSITIONS, .label = "q k" },
    { .from = B_POSITIONS, .to = B_SCORES },
    { .from = B_SCORES, .to = B_MASK },
    { .from = B_MASK, .to = B_SOFTMAX },
    { .from = B_SOFTMAX, .to = B_SUM },
    { .from = B_SUM, .to = B_GATES },
    { .from = B_GATES, .to = B_OUTPUT },
    { .from = B_OUTPUT, .to = B_ADD },
    { .from = B_ADD, .to = B_ADD_MLP, .thick = 3 },
    { .from = B_SPLIT_MLP, .to = B_MLP_NORM },
    { .from = B_MLP_NORM, .to = B_MLP_IN },
    { .from = B_MLP_IN, .to = B_RELU },
    { .from = B_RELU, .to = B_MLP_OUT },
    { .from = B_MLP_OUT, .to = B_ADD_MLP, .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_RIGHT, .bend = 1 },
    { .from = B_ADD_MLP, .to = B_LAST_NORM, .thick = 3 },
    { .from = B_LAST_NORM, .to = B_LOGITS },
    { .from = B_LOGITS, .to = B_PROBABILITIES },
    { .from = B_PROBABILITIES, .to = B_LOSS },
    { .from = B_PROBABILITIES, .to = B_NEXT, .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_BOTTOM, .bend = 12 },
    { .from = B_POSITIONS, .to = B_CACHE, .label = "k" },
    { .from = B_PROJECTIONS, .to = B_CACHE, .leaves = DIAGRAM_BOTTOM, .enters = DIAGRAM_LEFT, .bend = 1, .label = "v" },
    { .from = B_CACHE, .to = B_SCORES, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_BOTTOM, .from_shift = -8, .bend = 1,
      .label = "k", .label_x = -14 },
    { .from = B_CACHE, .to = B_SUM, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_TOP, .from_shift = 8, .bend = 1,
      .label = "v", .label_x = -14, .label_y = 16 },
};
// clang-format on

// clang-format off
static const DiagramLabel LABEL[] = {
    { .x = X1, .y = 92, .style = { .size = 13, .face = CANVAS_SANS_BOLD, .color = { 49, 104, 142 } },
      .text = "a layer, L times" },
    { .x = X5 + WIDE, .y = 24, .style = { .size = 12, .color = { 104, 109, 117 }, .anchor = CANVAS_AT_END },
      .text = "numbers: the chapters that explain a part" },
};
// clang-format on

// The boxes that a component marks, ended by −1, and its name.
static const struct {
    const char *name;
    int boxes[9];
} PLACE[BLOCK_MAP_KINDS] = {
    [BLOCK_MAP_EMBEDDING] = { "the embedding", { B_EMBEDDING, -1 } },
    [BLOCK_MAP_PROJECTIONS] = { "the projections", { B_PROJECTIONS, -1 } },
    [BLOCK_MAP_CIRCUITS] = { "what a head reads with, and what it writes with", { B_PROJECTIONS, B_OUTPUT, -1 } },
    [BLOCK_MAP_POSITIONS] = { "positions", { B_POSITIONS, -1 } },
    [BLOCK_MAP_SCORES] = { "the scores", { B_SCORES, -1 } },
    [BLOCK_MAP_MASK] = { "the mask", { B_MASK, -1 } },
    [BLOCK_MAP_SOFTMAX] = { "softmax", { B_SOFTMAX, -1 } },
    [BLOCK_MAP_SUM] = { "the sum of the values", { B_SUM, -1 } },
    [BLOCK_MAP_GATES] = { "the gates of the heads", { B_GATES, -1 } },
    [BLOCK_MAP_OUTPUT] = { "Wo", { B_OUTPUT, -1 } },
    [BLOCK_MAP_MLP] = { "the MLP", { B_MLP_IN, B_RELU, B_MLP_OUT, -1 } },
    [BLOCK_MAP_LOGITS] = { "the logits", { B_LOGITS, -1 } },
    [BLOCK_MAP_LOSS] = { "the loss that all matrices learn from", { B_LOSS, -1 } },
    [BLOCK_MAP_NEXT] = { "the next token", { B_NEXT, -1 } },
    [BLOCK_MAP_CACHE] = { "the cache of keys and values", { B_CACHE, -1 } },
    [BLOCK_MAP_KEY_HEADS] = { "fewer heads of keys and values", { B_PROJECTIONS, B_CACHE, -1 } },
    [BLOCK_MAP_LATENT] = { "one latent for keys and values", { B_PROJECTIONS, B_POSITIONS, B_CACHE, -1 } },
    [BLOCK_MAP_FAMILIES] = { "where published models differ",
                             { B_NORM, B_PROJECTIONS, B_POSITIONS, B_MASK, B_MLP_NORM, B_MLP_IN, B_RELU, B_MLP_OUT,
                               -1 } },
    [BLOCK_MAP_KERNEL] = { "scores, mask, softmax and sum", { B_SCORES, B_MASK, B_SOFTMAX, B_SUM, -1 } },
};

Diagram block_map(Arena *arena, BlockMapPlace place)
{
    DiagramBox *boxes = arena_alloc(arena, BOXES * sizeof *boxes);
    for (int b = 0; b < BOXES; b++) boxes[b] = BOX[b];
    for (const int *b = PLACE[place].boxes; *b >= 0; b++) boxes[*b].marked = true;
    return (Diagram){ .title = arena_format(arena, "The transformer. Marked: %s", PLACE[place].name),
                      .boxes = boxes,
                      .box_count = BOXES,
                      .arrows = ARROW,
                      .arrow_count = sizeof ARROW / sizeof *ARROW,
                      .labels = LABEL,
                      .label_count = sizeof LABEL / sizeof *LABEL };
}

void block_map_figure(Lesson *lesson, const char *file, BlockMapPlace place)
{
    const char *caption = arena_format(lesson->arena, "the map of the transformer; marked: %s", PLACE[place].name);
    lesson_figure_diagram(lesson, file, caption, block_map(lesson->arena, place));
}
