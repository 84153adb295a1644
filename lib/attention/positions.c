// Chapter 07. Positions: added to the words, turned into queries and keys, or taken away from the scores.
#include "attention/positions.h"

#include "base/cost.h"
#include "base/portable_math.h"

static const double BASE = 10000.0;

// The angle, in radians, by which pair m of width / 2 turns from one position to the next: 1 for the first pair, then
// less and less, down to nearly 1 / base.
static double frequency(int m, int width, double base) { return pow(base, -2.0 * m / width); }

// Positions are whole numbers, exact in float64 whatever `first` is.
static double angle(int first, int row, double turn) { return ((double)first + row) * turn; }

// Every pair of columns is the hand of a clock: (sin, cos) of an angle that grows with the position.
void sinusoidal(Mat table, int first)
{
    REQUIRE(table.cols % 2 == 0, "the table is " MAT_SHAPE "; a sine and a cosine make a pair: its width must be even",
            MAT_SHAPED(table));
    for (int m = 0; m < table.cols / 2; m++) {
        double turn = frequency(m, table.cols, BASE);
        for (int i = 0; i < table.rows; i++) {
            *mat_ref(table, i, 2 * m) = (float)sin(angle(first, i, turn));
            *mat_ref(table, i, 2 * m + 1) = (float)cos(angle(first, i, turn));
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
    RopeTable turns = { mat_new(arena, T, d / 2), mat_new(arena, T, d / 2) };
    for (int m = 0; m < d / 2; m++) {
        double turn = frequency(m, d, base) / stretch;
        for (int i = 0; i < T; i++) {
            *mat_ref(turns.cosine, i, m) = (float)cos(angle(first, i, turn));
            *mat_ref(turns.sine, i, m) = (float)sin(angle(first, i, turn));
        }
        cost_counted.multiplies += T;
    }
    return turns;
}

// (a, b) turned by θ is (a cos θ − b sin θ, a sin θ + b cos θ): four multiplications, and the norm stays. Turning
// back is turning by −θ, and that changes the sign of the sine alone.
static void turn_pairs(Mat m, RopeTable turns, bool back)
{
    REQUIRE(m.cols % 2 == 0, "m is " MAT_SHAPE "; columns are turned in pairs: their number must be even",
            MAT_SHAPED(m));
    Mat c = turns.cosine, s = turns.sine;
    REQUIRE(c.rows == m.rows && c.cols == m.cols / 2 && s.rows == c.rows && s.cols == c.cols,
            "m is " MAT_SHAPE ", the turns are " MAT_SHAPE "; they must be " MAT_SHAPE, MAT_SHAPED(m), MAT_SHAPED(c),
            m.rows, m.cols / 2);
    for (int i = 0; i < m.rows; i++)
        for (int pair = 0; pair < m.cols / 2; pair++) {
            float *at = mat_row(m, i) + 2 * pair, a = at[0], b = at[1];
            float cosine = *mat_ref(c, i, pair), sine = back ? -*mat_ref(s, i, pair) : *mat_ref(s, i, pair);
            at[0] = a * cosine - b * sine;
            at[1] = a * sine + b * cosine;
        }
    cost_counted.multiplies += 4 * (int64_t)m.rows * (m.cols / 2);
}

void rope_apply(Mat m, RopeTable turns) { turn_pairs(m, turns, false); }
void rope_undo(Mat m, RopeTable turns) { turn_pairs(m, turns, true); }

float alibi_slope(int h, int H)
{
    REQUIRE(0 <= h && h < H, "head %d of %d", h, H);
    return (float)exp2(-8.0 * (h + 1) / H);
}
