// What a shell cannot measure or read: `cli_probe start MOST PROGRAM [FLAG …]`, `cli_probe plain FILE`,
// `cli_probe json FILE KEY …`, `cli_probe near SHARE FILE OTHER`.
//
// start   prints the milliseconds until the program's first line is there, rounded up: the best of up to 100 starts, of
//         which the first within MOST is the last, so that a busy machine makes no program slow
// plain   is content when FILE is UTF-8 without control characters and no line is wider than 80 columns; else it says
//         what is wrong where, and exits 1
// json    prints the number in FILE that the keys lead to, one object into the next
// near    is content when two safetensors files have the same notes and tensors, no number further from its other than
//         SHARE of the tensor's largest; else it says which, and exits 1
#include "base/portable_math.h"
#include "io/file.h"
#include "io/json.h"
#include "io/safetensors.h"
#include "io/text.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STARTS = 100, WIDEST = 80 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// Milliseconds from fork to the first line end; −1 when none comes. The program is ended then.
static double first_line(char **command)
{
    int out[2];
    if (pipe(out)) return -1;
    double start = now(), found = -1;
    pid_t child = fork();
    if (!child) {
        dup2(out[1], STDOUT_FILENO);
        close(out[0]);
        close(out[1]);
        execv(command[0], command);
        _exit(127);
    }
    close(out[1]);
    char text[4096];
    for (ssize_t got; found < 0 && (got = read(out[0], text, sizeof text)) > 0;)
        if (memchr(text, '\n', (size_t)got)) found = now() - start;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(out[0]);
    return found;
}

static int print_start(double most, char **command)
{
    double best = -1;
    for (int i = 0; i < STARTS && (best < 0 || best > most); i++) {
        double time = first_line(command);
        if (time < 0) {
            fprintf(stderr, "cli_probe: %s prints no line\n", command[0]);
            return 1;
        }
        if (best < 0 || time < best) best = time;
    }
    printf("%.0f\n", ceil(best));
    return 0;
}

// The bytes of the UTF-8 character at `at`: 0 when it is none, or is a control character.
static int character(const unsigned char *at)
{
    return *at < ' ' || *at == 0x7f ? 0 : (int)text_utf8_length(at, strlen((const char *)at));
}

static int plain(const char *path)
{
    unsigned char line[1 << 14];
    if (!freopen(path, "r", stdin)) {
        perror(path);
        return 1;
    }
    for (int number = 1; fgets((char *)line, sizeof line, stdin); number++) {
        int columns = 0, length;
        unsigned char *at = line;
        for (; *at && *at != '\n'; at += length, columns++)
            if (!(length = character(at))) {
                printf("line %d, column %d: byte 0x%02x is no text\n", number, columns + 1, *at);
                return 1;
            }
        if (columns > WIDEST) {
            printf("line %d is %d columns wide\n", number, columns);
            return 1;
        }
    }
    return 0;
}

static int print_number(const char *path, char **keys, int count)
{
    Arena *arena = arena_open();
    FileBytes file;
    Json *json = NULL;
    Error error;
    if (!file_read(&file, arena, path, &error) ||
        !json_parse(&json, arena, (const char *)file.at, file.size, path, &error)) {
        fprintf(stderr, "cli_probe: %s\n", error.text);
        return 1;
    }
    const Json *at = json;
    for (int k = 0; k < count && at; k++) at = json_member(at, keys[k]);
    if (!at || at->kind != JSON_NUMBER) {
        fprintf(stderr, "cli_probe: %s: no number under %s\n", path, keys[count - 1]);
        return 1;
    }
    printf("%.9g\n", at->number);
    arena_close(arena);
    return 0;
}

// The first element that is too far from its other; −1: none is, and shapes are equal. NaN is near NaN alone.
static int64_t far_apart(const NpyArray *a, const NpyArray *b, double share)
{
    double largest = 0.0;
    if (a->axes != b->axes || memcmp(a->shape, b->shape, (size_t)a->axes * sizeof *a->shape)) return 0;
    for (size_t e = 0; e < a->count; e++)
        if (isfinite(a->at[e])) largest = fmax(largest, fabs((double)a->at[e]));
    for (size_t e = 0; e < a->count; e++) {
        bool same = a->at[e] == b->at[e] || (isnan(a->at[e]) && isnan(b->at[e]));
        if (!same && !(fabs((double)a->at[e] - (double)b->at[e]) <= share * largest)) return (int64_t)e;
    }
    return -1;
}

static int near(double share, const char *path, const char *other)
{
    Arena *arena = arena_open();
    Tensors a, b;
    Error error;
    if (!safetensors_read(&a, arena, path, &error) || !safetensors_read(&b, arena, other, &error)) {
        fprintf(stderr, "cli_probe: %s\n", error.text);
        return 1;
    }
    bool alike = a.count == b.count && a.notes_count == b.notes_count;
    if (!alike) printf("%s and %s have other tensors or notes\n", path, other);
    for (int n = 0; n < a.notes_count && alike; n++) {
        const char *value = tensors_note(&b, a.notes[n].key);
        alike = value && !strcmp(value, a.notes[n].value);
        if (!alike) printf("note %s is another in %s\n", a.notes[n].key, other);
    }
    for (int n = 0; n < a.count && alike; n++) {
        const NpyArray *to = tensors_find(&b, a.tensors[n].name);
        int64_t e = to ? far_apart(&a.tensors[n].array, to, share) : 0;
        alike = e < 0;
        if (!alike) printf("tensor %s: element %lld is another in %s\n", a.tensors[n].name, (long long)e, other);
    }
    arena_close(arena);
    return !alike;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "near")) return near(strtod(argv[2], NULL), argv[3], argv[4]);
    if (argc >= 4 && !strcmp(argv[1], "start")) return print_start(strtod(argv[2], NULL), argv + 3);
    if (argc == 3 && !strcmp(argv[1], "plain")) return plain(argv[2]);
    if (argc >= 4 && !strcmp(argv[1], "json")) return print_number(argv[2], argv + 3, argc - 3);
    fprintf(stderr, "usage: cli_probe start MOST PROGRAM [FLAG …] | cli_probe plain FILE | cli_probe json FILE KEY … | "
                    "probe near SHARE FILE OTHER\n");
    return 2;
}
