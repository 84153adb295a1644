// Chapter 09. Statistics of a head: rows of weights are added up.
#include "attention/head_stats.h"

#include "attention/softmax.h"

#include <math.h>
#include <stdlib.h>

// ---- means

double mean_of(Mean mean) { return mean.count ? mean.sum / (double)mean.count : NAN; }

void mean_add(Mean *mean, double value)
{
    mean->sum += value;
    mean->count++;
}

void means_merge(Mean *to, const Mean *from, int n)
{
    for (int i = 0; i < n; i++) {
        to[i].sum += from[i].sum;
        to[i].count += from[i].count;
    }
}

// ---- rows

int row_argmax(const float *row, int n)
{
    int best = 0;
    for (int j = 0; j < n; j++) {
        if (isnan(row[j])) return -1;
        if (row[j] > row[best]) best = j;
    }
    return n ? best : -1;
}

bool row_blind(const float *row, int n)
{
    for (int j = 0; j < n; j++)
        if (row[j] != 0.0f) return false;
    return true;
}

// What a value is as a weight.
static double weight(float value) { return value == -INFINITY ? 0.0 : (double)value; }

void head_stats_add_positions(Mean *stats, const float *row, int n, int p)
{
    if (p > 0 && p <= n) mean_add(&stats[STAT_PREVIOUS], weight(row[p - 1]));
    if (p >= -1 && p + 1 < n) mean_add(&stats[STAT_NEXT], weight(row[p + 1]));
    if (p >= 0 && p < n) mean_add(&stats[STAT_DIAGONAL], weight(row[p]));
    if (p > 0 && n > 0) mean_add(&stats[STAT_FIRST], weight(row[0]));
}

void head_stats_add_repeats(Mean *stats, const float *row, int nearest, const int *earlier)
{
    if (nearest < 0) return;
    double same = 0.0, after = 0.0;
    for (int j = nearest; j >= 0; j = earlier[j]) {
        same += weight(row[j]);
        after += weight(row[j + 1]);
    }
    mean_add(&stats[STAT_DUPLICATE], same);
    mean_add(&stats[STAT_INDUCTION], after);
}

// ---- maps

// Entropy, and whether it is above BROAD_ABOVE of the largest possible: log₂ n bits, when n keys have any weight.
static void add_entropy(Mean *stats, const float *row, int T)
{
    int n = 0;
    for (int j = 0; j < T; j++) n += row[j] > 0.0f;
    double bits = (double)entropy(row, T);
    mean_add(&stats[STAT_ENTROPY], bits);
    mean_add(&stats[STAT_BROAD], n >= 2 && bits > BROAD_ABOVE * log2(n));
}

static void add_distance(Mean *stats, const float *row, int i, int T)
{
    double distance = 0.0;
    for (int j = 0; j < T; j++) distance += (double)row[j] * abs(i - j);
    mean_add(&stats[STAT_DISTANCE], distance);
}

static void add_offsets(Mean *offsets, const float *row, int i, int T)
{
    int at = row_argmax(row, T);
    for (int o = -OFFSET_NEAR; o <= OFFSET_NEAR; o++)
        if (0 <= i + o && i + o < T) mean_add(&offsets[OFFSET_NEAR + o], at == i + o);
}

static void find_earlier(int *earlier, const int *tokens, int T)
{
    for (int i = 0; i < T; i++) {
        earlier[i] = i - 1;
        while (earlier[i] >= 0 && tokens[earlier[i]] != tokens[i]) earlier[i]--;
    }
}

void head_stats_add(Mean *stats, Mean *offsets, Mat weights, const int *tokens)
{
    int T = weights.rows;
    REQUIRE(weights.cols == T, "weights is " SHAPE "; a map is square", SHAPED(weights));
    Arena *scratch = arena_open();
    int *earlier = arena_alloc(scratch, (size_t)T * sizeof *earlier);
    if (tokens) find_earlier(earlier, tokens, T);
    for (int i = 0; i < T; i++) {
        const float *row = mat_row(weights, i);
        if (row_blind(row, T)) continue;
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
