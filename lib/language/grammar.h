// Chapter 09. The grammar: sentences of the English-like language, with their relations and glosses.
//
// Four kinds of sentences; a noun phrase is a determiner, up to two adjectives, a noun.
//
//     crossing     the animal did not cross the street last night because it was too tired .
//     taking       this dog near the bridge had never found my broken cup all summer as it was too heavy .
//     two names    anna and tom , then she sold the ripe melon .
//     quoting      anna found a cup and tom said that anna lost the soup .
//
// `it` refers to the noun whose kind fits the predicate adjective: the subject, the object, or the place in a taking
// sentence. Two words separate the object from the conjunction, so that within three words of `it` there is the
// adjective, and no noun.
#ifndef LANGUAGE_GRAMMAR_H
#define LANGUAGE_GRAMMAR_H

#include "base/random.h"
#include "language/glosses.h"

// A random sentence for training, and one for tests. They differ in one respect: crossing sentences for training never
// combine a held-out animal and place.
void grammar_sentence_train(GlossedSentence *sentence, Random *random);
void grammar_sentence_test(GlossedSentence *sentence, Random *random);

// Is this (animal, place) pair of word ids held out? A fifth of all pairs are, with the book's (animal, street). In
// training they are never subject and object; in a taking sentence, where the place is near the animal, they may meet.
bool grammar_pair_held_out(int animal, int place);

// A minimal pair of crossing sentences: with an adjective of the subject, and with one of the object. They differ in that
// word only, and the antecedent of `it` (position tired->it) changes from tired->subject to tired->object. The nouns are
// a held-out pair. `plain`: no adjectives before nouns, no adverbs, standard word order.
void grammar_sentence_twins(GlossedSentence *tired, GlossedSentence *wide, bool plain, Random *random);

// The book's sentence: The animal did not cross the street last night because it was too tired. Or … wide.
void grammar_sentence_of_the_book(GlossedSentence *sentence, bool wide);

#endif
