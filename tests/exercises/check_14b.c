// Exercise 14b: my_best_tile.
#include "base/portable_math.h"
#include "exercises/judge.h"

#include <string.h>

void my_best_tile(int M, int d, int *a, int *b);

static double floats(double a, double b, double d) { return 2 * a * d + 2 * b * d + a * b + 3 * a; }

// Floats moved for each pair of query and key, when there are many of both: k and v pass by once for each row of tiles.
static double moved(int a, int d) { return 2.0 * d / a; }

// What is left out of a tile that does not fit, as far as its size tells: one part of it, or two.
static const char *forgotten(Arena *arena, int M, int d, int a, int b)
{
    enum { PARTS = 3 };
    static const char *const names[PARTS] = { "k and v", "the scores", "m, l and the factor of each query" };
    const double parts[PARTS] = { 2.0 * b * d, (double)a * b, 3.0 * a };
    double over = floats(a, b, d) - M, all = 0.0, least = INFINITY;
    const char *words = "";
    for (int p = 0; p < PARTS; p++) {
        all += parts[p];
        least = fmin(least, parts[p]);
        if (parts[p] >= over)
            words = arena_format(arena, "%s without %s", *words ? arena_format(arena, "%s, or", words) : ":", names[p]);
    }
    if (*words) return arena_format(arena, "%s%s it would fit", words, strchr(words, ',') ? "," : "");
    if (all - least >= over)
        return arena_format(arena, ": it would fit without two of these: %s; %s; %s", names[0], names[1], names[2]);
    return all >= over ? ": q and out alone would fit" : "";
}

static void tile_case(Judge *judge, int M, int d)
{
    Arena *arena = judge->arena;
    int a = 0, b = 0, best = (M - 2 * d) / (2 * d + 4); // b = 1
    int square = 1;
    while (floats(square + 1, square + 1, d) <= M) square++;
    judge_trying(judge, "my_best_tile, M = %d, d = %d; floats moved for each pair of query and key", M, d);
    my_best_tile(M, d, &a, &b);
    const char *what =
        a < 1 || b < 1        ? arena_format(arena, "%d × %d is no tile", a, b)
        : floats(a, b, d) > M ? arena_format(arena, "%d × %d takes %.0f floats; there is room for %d%s", a, b,
                                             floats(a, b, d), M, forgotten(arena, M, d, a, b))
        : floats(a + 1, b, d) <= M
            ? arena_format(arena, "%d × %d moves %.3g, and there is room for a larger tile", a, b, moved(a, d))
            : arena_format(arena, "%d × %d fits and moves %.3g; another tile that fits moves %.3g", a, b, moved(a, d),
                           moved(best, d));
    float got = a < 1 || b < 1 || floats(a, b, d) > M ? INFINITY : (float)moved(a, d);
    judge_answer(
        judge,
        (Answer){
            .got = mat_of(arena, 1, 1, &got),
            .expected = mat_of(arena, 1, 1, (float[]){ (float)moved(best, d) }),
            .hints = { .property = what,
                       .question =
                           "how often do all keys pass by, and which of the two, a or b, decides it? What does the "
                           "other cost?",
                       .formula = "T·d + ⌈T / a⌉·S·2·d floats are read" },
            .mistakes = {
                { best > 1 ? "with one query in a tile all keys and values pass by for every query" : NULL,
                  mat_of(arena, 1, 1, (float[]){ (float)moved(1, d) }) },
                { square < best && a == b ? "this is the largest square tile, and it need not be square" : NULL,
                  mat_of(arena, 1, 1, (float[]){ (float)moved(square, d) }) } } });
}

static void check(Judge *judge)
{
    tile_case(judge, 8192, 64);
    tile_case(judge, 49152, 64);
    tile_case(judge, 1000, 16);
    tile_case(judge, 4 * 32 + 4, 32);
    tile_case(judge, 524288, 128);
}

int main(void) { return judge_main("14b", check); }
