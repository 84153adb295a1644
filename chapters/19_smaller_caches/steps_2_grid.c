// Chapter 19, steps 2 and 3. A group of numbers on a grid; what scale and zero cost.
#include "base/float8.h"
#include "base/portable_math.h"
#include "steps.h"

// ---- 2. A grid

enum { NUMBERS = 8 };
static const float X[NUMBERS] = { -0.62f, 1.13f, 0.28f, -0.09f, 0.71f, -0.35f, 1.90f, 0.44f };

static float back(QuantisedScale grid, float x, int bits)
{
    return grid.scale * (float)quantised_code(grid, x, bits) + grid.zero;
}

static float float8_back(float x) { return float8_value(float8_of(x)); }

// Read back against what was there: a staircase.
static void figure_stairs(Lesson *lesson)
{
    enum { POINTS = 1000, STAIRS = 4 };
    static double x[POINTS], y[STAIRS][POINTS];
    QuantisedScale four = quantised_scale(X, NUMBERS, 1, 4), two = quantised_scale(X, NUMBERS, 1, 2);
    for (int p = 0; p < POINTS; p++) {
        x[p] = -0.62 + 2.52 * p / (POINTS - 1);
        y[0][p] = x[p];
        y[1][p] = (double)back(two, (float)x[p], 2);
        y[2][p] = (double)back(four, (float)x[p], 4);
        y[3][p] = (double)float8_back((float)x[p]);
    }
    const PlotSeries series[STAIRS] = {
        { .name = "as it was", .x = x, .y = y[0], .count = POINTS, .dashed = true },
        { .name = "INT2", .x = x, .y = y[1], .count = POINTS },
        { .name = "INT4", .x = x, .y = y[2], .count = POINTS },
        { .name = "FP8-E4M3", .x = x, .y = y[3], .count = POINTS },
    };
    figure_plot(lesson, "stairs.png", "what is read back: steps of one size, or steps that grow with the number",
                (Plot){ .title = "A number is rounded to a step",
                        .x_title = "the number",
                        .y_title = "read back",
                        .series = series,
                        .count = STAIRS });
}

static void all_codes_of_float8(Lesson *lesson)
{
    int same = 0, numbers = 0;
    for (int code = 0; code < 256; code++) {
        float value = float8_value((uint8_t)code);
        if (isnan(value)) continue;
        numbers++;
        same += float8_of(value) == code;
    }
    check(lesson, same == numbers && numbers == 254 && float8_back(1e9f) == FLOAT8_MOST,
          "FP8-E4M3: %d of its 256 codes are numbers, up to %.0f, the others NaN; each reads and writes as itself",
          numbers, (double)FLOAT8_MOST);
}

void a_grid(Lesson *lesson)
{
    static const QuantisedKind kinds[] = { QUANTISED_INT8, QUANTISED_INT4, QUANTISED_INT2 };
    step(lesson, "A grid for a group");
    Rows table =
        rows_of(lesson, "eight numbers, and what is read back", numbered(lesson->arena, "x", NUMBERS), NUMBERS);
    double row[NUMBERS], most[3], steps[3];
    for (int i = 0; i < NUMBERS; i++) row[i] = (double)X[i];
    rows_add(&table, row, "x");
    for (int k = 0; k < 3; k++) {
        int bits = quantised_bits(kinds[k]);
        QuantisedScale grid = quantised_scale(X, NUMBERS, 1, bits);
        most[k] = 0.0;
        steps[k] = (double)grid.scale;
        for (int i = 0; i < NUMBERS; i++) row[i] = quantised_code(grid, X[i], bits);
        if (kinds[k] == QUANTISED_INT4) rows_add(&table, row, "codes of INT4");
        for (int i = 0; i < NUMBERS; i++) {
            row[i] = (double)back(grid, X[i], bits);
            most[k] = fmax(most[k], fabs(row[i] - (double)X[i]));
        }
        rows_add(&table, row, "%s", quantised_names[kinds[k]]);
    }
    double part = 0.0;
    for (int i = 0; i < NUMBERS; i++) {
        row[i] = (double)float8_back(X[i]);
        part = fmax(part, fabs(row[i] / (double)X[i] - 1.0));
    }
    rows_add(&table, row, "FP8-E4M3");
    show_rows(lesson, &table);
    QuantisedScale four = quantised_scale(X, NUMBERS, 1, 4);
    say(lesson, "INT4: zero = %.3f, scale = (1.90 + 0.62) / 15 = %.3f.", (double)four.zero, (double)four.scale);
    for (int k = 0; k < 3; k++)
        check(lesson, most[k] <= 0.502 * steps[k], "%s: at most half a step off: %.4f, a step is %.4f",
              quantised_names[kinds[k]], most[k], steps[k]);
    check(lesson, part <= 1.0 / 16, "FP8-E4M3: at most 1/16 of the number off, %.3f here", part);
    all_codes_of_float8(lesson);
    figure_stairs(lesson);
}

// ---- 3. Scales and zeros

enum { GROUPS = 4 };
static const int GROUP[GROUPS] = { 16, 32, 64, 128 };

// Root of the mean squared error, for normal numbers of variance 1.
static double error_of(Mat m, Arena *arena, QuantisedKind kind, int group)
{
    QuantisedFormat format = { kind, group, group, QUANTISED_PER_CHANNEL, QUANTISED_PER_TOKEN };
    Mat copy = quantised_copy(arena, m, format, QUANTISED_PER_CHANNEL);
    double sum = 0.0;
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++) sum += pow(mat_value(m, i, c) - mat_value(copy, i, c), 2);
    return sqrt(sum / (m.rows * m.cols));
}

static void figure_error(Lesson *lesson, double bits[QUANTISED_KINDS][GROUPS], double error[QUANTISED_KINDS][GROUPS])
{
    PlotSeries series[QUANTISED_KINDS];
    static const char *const names[GROUPS] = { "n = 128", NULL, NULL, "16" }, *const none[] = { "no groups" };
    double x[QUANTISED_KINDS][GROUPS], y[QUANTISED_KINDS][GROUPS];
    for (int k = 0; k < QUANTISED_KINDS; k++) {
        for (int n = 0; n < GROUPS; n++) {
            x[k][n] = bits[k][GROUPS - 1 - n];
            y[k][n] = error[k][GROUPS - 1 - n];
        }
        series[k] = (PlotSeries){ .name = quantised_names[k],
                                  .x = x[k],
                                  .y = y[k],
                                  .count = k == QUANTISED_FLOAT8 ? 1 : GROUPS,
                                  .dots = true,
                                  .labels = k == QUANTISED_FLOAT8 ? none : names };
    }
    figure_plot(lesson, "error.png", "error against bits, scales and zeros included, for groups of 128 to 16",
                (Plot){ .title = "Normal numbers: what bits buy",
                        .x_title = "bits a number, scale and zero included",
                        .y_title = "root mean squared error",
                        .series = series,
                        .count = QUANTISED_KINDS,
                        .log_y = true });
}

static void bytes_of_a_token(Lesson *lesson, Transformer model, const Choices *choices)
{
    const Config *c = &model.config;
    int T = 4 * choices->block, width = c->G * (c->D / c->H), bits = choices->bits;
    QuantisedKind kind = bits == 8 ? QUANTISED_INT8 : bits == 4 ? QUANTISED_INT4 : QUANTISED_INT2;
    QuantisedFormat format = format_of(kind, choices->block);
    QuantisedCache cache = quantised_new(lesson->arena, format, T, width, width);
    quantised_append(&cache, random_mat(lesson, T, width), random_mat(lesson, T, width));
    int grids = T / choices->block * width + T * width / format.group;
    cost(lesson,
         arena_format(lesson->arena, "bytes of one layer of model C, %d tokens as %s in blocks of %d", T,
                      quantised_names[kind], choices->block),
         quantised_bytes(&cache), "T · 2·G·d · bits / 8 + 4 bytes a grid",
         (int64_t)T * 2 * width * bits / 8 + 4 * grids);
    say(lesson, "Of %d bytes %d are scales and zeros. In float32 it would be %d.", (int)quantised_bytes(&cache),
        4 * grids, T * 2 * width * 4);
}

void scales_and_zeros(Lesson *lesson, Transformer model, const Choices *choices)
{
    step(lesson, "Scales and zeros count");
    Mat m = random_mat(lesson, 1024, 32);
    static const char *const cols[GROUPS] = { "n = 16", "n = 32", "n = 64", "n = 128" };
    Rows size = rows_of(lesson, "bits a number, in groups of n", cols, GROUPS);
    Rows off = rows_of(lesson, "root mean squared error of normal numbers", cols, GROUPS);
    off.table.decimals = 4;
    double bits[QUANTISED_KINDS][GROUPS], error[QUANTISED_KINDS][GROUPS];
    bool wider = true;
    for (int k = 0; k < QUANTISED_KINDS; k++) {
        for (int n = 0; n < GROUPS; n++) {
            QuantisedFormat format = { (QuantisedKind)k, GROUP[n], GROUP[n], QUANTISED_PER_CHANNEL,
                                       QUANTISED_PER_TOKEN };
            bits[k][n] = quantised_bits_each(format, QUANTISED_PER_CHANNEL);
            error[k][n] = error_of(m, lesson->arena, (QuantisedKind)k, GROUP[n]);
            if (n > 0 && k != QUANTISED_FLOAT8) wider = wider && error[k][n] > error[k][n - 1];
        }
        rows_add(&size, bits[k], "%s", quantised_names[k]);
        rows_add(&off, error[k], "%s", quantised_names[k]);
    }
    show_rows(lesson, &size);
    show_rows(lesson, &off);
    check(lesson, wider, "a larger group has a wider range, and so a larger error");
    double ratio = error[QUANTISED_INT4][1] / error[QUANTISED_INT8][1];
    check(lesson, fabs(ratio - 17.0) < 1.0, "INT4's error is %.1f times INT8's: steps are 255 / 15 = 17 times as wide",
          ratio);
    figure_error(lesson, bits, error);
    bytes_of_a_token(lesson, model, choices);
}
