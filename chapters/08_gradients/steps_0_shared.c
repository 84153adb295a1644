// Chapter 08. The loss of a wish, forward and backward, and room for gradients.
#include "steps.h"

bool all_zero(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            if (*mat_ref(m, i, j) != 0.0f) return false;
    return true;
}

double loss_of(Mat out, Wish wish)
{
    double loss = 0.0;
    for (int c = 0; c < out.cols; c++) {
        double off = mat_value(out, wish.word, c) - mat_value(wish.wanted, 0, c);
        loss += 0.5 * off * off;
    }
    return loss;
}

// The derivative of ½ (out − wanted)² is out − wanted. All other rows are not looked at: 0.
Mat loss_backward(Arena *arena, Mat out, Wish wish)
{
    Mat dout = mat_new(arena, out.rows, out.cols);
    for (int c = 0; c < out.cols; c++)
        *mat_ref(dout, wish.word, c) = *mat_ref(out, wish.word, c) - *mat_ref(wish.wanted, 0, c);
    return dout;
}

HeadProjections gradients_of(Arena *arena, HeadProjections p)
{
    return (HeadProjections){ mat_new(arena, p.q.rows, p.q.cols), mat_new(arena, p.k.rows, p.k.cols),
                              mat_new(arena, p.v.rows, p.v.cols) };
}

HeadWeights gradients_of_weights(Arena *arena, HeadWeights w)
{
    return (HeadWeights){ mat_new(arena, w.wq.rows, w.wq.cols), mat_new(arena, w.wk.rows, w.wk.cols),
                          mat_new(arena, w.wv.rows, w.wv.cols) };
}
