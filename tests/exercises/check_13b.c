// Exercise 13b: my_row.
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Row(float *out, float *lse, int dv);
Row my_row;
bool next_key(float *score, const float **value);

// The keys that next_key returns; how many of them the reader has asked for.
static struct {
    Mat scores, values;
    int at;
} keys;

bool next_key(float *score, const float **value)
{
    if (keys.at >= keys.scores.cols) return false;
    *score = keys.scores.at[keys.at];
    *value = mat_row(keys.values, keys.at++);
    return true;
}

// Scores as listed, or random ones of `size`. The value of a hidden key is NaN.
static const struct {
    const char *what;
    int count, dv;
    float size, scores[5];
} cases[] = { { "four keys with the value 1, scores that rise", 4, 2, .scores = { 0, 1, 2, 3 } },
              { "nine keys", 9, 3, 2.0f },
              { "seven keys with large scores", 7, 2, 700.0f },
              { "four scores around -1000", 4, 2, .scores = { -999, -1000, -998, -1001 } },
              { "hidden keys among others", 5, 2, .scores = { -INFINITY, 1, -INFINITY, 2, -INFINITY } },
              { "hidden keys alone", 2, 2, .scores = { -INFINITY, -INFINITY } },
              { "no keys", 0, 2 } };

static void row_case(Judge *judge, Function f, int n)
{
    int count = cases[n].count, dv = cases[n].dv;
    Random random = random_from((uint64_t)(10 * count + dv));
    Mat got = judge_output(judge, 1, 1 + dv);
    keys.scores = judge_random(judge, &random, 1, count);
    keys.values = judge_random(judge, &random, count, dv);
    keys.at = 0;
    for (int j = 0; j < count; j++) {
        keys.scores.at[j] = cases[n].size > 0.0f ? cases[n].size * keys.scores.at[j] : cases[n].scores[j];
        if (keys.scores.at[j] == -INFINITY) mat_fill(mat_rows(keys.values, j, 1), NAN);
    }
    if (n == 0) mat_fill(keys.values, 1.0f);
    judge_trying(judge, "my_row of %s; [0] is lse, what follows is out", cases[n].what);
    ((Row *)f)(got.at + 1, got.at, dv);
}

enum { RIGHT, NOT_RESCALED, OUT_NOT_RESCALED, SUM_NOT_RESCALED, NOT_DIVIDED, LSE_WITHOUT_MAX, NO_MAXIMUM, HIDDEN_FELT };

static void faulty_row(float *out, float *lse, int dv)
{
    const int fault = judge_fault;
    float max = fault == NO_MAXIMUM ? 0.0f : -INFINITY, sum = 0.0f, score;
    const float *value;
    for (int c = 0; c < dv; c++) out[c] = 0.0f;
    while (next_key(&score, &value)) {
        if (score == -INFINITY && fault != HIDDEN_FELT) continue;
        float grown = fault == NO_MAXIMUM ? 0.0f : fmaxf(max, score), weight = expf(score - grown);
        float rescale = fault == NOT_RESCALED ? 1.0f : expf(max - grown);
        sum = sum * (fault == SUM_NOT_RESCALED ? 1.0f : rescale) + weight;
        for (int c = 0; c < dv; c++) out[c] = out[c] * (fault == OUT_NOT_RESCALED ? 1.0f : rescale) + weight * value[c];
        max = grown;
    }
    bool divide = sum > 0.0f ? fault != NOT_DIVIDED : fault == HIDDEN_FELT;
    for (int c = 0; c < dv && divide; c++) out[c] /= sum;
    *lse = (fault == LSE_WITHOUT_MAX ? 0.0f : max) + logf(sum);
    if (fault != HIDDEN_FELT && !(sum > 0.0f)) *lse = -INFINITY;
}

static const Task tasks[] = {
    { AS(Row, my_row), AS(Row, faulty_row), row_case, COUNT(cases), 1e-4f, .faulty = AS(Row, faulty_row),
      .hints = { { NULL,
                   "what must be known of the keys so far when the next one comes, and what does a larger "
                   "score do to each of these?",
                   "m, l = Σ exp(s − m) and o = Σ exp(s − m) v over the keys so far; in the end o / l and "
                   "m + log l" } },
      .wrong = { FAULT(NOT_RESCALED,
                       "what was summed up is not rescaled when a larger score comes. Or has m been overwritten "
                       "before its old value was needed?"),
                 FAULT(OUT_NOT_RESCALED, "the sum is rescaled when a larger score comes, and out is not"),
                 FAULT(SUM_NOT_RESCALED, "out is rescaled when a larger score comes, and the sum is not"),
                 FAULT(NOT_DIVIDED, "out is not divided by the sum in the end"),
                 FAULT(LSE_WITHOUT_MAX,
                       "out is right, and lse is only log l: it must not depend on what was taken away"),
                 FAULT(NO_MAXIMUM,
                       "right as long as exp does not overflow or vanish: which number must be taken away first?"),
                 FAULT(HIDDEN_FELT, "a hidden key is felt: 0 · NaN is NaN, and so is -INFINITY - -INFINITY") } },
};
EXERCISE("13b", tasks)
