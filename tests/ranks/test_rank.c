// Tests of lib/ranks: messages, collectives and their bytes, among threads. tests/ranks/ranks.sh does the same among
// processes.
#include "ranks/collective.h"

#include "base/measure.h"
#include "base/random.h"
#include "support/reference.h"
#include "support/suite.h"

#include <sys/wait.h>
#include <unistd.h>

static const int counts[] = { 1, 2, 3, 4, 7, 16 };
enum { COUNTS = sizeof counts / sizeof *counts };

static Ranks threads(void)
{
    Ranks ranks = ranks_open(NULL, 0);
    return ranks;
}

// ---- once round: what a rank sends to the next one comes back after R steps, with what every rank has added

typedef struct {
    int size;
} Round;
typedef struct {
    float last;
    int64_t messages, bytes;
} Came;

static void go_round(Rank *rank, const void *task, void *result)
{
    const Round *round = task;
    int R = rank->count, next = (rank->me + 1) % R, last = (rank->me + R - 1) % R;
    Mat out = mat_new(rank->arena, 1, round->size), in = mat_new(rank->arena, 1, round->size);
    mat_fill(out, (float)rank->me);
    for (int s = 0; s < R && R > 1; s++) {
        RankMessage *receiving = rank_receive_mat(rank, last, in, "the test");
        rank_wait(rank, rank_send_mat(rank, next, out, "the test"));
        rank_wait(rank, receiving);
        for (int j = 0; j < round->size; j++) *mat_ref(out, 0, j) = *mat_ref(in, 0, j) + 1;
    }
    Came came = { .last = *mat_ref(out, 0, round->size - 1), .messages = rank->messages, .bytes = rank->bytes };
    rank_gather_bytes(rank, result, &came, sizeof came);
}

TEST(messages_go_round)
{
    for (int c = 1; c < COUNTS; c++) {
        Ranks ranks = threads();
        Came came[RANKS_MOST];
        Round round = { .size = 1000 };
        ranks_run(&ranks, counts[c], go_round, &round, sizeof round, came);
        for (int i = 0; i < counts[c]; i++) {
            ck_assert_float_eq(came[i].last, (float)(i + counts[c]));
            ck_assert_int_eq(came[i].messages, counts[c]);
            ck_assert_int_eq(came[i].bytes, 4000 * counts[c]);
        }
    }
}

typedef struct {
    int rows, cols;
} Shape;

static Mat numbers_of(Arena *memory, int rank, Shape shape)
{
    Random random = random_from((uint64_t)rank + 1);
    Mat m = mat_new(memory, shape.rows, shape.cols);
    random_normals(&random, m);
    return m;
}

static void add_up(Rank *rank, const void *task, void *result)
{
    Mat m = numbers_of(rank->arena, rank->me, *(const Shape *)task);
    Mat *sums = result;
    rank_all_reduce(rank, m);
    int64_t bytes = rank->bytes;
    if (rank->me == 0) {
        mat_set(sums[0], m);
        for (int i = 1; i < rank->count; i++)
            rank_wait(rank, rank_receive_mat(rank, i, sums[i], "the sum of another rank"));
        *mat_ref(sums[rank->count], 0, 0) = (float)bytes;
        return;
    }
    rank_wait(rank, rank_send_mat(rank, 0, m, "the sum of another rank"));
}

TEST(sums_are_right_and_the_same_everywhere)
{
    static const Shape shapes[] = { { 1, 1 }, { 1, 5 }, { 3, 7 }, { 10, 21 }, { 0, 4 } };
    for (int c = 0; c < COUNTS; c++)
        for (int s = 0; s < 5; s++) {
            Arena *memory = arena_open();
            Ranks ranks = threads();
            Mat sums[RANKS_MOST + 1];
            int R = counts[c], n = shapes[s].rows * shapes[s].cols;
            for (int i = 0; i < R; i++) sums[i] = mat_new(memory, shapes[s].rows, shapes[s].cols);
            sums[R] = mat_new(memory, 1, 1);
            ranks_run(&ranks, R, add_up, &shapes[s], sizeof shapes[s], sums);
            for (int j = 0; j < n; j++) {
                double expected = 0;
                for (int i = 0; i < R; i++) expected += (double)numbers_of(memory, i, shapes[s]).at[j];
                ck_assert_double_eq_tol((double)sums[0].at[j], expected, 1e-5);
            }
            for (int i = 1; i < R; i++) ck_assert(mat_equal(sums[i], sums[0]));
            // 2 (R − 1) parts of n / R numbers: exact where R divides n, else within a number a step.
            double formula = 2.0 * (R - 1) * n / R * 4;
            ck_assert_double_le(fabs((double)*sums[R].at - formula), n % R ? 8.0 * (R - 1) : 0);
            arena_close(memory);
        }
}

// ---- everything to everyone: part j of rank i is (i, j)

static void exchange(Rank *rank, const void *task, void *result)
{
    (void)task;
    int R = rank->count;
    Mat parts[RANKS_MOST], into[RANKS_MOST], got = mat_new(rank->arena, R, 2);
    for (int i = 0; i < R; i++) {
        parts[i] = mat_of(rank->arena, 1, 2, (float[]){ (float)rank->me, (float)i });
        into[i] = mat_rows(got, i, 1);
    }
    rank_all_to_all(rank, into, parts);
    rank_barrier(rank);
    rank_gather(rank, rank->me == 0 ? *(Mat *)result : (Mat){ 0 }, mat_rows(got, 0, R - rank->me % 2));
}

TEST(all_to_all_transposes)
{
    for (int c = 0; c < COUNTS; c++) {
        Arena *memory = arena_open();
        Ranks ranks = threads();
        int R = counts[c], at = 0;
        Mat got = mat_new(memory, R * R, 2);
        ranks_run(&ranks, R, exchange, NULL, 0, &got);
        for (int i = 0; i < R; i++)
            for (int j = 0; j < R - i % 2; j++, at++) { // odd ranks gave a row less
                ck_assert_float_eq(*mat_ref(got, at, 0), (float)j);
                ck_assert_float_eq(*mat_ref(got, at, 1), (float)i);
            }
        arena_close(memory);
    }
}

// ---- a limited wire takes its time, beside the work

static void slowly(Rank *rank, const void *task, void *result)
{
    (void)task;
    Mat m = mat_new(rank->arena, 1, 25000);
    RankMessage *message =
        rank->me == 0 ? rank_receive_mat(rank, 1, m, "the test") : rank_send_mat(rank, 0, m, "the test");
    double took = rank_wait(rank, message);
    if (result) *(double *)result = took;
}

TEST(a_wire_of_a_megabyte_a_second)
{
    Ranks ranks = threads();
    ranks.rate = 1e6;
    double took = 0, began = measure_clock_wall();
    ranks_run(&ranks, 2, slowly, NULL, 0, &took);
    ck_assert_double_ge(measure_clock_wall() - began, 0.1);
    ck_assert_double_ge(took, 0.09); // 100,000 bytes; the receiver may have begun a little later
}

// ---- what ends the program: the sentence, status 1, and within the deadline

static void hangs(Rank *rank, const void *task, void *result)
{
    (void)task;
    (void)result;
    float x = 0;
    if (rank->me == 2)
        for (;;) pause();
    if (rank->me == 1) rank_wait(rank, rank_receive(rank, 2, &x, sizeof x, "the test"));
}

static void sizes_differ(Rank *rank, const void *task, void *result)
{
    (void)task;
    (void)result;
    float x[2] = { 0 };
    if (rank->me == 0) rank_wait(rank, rank_send(rank, 1, x, 8, "the test"));
    else rank_wait(rank, rank_receive(rank, 0, x, 4, "the test"));
}

static void end_of(RankWork *work, int count, const char *sentence)
{
    int words[2], status = 0;
    char said[1024] = "";
    double began = measure_clock_wall();
    ck_assert_int_eq(pipe(words), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(words[1], STDERR_FILENO);
        Ranks ranks = threads();
        ranks.deadline = 0.2;
        ranks_run(&ranks, count, work, NULL, 0, NULL);
        _exit(0);
    }
    close(words[1]);
    size_t length = 0;
    for (ssize_t n; (n = read(words[0], said + length, sizeof said - 1 - length)) > 0;) length += (size_t)n;
    close(words[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_str_eq(said, sentence);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    ck_assert_double_le(measure_clock_wall() - began, 5);
}

TEST(nothing_waits_for_ever)
{
    end_of(hangs, 3,
           "rank 1 of 3: no answer from rank 2 for 0.2 s (the test): it has died, hangs, or cannot be "
           "reached\n");
    end_of(sizes_differ, 2, "rank 1 of 2: rank 0 has sent 8 bytes where 4 were awaited (the test)\n");
}
