// Exercise 26a, solved wrongly: number WRONG of these gets this answer.
//
// 1: divided by its own root
// 2: the norm is left out
// 3: the gains of the norm are left out
// 4: the logit of `word` alone
// 5: the difference is the other way round
// 6: not divided by how many there are
// 7: no root taken of it
// 8: do not add up
// 9: layer 1 looks at what layer 0 has mixed
// 10: half of each A is the identity
// 11: rows are not divided by their sum
// 12: they are multiplied
// 13: A of layer 1 alone
// 14: the maps are not as they were
// 15: the rollout is another one
// 16: A of layer 0 is turned
// 17: multiplied one by one
// 18: divided at the end only
// 19: both halves are missing
#include "attention/rollout.h"
#include "base/portable_math.h"
#include "exercises/wrong.h"

double my_share(Mat part, Mat whole, Mat gain, Mat wout, int word, int other);
void my_rollout(Mat out, Mat first, Mat second);

double my_share(Mat part, Mat whole, Mat gain, Mat wout, int word, int other)
{
    double squares = 0.0, sum = 0.0;
    int D = whole.cols, way = wrong();
    for (int c = 0; c < D; c++) squares += pow((double)*mat_ref(way == 1 ? part : whole, 0, c), 2);
    for (int c = 0; c < D; c++) {
        double lead = (double)*mat_ref(wout, c, word) - (way == 4 ? 0.0 : (double)*mat_ref(wout, c, other));
        sum += (double)*mat_ref(part, 0, c) * (way == 3 ? 1.0 : (double)*mat_ref(gain, 0, c)) * lead;
    }
    double divisor = way == 2 ? 1.0 : way == 6 ? sqrt(squares) : way == 7 ? squares / D : sqrt(squares / D);
    return (way == 5 ? -sum : way == 8 ? 2 * sum : sum) / divisor;
}

static void step_of(Mat step, Mat map, int way)
{
    for (int i = 0; i < map.rows; i++) {
        float sum = 0.0f;
        for (int j = 0; j < map.cols; j++) {
            float half = way == 19 ? 1.0f : 0.5f, self = i != j || way == 10 ? 0.0f : half;
            *mat_ref(step, i, j) = *mat_ref(map, i, j) * (way == 10 ? 1.0f : half) + self;
            sum += *mat_ref(step, i, j);
        }
        for (int j = 0; j < map.cols && way != 11 && way != 18 && way != 19; j++) *mat_ref(step, i, j) /= sum;
    }
}

void my_rollout(Mat out, Mat first, Mat second)
{
    float room[2][64];
    int way = wrong();
    Mat a = { room[0], first.rows, first.cols, first.cols }, b = { room[1], first.rows, first.cols, first.cols };
    step_of(a, first, way);
    step_of(b, second, way);
    if (way == 14) mat_set(first, a);
    rollout_join(out, way == 9 ? a : b, way == 9 ? b : way == 15 ? b : a);
    for (int i = 0; i < out.rows; i++)
        for (int j = 0; j < out.cols; j++) {
            if (way == 12) *mat_ref(out, i, j) = (*mat_ref(a, i, j) + *mat_ref(b, i, j)) / 2;
            if (way == 13) *mat_ref(out, i, j) = *mat_ref(b, i, j);
            if (way == 17) *mat_ref(out, i, j) = *mat_ref(a, i, j) * *mat_ref(b, i, j);
            if (way != 16) continue;
            *mat_ref(out, i, j) = 0.0f;
            for (int k = 0; k < out.cols; k++) *mat_ref(out, i, j) += *mat_ref(b, i, k) * *mat_ref(a, j, k);
        }
    for (int i = 0; i < out.rows && way == 18; i++) {
        float sum = 0.0f;
        for (int j = 0; j < out.cols; j++) sum += *mat_ref(out, i, j);
        for (int j = 0; j < out.cols; j++) *mat_ref(out, i, j) /= sum;
    }
}
