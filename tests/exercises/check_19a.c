// Exercise 19a: my_codes, my_numbers and my_scores.
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

void my_codes(unsigned char *codes, float *scale, float *zero, const float *x, int n, int bits);
void my_numbers(float *x, const unsigned char *codes, float scale, float zero, int n);
void my_scores(float *scores, int *multiplies, const float *q, const float *scale, const float *zero,
               const unsigned char *codes, int n, int d);

enum { MOST = 64 };

// ---- 1

typedef enum {
    RIGHT,
    CUT_OFF,
    UPWARDS,
    ALL_STEPS,
    ONE_CODE_MORE,
    FROM_ZERO,
    TO_ZERO,
    BOTH_SIDES,
    MEAN,
    MOST_AS_SCALE,
    BY_ONE,
    FROM_ABOVE,
    NOT_SHIFTED,
    NOT_SHIFTED_CUT,
    AS_BITS,
    WITH_A_SIGN,
    SHIFTED_ONE_LESS,
    TURNED_OVER,
    ZERO_POINT
} Way;

// zero, scale and codes of that way, as one row of n + 2.
static Mat coded(Arena *arena, const float *x, int n, int bits, Way way)
{
    float low = INFINITY, high = -INFINITY, mean = 0.0f, most = (float)((1 << bits) - 1);
    for (int i = 0; i < n; i++) {
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
        mean += x[i] / (float)n;
    }
    if (way == FROM_ZERO) low = 0.0f;
    if (way == TO_ZERO) high = fmaxf(high, 0.0f);
    if (way == BOTH_SIDES) low = -(high = fmaxf(fabsf(low), fabsf(high)));
    float zero = way == MEAN ? mean : low, scale = (high - low) / most;
    if (way == ALL_STEPS || way == ONE_CODE_MORE) scale = (high - low) / (most + 1.0f);
    if (way == MOST_AS_SCALE) scale = high / most;
    if (way == AS_BITS) scale = (high - low) / (float)bits;
    if (way == WITH_A_SIGN) scale = (high - low) / (float)((1 << (bits - 1)) - 1);
    if (way == SHIFTED_ONE_LESS) scale = (high - low) / (float)(1 << (bits - 1));
    Mat row = mat_new(arena, 1, n + 2);
    *mat_ref(row, 0, 0) = zero;
    *mat_ref(row, 0, 1) = scale;
    for (int i = 0; i < n; i++) {
        float steps = scale > 0.0f ? (x[i] - zero) / scale : 0.0f;
        if ((way == NOT_SHIFTED || way == NOT_SHIFTED_CUT) && scale > 0.0f) steps = x[i] / scale;
        steps = way == CUT_OFF ? floorf(steps) : way == UPWARDS ? ceilf(steps) : roundf(steps);
        float code = fminf(fmaxf(steps, 0.0f), way == ONE_CODE_MORE ? most + 1.0f : most);
        if (way == NOT_SHIFTED) code = (float)(unsigned char)(int)steps; // as it is, in eight bits
        *mat_ref(row, 0, i + 2) = way == BY_ONE ? code + 1.0f : way == FROM_ABOVE ? most - code : code;
    }
    if (way == FROM_ABOVE) *mat_ref(row, 0, 0) = high;
    if (way == ZERO_POINT && scale > 0.0f) *mat_ref(row, 0, 0) = roundf(-low / scale);
    if (way == TURNED_OVER && scale > 0.0f) *mat_ref(row, 0, 1) = 1.0f / scale;
    return row;
}

// No number here lies just between two steps. Where all are the same any scale will do: no code but 0 is read with it.
static void codes_case(Judge *judge, const char *what, const float *x, int n, int bits)
{
    unsigned char codes[MOST + 1];
    for (int i = 0; i <= MOST; i++) codes[i] = 0xA5;
    Mat got = judge_output(judge, 1, n + 2), want = coded(judge->arena, x, n, bits, RIGHT);
    judge_trying(judge, "my_codes of %s, %d bits: zero, scale, then the codes", what, bits);
    my_codes(codes, mat_ref(got, 0, 1), mat_ref(got, 0, 0), x, n, bits);
    bool written = false;
    for (int i = 0; i < n; i++) written = written || codes[i] != 0xA5;
    for (int i = 0; i < n && written; i++) *mat_ref(got, 0, i + 2) = (float)codes[i];
    judge_claim(judge, codes[n] == 0xA5, (Hints){ "codes behind the last number were written", NULL, NULL });
    bool same = *mat_ref(want, 0, 1) == 0.0f;
    judge_claim(judge, !same || isfinite(*mat_ref(got, 0, 1)),
                (Hints){ "all numbers are the same, and the scale is not a number", NULL, NULL });
    if (same) *mat_ref(got, 0, 1) = 0.0f;
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = want,
            .hints = { .property = "zero, scale or a code is not that of the nearest step",
                       .question = "which number has code 0, which the last code, and how many gaps lie between them?",
                       .formula =
                           "scale = (max − min) / (2^bits − 1), code = (x − min) / scale, rounded to the nearest" },
            .mistakes = {
                { "codes are cut off, not rounded: a number may be nearer to the step above",
                  coded(judge->arena, x, n, bits, CUT_OFF) },
                { "codes are rounded up: a number may be nearer to the step below",
                  coded(judge->arena, x, n, bits, UPWARDS) },
                { "the scale is that of 2^bits gaps: between 2^bits codes there is one less",
                  coded(judge->arena, x, n, bits, ALL_STEPS) },
                { "the scale is that of 2^bits gaps, and the largest number has a code too many: the last is 2^bits − 1",
                  coded(judge->arena, x, n, bits, ONE_CODE_MORE) },
                { "the range ends at 0 here, and not at the largest number", coded(judge->arena, x, n, bits, TO_ZERO) },
                { "codes are counted from the largest number down: zero is the least",
                  coded(judge->arena, x, n, bits, FROM_ABOVE) },
                { "the range begins at 0 here, and not at the least number",
                  coded(judge->arena, x, n, bits, FROM_ZERO) },
                { "the range is the same on both sides of 0: codes are spent where no number is",
                  coded(judge->arena, x, n, bits, BOTH_SIDES) },
                { "zero is the mean here: numbers below it all get code 0", coded(judge->arena, x, n, bits, MEAN) },
                { "the scale reaches from 0 to the largest number: it must reach from the least one",
                  coded(judge->arena, x, n, bits, MOST_AS_SCALE) },
                { "every code is one too large: the least number has code 0", coded(judge->arena, x, n, bits, BY_ONE) },
                { "zero is not taken from a number before it is divided by the scale: the least number has code 0",
                  coded(judge->arena, x, n, bits, NOT_SHIFTED) },
                { "zero is not taken from a number before it is divided by the scale: the least number has code 0",
                  coded(judge->arena, x, n, bits, NOT_SHIFTED_CUT) },
                { "the range is divided by the number of bits; between 2^bits codes there are 2^bits − 1 gaps",
                  coded(judge->arena, x, n, bits, AS_BITS) },
                { "the range is divided by 2^(bits − 1): in C, 1 << bits - 1 shifts by bits − 1, and there is one gap less "
                  "than codes",
                  coded(judge->arena, x, n, bits, SHIFTED_ONE_LESS) },
                { "the scale is turned over: it is the width of a gap, not how many of them a unit has",
                  coded(judge->arena, x, n, bits, TURNED_OVER) },
                { "zero is a zero-point here, the code that stands for 0; it should be the number that has code 0",
                  coded(judge->arena, x, n, bits, ZERO_POINT) },
                { "the scale is that of codes with a sign, of one bit less; codes go from 0 to 2^bits − 1",
                  coded(judge->arena, x, n, bits, WITH_A_SIGN) } } });
}

// ---- 2

typedef enum { READ, NO_ZERO, ZERO_FIRST, ZERO_AS_CODE, SIGNED, SCALED_ZERO, ZERO_TAKEN, DIVIDED } Reading;

static Mat numbers_by(Arena *arena, const unsigned char *codes, float scale, float zero, int n, Reading how)
{
    Mat m = mat_new(arena, 1, n);
    for (int i = 0; i < n; i++) {
        float code = how == SIGNED ? (float)(signed char)codes[i] : (float)codes[i];
        float x = how == NO_ZERO ? scale * code : scale * code + zero;
        if (how == ZERO_FIRST) x = scale * (code + zero);
        if (how == ZERO_AS_CODE) x = scale * (code - zero);
        if (how == SCALED_ZERO) x = code + scale * zero;
        if (how == ZERO_TAKEN) x = scale * code - zero;
        if (how == DIVIDED) x = code / scale + zero;
        *mat_ref(m, 0, i) = x;
    }
    return m;
}

static void numbers_case(Judge *judge, int n, int bits, float scale, float zero)
{
    unsigned char codes[MOST];
    for (int i = 0; i < n; i++) codes[i] = (unsigned char)((i * 89 + 200) % (1 << bits));
    Mat got = judge_output(judge, 1, n);
    judge_trying(judge, "my_numbers of %d codes of %d bits, scale %g, zero %g", n, bits, (double)scale, (double)zero);
    my_numbers(got.at, codes, scale, zero, n);
    Arena *arena = judge->arena;
    judge_answer(judge,
                 (Answer){
                     .got = got,
                     .expected = numbers_by(arena, codes, scale, zero, n, READ),
                     .hints = { .property = "a number that is read back is not what its code stands for",
                                .question = "what does code 0 stand for, and how far from it is code 1?",
                                .formula = "x = scale · code + zero" },
                     .mistakes = {
                         { "zero is left out: code 0 stands for the least number, not for 0",
                           numbers_by(arena, codes, scale, zero, n, NO_ZERO) },
                         { "zero is multiplied by the scale, too; it is a number of the group, not a code",
                           numbers_by(arena, codes, scale, zero, n, ZERO_FIRST) },
                         { "zero is taken away as if it were a code; it is a number of the group",
                           numbers_by(arena, codes, scale, zero, n, ZERO_AS_CODE) },
                         { "the scale belongs to the code, not to zero",
                           numbers_by(arena, codes, scale, zero, n, SCALED_ZERO) },
                         { "the code is divided by the scale; it was made by a division, so now it is multiplied",
                           numbers_by(arena, codes, scale, zero, n, DIVIDED) },
                         { "zero is taken away again; it was taken away when the code was made, so now it is added",
                           numbers_by(arena, codes, scale, zero, n, ZERO_TAKEN) },
                         { "codes from 128 on are read as negative numbers: a code has no sign",
                           numbers_by(arena, codes, scale, zero, n, SIGNED) } } });
}

// ---- 3

typedef enum {
    SCORED,
    NO_BASE,
    BASE_PER_KEY,
    BY_KEY,
    SCALE_OF_FIRST,
    TRANSPOSED,
    ROOT,
    BASE_OFTEN,
    ZEROS_ALONE,
    NO_SCALES,
    ZEROS_SCALED,
    GOES_ON
} Scoring;

typedef struct {
    int n, d;
    Mat q, scale, zero;
    unsigned char codes[MOST * MOST];
} Keys;

static Mat scored(Arena *arena, const Keys *k, Scoring how)
{
    Mat m = mat_new(arena, 1, k->n);
    for (int j = 0; j < k->n; j++)
        for (int c = 0; c < k->d; c++) {
            int own = how == BY_KEY ? j % k->d : how == SCALE_OF_FIRST ? 0 : c;
            int code = k->codes[how == TRANSPOSED ? c * k->n + j : j * k->d + c];
            float key = *mat_ref(k->scale, 0, own) * (float)code + *mat_ref(k->zero, 0, own);
            if (how == NO_BASE) key -= *mat_ref(k->zero, 0, own);
            if (how == BASE_PER_KEY && j > 0) key += (float)j * *mat_ref(k->zero, 0, own);
            float zeros = *mat_ref(k->zero, 0, c), scale = *mat_ref(k->scale, 0, c);
            if (how == NO_SCALES) key = (float)code + zeros;
            if (how == ZEROS_SCALED) key += (scale - 1.0f) * zeros;
            if (how == GOES_ON && j > 0 && c == 0) *mat_ref(m, 0, j) = *mat_ref(m, 0, j - 1);
            if (how == ZEROS_ALONE) *mat_ref(m, 0, j) += zeros * (1.0f - *mat_ref(k->q, 0, c));
            if (how == BASE_OFTEN) *mat_ref(m, 0, j) += (float)(k->d - 1) * *mat_ref(k->q, 0, c) * zeros;
            *mat_ref(m, 0, j) += *mat_ref(k->q, 0, c) * key / (how == ROOT ? sqrtf((float)k->d) : 1.0f);
        }
    return m;
}

static void scores_case(Judge *judge, int n, int d)
{
    Random random = random_from((uint64_t)(19 + d));
    Arena *arena = judge->arena;
    Keys keys = {
        .n = n, .d = d, .q = mat_new(arena, 1, d), .scale = mat_new(arena, 1, d), .zero = mat_new(arena, 1, d)
    };
    random_normals(&random, keys.q);
    random_normals(&random, keys.zero);
    for (int c = 0; c < d; c++) *mat_ref(keys.scale, 0, c) = 0.05f + 0.1f * random_uniform(&random);
    for (int i = 0; i < n * d; i++) keys.codes[i] = (unsigned char)random_below(&random, 16);
    Mat got = judge_output(judge, 1, n);
    int multiplies = -1;
    judge_trying(judge, "my_scores of %d keys of %d channels", n, d);
    my_scores(got.at, &multiplies, keys.q.at, keys.scale.at, keys.zero.at, keys.codes, n, d);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = scored(arena, &keys, SCORED),
            .tolerance = 1e-4f,
            .hints = { .property = "a score is not that of the query and what the codes stand for",
                       .question = "q · (s ∘ code + z): which part of it does not depend on the key?",
                       .formula = "Σ q[c] (s[c] code[c] + z[c]) = Σ (q[c] s[c]) code[c] + Σ q[c] z[c]" },
            .mistakes = {
                { "zeros are left out: q · z is the same for all keys, but it is not 0",
                  scored(arena, &keys, NO_BASE) },
                { "q · z grows from key to key: it is added to each key's score once, and the sum begins anew",
                  scored(arena, &keys, BASE_PER_KEY) },
                { "scale and zero are taken by the key; each channel has its own", scored(arena, &keys, BY_KEY) },
                { "every channel is read with the scale and the zero of channel 0",
                  scored(arena, &keys, SCALE_OF_FIRST) },
                { "codes are taken channel after channel; they lie key after key", scored(arena, &keys, TRANSPOSED) },
                { "q · z is added once for each channel; it is a sum over all channels already, and comes once a key",
                  scored(arena, &keys, BASE_OFTEN) },
                { "the zeros are added as they are; each is multiplied by its channel of q",
                  scored(arena, &keys, ZEROS_ALONE) },
                { "the scales are left out: a step of a channel is scale[c] wide", scored(arena, &keys, NO_SCALES) },
                { "each zero is multiplied by its scale; it is a number of the channel, not a code",
                  scored(arena, &keys, ZEROS_SCALED) },
                { "the sum of one key goes on in the next: each score begins anew", scored(arena, &keys, GOES_ON) },
                { "scores are divided by √d here; that was not asked for", scored(arena, &keys, ROOT) } } });
    judge_claim(judge, multiplies != 2 * n * d,
                (Hints){ "each key is unpacked first: a multiplication a number for that, and one for the score",
                         "q · (s ∘ code + z): what can be multiplied once, before the first key comes?", NULL });
    judge_claim(judge, multiplies != 0, (Hints){ "none are counted: *multiplies is 0", NULL, NULL });
    judge_claim(judge, multiplies > 0 && multiplies <= n * d + 2 * d,
                (Hints){ multiplies < 0 ? "how many multiplications there are is not said"
                                        : "more multiplications than d · n + 2 · d",
                         "which products do not depend on the key?", NULL });
    judge_claim(judge, multiplies >= n * d + 2 * d,
                (Hints){ "more multiplications are needed than are said: those before the first key count as well",
                         "how many are q ∘ s and q · z, and how many then is each key?", NULL });
}

static void check(Judge *judge)
{
    static const float plain[] = { 4.0f, 10.0f, 6.0f, 24.0f, 34.0f },
                       shifted[] = { -0.62f, 1.13f, 0.28f, -0.09f, 0.74f, -0.35f, 1.90f, 0.44f };
    static const float same[] = { 2.5f, 2.5f, 2.5f }, below[] = { -7.0f, -3.1f, -4.8f, -5.2f, -3.0f };
    codes_case(judge, "4, 10, 6, 24, 34", plain, 5, 4);
    codes_case(judge, "eight numbers of both signs", shifted, 8, 4);
    codes_case(judge, "eight numbers of both signs", shifted, 8, 2);
    codes_case(judge, "five numbers below 0", below, 5, 8);
    codes_case(judge, "2.5 three times", same, 3, 4);
    numbers_case(judge, 4, 2, 0.5f, 1.0f);
    numbers_case(judge, 9, 8, 0.25f, -3.0f);
    scores_case(judge, 3, 2);
    scores_case(judge, 7, 16);
}

int main(void) { return judge_main("19a", check); }
