// Chapter 23. What the ranks are asked to do. Every rank makes its own share of the inputs, from the seed and the
// positions; only results are gathered, and what that costs is not counted.
#include "attention/tiled.h"
#include "base/measure.h"
#include "base/os.h"
#include "base/portable_math.h"
#include "ranks/collective.h"
#include "steps.h"

RankWork *const works[] = { turn_work, sum_work, tensor_work, ring_work, ulysses_work, sentence_work };
const int works_count = sizeof works / sizeof *works;

const char *const mask_names[MASK_KINDS + 1] = { "full", "causal", "window", "sinks", NULL };
const char *const fault_names[4] = { "none", "die", "hang", NULL };

Mask mask_named(int name)
{
    Mask mask = { .causal = name != MASK_FULL };
    if (name == MASK_WINDOW || name == MASK_SINKS) mask.window = 16;
    if (name == MASK_SINKS) mask.sinks = 4;
    return mask;
}

void run_task(const Asked *asked, int R, RankWork *work, const Task *task, void *result)
{
    ranks_run(asked->ranks, R, work, task, sizeof *task, result);
}

int rank_counts(int count, int *list)
{
    int n = 0;
    for (int R = 1; R <= count && n < LISTED - 1; R *= 2) list[n++] = R;
    if (list[n - 1] != count) list[n++] = count;
    return n;
}

double relative(Mat got, Mat want)
{
    double largest = mat_magnitude(want);
    return mat_max_difference(got, want) / (largest > 0.0 ? largest : 1.0);
}

Gathered *gathered_new(Arena *arena, ShareSequence s, bool back)
{
    Gathered *all = arena_alloc(arena, sizeof *all);
    *all = (Gathered){ .did = { .out = mat_new(arena, s.T, s.H * s.dv), .lse = mat_new(arena, s.T, s.H) } };
    if (back)
        all->to = (HeadProjections){ mat_new(arena, s.T, s.H * s.d), mat_new(arena, s.T, s.G * s.d),
                                     mat_new(arena, s.T, s.G * s.dv) };
    return all;
}

// ---- inputs: row p of q, k, v … is drawn from the seed, the position and which of them it is

typedef enum { OF_Q, OF_K, OF_V, OF_DOUT } Which;

static Mat drawn_rows(Arena *arena, const Task *task, Share share, int cols, Which which)
{
    Mat m = mat_new(arena, share.rows, cols);
    for (int n = 0, at = 0; n < share.count; n++)
        for (int i = 0; i < share.runs[n].count; i++, at++) {
            int p = share.runs[n].first + i * share.runs[n].step;
            Random random = random_from(task->seed * 1000003 + (uint64_t)(4 * p) + which);
            random_normals(&random, mat_rows(m, at, 1));
        }
    return m;
}

static HeadProjections drawn_share(Arena *arena, const Task *task, Share share)
{
    ShareSequence s = task->s;
    HeadProjections own = { .q = drawn_rows(arena, task, share, s.H * s.d, OF_Q) };
    own.k = drawn_rows(arena, task, share, s.G * s.d, OF_K);
    own.v = drawn_rows(arena, task, share, s.G * s.dv, OF_V);
    return own;
}

// ---- a kernel that fails: this rank dies or hangs in the call of that number

static _Thread_local int calls_left = -1;
static _Thread_local bool kills;

static void failing_kernel(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    if (calls_left-- == 0) {
        if (kills) os_kill_self();
        os_wait_forever();
    }
    attention_tiled(to, q, k, v, mask);
}

// A thread cannot be killed alone: the program asks for DIE only where ranks are processes. To the others a rank that
// hangs is the same.
static AttentionKernel *kernel_of(const Rank *rank, const Task *task)
{
    if (task->silent) return NULL;
    if (task->fault == NO_FAULT) return task->walked ? attention_naive : attention_tiled;
    calls_left = task->of == rank->me ? task->at * task->s.H : -1;
    kills = task->fault == DIE;
    return failing_kernel;
}

// ---- step 2: a number goes round, and everybody's numbers become one sum

void turn_work(Rank *rank, const void *task, void *result)
{
    (void)task;
    int R = rank->count;
    Mat number = mat_new(rank->arena, 1, 1), came = mat_new(rank->arena, 1, 1);
    for (int s = 0; s < R && R > 1; s++) {
        *number.at += (float)(rank->me + 1);
        RankMessage *receiving = rank_receive_mat(rank, (rank->me + R - 1) % R, came, "a number that goes round");
        rank_wait(rank, rank_send_mat(rank, (rank->me + 1) % R, number, "a number that goes round"));
        rank_wait(rank, receiving);
        mat_set(number, came);
    }
    double told[3] = { (double)*number.at, (double)rank->messages, (double)rank->bytes };
    rank_gather_bytes(rank, result, told, sizeof told);
}

void sum_work(Rank *rank, const void *task, void *result)
{
    const Task *t = task;
    Mat m = mat_new(rank->arena, 1, t->D);
    for (int j = 0; j < t->D; j++) *mat_ref(m, 0, j) = (float)(rank->me + 1) * (float)j;
    rank_all_reduce(rank, m);
    double wrong = 0.0, sum = rank->count * (rank->count + 1) / 2.0;
    for (int j = 0; j < t->D; j++) wrong = fmax(wrong, fabs(mat_value(m, 0, j) - sum * j));
    double told[2] = { wrong, (double)rank->bytes };
    rank_gather_bytes(rank, result, told, sizeof told);
}

// ---- step 3: heads

static Mat drawn_weights(Arena *arena, Random *random, int rows, int cols)
{
    Mat m = mat_new(arena, rows, cols);
    random_normals(random, m);
    for (int64_t i = 0; i < mat_numbers(m); i++) m.at[i] /= sqrtf((float)rows);
    return m;
}

// A rank would load its own part of the weights from a file. Here it draws all, keeps its own, and forgets the rest.
static TensorParallelHeads drawn_heads(Rank *rank, const Task *task)
{
    Arena *room = arena_open();
    ShareSequence s = task->s;
    Random random = random_from(task->seed);
    TensorParallelHeads all = { .wq = drawn_weights(room, &random, task->D, s.H * s.d) };
    all.wk = drawn_weights(room, &random, task->D, s.G * s.d);
    all.wv = drawn_weights(room, &random, task->D, s.G * s.dv);
    all.wo = drawn_weights(room, &random, s.H * s.dv, task->D);
    TensorParallelHeads own = tensor_parallel_heads(all, s, rank->count, rank->me);
    own = (TensorParallelHeads){ mat_copy(rank->arena, own.wq), mat_copy(rank->arena, own.wk),
                                 mat_copy(rank->arena, own.wv), mat_copy(rank->arena, own.wo) };
    arena_close(room);
    return own;
}

// memory: here, the numbers of this rank's weights.
void tensor_work(Rank *rank, const void *task, void *result)
{
    const Task *t = task;
    Gathered none, *all = result ? result : &none;
    TensorParallelHeads own = drawn_heads(rank, t);
    Share everything = share_of(SHARE_CONTIGUOUS, t->s.T, 1, 0);
    Mat x = drawn_rows(rank->arena, t, everything, t->D, OF_Q), out = mat_new(rank->arena, t->s.T, t->D);
    tensor_parallel_attend(rank, out, x, own, t->s, attention_tiled);
    int64_t bytes = rank->bytes;
    int64_t weights = mat_numbers(own.wq) + mat_numbers(own.wk) + mat_numbers(own.wv) + mat_numbers(own.wo);
    if (rank->me == 0) mat_set(all->did.out, out);
    rank_gather_bytes(rank, all->bytes, &bytes, sizeof bytes);
    rank_gather_bytes(rank, all->memory, &weights, sizeof weights);
}

// ---- steps 4 to 8: the ring

typedef struct {
    HeadProjections own;
    Attended did;
} Held;

static Held held_new(Rank *rank, ShareSequence s, HeadProjections own)
{
    Mat out = mat_new(rank->arena, own.q.rows, s.H * s.dv);
    return (Held){ own, { .out = out, .lse = mat_new(rank->arena, own.q.rows, s.H) } };
}

// The ring, and whatever its caller asked for besides.
static void run_ring(Rank *rank, const Task *t, Held held, Gathered *all)
{
    ShareSequence s = t->s;
    Share share = share_of(s.layout, s.T, rank->count, rank->me);
    RingStep steps[RANKS_MOST];
    Arena *room = arena_open();
    int64_t messages = rank->messages, bytes = rank->bytes;
    rank_barrier(rank);
    messages = rank->messages - messages; // those of the barrier
    double began = measure_clock_wall();
    ring_attend(rank, held.did, held.own, s, kernel_of(rank, t), steps);
    messages = rank->messages - messages;
    bytes = rank->bytes - bytes;
    int64_t memory = (int64_t)arena_peak(rank->arena), multiplies = 0, back_bytes = 0;
    rank_barrier(rank);
    double seconds = measure_clock_wall() - began;
    for (int n = 0; n < rank->count; n++) multiplies += steps[n].multiplies;

    if (t->back) {
        HeadProjections to = { mat_new(room, share.rows, s.H * s.d), mat_new(room, share.rows, s.G * s.d),
                               mat_new(room, share.rows, s.G * s.dv) };
        int64_t before = rank->bytes;
        ring_backward(rank, to, drawn_rows(room, t, share, s.H * s.dv, OF_DOUT), held.own, held.did, s);
        back_bytes = rank->bytes - before;
        share_gather(rank, all->to.q, to.q, s.layout, s.T);
        share_gather(rank, all->to.k, to.k, s.layout, s.T);
        share_gather(rank, all->to.v, to.v, s.layout, s.T);
    }
    share_gather(rank, all->did.out, held.did.out, s.layout, s.T);
    share_gather(rank, all->did.lse, held.did.lse, s.layout, s.T);
    rank_gather_bytes(rank, all->bytes, &bytes, sizeof bytes);
    rank_gather_bytes(rank, all->back_bytes, &back_bytes, sizeof back_bytes);
    rank_gather_bytes(rank, all->memory, &memory, sizeof memory);
    rank_gather_bytes(rank, all->messages, &messages, sizeof messages);
    rank_gather_bytes(rank, all->multiplies, &multiplies, sizeof multiplies);
    rank_gather_bytes(rank, all->seconds, &seconds, sizeof seconds);
    rank_gather_bytes(rank, all->steps, steps, (size_t)rank->count * sizeof *steps);
    arena_close(room);
}

void ring_work(Rank *rank, const void *task, void *result)
{
    const Task *t = task;
    Gathered none = { .bytes = { 0 } };
    Share share = share_of(t->s.layout, t->s.T, rank->count, rank->me);
    run_ring(rank, t, held_new(rank, t->s, drawn_share(rank->arena, t, share)), result ? result : &none);
}

// A sentence: x comes with the task, and is query, key and value at once.
void sentence_work(Rank *rank, const void *task, void *result)
{
    const Task *t = task;
    Gathered none = { .bytes = { 0 } };
    Arena *room = arena_open();
    Mat x =
        share_rows(rank->arena, mat_of(room, t->s.T, t->D, t->x), share_of(t->s.layout, t->s.T, rank->count, rank->me));
    arena_close(room);
    run_ring(rank, t, held_new(rank, t->s, (HeadProjections){ x, x, x }), result ? result : &none);
}

// ---- step 9

void ulysses_work(Rank *rank, const void *task, void *result)
{
    const Task *t = task;
    ShareSequence s = t->s;
    Gathered none = { .bytes = { 0 } }, *all = result ? result : &none;
    Share share = share_of(SHARE_CONTIGUOUS, s.T, rank->count, rank->me);
    Held held = held_new(rank, s, drawn_share(rank->arena, t, share));
    ulysses_attend(rank, held.did, held.own, s, attention_tiled);
    int64_t bytes = rank->bytes, memory = (int64_t)arena_peak(rank->arena);
    share_gather(rank, all->did.out, held.did.out, SHARE_CONTIGUOUS, s.T);
    share_gather(rank, all->did.lse, held.did.lse, SHARE_CONTIGUOUS, s.T);
    rank_gather_bytes(rank, all->bytes, &bytes, sizeof bytes);
    rank_gather_bytes(rank, all->memory, &memory, sizeof memory);
}
