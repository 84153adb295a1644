// Chapter 09. The invented language: the gloss (translation) of every word of a sentence, given the words' relations.
//
// The gloss of a word is its stem plus affixes that depend on other words:
//
//     agreement       determiner, attributive adjective, auxiliary: the gender of their noun (-do -ka -mi -ru);
//                     verb: the gender of its object
//     identity        it, he, she: the stem of the antecedent, after a hyphen
//     mention         a name that was mentioned before: -sti
//     softening       after a stem that ends with a vowel, p t k f s become b d g v z, and an initial vowel gets an h;
//                     not for names, verbs and pronouns
//     linking         before a stem that begins with a vowel: -n, or -en after a consonant; for determiners, names and
//                     function words
//
// A predicate adjective (was too tired) has no gender. The table in glosses.c says which word classes take which affix.
// Softening and linking depend on stems, not on the final forms: so only the neighbour's word matters, not its gloss.
#ifndef LANGUAGE_GLOSSES_H
#define LANGUAGE_GLOSSES_H

#include "base/arena.h"
#include "language/vocabulary.h"

// Relations between words: (kind, from, to), positions in a sentence. `from` depends on `to`.
typedef enum {
    GLOSS_RELATION_DET,       // determiner → its noun
    GLOSS_RELATION_ATTR,      // adjective before a noun → that noun
    GLOSS_RELATION_VERB,      // verb → the noun of its object
    GLOSS_RELATION_AUX,       // auxiliary → the noun of its subject
    GLOSS_RELATION_IT,        // it → its antecedent
    GLOSS_RELATION_PRON,      // he, she → the name
    GLOSS_RELATION_PADJ,      // predicate adjective → the noun it describes; no gloss depends on it
    GLOSS_RELATION_DUP,       // a name → its first mention
    GLOSS_RELATION_PREVIOUS,  // any word → the one before it
    GLOSS_RELATION_NEXT,      // any word → the one after it
    GLOSS_RELATION_DELIMITER, // any word → every mark: [start] , . (several relations per word; add their masses)
    GLOSS_RELATION_KINDS
} GlossRelationKind;

typedef struct {
    GlossRelationKind kind;
    int from, to;
} GlossRelation;

const char *gloss_relation_name(GlossRelationKind kind); // "det", "attr", …

enum { GLOSS_RELATIONS_MOST = 160 };

// A sentence with its glosses.
typedef struct {
    int T;                           // positions; 0 is [start], T − 1 the full stop
    int words[WORD_SENTENCE_MOST];   // word ids: what the model reads
    int glosses[WORD_SENTENCE_MOST]; // gloss ids: the targets
    int relation_count;
    GlossRelation relations[GLOSS_RELATIONS_MOST];
    int it, adjective;   // positions of `it` and of the predicate adjective that decides its antecedent;
    int subject, object; // positions of the nouns of subject and object. All −1 without `it`
} GlossedSentence;

int glosses_count(void); // number of forms: gloss ids are 0 … glosses_count() − 1

// The written form of a gloss, such as "zorinka"; marks are themselves.
char *gloss_text(Arena *arena, int gloss);
int gloss_word(int gloss); // the word id that the gloss translates

// Parses a reader's sentence (words_of_sentence): words only, without relations or glosses. false with an error.
bool gloss_unglossed(GlossedSentence *sentence, const char *text, Error *error);

// Fills sentence->glosses from words, T and relations.
void gloss_sentence(GlossedSentence *sentence);

// The first position that relation `kind` links `from` to; −1: none.
int gloss_relation_to(const GlossedSentence *sentence, GlossRelationKind kind, int from);

#endif
