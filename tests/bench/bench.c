// Times what the first six chapters build: one head, full and causal, and many heads in their three equal forms.
// Every row is a ratio to the first of its table, measured in turns within one run; the spread is printed beside it.
//
//   bench [--seconds N]      at most about N seconds in all (default 20)
#include "attention/multi_head.h"
#include "base/cost.h"
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 15, MOST_ROWS = 8 };

typedef struct {
    const char *name;
    void      (*run)(void *context);
    void       *context;
    double      seconds[ROUNDS];
    int64_t     multiplies;
} Row;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void progress(const char *title, int done, int all)
{
    if (!isatty(2)) return;
    fprintf(stderr, "\r%s  %d of %d rounds ", title, done, all);
    if (done == all) fprintf(stderr, "\r%*s\r", 70, "");
}

// All rows once per round, so that a slow moment of the machine falls on all of them; the first round only warms up.
static int time_rows(const char *title, Row *rows, int count, double seconds)
{
    double start = now();
    int round = -1;
    for (; round < ROUNDS && (round < 3 || now() - start < seconds); round++) {
        for (int r = 0; r < count; r++) {
            Cost before = counted;
            double began = now();
            rows[r].run(rows[r].context);
            if (round >= 0) rows[r].seconds[round] = now() - began;
            rows[r].multiplies = cost_since(before).multiplies;
        }
        progress(title, round + 1, ROUNDS);
    }
    progress(title, ROUNDS, ROUNDS);
    return round;
}

static void print_rows(const char *title, Row *rows, int count, int rounds)
{
    double first[ROUNDS];
    memcpy(first, rows[0].seconds, sizeof first);
    printf("\n%s  (median of %d rounds; least and most in brackets)\n", title, rounds);
    printf("  %-28s %9s  %-22s %s\n", "", "GFLOP/s", "time against the first", "multiplications");
    for (int r = 0; r < count; r++) {
        double ratio[ROUNDS], sorted[ROUNDS];
        for (int i = 0; i < rounds; i++) ratio[i] = rows[r].seconds[i] / first[i], sorted[i] = rows[r].seconds[i];
        qsort(ratio, (size_t)rounds, sizeof *ratio, by_size);
        qsort(sorted, (size_t)rounds, sizeof *sorted, by_size);
        printf("  %-28s %9.2f  %5.2f  (%.2f … %.2f)   %lld\n", rows[r].name,
               2e-9 * (double)rows[r].multiplies / sorted[rounds / 2], ratio[rounds / 2], ratio[0], ratio[rounds - 1],
               (long long)rows[r].multiplies);
    }
}

typedef struct { Mat out, q, k, v; Mask mask; } OneHead;

static void run_head(void *context)
{
    OneHead *head = context;
    attention_naive((Attended){ .out = head->out }, head->q, head->k, head->v, head->mask);
}

typedef struct { void (*form)(Mat, Mat, Mat, MultiHead, Mask); Mat out, x; MultiHead m; } Form;

static void run_form(void *context)
{
    Form *form = context;
    form->form(form->out, (Mat){ 0 }, form->x, form->m, (Mask){ 0 });
}

static Mat random_mat(Arena *arena, Random *random, int rows, int cols)
{
    Mat m = mat_new(arena, rows, cols);
    random_normals(random, m);
    return m;
}

int main(int argc, char **argv)
{
    double seconds = argc == 3 && !strcmp(argv[1], "--seconds") ? atof(argv[2]) : argc == 1 ? 20.0 : 0.0;
    if (seconds <= 0) return fprintf(stderr, "usage: bench [--seconds N], N above 0\n"), 2;
    Arena *arena = arena_open();
    Random random = random_from(1);

    enum { T = 512, d = 64 };
    OneHead head = { mat_new(arena, T, d), random_mat(arena, &random, T, d), random_mat(arena, &random, T, d),
                     random_mat(arena, &random, T, d), { 0 } };
    OneHead causal = head, window = head;
    causal.mask.causal = true;
    window.mask = (Mask){ .causal = true, .window = 64 };
    Row heads[] = { { "full", run_head, &head, { 0 }, 0 }, { "causal", run_head, &causal, { 0 }, 0 },
                    { "causal, window 64", run_head, &window, { 0 }, 0 } };
    const char *title = "attention_naive, T = S = 512, d = 64";
    print_rows(title, heads, 3, time_rows(title, heads, 3, seconds / 2));

    enum { TOKENS = 64, D = 256, H = 8 };
    MultiHead m = { H, random_mat(arena, &random, D, 3 * D), random_mat(arena, &random, D, D) };
    Form separate = { multi_head_separate, mat_new(arena, TOKENS, D), random_mat(arena, &random, TOKENS, D), m };
    Form views = separate, fused = separate;
    views.form = multi_head_views;
    fused.form = multi_head_fused;
    Row forms[] = { { "separate projections", run_form, &separate, { 0 }, 0 }, { "three projections, views", run_form, &views, { 0 }, 0 },
                    { "one fused projection", run_form, &fused, { 0 }, 0 } };
    title = "multi-head, T = 64, D = 256, H = 8";
    print_rows(title, forms, 3, time_rows(title, forms, 3, seconds / 2));
    arena_close(arena);
    return 0;
}
