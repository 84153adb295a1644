// Least squares in one unknown n: a grid search on few rows, then Gauss-Newton steps on more. With the residuals r(n)
// and J = dr/dn, the next n is n − J·r / J·J, with step halving.
#include "judge/fit.h"

#include "base/portable_math.h"

enum { FEW_ROWS = 2, ROWS = 12, FEW_STEPS = 6, STEPS = 40 };

typedef struct {
    const HypothesisSample *s;
    const CauseVariation *base;
    const Cause *cause;
    JudgeRow *scratch;
} Fit;

static bool variation_at(CauseVariation *v, const Fit *f, double number)
{
    *v = *f->base;
    return f->cause->apply(v, &f->s->c->setting, number);
}

// Residuals r: theirs minus the variation's result, 0 where theirs is not finite. Returns Σ r².
static double residuals(double *r, const Fit *f, const CauseVariation *v, int rows)
{
    const HypothesisCase *c = f->s->c;
    Hypothesis t = hypothesis_of(c, f->s->views, v);
    size_t width = (size_t)hypothesis_width(c);
    double sum = 0;
    int step = f->s->count > rows ? f->s->count / rows : 1;
    if (rows > f->s->count) rows = f->s->count;
    f->scratch->for_b = -1;
    for (int e = 0; e < rows; e++) {
        size_t row = f->s->rows[(f->s->middle + e * step) % f->s->count];
        const double *row_result = hypothesis_row(&t, c, f->scratch, row);
        for (size_t k = 0; k < width; k++, r++) {
            *r = isfinite(t.theirs[row * width + k]) ? t.theirs[row * width + k] - row_result[k] : 0;
            sum += *r * *r;
        }
    }
    return isfinite(sum) ? sum : INFINITY;
}

static double residuals_at(double *r, const Fit *f, double number, int rows)
{
    CauseVariation v;
    variation_at(&v, f, number);
    return residuals(r, f, &v, rows);
}

static double grid_search(const Fit *f, double *r)
{
    const Cause *k = f->cause;
    double best = k->from, smallest = INFINITY;
    for (int e = 0; e < k->steps; e++) {
        double share = k->steps > 1 ? e / (k->steps - 1) : 0;
        double number = k->by_factor ? k->from * pow(k->to / k->from, share) : k->from + (k->to - k->from) * share;
        double left = residuals_at(r, f, number, FEW_ROWS);
        if (left < smallest) {
            smallest = left;
            best = number;
        }
    }
    return best;
}

// Gauss-Newton from `number`, on `rows` rows. r and moved are scratch. *left becomes Σ r².
static double gauss_newton(const Fit *f, double number, double *left, int rows, int steps, double *r, double *moved)
{
    size_t count = (size_t)(rows < f->s->count ? rows : f->s->count) * (size_t)hypothesis_width(f->s->c);
    *left = residuals_at(r, f, number, rows);
    for (int step = 0; step < steps; step++) {
        double h = 1e-6 * (fabs(number) + 1e-6), gradient = 0, curvature = 0, next = INFINITY;
        residuals_at(moved, f, number + h, rows);
        for (size_t e = 0; e < count; e++) {
            double slope = (moved[e] - r[e]) / h;
            gradient += slope * r[e];
            curvature += slope * slope;
        }
        double delta = curvature > 0 ? -gradient / curvature : 0;
        if (f->cause->by_factor) delta = fmax(delta, -0.9 * number);
        for (int halvings = 0; halvings < 5; halvings++) {
            next = residuals_at(moved, f, number + delta, rows);
            if (next < *left) break;
            delta /= 2;
        }
        if (!(next < *left)) break;
        number += delta;
        *left = residuals_at(r, f, number, rows);
        if (fabs(delta) < 1e-13 * fabs(number)) break;
    }
    return number;
}

bool fit_number(CauseVariation *best, double *number, const HypothesisSample *s, const CauseVariation *base,
                const Cause *cause, JudgeRow *row_scratch)
{
    Fit f = { s, base, cause, row_scratch };
    if (s->c->found.count < 16 || base->heads || !variation_at(best, &f, cause->from)) return false;
    Arena *scratch = arena_open();
    size_t rows = (size_t)(s->count < ROWS ? s->count : ROWS), count = rows * (size_t)hypothesis_width(s->c);
    double *r = arena_alloc(scratch, count * sizeof *r), *moved = arena_alloc(scratch, count * sizeof *moved);
    double before = residuals(r, &f, base, FEW_ROWS), left;
    *number = gauss_newton(&f, grid_search(&f, r), &left, FEW_ROWS, FEW_STEPS, r, moved);
    bool promising = left < before / 2;
    if (promising) *number = gauss_newton(&f, *number, &left, ROWS, STEPS, r, moved);
    arena_close(scratch);
    return promising && variation_at(best, &f, *number);
}
