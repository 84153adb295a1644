// Exercise 24b: my_diagnosis.
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <string.h>

char my_diagnosis(int program);

enum { PROGRAMS = 6, RANKS = 3, BLOCK = 4, ANCHOR = 2, ASKS = 12, MOST = 8 };

// What a program with that mistake prints.
typedef struct {
    int read[MOST], at[MOST], kept[MOST], reads, keeps;
    double out, lse;
} Shown;

static double sum_of(const int *tokens, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += tokens[i];
    return sum;
}

// The keys that rank r has for token 12.
static int keys_of(int *keys, char mistake, int r)
{
    int count = 0;
    if (mistake == 'H' && r < RANKS - 1) return 0;
    for (int t = 0; t < ANCHOR && mistake == 'C' && r > 0; t++) keys[count++] = t;
    for (int t = 0; t < BLOCK; t++) keys[count++] = BLOCK * r + t;
    if ((r == RANKS - 1 || mistake == 'F') && mistake != 'G') keys[count++] = ASKS;
    return count;
}

static Shown shown_by(char mistake)
{
    Shown s = { .reads = ANCHOR + BLOCK };
    for (int t = 0; t < s.reads; t++) {
        bool before = t < ANCHOR;
        s.read[t] = !before ? BLOCK + t - ANCHOR : mistake == 'D' ? BLOCK - ANCHOR + t : t;
        s.at[t] = mistake == 'B' ? t : before && mistake == 'E' ? BLOCK - ANCHOR + t : s.read[t];
        if (!before || mistake == 'C') s.kept[s.keeps++] = s.read[t];
    }
    double sum = 0, means = 0, count = 0;
    for (int r = 0; r < RANKS; r++) {
        int keys[MOST], n = keys_of(keys, mistake, r);
        sum += sum_of(keys, n);
        count += n;
        if (n > 0) means += sum_of(keys, n) / n / RANKS;
    }
    s.out = mistake == 'A' ? means : sum / count;
    s.lse = log(count);
    return s;
}

static const char *listed(Arena *arena, const int *numbers, int count)
{
    const char *text = "";
    for (int i = 0; i < count; i++) text = arena_format(arena, "%s %d", text, numbers[i]);
    return text;
}

static bool same(const int *a, const int *b, int count) { return !memcmp(a, b, (size_t)count * sizeof *a); }

static const char RIGHT[PROGRAMS + 1] = "CBAFDE";

static const char *property_of(Arena *arena, char said, char right)
{
    if (!said || !strchr("ABCDEFGH", said)) return "the answer is a letter from 'A' to 'H'";
    Shown told = shown_by(said), is = shown_by(right);
    if (!same(told.read, is.read, is.reads))
        return arena_format(arena, "with the mistake '%c' rank 1 would have read%s; here it has read%s", said,
                            listed(arena, told.read, told.reads), listed(arena, is.read, is.reads));
    if (!same(told.at, is.at, is.reads))
        return arena_format(arena, "with the mistake '%c' the positions would be%s; here they are%s", said,
                            listed(arena, told.at, told.reads), listed(arena, is.at, is.reads));
    if (told.keeps != is.keeps)
        return arena_format(arena, "with the mistake '%c' rank 1 would have kept%s; here it has kept%s", said,
                            listed(arena, told.kept, told.keeps), listed(arena, is.kept, is.keeps));
    if (fabs(told.lse - is.lse) > 5e-4)
        return arena_format(arena, "with the mistake '%c' lse would be %.3f; here it is %.3f", said, told.lse, is.lse);
    if (fabs(told.out - is.out) > 5e-4)
        return arena_format(arena, "with the mistake '%c' the output would be %.3f; here it is %.3f", said, told.out,
                            is.out);
    return NULL;
}

static void check(Judge *judge)
{
    static const char *const questions[PROGRAMS] = {
        "how many keys does lse count, and which tokens are more than once among them?",
        "where would the query look for token 7, and where does RoPE say that it stands?",
        "how many keys has each rank, and how much does each of them count in this output?",
        "how many keys does lse count, when there are thirteen tokens?",
        "which tokens stand before the block, and which should?",
        "the tokens are right; how far is token 4 from token 1 here?",
    };
    for (int p = 0; p < PROGRAMS; p++) {
        char said = my_diagnosis(p);
        judge_trying(judge, "my_diagnosis of program %d: '%c'", p, said ? said : '0');
        judge_claim(judge, said == RIGHT[p], (Hints){ property_of(judge->arena, said, RIGHT[p]), questions[p], NULL });
    }
}

int main(void) { return judge_main("24b", check); }
