// Chapter 09. The translator's dictionary: words of an English-like language, each with a stem of an invented one.
//
// Two properties of a stem affect its neighbours (language/glosses.h): whether it begins and whether it ends with a
// vowel. Each property divides every word class in half, and neither can be guessed from the English word.
#ifndef LANGUAGE_VOCABULARY_H
#define LANGUAGE_VOCABULARY_H

#include "base/error.h"

#include <stdbool.h>

typedef enum {
    WORD_MARK,
    WORD_DETERMINER,
    WORD_NOUN,
    WORD_ADJECTIVE,
    WORD_NAME,
    WORD_PRONOUN,
    WORD_AUXILIARY,
    WORD_NEGATION,
    WORD_VERB,
    WORD_COPULA,
    WORD_DEGREE,
    WORD_CONJUNCTION,
    WORD_PREPOSITION,
    WORD_ADVERB,
    WORD_PARTICLE,
    WORD_CLASSES
} WordClass;

// Semantic kinds. An adjective goes only with nouns of its own kind: an animal can be tired, a street cannot. A verb has
// the kind of its objects: SEMANTIC_PLACE, or SEMANTIC_THING for things and food. Names are female or male.
typedef enum {
    SEMANTIC_NONE,
    SEMANTIC_ANIMAL,
    SEMANTIC_VEHICLE,
    SEMANTIC_PLACE,
    SEMANTIC_THING,
    SEMANTIC_FOOD,
    SEMANTIC_FEMALE,
    SEMANTIC_MALE,
    SEMANTIC_CLASSES
} SemanticClass;

enum { WORD_GENDERS = 4 }; // of nouns; all other words have none

typedef struct {
    const char *text, *stem; // the English-like word in lower case; its invented stem
    WordClass class;
    SemanticClass kind;
    int gender; // 0 … WORD_GENDERS − 1
} Word;

int words_count(void);
const Word *word_at(int id); // 0 … words_count() − 1; [start] is 0
const char *word_text(int id);
int word_named(const char *text); // −1: not found; case is ignored

// Spelling suggestions for an unknown word. Words that start with it come first, then those with the smallest edit
// distance, at most half its length; on ties, words with the same first letter. near (most). Returns their number.
int words_near(int *near, int most, const char *text, int length);

// Words of one class and kind are consecutive in the dictionary: `first` … `first` + `count` − 1. SEMANTIC_NONE: any
// kind.
typedef struct {
    int first, count;
} WordRange;
WordRange words_of(WordClass class, SemanticClass kind);

bool word_begins_with_vowel(int id); // the stem, not the English word; false for marks
bool word_ends_with_vowel(int id);

// The longest sentence, including [start] and full stop.
enum { WORD_SENTENCE_MOST = 24 };

// Parses a reader's sentence: [start] first, case ignored, marks (, .) are words, a missing full stop is added. words
// (WORD_SENTENCE_MOST). false with an error that names the word: unknown word, too many words, or none.
bool words_of_sentence(int *words, int *T, const char *text, Error *error);

#endif
