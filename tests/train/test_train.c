// lib/train/train.c and induction.c: schedules, the same bytes for the same seed and any number of threads, and
// model A.
#include "language/induction.h"
#include "train/train.h"

#include "base/portable_math.h"
#include "base/threads.h"
#include "support/flat.h"
#include "support/reference.h"
#include "model/gradient.h"
#include "support/suite.h"

TEST(schedules)
{
    TrainingRecipe r = {
        .steps = 1000, .warmup = 50, .lr = 2.0, .plateau = 0.6, .floor = 0.05, .bonus = 0.1, .ramp = 0.5
    };
    static const double rates[][2] = {
        { 0, 0.04 }, { 24, 1.0 }, { 49, 2.0 }, { 600, 2.0 }, { 800, 1.0 }, { 999, 0.1 }
    };
    static const double bonuses[][2] = { { 0, 0.0 }, { 250, 0.05 }, { 500, 0.1 }, { 999, 0.1 } };
    for (int e = 0; e < 6; e++)
        ck_assert_double_eq_tol(training_learning_rate(&r, (int)rates[e][0]), rates[e][1], 1e-12);
    for (int e = 0; e < 4; e++)
        ck_assert_double_eq_tol(training_peak_bonus(&r, (int)bonuses[e][0]), bonuses[e][1], 1e-12);
    r.plateau = 1.0;
    r.ramp = 0.0;
    ck_assert_double_eq_tol(training_learning_rate(&r, 999), 2.0, 1e-12);
    ck_assert_double_eq_tol(training_peak_bonus(&r, 0), 0.1, 1e-12);
}

static Mat trained(uint64_t seed, int threads, int steps)
{
    threads_set(threads);
    TrainingRecipe recipe = induction_recipe(seed);
    recipe.bonus = 0.1;
    Training *t = training_open(arena, induction_config(32, 2), recipe);
    for (int s = 0; s < steps; s++) training_step(t, induction_batch, NULL);
    training_close(t);
    threads_set(0);
    return flat_copy(arena, t->model);
}

TEST(the_same_seed_gives_the_same_bytes)
{
    Mat one = trained(5, 1, 12), other = trained(6, 1, 12);
    ck_assert(!mat_equal(one, other));
    for (int threads = 1; threads <= 5; threads++) {
        case_is("%d threads", threads);
        assert_same(trained(5, threads, 12), one);
    }
}

// Fewer sequences than parts, and a batch that asks for nothing: nothing moves but what decay takes.
static RunBatch nothing_asked(Arena *to, int count, Random *random, const void *corpus)
{
    static const int start[] = { 0, 2, 4 }, tokens[] = { 1, 2, 3, 4 }, targets[] = { -1, -1, -1, -1 };
    (void)to;
    (void)count;
    (void)random;
    (void)corpus;
    return (RunBatch){ 2, start, tokens, targets };
}

TEST(a_batch_without_answers_teaches_nothing)
{
    Training *t = training_open(arena, induction_config(16, 2), induction_recipe(0));
    Mat before = flat_copy(arena, t->model);
    ck_assert(!(fabs(training_step(t, nothing_asked, NULL)) > 0.0));
    assert_same(flat_copy(arena, t->model), before);
    training_close(t);
}

// A head whose gate is 0 does not learn; the others do.
TEST(a_head_that_is_off_stays_as_it_was)
{
    Training *t = training_open(arena, induction_config(32, 2), induction_recipe(3));
    Transformer before = transformer_new(arena, t->model.config);
    transformer_set(before, t->model);
    t->gates = mat_new(arena, 2, 2);
    mat_fill(t->gates, 1.0f);
    *mat_ref(t->gates, 1, 0) = 0.0f;
    Random random = t->random;
    RunBatch batch = induction_batch(arena, t->recipe.batch, &random, NULL);
    Run run = run_transformer(arena, t->model, batch, t->gates);
    int answers = 0; // positions with a target
    for (int i = 0; i < batch.start[batch.count]; i++) answers += batch.targets[i] >= 0;
    double want = cross_entropy(run.logits, batch.targets, 0.0f, (Mat){ 0 }) / answers;
    ck_assert_double_eq_tol(training_step(t, induction_batch, NULL), want, 1e-6);
    training_step(t, induction_batch, NULL);
    TransformerLayer now = t->model.layers[1], then = before.layers[1];
    for (int h = 0; h < 2; h++) {
        bool stays = mat_equal(mat_rows(now.wo, 16 * h, 16), mat_rows(then.wo, 16 * h, 16));
        for (int part = 0; part < 3; part++)
            stays = stays &&
                    mat_equal(mat_cols(now.wqkv, 32 * part + 16 * h, 16), mat_cols(then.wqkv, 32 * part + 16 * h, 16));
        ck_assert_int_eq(stays, h == 0);
    }
    training_close(t);
}

// MODELS.md, part A, for one seed. The sweep over five seeds and the controls are in `make test-train`.
TEST(model_a_learns_to_copy)
{
    Training *t = training_open(arena, induction_config(32, 2), induction_recipe(0));
    InductionScores early = { 0 };
    while (t->step < t->recipe.steps) {
        if (t->step == 300) early = induction_scores(arena, t->model, induction_batch, 64, 7);
        training_step(t, induction_batch, NULL);
    }
    InductionScores late = induction_scores(arena, t->model, induction_batch, 64, 7);
    ck_assert_msg(early.loss > 2.5, "loss %.3f at step 300", early.loss);
    ck_assert_msg(late.loss < 0.2, "loss %.3f at the end", late.loss);
    ck_assert_msg(late.accuracy >= 0.98, "accuracy %.3f", late.accuracy);
    ck_assert_msg(late.best_previous >= 0.8, "previous-token mass %.3f", late.best_previous);
    ck_assert_msg(late.best_induction >= 0.9, "induction mass %.3f", late.best_induction);
    double copied = induction_copy_accuracy(t->model, 64, 8);
    ck_assert_msg(copied >= 0.98, "copies %.3f of fresh tokens", copied);
    training_close(t);
}
