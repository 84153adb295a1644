// Exercise 16b: my_sum_of_four and my_merge_of_four.
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <string.h>

typedef void Sum(float x[32]);
typedef void Merge(float max[32], float sum[32]);
Sum my_sum_of_four;
Merge my_merge_of_four;
void exchange(float x[32], int bits);

enum { LANES = 32 };
static int exchanges;

void exchange(float x[32], int bits)
{
    float before[LANES];
    exchanges++;
    memcpy(before, x, sizeof before);
    for (int lane = 0; lane < LANES; lane++) x[lane] = before[(lane ^ bits) & (LANES - 1)];
}

static void sum_case(Judge *judge, Function f, int n)
{
    Random random = random_from(16);
    Mat x = judge_output(judge, 1, LANES);
    (void)n;
    random_normals(&random, x);
    judge_trying(judge, "my_sum_of_four of 32 numbers");
    exchanges = 0;
    ((Sum *)f)(x.at);
    judge_result(judge, exchanges);
}

enum { UNCHANGED = 1, ONE, FAR, REPLACED, DOUBLED, HANDED_ON, NONE, TOO_MANY };

static void sum_by(float x[LANES])
{
    static const int all_bits[][3] = { { 1, 2 }, [ONE] = { 1 }, [FAR] = { 4, 8 } };
    const int fault = judge_fault, *bits = all_bits[fault == ONE || fault == FAR ? fault : 0];
    float other[LANES];
    for (int n = 0; bits[n] && fault != UNCHANGED; n++) {
        if (n == 0 || fault != HANDED_ON) memcpy(other, x, sizeof other);
        exchange(other, bits[n]);
        for (int lane = 0; lane < LANES; lane++)
            x[lane] = fault == REPLACED ? other[lane] : (fault == DOUBLED ? other[lane] : x[lane]) + other[lane];
    }
    if (fault == NONE) exchanges = 0;
    if (fault == TOO_MANY) exchanges += 2;
}

static const struct {
    const char *which;
    float max[4], sum[4];
} rows[] = {
    { "maxima 0, 1, 3, 2", { 0, 1, 3, 2 }, { 1, 2, 1.5f, 1 } },
    { "equal maxima", { 2, 2, 2, 2 }, { 1, 2, 3, 4 } },
    { "two lanes have seen nothing", { 1, -1e30f, 3, -1e30f }, { 1, 0, 1, 0 } },
    { "nobody has seen anything", { -1e30f, -1e30f, -1e30f, -1e30f }, { 0, 0, 0, 0 } },
};

static void merge_case(Judge *judge, Function f, int n)
{
    Mat pairs = judge_output(judge, 2, LANES);
    for (int l = 0; l < LANES; l++) {
        *mat_ref(pairs, 0, l) = rows[n].max[l % 4] + (rows[n].max[l % 4] > -1e29f ? (float)(l / 4) : 0.0f);
        *mat_ref(pairs, 1, l) = rows[n].sum[l % 4];
    }
    judge_trying(judge, "my_merge_of_four, %s: row 0 of this is max, row 1 is sum", rows[n].which);
    exchanges = 0;
    ((Merge *)f)(mat_row(pairs, 0), mat_row(pairs, 1));
    judge_result(judge, exchanges > 0 && exchanges < 4 ? 4 : exchanges); // at most four
}

enum { STUB = 1, UNSCALED, UPSIDE_DOWN, OF_E, MAX_ONLY, PAIRS, OWN_LEFT, THEIRS_LEFT, NO_EXCHANGE, SIX };

static float in_new_measure(float sum, float below)
{
    switch (judge_fault) {
    case UNSCALED: return sum;
    case UPSIDE_DOWN: return sum * exp2f(-below);
    case OF_E: return sum * expf(below);
    default: return sum * exp2f(below);
    }
}

static void merge_by(float max[LANES], float sum[LANES])
{
    const int fault = judge_fault;
    float their_max[LANES], their_sum[LANES];
    for (int bits = 1; bits <= (fault == STUB ? 0 : fault == PAIRS ? 1 : 2); bits++) {
        memcpy(their_max, max, sizeof their_max);
        memcpy(their_sum, sum, sizeof their_sum);
        exchange(their_max, bits);
        exchange(their_sum, bits);
        for (int l = 0; l < LANES; l++) {
            float most = fmaxf(max[l], their_max[l]);
            float own = fault == OWN_LEFT ? sum[l] : in_new_measure(sum[l], max[l] - most);
            float theirs = fault == THEIRS_LEFT ? their_sum[l] : in_new_measure(their_sum[l], their_max[l] - most);
            if (fault != MAX_ONLY) sum[l] = own + theirs;
            max[l] = most;
        }
    }
    if (fault == NO_EXCHANGE) exchanges = 0;
    if (fault == SIX) exchanges += 2;
}

static const Task tasks[] = {
    { AS(Sum, my_sum_of_four), AS(Sum, sum_by), sum_case, 1, .faulty = AS(Sum, sum_by),
      .hints = { { "a lane does not have the sum of its four",
                   "after an exchange a lane has the sum of two: which lane has that of the other two?",
                   "x[lane] + x[lane ^ 1], then of these y[lane] + y[lane ^ 2]" },
                 { "two exchanges are enough", "which two lanes have the same number after an exchange? Why ask both?",
                   .of = "the exchanges" } },
      .wrong = { FAULT(UNCHANGED, "nothing has changed: it is still the stub"),
                 FAULT(ONE, "this is the sum of two lanes: two are missing"),
                 FAULT(FAR, "lanes four and eight apart belong to other rows"),
                 FAULT(REPLACED,
                       "what came from the other lane has taken the place of the lane's own: both are wanted"),
                 FAULT(DOUBLED,
                       "x[lane] after an exchange is the other lane's number: the lane's own must be kept before"),
                 FAULT(HANDED_ON, "the second exchange hands on what came with the first: it is the sum of two that is "
                                  "wanted"),
                 FAULT(NONE, "no lane can read x of another lane: it takes an exchange"),
                 { .fault = TOO_MANY, .told = "two exchanges are enough" } } },
    { AS(Merge, my_merge_of_four), AS(Merge, merge_by), merge_case, COUNT(rows), .faulty = AS(Merge, merge_by),
      .hints = { { "maximum and sum of a row do not belong together",
                   "a lane's sum is in the measure of its own maximum: what is it in that of the four?",
                   "m = largest of the four; sum = Σ sum_l · 2^(max_l − m)" },
                 { "four exchanges are enough", "when all have the new maximum, what is left to add up?",
                   .of = "the exchanges" } },
      .wrong = { FAULT(STUB, "nothing has changed: it is still the stub"),
                 FAULT(UNSCALED, "the sums are added as they are: each must first be brought to the new maximum"),
                 FAULT(UPSIDE_DOWN, "2^(new − old) is upside down: a larger maximum makes a sum smaller"),
                 FAULT(OF_E, "scores are powers of two here: it is 2^(old − new), not e^"),
                 FAULT(MAX_ONLY, "the maxima are right; the sums have not changed"),
                 FAULT(PAIRS, "only two lanes have met: two are missing"),
                 FAULT(OWN_LEFT, "the lane's own sum is still in the measure of its old maximum"),
                 FAULT(THEIRS_LEFT, "the other lane's sum is still in the measure of its own maximum"),
                 FAULT(NO_EXCHANGE, "no lane can read registers of another lane: it takes an exchange"),
                 { .fault = SIX, .told = "four exchanges are enough" } } },
};
EXERCISE("16b", tasks)
