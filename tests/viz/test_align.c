// Aligning the words of two documents.
#include "viz/align.h"

#include "support/maps.h"
#include "support/reference.h"
#include "support/suite.h"

#include <string.h>

// A document with these words, separated by spaces; NULL: n positions.
static Document of(const char *words, int n)
{
    if (words) n = 1;
    for (const char *at = words; at && *at; at++) n += *at == ' ';
    Mat map = mat_new(arena, n, n);
    Document d = document_of_maps(arena, 1, 1, &map);
    if (!words) return d;
    char *text = arena_format(arena, "%s", words);
    const char **list = arena_alloc(arena, (size_t)n * sizeof *list);
    for (int i = 0; i < n; i++) {
        list[i] = text;
        text += strcspn(text, " ");
        if (*text) *text++ = 0;
    }
    d.queries = d.keys = list;
    return d;
}

// The alignment as text: "0-0 1- -1 2-2".
static const char *said(const AlignedAxis *along)
{
    char *text = "";
    for (int n = 0; n < along->count; n++) {
        const char *one = along->first[n] < 0 ? "" : arena_format(arena, "%d", along->first[n]);
        const char *other = along->second[n] < 0 ? "" : arena_format(arena, "%d", along->second[n]);
        text = arena_format(arena, "%s%s%s-%s", text, n ? " " : "", one, other);
    }
    return text;
}

TEST(words_are_aligned)
{
    static const char *const cases[][3] = {
        { "a b c", "a b c", "0-0 1-1 2-2" },
        { "it was too tired .", "it was too wide .", "0-0 1-1 2-2 3- -3 4-4" },
        { "the cat sat", "the big cat sat", "0-0 -1 1-2 2-3" },
        { "a x b y c", "y a b c x", "-0 0-1 1- 2-2 3- 4-3 -4" },
        { "the the the", "the the", "0-0 1-1 2-" },
        { "a b a b a b", "b a b a", "0- 1-0 2-1 3-2 4-3 5-" },
        { "a b", "x y z", "0-0 1-1 -2" }, // no common words: by index
        { NULL, "x y", "0-0 1-1 2-" },
        { NULL, NULL, "0-0 1-1 2-2" },
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        Document one = of(cases[n][0], 3), other = of(cases[n][1], 3);
        Aligned *aligned = align_documents(arena, &one, &other);
        ck_assert_str_eq(said(&aligned->rows), cases[n][2]);
        ck_assert_str_eq(said(&aligned->cols), cases[n][2]);
    }
}

TEST(equal_words_are_reported)
{
    Document one = of("a b c", 0), two = of("a b c", 0), other = of("a x c", 0), longer = of("a b c d", 0);
    Document three = of(NULL, 3), four = of(NULL, 4);
    ck_assert(align_documents(arena, &one, &two)->same && align_documents(arena, &one, &three)->same);
    ck_assert(!align_documents(arena, &one, &other)->same && !align_documents(arena, &one, &longer)->same);
    ck_assert(!align_documents(arena, &three, &four)->same);
    two.keys = other.keys; // rows alike, columns not
    Aligned *aligned = align_documents(arena, &one, &two);
    ck_assert(!aligned->same && aligned->rows.count == 3 && aligned->cols.count == 4);
}

// Equal words at both ends need no pairs; if too many remain, words are aligned by index.
TEST(long_lists_are_aligned_within_a_limit)
{
    enum { N = 3000 };
    Document one = of(NULL, N), other = of(NULL, N + 1);
    const char **a = arena_alloc(arena, N * sizeof *a), **b = arena_alloc(arena, (N + 1) * sizeof *b);
    for (int i = 0; i < N; i++) a[i] = b[i < 1000 ? i : i + 1] = arena_format(arena, "w%d", i % 700);
    b[1000] = "new";
    one.queries = one.keys = a;
    other.queries = other.keys = b;
    Aligned *aligned = align_documents(arena, &one, &other);
    ck_assert_int_eq(aligned->rows.count, N + 1);
    ck_assert(aligned->rows.first[999] == 999 && aligned->rows.first[1000] == -1 && aligned->rows.second[1000] == 1000);
    ck_assert(aligned->rows.first[N] == N - 1 && aligned->rows.second[N] == N);
    a[0] = "first";
    a[N - 1] = "last";
    aligned = align_documents(arena, &one, &other);
    ck_assert(aligned->rows.count == N + 1 && aligned->rows.first[1000] == 1000 && aligned->rows.first[N] == -1);
}
