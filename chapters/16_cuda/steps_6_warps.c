// Chapter 16, steps 6 and 7. How many warps a multiprocessor holds; what kernels ask of memory.
#include "base/portable_math.h"
#include "io/table.h"
#include "lesson/matrices.h"
#include "steps.h"

#include <string.h>

// ---- 6

static const char *const code_lines[] = {
#include "bench/gpu_code.inc"
};
enum { CODE_COLUMNS = 8 }; // registers, spilled, instructions, …

// Registers of a thread, as nvcc gives them for compute capability 9.0 and bfloat16 (data/bench/gpu_code.tsv), and how
// much shared memory a block takes. Of a rung of more than one kernel: the one that needs most. code NULL: not kept;
// up to 64 registers leave the occupancy of `first` as it is.
typedef struct {
    const char *name, *code;
    int threads;
    int (*shared)(int d);
} Kernel;

// A kernel is kept as NAME.d.KIND, or with `any` for what it does not hang on.
static int registers_of(Arena *arena, TableRows code, const char *kernel, int d)
{
    const char *names[] = { arena_format(arena, "%s.%d.bfloat16", kernel, d),
                            arena_format(arena, "%s.any.bfloat16", kernel) };
    for (int i = 0; i < code.values.rows; i++)
        if (!strcmp(code.names[i], names[0]) || !strcmp(code.names[i], names[1]))
            return (int)mat_value(code.values, i, 0);
    REQUIRE(false, "data/bench/gpu_code.tsv has no line of %s", names[0]);
    return 0;
}

static int no_shared(int d) { return 0 * d; }
static int two_tiles(int d) { return 2 * 16 * 17 * 4 + 0 * d; }
static int two_float_tiles(int d) { return 2 * 32 * d * 4; }

enum { MMA = 4 };
static const Kernel kernels[] = {
    { "first", NULL, 32, no_shared },
    { "naive", "mix_one_by_one", GPU_THREADS, no_shared },
    { "tiles", "score_tiles", 256, two_tiles },
    { "online", "online_kernel", GPU_THREADS, two_float_tiles },
    [MMA] = { "mma", "mma_kernel", GPU_THREADS, mma_shared },
    { "hopper", "hopper_kernel", HOPPER_THREADS, hopper_shared },
    { "decode", "decode_kernel", GPU_THREADS, decode_shared },
};

// Registers are dealt out to a thread eight at a time; a block takes 1 KiB of shared memory for itself.
static int dealt(int registers) { return (registers + 7) / 8 * 8; }
static int fit_by_registers(int threads, int registers) { return CARD_REGISTERS / (threads * dealt(registers)); }
static int fit_by_shared(int bytes) { return CARD_SHARED_KIB * 1024 / (bytes + 1024); }

// One row, with its divisions.
static void worked(Lesson *lesson, const Kernel *k, int registers, int d)
{
    int by_shared = fit_by_shared(k->shared(d)), by_registers = fit_by_registers(k->threads, registers);
    int blocks = gpu_smaller(by_shared, by_registers), warps = k->threads / GPU_LANES;
    say(lesson,
        "%s: %d KiB / (%d + 1) give %d blocks, and %d registers / (%d · %d) give %d. So %d block%s of %d warps "
        "run at a time.",
        k->name, CARD_SHARED_KIB, k->shared(d) / 1024, by_shared, CARD_REGISTERS, k->threads, dealt(registers),
        by_registers, blocks, blocks == 1 ? "" : "s", warps);
}

static void occupancy(Lesson *lesson, int d)
{
    static const char *const columns[] = { "threads", "KiB", "regs each", "fit: KiB", "fit: regs", "warps", "of 64 %" };
    enum { KERNELS = sizeof kernels / sizeof *kernels };
    const char *name =
        arena_format(lesson->arena, "d = %d: a block; how many fit, by shared memory and by registers", d);
    Rows rows = rows_of(lesson, name, columns, 7);
    enum { ALL = (1 << 7) - 1, KIB = 1 };
    rows.table.decimals = 1;
    rows.table.whole = ALL & ~(1 << KIB);
    rows.table.hidden = mat_new(lesson->arena, KERNELS, 7);
    TableRows code = TABLE_EMBEDDED(lesson->arena, code_lines, CODE_COLUMNS, "data/bench/gpu_code.tsv");
    for (int n = 0; n < KERNELS; n++) {
        const Kernel *k = &kernels[n];
        int registers = k->code ? registers_of(lesson->arena, code, k->code, d) : 8, warps = k->threads / GPU_LANES;
        int by_registers = fit_by_registers(k->threads, registers), by_shared = fit_by_shared(k->shared(d));
        int blocks = gpu_smaller(gpu_smaller(CARD_WARPS / warps, CARD_BLOCKS), gpu_smaller(by_registers, by_shared));
        if (!k->code) *mat_ref(rows.table.hidden, n, 2) = *mat_ref(rows.table.hidden, n, 4) = 1.0f;
        rows_add(&rows,
                 ROW(k->threads, k->shared(d) / 1024.0, registers, by_shared, by_registers, blocks * warps,
                     round(100.0 * blocks * warps / CARD_WARPS)),
                 "%s", k->name);
    }
    show_rows(lesson, &rows);
    say(lesson, "Registers are nvcc 13.0's, in naive and tiles those of the hungriest kernel; first's are not kept. "
                "Online is step 7's kernel, mma step 8's, hopper step 11's, decode step 13's.");
    worked(lesson, &kernels[MMA], registers_of(lesson->arena, code, kernels[MMA].code, d), d);
}

void how_many_warps(Lesson *lesson, int d)
{
    step(lesson, "How many warps at a time");
    occupancy(lesson, d);
}

// ---- 7

void no_table(Lesson *lesson, int d)
{
    step(lesson, "No table");
    say(lesson,
        "An H100 is sold with 989 · 10¹² operations of tensor cores and 3.35 · 10¹² bytes a second: %.0f "
        "operations for each byte.",
        CARD_FLOPS / CARD_MEMORY);
    if (!can_run()) return;
    enum { T = 128 };
    GpuProblem problem = problem_drawn(lesson, 1, 1, T, T, d, false, HALF_FLOAT16);
    static const struct {
        Run kernel;
        const char *name;
    } rungs[] = {
        { RUN_NAIVE, "naive" },
        { RUN_TILES, "tiles" },
        { RUN_ONLINE, "online" },
        { RUN_MMA, "mma" },
    };
    static const char *const names[] = { "requests", "KiB", "ops a byte", "barriers" };
    const char *title =
        arena_format(lesson->arena, "asked of memory, as if there were no caches, T = S = %d, d = %d", T, d);
    Rows table = rows_of(lesson, title, names, 4);
    table.table.decimals = 1;
    table.table.whole = 1 << 0 | 1 << 3;
    bool right = true;
    int64_t last = 0;
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++) {
        Counted ran = run(lesson, rungs[r].kernel, &problem);
        right = right && problem_error(lesson->arena, &problem) < 0x1p-11;
        last = ran.pieces;
        rows_add(&table,
                 ROW((double)ran.requests, (double)ran.pieces / 32, 4.0 * T * T * d / (32 * (double)ran.pieces),
                     (double)ran.barriers),
                 "%s", rungs[r].name);
    }
    show_rows(lesson, &table);
    check(lesson, right, "all four are within 2⁻¹¹ of float64 (relative, by root mean squares)");
    say(lesson, "A request of mma's outputs writes 16 bytes, half a piece, to each of eight rows; T / 8 pieces are "
                "logsumexps.");
    cost(lesson, "pieces that mma asks for", last, "(2·T + 4·S)·d / 32 + 2·T·d / 16 + T / 8",
         (2 * T + 4 * T) * d / 32 + 2 * T * d / 16 + T / 8);
}
