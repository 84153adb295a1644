// The effect of rounding is found by simulation: inputs, scores, weights and results are rounded.
#include "judge/rounding.h"

#include "base/portable_math.h"

typedef struct {
    double relative, root_mean, largest;
} Rounding;

// Error that a precision causes on the sample.
static Rounding rounding_of(const HypothesisSample *s, const CauseVariation *exact, JudgePrecision precision)
{
    const HypothesisCase *c = s->c;
    CauseVariation rounded = *exact;
    rounded.rules.precision = precision;
    Arena *scratch = arena_open();
    Hypothesis one = hypothesis_of(c, s->views, exact), other = hypothesis_of(c, s->views, &rounded);
    JudgeRow scratches[2] = { hypothesis_room(scratch, c), hypothesis_room(scratch, c) };
    Comparison sum = { 0 };
    size_t width = (size_t)hypothesis_width(c);
    for (int e = 0; e < s->count; e++) {
        const double *ours = hypothesis_row(&one, c, &scratches[0], s->rows[e]);
        compare_add(&sum,
                    compare_arrays(hypothesis_row(&other, c, &scratches[1], s->rows[e]), ours, width, c->tolerance), 0);
    }
    arena_close(scratch);
    return (Rounding){ compare_relative(&sum), sum.count ? sqrt(sum.difference / (double)sum.count) : 0, sum.largest };
}

// Share of numbers that differ by more than `least`. Rounding changes nearly all numbers, a mask mistake only some, and
// an error far below this precision none.
static double share_touched(const HypothesisSample *s, const CauseVariation *v, double least)
{
    const HypothesisCase *c = s->c;
    size_t touched = 0, count = 0, width = (size_t)hypothesis_width(c);
    Arena *scratch = arena_open();
    Hypothesis t = hypothesis_of(c, s->views, v);
    JudgeRow row_scratch = hypothesis_room(scratch, c);
    for (int e = 0; e < s->count; e++) {
        const double *row = hypothesis_row(&t, c, &row_scratch, s->rows[e]), *theirs = t.theirs + s->rows[e] * width;
        for (size_t k = 0; k < width; k++, count++) touched += fabs(row[k] - theirs[k]) > least;
    }
    arena_close(scratch);
    return count ? (double)touched / (double)count : 0;
}

JudgePrecision rounding_like(const HypothesisSample *s, const CauseVariation *v, Comparison left, double *rounding)
{
    static const JudgePrecision tried[] = { JUDGE_FLOAT32, JUDGE_FLOAT16, JUDGE_BFLOAT16 };
    bool by_column = v->rules.softmax >= JUDGE_OVER_QUERIES && v->rules.softmax <= JUDGE_OVER_ALL;
    double relative = compare_relative(&left); // INFINITY if NaN or Inf mismatch
    if (relative > 1 || v->heads || (by_column && (size_t)s->count < s->of)) return JUDGE_EXACT;
    for (int p = 0; p < 3; p++) {
        Rounding simulated = rounding_of(s, v, tried[p]);
        double allowed = tried[p] == JUDGE_FLOAT32 ? 30 : 3; // float32 sums accumulate more than one rounding error
        bool too_large = relative > allowed * simulated.relative || left.largest > 2 * allowed * simulated.largest;
        *rounding = simulated.relative;
        if (!too_large && share_touched(s, v, simulated.root_mean / 50) > 0.5) return tried[p];
    }
    return JUDGE_EXACT;
}

static bool all_are(const HypothesisCase *c, JudgePrecision precision)
{
    for (size_t e = 0; e < c->found.count; e++)
        if (isfinite(c->theirs[e]) && judge_rounded(c->theirs[e], precision) != c->theirs[e]) return false;
    return true;
}

JudgePrecision rounding_shown(const HypothesisCase *c)
{
    return all_are(c, JUDGE_BFLOAT16) ? JUDGE_BFLOAT16 : all_are(c, JUDGE_FLOAT16) ? JUDGE_FLOAT16 : JUDGE_EXACT;
}
