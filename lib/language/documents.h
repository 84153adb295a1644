// Chapters 17, 19, 20, 21 and 25. The corpus of model C: documents about a few persons, animals and places, of which
// every word's chance is known.
//
// A document is [start] and sentences of the kinds of language/grammar.h, in words of language/vocabulary.h, one behind
// the other and cut where T ends:
//
//     crossing     today this animal did not cross my wide street last night because it was too tired .
//     taking       the noisy truck near the street had never sold this cup last night since it was very heavy .
//     two names    anna and otto , then she found the cup .
//     quoting      otto lost my ripe apple and anna said that anna found the heavy cup .
//
// What makes a document more than its sentences, so that a model must look back:
//
//     a small cast     two movers (animals, vehicles), two places, two objects (things, food), two women, two men
//     mentions         a noun's first determiner is `my` or `this`, every later one `the`
//     adjectives       a noun has one of its kind's four, and keeps it to the end of the document
//     habits           whoever has done something does it again, with the same verb and to the same thing; a mover has
//                      two such habits, a crossing and a taking. She and he do what their name does. The verbs of
//                      animals are one half, those of vehicles the other
//     times            last or all, night, week, year or summer: one such pair a document
//
// A document is written from left to right, and everything that is drawn shows in the very word that it is drawn for.
// So the chance of each word given all before it is known exactly, and with it the entropy of the language: no model
// can have a smaller loss, but by luck. [Shannon 1948, §6]
#ifndef LANGUAGE_DOCUMENTS_H
#define LANGUAGE_DOCUMENTS_H

#include "base/random.h"
#include "language/vocabulary.h"
#include "model/run.h"

// Its words are the first few of each kind of the dictionary, counted anew: 0 … document_words() − 1, and 0 is [start].
// Those of one class and kind stand together here, too.
int document_words(void);
const Word *document_word(int word);
const char *document_word_text(int word);
int document_word_named(const char *text);                        // −1 when there is none
WordRange document_words_of(WordClass class, SemanticClass kind); // SEMANTIC_NONE: of any kind

// How words of a document hang together: (kind, from, to), to ≤ from. What is remembered is asked for one word earlier
// than it stands: where the word that comes next stood before.
typedef enum {
    DOCUMENT_LINK_PREVIOUS,   // any word → the one before it
    DOCUMENT_LINK_SAME,       // a word → where it stood last
    DOCUMENT_LINK_AFTER_SAME, // a word → what followed it where it stood last: the place of induction
    DOCUMENT_LINK_DETERMINER, // noun → its determiner
    DOCUMENT_LINK_ADJECTIVE,  // noun → the adjective before it
    DOCUMENT_LINK_SUBJECT,    // the word before a verb → the noun or name that does it, if it is not that word
    DOCUMENT_LINK_PRONOUN,    // he, she → the name
    DOCUMENT_LINK_SAID_OF,    // predicate adjective → the noun that it is said of, the last time it stood there
    DOCUMENT_LINK_CANDIDATES, // the word before a predicate adjective → both nouns that it may be said of
    DOCUMENT_LINK_REMEMBERED, // the word before one that the document determines → all places where that one stood
    DOCUMENT_LINK_MARK,       // any word → [start] and every mark before it
    DOCUMENT_LINK_KINDS
} DocumentLinkKind;

const char *document_link_name(DocumentLinkKind kind); // "previous", "same", …

typedef struct {
    DocumentLinkKind kind;
    int from, to;
} DocumentLink;

// What the document determines: of a word of this kind, which one it is follows from what stood before in it.
typedef enum {
    DOCUMENT_RECALL_NONE,
    DOCUMENT_RECALL_VERB,      // of a habit that is known from an earlier sentence
    DOCUMENT_RECALL_NOUN,      // of such a habit; or after `the` and an adjective
    DOCUMENT_RECALL_TIME,      // last or all, and the word after it, from the second time on
    DOCUMENT_RECALL_ADJECTIVE, // of the noun of a known habit; after too that of one of two nouns: if it was shown
    DOCUMENT_RECALL_KINDS
} DocumentRecall;

const char *document_recall_name(DocumentRecall kind); // "none", "verb", …

// DOCUMENT_T: the length of the book's documents. The word after it is only a target.
enum { DOCUMENT_T = 128, DOCUMENT_WORDS = DOCUMENT_T + 1, DOCUMENT_LINKS_MOST = 4096 };

typedef struct {
    int T; // words; 0 is [start]
    int words[DOCUMENT_WORDS];
    double chance[DOCUMENT_WORDS]; // of the word given all before it; of [start] 1
    DocumentRecall recall[DOCUMENT_WORDS];
    int link_count;
    DocumentLink links[DOCUMENT_LINKS_MOST];
} DocumentSample;

void document_draw(DocumentSample *document, int T, Random *random); // 1 ≤ T ≤ DOCUMENT_WORDS
double document_surprise(const DocumentSample *document);            // Σ −log chance of words 1 … T − 1, in nats

// Words with a space between them, none before a mark; [start] is left out.
char *document_text(Arena *arena, const int *words, int T);

// The way back: [start], and the words of `text`, where marks are words and capitals are as small letters. words
// (`most`). false, with a sentence that names the word, when one is none of these words, or when there are too many.
bool document_read(int *words, int *T, int most, const char *text, Error *error);

// Documents of T words are T − 1 positions, and the target of a position is the next word. document_batch draws `count`
// of DOCUMENT_WORDS; there is no corpus.
RunBatch document_batch(Arena *arena, int count, Random *random, const void *corpus);
RunBatch documents_batch(Arena *arena, const DocumentSample *documents, int count);

#endif
