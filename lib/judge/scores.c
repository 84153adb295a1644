// Which keys a query sees, and their scores.
#include "base/portable_math.h"
#include "judge/row.h"
#include "judge/sums.h"

#include <stdlib.h>

int judge_index_mistake(JudgeIndexMistake whose, int own, int count)
{
    switch (whose) {
    case JUDGE_FIRST: return 0;
    case JUDGE_NEXT: return (own + 1) % count;
    case JUDGE_BEFORE: return (own + count - 1) % count;
    case JUDGE_REVERSED: return count - 1 - own;
    default: return own;
    }
}

int judge_row_key_head(const JudgeProblem *p, JudgeIndexMistake whose, int h)
{
    int H = p->is.H, G = p->is.G;
    return whose == JUDGE_IN_TURN     ? h % G
           : whose == JUDGE_BY_GROUPS ? h / G % G
                                      : judge_index_mistake(whose, h / (H / G), G);
}

// ---- masks

int judge_row_keys(const JudgeProblem *p, const JudgeRules *r, int b, int h)
{
    if (!p->lengths) return p->is.S;
    int whose =
        r->length_of == JUDGE_IN_TURN ? (b * p->is.H + h) % p->is.B : judge_index_mistake(r->length_of, b, p->is.B);
    int keys = p->lengths[whose] + r->longer;
    return keys < 0 ? 0 : keys < p->is.S ? keys : p->is.S;
}

int judge_position(const JudgeProblem *p, const JudgeRules *r, int b, int i)
{
    switch (r->position) {
    case JUDGE_TOP_LEFT: return i;
    case JUDGE_BY_OWN_LENGTH: return i + (p->lengths ? p->lengths[b] : p->is.S) - p->is.T;
    default: return i + p->is.S - p->is.T;
    }
}

// The last key that the causal mask shows.
static int last_visible_key(const JudgeRules *r, int at)
{
    int tile = abs(r->causal_tile);
    if (tile == 0) return at + r->shift;
    return at < 0 ? -1 : r->causal_tile > 0 ? at / tile * tile + tile - 1 : (at + 1) / tile * tile - 1;
}

static bool is_filler(const JudgeProblem *p, const JudgeRules *r, int keys, int j)
{
    return !r->padding_seen && (r->padding_in_front ? j < p->is.S - keys : j >= keys);
}

// Does the mask show key j to a query at position `at`? Padding is handled elsewhere.
static bool mask_shows(const JudgeRules *r, int at, int j)
{
    if (r->sinks_ahead && j < r->sinks) return true;
    if (r->self_hidden && j == at) return false;
    if (r->causal && (r->future ? j < at : j > last_visible_key(r, at))) return false;
    if (r->window == 0 || j < r->sinks) return true;
    if (r->window_blocks) return at >= 0 && j / r->window == at / r->window;
    return at - r->window < j && (j < at + r->window || r->window_behind);
}

static bool in_loop(const JudgeProblem *p, const JudgeRules *r, int j)
{
    return r->skip_first <= j && j < p->is.S - r->skip_last;
}

static bool in_sight(const JudgeProblem *p, const JudgeRules *r, int keys, int at, int j)
{
    return in_loop(p, r, j) && (!is_filler(p, r, keys, j) && mask_shows(r, at, j)) != r->inverted;
}

bool judge_row_sees_any(const JudgeProblem *p, const JudgeRules *r, int b, int i)
{
    int keys = judge_row_keys(p, r, b, 0), at = judge_position(p, r, b, i);
    for (int j = 0; j < p->is.S; j++)
        if (in_sight(p, r, keys, at, j)) return true;
    return false;
}

// ---- ALiBi

// Slopes when the number of heads is not a power of 2, as in the authors' code: the slopes of the power below, then
// every second slope of the power above. [Press et al. 2022, their published code; the paper gives powers of 2 only]
static double slope_of_powers(int h, int H)
{
    int power = 1;
    while (power * 2 <= H) power *= 2;
    return h < power ? exp2(-8.0 * (h + 1) / power) : exp2(-4.0 * (2 * (h - power) + 1) / power);
}

double judge_slope(const JudgeRules *r, int h, int H, int G)
{
    double times = r->slope_times == 0 ? 1 : r->slope_times;
    if (r->alibi_scaled) times *= r->scale;
    switch (r->slopes) {
    case JUDGE_SLOPES_FROM_ONE: return times * exp2(-8.0 * h / H);
    case JUDGE_SLOPES_OF_POWERS: return times * slope_of_powers(h, H);
    case JUDGE_SLOPES_REVERSED: return times * exp2(-8.0 * (H - h) / H);
    case JUDGE_SLOPES_OF_KEY_HEADS: return times * exp2(-8.0 * (h / (H / G) + 1) / G);
    case JUDGE_SLOPES_ONE: return times * exp2(-8.0 / H);
    case JUDGE_SLOPES_HALVES: return times * exp2(-1.0 - h);
    default: return times * exp2(-8.0 * (h + 1) / H);
    }
}

// ---- one row

// How a hidden key is hidden. If `only_filler` is set, keys that are not padding have no score.
static JudgeHiddenBy hidden_by(const JudgeRules *r, int at, int j)
{
    return r->only_filler && !mask_shows(r, at, j) ? JUDGE_SCORE_MINUS_INFINITY : r->hidden;
}

static double capped(double score, const JudgeRules *r)
{
    if (r->cap != 0) score = r->cap * tanh(score / r->cap);
    return score;
}

void judge_row_scores(double *scores, bool *seen, const JudgeProblem *p, const JudgeRules *r, int b, int h, int i,
                      int first, int end)
{
    JudgeShape is = p->is;
    size_t S = (size_t)is.S, d = (size_t)is.d;
    int at = judge_position(p, r, b, i), keys = judge_row_keys(p, r, b, h),
        columns = is.d - r->d_skip_first - r->d_skip_last;
    int head = judge_index_mistake(r->k_sequence, b, is.B) * is.G + judge_row_key_head(p, r->k_head, h);
    int from = judge_index_mistake(r->q_sequence, b, is.B) * is.H + judge_index_mistake(r->q_head, h, is.H);
    const double *q = p->q + ((size_t)from * (size_t)is.T + (size_t)((i + r->q_ahead + is.T) % is.T)) * d;
    const double *k = (r->v_for_k ? p->v : p->k) + (size_t)head * S * d + r->d_skip_first;
    q += r->d_skip_first;
    double slope = r->alibi ? judge_slope(r, h, is.H, is.G) : 0;
    for (int j = first; j < end; j++) {
        seen[j] = in_sight(p, r, keys, at, j);
        bool there = in_loop(p, r, j);
        JudgeHiddenBy how = seen[j] || !r->hidden ? r->hidden : hidden_by(r, at, j);
        scores[j] = there && how == JUDGE_SCORE_SET ? r->hidden_score
                    : there && how == JUDGE_COUNTED ? 0
                                                    : (double)-INFINITY;
        if (!there || (!seen[j] && how != JUDGE_SCORE_ADDED && how != JUDGE_WEIGHT_ZERO)) continue;
        int row = r->k_ahead ? (j + r->k_ahead + is.S) % is.S : j;
        scores[j] = capped(judge_dot(q, k + (size_t)row * d, columns) * r->scale, r);
        if (r->alibi) scores[j] -= slope * (r->alibi_signed ? at - j : abs(at - j));
        if (r->base2) scores[j] *= log(2);
        if (!seen[j] && how == JUDGE_SCORE_ADDED) scores[j] += r->hidden_score;
        scores[j] = judge_rounded(scores[j], r->precision);
    }
}
