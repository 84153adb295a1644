// Chapter 20. Prefix caching: a tree of full pages whose paths are token prefixes, so that a prompt reuses the pages of
// an earlier prompt with the same beginning and only computes the rest.
//
// A node is one full page. The contents of a page depend on all tokens before it, so it can only be reused after the
// same path: hence a tree, not a table from a page's tokens to the page.
// [Zheng et al. 2024, SGLang (RadixAttention), §3, arXiv:2312.07104; Kwon et al. 2023, §4.4, arXiv:2309.06180]
#ifndef ATTENTION_PREFIX_TREE_H
#define ATTENTION_PREFIX_TREE_H

#include "attention/pages.h"

#include <stdint.h>

// Node n is page n: a page is in the tree at most once. The tokens of page p are row p of `tokens`.
typedef struct {
    PagePool *pool;
    int *tokens;          // (count · size)
    int *parent;          // (count) −1: child of the root
    int *child, *sibling; // (count) first child; next child of the same parent; −1: none
    int64_t *used;        // (count) clock of the last use; 0: not in the tree
    int root, nodes;      // the root's first child; number of pages in the tree
    int64_t clock;
} PrefixTree;

PrefixTree prefix_tree_new(Arena *arena, PagePool *pool);

// Finds the longest path that is a prefix of tokens[0 … n − 1] and appends its pages to the table, which must be empty,
// as far as they fit. Returns the number of tokens found: a multiple of the page size.
int prefix_tree_look_up(PrefixTree *tree, PageTable *table, const int *tokens, int n);

// Adds the full pages of a table, which hold these tokens, to the tree where it does not have them; the tree references
// them.
void prefix_tree_keep(PrefixTree *tree, const PageTable *table, const int *tokens);

// Evicts pages that only the tree references, least recently used leaves first, until `wanted` pages are free or none
// is left. Returns the number evicted.
int prefix_tree_give_back(PrefixTree *tree, int wanted);

#endif
