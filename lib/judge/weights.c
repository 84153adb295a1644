// From a row of scores to weights: the softmax, and what is taken for it.
#include "base/portable_math.h"
#include "judge/row.h"

// NaN if one of them is.
static double largest_of(const double *scores, int n)
{
    double max = -INFINITY;
    for (int j = 0; j < n; j++)
        if (!(scores[j] <= max)) max = isnan(max) ? max : scores[j];
    return max;
}

// log Σ exp(s): −INFINITY when all are; NaN and +INFINITY stay what they are.
static double logsumexp64(const double *scores, int n)
{
    double max = largest_of(scores, n), sum = 0;
    if (!isfinite(max)) return max;
    for (int j = 0; j < n; j++) sum += exp(scores[j] - max);
    return max + log(sum);
}

// The softmax over the keys, of which one is in sight. Returns the logsumexp.
static double weigh(double *scores, int n, const JudgeRules *r)
{
    double max = largest_of(scores, n), sum = 0;
    for (int j = 0; j < n; j++) {
        double weight = isfinite(max) ? exp(scores[j] - max) : (double)NAN;
        if (j < n - r->sum_skip_last) sum += weight;
        scores[j] = r->softmax == JUDGE_UNDIVIDED_PLAIN ? exp(scores[j]) : weight;
    }
    double below = sum + r->below + (r->below_plain != 0 ? r->below_plain * exp(-max) : 0);
    if (r->softmax == JUDGE_UNDIVIDED || r->softmax == JUDGE_UNDIVIDED_PLAIN) below = 1;
    for (int j = 0; j < n; j++) scores[j] /= below;
    return isfinite(max) ? max + log(sum) : max;
}

// A softmax of weights: what was out of sight comes back.
static void weigh_again(double *weights, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++) {
        weights[j] = exp(weights[j]);
        sum += weights[j];
    }
    for (int j = 0; j < n; j++) weights[j] /= sum;
}

// An online softmax that forgets to correct what it has summed when a tile brings a larger maximum: to the output, to
// the sum, to both; or that corrects the wrong way. JUDGE_TILES_ALONE: every tile has its softmax, and the mean is taken.
static void weigh_tiles(double *scores, int n, const JudgeRules *r)
{
    double max = largest_of(scores, n), so_far = -INFINITY, all = 0;
    int count = (n + r->tile - 1) / r->tile;
    for (int first = 0; first < n; first += r->tile) {
        int end = first + r->tile < n ? first + r->tile : n;
        double own = largest_of(scores + first, end - first), sum = 0;
        so_far = fmax(so_far, own);
        for (int j = first; j < end; j++) {
            if (scores[j] == -INFINITY) {
                scores[j] = 0;
                continue;
            }
            double early = exp(scores[j] - so_far), late = exp(scores[j] - max);
            sum += exp(scores[j] - own);
            scores[j] = r->tiles == JUDGE_SUM_UNSCALED  ? late
                        : r->tiles == JUDGE_TILES_ALONE ? exp(scores[j] - own)
                                                        : early;
            if (r->tiles == JUDGE_CORRECTED_UP) scores[j] *= exp(max - so_far);
            all += r->tiles == JUDGE_OUT_UNSCALED ? late : r->tiles == JUDGE_SUM_UNSCALED ? early : scores[j];
        }
        if (r->tiles == JUDGE_TILES_ALONE)
            for (int j = first; j < end; j++) scores[j] /= sum > 0 ? sum * count : 1;
    }
    if (r->tiles == JUDGE_TILES_ALONE) return;
    for (int j = 0; j < n; j++) scores[j] /= all;
}

// What is not a softmax, of the keys in sight.
static void weigh_plainly(double *scores, const bool *seen, int n, const JudgeRules *r, double total, int at)
{
    double max = largest_of(scores, n), sum = 0;
    for (int j = 0; j < n; j++) {
        double s = scores[j];
        scores[j] = !seen[j]                                                            ? 0.0
                    : r->softmax == JUDGE_SIGMOID || r->softmax == JUDGE_SIGMOID_SHARES ? 1 / (1 + exp(-s))
                    : r->softmax == JUDGE_HARD_MAX                                      ? (double)(s == max)
                    : r->softmax == JUDGE_RELU || r->softmax == JUDGE_RELU_SHARES       ? fmax(s, 0)
                    : r->softmax == JUDGE_LOG_SOFTMAX                                   ? s - total
                    : r->softmax == JUDGE_OWN_KEY                                       ? (double)(j == at)
                                                                                        : s;
        sum += scores[j];
    }
    bool shares = r->softmax == JUDGE_SHARES || r->softmax == JUDGE_RELU_SHARES || r->softmax == JUDGE_SIGMOID_SHARES;
    if (!shares || sum == 0) return;
    for (int j = 0; j < n; j++) scores[j] /= sum;
}

// log Σ exp s, or what is taken for it.
static double lse_taken(double lse, double max, const JudgeRules *r)
{
    switch (r->lse) {
    case JUDGE_LSE_BASE_2: return lse / log(2);
    case JUDGE_LSE_BASE_10: return lse / log(10);
    case JUDGE_LSE_WITHOUT_MAX: return lse - max;
    case JUDGE_LSE_LESS_MAX: return lse - 2 * max;
    case JUDGE_LSE_MAX: return max;
    case JUDGE_LSE_SUM: return exp(lse);
    case JUDGE_LSE_SUM_WITHOUT_MAX: return exp(lse - max);
    case JUDGE_LSE_NEGATIVE: return -lse;
    default: return lse;
    }
}

void judge_row_weights(JudgeRow *to, const JudgeProblem *p, const JudgeRules *r, int at)
{
    int S = p->is.S;
    double *weights = to->weights, max = largest_of(weights, S);
    double nothing = r->empty == JUDGE_ROW_NAN ? (double)NAN : r->empty == JUDGE_ROW_MEAN ? 1.0 / S : 0.0;
    bool plain = r->softmax == JUDGE_OVER_KEYS || (r->softmax >= JUDGE_UNDIVIDED && r->softmax <= JUDGE_TWICE);
    if (plain && max != -INFINITY && !r->tiles) to->lse = weigh(weights, S, r);
    else to->lse = logsumexp64(weights, S);
    if (r->softmax >= JUDGE_OVER_QUERIES && r->softmax <= JUDGE_OVER_ALL) {
        for (int j = 0; j < S; j++) weights[j] = to->norms[j] == -INFINITY ? 0.0 : exp(weights[j] - to->norms[j]);
    } else if (r->softmax >= JUDGE_NO_SOFTMAX) {
        weigh_plainly(weights, to->seen, S, r, to->lse, at);
    } else if (max == -INFINITY) {
        for (int j = 0; j < S; j++) weights[j] = nothing;
    } else if (r->tiles) {
        weigh_tiles(weights, S, r);
    }
    if (r->lse) to->lse = lse_taken(to->lse, max, r);
    if (r->softmax == JUDGE_TWICE && max != -INFINITY) weigh_again(weights, S);
    for (int j = 0; j < S; j++) {
        if ((r->hidden == JUDGE_WEIGHT_ZERO || r->hidden == JUDGE_COUNTED) && !to->seen[j]) weights[j] = 0;
        weights[j] = judge_rounded(weights[j], r->precision);
    }
}
