// Exercise 15d: my_obstacles and my_sum.
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <string.h>

const char *my_obstacles(void);
float my_sum(const float *x, int n);

enum { LOOPS = 6, LETTERS = 6, BEHIND = 8, DRAWS = 5 };

static const char letters[] = "NSPOZL", right[] = "SNPOZL";

// What is said against a letter where it does not belong.
static const char *const against[LETTERS] = {
    "something does: which two orders of its turns would give other bits?",
    "nothing is added up to one number here",
    "what the next turn needs of this one is i, and that is known",
    "nothing here is read through a pointer to what is written",
    "what is the result, if one number is NaN, or 0 meets −0? The same in any order",
    "how often it runs is known when it begins",
};

// Where a letter has something true in it, which the general words would deny.
static const struct {
    int loop;
    char letter;
    const char *words;
} half_true[] = {
    { 1, 'Z', "it is a sum, and for every number the order counts, NaN or not" },
    { 1, 'P',
      "each addition does wait for the one before, as there is one sum. With sixteen it would not: what would "
      "be different?" },
    { 5, 'P',
      "each turn does wait for the one before, as there is one `most`. With sixteen it would not: what could "
      "be different?" },
    { 5, 'S', "a maximum is no sum: rounding is not what stands in its way" },
    { 3, 'O', "what is written is read, but where and when is known: by the very next turn" },
    { 3, 'Z', "the order counts for every number here, not for some only" },
    { 6, 'N', "something does, and it is not the order of the turns" },
    { 6, 'P', "what the next turn needs of this one is i, and that is known; whether there is a next turn is not" },
    { 4, 'P', "only if factor points into to: of what is written there alone nothing is needed again" },
};

static const char *what_is_wrong(int loop, const char *letter)
{
    if (right[loop - 1] == 'N') return "two neighbours of this loop have nothing to do with each other";
    for (size_t h = 0; h < sizeof half_true / sizeof *half_true; h++)
        if (half_true[h].loop == loop && half_true[h].letter == *letter) return half_true[h].words;
    return against[letter - letters];
}

static const char *const questions[LOOPS] = {
    "which of the eight additions to the same number may come first?",
    "restrict promises something: what?",
    "what must be known before turn i can begin?",
    "what happens if factor points to to[0]?",
    "is the larger one of two numbers the same whichever comes first? Of every two?",
    "which numbers would a vector of sixteen lanes read at the last turn?",
};

static void obstacles(Judge *judge)
{
    const char *named = my_obstacles();
    judge_trying(judge, "my_obstacles \"%.20s\"", named);
    judge_claim(judge, strlen(named) == LOOPS, (Hints){ .property = "six letters are wanted, one a loop" });
    judge_claim(judge, strcspn(named, "?") != 0, (Hints){ .property = "no letter has been written yet" });
    for (int n = 0; n < LOOPS; n++) {
        const char *letter = strchr(letters, named[n]);
        judge_trying(judge, "loop %d: %c", n + 1, named[n]);
        judge_claim(judge, letter != NULL,
                    (Hints){ .property = "the letters are N, S, P, O, Z and L, all of them large" });
        judge_claim(judge, named[n] == right[n],
                    (Hints){ .property = what_is_wrong(n + 1, letter), .question = questions[n] });
    }
}

typedef enum {
    SIDE_BY_SIDE,
    ONE_SUM,
    IN_BLOCKS,
    NO_TAIL,
    TAIL_TO_FIRST,
    TAIL_BEHIND,
    TOO_FAR,
    FOUR,
    FAR_PAIRS,
    NEAR_PAIRS,
    HALVES,
    BACKWARD,
    FROM_THE_END,
    ONLY_FIRST,
    NO_LAST,
    IN_DOUBLE,
    SIXTEEN,
    FROM_1,
    LAST_OF_EACH,
    NOTHING,
    ORDERS
} Order;

static float part_of(const float *part, Order order)
{
    if (order == FAR_PAIRS)
        return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
    if (order == NEAR_PAIRS)
        return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    if (order == HALVES)
        return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
    int sums = order == FOUR ? 4 : order == SIXTEEN ? 16 : order == NO_LAST ? 7 : order == ONLY_FIRST ? 1 : 8;
    float sum = order == BACKWARD ? part[7] : part[0];
    for (int s = 1; s < sums; s++) sum += part[order == BACKWARD ? 7 - s : s];
    return sum;
}

static float sum_in(const float *x, int n, Order order)
{
    float part[16] = { 0 }, sum;
    double precise = 0;
    int whole = n / 8 * 8, each = (n + 7) / 8;
    int end = order == NO_TAIL || order == TAIL_BEHIND ? whole : order == TOO_FAR ? each * 8 : n;
    if (order == NOTHING) return 0.0f;
    for (int at = order == FROM_1; at < end; at++) {
        int i = order == FROM_THE_END ? n - 1 - at : at;
        int s = order == ONE_SUM || (order == TAIL_TO_FIRST && i >= whole) ? 0
                : order == FOUR                                            ? i % 4
                : order == SIXTEEN                                         ? i % 16
                : order == IN_BLOCKS                                       ? i / each
                                                                           : i % 8;
        part[s] = order == LAST_OF_EACH ? x[i] : part[s] + x[i];
        precise += (double)x[i];
    }
    if (order == IN_DOUBLE) return (float)precise;
    sum = part_of(part, order);
    for (int i = whole; i < n && order == TAIL_BEHIND; i++) sum += x[i];
    return sum;
}

// Large numbers among small ones, where a sum has no place for all of a small one; the large ones come to nothing in
// the end, so what is left is small, and its digits show the order. Behind the numbers stand some that nobody may read.
static void draw(Mat x, Mat *wrong, int e, uint64_t seed)
{
    Random random = random_from(seed);
    random_normals(&random, x);
    for (int i = 0; i < x.cols / 2; i++) {
        x.at[i] = ldexpf(x.at[i], i * 7 % 25);
        x.at[x.cols - 1 - i] -= x.at[i];
    }
    for (int i = 0; i < BEHIND; i++) x.at[x.cols + i] = 1000.0f;
    for (Order o = SIDE_BY_SIDE; o < ORDERS; o++) wrong[o].at[e] = sum_in(x.at, x.cols, o);
}

static bool all_differ(Mat *wrong, int e)
{
    for (Order o = SIDE_BY_SIDE; o < ORDERS; o++)
        for (Order other = SIDE_BY_SIDE; other < o; other++)
            if (wrong[o].at[e] == wrong[other].at[e]) return false;
    return true;
}

// Several draws of such numbers that the order shows, where there are so many: that a sum in some other order has the
// bits of a known mistake may happen once, but hardly in all of them.
static void sum_of(Judge *judge, int n)
{
    Mat wrong[ORDERS], got = judge_output(judge, 1, DRAWS);
    Mat x = mat_cols(mat_new(judge->arena, DRAWS, n + BEHIND), 0, n);
    for (Order o = SIDE_BY_SIDE; o < ORDERS; o++) wrong[o] = mat_new(judge->arena, 1, DRAWS);
    for (int e = 0; e < DRAWS; e++) {
        uint64_t first = 1 + 1000 * (uint64_t)e;
        draw(mat_rows(x, e, 1), wrong, e, first);
        for (uint64_t next = first + 1; next < first + 1000 && !all_differ(wrong, e); next++)
            draw(mat_rows(x, e, 1), wrong, e, next);
    }
    judge_trying(judge, "my_sum of %d numbers, large and small, %d times", n, DRAWS);
    for (int e = 0; e < DRAWS; e++) got.at[e] = my_sum(mat_row(x, e), n);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = wrong[SIDE_BY_SIDE],
            .tolerance = 1e-9f,
            .hints = { .property = "these are not the bits of the order that the task asks for",
                       .question = "which sum does number 9 go to, and what has been added to it before?",
                       .formula = "sum_s = x_s + x_(s+8) + x_(s+16) + …; then sum_0 + sum_1 + … + sum_7" },
            .mistakes = {
                { n < 8 ? "the result is 0, but there are numbers, though fewer than eight"
                        : "the result is 0: it is still the stub",
                  wrong[NOTHING] },
                { "one sum after all: every addition waits for the one before", wrong[ONE_SUM] },
                { "the numbers behind the last whole eight are left out", wrong[NO_TAIL] },
                { "the numbers behind the last whole eight all go to sum 0: number i goes to sum i % 8",
                  wrong[TAIL_TO_FIRST] },
                { "the numbers behind the last whole eight are added to the total: number i goes to sum i % 8",
                  wrong[TAIL_BEHIND] },
                { "numbers behind the end are read: where fewer than eight are left, a turn may not take eight",
                  wrong[TOO_FAR] },
                { "each sum has taken a run of numbers: neighbours go to different sums", wrong[IN_BLOCKS] },
                { "four sums: with eight, twice as many additions are under way", wrong[FOUR] },
                { "sixteen sums: the task has eight", wrong[SIXTEEN] },
                { "the eight sums are added in pairs, which is as good, but not the order of the task",
                  wrong[FAR_PAIRS] },
                { "the eight sums are added in pairs, which is as good, but not the order of the task",
                  wrong[NEAR_PAIRS] },
                { "the eight sums are added in pairs, which is as good, but not the order of the task", wrong[HALVES] },
                { "sum 0 alone: seven are missing", wrong[ONLY_FIRST] },
                { "sum 7 is left out", wrong[NO_LAST] },
                { "it is added in double: these are floats, and rounded after each addition", wrong[IN_DOUBLE] },
                { "the eight sums are added from the last to the first", wrong[BACKWARD] },
                { "the numbers are taken from the last to the first", wrong[FROM_THE_END] },
                { "number 0 is left out", wrong[FROM_1] },
                { "each sum holds the last number that went to it: it should be added to those before",
                  wrong[LAST_OF_EACH] } } });
}

static void check(Judge *judge)
{
    obstacles(judge);
    sum_of(judge, 61);
    sum_of(judge, 64);
    sum_of(judge, 5);
    sum_of(judge, 0);
}

int main(void) { return judge_main("15d", check); }
