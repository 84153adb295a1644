// Whole training steps against PyTorch: loss, gradient, clipping, schedules and AdamW, in two shapes of the
// transformer. data/reference/README.md says where the numbers come from.
#include "train/train.h"

#include "base/portable_math.h"
#include "io/npy.h"
#include "support/config_sizes.h"
#include "support/flat.h"
#include "support/reference.h"
#include "support/suite.h"

// Sums have at most 400 terms of size 1. The numbers are stored as float32, so compiled for float64 (tests/support/
// float64_shim.h) the code can be held to that.
static const bool wide = sizeof(float) == sizeof(double);
#define RTOL (wide ? 1e-7 : 1e-5)
#define ATOL (wide ? 1e-8 : 4e-6)

typedef struct {
    const char *name;
    Config config;
    TrainingRecipe recipe;
    int count, start[5];
} Case;

// clang-format off
static const Case cases[] = {
    { "encoder", { CONFIG_SIZES(11, 9, 16, 4, 2, 2), .mlp = 10, .positions = CONFIG_POSITIONS_ROPE, .window = (const int[]){ 3, 0 } },
      { .steps = 4, .batch = 4, .warmup = 2, .lr = 0.01, .plateau = 0.25, .floor = 0.05,
        .adamw = { 0.9, 0.98, 1e-3, 0.1 }, .clip = 0.5, .bonus = 0.3 }, 4, { 0, 5, 6, 6, 13 } },
    { "decoder", { CONFIG_SIZES(8, 8, 12, 2, 2, 2), .positions = CONFIG_POSITIONS_ALIBI, .causal = true },
      { .steps = 6, .batch = 3, .warmup = 3, .lr = 0.02, .plateau = 1.0, .adamw = { 0.8, 0.95, 1e-3, 0.0 },
        .clip = 100.0, .bonus = 0.2, .ramp = 0.5 }, 3, { 0, 6, 8, 12 } },
};
// clang-format on
enum { CASES = sizeof cases / sizeof *cases, STEPS = 3 };

static Mat stored(const Case *k, const char *what)
{
    Mat m;
    Error error;
    const char *path = arena_format(arena, "data/reference/training_%s_%s.npy", k->name, what);
    bool read = npy_read_mat(&m, arena, path, &error);
    ck_assert_msg(read, "%s", error.text);
    return m;
}

// The batch of the case, whatever is asked for. It has no memory of its own, so `corpus` is the Batch.
static RunBatch the_batch(Arena *to, int count, Random *random, const void *corpus)
{
    const RunBatch *batch = corpus;
    (void)to;
    (void)random;
    ck_assert_int_eq(count, batch->count);
    return *batch;
}

static RunBatch batch_of(const Case *k)
{
    Mat m = stored(k, "batch");
    int *tokens = arena_alloc(arena, (size_t)m.cols * sizeof *tokens);
    int *targets = arena_alloc(arena, (size_t)m.cols * sizeof *targets);
    ck_assert_int_eq(m.cols, k->start[k->count]);
    for (int i = 0; i < m.cols; i++) {
        tokens[i] = (int)*mat_ref(m, 0, i);
        targets[i] = (int)*mat_ref(m, 1, i);
    }
    return (RunBatch){ k->count, k->start, tokens, targets };
}

static Training *training_of(const Case *k)
{
    Training *t = training_open(arena, k->config, k->recipe);
    flat_set(t->model, stored(k, "before"));
    return t;
}

static void assert_stored(const Case *k, const char *what, Mat got)
{
    case_is("%s, %s", k->name, what);
    assert_close(got, table_of(arena, stored(k, what)).at, RTOL, ATOL);
}

TEST_EACH(three_steps, CASES)
{
    const Case *k = &cases[_i];
    RunBatch batch = batch_of(k);
    Mat numbers = stored(k, "numbers"); // loss, length of the gradient, rate, bonus
    Training *t = training_of(k);
    for (int step = 0; step < STEPS; step++) {
        ck_assert_double_eq_tol(training_learning_rate(&k->recipe, step), (double)*mat_ref(numbers, step, 2), 1e-9);
        ck_assert_double_eq_tol(training_peak_bonus(&k->recipe, step), (double)*mat_ref(numbers, step, 3), 1e-7);
        double loss = training_step(t, the_batch, &batch), want = (double)*mat_ref(numbers, step, 0);
        ck_assert_msg(fabs(loss - want) <= RTOL * want, "%s, step %d: loss %.9g, not %.9g", k->name, step, loss, want);
        if (step == 0) assert_stored(k, "clipped", flat_copy(arena, t->part[0].gradient));
        if (step == 0) assert_stored(k, "after_1", flat_copy(arena, t->model));
        if (step == 2) assert_stored(k, "after_3", flat_copy(arena, t->model));
    }
    training_close(t);
}
