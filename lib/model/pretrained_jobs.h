// Chapters 25 and 26. Classifies the heads of a pretrained model by where they attend on random tokens that are repeated
// once. Random tokens have no grammar, so a head finds a token by its position or by an earlier occurrence.
//
//
//     previous     the previous token
//     next         the next token, in bidirectional models
//     itself       the query's own token
//     first        the first token of the text (attention sink)
//     duplicate    the earlier occurrence of the same token
//     induction    the token after that occurrence (induction head)
//
// The method of Olsson et al. 2022, arXiv:2209.11895.
#ifndef MODEL_PRETRAINED_JOBS_H
#define MODEL_PRETRAINED_JOBS_H

#include "base/random.h"
#include "model/pretrained_run.h"

typedef enum {
    PRETRAINED_JOB_PREVIOUS,
    PRETRAINED_JOB_NEXT,
    PRETRAINED_JOB_ITSELF,
    PRETRAINED_JOB_FIRST,
    PRETRAINED_JOB_DUPLICATE,
    PRETRAINED_JOB_INDUCTION,
    PRETRAINED_JOB_KINDS
} PretrainedJob;
const char *pretrained_job_name(PretrainedJob job); // "previous", …

// A text is `before`, then `period` distinct tokens sampled from `drawn`, then the same again. 2 ≤ period ≤ count.
typedef struct {
    const int *before; // (befores) special tokens at the start of every text, such as [start]
    int befores;
    const int *drawn; // (count)
    int count, period, texts;
    uint64_t seed;
    bool plain;               // as in PretrainedInput
    PretrainedProgress *tell; // progress callback of pretrained_run, for every text; may be NULL
    void *context;
} PretrainedJobTexts;

// Generates one such text: tokens (befores + 2 period).
void pretrained_job_text(int *tokens, const PretrainedJobTexts *texts, Random *random);

// Mean attention weight, over all texts and all queries of the second period except the last, whose successor is
// unknown. chance: the weight under uniform attention over the visible keys.
typedef struct {
    Mat mass[PRETRAINED_JOB_KINDS];
    double chance;
} PretrainedJobs; // (L, H) each, in `arena`
PretrainedJobs pretrained_jobs(Arena *arena, const PretrainedModel *model, PretrainedJobTexts texts);

// The jobs of a head, at most two, and returns their number. Many heads put most of their weight on the first token and
// do their work with the remainder, so the other jobs are measured relative to the weight that is not on it. The
// strongest of them is first if it has at least `enough` of the remainder and the remainder is at least a fifth; then
// PRETRAINED_JOB_FIRST if it has at least `enough` of all weight.
int pretrained_jobs_of(PretrainedJob out[2], const PretrainedJobs *jobs, int layer, int h, double enough);

#endif
