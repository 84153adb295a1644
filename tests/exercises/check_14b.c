// Exercise 14b: my_best_tile.
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void BestTile(int M, int d, int *a, int *b);
BestTile my_best_tile;

static const int rooms[][2] = { { 8192, 64 }, { 49152, 64 }, { 1000, 16 }, { 4 * 32 + 4, 32 }, { 524288, 128 } };
static int last_a, last_b; // the reader's

static double floats(double a, double b, double d) { return 2 * a * d + 2 * b * d + a * b + 3 * a; }

// Floats moved for each pair of query and key, when there are many of both: k and v pass by once for each row of tiles.
static double moved(int a, int d) { return 2.0 * d / a; }

// One tile that does not fit is as bad as another: what is moved is infinite.
static void tile_case(Judge *judge, Function f, int n)
{
    int M = rooms[n][0], d = rooms[n][1], a = 0, b = 0;
    judge_trying(judge, "my_best_tile, M = %d, d = %d; floats moved for each pair of query and key", M, d);
    ((BestTile *)f)(M, d, &a, &b);
    judge_result(judge, a < 1 || b < 1 || floats(a, b, d) > M ? INFINITY : moved(a, d));
    if (judge->quiet) return;
    last_a = a;
    last_b = b;
}

static Hints tile_hints(Judge *judge, Difference difference)
{
    int a = last_a, b = last_b, M = rooms[difference.n][0], d = rooms[difference.n][1];
    double over = floats(a, b, d) - M;
    const char *property =
        a < 1 || b < 1 ? arena_format(judge->arena, "%d × %d is no tile", a, b)
        : over > 0.0 ? arena_format(judge->arena, "%d × %d takes %.0f floats; there is room for %d", a, b, over + M, M)
        : floats(a + 1, b, d) <= M
            ? arena_format(judge->arena, "%d × %d moves %.3g, and there is room for a larger tile", a, b, moved(a, d))
            : arena_format(judge->arena, "%d × %d fits and moves %.3g; another tile that fits moves %.3g", a, b,
                           moved(a, d), (double)difference.expected.at[0]);
    if (a > 1 && a == b && over <= 0.0 && floats(a + 1, b + 1, d) > M)
        return (Hints){ "this is the largest square tile, and it need not be square" };
    return (Hints){
        property, "how often do all keys pass by, and which of the two, a or b, decides it? What does the other cost?",
        "T·d + ⌈T / a⌉·S·2·d floats are read"
    };
}

#define TILE(name, keys, queries) \
    static void name(int M, int d, int *a, int *b) \
    { \
        *b = keys; \
        *a = queries; \
    }
TILE(best, 1, (M - 2 * d) / (2 * d + 4))
TILE(stub, 0, 0 * M * d)
TILE(one_query, (M - 2 * d - 3) / (2 * d + 1), 1)
TILE(sixteen_keys, 16, (M - 2 * *b * d) / (2 * d + *b + 3))
TILE(too_small, 1, (M - 2 * d) / (2 * d + 4) - 1)

static void square(int M, int d, int *a, int *b)
{
    *a = *b = 1;
    while (floats(*a + 1, *a + 1, d) <= M) *b = ++*a;
}

static const Task tasks[] = {
    { AS(BestTile, my_best_tile), AS(BestTile, best), tile_case, COUNT(rooms), .explain = tile_hints,
      .wrong = { { AS(BestTile, one_query), "with one query in a tile all keys and values pass by for every query" },
                 { AS(BestTile, square), .told = "this is the largest square tile, and it need not be square" },
                 { AS(BestTile, stub), .told = "0 × 0 is no tile" },
                 { AS(BestTile, sixteen_keys), .told = "another tile that fits moves" },
                 { AS(BestTile, too_small), .told = "60 × 1 moves 2.13, and there is room for a larger tile" } } },
};
EXERCISE("14b", tasks)
