// Judges a reader's function: what is wrong, in words, and what it may come from.
#include "exercises/judge.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FENCE = 16 };
enum { RIGHT = 70, WRONG = 71 };                     // how the checker's process ends; anything else is not its doing

// ---- outputs that show whether they were written

// A signalling NaN: copying keeps its bits, and every computation with it sets bit 22.
static const uint32_t UNWRITTEN = 0x7fa0beef, QUIET = 0x00400000;
static const float FENCE_VALUE = 0.0123456f;

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool is_unwritten(const float *at)
{
    uint32_t bits;
    memcpy(&bits, at, sizeof bits);
    return bits == UNWRITTEN;
}

static bool is_from_unwritten(float value) { return (bits_of(value) & 0x7fffffff) == (UNWRITTEN | QUIET); }

// The matrix stands between two fences of FENCE floats.
Mat judge_output(Judge *judge, int rows, int cols)
{
    REQUIRE(judge->outputs_count < 64, "a checker has at most 64 outputs");
    Mat all = mat_new(judge->arena, 1, rows * cols + 2 * FENCE);
    mat_fill(all, FENCE_VALUE);
    for (int i = 0; i < rows * cols; i++) memcpy(&all.at[FENCE + i], &UNWRITTEN, sizeof UNWRITTEN);
    return judge->outputs[judge->outputs_count++] = (Mat){ all.at + FENCE, rows, cols, cols };
}

static bool fences_stand(const Judge *judge)
{
    for (int o = 0; o < judge->outputs_count; o++) {
        Mat m = judge->outputs[o];
        const float *before = m.at - FENCE, *after = m.at + m.rows * m.cols;
        for (int i = 0; i < FENCE; i++)
            if (bits_of(before[i]) != bits_of(FENCE_VALUE) || bits_of(after[i]) != bits_of(FENCE_VALUE)) return false;
    }
    return true;
}

// ---- saying what is wrong

static void print_head(const char *exercise, const char *trying)
{
    printf("exercise %s: not yet\n  tried: %s\n", exercise, trying);
}

static _Noreturn void wrong(const char *hint)
{
    if (hint) printf("  hint: %s\n", hint);
    fflush(stdout);
    _exit(WRONG);
}

// As many levels as HINT asks for, one without it; and how to ask for the next.
static _Noreturn void wrong_in_levels(const char *exercise, Hints hints)
{
    const char *levels[] = { hints.property, hints.question, hints.formula }, *given = getenv("HINT");
    int wanted = given && atoi(given) > 1 ? atoi(given) : 1, said = 0;
    bool more = false;
    for (int l = 0; l < 3; l++) {
        if (!levels[l]) continue;
        more = said >= wanted;
        if (more) break;
        printf("  hint: %s\n", levels[l]);
        said++;
    }
    if (more) printf("  more: make exercise-%s HINT=%d\n", exercise, said + 1);
    wrong(NULL);
}

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
    else if (is_from_unwritten(*at)) printf("but it was computed from an output that was not written yet\n");
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

static bool all_unwritten(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            if (!is_unwritten(mat_ref(m, i, j))) return false;
    return true;
}

// The well-known mistake that gives what was got, in words, or NULL.
static const char *recognised(const Answer *answer, float tolerance)
{
    if (all_unwritten(answer->got)) return "the function has written nothing into its output";
    for (int m = 0; m < MOST_MISTAKES; m++) {
        if (!answer->mistakes[m].words) continue;
        Mat result = answer->mistakes[m].result;
        REQUIRE(result.rows == answer->got.rows && result.cols == answer->got.cols,
                "the mistake's result is " SHAPE ", the output is " SHAPE, SHAPED(result), SHAPED(answer->got));
        if (!count_wrong(answer->got, result, tolerance)) return answer->mistakes[m].words;
    }
    return NULL;
}

void judge_answer(Judge *judge, Answer answer)
{
    Mat got = answer.got;
    REQUIRE(got.rows == answer.expected.rows && got.cols == answer.expected.cols,
            "got is " SHAPE ", expected is " SHAPE, SHAPED(got), SHAPED(answer.expected));
    if (!fences_stand(judge)) {
        print_head(judge->exercise, judge->trying);
        printf("  it writes outside its output\n");
        wrong("the output has as many elements as the task says, and indices begin at 0");
    }
    float tolerance = answer.tolerance > 0.0f ? answer.tolerance : 1e-5f;
    int count = count_wrong(got, answer.expected, tolerance);
    if (!count) return;
    print_head(judge->exercise, judge->trying);
    print_first(got, answer.expected, tolerance);
    if (got.rows * got.cols > 1) printf("  %d of %d elements %s wrong\n", count, got.rows * got.cols,
                                          count == 1 ? "is" : "are");
    const char *mistake = recognised(&answer, tolerance);
    if (mistake) wrong(mistake);
    wrong_in_levels(judge->exercise, answer.hints);
}

void judge_number(Judge *judge, double got, double expected, const char *question)
{
    judge_answer(judge, (Answer){ .got = mat_of(judge->arena, 1, 1, (float[]){ (float)got }),
                                  .expected = mat_of(judge->arena, 1, 1, (float[]){ (float)expected }),
                                  .hints.question = question });
}

void judge_claim(Judge *judge, bool right, Hints hints)
{
    if (right) return;
    print_head(judge->exercise, judge->trying);
    wrong_in_levels(judge->exercise, hints);
}

// ---- the two processes

void judge_trying(Judge *judge, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    memset(judge->trying, 0, sizeof judge->trying);
    vsnprintf(judge->trying, sizeof judge->trying, format, words);
    va_end(words);
    if (write(judge->report, judge->trying, sizeof judge->trying) < 0) _exit(1);
}

// How long a checker may take: 10 seconds; the tests of this file have less patience.
static unsigned seconds(void)
{
    const char *given = getenv("JUDGE_SECONDS");
    return given ? (unsigned)atoi(given) : 10;
}

static _Noreturn void run_checker(const char *exercise, void (*check)(Judge *judge), int report)
{
    Judge judge = { .arena = arena_open(), .exercise = exercise, .report = report };
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);           // what the reader prints is seen even when the next line crashes
    alarm(seconds());
    check(&judge);
    arena_close(judge.arena);
    fflush(stdout);
    _exit(RIGHT);
}

// Reads what is tried, always the same number of bytes, until the checker has ended. The latest stays in `last`.
static void listen_to(int report, char *last, size_t size)
{
    char text[sizeof ((Judge *)0)->trying];
    size_t filled = 0;
    for (ssize_t got; (got = read(report, text + filled, size - filled)) > 0;) {
        filled += (size_t)got;
        if (filled < size) continue;
        memcpy(last, text, size);
        filled = 0;
    }
}

static void print_signal(int signal)
{
    if (signal == SIGALRM)
        printf("  it did not come back within %u seconds\n  hint: does every loop end?\n", seconds());
    else if (signal == SIGSEGV || signal == SIGBUS)
        printf("  it crashed: it read or wrote memory that is not its own\n"
               "  hint: does every index stay below its count?\n");
    else if (signal == SIGFPE)
        printf("  it crashed: it divided an integer by zero\n  hint: which divisor can be 0?\n");
    else if (signal == SIGABRT) printf("  it was stopped, for the reason that stands above\n");
    else printf("  it was ended by signal %d (%s)\n", signal, strsignal(signal));
}

static int verdict(const char *exercise, const char *trying, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == RIGHT) {
        printf("exercise %s: right\n", exercise);
        return 0;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == WRONG) return 1;
    print_head(exercise, trying);
    if (WIFSIGNALED(status)) print_signal(WTERMSIG(status));
    else printf("  it ended the whole program, with %d\n", WEXITSTATUS(status));
    return 1;
}

int judge_main(const char *exercise, void (*check)(Judge *judge))
{
    int report[2], status = 0;
    char trying[sizeof ((Judge *)0)->trying] = "";
    if (pipe(report)) {
        perror("pipe");
        return 1;
    }
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        return 1;
    }
    if (!child) run_checker(exercise, check, report[1]);
    close(report[1]);
    listen_to(report[0], trying, sizeof trying);
    waitpid(child, &status, 0);
    return verdict(exercise, trying, status);
}
