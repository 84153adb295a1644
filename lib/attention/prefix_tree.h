// Chapter 20. Which full pages hold which tokens: a tree whose paths are prefixes, so that a prompt that begins as an
// earlier one did takes that one's pages and computes only what is new.
//
// A node is one full page. What stands in a page depends on all tokens before it, so a page serves again only behind
// the same path: that is why it is a tree, and not a table of pages by their tokens.
// [Zheng et al. 2024, SGLang, §3, arXiv:2312.07104; Kwon et al. 2023, §4.4, arXiv:2309.06180]
#ifndef ATTENTION_PREFIX_TREE_H
#define ATTENTION_PREFIX_TREE_H

#include "attention/pages.h"

#include <stdint.h>

// Node n is page n: a page stands in the tree at most once. Page p's tokens are row p of `tokens`.
typedef struct {
    PagePool *pool;
    int *tokens;          // (count · size)
    int *parent;          // (count) −1: at the root
    int *child, *sibling; // (count) first child; next child of the same parent; −1: none
    int64_t *used;        // (count) when the node was last looked up; 0: not in the tree
    int root, nodes;      // the root's first child; pages in the tree
    int64_t clock;
} PrefixTree;

PrefixTree prefix_tree_new(Arena *arena, PagePool *pool);

// The longest path whose tokens begin tokens[0 … n − 1]: its pages are added to the table, which is empty, as far as it
// has room. Returns how many tokens they hold: a multiple of the size of a page.
int prefix_tree_look_up(PrefixTree *tree, PageTable *table, const int *tokens, int n);

// The full pages of a table, whose tokens these are, join the tree where they are not in it yet; the tree holds them.
void prefix_tree_keep(PrefixTree *tree, const PageTable *table, const int *tokens);

// Gives back pages that nobody but the tree holds, those that were used longest ago first, and a page only after those
// behind it, until `wanted` pages are free or there is nothing left to give. Returns how many it gave.
int prefix_tree_give_back(PrefixTree *tree, int wanted);

#endif
