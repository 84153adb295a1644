// Chapter 22. What a model of facts and noise answers, and where it looks.
#include "base/portable_math.h"
#include "model/gradient.h"
#include "steps.h"

#include <string.h>

const int lengths[LENGTHS] = { 64, 128, 256, 512 };

double facts_lambda(Transformer model)
{
    const Config *c = &model.config;
    float init = (float)config_lambda(c, 0);
    if (c->differ == CONFIG_DIFFER_NONE) return NAN;
    return (double)(c->differ == CONFIG_DIFFER_LEARNED ? differential_lambda(model.layers[0].lambda, init) : init);
}

Mat facts_map(Arena *arena, const Run *run, int p)
{
    if (run->model.config.differ == CONFIG_DIFFER_NONE) return run_weights(arena, run, 0, 0, p);
    Mat map = mat_copy(arena, run_weights(arena, run, 0, 0, 2 * p)), second = run_weights(arena, run, 0, 0, 2 * p + 1);
    float lambda = (float)facts_lambda(run->model);
    for (int i = 0; i < map.rows; i++)
        for (int j = 0; j < map.cols; j++) *mat_ref(map, i, j) -= lambda * *mat_ref(second, i, j);
    return map;
}

static bool is_noise(int token) { return token >= FACTS_SUBJECTS * FACTS_VALUES && token < FACTS_QUESTIONS; }

// One question at row i: of the maps, the one with the largest share at the fact.
static void add_question(Answers *sum, const Mat *maps, int count, const int *tokens, int i, int fact)
{
    double best = -1.0, noise = 0.0, negative = 0.0;
    for (int p = 0; p < count; p++) {
        double all = 0.0, idle = 0.0, there = mat_value(maps[p], i, fact);
        for (int j = 0; j <= i; j++) {
            double weight = fabs(mat_value(maps[p], i, j));
            all += weight;
            if (is_noise(tokens[j])) idle += weight;
        }
        if (fabs(there) / all <= best) continue;
        best = fabs(there) / all;
        noise = idle / all;
        negative = there < 0.0;
    }
    sum->fact += best;
    sum->noise += noise;
    sum->negative += negative;
}

Answers facts_answers(Transformer model, int length, uint64_t seed)
{
    Answers sum = { 0 };
    Random random = random_from(seed);
    int T = length + FACTS_COUNT, count = config_head_outputs(&model.config);
    double questions = TEXTS * FACTS_COUNT;
    for (int n = 0; n < TEXTS; n++) {
        Arena *arena = arena_open();
        int *tokens = arena_alloc(arena, (size_t)T * sizeof *tokens), at[FACTS_COUNT];
        int *targets = arena_alloc(arena, (size_t)T * sizeof *targets);
        Mat *maps = arena_alloc(arena, (size_t)count * sizeof *maps);
        facts_text(tokens, targets, at, length, &random);
        Run run = run_keeping_transformer(arena, model, run_batch_of_one(arena, tokens, T), (Mat){ 0 });
        for (int p = 0; p < count; p++) maps[p] = facts_map(arena, &run, p);
        sum.loss += cross_entropy(run.logits, targets, 1.0f, (Mat){ 0 });
        for (int q = 0; q < FACTS_COUNT; q++) {
            sum.right += run_answer(&run, 0, length + q) == targets[length + q];
            add_question(&sum, maps, count, tokens, length + q, at[q]);
        }
        arena_close(arena);
    }
    return (Answers){ sum.right / questions, sum.loss / questions, sum.fact / questions, sum.noise / questions,
                      sum.negative / questions };
}

// ---- which map finds which facts

enum { ALL_FACTS = FACTS_SUBJECTS * FACTS_VALUES, MANY_TEXTS = 600 };
typedef struct {
    int found[ALL_FACTS][MAPS_MOST];
} Finders;

static void add_finders(Finders *f, const Run *run, const int *tokens, const int *at, int length, Arena *arena)
{
    int H = run->model.config.H;
    Mat maps[MAPS_MOST];
    for (int h = 0; h < H; h++) maps[h] = run_weights(arena, run, 0, 0, h);
    for (int q = 0; q < FACTS_COUNT; q++) {
        int i = length + q, best = 0;
        for (int h = 1; h < H; h++)
            if (*mat_ref(maps[h], i, at[q]) > *mat_ref(maps[best], i, at[q])) best = h;
        f->found[tokens[at[q]]][best]++;
    }
}

static Shared shared_of(const Finders *f, int H)
{
    Shared shared = { { 0 }, 0.0 };
    int all = 0, own = 0;
    for (int s = 0; s < ALL_FACTS; s++) {
        int best = 0;
        for (int h = 0; h < H; h++) {
            all += f->found[s][h];
            if (f->found[s][h] > f->found[s][best]) best = h;
        }
        shared.facts[best]++;
        own += f->found[s][best];
    }
    shared.own = (double)own / all;
    return shared;
}

Shared facts_shared(Transformer model, int length, uint64_t seed)
{
    static Finders f;
    memset(&f, 0, sizeof f);
    Random random = random_from(seed);
    int T = length + FACTS_COUNT;
    REQUIRE(model.config.H <= MAPS_MOST, "%d maps; %d at most", model.config.H, MAPS_MOST);
    for (int n = 0; n < MANY_TEXTS; n++) {
        Arena *arena = arena_open();
        int *tokens = arena_alloc(arena, (size_t)T * sizeof *tokens), at[FACTS_COUNT];
        int *targets = arena_alloc(arena, (size_t)T * sizeof *targets);
        facts_text(tokens, targets, at, length, &random);
        Run run = run_keeping_transformer(arena, model, run_batch_of_one(arena, tokens, T), (Mat){ 0 });
        add_finders(&f, &run, tokens, at, length, arena);
        arena_close(arena);
    }
    return shared_of(&f, model.config.H);
}
