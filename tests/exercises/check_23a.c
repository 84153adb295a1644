// Exercise 23a: my_step, on ranks that are threads of a child process: one that hangs is ended by its deadline, and the
// hint comes from its last words.
#include "attention/online.h"
#include "base/measure.h"
#include "base/portable_math.h"
#include "exercises/judge.h"
#include "ranks/collective.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef void Step(Rank *rank, Mat out, Mat lse, Mat q, Mat k, Mat v, Mat next_k, Mat next_v, int t,
                  AttentionKernel *kernel);
Step my_step;

// slow: seconds that the kernel takes, and a block on the wire.
typedef struct {
    int R, n, d, dv;
    double slow;
} Case;
static const Case cases[] = { { 1, 3, 2, 2, 0 }, { 3, 4, 2, 5, 0 }, { 4, 3, 4, 4, 0 }, { 2, 2, 4, 3, 0 } };

// ---- the reader's ranks

enum { MOST_RANKS = 4, MOST_NUMBERS = 64 };

// Of each rank: what it sent, how often it called the kernel, how long it took, and how often the block that came was
// not that of the rank before but of the rank behind.
typedef struct {
    double bytes, calls, seconds, backwards;
} Told;
typedef struct {
    float out[MOST_NUMBERS], lse[MOST_NUMBERS];
    Told told[MOST_RANKS];
} Result;

static Step *step_of_all;
static _Thread_local double slow;
static _Thread_local int calls;

static void our_kernel(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    mask.causal = true; // whether the reader said so or not: the task leaves it open
    calls++;
    if (slow > 0) nanosleep(&(struct timespec){ .tv_nsec = (long)(slow * 1e9) }, NULL);
    attention_naive(to, q, k, v, mask);
}

static void inputs(Arena *arena, Case c, Mat all[3])
{
    Random random = random_from((uint64_t)(100 * c.R + c.n));
    for (int m = 0; m < 3; m++) random_normals(&random, all[m] = mat_new(arena, c.R * c.n, m < 2 ? c.d : c.dv));
}

static void ring(Rank *rank, const void *task, void *result)
{
    Case c = *(const Case *)task;
    Result *whole = result;
    Arena *arena = rank->arena;
    Mat all[3], blocks[2][2], out = mat_new(arena, c.n, c.dv), lse = mat_new(arena, c.n, 1);
    inputs(arena, c, all);
    Mat q = mat_copy(arena, mat_rows(all[0], rank->me * c.n, c.n));
    for (int b = 0; b < 4; b++) blocks[b / 2][b % 2] = mat_copy(arena, mat_rows(all[1 + b % 2], rank->me * c.n, c.n));
    mat_fill(lse, -INFINITY);
    slow = c.slow;
    calls = 0;
    rank_barrier(rank);
    double began = measure_clock_wall(), backwards = 0;
    int64_t bytes = rank->bytes;
    for (int t = 0; t < c.R; t++) {
        Mat *here = blocks[t % 2], *next = blocks[1 - t % 2];
        step_of_all(rank, out, lse, q, here[0], here[1], next[0], next[1], t, our_kernel);
        int behind = (rank->me + t + 1) % c.R, before = (rank->me - t - 1 + c.R) % c.R;
        backwards += t < c.R - 1 && behind != before && mat_equal(next[0], mat_rows(all[1], behind * c.n, c.n));
    }
    Told told = { (double)(rank->bytes - bytes), calls, measure_clock_wall() - began, backwards };
    rank_gather(rank, whole ? (Mat){ whole->out, c.R * c.n, c.dv, c.dv } : (Mat){ 0 }, out);
    rank_gather(rank, whole ? (Mat){ whole->lse, c.R * c.n, 1, 1 } : (Mat){ 0 }, lse);
    rank_gather_bytes(rank, whole ? whole->told : NULL, &told, sizeof told);
}

// The checker ends here when the ranks did not come to their end.
static void explain_end(Judge *judge, const char *words)
{
    static const char *const kinds[][2] = { { "no answer", "they wait for each other" },
                                            { "has not waited", "a message is left alone" },
                                            { "bytes where", "sizes do not fit" },
                                            { "", "the ranks did not come to their end" } };
    Arena *arena = judge->arena;
    int me, count, other, kind = 0;
    const char *rank = strstr(words, "rank "), *place = strstr(words, "): rank "), *property;
    if (rank && sscanf(rank, "rank %d of %d and rank %d:", &me, &count, &other) == 3) {
        const char *whom = count > 1 ? "with whom does a rank exchange blocks?" : "its only step is the last one";
        if (other == me)
            property = arena_format(arena, "rank %d has a message to or from rank %d, itself: %s", me, me, whom);
        else if (other < 0)
            property = arena_format(arena, "there is no rank %d; before rank 0 comes the last, %d", other, count - 1);
        else property = arena_format(arena, "there is no rank %d; behind the last, %d, comes rank 0", other, count - 1);
        judge_claim(judge, false,
                    (Hints){ property, "in which steps is something sent, from whom, and to whom?",
                             "from (r − 1 + R) mod R, to (r + 1) mod R; nothing in the last step" });
    }
    if (place) words = place + strlen("): "); // without the place in the library where it was seen
    while (!strstr(words, kinds[kind][0])) kind++;
    judge_claim(judge, false,
                (Hints){ arena_format(arena, "%s: %s", kinds[kind][1], words),
                         "which call waits, for whom, and has that one done its part before it waits itself? Is every "
                         "message waited for?",
                         "receive, send, work, wait; nothing in the last step" });
}

static Result run(Judge *judge, Function f, Case c)
{
    Result result = { 0 };
    char words[512] = "";
    int status = 0;
    FILE *file = tmpfile(); // the child's stderr, and behind it its result
    REQUIRE(file, "there is no temporary file");
    step_of_all = (Step *)f;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        Ranks ranks = ranks_open(NULL, 0);
        dup2(fileno(file), STDERR_FILENO);
        alarm(20);                             // an endless loop would outlive the checker
        ranks.deadline = judge->quiet ? 5 : 1; // the right function must come to its end on a busy machine, too
        if (c.slow > 0) ranks.rate = 4.0 * c.n * (c.d + c.dv) / c.slow;
        ranks_run(&ranks, c.R, ring, &c, sizeof c, &result);
        fwrite(&result, sizeof result, 1, file);
        _exit(fflush(file));
    }
    waitpid(child, &status, 0);
    bool ended = WIFEXITED(status) && !WEXITSTATUS(status) && !fseek(file, -(long)sizeof result, SEEK_END) &&
                 fread(&result, sizeof result, 1, file);
    rewind(file);
    if (!ended && fgets(words, sizeof words, file)) words[strcspn(words, "\n")] = '\0';
    fclose(file);
    if (!ended) explain_end(judge, words);
    return result;
}

// ---- 1. The result

static const char question[] = "whose block is here in step t, where are its keys, and what was known before?";
static const char formula[] = "owner = (r − t) mod R, shift = (r − owner) n; merge (out, lse) with the block's";

static Step step;

static void result_case(Judge *judge, Function f, int n)
{
    Case c = cases[n];
    int T = c.R * c.n;
    Mat out = judge_output(judge, T, c.dv), lse = judge_output(judge, T, 1);
    Mat all[3], whole = mat_new(judge->arena, T, c.dv);
    judge_trying(judge, "my_step on %d rank%s, %d rows each", c.R, c.R == 1 ? "" : "s", c.n);
    Result got = run(judge, f, c);
    judge_claim(judge, got.told[0].calls > 0, (Hints){ "the kernel has not been called", question, formula });
    mat_set(out, mat_of(judge->arena, T, c.dv, got.out));
    mat_set(lse, mat_of(judge->arena, T, 1, got.lse));
    inputs(judge->arena, c, all);
    attention_naive((Attended){ .out = whole }, all[0], all[1], all[2], (Mask){ .causal = true });
    // What the reader's result is compared with is the result of one rank with all keys.
    REQUIRE(f != AS(Step, step) || judge_fault || mat_max_difference(out, whole) < 1e-5, "the ring is not exact");
}

// ---- 2. Messages and time

static void check_messages(Judge *judge, Function f)
{
    for (int n = 0; n < COUNT(cases); n++) {
        Case c = cases[n];
        judge_trying(judge, "my_step on %d rank%s, %d rows each", c.R, c.R == 1 ? "" : "s", c.n);
        Result got = run(judge, f, c);
        for (int r = 0; r < c.R; r++) {
            judge_claim(judge, got.told[r].bytes == 4.0 * (c.R - 1) * c.n * (c.d + c.dv),
                        (Hints){ arena_format(judge->arena, "rank %d has sent %.0f bytes", r, got.told[r].bytes),
                                 "how often must a block move, so that every rank has seen it?",
                                 "R − 1 blocks of k and v: nothing is sent in the last step" });
            judge_claim(judge, got.told[r].backwards == 0,
                        (Hints){ "the result is right, but blocks go round the other way: in step t a rank is to have "
                                 "that of rank r − t",
                                 "who stands before a rank, and who behind it?",
                                 "from (r − 1 + R) mod R, to (r + 1) mod R" });
            judge_claim(judge, got.told[r].calls == c.R, (Hints){ "the kernel is to be called once a step" });
        }
    }
    // One after the other takes nearly twice as long as side by side.
    double least = INFINITY;
    judge_trying(judge, "my_step where a block takes as long as the work on it");
    for (int i = 0; i < 3 && least > 0.33; i++)
        least = fmin(least, run(judge, f, (Case){ 3, 4, 2, 2, 0.08 }).told[0].seconds);
    judge_claim(judge, least < 0.35,
                (Hints){ "the result is right, but nothing is sent while the kernel works",
                         "what does the wire do during the work, and what does the rank do while it waits?",
                         "start messages first, then work, then wait" });
}

// ---- steps

enum { RIGHT, UNTOUCHED, WRITTEN_OVER, SUMMED, NO_SHIFT, SHIFT_BACK, BY_STEP, OTHER_WAY, IN_RANKS, NOT_CALLED };
enum { DEADLOCK = NOT_CALLED + 1, LEFT_ALONE, CROSSED, NO_MODULO, ALWAYS_SENDS, SENT_IN_LAST, BACKWARDS, TWICE, WAITS };

static void step(Rank *rank, Mat out, Mat lse, Mat q, Mat k, Mat v, Mat next_k, Mat next_v, int t,
                 AttentionKernel *kernel)
{
    const int fault = judge_fault, R = rank->count;
    int to = fault == NO_MODULO ? rank->me + 1 : (rank->me + 1) % R, from = (rank->me + R - 1) % R, count = 0;
    int owner = (rank->me + (fault == BACKWARDS ? t : R - t)) % R, shift = (rank->me - owner) * q.rows;
    RankMessage *messages[4];
    if (fault == NOT_CALLED) return;
    if (fault == OTHER_WAY || fault == BACKWARDS) to = from, from = (rank->me + 1) % R;
    if (t < R - 1 || fault == ALWAYS_SENDS || (fault == SENT_IN_LAST && R > 1)) {
        if (fault == DEADLOCK) rank_wait(rank, rank_receive_mat(rank, from, next_k, "keys"));
        else messages[count++] = rank_receive_mat(rank, from, fault == CROSSED ? next_v : next_k, "keys");
        messages[count++] = rank_receive_mat(rank, from, fault == CROSSED ? next_k : next_v, "values");
        messages[count++] = rank_send_mat(rank, to, k, "keys");
        messages[count++] = rank_send_mat(rank, to, v, "values");
    }
    for (int i = 0; i < count && fault == WAITS; i++) rank_wait(rank, messages[i]);
    Attended part = { .out = mat_new(rank->arena, out.rows, out.cols), .lse = mat_new(rank->arena, out.rows, 1) };
    shift = fault == NO_SHIFT     ? 0
            : fault == SHIFT_BACK ? -shift
            : fault == BY_STEP    ? t * q.rows
            : fault == IN_RANKS   ? rank->me - owner
                                  : shift;
    for (int i = 0; i < 1 + (fault == TWICE); i++) kernel(part, q, k, v, (Mask){ .causal = true, .shift = shift });
    if (fault == WRITTEN_OVER || fault == SUMMED) {
        for (int e = 0; e < out.rows * out.cols; e++) out.at[e] = part.out.at[e] + (fault == SUMMED ? out.at[e] : 0.0f);
        mat_set(lse, part.lse);
    } else if (fault != UNTOUCHED) attention_merge(out, lse, part.out, part.lse);
    for (int i = 0; i < count - (fault == LEFT_ALONE) && fault != WAITS; i++) rank_wait(rank, messages[i]);
}

static const Task tasks[] = {
    { AS(Step, my_step), AS(Step, step), result_case, COUNT(cases), .faulty = AS(Step, step),
      .hints = { { "the output is not that of one rank with all keys", question, formula, "out" },
                 { "the logsumexp is not that of all keys", question, formula, "lse" } },
      .wrong = { FAULT(UNTOUCHED, "out and lse are as they were before step 0: where does what the kernel gave go?"),
                 FAULT(WRITTEN_OVER,
                       "each block's result is written over that of the blocks before; it is to be merged"),
                 FAULT(SUMMED,
                       "outputs are added up; they are shares of their blocks, and must be merged by their lse"),
                 FAULT(NO_SHIFT,
                       "every block is seen as if its keys stood where the queries stand: the shift is missing"),
                 FAULT(SHIFT_BACK, "the shift has the wrong sign: positive, if the queries stand behind the keys"),
                 FAULT(BY_STEP, "the shift is t · n, which is right until the ring goes past rank 0"),
                 FAULT(OTHER_WAY,
                       "the block and its shift do not belong together: one is that of rank r − t, the other "
                       "that of rank r + t. Which way do blocks go?"),
                 FAULT(IN_RANKS, "the shift counts ranks; it is to count positions, n for each rank"),
                 { .fault = NOT_CALLED, .told = "the kernel has not been called" },
                 { .fault = DEADLOCK, .told = "they wait for each other: rank" },
                 { .fault = LEFT_ALONE, .told = "a message is left alone: rank" },
                 { .fault = CROSSED, .told = "sizes do not fit: rank" },
                 { .fault = NO_MODULO, .told = "there is no rank 3; behind the last, 2, comes rank 0" },
                 { .fault = ALWAYS_SENDS,
                   .told = "message to or from rank 0, itself: its only step is the last one" } } },
    { AS(Step, my_step), AS(Step, step), .check = check_messages, .faulty = AS(Step, step),
      .wrong = { { .fault = SENT_IN_LAST, .told = "rank 0 has sent" },
                 { .fault = BACKWARDS, .told = "blocks go round the other way" },
                 { .fault = TWICE, .told = "the kernel is to be called once a step" },
                 { .fault = WAITS, .told = "nothing is sent while the kernel works" } } },
};
EXERCISE("23a", tasks)
