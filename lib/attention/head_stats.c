// Chapter 09. Statistics of an attention head, accumulated row by row.
#include "attention/head_stats.h"

#include "attention/softmax.h"
#include "base/portable_math.h"

#include <stdlib.h>

// ---- means

double head_mean_value(HeadMean mean) { return mean.count ? mean.sum / (double)mean.count : NAN; }

void head_mean_add(HeadMean *mean, double value)
{
    mean->sum += value;
    mean->count++;
}

void head_means_merge(HeadMean *to, const HeadMean *from, int n)
{
    for (int i = 0; i < n; i++) {
        to[i].sum += from[i].sum;
        to[i].count += from[i].count;
    }
}

// ---- rows

int head_row_argmax(const float *row, int n)
{
    int best = 0;
    for (int j = 0; j < n; j++) {
        if (isnan(row[j])) return -1;
        if (row[j] > row[best]) best = j;
    }
    return n ? best : -1;
}

bool head_row_blind(const float *row, int n)
{
    for (int j = 0; j < n; j++)
        if (row[j] != 0.0f) return false;
    return true;
}

// An entry of a map as a weight: masked keys are 0.
static double weight(float value) { return value == -INFINITY ? 0.0 : (double)value; }

void head_stats_add_positions(HeadMean *stats, const float *row, int n, int p)
{
    if (p > 0 && p <= n) head_mean_add(&stats[HEAD_STAT_PREVIOUS], weight(row[p - 1]));
    if (p >= -1 && p + 1 < n) head_mean_add(&stats[HEAD_STAT_NEXT], weight(row[p + 1]));
    if (p >= 0 && p < n) head_mean_add(&stats[HEAD_STAT_DIAGONAL], weight(row[p]));
    if (p > 0 && n > 0) head_mean_add(&stats[HEAD_STAT_FIRST], weight(row[0]));
}

void head_stats_add_repeats(HeadMean *stats, const float *row, int nearest, const int *earlier)
{
    if (nearest < 0) return;
    double same = 0.0, after = 0.0;
    for (int j = nearest; j >= 0; j = earlier[j]) {
        same += weight(row[j]);
        after += weight(row[j + 1]);
    }
    head_mean_add(&stats[HEAD_STAT_DUPLICATE], same);
    head_mean_add(&stats[HEAD_STAT_INDUCTION], after);
}

// ---- maps

// Entropy, and whether it exceeds HEAD_STATS_BROAD_ABOVE times the maximum, log₂ n bits for n keys with weight.
static void add_entropy(HeadMean *stats, const float *row, int T)
{
    int n = 0;
    for (int j = 0; j < T; j++) n += row[j] > 0.0f;
    double bits = (double)softmax_entropy(row, T);
    head_mean_add(&stats[HEAD_STAT_ENTROPY], bits);
    head_mean_add(&stats[HEAD_STAT_BROAD], n >= 2 && bits > HEAD_STATS_BROAD_ABOVE * log2(n));
}

static void add_distance(HeadMean *stats, const float *row, int i, int T)
{
    double distance = 0.0;
    for (int j = 0; j < T; j++) distance += (double)row[j] * abs(i - j);
    head_mean_add(&stats[HEAD_STAT_DISTANCE], distance);
}

static void add_offsets(HeadMean *offsets, const float *row, int i, int T)
{
    int argmax = head_row_argmax(row, T);
    for (int o = -HEAD_OFFSET_NEAR; o <= HEAD_OFFSET_NEAR; o++)
        if (0 <= i + o && i + o < T) head_mean_add(&offsets[HEAD_OFFSET_NEAR + o], argmax == i + o);
}

static void find_earlier(int *earlier, const int *tokens, int T)
{
    for (int i = 0; i < T; i++) {
        earlier[i] = i - 1;
        while (earlier[i] >= 0 && tokens[earlier[i]] != tokens[i]) earlier[i]--;
    }
}

void head_stats_add(HeadMean *stats, HeadMean *offsets, Mat weights, const int *tokens)
{
    int T = weights.rows;
    REQUIRE(weights.cols == T, "weights is " MAT_SHAPE "; a map is square", MAT_SHAPED(weights));
    Arena *scratch = arena_open();
    int *earlier = arena_alloc(scratch, (size_t)T * sizeof *earlier);
    if (tokens) find_earlier(earlier, tokens, T);
    for (int i = 0; i < T; i++) {
        const float *row = mat_row(weights, i);
        if (head_row_blind(row, T)) continue;
        add_entropy(stats, row, T);
        add_distance(stats, row, i, T);
        head_stats_add_positions(stats, row, T, i);
        add_offsets(offsets, row, i, T);
        if (tokens) head_stats_add_repeats(stats, row, earlier[i], earlier);
    }
    arena_close(scratch);
}

const char *head_stat_name(HeadStat stat)
{
    static const char *const names[HEAD_STATS] = { "entropy",  "broad", "distance",  "previous", "next",
                                                   "diagonal", "first", "induction", "duplicate" };
    REQUIRE(0 <= (int)stat && stat < HEAD_STATS, "statistic %d of %d", (int)stat, (int)HEAD_STATS);
    return names[stat];
}
