// Exercise 22a: my_difference and my_norm.
#include "attention/attention.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

void my_difference(Mat out, Mat q, Mat k, Mat v, float lambda);
void my_norm(Mat out, int P, float init);

// A view in the middle of a wider matrix of noise, so that a stride that is forgotten shows.
static Mat view_of(Judge *judge, Random *random, int rows, int cols)
{
    Mat wide = mat_new(judge->arena, rows, cols + 3);
    random_normals(random, wide);
    return mat_cols(wide, 2, cols);
}

// ---- 1

typedef enum {
    RIGHT,
    ADDED,
    NO_LAMBDA,
    ON_FIRST,
    TURNED_ROUND,
    FIRST_ONLY,
    OF_SCORES,
    WIDE_SCALE,
    NO_SCALE,
    DIVIDED,
    CUT,
    LENGTHS,
    CROSSED,
    ALL_KEYS,
    AGAIN,
    SAME_KEYS,
    SAME_QUERIES,
    FIRST_SEES_ALL,
    SECOND_SEES_ALL,
    SECOND_ONLY,
    OVERWRITTEN,
    ON_BOTH,
    WAYS
} Way;

static Mat map_of(Arena *arena, Mat q, Mat k, Way way)
{
    int d = q.cols;
    Mat map = mat_new(arena, q.rows, k.rows);
    float scale = way == WIDE_SCALE ? 1.0f / sqrtf(2.0f * (float)d) : way == NO_SCALE ? 1.0f : 0.0f;
    attention_weights(map, q, k, (Mask){ .causal = way != ALL_KEYS, .scale = scale });
    return map;
}

// softmax(s₁ − λ s₂).
static Mat map_of_scores(Arena *arena, Mat q, Mat k, int d, float lambda)
{
    Mat map = mat_new(arena, q.rows, k.rows), second = mat_new(arena, q.rows, k.rows);
    attention_scores(map, mat_cols(q, 0, d), mat_cols(k, 0, d), (Mask){ 0 });
    attention_scores(second, mat_cols(q, d, d), mat_cols(k, d, d), (Mask){ 0 });
    for (int i = 0; i < map.rows; i++)
        for (int j = 0; j < map.cols; j++) {
            *mat_ref(map, i, j) -= lambda * *mat_ref(second, i, j);
            if (j > i) *mat_ref(map, i, j) = -INFINITY;
        }
    softmax_rows(map, map);
    return map;
}

static float one_weight(float first, float second, float lambda, Way way)
{
    float right = first - lambda * second;
    switch (way) {
    case ADDED: return first + lambda * second;
    case NO_LAMBDA: return first - second;
    case ON_FIRST: return lambda * first - second;
    case TURNED_ROUND: return second - lambda * first;
    case FIRST_ONLY: return first;
    case SECOND_ONLY: return second;
    case OVERWRITTEN: return (1.0f - lambda) * second;
    case ON_BOTH: return lambda * (first - second);
    case CUT: return fmaxf(0.0f, right);
    case LENGTHS: return fabsf(right);
    default: return right;
    }
}

static Mat signed_map(Arena *arena, Mat q, Mat k, float lambda, Way way)
{
    int d = q.cols / 2, crossed = way == CROSSED ? d : 0;
    Mat first = map_of(arena, mat_cols(q, 0, d), mat_cols(k, crossed, d), way == FIRST_SEES_ALL ? ALL_KEYS : way);
    Mat second = map_of(arena, mat_cols(q, way == SAME_QUERIES ? 0 : d, d),
                        mat_cols(k, way == SAME_KEYS ? 0 : d - crossed, d), way == SECOND_SEES_ALL ? ALL_KEYS : way);
    for (int i = 0; i < first.rows; i++)
        for (int j = 0; j < first.cols; j++) {
            float weight = one_weight(*mat_ref(first, i, j), *mat_ref(second, i, j), lambda, way);
            *mat_ref(first, i, j) = way == DIVIDED ? weight / (1.0f - lambda) : weight;
        }
    if (way == OF_SCORES) return map_of_scores(arena, q, k, d, lambda);
    for (int i = 0; i < first.rows && way == AGAIN; i++) softmax(mat_row(first, i), mat_row(first, i), i + 1);
    return first;
}

static Mat difference(Arena *arena, Mat q, Mat k, Mat v, float lambda, Way way)
{
    Mat out = mat_new(arena, q.rows, v.cols), map = signed_map(arena, q, k, lambda, way);
    for (int i = 0; i < out.rows; i++)
        for (int j = 0; j < v.rows; j++)
            for (int c = 0; c < v.cols; c++) *mat_ref(out, i, c) += *mat_ref(map, i, j) * *mat_ref(v, j, c);
    return out;
}

static void difference_case(Judge *judge, int T, int d, int dv, float lambda)
{
    static const char *const words[] = {
        [ADDED] = "the second map is added; it is to be taken away",
        [NO_LAMBDA] = "the whole second map is taken away: λ is left out",
        [ON_FIRST] = "λ stands before the first map; it belongs to the second",
        [TURNED_ROUND] = "the first map is taken away from the second; it is the other way round",
        [FIRST_ONLY] = "this is the first map alone",
        [OF_SCORES] = "scores are subtracted before one softmax; each map has a softmax of its own, and these are "
                      "subtracted",
        [WIDE_SCALE] = "the scores are scaled for queries of 2d; each map's queries are d wide",
        [NO_SCALE] = "the scores are not scaled",
        [DIVIDED] = "the rows are divided by 1 − λ, so that they sum up to 1; they are not to",
        [CUT] = "what is below 0 was set to 0; negative weights stay",
        [LENGTHS] = "the minus of negative weights is lost",
        [CROSSED] = "the first queries meet the second keys, and the second queries the first",
        [ALL_KEYS] = "no key is hidden; both maps are causal",
        [AGAIN] = "there is a softmax after the subtraction; its weights could not be negative",
        [SAME_KEYS] = "the second queries meet the first keys; they have keys of their own",
        [SAME_QUERIES] = "the second keys meet the first queries; they have queries of their own",
        [FIRST_SEES_ALL] = "no key is hidden from the first map; both are causal",
        [SECOND_SEES_ALL] = "no key is hidden from the second map; both are causal",
        [SECOND_ONLY] = "this is the second map alone; a kernel writes over what stood in its output",
        [OVERWRITTEN] = "this is 1 − λ times the second map; a kernel writes over what stood in its output",
        [ON_BOTH] = "λ stands before both maps; it belongs to the second alone",
    };
    Random random = random_from((uint64_t)(100 * T + d));
    Mat q = view_of(judge, &random, T, 2 * d), k = view_of(judge, &random, T, 2 * d);
    Mat v = view_of(judge, &random, T, dv);
    Mat got = judge_output(judge, T, dv);
    judge_trying(judge, "my_difference of %d tokens, d = %d, dv = %d, λ = %.2f", T, d, dv, (double)lambda);
    my_difference(got, q, k, v, lambda);
    Answer answer = {
        .got = got,
        .expected = difference(judge->arena, q, k, v, lambda, RIGHT),
        .hints = { .property = "the output is not that of two causal maps, the second taken away λ times",
                   .question = "what does each map give by itself? And what is left of the two outputs?",
                   .formula = "out = softmax(q₁k₁ᵀ/√d) v − λ softmax(q₂k₂ᵀ/√d) v" },
    };
    for (int way = ADDED; way < WAYS; way++)
        answer.mistakes[way - ADDED] = (Mistake){ words[way], difference(judge->arena, q, k, v, lambda, (Way)way) };
    if (lambda < 0.0f) answer.mistakes[0].words = "λ is negative here, and its minus is lost";
    judge_answer(judge, answer);
}

// ---- 2

typedef enum {
    FINE,
    WHOLE_ROW,
    NO_ROOT,
    SUM_OF_SQUARES,
    BY_INIT,
    NO_FACTOR,
    DIVIDED_BY,
    MEAN_OFF,
    BY_COLUMN,
    BY_P,
    FIRST_MEAN,
    FIRST_ALONE,
    GOES_ON,
    CHANGED,
    NO_SMALL,
    SMALL_LATE
} Norm;

static float mean_square(Mat x, int i, int first, int n, Norm way)
{
    float sum = 0.0f, mean = 0.0f;
    for (int c = first; c < first + n; c++) mean += *mat_ref(x, i, c) / (float)n;
    for (int c = way == GOES_ON ? 0 : first; c < first + n; c++) {
        float value = *mat_ref(x, i, c) - (way == MEAN_OFF ? mean : 0.0f);
        sum += value * value;
    }
    if (way == SMALL_LATE) return powf(sqrtf(sum / (float)n) + 1e-6f, 2.0f);
    return (way == SUM_OF_SQUARES ? sum : sum / (float)n) + (way == NO_SMALL ? 0.0f : 1e-6f);
}

static float column_square(Mat x, int c)
{
    float sum = 0.0f;
    for (int i = 0; i < x.rows; i++) sum += *mat_ref(x, i, c) * *mat_ref(x, i, c);
    return sum / (float)x.rows + 1e-6f;
}

static Mat normed(Arena *arena, Mat x, int P, float init, Norm way)
{
    int n = way == WHOLE_ROW ? x.cols : way == BY_P ? P : x.cols / P;
    float factor = way == BY_INIT      ? init
                   : way == NO_FACTOR  ? 1.0f
                   : way == DIVIDED_BY ? 1.0f / (1.0f - init)
                                       : 1.0f - init;
    Mat y = mat_copy(arena, x);
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < (way == FIRST_ALONE ? n : x.cols); c++) {
            int start = way == FIRST_MEAN ? 0 : c / n * n;
            float square =
                      way == BY_COLUMN ? column_square(x, c) : mean_square(way == CHANGED ? y : x, i, start, n, way),
                  mean = 0.0f;
            for (int e = c / n * n; e < c / n * n + n; e++) mean += *mat_ref(x, i, e) / (float)n;
            float value = *mat_ref(x, i, c) - (way == MEAN_OFF ? mean : 0.0f);
            *mat_ref(y, i, c) = value / (way == NO_ROOT ? square : sqrtf(square)) * factor;
        }
    return y;
}

static void norm_case(Judge *judge, int T, int P, int n, float init, float size)
{
    Random random = random_from((uint64_t)(1000 + 10 * P + n));
    Mat x = view_of(judge, &random, T, P * n), got = judge_output(judge, T, P * n);
    for (int i = 0; i < T; i++)
        for (int c = 0; c < P * n; c++) *mat_ref(x, i, c) *= size * (0.5f + (float)(c / n)); // pairs differ
    mat_set(got, x);
    judge_trying(judge, "my_norm of %d rows, P = %d pairs of n = %d, init = %.2f%s", T, P, n, (double)init,
                 size < 1.0f ? ", numbers of about 0.001" : "");
    my_norm(got, P, init);
    Arena *arena = judge->arena;
    judge_answer(judge,
                 (Answer){
                     .got = got,
                     .expected = normed(arena, x, P, init, FINE),
                     .hints = { .property =
                                    size < 1.0f
                                        ? "beside squares so small the 10⁻⁶ counts"
                                        : "the root of the mean square of a pair's numbers is not 1 − init after it",
                                .question =
                                    "over which numbers of a row is the mean taken, and what is done with its root?",
                                .formula = "y = x / √(mean of the pair's n squares + 10⁻⁶) · (1 − init)" },
                     .mistakes = {
                         { "nothing has changed", x },
                         { "the mean is taken over the whole row; every pair has its own",
                           normed(arena, x, P, init, WHOLE_ROW) },
                         { "the mean square has no root taken of it", normed(arena, x, P, init, NO_ROOT) },
                         { "squares are added up, and not divided by how many there are",
                           normed(arena, x, P, init, SUM_OF_SQUARES) },
                         { "multiplied by init; it is 1 − init", normed(arena, x, P, init, BY_INIT) },
                         { "the factor 1 − init is missing", normed(arena, x, P, init, NO_FACTOR) },
                         { "divided by 1 − init; it is multiplied", normed(arena, x, P, init, DIVIDED_BY) },
                         { "the mean was taken away first; this norm leaves it", normed(arena, x, P, init, MEAN_OFF) },
                         { "the mean is taken down the columns; it is taken along a row",
                           normed(arena, x, P, init, BY_COLUMN) },
                         { "the mean is taken over P numbers; a pair has n of them", normed(arena, x, P, init, BY_P) },
                         { "all pairs are divided by the first one's root; each has its own",
                           normed(arena, x, P, init, FIRST_MEAN) },
                         { "only the first pair has been changed", normed(arena, x, P, init, FIRST_ALONE) },
                         { "the squares of the pairs before are in the sum", normed(arena, x, P, init, GOES_ON) },
                         { "numbers that had changed already are in the mean", normed(arena, x, P, init, CHANGED) },
                         { "10⁻⁶ is not added", normed(arena, x, P, init, NO_SMALL) },
                         { "10⁻⁶ is added to the root; it is added to the mean",
                           normed(arena, x, P, init, SMALL_LATE) } } });
}

static void check(Judge *judge)
{
    difference_case(judge, 4, 4, 3, 0.3f);
    difference_case(judge, 7, 3, 5, 0.75f);
    difference_case(judge, 5, 2, 2, -0.6f);
    norm_case(judge, 3, 2, 4, 0.2f, 1.0f);
    norm_case(judge, 2, 3, 5, 0.7f, 1.0f);
    norm_case(judge, 2, 2, 3, 0.4f, 0.001f);
}

int main(void) { return judge_main("22a", check); }
