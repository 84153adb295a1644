// A search: a word or part of one, "animal"; or from one word to another, "it > animal".
#ifndef VIZ_FIND_H
#define VIZ_FIND_H

#include "viz/document.h"

// Whole words match, ignoring case; if there are none, parts of words do. Without words, positions match. One word is
// searched in queries and keys; of two the first in queries, the second in keys. An empty side matches all: "> animal".
enum { FIND_TEXT = 128 };
typedef struct {
    char text[FIND_TEXT];
    bool all, part;
    int count;
} FindSide;
typedef struct {
    bool any;               // not empty
    bool two;               // from one word to another
    FindSide queries, keys; // count: matches
} Find;

Find find_words(const Document *d, const char *text);        // "" is an empty search
bool find_query(const Find *find, const Document *d, int i); // does query i match? false if the side matches all
bool find_key(const Find *find, const Document *d, int j);

// "a > b": the number of cells, masked ones included; and the sum of a head's weights over them, NaN if all are masked.
// 0 cells: none, or too many to sum without a pause.
int find_cells(const Find *find, const Document *d);
double find_sum(const Find *find, const Document *d, int layer, int head);

// Matches in order: of two words, cells row by row; of one, queries and then keys.
int find_count(const Find *find);
void find_place(const Find *find, const Document *d, int n, int *query, int *key); // −1: no query, no key

#endif
