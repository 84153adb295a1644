// Runs a checker in a process of its own, so that a crash and an endless loop of the reader's function are named, too.
#include "exercises/judge_internal.h"

#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// How long a checker may take: 10 seconds; the tests of this file have less patience.
static unsigned seconds(void)
{
    const char *given = getenv("JUDGE_SECONDS");
    return given ? (unsigned)atoi(given) : 10;
}

typedef void Check(Judge *judge, Exercise exercise);

static _Noreturn void run_checker(Exercise exercise, Check *check, int report, int errors)
{
    dup2(errors, STDERR_FILENO);
    Judge judge = { .arena = arena_open(), .exercise = exercise.number, .report = report };
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); // what the reader prints is seen even when the next line crashes
    alarm(seconds());
    check(&judge, exercise);
    arena_close(judge.arena);
    fflush(stdout);
    _exit(JUDGE_RIGHT);
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
    if (WIFEXITED(status) && WEXITSTATUS(status) == JUDGE_RIGHT) {
        printf("exercise %s: right\n", exercise);
        print_next(exercise);
        return 0;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == JUDGE_WRONG) return 1;
    printf("exercise %s: not yet\n  tried: %s\n", exercise, heard->trying);
    if (WIFSIGNALED(status)) print_signal(WTERMSIG(status), hint_of(heard->line));
    else printf("  it ended the whole program, with %d\n", WEXITSTATUS(status));
    return 1;
}

int judge_process(Exercise exercise, Check *check)
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
    return verdict(exercise.number, &heard, status);
}
