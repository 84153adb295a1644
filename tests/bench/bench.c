// Every rung of the ladder against what the processor can do, against attention over OpenBLAS and PyTorch, in one run.
//
// What is compared runs in turns, and the yardstick before and after each turn (base/measure.h). A table shows medians
// and, in brackets, quartiles. One thread is timed by what the processor spent on it, two threads by the clock on the
// wall. A kernel is given one head at a time, one after the other, each in memory of its own.
#include "base/portable_math.h"
#include "kernels/bf16.h"
#include "kernels/fast.h"
#include "attention/grouped.h"
#include "kernels/kernels.h"
#include "base/threads.h"
#include "bench/codes.h"
#include "bench/forms.h"
#include "bench/growth.h"
#include "bench/instructions.h"
#include "bench/numbers.h"
#include "bench/problem.h"
#include "bench/reader.h"
#include "bench/results.h"
#include "bench/sgemm.h"
#include "figure/png.h"
#include "io/file.h"
#include "io/flags.h"
#include "io/python_peer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROWS = 24, SLOW_ROUNDS = 3 };
#define LOOK 0.002 // seconds that the yardstick takes each time

typedef struct {
    double seconds;
    bool full, ladder, instructions, latent, codes, numbers;
    int length; // in the place of every T and S; 0: as they are
    const char *out, *save;
} Options;

typedef struct {
    Options options;
    double budget;     // seconds for each group
    int group, groups; // for the bar
    Results results;
    PythonPeer *torch;
    const char *peers; // with their versions, for the files
} Bench;

// ---- what a row runs

// When decoding, the problem's keys and values are `layers` caches of S rows each.
typedef struct {
    const Problem *problem;
    AttentionKernel *kernel;
    int next, threads, streams, rows, *layer, layers;
} Job;

static void run_head(void *context)
{
    Job *job = context;
    const Problem *p = job->problem;
    int h = job->next++ % p->H, g = h / (p->H / p->G);
    Attended to = { .out = mat_cols(p->out, 0, p->dv) };
    job->kernel(to, p->q[h], p->k[g], p->v[g], (Mask){ .causal = p->causal });
}

// The cache of the layer whose turn it is.
static Mat cache_of(const Job *job, Mat rows)
{
    int S = job->problem->S;
    return job->layer ? mat_rows(rows, *job->layer % job->layers * S, S) : rows;
}

static void with_threads(Job *job, void (*heads)(Attended, Mat, Mat, Mat, int, const Mask *))
{
    const Problem *p = job->problem;
    Mask masks[128] = { { 0 } };
    for (int h = 0; h < p->H; h++) masks[h].causal = p->causal;
    threads_set(job->threads);
    heads((Attended){ .out = p->out }, p->all_q, cache_of(job, p->all_k), cache_of(job, p->all_v), p->H, masks);
    threads_set(0);
    if (job->layer) ++*job->layer;
}

// The bare loop of both products, for about a millisecond.
enum { LOOP_ROUNDS = 256 };
static void run_loop(void *context) { fast_probe_rows(LOOP_ROUNDS, ((const Job *)context)->rows); }

static void run_heads(void *context) { with_threads(context, attention_fast_heads); }
static void run_decode(void *context) { with_threads(context, attention_fast_decode); }

static void by_rung(Attended to, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    grouped_attend(to, q, k, v, H, masks, attention_fast);
}
static void run_grouped(void *context) { with_threads(context, by_rung); }

// The same with the cache of each key head in memory of its own.
static void decode_group(int g, void *context)
{
    const Job *job = context;
    const Problem *p = job->problem;
    int R = p->H / p->G, width = R * p->d;
    Mask masks[64] = { { 0 } };
    Attended to = { .out = mat_cols(p->out, g * width, width) };
    Mat k = cache_of(job, p->k[g]), v = cache_of(job, p->v[g]);
    attention_fast_decode(to, mat_cols(p->all_q, g * width, width), k, v, R, masks);
}

static void run_decode_groups(void *context)
{
    Job *job = context;
    threads_set(job->threads);
    threads_parallel_for(job->problem->G, decode_group, job);
    threads_set(0);
    ++*job->layer;
}

// A quarter of the cache of a layer. Rows of the problem are contiguous, and so is each quarter. Where the values lie
// in the keys, these are all there is.
static volatile float read_sum;
static void read_part(int part, void *context)
{
    const Job *job = context;
    Mat k = cache_of(job, job->problem->all_k), v = cache_of(job, job->problem->all_v), m = part % 2 ? v : k;
    int half = m.rows / 2, first = k.rows * part / 4, end = k.rows * (part + 1) / 4;
    Mat own = part < 2 ? mat_rows(m, 0, half) : mat_rows(m, half, m.rows - half);
    if (k.at == v.at) own = mat_rows(k, first, end - first);
    read_sum = read_streams(own, job->streams);
}

static void run_reader(void *context)
{
    Job *job = context;
    threads_set(job->threads);
    threads_parallel_for(4, read_part, job);
    threads_set(0);
    ++*job->layer;
}

// ---- a group of rows: measured in turns, added to the results, printed

typedef struct {
    Bench *bench;
    Problem *problem;
    MeasureTimed rows[MOST_ROWS];
    Job jobs[MOST_ROWS];
    double heads[MOST_ROWS], errors[MOST_ROWS]; // heads in a call
    int count;
    int layers, layer; // when decoding: how many caches there are, and whose turn it is
} Group;

static void add(Group *group, const char *name, void (*run)(void *), AttentionKernel *kernel, int threads, int heads)
{
    REQUIRE(group->count < MOST_ROWS, "more than %d rows", MOST_ROWS);
    Job *job = &group->jobs[group->count];
    *job = (Job){ .problem = group->problem, .kernel = kernel, .threads = threads, .streams = 4 };
    if (group->layers) {
        job->layer = &group->layer;
        job->layers = group->layers;
    }
    group->layer = 0;
    run(job); // head 0, for its error
    Mat out = mat_cols(group->problem->out, 0, group->problem->dv);
    double error = run == run_reader ? 0.0 : problem_error(group->problem, 0, out);
    group->rows[group->count] = (MeasureTimed){ .name = name, .run = run, .context = job, .wall = threads > 1 };
    group->heads[group->count] = heads;
    group->errors[group->count++] = error;
}

// The next run of one head, in seconds of thread time (sdpa.py).
static double run_torch(void *torch) { return python_peer_ask(torch, "run"); }

static void add_kernel(Group *group, const char *name, AttentionKernel *kernel)
{
    static const char *const slow[] = { "naive", "reordered", "tiled", "lanes" };
    if (!kernel) return;
    add(group, name, run_head, kernel, 1, 1);
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, slow[i]) && group->problem->T >= 1024) group->rows[group->count - 1].most = SLOW_ROUNDS;
}

static void add_torch(Group *group)
{
    const Problem *p = group->problem;
    if (!group->bench->torch) return;
    char shape[100];
    snprintf(shape, sizeof shape, "shape %d %d %d %d %d", p->H, p->T, p->S, p->d, p->causal);
    double error = python_peer_ask(group->bench->torch, shape);
    if (error < 0) return;
    group->rows[group->count] =
        (MeasureTimed){ .name = "PyTorch", .elsewhere = run_torch, .context = group->bench->torch };
    group->heads[group->count] = 1;
    group->errors[group->count++] = error;
}

// The loop with 1, 2 or 4 numbers at a time, and nothing around it. What it does is as much as so many heads.
static void add_loop(Group *group, const char *name, int rows)
{
    double done = 2.0 * (double)fast_probe_rows(LOOP_ROUNDS, rows);
    add(group, name, run_loop, NULL, 1, 1);
    group->jobs[group->count - 1].rows = rows;
    group->heads[group->count - 1] = done / problem_flops(group->problem);
    group->errors[group->count - 1] = 0.0;
}

static double look_at_probe(void *context)
{
    (void)context;
    return fast_probe_rate(LOOK);
}

static double look_at_memory(void *context)
{
    Group *group = context;
    Job job = {
        .problem = group->problem, .threads = 1, .streams = 4, .layer = &group->layer, .layers = group->layers
    };
    double began = measure_clock_thread();
    run_reader(&job);
    return problem_bytes(group->problem) * group->problem->H / (measure_clock_thread() - began);
}

static void progress(int done, int all, void *context)
{
    const Bench *bench = ((Group *)context)->bench;
    enum { WIDTH = 40 };
    if (!isatty(2)) return;
    double part = (bench->group + (double)done / all) / bench->groups;
    int full = (int)(part * WIDTH);
    fprintf(stderr, "\r  [%.*s%*s] %3.0f %% ", full, "########################################", WIDTH - full, "",
            100 * part);
}

static void finish(Group *group, const char *title, const char *against)
{
    Bench *bench = group->bench;
    const Problem *p = group->problem;
    bool decoding = p->T == 1;
    int base = -1, first = bench->results.count;
    double flops = problem_flops(p), bytes = problem_bytes(p);
    for (int i = 0; i < group->count; i++) group->rows[i].work = group->heads[i] * (decoding ? bytes : flops / 2);
    measure_best(group->rows, group->count,
                 (Measurement){ .yardstick = decoding ? look_at_memory : look_at_probe,
                                .context = group,
                                .progress = progress,
                                .seconds = bench->budget });
    bench->group++;
    if (isatty(2)) fprintf(stderr, "\r%60s\r", "");
    for (int i = 0; i < group->count; i++)
        if (base < 0 && against && !strcmp(group->rows[i].name, against)) base = i;
    for (int i = 0; i < group->count; i++) {
        const MeasureTimed *row = &group->rows[i];
        double heads = measured_rate(row).median / row->work * group->heads[i]; // in a second
        MeasureSpread ratio = base < 0 ? (MeasureSpread){ 0, 0, 0 } : measured_ratio(row, &group->rows[base]);
        results_add(&bench->results,
                    (Result){ row->name, p->H, p->G, p->T, p->S, p->d, p->causal,
                              row->wall ? group->jobs[i].threads : 1, row->run == run_reader ? 0 : 1e-9 * heads * flops,
                              measured_share(row), 1e-9 * heads * bytes, group->errors[i], ratio });
    }
    const char *yardstick = decoding ? "of 4-stream reading" : "of the probe";
    results_print(&bench->results, first, title, yardstick, base < 0 ? NULL : against);
}

// ---- the groups

static int length_of(const Bench *bench, int T) { return bench->options.length ? bench->options.length : T; }

// One head at a time: the ladder, or only its end, and the peers.
static void time_kernels(Bench *bench, int H, int T, int d, bool causal, bool all_rungs)
{
    Arena *arena = arena_open();
    T = length_of(bench, T);
    Problem problem = problem_new(arena, H, H, T, T, d, causal, false);
    Group group = { .bench = bench, .problem = &problem };
    for (int r = 0; attention_rung(r); r++) {
        const AttentionKernelNamed *rung = attention_rung(r);
        if (all_rungs || !strcmp(rung->name, "fast") || !strcmp(rung->name, "plain-c"))
            add_kernel(&group, rung->name, rung->run);
    }
    if (all_rungs && !causal) {
        add_loop(&group, "loop 1x4", 1);
        add_loop(&group, "loop 2x4", 2);
        add_loop(&group, "loop 4x4", 4);
    }
    if (strcmp(bf16_kind(), "emulated")) add_kernel(&group, "bf16", attention_bf16);
    add_kernel(&group, "sgemm naive", sgemm_naive);
    add_kernel(&group, "sgemm tiles", sgemm_tiles);
    add_torch(&group);
    const char *mode = causal ? "causal" : "full";
    finish(&group, arena_format(arena, "H = %d, T = S = %d, d = %d, %s: one thread, contiguous heads", H, T, d, mode),
           sgemm_tiles ? "sgemm tiles" : "fast");
    arena_close(arena);
}

// The heads as views of (T, H · d): one after the other, and all at once on two threads.
static void time_views(Bench *bench, int H, int T, int d, bool causal)
{
    Arena *arena = arena_open();
    T = length_of(bench, T);
    Problem problem = problem_new(arena, H, H, T, T, d, causal, true);
    Group group = { .bench = bench, .problem = &problem };
    add_kernel(&group, "fast views", attention_fast);
    add_kernel(&group, "packed views", attention_packed);
    add(&group, "all heads", run_heads, NULL, 1, H);
    group.rows[group.count - 1].wall = true;
    add(&group, "all heads", run_heads, NULL, 2, H);
    finish(&group,
           arena_format(arena, "H = %d, T = S = %d, d = %d, %s: views of (T, H d); the last two by wall time", H, T, d,
                        causal ? "causal" : "full"),
           "all heads");
    arena_close(arena);
}

// Does memory give two threads more than one, and do two that decode take it? Each is a median of paired turns.
static void say_of_two(const Group *group)
{
    enum { ONE_READS = 1, TWO_READ, ONE_DECODES = 5, TWO_DECODE };
    const MeasureTimed *rows = group->rows;
    double bytes = problem_bytes(group->problem) * group->heads[TWO_READ];
    printf("  a layer is %.1f MB. Two threads read %.2f times what one reads, and decode %.2f times what one decodes:\n"
           "  one takes %.2f of what it could read, two take %.2f\n",
           1e-6 * bytes, measured_ratio(&rows[TWO_READ], &rows[ONE_READS]).median,
           measured_ratio(&rows[TWO_DECODE], &rows[ONE_DECODES]).median,
           measured_ratio(&rows[ONE_DECODES], &rows[ONE_READS]).median,
           measured_ratio(&rows[TWO_DECODE], &rows[TWO_READ]).median);
}

// A layer after the other, as a model does it: 256 MiB lie between two visits to a cache, so nothing of it is left in
// the processor's own.
static void time_decoding(Bench *bench, int S, int layers)
{
    Arena *arena = arena_open();
    S = length_of(bench, S);
    Problem problem = problem_new(arena, 32, 8, 1, S * layers, 128, true, true);
    Group group = { .bench = bench, .problem = &problem, .layers = layers };
    problem.causal = false; // the one query sees every key: nothing is halved
    problem.S = S;
    for (int g = 0; g < problem.G; g++) {
        problem.k[g] = mat_copy(arena, problem.k[g]);
        problem.v[g] = mat_copy(arena, problem.v[g]);
    }
    add(&group, "one stream", run_reader, NULL, 1, 32);
    group.jobs[0].streams = 1;
    add(&group, "four streams", run_reader, NULL, 1, 32);
    add(&group, "four streams", run_reader, NULL, 2, 32);
    add(&group, "fast views", run_grouped, NULL, 1, 32);
    add(&group, "decode views", run_decode, NULL, 1, 32);
    add(&group, "decode", run_decode_groups, NULL, 1, 32);
    add(&group, "decode", run_decode_groups, NULL, 2, 32);
    finish(&group, arena_format(arena, "Decoding: H = 32, G = 8, d = 128, %d keys", S), "decode views");
    say_of_two(&group);
    arena_close(arena);
}

// Chapter 17: rows of DeepSeek-V2's 512 + 64 numbers, which some heads or many look at. Four layers' are 288 MiB.
static void time_latent(Bench *bench, int H)
{
    enum { C = 512, DR = 64, LAYERS = 4 };
    Arena *arena = arena_open();
    int S = length_of(bench, 32768);
    Problem problem = problem_latent(arena, H, S * LAYERS, C, DR);
    Group group = { .bench = bench, .problem = &problem, .layers = LAYERS };
    problem.S = S;
    add(&group, "four streams", run_reader, NULL, 1, H);
    add(&group, "latent", run_decode, NULL, 1, H);
    finish(&group, arena_format(arena, "A latent cache: H = %d, %d keys of %d + %d", H, S, C, DR), "four streams");
    arena_close(arena);
}

static void time_latents(Bench *bench)
{
    static const int heads[] = { 1, 2, 4, 6, 8, 16, 32, 64, 128 };
    enum { COUNT = sizeof heads / sizeof *heads };
    bench->groups = COUNT;
    bench->budget = bench->options.seconds / COUNT;
    for (int i = 0; i < COUNT; i++) time_latent(bench, heads[i]);
}

// ---- files

// The first line of a file or of a program's output that begins with `key`, behind its colon.
static void line_of(char *to, int room, FILE *from, const char *key)
{
    char line[512];
    snprintf(to, (size_t)room, "unknown");
    while (from && fgets(line, sizeof line, from))
        if (!strncmp(line, key, strlen(key))) {
            const char *value = strchr(line, ':');
            snprintf(to, (size_t)room, "%.*s", (int)strcspn(value ? value + 2 : line, "\n"), value ? value + 2 : line);
            break;
        }
    if (from) fclose(from);
}

static void fact_of_cpu(char *to, int room, const char *key) { line_of(to, room, fopen("/proc/cpuinfo", "r"), key); }

// What the system calls the processor. A name without a number is that of many: family and model tell them apart.
static const char *cpu_name(Arena *arena)
{
    char name[256], family[32], model[32];
    fact_of_cpu(name, sizeof name, "model name");
    fact_of_cpu(family, sizeof family, "cpu family");
    fact_of_cpu(model, sizeof model, "model\t");
    if (strpbrk(name, "0123456789") || !strcmp(family, "unknown")) return arena_format(arena, "%s", name);
    return arena_format(arena, "%s (family %s, model %s)", name, family, model);
}

// What was measured beside us, for the first lines of the table.
static const char *peers_of(Arena *arena, const Bench *bench)
{
    const char *blas = sgemm_core() ? arena_format(arena, "%s for %s", sgemm_version(), sgemm_core()) : "no OpenBLAS";
    const char *torch =
        bench->torch ? arena_format(arena, "PyTorch %s", python_peer_version(bench->torch)) : "no PyTorch";
    return arena_format(arena, "%s, %s", blas, torch);
}

// The command as it is kept. Where a folder lies on this machine is of no use elsewhere: of an absolute path the last
// name stays.
static const char *command_of(Arena *arena, int argc, char **argv)
{
    const char *command = "bench";
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *equals = strchr(word, '='), *path = *word == '-' && equals ? equals + 1 : word;
        const char *name = path, *end = path + strlen(path);
        while (end > path + 1 && end[-1] == '/') end--;
        for (const char *at = path; *path == '/' && at < end; at++)
            if (*at == '/') name = at + 1;
        command = arena_format(arena, "%s %.*s%.*s", command, (int)(path - word), word, (int)(end - name), name);
    }
    return command;
}

static char *head_of(Arena *arena, const char *what, int argc, char **argv)
{
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    return arena_format(arena, "# %s\n# cpu: %s, %ld processors, %s\n# date: %s\n# compiler: %s\n# command: %s\n", what,
                        cpu_name(arena), sysconf(_SC_NPROCESSORS_ONLN), fast_kind(), date,
#ifdef __clang__
                        "clang " __clang_version__,
#else
                        "gcc " __VERSION__,
#endif
                        command_of(arena, argc, argv));
}

// One table a processor: cpu-amd-epyc-25-17.tsv, of its name's first two words, without what stands in brackets, and of
// the numbers behind.
static const char *name_of_table(Arena *arena)
{
    const char *cpu = cpu_name(arena), *end = strstr(cpu, " (family ");
    char *name = arena_format(arena, "cpu-%*s", (int)strlen(cpu) + 1, "");
    size_t used = 4;
    int words = 0, depth = 0;
    for (const char *at = cpu; *at && at != end && words < 2; at++) {
        depth += (*at == '(') - (at > cpu && at[-1] == ')');
        if (*at == ' ' && ++words < 2) name[used++] = '-';
        else if (depth == 0 && isalnum((unsigned char)*at)) name[used++] = (char)tolower((unsigned char)*at);
    }
    name[used] = '\0';
    int family, model;
    if (!end || sscanf(end, " (family %d, model %d)", &family, &model) != 2) return arena_format(arena, "%s.tsv", name);
    return arena_format(arena, "%s-%d-%d.tsv", name, family, model);
}

static bool write_text(const char *folder, const char *name, const char *text, Error *error)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return file_write(path, text, strlen(text), error);
}

static const char MEASURED[] = "Measured by bench; shares are medians, share_low and share_high their quartiles.";

static bool write_files(Arena *arena, Bench *bench, const char *growth, int argc, char **argv, Error *error)
{
    const Options *o = &bench->options;
    const char *head = head_of(arena, MEASURED, argc, argv);
    const char *with_peers = arena_format(arena, "%s# peers: %s\n", head, bench->peers);
    bool ok = write_text(o->out, "cpu.csv", results_csv(arena, &bench->results, NULL), error);
    if (ok && png_available()) ok = results_chart(&bench->results, arena_format(arena, "%s/cpu.png", o->out), error);
    if (ok && growth) ok = write_text(o->out, "growth.tsv", growth, error);
    const char *kept = results_csv(arena, &bench->results, with_peers);
    if (ok && o->save) ok = write_text(o->save, name_of_table(arena), kept, error);
    if (ok && o->save && growth)
        ok = write_text(o->save, "growth.tsv", arena_format(arena, "%s%s", head, growth), error);
    if (ok)
        printf("\nwritten: %s/cpu.csv%s%s%s%s\n", o->out, png_available() ? ", cpu.png" : "",
               growth ? ", growth.tsv, growth.png" : "", o->save ? "; for the book: " : "", o->save ? o->save : "");
    return ok;
}

// ---- one table, in the place of all else

typedef struct {
    Arena *arena;
    int argc;
    char **argv;
} Called;

// NAME.tsv in the folder: the head, with what was measured, and the table.
static bool save_table(const Options *o, Called c, const char *name, const char *what, const char *table, Error *error)
{
    const char *head = head_of(c.arena, what, c.argc, c.argv), *file = arena_format(c.arena, "%s.tsv", name);
    if (!write_text(o->out, file, arena_format(c.arena, "%s%s", head, table), error)) return false;
    printf("\nwritten: %s/%s\n", o->out, file);
    return flags_printed(error);
}

static bool count_instructions(const Options *o, Called c, Error *error)
{
    char *table;
    return instructions_count(&table, c.arena, o->length ? o->length : 64, o->length > 0, error) &&
           save_table(o, c, "instructions", "Counted by bench, one by one: d = 64, what grows with queries times keys.",
                      table, error);
}

static bool ladder(Bench *bench, Called c, Error *error)
{
    bench->groups = 2;
    bench->budget = bench->options.seconds / 2;
    for (int causal = 0; causal < 2; causal++) time_kernels(bench, 12, 1024, 64, causal, true);
    return save_table(&bench->options, c, "ladder", MEASURED, results_csv(c.arena, &bench->results, ""), error);
}

// The probe's row comes first: what the processor computes at best, for the other roof.
static bool latents(Bench *bench, Called c, Error *error)
{
    double rate = 2e-9 * fast_probe_rate(0.2);
    results_add(&bench->results, (Result){ .kernel = "probe", .threads = 1, .gflops = rate });
    printf("instructions: %s, %.0f GFLOP/s at best\n", fast_kind(), rate);
    if (!flags_printed(error)) return false;
    time_latents(bench);
    return save_table(&bench->options, c, "latent",
                      "Measured by bench; shares are of four streams, share_low and share_high their quartiles.",
                      results_csv(c.arena, &bench->results, ""), error);
}

static bool codes(const Options *o, Called c, Error *error)
{
    char *table;
    printf("instructions: %s\n", fast_kind());
    if (!flags_printed(error)) return false;
    codes_measure(&table, c.arena, o->length, o->seconds);
    return save_table(o, c, "codes", "Measured by bench; shares are of four streams, low and high are quartiles.",
                      table, error);
}

// ---- the whole

static const char ABOVE[] =
    "bench: every rung of the ladder against this processor and against peers\n\nusage: bench [flags]\n";

static FlagsRead read_options(Options *o, int argc, char **argv, Error *error)
{
    *o = (Options){ .out = "build/bench" };
    const Flag flags[] = {
        flag_switch("full", &o->full, "every shape, and how cost grows with T"),
        flag_real("seconds", &o->seconds, 0.001, 100000, "X",
                  "about this long in all (default 60; with --full 300, and how cost grows besides)"),
        flag_switch("instructions", &o->instructions,
                    "in the place of all this: count the instructions of each rung, into instructions.tsv"),
        flag_switch("ladder", &o->ladder,
                    "in the place of all this: every rung at T = 1024, and its bare loop, into ladder.tsv"),
        flag_switch("latent", &o->latent, "in the place of all this: decoding over a latent cache, into latent.tsv"),
        flag_switch("codes", &o->codes, "in the place of all this: decoding over a cache of codes, into codes.tsv"),
        flag_switch("numbers", &o->numbers,
                    "in the place of all this: does the speed hang on the numbers? From T = 16 to 4096"),
        flag_count("length", &o->length, 1, 65536, "T", "in the place of every T and S: to try the program out"),
        flag_folder("out", &o->out, "FOLDER", "where cpu.csv and cpu.png go (default build/bench)"),
        flag_folder("save", &o->save, "FOLDER",
                    "cpu-NAME.tsv as well, a table a processor, with its name, date, compiler and peers on top"),
    };
    FlagsRead read = flags_read(&(Flags){ ABOVE, NULL, 17, flags, sizeof flags / sizeof *flags }, argc, argv, error);
    if (read != FLAGS_FINE) return read;
    if (o->seconds == 0) o->seconds = o->full ? 300 : 60;
    if (!o->save || !file_same(o->out, o->save)) return FLAGS_FINE;
    error_set(error, "--out %s and --save %s are one folder, and growth.tsv would be lost", o->out, o->save);
    return FLAGS_WRONG;
}

// What runs besides, and what does not.
static void print_peers(Arena *arena, const Bench *bench, const char *why)
{
    bool plain = !strcmp(fast_kind(), "plain");
    printf("processor: %s, %ld of them\n", cpu_name(arena), sysconf(_SC_NPROCESSORS_ONLN));
    printf("instructions: %s%s\n", fast_kind(), plain ? " (this processor has no AVX2)" : "");
    printf("GFLOP/s: 4·T·S·d operations a head; causal half of that, as half of the pairs are seen\n");
    if (sgemm_core())
        printf("peer: %s, its kernels for %s%s\n", sgemm_version(), sgemm_core(),
               !plain && !strcmp(sgemm_core(), "Prescott") ? ", as it does not know this processor" : "");
    else printf("left out: OpenBLAS, which was not there when this was built\n");
    if (bench->torch) printf("peer: PyTorch %s\n", python_peer_version(bench->torch));
    else printf("left out: PyTorch: %s\n", why);
}

static void run_all(Bench *bench)
{
    static const int shapes[][3] = { { 12, 1024, 64 }, { 12, 4096, 64 }, { 32, 2048, 128 } };
    bool full = bench->options.full;
    bench->groups = full ? 15 : 7;
    bench->budget = bench->options.seconds / (bench->groups + 2); // the rest goes into set-up
    for (int s = 0; s < 3; s++)
        for (int causal = 0; causal < 2; causal++) {
            int H = shapes[s][0], T = shapes[s][1], d = shapes[s][2];
            if (full || s != 1) time_kernels(bench, H, T, d, causal, full || s == 0);
            if (full || (s == 0 && !causal)) time_views(bench, H, T, d, causal);
        }
    time_decoding(bench, 4096, 8);
    time_decoding(bench, 32768, 1);
    forms_measure(bench->budget);
    if (!bench->options.length) numbers_measure(false);
}

// All that is measured, and then its files.
static bool bench_all(Bench *bench, Arena *arena, int argc, char **argv, Error *error)
{
    char why[256], *growth = NULL;
    const Options *o = &bench->options;
    bench->torch = python_peer_start(BENCH_FOLDER "/sdpa.py", why, sizeof why);
    bench->peers = peers_of(arena, bench); // while PyTorch is there to ask
    print_peers(arena, bench, why);
    bool ok = flags_printed(error); // before a minute of work whose table nobody would see
    if (ok) run_all(bench);
    python_peer_stop(bench->torch);
    if (ok && o->full)
        ok = growth_measure(&growth, arena, o->length ? o->length : 32768, 5.0,
                            arena_format(arena, "%s/growth.png", o->out), error);
    return ok && write_files(arena, bench, growth, argc, argv, error) && flags_printed(error);
}

int main(int argc, char **argv)
{
    Bench bench = { 0 };
    Error error;
    sgemm_settle(argv);
    FlagsRead read = read_options(&bench.options, argc, argv, &error);
    if (read != FLAGS_FINE) return flags_exit(read, "bench", &error);
    Arena *arena = arena_open();
    const Options *o = &bench.options;
    Called called = { arena, argc, argv };
    if (o->numbers) numbers_measure(true);
    bool ok = o->numbers        ? flags_printed(&error)
              : o->instructions ? count_instructions(o, called, &error)
              : o->ladder       ? ladder(&bench, called, &error)
              : o->codes        ? codes(o, called, &error)
              : o->latent       ? latents(&bench, called, &error)
                                : bench_all(&bench, arena, argc, argv, &error);
    if (!ok) fprintf(stderr, "bench: %s\n", error.text);
    arena_close(arena);
    free(bench.results.at);
    return !ok;
}
