// What is derived from a document for the eye, and takes time: the levels of a large map, statistics and a small
// picture of every head. It is prepared between update and draw, a little at a time, and draw only reads it.
#ifndef VIZ_SCENE_H
#define VIZ_SCENE_H

#include "viz/document.h"

// A map seen from further away: a cell stands for fold × fold cells. `sum` adds up over keys and averages over queries,
// so a row of cells sums to what the rows of the map sum to, on average; `most` is the largest of them. Masked cells
// take no part; a cell of masked ones alone has `most` = −∞ and is hidden. A query that sees no key counts in the
// average as the row of zeros that it is. NaN spreads. Cells at the right and lower edge may stand for fewer.
//
// A cell of −∞ counts as masked, whatever the document says of masks: it is what a mask leaves of a score.
typedef struct {
    int fold;      // 1, 2, 4, …
    Mat sum, most; // (⌈T / fold⌉, ⌈S / fold⌉)
} PyramidLevel;

bool pyramid_hidden(const PyramidLevel *level, int i, int j);

enum { HIDE_MOST = 8 };                   // keys that the key H leaves out, at most
enum { PYRAMID_LEVELS = 21, THUMB = 64 }; // SIDE_MOST is 2²⁰
enum { PYRAMID_CELLS = 1 << 22 };         // a level with more cells than this is not kept
typedef struct {
    PyramidLevel level[PYRAMID_LEVELS]; // level[n].fold = 2ⁿ, up to one cell in all
    int first, count; // those below `first` are empty: 0 is the map itself, more where it has above 4096²
} Pyramid;

// The statistics of a head over the rows of its map, by the formulas of attention/head_stats.h: rows of zeros are left
// out, and the entropy is that of the row's shares of its sum. NaN: nothing to tell; a map with a negative value has no
// weights, and nothing of it is told. Query i stands at position i + S − T, and rows that stand before the first key
// have no previous, diagonal and first one. Induction needs words of queries and keys; equal texts are the same token.
typedef enum {
    SUMMARY_ENTROPY,
    SUMMARY_DISTANCE,
    SUMMARY_PREVIOUS,
    SUMMARY_DIAGONAL,
    SUMMARY_INDUCTION,
    SUMMARY_FIRST,
    SUMMARY_STATS
} SummaryStat;
const char *summary_name(SummaryStat summary);    // "entropy", "mean distance", …
const char *summary_unit(SummaryStat summary);    // "bit", "positions" or ""
const char *summary_formula(SummaryStat summary); // "−Σ p log₂ p of p = w / Σ w, mean"

// What a head looks like. `thumb` is the level with the most cells that has at most THUMB a side (the map itself where
// it is as small as that).
typedef struct {
    bool ready;
    PyramidLevel thumb;
    double stats[SUMMARY_STATS];
    double mass[HIDE_MOST + 1]; // what the first 0, 1, … keys get of a row's weights, mean of all queries
    double least, most;         // of the map's visible, finite values; NaN: there are none
    bool any_hidden, any_nan;
} HeadSummary;

// Owns its memory. What it answers stands until scene_forget or scene_close; the levels of a head, as long as it is one
// of the last three that were wanted.
typedef struct Derived Derived;
Derived *derived_open(void);
void derived_close(Derived *derived);  // NULL is allowed
void derived_forget(Derived *derived); // the document has changed: everything is to be computed anew

// What a picture wants. A head at −1 is not wanted. `all`: the looks of every head.
typedef struct {
    int layer[2], head[2];
    bool all;
} DerivedWanted;

// Works for about `seconds` (INFINITY: to the end; 0: one step), on the levels of the wanted heads first, then on their
// looks, then on those of the others. What is begun is gone on with in the next call. true: done.
bool derived_prepare(Derived *derived, const Document *d, DerivedWanted wanted, double seconds);

const Pyramid *derived_pyramid(const Derived *derived, int layer, int head); // NULL: not prepared
const Pyramid *derived_pyramid_so_far(const Derived *derived, int layer, int head,
                                      int *rows); // they hold the map's first
// *rows rows; NULL: they are ready, or not begun
const HeadSummary *derived_summary(const Derived *derived, int layer, int head); // .ready false: not prepared
int derived_summaries_ready(const Derived *derived);                             // of layers · heads

// order (layers · heads): the heads, layer · heads + head, by a statistic: the largest first, of equal ones the first,
// those without at the end. A look of −1: as they stand.
void derived_order(int *order, const Derived *derived, const Document *d, int summary);

// The same by any values (count); NaN: it has none.
void derived_order_by(int *order, const double *values, int count);

#endif
