// Exercise 08c: numbers worked out by hand. What follows from one wrong number is not asked for: each is judged alone.
#include "attention/backward.h"
#include "exercises/judge.h"

#include <math.h>
#include <stdlib.h>

extern float my_dout[2], my_dw[3], my_mean[1], my_ds[3], my_dq[2], my_dv[2];

enum { T = 3, d = 2 };
enum { DOUT, DW, MEAN, DS, DQ, DV, NUMBERS };

enum { MORE = 2 };

typedef struct {
    float scale;
    bool plain_mean, no_mean, unweighted, old_wish;
} Way; // ways to go wrong

static Mat example(Arena *arena) { return mat_of(arena, T, d, (float[]){ 1, 0, 0, 1, 1, 1 }); }

// The weights of token 2, and its output.
static Mat forward(Arena *arena, Mat out)
{
    Mat x = example(arena), w = mat_new(arena, 1, T);
    attention_naive((Attended){ .out = out, .weights = w }, mat_rows(x, 2, 1), x, x, (Mask){ 0 });
    return w;
}

// All numbers, from the right ones before them: what goes wrong in one is not carried into the next.
static void work_out(Mat to[NUMBERS], Arena *arena, Way way)
{
    Mat x = example(arena), q = mat_rows(x, 2, 1), out = mat_new(arena, 1, d), w = forward(arena, out);
    Mat dk = mat_new(arena, T, d), dv = mat_new(arena, T, d);
    for (int n = 0; n < NUMBERS; n++) {
        static const int counts[] = { d, T, 1, T, d, d };
        to[n] = mat_new(arena, 1, counts[n]);
    }
    if (way.old_wish) out.at[0] -= 1.0f; // dout, from here on
    for (int c = 0; c < d; c++) to[DOUT].at[c] = out.at[c];
    backward_mix_values(to[DW], dv, out, w, x, (Mask){ 0 });
    for (int j = 0; j < T; j++) to[MEAN].at[0] += (way.plain_mean ? 1.0f / T : w.at[j]) * to[DW].at[j];
    for (int j = 0; j < T; j++)
        to[DS].at[j] = (way.unweighted ? 1.0f : w.at[j]) * (to[DW].at[j] - (way.no_mean ? 0.0f : to[MEAN].at[0]));
    Mat ds = mat_new(arena, 1, T);
    backward_softmax(ds.at, to[DW].at, w.at, T);
    backward_attention_scores(to[DQ], dk, ds, q, x, (Mask){ .scale = way.scale });
    mat_set(to[DV], mat_rows(dv, 2, 1));
    for (int c = 0; c < d && way.unweighted; c++) to[DV].at[c] = out.at[c];
}

// What else may go wrong, with words for it: one mistake for each number that has one.
static const char *const others[NUMBERS] = {
    [DOUT] = "twice too large: the ½ of the loss and the 2 of its slope cancel",
    [DW] = "the weight comes in later, for the mean and for ds",
    [MEAN] = "these are all three dw in full: each counts by its weight",
    [DQ] = "divided by √2 once too often: the scores were divided once",
    [DV] = "that is what token 0's value gets; token 2 has another weight",
};

static void work_out_others(Mat to[NUMBERS], Arena *arena, const Mat right[NUMBERS])
{
    Mat w = forward(arena, mat_new(arena, 1, d));
    work_out(to, arena, (Way){ .scale = 0.5f }); // my_dq with 1/2 in place of 1/√2
    for (int c = 0; c < d; c++) to[DOUT].at[c] = 2.0f * right[DOUT].at[c];
    for (int j = 0; j < T; j++) to[DW].at[j] = w.at[j] * right[DW].at[j];
    to[MEAN].at[0] = (float)mat_sum(right[DW]);
    for (int c = 0; c < d; c++) to[DV].at[c] = w.at[0] * right[DOUT].at[c];
}

// Further mistakes, for some of the numbers.
static const char *const further[NUMBERS][MORE] = {
    [DOUT] = { "the slope of ½ o² is o: the ½ does not come in again", "that is the loss itself, number by number, and "
                                                                       "not how fast it rises" },
    [DW] = { "dout meets each value here, not the query", NULL },
    [DS] = { "each score moves all three weights: what the other two lose is missing",
             "the weight counts for the mean, too: w times all of the difference" },
    [DQ] = { "that is what token 2's own key gives; the other two keys are left out", NULL },
    [DV] = { "that is the weight alone: dout is missing", NULL },
};

static void work_out_further(Mat to[NUMBERS][MORE], Arena *arena, const Mat right[NUMBERS])
{
    Mat w = forward(arena, mat_new(arena, 1, d));
    for (int n = 0; n < NUMBERS; n++)
        for (int m = 0; m < MORE; m++) to[n][m] = mat_copy(arena, right[n]);
    for (int c = 0; c < d; c++) {
        to[DOUT][0].at[c] = 0.5f * right[DOUT].at[c];
        to[DOUT][1].at[c] = 0.5f * right[DOUT].at[c] * right[DOUT].at[c];
        to[DV][0].at[c] = w.at[2];
        to[DQ][0].at[c] = right[DS].at[2] / sqrtf(2.0f);
    }
    for (int j = 0; j < T; j++) {
        to[DW][0].at[j] = right[DOUT].at[0] + right[DOUT].at[1];
        to[DS][0].at[j] = w.at[j] * (1.0f - w.at[j]) * right[DW].at[j];
        to[DS][1].at[j] = w.at[j] * right[DW].at[j] - right[MEAN].at[0];
    }
}

static Mat given(Arena *arena, const float *numbers, int count) { return mat_of(arena, 1, count, numbers); }

static void check(Judge *judge)
{
    static const struct {
        const char *name, *property, *question, *formula;
    } tasks[NUMBERS] = {
        { "my_dout", "the loss is ½ (out - wish)², number by number", "what is the slope of ½ o²?",
          "dout = out - wish" },
        { "my_dw", "a weight counts more where dout and its value point the same way",
          "out = w0 v0 + w1 v1 + w2 v2: by how much does it move with w2?", "dw_j = dout · v_j" },
        { "my_mean", "it lies between the smallest and the largest dw", "how much does each dw count?",
          "mean = Σ w_j dw_j" },
        { "my_ds", "the three sum to 0", "is each dw better or worse than the mean, and how much is its key heard?",
          "ds_j = w_j (dw_j - mean)" },
        { "my_dq", "token 2's query meets all three keys", "s_j = q · k_j / √2: what does q's first number meet in it?",
          "dq = Σ ds_j k_j / √2" },
        { "my_dv", "its value has a share in the output", "out = Σ w_j v_j: by how much does out move with v_2?",
          "dv_2 = w_2 dout" },
    };
    Arena *arena = judge->arena;
    Mat right[NUMBERS], sign[NUMBERS], plain[NUMBERS], none[NUMBERS], bare[NUMBERS], unscaled[NUMBERS];
    Mat old_wish[NUMBERS], other[NUMBERS], more[NUMBERS][MORE];
    Mat got[] = { given(arena, my_dout, 2), given(arena, my_dw, 3), given(arena, my_mean, 1),
                  given(arena, my_ds, 3),   given(arena, my_dq, 2), given(arena, my_dv, 2) };
    work_out(right, arena, (Way){ 0 });
    for (int n = 0; n < NUMBERS; n++) {
        sign[n] = mat_copy(arena, right[n]);
        for (int c = 0; c < sign[n].cols; c++) sign[n].at[c] = -right[n].at[c];
    }
    work_out(old_wish, arena, (Way){ .old_wish = true });
    work_out(plain, arena, (Way){ .plain_mean = true });
    work_out(none, arena, (Way){ .no_mean = true });
    work_out(bare, arena, (Way){ .unweighted = true });
    work_out(unscaled, arena, (Way){ .scale = 1 });
    work_out_others(other, arena, right);
    work_out_further(more, arena, right);
    for (int n = 0; n < NUMBERS; n++) {
        judge_trying(judge, "%s", tasks[n].name);
        float largest = 0.0f;
        for (int c = 0; c < got[n].cols; c++) largest = fmaxf(largest, fabsf(got[n].at[c]));
        judge_claim(judge, largest > 0.0f,
                    (Hints){ .property = n == DQ
                                             ? "these numbers are 0, and should not come out so, though ds sums to 0"
                                             : "these numbers are still 0",
                             tasks[n].question });
        Mistake known[] = { { n == DOUT ? "the sign: more of what is too much makes the loss rise"
                              : n == DQ ? "the sign is turned round, or token 2's own key has been left out"
                                        : "the sign is turned round",
                              sign[n] },
                            { "that is the wish of section 5; here it is (0, 0)", old_wish[n] },
                            { further[n][0], more[n][0] },
                            { further[n][1], more[n][1] },
                            { others[n], n == DS ? right[n] : other[n] },
                            { "each dw counts by its weight, not by a third", plain[n] },
                            { "the mean has not been taken away", none[n] },
                            { "the weight in front is missing: what is hardly heard hardly counts", bare[n] },
                            { "the scores were divided by √2, and so is what comes back", unscaled[n] } };
        for (size_t m = 0; m < sizeof known / sizeof *known; m++)
            judge_claim(judge,
                        mat_max_difference(known[m].result, right[n]) < 0.015 ||
                            mat_max_difference(got[n], known[m].result) > 0.007,
                        (Hints){ .property = known[m].words });
        judge_claim(judge, mat_max_difference(got[n], right[n]) <= 0.007,
                    (Hints){ n == DS && fabs(mat_sum(got[n])) < 0.02
                                 ? "they sum to 0, as they must, but they are not these"
                                 : tasks[n].property,
                             tasks[n].question, tasks[n].formula });
    }
}

int main(void) { return judge_main("08c", check); }
