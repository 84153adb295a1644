// Exercise 26a: my_share and my_rollout.
#include "attention/rollout.h"
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

double my_share(Mat part, Mat whole, Mat gain, Mat wout, int word, int other);
void my_rollout(Mat out, Mat first, Mat second);

// A view in the middle of a wider matrix of noise, so that a stride that is forgotten shows.
static Mat view_of(Judge *judge, Random *random, int rows, int cols)
{
    Mat wide = mat_new(judge->arena, rows, cols + 3);
    random_normals(random, wide);
    return mat_cols(wide, 2, cols);
}

// ---- 1

typedef enum { RIGHT, OWN_NORM, NO_NORM, NO_GAIN, ONE_WORD, TURNED_ROUND, LENGTH, SQUARE, WAYS } Way;

static double share(Mat part, Mat whole, Mat gain, Mat wout, int word, int other, Way way)
{
    Mat divides = way == OWN_NORM ? part : whole;
    double squares = 0.0, sum = 0.0;
    int D = part.cols;
    for (int c = 0; c < D; c++) squares += (double)*mat_ref(divides, 0, c) * (double)*mat_ref(divides, 0, c);
    double divisor = way == NO_NORM  ? 1.0
                     : way == LENGTH ? sqrt(squares)
                     : way == SQUARE ? squares / D
                                     : sqrt(squares / D);
    for (int c = 0; c < D; c++) {
        double lead = (double)*mat_ref(wout, c, word) - (way == ONE_WORD ? 0.0 : (double)*mat_ref(wout, c, other));
        double g = way == NO_GAIN ? 1.0 : (double)*mat_ref(gain, 0, c);
        sum += (double)*mat_ref(part, 0, c) / divisor * g * lead;
    }
    return way == TURNED_ROUND ? -sum : sum;
}

static Mat number(Arena *arena, double value) { return mat_of(arena, 1, 1, (float[]){ (float)value }); }

static void share_case(Judge *judge, int D, int words)
{
    static const char *const said[] = {
        [OWN_NORM] = "the part is divided by its own root; the model divides by that of the whole row",
        [NO_NORM] = "the norm is left out: the part goes into Wout as it is",
        [NO_GAIN] = "the gains of the norm are left out",
        [ONE_WORD] = "this is the share in the logit of `word` alone; that in the logit of `other` is to be taken away",
        [TURNED_ROUND] = "the difference is the other way round",
        [LENGTH] = "squares are added up, and not divided by how many there are",
        [SQUARE] = "the mean square has no root taken of it",
    };
    Random random = random_from((uint64_t)D);
    Mat part = view_of(judge, &random, 1, D), whole = view_of(judge, &random, 1, D);
    Mat gain = view_of(judge, &random, 1, D), wout = view_of(judge, &random, D, words);
    judge_trying(judge, "my_share of a part in a row of %d numbers, words 1 and %d of %d", D, words - 1, words);
    Answer answer = {
        .got = number(judge->arena, my_share(part, whole, gain, wout, 1, words - 1)),
        .expected = number(judge->arena, share(part, whole, gain, wout, 1, words - 1, RIGHT)),
        .tolerance = 1e-4f,
        .hints = { .property = "the shares of all parts do not add up to the difference of the two logits",
                   .question = "by which number does the model divide this row, and is it another one for each part?",
                   .formula = "Σ part꜀ / √(mean of whole²) · gain꜀ · (Wout꜀,word − Wout꜀,other)" },
    };
    for (int way = OWN_NORM; way < WAYS; way++)
        answer.mistakes[way - OWN_NORM] =
            (Mistake){ said[way], number(judge->arena, share(part, whole, gain, wout, 1, words - 1, (Way)way)) };
    judge_answer(judge, answer);
}

// ---- 2

typedef enum { FINE, UPSIDE_DOWN, NO_SELF, UNDIVIDED, SUMMED, LAST_ALONE, TURNED, EACH, AT_END, NO_HALF, ROLLS } Roll;

static Mat step_of(Arena *arena, Mat map, Roll way)
{
    Mat step = mat_copy(arena, map);
    for (int i = 0; i < map.rows; i++) {
        float sum = 0.0f, self = way == NO_SELF ? 0.0f : 0.5f, scale = way == NO_HALF ? 2.0f : 1.0f;
        for (int j = 0; j < map.cols; j++) {
            *mat_ref(step, i, j) = scale * ((1.0f - self) * *mat_ref(map, i, j) + (i == j ? self : 0.0f));
            sum += *mat_ref(step, i, j);
        }
        bool divided = way != UNDIVIDED && way != AT_END && way != NO_HALF;
        for (int j = 0; j < map.cols && divided; j++) *mat_ref(step, i, j) /= sum;
    }
    return step;
}

static void rows_divided(Mat m)
{
    for (int i = 0; i < m.rows; i++) {
        float sum = 0.0f;
        for (int j = 0; j < m.cols; j++) sum += *mat_ref(m, i, j);
        for (int j = 0; j < m.cols; j++) *mat_ref(m, i, j) /= sum;
    }
}

static Mat rolled(Arena *arena, Mat first, Mat second, Roll way)
{
    Mat a = step_of(arena, first, way), b = step_of(arena, second, way), out = mat_new(arena, a.rows, a.cols);
    if (way == LAST_ALONE) return b;
    if (way == TURNED) {
        Mat turned = mat_new(arena, a.cols, a.rows);
        for (int i = 0; i < a.rows; i++)
            for (int j = 0; j < a.cols; j++) *mat_ref(turned, j, i) = *mat_ref(a, i, j);
        a = turned;
    }
    rollout_join(out, way == UPSIDE_DOWN ? a : b, way == UPSIDE_DOWN ? b : a);
    for (int i = 0; i < out.rows; i++)
        for (int j = 0; j < out.cols; j++) {
            float below = *mat_ref(a, i, j), above = *mat_ref(b, i, j);
            if (way == SUMMED) *mat_ref(out, i, j) = (below + above) / 2;
            if (way == EACH) *mat_ref(out, i, j) = below * above;
        }
    if (way == AT_END) rows_divided(out);
    return out;
}

// Rows that sum to 0.8 … 1: a sink may take its share of a row.
static Mat map_of(Judge *judge, Random *random, int T)
{
    Mat map = view_of(judge, random, T, T);
    for (int i = 0; i < T; i++) {
        float sum = 0.0f;
        for (int j = 0; j < T; j++) {
            *mat_ref(map, i, j) = random_uniform(random);
            sum += *mat_ref(map, i, j);
        }
        for (int j = 0; j < T; j++) *mat_ref(map, i, j) /= sum * (i % 2 ? 1.0f : 1.25f);
    }
    return map;
}

static void rollout_case(Judge *judge, int T)
{
    static const char *const said[] = {
        [UPSIDE_DOWN] = "the order: layer 1 looks at what layer 0 has mixed, so its A stands on the left",
        [NO_SELF] = "the word itself is left out: half of each A is the identity",
        [UNDIVIDED] = "rows are not divided by their sum",
        [SUMMED] = "this is the mean of both A; they are multiplied",
        [LAST_ALONE] = "this is A of layer 1 alone",
        [TURNED] = "A of layer 0 is turned: rows of A of layer 1 meet its columns, not its rows",
        [EACH] = "numbers are multiplied one by one; this is a product of matrices",
        [AT_END] = "rows are divided at the end only; those of each A are to be, before the product",
        [NO_HALF] = "rows are not divided by their sum, and both halves are missing",
    };
    Random random = random_from((uint64_t)T);
    Mat first = map_of(judge, &random, T), second = map_of(judge, &random, T), got = judge_output(judge, T, T);
    Mat kept[] = { mat_copy(judge->arena, first), mat_copy(judge->arena, second) };
    judge_trying(judge, "my_rollout of two maps of %d words", T);
    my_rollout(got, first, second);
    Answer answer = {
        .got = got,
        .expected = rolled(judge->arena, kept[0], kept[1], FINE),
        .hints = { .property = "the rollout is another one",
                   .question = "where does the last layer look, and where had that word looked before?",
                   .formula = "Rᵢⱼ = Σₖ A¹ᵢₖ A⁰ₖⱼ with A = (½ I + ½ map), rows divided by their sum" },
    };
    for (int way = UPSIDE_DOWN; way < ROLLS; way++)
        answer.mistakes[way - UPSIDE_DOWN] = (Mistake){ said[way], rolled(judge->arena, kept[0], kept[1], (Roll)way) };
    judge_answer(judge, answer);
    judge_claim(judge, mat_max_difference(first, kept[0]) == 0.0 && mat_max_difference(second, kept[1]) == 0.0,
                (Hints){ "the maps are not as they were", "where do you keep A?", "A needs room of its own" });
}

static void check(Judge *judge)
{
    share_case(judge, 5, 3);
    share_case(judge, 7, 5);
    rollout_case(judge, 2);
    rollout_case(judge, 5);
}

int main(void) { return judge_main("26a", check); }
