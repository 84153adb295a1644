// Exercise 18b: my_diagnosis.
#include "exercises/judge.h"

#include <string.h>

char my_diagnosis(int program);

enum { PROGRAMS = 6, WINDOW = 4, MOST = 8 };

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

static const char RIGHT[PROGRAMS + 1] = "DAFCEG";

static const char *property_of(Arena *arena, char said, char right)
{
    if (!said || !strchr("ABCDEFGH", said)) return "the answer is a letter from 'A' to 'H'";
    Sight told = seen_by(said, 9), is = seen_by(right, 9);
    if (told.count != is.count || memcmp(told.token, is.token, (size_t)is.count * sizeof(int)) != 0)
        return arena_format(arena, "with the mistake '%c' the query of token 9 would see%s; here it sees%s", said,
                            listed(arena, told.token, told.count), listed(arena, is.token, is.count));
    if (memcmp(told.distance, is.distance, (size_t)is.count * sizeof(int)) != 0)
        return arena_format(arena, "with the mistake '%c' the distances would be%s; here they are%s", said,
                            listed(arena, told.distance, told.count), listed(arena, is.distance, is.count));
    return NULL;
}

static void check(Judge *judge)
{
    static const char *const questions[PROGRAMS] = {
        "the tokens are right; which distance grows with the text?",
        "how many tokens are seen in all, and how many should be?",
        "which token is always there in a cache that is right?",
        "which token does every query see that has joined, at distance 0?",
        "by how much does the first distance change from token 9 to token 10, when by nothing would be right?",
        "the distances are right; are the tokens?",
    };
    for (int p = 0; p < PROGRAMS; p++) {
        char said = my_diagnosis(p);
        judge_trying(judge, "my_diagnosis of program %d: '%c'", p, said ? said : '0');
        judge_claim(judge, said == RIGHT[p], (Hints){ property_of(judge->arena, said, RIGHT[p]), questions[p], NULL });
    }
}

int main(void) { return judge_main("18b", check); }
