// Chapter 09. Model A: configuration, recipe, batches, and scores of its heads.
#include "language/induction.h"

#include "base/portable_math.h"
#include "language/chunks.h"
#include "model/gradient.h"

Config induction_config(int D, int H)
{
    return (Config){ .words = CHUNKS_VOCABULARY,
                     .outputs = CHUNKS_VOCABULARY,
                     .D = D,
                     .H = H,
                     .G = H,
                     .L = 2,
                     .positions = CONFIG_POSITIONS_ROPE,
                     .causal = true };
}

TrainingRecipe induction_recipe(uint64_t seed)
{
    return (TrainingRecipe){ .steps = 1000,
                             .batch = 16,
                             .warmup = 50,
                             .lr = 5e-3,
                             .plateau = 1.0,
                             .clip = 1.0,
                             .seed = seed,
                             .adamw = { 0.9, 0.98, 1e-8, 0.0 } };
}

TrainingRecipe induction_recipe_wide(uint64_t seed)
{
    TrainingRecipe recipe = induction_recipe(seed);
    recipe.batch = 32;
    recipe.lr = 4e-3;
    return recipe;
}

// `count` sequences of T positions; the caller fills in tokens and targets.
typedef struct {
    RunBatch batch;
    int *tokens, *targets;
} Blank;

static Blank blank(Arena *arena, int count, int T)
{
    int *start = arena_alloc(arena, (size_t)(count + 1) * sizeof *start);
    for (int b = 0; b <= count; b++) start[b] = b * T;
    size_t bytes = (size_t)count * (size_t)T * sizeof(int);
    int *tokens = arena_alloc(arena, bytes), *targets = arena_alloc(arena, bytes);
    return (Blank){ { count, start, tokens, targets }, tokens, targets };
}

RunBatch induction_batch(Arena *arena, int count, Random *random, const void *corpus)
{
    (void)corpus;
    Blank to = blank(arena, count, CHUNKS_T);
    for (int b = 0; b < count; b++)
        chunks_sequence(to.tokens + b * CHUNKS_T, to.targets + b * CHUNKS_T, CHUNKS_T, CHUNKS_VOCABULARY, random);
    return to.batch;
}

RunBatch induction_periodic_batch(Arena *arena, int count, Random *random, const void *corpus)
{
    (void)corpus;
    Blank to = blank(arena, count, CHUNKS_T);
    for (int b = 0; b < count; b++)
        chunks_periodic_sequence(to.tokens + b * CHUNKS_T, to.targets + b * CHUNKS_T, CHUNKS_T, CHUNKS_VOCABULARY,
                                 random);
    return to.batch;
}

// Weight of the query at t on all tokens right after one equal to its own.
double induction_weight(Mat weights, const int *tokens, int t)
{
    double sum = 0.0;
    for (int j = 1; j <= t; j++)
        if (tokens[j - 1] == tokens[t]) sum += (double)*mat_ref(weights, t, j);
    return sum;
}

static void score_head(InductionScores *scores, const Run *run, int l, int h)
{
    double before = 0.0, after = 0.0;
    int befores = 0, afters = 0, n = l * run->model.config.H + h;
    Arena *scratch = arena_open();
    for (int b = 0; b < run->batch.count; b++) {
        Mat weights = run_weights(scratch, run, b, l, h);
        int first = run->batch.start[b];
        const int *tokens = run->batch.tokens + first, *targets = run->batch.targets + first;
        for (int t = 1; t < weights.rows; t++) {
            before += (double)*mat_ref(weights, t, t - 1);
            befores++;
        }
        for (int t = 0; t < weights.rows; t++) {
            if (targets[t] < 0) continue;
            after += induction_weight(weights, tokens, t);
            afters++;
        }
    }
    scores->previous[n] = befores ? before / befores : 0.0;
    scores->induction[n] = afters ? after / afters : 0.0;
    arena_close(scratch);
}

// Adds the probability, by a row of logits (1, words), of the t + 1 tokens so far, and of the target among them.
static void add_occurred(InductionScores *scores, Mat logits, const int *tokens, int t, int answer)
{
    double all = 0.0, seen = 0.0, max = -INFINITY;
    int count = 0;
    for (int c = 0; c < logits.cols; c++) max = fmax(max, (double)*mat_ref(logits, 0, c));
    for (int c = 0; c < logits.cols; c++) {
        double p = exp((double)*mat_ref(logits, 0, c) - max);
        bool before = false;
        for (int j = 0; j <= t; j++) before = before || tokens[j] == c;
        all += p;
        if (!before) continue;
        seen += p;
        count++;
    }
    scores->occurred += seen / all;
    scores->among += log(seen) - ((double)*mat_ref(logits, 0, answer) - max);
    scores->even += log(count);
    scores->guess += 1.0 / count;
}

static void score_occurred(InductionScores *scores, const Run *run)
{
    int target_count = 0;
    for (int b = 0; b < run->batch.count; b++) {
        Mat logits = run_logits(run, b);
        int first = run->batch.start[b];
        const int *tokens = run->batch.tokens + first, *targets = run->batch.targets + first;
        for (int t = 0; t < logits.rows; t++) {
            if (targets[t] < 0) continue;
            add_occurred(scores, mat_rows(logits, t, 1), tokens, t, targets[t]);
            target_count++;
        }
    }
    scores->occurred /= target_count ? target_count : 1;
    scores->among /= target_count ? target_count : 1;
    scores->even /= target_count ? target_count : 1;
    scores->guess /= target_count ? target_count : 1;
}

// Accuracy over the targets.
static double accuracy_of(const Run *run)
{
    int correct = 0, target_count = 0;
    for (int b = 0; b < run->batch.count; b++)
        for (int t = 0, at = run->batch.start[b]; at < run->batch.start[b + 1]; t++, at++) {
            if (run->batch.targets[at] < 0) continue;
            target_count++;
            correct += run_answer(run, b, t) == run->batch.targets[at];
        }
    return target_count ? (double)correct / target_count : 0.0;
}

InductionScores induction_scores(Arena *arena, Transformer model, TrainingDraw *draw, int count, uint64_t seed)
{
    return induction_scores_gated(arena, model, (Mat){ 0 }, draw, count, seed);
}

InductionScores induction_scores_gated(Arena *arena, Transformer model, Mat gates, TrainingDraw *draw, int count,
                                       uint64_t seed)
{
    const Config *c = &model.config;
    size_t bytes = (size_t)c->L * (size_t)c->H * sizeof(double);
    InductionScores scores = { .previous = arena_alloc(arena, bytes), .induction = arena_alloc(arena, bytes) };
    Arena *scratch = arena_open();
    Random random = random_from(seed);
    RunBatch batch = draw(scratch, count, &random, NULL);
    Run run = run_transformer(scratch, model, batch, gates);

    int target_count = 0;
    for (int i = 0; i < batch.start[batch.count]; i++) target_count += batch.targets[i] >= 0;
    scores.loss = target_count ? cross_entropy(run.logits, batch.targets, 0.0f, (Mat){ 0 }) / target_count : 0.0;
    scores.accuracy = accuracy_of(&run);
    score_occurred(&scores, &run);
    for (int l = 0; l < c->L; l++)
        for (int h = 0; h < c->H; h++) score_head(&scores, &run, l, h);
    for (int h = 0; h < c->H; h++) {
        scores.best_previous = fmax(scores.best_previous, scores.previous[h]);
        scores.best_induction = fmax(scores.best_induction, scores.induction[(c->L - 1) * c->H + h]);
    }
    arena_close(scratch);
    return scores;
}

double induction_mass_mixed(const Run *queries, const Run *keys, int layer, int h)
{
    const Config *c = &queries->model.config;
    RunBatch batch = queries->batch;
    double sum = 0.0;
    int rows = 0;
    Arena *scratch = arena_open();
    for (int b = 0; b < batch.count; b++) {
        Mat q = run_qkv_of_head(c, run_batch_rows(batch, queries->layers[layer].qkv, b), h).q;
        Mat k = run_qkv_of_head(c, run_batch_rows(batch, keys->layers[layer].qkv, b), h).k;
        Mat weights = mat_new(scratch, q.rows, k.rows);
        attention_weights(weights, q, k, config_mask(c, layer, h));
        for (int t = 0; t < q.rows; t++) {
            if (batch.targets[batch.start[b] + t] < 0) continue;
            sum += induction_weight(weights, batch.tokens + batch.start[b], t);
            rows++;
        }
    }
    arena_close(scratch);
    return rows ? sum / rows : 0.0;
}

double induction_copy_accuracy(Transformer model, int count, uint64_t seed)
{
    enum { PERIOD = 15, T = 2 * PERIOD };
    Arena *scratch = arena_open();
    Random random = random_from(seed);
    Blank to = blank(scratch, count, T);
    for (int b = 0; b < count; b++)
        chunks_repeated_sequence(to.tokens + b * T, to.targets + b * T, T, PERIOD, model.config.words, &random);
    Run run = run_transformer(scratch, model, to.batch, (Mat){ 0 });
    double accuracy = accuracy_of(&run);
    arena_close(scratch);
    return accuracy;
}
