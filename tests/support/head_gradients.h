// A backward pass of one head against central differences, for the suites of backward_attention and of its tiles.
#ifndef SUPPORT_HEAD_GRADIENTS_H
#define SUPPORT_HEAD_GRADIENTS_H

#include "attention/backward.h"
#include "support/reference.h"

// A gradient that has collected nothing yet, inside a frame of NaN.
Framed gradient_new(Mat of);

typedef struct {
    HeadProjections p, to; // random inputs, and views of the gradients below
    Framed dq, dk, dv;
    Mat dout;
    Attended did; // all three of the forward pass, which head_forward fills
    Mask mask;
} HeadCase;
HeadCase head_case(int T, int S, int d, int dv, Mask mask);
void head_forward(HeadCase c);

bool head_frames_untouched(HeadCase c);
void assert_head_gradients(HeadCase c);

#endif
