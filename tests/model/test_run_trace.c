// A run as a trace: every head of every layer in its own columns, keys and values once a group.
#include "model/run_trace.h"

#include "io/bench.h"
#include "support/reference.h"

static Mat tensor(const Tensors *file, Arena *arena, int layer, const char *name)
{
    const NpyArray *a = tensors_find(file, arena_format(arena, "layers.%d.%s", layer, name));
    ck_assert_msg(a != NULL, "there is no layers.%d.%s", layer, name);
    int cols = (int)a->shape[a->axes - 1], rows = (int)a->count / cols;
    return (Mat){ a->at, rows, cols, cols };
}

START_TEST(every_head_is_in_its_columns)
{
    enum { N = 5, D = 16, WIDTH = 4 };
    const Config config = {
        .words = 6, .outputs = 6, .D = D, .H = 4, .G = 2, .L = 3, .causal = true, .positions = CONFIG_POSITIONS_ROPE
    };
    static const char *const words[N] = { "a", "b", "c", "b", "e" };
    static const int tokens[N] = { 0, 1, 2, 1, 4 };
    Bench bench = bench_open();
    Arena *arena = bench.arena;
    Random random = random_from(3);
    Transformer model = transformer_new(arena, config);
    transformer_init(model, &random);
    Run run = run_transformer(arena, model, run_batch_of_one(arena, tokens, N), (Mat){ 0 });
    Trace *trace = trace_open(arena);
    run_trace(trace, &run, words);

    char *path = bench_path(&bench, "t.safetensors");
    Tensors file;
    ck_assert(trace_write(trace, path, &bench.error) && safetensors_read(&file, arena, path, &bench.error));
    ck_assert_int_eq(file.count, 3 * 6);
    ck_assert_str_eq(tensors_note(&file, "tokens"), "[\"a\",\"b\",\"c\",\"b\",\"e\"]");
    for (int l = 0; l < config.L; l++)
        for (int h = 0; h < config.H; h++) {
            RunHeadStages head = run_head(arena, &run, 0, l, h);
            int own = h * WIDTH, shared = h / 2 * WIDTH;
            ck_assert(mat_equal(mat_cols(tensor(&file, arena, l, "q"), own, WIDTH), head.q));
            ck_assert(mat_equal(mat_cols(tensor(&file, arena, l, "k"), shared, WIDTH), head.k));
            ck_assert(mat_equal(mat_cols(tensor(&file, arena, l, "v"), shared, WIDTH), head.v));
            ck_assert(mat_equal(mat_rows(tensor(&file, arena, l, "scores"), h * N, N), head.scores));
            ck_assert(mat_equal(mat_rows(tensor(&file, arena, l, "weights"), h * N, N), head.weights));
            ck_assert(mat_equal(mat_cols(tensor(&file, arena, l, "heads"), own, WIDTH), head.head));
        }
    ck_assert_int_eq(tensor(&file, arena, 0, "k").cols, 2 * WIDTH);
    bench_close(&bench);
}
END_TEST

Suite *run_trace_suite(void);
Suite *run_trace_suite(void)
{
    Suite *suite = suite_create("run_trace");
    TCase *tests = tcase_create("run_trace");
    tcase_add_test(tests, every_head_is_in_its_columns);
    suite_add_tcase(suite, tests);
    return suite;
}
