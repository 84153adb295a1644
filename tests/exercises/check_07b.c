// Exercise 07b: my_distance_test, called with scores that depend on the distance alone and with others.
#include "attention/dot_product.h"
#include "attention/positions.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>
#include <stdlib.h>

typedef double Score(Mat q, int i, Mat k, int j);

bool my_distance_test(Score *score, Arena *arena);

static int calls;                  // of any score: a test that calls none has tested nothing

static double product(Mat q, Mat k)
{
    calls++;
    return (double)dot(q.at, k.at, 1, q.cols);
}

// q turned to position i, k to position j, by the library's angles.
static double turned(Mat q, int i, Mat k, int j)
{
    Arena *arena = arena_open();
    Mat a = mat_copy(arena, q), b = mat_copy(arena, k);
    rope(a, rope_turns(arena, i, 1, q.cols));
    rope(b, rope_turns(arena, j, 1, k.cols));
    double score = product(a, b);
    arena_close(arena);
    return score;
}

static double nothing(Mat q, int i, Mat k, int j) { return product(q, k) + 0.0 * i * j; }
static double slope(Mat q, int i, Mat k, int j) { return product(q, k) - 0.125 * abs(i - j); }
static double only_query(Mat q, int i, Mat k, int j) { return turned(q, i, k, 0 * j); }
static double both_ways(Mat q, int i, Mat k, int j) { return turned(q, i, k, -j); }
static double clipped(Mat q, int i, Mat k, int j) { return turned(q, i < 512 ? i : 511, k, j < 512 ? j : 511); }

static double added(Mat q, int i, Mat k, int j)
{
    Arena *arena = arena_open();
    Mat a = mat_copy(arena, q), b = mat_copy(arena, k);
    sinusoidal_add(a, i);
    sinusoidal_add(b, j);
    double score = product(a, b);
    arena_close(arena);
    return score;
}

// The last pair of the key is left where it is.
static double last_pair(Mat q, int i, Mat k, int j)
{
    Mat first_q = mat_cols(q, 0, q.cols - 2), first_k = mat_cols(k, 0, k.cols - 2);
    Mat last_q = mat_cols(q, q.cols - 2, 2), last_k = mat_cols(k, k.cols - 2, 2);
    return turned(first_q, i, first_k, j) + turned(last_q, i, last_k, 0);
}

// Angles and positions in float32: right to the eye up to some thousands.
static double in_float(Mat q, int i, Mat k, int j)
{
    float sum = 0.0f;
    calls++;
    for (int m = 0; m < q.cols / 2; m++) {
        float speed = powf(10000.0f, -2.0f * (float)m / (float)q.cols), a = (float)i * speed, b = (float)j * speed;
        const float *u = q.at + 2 * m, *v = k.at + 2 * m;
        sum += (u[0] * cosf(a) - u[1] * sinf(a)) * (v[0] * cosf(b) - v[1] * sinf(b))
            + (u[0] * sinf(a) + u[1] * cosf(a)) * (v[0] * sinf(b) + v[1] * cosf(b));
    }
    return (double)sum;
}

static void check(Judge *judge)
{
    static const struct { Score *score; bool distance; const char *what, *question; } all[] = {
        { turned, true, "RoPE's score depends on the distance alone, and your test says that it does not",
          "how equal must two scores be that are rounded?" },
        { slope, true, "ALiBi's score depends on the distance alone, and your test says that it does not",
          "what do you compare, and with what?" },
        { nothing, true, "a score without positions depends on nothing but the words, and your test says no",
          "does the score have to differ between distances?" },
        { added, false, "sinusoidal positions added to q and k pass", "what do you move, and by how much?" },
        { only_query, false, "a score passes for which only the query is turned",
          "are both positions moved, and does the score stay?" },
        { both_ways, false, "a score passes whose keys are turned the other way: it depends on i + j",
          "are both positions moved, and does the score stay?" },
        { last_pair, false, "a score passes in which the last pair of the key is not turned, and turns by a thousandth "
          "of a radian a word", "which columns of your q and k are not 0, and how far do you move?" },
        { clipped, false, "a score passes that takes every position from 512 on for 511",
          "how far do you move, and from where?" },
        { in_float, false, "a score passes whose angles are computed in float32: they lose their digits when positions "
          "are large", "how far do you move, and how much may two scores differ, measured by |q| |k|?" },
    };
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        judge_trying(judge, "my_distance_test of score %zu of %zu, which depends on %s", n + 1,
                     sizeof all / sizeof *all, all[n].distance ? "the distance alone" : "more than the distance");
        calls = 0;
        bool passes = my_distance_test(all[n].score, judge->arena);
        judge_claim(judge, calls > 0, (Hints){
            .property = "the answer was given without one call of score: the test has not tried anything yet",
            .question = "which two scores should be equal, if only the distance counts?" });
        judge_claim(judge, passes == all[n].distance, (Hints){
            .property = all[n].what, .question = all[n].question,
            .formula = "score(q, i + n, k, j + n) = score(q, i, k, j) for all q, k, i, j and n" });
    }
}

int main(void) { return judge_main("07b", check); }
