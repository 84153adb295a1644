// Roles: maps made by hand whose scores are known, and scores of real sentences found again by brute force.
#include "language/head_roles.h"

#include "base/portable_math.h"
#include "language/chunks.h"
#include "language/grammar.h"
#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

// `want` NaN: a mean of nothing.
static void assert_mean(HeadMean got, double want, const char *what)
{
    double mean = head_mean_value(got);
    bool close = isnan(want) ? isnan(mean) && got.count == 0 : fabs(mean - want) <= 1e-6;
    ck_assert_msg(close, "%s is %.9g, want %.9g", what, mean, want);
}

static void assert_stat(const HeadScores *scores, HeadStat stat, double want)
{
    assert_mean(scores->stats[stat], want, head_stat_name(stat));
}

static void assert_role(const HeadScores *scores, const HeadOffsets *offsets, const char *want)
{
    ck_assert_str_eq(head_role_text(arena, head_role_of(scores, offsets)), want);
}

// Row i looks at i + offset alone; rows where there is no such key are zeros.
static Mat map_of_offset(int T, int offset)
{
    Mat map = mat_new(arena, T, T);
    for (int i = 0; i < T; i++)
        if (0 <= i + offset && i + offset < T) *mat_ref(map, i, i + offset) = 1.0f;
    return map;
}

static Mat map_of_first(int T)
{
    Mat map = mat_new(arena, T, T);
    for (int i = 0; i < T; i++) *mat_ref(map, i, 0) = 1.0f;
    return map;
}

// Rows look at the noun of a relation, all others at themselves.
static Mat map_of_relation(const GlossedSentence *sentence, GlossRelationKind kind)
{
    Mat map = mat_new(arena, sentence->T, sentence->T);
    for (int i = 0; i < sentence->T; i++) {
        int to = gloss_relation_to(sentence, kind, i);
        *mat_ref(map, i, to >= 0 ? to : i) = 1.0f;
    }
    return map;
}

static Mat map_random(int T, Random *random)
{
    Mat map = mat_new(arena, T, T);
    for (int i = 0; i < T; i++) {
        float sum = 0.0f;
        for (int j = 0; j < T; j++) sum += *mat_ref(map, i, j) = random_uniform(random) + 1e-3f;
        for (int j = 0; j < T; j++) *mat_ref(map, i, j) /= sum;
    }
    return map;
}

TEST(a_previous_token_head)
{
    HeadScores scores = { 0 };
    head_role_add_map(&scores, map_of_offset(10, -1), NULL);
    assert_stat(&scores, HEAD_STAT_PREVIOUS, 1);
    assert_stat(&scores, HEAD_STAT_NEXT, 0);
    assert_stat(&scores, HEAD_STAT_DIAGONAL, 0);
    assert_stat(&scores, HEAD_STAT_DISTANCE, 1);
    assert_stat(&scores, HEAD_STAT_ENTROPY, 0);
    assert_stat(&scores, HEAD_STAT_BROAD, 0);
    assert_stat(&scores, HEAD_STAT_FIRST, 1.0 / 9);
    assert_stat(&scores, HEAD_STAT_INDUCTION, NAN);
    assert_stat(&scores, HEAD_STAT_DUPLICATE, NAN);
    ck_assert_int_eq(scores.stats[HEAD_STAT_PREVIOUS].count, 9); // row 0 sees nothing
    ck_assert_int_eq(scores.stats[HEAD_STAT_ENTROPY].count, 9);
    assert_role(&scores, NULL, "previous");
}

TEST_EACH(offsets_have_names, 7)
{
    static const int offsets[] = { -8, -2, -1, 0, 1, 3, 8 };
    static const char *const names[] = { "8 before", "2 before", "previous", "itself", "next", "3 after", "8 after" };
    HeadScores scores = { 0 };
    head_role_add_map(&scores, map_of_offset(24, offsets[_i]), NULL);
    assert_role(&scores, NULL, names[_i]);
    assert_stat(&scores, HEAD_STAT_DISTANCE, abs(offsets[_i]));
    HeadRole role = head_role_of(&scores, NULL);
    ck_assert_int_eq(role.kind, HEAD_ROLE_POSITION);
    ck_assert_int_eq(role.offset, offsets[_i]);
    ck_assert_double_eq(role.score, 1.0);
}

// In short sentences, too, a sink is no position.
TEST(a_sink)
{
    for (int T = 3; T <= 24; T++) {
        HeadScores scores = { 0 };
        head_role_add_map(&scores, map_of_first(T), NULL);
        assert_stat(&scores, HEAD_STAT_FIRST, 1);
        assert_stat(&scores, HEAD_STAT_DISTANCE, (T - 1) / 2.0);
        ck_assert_int_eq(scores.stats[HEAD_STAT_FIRST].count, T - 1); // row 0 has no choice
        assert_role(&scores, NULL, "sink");
    }
}

TEST(an_induction_head)
{
    enum { T = 30, PERIOD = 12, V = 32 };
    int tokens[T], targets[T];
    Random random = random_from(1);
    HeadScores scores = { 0 }, duplicates = { 0 };
    for (int round = 0; round < 3; round++) {
        chunks_repeated_sequence(tokens, targets, T, PERIOD, V, &random);
        Mat map = map_of_first(T), same = map_of_first(T);
        for (int i = PERIOD; i < T; i++) {
            *mat_ref(map, i, 0) = *mat_ref(same, i, 0) = 0.0f;
            *mat_ref(map, i, i - PERIOD + 1) = i < 2 * PERIOD ? 1.0f : 0.25f;
            if (i >= 2 * PERIOD) *mat_ref(map, i, i - 2 * PERIOD + 1) = 0.75f;
            *mat_ref(same, i, i - PERIOD) = 1.0f;
        }
        head_role_add_map(&scores, map, tokens);
        head_role_add_map(&duplicates, same, tokens);
    }
    assert_stat(&scores, HEAD_STAT_INDUCTION, 1);
    assert_stat(&scores, HEAD_STAT_DUPLICATE, 0);
    assert_stat(&duplicates, HEAD_STAT_DUPLICATE, 1);
    assert_stat(&duplicates, HEAD_STAT_INDUCTION, 0);
    ck_assert_int_eq(scores.stats[HEAD_STAT_INDUCTION].count, 3 * (T - PERIOD));
    assert_role(&scores, NULL, "induction");
}

// A relation from a blind row is missed, even one that leads to position 0.
TEST(a_blind_row_misses_its_relation)
{
    GlossedSentence sentence = { .T = 2, .relation_count = 1, .relations = { { GLOSS_RELATION_DET, 1, 0 } } };
    HeadScores scores = { 0 };
    head_role_add(&scores, mat_new(arena, 2, 2), &sentence);
    assert_mean(scores.mass[GLOSS_RELATION_DET], 0, "mass");
    assert_mean(scores.argmax[GLOSS_RELATION_DET], 0, "argmax");
    ck_assert_int_eq(scores.argmax[GLOSS_RELATION_DET].count, 1);
}

enum { SENTENCES = 300 };

// A perfect head for any relation: it has 1 there, and it is named after it.
TEST_EACH(a_head_of_one_relation, GLOSS_RELATION_DUP + 1)
{
    HeadScores scores = { 0 };
    HeadOffsets offsets = { 0 };
    Random random = random_from(3);
    GlossRelationKind kind = (GlossRelationKind)_i;
    for (int n = 0; n < SENTENCES; n++) {
        GlossedSentence sentence;
        grammar_sentence_test(&sentence, &random);
        head_role_add(&scores, map_of_relation(&sentence, kind), &sentence);
        head_offsets_add(&offsets, &sentence);
    }
    ck_assert_double_eq(head_mean_value(scores.mass[_i]), 1.0);
    ck_assert_double_eq(head_mean_value(scores.argmax[_i]), 1.0);
    ck_assert_int_eq(scores.argmax[_i].count, offsets.count[_i]);
    assert_role(&scores, &offsets, gloss_relation_name(kind));
    HeadRole role = head_role_of(&scores, &offsets);
    ck_assert_double_eq(role.score, 1.0);
    ck_assert_double_eq(role.baseline, head_offsets_best(&offsets, kind).share);
}

// Half of the relations right, below 20 of them, or no more than the baseline has.
TEST(a_name_must_be_earned)
{
    HeadScores scores = { .stats[HEAD_STAT_ENTROPY] = { 0, 40 }, .offsets[HEAD_OFFSET_NEAR] = { 0, 40 } };
    HeadOffsets offsets = { .count[GLOSS_RELATION_DET] = 40, .hits[GLOSS_RELATION_DET][WORD_SENTENCE_MOST] = 20 };
    offsets.count[GLOSS_RELATION_IT] = 40;
    scores.argmax[GLOSS_RELATION_DET] = (HeadMean){ 23, 40 };
    assert_role(&scores, &offsets, "mixed"); // 0.575 is not 0.1 above 0.5
    scores.argmax[GLOSS_RELATION_DET] = (HeadMean){ 32, 40 };
    assert_role(&scores, &offsets, "det"); // (0.8 − 0.5) / 0.5 = 0.6
    scores.argmax[GLOSS_RELATION_IT] = (HeadMean){ 19, 40 };
    assert_role(&scores, &offsets, "det"); // 0.475 is below one half
    scores.argmax[GLOSS_RELATION_IT] = (HeadMean){ 23, 40 };
    assert_role(&scores, &offsets, "det"); // 0.575 / 1 is less than 0.6
    scores.argmax[GLOSS_RELATION_IT] = (HeadMean){ 25, 40 };
    assert_role(&scores, &offsets, "it"); // 0.625 is more
    scores.argmax[GLOSS_RELATION_IT] = (HeadMean){ 19, 19 };
    assert_role(&scores, &offsets, "det"); // too few
}

// The baseline against all heads of one offset: the best of their scores.
TEST(baseline_is_the_best_head_of_one_offset)
{
    enum { MOST = WORD_SENTENCE_MOST - 1 };
    HeadScores *heads = arena_alloc(arena, (2 * MOST + 1) * sizeof *heads);
    HeadOffsets offsets = { 0 };
    Random random = random_from(5);
    for (int n = 0; n < 60; n++) {
        GlossedSentence sentence;
        grammar_sentence_test(&sentence, &random);
        head_offsets_add(&offsets, &sentence);
        for (int o = -MOST; o <= MOST; o++) head_role_add(&heads[MOST + o], map_of_offset(sentence.T, o), &sentence);
    }
    for (int kind = 0; kind < GLOSS_RELATION_KINDS; kind++) {
        double best = 0;
        for (int o = -MOST; o <= MOST; o++) best = fmax(best, head_mean_value(heads[MOST + o].argmax[kind]));
        HeadBaseline baseline = head_offsets_best(&offsets, (GlossRelationKind)kind);
        ck_assert_double_gt(best, 0);
        ck_assert_double_eq_tol(baseline.share, best, 1e-12);
        ck_assert_double_eq_tol(head_mean_value(heads[MOST + baseline.offset].argmax[kind]), best, 1e-12);
    }
    ck_assert_double_eq(head_offsets_best(&offsets, GLOSS_RELATION_PREVIOUS).share, 1.0);
    ck_assert_int_eq(head_offsets_best(&offsets, GLOSS_RELATION_PREVIOUS).offset, -1);
    ck_assert_int_eq(head_offsets_best(&offsets, GLOSS_RELATION_NEXT).offset, 1);
}

static void assert_means_near(const HeadMean *got, const HeadMean *want, size_t bytes)
{
    for (size_t m = 0; m < bytes / sizeof *got; m++) {
        ck_assert_int_eq(got[m].count, want[m].count);
        ck_assert_double_eq_tol(got[m].sum, want[m].sum, 1e-9);
    }
}

// HeadScores and HeadTwinScores are means and nothing else, so a mean that merging forgets is found here.
TEST(merged_is_as_if_added_to_one)
{
    HeadScores all = { 0 }, part[2] = { { .pairwise = { 0, 0 } } };
    HeadTwinScores twins = { 0 }, twins_part[2] = { { .pairwise = { 0, 0 } } };
    HeadOffsets offsets = { 0 }, offsets_part[2] = { { .count = { 0 } } };
    Random random = random_from(6);
    for (int n = 0; n < 80; n++) {
        GlossedSentence tired, wide, sentence;
        grammar_sentence_test(&sentence, &random);
        Mat map = map_random(sentence.T, &random);
        head_role_add(&all, map, &sentence);
        head_role_add(&part[n >= 30], map, &sentence);
        head_offsets_add(&offsets, &sentence);
        head_offsets_add(&offsets_part[n >= 30], &sentence);
        grammar_sentence_twins(&tired, &wide, false, &random);
        Mat one = map_random(tired.T, &random), two = map_random(tired.T, &random);
        head_twins_add(&twins, one, &tired, two, &wide);
        head_twins_add(&twins_part[n >= 30], one, &tired, two, &wide);
    }
    head_role_merge(&part[0], &part[1]);
    head_twins_merge(&twins_part[0], &twins_part[1]);
    head_offsets_merge(&offsets_part[0], &offsets_part[1]);
    assert_means_near((HeadMean *)&part[0], (HeadMean *)&all, sizeof all);
    assert_means_near((HeadMean *)&twins_part[0], (HeadMean *)&twins, sizeof twins);
    ck_assert(!memcmp(&offsets_part[0], &offsets, sizeof offsets));
    ck_assert_int_gt(all.pairwise.count, 20);
}

TEST_EACH(pairwise_is_above_every_other_noun, 2)
{
    GlossedSentence book; // animal 2, street 7, it 11, stands for the animal
    grammar_sentence_of_the_book(&book, _i == 1);
    HeadScores scores = { 0 };
    Mat map = mat_new(arena, book.T, book.T);
    *mat_ref(map, 11, 2) = 0.25f;
    *mat_ref(map, 11, 7) = 0.125f;
    *mat_ref(map, 11, 14) = 0.625f; // the adjective has most, which does not matter here
    head_role_add(&scores, map, &book);
    assert_mean(scores.pairwise, _i == 0, "pairwise");
    assert_mean(scores.argmax[GLOSS_RELATION_IT], 0, "it");
    assert_mean(scores.mass[GLOSS_RELATION_IT], _i == 0 ? 0.25 : 0.125, "it");
    *mat_ref(map, 11, 7) = 0.25f;
    head_role_add(&scores, map, &book); // a draw is not above
    assert_mean(scores.pairwise, _i == 0 ? 0.5 : 0, "pairwise");
}

// A head that knows, one that always looks at the subject, one that looks at neither.
TEST(twins_switch)
{
    HeadTwinScores knows = { 0 }, subject = { 0 }, neither = { 0 };
    Random random = random_from(8);
    for (int n = 0; n < 50; n++) {
        GlossedSentence tired, wide;
        grammar_sentence_twins(&tired, &wide, n % 2, &random);
        Mat to_subject = map_of_relation(&tired, GLOSS_RELATION_IT),
            to_object = map_of_relation(&wide, GLOSS_RELATION_IT);
        Mat self = map_of_offset(tired.T, 0);
        *mat_ref(self, tired.it, tired.object) = 0.25f;
        head_twins_add(&knows, to_subject, &tired, to_object, &wide);
        head_twins_add(&subject, to_subject, &tired, to_subject, &wide);
        head_twins_add(&neither, self, &tired, self, &wide);
    }
    assert_mean(knows.switched, 1, "switched");
    assert_mean(knows.pairwise, 1, "pairwise");
    assert_mean(knows.subject[0], 1, "subject");
    assert_mean(knows.subject[1], 0, "subject");
    assert_mean(knows.object[0], 0, "object");
    assert_mean(knows.object[1], 1, "object");
    assert_mean(subject.switched, 0, "switched");
    assert_mean(subject.pairwise, 0, "pairwise");
    assert_mean(neither.switched, 0, "switched");
    assert_mean(neither.pairwise, 0, "pairwise");
    assert_mean(neither.object[0], 0.25, "object");
    ck_assert_int_eq(knows.switched.count, 50);
}

// ---- mistakes
