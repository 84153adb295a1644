// Statistics and a thumbnail of one head, from one pass over its map, a band of rows at a time.
#ifndef VIZ_HEAD_SUMMARY_H
#define VIZ_HEAD_SUMMARY_H

#include "attention/head_stats.h"
#include "viz/pyramid.h"

// Means over the rows of the map, by the formulas of attention/head_stats.h. Rows of zeros are left out; the entropy is
// that of w / Σ w. NaN: not defined. A map with a negative value has no weights, and all its statistics are NaN. Query i
// is at position i + S − T; queries before the first key have no previous, diagonal and first token. Induction needs
// words of queries and keys; equal texts are the same token.
typedef enum {
    SUMMARY_ENTROPY,
    SUMMARY_DISTANCE,
    SUMMARY_PREVIOUS,
    SUMMARY_DIAGONAL,
    SUMMARY_INDUCTION,
    SUMMARY_FIRST,
    SUMMARY_STATS
} SummaryStat;
const char *summary_word(SummaryStat stat);    // for flags: "entropy", "distance", …
const char *summary_name(SummaryStat stat);    // "entropy", "mean distance", …
const char *summary_unit(SummaryStat stat);    // "bit", "positions" or ""
const char *summary_formula(SummaryStat stat); // "−Σ p log₂ p of p = w / Σ w, mean"

enum { HIDE_MOST = 8 }; // keys that H hides, at most

// `thumb` is the largest level with at most THUMB cells a side, or the map itself where that is so small.
typedef struct {
    bool ready;
    PyramidLevel thumb;
    double stats[SUMMARY_STATS];
    double mass[HIDE_MOST + 1]; // of the first 0, 1, … keys, mean over queries
    double least, most;         // of the visible, finite values; NaN: none
    bool any_hidden, any_nan;
} HeadSummary;

// ---- computing

// For statistics of repeated tokens: the last key before the position of a query, or before a key, with the same token;
// −1: none.
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
