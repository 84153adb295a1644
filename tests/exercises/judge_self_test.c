// Tests an exercise's table: the right functions must pass, and each wrong answer must be told exactly its words.
#include "base/portable_math.h"
#include "exercises/judge_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PREDICTIONS = 32 };

// How many answers were tried, and how many were not told what they should be.
typedef struct {
    Exercise exercise;
    int tried, problems;
    char printed[8192]; // for the answer that was tried last
} Test;

static void print_problem(Test *t, const char *answer, const char *problem, const char *words)
{
    t->problems++;
    printf("exercise %s: %s: %s%s%s%s; printed was:\n%s", t->exercise.number, answer, problem, words ? " \"" : "",
           words ? words : "", words ? "\"" : "", t->printed);
}

// Runs the checker with that answer, as a reader does. The exit status.
static int run_with(Test *t, Substitute answer, int hint)
{
    int ends[2], status = 0;
    size_t filled = 0;
    fflush(stdout);
    REQUIRE(pipe(ends) == 0, "there is no pipe");
    pid_t child = fork();
    REQUIRE(child >= 0, "there is no process");
    if (!child) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(ends[1], STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(ends[0]);
        setenv("HINT", hint == 3 ? "3" : hint == 2 ? "2" : "", 1);
        setenv("NEXT", "no", 1);
        judge_substitute = answer;
        exit(judge_process(t->exercise, judge_tasks));
    }
    close(ends[1]);
    for (ssize_t got = 1; got > 0; filled += got > 0 ? (size_t)got : 0)
        got = read(ends[0], t->printed + filled, sizeof t->printed - 1 - filled);
    t->printed[filled] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_hint(const Test *t, const char *words)
{
    char line[1024];
    snprintf(line, sizeof line, "  hint: %s\n", words);
    return strstr(t->printed, line);
}

static void try_wrong(Test *t, const char *name, Substitute answer, const Wrong *w)
{
    int status = run_with(t, answer, w->question && !w->told ? 2 : w->hint);
    t->tried++;
    if (status != 1) print_problem(t, name, "it must not pass", NULL);
    else if (w->words && !w->told && !is_hint(t, w->words)) print_problem(t, name, "it is not told", w->words);
    else if (w->question && !w->told && !is_hint(t, w->question)) print_problem(t, name, "it is not told", w->question);
    else if (w->told && !strstr(t->printed, w->told)) print_problem(t, name, "it is not told", w->told);
    else if (w->not_told && strstr(t->printed, w->not_told)) print_problem(t, name, "it is told", w->not_told);
}

static void try_functions(Test *t, int task)
{
    for (int w = 0; w < MOST_WRONG; w++) {
        const Wrong *wrong = &t->exercise.tasks[task].wrong[w];
        Function f = wrong->function ? wrong->function : t->exercise.tasks[task].faulty;
        char name[64];
        if (!wrong->words && !wrong->told) continue;
        snprintf(name, sizeof name, "wrong answer %d of task %d (both from 0)", w, task);
        try_wrong(t, name, (Substitute){ .used = true, .task = task, .function = f, .fault = wrong->fault }, wrong);
    }
}

static void try_predictions(Test *t)
{
    static Prediction all[MOST_PREDICTIONS];
    Judge judge = { .arena = arena_open(), .exercise = t->exercise.number, .report = -1 };
    judge_substitute = (Substitute){ .used = true, .task = -1, .collected = all, .most = MOST_PREDICTIONS };
    for (int task = 0; task < t->exercise.count; task++)
        if (t->exercise.tasks[task].check) t->exercise.tasks[task].check(&judge, t->exercise.tasks[task].right);
    for (int p = 0; p < judge.predictions_count; p++)
        for (int b = 0; b < MOST_BELIEFS && all[p].beliefs[b].words; b++) {
            const Belief *belief = &all[p].beliefs[b];
            const char *name = arena_format(judge.arena, "%s: %g", all[p].what, belief->value);
            try_wrong(t, name,
                      (Substitute){ .used = true, .values = true, .task = -1, .prediction = p, .value = belief->value },
                      &(Wrong){ .words = belief->words });
        }
    arena_close(judge.arena);
}

int judge_self_test(Exercise exercise)
{
    Test t = { .exercise = exercise };
    bool functions = true;
    for (int task = 0; task < exercise.count; task++) functions = functions && exercise.tasks[task].right;
    if (run_with(&t, (Substitute){ .used = true, .values = !functions, .task = -1, .prediction = -1 }, 0) != 0)
        print_problem(&t, "the right answer", "it does not pass", NULL);
    for (int task = 0; task < exercise.count; task++) try_functions(&t, task);
    try_predictions(&t);
    printf("exercise %s: %d wrong answers, %d problems\n", exercise.number, t.tried, t.problems);
    return t.problems > 0;
}
