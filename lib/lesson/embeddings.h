// Word vectors in a readable table: one row per word, one column per property (noun, verb, alive, …).
//
// The file is tab-separated UTF-8: a header `word<TAB>column<TAB>column…`, then rows `word<TAB>number<TAB>number…`.
// Lines that start with # are comments. The book's table, data/embeddings.tsv, is embedded in every chapter.
#ifndef LESSON_EMBEDDINGS_H
#define LESSON_EMBEDDINGS_H

#include "base/mat.h"
#include "io/file.h"

typedef struct {
    const char *file; // its origin, for messages
    int words, D;
    const char *const *word;   // (words), in lower case
    const char *const *column; // (D) names
    Mat vectors;               // (words, D)
} Embeddings;

// A sentence: its words as typed, and their vectors. Punctuation marks are separate words.
typedef struct {
    int T;
    const char *const *words; // T
    Mat x;                    // (T, D)
} Sentence;

bool embeddings_parse(Embeddings *out, Arena *arena, FileBytes file, const char *name, Error *error);
bool embeddings_read(Embeddings *out, Arena *arena, const char *path, Error *error);
void embeddings_of_the_book(Embeddings *out, Arena *arena);

// Looks up every word in lower case. The message for an unknown word shows the line to add.
bool sentence_look_up(Sentence *out, Arena *arena, const Embeddings *embeddings, const char *text, Error *error);

// Position of the first occurrence of a word, ignoring case; −1: not found.
int sentence_find(const Sentence *sentence, const char *word);

int embeddings_column(const Embeddings *embeddings, const char *name); // −1: not found

#endif
