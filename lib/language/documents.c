// Documents are generated from left to right. Every random choice multiplies `chance` until its word is written.
#include "language/documents.h"

#include "base/portable_math.h"

#include <string.h>

// ---- vocabulary

// How many words of a class and kind are used, the first ones of the dictionary: not all nouns, adjectives and names, so
// that a small model sees each of them often.
static int words_used(const Word *word)
{
    enum { NOUNS = 6, ADJECTIVES = 4, NAMES = 6, SMALL = 2, ALL_OF_THEM = 99 };
    switch (word->class) {
    case WORD_NOUN: return NOUNS;
    case WORD_ADJECTIVE: return ADJECTIVES;
    case WORD_NAME: return NAMES;
    case WORD_COPULA:
    case WORD_DEGREE:
    case WORD_CONJUNCTION:
    case WORD_PREPOSITION:
    case WORD_ADVERB: return SMALL;
    default: return ALL_OF_THEM;
    }
}

enum { VOCABULARY_MOST = 256 };

// Words in the order of the dictionary; and the range of each class and kind.
typedef struct {
    int count, id[VOCABULARY_MOST];
    WordRange range[WORD_CLASSES][SEMANTIC_CLASSES];
} Vocabulary;

// The range of this class and kind; SEMANTIC_NONE: of any kind.
static WordRange range_of(const Vocabulary *own, WordClass class, SemanticClass kind)
{
    WordRange range = { 0, 0 };
    for (int w = 0; w < own->count; w++) {
        const Word *word = word_at(own->id[w]);
        bool in = word->class == class && (kind == SEMANTIC_NONE || word->kind == kind);
        if (in && !range.count++) range.first = w;
        else if (!in && range.count) break;
    }
    return range;
}

static void make_vocabulary(Vocabulary *own)
{
    int nth = 0;
    for (int w = 0; w < words_count(); w++) {
        const Word *word = word_at(w), *before = w ? word_at(w - 1) : NULL;
        nth = before && before->class == word->class && before->kind == word->kind ? nth + 1 : 0;
        REQUIRE(own->count < VOCABULARY_MOST, "more than %d words", (int)VOCABULARY_MOST);
        if (nth < words_used(word)) own->id[own->count++] = w;
    }
    for (int class = 0; class < WORD_CLASSES; class ++)
        for (int kind = 0; kind < SEMANTIC_CLASSES; kind++)
            own->range[class][kind] = range_of(own, (WordClass) class, (SemanticClass)kind);
}

// Built once per thread.
static const Vocabulary *vocabulary(void)
{
    static _Thread_local Vocabulary own;
    if (!own.count) make_vocabulary(&own);
    return &own;
}

int document_words(void) { return vocabulary()->count; }
const char *document_word_text(int word) { return document_word(word)->text; }

const Word *document_word(int word)
{
    const Vocabulary *own = vocabulary();
    REQUIRE(0 <= word && word < own->count, "word %d of %d", word, own->count);
    return word_at(own->id[word]);
}

int document_word_named(const char *text)
{
    int named = word_named(text);
    for (int w = 0; w < document_words(); w++)
        if (named >= 0 && vocabulary()->id[w] == named) return w;
    return -1;
}

WordRange document_words_of(WordClass class, SemanticClass kind) { return vocabulary()->range[class][kind]; }

// ---- the cast

typedef enum { MOVER, PLACE, OBJECT, WOMAN, MAN, ROLES } Cast;

static const int cast_size[ROLES] = { 2, 2, 2, 2, 2 };
enum { SIZE_MOST = 2 };

// An action that an actor repeats: verb and object, −1 before the first time.
typedef struct {
    int verb, noun;
} Habit;

// A document being generated.
typedef struct {
    DocumentSample *to;
    int T; // words to generate
    Random *random;
    double chance;         // of the choices since the last word
    DocumentRecall recall; // of the next word
    int seen[ROLES][SIZE_MOST], seen_count[ROLES];
    int kept[VOCABULARY_MOST];       // a noun's adjective; −1: not chosen yet
    Habit habit[2][VOCABULARY_MOST]; // [crossing] of an actor
    int time[2];                     // last or all, night or …; −1: not chosen yet
    int last[VOCABULARY_MOST];       // position of a word's last occurrence; −1: none
} Writer;

// Words of two kinds that are adjacent in the dictionary.
static WordRange joined_range(WordClass class, SemanticClass one, SemanticClass other)
{
    WordRange a = document_words_of(class, one), b = document_words_of(class, other);
    REQUIRE(a.first + a.count == b.first, "words %d and %d do not follow each other", a.first, b.first);
    return (WordRange){ a.first, a.count + b.count };
}

static WordRange role_words(Cast role)
{
    switch (role) {
    case MOVER: return joined_range(WORD_NOUN, SEMANTIC_ANIMAL, SEMANTIC_VEHICLE);
    case PLACE: return document_words_of(WORD_NOUN, SEMANTIC_PLACE);
    case OBJECT: return joined_range(WORD_NOUN, SEMANTIC_THING, SEMANTIC_FOOD);
    case WOMAN: return document_words_of(WORD_NAME, SEMANTIC_FEMALE);
    default: return document_words_of(WORD_NAME, SEMANTIC_MALE);
    }
}

static bool has_seen(const Writer *writer, Cast role, int word)
{
    for (int i = 0; i < writer->seen_count[role]; i++)
        if (writer->seen[role][i] == word) return true;
    return false;
}

// ---- words and links

static void link(Writer *writer, DocumentLinkKind kind, int from, int to)
{
    DocumentSample *d = writer->to;
    if (from >= d->T) return;
    REQUIRE(d->link_count < DOCUMENT_LINKS_MOST, "more than %d links", (int)DOCUMENT_LINKS_MOST);
    d->links[d->link_count++] = (DocumentLink){ kind, from, to };
}

// The links of every word; and for a remembered word, those of the word before it.
static void link_word(Writer *writer, int position)
{
    DocumentSample *d = writer->to;
    int word = d->words[position], before = writer->last[word];
    if (position) link(writer, DOCUMENT_LINK_PREVIOUS, position, position - 1);
    if (before >= 0) link(writer, DOCUMENT_LINK_SAME, position, before);
    if (before >= 0) link(writer, DOCUMENT_LINK_AFTER_SAME, position, before + 1);
    for (int j = 0; j < position; j++) {
        if (document_word(d->words[j])->class == WORD_MARK) link(writer, DOCUMENT_LINK_MARK, position, j);
        if (d->recall[position] != DOCUMENT_RECALL_NONE && d->words[j] == word)
            link(writer, DOCUMENT_LINK_REMEMBERED, position - 1, j);
    }
    writer->last[word] = position;
}

static bool full(const Writer *writer) { return writer->to->T == writer->T; }

// Returns the word's position. Beyond the end of the document nothing is written or linked.
static int write_word(Writer *writer, int word)
{
    DocumentSample *d = writer->to;
    if (full(writer)) return writer->T;
    int position = d->T++;
    d->words[position] = word;
    d->chance[position] = writer->chance;
    d->recall[position] = writer->recall;
    link_word(writer, position);
    writer->chance = 1.0;
    writer->recall = DOCUMENT_RECALL_NONE;
    return position;
}

// ---- random choices

static bool coin(Writer *writer, int percent)
{
    bool yes = random_below(writer->random, 100) < percent;
    writer->chance *= (yes ? percent : 100 - percent) / 100.0;
    return yes;
}

static int one_in(Writer *writer, WordRange range)
{
    writer->chance /= range.count;
    return range.first + random_below(writer->random, range.count);
}

static int any(Writer *writer, WordClass class, SemanticClass kind)
{
    return one_in(writer, document_words_of(class, kind));
}

// One of `range` that is not in the document yet.
static int unseen(Writer *writer, Cast role, WordRange range)
{
    int remaining = range.count, word = range.first;
    for (int w = range.first; w < range.first + range.count; w++) remaining -= has_seen(writer, role, w);
    int nth = random_below(writer->random, remaining);
    while (has_seen(writer, role, word)) word++;
    for (; nth > 0; nth--) {
        word++;
        while (has_seen(writer, role, word)) word++;
    }
    writer->chance /= remaining;
    return word;
}

static void see(Writer *writer, Cast role, int word)
{
    if (!has_seen(writer, role, word)) writer->seen[role][writer->seen_count[role]++] = word;
}

// A name of this role from the cast, other than `not`. A member not seen yet can be any name not in the document.
static int any_name(Writer *writer, Cast role, int not )
{
    int seen_count = writer->seen_count[role], known = seen_count - (not >= 0), size = cast_size[role] - (not >= 0),
        name;
    int nth = random_below(writer->random, size);
    writer->chance /= size;
    if (nth < known) {
        name = writer->seen[role][nth];
        if (not >= 0 && name == not ) name = writer->seen[role][seen_count - 1];
    } else {
        writer->chance *= size - known;
        name = unseen(writer, role, role_words(role));
    }
    see(writer, role, name);
    return name;
}

// ---- phrases

static int particle(int which) { return document_words_of(WORD_PARTICLE, SEMANTIC_NONE).first + which; }
enum { LAST, ALL, NIGHT, AND = 6, SAID, THAT, THEN };
enum { START, STOP, COMMA };

static WordRange adjectives_of(int noun) { return document_words_of(WORD_ADJECTIVE, document_word(noun)->kind); }

// The probability of an adjective for a noun: 1 for the one it has, or uniform over those of its kind.
static double chance_of(const Writer *writer, int noun, int adjective)
{
    WordRange range = adjectives_of(noun);
    if (writer->kept[noun] >= 0) return writer->kept[noun] == adjective;
    return adjective >= range.first && adjective < range.first + range.count ? 1.0 / range.count : 0.0;
}

// The noun's adjective, chosen now if it has none. The caller accounts for the probability.
static int adjective_of(Writer *writer, int noun)
{
    WordRange range = adjectives_of(noun);
    if (writer->kept[noun] < 0) writer->kept[noun] = range.first + random_below(writer->random, range.count);
    return writer->kept[noun];
}

enum { ADJECTIVE_PERCENT = 60 };

// A noun phrase being generated: the nouns that may follow, for a reader who knows the determiner.
typedef struct {
    Cast role;
    bool known;
    int habit;
} Choice; // habit: the noun required by a habit; −1: any

static int draw_noun(Writer *writer, Choice choice)
{
    double before = writer->chance; // the caller accounts for the choices here
    int noun = choice.habit;
    const int *seen = writer->seen[choice.role];
    if (noun < 0 && choice.known) noun = seen[random_below(writer->random, writer->seen_count[choice.role])];
    if (noun < 0) noun = unseen(writer, choice.role, role_words(choice.role));
    writer->chance = before;
    return noun;
}

// Sum of the adjective's probability over all nouns that may follow. *nouns is their number; they are equally likely.
static double chance_over_nouns(const Writer *writer, Choice choice, int adjective, int *nouns)
{
    WordRange range = role_words(choice.role);
    double sum = 0.0;
    *nouns = 0;
    for (int w = range.first; w < range.first + range.count; w++) {
        if (choice.habit >= 0 ? w != choice.habit : has_seen(writer, choice.role, w) != choice.known) continue;
        sum += chance_of(writer, w, adjective);
        ++*nouns;
    }
    return sum;
}

// Writes (tired) animal, after its determiner. The adjective precedes its noun, so its probability is marginalized over
// all nouns that may follow. Returns the noun's position.
static int write_noun(Writer *writer, Choice choice, int determiner)
{
    int nouns, adjective_at = -1, noun = draw_noun(writer, choice);
    bool shown = coin(writer, ADJECTIVE_PERCENT), kept = writer->kept[noun] >= 0;
    if (shown) {
        int adjective = adjective_of(writer, noun);
        if (!kept) writer->kept[noun] = -1; // for the reader, who has not seen it yet
        double own = chance_of(writer, noun, adjective), all = chance_over_nouns(writer, choice, adjective, &nouns);
        writer->chance *= all / nouns;
        if (kept && choice.habit >= 0) writer->recall = DOCUMENT_RECALL_ADJECTIVE;
        adjective_at = write_word(writer, adjective);
        writer->chance = own / all;
        writer->kept[noun] = adjective;
    } else {
        chance_over_nouns(writer, choice, -1, &nouns);
        writer->chance /= nouns;
    }
    if (choice.habit >= 0 || (shown && choice.known && kept)) writer->recall = DOCUMENT_RECALL_NOUN;
    see(writer, choice.role, noun);
    int position = write_word(writer, noun);
    link(writer, DOCUMENT_LINK_DETERMINER, position, determiner);
    if (shown) link(writer, DOCUMENT_LINK_ADJECTIVE, position, adjective_at);
    return position;
}

// The determiner says whether the noun is new: the first one is; one of a complete cast or of a habit is not. *noun: the
// noun of a habit, or −1; receives the noun written.
static int write_noun_phrase(Writer *writer, Cast role, int *noun)
{
    WordRange determiners = document_words_of(WORD_DETERMINER, SEMANTIC_NONE); // the, this, my
    Choice choice = { role, true, *noun };
    if (*noun < 0) {
        int seen_count = writer->seen_count[role], size = cast_size[role];
        choice.known = random_below(writer->random, size) < seen_count;
        writer->chance *= (double)(choice.known ? seen_count : size - seen_count) / size;
    }
    int which = determiners.first;
    if (!choice.known) which = one_in(writer, (WordRange){ determiners.first + 1, determiners.count - 1 });
    int position = write_noun(writer, choice, write_word(writer, which));
    *noun = position < writer->T ? writer->to->words[position] : writer->seen[role][0]; // beyond the end: any
    return position;
}

// Linked from the word before the verb, unless that is the subject.
static void link_subject(Writer *writer, int verb, int subject)
{
    if (verb < writer->T && subject != verb - 1) link(writer, DOCUMENT_LINK_SUBJECT, verb - 1, subject);
}

// The verbs of an actor: all for persons, the first half for animals, the second for vehicles.
static WordRange verbs_of(int actor, bool crossing)
{
    WordRange range = document_words_of(WORD_VERB, crossing ? SEMANTIC_PLACE : SEMANTIC_THING);
    if (document_word(actor)->class == WORD_NAME) return range;
    bool second = document_word(actor)->kind == SEMANTIC_VEHICLE;
    return (WordRange){ range.first + (second ? range.count / 2 : 0), range.count / 2 };
}

// The verb and its object, from the habit if there is one. Returns the object's position, and the word in *noun.
static int write_habit(Writer *writer, int actor, int actor_at, bool crossing, int *noun)
{
    Habit *habit = &writer->habit[crossing][actor];
    if (habit->verb < 0) habit->verb = one_in(writer, verbs_of(actor, crossing));
    else writer->recall = DOCUMENT_RECALL_VERB;
    link_subject(writer, write_word(writer, habit->verb), actor_at);
    int position = write_noun_phrase(writer, crossing ? PLACE : OBJECT, &habit->noun);
    *noun = habit->noun;
    return position;
}

// last night: one pair per document.
static void write_time(Writer *writer)
{
    static const int choices[2] = { 2, 4 }, first[2] = { LAST, NIGHT };
    for (int part = 0; part < 2; part++) {
        if (writer->time[part] < 0)
            writer->time[part] = one_in(writer, (WordRange){ particle(first[part]), choices[part] });
        else writer->recall = DOCUMENT_RECALL_TIME;
        write_word(writer, writer->time[part]);
    }
}

// The candidates for `it` in `it was too …`: subject and object, and their positions.
typedef struct {
    int noun[2], position[2];
} Reason;

// last night because it was too tired. Both nouns are equally likely; they differ in kind, so the adjective tells which
// it is.
static void write_reason(Writer *writer, Reason reason)
{
    write_time(writer);
    write_word(writer, any(writer, WORD_CONJUNCTION, SEMANTIC_NONE));
    write_word(writer, document_words_of(WORD_PRONOUN, SEMANTIC_NONE).first);
    write_word(writer, any(writer, WORD_COPULA, SEMANTIC_NONE));
    int degree = write_word(writer, any(writer, WORD_DEGREE, SEMANTIC_NONE));
    for (int n = 0; n < 2; n++) link(writer, DOCUMENT_LINK_CANDIDATES, degree, reason.position[n]);
    int which = coin(writer, 50), noun = reason.noun[which];
    if (writer->kept[noun] >= 0) writer->recall = DOCUMENT_RECALL_ADJECTIVE;
    else writer->chance /= adjectives_of(noun).count;
    int position = write_word(writer, adjective_of(writer, noun));
    link(writer, DOCUMENT_LINK_SAID_OF, position, reason.position[which]);
}

// ---- sentences

// did, could, would, should take the plain verb; had, has take found, lost, …
static WordRange auxiliaries_of(SemanticClass verbs)
{
    enum { PLAIN = 4 };
    WordRange all = document_words_of(WORD_AUXILIARY, SEMANTIC_NONE);
    if (verbs == SEMANTIC_PLACE) return (WordRange){ all.first, PLAIN };
    return (WordRange){ all.first + PLAIN, all.count - PLAIN };
}

static void write_auxiliary(Writer *writer, SemanticClass verbs)
{
    write_word(writer, one_in(writer, auxiliaries_of(verbs)));
    write_word(writer, any(writer, WORD_NEGATION, SEMANTIC_NONE));
}

// After the subject, the sentence is a crossing, with a place, or a taking: the next word decides.
static void write_mover_sentence(Writer *writer)
{
    Reason reason = { { -1, -1 }, { 0 } };
    int near = -1;
    reason.position[0] = write_noun_phrase(writer, MOVER, &reason.noun[0]);
    if (coin(writer, 50)) {
        write_auxiliary(writer, SEMANTIC_PLACE);
        reason.position[1] = write_habit(writer, reason.noun[0], reason.position[0], true, &reason.noun[1]);
        write_reason(writer, reason);
        return;
    }
    if (coin(writer, 40)) {
        write_word(writer, any(writer, WORD_PREPOSITION, SEMANTIC_NONE));
        write_noun_phrase(writer, PLACE, &near);
    }
    if (coin(writer, 40)) write_auxiliary(writer, SEMANTIC_THING);
    reason.position[1] = write_habit(writer, reason.noun[0], reason.position[0], false, &reason.noun[1]);
    if (coin(writer, 60)) write_reason(writer, reason);
}

static Cast role_of_name(int name) { return document_word(name)->kind == SEMANTIC_FEMALE ? WOMAN : MAN; }
static Cast other_role(Cast role) { return role == WOMAN ? MAN : WOMAN; }

// Any other person: of the same gender with probability 1/3, as one of the three others is.
static int another_name(Writer *writer, int name)
{
    Cast role = role_of_name(name);
    bool same = random_below(writer->random, 3) == 0;
    writer->chance *= (same ? 1.0 : 2.0) / 3.0;
    return same ? any_name(writer, role, name) : any_name(writer, other_role(role), -1);
}

// anna and otto , then she found the cup.
static void write_two_names(Writer *writer, int one, int one_at)
{
    int object;
    int name[2] = { one, any_name(writer, other_role(role_of_name(one)), -1) }, position[2] = { one_at, 0 };
    position[1] = write_word(writer, name[1]);
    write_word(writer, COMMA);
    write_word(writer, particle(THEN));
    int which = coin(writer, 50);
    int pronoun = write_word(writer, document_words_of(WORD_PRONOUN, document_word(name[which])->kind).first);
    link(writer, DOCUMENT_LINK_PRONOUN, pronoun, position[which]);
    write_habit(writer, name[which], position[which], false, &object);
}

// otto lost my apple and anna said that anna found the cup.
static void write_quoting(Writer *writer, int one, int one_at)
{
    int object;
    write_habit(writer, one, one_at, false, &object);
    write_word(writer, particle(AND));
    int speaker = coin(writer, 50) ? one : another_name(writer, one);
    write_word(writer, speaker);
    write_word(writer, particle(SAID));
    write_word(writer, particle(THAT));
    int other = speaker, third = one;
    if (!coin(writer, 50)) third = other == one ? another_name(writer, one) : other;
    int position = write_word(writer, third);
    write_habit(writer, third, position, false, &object);
}

static void write_name_sentence(Writer *writer)
{
    int name = any_name(writer, coin(writer, 50) ? WOMAN : MAN, -1), position = write_word(writer, name);
    if (!coin(writer, 40)) {
        write_quoting(writer, name, position);
        return;
    }
    write_word(writer, particle(AND));
    write_two_names(writer, name, position);
}

void document_draw(DocumentSample *document, int T, Random *random)
{
    REQUIRE(T >= 1 && T <= DOCUMENT_WORDS, "a document of %d words; it must be 1 … %d", T, (int)DOCUMENT_WORDS);
    Writer writer = { .to = document, .T = T, .random = random, .chance = 1.0, .time = { -1, -1 } };
    for (int w = 0; w < VOCABULARY_MOST; w++) {
        writer.kept[w] = writer.last[w] = -1;
        writer.habit[0][w] = writer.habit[1][w] = (Habit){ -1, -1 };
    }
    document->T = document->link_count = 0;
    write_word(&writer, START);
    while (!full(&writer)) {
        if (coin(&writer, 25)) write_word(&writer, any(&writer, WORD_ADVERB, SEMANTIC_NONE));
        if (coin(&writer, 50)) write_mover_sentence(&writer);
        else write_name_sentence(&writer);
        write_word(&writer, STOP);
    }
}

double document_surprise(const DocumentSample *document)
{
    double sum = 0.0;
    for (int t = 1; t < document->T; t++) sum -= log(document->chance[t]);
    return sum;
}

// ---- names, text, batches

const char *document_link_name(DocumentLinkKind kind)
{
    static const char *const names[DOCUMENT_LINK_KINDS] = { "previous",   "same",       "after same", "determiner",
                                                            "adjective",  "subject",    "pronoun",    "said of",
                                                            "candidates", "remembered", "mark" };
    REQUIRE(0 <= (int)kind && kind < DOCUMENT_LINK_KINDS, "link %d of %d", (int)kind, (int)DOCUMENT_LINK_KINDS);
    return names[kind];
}

const char *document_recall_name(DocumentRecall kind)
{
    static const char *const names[DOCUMENT_RECALL_KINDS] = { "none", "verb", "noun", "time", "adjective" };
    REQUIRE(0 <= (int)kind && kind < DOCUMENT_RECALL_KINDS, "recall %d of %d", (int)kind, (int)DOCUMENT_RECALL_KINDS);
    return names[kind];
}

char *document_text(Arena *arena, const int *words, int T)
{
    char *text = arena_format(arena, "%s", "");
    for (int t = 0; t < T; t++) {
        if (words[t] == START) continue;
        bool space = *text && document_word(words[t])->class != WORD_MARK;
        text = arena_format(arena, "%s%s%s", text, space ? " " : "", document_word(words[t])->text);
    }
    return text;
}

// Length of the word at `text`: a mark, or up to the next space or mark.
static size_t length_of_word(const char *text)
{
    size_t length = strcspn(text, " \t\r\n.,");
    return length ? length : 1;
}

bool document_read(int *words, int *T, int most, const char *text, Error *error)
{
    enum { LONGEST = 16 };
    char word[LONGEST + 1];
    REQUIRE(most >= 1, "room for %d words", most);
    words[0] = START;
    *T = 1;
    for (text += strspn(text, " \t\r\n"); *text; text += strspn(text, " \t\r\n")) {
        size_t length = length_of_word(text), kept = length < LONGEST ? length : LONGEST;
        memcpy(word, text, kept);
        word[kept] = '\0';
        int named = kept == length ? document_word_named(word) : -1;
        if (named <= START)
            return error_set(error,
                             "the text's word %d, %.*s, is not one of the %d that documents are made of; "
                             "lib/language/documents.c takes the first few of each kind, such as animal, street, anna",
                             *T, (int)kept, text, document_words() - 1);
        if (*T == most)
            return error_set(error, "the text has more than %d words and marks; there is no room for more", most - 1);
        words[(*T)++] = named;
        text += length;
    }
    return true;
}

RunBatch documents_batch(Arena *arena, const DocumentSample *documents, int count)
{
    int *start = arena_alloc(arena, (size_t)(count + 1) * sizeof *start);
    for (int b = 0; b < count; b++) start[b + 1] = start[b] + documents[b].T - 1;
    size_t bytes = (size_t)start[count] * sizeof(int);
    int *tokens = arena_alloc(arena, bytes), *targets = arena_alloc(arena, bytes);
    for (int b = 0; b < count; b++) {
        size_t row = (size_t)(documents[b].T - 1) * sizeof(int);
        memcpy(tokens + start[b], documents[b].words, row);
        memcpy(targets + start[b], documents[b].words + 1, row);
    }
    return (RunBatch){ count, start, tokens, targets };
}

RunBatch document_batch(Arena *arena, int count, Random *random, const void *corpus)
{
    (void)corpus;
    DocumentSample *documents = arena_alloc(arena, (size_t)count * sizeof *documents);
    for (int b = 0; b < count; b++) document_draw(&documents[b], DOCUMENT_WORDS, random);
    return documents_batch(arena, documents, count);
}
