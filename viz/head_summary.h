// The look of a head, a band of rows at a time: its statistics and its thumb. For scene.c, look.c and their test only.
#ifndef VIZ_LOOK_H
#define VIZ_LOOK_H

#include "attention/head_stats.h"
#include "viz/pyramid.h"

// Tokens as numbers, for statistics on repeated ones. The nearest key before the position of a query, and before a key,
// that has its token; −1: there is none.
typedef struct {
    int *query, *key;
} Repeats; // (T) and (S); NULL: no words
Repeats summary_repeats(Arena *arena, const Document *d);

typedef struct {
    RowBand band;
    Repeats repeats;
    HeadSummary summary;
    HeadMean stats[HEAD_STATS];
} SummaryWork;

SummaryWork summary_open(Arena *arena, const Document *d);
void summary_begin(SummaryWork *work, Arena *arena, int layer, int head); // the thumb is made in this arena
bool summary_step(SummaryWork *work);                                     // one band. true: done

// log₂ of positive, normal numbers, relative error below 10⁻⁶. 0 gives something finite, so that 0 · log₂ 0 is 0.
typedef float Float4 __attribute__((vector_size(16), may_alias));
Float4 summary_log2(Float4 x);

#endif
