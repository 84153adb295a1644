// Chapters 25 and 26. Attention of heads on repeated random tokens.
#include "model/pretrained_jobs.h"

const char *pretrained_job_name(PretrainedJob job)
{
    static const char *const names[PRETRAINED_JOB_KINDS] = { "previous", "next",      "itself",
                                                             "first",    "duplicate", "induction" };
    REQUIRE(job >= 0 && job < PRETRAINED_JOB_KINDS, "there is no job %d", (int)job);
    return names[job];
}

void pretrained_job_text(int *tokens, const PretrainedJobTexts *texts, Random *random)
{
    int period = texts->period;
    REQUIRE(period >= 2 && period <= texts->count, "%d tokens said twice, of %d", period, texts->count);
    Arena *scratch = arena_open();
    int *remaining = arena_alloc(scratch, (size_t)texts->count * sizeof *remaining),
        *period_tokens = tokens + texts->befores;
    for (int n = 0; n < texts->count; n++) remaining[n] = texts->drawn[n];
    for (int n = 0; n < texts->befores; n++) tokens[n] = texts->before[n];
    for (int n = 0; n < period; n++) {
        int choice = n + random_below(random, texts->count - n);
        period_tokens[n] = period_tokens[period + n] = remaining[choice];
        remaining[choice] = remaining[n];
    }
    arena_close(scratch);
}

// Adds the attention weight on each job's key, for queries whose token occurred `period` tokens before.
static void add_text(PretrainedJobs *jobs, const PretrainedRun *run, int first, int period, Arena *scratch)
{
    const Architecture *is = &run->model->is;
    for (int l = 0; l < is->L; l++)
        for (int h = 0; h < is->H; h++) {
            Mat map = pretrained_weights(scratch, run, l, h);
            for (int t = first + period; t < first + 2 * period - 1; t++) {
                const int keys[PRETRAINED_JOB_KINDS] = { t - 1, t + 1, t, 0, t - period, t - period + 1 };
                for (int job = 0; job < PRETRAINED_JOB_KINDS; job++)
                    *mat_ref(jobs->mass[job], l, h) += *mat_ref(map, t, keys[job]);
            }
        }
    for (int t = first + period; t < first + 2 * period - 1; t++) {
        int seen = 0;
        for (int key = 0; key < run->input.T; key++) seen += pretrained_sees(run, 0, t, key);
        jobs->chance += 1.0 / seen;
    }
}

PretrainedJobs pretrained_jobs(Arena *arena, const PretrainedModel *model, PretrainedJobTexts texts)
{
    int T = texts.befores + 2 * texts.period, queries = (texts.period - 1) * texts.texts;
    PretrainedJobs jobs = { .chance = 0.0 };
    for (int job = 0; job < PRETRAINED_JOB_KINDS; job++) jobs.mass[job] = mat_new(arena, model->is.L, model->is.H);
    Random random = random_from(texts.seed);
    for (int n = 0; n < texts.texts; n++) {
        Arena *scratch = arena_open();
        int *tokens = arena_alloc(scratch, (size_t)T * sizeof *tokens);
        pretrained_job_text(tokens, &texts, &random);
        PretrainedInput input = { .tokens = tokens, .T = T, .plain = texts.plain };
        PretrainedRun run = pretrained_run(scratch, model, input, texts.tell, texts.context);
        add_text(&jobs, &run, texts.befores, texts.period, scratch);
        arena_close(scratch);
    }
    for (int job = 0; job < PRETRAINED_JOB_KINDS; job++)
        for (int l = 0; l < model->is.L; l++)
            for (int h = 0; h < model->is.H; h++) *mat_ref(jobs.mass[job], l, h) /= (float)queries;
    jobs.chance /= queries;
    return jobs;
}

int pretrained_jobs_of(PretrainedJob out[2], const PretrainedJobs *jobs, int layer, int h, double enough)
{
    const double least = 0.2;
    int count = 0;
    double first = (double)*mat_ref(jobs->mass[PRETRAINED_JOB_FIRST], layer, h), most = -1.0;
    for (int job = 0; job < PRETRAINED_JOB_KINDS; job++) {
        double mass = (double)*mat_ref(jobs->mass[job], layer, h);
        if (job == PRETRAINED_JOB_FIRST || mass <= most) continue;
        most = mass;
        out[0] = (PretrainedJob)job;
    }
    if (1.0 - first >= least && most >= enough * (1.0 - first)) count = 1;
    if (first >= enough) out[count++] = PRETRAINED_JOB_FIRST;
    return count;
}
