// Exercise 26a: my_share and my_rollout.
#include "attention/rollout.h"
#include "base/portable_math.h"
#include "exercises/judge.h"
#include "lesson/matrices.h"

typedef double Share(Mat part, Mat whole, Mat gain, Mat wout, int word, int other);
typedef void Rollout(Mat out, Mat first, Mat second);
Share my_share;
Rollout my_rollout;

// ---- 1

static const int sizes[][2] = { { 5, 3 }, { 7, 5 } }; // D, words

static void share_case(Judge *judge, Function f, int n)
{
    int D = sizes[n][0], words = sizes[n][1];
    Random random = random_from((uint64_t)D);
    Mat part = judge_random_view(judge, &random, 1, D), whole = judge_random_view(judge, &random, 1, D);
    Mat gain = judge_random_view(judge, &random, 1, D), wout = judge_random_view(judge, &random, D, words);
    judge_trying(judge, "my_share of a part in a row of %d numbers, words 1 and %d of %d", D, words - 1, words);
    judge_result(judge, ((Share *)f)(part, whole, gain, wout, 1, words - 1));
}

enum { RIGHT, OWN_NORM, NO_NORM, NO_GAIN, ONE_WORD, LENGTH, SQUARE, DOUBLED };

static double share(Mat part, Mat whole, Mat gain, Mat wout, int word, int other)
{
    const int fault = judge_fault, D = part.cols;
    double squares = 0.0, sum = 0.0;
    for (int c = 0; c < D; c++) {
        double lead = mat_value(wout, c, word) - (fault == ONE_WORD ? 0.0 : mat_value(wout, c, other));
        squares += pow(mat_value(fault == OWN_NORM ? part : whole, 0, c), 2.0) / (fault == LENGTH ? 1 : D);
        sum += mat_value(part, 0, c) * (fault == NO_GAIN ? 1.0 : mat_value(gain, 0, c)) * lead;
    }
    return sum * (fault == DOUBLED ? 2.0 : 1.0) / (fault == NO_NORM ? 1.0 : fault == SQUARE ? squares : sqrt(squares));
}

// ---- 2

static const int words[] = { 2, 5 };

// Rows that sum to 0.8 or 1: a sink may take its share of a row.
static Mat map_of(Judge *judge, Random *random, int T, const char *name)
{
    Mat map = mat_new(judge->arena, T, T);
    for (int i = 0; i < T; i++) {
        double sum = 0.0;
        for (int j = 0; j < T; j++) sum += (double)(*mat_ref(map, i, j) = random_uniform(random));
        for (int j = 0; j < T; j++) *mat_ref(map, i, j) /= (float)sum * (i % 2 ? 1.0f : 1.25f);
    }
    return judge_argument(judge, name, map);
}

static void rollout_case(Judge *judge, Function f, int n)
{
    Random random = random_from((uint64_t)words[n]);
    Mat out = judge_output_view(judge, words[n], words[n]);
    Mat first = map_of(judge, &random, words[n], "the map of layer 0");
    Mat second = map_of(judge, &random, words[n], "the map of layer 1");
    judge_trying(judge, "my_rollout of two maps of %d words", words[n]);
    ((Rollout *)f)(out, first, second);
}

enum { UPSIDE_DOWN = DOUBLED + 1, NO_SELF, UNDIVIDED, SUMMED, LAST_ALONE, MAP_CHANGED, TWICE_LAYER_1 };

static void rollout(Mat out, Mat first, Mat second)
{
    const int fault = judge_fault, T = out.rows;
    float room[2][64];
    Mat steps[] = { { room[0], T, T, T }, { room[1], T, T, T } }, maps[] = { first, second };
    for (int l = 0; l < 2; l++) {
        rollout_step(steps[l], maps[l]);
        for (int i = 0; i < T && (fault == NO_SELF || fault == UNDIVIDED); i++)
            for (int j = 0; j < T; j++) {
                double w = mat_value(maps[l], i, j), sum = mat_sum(mat_rows(maps[l], i, 1));
                *mat_ref(steps[l], i, j) = (float)(fault == NO_SELF ? w / sum : w / 2 + (i == j ? 0.5 : 0.0));
            }
    }
    if (fault == UPSIDE_DOWN) rollout_join(out, steps[0], steps[1]);
    else rollout_join(out, steps[1], steps[fault == TWICE_LAYER_1]);
    for (int e = 0; e < T * T && (fault == SUMMED || fault == LAST_ALONE); e++)
        *mat_ref(out, e / T, e % T) = fault == LAST_ALONE ? room[1][e] : (room[0][e] + room[1][e]) / 2;
    if (fault == MAP_CHANGED) mat_set(first, steps[0]);
}

static const Task tasks[] = {
    { AS(Share, my_share), AS(Share, share), share_case, COUNT(sizes), .tolerance = 1e-4f, .faulty = AS(Share, share),
      .hints = { { "the shares of all parts do not add up to the difference of the two logits",
                   "by which number does the model divide this row, and is it another one for each part?",
                   "Σ part꜀ / √(mean of whole²) · gain꜀ · (Wout꜀,word − Wout꜀,other)" } },
      .wrong = { FAULT(OWN_NORM, "the part is divided by its own root; the model divides by that of the whole row"),
                 FAULT(NO_NORM, "the norm is left out: the part goes into Wout as it is"),
                 FAULT(NO_GAIN, "the gains of the norm are left out"),
                 FAULT(ONE_WORD,
                       "this is the share in the logit of `word` alone; that in the logit of `other` is to be "
                       "taken away"),
                 FAULT(LENGTH, "squares are added up, and not divided by how many there are"),
                 FAULT(SQUARE, "the mean square has no root taken of it"),
                 { .fault = DOUBLED, .told = "the shares of all parts do not add up" } } },
    { AS(Rollout, my_rollout), AS(Rollout, rollout), rollout_case, COUNT(words), .faulty = AS(Rollout, rollout),
      .hints = { { "the rollout is another one",
                   "where does the last layer look, and where had that word looked before?",
                   "Rᵢⱼ = Σₖ A¹ᵢₖ A⁰ₖⱼ with A = (½ I + ½ map), rows divided by their sum" } },
      .wrong = { FAULT(UPSIDE_DOWN, "the order: layer 1 looks at what layer 0 has mixed, so its A stands on the left"),
                 FAULT(NO_SELF, "the word itself is left out: half of each A is the identity"),
                 FAULT(UNDIVIDED, "rows are not divided by their sum"),
                 FAULT(SUMMED, "this is the mean of both A; they are multiplied"),
                 FAULT(LAST_ALONE, "this is A of layer 1 alone"),
                 { .fault = MAP_CHANGED, .told = "the map of layer 0 is no longer what it was" },
                 { .fault = TWICE_LAYER_1, .told = "the rollout is another one" } } },
};
EXERCISE("26a", tasks)
