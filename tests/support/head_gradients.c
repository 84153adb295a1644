#include "support/head_gradients.h"

#include "base/portable_math.h"
#include "support/random_inputs.h"
#include "support/slopes.h"
#include "support/suite.h"

Framed gradient_new(Mat of)
{
    Framed gradient = framed_mat(arena, of.rows, of.cols, NAN);
    mat_fill(gradient.view, 0.0f);
    return gradient;
}

HeadCase head_case(int T, int S, int d, int dv, Mask mask)
{
    HeadCase c = { .p = { framed_random(T, d), framed_random(S, d), framed_random(S, dv) },
                   .dout = framed_random(T, dv),
                   .did = { framed_random(T, dv), framed_random(T, 1), framed_random(T, S) },
                   .mask = mask };
    c.dq = gradient_new(c.p.q);
    c.dk = gradient_new(c.p.k);
    c.dv = gradient_new(c.p.v);
    c.to = (HeadProjections){ c.dq.view, c.dk.view, c.dv.view };
    case_is("T %d, S %d, d %d, dv %d, causal %d, window %d, sinks %d, padding %d, alibi %g", T, S, d, dv, mask.causal,
            mask.window, mask.sinks, mask.padding, (double)mask.alibi);
    return c;
}

void head_forward(HeadCase c) { attention_naive(c.did, c.p.q, c.p.k, c.p.v, c.mask); }

bool head_frames_untouched(HeadCase c)
{
    return frame_untouched(c.dq, NAN) && frame_untouched(c.dk, NAN) && frame_untouched(c.dv, NAN);
}

typedef struct {
    Table q, k, v, dout;
    Mask mask;
} Head;

static double head_loss(void *of)
{
    const Head *h = of;
    return inner(h->dout, reference_attention(arena, h->q, h->k, h->v, h->mask).out);
}

void assert_head_gradients(HeadCase c)
{
    Head h = { table_of(arena, c.p.q), table_of(arena, c.p.k), table_of(arena, c.p.v), table_of(arena, c.dout),
               c.mask };
    assert_gradient(c.to.q, slopes(arena, h.q, head_loss, &h));
    assert_gradient(c.to.k, slopes(arena, h.k, head_loss, &h));
    assert_gradient(c.to.v, slopes(arena, h.v, head_loss, &h));
}
