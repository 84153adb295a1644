// Many heads: three products or one, copies or views.
#include "bench/forms.h"

#include "attention/multi_head.h"
#include "base/measure.h"
#include "base/random.h"

#include <stdio.h>

typedef struct {
    void (*form)(Mat, Mat, Mat, MultiHead, Mask);
    Mat out, x;
    MultiHead m;
} Form;

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

void forms_measure(double seconds)
{
    enum { TOKENS = 64, D = 256, H = 8 };
    Arena *arena = arena_open();
    Random random = random_from(1);
    MultiHead m = { H, random_mat(arena, &random, D, 3 * D), random_mat(arena, &random, D, D) };
    Form separate = { multi_head_separate, mat_new(arena, TOKENS, D), random_mat(arena, &random, TOKENS, D), m };
    Form views = separate, fused = separate;
    views.form = multi_head_views;
    fused.form = multi_head_fused;
    MeasureTimed rows[] = { { .name = "separate projections", .run = run_form, .context = &separate, .work = 1 },
                            { .name = "three projections, views", .run = run_form, .context = &views, .work = 1 },
                            { .name = "one fused projection", .run = run_form, .context = &fused, .work = 1 } };
    measure_best(rows, 3, (Measurement){ .rounds = 15, .seconds = seconds });
    printf("\nChapter 06: multi-head, T = 64, D = 256, H = 8, naive heads; speed against the first\n");
    for (int r = 0; r < 3; r++) {
        MeasureSpread ratio = measured_ratio(&rows[r], &rows[0]);
        printf("  %-26s %8.3f ms  %5.2f (%.2f … %.2f)\n", rows[r].name, 1e3 / measured_rate(&rows[r]).median,
               ratio.median, ratio.low, ratio.high);
    }
    arena_close(arena);
}
