// Exercise 18b: my_diagnosis.
#include "exercises/judge.h"

#include <string.h>

Letters my_diagnosis;

enum { WINDOW = 4, MOST = 8 };

// What a cache with that mistake shows to the query of token t ≥ 6: tokens, and distances by RoPE.
typedef struct {
    int count, token[MOST], distance[MOST];
} Sight;

static Sight seen_by(char mistake, int t)
{
    Sight s = { 0 };
    int newest = mistake == 'C' ? t - 1 : t, W = WINDOW + (mistake == 'A') - (mistake == 'B');
    int at = 0, dropped = newest - W;                         // tokens between the sink and the window
    for (int past = 1 + W; past <= t; past++) at += past - W; // E: 1, and 2, and 3 …
    if (mistake != 'F') {
        int follow = newest - (newest - W + 1) + 1 + (mistake == 'C');
        s.token[s.count] = mistake == 'G';
        s.distance[s.count++] = mistake == 'D' ? t : mistake == 'E' ? t - at : follow;
    }
    for (int j = newest - W + 1; j <= newest; j++) {
        s.token[s.count] = j;
        s.distance[s.count++] = mistake == 'H' ? t - j - dropped : t - j;
    }
    return s;
}

static const char *listed(Arena *arena, const int *numbers, int count)
{
    const char *text = "";
    for (int i = 0; i < count; i++) text = arena_format(arena, "%s %d", text, numbers[i]);
    return text;
}

static const char right[] = "DAFCEG";

static const char *property(Arena *arena, char named, int program)
{
    Sight told = seen_by(named, 9), is = seen_by(right[program], 9);
    if (told.count != is.count || memcmp(told.token, is.token, (size_t)is.count * sizeof(int)) != 0)
        return arena_format(arena, "with the mistake '%c' the query of token 9 would see%s; here it sees%s", named,
                            listed(arena, told.token, told.count), listed(arena, is.token, is.count));
    return arena_format(arena, "with the mistake '%c' the distances would be%s; here they are%s", named,
                        listed(arena, told.distance, told.count), listed(arena, is.distance, is.count));
}

static const char *const questions[] = {
    "the tokens are right; which distance grows with the text?",
    "how many tokens are seen in all, and how many should be?",
    "which token is always there in a cache that is right?",
    "which token does every query see that has joined, at distance 0?",
    "by how much does the first distance change from token 9 to token 10, when by nothing would be right?",
    "the distances are right; are the tokens?",
};

static void check(Judge *judge, Function f)
{
    judge_letters(judge, (Letters *)f, (Diagnosis){ "my_diagnosis of program", right, 'H', questions, NULL, property });
}

static char truth(int program) { return right[program]; }
static char no_letter(int program) { return "?AFCEG"[program]; }
static char distances(int program) { return "EAFCEG"[program]; }
static char tokens(int program) { return "DAGCEG"[program]; }

static const Task tasks[] = {
    { AS(Letters, my_diagnosis), AS(Letters, truth), .check = check,
      .wrong = { { AS(Letters, no_letter), "the answer is a letter from 'A' to 'H'" },
                 { AS(Letters, distances), .told = "the distances would be -6 3 2 1 0; here they are 9 3 2 1 0" },
                 { AS(Letters, tokens), .told = "would see 1 6 7 8 9; here it sees 6 7 8 9" } } },
};
EXERCISE("18b", tasks)
