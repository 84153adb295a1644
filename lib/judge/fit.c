// A first look at some numbers on few rows, then steps of Gauss and Newton on more: with r (n) what is left at each
// element and J = dr/dn, the next n is n − J·r / J·J.
#include "judge/fit.h"

#include "base/portable_math.h"

enum { FEW_ROWS = 2, ROWS = 12, FEW_STEPS = 6, STEPS = 40 };

typedef struct {
    const HypothesisSample *s;
    const CauseVariation *base;
    const Cause *cause;
    JudgeRow *room;
} Fit;

static bool variation_at(CauseVariation *v, const Fit *f, double number)
{
    *v = *f->base;
    return f->cause->apply(v, &f->s->c->setting, number);
}

// r (as many as are looked at): theirs less what a variation gives, 0 where theirs is not finite. Returns Σ r².
static double left_by(double *r, const Fit *f, const CauseVariation *v, int rows)
{
    const HypothesisCase *c = f->s->c;
    Hypothesis t = hypothesis_of(c, f->s->views, v);
    size_t width = (size_t)hypothesis_width(c);
    double sum = 0;
    int step = f->s->count > rows ? f->s->count / rows : 1;
    if (rows > f->s->count) rows = f->s->count;
    f->room->for_b = -1;
    for (int e = 0; e < rows; e++) {
        size_t row = f->s->rows[(f->s->middle + e * step) % f->s->count];
        const double *made = hypothesis_row(&t, c, f->room, row);
        for (size_t k = 0; k < width; k++, r++) {
            *r = isfinite(t.theirs[row * width + k]) ? t.theirs[row * width + k] - made[k] : 0;
            sum += *r * *r;
        }
    }
    return isfinite(sum) ? sum : INFINITY;
}

static double left_at(double *r, const Fit *f, double number, int rows)
{
    CauseVariation v;
    variation_at(&v, f, number);
    return left_by(r, f, &v, rows);
}

static double first_look(const Fit *f, double *r)
{
    const Cause *k = f->cause;
    double best = k->from, least = INFINITY;
    for (int e = 0; e < k->steps; e++) {
        double share = k->steps > 1 ? e / (k->steps - 1) : 0;
        double number = k->by_factor ? k->from * pow(k->to / k->from, share) : k->from + (k->to - k->from) * share;
        double left = left_at(r, f, number, FEW_ROWS);
        if (left < least) {
            least = left;
            best = number;
        }
    }
    return best;
}

// From `number` on, on so many rows; room for two vectors. *left is Σ r² at the end.
static double approach(const Fit *f, double number, double *left, int rows, int steps, double *r, double *moved)
{
    size_t count = (size_t)(rows < f->s->count ? rows : f->s->count) * (size_t)hypothesis_width(f->s->c);
    *left = left_at(r, f, number, rows);
    for (int step = 0; step < steps; step++) {
        double h = 1e-6 * (fabs(number) + 1e-6), along = 0, size = 0, next = INFINITY;
        left_at(moved, f, number + h, rows);
        for (size_t e = 0; e < count; e++) {
            double slope = (moved[e] - r[e]) / h;
            along += slope * r[e];
            size += slope * slope;
        }
        double go = size > 0 ? -along / size : 0;
        if (f->cause->by_factor) go = fmax(go, -0.9 * number);
        for (int halvings = 0; halvings < 5; halvings++) {
            next = left_at(moved, f, number + go, rows);
            if (next < *left) break;
            go /= 2;
        }
        if (!(next < *left)) break;
        number += go;
        *left = left_at(r, f, number, rows);
        if (fabs(go) < 1e-13 * fabs(number)) break;
    }
    return number;
}

bool fit_number(CauseVariation *best, double *number, const HypothesisSample *s, const CauseVariation *base,
                const Cause *cause, JudgeRow *room)
{
    Fit f = { s, base, cause, room };
    if (s->c->found.count < 16 || base->heads || !variation_at(best, &f, cause->from)) return false;
    Arena *scratch = arena_open();
    size_t rows = (size_t)(s->count < ROWS ? s->count : ROWS), count = rows * (size_t)hypothesis_width(s->c);
    double *r = arena_alloc(scratch, count * sizeof *r), *moved = arena_alloc(scratch, count * sizeof *moved);
    double before = left_by(r, &f, base, FEW_ROWS), left;
    *number = approach(&f, first_look(&f, r), &left, FEW_ROWS, FEW_STEPS, r, moved);
    bool promising = left < before / 2;
    if (promising) *number = approach(&f, *number, &left, ROWS, STEPS, r, moved);
    arena_close(scratch);
    return promising && variation_at(best, &f, *number);
}
