// Runs are processes: a folder each, their words in files beside it.
#include "programs/fail_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char OLD[] = "what stood here before\n";
enum { MOST_FILES = 200, MOST_WORDS = 40, PATIENCE = 120 }; // seconds

static _Noreturn void end(const Error *error)
{
    fprintf(stderr, "fail: %s\n", error->text);
    exit(2);
}

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

// ---- folders

static int by_name(const void *a, const void *b) { return strcmp(((const Left *)a)->name, ((const Left *)b)->name); }

// Adds the files of folder/inner, and takes them away where `clear` says so.
static void collect(Outcome *to, Arena *arena, const char *folder, const char *inner, bool clear)
{
    Error error;
    DIR *open = opendir(arena_format(arena, "%s/%s", folder, inner));
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        const char *name = arena_format(arena, "%s%s%s", inner, *inner ? "/" : "", entry->d_name);
        const char *path = arena_format(arena, "%s/%s", folder, name);
        struct stat about;
        if (lstat(path, &about)) continue;
        if (S_ISDIR(about.st_mode)) {
            collect(to, arena, folder, name, clear);
        } else {
            Left *left = &to->files[to->count++];
            REQUIRE(to->count < MOST_FILES, "%s holds too many files", folder);
            left->name = name;
            if (!file_read(&left->bytes, arena, path, &error)) end(&error);
        }
        if (clear) remove(path);
    }
    if (open) closedir(open);
}

static void collect_all(Outcome *to, Arena *arena, const char *folder, bool clear)
{
    to->files = arena_alloc(arena, MOST_FILES * sizeof *to->files);
    to->count = 0;
    collect(to, arena, folder, "", clear);
    qsort(to->files, (size_t)to->count, sizeof *to->files, by_name);
}

static void prepare(Arena *arena, const char *folder, const Outcome *before)
{
    Error error;
    if (!file_make_folder(folder, &error)) end(&error);
    for (int f = 0; before && f < before->count; f++) {
        char *path = arena_format(arena, "%s/%s", folder, before->files[f].name), *slash = strrchr(path, '/');
        *slash = 0;
        if (!file_make_folder(path, &error)) end(&error);
        *slash = '/';
        if (!file_write(path, OLD, strlen(OLD), &error)) end(&error);
    }
}

// ---- running

// The words of the line, the first one the program's path.
static char **words_of(Arena *arena, const Place *place, const char *line)
{
    char **words = arena_alloc(arena, MOST_WORDS * sizeof *words), *copy = arena_format(arena, "%s", line), *rest;
    int count = 0;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        REQUIRE(count + 1 < MOST_WORDS, "too many words: %s", line);
        if (*word == '@') word = arena_format(arena, "%s%s", place->root, word + 1);
        words[count] = count ? word : arena_format(arena, "%s/%s", place->build, word);
        count++;
    }
    return words;
}

// Nothing of this process's environment may change what a run does.
static char **environment_of(Arena *arena, const Place *place, const char *fail, const char *report)
{
    char **all = arena_alloc(arena, 8 * sizeof *all);
    int count = 0;
    all[count++] = "PATH=/usr/bin:/bin";
    all[count++] = "PYTHON=/nonexistent"; // the bench would wait for PyTorch
    all[count++] = "OPENBLAS_NUM_THREADS=1";
    if (fail || report) all[count++] = arena_format(arena, "LD_PRELOAD=%s", place->preload);
    if (fail) all[count++] = arena_format(arena, "FAIL=%s", fail);
    if (report) all[count++] = arena_format(arena, "FAIL_REPORT=%s", report);
    return all;
}

// The child, between fork and exec: other threads of this process may hold any lock, so that it may call little.
static _Noreturn void become(char **words, char **environment, const char *folder, const char *out, const char *err,
                             rlim_t space)
{
    int in = open("/dev/null", O_RDONLY), to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int told = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (in < 0 || to < 0 || told < 0 || chdir(folder)) _exit(126);
    if (dup2(in, 0) < 0 || dup2(to, 1) < 0 || dup2(told, 2) < 0) _exit(126);
    if (in > 2) close(in);
    if (to > 2) close(to);
    if (told > 2) close(told);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    if (space) setrlimit(RLIMIT_AS, &(struct rlimit){ space, space });
    alarm(PATIENCE);
    execve(words[0], words, environment);
    _exit(126);
}

void outcome_of(Outcome *out, Arena *arena, const Place *place, const Program *program, const char *name,
                const Outcome *before, const char *fail, const char *report)
{
    const char *folder = arena_format(arena, "%s/%s", place->tmp, name);
    const char *words_out = arena_format(arena, "%s.out", folder), *words_err = arena_format(arena, "%s.err", folder);
    bool narrow = fail && begins(fail, "space:");
    rlim_t space = narrow ? (rlim_t)strtol(fail + strlen("space:"), NULL, 10) * 1024 : 0;
    char **words = words_of(arena, place, program->line);
    char **environment = environment_of(arena, place, narrow ? NULL : fail, report);
    prepare(arena, folder, before);
    pid_t child = fork();
    if (child == 0) become(words, environment, folder, words_out, words_err, space);
    Error error;
    if (child < 0 || waitpid(child, &out->status, 0) != child) {
        error_set(&error, "%s cannot be run", words[0]);
        end(&error);
    }
    if (!file_read(&out->out, arena, words_out, &error) || !file_read(&out->err, arena, words_err, &error)) end(&error);
    collect_all(out, arena, folder, false);
}

// ---- judging

static bool same(FileBytes a, FileBytes b) { return a.size == b.size && !memcmp(a.at, b.at, a.size); }

// Of a program that measures: the file begins and ends as the other one does.
static bool like(FileBytes a, FileBytes b)
{
    return a.size > 8 && b.size > 8 && !memcmp(a.at, b.at, 8) && a.at[a.size - 1] == b.at[b.size - 1];
}

static const Left *named(const Outcome *in, const char *name)
{
    for (int f = 0; f < in->count; f++)
        if (!strcmp(in->files[f].name, name)) return &in->files[f];
    return NULL;
}

static bool is_temporary(const char *name)
{
    const char *slash = strrchr(name, '/');
    return begins(slash ? slash + 1 : name, ".manyheads-");
}

// The lines on stderr that are no news of how far it is.
static int sentences(const Program *program, const Outcome *run)
{
    int count = 0;
    for (const char *at = (const char *)run->err.at; *at; at += strcspn(at, "\n") + (strchr(at, '\n') != NULL))
        count += !program->tells || !begins(at, program->tells);
    return count;
}

// Every file is whole: as the clean run leaves it, or, where `old` is allowed, as it stood before.
static const char *files_fault(Arena *arena, const Program *program, const Outcome *run, const Outcome *clean, bool old,
                               bool leaves)
{
    for (int f = 0; f < clean->count; f++) {
        const Left *left = named(run, clean->files[f].name), *want = &clean->files[f];
        if (!left && old) continue;
        if (!left) return arena_format(arena, "%s is missing", want->name);
        bool whole = program->varies ? like(left->bytes, want->bytes) : same(left->bytes, want->bytes);
        bool before = left->bytes.size == strlen(OLD) && !memcmp(left->bytes.at, OLD, strlen(OLD));
        if (!whole && !(old && before)) return arena_format(arena, "%s is not what a clean run writes", want->name);
    }
    for (int f = 0; f < run->count; f++) {
        const char *name = run->files[f].name;
        bool state = old && program->state && !strcmp(name, program->state);
        if (!named(clean, name) && !state && !(leaves && is_temporary(name)))
            return arena_format(arena, "%s is left", name);
    }
    return NULL;
}

static const char *run_fault(Arena *arena, const Program *program, const Outcome *run, const Outcome *clean,
                             const char *fail)
{
    bool space = begins(fail, "space:"), kill = begins(fail, "kill:"), leaves = kill || begins(fail, "remove:");
    bool thread = begins(fail, "thread:") && !program->ranks;
    bool around = thread || begins(fail, "short:") || begins(fail, "none:"); // nothing need be lost
    const char *words = (const char *)run->err.at;
    if (WIFSIGNALED(run->status) && !(kill && WTERMSIG(run->status) == SIGKILL))
        return arena_format(arena, "signal %d: %.200s", WTERMSIG(run->status), words);
    int status = WIFEXITED(run->status) ? WEXITSTATUS(run->status) : -1, refusal = program->refusal;
    if (status == WEXITSTATUS(clean->status)) {
        if (!program->varies && !same(run->out, clean->out)) return "it ends well, with other words";
        if (sentences(program, run)) return arena_format(arena, "it ends well, and says %.200s", words);
        return files_fault(arena, program, run, clean, false, leaves);
    }
    if (around) return arena_format(arena, "exit %d, though nothing need be lost: %.200s", status, words);
    if (status >= 0 && status != (refusal ? refusal : 1) && !(space && status == 127)) // 127: the loader's
        return arena_format(arena, "exit %d: %.200s", status, words);
    if (status >= 0 && sentences(program, run) != 1) return arena_format(arena, "not one sentence: \"%.300s\"", words);
    return files_fault(arena, program, run, clean, true, leaves);
}

const char *outcome_fault(Arena *arena, const Place *place, const Program *program, const char *name,
                          const Outcome *clean, const char *fail, const char *report)
{
    Outcome run, unused;
    bool folder = begins(fail, "folder:"), leaves = begins(fail, "kill:") || begins(fail, "remove:");
    const char *path = arena_format(arena, "%s/%s", place->tmp, name);
    outcome_of(&run, arena, place, program, name, folder ? NULL : clean, fail, report);
    const char *fault = run_fault(arena, program, &run, clean, fail);
    if (!fault && (leaves || program->state)) {
        outcome_of(&run, arena, place, program, name, NULL, NULL, NULL);
        fault = run.status == clean->status ? files_fault(arena, program, &run, clean, false, leaves) : "exit status";
        if (fault) fault = arena_format(arena, "the next run: %s", fault);
    }
    collect_all(&unused, arena, path, true);
    rmdir(path);
    remove(arena_format(arena, "%s.out", path));
    remove(arena_format(arena, "%s.err", path));
    return fault;
}
