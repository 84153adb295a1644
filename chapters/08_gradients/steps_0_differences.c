// Chapter 08. The same loss in float64, and its slopes by finite differences: what every gradient is held against.
#include "base/portable_math.h"
#include "steps.h"

Wide wide(Arena *arena, Mat m)
{
    Wide w = { arena_alloc(arena, (size_t)m.rows * (size_t)m.cols * sizeof(double)), m.rows, m.cols };
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) w.at[i * m.cols + j] = mat_value(m, i, j);
    return w;
}

static Wide product64(Arena *arena, Wide a, Wide b)
{
    Wide c = { arena_alloc(arena, (size_t)a.rows * (size_t)b.cols * sizeof(double)), a.rows, b.cols };
    for (int i = 0; i < a.rows; i++)
        for (int l = 0; l < a.cols; l++)
            for (int j = 0; j < b.cols; j++) c.at[i * b.cols + j] += a.at[i * a.cols + l] * b.at[l * b.cols + j];
    return c;
}

// Row `word` of what one head gives: columns first … of q and k, first_v … of v.
static void attend64(double *out, const Forward64 *f, int first, int d, int first_v, int dv)
{
    int S = f->k.rows;
    double *weights = arena_alloc(f->arena, (size_t)S * sizeof *weights), max = -INFINITY, sum = 0.0;
    const double *q = f->q.at + f->wish.word * f->q.cols + first;
    for (int j = 0; j < S; j++) {
        for (int c = 0; c < d; c++) weights[j] += q[c] * f->k.at[j * f->k.cols + first + c];
        weights[j] /= sqrt(d);
        max = fmax(max, weights[j]);
    }
    for (int j = 0; j < S; j++) {
        weights[j] = exp(weights[j] - max);
        sum += weights[j];
    }
    for (int j = 0; j < S; j++)
        for (int c = 0; c < dv; c++) out[c] += weights[j] / sum * f->v.at[j * f->v.cols + first_v + c];
}

double loss64(const Forward64 *given)
{
    Forward64 f = *given;
    ArenaMark mark = arena_mark(f.arena);
    if (f.x.at) {
        f.q = product64(f.arena, f.x, f.wq);
        f.k = product64(f.arena, f.x, f.wk);
        f.v = product64(f.arena, f.x, f.wv);
    }
    int d = f.q.cols / f.H, dv = f.v.cols / f.H;
    Wide out = { arena_alloc(f.arena, (size_t)f.v.cols * sizeof(double)), 1, f.v.cols };
    for (int h = 0; h < f.H; h++) attend64(out.at + h * dv, &f, h * d, d, h * dv, dv);
    if (f.wo.at) out = product64(f.arena, out, f.wo);
    double loss = 0.0;
    for (int c = 0; c < out.cols; c++) {
        double off = out.at[c] - mat_value(f.wish.wanted, 0, c);
        loss += 0.5 * off * off;
    }
    arena_release(f.arena, mark);
    return loss;
}

// (loss(x + h) − loss(x − h)) / 2h, for one number x of what `f` holds.
double central(double *x, double h, const Forward64 *f)
{
    double at = *x;
    *x = at + h;
    double up = loss64(f);
    *x = at - h;
    double down = loss64(f);
    *x = at;
    return (up - down) / (2.0 * h);
}

Mat differences(Arena *arena, Wide m, const Forward64 *f)
{
    Mat slopes = mat_new(arena, m.rows, m.cols);
    for (int e = 0; e < m.rows * m.cols; e++) slopes.at[e] = (float)central(&m.at[e], 1e-5, f);
    return slopes;
}

Forward64 head_in_64(Arena *arena, const Head *h, bool with_projections)
{
    Forward64 f = { .arena = arena, .H = 1, .wish = h->wish };
    if (with_projections) {
        f.x = wide(arena, h->kept.x);
        f.wq = wide(arena, h->head.w.wq);
        f.wk = wide(arena, h->head.w.wk);
        f.wv = wide(arena, h->head.w.wv);
    } else {
        f.q = wide(arena, h->kept.p.q);
        f.k = wide(arena, h->kept.p.k);
        f.v = wide(arena, h->kept.p.v);
    }
    return f;
}

// Claims that a gradient is what finite differences say. The error is measured against the gradient's largest entry
// (below 0.01: against 0.01). At most 1e-4 is right; what is printed is a bound, as last digits differ among machines.
void check_gradient(Lesson *lesson, const char *name, Mat gradient, Mat slopes)
{
    double largest = mat_magnitude(slopes), error = mat_max_difference(gradient, slopes) / fmax(largest, 0.01);
    bool well_below = 3.0 * error < 1e-5;
    check(lesson, error <= 1e-4, "%s: %d × %d derivatives, the largest %.3f; none is off by more than %s of that", name,
          gradient.rows, gradient.cols, largest, well_below ? "1e-5" : "1e-4");
}
