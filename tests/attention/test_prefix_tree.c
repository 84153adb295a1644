// Tests of lib/attention/prefix_tree.c: the longest prefix is found, in pages that hold just these tokens behind just
// this path, and what somebody uses is never given back.
#include "attention/prefix_tree.h"

#include "base/random.h"
#include "support/suite.h"

#include <string.h>

enum { TABLES = 5, MOST = 24, PAGES_MOST = 64 };

// In each row of each page: a number that stands for the token and everything before it.
typedef struct {
    PagePool pool;
    PrefixTree tree;
    uint64_t *row;
    PageTable of[TABLES];
    int token[TABLES][MOST];
    Random random;
} World;

static int below(World *w, int n) { return random_below(&w->random, n); }

static World *world_new(int pages, int size, uint64_t seed)
{
    World *w = arena_alloc(arena, sizeof *w);
    w->random = random_from(seed);
    w->pool = page_pool_new(arena, pages, size);
    w->tree = prefix_tree_new(arena, &w->pool);
    w->row = arena_alloc(arena, sizeof *w->row * (size_t)(pages * size));
    for (int s = 0; s < TABLES; s++) w->of[s] = page_table_new(arena, &w->pool, MOST);
    return w;
}

static uint64_t past(const int *token, int t)
{
    uint64_t all = 1;
    for (int i = 0; i <= t; i++) all = all * 6364136223846793005u + (uint64_t)token[i] + 1442695040888963407u;
    return all;
}

// What stands in the pages of a table is what its tokens make, from the first to the last.
static bool rows_stand(const World *w, int s)
{
    int size = w->pool.size;
    for (int t = 0; t < w->of[s].length; t++)
        if (w->row[w->of[s].page[t / size] * size + t % size] != past(w->token[s], t)) return false;
    return true;
}

// The longest prefix by another way: from every node upwards.
static int longest_by_hand(const World *w, const int *tokens, int n)
{
    int size = w->pool.size, best = 0;
    for (int p = 0; p < w->pool.count; p++) {
        int depth = 0;
        if (!w->tree.used[p]) continue;
        for (int at = p; at >= 0; at = w->tree.parent[at]) depth++;
        bool same = depth * size <= n;
        for (int at = p, d = depth - 1; same && at >= 0; at = w->tree.parent[at], d--)
            same = !memcmp(w->tree.tokens + at * size, tokens + d * size, sizeof *tokens * (size_t)size);
        if (same && depth * size > best) best = depth * size;
    }
    return best;
}

static bool holders_are_right(const World *w)
{
    int count[PAGES_MOST] = { 0 }, nodes = 0;
    for (int s = 0; s < TABLES; s++)
        for (int i = 0; i < w->of[s].pages; i++) count[w->of[s].page[i]]++;
    for (int p = 0; p < w->pool.count; p++) {
        nodes += w->tree.used[p] > 0;
        if (w->pool.holders[p] != count[p] + (w->tree.used[p] > 0)) return false;
        if (w->tree.used[p] && w->tree.parent[p] >= 0 && !w->tree.used[w->tree.parent[p]]) return false;
    }
    return nodes == w->tree.nodes;
}

static void no_copy(void *context, int to, int from, int rows)
{
    (void)context;
    ck_abort_msg("%d rows of page %d into page %d: full pages are never copied", rows, from, to);
}

// A prompt of few different tokens comes, takes what is there, computes the rest and leaves it for others.
static bool a_prompt(World *w, int s)
{
    int size = w->pool.size, n = below(w, MOST + 1);
    page_table_truncate(&w->of[s], 0);
    for (int t = 0; t < n; t++) w->token[s][t] = below(w, 8) ? 0 : below(w, 3);
    int wanted = longest_by_hand(w, w->token[s], n), left = w->pool.left;
    int found = prefix_tree_look_up(&w->tree, &w->of[s], w->token[s], n);
    if (found != wanted || w->of[s].length != found || w->pool.left != left || !rows_stand(w, s)) return false;
    int missing = page_table_missing(&w->of[s], n - found);
    if (missing > w->pool.left) {
        int given = prefix_tree_give_back(&w->tree, missing), now = w->pool.left;
        if (now != left + given || (given > 0 && now > missing)) return false;
    }
    if (!page_table_grow(&w->of[s], n - found, no_copy, NULL)) {
        page_table_truncate(&w->of[s], 0);
        return missing > w->pool.left || w->pool.left >= missing;
    }
    for (int t = found; t < n; t++) w->row[w->of[s].page[t / size] * size + t % size] = past(w->token[s], t);
    prefix_tree_keep(&w->tree, &w->of[s], w->token[s]);
    return longest_by_hand(w, w->token[s], n) == n / size * size;
}

TEST_EACH(any_prompts, 4)
{
    static const int sizes[][2] = { { 1, 60 }, { 2, 40 }, { 4, 24 }, { 8, 12 } };
    World *w = world_new(sizes[_i][1], sizes[_i][0], 30 + (uint64_t)_i);
    for (int n = 0; n < 20000; n++) {
        int s = below(w, TABLES);
        bool right = a_prompt(w, s);
        if (below(w, 3) == 0) page_table_truncate(&w->of[below(w, TABLES)], 0);
        for (int other = 0; other < TABLES; other++) right = right && rows_stand(w, other);
        if (!right || !holders_are_right(w)) ck_abort_msg("pages of %d tokens: wrong after prompt %d", sizes[_i][0], n);
    }
    for (int s = 0; s < TABLES; s++) page_table_truncate(&w->of[s], 0);
    prefix_tree_give_back(&w->tree, w->pool.count);
    ck_assert_int_eq(w->pool.left, w->pool.count);
    ck_assert(w->tree.nodes == 0 && w->tree.root == -1);
}

// What was used longest ago goes first, the end of a path before its beginning, and nothing that somebody holds.
TEST(the_oldest_goes_first)
{
    PagePool pool = page_pool_new(arena, 6, 2);
    PrefixTree tree = prefix_tree_new(arena, &pool);
    PageTable a = page_table_new(arena, &pool, 8), b = page_table_new(arena, &pool, 8);
    PageTable c = page_table_new(arena, &pool, 8);
    int one[] = { 1, 1, 2, 2 }, two[] = { 1, 1, 3, 3 }, three[] = { 4, 4 };
    page_table_grow(&a, 4, no_copy, NULL);
    prefix_tree_keep(&tree, &a, one);
    ck_assert_int_eq(prefix_tree_look_up(&tree, &b, two, 4), 2); // its first page is a's
    ck_assert_int_eq(b.page[0], a.page[0]);
    page_table_grow(&b, 2, no_copy, NULL);
    prefix_tree_keep(&tree, &b, two);
    page_table_grow(&c, 2, no_copy, NULL);
    prefix_tree_keep(&tree, &c, three);
    ck_assert(tree.nodes == 4 && pool.left == 2);
    ck_assert_int_eq(prefix_tree_give_back(&tree, 6), 0); // all are in use
    int first = a.page[0], of_one = a.page[1], of_two = b.page[1];
    page_table_truncate(&a, 0);
    page_table_truncate(&b, 0);
    ck_assert_int_eq(prefix_tree_give_back(&tree, 3), 1);
    ck_assert(tree.used[of_one] == 0 && tree.used[of_two] > 0 && tree.used[first] > 0);
    ck_assert_int_eq(prefix_tree_look_up(&tree, &a, one, 3), 2); // the odd token is in no full page
    page_table_truncate(&a, 0);
    ck_assert_int_eq(prefix_tree_give_back(&tree, 6), 2);
    ck_assert(tree.nodes == 1 && pool.left == 5 && tree.used[c.page[0]] > 0);
}
