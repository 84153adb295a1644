// Exercise 10a: my_next_head and my_importance.
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

int  my_next_head(Mat gates, Mat accuracy);
void my_importance(Mat importance, Mat slopes);

// A view in the middle of a wider matrix of noise, so that a stride that is forgotten shows.
static Mat view_of(Judge *judge, Random *random, int rows, int cols)
{
    Mat wide = mat_new(judge->arena, rows, cols + 3);
    random_normals(random, wide);
    return mat_cols(wide, 2, cols);
}

static int head_of(Mat gates, Mat accuracy, bool even_off, bool least, bool last)
{
    int best = -1;
    float found = 0.0f;
    for (int l = 0; l < gates.rows; l++)
        for (int h = 0; h < gates.cols; h++) {
            float a = least ? -*mat_ref(accuracy, l, h) : *mat_ref(accuracy, l, h);
            if (!even_off && *mat_ref(gates, l, h) == 0.0f) continue;
            if (best >= 0 && !(last ? a >= found : a > found)) continue;
            best = l * gates.cols + h;
            found = a;
        }
    return best;
}

static Mat number(Judge *judge, int value)
{
    Mat m = mat_new(judge->arena, 1, 1);
    m.at[0] = (float)value;
    return m;
}

static void next_case(Judge *judge, const char *what, int L, int H, const float *on, const float *accuracy)
{
    Random random = random_from((uint64_t)(10 * L + H));
    Mat gates = view_of(judge, &random, L, H), left = view_of(judge, &random, L, H);
    mat_set(gates, mat_of(judge->arena, L, H, on));
    mat_set(left, mat_of(judge->arena, L, H, accuracy));
    judge_trying(judge, "my_next_head of (%d, %d): %s", L, H, what);
    Mat got = number(judge, my_next_head(gates, left));
    judge_answer(judge, (Answer){
        .got = got, .expected = number(judge, head_of(gates, left, false, false, false)),
        .hints.question = "go through all l and h, skip what is off, and keep l * H + h of the largest accuracy so far",
        .mistakes = { { "this head is off already", number(judge, head_of(gates, left, true, false, false)) },
                      { "this is the head that is needed most: without it, accuracy is smallest",
                        number(judge, head_of(gates, left, false, true, false)) },
                      { "of equal heads the first is wanted, not the last",
                        number(judge, head_of(gates, left, false, false, true)) } } });
}

static Mat means(Judge *judge, Mat slopes, int mistake)
{
    Mat m = mat_new(judge->arena, 1, slopes.cols);
    for (int n = 0; n < slopes.cols; n++) {
        float sum = 0.0f;
        for (int s = 0; s < slopes.rows; s++) {
            float slope = *mat_ref(slopes, s, n);
            sum += mistake == 1 || mistake == 2 ? slope : mistake == 4 ? slope * slope : fabsf(slope);
        }
        m.at[n] = (mistake == 2 ? fabsf(sum) : sum) / (mistake == 3 ? 1.0f : (float)slopes.rows);
    }
    return m;
}

static void importance_case(Judge *judge, int S, int heads)
{
    Random random = random_from((uint64_t)(100 * S + heads));
    Mat slopes = view_of(judge, &random, S, heads), got = judge_output(judge, 1, heads);
    judge_trying(judge, "my_importance of %d sentences and %d heads", S, heads);
    my_importance(got, slopes);
    judge_answer(judge, (Answer){
        .got = got, .expected = means(judge, slopes, 0),
        .hints.question = "importance of head n: the sum of fabsf(slopes[s][n]) over all s, divided by the number of "
                          "sentences",
        .mistakes = { { "slopes of opposite sign cancel here: take the size of each", means(judge, slopes, 1) },
                      { "take the size of each slope, then the mean; not the size of the mean",
                        means(judge, slopes, 2) },
                      { "this is the sum: divide by the number of sentences", means(judge, slopes, 3) },
                      { "this is the mean of the squares", means(judge, slopes, 4) } } });
}

static void check(Judge *judge)
{
    next_case(judge, "all are on", 1, 3, (float[]){ 1, 1, 1 }, (float[]){ 0.5f, 0.9f, 0.7f });
    next_case(judge, "one is off", 2, 2, (float[]){ 1, 0, 1, 1 }, (float[]){ 0.8f, 1, 0.9f, 0.6f });
    next_case(judge, "two are equal", 2, 3, (float[]){ 0, 1, 1, 1, 1, 0 }, (float[]){ 1, 0.2f, 0.9f, 0.4f, 0.9f, 1 });
    next_case(judge, "nothing is ever right", 2, 2, (float[]){ 0, 1, 1, 0 }, (float[]){ 1, 0, 0, 1 });
    next_case(judge, "all are off", 2, 2, (float[]){ 0, 0, 0, 0 }, (float[]){ 1, 1, 1, 1 });
    importance_case(judge, 1, 3);
    importance_case(judge, 5, 8);
    importance_case(judge, 40, 16);
}

int main(void) { return judge_main("10a", check); }
