// Judges a reader's function: what is wrong, in words, and what it may come from.
#include "exercises/judge.h"

#include <glob.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FENCE = 16 };
enum { RIGHT = 70, WRONG = 71 }; // how the checker's process ends; anything else is not its doing

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
                "the mistake's result is " MAT_SHAPE ", the output is " MAT_SHAPE, MAT_SHAPED(result),
                MAT_SHAPED(answer->got));
        if (!count_wrong(answer->got, result, tolerance)) return answer->mistakes[m].words;
    }
    return NULL;
}

void judge_answer(Judge *judge, Answer answer)
{
    Mat got = answer.got;
    REQUIRE(got.rows == answer.expected.rows && got.cols == answer.expected.cols,
            "got is " MAT_SHAPE ", expected is " MAT_SHAPE, MAT_SHAPED(got), MAT_SHAPED(answer.expected));
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
    if (got.rows * got.cols > 1)
        printf("  %d of %d elements %s wrong\n", count, got.rows * got.cols, count == 1 ? "is" : "are");
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

static _Noreturn void run_checker(const char *exercise, void (*check)(Judge *judge), int report, int errors)
{
    dup2(errors, STDERR_FILENO);
    Judge judge = { .arena = arena_open(), .exercise = exercise, .report = report };
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); // what the reader prints is seen even when the next line crashes
    alarm(seconds());
    check(&judge);
    arena_close(judge.arena);
    fflush(stdout);
    _exit(RIGHT);
}

// What is heard of the checker: the latest that it tried, and the last line on its stderr.
typedef struct {
    char trying[sizeof((Judge *)0)->trying], next[sizeof((Judge *)0)->trying], line[512];
    size_t filled, length; // of `next` and of `line`
    bool ended;            // the line has, and another byte begins a new one
} Heard;

// Of a line that REQUIRE has said: what a shape in it may mean.
static const char *hint_of(const char *line)
{
    if (strstr(line, " leave the matrix ("))
        return "mat_cols(m, first, count) and mat_rows take a count, not where to end: which number is too large?";
    if (strstr(line, " of a matrix (")) return "does every index stay below its count?";
    for (const char *at = strchr(line, '('); at; at = strchr(at + 1, '(')) {
        int rows, cols, end = 0;
        if (sscanf(at, "(%d, %d)%n", &rows, &cols, &end) == 2 && end)
            return "a shape is (rows, columns), most often a token a row, and its numbers the columns: which shape in "
                   "that line is not what you meant?";
    }
    return NULL;
}

// What is tried comes in pieces, always of the same size in all. False at the end.
static bool hear_trying(Heard *heard, int report)
{
    ssize_t got = read(report, heard->next + heard->filled, sizeof heard->next - heard->filled);
    if (got <= 0) return false;
    heard->filled += (size_t)got;
    if (heard->filled < sizeof heard->next) return true;
    memcpy(heard->trying, heard->next, sizeof heard->trying);
    heard->filled = 0;
    return true;
}

// What is said on stderr is passed on.
static bool hear_words(Heard *heard, int errors)
{
    char text[512];
    ssize_t got = read(errors, text, sizeof text);
    if (got <= 0) return false;
    fwrite(text, 1, (size_t)got, stderr);
    for (ssize_t i = 0; i < got; i++) {
        if (heard->ended) heard->length = 0;
        heard->ended = text[i] == '\n';
        if (!heard->ended && heard->length + 1 < sizeof heard->line) heard->line[heard->length++] = text[i];
        heard->line[heard->length] = '\0';
    }
    return true;
}

// Until the checker has ended.
static void listen_to(Heard *heard, int report, int errors)
{
    struct pollfd ends[] = { { report, POLLIN, 0 }, { errors, POLLIN, 0 } };
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        if (poll(ends, 2, -1) < 0) continue;
        if (ends[0].revents && !hear_trying(heard, report)) ends[0].fd = -1;
        if (ends[1].revents && !hear_words(heard, errors)) ends[1].fd = -1;
    }
}

static void print_signal(int signal, const char *hint)
{
    if (signal == SIGALRM)
        printf("  it did not come back within %u seconds\n  hint: does every loop end?\n", seconds());
    else if (signal == SIGSEGV || signal == SIGBUS)
        printf("  it crashed: it read or wrote memory that is not its own\n"
               "  hint: does every index stay below its count?\n");
    else if (signal == SIGFPE) printf("  it crashed: it divided an integer by zero\n  hint: which divisor can be 0?\n");
    else if (signal == SIGABRT)
        printf("  it was stopped, for the reason that stands above\n%s%s%s", hint ? "  hint: " : "", hint ? hint : "",
               hint ? "\n" : "");
    else printf("  it was ended by signal %d (%s)\n", signal, strsignal(signal));
}

// Which files of the book have such a name? The first of them stays in `found`.
static bool find(char *found, size_t size, const char *pattern)
{
    glob_t files = { 0 };
    bool any = !glob(pattern, 0, NULL, &files);
    if (any) snprintf(found, size, "%s", files.gl_pathv[0]);
    globfree(&files);
    return any;
}

// After 06a comes 06b; after the last of a chapter the next chapter. Where the book is not there, nothing is said; nor
// with NEXT=no, as `make exercise-06` has it, which tries all anyway.
static void print_next(const char *exercise)
{
    const char *wanted = getenv("NEXT");
    char pattern[64], found[256];
    int chapter = atoi(exercise), letter = exercise[strlen(exercise) - 1] + 1;
    if (wanted && !strcmp(wanted, "no")) return;
    snprintf(pattern, sizeof pattern, "chapters/*/exercise_%02d%c.c*", chapter, letter);
    if (find(found, sizeof found, pattern)) {
        printf("next: make exercise-%02d%c\n", chapter, letter);
        return;
    }
    snprintf(pattern, sizeof pattern, "chapters/%02d_*/README.md", chapter + 1);
    if (find(found, sizeof found, pattern)) printf("next: %s\n", found);
}

static int verdict(const char *exercise, const Heard *heard, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == RIGHT) {
        printf("exercise %s: right\n", exercise);
        print_next(exercise);
        return 0;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == WRONG) return 1;
    print_head(exercise, heard->trying);
    if (WIFSIGNALED(status)) print_signal(WTERMSIG(status), hint_of(heard->line));
    else printf("  it ended the whole program, with %d\n", WEXITSTATUS(status));
    return 1;
}

int judge_main(const char *exercise, void (*check)(Judge *judge))
{
    int report[2], errors[2], status = 0;
    Heard heard = { .trying = "" };
    if (pipe(report) || pipe(errors)) {
        perror("pipe");
        return 1;
    }
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        return 1;
    }
    if (!child) run_checker(exercise, check, report[1], errors[1]);
    close(report[1]);
    close(errors[1]);
    listen_to(&heard, report[0], errors[0]);
    waitpid(child, &status, 0);
    return verdict(exercise, &heard, status);
}
