// attend: is your attention right? Arrays in, a verdict out. (Chapter 12 and README, "Check your own attention".)
#include "base/memory.h"
#include "base/portable_math.h"
#include "judge/kernel.h"
#include "judge/report.h"

#include <stdio.h>
#include <string.h>

enum { FINE = 0, OUT_OF_TOLERANCE = 1, BAD = 2 };

static int bad(const Error *error)
{
    fflush(stdout);
    fprintf(stderr, "attend: %s\n", error->text);
    return BAD;
}

// ---- computing

static JudgeRules rules_of(const AttendOptions *o, JudgeShape is)
{
    return (JudgeRules){ .causal = o->causal,
                         .alibi = o->alibi,
                         .window = o->window,
                         .sinks = o->sinks,
                         .scale = o->has_scale ? o->scale : 1 / sqrt(is.d) };
}

static double *room(Arena *arena, JudgeShape is, int width, bool wanted)
{
    size_t rows = (size_t)is.B * (size_t)is.H * (size_t)is.T;
    return wanted ? arena_alloc(arena, rows * (size_t)width * sizeof(double)) : NULL;
}

static Judged computed(Arena *arena, const Arrays *a, const AttendOptions *o, const JudgeRules *rules)
{
    JudgeShape is = a->problem.is;
    Judged to = { room(arena, is, is.dv, true), room(arena, is, 1, o->lse || o->compare_lse),
                  room(arena, is, is.S, o->weights || o->compare_weights) };
    const AttentionKernelNamed *kernel = attention_kernel(o->kernel);
    if (kernel) judge_kernel_all(to, &a->problem, rules, kernel->run);
    else judge_all(to, &a->problem, rules);
    return to;
}

// ---- writing

// Writes float64 from the judge, float32 from a kernel.
static bool write_array(const char *path, const double *at, const AttendOptions *o, int axes, const int64_t *shape,
                        Error *error)
{
    if (!attention_kernel(o->kernel)) return npy_write_f64(path, at, axes, shape, error);
    int64_t count;
    shape_count(&count, axes, shape);
    Arena *scratch = arena_open();
    float *narrow = arena_alloc(scratch, (size_t)count * sizeof *narrow);
    for (int64_t e = 0; e < count; e++) narrow[e] = (float)at[e];
    bool ok = npy_write(path, narrow, axes, shape, error);
    arena_close(scratch);
    return ok;
}

static bool write_results(Arena *arena, const Arrays *a, const AttendOptions *o, Judged results, Error *error)
{
    JudgeShape is = a->problem.is;
    int64_t shape[4];
    int without = a->has_batch ? 0 : 1; // without the axis B if q has none
    const int64_t rows[] = { is.B, is.H, is.T, is.S };
    if (o->out) {
        double *arranged = room(arena, is, is.dv, true);
        array_layout_arrange(arranged, results.out, a->layout, is.B, is.H, is.T, is.dv);
        int axes = array_layout_shape(shape, a->layout, is.B, is.H, is.T, is.dv);
        if (!write_array(o->out, arranged, o, axes, shape, error)) return false;
    }
    if (o->weights && !write_array(o->weights, results.weights, o, 4 - without, rows + without, error)) return false;
    return !o->lse || write_array(o->lse, results.lse, o, 3 - without, rows + without, error);
}

// ---- comparing

static CompareTolerance tolerance_of(const AttendOptions *o, Dtype stored)
{
    CompareTolerance t = stored == DTYPE_F16 ? (CompareTolerance){ 1e-2, 1e-3 } : (CompareTolerance){ 1e-4, 1e-5 };
    if (o->has_rtol) t.r = o->rtol;
    if (o->has_atol) t.a = o->atol;
    return t;
}

// Compares and, if out of tolerance, diagnoses one array. true: within tolerance.
static bool judge_theirs(Arena *arena, HypothesisCase *c, const char *name, const char *path)
{
    JudgeShape is = c->problem->is;
    size_t count = (size_t)is.B * (size_t)is.H * (size_t)is.T * (size_t)hypothesis_width(c);
    c->setting.is_output = c->what == HYPOTHESIS_OUTPUT;
    c->setting.is_lse = c->what == HYPOTHESIS_LOGSUMEXP;
    c->found = compare_arrays(c->theirs, c->ours, count, c->tolerance);
    report_comparison(name, path, c);
    if (!c->found.out) return true;
    fflush(stdout);
    Diagnosis diagnosis;
    diagnosis_of(&diagnosis, arena, c);
    report_diagnosis(&diagnosis);
    return false;
}

static bool compare_all(Arena *arena, const Arrays *a, const AttendOptions *o, const JudgeRules *rules, Judged ours)
{
    HypothesisCase c = { .problem = &a->problem };
    c.setting =
        (CauseSetting){ .is = a->problem.is, .rules = *rules, .has_lengths = o->lengths, .has_scale = o->has_scale };
    bool ok = true;
    if (a->out) {
        c.what = HYPOTHESIS_OUTPUT;
        c.theirs = a->out;
        c.ours = ours.out;
        c.tolerance = tolerance_of(o, a->out_stored);
        c.setting.memory = a->out_layout->head_axes;
        ok &= judge_theirs(arena, &c, "output", o->compare);
    }
    if (a->weights) {
        c.what = HYPOTHESIS_WEIGHTS;
        c.theirs = a->weights;
        c.ours = ours.weights;
        c.tolerance = tolerance_of(o, a->weights_stored);
        ok &= judge_theirs(arena, &c, "weights", o->compare_weights);
    }
    if (a->lse) {
        c.what = HYPOTHESIS_LOGSUMEXP;
        c.theirs = a->lse;
        c.ours = ours.lse;
        c.tolerance = tolerance_of(o, a->lse_stored);
        ok &= judge_theirs(arena, &c, "logsumexp", o->compare_lse);
    }
    return ok;
}

// ---- the passes

// If several layouts fit the shapes, chooses the one in which the output agrees, and prints it.
static bool choose_layout(AttendOptions *o, Arena *arena, Error *error)
{
    const ArrayLayout *fits[ARRAY_LAYOUTS];
    int count = o->layout || !o->compare ? 0 : arrays_layouts(fits, arena, o);
    if (count < 2) return true;
    for (int l = 0; l < count; l++) {
        AttendOptions tried = *o;
        Arrays a;
        Error unused;
        tried.layout = fits[l]->name;
        if (!arrays_read(&a, arena, &tried, &unused)) continue;
        JudgeShape is = a.problem.is;
        JudgeRules rules = rules_of(o, is);
        size_t numbers = (size_t)is.B * (size_t)is.H * (size_t)is.T * (size_t)is.dv;
        Judged ours = computed(arena, &a, o, &rules);
        if (compare_arrays(a.out, ours.out, numbers, tolerance_of(o, a.out_stored)).out) continue;
        printf("the shapes fit the layout %s too, but your output agrees with %s\n", fits[l ? 0 : 1]->name,
               fits[l]->name);
        o->layout = fits[l]->name;
        return true;
    }
    return arrays_alike(fits, arena, o, ", and your output agrees with neither", error);
}

static int attend(Arena *arena, AttendOptions *o)
{
    Error error;
    Arrays arrays;
    if (!choose_layout(o, arena, &error) || !arrays_read(&arrays, arena, o, &error)) return bad(&error);
    arrays_warn(&arrays, arena);
    JudgeRules rules = rules_of(o, arrays.problem.is);
    report_setting(&arrays, o, &rules);
    fflush(stdout);
    Judged results = computed(arena, &arrays, o, &rules);
    if (!judge_held(&arrays.problem, results, o->kernel, &error)) return bad(&error);
    if (!write_results(arena, &arrays, o, results, &error)) return bad(&error);
    return compare_all(arena, &arrays, o, &rules, results) ? FINE : OUT_OF_TOLERANCE;
}

// Lost output (a full disk, a closed pipe) must not exit with the status of a verdict.
int main(int argc, char **argv)
{
    AttendOptions options;
    Error error;
    memory_ends_with(BAD);
    FlagsRead read = attend_options_read(&options, argc, argv, &error);
    if (read != FLAGS_FINE) return read == FLAGS_HELP ? FINE : bad(&error);
    Arena *arena = arena_open();
    int status = attend(arena, &options);
    arena_close(arena);
    return status == BAD || flags_printed(&error) ? status : bad(&error);
}
