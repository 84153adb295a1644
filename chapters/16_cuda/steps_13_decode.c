// Chapter 16, steps 13 and 14. One query a head; what 16 bits cost.
#include "attention/attention.h"
#include "base/portable_math.h"
#include "lesson/matrices.h"
#include "steps.h"

// ---- 13

// How fast the keys came on a card, with so many blocks; and of the fastest.
static void more_and_more_blocks(Lesson *lesson)
{
    static const char *const columns[] = { "blocks", "GB/s", "of the most %" };
    enum { G = 8 };
    const CardMeasured m = card_measured(lesson->arena);
    const char *title = arena_format(lesson->arena, "H100, %s: B = 1, S = 65536, H = 32, G = %d, d = 128", m.date, G);
    Rows rows = rows_of(lesson, title, columns, 3);
    rows.table.decimals = -1;
    rows.table.given = true;
    double most = 0, one_each = 0;
    int each = 0;
    for (int n = 0; n < m.decoded; n++) most = fmax(most, m.speed[n]);
    for (int n = 0; n < m.decoded; n++) {
        if (m.blocks[n] <= CARD_PROCESSORS) {
            one_each = m.speed[n];
            each = m.blocks[n];
        }
        int splits = m.blocks[n] / G;
        rows_add(&rows, ROW(m.blocks[n], round(1e-9 * m.speed[n]), round(100 * m.speed[n] / most)), "%d split%s",
                 splits, splits == 1 ? "" : "s");
    }
    show_rows(lesson, &rows);
    check(lesson, m.speed[0] < 0.2 * most && one_each > 0.99 * most,
          "%d blocks get less than a fifth, %d more than 99 %%", m.blocks[0], each);
}

static void splits_of_some_sizes(Lesson *lesson, int d)
{
    enum { H = 32, G = 8 };
    static const struct {
        int B, keys;
    } sizes[] = { { 1, 4096 }, { 1, 32768 }, { 16, 32768 }, { 64, 4096 } };
    static const char *const columns[] = { "MiB", "blocks", "splits", "blocks now", "extra %" };
    const char *title = arena_format(lesson->arena, "H = %d, G = %d, d = %d: blocks, and with the keys split", H, G, d);
    Rows rows = rows_of(lesson, title, columns, 5);
    rows.table.decimals = 1;
    rows.table.whole = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3;
    for (int r = 0; r < 4; r++) {
        int B = sizes[r].B, keys = sizes[r].keys, splits = decode_splits(B, H, G, keys, CARD_PROCESSORS);
        double cache = 4.0 * B * keys * G * d, extra = 8.0 * (double)decode_scratch(B, H, d, splits);
        rows_add(&rows, ROW(cache / (1024 * 1024), B * G, splits, splits * B * G, splits > 1 ? 100 * extra / cache : 0),
                 "B = %d, S = %d", B, keys);
    }
    show_rows(lesson, &rows);
    say(lesson, "Extra: what the blocks write and the second kernel reads, of the keys and values.");
}

static void decoding_is_counted(Lesson *lesson, int d)
{
    enum { H = 8, G = 2, S = 1000 };
    if (!can_run()) return;
    GpuProblem problem = problem_drawn(lesson, H, G, 1, S, d, true, HALF_FLOAT16);
    Counted ran = run(lesson, RUN_DECODE, &problem);
    check(lesson, problem_error(lesson->arena, &problem) < 0x1p-11,
          "%d heads, %d key heads, %d keys: within 2⁻¹¹ of float64 (relative)", H, G, S);
    int warps = GPU_WARPS * decode_splits(1, H, G, S, CARD_PROCESSORS);
    cost(lesson, "bytes copied", ran.copied, "each key and value once, 4·S·G·d, and queries for each warp",
         4 * S * G * d + 2 * H * d * warps);
}

void one_query(Lesson *lesson, Asked asked)
{
    step(lesson, "One query: heads share a tile, warps split the keys");
    decoding_is_counted(lesson, width_or(asked, 64));
    more_and_more_blocks(lesson);
    splits_of_some_sizes(lesson, width_or(asked, 128));
}

// ---- 14

static const char *const kind_names[] = { [HALF_FLOAT16] = "float16", [HALF_BFLOAT16] = "bfloat16" };

// q = k = X and the identity as values, in rows as wide as the kernel wants them: the output is the table of weights.
static Mat weights_of(Lesson *lesson, Mat x, int width, HalfKind kind)
{
    Mat wide = mat_new(lesson->arena, x.rows, width), v = mat_new(lesson->arena, x.rows, width);
    mat_set(mat_cols(wide, 0, x.cols), x);
    for (int t = 0; t < x.rows; t++) *mat_ref(v, t, t) = 1.0f;
    GpuProblem problem = problem_of(lesson->arena, wide, wide, v, 1, width, false, kind);
    problem.scale = 1.0f / sqrtf((float)x.cols);
    run_unwatched(lesson, RUN_MMA, &problem);
    return mat_cols(problem_out(lesson->arena, &problem), 0, x.rows);
}

static void the_books_head(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    Sentence s = lesson->sentence;
    int width = s.x.cols > 64 || s.T > 64 ? 128 : 64, it = sentence_find(&s, "it");
    int animal = sentence_find(&s, "animal");
    if (it < 0) it = s.T - 1;
    if (animal < 0) animal = 0;
    Mat x = s.x.cols > width ? mat_cols(s.x, 0, width) : s.x; // a reader's own table may be wider than a head
    Mat out = mat_new(arena, s.T, x.cols), weights = mat_new(arena, s.T, s.T);
    attention_naive((Attended){ .out = out, .weights = weights }, x, x, x, (Mask){ 0 });
    trace_mat(lesson->trace, "x", x);
    if (!can_run()) return;
    const char *columns[] = { s.words[animal], "off by", "most" };
    Rows rows = rows_of(lesson, "weights", columns, 3);
    rows.table.decimals = 6;
    float weight = *mat_ref(weights, it, animal);
    bool same = true;
    rows_add(&rows, ROW(weight, 0, 0), "float32, chapter 03");
    for (int kind = HALF_FLOAT16; kind <= HALF_BFLOAT16; kind++) {
        Mat got = weights_of(lesson, x, width, (HalfKind)kind);
        float here = *mat_ref(got, it, animal);
        rows_add(&rows, ROW(here, fabsf(here - weight), mat_max_difference(got, weights)), "%s", kind_names[kind]);
        same = same && fabsf(here - 0.113f) < 0.0005f;
        trace_mat(lesson->trace, arena_format(arena, "weights.%s", kind_names[kind]), got);
    }
    say(lesson,
        "The book's head, q = k = X, v the identity, so that outputs are weights, through mma.cu; d = %d is "
        "filled up to %d with zeros. What \"%s\" gives to \"%s\", and how far any weight is from chapter 03's:",
        x.cols, width, s.words[it], s.words[animal]);
    show_rows(lesson, &rows);
    if (!lesson->own_words) check(lesson, same, "in both, \"it\" gives \"animal\" %.3f", (double)weight);
}

static void errors(Lesson *lesson)
{
    if (!can_run()) return;
    static const char *const columns[] = { "full", "causal", "allowed" };
    Rows rows = rows_of(lesson, "relative error in thousandths, T = 150, S = 170, H = 2, G = 1", columns, 3);
    rows.table.decimals = 3;
    bool within = true;
    for (int r = 0; r < 4; r++) {
        HalfKind kind = r / 2 ? HALF_BFLOAT16 : HALF_FLOAT16;
        int d = r % 2 ? 128 : 64;
        double allowed = kind == HALF_BFLOAT16 ? 0x1p-8 : 0x1p-11, error[2];
        for (int causal = 0; causal < 2; causal++) {
            GpuProblem problem = problem_drawn(lesson, 2, 1, 150, 170, d, causal, kind);
            run_unwatched(lesson, RUN_MMA, &problem);
            error[causal] = problem_error(lesson->arena, &problem);
            within = within && error[causal] < allowed;
        }
        rows_add(&rows, ROW(1000 * error[0], 1000 * error[1], 1000 * allowed), "%s, d = %d", kind_names[kind], d);
    }
    show_rows(lesson, &rows);
    check(lesson, within, "each is below 2⁻¹¹ or 2⁻⁸, by which a single number of its kind may be off");
}

void how_far(Lesson *lesson)
{
    step(lesson, "What 16 bits cost");
    the_books_head(lesson);
    errors(lesson);
}
