// Documents are written from left to right. What is drawn for a word multiplies `chance` until the word is put.
#include "language/documents.h"

#include "base/portable_math.h"

#include <string.h>

// ---- words

// How many of a class and kind are taken from the dictionary, the first ones: fewer than there are of nouns, adjectives
// and names, so that a small model meets each of them often.
static int taken(const Word *word)
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

// Words of the dictionary, in its order; and where those of each class and kind stand among them.
typedef struct {
    int count, id[VOCABULARY_MOST];
    WordRange range[WORD_CLASSES][SEMANTIC_CLASSES];
} Vocabulary;

// Where the words of this class and kind stand; SEMANTIC_NONE: of any kind. They follow each other.
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
        if (nth < taken(word)) own->id[own->count++] = w;
    }
    for (int class = 0; class < WORD_CLASSES; class ++)
        for (int kind = 0; kind < SEMANTIC_CLASSES; kind++)
            own->range[class][kind] = range_of(own, (WordClass) class, (SemanticClass)kind);
}

// Made once for each thread.
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

// ---- who is in a document

typedef enum { MOVER, PLACE, OBJECT, WOMAN, MAN, ROLES } Cast;

static const int cast_size[ROLES] = { 2, 2, 2, 2, 2 };
enum { SIZE_MOST = 2 };

// What somebody does, and to whom: words, −1 as long as they have not.
typedef struct {
    int verb, noun;
} Habit;

// A document while it is written.
typedef struct {
    DocumentSample *to;
    int T; // words that it is to have
    Random *random;
    double chance;         // of what was drawn since the last word
    DocumentRecall recall; // of the word that comes next
    int seen[ROLES][SIZE_MOST], seen_count[ROLES];
    int kept[VOCABULARY_MOST];       // the adjective of a noun; −1 as long as it has none
    Habit habit[2][VOCABULARY_MOST]; // [crossing] of an actor
    int time[2];                     // last or all, night or …; −1 as long as none
    int last[VOCABULARY_MOST];       // where a word stood last; −1 where it has not
} Pen;

// Words of two kinds that stand behind each other in the dictionary.
static WordRange joined(WordClass class, SemanticClass one, SemanticClass other)
{
    WordRange a = document_words_of(class, one), b = document_words_of(class, other);
    REQUIRE(a.first + a.count == b.first, "words %d and %d do not follow each other", a.first, b.first);
    return (WordRange){ a.first, a.count + b.count };
}

static WordRange role_words(Cast role)
{
    switch (role) {
    case MOVER: return joined(WORD_NOUN, SEMANTIC_ANIMAL, SEMANTIC_VEHICLE);
    case PLACE: return document_words_of(WORD_NOUN, SEMANTIC_PLACE);
    case OBJECT: return joined(WORD_NOUN, SEMANTIC_THING, SEMANTIC_FOOD);
    case WOMAN: return document_words_of(WORD_NAME, SEMANTIC_FEMALE);
    default: return document_words_of(WORD_NAME, SEMANTIC_MALE);
    }
}

static bool has_seen(const Pen *pen, Cast role, int word)
{
    for (int i = 0; i < pen->seen_count[role]; i++)
        if (pen->seen[role][i] == word) return true;
    return false;
}

// ---- words and links

static void link(Pen *pen, DocumentLinkKind kind, int from, int to)
{
    DocumentSample *d = pen->to;
    if (from >= d->T) return;
    REQUIRE(d->link_count < DOCUMENT_LINKS_MOST, "more than %d links", (int)DOCUMENT_LINKS_MOST);
    d->links[d->link_count++] = (DocumentLink){ kind, from, to };
}

// The links that every word has, and of a remembered one those of the word before it.
static void link_word(Pen *pen, int at)
{
    DocumentSample *d = pen->to;
    int word = d->words[at], before = pen->last[word];
    if (at) link(pen, DOCUMENT_LINK_PREVIOUS, at, at - 1);
    if (before >= 0) link(pen, DOCUMENT_LINK_SAME, at, before);
    if (before >= 0) link(pen, DOCUMENT_LINK_AFTER_SAME, at, before + 1);
    for (int j = 0; j < at; j++) {
        if (document_word(d->words[j])->class == WORD_MARK) link(pen, DOCUMENT_LINK_MARK, at, j);
        if (d->recall[at] != DOCUMENT_RECALL_NONE && d->words[j] == word)
            link(pen, DOCUMENT_LINK_REMEMBERED, at - 1, j);
    }
    pen->last[word] = at;
}

static bool full(const Pen *pen) { return pen->to->T == pen->T; }

// Answers the word's position; behind the end of the document nothing is written, and no link leads there.
static int put(Pen *pen, int word)
{
    DocumentSample *d = pen->to;
    if (full(pen)) return pen->T;
    int at = d->T++;
    d->words[at] = word;
    d->chance[at] = pen->chance;
    d->recall[at] = pen->recall;
    link_word(pen, at);
    pen->chance = 1.0;
    pen->recall = DOCUMENT_RECALL_NONE;
    return at;
}

// ---- draws

static bool coin(Pen *pen, int percent)
{
    bool yes = random_below(pen->random, 100) < percent;
    pen->chance *= (yes ? percent : 100 - percent) / 100.0;
    return yes;
}

static int one_in(Pen *pen, WordRange range)
{
    pen->chance /= range.count;
    return range.first + random_below(pen->random, range.count);
}

static int any(Pen *pen, WordClass class, SemanticClass kind) { return one_in(pen, document_words_of(class, kind)); }

// One of `range` that is not yet in the document.
static int unseen(Pen *pen, Cast role, WordRange range)
{
    int left = range.count, word = range.first;
    for (int w = range.first; w < range.first + range.count; w++) left -= has_seen(pen, role, w);
    int nth = random_below(pen->random, left);
    while (has_seen(pen, role, word)) word++;
    for (; nth > 0; nth--) {
        word++;
        while (has_seen(pen, role, word)) word++;
    }
    pen->chance /= left;
    return word;
}

static void see(Pen *pen, Cast role, int word)
{
    if (!has_seen(pen, role, word)) pen->seen[role][pen->seen_count[role]++] = word;
}

// A name, other than `not`: the cast is small, and who has not been seen may be anyone.
static int any_name(Pen *pen, Cast role, int not )
{
    int there = pen->seen_count[role], known = there - (not >= 0), size = cast_size[role] - (not >= 0), name;
    int nth = random_below(pen->random, size);
    pen->chance /= size;
    if (nth < known) {
        name = pen->seen[role][nth];
        if (not >= 0 && name == not ) name = pen->seen[role][there - 1];
    } else {
        pen->chance *= size - known;
        name = unseen(pen, role, role_words(role));
    }
    see(pen, role, name);
    return name;
}

// ---- phrases

static int particle(int which) { return document_words_of(WORD_PARTICLE, SEMANTIC_NONE).first + which; }
enum { LAST, ALL, NIGHT, AND = 6, SAID, THAT, THEN };
enum { START, STOP, COMMA };

static WordRange adjectives_of(int noun) { return document_words_of(WORD_ADJECTIVE, document_word(noun)->kind); }

// The chance of an adjective for a noun: one that it has kept, or one of its kind's.
static double chance_of(const Pen *pen, int noun, int adjective)
{
    WordRange range = adjectives_of(noun);
    if (pen->kept[noun] >= 0) return pen->kept[noun] == adjective;
    return adjective >= range.first && adjective < range.first + range.count ? 1.0 / range.count : 0.0;
}

// Its adjective, drawn now if it has none. The chance is the caller's to say.
static int adjective_of(Pen *pen, int noun)
{
    WordRange range = adjectives_of(noun);
    if (pen->kept[noun] < 0) pen->kept[noun] = range.first + random_below(pen->random, range.count);
    return pen->kept[noun];
}

enum { ADJECTIVE_PERCENT = 60 };

// A noun phrase while it is written: nouns that may follow, in the eyes of a reader who knows the determiner.
typedef struct {
    Cast role;
    bool known;
    int habit;
} Choice; // habit: the noun that it must be; −1: any

static int draw_noun(Pen *pen, Choice choice)
{
    double before = pen->chance; // it is the caller's to say
    int noun = choice.habit;
    const int *seen = pen->seen[choice.role];
    if (noun < 0 && choice.known) noun = seen[random_below(pen->random, pen->seen_count[choice.role])];
    if (noun < 0) noun = unseen(pen, choice.role, role_words(choice.role));
    pen->chance = before;
    return noun;
}

// Σ over all nouns that may follow, of the chance of the adjective. *nouns is how many these are; each is as likely as
// the others.
static double chance_over_nouns(const Pen *pen, Choice choice, int adjective, int *nouns)
{
    WordRange range = role_words(choice.role);
    double sum = 0.0;
    *nouns = 0;
    for (int w = range.first; w < range.first + range.count; w++) {
        if (choice.habit >= 0 ? w != choice.habit : has_seen(pen, choice.role, w) != choice.known) continue;
        sum += chance_of(pen, w, adjective);
        ++*nouns;
    }
    return sum;
}

// (tired) animal, behind its determiner. An adjective stands before its noun, so its chance is that over all nouns.
// Answers the noun's position.
static int put_noun(Pen *pen, Choice choice, int determiner)
{
    int nouns, adjective_at = -1, noun = draw_noun(pen, choice);
    bool shown = coin(pen, ADJECTIVE_PERCENT), kept = pen->kept[noun] >= 0;
    if (shown) {
        int adjective = adjective_of(pen, noun);
        if (!kept) pen->kept[noun] = -1; // as a reader knows it, before the word
        double own = chance_of(pen, noun, adjective), all = chance_over_nouns(pen, choice, adjective, &nouns);
        pen->chance *= all / nouns;
        if (kept && choice.habit >= 0) pen->recall = DOCUMENT_RECALL_ADJECTIVE;
        adjective_at = put(pen, adjective);
        pen->chance = own / all;
        pen->kept[noun] = adjective;
    } else {
        chance_over_nouns(pen, choice, -1, &nouns);
        pen->chance /= nouns;
    }
    if (choice.habit >= 0 || (shown && choice.known && kept)) pen->recall = DOCUMENT_RECALL_NOUN;
    see(pen, choice.role, noun);
    int at = put(pen, noun);
    link(pen, DOCUMENT_LINK_DETERMINER, at, determiner);
    if (shown) link(pen, DOCUMENT_LINK_ADJECTIVE, at, adjective_at);
    return at;
}

// Is the noun new? The first one is; of a full cast none is, nor that of a habit. The determiner says so. *noun: that
// of a habit, or −1; it becomes what was written.
static int put_noun_phrase(Pen *pen, Cast role, int *noun)
{
    WordRange determiners = document_words_of(WORD_DETERMINER, SEMANTIC_NONE); // the, this, my
    Choice choice = { role, true, *noun };
    if (*noun < 0) {
        int there = pen->seen_count[role], size = cast_size[role];
        choice.known = random_below(pen->random, size) < there;
        pen->chance *= (double)(choice.known ? there : size - there) / size;
    }
    int which = determiners.first;
    if (!choice.known) which = one_in(pen, (WordRange){ determiners.first + 1, determiners.count - 1 });
    int at = put_noun(pen, choice, put(pen, which));
    *noun = at < pen->T ? pen->to->words[at] : pen->seen[role][0]; // behind the end: any
    return at;
}

// From the word before the verb, unless that is the subject.
static void link_subject(Pen *pen, int verb, int subject)
{
    if (verb < pen->T && subject != verb - 1) link(pen, DOCUMENT_LINK_SUBJECT, verb - 1, subject);
}

// The verbs that go with an actor: all of persons; the first half of animals, the second of vehicles.
static WordRange verbs_of(int actor, bool crossing)
{
    WordRange range = document_words_of(WORD_VERB, crossing ? SEMANTIC_PLACE : SEMANTIC_THING);
    if (document_word(actor)->class == WORD_NAME) return range;
    bool second = document_word(actor)->kind == SEMANTIC_VEHICLE;
    return (WordRange){ range.first + (second ? range.count / 2 : 0), range.count / 2 };
}

// The verb and its object, as always if there is an always. Answers the object's position, and the word in *noun.
static int put_habit(Pen *pen, int actor, int actor_at, bool crossing, int *noun)
{
    Habit *habit = &pen->habit[crossing][actor];
    if (habit->verb < 0) habit->verb = one_in(pen, verbs_of(actor, crossing));
    else pen->recall = DOCUMENT_RECALL_VERB;
    link_subject(pen, put(pen, habit->verb), actor_at);
    int at = put_noun_phrase(pen, crossing ? PLACE : OBJECT, &habit->noun);
    *noun = habit->noun;
    return at;
}

// last night: one pair a document.
static void put_time(Pen *pen)
{
    static const int choices[2] = { 2, 4 }, first[2] = { LAST, NIGHT };
    for (int part = 0; part < 2; part++) {
        if (pen->time[part] < 0) pen->time[part] = one_in(pen, (WordRange){ particle(first[part]), choices[part] });
        else pen->recall = DOCUMENT_RECALL_TIME;
        put(pen, pen->time[part]);
    }
}

// Where `it was too …` leads: the nouns of subject and object, and where each stands.
typedef struct {
    int noun[2], at[2];
} Reason;

// last night because it was too tired. Of the two nouns each is as likely as the other; they are of two kinds, so the
// adjective tells which it was.
static void put_reason(Pen *pen, Reason reason)
{
    put_time(pen);
    put(pen, any(pen, WORD_CONJUNCTION, SEMANTIC_NONE));
    put(pen, document_words_of(WORD_PRONOUN, SEMANTIC_NONE).first);
    put(pen, any(pen, WORD_COPULA, SEMANTIC_NONE));
    int degree = put(pen, any(pen, WORD_DEGREE, SEMANTIC_NONE));
    for (int n = 0; n < 2; n++) link(pen, DOCUMENT_LINK_CANDIDATES, degree, reason.at[n]);
    int which = coin(pen, 50), noun = reason.noun[which];
    if (pen->kept[noun] >= 0) pen->recall = DOCUMENT_RECALL_ADJECTIVE;
    else pen->chance /= adjectives_of(noun).count;
    int at = put(pen, adjective_of(pen, noun));
    link(pen, DOCUMENT_LINK_SAID_OF, at, reason.at[which]);
}

// ---- sentences

// did could would should go with the plain verb; had has with found, lost, …
static WordRange auxiliaries_of(SemanticClass verbs)
{
    enum { PLAIN = 4 };
    WordRange all = document_words_of(WORD_AUXILIARY, SEMANTIC_NONE);
    if (verbs == SEMANTIC_PLACE) return (WordRange){ all.first, PLAIN };
    return (WordRange){ all.first + PLAIN, all.count - PLAIN };
}

static void put_auxiliary(Pen *pen, SemanticClass verbs)
{
    put(pen, one_in(pen, auxiliaries_of(verbs)));
    put(pen, any(pen, WORD_NEGATION, SEMANTIC_NONE));
}

// Behind its subject a sentence goes on as a crossing, with a place, or as a taking: the next word says which.
static void put_mover_sentence(Pen *pen)
{
    Reason reason = { { -1, -1 }, { 0 } };
    int near = -1;
    reason.at[0] = put_noun_phrase(pen, MOVER, &reason.noun[0]);
    if (coin(pen, 50)) {
        put_auxiliary(pen, SEMANTIC_PLACE);
        reason.at[1] = put_habit(pen, reason.noun[0], reason.at[0], true, &reason.noun[1]);
        put_reason(pen, reason);
        return;
    }
    if (coin(pen, 40)) {
        put(pen, any(pen, WORD_PREPOSITION, SEMANTIC_NONE));
        put_noun_phrase(pen, PLACE, &near);
    }
    if (coin(pen, 40)) put_auxiliary(pen, SEMANTIC_THING);
    reason.at[1] = put_habit(pen, reason.noun[0], reason.at[0], false, &reason.noun[1]);
    if (coin(pen, 60)) put_reason(pen, reason);
}

static Cast role_of_name(int name) { return document_word(name)->kind == SEMANTIC_FEMALE ? WOMAN : MAN; }
static Cast other_role(Cast role) { return role == WOMAN ? MAN : WOMAN; }

// Anyone but `name`: of the same gender in a third of the cases, as one of three is.
static int another(Pen *pen, int name)
{
    Cast role = role_of_name(name);
    bool same = random_below(pen->random, 3) == 0;
    pen->chance *= (same ? 1.0 : 2.0) / 3.0;
    return same ? any_name(pen, role, name) : any_name(pen, other_role(role), -1);
}

// anna and otto , then she found the cup.
static void put_two_names(Pen *pen, int one, int one_at)
{
    int object;
    int name[2] = { one, any_name(pen, other_role(role_of_name(one)), -1) }, at[2] = { one_at, 0 };
    at[1] = put(pen, name[1]);
    put(pen, COMMA);
    put(pen, particle(THEN));
    int which = coin(pen, 50);
    int pronoun = put(pen, document_words_of(WORD_PRONOUN, document_word(name[which])->kind).first);
    link(pen, DOCUMENT_LINK_PRONOUN, pronoun, at[which]);
    put_habit(pen, name[which], at[which], false, &object);
}

// otto lost my apple and anna said that anna found the cup.
static void put_quoting(Pen *pen, int one, int one_at)
{
    int object;
    put_habit(pen, one, one_at, false, &object);
    put(pen, particle(AND));
    int speaker = coin(pen, 50) ? one : another(pen, one);
    put(pen, speaker);
    put(pen, particle(SAID));
    put(pen, particle(THAT));
    int other = speaker, third = one;
    if (!coin(pen, 50)) third = other == one ? another(pen, one) : other;
    int at = put(pen, third);
    put_habit(pen, third, at, false, &object);
}

static void put_name_sentence(Pen *pen)
{
    int name = any_name(pen, coin(pen, 50) ? WOMAN : MAN, -1), at = put(pen, name);
    if (!coin(pen, 40)) {
        put_quoting(pen, name, at);
        return;
    }
    put(pen, particle(AND));
    put_two_names(pen, name, at);
}

void document_draw(DocumentSample *document, int T, Random *random)
{
    REQUIRE(T >= 1 && T <= DOCUMENT_WORDS, "a document of %d words; it must be 1 … %d", T, (int)DOCUMENT_WORDS);
    Pen pen = { .to = document, .T = T, .random = random, .chance = 1.0, .time = { -1, -1 } };
    for (int w = 0; w < VOCABULARY_MOST; w++) {
        pen.kept[w] = pen.last[w] = -1;
        pen.habit[0][w] = pen.habit[1][w] = (Habit){ -1, -1 };
    }
    document->T = document->link_count = 0;
    put(&pen, START);
    while (!full(&pen)) {
        if (coin(&pen, 25)) put(&pen, any(&pen, WORD_ADVERB, SEMANTIC_NONE));
        if (coin(&pen, 50)) put_mover_sentence(&pen);
        else put_name_sentence(&pen);
        put(&pen, STOP);
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

// The length of the word at `text`: a mark, or everything up to a space or a mark.
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
