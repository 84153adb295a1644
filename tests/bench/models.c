// A model of GPT-2's size beside PyTorch and llama.cpp, in one run: texts of 16, 128 and 512 tokens with the logits
// behind them, one token more with its logits, and memory.
//
// The model is made here, of random numbers, as a folder that all open (bench/made_model.h): float32, and bfloat16. All
// run on the same number of threads. One thread is timed by what the processor spent on it, several by the clock on the
// wall, which says little where a machine has other work. Rows take turns (base/measure.h). What is shown are medians
// and, in brackets, quartiles. A step is also shown as a part of what four streams read in a second on this machine:
// weights, keys and values are what it must read. Of bfloat16 ours runs twice, as it is and rounded (WEIGHT_ROUNDED);
// PyTorch rounds everything. "off by" is how far the logits are from ours as it is, of their largest.
//
// --long runs 4096 tokens of a model of 0.5 billion numbers once, for its memory, and nothing else.
#include "base/measure.h"
#include "base/portable_math.h"
#include "base/threads.h"
#include "bench/made_model.h"
#include "bench/reader.h"
#include "io/flags.h"
#include "io/python_peer.h"
#include "model/pretrained_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int L, threads;
    double seconds;
    const char *folder;
    bool far;
} Options;

// A peer speaks the commands of its script; NULL: it is not here.
enum { PEERS = 2, OURS = 2 };
typedef struct {
    const char *name, *script;
    PythonPeer *torch;
} Peer;

enum { STREAM = 1 << 26, LONG = 4096 };

// ---- what is timed

typedef struct {
    const PretrainedModel *model;
    int *tokens, T;
    bool rounded;                   // (PretrainedInput)
    const PretrainedRun *before[2]; // as it is, rounded
    PythonPeer *torch;
} Job;

static PretrainedInput input_of(const Job *job, int T)
{
    return (PretrainedInput){ .tokens = job->tokens, .T = T, .rounded = job->rounded };
}

static void prefill(void *context)
{
    const Job *job = context;
    Arena *arena = arena_open();
    PretrainedRun run = pretrained_run(arena, job->model, input_of(job, job->T), NULL, NULL);
    pretrained_logits(arena, &run, job->T - 1);
    arena_close(arena);
}

static void step(void *context)
{
    const Job *job = context;
    Arena *arena = arena_open();
    PretrainedRun run = pretrained_run_after(arena, job->before[job->rounded], input_of(job, job->T + 1), NULL, NULL);
    pretrained_logits(arena, &run, job->T);
    arena_close(arena);
}

static double prefill_there(void *context)
{
    const Job *job = context;
    char command[32];
    snprintf(command, sizeof command, "prefill %d", job->T);
    return python_peer_ask(job->torch, command);
}

static double step_there(void *context) { return python_peer_ask(((const Job *)context)->torch, "decode"); }

// What four streams read, one set of them a thread. The sums are kept where they were read.
static void read_part(int i, void *context)
{
    const Mat *all = context;
    int rows = all->rows / threads_count();
    Mat part = mat_rows(*all, i * rows, rows);
    part.at[0] = read_streams(part, 4) * 1e-30f;
}

static void read_all(void *context) { threads_parallel_for(threads_count(), read_part, context); }

// ---- rows: ours, ours rounded, the peers

typedef struct {
    MeasureTimed rows[OURS + PEERS + 1];
    Job jobs[OURS + PEERS];
    int ours, count;
} Table;

static void table_open(Table *t, Job job, const Peer *peers, void (*run)(void *), double (*there)(void *))
{
    bool wall = threads_count() > 1, bf16 = job.model->embedding.stored == DTYPE_BF16;
    *t = (Table){ .ours = bf16 ? 2 : 1 };
    for (int i = 0; i < t->ours + PEERS; i++) {
        const Peer *peer = i < t->ours ? NULL : &peers[i - t->ours];
        if (peer && !peer->torch) continue;
        Job *own = &t->jobs[t->count];
        *own = job;
        own->rounded = i == 1 && !peer;
        own->torch = peer ? peer->torch : NULL;
        MeasureTimed *row = &t->rows[t->count++];
        *row = (MeasureTimed){ .name = peer ? peer->name
                                       : i  ? "ours, rounded"
                                            : "ours",
                               .context = own,
                               .work = 1.0,
                               .wall = wall,
                               .repeats = 1 };
        if (peer) row->elsewhere = there;
        else row->run = run;
    }
}

// A line each: milliseconds, how fast ours are beside each peer, what else is said of ours.
static void table_print(const Table *t, const char *what, const MeasureTimed *streams, double operations)
{
    for (int i = 0; i < t->count; i++) {
        MeasureSpread rate = measured_rate(&t->rows[i]);
        printf("  %-18s %-14s %8.1f ms [%.1f %.1f]", i ? "" : what, t->rows[i].name, 1e3 / rate.median, 1e3 / rate.high,
               1e3 / rate.low);
        for (int peer = t->ours; i < t->ours && peer < t->count; peer++) {
            MeasureSpread ratio = measured_ratio(&t->rows[i], &t->rows[peer]);
            printf("  %.2f × %s [%.2f %.2f]", ratio.median, t->rows[peer].name, ratio.low, ratio.high);
        }
        if (operations > 0.0) printf("  %.0f GFLOP/s", 1e-9 * operations * rate.median);
        if (streams) {
            MeasureSpread share = measured_ratio(&t->rows[i], streams);
            printf("  %.2f of four streams [%.2f %.2f]", share.median, share.low, share.high);
        }
        printf("\n");
    }
}

static void time_prefill(Job job, const Peer *peers, const Options *o, MadeShape s)
{
    Table t;
    char what[40];
    table_open(&t, job, peers, prefill, prefill_there);
    measure_best(t.rows, t.count, (Measurement){ .seconds = o->seconds });
    snprintf(what, sizeof what, "%d tokens", job.T);
    double operations = 2.0 * job.T * made_layer_numbers(s) + 2.0 * job.T * job.T * s.D * s.L;
    table_print(&t, what, NULL, operations);
}

static void time_step(Job job, const Peer *peers, const Options *o, MadeShape s, Mat stream)
{
    Arena *arena = arena_open();
    Table t;
    Job near = job;
    near.rounded = true;
    PretrainedRun before = pretrained_run(arena, job.model, input_of(&job, job.T), NULL, NULL);
    PretrainedRun rounded = pretrained_run(arena, job.model, input_of(&near, job.T), NULL, NULL);
    char text[40];
    job.before[0] = &before;
    job.before[1] = &rounded;
    snprintf(text, sizeof text, "keep %d", job.T);
    for (int i = 0; i < PEERS; i++)
        if (peers[i].torch) python_peer_ask(peers[i].torch, text);
    double size = (double)dtype_size(job.model->embedding.stored);
    double bytes = (made_layer_numbers(s) + (double)s.words * s.D) * size + made_cache_numbers(s) * job.T * 4.0;
    table_open(&t, job, peers, step, step_there);
    t.rows[t.count] = (MeasureTimed){ .name = "four streams",
                                      .run = read_all,
                                      .context = &stream,
                                      .work = 4.0 * STREAM / bytes,
                                      .wall = threads_count() > 1,
                                      .repeats = 1 };
    measure_best(t.rows, t.count + 1, (Measurement){ .seconds = o->seconds });
    snprintf(text, sizeof text, "one more after %d", job.T);
    table_print(&t, text, &t.rows[t.count], 0.0);
    arena_close(arena);
}

// ---- how far from ours as it is

static double furthest(Mat a, Mat b)
{
    double largest = 0.0;
    for (int c = 0; c < b.cols; c++) largest = fmax(largest, fabs((double)b.at[c]));
    return mat_max_difference(a, b) / largest;
}

static void print_errors(Job job, const Peer *peers, const char *folder)
{
    Arena *arena = arena_open();
    Job rounded = job;
    rounded.rounded = true;
    PretrainedRun a = pretrained_run(arena, job.model, input_of(&job, job.T), NULL, NULL);
    PretrainedRun b = pretrained_run(arena, job.model, input_of(&rounded, job.T), NULL, NULL);
    Mat as_it_is = pretrained_logits(arena, &a, job.T - 1), theirs = mat_new(arena, 1, as_it_is.cols);
    const char *path = arena_format(arena, "%s/logits", folder), *before = "off by ";
    printf("  %-18s ", "logits");
    if (job.model->embedding.stored == DTYPE_BF16) {
        printf("off by %.1e rounded", furthest(pretrained_logits(arena, &b, job.T - 1), as_it_is));
        before = ", ";
    }
    for (int i = 0; i < PEERS; i++) {
        if (!peers[i].torch) continue;
        python_peer_ask(peers[i].torch, arena_format(arena, "logits %d %s", job.T, path));
        FILE *file = fopen(path, "rb");
        bool read = file && fread(theirs.at, sizeof(float), (size_t)theirs.cols, file) == (size_t)theirs.cols;
        if (file) fclose(file);
        if (read) printf("%s%.1e in %s", before, furthest(theirs, as_it_is), peers[i].name);
        else printf("%snone from %s", before, peers[i].name);
        before = ", ";
    }
    printf("\n");
    arena_close(arena);
}

// ---- memory

// Megabytes of this process that are no file's.
static double resident(void)
{
    long pages = 0, shared = 0;
    char text[128] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fgets(text, sizeof text, file)) {
        strtol(text, NULL, 10);
        char *at = strchr(text, ' ');
        pages = at ? strtol(at, &at, 10) : 0;
        shared = at ? strtol(at, NULL, 10) : 0;
    }
    if (file) fclose(file);
    return (double)(pages - shared) * 4096e-6;
}

static void look_at_memory(void *context, int layers_done)
{
    double *most = context, now = resident();
    (void)layers_done;
    if (now > *most) *most = now;
}

static void memory_of(Job job)
{
    double before = resident(), most = before;
    Arena *arena = arena_open();
    pretrained_run(arena, job.model, input_of(&job, job.T), look_at_memory, &most);
    printf("  %d tokens take %.0f MB of their own; %.0f MB of weights are mapped, the system's\n", job.T, most - before,
           (double)job.model->bytes * 1e-6);
    arena_close(arena);
}

// ---- a model

typedef bool Bench(Job job, const Peer *peers, const Options *o, MadeShape s, const char *folder);

static bool everything(Job job, const Peer *peers, const Options *o, MadeShape s, const char *folder)
{
    static const int lengths[] = { 16, 128, 512 };
    Arena *arena = arena_open();
    Mat stream = mat_new(arena, STREAM / 1024, 1024);
    for (int i = 0; i < PEERS; i++)
        if (peers[i].torch) python_peer_ask(peers[i].torch, arena_format(arena, "open %s %d", folder, threads_count()));
    for (int i = 0; i < 3; i++) {
        job.T = lengths[i];
        time_prefill(job, peers, o, s);
    }
    for (int i = 0; i < 2; i++) {
        job.T = lengths[i];
        time_step(job, peers, o, s, stream);
    }
    print_errors(job, peers, folder);
    arena_close(arena);
    job.T = s.positions;
    memory_of(job);
    return true;
}

static bool one_long_text(Job job, const Peer *peers, const Options *o, MadeShape s, const char *folder)
{
    (void)peers;
    (void)o;
    (void)s;
    (void)folder;
    job.T = LONG;
    memory_of(job);
    return true;
}

static bool bench_model(Bench *bench, const Options *o, MadeShape s, Dtype stored, const Peer *peers, Error *error)
{
    Arena *arena = arena_open();
    PretrainedModel *model;
    const char *name = stored == DTYPE_F32 ? "f32" : "bf16";
    const char *folder = arena_format(arena, "%s/%s-%s", o->folder, s.family, name);
    bool ok = made_model(folder, s, stored, error) && pretrained_open(&model, arena, folder, error);
    if (ok) {
        int *tokens = arena_alloc(arena, LONG * sizeof *tokens);
        for (int t = 0; t < LONG; t++) tokens[t] = t * 7 % s.words;
        printf("%s, %s, %.0f million numbers\n", s.family, name,
               (double)model->bytes / (double)dtype_size(stored) * 1e-6);
        ok = bench((Job){ .model = model, .tokens = tokens }, peers, o, s, folder);
        pretrained_close(model);
    }
    arena_close(arena);
    return ok;
}

static void peers_start(Peer *peers)
{
    for (int i = 0; i < PEERS; i++) {
        char why[256];
        peers[i].torch = python_peer_start(peers[i].script, why, sizeof why);
        if (peers[i].torch) printf("peer: %s %s\n", peers[i].name, python_peer_version(peers[i].torch));
        else printf("left out: %s: %s\n", peers[i].name, why);
    }
}

static const char ABOVE[] = "bench-models: a model of GPT-2's size beside PyTorch and llama.cpp\n\n"
                            "usage: bench-models [flags]\n";

int main(int argc, char **argv)
{
    Options o = { .L = 12, .seconds = 6.0, .folder = "build/bench/models" };
    Peer peers[PEERS] = { { "PyTorch", BENCH_FOLDER "/models_torch.py", NULL },
                          { "llama.cpp", BENCH_FOLDER "/models_llama.py", NULL } };
    Error error = { .text = "" };
    const Flag flags[] = {
        flag_count("layers", &o.L, 1, 48, "L", "layers of the model (default 12)"),
        flag_count("threads", &o.threads, 1, 64, "N",
                   "threads of all (default: all processors); one is timed by what the processor spent on it"),
        flag_real("seconds", &o.seconds, 0.001, 100000, "X", "about this long for each row (default 6)"),
        flag_folder("folder", &o.folder, "FOLDER", "where the models go (default build/bench/models)"),
        flag_switch("long", &o.far, "only the memory that 4096 tokens of a model of 0.5 billion numbers take"),
    };
    FlagsRead read = flags_read(&(Flags){ ABOVE, NULL, 14, flags, sizeof flags / sizeof *flags }, argc, argv, &error);
    if (read != FLAGS_FINE) return flags_exit(read, "bench-models", &error);
    threads_set(o.threads);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    bool ok;
    if (o.far) {
        ok = bench_model(one_long_text, &o, made_qwen2(), DTYPE_BF16, peers, &error);
    } else {
        printf("%d thread%s\n", threads_count(), threads_count() == 1 ? "" : "s");
        peers_start(peers);
        ok = bench_model(everything, &o, made_gpt2(o.L), DTYPE_F32, peers, &error) &&
             bench_model(everything, &o, made_gpt2(o.L), DTYPE_BF16, peers, &error);
        for (int i = 0; i < PEERS; i++) python_peer_stop(peers[i].torch);
    }
    if (!ok) fprintf(stderr, "bench-models: %s\n", error.text);
    return ok ? 0 : 1;
}
