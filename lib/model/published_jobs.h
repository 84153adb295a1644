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
#ifndef MODEL_PUBLISHED_JOBS_H
#define MODEL_PUBLISHED_JOBS_H

#include "base/random.h"
#include "model/published_run.h"

typedef enum { JOB_PREVIOUS, JOB_NEXT, JOB_ITSELF, JOB_FIRST, JOB_DUPLICATE, JOB_INDUCTION, JOB_KINDS } Job;
const char *job_name(Job job); // "previous", …

// A text is `before`, then `period` tokens drawn from `drawn`, each once, then the same again. 2 ≤ period ≤ count.
typedef struct {
    const int *before; // (befores) what every text of the model begins with, such as [start]
    int befores;
    const int *drawn; // (count)
    int count, period, texts;
    uint64_t seed;
    bool plain;          // as in PublishedInput
    PublishedTell *tell; // as in published_run, for every text; NULL: nobody
    void *context;
} JobTexts;

// One of them in `tokens` (befores + 2 period).
void job_text(int *tokens, const JobTexts *texts, Random *random);

// Means over all queries of the second period but its last, whose next token nobody has said, and over all texts.
// chance: what a head has that looks at every key in sight alike.
typedef struct {
    Mat mass[JOB_KINDS];
    double chance;
} Jobs; // (L, H) each, in `arena`
Jobs published_jobs(Arena *arena, const Published *model, JobTexts texts);

// The jobs of a head, at most two. Many heads rest on the first token most of the time, and do their work with what is
// left: so the other jobs are held against the weight that is not there. First comes the one that has the most of it,
// if that is `enough`, and if a fifth or more of all weight is left; then JOB_FIRST, if `enough` of all is there.
// Answers how many.
int jobs_of(Job out[2], const Jobs *jobs, int layer, int h, double enough);

#endif
