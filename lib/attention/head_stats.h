// Chapter 09. Statistics of a head, told from its weights alone: how spread they are, and where they stand. What they
// mean in a language is told in language/head_roles.h.
//
// Everything here is a mean that is added to, row after row, and read out at the end. It begins as all zeros.
//
//     a mean of nothing    is NaN: the previous-token mass of sentences of one word
//     a row of zeros       (a query that sees no key) is left out by head_stats_add
//     ties                 the argmax is the first of the largest weights
//
// Heads and their kinds: Clark et al. 2019, arXiv:1906.04341; Voita et al. 2019, arXiv:1905.09418. Induction: Olsson et
// al. 2022, arXiv:2209.11895. Sinks: Xiao et al. 2024, arXiv:2309.17453. Duplicates: Wang et al. 2022,
// arXiv:2211.00593.
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

// Statistics of a map w (T, T), averaged over rows i. The last two need the tokens, which may be any numbers.
typedef enum {
    HEAD_STAT_ENTROPY, // −Σ wᵢⱼ log₂ wᵢⱼ, in bits
    HEAD_STAT_BROAD, // share of rows with entropy above HEAD_STATS_BROAD_ABOVE · log₂ n, of n ≥ 2 keys with any weight
    HEAD_STAT_DISTANCE, // Σ wᵢⱼ |i − j|, in positions
    HEAD_STAT_PREVIOUS, // wᵢ,ᵢ₋₁  rows 1 …
    HEAD_STAT_NEXT,     // wᵢ,ᵢ₊₁  rows … T − 2
    HEAD_STAT_DIAGONAL, // wᵢᵢ
    HEAD_STAT_FIRST,    // wᵢ₀     rows 1 …, as a causal row 0 has no choice: the sink [Xiao et al. 2024]
    HEAD_STAT_INDUCTION, // Σ wᵢ,ⱼ₊₁ over j < i with tokenⱼ = tokenᵢ; rows with such a j [Olsson et al. 2022]
    HEAD_STAT_DUPLICATE, // Σ wᵢⱼ     over the same j and rows [Wang et al. 2022]
    HEAD_STATS
} HeadStat;

#define HEAD_STATS_BROAD_ABOVE 0.8

const char *head_stat_name(HeadStat stat); // "entropy", "broad", …

enum {
    HEAD_OFFSET_NEAR = 8,
    HEAD_OFFSETS_NEAR = 2 * HEAD_OFFSET_NEAR + 1
}; // positions are told apart up to this distance

// A map on its own: stats (HEAD_STATS), and offsets (HEAD_OFFSETS_NEAR), where [HEAD_OFFSET_NEAR + o] is the share of rows i with
// argmax at i + o, if that is a key. tokens (T), or NULL. weights (T, T); T may be 0.
void head_stats_add(HeadMean *stats, HeadMean *offsets, Mat weights, const int *tokens);

// The parts of it that look at few weights, for rows of maps of any shape. row (n) is that of a query which stands at
// position p among the n keys, or before them (p < 0) or behind. −INFINITY is a key that a mask hides: weight 0.
void head_stats_add_positions(HeadMean *stats, const float *row, int n, int p);

// earlier[j] is the nearest key before key j that has its token, −1 where there is none; `nearest` is that of the
// query.
void head_stats_add_repeats(HeadMean *stats, const float *row, int nearest, const int *earlier);

int head_row_argmax(const float *row, int n); // the first of the largest; −1 when one is NaN, or there are none
bool head_row_blind(const float *row, int n); // a row of zeros: a query that sees no key

#endif
