// Chapters 17, 19, 20, 21 and 25. The corpus of model C: synthetic documents about a few persons, animals and places,
// with the exact probability of every word.
//
// A document is [start] and sentences like those of language/grammar.h, with words of language/vocabulary.h, cut off
// at T:
//
//     crossing     today this animal did not cross my wide street last night because it was too tired .
//     taking       the noisy truck near the street had never sold this cup last night since it was very heavy .
//     two names    anna and otto , then she found the cup .
//     quoting      otto lost my ripe apple and anna said that anna found the heavy cup .
//
// Sentences of a document are connected, so that a model must look back:
//
//     a small cast     two movers (animals, vehicles), two places, two objects (things, food), two women, two men
//     mentions         a noun's first determiner is `my` or `this`, every later one `the`
//     adjectives       a noun keeps one of its kind's four adjectives throughout the document
//     habits           an actor always repeats an action with the same verb and object; a mover has two such habits, a
//                      crossing and a taking. `she` and `he` do what their name does. Animals use one half of the
//                      verbs, vehicles the other
//     times            one pair per document: last or all, and night, week, year or summer
//
// A document is generated from left to right, and every random choice is visible in the word it is made for. So the
// probability of each word given all before it is known exactly, and with it the entropy of the language, a lower bound
// of any model's expected loss. [Shannon 1948, §6]
// can have a smaller loss, but by luck. [Shannon 1948, §6]
#ifndef LANGUAGE_DOCUMENTS_H
#define LANGUAGE_DOCUMENTS_H

#include "base/random.h"
#include "language/vocabulary.h"
#include "model/run.h"

// The vocabulary: the first few words of each kind of the dictionary, renumbered 0 … document_words() − 1; 0 is [start].
// Words of one class and kind are consecutive.
int document_words(void);
const Word *document_word(int word);
const char *document_word_text(int word);
int document_word_named(const char *text);                        // −1: not found
WordRange document_words_of(WordClass class, SemanticClass kind); // SEMANTIC_NONE: of any kind

// Relations between words: (kind, from, to), to ≤ from. A link about a word that is predicted starts at the word before
// it, where the model makes the prediction.
typedef enum {
    DOCUMENT_LINK_PREVIOUS,   // any word → the one before it
    DOCUMENT_LINK_SAME,       // a word → its previous occurrence
    DOCUMENT_LINK_AFTER_SAME, // a word → the word after its previous occurrence (induction)
    DOCUMENT_LINK_DETERMINER, // noun → its determiner
    DOCUMENT_LINK_ADJECTIVE,  // noun → the adjective before it
    DOCUMENT_LINK_SUBJECT,    // the word before a verb → the noun or name that is its subject, unless it is that word
    DOCUMENT_LINK_PRONOUN,    // he, she → the name
    DOCUMENT_LINK_SAID_OF,    // predicate adjective → the noun that it describes, at its latest mention
    DOCUMENT_LINK_CANDIDATES, // the word before a predicate adjective → both nouns that it may describe
    DOCUMENT_LINK_REMEMBERED, // the word before one that the document determines → all earlier occurrences of that one
    DOCUMENT_LINK_MARK,       // any word → [start] and every mark before it
    DOCUMENT_LINK_KINDS
} DocumentLinkKind;

const char *document_link_name(DocumentLinkKind kind); // "previous", "same", …

typedef struct {
    DocumentLinkKind kind;
    int from, to;
} DocumentLink;

// Words that the document determines: how they follow from earlier words.
typedef enum {
    DOCUMENT_RECALL_NONE,
    DOCUMENT_RECALL_VERB,      // of a habit seen in an earlier sentence
    DOCUMENT_RECALL_NOUN,      // of such a habit; or after `the` and an adjective
    DOCUMENT_RECALL_TIME,      // last or all, and the word after it, from the second time on
    DOCUMENT_RECALL_ADJECTIVE, // of the noun of a known habit; a predicate adjective of one of two nouns, if shown before
    DOCUMENT_RECALL_KINDS
} DocumentRecall;

const char *document_recall_name(DocumentRecall kind); // "none", "verb", …

// DOCUMENT_T: length of the book's documents. The word after it is only a target.
enum { DOCUMENT_T = 128, DOCUMENT_WORDS = DOCUMENT_T + 1, DOCUMENT_LINKS_MOST = 4096 };

typedef struct {
    int T; // number of words; word 0 is [start]
    int words[DOCUMENT_WORDS];
    double chance[DOCUMENT_WORDS]; // probability of the word given all before it; 1 for [start]
    DocumentRecall recall[DOCUMENT_WORDS];
    int link_count;
    DocumentLink links[DOCUMENT_LINKS_MOST];
} DocumentSample;

void document_draw(DocumentSample *document, int T, Random *random); // 1 ≤ T ≤ DOCUMENT_WORDS
double document_surprise(const DocumentSample *document);            // Σ −log chance of words 1 … T − 1, in nats

// Words separated by spaces, but not before a mark; without [start].
char *document_text(Arena *arena, const int *words, int T);

// Parses a text: [start], then its words; marks are words, and case is ignored. words (`most`). false with an error that
// names the word, if one is unknown or there are too many.
bool document_read(int *words, int *T, int most, const char *text, Error *error);

// A document of T words gives T − 1 positions; the target is the next word. document_batch draws `count` documents of
// DOCUMENT_WORDS words; corpus is not used.
RunBatch document_batch(Arena *arena, int count, Random *random, const void *corpus);
RunBatch documents_batch(Arena *arena, const DocumentSample *documents, int count);

#endif
