// Chapter 07. Positional encodings: added to embeddings (sinusoidal), rotating queries and keys (RoPE), or added to
// scores (ALiBi).
#include "attention/positions.h"

#include "base/cost.h"
#include "base/portable_math.h"

static const double BASE = 10000.0;

// Rotation of pair m of width / 2 per position, in radians: from 1 for the first pair down to nearly 1 / base.
static double frequency(int m, int width, double base) { return pow(base, -2.0 * m / width); }

// In float64, positions are exact for any `first`.
static double angle(int first, int row, double rotation) { return ((double)first + row) * rotation; }

// Every pair of columns is (sin, cos) of an angle proportional to the position.
void sinusoidal(Mat table, int first)
{
    REQUIRE(table.cols % 2 == 0, "the table is " MAT_SHAPE "; a sine and a cosine make a pair: its width must be even",
            MAT_SHAPED(table));
    for (int m = 0; m < table.cols / 2; m++) {
        double rotation = frequency(m, table.cols, BASE);
        for (int i = 0; i < table.rows; i++) {
            *mat_ref(table, i, 2 * m) = (float)sin(angle(first, i, rotation));
            *mat_ref(table, i, 2 * m + 1) = (float)cos(angle(first, i, rotation));
        }
        cost_counted.multiplies += table.rows;
    }
}

void sinusoidal_add(Mat x, int first)
{
    Arena *scratch = arena_open();
    Mat table = mat_new(scratch, x.rows, x.cols);
    sinusoidal(table, first);
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < x.cols; c++) *mat_ref(x, i, c) += *mat_ref(table, i, c);
    arena_close(scratch);
}

RopeTable rope_table(Arena *arena, int first, int T, int d) { return rope_table_scaled(arena, first, T, d, BASE, 1.0); }

RopeTable rope_table_scaled(Arena *arena, int first, int T, int d, double base, double stretch)
{
    REQUIRE(base > 1.0, "the base is %g; it must be over 1", base);
    REQUIRE(stretch > 0.0, "the stretch is %g; it must be over 0", stretch);
    REQUIRE(d >= 0 && d % 2 == 0, "d is %d; columns are turned in pairs: it must be even", d);
    RopeTable rotations = { mat_new(arena, T, d / 2), mat_new(arena, T, d / 2) };
    for (int m = 0; m < d / 2; m++) {
        double rotation = frequency(m, d, base) / stretch;
        for (int i = 0; i < T; i++) {
            *mat_ref(rotations.cosine, i, m) = (float)cos(angle(first, i, rotation));
            *mat_ref(rotations.sine, i, m) = (float)sin(angle(first, i, rotation));
        }
        cost_counted.multiplies += T;
    }
    return rotations;
}

// (a, b) rotated by θ is (a cos θ − b sin θ, a sin θ + b cos θ): four multiplications; the norm is unchanged. The
// inverse rotates by −θ, which only negates the sine.
static void rotate_pairs(Mat m, RopeTable rotations, bool inverse)
{
    REQUIRE(m.cols % 2 == 0, "m is " MAT_SHAPE "; columns are turned in pairs: their number must be even",
            MAT_SHAPED(m));
    Mat c = rotations.cosine, s = rotations.sine;
    REQUIRE(c.rows == m.rows && c.cols == m.cols / 2 && s.rows == c.rows && s.cols == c.cols,
            "m is " MAT_SHAPE ", the turns are " MAT_SHAPE "; they must be " MAT_SHAPE, MAT_SHAPED(m), MAT_SHAPED(c),
            m.rows, m.cols / 2);
    for (int i = 0; i < m.rows; i++)
        for (int pair = 0; pair < m.cols / 2; pair++) {
            float *values = mat_row(m, i) + 2 * pair, a = values[0], b = values[1];
            float cosine = *mat_ref(c, i, pair), sine = inverse ? -*mat_ref(s, i, pair) : *mat_ref(s, i, pair);
            values[0] = a * cosine - b * sine;
            values[1] = a * sine + b * cosine;
        }
    cost_counted.multiplies += 4 * (int64_t)m.rows * (m.cols / 2);
}

void rope_apply(Mat m, RopeTable rotations) { rotate_pairs(m, rotations, false); }
void rope_undo(Mat m, RopeTable rotations) { rotate_pairs(m, rotations, true); }

float alibi_slope(int h, int H)
{
    REQUIRE(0 <= h && h < H, "head %d of %d", h, H);
    return (float)exp2(-8.0 * (h + 1) / H);
}
