// Circuits: in the first layer they are what the model itself computes; further on they follow one piece of the stream.
#include "base/portable_math.h"
#include "model/circuits.h"
#include "model/run.h"
#include "support/config_sizes.h"
#include "support/suite.h"

// Two layers, key heads shared by two query heads, RoPE, gains that are not 1.
static Transformer model(void)
{
    Config config = { CONFIG_SIZES(7, 5, 16, 4, 2, 2), .positions = CONFIG_POSITIONS_ROPE, .causal = true };
    Transformer m = transformer_new(arena, config);
    Random random = random_from(3);
    for (int p = 0; p < m.count; p++) random_normals(&random, m.table[p].at);
    return m;
}

static void assert_same(Mat got, Mat expected)
{
    double difference = mat_max_difference(got, expected);
    ck_assert_msg(difference < 1e-4, "differs by %g", difference);
}

// The score of head h in the first layer of the model itself: query a at position r, key b at position 0.
static float score_of_run(Transformer m, int h, int a, int b, int r)
{
    int tokens[4] = { b, 0, 0, 0 };
    tokens[r] = a;
    Run run = run_transformer(arena, m, run_batch_of_one(arena, tokens, r + 1), (Mat){ 0 });
    return *mat_ref(run_head(arena, &run, 0, 0, h).scores, r, 0);
}

// For every pair of tokens, head and distance.
TEST(scores_of_the_first_layer)
{
    Transformer m = model();
    for (int h = 0; h < 4; h++)
        for (int r = 0; r < 4; r++) {
            Mat scores = circuit_scores(arena, m, 0, h, m.embedding, m.embedding, r);
            for (int a = 0; a < 7; a++)
                for (int b = 0; b < 7; b++) {
                    if (r == 0 && a != b) continue;
                    float expected = score_of_run(m, h, a, b, r), got = *mat_ref(scores, a, b);
                    ck_assert_msg(fabsf(got - expected) < 1e-4f * fmaxf(1, fabsf(expected)), "%g, not %g", (double)got,
                                  (double)expected);
                }
        }
}

// A token alone looks at itself with weight 1: what the only head that is on adds to the stream is what it writes.
TEST(what_a_head_writes)
{
    Transformer m = model();
    for (int h = 0; h < 4; h++) {
        Mat writes = circuit_writes(arena, m, 0, h, m.embedding), gates = mat_new(arena, 2, 4);
        *mat_ref(gates, 0, h) = 1.0f;
        for (int a = 0; a < 7; a++) {
            Run run = run_transformer(arena, m, run_batch_of_one(arena, &a, 1), gates);
            Mat expected = mat_new(arena, 1, 16);
            for (int c = 0; c < 16; c++)
                *mat_ref(expected, 0, c) = *mat_ref(run.layers[0].middle, 0, c) - *mat_ref(run.layers[0].in, 0, c);
            assert_same(mat_rows(writes, a, 1), expected);
        }
    }
}

// With all heads off the stream is the embedding: its logits are the model's.
TEST(logits_of_a_stream)
{
    Transformer m = model();
    const int tokens[7] = { 0, 1, 2, 3, 4, 5, 6 };
    Run run = run_transformer(arena, m, run_batch_of_one(arena, tokens, 7), mat_new(arena, 2, 4));
    assert_same(circuit_logits(arena, m, m.embedding), run.logits);
}

// Sums of what is asked for one distance at a time: over keys, and over distances 1 … 3.
TEST(over_keys_and_distances)
{
    enum { FARTHEST = 3 };
    Transformer m = model();
    Mat x = mat_rows(m.embedding, 0, 3), y = mat_rows(m.embedding, 2, 4);
    Mat far = circuit_by_distance(arena, m, 0, 1, x, y, FARTHEST);
    Mat mean = circuit_over_distances(arena, m, 0, 1, x, y, FARTHEST);
    ck_assert_int_eq(far.cols, FARTHEST + 1);
    for (int i = 0; i < 3; i++) {
        double of_row[4] = { 0 };
        for (int r = 0; r <= FARTHEST; r++) {
            Mat scores = circuit_scores(arena, m, 0, 1, x, y, r);
            double over_keys = 0.0;
            for (int j = 0; j < 4; j++) over_keys += (double)*mat_ref(scores, i, j) / 4;
            for (int j = 0; j < 4 && r > 0; j++) of_row[j] += (double)*mat_ref(scores, i, j) / FARTHEST;
            ck_assert(fabs((double)*mat_ref(far, i, r) - over_keys) < 1e-4);
        }
        for (int j = 0; j < 4; j++) ck_assert(fabs((double)*mat_ref(mean, i, j) - of_row[j]) < 1e-4);
    }
}

TEST_ABORTS(a_head_that_is_not_there, 1)
{
    Transformer m = model();
    circuit_writes(arena, m, 0, 4, m.embedding);
}
