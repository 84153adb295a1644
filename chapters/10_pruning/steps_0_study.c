// Chapter 10, before the steps. What is found out about every head of a model: what is lost without it, where it looks,
// and how fast the loss changes with its gate.
#include "base/portable_math.h"
#include "base/threads.h"
#include "language/head_roles.h"
#include "model/gradient.h"
#include "steps.h"

double lost(const Studied *s, int n, int kind) { return s->full.kind[kind] - s->without[n].kind[kind]; }

// ---- all heads but one

static void switch_off_one_by_one(Lesson *lesson, Studied *s, const Test *test)
{
    Mat gates[HEADS_MOST + 1], on = gates_all(lesson->arena, s, 1.0f);
    Score score[HEADS_MOST + 1];
    for (int n = 0; n < s->heads; n++) gates[n] = gates_without(lesson->arena, on, n);
    gates[s->heads] = on;
    measure_all(s->model, test, gates, score, s->heads + 1, true);
    s->full = score[s->heads];
    for (int n = 0; n < s->heads; n++) s->without[n] = score[n];
    for (int n = 0; n < s->heads; n++) s->head[n].cost = s->full.all - score[n].all;
}

// ---- roles, and where `it` looks

static void look_at_heads(Lesson *lesson, Studied *s, const Test *test)
{
    Arena *scratch = arena_open();
    Run run = run_transformer(scratch, s->model, test->batch, (Mat){ 0 });
    HeadScores *scores = arena_alloc(scratch, (size_t)s->heads * sizeof *scores);
    HeadOffsets offsets = { 0 };
    int H = s->model.config.H, asked = 0;
    for (int b = 0; b < test->count; b++) {
        const GlossedSentence *g = &test->sentences[b];
        head_offsets_add(&offsets, g);
        asked += g->it >= 0;
        for (int n = 0; n < s->heads; n++) {
            Mat weights = run_weights(scratch, &run, b, n / H, n % H);
            head_role_add(&scores[n], weights, g);
            if (g->it < 0) continue;
            int to = n < H ? g->adjective : gloss_relation_to(g, GLOSS_RELATION_IT, g->it);
            s->look[n] += (double)*mat_ref(weights, g->it, to);
        }
    }
    for (int n = 0; n < s->heads; n++) {
        s->look[n] /= asked;
        s->head[n].role = head_role_text(lesson->arena, head_role_of(&scores[n], &offsets));
        s->head[n].name = arena_format(lesson->arena, "%d.%d", n / H, n % H);
        s->head[n].on_object = head_mean_value(scores[n].mass[GLOSS_RELATION_VERB]);
    }
    arena_close(scratch);
}

// ---- the gradient of every gate

enum { SHARES = 8 };

typedef struct {
    const Studied *s;
    const Test *test;
    double sum[SHARES][HEADS_MOST], *of_sentence;
} GateWork;

// One share of the sentences, one after the other: |∂ loss / ∂ gate|, added up for each head, and for each sentence.
static void gate_share(int share, void *context)
{
    GateWork *work = context;
    Arena *arena = arena_open();
    Transformer gradient = transformer_new(arena, work->s->model.config);
    for (int b = share; b < work->test->count; b += SHARES) {
        ArenaMark mark = arena_mark(arena);
        RunBatch one = run_batch_part(arena, work->test->batch, b, 1);
        int words = 0;
        for (int t = 0; t < one.start[1]; t++) words += one.targets[t] >= 0;
        Run run = run_transformer(arena, work->s->model, one, (Mat){ 0 });
        Mat dlogits = mat_new(arena, run.logits.rows, run.logits.cols), dgates = gates_all(arena, work->s, 0.0f);
        cross_entropy(run.logits, one.targets, 1.0f / (float)words, dlogits);
        transformer_backward(gradient, dgates, &run, dlogits, 0.0f);
        for (int n = 0; n < work->s->heads; n++) {
            work->sum[share][n] += fabs((double)dgates.at[n]);
            work->of_sentence[b] += fabs((double)dgates.at[n]);
        }
        arena_release(arena, mark);
    }
    arena_close(arena);
}

// How much of a sum the largest twentieth of its terms make.
static double share_of_largest(double *terms, int count)
{
    double all = 0.0, largest = 0.0;
    for (int i = 0; i < count; i++) {
        for (int at = i; at > 0 && terms[at] > terms[at - 1]; at--) { // insertion: the largest first
            double larger = terms[at];
            terms[at] = terms[at - 1];
            terms[at - 1] = larger;
        }
    }
    for (int i = 0; i < count; i++) {
        all += terms[i];
        if (i < count / 20) largest += terms[i];
    }
    return all > 0.0 ? largest / all : 0.0;
}

void gate_gradients(Lesson *lesson, Studied *s, const Test *test)
{
    GateWork work = { .s = s, .test = test };
    work.of_sentence = arena_alloc(lesson->arena, (size_t)test->count * sizeof *work.of_sentence);
    for (int b = 0; b < test->count; b++) work.of_sentence[b] = 0.0;
    threads_parallel_for(SHARES, gate_share, &work);
    s->steepest = share_of_largest(work.of_sentence, test->count);
    for (int n = 0; n < s->heads; n++) {
        double sum = 0.0;
        for (int share = 0; share < SHARES; share++) sum += work.sum[share][n];
        s->head[n].importance = sum / test->count;
    }
}

Studied study(Lesson *lesson, const char *name, Transformer model, const Test *test)
{
    Studied s = { .name = name, .model = model, .heads = model.config.L * model.config.H };
    switch_off_one_by_one(lesson, &s, test);
    look_at_heads(lesson, &s, test);
    gate_gradients(lesson, &s, test);
    return s;
}
