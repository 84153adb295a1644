// Chapter 09. The grammar: sentences of the English-like language, with their true relations and their glosses.
//
// Four kinds of sentences; a noun phrase is a determiner, up to two adjectives, a noun.
//
//     crossing     the animal did not cross the street last night because it was too tired .
//     taking       this dog near the bridge had never found my broken cup all summer as it was too heavy .
//     two names    anna and tom , then she sold the ripe melon .
//     quoting      anna found a cup and tom said that anna lost the soup .
//
// `it` stands for the noun whose kind its predicate adjective can be said of: subject, object, or the place of a
// taking. Two words stand between the object and the conjunction, so that within three words of `it` there is the
// adjective, and no noun.
#ifndef LANGUAGE_GRAMMAR_H
#define LANGUAGE_GRAMMAR_H

#include "base/random.h"
#include "language/glosses.h"

// A sentence drawn for training, and one drawn for tests. They differ in one thing: in a sentence about crossing,
// training never joins an animal and a place that are held out.
void grammar_sentence_train(GlossedSentence *sentence, Random *random);
void grammar_sentence_test(GlossedSentence *sentence, Random *random);

// Word ids of an animal and a place: a fifth of all pairs, the book's (animal, street) among them. In training they are
// never subject and object; in a sentence about taking, where the place is near the animal, they may meet.
bool grammar_pair_held_out(int animal, int place);

// One sentence about crossing, twice: with the adjective of the subject, and with one of the object's. They differ in
// that word only, and `it` (position tired->it) changes its antecedent from tired->subject to tired->object. The pair
// is held out. `plain`: without adjectives before nouns, adverbs, or another order of words.
void grammar_sentence_twins(GlossedSentence *tired, GlossedSentence *wide, bool plain, Random *random);

// The sentence of the book: The animal did not cross the street last night because it was too tired. Or … wide.
void grammar_sentence_of_the_book(GlossedSentence *sentence, bool wide);

#endif
