// Every call of every program that can fail, failed once: memory, files, threads. A program that fails must say so in
// one sentence, end with its status for that, and leave what stood before, whole; or go on as if nothing had happened.
//
//   fail BUILD FOLDER [SAMPLE [SEED [SECONDS]]]   from the root of the book; FOLDER: empty; SAMPLE 0: all of them;
//                                                 SECONDS: after these no other call is tried
//
// failing.c is loaded before the program and says which calls there are: the first and the last from each place. What
// it leaves out is left out here. A sample takes some of the programs, by the seed, and of each some calls of all
// kinds.
#define _XOPEN_SOURCE 700 // realpath
#include "base/measure.h"
#include "base/portable_math.h"
#include "base/random.h"
#include "base/threads.h"
#include "programs/fail_run.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QKV \
    "--q @/data/reference/attention_q.npy --k @/data/reference/attention_k.npy " \
    "--v @/data/reference/attention_v.npy --heads 1 "
#define MAPS "@/data/reference/multi_head_"
#define INTO "--out out.npy --weights weights.npy --lse lse.npy "

// clang-format off
static const Program others[] = {
    { .line = "attend " QKV INTO "--compare @/data/reference/attention_full.npy", .refusal = 2 },
    { .line = "attend " QKV INTO "--kernel fast --compare @/data/reference/attention_causal.npy", .refusal = 2 },
    { .line = "train induction-32 --steps 3 --every 0 --out model --state state", .state = "state",
      .tells = "induction-32: " },
    { .line = "train glosses-4 --steps 1 --out model --state state", .state = "state", .tells = "glosses-4: " },
    { .line = "train language-16 --steps 1 --out model --state state", .state = "state", .tells = "language-16: " },
    { .line = "pages/models --documents 1 --figures figures --dump dump", .slow = true },
    { .line = "pages/models --llama folder --of language-16" },
    { .line = "viewer --export it.png" },
    { .line = "viewer --export heads.svg --view heads --layer 1" },
    { .line = "viewer " MAPS "full_weights.npy --compare " MAPS "causal_weights.npy --export two.png" },
    { .line = "viewer --export-all heads --size 640x400" },
    { .line = "tests/bench --seconds 0.1 --length 24 --out bench --save kept", .varies = true, .slow = true },
};
// clang-format on
enum { OTHERS = sizeof others / sizeof *others, MOST = 100, KINDS = 20, EACH = 16 };

// How a chapter that takes seconds is given less to do, and what else it can write; and whose threads are ranks.
static const struct {
    const char *chapter, *less, *more;
    bool slow, ranks;
} apart[] = {
    { "/09_", " --train 1", " --json heads.json", false, false },
    { "/10_", " --sentences 100", " --json heads.json", true, false },
    { "/18_", " --tokens 64", "", true, false },
    { "/21_", " --documents 1", "", true, false },
    { "/23_", "", "", false, true },
    { "/24_", "", "", false, true },
};

// ---- the calls of a program

typedef struct {
    Program program;
    Outcome clean;
    char **calls; // as FAIL has them
    int count;
    const char *wrong; // about a run in which nothing fails
} Case;

typedef struct {
    const Case *of;
    const char *call;
    bool tried, failed;
} Trial;

typedef struct {
    Place place;
    Arena *arena, *arenas[MOST]; // one for each case: they are opened side by side
    Case cases[MOST];
    Trial *trials;
    int count, trial_count;
    uint64_t seed;
    double until; // by measure_clock_wall
} Plan;

static void shuffle(Random *random, char **words, int count)
{
    for (int i = count; i > 1; i--) {
        int j = random_below(random, i);
        char *word = words[i - 1];
        words[i - 1] = words[j];
        words[j] = word;
    }
}

// The calls of one line of the report: a kind and its numbers. Of memory and writes, some are also tried with all that
// come after.
static int calls_of(char **to, Arena *arena, char *line)
{
    char *rest, *kind = strtok_r(line, " ", &rest);
    bool lasting = !strcmp(kind, "alloc") || !strcmp(kind, "write");
    int count = 0, numbers = 0;
    for (char *number = strtok_r(NULL, " ", &rest); number; number = strtok_r(NULL, " ", &rest)) {
        to[count++] = arena_format(arena, "%s:%s", kind, number);
        if (lasting && numbers++ % 8 == 0) to[count++] = arena_format(arena, "%s:%s+", kind, number);
    }
    return count;
}

// Limits to a program's memory, in KiB: from where it cannot start to where all of it fits.
static int limits_of(char **to, Arena *arena)
{
    int count = 0;
    for (int limit = 20000; limit <= 60000; limit += 500) to[count++] = arena_format(arena, "space:%d", limit);
    return count;
}

// Kinds take turns, each shuffled, so that the first calls hold something of every kind. Memory is asked for from most
// places and has three turns in one.
static void order_calls(Case *c, Arena *arena, uint64_t seed, char *report)
{
    char **kinds[KINDS], *rest;
    int counts[KINDS], next[KINDS] = { 0 }, kind = 0, total = 0;
    size_t room = 100 + strlen(report);
    Random random = random_from(seed);
    for (char *line = strtok_r(report, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        REQUIRE(kind + 1 < KINDS, "%d kinds of calls and more", kind);
        kinds[kind] = arena_alloc(arena, room * sizeof *kinds[kind]);
        counts[kind] = calls_of(kinds[kind], arena, line);
        kind++;
    }
    kinds[kind] = arena_alloc(arena, room * sizeof *kinds[kind]);
    counts[kind] = limits_of(kinds[kind], arena);
    kind++;
    for (int k = 0; k < kind; k++) {
        shuffle(&random, kinds[k], counts[k]);
        total += counts[k];
    }
    c->calls = arena_alloc(arena, (size_t)total * sizeof *c->calls);
    for (int k = 0; c->count < total; k = (k + 1) % kind)
        for (int turn = 0; turn < (k == 0 ? 3 : 1) && next[k] < counts[k]; turn++)
            c->calls[c->count++] = kinds[k][next[k]++];
}

// A run that shows what is written, and one that counts, where older files stand.
static void open_case(int i, void *context)
{
    Plan *plan = context;
    Case *c = &plan->cases[i];
    Arena *arena = plan->arenas[i];
    FileBytes text;
    Error error;
    const char *report = arena_format(arena, "%s/%d.report", plan->place.tmp, i);
    outcome_of(&c->clean, arena, &plan->place, &c->program, arena_format(arena, "clean-%d", i), NULL, NULL, NULL);
    c->wrong = outcome_fault(arena, &plan->place, &c->program, arena_format(arena, "count-%d", i), &c->clean, "none:0",
                             report);
    if (!file_read(&text, arena, report, &error)) c->wrong = "failing.c has not reported; can it be loaded?";
    if (!c->wrong) order_calls(c, arena, plan->seed + (uint64_t)i, arena_format(arena, "%s", (const char *)text.at));
    if (c->wrong) printf("fail: %s: %s\n", c->program.line, c->wrong);
}

static void try(int i, void *context)
{
    Plan *plan = context;
    Trial *trial = &plan->trials[i];
    if (measure_clock_wall() > plan->until) return;
    Arena *arena = arena_open();
    const char *line = trial->of->program.line, *name = arena_format(arena, "%d", i);
    const char *fault =
        outcome_fault(arena, &plan->place, &trial->of->program, name, &trial->of->clean, trial->call, NULL);
    trial->tried = true;
    trial->failed = fault != NULL;
    if (fault) printf("fail: %s, FAIL=%s: %s\n", line, trial->call, fault);
    arena_close(arena);
}

// ---- the plan

static void add_case(Plan *plan, Program program)
{
    const char *path =
        arena_format(plan->arena, "%s/%.*s", plan->place.build, (int)strcspn(program.line, " "), program.line);
    REQUIRE(plan->count < MOST, "more than %d programs", MOST);
    if (access(path, X_OK)) printf("left out: %s, which was not built\n", program.line);
    else plan->cases[plan->count++].program = program;
}

// The chapters by their folders: beside their programs others may stand, which make cuda builds.
static void add_all(Plan *plan)
{
    glob_t found;
    if (glob("chapters/[0-9]*", 0, NULL, &found)) found.gl_pathc = 0;
    for (size_t c = 0; c < found.gl_pathc; c++) {
        const char *line = arena_format(plan->arena, "%s", found.gl_pathv[c]), *less = "", *more = "";
        bool slow = false, ranks = false;
        for (size_t a = 0; a < sizeof apart / sizeof *apart; a++) {
            if (!strstr(line, apart[a].chapter)) continue;
            less = apart[a].less;
            more = apart[a].more;
            slow = apart[a].slow;
            ranks = apart[a].ranks;
        }
        const char *alone = arena_format(plan->arena, "%s%s", line, less);
        add_case(plan, (Program){ .line = alone, .slow = slow, .ranks = ranks });
        add_case(plan, (Program){ .line = arena_format(plan->arena, "%s --figures figures --dump dump%s", alone, more),
                                  .slow = slow,
                                  .ranks = ranks });
    }
    globfree(&found);
    for (int o = 0; o < OTHERS; o++) add_case(plan, others[o]);
}

// Of each case one call, then of each another one, until there are enough. `sample` 0: all.
static void add_trials(Plan *plan, int sample)
{
    int all = 0, most = 0;
    for (int c = 0; c < plan->count; c++) {
        all += plan->cases[c].count;
        if (most < plan->cases[c].count) most = plan->cases[c].count;
    }
    if (sample == 0 || sample > all) sample = all;
    plan->trials = arena_alloc(plan->arena, (size_t)sample * sizeof *plan->trials);
    for (int round = 0; round < most; round++)
        for (int c = 0; c < plan->count; c++) {
            const Case *of = &plan->cases[c];
            if (round < of->count && plan->trial_count < sample)
                plan->trials[plan->trial_count++] = (Trial){ .of = of, .call = of->calls[round] };
        }
}

// As many programs as the sample gives EACH calls. Where it does not take all, those that take seconds stay out.
static void choose_cases(Plan *plan, int sample)
{
    int wanted = (sample + EACH - 1) / EACH, kept = 0;
    Random random = random_from(plan->seed);
    if (sample > 0 && wanted < plan->count) {
        for (int c = 0; c < plan->count; c++)
            if (!plan->cases[c].program.slow) plan->cases[kept++] = plan->cases[c];
        plan->count = kept;
    }
    for (int c = 0; c < plan->count; c++) {
        int other = c + random_below(&random, plan->count - c);
        Case chosen = plan->cases[other];
        plan->cases[other] = plan->cases[c];
        plan->cases[c] = chosen;
    }
    if (sample > 0 && wanted < plan->count) plan->count = wanted;
}

int main(int argc, char **argv)
{
    static Plan plan;
    char root[4096], build[4096], tmp[4096];
    if (argc < 3 || !realpath(".", root) || !realpath(argv[1], build) || !realpath(argv[2], tmp)) {
        fprintf(stderr, "usage: fail BUILD FOLDER [SAMPLE [SEED [SECONDS]]]\n");
        return 2;
    }
    int sample = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0, tried = 0, failed = 0;
    double began = measure_clock_wall();
    plan.seed = argc > 4 ? strtoull(argv[4], NULL, 10) : (uint64_t)time(NULL);
    plan.until = argc > 5 ? began + strtod(argv[5], NULL) : INFINITY;
    plan.arena = arena_open();
    plan.place = (Place){ root, build, arena_format(plan.arena, "%s/failing.so", tmp), tmp };
    if (symlink(arena_format(plan.arena, "%s/tests/failing.so", build), plan.place.preload)) { // a path of no spaces
        fprintf(stderr, "fail: %s is no empty folder\n", tmp);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    add_all(&plan);
    choose_cases(&plan, sample);
    for (int c = 0; c < plan.count; c++) plan.arenas[c] = arena_open();
    threads_parallel_for(plan.count, open_case, &plan);
    add_trials(&plan, sample);
    threads_parallel_for(plan.trial_count, try, &plan);
    for (int c = 0; c < plan.count; c++) failed += plan.cases[c].wrong != NULL;
    for (int t = 0; t < plan.trial_count; t++) {
        tried += plan.trials[t].tried;
        failed += plan.trials[t].failed;
    }
    printf("fail: %d of %d calls of %d programs in %.0f s, seed %llu: %d failed\n", tried, plan.trial_count, plan.count,
           measure_clock_wall() - began, (unsigned long long)plan.seed, failed);
    for (int c = 0; c < plan.count; c++) arena_close(plan.arenas[c]);
    arena_close(plan.arena);
    return failed > 0;
}
