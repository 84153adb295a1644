// Chapter 23, step 3. Heads among ranks.
#include "base/portable_math.h"
#include "steps.h"

static void figure_heads(Lesson *lesson)
{
    enum { X, RANK0, RANK1, RANK2, RANK3, SUM, OUT, BOXES };
    const DiagramBox boxes[BOXES] = {
        [X] = { .at = { 0, 92, 80, 44 }, .title = "x", .lines = "on all ranks" },
        [RANK0] = { .at = { 170, 0, 200, 44 },
                    .title = "rank 0",
                    .lines = "heads 0, 1 and their rows of Wo",
                    .color = COLOR_SERIES[0] },
        [RANK1] = { .at = { 170, 62, 200, 44 },
                    .title = "rank 1",
                    .lines = "heads 2, 3 and their rows of Wo",
                    .color = COLOR_SERIES[1] },
        [RANK2] = { .at = { 170, 124, 200, 44 },
                    .title = "rank 2",
                    .lines = "heads 4, 5 and their rows of Wo",
                    .color = COLOR_SERIES[2] },
        [RANK3] = { .at = { 170, 186, 200, 44 },
                    .title = "rank 3",
                    .lines = "heads 6, 7 and their rows of Wo",
                    .color = COLOR_SERIES[3] },
        [SUM] = { .at = { 480, 92, 110, 44 }, .title = "all-reduce", .lines = "four parts", .marked = true },
        [OUT] = { .at = { 680, 92, 80, 44 }, .title = "out", .lines = "on all ranks" },
    };
    const DiagramArrow arrows[] = {
        { .from = X, .to = RANK0, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT },
        { .from = X, .to = RANK1, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT },
        { .from = X, .to = RANK2, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT },
        { .from = X, .to = RANK3, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT },
        { .from = RANK0, .to = SUM, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT },
        { .from = RANK1, .to = SUM, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT },
        { .from = RANK2, .to = SUM, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT },
        { .from = RANK3, .to = SUM, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_LEFT },
        { .from = SUM, .to = OUT },
    };
    figure_diagram(lesson, "heads.png", "eight heads on four ranks: nothing is exchanged until the last sum",
                   (Diagram){ .title = "Heads among ranks",
                              .boxes = boxes,
                              .box_count = BOXES,
                              .arrows = arrows,
                              .arrow_count = sizeof arrows / sizeof *arrows });
}

void heads_split(Lesson *lesson, const Asked *asked)
{
    step(lesson, "Heads among ranks");
    figure_heads(lesson);
    enum { T = 48, D = 64, H = 8, G = 4, WIDE = 8 };
    int counts[LISTED], n = rank_counts(asked->ranks->count, counts);
    Task task = { .s = { .T = T, .H = H, .G = G, .d = WIDE, .dv = WIDE, .mask = { .causal = true } },
                  .seed = 23,
                  .D = D };
    Mat one = mat_new(lesson->arena, T, D);
    static const char *const cols[] = { "weights", "kB sent", "off, 10⁻⁷" };
    Rows table =
        rows_of(lesson, arena_format(lesson->arena, "rank 0: %d tokens, D = %d, H = %d, G = %d", T, D, H, G), cols, 3);
    table.table.whole = 1;
    double worst = 0.0;
    bool bytes = true;
    for (int i = 0; i < n; i++) {
        Gathered all = { .did = { .out = i ? mat_new(lesson->arena, T, D) : one } };
        run_task(asked, counts[i], tensor_work, &task, &all);
        double off = relative(all.did.out, one), formula = 8.0 * (counts[i] - 1) / counts[i] * T * D;
        worst = fmax(worst, off);
        bytes = bytes && fabs((double)all.bytes[0] - formula) <= (T * D % counts[i] ? 8.0 * counts[i] : 0.0);
        rows_add(&table, ROW((double)all.memory[0], (double)all.bytes[0] / 1000, off * 1e7), "R = %d", counts[i]);
    }
    show_rows(lesson, &table);
    check(lesson, worst < 2e-6, "on any number of ranks the output of one, within 2 · 10⁻⁶");
    check(lesson, bytes, "one all-reduce of the output: 2 (R - 1) / R · T · D numbers from each rank");
}
