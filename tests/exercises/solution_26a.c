// Exercise 26a, solved.
#include "attention/rollout.h"
#include "base/portable_math.h"

double my_share(Mat part, Mat whole, Mat gain, Mat wout, int word, int other);
void my_rollout(Mat out, Mat first, Mat second);

double my_share(Mat part, Mat whole, Mat gain, Mat wout, int word, int other)
{
    double squares = 0.0, sum = 0.0;
    for (int c = 0; c < whole.cols; c++) squares += (double)*mat_ref(whole, 0, c) * (double)*mat_ref(whole, 0, c);
    for (int c = 0; c < whole.cols; c++)
        sum += (double)*mat_ref(part, 0, c) * (double)*mat_ref(gain, 0, c) *
               ((double)*mat_ref(wout, c, word) - (double)*mat_ref(wout, c, other));
    return sum / sqrt(squares / whole.cols);
}

void my_rollout(Mat out, Mat first, Mat second)
{
    float room[2][64];
    Mat a = { room[0], first.rows, first.cols, first.cols }, b = { room[1], first.rows, first.cols, first.cols };
    rollout_step(a, first);
    rollout_step(b, second);
    rollout_join(out, b, a);
}
