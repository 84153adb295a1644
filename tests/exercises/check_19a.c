// Exercise 19a: my_codes, my_numbers and my_scores.
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Codes(unsigned char *codes, float *scale, float *zero, const float *x, int n, int bits);
typedef void Numbers(float *x, const unsigned char *codes, float scale, float zero, int n);
typedef void Scores(float *scores, int *multiplies, const float *q, const float *scale, const float *zero,
                    const unsigned char *codes, int n, int d);
Codes my_codes;
Numbers my_numbers;
Scores my_scores;

// ---- 1

// No number here is midway between two steps.
static const struct {
    const char *what;
    int n, bits;
    float x[8];
} groups[] = {
    { "4, 10, 6, 24, 34", 5, 4, { 4.0f, 10.0f, 6.0f, 24.0f, 34.0f } },
    { "eight numbers of both signs", 8, 4, { -0.62f, 1.13f, 0.28f, -0.09f, 0.74f, -0.35f, 1.90f, 0.44f } },
    { "eight numbers of both signs", 8, 2, { -0.62f, 1.13f, 0.28f, -0.09f, 0.74f, -0.35f, 1.90f, 0.44f } },
    { "five numbers below 0", 5, 8, { -7.0f, -3.1f, -4.8f, -5.2f, -3.0f } },
    { "2.5 three times", 3, 4, { 2.5f, 2.5f, 2.5f } },
};

// Where all numbers are the same, any scale is right: only code 0 is read with it.
static void codes_case(Judge *judge, Function f, int n)
{
    enum { UNWRITTEN = 0xA5 };
    unsigned char codes[9];
    Mat out = judge_output(judge, 1, groups[n].n + 2);
    bool written = false;
    for (int i = 0; i < COUNT(codes); i++) codes[i] = UNWRITTEN;
    judge_trying(judge, "my_codes of %s, %d bits: zero, scale, then the codes", groups[n].what, groups[n].bits);
    ((Codes *)f)(codes, &out.at[1], &out.at[0], groups[n].x, groups[n].n, groups[n].bits);
    for (int i = 0; i < groups[n].n; i++) written = written || codes[i] != UNWRITTEN;
    for (int i = 0; i < groups[n].n && written; i++) out.at[i + 2] = (float)codes[i];
    judge_claim(judge, codes[groups[n].n] == UNWRITTEN, (Hints){ "codes behind the last number were written" });
    if (groups[n].x[0] != groups[n].x[1]) return;
    judge_claim(judge, isfinite(out.at[1]), (Hints){ "all numbers are the same, and the scale is not a number" });
    out.at[1] = 0.0f;
}

enum { CUT_OFF = 1, ALL_STEPS, FROM_ZERO, NOT_SHIFTED, BEHIND, NAN_SCALE };

static void codes_by(unsigned char *codes, float *scale, float *zero, const float *x, int n, int bits)
{
    const int fault = judge_fault;
    float low = fault == FROM_ZERO ? 0.0f : x[0], high = x[0], gaps = (float)((1 << bits) - 1);
    for (int i = 0; i < n; i++) {
        low = fminf(low, fault == FROM_ZERO ? 0.0f : x[i]);
        high = fmaxf(high, x[i]);
    }
    *zero = low;
    *scale = (high - low) / (gaps + (fault == ALL_STEPS));
    for (int i = 0; i < n + (fault == BEHIND); i++) {
        float steps = *scale != 0.0f ? (x[i] - (fault == NOT_SHIFTED ? 0.0f : low)) / *scale : 0.0f;
        steps = fault == CUT_OFF ? floorf(steps) : roundf(steps);
        codes[i] = (unsigned char)(int)(fault == NOT_SHIFTED ? steps : fminf(fmaxf(steps, 0.0f), gaps));
    }
    if (fault == NAN_SCALE && high == low) *scale = NAN;
}

// ---- 2

static const struct {
    int n, bits;
    float scale, zero;
} grids[] = { { 4, 2, 0.5f, 1.0f }, { 9, 8, 0.25f, -3.0f } };

static void numbers_case(Judge *judge, Function f, int n)
{
    unsigned char codes[9];
    for (int i = 0; i < grids[n].n; i++) codes[i] = (unsigned char)((i * 89 + 200) % (1 << grids[n].bits));
    Mat x = judge_output(judge, 1, grids[n].n);
    judge_trying(judge, "my_numbers of %d codes of %d bits, scale %g, zero %g", grids[n].n, grids[n].bits,
                 (double)grids[n].scale, (double)grids[n].zero);
    ((Numbers *)f)(x.at, codes, grids[n].scale, grids[n].zero, grids[n].n);
}

#define NUMBERS(name, number) \
    static void name(float *x, const unsigned char *codes, float scale, float zero, int n) \
    { \
        for (int i = 0; i < n; i++) x[i] = number; \
        (void)zero; \
    }
NUMBERS(right_numbers, scale *codes[i] + zero)
NUMBERS(no_zero, scale *codes[i])
NUMBERS(zero_first, scale *(codes[i] + zero))
NUMBERS(zero_taken, scale *codes[i] - zero)

// ---- 3

static void scores_case(Judge *judge, Function f, int n)
{
    const int keys = n ? 7 : 3, d = n ? 16 : 2;
    Random random = random_from((uint64_t)(19 + d));
    Mat q = judge_random(judge, &random, 1, d), zero = judge_random(judge, &random, 1, d);
    Mat scale = mat_new(judge->arena, 1, d), scores = judge_output(judge, 1, keys), count = judge_output(judge, 1, 1);
    unsigned char codes[7 * 16];
    int multiplies = -1;
    for (int c = 0; c < d; c++) scale.at[c] = 0.05f + 0.1f * random_uniform(&random);
    for (int i = 0; i < keys * d; i++) codes[i] = (unsigned char)random_below(&random, 16);
    judge_trying(judge, "my_scores of %d keys of %d channels", keys, d);
    ((Scores *)f)(scores.at, &multiplies, q.at, scale.at, zero.at, codes, keys, d);
    if (multiplies >= 0) count.at[0] = (float)multiplies;
}

enum { NO_BASE = 1, BASE_GROWS, BASE_OFTEN, TRANSPOSED, UNPACKED, KEYS_ONLY, NOT_SAID };

static void scores_by(float *scores, int *multiplies, const float *q, const float *scale, const float *zero,
                      const unsigned char *codes, int n, int d)
{
    const int fault = judge_fault;
    float base = 0.0f;
    for (int j = 0; j < n; j++) {
        scores[j] = 0.0f;
        if (fault != BASE_GROWS) base = 0.0f;
        for (int c = 0; c < d; c++) {
            int at = fault == TRANSPOSED ? c * n + j : j * d + c;
            float times = fault == BASE_OFTEN ? (float)d : fault != NO_BASE;
            scores[j] += q[c] * scale[c] * codes[at];
            base += times * q[c] * zero[c];
        }
        scores[j] += base;
    }
    if (fault != NOT_SAID) *multiplies = fault == UNPACKED ? 2 * n * d : n * d + (fault == KEYS_ONLY ? 0 : 2 * d);
}

static const Task tasks[] = {
    { AS(Codes, my_codes), AS(Codes, codes_by), codes_case, COUNT(groups), .faulty = AS(Codes, codes_by),
      .hints = { { "zero, scale or a code is not that of the nearest step",
                   "which number has code 0, which the last code, and how many gaps lie between them?",
                   "scale = (max − min) / (2^bits − 1), code = (x − min) / scale, rounded to the nearest" } },
      .wrong = { FAULT(CUT_OFF, "codes are cut off, not rounded: a number may be nearer to the step above"),
                 FAULT(ALL_STEPS, "the scale is that of 2^bits gaps: between 2^bits codes there is one less"),
                 FAULT(FROM_ZERO, "the range begins at 0 here, and not at the least number"),
                 FAULT(NOT_SHIFTED, "zero is not taken from a number before it is divided by the scale: the least "
                                    "number has code 0"),
                 { .fault = BEHIND, .told = "codes behind the last number were written" },
                 { .fault = NAN_SCALE, .told = "all numbers are the same, and the scale is not a number" } } },
    { AS(Numbers, my_numbers), AS(Numbers, right_numbers), numbers_case, COUNT(grids),
      .hints = { { "a number that is read back is not what its code stands for",
                   "what does code 0 stand for, and how far from it is code 1?", "x = scale · code + zero" } },
      .wrong = { { AS(Numbers, no_zero), "zero is left out: code 0 stands for the least number, not for 0" },
                 { AS(Numbers, zero_first),
                   "zero is multiplied by the scale, too; it is a number of the group, not a code" },
                 { AS(Numbers, zero_taken),
                   "zero is taken away again; it was taken away when the code was made, so now it is added" } } },
    { AS(Scores, my_scores), AS(Scores, scores_by), scores_case, 2, 1e-4f,
      .hints = { { "a score is not that of the query and what the codes stand for",
                   "q · (s ∘ code + z): which part of it does not depend on the key?",
                   "Σ q[c] (s[c] code[c] + z[c]) = Σ (q[c] s[c]) code[c] + Σ q[c] z[c]" },
                 { NULL, "which products do not depend on the key?", .of = "*multiplies" } },
      .faulty = AS(Scores, scores_by),
      .wrong = { FAULT(NO_BASE, "zeros are left out: q · z is the same for all keys, but it is not 0"),
                 FAULT(BASE_GROWS, "q · z grows from key to key: it is added to each key's score once, and the sum "
                                   "begins anew"),
                 FAULT(BASE_OFTEN, "q · z is added once for each channel; it is a sum over all channels already, and "
                                   "comes once a key"),
                 FAULT(TRANSPOSED, "codes are taken channel after channel; they lie key after key"),
                 { .fault = UNPACKED,
                   .question = "q · (s ∘ code + z): what can be multiplied once, before the first "
                               "key comes?",
                   .words = "each key is unpacked first: a multiplication a number for that, and one for the score" },
                 { .fault = KEYS_ONLY,
                   .question = "how many are q ∘ s and q · z, and how many then is each key?",
                   .words = "more multiplications are needed than are said: those before the first key count as well" },
                 FAULT(NOT_SAID, "how many multiplications there are is not said") } },
};
EXERCISE("19a", tasks)
