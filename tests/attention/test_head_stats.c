// Tests of lib/attention/head_stats.c: maps made by hand, and every statistic by its definition.
#include "attention/head_stats.h"

#include "base/portable_math.h"
#include "base/random.h"
#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    HeadMean stats[HEAD_STATS], offsets[HEAD_OFFSETS_NEAR];
} Both;

static Both stats_of(Mat map, const int *tokens)
{
    Both both = { 0 };
    head_stats_add(both.stats, both.offsets, map, tokens);
    return both;
}

// `want` NaN: a mean of nothing.
static void assert_mean(HeadMean got, double want, const char *what)
{
    double mean = head_mean_value(got);
    bool close = isnan(want) ? isnan(mean) && got.count == 0 : fabs(mean - want) <= 1e-6;
    ck_assert_msg(close, "%s is %.9g, want %.9g", what, mean, want);
}

static void assert_stat(const Both *both, HeadStat stat, double want)
{
    assert_mean(both->stats[stat], want, head_stat_name(stat));
}

static Mat map_random(int T)
{
    Mat map = mat_new(arena, T, T);
    for (int i = 0; i < T; i++) {
        float sum = 0.0f;
        for (int j = 0; j < T; j++) sum += *mat_ref(map, i, j) = random_uniform(&random_state) + 1e-3f;
        for (int j = 0; j < T; j++) *mat_ref(map, i, j) /= sum;
    }
    return map;
}

static double at(Mat map, int i, int j) { return (double)*mat_ref(map, i, j); }

// Every statistic as its comment says it, on sequences of few tokens; every row has weight.
TEST(every_statistic_by_its_definition)
{
    enum { T = 20 };
    for (int round = 0; round < 50; round++) {
        int tokens[T], repeated = 0;
        double want[HEAD_STATS] = { 0 }, offsets[HEAD_OFFSETS_NEAR] = { 0 };
        Mat map = map_random(T);
        for (int t = 0; t < T; t++) tokens[t] = random_below(&random_state, 6);
        for (int i = 0; i < T; i++) {
            double bits = 0.0;
            int largest = 0;
            bool any = false;
            for (int j = 0; j < T; j++) {
                bits -= at(map, i, j) * log2(at(map, i, j));
                want[HEAD_STAT_DISTANCE] += at(map, i, j) * abs(i - j) / T;
                if (at(map, i, j) > at(map, i, largest)) largest = j;
                if (j >= i || tokens[j] != tokens[i]) continue;
                want[HEAD_STAT_DUPLICATE] += at(map, i, j);
                want[HEAD_STAT_INDUCTION] += at(map, i, j + 1);
                any = true;
            }
            want[HEAD_STAT_ENTROPY] += bits / T;
            want[HEAD_STAT_BROAD] += (bits > 0.8 * log2(T)) / (double)T;
            if (i > 0) want[HEAD_STAT_PREVIOUS] += at(map, i, i - 1) / (T - 1);
            if (i < T - 1) want[HEAD_STAT_NEXT] += at(map, i, i + 1) / (T - 1);
            want[HEAD_STAT_DIAGONAL] += at(map, i, i) / T;
            if (i > 0) want[HEAD_STAT_FIRST] += at(map, i, 0) / (T - 1);
            if (abs(largest - i) <= HEAD_OFFSET_NEAR) offsets[HEAD_OFFSET_NEAR + largest - i]++;
            repeated += any;
        }
        want[HEAD_STAT_DUPLICATE] /= repeated;
        want[HEAD_STAT_INDUCTION] /= repeated;
        Both got = stats_of(map, tokens), without = stats_of(map, NULL);
        for (int stat = 0; stat < HEAD_STATS; stat++) {
            assert_stat(&got, (HeadStat)stat, want[stat]);
            assert_stat(&without, (HeadStat)stat, stat >= HEAD_STAT_INDUCTION ? (double)NAN : want[stat]);
        }
        for (int o = -HEAD_OFFSET_NEAR; o <= HEAD_OFFSET_NEAR; o++)
            assert_mean(got.offsets[HEAD_OFFSET_NEAR + o], offsets[HEAD_OFFSET_NEAR + o] / (T - abs(o)), "offset");
    }
}

TEST(rows_of_zeros_count_nowhere)
{
    Both none = { 0 }, got = stats_of(mat_new(arena, 5, 5), (int[5]){ 1, 1, 1, 1, 1 });
    ck_assert(!memcmp(&got, &none, sizeof none));
    got = stats_of(mat_new(arena, 0, 0), NULL);
    ck_assert(!memcmp(&got, &none, sizeof none));
}

TEST(where_a_row_looks)
{
    ck_assert_int_eq(head_row_argmax((float[]){ 0.1f, 0.4f, 0.4f, 0.1f }, 4), 1);
    ck_assert_int_eq(head_row_argmax((float[]){ -2, -1 }, 2), 1);
    ck_assert_int_eq(head_row_argmax((float[]){ 1, NAN }, 2), -1);
    ck_assert_int_eq(head_row_argmax(NULL, 0), -1);
    ck_assert(head_row_blind((float[]){ 0, -0.0f }, 2) && head_row_blind(NULL, 0));
    ck_assert(!head_row_blind((float[]){ 0, NAN }, 2) && !head_row_blind((float[]){ 0, 1e-40f }, 2));
}

// A query at p of 4 keys: before them, on the first, within, on the last, behind.
TEST(positions_of_a_rectangle)
{
    static const struct {
        int p;
        double previous, next, diagonal, first;
    } cases[] = {
        { -2, NAN, NAN, NAN, NAN }, { -1, NAN, 0.5, NAN, NAN },   { 0, NAN, 0, 0.5, NAN },
        { 2, 0, 0.125, 0.25, 0.5 }, { 3, 0.25, NAN, 0.125, 0.5 }, { 4, 0.125, NAN, NAN, 0.5 },
        { 9, NAN, NAN, NAN, 0.5 },
    };
    const float row[] = { 0.5f, -INFINITY, 0.25f, 0.125f };
    for (size_t e = 0; e < sizeof cases / sizeof *cases; e++) {
        Both got = { 0 };
        head_stats_add_positions(got.stats, row, 4, cases[e].p);
        case_is("position %d", cases[e].p);
        assert_stat(&got, HEAD_STAT_PREVIOUS, cases[e].previous);
        assert_stat(&got, HEAD_STAT_NEXT, cases[e].next);
        assert_stat(&got, HEAD_STAT_DIAGONAL, cases[e].diagonal);
        assert_stat(&got, HEAD_STAT_FIRST, cases[e].first);
    }
}

// Keys 0, 2 and 3 have one token, key 1 another.
TEST(repeats_follow_the_chain)
{
    const int earlier[] = { -1, -1, 0, 2 };
    const float row[] = { 0.5f, 0.125f, -INFINITY, 0.25f, 0.0625f };
    Both got = { 0 };
    head_stats_add_repeats(got.stats, row, -1, earlier);
    ck_assert_int_eq(got.stats[HEAD_STAT_DUPLICATE].count, 0);
    head_stats_add_repeats(got.stats, row, 3, earlier);
    assert_stat(&got, HEAD_STAT_DUPLICATE, 0.25 + 0 + 0.5);
    assert_stat(&got, HEAD_STAT_INDUCTION, 0.0625 + 0.25 + 0.125);
}

TEST(merged_is_as_if_added_to_one)
{
    Both one = { 0 }, other = { 0 }, all = { 0 };
    for (int round = 0; round < 6; round++) {
        Mat map = map_random(3 + round);
        Both *to = round < 2 ? &one : &other;
        head_stats_add(to->stats, to->offsets, map, NULL);
        head_stats_add(all.stats, all.offsets, map, NULL);
    }
    head_means_merge(one.stats, other.stats, HEAD_STATS);
    for (int stat = 0; stat < HEAD_STATS; stat++) {
        ck_assert_int_eq(one.stats[stat].count, all.stats[stat].count);
        assert_stat(&one, (HeadStat)stat, head_mean_value(all.stats[stat]));
    }
}

TEST_ABORTS(mistakes_stop_the_program, 2)
{
    quiet();
    if (_i) head_stat_name(HEAD_STATS);
    else stats_of(mat_new(arena, 3, 4), NULL);
}
