// The dictionary, and parsing of a reader's sentence.
#include "language/vocabulary.h"

#include "io/text.h"

#include <string.h>

#define NOUN(kind, gender, text, stem) \
    { \
        text, stem, WORD_NOUN, SEMANTIC_##kind, gender \
    }
#define WORD(class, kind, text, stem) \
    { \
        text, stem, WORD_##class, SEMANTIC_##kind, 0 \
    }

// Words of one class and kind are consecutive. Genders and first and last letters of stems are distributed evenly.
// clang-format off
static const Word dictionary[] = {
    WORD(MARK, NONE, "[start]", "[start]"), WORD(MARK, NONE, ".", "."),
    WORD(MARK, NONE, ",", ","),
    WORD(DETERMINER, NONE, "the", "fol"),   WORD(DETERMINER, NONE, "this", "emur"),
    WORD(DETERMINER, NONE, "my", "se"),
    NOUN(ANIMAL, 0, "animal", "polmel"), NOUN(ANIMAL, 1, "dog", "ulkas"),     NOUN(ANIMAL, 2, "cat", "fuste"),
    NOUN(ANIMAL, 3, "horse", "amesta"),  NOUN(ANIMAL, 0, "bird", "arirul"),   NOUN(ANIMAL, 1, "fox", "kamu"),
    NOUN(ANIMAL, 2, "wolf", "alta"),     NOUN(ANIMAL, 3, "owl", "tumpol"),    NOUN(ANIMAL, 0, "otter", "folke"),
    NOUN(ANIMAL, 1, "bear", "arame"),    NOUN(ANIMAL, 2, "eagle", "palor"),   NOUN(ANIMAL, 3, "mouse", "emorar"),
    NOUN(ANIMAL, 0, "ape", "olame"),     NOUN(ANIMAL, 1, "goat", "peron"),
    NOUN(VEHICLE, 0, "truck", "purnir"),   NOUN(VEHICLE, 1, "car", "omurum"),     NOUN(VEHICLE, 2, "train", "tesku"),
    NOUN(VEHICLE, 3, "boat", "esto"),      NOUN(VEHICLE, 0, "tractor", "anerir"), NOUN(VEHICLE, 1, "engine", "solmu"),
    NOUN(VEHICLE, 2, "bus", "olime"),      NOUN(VEHICLE, 3, "wagon", "talen"),    NOUN(VEHICLE, 0, "robot", "kurke"),
    NOUN(VEHICLE, 1, "plane", "arne"),     NOUN(VEHICLE, 2, "ferry", "pampin"),   NOUN(VEHICLE, 3, "tank", "inelar"),
    NOUN(VEHICLE, 0, "van", "urna"),       NOUN(VEHICLE, 1, "scooter", "tirnar"),
    NOUN(PLACE, 2, "street", "pustor"), NOUN(PLACE, 3, "river", "anonos"),  NOUN(PLACE, 0, "bridge", "fompu"),
    NOUN(PLACE, 1, "field", "ulole"),   NOUN(PLACE, 2, "road", "animum"),   NOUN(PLACE, 3, "wall", "serno"),
    NOUN(PLACE, 0, "garden", "imome"),  NOUN(PLACE, 1, "tower", "ferkim"),  NOUN(PLACE, 2, "avenue", "palme"),
    NOUN(PLACE, 3, "island", "erosto"), NOUN(PLACE, 0, "alley", "kumpil"),  NOUN(PLACE, 1, "orchard", "almul"),
    NOUN(PLACE, 2, "valley", "ulero"),  NOUN(PLACE, 3, "canal", "talmem"),
    NOUN(THING, 0, "cup", "kastem"),     NOUN(THING, 1, "key", "imomar"),     NOUN(THING, 2, "book", "fempo"),
    NOUN(THING, 3, "box", "unone"),      NOUN(THING, 0, "letter", "olistin"), NOUN(THING, 1, "lamp", "pinta"),
    NOUN(THING, 2, "coat", "ampi"),      NOUN(THING, 3, "axe", "kolel"),      NOUN(THING, 0, "bell", "fanu"),
    NOUN(THING, 1, "ring", "urosta"),    NOUN(THING, 2, "knife", "tontun"),   NOUN(THING, 3, "flute", "ustes"),
    NOUN(THING, 0, "rope", "uri"),       NOUN(THING, 1, "drum", "tontas"),
    NOUN(FOOD, 0, "apple", "pultas"), NOUN(FOOD, 1, "bread", "antos"),  NOUN(FOOD, 2, "soup", "tanto"),
    NOUN(FOOD, 3, "cheese", "omiro"), NOUN(FOOD, 0, "onion", "anelam"), NOUN(FOOD, 1, "cake", "teli"),
    NOUN(FOOD, 2, "fish", "olosta"),  NOUN(FOOD, 3, "rice", "sulmes"),  NOUN(FOOD, 0, "orange", "falto"),
    NOUN(FOOD, 1, "pie", "urku"),     NOUN(FOOD, 2, "melon", "tenan"),  NOUN(FOOD, 3, "bean", "omor"),
    NOUN(FOOD, 0, "olive", "ero"),    NOUN(FOOD, 1, "stew", "parun"),
    WORD(ADJECTIVE, ANIMAL, "tired", "kaskun"),   WORD(ADJECTIVE, ANIMAL, "hungry", "alustus"),
    WORD(ADJECTIVE, ANIMAL, "scared", "fere"),    WORD(ADJECTIVE, ANIMAL, "angry", "ista"),
    WORD(ADJECTIVE, ANIMAL, "sleepy", "iltor"),   WORD(ADJECTIVE, ANIMAL, "ill", "pare"),
    WORD(ADJECTIVE, VEHICLE, "rusty", "fornir"),   WORD(ADJECTIVE, VEHICLE, "slow", "entun"),
    WORD(ADJECTIVE, VEHICLE, "noisy", "kime"),     WORD(ADJECTIVE, VEHICLE, "fast", "oni"),
    WORD(ADJECTIVE, VEHICLE, "damaged", "elinol"), WORD(ADJECTIVE, VEHICLE, "oily", "felmu"),
    WORD(ADJECTIVE, PLACE, "wide", "pelmin"), WORD(ADJECTIVE, PLACE, "deep", "arurel"),
    WORD(ADJECTIVE, PLACE, "narrow", "fula"), WORD(ADJECTIVE, PLACE, "busy", "olera"),
    WORD(ADJECTIVE, PLACE, "long", "almin"),  WORD(ADJECTIVE, PLACE, "steep", "sunto"),
    WORD(ADJECTIVE, THING, "broken", "sumol"), WORD(ADJECTIVE, THING, "heavy", "urkar"),
    WORD(ADJECTIVE, THING, "sharp", "tompe"),  WORD(ADJECTIVE, THING, "full", "ontu"),
    WORD(ADJECTIVE, THING, "empty", "inilam"), WORD(ADJECTIVE, THING, "ugly", "saste"),
    WORD(ADJECTIVE, FOOD, "stale", "folir"),   WORD(ADJECTIVE, FOOD, "salty", "arkil"),
    WORD(ADJECTIVE, FOOD, "ripe", "kelu"),     WORD(ADJECTIVE, FOOD, "sweet", "elasto"),
    WORD(ADJECTIVE, FOOD, "bitter", "elirer"), WORD(ADJECTIVE, FOOD, "rotten", "fisku"),
    WORD(NAME, FEMALE, "anna", "ana"),    WORD(NAME, FEMALE, "emma", "ema"),    WORD(NAME, FEMALE, "ada", "ada"),
    WORD(NAME, FEMALE, "iris", "iris"),   WORD(NAME, FEMALE, "ellen", "elen"),  WORD(NAME, FEMALE, "agnes", "agnes"),
    WORD(NAME, FEMALE, "clara", "klara"), WORD(NAME, FEMALE, "sofia", "sofia"), WORD(NAME, FEMALE, "petra", "petra"),
    WORD(NAME, FEMALE, "susan", "susan"), WORD(NAME, FEMALE, "karen", "karen"), WORD(NAME, FEMALE, "pearl", "perl"),
    WORD(NAME, MALE, "otto", "oto"),     WORD(NAME, MALE, "enzo", "enso"),    WORD(NAME, MALE, "ugo", "ugo"),
    WORD(NAME, MALE, "adam", "adam"),    WORD(NAME, MALE, "ivan", "ivan"),    WORD(NAME, MALE, "oscar", "oskar"),
    WORD(NAME, MALE, "pedro", "pedro"),  WORD(NAME, MALE, "carlo", "karlo"),  WORD(NAME, MALE, "theo", "teo"),
    WORD(NAME, MALE, "tom", "tom"),      WORD(NAME, MALE, "paul", "paul"),    WORD(NAME, MALE, "felix", "feliks"),
    WORD(PRONOUN, NONE, "it", "su"),     WORD(PRONOUN, FEMALE, "she", "ela"), WORD(PRONOUN, MALE, "he", "elo"),
    WORD(AUXILIARY, NONE, "did", "tol"),    WORD(AUXILIARY, NONE, "could", "unus"),
    WORD(AUXILIARY, NONE, "would", "ki"),   WORD(AUXILIARY, NONE, "should", "isu"),
    WORD(AUXILIARY, NONE, "had", "umim"),   WORD(AUXILIARY, NONE, "has", "te"),
    WORD(NEGATION, NONE, "not", "sel"),    WORD(NEGATION, NONE, "never", "alin"),
    WORD(VERB, PLACE, "cross", "tulmal"), WORD(VERB, PLACE, "enter", "iminom"), WORD(VERB, PLACE, "avoid", "pampu"),
    WORD(VERB, PLACE, "leave", "uniste"), WORD(VERB, PLACE, "reach", "ilulos"), WORD(VERB, PLACE, "visit", "filme"),
    WORD(VERB, THING, "found", "koltes"),   WORD(VERB, THING, "lost", "ustir"),
    WORD(VERB, THING, "sold", "korne"),     WORD(VERB, THING, "moved", "inano"),
    WORD(VERB, THING, "wanted", "omustem"), WORD(VERB, THING, "bought", "polma"),
    WORD(VERB, THING, "kept", "enta"),      WORD(VERB, THING, "held", "silol"),
    WORD(COPULA, NONE, "was", "san"),   WORD(COPULA, NONE, "is", "imal"),   WORD(COPULA, NONE, "seemed", "pa"),
    WORD(COPULA, NONE, "felt", "emo"),
    WORD(DEGREE, NONE, "too", "sir"),    WORD(DEGREE, NONE, "very", "onin"),  WORD(DEGREE, NONE, "quite", "to"),
    WORD(DEGREE, NONE, "rather", "osa"),
    WORD(CONJUNCTION, NONE, "because", "sar"), WORD(CONJUNCTION, NONE, "since", "ilol"),
    WORD(CONJUNCTION, NONE, "as", "ti"),       WORD(CONJUNCTION, NONE, "while", "asi"),
    WORD(PREPOSITION, NONE, "near", "par"),    WORD(PREPOSITION, NONE, "behind", "omem"),
    WORD(PREPOSITION, NONE, "under", "fe"),    WORD(PREPOSITION, NONE, "above", "imo"),
    WORD(ADVERB, NONE, "today", "fulmil"),    WORD(ADVERB, NONE, "yesterday", "olman"),
    WORD(ADVERB, NONE, "often", "soli"),      WORD(ADVERB, NONE, "later", "irenu"),
    WORD(PARTICLE, NONE, "last", "fon"),  WORD(PARTICLE, NONE, "all", "ulom"),  WORD(PARTICLE, NONE, "night", "fa"),
    WORD(PARTICLE, NONE, "week", "usi"),  WORD(PARTICLE, NONE, "year", "amar"), WORD(PARTICLE, NONE, "summer", "ko"),
    WORD(PARTICLE, NONE, "and", "ere"),   WORD(PARTICLE, NONE, "said", "ken"),  WORD(PARTICLE, NONE, "that", "si"),
    WORD(PARTICLE, NONE, "then", "usa"),
};
// clang-format on

enum { WORDS = sizeof dictionary / sizeof *dictionary, LONGEST_WORD = 16 };

int words_count(void) { return WORDS; }

const Word *word_at(int id)
{
    REQUIRE(0 <= id && id < WORDS, "word %d of %d", id, (int)WORDS);
    return &dictionary[id];
}

const char *word_text(int id) { return word_at(id)->text; }

WordRange words_of(WordClass class, SemanticClass kind)
{
    WordRange range = { 0, 0 };
    for (int id = 0; id < WORDS; id++) {
        bool in = dictionary[id].class == class && (kind == SEMANTIC_NONE || dictionary[id].kind == kind);
        if (in && !range.count++) range.first = id;
        else if (!in && range.count) break;
    }
    return range;
}

static bool is_vowel(char c) { return c && strchr("aeiou", c); }

bool word_begins_with_vowel(int id) { return is_vowel(word_at(id)->stem[0]); }

bool word_ends_with_vowel(int id)
{
    const char *stem = word_at(id)->stem;
    return is_vowel(stem[strlen(stem) - 1]);
}

// ---- parsing

static bool is_space(char c) { return c && strchr(" \t\r\n\v\f", c); }
static bool is_mark(char c) { return c && strchr(".,;:!?\"()", c); }

// The word of `length` bytes at `text`; case of A to Z is ignored.
static int find_word(const char *text, size_t length)
{
    char lower[LONGEST_WORD + 1] = { 0 };
    if (length > LONGEST_WORD) return -1;
    for (size_t i = 0; i < length; i++) {
        bool capital = 'A' <= text[i] && text[i] <= 'Z';
        lower[i] = (char)(capital ? text[i] - 'A' + 'a' : text[i]);
    }
    for (int id = 0; id < WORDS; id++)
        if (!strcmp(dictionary[id].text, lower)) return id;
    return -1;
}

int word_named(const char *text) { return find_word(text, strlen(text)); }

// ---- spelling suggestions

enum { NEAR_LETTERS = 32 };

static char lower_of(char c) { return 'A' <= c && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

// Edit distance [Levenshtein 1966], one row of the table at a time.
static int edit_distance(const char *text, int length, const char *word)
{
    int row[NEAR_LETTERS + 1], size = (int)strlen(word);
    if (size > NEAR_LETTERS) return size;
    for (int j = 0; j <= size; j++) row[j] = j;
    for (int i = 1; i <= length; i++) {
        int before = row[0];
        row[0] = i;
        for (int j = 1; j <= size; j++) {
            int above = row[j], least = before + (lower_of(text[i - 1]) != word[j - 1]);
            if (above + 1 < least) least = above + 1;
            if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
            before = above;
            row[j] = least;
        }
    }
    return row[size];
}

// Does the word start with what was typed?
static bool is_prefix(const char *word, const char *text, int length)
{
    for (int i = 0; i < length; i++)
        if (word[i] != lower_of(text[i])) return false;
    return true;
}

int words_near(int *near, int most, const char *text, int length)
{
    int costs[NEAR_LETTERS], count = 0;
    if (most > NEAR_LETTERS) most = NEAR_LETTERS;
    if (length > NEAR_LETTERS) return 0;
    for (int id = 1; id < WORDS; id++) {
        if (is_mark(dictionary[id].text[0])) continue;
        bool begins = is_prefix(dictionary[id].text, text, length);
        int other = lower_of(text[0]) != dictionary[id].text[0];
        int cost = begins ? 0 : 2 * edit_distance(text, length, dictionary[id].text) + other;
        int slot = count < most ? count : most;
        if (cost > length + 1) continue;
        while (slot > 0 && costs[slot - 1] > cost) slot--;
        if (slot == most) continue;
        if (count < most) count++;
        for (int k = count - 1; k > slot; k--) {
            near[k] = near[k - 1];
            costs[k] = costs[k - 1];
        }
        near[slot] = id;
        costs[slot] = cost;
    }
    return count;
}

// Length of the word at `text`: one mark, or up to the next space or mark.
static size_t word_length(const char *text)
{
    size_t length = 1;
    if (!is_mark(*text))
        while (text[length] && !is_space(text[length]) && !is_mark(text[length])) length++;
    return length;
}

static bool unknown_word(const char *text, size_t length, int place, Error *error)
{
    Arena *arena = arena_open();
    int near[3], count = words_near(near, 3, text, (int)(length < 1000 ? length : 1000));
    const char *list = "; near it:";
    for (int k = 0; k < count; k++) list = arena_format(arena, "%s%s %s", list, k ? "," : "", dictionary[near[k]].text);
    bool shortened = memchr(text, '\'', length) || (length > 4 && !memcmp(text + length - 4, "\xE2\x80\x99t", 4));
    error_set(error, "the sentence's word %d, %s, is not one of the %d words of this language%s", place,
              text_shown(arena, text, length), WORDS - 1,
              shortened ? "; it has no short forms: write did not"
              : count   ? list
                        : "; lib/language/vocabulary.c lists them, such as animal, street, tired, wide");
    arena_close(arena);
    return false;
}

bool words_of_sentence(int *words, int *T, const char *text, Error *error)
{
    const int start = 0, stop = word_named(".");
    int n = 0;
    words[n++] = start;
    while (is_space(*text)) text++;
    while (*text) {
        size_t length = word_length(text);
        int id = find_word(text, length);
        if (id < 0 || id == start) return unknown_word(text, length, n, error);
        if (n == WORD_SENTENCE_MOST || (n == WORD_SENTENCE_MOST - 1 && id != stop))
            return error_set(error,
                             "the sentence has more than %d words and marks before its full stop; the model was "
                             "trained on no longer ones",
                             WORD_SENTENCE_MOST - 2);
        words[n++] = id;
        for (text += length; is_space(*text);) text++;
    }
    if (n == 1 || (n == 2 && words[1] == stop))
        return error_set(error, "the sentence is empty; it needs at least one word, such as animal");
    if (words[n - 1] != stop) words[n++] = stop;
    *T = n;
    return true;
}
