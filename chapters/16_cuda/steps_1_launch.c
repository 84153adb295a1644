// Chapter 16, steps 1 and 2. A kernel and its launch as two loops; the memories of a card.
#include "attention/attention.h"
#include "base/portable_math.h"
#include "lesson/matrices.h"
#include "steps.h"

// ---- 1. What a card has in the place of loops: every thread finds its place in these.

static struct {
    unsigned x;
} blockIdx, blockDim, threadIdx;
#define __global__ static
#include "first.h"

// first_scores<<<blocks, threads>>>(…): all threads of all blocks, in whatever order.
static void launch(int blocks, int threads, bool backward, Mat scores, Mat q, Mat k)
{
    blockDim.x = (unsigned)threads;
    for (int n = 0; n < blocks * threads; n++) {
        int thread = backward ? blocks * threads - 1 - n : n;
        blockIdx.x = (unsigned)(thread / threads);
        threadIdx.x = (unsigned)(thread % threads);
        first_scores(scores.at, q.at, k.at, q.rows, k.rows, q.cols);
    }
}

void a_kernel_and_its_launch(Lesson *lesson)
{
    step(lesson, "A kernel and its launch");
    enum { THREADS = 32 };
    Sentence s = lesson->sentence;
    int it = sentence_find(&s, "it"), animal = sentence_find(&s, "animal");
    if (it < 0) it = s.T - 1;
    if (animal < 0) animal = 0;
    Mat x = mat_copy(lesson->arena, s.x), want = mat_new(lesson->arena, s.T, s.T);
    Mat there = mat_new(lesson->arena, s.T, s.T), back = mat_new(lesson->arena, s.T, s.T);
    int scores = s.T * s.T, blocks = (scores + THREADS - 1) / THREADS, n = it * s.T + animal;
    int idle = blocks * THREADS - scores;
    attention_scores(want, x, x, (Mask){ 0 });
    launch(blocks, THREADS, false, there, x, x);
    launch(blocks, THREADS, true, back, x, x);
    say(lesson,
        "first_scores<<<%d, %d>>>: %d block%s of %d threads, run here one after the other. %d thread%s a "
        "score%s, %d %s nothing to do.",
        blocks, THREADS, blocks, blocks == 1 ? "" : "s", THREADS, scores, scores == 1 ? " has" : "s have",
        scores == 1 ? "" : " each", idle, idle == 1 ? "has" : "have");
    say(lesson, "The score of \"%s\" and \"%s\" is number %d · %d + %d = %d: block %d, thread %d. It is %.3f.",
        s.words[it], s.words[animal], it, s.T, animal, n, n / THREADS, n % THREADS,
        (double)*mat_ref(there, it, animal));
    check(lesson, mat_max_difference(there, want) < 1e-4, "the table is that of chapter 03");
    check(lesson, mat_equal(there, back), "with the last thread first it is the same, to the bit");
    trace_mat(lesson->trace, "first.scores", there);
}

// ---- 2

static void memories(Lesson *lesson)
{
    static const char *const columns[] = { "MiB in all", "GB/s", "cycles" };
    Rows rows = rows_of(lesson, "an H100: size, speed, cycles until a number is there", columns, 3);
    rows.table.decimals = -1;
    const double mib = 1024 * 1024;
    rows_add(&rows, ROW(4.0 * CARD_REGISTERS * CARD_PROCESSORS / mib, 0, 0), "registers");
    const CardMeasured m = card_measured(lesson->arena);
    rows_add(&rows,
             ROW(CARD_SHARED_KIB * CARD_PROCESSORS / 1024.0, 1e-9 * CARD_BANK_BYTES * CARD_PROCESSORS * m.clock,
                 m.shared_wait),
             "shared memory");
    rows_add(&rows, ROW(0, 0, round(m.l1_wait)), "L1 cache");
    rows_add(&rows, ROW(50, 1e-9 * m.l2, round(m.l2_wait)), "L2 cache");
    rows_add(&rows, ROW(80 * 1024, 1e-9 * m.memory, round(m.memory_wait)), "memory");
    rows.table.given = true;
    rows.table.hidden = mat_new(lesson->arena, 5, 3);
    *mat_ref(rows.table.hidden, 0, 1) = *mat_ref(rows.table.hidden, 0, 2) = 1.0f;
    *mat_ref(rows.table.hidden, 2, 0) = *mat_ref(rows.table.hidden, 2, 1) = 1.0f;
    show_rows(lesson, &rows);
    say(lesson,
        "Measured on %s: the cycles, and the speed of L2 cache and memory, at %.0f MHz. Memory is sold with "
        "%.0f GB/s. Shared memory is taken to give %d bytes a cycle and multiprocessor; that and the sizes are "
        "NVIDIA's. A multiprocessor has %d KiB for shared memory, %d at most, and L1 cache.",
        m.date, 1e-6 * m.clock, 1e-9 * CARD_MEMORY, CARD_BANK_BYTES, CARD_NEAR_KIB, CARD_SHARED_KIB);
    check(lesson, m.shared_wait < m.l1_wait && m.l1_wait < m.l2_wait && m.l2_wait < m.memory_wait && m.memory < m.l2,
          "the nearer a memory, the faster it is");
}

enum {
    BOX_MEMORY,
    BOX_CACHE,
    BOX_SM0,
    BOX_SM1,
    BOX_SHARED0,
    BOX_SHARED1,
    BOX_BLOCKS,
    BOX_WARPS = BOX_BLOCKS + 4,
    BOX_REGISTERS = BOX_WARPS + 16,
    BOXES = BOX_REGISTERS + 2
};

static void put_processor(Arena *arena, DiagramBox *boxes, int m)
{
    const CardMeasured measured = card_measured(arena);
    const Color blue = { 49, 104, 142 };
    double x = 396 * m;
    boxes[BOX_SM0 + m] = (DiagramBox){ .at = { x, 172, 376, 326 },
                                       .group = true,
                                       .color = blue,
                                       .title = m ? "multiprocessor 1 (of 132)" : "multiprocessor 0" };
    boxes[BOX_SHARED0 + m] =
        (DiagramBox){ .at = { x + 16, 206, 344, 48 },
                      .title = "shared memory and L1 cache",
                      .lines = arena_format(arena, "%d KiB, shared %d at most · %.0f and %.0f cycles", CARD_NEAR_KIB,
                                            CARD_SHARED_KIB, measured.shared_wait, measured.l1_wait) };
    boxes[BOX_REGISTERS + m] = (DiagramBox){ .at = { x + 16, 434, 344, 48 },
                                             .title = "registers",
                                             .lines = "256 KiB · nearest · dealt out to threads" };
    for (int b = 0; b < 2; b++) {
        double left = x + 16 + 176 * b;
        boxes[BOX_BLOCKS + 2 * m + b] = (DiagramBox){ .at = { left, 276, 168, 136 },
                                                      .group = true,
                                                      .title = arena_format(arena, "block %d", m + 132 * b),
                                                      .color = { 104, 109, 117 } };
        for (int w = 0; w < 4; w++)
            boxes[BOX_WARPS + 8 * m + 4 * b + w] =
                (DiagramBox){ .at = { left + 10 + 76 * (w % 2), 306 + 50 * (w / 2), 72, 40 },
                              .lines = arena_format(arena, "warp %d\n32 lanes", w) };
    }
}

static DiagramArrow down(int from, int to, double from_shift, double to_shift)
{
    return (DiagramArrow){ .from = from,
                           .to = to,
                           .leaves = DIAGRAM_BOTTOM,
                           .enters = DIAGRAM_TOP,
                           .from_shift = from_shift,
                           .to_shift = to_shift };
}

static void grid_figure(Lesson *lesson)
{
    const CardMeasured measured = card_measured(lesson->arena);
    DiagramBox boxes[BOXES] = {
        [BOX_MEMORY] = { .at = { 0, 0, 772, 48 },
                         .title = "memory of the card",
                         .lines = arena_format(lesson->arena, "80 GiB · %.2f TB/s · %.0f cycles · for all blocks",
                                               1e-12 * measured.memory, measured.memory_wait) },
        [BOX_CACHE] = { .at = { 0, 86, 772, 48 },
                        .title = "L2 cache",
                        .lines = arena_format(lesson->arena, "50 MiB · %.1f TB/s · %.0f cycles · for all blocks",
                                              1e-12 * measured.l2, measured.l2_wait) },
    };
    for (int m = 0; m < 2; m++) put_processor(lesson->arena, boxes, m);
    const DiagramArrow arrows[] = {
        { .from = BOX_MEMORY, .to = BOX_CACHE },        down(BOX_CACHE, BOX_SHARED0, -138, 60),
        down(BOX_CACHE, BOX_SHARED1, 258, 60),          down(BOX_SHARED0, BOX_BLOCKS, -88, 0),
        down(BOX_SHARED0, BOX_BLOCKS + 1, 88, 0),       down(BOX_SHARED1, BOX_BLOCKS + 2, -88, 0),
        down(BOX_SHARED1, BOX_BLOCKS + 3, 88, 0),       down(BOX_BLOCKS, BOX_REGISTERS, 0, -88),
        down(BOX_BLOCKS + 1, BOX_REGISTERS, 0, 88),     down(BOX_BLOCKS + 2, BOX_REGISTERS + 1, 0, -88),
        down(BOX_BLOCKS + 3, BOX_REGISTERS + 1, 0, 88),
    };
    figure_diagram(lesson, "grid.png", "a grid of blocks on a card, and the memories that they share",
                   (Diagram){ .title = "A grid on a card: blocks, warps, memories (H100)",
                              .boxes = boxes,
                              .box_count = BOXES,
                              .arrows = arrows,
                              .arrow_count = sizeof arrows / sizeof *arrows });
}

void where_numbers_live(Lesson *lesson)
{
    step(lesson, "Where numbers live");
    memories(lesson);
    grid_figure(lesson);
}
