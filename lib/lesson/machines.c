// The roofline model, and measured numbers for it.
#include "lesson/machines.h"

#include "base/error.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const bench_lines[] = {
#include "bench/cpu-amd-epyc.inc"
};

const Machine MACHINE_H100 = { "H100", 989e3, 3350, 80 };

enum { NUMBERS = 13 }; // columns after the name of a kernel; indices of some:
enum { OF_T = 2, OF_S = 3, CAUSAL = 5, THREADS = 6, GFLOPS = 7, SHARE = 8, GBYTES = 9 };

// Parses a line of the table if it is for this kernel and shape, on one thread and without a mask.
static bool line_is(double numbers[NUMBERS], const char *line, const char *kernel, int T, int S)
{
    size_t name = strlen(kernel);
    if (strncmp(line, kernel, name) != 0 || line[name] != '\t') return false;
    const char *at = line + name;
    for (int n = 0; n < NUMBERS; n++) {
        int used = 0;
        if (sscanf(at, "%lf%n", &numbers[n], &used) != 1) return false;
        at += used;
    }
    return numbers[OF_T] == T && numbers[OF_S] == S && numbers[CAUSAL] == 0.0 && numbers[THREADS] == 1.0;
}

static void find(double numbers[NUMBERS], const char *kernel, int T, int S)
{
    for (size_t i = 0; i < sizeof bench_lines / sizeof *bench_lines; i++)
        if (line_is(numbers, bench_lines[i], kernel, T, S)) return;
    REQUIRE(false, "data/bench/cpu-amd-epyc.tsv has no line of %s at %d × %d", kernel, T, S);
}

Machine machine_core(void)
{
    double fast[NUMBERS], streams[NUMBERS];
    find(fast, "fast", 1024, 1024);
    find(streams, "four streams", 1, 32768);
    return (Machine){ "one core", fast[GFLOPS] / fast[SHARE], streams[GBYTES], 0.0 };
}

static double share_of(const char *kernel, int T, int S)
{
    double line[NUMBERS];
    find(line, kernel, T, S);
    return line[SHARE];
}

double machine_core_prefill(void) { return share_of("fast", 1024, 1024); }
double machine_core_decode(void) { return share_of("decode", 1, 32768); }
double machine_core_decode_views(void) { return share_of("decode views", 1, 32768); }

double machine_ridge(Machine machine) { return machine.gflops / machine.gbytes; }

double machine_reaches(Machine machine, double flops_a_byte)
{
    double fetched = machine.gbytes * flops_a_byte;
    return fetched < machine.gflops ? fetched : machine.gflops;
}

double machine_tokens(Machine machine, double weights, double cache, double users)
{
    return users * 1e9 * machine.gbytes / (weights + users * cache);
}

// ---- this machine

const char *machine_here(Arena *arena)
{
    FileBytes all;
    Error ignored;
    if (!file_read(&all, arena, "/proc/cpuinfo", &ignored)) return "unknown";
    const char *name = strstr((const char *)all.at, "model name"), *colon = name ? strchr(name, ':') : NULL;
    return colon ? arena_format(arena, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2) : "unknown";
}

const char *machine_today(Arena *arena)
{
    char date[16] = "";
    time_t now = time(NULL);
    const struct tm *parts = gmtime(&now);
    if (parts) strftime(date, sizeof date, "%Y-%m-%d", parts);
    return arena_format(arena, "%s", date);
}
