// A run as a trace: every head of every layer in its own columns, keys and values once a group.
#include "model/run_trace.h"

#include "io/bench.h"
#include "support/config_sizes.h"
#include "support/reference.h"
#include "support/suite.h"

BENCH_FIXTURE;

static Mat tensor(const Tensors *file, Arena *memory, int layer, const char *name)
{
    const NpyArray *a = tensors_find(file, arena_format(memory, "layers.%d.%s", layer, name));
    ck_assert_msg(a != NULL, "there is no layers.%d.%s", layer, name);
    int cols = (int)a->shape[a->axes - 1], rows = (int)a->count / cols;
    return (Mat){ a->at, rows, cols, cols };
}

TEST(every_head_is_in_its_columns)
{
    enum { N = 5, D = 16, WIDTH = 4 };
    const Config config = { CONFIG_SIZES(6, 6, D, 4, 2, 3), .causal = true, .positions = CONFIG_POSITIONS_ROPE };
    static const char *const words[N] = { "a", "b", "c", "b", "e" };
    static const int tokens[N] = { 0, 1, 2, 1, 4 };
    Arena *memory = bench.arena;
    Random random = random_from(3);
    Transformer model = transformer_new(memory, config);
    transformer_init(model, &random);
    Run run = run_transformer(memory, model, run_batch_of_one(memory, tokens, N), (Mat){ 0 });
    Trace *trace = trace_open(memory);
    run_trace(trace, &run, words);

    char *path = bench_path(&bench, "t.safetensors");
    Tensors file;
    ck_assert(trace_write(trace, path, &bench.error) && safetensors_read(&file, memory, path, &bench.error));
    ck_assert_int_eq(file.count, 3 * 6);
    ck_assert_str_eq(tensors_note(&file, "tokens"), "[\"a\",\"b\",\"c\",\"b\",\"e\"]");
    for (int l = 0; l < config.L; l++)
        for (int h = 0; h < config.H; h++) {
            RunHeadStages head = run_head(memory, &run, 0, l, h);
            int own = h * WIDTH, shared = h / 2 * WIDTH;
            ck_assert(mat_equal(mat_cols(tensor(&file, memory, l, "q"), own, WIDTH), head.q));
            ck_assert(mat_equal(mat_cols(tensor(&file, memory, l, "k"), shared, WIDTH), head.k));
            ck_assert(mat_equal(mat_cols(tensor(&file, memory, l, "v"), shared, WIDTH), head.v));
            ck_assert(mat_equal(mat_rows(tensor(&file, memory, l, "scores"), h * N, N), head.scores));
            ck_assert(mat_equal(mat_rows(tensor(&file, memory, l, "weights"), h * N, N), head.weights));
            ck_assert(mat_equal(mat_cols(tensor(&file, memory, l, "heads"), own, WIDTH), head.head));
        }
    ck_assert_int_eq(tensor(&file, memory, 0, "k").cols, 2 * WIDTH);
}
