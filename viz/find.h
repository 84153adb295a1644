// What is looked for: a word or part of one, "animal"; or from one word to another, "it > animal". Knows words only.
#ifndef VIZ_FIND_H
#define VIZ_FIND_H

#include "viz/document.h"

// Words that are as typed count, capitals as small letters; where there is none, those that it is part of. Where a
// document has no words, positions are meant. One word is looked for among queries and keys; of two the first among
// queries, the second among keys. A side that is left empty stands for all of them: "> animal".
enum { FIND_TEXT = 128 };
typedef struct {
    char text[FIND_TEXT];
    bool all, part;
    int count;
} FindSide;
typedef struct {
    bool any;               // something is looked for
    bool two;               // from one word to another
    FindSide queries, keys; // count: found; of `all` it is all of them
} Find;

Find find_words(const Document *d, const char *text);        // in a document; "" looks for nothing
bool find_query(const Find *find, const Document *d, int i); // is query i one? Of `all` none is told apart
bool find_key(const Find *find, const Document *d, int j);

// From one word to another, where both stand: how many cells that is, of which masked ones do not count; the sum over
// them in a head, NaN where all are masked. 0 cells: there is none, or so many that a window would stand still.
int find_cells(const Find *find, const Document *d);
double find_sum(const Find *find, const Document *d, int layer, int head);

// Occurrences in their order. Of two words: cells, row by row. Of one: its queries, then its keys.
int find_count(const Find *find);
void find_place(const Find *find, const Document *d, int n, int *query, int *key); // −1: it is not about one

#endif
