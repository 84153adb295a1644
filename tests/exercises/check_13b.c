// Exercise 13b: my_row.
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

void my_row(float *out, float *lse, int dv);
bool next_key(float *score, const float **value);

// The keys that next_key deals out.
static struct {
    Mat scores, values;
    int at;
} dealt;

bool next_key(float *score, const float **value)
{
    if (dealt.at >= dealt.scores.cols) return false;
    *score = dealt.scores.at[dealt.at];
    *value = mat_row(dealt.values, dealt.at++);
    return true;
}

typedef enum {
    RIGHT,
    NOT_RESCALED,
    OUT_NOT_RESCALED,
    NOT_DIVIDED,
    DIVIDED_EACH_TIME,
    LSE_WITHOUT_MAX,
    LSE_WITHOUT_LOG,
    NO_MAXIMUM,
    HIDDEN_FELT,
    LAST_MAXIMUM,
    SUM_NOT_RESCALED,
    OLD_MEASURE,
    UPSIDE_DOWN,
    BY_COUNT,
    LOG_OF_BOTH,
    LSE_IS_SUM,
    LOG_2,
    NEW_NOT_ADDED,
    FIRST_SKIPPED,
    NO_WEIGHTS,
    ONE_COLUMN,
    NEVER_KEPT,
    NEW_RESCALED,
    VALUE_NOT_ADDED,
    PLAIN_MEAN,
    LSE_MINUS_MAX,
    LSE_OVERFLOWS,
    RESTARTED,
    ONE_RESCALED,
    ALWAYS_RESCALED,
    LSE_OF_LAST,
    LSE_OF_PRODUCT,
    LSE_IS_TOTAL,
    HOWS
} How;

// lse, and out after it: in one pass, with one mistake or none.
static Mat row_of(Arena *arena, Mat scores, Mat values, How how)
{
    Mat r = mat_new(arena, 1, 1 + values.cols);
    float max = how == NO_MAXIMUM ? 0.0f : -INFINITY, sum = 0.0f, *out = r.at + 1;
    float last = 0.0f;
    int seen = 0;
    for (int j = how == FIRST_SKIPPED; j < scores.cols; j++) {
        float score = scores.at[j];
        if (score == -INFINITY && how != HIDDEN_FELT) continue;
        seen++;
        last = score;
        float grown = how == NO_MAXIMUM ? 0.0f : how == LAST_MAXIMUM ? score : fmaxf(max, score);
        float rescale = how == NOT_RESCALED ? 1.0f : expf(max - grown);
        float weight = expf(score - (how == OLD_MEASURE ? max : grown));
        if (how == UPSIDE_DOWN) rescale = expf(grown - max);
        if (how == ALWAYS_RESCALED) rescale = expf(max - score);
        if (how == RESTARTED && score > max) rescale = 0.0f;
        if (how == NEW_NOT_ADDED && score > max) weight = 0.0f;
        sum = sum * (how == SUM_NOT_RESCALED ? 1.0f : rescale) + weight * (how == NEW_RESCALED ? rescale : 1.0f);
        for (int c = 0; c < values.cols; c++) {
            float value = *mat_ref(values, j, how == ONE_COLUMN ? 0 : c);
            if (how != NO_WEIGHTS && how != PLAIN_MEAN) value *= weight;
            if (how == NEW_RESCALED) value *= rescale;
            if (how == VALUE_NOT_ADDED && score > max) value = 0.0f;
            bool as_it_is = how == OUT_NOT_RESCALED || how == PLAIN_MEAN || (how == ONE_RESCALED && c > 0);
            out[c] = out[c] * (as_it_is ? 1.0f : rescale) + value;
            if (how == DIVIDED_EACH_TIME) out[c] /= sum;
        }
        if (how != NEVER_KEPT) max = grown;
    }
    bool by_count = how == BY_COUNT || how == PLAIN_MEAN;
    for (int c = 0; c < values.cols; c++)
        if (sum > 0.0f && how != NOT_DIVIDED && how != DIVIDED_EACH_TIME) out[c] /= by_count ? (float)seen : sum;
    r.at[0] = how == LSE_WITHOUT_MAX ? logf(sum) : how == LSE_WITHOUT_LOG ? max + sum : max + logf(sum);
    if (how == LOG_OF_BOTH) r.at[0] = logf(max + sum);
    if (how == LSE_IS_SUM) r.at[0] = sum;
    if (how == LOG_2) r.at[0] = max + log2f(sum);
    if (how == LSE_MINUS_MAX) r.at[0] = logf(sum) - max;
    if (how == LSE_OF_LAST) r.at[0] = last + logf(sum);
    if (how == LSE_OF_PRODUCT) r.at[0] = logf(max * sum);
    if (how == LSE_IS_TOTAL) r.at[0] = expf(max + logf(sum));
    if (how == LSE_OVERFLOWS) r.at[0] = logf(sum * expf(max));
    if (!(sum > 0.0f)) r.at[0] = -INFINITY;
    return r;
}

static const char NO_LSE[] = "out is right; lse, at [0], is not written, or no number";

static const char *property_of(Arena *arena, Mat got, Mat want)
{
    double sum = 0.0;
    for (int c = 1; c < got.cols; c++) sum += (double)got.at[c];
    bool out_right = mat_max_difference(mat_cols(got, 1, got.cols - 1), mat_cols(want, 1, want.cols - 1)) <= 1e-4;
    if (out_right && isnan(got.at[0])) return NO_LSE;
    if (out_right)
        return arena_format(arena, "out is right; lse, at [0], is %.6g, and log Σ exp(score) is %.6g",
                            (double)got.at[0], (double)want.at[0]);
    bool ones = dealt.scores.cols && *mat_ref(dealt.values, 0, 0) == 1.0f;
    if (ones && isnan(sum)) return "every value is 1 here, so every number of out must be 1; NaN is among them";
    if (ones)
        return arena_format(arena, "every value is 1 here, so every number of out must be 1; their mean is %.4g",
                            sum / (got.cols - 1));
    return arena_format(arena, "lse, at [0], is %.6g, and log Σ exp(score) is %.6g; out is wrong", (double)got.at[0],
                        (double)want.at[0]);
}

// Two mistakes that no case shows both.
static Mistake either(bool first, Mistake a, Mistake b) { return first ? a : b; }

static void row_case(Judge *judge, const char *what, Mat scores, int dv, bool ones)
{
    static const char all_asked[] = "every key must be asked for, until next_key says that there is none";
    Arena *arena = judge->arena;
    Random random = random_from((uint64_t)(10 * scores.cols + dv));
    Mat values = mat_new(arena, scores.cols, dv), got = judge_output(judge, 1, 1 + dv), as[HOWS];
    bool hidden = false;
    random_normals(&random, values);
    if (ones) mat_fill(values, 1.0f);
    for (int j = 0; j < scores.cols; j++)
        if (scores.at[j] == -INFINITY) {
            mat_fill(mat_rows(values, j, 1), NAN);
            hidden = true;
        }
    for (How how = RIGHT; how < HOWS; how++) as[how] = row_of(arena, scores, values, how);
    Mat all_nan = mat_copy(arena, as[HIDDEN_FELT]);
    all_nan.at[0] = NAN;
    Mat nowhere = mat_new(arena, 1, 1 + dv), unbegun = mat_copy(arena, as[RIGHT]);
    mat_fill(nowhere, NAN);
    mat_fill(mat_cols(unbegun, 1, dv), NAN);
    const char *felt = as[RIGHT].at[0] > -INFINITY
                           ? "a hidden key is felt: 0 · NaN is NaN, and so is -INFINITY - -INFINITY"
                           : "with no key in sight out is NaN: a hidden key is felt, or 0 is divided by 0";
    const char *first = ones ? "the first key makes NaN of it all: m is −∞ before it. What is the factor then, and "
                               "what must it be?"
                             : NULL;
    dealt.scores = scores;
    dealt.values = values;
    dealt.at = 0;
    judge_trying(judge, "my_row of %s; [0] is lse, what follows is out", what);
    my_row(got.at + 1, got.at, dv);
    if (dealt.at > 0 && dealt.at < scores.cols) judge_number(judge, dealt.at, scores.cols, all_asked);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = as[RIGHT],
            .tolerance = 1e-4f,
            .hints = { .property = property_of(arena, got, as[RIGHT]),
                       .question =
                           "what must be known of the keys so far when the next one comes, and what does a larger "
                           "score do to each of these?",
                       .formula =
                           "m, l = Σ exp(s − m) and o = Σ exp(s − m) v over the keys so far; in the end o / l and "
                           "m + log l" },
            .mistakes = {
                { "what was summed up is not rescaled when a larger score comes. Or has m been overwritten "
                  "before its old value was needed?",
                  as[NOT_RESCALED] },
                { "the sum is rescaled when a larger score comes, and out is not", as[OUT_NOT_RESCALED] },
                { "out is rescaled when a larger score comes, and the sum is not", as[SUM_NOT_RESCALED] },
                { "out is not divided by the sum in the end", as[NOT_DIVIDED] },
                { "out is divided by the sum after every key: once is enough, after the last", as[DIVIDED_EACH_TIME] },
                { "out is right, and lse is only log l: it must not depend on what was taken away",
                  as[LSE_WITHOUT_MAX] },
                { "out is right, and in lse the logarithm of the sum is missing", as[LSE_WITHOUT_LOG] },
                either(ones,
                       (Mistake){ "out is right; in lse m is to be added, and here it is taken away",
                                  as[LSE_MINUS_MAX] },
                       (Mistake){ "right as long as exp does not overflow or vanish: which number must be taken "
                                  "away first?",
                                  as[NO_MAXIMUM] }),
                { "out is divided by the number of keys: the weights sum to l, and not to that", as[BY_COUNT] },
                { "out is right; in lse only the sum stands under the logarithm, and m beside it", as[LOG_OF_BOTH] },
                { "out is right, and lse is the sum itself: its logarithm is wanted, and m", as[LSE_IS_SUM] },
                { "out is right; the logarithm in lse must be the one that undoes exp", as[LOG_2] },
                { "a key that is a new maximum is not counted itself: what is its own weight?", as[NEW_NOT_ADDED] },
                { "this is the row without its first key: is one asked for before the loop?", as[FIRST_SKIPPED] },
                { "lse is right, and in out each value counts 1: where is its weight?", as[NO_WEIGHTS] },
                { "lse is right, and of a key that is a new maximum the value is not added", as[VALUE_NOT_ADDED] },
                either(ones,
                       (Mistake){ "only the last key is left: is the new maximum kept for the next key?",
                                  as[NEVER_KEPT] },
                       (Mistake){ "every number of out is mixed from the first number of the values", as[ONE_COLUMN] }),
                either(hidden, (Mistake){ felt, as[HIDDEN_FELT] },
                       (Mistake){ "the new key is rescaled with what was there: its own weight is measured "
                                  "against the new maximum already",
                                  as[NEW_RESCALED] }),
                { hidden ? felt : NO_LSE, all_nan },
                { "m follows every score, down as well as up: it must be the largest so far", as[LAST_MAXIMUM] },
                either(ones,
                       (Mistake){ "a key is measured against the maximum before it: the one with its own "
                                  "score in it must be known first",
                                  as[OLD_MEASURE] },
                       (Mistake){ "out is the plain mean of the values: where are the weights?", as[PLAIN_MEAN] }),
                either(ones, (Mistake){ first, as[UPSIDE_DOWN] },
                       (Mistake){ "out is right; in lse exp(m) overflows or vanishes: what is the logarithm of a "
                                  "product?",
                                  as[LSE_OVERFLOWS] }),
                { ones     ? "lse is right, and out is NaN: what stands in out before the first key is added?"
                  : hidden ? felt
                           : NULL,
                  unbegun },
                { ones ? "out is right, and lse is m alone. Is log l forgotten, or does l begin anew with a new "
                         "maximum?"
                       : NULL,
                  as[RESTARTED] },
                { "only the first number of out is rescaled when a larger score comes", as[ONE_RESCALED] },
                { "what was summed up is multiplied by exp(m − score) at every key: only a larger score changes "
                  "the measure",
                  as[ALWAYS_RESCALED] },
                { "out is right; in lse the last score is added, and it need not be the largest", as[LSE_OF_LAST] },
                { "out is right, and lse is log(m · l): m is added to log l", as[LSE_OF_PRODUCT] },
                { "out is right, and lse is Σ exp(score): its logarithm is wanted", as[LSE_IS_TOTAL] },
                { first, nowhere } } });
    judge_number(judge, dealt.at, scores.cols, all_asked);
}

static Mat scores_of(Judge *judge, int n, float size)
{
    Random random = random_from((uint64_t)n);
    Mat scores = mat_new(judge->arena, 1, n);
    random_normals(&random, scores);
    for (int j = 0; j < n; j++) scores.at[j] *= size;
    return scores;
}

static void check(Judge *judge)
{
    Arena *arena = judge->arena;
    Mat late = mat_of(arena, 1, 5, (float[]){ -INFINITY, 1, -INFINITY, 2, -INFINITY });
    Mat rising = mat_of(arena, 1, 4, (float[]){ 0, 1, 2, 3 });
    row_case(judge, "four keys with the value 1, scores that rise", rising, 2, true);
    row_case(judge, "one key", mat_of(arena, 1, 1, (float[]){ 2 }), 3, false);
    row_case(judge, "scores that fall", mat_of(arena, 1, 3, (float[]){ 3, 1, 0.5f }), 2, false);
    row_case(judge, "nine keys", scores_of(judge, 9, 2.0f), 3, false);
    row_case(judge, "seven keys with large scores", scores_of(judge, 7, 700.0f), 2, false);
    row_case(judge, "four scores around -1000", mat_of(arena, 1, 4, (float[]){ -999, -1000, -998, -1001 }), 2, false);
    row_case(judge, "hidden keys among others", late, 2, false);
    row_case(judge, "hidden keys alone", mat_of(arena, 1, 2, (float[]){ -INFINITY, -INFINITY }), 2, false);
    row_case(judge, "3000 keys", scores_of(judge, 3000, 1.0f), 2, false);
    row_case(judge, "no keys", mat_new(arena, 1, 0), 2, false);
}

int main(void) { return judge_main("13b", check); }
