// Sentences and numbers on stdout.
#include "judge/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void report_setting(const Arrays *a, const Options *o, const Rules *r)
{
    Shape is = a->problem.is;
    printf("layout %s: ", a->layout->name);
    if (a->has_batch) printf("B %d, ", is.B);
    printf("H %d, G %d, T %d, S %d, d %d, dv %d\n", is.H, is.G, is.T, is.S, is.d, is.dv);
    printf("scale %.6g", r->scale);
    if (r->causal) printf(", causal");
    if (r->window) printf(", window %d", r->window);
    if (r->sinks) printf(", sinks %d", r->sinks);
    if (r->alibi) printf(", ALiBi");
    if (o->lengths) printf(", key lengths");
    printf("; computed by %s\n", o->kernel);
    size_t empty = judge_empty_rows(&a->problem, r), rows = (size_t)is.B * (size_t)is.H * (size_t)is.T;
    if (empty) printf("%zu of %zu rows see no key: their output is 0\n", empty, rows);
}

// Where element `at` stands: b 0, h 3, i 17, channel 5.
static void print_place(const Case *c, size_t at)
{
    Shape is = c->problem->is;
    size_t width = (size_t)diagnosis_width(c), T = (size_t)is.T, H = (size_t)is.H;
    printf("b %zu, h %zu, i %zu", at / width / T / H, at / width / T % H, at / width % T);
    if (c->what == OUTPUT) printf(", channel %zu", at % width);
    if (c->what == WEIGHTS) printf(", j %zu", at % width);
}

void report_comparison(const char *name, const char *path, const Case *c)
{
    const Comparison *f = &c->found;
    printf("\n%s, %s\n", name, path);
    if (!f->out)
        printf("  all %zu numbers are within tolerance: rtol %g, atol %g\n", f->count, c->tolerance.r, c->tolerance.a);
    else
        printf("  out of tolerance  %zu of %zu numbers (%.3g %%); rtol %g, atol %g\n", f->out, f->count,
               100.0 * (double)f->out / (double)f->count, c->tolerance.r, c->tolerance.a);
    if (f->not_finite) printf("  not finite        %zu numbers are NaN or ±Inf on one side only\n", f->not_finite);
    if (f->worst > 0) {
        printf("  worst             ");
        print_place(c, f->at);
        printf("\n                    yours %.9g, ours %.9g", c->theirs[f->at], c->ours[f->at]);
        if (isfinite(f->worst))
            printf("\n                    off by %.3g, which is %.3g times the tolerance",
                   fabs(c->theirs[f->at] - c->ours[f->at]), f->worst);
        putchar('\n');
    }
    if (f->not_finite) printf("  relative error    %.3g where both are finite (Frobenius norm)\n",
                              f->size > 0 ? sqrt(f->difference / f->size) : 0);
    else printf("  relative error    %.3g (Frobenius norm)\n", compare_relative(f));
}

static const char *name_of(Precision precision)
{
    return precision == FLOAT16 ? "float16 (or TF32)" : precision == BFLOAT16 ? "bfloat16" : "float32";
}

// The words of one cause or of two, behind their number.
static void print_words(int number, const char *words)
{
    size_t line = strcspn(words, "\n");
    printf("  %d. %.*s\n", number, (int)line, words);
    if (words[line]) printf("     %s\n", words + line + 1);
}

static void print_sample(const Diagnosis *d)
{
    if (d->rows < d->of) printf("  (tried on %zu of %zu rows)\n", d->rows, d->of);
}

static void report_fits(const Diagnosis *d, const Case *c)
{
    printf("\nlikely cause%s\n", d->count > 1 ? "s: all of these give your numbers" : "");
    for (int e = 0; e < d->count; e++) {
        const Finding *f = &d->findings[e];
        print_words(e + 1, f->words);
        printf("     with that, ");
        if (!f->fits) printf("%zu of %zu numbers are still out of tolerance\n", f->left.out, f->left.count);
        else if (f->left.count == c->found.count) printf("all %zu numbers agree\n", c->found.count);
        else printf("all numbers agree in the %zu rows tried, of %zu\n", d->rows, d->of);
    }
}

void report_diagnosis(const Diagnosis *d, const Case *c)
{
    if (d->precision) {
        printf("\nlikely cause\n  no mistake but rounding: the error is what %s gives\n", name_of(d->precision));
        printf("  (rounding inputs, scores, weights and results to it here: relative %.2g);\n"
               "  a larger --rtol and --atol would allow it\n", d->rounding);
        print_sample(d);
        return;
    }
    if (d->count && d->reproduces) {
        report_fits(d, c);
        return;
    }
    if (d->count && d->findings[0].precision) {
        printf("\nlikely cause\n");
        print_words(1, d->findings[0].words);
        printf("     with that, a relative error of %.2g is left, which is what %s gives\n",
               compare_relative(&d->findings[0].left), name_of(d->findings[0].precision));
        print_sample(d);
        return;
    }
    printf("\nno cause found: none of %d usual mistakes gives your numbers, and none of %d\npairs of them\n", d->tried,
           d->pairs);
    if (d->count) printf("these come closer; your error may be one of them and another:\n");
    for (int e = 0; e < d->count; e++) {
        print_words(e + 1, d->findings[e].words);
        printf("     with that, %.2g %% of the error is left\n", 100 * d->findings[e].share);
    }
    print_sample(d);
}
