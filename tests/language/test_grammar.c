// Sentences: drawn alike from a seed, of the right length; relations that lead to words of the right class; agreement
// in every gloss; pairs that training never sees; twins that differ in one word.
#include "language/grammar.h"

#include "support/reference.h"
#include "support/suite.h"

#include <string.h>

// An assertion of Check costs a system call; this one costs nothing while it holds.
#define must(ok) \
    do { \
        if (!(ok)) ck_abort_msg("%s", #ok); \
    } while (0)

static const Word *at(const GlossedSentence *s, int t) { return word_at(s->words[t]); }

// What a relation may join.
static bool joins(const GlossedSentence *s, GlossRelation r)
{
    const Word *from = at(s, r.from), *to = at(s, r.to);
    switch (r.kind) {
    case GLOSS_RELATION_DET: return from->class == WORD_DETERMINER && to->class == WORD_NOUN && r.from < r.to;
    case GLOSS_RELATION_ATTR:
        return from->class == WORD_ADJECTIVE && to->class == WORD_NOUN && from->kind == to->kind && r.from < r.to;
    case GLOSS_RELATION_VERB:
        return from->class == WORD_VERB && to->class == WORD_NOUN && r.from < r.to &&
               (from->kind == SEMANTIC_PLACE) == (to->kind == SEMANTIC_PLACE);
    case GLOSS_RELATION_AUX:
        return from->class == WORD_AUXILIARY && (to->kind == SEMANTIC_ANIMAL || to->kind == SEMANTIC_VEHICLE);
    case GLOSS_RELATION_IT: return !strcmp(from->text, "it") && to->class == WORD_NOUN && r.to < r.from - 3;
    case GLOSS_RELATION_PRON:
        return !strcmp(from->text, to->kind == SEMANTIC_MALE ? "he" : "she") && to->class == WORD_NAME;
    case GLOSS_RELATION_PADJ: return from->class == WORD_ADJECTIVE && to->class == WORD_NOUN && from->kind == to->kind;
    case GLOSS_RELATION_DUP: return from == to && from->class == WORD_NAME && r.to < r.from;
    case GLOSS_RELATION_PREVIOUS: return r.to == r.from - 1;
    case GLOSS_RELATION_NEXT: return r.to == r.from + 1;
    default: return from->class != WORD_MARK && to->class == WORD_MARK;
    }
}

TEST(relations_join_words_of_the_right_class)
{
    Random random = random_from(23);
    int seen[GLOSS_RELATION_KINDS] = { 0 };
    GlossedSentence s;
    for (int n = 0; n < 20000; n++) {
        grammar_sentence_test(&s, &random);
        for (int r = 0; r < s.relation_count; r++) {
            GlossRelation relation = s.relations[r];
            must(0 <= relation.from && relation.from < s.T && 0 <= relation.to && relation.to < s.T);
            if (!joins(&s, relation))
                ck_abort_msg("%s: from %s (%d) to %s (%d)", gloss_relation_name(relation.kind),
                             at(&s, relation.from)->text, relation.from, at(&s, relation.to)->text, relation.to);
            seen[relation.kind]++;
        }
    }
    for (int kind = 0; kind < GLOSS_RELATION_KINDS; kind++) ck_assert_int_gt(seen[kind], 3000);
}

// How many relations of `kind` start at t.
static int relations_from(const GlossedSentence *s, GlossRelationKind kind, int t)
{
    int count = 0;
    for (int r = 0; r < s->relation_count; r++) count += s->relations[r].kind == kind && s->relations[r].from == t;
    return count;
}

// Nothing is forgotten: each determiner, verb, … has its relation, and just one; an adjective is before a noun or said
// of it.
TEST(every_word_has_its_relation)
{
    Random random = random_from(24);
    GlossedSentence s;
    for (int n = 0; n < 5000; n++) {
        grammar_sentence_train(&s, &random);
        int marks = 0;
        for (int t = 0; t < s.T; t++) marks += at(&s, t)->class == WORD_MARK;
        for (int t = 0; t < s.T; t++) {
            WordClass class = at(&s, t)->class;
            bool again = false;
            for (int j = 0; j < t; j++) again |= class == WORD_NAME && s.words[j] == s.words[t];
            bool it = !strcmp(at(&s, t)->text, "it");
            must(relations_from(&s, GLOSS_RELATION_DET, t) == (class == WORD_DETERMINER));
            must(relations_from(&s, GLOSS_RELATION_VERB, t) == (class == WORD_VERB));
            must(relations_from(&s, GLOSS_RELATION_AUX, t) == (class == WORD_AUXILIARY));
            int said = relations_from(&s, GLOSS_RELATION_ATTR, t) + relations_from(&s, GLOSS_RELATION_PADJ, t);
            must(said == (class == WORD_ADJECTIVE));
            must(relations_from(&s, GLOSS_RELATION_IT, t) == it);
            must(relations_from(&s, GLOSS_RELATION_PRON, t) == (class == WORD_PRONOUN && !it));
            must(relations_from(&s, GLOSS_RELATION_DUP, t) == again);
            must(relations_from(&s, GLOSS_RELATION_PREVIOUS, t) == (t > 0));
            must(relations_from(&s, GLOSS_RELATION_NEXT, t) == (t < s.T - 1));
            must(relations_from(&s, GLOSS_RELATION_DELIMITER, t) == (class == WORD_MARK ? 0 : marks));
        }
        must(s.words[0] == word_named("[start]") && s.words[s.T - 1] == word_named("."));
    }
}

// `it` can be no other noun: its adjective's kind is that of one of the two alone; within three words of it there is
// the adjective and no noun, no name, no other adjective.
TEST(it_is_decided_by_its_adjective)
{
    Random random = random_from(25);
    int with = 0, of_subject = 0;
    GlossedSentence s;
    for (int n = 0; n < 20000; n++) {
        grammar_sentence_train(&s, &random);
        if (s.it < 0) {
            must(s.adjective < 0 && s.subject < 0 && s.object < 0);
            continue;
        }
        with++;
        int antecedent = gloss_relation_to(&s, GLOSS_RELATION_IT, s.it);
        of_subject += antecedent == s.subject;
        for (int t = 0; t < s.it; t++) // no other noun is of a kind that the adjective goes with
            must(at(&s, t)->class != WORD_NOUN || (at(&s, t)->kind == at(&s, s.adjective)->kind) == (t == antecedent));
        must(gloss_relation_to(&s, GLOSS_RELATION_PADJ, s.adjective) == antecedent);
        must(s.adjective == s.it + 3);
        for (int t = s.it - 3; t <= s.it + 3; t++) {
            if (t == s.T) break;
            WordClass class = at(&s, t)->class;
            must(t == s.adjective || (class != WORD_NOUN && class != WORD_NAME && class != WORD_ADJECTIVE));
        }
    }
    ck_assert_int_gt(with, 7000);
    ck_assert_double_eq_tol((double)of_subject / with, 0.47, 0.02);
}

static const char *text_at(const GlossedSentence *s, int t) { return gloss_text(arena, s->glosses[t]); }

// What every gloss must show, read from its text: the gender's ending, the antecedent's stem, the mark of a mention.
TEST(glosses_agree)
{
    static const char *const ending[] = { "do", "ka", "mi", "ru" };
    Random random = random_from(27);
    GlossedSentence s;
    for (int n = 0; n < 3000; n++) {
        ArenaMark mark = arena_mark(arena);
        grammar_sentence_train(&s, &random);
        for (int t = 0; t < s.T; t++) must(gloss_word(s.glosses[t]) == s.words[t]);
        for (int r = 0; r < s.relation_count; r++) {
            GlossRelation relation = s.relations[r];
            const char *text = text_at(&s, relation.from);
            const Word *from = at(&s, relation.from), *to = at(&s, relation.to);
            const char *rest = text + strlen(from->stem) + (strchr("aeiou", from->stem[0]) && text[0] == 'h');
            bool shown = true;
            if (relation.kind <= GLOSS_RELATION_AUX) shown = !strncmp(rest, ending[to->gender], 2);
            if (relation.kind == GLOSS_RELATION_IT || relation.kind == GLOSS_RELATION_PRON)
                shown = rest[0] == '-' && !strcmp(rest + 1, to->stem);
            if (relation.kind == GLOSS_RELATION_DUP) shown = !strncmp(rest, "sti", 3);
            if (!shown) ck_abort_msg("%s of %s: %s", from->text, to->text, text);
        }
        arena_release(arena, mark);
    }
}

TEST(held_out_pairs)
{
    WordRange animals = words_of(WORD_NOUN, SEMANTIC_ANIMAL), places = words_of(WORD_NOUN, SEMANTIC_PLACE);
    int pairs = 0, trained = 0, tested = 0;
    for (int a = 0; a < animals.count; a++)
        for (int p = 0; p < places.count; p++) pairs += grammar_pair_held_out(animals.first + a, places.first + p);
    ck_assert_int_eq(pairs, 39); // of 196
    ck_assert(grammar_pair_held_out(word_named("animal"), word_named("street")));
    ck_assert(!grammar_pair_held_out(word_named("street"), word_named("animal")));
    ck_assert(!grammar_pair_held_out(word_named("truck"), word_named("street")));
    ck_assert(!grammar_pair_held_out(word_named("animal"), word_named("soup")));
    Random random = random_from(28);
    GlossedSentence s;
    for (int n = 0; n < 20000; n++) {
        grammar_sentence_train(&s, &random);
        trained += s.it >= 0 && grammar_pair_held_out(s.words[s.subject], s.words[s.object]);
        grammar_sentence_test(&s, &random);
        tested += s.it >= 0 && grammar_pair_held_out(s.words[s.subject], s.words[s.object]);
    }
    ck_assert_int_eq(trained, 0);
    ck_assert_int_gt(tested, 300);
}

// The only differences between twins: the adjective, its gloss, the gloss of `it`; and the link of the word before the
// adjective when one adjective's stem begins with a vowel and the other's does not.
TEST(twins_differ_in_one_word)
{
    Random random = random_from(29);
    GlossedSentence tired, wide;
    int linked = 0, lengths[WORD_SENTENCE_MOST] = { 0 };
    for (int n = 0; n < 5000; n++) {
        bool plain = n % 2;
        grammar_sentence_twins(&tired, &wide, plain, &random);
        must(grammar_pair_held_out(tired.words[tired.subject], tired.words[tired.object]));
        must(tired.T == wide.T && tired.it == wide.it && tired.subject == wide.subject && tired.object == wide.object);
        must(tired.adjective == wide.adjective && tired.T <= 23);
        must(tired.words[tired.it] == word_named("it"));
        must(gloss_relation_to(&tired, GLOSS_RELATION_IT, tired.it) == tired.subject);
        must(gloss_relation_to(&wide, GLOSS_RELATION_IT, wide.it) == wide.object);
        must(gloss_relation_to(&wide, GLOSS_RELATION_PADJ, wide.adjective) == wide.object);
        bool same_start =
            word_begins_with_vowel(tired.words[tired.adjective]) == word_begins_with_vowel(wide.words[wide.adjective]);
        for (int t = 0; t < tired.T; t++) {
            bool link = t == tired.adjective - 1 && !same_start;
            linked += link;
            must((tired.words[t] != wide.words[t]) == (t == tired.adjective));
            must((tired.glosses[t] != wide.glosses[t]) == (t == tired.adjective || t == tired.it || link));
        }
        if (plain) lengths[tired.T]++;
    }
    ck_assert_int_gt(linked, 1000);
    ck_assert_int_eq(lengths[16], 2500); // plain twins are as long as the sentence of the book
}

// The sentence that a reader types is the one whose relations are known.
TEST(the_sentence_of_the_book)
{
    static const char *const text[] = { "The animal did not cross the street last night because it was too tired.",
                                        "The animal did not cross the street last night because it was too wide." };
    for (int wide = 0; wide < 2; wide++) {
        GlossedSentence s;
        int words[WORD_SENTENCE_MOST], T;
        Error error;
        grammar_sentence_of_the_book(&s, wide);
        ck_assert_msg(words_of_sentence(words, &T, text[wide], &error), "%s", error.text);
        must(s.T == T);
        ck_assert_mem_eq(s.words, words, (size_t)T * sizeof *words);
        ck_assert_str_eq(at(&s, s.it)->text, "it");
        ck_assert_str_eq(at(&s, s.subject)->text, "animal");
        ck_assert_str_eq(at(&s, s.object)->text, "street");
        ck_assert_str_eq(at(&s, s.adjective)->text, wide ? "wide" : "tired");
        must(gloss_relation_to(&s, GLOSS_RELATION_IT, s.it) == (wide ? s.object : s.subject));
        for (int r = 0; r < s.relation_count; r++) must(joins(&s, s.relations[r]));
    }
}
