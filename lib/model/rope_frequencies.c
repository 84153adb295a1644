// Chapter 25. Each line rounds to float32 where the libraries do.
#include "model/rope_frequencies.h"

#include "base/portable_math.h"

const char *const rope_scaling_names[ROPE_SCALING_KINDS] = { "default", "linear", "dynamic",
                                                             "yarn",    "llama3", "longrope" };

static const double PI = 3.14159265358979323846;

// base^(2m / turned), rounded.
static float power(double base, int m, int turned)
{
    return (float)pow(base, (double)((float)(2 * m) / (float)turned));
}

// Dynamic NTK: the base for a text longer than those of training.
static double dynamic_base(double base, int turned, const RopeScaling *s, int positions, int T)
{
    double longest = T > positions ? T : positions;
    return base * pow(s->factor * longest / positions - (s->factor - 1.0), turned / (turned - 2.0));
}

// Pairs that rotate less than `low` times in the original length are interpolated, more than `high` times kept.
static float llama3(float frequency, const RopeScaling *s)
{
    float wave = 2.0f * (float)PI / frequency, original = (float)s->original;
    if (wave > original / (float)s->low) return frequency / (float)s->factor;
    if (wave < original / (float)s->high) return frequency;
    float share = (original / wave - (float)s->low) / (float)(s->high - s->low);
    return (1.0f - share) * frequency / (float)s->factor + share * frequency;
}

// The index of the pair that rotates `turns` times in the original length.
static double pair_of(double turns, double base, int turned, int original)
{
    return turned * log(original / (turns * 2.0 * PI)) / (2.0 * log(base));
}

static float yarn(float frequency, int m, double base, int turned, const RopeScaling *s)
{
    double low = floor(pair_of(s->fast, base, turned, s->original));
    double high = ceil(pair_of(s->slow, base, turned, s->original));
    low = fmax(low, 0.0);
    high = fmin(high, turned - 1.0);
    if (low == high) high += 0.001;
    float ramp = (float)fmin(fmax(((float)m - (float)low) / (float)(high - low), 0.0), 1.0);
    return frequency / (float)s->factor * ramp + frequency * (1.0f - ramp);
}

void rope_frequencies(Mat out, double base, int turned, const RopeScaling *s, int positions, int T)
{
    int pairs = (turned + 1) / 2;
    REQUIRE(out.rows == 1 && out.cols == pairs, "out is " MAT_SHAPE "; %d columns have %d pairs", MAT_SHAPED(out),
            turned, pairs);
    if (s->kind == ROPE_SCALING_DYNAMIC) base = dynamic_base(base, turned, s, positions, T);
    Mat factors = T > s->original ? s->long_factor : s->short_factor;
    for (int m = 0; m < pairs; m++) {
        float slow = power(base, m, turned), frequency = 1.0f / slow;
        if (s->kind == ROPE_SCALING_LINEAR) frequency /= (float)s->factor;
        if (s->kind == ROPE_SCALING_LLAMA3) frequency = llama3(frequency, s);
        if (s->kind == ROPE_SCALING_YARN) frequency = yarn(frequency, m, base, turned, s);
        if (s->kind == ROPE_SCALING_LONGROPE) frequency = 1.0f / (*mat_ref(factors, 0, m) * slow);
        *mat_ref(out, 0, m) = frequency;
    }
}
