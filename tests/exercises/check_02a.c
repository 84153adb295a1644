// Exercise 02a: my_softmax and my_entropy.
#include "attention/softmax.h"
#include "exercises/judge.h"

#include <math.h>

void my_softmax(float *weights, const float *scores, int n);
float my_entropy(const float *weights, int n);

typedef enum {
    NOT_DIVIDED,
    NOT_DIVIDED_PLAIN,
    RUNNING_SUM,
    ONLY_ABOVE,
    ONLY_BELOW,
    BY_THE_LARGEST,
    SCORES_BY_THE_LARGEST,
    POWERS_OF_TWO,
    TYPED_E,
    SHARES,
    SHARES_OF_LEADS,
    BY_COUNT,
    BY_NORM,
    UPSIDE_DOWN,
    LOGARITHMS,
    ONE_TAKES_ALL,
    EQUAL,
    OUTSIDE_EXP,
    BY_LOGSUMEXP,
    LOGISTIC,
    LOGISTIC_SHARES,
    WITHOUT_LAST,
    BY_THE_OTHERS,
    HOWS
} How;

// One mistake in exp(sⱼ − max s) / Σ exp(sₖ − max s).
static Mat made(Arena *arena, Mat scores, float max, How how)
{
    Mat result = mat_new(arena, 1, scores.cols);
    float sum = 0.0f, plain = 0.0f, all = 0.0f, twos = 0.0f, squares = 0.0f;
    float total = 0.0f, divided = 0.0f, below = 0.0f, outside = 0.0f, typed = 0.0f, leads = 0.0f, logistics = 0.0f;
    for (int j = 0; j < scores.cols; j++) {
        plain += expf(scores.at[j]);
        twos += exp2f(scores.at[j] - max);
        all += scores.at[j];
        squares += expf(2.0f * (scores.at[j] - max));
        total += expf(scores.at[j] - max);
        divided += expf(scores.at[j] / max);
        below += expf(max - scores.at[j]);
        outside += expf(scores.at[j]) - max;
        typed += powf(2.718f, scores.at[j] - max);
        leads += scores.at[j] - max;
        logistics += 1.0f / (1.0f + expf(-scores.at[j]));
    }
    float last = expf(scores.at[scores.cols - 1] - max);
    for (int j = 0; j < scores.cols; j++) {
        float score = scores.at[j], above = expf(score - max);
        sum += above;
        result.at[j] = how == NOT_DIVIDED_PLAIN       ? expf(score)
                       : how == RUNNING_SUM           ? above / sum
                       : how == ONLY_ABOVE            ? above / plain
                       : how == ONLY_BELOW            ? expf(score) / total
                       : how == BY_THE_LARGEST        ? above / max
                       : how == SCORES_BY_THE_LARGEST ? expf(score / max) / divided
                       : how == UPSIDE_DOWN           ? expf(max - score) / below
                       : how == LOGARITHMS            ? score - max - logf(total)
                       : how == ONE_TAKES_ALL         ? (float)(score == max)
                       : how == POWERS_OF_TWO         ? exp2f(score - max) / twos
                       : how == SHARES                ? score / all
                       : how == BY_COUNT              ? above / (float)scores.cols
                       : how == BY_NORM               ? above / sqrtf(squares)
                       : how == EQUAL                 ? 1.0f / (float)scores.cols
                       : how == OUTSIDE_EXP           ? (expf(score) - max) / outside
                       : how == BY_LOGSUMEXP          ? expf(score - (max + logf(total)))
                       : how == TYPED_E               ? powf(2.718f, score - max) / typed
                       : how == SHARES_OF_LEADS       ? (score - max) / leads
                       : how == LOGISTIC              ? 1.0f / (1.0f + expf(-score))
                       : how == LOGISTIC_SHARES       ? 1.0f / (1.0f + expf(-score)) / logistics
                       : how == WITHOUT_LAST          ? above / (total - last)
                       : how == BY_THE_OTHERS         ? above / (total - above)
                                                      : above;
    }
    return result;
}

static const float UNTOUCHED = 7.0f; // what stands in the weights of a row without any key

// What can be said of a wrong row of weights without saying how it comes.
static const char *property_of(Arena *arena, Mat got, const float *scores)
{
    int missing = 0;
    for (int j = 0; j < got.cols; j++) missing += isnan(got.at[j]);
    for (int j = 0; j < got.cols; j++) {
        float weight = got.at[j];
        if (weight == UNTOUCHED && scores[j] == -INFINITY) return "not every weight of this row is written";
        if (isnan(weight) && scores[j] == -INFINITY && missing == 1)
            return "a hidden key has a weight, too: 0, and it must be written";
        if (!isfinite(weight)) return "a weight is not a finite number";
        if (weight < 0.0f) return "a weight is below 0";
        if (weight > 0.0f && scores[j] == -INFINITY) return "a hidden key gets some weight";
    }
    if (fabs(mat_sum(got) - 1.0) < 1e-3) return "the weights sum to 1, as they must, but the shares are not right";
    return arena_format(arena, "the weights sum to %.4g", mat_sum(got));
}

// A row that sums to 1 has been divided rightly: then something is wrong with the exponentials.
static const char *question_of(Mat got)
{
    if (!isfinite(mat_sum(got))) return "what is it divided by here: is the sum 0, or infinite?";
    if (fabs(mat_sum(got) - 1.0) >= 1e-3) return "what is each exponential divided by, and when is that known?";
    return "how many times the weight of a score is the weight of one that is a point higher?";
}

static void softmax_of(Judge *judge, const char *which, int n, const float *values, float max)
{
    Mat scores = mat_of(judge->arena, 1, n, values), expected = mat_new(judge->arena, 1, n);
    Mat from_zero = mat_new(judge->arena, 1, n), unshifted = mat_new(judge->arena, 1, n), of[HOWS];
    Mat nothing = mat_new(judge->arena, 1, n), untouched = mat_new(judge->arena, 1, n);
    Mat got = judge_output(judge, 1, n);
    softmax(expected.at, values, n);
    softmax_unshifted(unshifted.at, values, n);
    Mat zeros = mat_new(judge->arena, 1, n);
    float least = INFINITY;
    for (int j = 0; j < n; j++) least = fminf(least, values[j]);
    for (How how = 0; how < HOWS; how++) of[how] = made(judge->arena, scores, max, how);
    bool all_vanish = max < 0 && expf(max) == 0.0f; // every expf is 0, and 0 / 0; or that is avoided
    mat_fill(from_zero, all_vanish ? NAN : -1.0f);
    mat_fill(nothing, all_vanish && max != -INFINITY ? 0.0f : -1.0f);
    mat_fill(untouched, UNTOUCHED);
    if (max == -INFINITY) mat_set(got, untouched); // the function is no stub when it comes to this row
    judge_trying(judge, "my_softmax of %s", which);
    my_softmax(got.at, scores.at, n);
    Answer answer = {
        .got = got,
        .expected = expected,
        .hints = { .property = property_of(judge->arena, got, values),
                   .question = question_of(got),
                   .formula = "wⱼ = exp(sⱼ − max s) / Σₖ exp(sₖ − max s)" },
        .mistakes = { { "every exponential is 0 here, and 0 / 0 is NaN: what was taken away from scores that are all "
                        "below 0?",
                        from_zero },
                      { "every exponential is 0 here, though no key is hidden: what was taken away from scores that "
                        "are all below 0?",
                        nothing },
                      { "every weight must be divided by the sum of them all", of[NOT_DIVIDED_PLAIN] },
                      { "every weight must be divided by the sum of them all", of[NOT_DIVIDED] },
                      { "while you divide by it, the sum is not complete yet: add up first, then divide",
                        of[RUNNING_SUM] },
                      { "the largest score must be taken away above and below: in the sum, too", of[ONLY_ABOVE] },
                      { "the largest score must be taken away above and below: in the sum alone it does not cancel",
                        of[ONLY_BELOW] },
                      { "weights are divided by their sum, not by the largest", of[BY_THE_LARGEST] },
                      { "the largest score is taken away from the others, they are not divided by it",
                        of[SCORES_BY_THE_LARGEST] },
                      { "here the lowest score gets the largest weight: what is taken away from what?",
                        of[UPSIDE_DOWN] },
                      { "these are the logarithms of the weights", of[LOGARITHMS] },
                      { "the largest takes all here: every other key is to get its share", of[ONE_TAKES_ALL] },
                      { "right on paper, but max + log Σ is rounded: a float near 1000 has only four digits behind "
                        "the point. Can the two be taken away one after the other?",
                        of[BY_LOGSUMEXP] },
                      { "these are powers of 2: exp is a power of e", of[POWERS_OF_TWO] },
                      { "e is typed in with a few digits: expf knows all that a float can hold", of[TYPED_E] },
                      { "these are shares of the scores themselves: they go through exp first", of[SHARES] },
                      { "the largest is taken away, and the exponentials are missing: these are shares of what is left",
                        of[SHARES_OF_LEADS] },
                      { "the two weights are equal, and the scores are not: are scores cut off somewhere?",
                        max > 88.0f ? of[EQUAL] : of[NOT_DIVIDED] },
                      { "this is the logistic function of each score: softmax divides exponentials by their sum",
                        of[LOGISTIC] },
                      { "these are shares of logistic functions: softmax has shares of exponentials",
                        of[LOGISTIC_SHARES] },
                      { "weights are divided by their sum, not by how many there are", of[BY_COUNT] },
                      { "each is divided by the sum of the others: its own exponential belongs to the sum",
                        of[BY_THE_OTHERS] },
                      { "the sum leaves out the last key: indices run from 0 to n - 1", of[WITHOUT_LAST] },
                      { "this is divided by the norm: then the squares sum to 1, not the weights", of[BY_NORM] },
                      { values[0] < max ? "a score above 88.7 still goes into expf: is the largest taken away?"
                                        : "expf overflows above 88.7: which number can be taken away from all scores?",
                        unshifted },
                      { "the largest is taken away from the score, inside exp, not from the exponential",
                        of[OUTSIDE_EXP] } }
    };
    if (max == -INFINITY) {
        answer.mistakes[0] = (Mistake){ "-INFINITY - -INFINITY is NaN, and so is 0 / 0: a row with every key hidden "
                                        "takes nothing from anybody, and needs a case of its own",
                                        unshifted };
        answer.mistakes[1] =
            (Mistake){ "nothing is written for such a row: its weights stay what was there before", untouched };
        answer.mistakes[2] = (Mistake){ "these are shares of 1: who is hidden gets none", of[EQUAL] };
    } else if (least == -INFINITY)
        answer.mistakes[1] =
            (Mistake){ "a hidden key hides itself alone: the others share as if it were not there", zeros };
    judge_answer(judge, answer);
}

static Mat number(Judge *judge, double value) { return mat_of(judge->arena, 1, 1, (float[]){ (float)value }); }

static void entropy_of(Judge *judge, const char *which, int n, const float *weights)
{
    double right = (double)softmax_entropy(weights, n), without_weights = 0.0;
    double last = weights[n - 1] > 0.0f ? -(double)weights[n - 1] * log2((double)weights[n - 1]) : 0.0;
    double first = weights[0] > 0.0f ? -(double)weights[0] * log2((double)weights[0]) : 0.0;
    int first_zero = 0, zeros = 0;
    while (first_zero < n && weights[first_zero] > 0.0f) first_zero++;
    for (int j = 0; j < n; j++) {
        without_weights -= log2((double)weights[j]);
        zeros += weights[j] == 0.0f;
    }
    judge_trying(judge, "my_entropy of %s", which);
    judge_answer(judge,
                 (Answer){
                     .got = number(judge, (double)my_entropy(weights, n)),
                     .expected = number(judge, right),
                     .hints = { .question = "what do two equal weights add, each?", .formula = "−Σⱼ wⱼ log₂ wⱼ" },
                     .mistakes = {
                         { "that is in nats: bits take log2f", number(judge, right * log(2.0)) },
                         { "the sign: the logarithm of a weight below 1 is negative", number(judge, -right) },
                         { "each logarithm counts by its weight", number(judge, without_weights) },
                         { "only what the last weight adds is left: add, do not replace", number(judge, last) },
                         { "what the first weight adds is missing: indices begin at 0", number(judge, right - first) },
                         { "the sum is 0 here: does anything reach it, and is it a float?",
                           number(judge, zeros ? right : 0.0) },
                         { "that is how far it is from equal weights: the entropy itself is asked for",
                           number(judge, log2(n) - right) },
                         { "this is how large it may be, when all weights are equal", number(judge, log2(n)) },
                         { "that is how many keys: entropy is the logarithm of it", number(judge, exp2(right)) },
                         { "0 * log2f(0) is NaN: a weight of 0 adds nothing", number(judge, NAN) },
                         { "a weight of 0 ends nothing: those behind it count, too",
                           number(judge, (double)softmax_entropy(weights, first_zero)) },
                         { "only what the first weight adds is there: when does the function return?",
                           number(judge, first) },
                         { "what the last weight adds is missing: indices run to n - 1", number(judge, right - last) },
                         { "one weight of 0 leaves open who gets the rest", number(judge, zeros ? 0.0 : right) },
                         { "a weight of 0 adds nothing", number(judge, right + zeros) },
                         { "that is to base 10: bits take log2f", number(judge, right * log10(2.0)) },
                         { "that is a mean: nothing is divided by how many weights there are",
                           number(judge, right / n) },
                         { "that is a share of the entropy of equal weights: in bits nothing is divided by it",
                           number(judge, right / log2(n)) } } });
}

static void check(Judge *judge)
{
    softmax_of(judge, "the scores 2, 1, 0.1", 3, (float[]){ 2.0f, 1.0f, 0.1f }, 2.0f);
    softmax_of(judge, "the scores -3, -1, -2, -1", 4, (float[]){ -3.0f, -1.0f, -2.0f, -1.0f }, -1.0f);
    softmax_of(judge, "one score, 5", 1, (float[]){ 5.0f }, 5.0f);
    softmax_of(judge, "the scores 1000, 999", 2, (float[]){ 1000.0f, 999.0f }, 1000.0f);
    softmax_of(judge, "the scores 1, 1000, 2", 3, (float[]){ 1.0f, 1000.0f, 2.0f }, 1000.0f);
    softmax_of(judge, "the scores -1000, -1001", 2, (float[]){ -1000.0f, -1001.0f }, -1000.0f);
    softmax_of(judge, "the scores 1, -INFINITY: the second key is hidden", 2, (float[]){ 1.0f, -INFINITY }, 1.0f);
    softmax_of(judge, "two scores of -INFINITY: every key is hidden", 2, (float[]){ -INFINITY, -INFINITY }, -INFINITY);
    entropy_of(judge, "the weights 0.75, 0.125, 0.125", 3, (float[]){ 0.75f, 0.125f, 0.125f });
    entropy_of(judge, "four equal weights", 4, (float[]){ 0.25f, 0.25f, 0.25f, 0.25f });
    entropy_of(judge, "the weights 0.25, 0, 0.75", 3, (float[]){ 0.25f, 0.0f, 0.75f });
    entropy_of(judge, "the weights 1, 0: nothing is left open", 2, (float[]){ 1.0f, 0.0f });
}

int main(void) { return judge_main("02a", check); }
