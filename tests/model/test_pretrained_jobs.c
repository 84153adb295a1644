// lib/model/pretrained_jobs.c: texts said twice, means held to sums over maps, and heads that look at all keys alike.
#include "model/pretrained_jobs.h"

#include "io/bench.h"
#include "model/llama_export.h"
#include "support/config_sizes.h"
#include "support/suite.h"

BENCH_FIXTURE;

enum { WORDS = 20, DRAWN = 12, PERIOD = 7, L = 2, H = 4 };

static const int DRAWN_FROM[DRAWN] = { 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 17, 19 };
static const int BEFORE[] = { 1, 2 };

static PretrainedJobTexts some_texts(int befores)
{
    return (PretrainedJobTexts){ .before = BEFORE,
                                 .befores = befores,
                                 .drawn = DRAWN_FROM,
                                 .count = DRAWN,
                                 .period = PERIOD,
                                 .texts = 3,
                                 .seed = 5,
                                 .plain = true };
}

// A LLaMA of random numbers, as a folder. flat: without queries, so that all scores are 0.
static PretrainedModel *some_model(bool flat)
{
    Config config = { CONFIG_SIZES(WORDS, WORDS, 16, H, 2, L), .mlp = 8, .mlp_kind = CONFIG_MLP_SWIGLU,
                      .positions = CONFIG_POSITIONS_ROPE, .causal = true };
    Transformer model = transformer_new(bench.arena, config);
    Random random = random_from(7);
    transformer_init(model, &random);
    for (int l = 0; l < L; l++)
        for (int i = 0; i < config.D; i++)
            for (int c = 0; c < config.D; c++) *mat_ref(model.layers[l].wqkv, i, c) *= flat ? 0.0f : 3.0f;
    const char **words = arena_alloc(bench.arena, WORDS * sizeof *words);
    for (int w = 0; w < WORDS; w++) words[w] = arena_format(bench.arena, "w%d", w);
    PretrainedModel *published;
    const char *folder = bench_path(&bench, flat ? "flat" : "model");
    ck_assert_msg(llama_export_write(folder, model, words, 64, &bench.error) &&
                      pretrained_open(&published, bench.arena, folder, &bench.error),
                  "%s", bench.error.text);
    return published;
}

TEST(a_text_says_different_tokens_twice)
{
    PretrainedJobTexts texts = some_texts(2);
    Random random = random_from(9), same = random_from(9);
    for (int n = 0; n < 50; n++) {
        int tokens[2 + 2 * PERIOD], again[2 + 2 * PERIOD], seen[WORDS] = { 0 };
        pretrained_job_text(tokens, &texts, &random);
        pretrained_job_text(again, &texts, &same);
        ck_assert_mem_eq(tokens, again, sizeof tokens);
        ck_assert_int_eq(tokens[0], 1);
        ck_assert_int_eq(tokens[1], 2);
        for (int t = 0; t < PERIOD; t++) {
            bool known = false;
            ck_assert_int_eq(tokens[2 + t], tokens[2 + PERIOD + t]);
            for (int d = 0; d < DRAWN; d++) known = known || DRAWN_FROM[d] == tokens[2 + t];
            ck_assert(known);
            ck_assert_int_eq(seen[tokens[2 + t]]++, 0);
        }
    }
}

// The same means by sums of maps, job by job.
TEST(means_are_those_of_the_maps)
{
    PretrainedModel *model = some_model(false);
    for (int befores = 0; befores <= 2; befores++) {
        PretrainedJobTexts texts = some_texts(befores);
        PretrainedJobs jobs = pretrained_jobs(bench.arena, model, texts);
        Random random = random_from(texts.seed);
        double sum[L][H][PRETRAINED_JOB_KINDS] = { 0 };
        int queries = 0, T = befores + 2 * PERIOD;
        for (int n = 0; n < texts.texts; n++) {
            int tokens[2 + 2 * PERIOD];
            pretrained_job_text(tokens, &texts, &random);
            PretrainedRun run =
                pretrained_run(bench.arena, model, (PretrainedInput){ .tokens = tokens, .T = T, .plain = true }, NULL,
                               NULL);
            for (int t = T - PERIOD; t < T - 1; t++, queries++)
                for (int l = 0; l < L; l++)
                    for (int h = 0; h < H; h++) {
                        Mat map = pretrained_weights(bench.arena, &run, l, h);
                        for (int key = 0; key < T; key++) {
                            double weight = (double)*mat_ref(map, t, key);
                            if (key == t - 1) sum[l][h][PRETRAINED_JOB_PREVIOUS] += weight;
                            if (key == t + 1) sum[l][h][PRETRAINED_JOB_NEXT] += weight;
                            if (key == t) sum[l][h][PRETRAINED_JOB_ITSELF] += weight;
                            if (key == 0) sum[l][h][PRETRAINED_JOB_FIRST] += weight;
                            if (key < t && tokens[key] == tokens[t]) sum[l][h][PRETRAINED_JOB_DUPLICATE] += weight;
                            if (key > 0 && key < t && tokens[key - 1] == tokens[t])
                                sum[l][h][PRETRAINED_JOB_INDUCTION] += weight;
                        }
                    }
        }
        for (int l = 0; l < L; l++)
            for (int h = 0; h < H; h++)
                for (int job = 0; job < PRETRAINED_JOB_KINDS; job++)
                    ck_assert_double_eq_tol((double)*mat_ref(jobs.mass[job], l, h), sum[l][h][job] / queries, 1e-5);
    }
    pretrained_close(model);
}

// Where all keys in sight weigh the same every job has what chance says: the mean of 1 / (t + 1).
TEST(heads_that_do_not_choose_have_chance)
{
    PretrainedModel *model = some_model(true);
    PretrainedJobTexts texts = some_texts(1);
    PretrainedJobs jobs = pretrained_jobs(bench.arena, model, texts);
    double chance = 0.0;
    for (int t = 1 + PERIOD; t < 2 * PERIOD; t++) chance += 1.0 / (t + 1) / (PERIOD - 1);
    ck_assert_double_eq_tol(jobs.chance, chance, 1e-9);
    for (int job = 0; job < PRETRAINED_JOB_KINDS; job++)
        for (int l = 0; l < L; l++)
            for (int h = 0; h < H; h++)
                ck_assert_double_eq_tol((double)*mat_ref(jobs.mass[job], l, h),
                                        job == PRETRAINED_JOB_NEXT ? 0.0 : chance, 1e-6);
    pretrained_close(model);
}

// Head by head: nothing is enough; the first token alone; a job beside it, of what is left; a fifth is left, and less;
// a job alone; of two equal ones the first; nothing at all.
TEST(jobs_beside_the_first_token)
{
    enum { HEADS = 8 };
    PretrainedJobs jobs = { .chance = 0.1 };
    const float mass[PRETRAINED_JOB_KINDS][HEADS] = {
        [PRETRAINED_JOB_PREVIOUS] = { 0.3f, 0.1f, 0.3f, 0.1f, 0.09f, 0.0f, 0.45f, 0.0f },
        [PRETRAINED_JOB_NEXT] = { 0.1f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.45f, 0.0f },
        [PRETRAINED_JOB_ITSELF] = { 0.1f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f },
        [PRETRAINED_JOB_FIRST] = { 0.1f, 0.7f, 0.45f, 0.78f, 0.85f, 0.0f, 0.0f, 0.0f },
        [PRETRAINED_JOB_DUPLICATE] = { 0.1f, 0.1f, 0.1f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f },
        [PRETRAINED_JOB_INDUCTION] = { 0.1f, 0.05f, 0.1f, 0.0f, 0.0f, 0.4f, 0.0f, 0.0f },
    };
    const struct {
        int count;
        PretrainedJob jobs[2];
    } want[HEADS] = {
        { 0, { 0 } },
        { 1, { PRETRAINED_JOB_FIRST } },
        { 2, { PRETRAINED_JOB_PREVIOUS, PRETRAINED_JOB_FIRST } },
        { 2, { PRETRAINED_JOB_PREVIOUS, PRETRAINED_JOB_FIRST } },
        { 1, { PRETRAINED_JOB_FIRST } },
        { 1, { PRETRAINED_JOB_INDUCTION } },
        { 1, { PRETRAINED_JOB_PREVIOUS } },
        { 0, { 0 } },
    };
    for (int job = 0; job < PRETRAINED_JOB_KINDS; job++) jobs.mass[job] = mat_of(arena, 1, HEADS, mass[job]);
    for (int h = 0; h < HEADS; h++) {
        PretrainedJob got[2] = { PRETRAINED_JOB_KINDS, PRETRAINED_JOB_KINDS };
        ck_assert_int_eq(pretrained_jobs_of(got, &jobs, 0, h, 0.39), want[h].count);
        for (int n = 0; n < want[h].count; n++) ck_assert_int_eq(got[n], want[h].jobs[n]);
    }
}
