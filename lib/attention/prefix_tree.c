// Chapter 20. Prefix caching: finds pages by the tokens in and before them. [Zheng et al. 2024, §3, arXiv:2312.07104]
#include "attention/prefix_tree.h"

#include "base/error.h"

#include <string.h>

PrefixTree prefix_tree_new(Arena *arena, PagePool *pool)
{
    size_t count = (size_t)pool->count;
    PrefixTree tree = { .pool = pool, .root = -1 };
    tree.tokens = arena_alloc(arena, count * (size_t)pool->size * sizeof *tree.tokens);
    tree.parent = arena_alloc(arena, count * sizeof *tree.parent);
    tree.child = arena_alloc(arena, count * sizeof *tree.child);
    tree.sibling = arena_alloc(arena, count * sizeof *tree.sibling);
    tree.used = arena_alloc(arena, count * sizeof *tree.used);
    return tree;
}

static int *first_child(PrefixTree *tree, int node) { return node < 0 ? &tree->root : &tree->child[node]; }

// The child of `node` (−1: the root) whose page holds these tokens; −1 if there is none.
static int find_child(PrefixTree *tree, int node, const int *tokens)
{
    size_t size = (size_t)tree->pool->size;
    for (int c = *first_child(tree, node); c >= 0; c = tree->sibling[c])
        if (!memcmp(tree->tokens + (size_t)c * size, tokens, size * sizeof *tokens)) return c;
    return -1;
}

int prefix_tree_look_up(PrefixTree *tree, PageTable *table, const int *tokens, int n)
{
    int size = tree->pool->size, found = 0, node = -1;
    REQUIRE(table->length == 0 && table->pool == tree->pool,
            "a table of %d tokens; it must be empty, and of the tree's pool", table->length);
    if (n > table->most) n = table->most;
    tree->clock++;
    while (n - found >= size) {
        node = find_child(tree, node, tokens + found);
        if (node < 0) break;
        page_table_add(table, node);
        tree->used[node] = tree->clock;
        found += size;
    }
    return found;
}

// Inserts a page as a new leaf.
static void insert(PrefixTree *tree, int page, int parent, const int *tokens)
{
    REQUIRE(tree->used[page] == 0, "page %d stands in the tree already, behind other tokens", page);
    int *first = first_child(tree, parent), size = tree->pool->size;
    memcpy(tree->tokens + (size_t)page * (size_t)size, tokens, (size_t)size * sizeof *tokens);
    tree->parent[page] = parent;
    tree->child[page] = -1;
    tree->sibling[page] = *first;
    *first = page;
    page_hold(tree->pool, page);
    tree->nodes++;
}

void prefix_tree_keep(PrefixTree *tree, const PageTable *table, const int *tokens)
{
    int size = tree->pool->size, node = -1;
    REQUIRE(table->pool == tree->pool, "a table of another pool");
    tree->clock++;
    for (int i = 0; i < table->length / size; i++) {
        int next = find_child(tree, node, tokens + i * size);
        if (next < 0) {
            next = table->page[i];
            insert(tree, next, node, tokens + i * size);
        }
        tree->used[next] = tree->clock;
        node = next;
    }
}

// The least recently used leaf that only the tree references; −1 if there is none.
static int least_recent_leaf(const PrefixTree *tree)
{
    int least_recent = -1;
    for (int p = 0; p < tree->pool->count; p++) {
        bool leaf = tree->used[p] > 0 && tree->child[p] < 0 && tree->pool->holders[p] == 1;
        if (leaf && (least_recent < 0 || tree->used[p] < tree->used[least_recent])) least_recent = p;
    }
    return least_recent;
}

static void remove_leaf(PrefixTree *tree, int leaf)
{
    int *link = first_child(tree, tree->parent[leaf]);
    while (*link != leaf) link = &tree->sibling[*link];
    *link = tree->sibling[leaf];
    tree->used[leaf] = 0;
    tree->nodes--;
    page_drop(tree->pool, leaf);
}

int prefix_tree_give_back(PrefixTree *tree, int wanted)
{
    int evicted = 0;
    while (tree->pool->left < wanted) {
        int leaf = least_recent_leaf(tree);
        if (leaf < 0) break;
        remove_leaf(tree, leaf);
        evicted++;
    }
    return evicted;
}
