// Numbering and spelling of the forms of the invented language.
#include "language/glosses.h"

#include <string.h>

// ---- the language

// Which sound changes apply to the words of a class.
enum { SOFTENS = 1, LINKS = 2 };

// clang-format off
static const unsigned char sound_changes[WORD_CLASSES] = {
    [WORD_MARK]        = 0,               [WORD_VERB]        = 0,               [WORD_PRONOUN]   = 0,
    [WORD_NOUN]        = SOFTENS,         [WORD_ADJECTIVE]   = SOFTENS,         [WORD_AUXILIARY] = SOFTENS,
    [WORD_NAME]        = LINKS,           [WORD_DETERMINER]  = SOFTENS | LINKS, [WORD_NEGATION]  = SOFTENS | LINKS,
    [WORD_COPULA]      = SOFTENS | LINKS, [WORD_DEGREE]      = SOFTENS | LINKS, [WORD_ADVERB]    = SOFTENS | LINKS,
    [WORD_CONJUNCTION] = SOFTENS | LINKS, [WORD_PREPOSITION] = SOFTENS | LINKS, [WORD_PARTICLE]  = SOFTENS | LINKS,
};
// clang-format on

// The last is for a predicate adjective.
static const char *const gender_ending[WORD_GENDERS + 1] = { "do", "ka", "mi", "ru", "" };
static const char mention_ending[] = "sti";
static const char hard[] = "ptkfs", soft[] = "bdgvz";

// The words that a pronoun can refer to.
static WordRange antecedents(int pronoun)
{
    SemanticClass kind = word_at(pronoun)->kind;
    return kind == SEMANTIC_NONE ? words_of(WORD_NOUN, SEMANTIC_NONE) : words_of(WORD_NAME, kind);
}

// Number of forms of a word, by agreement, earlier mention, or antecedent.
static int choices_of(int word)
{
    switch (word_at(word)->class) {
    case WORD_DETERMINER:
    case WORD_AUXILIARY:
    case WORD_VERB: return WORD_GENDERS;
    case WORD_ADJECTIVE: return WORD_GENDERS + 1;
    case WORD_NAME: return 2;
    case WORD_PRONOUN: return antecedents(word).count;
    default: return 1;
    }
}

// ---- numbers

// A form of a word. choice: the gender, WORD_GENDERS for none; or 1 if mentioned before; or the index of the antecedent.
typedef struct {
    int word, choice;
    bool softened, linked;
} Form;

static int forms_of(int word)
{
    int changes = sound_changes[word_at(word)->class];
    return choices_of(word) * (changes & SOFTENS ? 2 : 1) * (changes & LINKS ? 2 : 1);
}

// Index of a form among those of its word.
static int form_place(Form form)
{
    int changes = sound_changes[word_at(form.word)->class], place = form.choice;
    if (changes & SOFTENS) place = place * 2 + form.softened;
    if (changes & LINKS) place = place * 2 + form.linked;
    return place;
}

// Gloss ids are numbered word by word, form by form.
static Form form_at(int gloss)
{
    REQUIRE(gloss >= 0, "gloss %d", gloss);
    int word = 0, index = gloss;
    while (word < words_count() && index >= forms_of(word)) index -= forms_of(word++);
    REQUIRE(word < words_count(), "gloss %d of %d", gloss, glosses_count());
    Form form = { .word = word };
    int changes = sound_changes[word_at(word)->class];
    if (changes & LINKS) {
        form.linked = index % 2;
        index /= 2;
    }
    if (changes & SOFTENS) {
        form.softened = index % 2;
        index /= 2;
    }
    form.choice = index;
    return form;
}

int glosses_count(void)
{
    int count = 0;
    for (int word = 0; word < words_count(); word++) count += forms_of(word);
    return count;
}

int gloss_word(int gloss) { return form_at(gloss).word; }

// ---- texts

// The stem, softened after a stem that ends with a vowel.
static char *softened(Arena *arena, const char *stem)
{
    const char *match = strchr(hard, *stem);
    return match ? arena_format(arena, "%c%s", soft[match - hard], stem + 1) : arena_format(arena, "h%s", stem);
}

// The ending from agreement, mention or identity.
static const char *ending(Arena *arena, Form form)
{
    switch (word_at(form.word)->class) {
    case WORD_DETERMINER:
    case WORD_AUXILIARY:
    case WORD_VERB:
    case WORD_ADJECTIVE: return gender_ending[form.choice];
    case WORD_NAME: return form.choice ? mention_ending : "";
    case WORD_PRONOUN: return arena_format(arena, "-%s", word_at(antecedents(form.word).first + form.choice)->stem);
    default: return "";
    }
}

char *gloss_text(Arena *arena, int gloss)
{
    Form form = form_at(gloss);
    const char *stem = word_at(form.word)->stem;
    if (form.softened) stem = softened(arena, stem);
    char *text = arena_format(arena, "%s%s", stem, ending(arena, form));
    if (!form.linked) return text;
    return arena_format(arena, "%s%s", text, strchr("aeiou", text[strlen(text) - 1]) ? "n" : "en");
}

// ---- sentences

const char *gloss_relation_name(GlossRelationKind kind)
{
    static const char *const names[GLOSS_RELATION_KINDS] = { "det",  "attr", "verb",     "aux",  "it",       "pron",
                                                             "padj", "dup",  "previous", "next", "delimiter" };
    REQUIRE(0 <= (int)kind && kind < GLOSS_RELATION_KINDS, "relation %d of %d", (int)kind, (int)GLOSS_RELATION_KINDS);
    return names[kind];
}

bool gloss_unglossed(GlossedSentence *sentence, const char *text, Error *error)
{
    *sentence = (GlossedSentence){ .it = -1, .adjective = -1, .subject = -1, .object = -1 };
    return words_of_sentence(sentence->words, &sentence->T, text, error);
}

int gloss_relation_to(const GlossedSentence *sentence, GlossRelationKind kind, int from)
{
    for (int r = 0; r < sentence->relation_count; r++) {
        GlossRelation relation = sentence->relations[r];
        if (relation.kind == kind && relation.from == from) return relation.to;
    }
    return -1;
}

// The gender that the word at `from` takes over relation `kind`.
static int agreed_gender(const GlossedSentence *sentence, GlossRelationKind kind, int from)
{
    int to = gloss_relation_to(sentence, kind, from);
    REQUIRE(to >= 0, "position %d (%s) has no relation %s", from, word_text(sentence->words[from]),
            gloss_relation_name(kind));
    return word_at(sentence->words[to])->gender;
}

// Index of the antecedent among those that the pronoun at `from` can have.
static int antecedent_index(const GlossedSentence *sentence, int from)
{
    int pronoun = sentence->words[from];
    int to = gloss_relation_to(sentence,
                               word_at(pronoun)->kind == SEMANTIC_NONE ? GLOSS_RELATION_IT : GLOSS_RELATION_PRON, from);
    REQUIRE(to >= 0, "position %d (%s) stands for nothing", from, word_text(pronoun));
    return sentence->words[to] - antecedents(pronoun).first;
}

static bool mentioned_before(const GlossedSentence *sentence, int t)
{
    for (int j = 0; j < t; j++)
        if (sentence->words[j] == sentence->words[t]) return true;
    return false;
}

static int choice_at(const GlossedSentence *sentence, int t)
{
    switch (word_at(sentence->words[t])->class) {
    case WORD_DETERMINER: return agreed_gender(sentence, GLOSS_RELATION_DET, t);
    case WORD_AUXILIARY: return agreed_gender(sentence, GLOSS_RELATION_AUX, t);
    case WORD_VERB: return agreed_gender(sentence, GLOSS_RELATION_VERB, t);
    case WORD_ADJECTIVE:
        return gloss_relation_to(sentence, GLOSS_RELATION_ATTR, t) < 0
                   ? WORD_GENDERS
                   : agreed_gender(sentence, GLOSS_RELATION_ATTR, t);
    case WORD_NAME: return mentioned_before(sentence, t);
    case WORD_PRONOUN: return antecedent_index(sentence, t);
    default: return 0;
    }
}

void gloss_sentence(GlossedSentence *sentence)
{
    int first[512], T = sentence->T, next = 0; // first[word]: the id of its first form
    REQUIRE(words_count() <= 512, "%d words; there is room for 512", words_count());
    for (int word = 0; word < words_count(); word++) {
        first[word] = next;
        next += forms_of(word);
    }
    for (int t = 0; t < T; t++) {
        Form form = { .word = sentence->words[t], .choice = choice_at(sentence, t) };
        form.softened = t > 0 && word_ends_with_vowel(sentence->words[t - 1]);
        form.linked = t + 1 < T && word_begins_with_vowel(sentence->words[t + 1]);
        sentence->glosses[t] = first[form.word] + form_place(form);
    }
}
