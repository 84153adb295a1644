// Scores to weights: the softmax, and the mistakes in its place.
#include "base/portable_math.h"
#include "judge/row.h"

// Maximum; NaN if any score is NaN.
static double largest_of(const double *scores, int n)
{
    double max = -INFINITY;
    for (int j = 0; j < n; j++)
        if (!(scores[j] <= max)) max = isnan(max) ? max : scores[j];
    return max;
}

// log Σ exp(s). −INFINITY if all scores are; NaN and +INFINITY are returned unchanged.
static double logsumexp64(const double *scores, int n)
{
    double max = largest_of(scores, n), sum = 0;
    if (!isfinite(max)) return max;
    for (int j = 0; j < n; j++) sum += exp(scores[j] - max);
    return max + log(sum);
}

// Softmax of a row with at least one visible key. Returns the logsumexp.
static double softmax_row(double *scores, int n, const JudgeRules *r)
{
    double max = largest_of(scores, n), sum = 0;
    for (int j = 0; j < n; j++) {
        double weight = isfinite(max) ? exp(scores[j] - max) : (double)NAN;
        if (j < n - r->sum_skip_last) sum += weight;
        scores[j] = r->softmax == JUDGE_UNDIVIDED_PLAIN ? exp(scores[j]) : weight;
    }
    double denominator = sum + r->below + (r->below_plain != 0 ? r->below_plain * exp(-max) : 0);
    if (r->softmax == JUDGE_UNDIVIDED || r->softmax == JUDGE_UNDIVIDED_PLAIN) denominator = 1;
    for (int j = 0; j < n; j++) scores[j] /= denominator;
    return isfinite(max) ? max + log(sum) : max;
}

// Softmax applied to the weights again: hidden keys get weight again.
static void softmax_twice(double *weights, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++) {
        weights[j] = exp(weights[j]);
        sum += weights[j];
    }
    for (int j = 0; j < n; j++) weights[j] /= sum;
}

// Mistakes of an online softmax: does not rescale output, sum or both when a tile brings a larger maximum, or rescales
// the wrong way. JUDGE_TILES_ALONE: a softmax per tile, then the mean of the tiles.
static void softmax_tiles_mistaken(double *scores, int n, const JudgeRules *r)
{
    double max = largest_of(scores, n), running_max = -INFINITY, all = 0;
    int count = (n + r->tile - 1) / r->tile;
    for (int first = 0; first < n; first += r->tile) {
        int end = first + r->tile < n ? first + r->tile : n;
        double tile_max = largest_of(scores + first, end - first), sum = 0;
        running_max = fmax(running_max, tile_max);
        for (int j = first; j < end; j++) {
            if (scores[j] == -INFINITY) {
                scores[j] = 0;
                continue;
            }
            double early = exp(scores[j] - running_max), final = exp(scores[j] - max);
            sum += exp(scores[j] - tile_max);
            scores[j] = r->tiles == JUDGE_SUM_UNSCALED  ? final
                        : r->tiles == JUDGE_TILES_ALONE ? exp(scores[j] - tile_max)
                                                        : early;
            if (r->tiles == JUDGE_CORRECTED_UP) scores[j] *= exp(max - running_max);
            all += r->tiles == JUDGE_OUT_UNSCALED ? final : r->tiles == JUDGE_SUM_UNSCALED ? early : scores[j];
        }
        if (r->tiles == JUDGE_TILES_ALONE)
            for (int j = first; j < end; j++) scores[j] /= sum > 0 ? sum * count : 1;
    }
    if (r->tiles == JUDGE_TILES_ALONE) return;
    for (int j = 0; j < n; j++) scores[j] /= all;
}

// Functions used instead of the softmax, over the visible keys.
static void weights_without_softmax(double *scores, const bool *seen, int n, const JudgeRules *r, double total, int at)
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

// The logsumexp, or what is returned instead of it.
static double mistaken_lse(double lse, double max, const JudgeRules *r)
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
    double empty_weight = r->empty == JUDGE_ROW_NAN ? (double)NAN : r->empty == JUDGE_ROW_MEAN ? 1.0 / S : 0.0;
    bool plain = r->softmax == JUDGE_OVER_KEYS || (r->softmax >= JUDGE_UNDIVIDED && r->softmax <= JUDGE_TWICE);
    if (plain && max != -INFINITY && !r->tiles) to->lse = softmax_row(weights, S, r);
    else to->lse = logsumexp64(weights, S);
    if (r->softmax >= JUDGE_OVER_QUERIES && r->softmax <= JUDGE_OVER_ALL) {
        for (int j = 0; j < S; j++) weights[j] = to->norms[j] == -INFINITY ? 0.0 : exp(weights[j] - to->norms[j]);
    } else if (r->softmax >= JUDGE_NO_SOFTMAX) {
        weights_without_softmax(weights, to->seen, S, r, to->lse, at);
    } else if (max == -INFINITY) {
        for (int j = 0; j < S; j++) weights[j] = empty_weight;
    } else if (r->tiles) {
        softmax_tiles_mistaken(weights, S, r);
    }
    if (r->lse) to->lse = mistaken_lse(to->lse, max, r);
    if (r->softmax == JUDGE_TWICE && max != -INFINITY) softmax_twice(weights, S);
    for (int j = 0; j < S; j++) {
        if ((r->hidden == JUDGE_WEIGHT_ZERO || r->hidden == JUDGE_COUNTED) && !to->seen[j]) weights[j] = 0;
        weights[j] = judge_rounded(weights[j], r->precision);
    }
}
