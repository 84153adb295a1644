// Binary search in sorted tables of code points.
#include "tokenizer/unicode_classes.h"

#include "tokenizer/unicode_tables.h"

#include <stddef.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

static const struct {
    const UnicodeRange *ranges;
    int count;
} classes[UNICODE_CLASSES] = {
    [UNICODE_LETTER] = { letters, COUNT(letters) },
    [UNICODE_NUMBER] = { numbers, COUNT(numbers) },
    [UNICODE_SPACE] = { spaces, COUNT(spaces) },
    [UNICODE_WORD] = { word_letters, COUNT(word_letters) },
    [UNICODE_REMOVED] = { bert_removed, COUNT(bert_removed) },
    [UNICODE_BLANK] = { bert_blanks, COUNT(bert_blanks) },
    [UNICODE_CHINESE] = { bert_chinese, COUNT(bert_chinese) },
    [UNICODE_PUNCTUATION] = { bert_punctuation, COUNT(bert_punctuation) },
    [UNICODE_ACCENT] = { bert_accents, COUNT(bert_accents) },
};

// The first of `count` rows of `size` bytes, sorted by the last code point of each, that ends at c or later.
#define FIRST_UP_TO(table, count, c, last) \
    int low = 0, high = (count); \
    while (low < high) { \
        int middle = (low + high) / 2; \
        if ((table)[middle].last < (c)) low = middle + 1; \
        else high = middle; \
    }

bool unicode_is(UnicodeClass class, uint32_t c)
{
    if (c < 256) return latin[c] >> class & 1;
    const UnicodeRange *ranges = classes[class].ranges;
    FIRST_UP_TO(ranges, classes[class].count, c, last)
    return low < classes[class].count && ranges[low].first <= c;
}

int unicode_lower(uint32_t out[2], uint32_t c)
{
    out[0] = c;
    if (c == 0x130) { // İ: i, and a combining dot above
        out[0] = 'i';
        out[1] = 0x307;
        return 2;
    }
    FIRST_UP_TO(lower_runs, COUNT(lower_runs), c, last)
    if (low == COUNT(lower_runs) || lower_runs[low].first > c) return 1;
    const UnicodeLowerRun *run = &lower_runs[low];
    if ((c - run->first) % (uint32_t)run->step == 0) out[0] = (uint32_t)((int64_t)c + run->distance);
    return 1;
}

int unicode_order(uint32_t c)
{
    if (c < mark_runs[0].first) return 0;
    FIRST_UP_TO(mark_runs, COUNT(mark_runs), c, last)
    return low < COUNT(mark_runs) && mark_runs[low].first <= c ? mark_runs[low].order : 0;
}

// ---- decomposition and composition

// Hangul syllables are composed arithmetically: 19 leading consonants, 21 vowels, 28 trailing ones, the first empty.
enum { LEADS = 19, VOWELS = 21, TRAILS = 28, LEAD = 0x1100, VOWEL = 0x1161, TRAIL = 0x11A7, SYLLABLE = 0xAC00 };

static int decompose_syllable(uint32_t out[4], uint32_t index)
{
    out[0] = LEAD + index / (VOWELS * TRAILS);
    out[1] = VOWEL + index / TRAILS % VOWELS;
    out[2] = TRAIL + index % TRAILS;
    return index % TRAILS ? 3 : 2;
}

int unicode_decompose(uint32_t out[4], uint32_t c)
{
    if (c >= SYLLABLE && c - SYLLABLE < LEADS * VOWELS * TRAILS) return decompose_syllable(out, c - SYLLABLE);
    out[0] = c;
    if (c < decompositions[0].whole) return 1;
    FIRST_UP_TO(decompositions, COUNT(decompositions), c, whole)
    if (low == COUNT(decompositions) || decompositions[low].whole != c) return 1;

    const UnicodeDecomposition *d = &decompositions[low];
    int count = unicode_decompose(out, d->first);
    if (d->second) out[count++] = d->second;
    return count;
}

static uint32_t compose_syllable(uint32_t a, uint32_t b)
{
    uint32_t lead = a - LEAD, vowel = b - VOWEL, syllable = a - SYLLABLE, trail = b - TRAIL;
    if (a >= LEAD && lead < LEADS && b >= VOWEL && vowel < VOWELS) return SYLLABLE + (lead * VOWELS + vowel) * TRAILS;
    bool open = a >= SYLLABLE && syllable < LEADS * VOWELS * TRAILS && syllable % TRAILS == 0;
    return open && b > TRAIL && trail < TRAILS ? a + trail : 0;
}

uint32_t unicode_compose(uint32_t a, uint32_t b)
{
    int low = 0, high = COUNT(compositions);
    while (low < high) {
        int middle = (low + high) / 2;
        const UnicodeDecomposition *d = &decompositions[compositions[middle]];
        if (d->first < a || (d->first == a && d->second < b)) low = middle + 1;
        else high = middle;
    }
    const UnicodeDecomposition *d = low < COUNT(compositions) ? &decompositions[compositions[low]] : NULL;
    return d && d->first == a && d->second == b ? d->whole : compose_syllable(a, b);
}

// ---- UTF-8

uint32_t unicode_read(const unsigned char *at, int length)
{
    static const unsigned char payload[5] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
    uint32_t c = at[0] & payload[length];
    for (int i = 1; i < length; i++) c = c << 6 | (at[i] & 0x3F);
    return c;
}

int unicode_write(char out[4], uint32_t c)
{
    static const unsigned char first[5] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    int length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(first[length] | c);
    return length;
}
