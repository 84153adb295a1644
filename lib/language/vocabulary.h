// Chapter 09. The words of the translator: a dictionary of an English-like language and an invented one.
//
// Every word has an invented stem. Two things about a stem change its neighbours (language/glosses.h): whether it
// begins with a vowel, and whether it ends with one. Both halve every class of words, and neither can be guessed from
// the English word.
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

// Nouns and adjectives come in five kinds, and an adjective goes with nouns of its own kind alone: an animal can be
// tired, a street cannot. Verbs have the kind of their objects: SEMANTIC_PLACE, or SEMANTIC_THING for things and food. Names
// are of two.
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

enum { WORD_GENDERS = 4 }; // of nouns; names and all other words have none

typedef struct {
    const char *text, *stem; // the English-like word in lower case; its invented stem
    WordClass class;
    SemanticClass kind;
    int gender; // 0 … GENDERS − 1
} Word;

int words_count(void);
const Word *word_at(int id); // 0 … words_count() − 1; [start] is 0
const char *word_text(int id);
int word_named(const char *text); // −1 when there is none; capitals are as small letters

// The words that are nearest to one that is none. Those that it is the beginning of come first, then those to which the
// fewest letters lead that would have to be changed, put in or left out, at most half of its own; of equal ones those
// with the same first letter. near (most). How many there are.
int words_near(int *near, int most, const char *text, int length);

// Words of one class and kind stand together in the dictionary: `first` … `first` + `count` − 1. SEMANTIC_NONE: of any
// kind.
typedef struct {
    int first, count;
} WordRange;
WordRange words_of(WordClass class, SemanticClass kind);

bool word_begins_with_vowel(int id); // the stem, not the English word; false for marks
bool word_ends_with_vowel(int id);

// The longest sentence, [start] and full stop counted.
enum { WORD_SENTENCE_MOST = 24 };

// What a reader typed → word ids: [start] first, capitals as small letters, marks (, .) as words of their own, a full
// stop added where it is missing. words (WORD_SENTENCE_MOST). false, with a sentence that names the word, when a word is not
// in the dictionary, when there are too many, when there is none.
bool words_of_sentence(int *words, int *T, const char *text, Error *error);

#endif
