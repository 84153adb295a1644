// Chapter 09. Statistics of an attention head from its weights alone: how concentrated they are and where they lie.
// language/head_roles.h relates them to linguistic roles.
//
// Every statistic is a running mean over rows, initialised to zeros.
//
//     a mean of nothing    is NaN: the previous-token weight of one-word sentences
//     a row of zeros       (a query without visible keys) is ignored by head_stats_add
//     ties                 the argmax is the first of the largest weights
//
// Head roles: Clark et al. 2019, arXiv:1906.04341; Voita et al. 2019, arXiv:1905.09418. Induction: Olsson et al. 2022,
// arXiv:2209.11895. Sinks: Xiao et al. 2024, arXiv:2309.17453. Duplicates: Wang et al. 2022, arXiv:2211.00593.
#ifndef ATTENTION_HEAD_STATS_H
#define ATTENTION_HEAD_STATS_H

#include "base/mat.h"

#include <stdint.h>

typedef struct {
    double sum;
    int64_t count;
} HeadMean;

double head_mean_value(HeadMean mean); // sum / count; NaN when count is 0
void head_mean_add(HeadMean *mean, double value);
void head_means_merge(HeadMean *to, const HeadMean *from, int n);

// Statistics of a map w (T, T), averaged over rows i. The last two need the tokens, as arbitrary ids.
typedef enum {
    HEAD_STAT_ENTROPY,  // −Σ wᵢⱼ log₂ wᵢⱼ, in bits
    HEAD_STAT_BROAD,    // share of rows with entropy above HEAD_STATS_BROAD_ABOVE · log₂ n, n ≥ 2 keys with weight
    HEAD_STAT_DISTANCE, // Σ wᵢⱼ |i − j|, in positions
    HEAD_STAT_PREVIOUS, // wᵢ,ᵢ₋₁  rows 1 …
    HEAD_STAT_NEXT,     // wᵢ,ᵢ₊₁  rows … T − 2
    HEAD_STAT_DIAGONAL, // wᵢᵢ
    HEAD_STAT_FIRST, // wᵢ₀     rows 1 …: the attention sink; a causal row 0 sees only itself [Xiao et al. 2024]
    HEAD_STAT_INDUCTION, // Σ wᵢ,ⱼ₊₁ over j < i with tokenⱼ = tokenᵢ; only rows with such a j [Olsson et al. 2022]
    HEAD_STAT_DUPLICATE, // Σ wᵢⱼ     over the same j and rows [Wang et al. 2022]
    HEAD_STATS
} HeadStat;

#define HEAD_STATS_BROAD_ABOVE 0.8

const char *head_stat_name(HeadStat stat); // "entropy", "broad", …

enum {
    HEAD_OFFSET_NEAR = 8,
    HEAD_OFFSETS_NEAR = 2 * HEAD_OFFSET_NEAR + 1
}; // largest offset in the histogram of offsets

// One map: stats (HEAD_STATS), and offsets (HEAD_OFFSETS_NEAR), where [HEAD_OFFSET_NEAR + o] is the share of rows i
// with argmax i + o, if that is a key. tokens (T) or NULL. weights (T, T); T may be 0.
void head_stats_add(HeadMean *stats, HeadMean *offsets, Mat weights, const int *tokens);

// The statistics that read single weights, for a row of a map of any shape. row (n) belongs to a query at position p,
// which may be before (p < 0) or after the n keys. −INFINITY marks a masked key: weight 0.
void head_stats_add_positions(HeadMean *stats, const float *row, int n, int p);

// earlier[j] is the nearest key before key j with the same token, −1 if there is none; `nearest` is that of the query.
void head_stats_add_repeats(HeadMean *stats, const float *row, int nearest, const int *earlier);

int head_row_argmax(const float *row, int n); // the first of the largest; −1 if one is NaN or n is 0
bool head_row_blind(const float *row, int n); // a row of zeros: a query without visible keys

#endif
