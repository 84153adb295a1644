// Exercise 25b: my_diagnosis.
#include "exercises/judge.h"

Letters my_diagnosis;

// What a reader with that mistake shows: is a word that is read alone wrong, and the order of the words; is anything
// wrong without heads; small: no error above a thousandth; the first wrong word of the document, −1: none.
static const struct {
    bool alone, order, no_heads, small;
    int first;
} shown[] = {
    ['A' - 'A'] = { .alone = true, .order = true, .no_heads = true },
    ['B' - 'A'] = { .alone = true, .no_heads = true },
    ['C' - 'A'] = { .first = 1 },
    ['D' - 'A'] = { .first = 0 },
    ['E' - 'A'] = { .first = 8 },
    ['F' - 'A'] = { .small = true, .no_heads = true },
    ['G' - 'A'] = { .small = true, .first = -1 },
    ['H' - 'A'] = { .alone = true, .order = true },
};
static const char right[] = "ACHGBD";

static const char *property(Arena *arena, char named, int program)
{
    int told = named - 'A', is = right[program] - 'A';
    const char *what = NULL;
    if (shown[told].small && !shown[is].small && shown[told].first == 0)
        what = "all would be wrong by less than a thousandth";
    else if (shown[told].first != shown[is].first)
        what = shown[told].first < 0
                   ? "no word of the document would be wrong"
                   : arena_format(arena, "word %d of the document would be the first that is wrong", shown[told].first);
    else if (shown[told].alone != shown[is].alone)
        what =
            shown[told].alone ? "a word that is read alone would be wrong" : "a word that is read alone would be right";
    else if (shown[told].order != shown[is].order)
        what = shown[told].order ? "the order of the words would change" : "the order of the words would stay";
    else if (shown[told].no_heads != shown[is].no_heads)
        what = shown[told].no_heads ? "a model whose heads are off would be wrong as well"
                                    : "a model whose heads are off would be right";
    return what ? arena_format(arena, "with the mistake '%c' %s", named, what) : NULL;
}

static const char *const questions[] = {
    "which parts of a layer are left when all heads are off?",
    "word 0 has position 0, and word 1 has not: what is different for it?",
    "right without heads, wrong with one word: which matrix stands between a head and the stream?",
    "which change of all positions does a distance not feel?",
    "what makes all logits smaller, the large ones most, and keeps their order?",
    "what can word 0 see in a document that it cannot see alone?",
};

static void check(Judge *judge, Function f)
{
    judge_letters(judge, (Letters *)f, (Diagnosis){ "my_diagnosis of program", right, 'H', questions, NULL, property });
}

static char truth(int program) { return right[program]; }
static char no_letter(int program) { return "?CHGBD"[program]; }
static char order(int program) { return "BCHGBD"[program]; }
static char window(int program) { return "AEHGBD"[program]; }
static char no_heads(int program) { return "ACAGBD"[program]; }

static const Task tasks[] = {
    { AS(Letters, my_diagnosis), AS(Letters, truth), .check = check,
      .wrong = { { AS(Letters, no_letter), "the answer is a letter from 'A' to 'H'" },
                 { AS(Letters, order), "with the mistake 'B' the order of the words would stay" },
                 { AS(Letters, window),
                   "with the mistake 'E' word 8 of the document would be the first that is wrong" },
                 { AS(Letters, no_heads),
                   "with the mistake 'A' a model whose heads are off would be wrong as well" } } },
};
EXERCISE("25b", tasks)
