// Traces: which names mean what, and what is written stands in the file under its name, with its shape.
#include "io/trace.h"

#include "io/bench.h"
#include "io/json.h"
#include "support/suite.h"

BENCH_FIXTURE;

TEST(test_names)
{
    // clang-format off
    static const struct {
        const char *name;
        int kind, layer;
    } cases[] = {
        { "weights", TRACE_WEIGHTS, -1 }, { "scores", TRACE_SCORES, -1 }, { "q", TRACE_Q, -1 }, { "k", TRACE_K, -1 },
        { "v", TRACE_V, -1 }, { "heads", TRACE_HEADS, -1 }, { "out", TRACE_OUT, -1 },
        { "layers.0.out", TRACE_OUT, 0 }, { "layers.23.q", TRACE_Q, 23 },
        { "layers.999999999.heads", TRACE_HEADS, 999999999 }, { "", -1, 0 }, { "x", -1, 0 }, { "weights.0", -1, 0 },
        { "layers.", -1, 0 }, { "layers.-1.q", -1, 0 }, { "layers.99999999999.q", -1, 0 },
        { "layers.1.layers.1.q", -1, 0 },
    };
    // clang-format on
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        TraceKind kind;
        int layer;
        bool known = trace_kind(&kind, &layer, cases[c].name);
        ck_assert_msg(known == (cases[c].kind >= 0), "%s", cases[c].name);
        if (known) ck_assert_msg((int)kind == cases[c].kind && layer == cases[c].layer, "%s", cases[c].name);
        if (known && layer < 0) ck_assert_str_eq(trace_name(kind), cases[c].name);
    }
}

static Mat counted_up(Arena *memory, int rows, int cols, float first)
{
    Mat m = mat_new(memory, rows, cols);
    for (int n = 0; n < rows * cols; n++) m.at[n] = first + (float)n;
    return m;
}

static Tensors written(const Trace *trace)
{
    Tensors file;
    char *path = bench_path(&bench, "t.safetensors");
    ck_assert_msg(trace_write(trace, path, &bench.error), "%s", bench.error.text);
    ck_assert_msg(safetensors_read(&file, bench.arena, path, &bench.error), "%s", bench.error.text);
    return file;
}

// The tensor's shape, its first and its last number.
static void assert_tensor(const Tensors *file, const char *name, const char *shape, float first, float last)
{
    Arena *memory = arena_open();
    const NpyArray *a = tensors_find(file, name);
    ck_assert_msg(a != NULL, "there is no %s", name);
    ck_assert_str_eq(shape_text(memory, a->axes, a->shape), shape);
    ck_assert_msg(a->at[0] == first && a->at[a->count - 1] == last, "%s: %g … %g", name, (double)a->at[0],
                  (double)a->at[a->count - 1]);
    arena_close(memory);
}

// T = 2, S = 3, H = 4, G = 2, d = 2, dv = 5. q is a view with other columns beside it.
TEST(test_heads)
{
    Arena *memory = bench.arena;
    Trace *trace = trace_open(memory);
    Mat scores = counted_up(memory, 8, 3, 40), q = mat_cols(counted_up(memory, 2, 12, 0), 4, 8);
    trace_heads(trace, (TraceHeads){ .H = 4,
                                     .q = q,
                                     .k = counted_up(memory, 3, 4, 10),
                                     .v = counted_up(memory, 3, 10, 20),
                                     .scores = scores,
                                     .heads = counted_up(memory, 2, 20, 70) });
    mat_fill(scores, -1); // it was copied
    Tensors file = written(trace);
    ck_assert_int_eq(file.count, 5); // what is empty is left out
    assert_tensor(&file, "q", "(2, 8)", 4, 23);
    assert_tensor(&file, "k", "(3, 4)", 10, 21);
    assert_tensor(&file, "v", "(3, 10)", 20, 49);
    assert_tensor(&file, "scores", "(4, 2, 3)", 40, 63);
    assert_tensor(&file, "heads", "(2, 20)", 70, 109);
    ck_assert(trace_format(file.notes, file.notes_count));
    ck_assert(!trace_format(NULL, 0) && !trace_format(&(TensorNote){ "format", "manyheads model 1" }, 1));
}

// One head is (T, S). Other names, notes and words: the last ones count.
TEST(test_one_head_and_words)
{
    Arena *memory = bench.arena;
    Trace *trace = trace_open(memory);
    const char *const queries[] = { "The", "\"a\"", "ä" }, *const keys[] = { "x" };
    trace_words(trace, keys, 1, keys, 1);
    trace_words(trace, queries, 3, keys, 1);
    trace_head_names(trace, queries + 1, 2);
    trace_note(trace, "chapter", "06");
    trace_mat(trace, "dx", counted_up(memory, 2, 2, 1));
    trace_stack(trace, "maps", counted_up(memory, 6, 2, 1), 3);
    trace_heads(trace, (TraceHeads){ .x = counted_up(memory, 2, 7, 0),
                                     .weights = counted_up(memory, 2, 3, 5),
                                     .out = counted_up(memory, 2, 7, 9) });
    Tensors file = written(trace);
    assert_tensor(&file, "dx", "(2, 2)", 1, 4);
    assert_tensor(&file, "maps", "(3, 2, 2)", 1, 12);
    assert_tensor(&file, "x", "(2, 7)", 0, 13);
    assert_tensor(&file, "weights", "(2, 3)", 5, 10);
    assert_tensor(&file, "out", "(2, 7)", 9, 22);
    ck_assert_str_eq(tensors_note(&file, "tokens"), "[\"The\",\"\\\"a\\\"\",\"ä\"]");
    ck_assert_str_eq(tensors_note(&file, "key_tokens"), "[\"x\"]");
    ck_assert_str_eq(tensors_note(&file, "head_names"), "[\"\\\"a\\\"\",\"ä\"]");
    ck_assert_str_eq(tensors_note(&file, "chapter"), "06");
    ck_assert_int_eq(file.notes_count, 5);
}

TEST(test_walk)
{
    Arena *memory = bench.arena;
    Trace *trace = trace_open(memory);
    const TraceTile tiles[] = {
        { 0, 2, 0, 3, counted_up(memory, 4, 5, 0), counted_up(memory, 4, 3, 100) },
        { 2, 2, 3, 2, counted_up(memory, 4, 5, 50), counted_up(memory, 4, 3, 200) },
    };
    trace_walk(trace, tiles, 2);
    Tensors file = written(trace);
    assert_tensor(&file, "walk.weights", "(2, 4, 5)", 0, 69);
    assert_tensor(&file, "walk.state", "(2, 4, 3)", 100, 211);
    assert_tensor(&file, "walk.tiles", "(2, 4)", 0, 2);
    const float right[] = { 0, 2, 0, 3, 2, 2, 3, 2 };
    ck_assert_mem_eq(tensors_find(&file, "walk.tiles")->at, right, sizeof right);
}

TEST(test_a_name_twice_is_refused)
{
    Trace *trace = trace_open(bench.arena);
    trace_mat(trace, "x", mat_new(bench.arena, 1, 1));
    trace_mat(trace, "x", mat_new(bench.arena, 1, 1));
    ck_assert(!trace_write(trace, bench_path(&bench, "t"), &bench.error));
    ck_assert_int_eq(entries_in(bench.folder), 0);
}
