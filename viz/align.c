// A longest common subsequence of two lists of words.
#include "viz/align.h"

#include <stdint.h>
#include <string.h>

typedef const char *const *Words;

static bool same(Words a, int i, Words b, int j) { return !strcmp(a[i], b[j]); }

static void put(AlignedAxis *along, int one, int other)
{
    along->first[along->count] = one;
    along->second[along->count++] = other;
}

// Pairs equal indices; the rest of the longer list follows.
static void by_number(AlignedAxis *along, int n, int m)
{
    for (int i = 0; i < n || i < m; i++) put(along, i < n ? i : -1, i < m ? i : -1);
}

// length[i][j] is the length of the longest common subsequence of a[i…] and b[j…]; the alignment is read from it
// forwards.
static int by_words(AlignedAxis *along, Words a, int n, Words b, int m, int from)
{
    Arena *scratch = arena_open();
    size_t wide = (size_t)m + 1;
    int *length = arena_alloc(scratch, ((size_t)n + 1) * wide * sizeof *length), common;
    for (int i = n - 1; i >= 0; i--)
        for (int j = m - 1; j >= 0; j--) {
            int *at = &length[(size_t)i * wide + (size_t)j], below = at[wide], right = at[1];
            *at = same(a, i, b, j) ? 1 + at[wide + 1] : below > right ? below : right;
        }
    common = length[0];
    int i = 0, j = 0;
    while (i < n || j < m) {
        bool both = i < n && j < m && same(a, i, b, j);
        bool first =
            i < n && (j == m || length[(size_t)(i + 1) * wide + (size_t)j] >= length[(size_t)i * wide + (size_t)j + 1]);
        put(along, both || first ? from + i : -1, both || !first ? from + j : -1);
        i += both || first;
        j += both || !first;
    }
    arena_close(scratch);
    return common;
}

static AlignedAxis align(Arena *arena, Words a, int n, Words b, int m)
{
    AlignedAxis along = { .first = arena_alloc(arena, ((size_t)n + (size_t)m + 1) * sizeof *along.first),
                          .second = arena_alloc(arena, ((size_t)n + (size_t)m + 1) * sizeof *along.second) };
    int before = 0, after = 0, common = 0, least = n < m ? n : m;
    if (a && b) {
        while (before < least && same(a, before, b, before)) before++;
        while (after < least - before && same(a, n - 1 - after, b, m - 1 - after)) after++;
    }
    int64_t pairs = (int64_t)(n - before - after) * (m - before - after);
    if (!a || !b || pairs > ALIGN_MOST) {
        by_number(&along, n, m);
        return along;
    }
    for (int i = 0; i < before; i++) put(&along, i, i);
    common = by_words(&along, a + before, n - before - after, b + before, m - before - after, before);
    for (int i = after; i > 0; i--) put(&along, n - i, m - i);
    if (before + after + common > 0) return along;
    along.count = 0;
    by_number(&along, n, m);
    return along;
}

static bool is_same(const AlignedAxis *along)
{
    for (int i = 0; i < along->count; i++)
        if (along->first[i] != along->second[i]) return false;
    return true;
}

Aligned *align_documents(Arena *arena, const Document *one, const Document *other)
{
    Aligned *aligned = arena_alloc(arena, sizeof *aligned);
    aligned->rows = align(arena, one->queries, one->T, other->queries, other->T);
    aligned->cols = align(arena, one->keys, one->S, other->keys, other->S);
    aligned->same = is_same(&aligned->rows) && is_same(&aligned->cols);
    return aligned;
}
