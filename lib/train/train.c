// Chapter 09. One training step, in four phases, and the progress bar.
#include "train/train.h"

#include "base/portable_math.h"
#include "base/threads.h"
#include "model/gradient.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

// ---- schedules

double training_learning_rate(const TrainingRecipe *r, int step)
{
    double share = (double)step / r->steps, rate = r->lr;
    if (step + 1 < r->warmup) rate *= (double)(step + 1) / r->warmup;
    if (share > r->plateau) rate *= fmax(r->floor, (1.0 - share) / (1.0 - r->plateau));
    return rate;
}

double training_peak_bonus(const TrainingRecipe *r, int step)
{
    double share = (double)step / r->steps;
    return r->bonus * (r->ramp > 0.0 ? fmin(1.0, share / r->ramp) : 1.0);
}

// ---- a step

Training *training_open(Arena *arena, Config config, TrainingRecipe recipe)
{
    REQUIRE(recipe.steps >= 1 && recipe.batch >= 1, "%d steps of %d sequences", recipe.steps, recipe.batch);
    Training *t = arena_alloc(arena, sizeof *t);
    t->recipe = recipe;
    t->random = random_from(recipe.seed);
    t->model = transformer_new(arena, config);
    t->mean = transformer_new(arena, config);
    t->square = transformer_new(arena, config);
    transformer_init(t->model, &t->random);
    for (int p = 0; p < TRAINING_PARTS; p++) {
        t->part[p].arena = arena_open();
        t->part[p].gradient = transformer_new(arena, config);
    }
    return t;
}

void training_close(Training *t)
{
    for (int p = 0; p < TRAINING_PARTS; p++) arena_close(t->part[p].arena);
}

typedef struct {
    Training *training;
    RunBatch batch;
    float scale, bonus;
} Step;

// Sequences p · count / PARTS … of the batch: forward, loss, backward.
static void run_part(int p, void *context)
{
    const Step *step = context;
    Training *t = step->training;
    Arena *arena = t->part[p].arena;
    ArenaMark mark = arena_mark(arena);
    int first = p * step->batch.count / TRAINING_PARTS, end = (p + 1) * step->batch.count / TRAINING_PARTS;

    RunBatch part = run_batch_part(arena, step->batch, first, end - first);
    Run run = run_keeping_transformer(arena, t->model, part, t->gates);
    Mat dlogits = mat_new(arena, run.logits.rows, run.logits.cols);
    transformer_fill(t->part[p].gradient, 0.0f);
    t->part[p].loss = cross_entropy(run.logits, part.targets, step->scale, dlogits);
    transformer_backward(t->part[p].gradient, (Mat){ 0 }, &run, dlogits, step->bonus);
    arena_release(arena, mark);
}

// 1 / number of targets, since the loss is a mean over them; 0 without targets.
static double inverse_target_count(RunBatch batch)
{
    int answers = 0;
    for (int i = 0; i < batch.start[batch.count]; i++) answers += batch.targets[i] >= 0;
    return answers ? 1.0 / answers : 0.0;
}

static void add_gradient(Transformer to, Transformer from)
{
    for (int p = 0; p < to.count; p++)
        for (int i = 0; i < to.table[p].at.rows; i++) {
            float *sum = mat_row(to.table[p].at, i);
            const float *share = mat_row(from.table[p].at, i);
            for (int c = 0; c < to.table[p].at.cols; c++) sum[c] += share[c];
        }
}

double training_step(Training *t, TrainingDraw *draw, const void *corpus)
{
    const Config *c = &t->model.config;
    Arena *scratch = arena_open();

    // 1. A batch. share: 1 / number of its targets; rows: of attention weights, in all heads.
    RunBatch batch = draw(scratch, t->recipe.batch, &t->random, corpus);
    double share = inverse_target_count(batch), rows = (double)c->L * c->H * batch.start[batch.count];
    double bonus = rows > 0.0 ? training_peak_bonus(&t->recipe, t->step) / rows : 0.0;

    // 2. Its parts in parallel, each with its own gradient.
    Step step = { t, batch, (float)share, (float)bonus };
    threads_parallel_for(TRAINING_PARTS, run_part, &step);

    // 3. Their sum, in fixed order.
    Transformer gradient = t->part[0].gradient;
    double loss = t->part[0].loss;
    for (int p = 1; p < TRAINING_PARTS; p++) {
        add_gradient(gradient, t->part[p].gradient);
        loss += t->part[p].loss;
    }

    // 4. Clip, and step.
    double rate = training_learning_rate(&t->recipe, t->step++);
    adamw_clip(gradient.table, gradient.count, t->recipe.clip);
    for (int p = 0; p < gradient.count; p++)
        adamw_step(t->model.table[p].at, t->mean.table[p].at, t->square.table[p].at, gradient.table[p].at,
                   t->recipe.adamw, rate, t->step);
    arena_close(scratch);
    return loss * share;
}

// ---- progress

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TrainingProgress training_progress_begin(const char *name, int step)
{
    return (TrainingProgress){ name, seconds(), 0.0, step };
}

static void draw_bar(const TrainingProgress *progress, int step, int steps, double loss, int left)
{
    enum { CELLS = 30 };
    char bar[CELLS + 1] = { 0 };
    for (int i = 0; i < CELLS; i++) bar[i] = (long)i * steps < (long)step * CELLS ? '#' : '.';
    fprintf(stderr, "\r%s [%s] step %d of %d, loss %.3f, %d:%02d left   ", progress->name, bar, step, steps, loss,
            left / 60, left % 60);
    if (step == steps) fputc('\n', stderr);
}

void training_progress_show(TrainingProgress *progress, int step, int steps, double loss)
{
    double now = seconds(), spent = now - progress->began;
    int done = step - progress->first, left = done ? (int)(spent / done * (steps - step)) : 0;
    int tenth = steps < 10 ? 1 : steps / 10;
    if (isatty(STDERR_FILENO)) {
        if (now - progress->shown < 0.1 && step < steps) return;
        progress->shown = now;
        draw_bar(progress, step, steps, loss, left);
    } else if (step % tenth == 0 || step == steps) {
        fprintf(stderr, "%s: step %d of %d, loss %.3f, %d:%02d left\n", progress->name, step, steps, loss, left / 60,
                left % 60);
    }
}
