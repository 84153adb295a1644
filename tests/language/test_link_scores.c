// lib/language/link_scores.c: maps made by hand, whose scores are known.
#include "language/link_scores.h"

#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

static DocumentSample a_document(int T, const DocumentLink *links, int count)
{
    DocumentSample document = { .T = T, .link_count = count };
    for (int n = 0; n < count; n++) document.links[n] = links[n];
    return document;
}

TEST(mass_and_argmax)
{
    const DocumentLink links[] = { { DOCUMENT_LINK_PREVIOUS, 1, 0 },
                                   { DOCUMENT_LINK_PREVIOUS, 2, 1 },
                                   { DOCUMENT_LINK_MARK, 2, 0 },
                                   { DOCUMENT_LINK_MARK, 2, 1 },
                                   { DOCUMENT_LINK_PRONOUN, 3, 1 } };
    static DocumentSample d;
    d = a_document(4, links, 5);
    Mat weights = mat_of(arena, 3, 3, (float[]){ 1, 0, 0, 0.75f, 0.25f, 0, 0.5f, 0.125f, 0.375f });
    LinkScores scores = { 0 }, twice = { 0 };
    link_scores_add(&scores, weights, &d);
    ck_assert_int_eq(scores.mass[DOCUMENT_LINK_PREVIOUS].count, 2);
    ck_assert_double_eq_tol(head_mean_value(scores.mass[DOCUMENT_LINK_PREVIOUS]), (0.75 + 0.125) / 2, 1e-12);
    ck_assert_double_eq_tol(head_mean_value(scores.argmax[DOCUMENT_LINK_PREVIOUS]), 0.5, 1e-12);
    ck_assert_int_eq(scores.mass[DOCUMENT_LINK_MARK].count, 1); // two right positions, asked once
    ck_assert_double_eq_tol(head_mean_value(scores.mass[DOCUMENT_LINK_MARK]), 0.625, 1e-12);
    ck_assert_double_eq_tol(head_mean_value(scores.argmax[DOCUMENT_LINK_MARK]), 1.0, 1e-12);
    ck_assert_int_eq(scores.mass[DOCUMENT_LINK_PRONOUN].count, 0); // its row is not in the map
    link_scores_add(&twice, weights, &d);
    link_scores_merge(&twice, &scores);
    ck_assert_int_eq(twice.argmax[DOCUMENT_LINK_PREVIOUS].count, 4);
    ck_assert_double_eq_tol(head_mean_value(twice.argmax[DOCUMENT_LINK_PREVIOUS]), 0.5, 1e-12);
}

TEST(the_best_distance)
{
    const DocumentLink links[] = { { DOCUMENT_LINK_PRONOUN, 5, 2 }, { DOCUMENT_LINK_PRONOUN, 6, 2 },
                                   { DOCUMENT_LINK_PRONOUN, 7, 4 }, { DOCUMENT_LINK_PRONOUN, 8, 4 },
                                   { DOCUMENT_LINK_PRONOUN, 9, 0 }, { DOCUMENT_LINK_SAME, 3, 1 },
                                   { DOCUMENT_LINK_SAME, 7, 6 },    { DOCUMENT_LINK_MARK, 6, 0 },
                                   { DOCUMENT_LINK_MARK, 6, 4 } };
    static DocumentSample d;
    static LinkDistances distances;
    d = a_document(10, links, 9);
    link_scores_count(&distances, &d, 9);
    LinkBaseline pronoun = link_scores_baseline(&distances, DOCUMENT_LINK_PRONOUN),
                 same = link_scores_baseline(&distances, DOCUMENT_LINK_SAME);
    ck_assert_int_eq(pronoun.distance, 3); // twice, as 4; the fifth is behind T
    ck_assert_double_eq_tol(pronoun.share, 0.5, 1e-12);
    ck_assert_int_eq(same.distance, 1);
    ck_assert_double_eq_tol(same.share, 0.5, 1e-12);
    ck_assert_double_eq_tol(link_scores_baseline(&distances, DOCUMENT_LINK_MARK).share, 1.0, 1e-12);
    ck_assert(isnan(link_scores_baseline(&distances, DOCUMENT_LINK_ADJECTIVE).share));
}
