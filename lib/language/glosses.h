// Chapter 09. The invented language: how every word of a sentence is glossed, given how the words hang together.
//
// The gloss of a word is its stem and what it takes from other words:
//
//     agreement       determiner, attributive adjective, auxiliary: the gender of their noun (-do -ka -mi -ru);
//                     verb: the gender of its object
//     identity        it, he, she: the stem of the word they stand for, after a hyphen
//     mention         a name that stood there before: -sti
//     softening       after a stem that ends with a vowel: p t k f s become b d g v z, and a vowel takes an h before
//                     it; not of names, verbs and pronouns
//     linking         before a stem that begins with a vowel: -n, or -en after a consonant; determiners, names, small
//                     words
//
// A predicate adjective (was too tired) takes no gender. Which class of words takes what: the table in glosses.c.
// Stems, not printed forms, decide about softening and linking: only a neighbour's word need be known, not its gloss.
#ifndef LANGUAGE_GLOSSES_H
#define LANGUAGE_GLOSSES_H

#include "base/arena.h"
#include "language/vocabulary.h"

// How words hang together: (kind, from, to), positions in a sentence. `from` needs what `to` knows.
typedef enum {
    GLOSS_RELATION_DET,       // determiner → its noun
    GLOSS_RELATION_ATTR,      // adjective before a noun → that noun
    GLOSS_RELATION_VERB,      // verb → the noun of its object
    GLOSS_RELATION_AUX,       // auxiliary → the noun of its subject
    GLOSS_RELATION_IT,        // it → the noun that it stands for
    GLOSS_RELATION_PRON,      // he, she → the name
    GLOSS_RELATION_PADJ,      // predicate adjective → the noun it is said of; no gloss depends on it
    GLOSS_RELATION_DUP,       // a name → where it was mentioned first
    GLOSS_RELATION_PREVIOUS,  // any word → the one before it
    GLOSS_RELATION_NEXT,      // any word → the one after it
    GLOSS_RELATION_DELIMITER, // any word → every mark: [start] , . (several relations from one word; add their masses)
    GLOSS_RELATION_KINDS
} GlossRelationKind;

typedef struct {
    GlossRelationKind kind;
    int from, to;
} GlossRelation;

const char *gloss_relation_name(GlossRelationKind kind); // "det", "attr", …

enum { GLOSS_RELATIONS_MOST = 160 };

// A sentence with the answers.
typedef struct {
    int T;                           // positions; 0 is [start], T − 1 the full stop
    int words[WORD_SENTENCE_MOST];   // word ids: what the model reads
    int glosses[WORD_SENTENCE_MOST]; // gloss ids: what it is to answer
    int relation_count;
    GlossRelation relations[GLOSS_RELATIONS_MOST];
    int it, adjective;   // positions of `it`, of the predicate adjective that decides what
    int subject, object; // it is, and of the nouns of subject and object: −1 without `it`
} GlossedSentence;

int glosses_count(void); // all forms: gloss ids are 0 … glosses_count() − 1

// The form of a gloss as it is written, such as "zorinka"; marks stand for themselves.
char *gloss_text(Arena *arena, int gloss);
int gloss_word(int gloss); // the id of the word whose form it is

// What a reader typed, as words_of_sentence reads it: words alone, no relations and no glosses. false, with its sentence.
bool gloss_unglossed(GlossedSentence *sentence, const char *text, Error *error);

// Fills sentence->glosses from words, T and relations.
void gloss_sentence(GlossedSentence *sentence);

// Where relation `kind` leads from `from`: the first such position, −1 when there is none.
int gloss_relation_to(const GlossedSentence *sentence, GlossRelationKind kind, int from);

#endif
