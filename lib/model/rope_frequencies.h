// Chapter 25. RoPE's frequencies, and the published ways to stretch them over longer texts.
//
// Libraries compute frequencies and angles in float32, and models were trained so: at position 1500 exact angles would
// put maps 7e-5 off. So these are rounded as there. What is not here: the pairs themselves (attention/positions.h turns
// neighbours; published models mostly turn columns m and m + n/2, model/pretrained_run.c).
#ifndef MODEL_ROPE_FREQUENCIES_H
#define MODEL_ROPE_FREQUENCIES_H

#include "base/mat.h"

typedef enum {
    ROPE_SCALING_NONE,
    ROPE_SCALING_LINEAR,   // all positions divided by a factor (Chen et al. 2023, arXiv:2306.15595)
    ROPE_SCALING_DYNAMIC,  // the base grows with the text beyond `positions`
    ROPE_SCALING_YARN,     // slow pairs divided, fast ones left (Peng et al. 2023, arXiv:2309.00071)
    ROPE_SCALING_LLAMA3,   // the same with other edges (Grattafiori et al. 2024, arXiv:2407.21783)
    ROPE_SCALING_LONGROPE, // a divisor for each pair, other ones for long texts (Ding et al. 2024, 2402.13753)
    ROPE_SCALING_KINDS
} RopeScalingKind;

extern const char *const rope_scaling_names[ROPE_SCALING_KINDS]; // "default", "linear", …

typedef struct {
    RopeScalingKind kind;
    double factor;
    int original;                  // the longest text before the stretch
    double low, high;              // llama3: low_freq_factor, high_freq_factor
    double fast, slow;             // yarn: beta_fast, beta_slow
    double attention;              // what cosines and sines are multiplied by
    Mat short_factor, long_factor; // (1, pairs) each, longrope's
} RopeScaling;

// out (1, pairs), pairs = (turned + 1) / 2: the angle of one position for each pair, for a text of T tokens.
// `positions`: the longest text that the model is for.
void rope_frequencies(Mat out, double base, int turned, const RopeScaling *stretch, int positions, int T);

#endif
