// Exercise 24a, solved wrongly: number WRONG of these gets this answer.
//
// 1: the ranks' outputs are averaged
// 2: weighed by lse itself
// 3: the outputs are added up
// 4: the rank with the largest lse takes all
// 5: the answer of rank 0 alone
// 6: the answer of the last rank alone
// 7: the shares are upside down
// 8: weighed by the lse of head 0
// 9: exp of an lse overflows or vanishes
// 10: a rank without keys has a share
// 11: lse is the sum of all lse
// 12: lse is the mean of all lse
// 13: lse is only the largest one
// 14: the logarithm of lse is missing
// 15: head 0: the output is not that of all keys together
// 16: token 1, head 0: lse is not that of all keys together
// 17: token 0, head 0: the output is not that of all keys together
// 18: token 1, head 0: the output is not that of all keys together
// 19: the largest lse was taken away and never added back
// 20: not divided by the sum
// 21: an answer has all heads' outputs first, then all lse
// 22: NaN, where no rank had keys
//
// 17 takes the largest lse of rank 0 for that of all, 18 that of token 0 and head 0.
#include "base/portable_math.h"
#include "exercises/wrong.h"

static float share_of(int how, float lse, float most)
{
    if (how == 9) return expf(lse);
    if (lse == -INFINITY) return how == 10 || how == 1 ? 1.0f : 0.0f;
    if (how == 1 || how == 3) return 1.0f;
    if (how == 2) return lse;
    if (how == 4) return lse == most;
    if (how == 7) return expf(most - lse);
    return expf(lse - most);
}

void my_merge(float *out, float *lse, const float *const *answers, int R, int n, int H, int dv);
void my_merge(float *out, float *lse, const float *const *answers, int R, int n, int H, int dv)
{
    int how = wrong(), wide = H * (dv + 1);
    for (int i = 0; i < n; i++)
        for (int h = 0; h < H; h++) {
            float most = -INFINITY, sum = 0, exps = 0, all = 0, mixed[16] = { 0 };
            int head = how == 8 ? 0 : h, at = how == 21 ? h * (dv + 1) : h * dv;
            int lse_at = how == 21 ? at + dv : H * dv + head;
            for (int r = 0; r < R && (how != 17 || r == 0); r++)
                most = fmaxf(most, answers[r][how == 18 ? H * dv : i * wide + lse_at]);
            for (int r = 0; r < R; r++) {
                float own = answers[r][i * wide + lse_at], share = share_of(how, own, most);
                if ((how == 5 && r > 0) || (how == 6 && r < R - 1)) continue;
                if (how == 15) own = answers[r][i * wide + (h + 1) * dv];
                if (how == 15) share = expf(own - most);
                sum += share;
                exps += own == -INFINITY ? 0 : expf(own - most);
                all += own;
                for (int c = 0; c < dv; c++) mixed[c] += share * answers[r][i * wide + at + c];
            }
            for (int c = 0; c < dv; c++)
                out[(i * H + h) * dv + c] = how == 3 || how == 20               ? mixed[c]
                                            : how != 9 && how != 22 && sum == 0 ? 0
                                                                                : mixed[c] / sum;
            float right = exps > 0 ? most + logf(exps) : -INFINITY, *to = &lse[i * H + h];
            *to = how == 9                 ? logf(sum)
                  : how == 11              ? all
                  : how == 12              ? all / (float)R
                  : how == 13 || how == 4  ? most
                  : how == 14              ? expf(right)
                  : how == 16 && i == 1    ? right + 1
                  : how == 19 && exps > 0  ? logf(exps)
                  : how == 22 && exps == 0 ? NAN
                                           : right;
        }
    // 8: lse itself is that of its head.
    for (int i = 0; i < n && how == 8; i++)
        for (int h = 0; h < H; h++) {
            float most = -INFINITY, exps = 0;
            for (int r = 0; r < R; r++) most = fmaxf(most, answers[r][i * wide + H * dv + h]);
            for (int r = 0; r < R; r++) exps += expf(answers[r][i * wide + H * dv + h] - most);
            lse[i * H + h] = most + logf(exps);
        }
}
