// Chapters 25 and 26. What each head of a published model looks at, told without any language: on random tokens that
// are said twice. What is random has no grammar, so a head that finds a token's place finds it by position, or by what
// was said before.
//
//     previous     the token before
//     next         the token behind: of models that see both sides
//     itself       the token that asks
//     first        the first token of the text: where heads rest (chapter 18)
//     duplicate    where the same token stood before
//     induction    what followed it there: the place of induction heads (chapter 09)
//
// Olsson et al. 2022, arXiv:2209.11895, told heads apart so.
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

// A text is `before`, then `period` tokens drawn from `drawn`, each once, then the same again. 2 ≤ period ≤ count.
typedef struct {
    const int *before; // (befores) what every text of the model begins with, such as [start]
    int befores;
    const int *drawn; // (count)
    int count, period, texts;
    uint64_t seed;
    bool plain;               // as in PretrainedInput
    PretrainedProgress *tell; // as in pretrained_run, for every text; NULL: nobody
    void *context;
} PretrainedJobTexts;

// One of them in `tokens` (befores + 2 period).
void pretrained_job_text(int *tokens, const PretrainedJobTexts *texts, Random *random);

// Means over all queries of the second period but its last, whose next token nobody has said, and over all texts.
// chance: what a head has that looks at every key in sight alike.
typedef struct {
    Mat mass[PRETRAINED_JOB_KINDS];
    double chance;
} PretrainedJobs; // (L, H) each, in `arena`
PretrainedJobs pretrained_jobs(Arena *arena, const PretrainedModel *model, PretrainedJobTexts texts);

// The jobs of a head, at most two. Many heads rest on the first token most of the time, and do their work with what is
// left: so the other jobs are held against the weight that is not there. First comes the one that has the most of it,
// if that is `enough`, and if a fifth or more of all weight is left; then PRETRAINED_JOB_FIRST, if `enough` of all is there.
// Answers how many.
int pretrained_jobs_of(PretrainedJob out[2], const PretrainedJobs *jobs, int layer, int h, double enough);

#endif
