// Words as vectors: a table that a person can read. One line a word, one column a property (noun, verb, alive, …).
//
// The file is tab-separated UTF-8: a header line `word<TAB>column<TAB>column…`, then `word<TAB>number<TAB>number…`.
// Lines that start with # are comments. The book's own table, data/embeddings.tsv, is built into every chapter.
#ifndef LESSON_EMBEDDINGS_H
#define LESSON_EMBEDDINGS_H

#include "base/mat.h"
#include "io/file.h"

typedef struct {
    const char *file; // where it came from, for messages
    int words, D;
    const char *const *word;   // words names, in lower case
    const char *const *column; // D names
    Mat vectors;               // (words, D)
} Embeddings;

// A sentence: its words as typed, and their vectors. Punctuation marks are words of their own.
typedef struct {
    int T;
    const char *const *words; // T
    Mat x;                    // (T, D)
} Sentence;

bool embeddings_parse(Embeddings *out, Arena *arena, FileBytes file, const char *name, Error *error);
bool embeddings_read(Embeddings *out, Arena *arena, const char *path, Error *error);
void embeddings_of_the_book(Embeddings *out, Arena *arena);

// Looks every word up, in lower case. An unknown word is named, with the line that would add it.
bool sentence_look_up(Sentence *out, Arena *arena, const Embeddings *embeddings, const char *text, Error *error);

// The first place of a word, however it is capitalised; −1 when there is none.
int sentence_find(const Sentence *sentence, const char *word);

int embeddings_column(const Embeddings *embeddings, const char *name); // −1 when there is none

#endif
