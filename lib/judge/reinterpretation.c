// A cache of arrays, protected by a lock.
#include "judge/reinterpretation.h"

#include "base/portable_math.h"
#include "judge/judge.h"
#include "judge/layouts.h"

#include <pthread.h>
#include <string.h>

enum { MOST_VIEWS = 1024 };

typedef struct {
    const double *from;
    int H, number;
    const char *as;
    double *at;
} View;

struct Reinterpretations {
    Arena *arena;
    pthread_mutex_t lock;
    View cache[MOST_VIEWS];
    int count;
};

Reinterpretations *reinterpretation_open(void)
{
    Arena *arena = arena_open();
    Reinterpretations *views = arena_alloc(arena, sizeof *views);
    views->arena = arena;
    pthread_mutex_init(&views->lock, NULL);
    return views;
}

void reinterpretation_close(Reinterpretations *views)
{
    pthread_mutex_destroy(&views->lock);
    arena_close(views->arena);
}

// Divides each row by its norm, or by its root mean square.
static void norm_rows(double *to, const double *from, size_t rows, int d, bool by_mean)
{
    for (size_t r = 0; r < rows; r++, to += d, from += d) {
        double sum = 0;
        for (int c = 0; c < d; c++) sum += from[c] * from[c];
        if (by_mean) sum /= d;
        for (int c = 0; c < d; c++) to[c] = sum > 0 ? from[c] / sqrt(sum) : 0;
    }
}

// RoPE: rotates columns c and c + d/2, or 2c and 2c + 1, by position · 10000^(−2c/d). [Su et al. 2021]
static void rotate_rows(double *to, const double *from, size_t heads, int T, int d, bool pairs, int first)
{
    for (int t = 0; t < T; t++)
        for (int c = 0; c < d / 2; c++) {
            double angle = (t + first) * pow(10000, -2.0 * c / d), along = cos(angle), across = sin(angle);
            size_t one = (size_t)(t * d + (pairs ? 2 * c : c)), other = one + (size_t)(pairs ? 1 : d / 2);
            for (size_t h = 0; h < heads; h++, one += (size_t)(T * d), other += (size_t)(T * d)) {
                to[one] = from[one] * along - from[other] * across;
                to[other] = from[one] * across + from[other] * along;
            }
        }
}

// Differences of consecutive rows of a head.
static void difference_rows(double *to, const double *from, size_t heads, int T, int d)
{
    size_t width = (size_t)d, count = (size_t)T * width;
    for (size_t e = 0; e < heads * count; e++) to[e] = from[e] - (e % count < width ? 0 : from[e - width]);
}

static void round_all(double *to, const double *from, size_t count, JudgePrecision precision)
{
    for (size_t e = 0; e < count; e++) to[e] = judge_rounded(from[e], precision);
}

static void make(double *to, const double *from, int B, int H, int T, int d, const char *as, int number)
{
    size_t heads = (size_t)B * (size_t)H, rows = heads * (size_t)T, count = rows * (size_t)d;
    if (as[3] == '>') array_layout_reread(to, from, B, H, T, d, as, as + 4);
    else if (!strcmp(as, "normed")) norm_rows(to, from, rows, d, false);
    else if (!strcmp(as, "rms-normed")) norm_rows(to, from, rows, d, true);
    else if (!strcmp(as, "steps")) difference_rows(to, from, heads, T, d);
    else if (!strcmp(as, "rope-halves")) rotate_rows(to, from, heads, T, d, false, number);
    else if (!strcmp(as, "rope-pairs")) rotate_rows(to, from, heads, T, d, true, number);
    else if (!strcmp(as, "heads")) array_layout_resplit(to, from, B, H, T, d, number);
    else
        round_all(to, from, count,
                  !strcmp(as, "float16")    ? JUDGE_FLOAT16
                  : !strcmp(as, "bfloat16") ? JUDGE_BFLOAT16
                                            : JUDGE_FLOAT32);
}

const double *reinterpretation_get(Reinterpretations *views, const double *from, int B, int H, int T, int d,
                                   const char *as, int number)
{
    if (!as) return from;
    pthread_mutex_lock(&views->lock);
    int e = 0;
    for (; e < views->count; e++) {
        const View *one = &views->cache[e];
        if (one->from == from && one->H == H && one->number == number && !strcmp(one->as, as)) break;
    }
    if (e == views->count) {
        REQUIRE(e < MOST_VIEWS, "more than %d arrays are taken for something else", MOST_VIEWS);
        double *to = arena_alloc(views->arena, (size_t)B * (size_t)H * (size_t)T * (size_t)d * sizeof *to);
        make(to, from, B, H, T, d, as, number);
        views->cache[views->count++] = (View){ from, H, number, as, to };
    }
    const double *at = views->cache[e].at;
    pthread_mutex_unlock(&views->lock);
    return at;
}
