// Exercise 16b: my_sum_of_four and my_merge_of_four.
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <string.h>

void exchange(float x[32], int bits);
void my_sum_of_four(float x[32]);
void my_merge_of_four(float max[32], float sum[32]);

enum { LANES = 32 };
static int exchanges;

void exchange(float x[32], int bits)
{
    float before[LANES];
    exchanges++;
    memcpy(before, x, sizeof before);
    for (int lane = 0; lane < LANES; lane++) x[lane] = before[(lane ^ bits) & (LANES - 1)];
}

// ---- sums

// What comes out when x takes that of lane ^ bits, one after the other.
static Mat added(Arena *arena, Mat x, const int *bits, int count)
{
    Mat sum = mat_copy(arena, x);
    for (int n = 0; n < count; n++) {
        Mat other = mat_copy(arena, sum);
        exchange(other.at, bits[n]);
        for (int lane = 0; lane < LANES; lane++) sum.at[lane] += other.at[lane];
    }
    return sum;
}

#define ADDED(...) added(arena, x, (const int[]){ __VA_ARGS__ }, sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

static Mat only_first(Arena *arena, Mat x, Mat sums)
{
    Mat some = mat_copy(arena, x);
    for (int lane = 0; lane < LANES; lane += 4) some.at[lane] = sums.at[lane];
    return some;
}

// The second exchange hands on what came with the first, and not the sum.
static Mat handed_on(Arena *arena, Mat x)
{
    Mat sum = mat_copy(arena, x), other = mat_copy(arena, x);
    for (int bits = 1; bits <= 2; bits++) {
        exchange(other.at, bits);
        for (int lane = 0; lane < LANES; lane++) sum.at[lane] += other.at[lane];
    }
    return sum;
}

// Both exchanges hand on the lane's own number.
static Mat three_of(Arena *arena, Mat x)
{
    Mat sum = mat_copy(arena, x);
    for (int bits = 1; bits <= 2; bits++) {
        Mat other = mat_copy(arena, x);
        exchange(other.at, bits);
        for (int lane = 0; lane < LANES; lane++) sum.at[lane] += other.at[lane];
    }
    return sum;
}

// Of the lanes of a row, something that is no sum.
typedef enum { MEAN, LARGEST } NoSum;
static Mat of_four(Arena *arena, Mat x, NoSum what)
{
    Mat some = mat_copy(arena, x);
    for (int lane = 0; lane < LANES; lane++) {
        const float *four = x.at + lane / 4 * 4;
        some.at[lane] = what == MEAN ? (four[0] + four[1] + four[2] + four[3]) / 4
                                     : fmaxf(fmaxf(four[0], four[1]), fmaxf(four[2], four[3]));
    }
    return some;
}

static void sums(Judge *judge)
{
    Arena *arena = judge->arena;
    Random random = random_from(16);
    Mat x = mat_new(arena, 1, LANES), got = judge_output(judge, 1, LANES);
    random_normals(&random, x);
    Mat right = ADDED(1, 2), replaced = mat_copy(arena, x), doubled = mat_new(arena, 1, LANES);
    exchange(replaced.at, 1);
    exchange(replaced.at, 2);
    for (int lane = 0; lane < LANES; lane++) doubled.at[lane] = 4 * replaced.at[lane];
    mat_set(got, x);
    judge_trying(judge, "my_sum_of_four of 32 numbers");
    exchanges = 0;
    my_sum_of_four(got.at);
    int used = exchanges;
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = right,
            .hints = { .property = "a lane does not have the sum of its four",
                       .question = "after an exchange a lane has the sum of two: which lane has that of the other two?",
                       .formula = "x[lane] + x[lane ^ 1], then of these y[lane] + y[lane ^ 2]" },
            .mistakes = {
                { "nothing has changed: it is still the stub", x },
                { "this is the sum of two lanes: two are missing", ADDED(1) },
                { "this is the sum of two lanes: two are missing", ADDED(2) },
                { "this is the sum of two lanes: two are missing", ADDED(3) },
                { "this is the sum of three lanes: the second exchange must hand on the sum of two",
                  three_of(arena, x) },
                { "twice the sum of two: the same lanes have met again, or each has met itself, which bits 0 would do",
                  ADDED(1, 1) },
                { "twice the sum of two: the same lanes have met again, or each has met itself, which bits 0 would do",
                  ADDED(2, 2) },
                { "this is the sum of eight lanes, of two rows", ADDED(1, 2, 4) },
                { "this is the sum of all 32 lanes, of eight rows", ADDED(1, 2, 4, 8, 16) },
                { "lanes four and eight apart belong to other rows", ADDED(4, 8) },
                { "lanes eight and sixteen apart belong to other rows", ADDED(8, 16) },
                { "lanes four apart belong to other rows", ADDED(2, 4) },
                { "lanes four apart belong to other rows", ADDED(1, 4) },
                { "this is the mean of the four: the sum is wanted", of_four(arena, x, MEAN) },
                { "this is the largest of the four: the sum is wanted", of_four(arena, x, LARGEST) },
                { "only the first lane of each four has it; all four need it", only_first(arena, x, right) },
                { "what came from the other lane has taken the place of the lane's own: both are wanted", replaced },
                { "x[lane] after an exchange is the other lane's number: the lane's own must be kept before", doubled },
                { "the second exchange hands on what came with the first: it is the sum of two that is wanted",
                  handed_on(arena, x) },
                { "every lane has come in twice: two exchanges bring all four", ADDED(1, 2, 3) } } });
    judge_trying(judge, "my_sum_of_four: the sums are right; with how many exchanges?");
    judge_claim(judge, used > 0, (Hints){ .property = "no lane can read x of another lane: it takes an exchange" });
    judge_claim(judge, used == 2,
                (Hints){ .property = "two exchanges are enough",
                         .question = "which two lanes have the same number after an exchange? Why ask both?" });
}

// ---- merges

typedef struct {
    bool unscaled, upside_down, max_only, sum_by_pairs, of_e, smallest, of_all, twice, of_nothing, largest_only, late,
        first_only;
    int lanes; // that are merged: 0 is 4
} Fault;

// Rows of what is judged: maxima, sums.
static Mat merged(Arena *arena, Mat pairs, Fault f)
{
    Mat out = mat_copy(arena, pairs);
    int lanes = f.lanes ? f.lanes : 4;
    for (int first = 0; first < LANES; first += lanes) {
        float max = *mat_ref(pairs, 0, first), sum = 0.0f;
        for (int l = f.of_all ? 0 : first; l < (f.of_all ? LANES : first + lanes); l++)
            max = f.smallest ? fminf(max, *mat_ref(pairs, 0, l)) : fmaxf(max, *mat_ref(pairs, 0, l));
        for (int l = first; l < first + lanes; l++) {
            float difference = *mat_ref(pairs, 0, l) - max;
            if (f.of_e) difference *= 1.44269504f;
            if (f.twice) difference *= 2.0f;
            if (f.of_nothing) difference = *mat_ref(pairs, 0, l);
            if (f.largest_only && difference < 0.0f) continue;
            if (f.upside_down) difference = -difference;
            sum += *mat_ref(pairs, 1, l) * (f.unscaled || f.late ? 1.0f : exp2f(difference));
        }
        for (int l = first; l < first + lanes; l++) {
            float own = *mat_ref(pairs, 1, l) * exp2f(*mat_ref(pairs, 0, l) - max);
            if (f.late) own = sum * exp2f(*mat_ref(pairs, 0, l) - max);
            if (f.first_only && l > first) continue;
            *mat_ref(out, 0, l) = max;
            if (!f.max_only) *mat_ref(out, 1, l) = f.sum_by_pairs || f.late ? own : sum;
        }
    }
    return out;
}

// Two by two, and what is brought to the new maximum is the lane's own sum alone, or the other lane's alone.
static Mat one_side(Arena *arena, Mat pairs, bool own)
{
    Mat out = mat_copy(arena, pairs);
    for (int bits = 1; bits <= 2; bits++) {
        Mat other = mat_copy(arena, out);
        exchange(mat_row(other, 0), bits);
        exchange(mat_row(other, 1), bits);
        for (int l = 0; l < LANES; l++) {
            float mine = *mat_ref(out, 0, l), theirs = *mat_ref(other, 0, l), max = fmaxf(mine, theirs);
            *mat_ref(out, 1, l) = *mat_ref(out, 1, l) * (own ? exp2f(mine - max) : 1.0f) +
                                  *mat_ref(other, 1, l) * (own ? 1.0f : exp2f(theirs - max));
            *mat_ref(out, 0, l) = max;
        }
    }
    return out;
}

static void merge_of(Judge *judge, const char *which, const float *max, const float *sum)
{
    Arena *arena = judge->arena;
    Mat pairs = mat_new(arena, 2, LANES), got = judge_output(judge, 2, LANES);
    for (int l = 0; l < LANES; l++) {
        *mat_ref(pairs, 0, l) = max[l % 4] + (max[l % 4] > -1e29f ? (float)(l / 4) : 0.0f);
        *mat_ref(pairs, 1, l) = sum[l % 4];
    }
    mat_set(got, pairs);
    judge_trying(judge, "my_merge_of_four, %s: row 0 of this is max, row 1 is sum", which);
    exchanges = 0;
    my_merge_of_four(mat_row(got, 0), mat_row(got, 1));
    int used = exchanges;
    Mat right = merged(arena, pairs, (Fault){ 0 }), own = mat_rows(pairs, 0, 1);
    bool kept = mat_equal(mat_rows(got, 0, 1), own) && !mat_equal(mat_rows(right, 0, 1), own);
    judge_claim(judge, !kept || mat_equal(mat_rows(got, 1, 1), mat_rows(pairs, 1, 1)),
                (Hints){ .property = "the maxima are still each lane's own: the largest of the four goes into max",
                         .question = "a merge takes two pairs and gives one: which maximum belongs to its sum?" });
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = right,
            .hints = { .property = "maximum and sum of a row do not belong together",
                       .question = "a lane's sum is in the measure of its own maximum: what is it in that of the four?",
                       .formula = "m = largest of the four; sum = Σ sum_l · 2^(max_l − m)" },
            .mistakes = {
                { "nothing has changed: it is still the stub", pairs },
                { "the sums are added as they are: each must first be brought to the new maximum",
                  merged(arena, pairs, (Fault){ .unscaled = true }) },
                { "2^(new − old) is upside down: a larger maximum makes a sum smaller",
                  merged(arena, pairs, (Fault){ .upside_down = true }) },
                { "the maxima are right; the sums have not changed",
                  merged(arena, pairs, (Fault){ .max_only = true }) },
                { "this is the smallest maximum of the four: the largest is wanted",
                  merged(arena, pairs, (Fault){ .smallest = true }) },
                { "the maximum is that of all 32 lanes: eight rows", merged(arena, pairs, (Fault){ .of_all = true }) },
                { "only two lanes have met: two are missing", merged(arena, pairs, (Fault){ .lanes = 2 }) },
                { "lanes of another row have been merged in", merged(arena, pairs, (Fault){ .lanes = 8 }) },
                { "each lane's sum is in the new measure, but they were not added",
                  merged(arena, pairs, (Fault){ .sum_by_pairs = true }) },
                { "scores are powers of two here: it is 2^(old − new), not e^",
                  merged(arena, pairs, (Fault){ .of_e = true }) },
                { "a sum is brought to the new maximum twice", merged(arena, pairs, (Fault){ .twice = true }) },
                { "the power is that of the old maximum alone: what counts is how far it lies below the new one",
                  merged(arena, pairs, (Fault){ .of_nothing = true }) },
                { "only the sum of the lane with the largest maximum is left: the others count as well, each brought to it",
                  merged(arena, pairs, (Fault){ .largest_only = true }) },
                { "first added, then brought to the new maximum: a sum is in the measure of its own lane before it is "
                  "added",
                  merged(arena, pairs, (Fault){ .late = true }) },
                { "only the first lane of each four has them; all four need them",
                  merged(arena, pairs, (Fault){ .first_only = true }) },
                { "the lane's own sum is still in the measure of its old maximum", one_side(arena, pairs, false) },
                { "the other lane's sum is still in the measure of its own maximum",
                  one_side(arena, pairs, true) } } });
    judge_trying(judge, "my_merge_of_four: right; with how many exchanges?");
    judge_claim(judge, used > 0,
                (Hints){ .property = "no lane can read registers of another lane: it takes an exchange" });
    judge_claim(judge, used <= 4,
                (Hints){ .property = "four exchanges are enough",
                         .question = "when all have the new maximum, what is left to add up?" });
}

static void check(Judge *judge)
{
    sums(judge);
    merge_of(judge, "maxima 0, 1, 3, 2", (float[]){ 0, 1, 3, 2 }, (float[]){ 1, 2, 1.5f, 1 });
    merge_of(judge, "equal maxima", (float[]){ 2, 2, 2, 2 }, (float[]){ 1, 2, 3, 4 });
    merge_of(judge, "two lanes have seen nothing", (float[]){ 1, -1e30f, 3, -1e30f }, (float[]){ 1, 0, 1, 0 });
    merge_of(judge, "nobody has seen anything", (float[]){ -1e30f, -1e30f, -1e30f, -1e30f }, (float[]){ 0, 0, 0, 0 });
}

int main(void) { return judge_main("16b", check); }
