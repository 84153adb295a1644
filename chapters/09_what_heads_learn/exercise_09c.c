// Exercise 09c. An induction head, made by hand.
//
// A head of layer 0 has done its part: row t of the stream, x (T, 8), says two things. Columns 0 to 3 say which of four
// tokens stands at t: one column is 1. Columns 4 to 7 are the note of which token stood before it, in the same way; in
// row 0 they are 0. For the tokens 2 0 1 2 row 3 is
//
//     0 0 1 0   0 1 0 0        here stands 2, and before it stood 1
//
// The head of layer 1 is causal: weights = softmax((x Wq)(x Wk)ᵀ / √4), and what it hands on is weights (x Wv), (T, 4).
// Fill in the three matrices so that, wherever a token has been there before, the head gives 0.9 of its weight or more
// to the places right after it, and hands on the token that stands there: after the tokens above, 0.
// Hint: *mat_ref(wq, i, j) = 1.0f; sets one element. The matrices come in as zeros.
//
// Then run: make exercise-09c
#include "base/mat.h"

// wq, wk and wv are (8, 4).
void my_induction_head(Mat wq, Mat wk, Mat wv)
{
    (void)wq;
    (void)wk;
    (void)wv;
    // your code goes here
}
