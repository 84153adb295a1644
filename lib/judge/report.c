// Prints settings, comparisons and findings on stdout.
#include "judge/report.h"

#include "base/portable_math.h"
#include "judge/error_location.h"

#include <stdio.h>
#include <string.h>

void report_setting(const Arrays *a, const AttendOptions *o, const JudgeRules *r)
{
    JudgeShape is = a->problem.is;
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

// Prints the indices of element `at`: b 0, h 3, i 17, channel 5.
static void print_indices(const HypothesisCase *c, size_t at)
{
    JudgeShape is = c->problem->is;
    size_t width = (size_t)hypothesis_width(c), T = (size_t)is.T, H = (size_t)is.H;
    printf("b %zu, h %zu, i %zu", at / width / T / H, at / width / T % H, at / width % T);
    if (c->what == HYPOTHESIS_OUTPUT) printf(", channel %zu", at % width);
    if (c->what == HYPOTHESIS_WEIGHTS) printf(", j %zu", at % width);
}

static int columns_of(const char *text, size_t bytes)
{
    int columns = 0;
    for (size_t e = 0; e < bytes; e++) columns += ((unsigned char)text[e] & 0xC0) != 0x80;
    return columns;
}

// Prints text after `head`, wrapped at column 80 with a hanging indent.
static void print_text(const char *head, const char *text)
{
    int indent = columns_of(head, strlen(head)), column = indent;
    printf("%s", head);
    while (*text) {
        size_t word = strcspn(text, " \n");
        bool breaks = column > indent && column + 1 + columns_of(text, word) > 79;
        if (breaks) column = printf("\n%*s", indent, "") - 1;
        else if (column > indent) column += printf(" ");
        printf("%.*s", (int)word, text);
        column += columns_of(text, word);
        text += word;
        if (*text == '\n') column = printf("\n%*s", indent, "") - 1;
        if (*text) text++;
    }
    putchar('\n');
}

static void print_worst(const HypothesisCase *c)
{
    const Comparison *f = &c->found;
    printf("  worst             ");
    print_indices(c, f->at);
    printf("\n                    yours %.9g, ours %.9g", c->theirs[f->at], c->ours[f->at]);
    if (isfinite(f->worst))
        printf("\n                    off by %.3g, which is %.3g times the tolerance",
               fabs(c->theirs[f->at] - c->ours[f->at]), f->worst);
    putchar('\n');
}

static void print_error(const Comparison *f)
{
    if (!f->not_finite) printf("  relative error    %.3g (Frobenius norm)\n", compare_relative(f));
    else if (f->size > 0)
        printf("  relative error    %.3g where both are finite (Frobenius norm)\n", sqrt(f->difference / f->size));
}

void report_comparison(const char *name, const char *path, const HypothesisCase *c)
{
    const Comparison *f = &c->found;
    printf("\n%s, %s\n", name, path);
    if (!f->out) {
        printf("  all %zu numbers are within tolerance: rtol %g, atol %g\n", f->count, c->tolerance.r, c->tolerance.a);
        if (f->worst > 0) print_worst(c);
        print_error(f);
        return;
    }
    printf("  out of tolerance  %zu of %zu numbers (%.3g %%); rtol %g, atol %g\n", f->out, f->count,
           100.0 * (double)f->out / (double)f->count, c->tolerance.r, c->tolerance.a);
    if (f->not_finite)
        printf("  not finite        %zu %s NaN or ±Inf on one side only\n", f->not_finite,
               f->not_finite == 1 ? "number is" : "numbers are");
    Arena *scratch = arena_open();
    print_text("  where             ", error_location_print(scratch, c));
    arena_close(scratch);
    print_worst(c);
    print_error(f);
}

// ---- causes

static const char *name_of(JudgePrecision precision)
{
    return precision == JUDGE_FLOAT16 ? "float16 (or TF32)" : precision == JUDGE_BFLOAT16 ? "bfloat16" : "float32";
}

// Prints a numbered finding, then the rest of its sentence.
static void print_finding(int number, const DiagnosisFinding *f, const char *then)
{
    char head[16];
    snprintf(head, sizeof head, "  %d. ", number);
    print_text(head, f->words);
    print_text("     ", then);
}

static void print_sample(const Diagnosis *d)
{
    if (d->rows < d->of) printf("  (tried on %zu of %zu rows)\n", d->rows, d->of);
}

static const char *what_then(Arena *arena, const Diagnosis *d, const DiagnosisFinding *f)
{
    switch (f->how) {
    case DIAGNOSIS_IN_PART:
        return arena_format(arena, "in %zu of %zu rows (%s); the others are right", f->rows, d->of, f->where);
    case DIAGNOSIS_ALL_BUT:
        return arena_format(arena, "with that, all rows agree but %zu of %zu (%s)", f->rows, d->of, f->where);
    case DIAGNOSIS_CLOSER: return arena_format(arena, "with that, %.2g %% of the error is left", 100 * f->share);
    default: return arena_format(arena, "with that, all %zu numbers agree", f->left.count);
    }
}

static void report_findings(const Diagnosis *d)
{
    static const char *const alike[] = {
        "all of these give your numbers:",
        "all of these give what is wrong there:",
        "all of these give the other rows:",
        "these come closer; your error may be one of them and another:",
    };
    Arena *scratch = arena_open();
    int how = (int)d->findings[0].how;
    if (how != DIAGNOSIS_CLOSER) printf("\nlikely cause%s\n", d->count > 1 ? "s" : "");
    if (d->count > 1 || how == DIAGNOSIS_CLOSER) printf("  %s\n", alike[how]);
    for (int e = 0; e < d->count; e++) print_finding(e + 1, &d->findings[e], what_then(scratch, d, &d->findings[e]));
    if (d->more) printf("  and %d more that give the same\n", d->more);
    arena_close(scratch);
}

// One cause, plus rounding.
static void report_rounded(const Diagnosis *d)
{
    char then[120];
    const DiagnosisFinding *f = &d->findings[0];
    snprintf(then, sizeof then, "with that, a relative error of %.2g is left, no larger than what %s leaves",
             compare_relative(&f->left), name_of(f->precision));
    printf("\nlikely cause\n");
    print_finding(1, f, then);
    print_sample(d);
}

static void report_rounding(const Diagnosis *d)
{
    char text[400];
    const char *plain = d->precision == JUDGE_FLOAT16 ? "float16" : name_of(d->precision),
               *name = name_of(d->precision);
    if (d->precision_shows)
        snprintf(text, sizeof text, "all your numbers are %s, and the error is no larger than what %s leaves", plain,
                 plain);
    else
        snprintf(text, sizeof text,
                 "the error is no larger than what %s leaves; if you did not compute in %s, look "
                 "for a small mistake",
                 name, plain);
    printf("\n%s\n", d->precision_shows ? "likely cause: rounding" : "perhaps only rounding");
    print_text("  ", text);
    snprintf(text, sizeof text,
             "(rounding inputs, scores, weights and results to it here: relative %.2g); a larger "
             "--rtol and --atol would allow it",
             d->rounding);
    print_text("  ", text);
    print_sample(d);
}

static void report_nothing(const Diagnosis *d)
{
    char text[300];
    printf("\nno cause found\n");
    int length = snprintf(text, sizeof text, "none of %d usual mistakes gives your numbers", d->tried);
    if (d->pairs)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           ", none of %d pairs of them, none of %d likely "
                           "threes",
                           d->pairs, d->triples);
    snprintf(text + length, sizeof text - (size_t)length, "; nor is it rounding");
    print_text("  ", text);
    if (d->count) report_findings(d);
    print_sample(d);
}

void report_diagnosis(const Diagnosis *d)
{
    if (d->alike) printf("\n%s\n", d->alike);
    else if (d->precision) report_rounding(d);
    else if (d->count && d->findings[0].how != DIAGNOSIS_CLOSER) report_findings(d);
    else if (d->count && d->findings[0].precision) report_rounded(d);
    else report_nothing(d);
}
