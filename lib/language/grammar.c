// Sentences are generated from left to right; a relation is added when its second word is written.
#include "language/grammar.h"

enum { LONGEST_DRAWN = WORD_SENTENCE_MOST - 1 }; // including [start] and full stop; longer drafts are rejected

// A sentence being generated, and its source of randomness.
typedef struct {
    GlossedSentence *to;
    Random *random;
    bool plain; // no optional words, and standard order
} Draft;

static bool coin(Draft d, int percent) { return random_below(d.random, 100) < percent; }
static bool extra(Draft d, int percent) { return !d.plain && coin(d, percent); }

// ---- words

// Indices in the dictionary's particles.
enum { LAST, ALL, NIGHT, WEEK, YEAR, SUMMER, AND, SAID, THAT, THEN };
enum { START, STOP, COMMA };

static int particle(int which) { return words_of(WORD_PARTICLE, SEMANTIC_NONE).first + which; }
static int any_in(Draft d, WordRange range) { return range.first + random_below(d.random, range.count); }
static int any(Draft d, WordClass class, SemanticClass kind) { return any_in(d, words_of(class, kind)); }

// Writes a word and returns its position. Words that do not fit are counted, so that the draft is found too long.
static int write_word(Draft d, int word)
{
    if (d.to->T < WORD_SENTENCE_MOST) d.to->words[d.to->T] = word;
    return d.to->T++;
}

static void relate(GlossedSentence *sentence, GlossRelationKind kind, int from, int to)
{
    REQUIRE(sentence->relation_count < GLOSS_RELATIONS_MOST, "more than %d relations", GLOSS_RELATIONS_MOST);
    sentence->relations[sentence->relation_count++] = (GlossRelation){ kind, from, to };
}

static void open_sentence(Draft d)
{
    *d.to = (GlossedSentence){ .it = -1, .adjective = -1, .subject = -1, .object = -1 };
    write_word(d, START);
    if (extra(d, 30)) write_word(d, any(d, WORD_ADVERB, SEMANTIC_NONE));
}

// Adds the positional relations of every word, and the glosses.
static void close_sentence(GlossedSentence *sentence)
{
    int T = sentence->T;
    for (int t = 1; t < T; t++) relate(sentence, GLOSS_RELATION_PREVIOUS, t, t - 1);
    for (int t = 0; t < T - 1; t++) relate(sentence, GLOSS_RELATION_NEXT, t, t + 1);
    for (int t = 0; t < T; t++) {
        if (word_at(sentence->words[t])->class == WORD_MARK) continue;
        for (int mark = 0; mark < T; mark++)
            if (word_at(sentence->words[mark])->class == WORD_MARK) relate(sentence, GLOSS_RELATION_DELIMITER, t, mark);
    }
    gloss_sentence(sentence);
}

// ---- phrases

// Two different adjectives of a kind, with or without a degree word before the second: the first is at a distance of 2 or
// 3 from its noun, so that no fixed offset finds every noun.
static int write_adjectives(Draft d, int *position, SemanticClass kind)
{
    int first = any(d, WORD_ADJECTIVE, kind), second = any(d, WORD_ADJECTIVE, kind);
    position[0] = write_word(d, first);
    if (second == first || coin(d, 40)) return 1;
    if (coin(d, 40)) write_word(d, any(d, WORD_DEGREE, SEMANTIC_NONE));
    position[1] = write_word(d, second);
    return 2;
}

// the (tired (very) hungry) animal. Returns the noun's position.
static int write_noun_phrase(Draft d, int noun)
{
    int adjective[2], adjectives = 0;
    int determiner = write_word(d, any(d, WORD_DETERMINER, SEMANTIC_NONE));
    if (extra(d, 30)) adjectives = write_adjectives(d, adjective, word_at(noun)->kind);
    int position = write_word(d, noun);
    relate(d.to, GLOSS_RELATION_DET, determiner, position);
    for (int a = 0; a < adjectives; a++) relate(d.to, GLOSS_RELATION_ATTR, adjective[a], position);
    return position;
}

// A verb and its object; returns the object's position.
static int write_verb_phrase(Draft d, SemanticClass verbs, int noun)
{
    int verb = write_word(d, any(d, WORD_VERB, verbs));
    int object = write_noun_phrase(d, noun);
    relate(d.to, GLOSS_RELATION_VERB, verb, object);
    return object;
}

static int write_taking(Draft d)
{
    return write_verb_phrase(d, SEMANTIC_THING, any(d, WORD_NOUN, coin(d, 50) ? SEMANTIC_THING : SEMANTIC_FOOD));
}

// did the animal near the bridge not …, the animal near the bridge (often) did not …: subject, place, auxiliary,
// negation. Returns the subject's position, and the place's in *place. NULL: no place; an empty range: no auxiliary.
static int write_subject(Draft d, int noun, int *place, WordRange auxiliaries)
{
    int auxiliary = -1, word = auxiliaries.count ? any_in(d, auxiliaries) : -1;
    if (word >= 0 && extra(d, 25)) auxiliary = write_word(d, word);
    int subject = write_noun_phrase(d, noun);
    if (place) {
        write_word(d, any(d, WORD_PREPOSITION, SEMANTIC_NONE));
        *place = write_noun_phrase(d, any(d, WORD_NOUN, SEMANTIC_PLACE));
    }
    if (word < 0) return subject;
    if (auxiliary < 0) {
        bool opened = word_at(d.to->words[1])->class == WORD_ADVERB; // at most one adverb
        if (!opened && extra(d, 25)) write_word(d, any(d, WORD_ADVERB, SEMANTIC_NONE));
        auxiliary = write_word(d, word);
    }
    write_word(d, any(d, WORD_NEGATION, SEMANTIC_NONE));
    relate(d.to, GLOSS_RELATION_AUX, auxiliary, subject);
    return subject;
}

// last night because it was too tired: `it` refers to the noun at position `antecedent`.
static void write_reason(Draft d, int subject, int object, int antecedent)
{
    write_word(d, particle(LAST + random_below(d.random, 2)));
    write_word(d, particle(NIGHT + random_below(d.random, 4)));
    write_word(d, any(d, WORD_CONJUNCTION, SEMANTIC_NONE));
    int it = write_word(d, words_of(WORD_PRONOUN, SEMANTIC_NONE).first);
    write_word(d, any(d, WORD_COPULA, SEMANTIC_NONE));
    write_word(d, any(d, WORD_DEGREE, SEMANTIC_NONE));
    int noun = antecedent < WORD_SENTENCE_MOST ? d.to->words[antecedent] : START; // beyond the end: draft too long
    int adjective = write_word(d, any(d, WORD_ADJECTIVE, word_at(noun)->kind));
    relate(d.to, GLOSS_RELATION_IT, it, antecedent);
    relate(d.to, GLOSS_RELATION_PADJ, adjective, antecedent);
    d.to->it = it;
    d.to->adjective = adjective;
    d.to->subject = subject;
    d.to->object = object;
}

// ---- sentences

// did, could, would, should take the plain verb; had, has take found, lost, …
enum { BEFORE_PLAIN_VERB = 4 };

static WordRange auxiliaries_of(SemanticClass verbs)
{
    WordRange all = words_of(WORD_AUXILIARY, SEMANTIC_NONE);
    if (verbs == SEMANTIC_PLACE) return (WordRange){ all.first, BEFORE_PLAIN_VERB };
    return (WordRange){ all.first + BEFORE_PLAIN_VERB, all.count - BEFORE_PLAIN_VERB };
}

static void write_crossing(Draft d, int mover, int place, bool of_subject)
{
    int subject = write_subject(d, mover, NULL, auxiliaries_of(SEMANTIC_PLACE));
    int object = write_verb_phrase(d, SEMANTIC_PLACE, place);
    write_reason(d, subject, object, of_subject ? subject : object);
}

static int any_mover(Draft d) { return any(d, WORD_NOUN, coin(d, 50) ? SEMANTIC_ANIMAL : SEMANTIC_VEHICLE); }

static void write_any_crossing(Draft d, bool with_held_out)
{
    int mover, place;
    do {
        mover = any_mover(d);
        place = any(d, WORD_NOUN, SEMANTIC_PLACE);
    } while (!with_held_out && grammar_pair_held_out(mover, place));
    write_crossing(d, mover, place, coin(d, 50));
}

// Here `it` has a third candidate: the place.
static void write_any_taking(Draft d)
{
    WordRange auxiliaries = { 0, 0 };
    int mover = any_mover(d), noun[3], nouns = 2;
    bool with_place = coin(d, 50);
    if (coin(d, 60)) auxiliaries = auxiliaries_of(SEMANTIC_THING);
    noun[0] = write_subject(d, mover, with_place ? &noun[2] : NULL, auxiliaries);
    noun[1] = write_taking(d);
    nouns += with_place;
    if (coin(d, 60)) write_reason(d, noun[0], noun[1], noun[random_below(d.random, nouns)]);
}

// anna and tom , then she …: the pronoun's gender selects one of the two.
static void write_two_names(Draft d)
{
    SemanticClass kind[2] = { SEMANTIC_FEMALE, SEMANTIC_MALE };
    int swapped = coin(d, 50), which = coin(d, 50), name[2];
    name[0] = write_word(d, any(d, WORD_NAME, kind[swapped]));
    write_word(d, particle(AND));
    name[1] = write_word(d, any(d, WORD_NAME, kind[!swapped]));
    write_word(d, COMMA);
    write_word(d, particle(THEN));
    int pronoun = write_word(d, words_of(WORD_PRONOUN, kind[which ^ swapped]).first);
    relate(d.to, GLOSS_RELATION_PRON, pronoun, name[which]);
    write_taking(d);
}

// The name, and a relation to its first mention.
static void write_name(Draft d, int name)
{
    int first = 0, T = d.to->T;
    while (first < T && first < WORD_SENTENCE_MOST && d.to->words[first] != name) first++;
    int position = write_word(d, name);
    if (first < T && first < WORD_SENTENCE_MOST) relate(d.to, GLOSS_RELATION_DUP, position, first);
}

// anna found a cup and tom said that anna lost the soup: the names of the speaker and of the person spoken of.
static void write_quoting(Draft d)
{
    WordRange names = words_of(WORD_NAME, SEMANTIC_NONE);
    int one = any_in(d, names), other = any_in(d, names);
    while (other == one) other = any_in(d, names);
    write_name(d, one);
    write_taking(d);
    write_word(d, particle(AND));
    write_name(d, coin(d, 50) ? one : other);
    write_word(d, particle(SAID));
    write_word(d, particle(THAT));
    write_name(d, coin(d, 50) ? one : other);
    write_taking(d);
}

static void draw(GlossedSentence *to, bool with_held_out, Random *random)
{
    Draft d = { to, random, false };
    do {
        int kind = random_below(random, 4);
        open_sentence(d);
        if (kind == 0) write_any_crossing(d, with_held_out);
        if (kind == 1) write_any_taking(d);
        if (kind == 2) write_two_names(d);
        if (kind == 3) write_quoting(d);
        write_word(d, STOP);
    } while (to->T > LONGEST_DRAWN);
    close_sentence(to);
}

void grammar_sentence_train(GlossedSentence *sentence, Random *random) { draw(sentence, false, random); }
void grammar_sentence_test(GlossedSentence *sentence, Random *random) { draw(sentence, true, random); }

// ---- held-out pairs and minimal pairs

bool grammar_pair_held_out(int animal, int place)
{
    WordRange animals = words_of(WORD_NOUN, SEMANTIC_ANIMAL), places = words_of(WORD_NOUN, SEMANTIC_PLACE);
    int a = animal - animals.first, p = place - places.first;
    bool pair = 0 <= a && a < animals.count && 0 <= p && p < places.count;
    return pair && (a + p) % 5 == 0;
}

// The same sentence with another predicate adjective, of the kind of the noun at `antecedent`.
static void turn_to(GlossedSentence *sentence, int antecedent, int adjective)
{
    sentence->words[sentence->adjective] = adjective;
    for (int r = 0; r < sentence->relation_count; r++) {
        GlossRelation *relation = &sentence->relations[r];
        if (relation->kind == GLOSS_RELATION_IT || relation->kind == GLOSS_RELATION_PADJ) relation->to = antecedent;
    }
    gloss_sentence(sentence);
}

void grammar_sentence_twins(GlossedSentence *tired, GlossedSentence *wide, bool plain, Random *random)
{
    Draft d = { tired, random, plain };
    do {
        int animal, place;
        do {
            animal = any(d, WORD_NOUN, SEMANTIC_ANIMAL);
            place = any(d, WORD_NOUN, SEMANTIC_PLACE);
        } while (!grammar_pair_held_out(animal, place));
        open_sentence(d);
        write_crossing(d, animal, place, true);
        write_word(d, STOP);
    } while (tired->T > LONGEST_DRAWN);
    close_sentence(tired);
    *wide = *tired;
    turn_to(wide, wide->object, any(d, WORD_ADJECTIVE, SEMANTIC_PLACE));
}

void grammar_sentence_of_the_book(GlossedSentence *sentence, bool wide)
{
    static const char text[] = "The animal did not cross the street last night because it was too tired.";
    *sentence = (GlossedSentence){ .subject = 2, .object = 7, .it = 11, .adjective = 14 };
    Error error;
    bool read = words_of_sentence(sentence->words, &sentence->T, text, &error);
    REQUIRE(read, "%s", error.text);
    relate(sentence, GLOSS_RELATION_DET, 1, 2);
    relate(sentence, GLOSS_RELATION_AUX, 3, 2);
    relate(sentence, GLOSS_RELATION_DET, 6, 7);
    relate(sentence, GLOSS_RELATION_VERB, 5, 7);
    relate(sentence, GLOSS_RELATION_IT, 11, 2);
    relate(sentence, GLOSS_RELATION_PADJ, 14, 2);
    close_sentence(sentence);
    if (wide) turn_to(sentence, sentence->object, word_named("wide"));
}
