// Exercise 23a: my_step, on ranks that are threads, in a process of its own: one that stands still is ended by its
// deadline, and its last words are told.
#include "attention/online.h"
#include "base/measure.h"
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"
#include "ranks/collective.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void my_step(Rank *rank, Mat out, Mat lse, Mat q, Mat k, Mat v, Mat next_k, Mat next_v, int t, AttentionKernel *kernel);

typedef struct {
    int R, n, d, dv;
    double slow;
} Case; // slow: seconds that the kernel takes; so does a block
typedef struct {
    Mat q, k, v;
} Rows; // of all positions

static Rows rows_of(Arena *arena, Case c)
{
    Random random = random_from((uint64_t)(100 * c.R + c.n));
    Rows rows = { mat_new(arena, c.R * c.n, c.d), mat_new(arena, c.R * c.n, c.d), mat_new(arena, c.R * c.n, c.dv) };
    random_normals(&random, rows.q);
    random_normals(&random, rows.k);
    random_normals(&random, rows.v);
    return rows;
}

static Mat part_of(Mat m, int rank, int n) { return mat_rows(m, rank * n, n); }

// ---- the reader's ranks

static _Thread_local double slow;
static _Thread_local int calls;

static void kernel_of_ours(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    mask.causal = true; // whether the reader said so or not: the task leaves it open
    calls++;
    if (slow > 0) nanosleep(&(struct timespec){ .tv_nsec = (long)(slow * 1e9) }, NULL);
    attention_naive(to, q, k, v, mask);
}

// Of each rank: what it sent, how often it called the kernel, how long it took, and how often the block that came was
// not that of the rank before but of the rank behind.
typedef struct {
    double bytes, calls, seconds, backwards;
} Told;
typedef struct {
    Mat out, lse;
    Told told[8];
} Result;

static void ring(Rank *rank, const void *task, void *result)
{
    const Case *c = task;
    Result none = { .out = { 0 } }, *whole = result ? result : &none;
    Arena *room = arena_open();
    Rows all = rows_of(room, *c);
    Mat q = mat_copy(room, part_of(all.q, rank->me, c->n)), k[2], v[2];
    for (int i = 0; i < 2; i++) {
        k[i] = mat_new(room, c->n, c->d);
        v[i] = mat_new(room, c->n, c->dv);
    }
    mat_set(k[0], part_of(all.k, rank->me, c->n));
    mat_set(v[0], part_of(all.v, rank->me, c->n));
    Mat out = mat_new(room, c->n, c->dv), lse = mat_new(room, c->n, 1);
    mat_fill(lse, -INFINITY);
    slow = c->slow;
    calls = 0;
    rank_barrier(rank);
    double began = measure_clock_wall();
    int64_t bytes = rank->bytes;
    int backwards = 0;
    for (int t = 0; t < c->R; t++) {
        my_step(rank, out, lse, q, k[t % 2], v[t % 2], k[1 - t % 2], v[1 - t % 2], t, kernel_of_ours);
        int behind = (rank->me + t + 1) % c->R, before = (rank->me - t - 1 + c->R) % c->R;
        backwards += t < c->R - 1 && behind != before && mat_equal(k[1 - t % 2], part_of(all.k, behind, c->n));
    }
    Told told = { (double)(rank->bytes - bytes), calls, measure_clock_wall() - began, backwards };
    rank_gather(rank, whole->out, out);
    rank_gather(rank, whole->lse, lse);
    rank_gather_bytes(rank, whole->told, &told, sizeof told);
    arena_close(room);
}

static void write_all(int to, const void *at, size_t size)
{
    const char *from = at;
    while (size > 0) {
        ssize_t n = write(to, from, size);
        if (n <= 0) _exit(3);
        from += n;
        size -= (size_t)n;
    }
}

static size_t read_all(int from, void *at, size_t size)
{
    size_t length = 0;
    ssize_t n = 1;
    while (n > 0 && length < size) {
        n = read(from, (char *)at + length, size - length);
        if (n > 0) length += (size_t)n;
    }
    return length;
}

// In a child: true when all ranks came to their end. words: what was said, else.
static bool run(Case c, Result *result, char *words, size_t room)
{
    int numbers[2], said[2], status = 0;
    if (pipe(numbers) || pipe(said)) return false;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(said[1], STDERR_FILENO);
        Ranks ranks = ranks_open(NULL, 0);
        ranks.deadline = 1;
        if (c.slow > 0) ranks.rate = 4.0 * c.n * (c.d + c.dv) / c.slow;
        ranks_run(&ranks, c.R, ring, &c, sizeof c, result);
        write_all(numbers[1], result->out.at, (size_t)mat_numbers(result->out) * sizeof(float));
        write_all(numbers[1], result->lse.at, (size_t)mat_numbers(result->lse) * sizeof(float));
        write_all(numbers[1], result->told, sizeof result->told);
        _exit(0);
    }
    close(numbers[1]);
    close(said[1]);
    read_all(numbers[0], result->out.at, (size_t)mat_numbers(result->out) * sizeof(float));
    read_all(numbers[0], result->lse.at, (size_t)mat_numbers(result->lse) * sizeof(float));
    read_all(numbers[0], result->told, sizeof result->told);
    size_t length = read_all(said[0], words, room - 1);
    words[length] = '\0';
    words[strcspn(words, "\n")] = '\0';
    close(numbers[0]);
    close(said[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// ---- what mistakes give

typedef enum {
    RIGHT,
    UNTOUCHED,
    NO_MERGE,
    MEANS,
    SUMS,
    NO_SHIFT,
    SHIFT_BACK,
    BY_STEP,
    OTHER_WAY,
    NO_FIRST,
    NO_LAST,
    OWN_ONLY,
    NEXT_BLOCK,
    SHIFT_IN_RANKS,
    OLD_LSE,
    WAYS
} Way;

// Whose keys a rank works on in step t, and where it believes them to be.
static int owner_of(Case c, int r, int t, Way way)
{
    if (way == OTHER_WAY) return (r + t) % c.R;
    if (way == OWN_ONLY) return r;
    if (way == NEXT_BLOCK) return (r - (t < c.R - 1 ? t + 1 : t - 1) + c.R) % c.R;
    return (r - t + c.R) % c.R;
}

static int shift_of(Case c, int r, int t, Way way)
{
    int believed = (r - t + c.R) % c.R, shift = (r - believed) * c.n;
    if (way == NO_SHIFT) return 0;
    if (way == SHIFT_BACK) return -shift;
    if (way == BY_STEP) return t * c.n;
    if (way == SHIFT_IN_RANKS) return r - believed;
    return shift;
}

static void take(Mat out, Mat lse, Mat part, Mat part_lse, int t, Way way)
{
    if (way == NO_MERGE) {
        mat_set(out, part);
        mat_set(lse, part_lse);
    } else if (way == MEANS || way == SUMS) {
        float kept = way == SUMS ? 1.0f : t == 0 ? 0.0f : 0.5f, added = way == SUMS || t == 0 ? 1.0f : 0.5f;
        for (int i = 0; i < out.rows; i++)
            for (int c = 0; c < out.cols; c++)
                *mat_ref(out, i, c) = kept * *mat_ref(out, i, c) + added * *mat_ref(part, i, c);
        mat_set(lse, part_lse);
    } else if (way == OLD_LSE) {
        Arena *arena = arena_open();
        Mat old = mat_copy(arena, lse);
        attention_merge(out, lse, part, part_lse);
        if (t > 0) mat_set(lse, old);
        arena_close(arena);
    } else {
        attention_merge(out, lse, part, part_lse);
    }
}

typedef struct {
    Mat out, lse;
} Whole;

static Whole simulated(Arena *arena, Case c, Way way)
{
    Rows all = rows_of(arena, c);
    Whole whole = { mat_new(arena, c.R * c.n, c.dv), mat_new(arena, c.R * c.n, 1) };
    mat_fill(whole.lse, -INFINITY);
    Mat part = mat_new(arena, c.n, c.dv), part_lse = mat_new(arena, c.n, 1);
    for (int r = 0; r < c.R; r++)
        for (int t = 0; t < c.R; t++) {
            if (way == UNTOUCHED || (way == NO_FIRST && t == 0) || (way == NO_LAST && t == c.R - 1)) continue;
            int owner = owner_of(c, r, t, way);
            attention_naive((Attended){ .out = part, .lse = part_lse }, part_of(all.q, r, c.n),
                            part_of(all.k, owner, c.n), part_of(all.v, owner, c.n),
                            (Mask){ .causal = true, .shift = shift_of(c, r, t, way) });
            take(part_of(whole.out, r, c.n), part_of(whole.lse, r, c.n), part, part_lse, t, way);
        }
    return whole;
}

static const char *const words_of[WAYS] = {
    [UNTOUCHED] = "out and lse are as they were before step 0: where does what the kernel gave go?",
    [NO_MERGE] = "each block's result is written over that of the blocks before; it is to be merged",
    [MEANS] = "the mean of two results is taken, whatever they weigh; attention_merge goes by their lse",
    [SUMS] = "outputs are added up; they are shares of their blocks, and must be merged by their lse",
    [NO_SHIFT] = "every block is seen as if its keys stood where the queries stand: the shift is missing",
    [SHIFT_BACK] = "the shift has the wrong sign: positive, if the queries stand behind the keys",
    [BY_STEP] = "the shift is t · n, which is right until the ring goes past rank 0",
    [OTHER_WAY] = "the block and its shift do not belong together: one is that of rank r − t, the other that of rank "
                  "r + t. Which way do blocks go?",
    [NO_FIRST] = "the rank's own block is left out: step 0 works, too",
    [NO_LAST] = "the last block is left out: the last step sends nothing, but it works",
    [OWN_ONLY] = "every step works on the rank's own block; k and v hold it in step 0 alone: what is sent on?",
    [NEXT_BLOCK] = "it works on the block that is coming, next_k and next_v, not on the one that is here",
    [SHIFT_IN_RANKS] = "the shift counts ranks; it is to count positions, n for each rank",
    [OLD_LSE] = "the output is merged, but lse stays that of the first block",
};

static const char *const question = "whose block is here in step t, where are its keys, and what was known before?";
static const char *const formula = "owner = (r − t) mod R, shift = (r − owner) n; merge (out, lse) with the block's";

// Of a message to nobody, "rank 2 of 3 and rank 3: keys": who is meant, in words. NULL: these are other words.
static const char *nobody(Judge *judge, const char *words)
{
    int me, count, other;
    const char *from = strstr(words, "rank ");
    if (!from || sscanf(from, "rank %d of %d and rank %d:", &me, &count, &other) != 3) return NULL;
    if (other == me)
        return arena_format(judge->arena, "rank %d has a message to or from rank %d, itself: %s", me, me,
                            count > 1 ? "with whom does a rank exchange blocks?" : "its only step is the last one");
    if (other < 0)
        return arena_format(judge->arena, "there is no rank %d; before rank 0 comes the last, %d", other, count - 1);
    return arena_format(judge->arena, "there is no rank %d; behind the last, %d, comes rank 0", other, count - 1);
}

static void stands_still(Judge *judge, const char *words)
{
    const char *of_a_rank = strstr(words, "): rank "), *to_nobody = nobody(judge, words);
    if (of_a_rank) words = of_a_rank + strlen("): "); // without the place in the library where it was seen
    if (to_nobody)
        judge_claim(judge, false,
                    (Hints){ to_nobody, "in which steps is something sent, from whom, and to whom?",
                             "from (r − 1 + R) mod R, to (r + 1) mod R; nothing in the last step" });
    const char *property = arena_format(judge->arena, "the ranks did not come to their end: %s", words);
    if (strstr(words, "no answer")) property = arena_format(judge->arena, "they wait for each other: %s", words);
    if (strstr(words, "has not waited")) property = arena_format(judge->arena, "a message is left alone: %s", words);
    if (strstr(words, "bytes where")) property = arena_format(judge->arena, "sizes do not fit: %s", words);
    judge_claim(judge, false,
                (Hints){ property,
                         "which call waits, for whom, and has that one done its part before "
                         "it waits itself? Is every message waited for?",
                         "receive, send, work, wait; nothing in the last step" });
}

static void results_of(Judge *judge, Case c, const Result *got)
{
    Whole right = simulated(judge->arena, c, RIGHT);
    Answer out = { .got = got->out,
                   .expected = right.out,
                   .hints = { "the output is not that of one rank with all keys", question, formula } };
    Answer lse = { .got = got->lse,
                   .expected = right.lse,
                   .hints = { "the logsumexp is not that of all keys", question, formula } };
    int count = 0;
    for (int way = 1; way < WAYS; way++) {
        if (c.R == 1 && (way == NO_FIRST || way == NO_LAST)) continue; // its only block is both: as UNTOUCHED
        Whole wrong = simulated(judge->arena, c, (Way)way);
        out.mistakes[count] = (Mistake){ words_of[way], wrong.out };
        lse.mistakes[count++] = (Mistake){ words_of[way], wrong.lse };
    }
    judge_answer(judge, out);
    judge_answer(judge, lse);
}

static Result attempt(Judge *judge, Case c)
{
    char words[512];
    Result got = { .out = judge_output(judge, c.R * c.n, c.dv), .lse = judge_output(judge, c.R * c.n, 1) };
    if (!run(c, &got, words, sizeof words)) stands_still(judge, words);
    return got;
}

static void of_case(Judge *judge, Case c)
{
    judge_trying(judge, "my_step on %d rank%s, %d rows each", c.R, c.R == 1 ? "" : "s", c.n);
    Result got = attempt(judge, c);
    judge_claim(judge, got.told[0].calls > 0, (Hints){ "the kernel has not been called", question, formula });
    results_of(judge, c, &got);
    double block = 4.0 * c.n * (c.d + c.dv);
    for (int r = 0; r < c.R; r++) {
        const char *sent = arena_format(judge->arena, "rank %d has sent %.0f bytes", r, got.told[r].bytes);
        judge_claim(judge, got.told[r].bytes == (c.R - 1) * block,
                    (Hints){ sent, "how often must a block move, so that every rank has seen it?",
                             "R − 1 blocks of k and v: nothing is sent in the last step" });
        judge_claim(judge, got.told[r].backwards == 0,
                    (Hints){ "the result is right, but blocks go round the other way: in step t a rank is to have that "
                             "of rank r − t",
                             "who stands before a rank, and who behind it?",
                             "from (r − 1 + R) mod R, to (r + 1) mod R" });
        judge_claim(judge, got.told[r].calls == c.R, (Hints){ "the kernel is to be called once a step", NULL, NULL });
    }
}

// The kernel takes as long as a block on the wire. One after the other that is nearly twice as long as side by side.
static void of_time(Judge *judge)
{
    Case c = { 3, 4, 2, 2, 0.08 };
    judge_trying(judge, "my_step where a block takes as long as the work on it");
    double least = INFINITY;
    for (int i = 0; i < 3 && least > 0.33; i++) {
        Result got = attempt(judge, c);
        least = fmin(least, got.told[0].seconds);
    }
    judge_claim(judge, least < 0.35,
                (Hints){ "the result is right, but nothing is sent while the kernel works",
                         "what does the wire do during the work, and what does the rank do while it waits?",
                         "start messages first, then work, then wait" });
}

static void check(Judge *judge)
{
    static const Case cases[] = { { 1, 3, 2, 2, 0 }, { 3, 4, 2, 5, 0 }, { 4, 3, 4, 4, 0 }, { 2, 2, 4, 3, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) of_case(judge, cases[i]);
    of_time(judge);
}

int main(void) { return judge_main("23a", check); }
