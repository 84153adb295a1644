// Chapter 10, before the steps. The test, and how many of its words a model gets right with some heads switched off.
#include "base/threads.h"
#include "language/translator.h"
#include "model/gradient.h"
#include "steps.h"

// ---- the test

static unsigned kinds_of(const GlossedSentence *sentence, int t)
{
    if (word_at(sentence->words[t])->class == WORD_MARK) return 0;
    unsigned kinds = 0;
    for (int k = 0; k < RELATIONS; k++)
        if (gloss_relation_to(sentence, KIND[k], t) >= 0) kinds |= 1u << k;
    return kinds ? kinds : 1u << REST;
}

// Marks have no target, so neither accuracy nor loss nor gradient counts them.
static RunBatch without_marks(Arena *arena, RunBatch batch)
{
    int tokens = batch.start[batch.count], *targets = arena_alloc(arena, (size_t)(tokens + 1) * sizeof *targets);
    for (int w = 0; w < tokens; w++) targets[w] = word_at(batch.tokens[w])->class == WORD_MARK ? -1 : batch.targets[w];
    batch.targets = targets;
    return batch;
}

static Test test_with(Lesson *lesson, GlossedSentence *sentences, RunBatch batch)
{
    Test test = { .sentences = sentences, .batch = without_marks(lesson->arena, batch), .count = batch.count };
    test.kinds = arena_alloc(lesson->arena, (size_t)(batch.start[batch.count] + 1) * sizeof *test.kinds);
    for (int b = 0, w = 0; b < test.count; b++)
        for (int t = 0; t < sentences[b].T; t++, w++) {
            test.kinds[w] = kinds_of(&sentences[b], t);
            test.words += test.kinds[w] != 0;
            for (int k = 0; k < KINDS; k++) test.of_kind[k] += (int)(test.kinds[w] >> k & 1u);
        }
    return test;
}

static Test test_of(Lesson *lesson, GlossedSentence *sentences, int count)
{
    return test_with(lesson, sentences, translator_sentences_batch(lesson->arena, sentences, count));
}

Test test_draw(Lesson *lesson, int count)
{
    GlossedSentence *sentences = arena_alloc(lesson->arena, (size_t)count * sizeof *sentences);
    for (int b = 0; b < count; b++) grammar_sentence_test(&sentences[b], &lesson->random);
    return test_of(lesson, sentences, count);
}

Test test_of_pairs(Lesson *lesson, int pairs, Random *random)
{
    GlossedSentence *sentences = arena_alloc(lesson->arena, 2 * (size_t)pairs * sizeof *sentences);
    for (int i = 0; i < pairs; i++) grammar_sentence_twins(&sentences[2 * i], &sentences[2 * i + 1], false, random);
    return test_of(lesson, sentences, 2 * pairs);
}

Test test_part(Lesson *lesson, const Test *test, int first, int count)
{
    return test_with(lesson, test->sentences + first, run_batch_part(lesson->arena, test->batch, first, count));
}

static Score score_of(const Run *run, const Test *test)
{
    int right = 0, right_of[KINDS] = { 0 };
    for (int b = 0, w = 0; b < test->count; b++)
        for (int t = 0; t < test->sentences[b].T; t++, w++) {
            bool ok = test->kinds[w] && run_answer(run, b, t) == test->sentences[b].glosses[t];
            right += ok;
            for (int k = 0; k < KINDS; k++) right_of[k] += ok && (test->kinds[w] >> k & 1u);
        }
    Score score = { .all = (double)right / test->words };
    for (int k = 0; k < KINDS; k++) score.kind[k] = test->of_kind[k] ? (double)right_of[k] / test->of_kind[k] : 0.0;
    return score;
}

static Score scored(const Run *run, const Test *test, bool loss)
{
    Score score = score_of(run, test);
    if (loss) score.loss = cross_entropy(run->logits, test->batch.targets, 1.0f, (Mat){ 0 }) / test->words;
    return score;
}

Score measure(Transformer model, const Test *test, Mat gates, bool loss)
{
    Arena *scratch = arena_open();
    Run run = run_instead_transformer(scratch, model, test->batch, gates, mat_empty(gates) ? NULL : test->instead);
    Score score = scored(&run, test, loss);
    arena_close(scratch);
    return score;
}

Test test_with_means(Lesson *lesson, Transformer model, const Test *test)
{
    Arena *scratch = arena_open();
    Run run = run_transformer(scratch, model, test->batch, (Mat){ 0 });
    Test with = *test;
    with.instead = run_mean_heads(lesson->arena, &run);
    arena_close(scratch);
    return with;
}

// ---- many sets of gates at once: one thread a set, so no sum depends on the number of threads. A head that is off
// changes nothing in the layers below it, so those are computed once for all sets.

typedef struct {
    const Run *common;
    const Test *test;
    Mat *gates;
    Score *score;
    bool loss;
} Trials;

static int first_layer_with_other_gates(Mat gates, Mat others)
{
    for (int l = 0; l < gates.rows; l++)
        for (int h = 0; h < gates.cols; h++)
            if (*mat_ref(gates, l, h) != *mat_ref(others, l, h)) return l;
    return gates.rows;
}

static void run_trial(int i, void *context)
{
    Trials *trials = context;
    Arena *scratch = arena_open();
    Mat gates = trials->gates[i];
    int layer = first_layer_with_other_gates(trials->common->gates, gates);
    Run run = run_after_transformer(scratch, trials->common, layer, gates, trials->test->instead);
    trials->score[i] = scored(&run, trials->test, trials->loss);
    arena_close(scratch);
}

void measure_all(Transformer model, const Test *test, Mat *gates, Score *score, int count, bool loss)
{
    if (count == 0) return;
    Arena *scratch = arena_open();
    Mat most = mat_copy(scratch, gates[0]); // of each head its largest gate: most sets differ from that late
    for (int i = 1; i < count; i++)
        for (int n = 0; n < most.rows * most.cols; n++)
            if (gates[i].at[n] > most.at[n]) most.at[n] = gates[i].at[n];
    Run common = run_instead_transformer(scratch, model, test->batch, most, test->instead);
    threads_parallel_for(count, run_trial, &(Trials){ &common, test, gates, score, loss });
    arena_close(scratch);
}

Mat gates_all(Arena *arena, const Studied *s, float value)
{
    Mat gates = mat_new(arena, s->model.config.L, s->model.config.H);
    mat_fill(gates, value);
    return gates;
}

Mat gates_without(Arena *arena, Mat gates, int head)
{
    Mat fewer = mat_copy(arena, gates);
    fewer.at[head] = 0.0f;
    return fewer;
}
