// Chapter 25. RoPE frequencies, and the published scalings for longer contexts.
//
// Libraries compute frequencies and angles in float32, and models were trained that way: at position 1500 exact angles
// would change attention weights by 7e-5. So the same roundings are made here. Applying the rotation:
// attention/positions.h (interleaved), model/pretrained_run.c (rotate_half).
#ifndef MODEL_ROPE_FREQUENCIES_H
#define MODEL_ROPE_FREQUENCIES_H

#include "base/mat.h"

typedef enum {
    ROPE_SCALING_NONE,
    ROPE_SCALING_LINEAR,   // position interpolation: positions divided by a factor (Chen et al. 2023, arXiv:2306.15595)
    ROPE_SCALING_DYNAMIC,  // dynamic NTK: the base grows with the text beyond `positions`
    ROPE_SCALING_YARN,     // slow pairs are interpolated, fast ones kept (Peng et al. 2023, arXiv:2309.00071)
    ROPE_SCALING_LLAMA3,   // the same with other boundaries (Grattafiori et al. 2024, arXiv:2407.21783)
    ROPE_SCALING_LONGROPE, // a divisor per pair, a second set for long texts (Ding et al. 2024, 2402.13753)
    ROPE_SCALING_KINDS
} RopeScalingKind;

extern const char *const rope_scaling_names[ROPE_SCALING_KINDS]; // "default", "linear", …

typedef struct {
    RopeScalingKind kind;
    double factor;
    int original;                  // context length before scaling
    double low, high;              // llama3: low_freq_factor, high_freq_factor
    double fast, slow;             // yarn: beta_fast, beta_slow
    double attention;              // factor of cosines and sines
    Mat short_factor, long_factor; // (1, pairs) each, longrope's
} RopeScaling;

// out (1, pairs), pairs = (turned + 1) / 2: the angle per position of each pair, for a text of T tokens. `turned` is the
// number of rotated columns, `positions` the maximum context length.
void rope_frequencies(Mat out, double base, int turned, const RopeScaling *stretch, int positions, int T);

#endif
