// Judges a reader's function: what is wrong, in words, and what it may come from.
#include "base/portable_math.h"
#include "exercises/judge_internal.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FENCE = 16, BESIDE = 3 };

Substitute judge_substitute;
int judge_fault;

// ---- outputs that show whether they were written

// A signalling NaN: copying keeps its bits, and every computation with it sets bit 22.
static const uint32_t UNWRITTEN = 0x7fa0beef, QUIET = 0x00400000;
static const float FENCE_VALUE = 0.0123456f;

static uint32_t bits_of(const float *at)
{
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    return bits;
}

static bool is_unwritten(const float *at) { return bits_of(at) == UNWRITTEN; }
static bool is_from_unwritten(const float *at) { return (bits_of(at) & 0x7fffffff) == (UNWRITTEN | QUIET); }

// The matrix is between two fences of FENCE floats, and between the columns beside it.
static Mat new_output(Judge *judge, int rows, int cols, int stride)
{
    REQUIRE(judge->outputs_count < COUNT(judge->outputs), "a checker has at most %d outputs", COUNT(judge->outputs));
    int size = rows * stride + 2 * FENCE;
    Mat all = mat_new(judge->arena, 1, size), m = { all.at + FENCE + (stride > cols), rows, cols, stride };
    mat_fill(all, FENCE_VALUE);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) memcpy(mat_ref(m, i, j), &UNWRITTEN, sizeof UNWRITTEN);
    judge->outputs[judge->outputs_count++] = (Output){ m, all.at, size, NULL };
    return m;
}

Mat judge_output(Judge *judge, int rows, int cols) { return new_output(judge, rows, cols, cols); }
Mat judge_output_view(Judge *judge, int rows, int cols) { return new_output(judge, rows, cols, cols + BESIDE); }
void judge_result(Judge *judge, double value) { judge_output(judge, 1, 1).at[0] = (float)value; }

Mat judge_argument(Judge *judge, const char *name, Mat m)
{
    Mat copy = judge_output_view(judge, m.rows, m.cols);
    mat_set(copy, m);
    judge->outputs[judge->outputs_count - 1].name = name;
    return copy;
}

static bool is_inside(const Output *o, int place)
{
    ptrdiff_t from = place - (o->m.at - o->block);
    return from >= 0 && from / o->m.stride < o->m.rows && from % o->m.stride < o->m.cols;
}

static bool fences_stand(const Output *o)
{
    for (int e = 0; e < o->size; e++)
        if (!is_inside(o, e) && bits_of(&o->block[e]) != bits_of(&FENCE_VALUE)) return false;
    return true;
}

static bool all_unwritten(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            if (!is_unwritten(mat_ref(m, i, j))) return false;
    return true;
}

// ---- comparing

// What was not written is as it should be only where a mistake's result was not written either.
static bool close_enough(const float *at, const float *wanted, float tolerance)
{
    if (is_unwritten(at) || is_unwritten(wanted)) return is_unwritten(at) && is_unwritten(wanted);
    float got = *at, expected = *wanted;
    if (isnan(got) || isnan(expected)) return isnan(got) && isnan(expected);
    if (got == expected) return true;                // infinities, too
    if (isinf(got) || isinf(expected)) return false; // inf <= inf below would take any number for an infinity
    return fabsf(got - expected) <= tolerance * fmaxf(1.0f, fabsf(expected));
}

static int count_wrong(Mat got, Mat expected, float tolerance)
{
    int count = 0;
    for (int i = 0; i < got.rows; i++)
        for (int j = 0; j < got.cols; j++)
            count += !close_enough(mat_ref(got, i, j), mat_ref(expected, i, j), tolerance);
    return count;
}

static bool is_right(const Output *got, const Output *expected, float tolerance)
{
    return fences_stand(got) && !count_wrong(got->m, expected->m, tolerance);
}

// Did two functions write the same, beside the output, too?
static bool is_same(const Output *a, const Output *b, float tolerance)
{
    for (int e = 0; e < a->size; e++)
        if (!close_enough(&a->block[e], &b->block[e], tolerance)) return false;
    return true;
}

// ---- printing what is wrong

static void print_head(Judge *judge, const char *of)
{
    printf("exercise %s: not yet\n  tried: %s%s%s\n", judge->exercise, judge->trying, of ? ": " : "", of ? of : "");
}

// The number of levels that HINT asks for, one without it; and how to ask for the next.
static void print_hints(const char *exercise, Hints hints)
{
    const char *levels[] = { hints.property, hints.question, hints.formula }, *given = getenv("HINT");
    int wanted = given && atoi(given) > 1 ? atoi(given) : 1, printed = 0;
    for (int l = 0; l < COUNT(levels); l++) {
        if (!levels[l]) continue;
        if (printed == wanted) {
            printf("  more: make exercise-%s HINT=%d\n", exercise, printed + 1);
            return;
        }
        printf("  hint: %s\n", levels[l]);
        printed++;
    }
}

// The place of an element in words: nothing for a number, one index for a row, two for a matrix.
static void print_place(Mat m, int i, int j)
{
    if (m.rows * m.cols == 1) printf("  the result is wrong");
    else if (m.rows == 1) printf("  the first wrong element is [%d]", j);
    else if (m.cols == 1) printf("  the first wrong element is [%d]", i);
    else printf("  the first wrong element is in row %d, column %d (both from 0)", i, j);
}

static void print_got(const float *at)
{
    if (is_unwritten(at)) printf("but it was not written\n");
    else if (is_from_unwritten(at)) printf("but it was computed from an output that was not written yet\n");
    else if (isnan(*at)) printf("got NaN\n");
    else printf("got %.6g\n", (double)*at);
}

static void print_first(Mat got, Mat expected, float tolerance)
{
    for (int i = 0; i < got.rows; i++)
        for (int j = 0; j < got.cols; j++) {
            if (close_enough(mat_ref(got, i, j), mat_ref(expected, i, j), tolerance)) continue;
            print_place(got, i, j);
            printf(": expected %.6g, ", (double)*mat_ref(expected, i, j));
            print_got(mat_ref(got, i, j));
            return;
        }
}

static void print_difference(Mat got, Mat expected, float tolerance)
{
    int count = count_wrong(got, expected, tolerance);
    print_first(got, expected, tolerance);
    if (got.rows * got.cols > 1)
        printf("  %d of %d elements %s wrong\n", count, got.rows * got.cols, count == 1 ? "is" : "are");
}

void judge_wrong(Judge *judge, Hints hints)
{
    print_hints(judge->exercise, hints);
    fflush(stdout);
    _exit(JUDGE_WRONG);
}

// ---- a function on a case

typedef struct {
    Output outputs[MOST_OUTPUTS];
    int count;
} Run;

// One task with the function that is judged: the reader's, or in a self-test another.
typedef struct {
    Judge *judge;
    const Task *task;
    Function f;
    int fault;
    float tolerance;
    Run *got, *expected; // by case
} Trial;

static Run run(const Trial *t, Function f, int fault, int n, bool quiet)
{
    Run r = { .count = 0 };
    judge_fault = fault;
    t->judge->quiet = quiet;
    t->judge->outputs_count = 0;
    t->task->call(t->judge, f, n);
    t->judge->quiet = false;
    r.count = t->judge->outputs_count;
    REQUIRE(r.count <= MOST_OUTPUTS, "a case has at most %d outputs", MOST_OUTPUTS);
    memcpy(r.outputs, t->judge->outputs, (size_t)r.count * sizeof *r.outputs);
    return r;
}

static Run run_wrong(const Trial *t, const Wrong *w, int n)
{
    return run(t, w->function ? w->function : t->task->faulty, w->fault, n, true);
}

// The first output that is not right; −1: all are.
static int first_wrong(const Trial *t, const Run *r, int n)
{
    for (int o = 0; o < r->count; o++)
        if (!is_right(&r->outputs[o], &t->expected[n].outputs[o], t->tolerance)) return o;
    return -1;
}

// Is this wrong function right on all cases before n, and does it give on case n what the reader's gave?
static bool fits(const Trial *t, const Wrong *w, int n, int output)
{
    if (!w->words) return false;
    for (int before = 0; before < n; before++) {
        Run r = run_wrong(t, w, before);
        if (first_wrong(t, &r, before) >= 0) return false;
    }
    Run r = run_wrong(t, w, n);
    return first_wrong(t, &r, n) == output && is_same(&r.outputs[output], &t->got[n].outputs[output], t->tolerance);
}

// The only one that is left of the candidates, with one text at least; −1: none is; −2: they have several texts.
static int only_one(const Trial *t, const bool *left)
{
    int one = -1;
    for (int w = 0; w < MOST_WRONG; w++) {
        if (!left[w]) continue;
        if (one >= 0 && strcmp(t->task->wrong[one].words, t->task->wrong[w].words) != 0) return -2;
        if (one < 0) one = w;
    }
    return one;
}

// Lets the cases after n decide between candidates. In a process of its own: the reader's function may crash there.
static int decided_later(const Trial *t, bool *left, int n, int output)
{
    int status, one = -2;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child) return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) - 1 : -1;
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    alarm(2);
    while (one == -2 && ++n < t->task->cases) {
        Run got = run(t, t->f, t->fault, n, true);
        for (int w = 0; w < MOST_WRONG; w++) {
            if (!left[w]) continue;
            Run r = run_wrong(t, &t->task->wrong[w], n);
            left[w] = is_same(&r.outputs[output], &got.outputs[output], t->tolerance);
        }
        one = only_one(t, left);
    }
    _exit(one < 0 ? 0 : one + 1);
}

// The known mistake that gives what was got, or NULL.
static const Wrong *recognised(const Trial *t, int n, int output)
{
    bool left[MOST_WRONG];
    for (int w = 0; w < MOST_WRONG; w++) left[w] = fits(t, &t->task->wrong[w], n, output);
    int one = only_one(t, left);
    if (one == -2) {
        fflush(stdout);
        one = decided_later(t, left, n, output);
    }
    return one < 0 ? NULL : &t->task->wrong[one];
}

static const char OUTSIDE[] = "the output has as many elements as the task says, and indices begin at 0";

static Hints hints_for(const Trial *t, int n, int output)
{
    const Task *task = t->task;
    const Run *got = &t->got[n];
    bool nothing = true;
    for (int o = 0; o < got->count; o++)
        nothing = nothing && (got->outputs[o].name || all_unwritten(got->outputs[o].m));
    if (nothing) return (Hints){ "the function has written nothing into its output" };
    const Wrong *mistake = recognised(t, n, output);
    if (mistake) return (Hints){ mistake->words, mistake->question };
    if (!fences_stand(&got->outputs[output])) return (Hints){ OUTSIDE };
    const char *name = got->outputs[output].name;
    if (name)
        return (Hints){ arena_format(t->judge->arena, "afterwards %s is no longer what it was, and it is the caller's",
                                     name) };
    Difference d = { n, output, got->outputs[output].m, t->expected[n].outputs[output].m };
    if (task->explain) return task->explain(t->judge, d);
    return task->hints[output];
}

// Ends the checker where case n is wrong.
static void judge_case(const Trial *t, int n)
{
    int output = first_wrong(t, &t->got[n], n);
    if (output < 0) return;
    const Output *got = &t->got[n].outputs[output];
    print_head(t->judge, t->task->hints[output].of);
    if (!fences_stand(got)) printf("  it writes outside its output\n");
    else print_difference(got->m, t->expected[n].outputs[output].m, t->tolerance);
    judge_wrong(t->judge, hints_for(t, n, output));
}

static void judge_cases(Judge *judge, const Task *task, Function f, int fault)
{
    size_t size = (size_t)task->cases * sizeof(Run);
    Trial t = { judge, task, f, fault, task->tolerance > 0.0f ? task->tolerance : 1e-5f };
    t.got = arena_alloc(judge->arena, size);
    t.expected = arena_alloc(judge->arena, size);
    for (int n = 0; n < task->cases; n++) {
        t.expected[n] = run(&t, task->right, 0, n, true);
        t.got[n] = run(&t, f, fault, n, false);
        judge_case(&t, n);
    }
}

void judge_tasks(Judge *judge, Exercise exercise)
{
    const Substitute *s = &judge_substitute;
    for (int n = 0; n < exercise.count; n++) {
        const Task *task = &exercise.tasks[n];
        Function f = !s->used ? task->answer : s->task == n ? s->function : task->right;
        judge_fault = s->used && s->task == n ? s->fault : 0;
        if (task->check) task->check(judge, f);
        else judge_cases(judge, task, f, judge_fault);
    }
}

int judge_exercise(Exercise exercise, int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--self-test")) return judge_self_test(exercise);
    return judge_process(exercise, judge_tasks);
}

// ---- for a case and a check

void judge_trying(Judge *judge, const char *format, ...)
{
    if (judge->quiet) return;
    va_list words;
    va_start(words, format);
    memset(judge->trying, 0, sizeof judge->trying);
    vsnprintf(judge->trying, sizeof judge->trying, format, words);
    va_end(words);
    if (judge->report >= 0 && write(judge->report, judge->trying, sizeof judge->trying) < 0) _exit(1);
}

void judge_claim(Judge *judge, bool right, Hints hints)
{
    if (right || judge->quiet || judge_substitute.collected) return;
    print_head(judge, hints.of);
    judge_wrong(judge, hints);
}

Mat judge_random(Judge *judge, Random *random, int rows, int cols)
{
    Mat m = mat_new(judge->arena, rows, cols);
    random_normals(random, m);
    return m;
}

Mat judge_random_view(Judge *judge, Random *random, int rows, int cols)
{
    return mat_block(judge_random(judge, random, rows + cols, cols + 3), 0, rows, 1, cols);
}

// ---- predictions

static const char *belief_in(double got, double tolerance, const Prediction *p)
{
    for (int b = 0; b < MOST_BELIEFS && p->beliefs[b].words; b++) {
        bool both_nan = isnan(got) && isnan(p->beliefs[b].value);
        if (both_nan || fabs(got - p->beliefs[b].value) <= tolerance) return p->beliefs[b].words;
    }
    return NULL;
}

// What takes the place of prediction n in a self-test: `got`, unless the substitute is a value. False: p is collected.
static bool substituted(Judge *judge, double *got, const Prediction *p)
{
    const Substitute *s = &judge_substitute;
    int n = judge->predictions_count++;
    if (s->collected) {
        REQUIRE(n < s->most, "an exercise has at most %d predictions", s->most);
        s->collected[n] = *p;
        return false;
    }
    if (s->used && s->values) *got = s->prediction == n ? s->value : p->right;
    return true;
}

void judge_verdict(Judge *judge, bool said, bool truth, Hints hints)
{
    double got = said;
    const char *what = arena_format(judge->arena, "%s", judge->trying);
    if (substituted(judge, &got, &(Prediction){ what, truth, .beliefs = { { !truth, hints.property } } }))
        judge_claim(judge, (got != 0.0) == truth, hints);
}

Mat judge_transposed(Arena *arena, Mat m)
{
    Mat t = mat_new(arena, m.cols, m.rows);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(t, j, i) = *mat_ref(m, i, j);
    return t;
}

// What is said of a letter. A property that a program does not show is left out.
static Hints letter_hints(Arena *arena, char named, int n, const Diagnosis *d)
{
    const char *property = named >= 'A' && named <= d->last
                               ? d->property(arena, named, n)
                               : arena_format(arena, "the answer is a letter from 'A' to '%c'", d->last);
    return (Hints){ property, d->questions[n], d->formula };
}

void judge_letters(Judge *judge, Letters *f, Diagnosis d)
{
    for (int n = 0; d.right[n]; n++) {
        char named = judge_substitute.collected ? d.right[n] : f(n);
        double letter = named;
        Prediction p = { .what = arena_format(judge->arena, "%s %d", d.what, n), .right = d.right[n] };
        int beliefs = 0;
        for (char other = 'A' - 1; other <= d.last && beliefs < MOST_BELIEFS; other++) {
            Hints hints = letter_hints(judge->arena, other, n, &d);
            if (other != d.right[n])
                p.beliefs[beliefs++] = (Belief){ other, hints.property ? hints.property : hints.question };
        }
        if (!substituted(judge, &letter, &p)) continue;
        named = (char)letter;
        judge_trying(judge, "%s: '%c'", p.what, named ? named : '0');
        judge_claim(judge, named == d.right[n], letter_hints(judge->arena, named, n, &d));
    }
}

// Whole numbers are shown with all their digits.
void judge_prediction(Judge *judge, double got, Prediction p)
{
    double tolerance = p.tolerance > 0.0 ? p.tolerance : 0.006;
    if (!substituted(judge, &got, &p)) return;
    bool exact = p.tolerance <= 0.0 && p.right == floor(p.right); // a whole number needs no rounding
    if (fabs(got - p.right) <= (exact ? 0.0 : tolerance)) return;
    judge_trying(judge, "%s", p.what);
    bool whole = fabs(got) < 1e15 && got == floor(got);
    const char *words = belief_in(got, tolerance, &p);
    if (!words && p.outside && (got < p.low - tolerance || got > p.high + tolerance)) words = p.outside;
    if (!words && isnan(got)) words = "nothing is predicted yet";
    if (!words) words = p.otherwise;
    if (!words) words = arena_format(judge->arena, whole ? "%.0f is not it" : "%g is not it", got);
    judge_claim(judge, false, (Hints){ words, p.question, p.formula });
}
