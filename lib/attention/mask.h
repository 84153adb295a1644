// Chapters 05 and 18. Masks: which keys a query may see, and what is added to their scores.
//
// A mask is a small value that is passed by copy. (Mask){0} hides nothing and adds nothing.
#ifndef ATTENTION_MASK_H
#define ATTENTION_MASK_H

#include <stdbool.h>

// Query i has position p = i + S − T + shift among the S keys: without a shift the last query is aligned with the last
// key ("bottom-right"). If the S keys are only a segment of all keys, shift aligns the queries with it.
typedef struct {
    bool causal; // only keys up to the query's own position: j ≤ p
    int window;  // W > 0: only keys nearer than W, |p − j| < W; with `causal` the W most recent, its own included
    int sinks;   // with a window: the first `sinks` keys stay visible (Xiao et al. 2024, arXiv:2309.17453)
    int globals; // with a window: the first `globals` positions see all keys and are seen by all queries
                 // (Beltagy et al. 2020, arXiv:2004.05150)
    int padding; // the last `padding` keys are padding and always masked
    float alibi; // slope: − alibi · |p − j| is added to the score (Press et al. 2022, arXiv:2108.12409)
    float scale; // what q · k is multiplied by, positive; 0: 1/√d
    int shift;   // offset of the queries' positions; negative: before the last keys
    int before;  // number of keys before this segment of a sequence; locates the globals
} Mask;

// The scale of q · k, for heads of width d ≥ 1; and its reciprocal, a divisor, which represents √d one digit more
// precisely.
float mask_scale(Mask mask, int d);
float mask_root(Mask mask, int d);

// Position of query i of T among S keys.
int mask_position(Mask mask, int i, int T, int S);

// Number of leading keys that no window hides: sinks and globals.
int mask_pinned(Mask mask);

// Whether no window restricts query i of T: the mask has none, or the query is a global.
bool mask_open(Mask mask, int i, int T, int S);

// May query i of T see key j of S?
bool mask_sees(Mask mask, int i, int j, int T, int S);

// Bias of query i and key j: −INFINITY if the key is masked, else the ALiBi bias or 0.
float mask_bias(Mask mask, int i, int j, int T, int S);

// The same for a key that is known to be visible: the ALiBi bias or 0.
float mask_alibi(Mask mask, int i, int j, int T, int S);

typedef struct {
    int first, count;
} MaskRange; // queries or keys first … first + count − 1

// Visible keys: the first `sinks`, globals included, and a range of later keys. Sinks adjacent to the range are merged
// into `keys`; if the range is empty, `keys` holds the sinks. So `keys` is empty only if no key is visible.
typedef struct {
    int sinks;
    MaskRange keys;
} MaskVisible;

// The keys that at least one of these queries of T may see; for a single query, exactly those of mask_sees.
MaskVisible mask_visible(Mask mask, MaskRange queries, int T, int S);

// The mask for the segment mat_rows(k, first, count) of S keys: the distance of every query to every key is unchanged.
Mask mask_of_part(Mask mask, int S, int first, int count);

#endif
