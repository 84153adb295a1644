// Exercise 25b: my_diagnosis.
#include "exercises/judge.h"

char my_diagnosis(int program);

enum { PROGRAMS = 6, MISTAKES = 8 };

// What a reader with that mistake shows: is a word that is read alone wrong, and the order of the words; the first
// wrong word of the document, −1: none; is anything wrong without heads. small: no error above a thousandth.
typedef struct {
    bool alone, order, no_heads, small;
    int first;
} Shown;

static const Shown shown[MISTAKES] = {
    ['A' - 'A'] = { .alone = true, .order = true, .no_heads = true, .first = 0 },
    ['B' - 'A'] = { .alone = true, .no_heads = true, .first = 0 },
    ['C' - 'A'] = { .first = 1 },
    ['D' - 'A'] = { .first = 0 },
    ['E' - 'A'] = { .first = 8 },
    ['F' - 'A'] = { .small = true, .no_heads = true, .first = 0 },
    ['G' - 'A'] = { .small = true, .first = -1 },
    ['H' - 'A'] = { .alone = true, .order = true, .first = 0 },
};
static const char ANSWERS[PROGRAMS + 1] = "ACHGBD";

static const char *first_of(Arena *arena, int first)
{
    return first < 0 ? "no word of the document would be wrong"
                     : arena_format(arena, "word %d of the document would be the first that is wrong", first);
}

static const char *property_of(Arena *arena, char said, char right)
{
    if (said < 'A' || said > 'H') return "the answer is a letter from 'A' to 'H'";
    const Shown *told = &shown[said - 'A'], *is = &shown[right - 'A'];
    if (told->small && !is->small && told->first == 0)
        return arena_format(arena, "with the mistake '%c' all would be wrong by less than a thousandth", said);
    if (told->first != is->first)
        return arena_format(arena, "with the mistake '%c' %s", said, first_of(arena, told->first));
    if (told->alone != is->alone)
        return arena_format(arena, "with the mistake '%c' a word that is read alone would be %s", said,
                            told->alone ? "wrong" : "right");
    if (told->order != is->order)
        return arena_format(arena, "with the mistake '%c' the order of the words would %s", said,
                            told->order ? "change" : "stay");
    if (told->no_heads != is->no_heads)
        return arena_format(arena, "with the mistake '%c' a model whose heads are off would be %s", said,
                            told->no_heads ? "wrong as well" : "right");
    if (told->small != is->small) return arena_format(arena, "with the mistake '%c' no error would be as large", said);
    return NULL;
}

static void check(Judge *judge)
{
    static const char *const questions[PROGRAMS] = {
        "which parts of a layer are left when all heads are off?",
        "word 0 has position 0, and word 1 has not: what is different for it?",
        "right without heads, wrong with one word: which matrix stands between a head and the stream?",
        "which change of all positions does a distance not feel?",
        "what makes all logits smaller, the large ones most, and keeps their order?",
        "what can word 0 see in a document that it cannot see alone?",
    };
    for (int p = 0; p < PROGRAMS; p++) {
        char said = my_diagnosis(p);
        judge_trying(judge, "my_diagnosis of program %d: '%c'", p, said ? said : '0');
        judge_claim(judge, said == ANSWERS[p],
                    (Hints){ property_of(judge->arena, said, ANSWERS[p]), questions[p], NULL });
    }
}

int main(void) { return judge_main("25b", check); }
