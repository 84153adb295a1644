// Chapter 23. Collectives from point-to-point messages. Receives are posted before sends are waited for, so that ranks
// that exchange messages do not deadlock.
#include "ranks/collective.h"

#include "base/error.h"

#include <string.h>

static size_t bytes_of(Mat m)
{
    REQUIRE(m.stride == m.cols || m.rows <= 1, "a matrix " MAT_SHAPE " of stride %d in one message", MAT_SHAPED(m),
            m.stride);
    return (size_t)mat_numbers(m) * sizeof(float);
}

RankMessage *rank_send_mat(Rank *rank, int to, Mat m, const char *what)
{
    return rank_send(rank, to, m.at, bytes_of(m), what);
}

RankMessage *rank_receive_mat(Rank *rank, int from, Mat m, const char *what)
{
    return rank_receive(rank, from, m.at, bytes_of(m), what);
}

// Rank 0 receives from all, then sends to all.
void rank_barrier(Rank *rank)
{
    char none = 0;
    if (rank->me > 0) {
        rank_wait(rank, rank_send(rank, 0, &none, 0, "all to be here"));
        rank_wait(rank, rank_receive(rank, 0, &none, 0, "all to be here"));
        return;
    }
    for (int i = 1; i < rank->count; i++) rank_wait(rank, rank_receive(rank, i, &none, 0, "all to be here"));
    for (int i = 1; i < rank->count; i++) rank_wait(rank, rank_send(rank, i, &none, 0, "all to be here"));
}

// Part i of n numbers divided into `count` parts whose lengths differ by at most one.
typedef struct {
    int64_t first, count;
} Part;

static Part part_of(int64_t n, int i, int count)
{
    int64_t first = n * i / count;
    return (Part){ first, n * (i + 1) / count - first };
}

void rank_all_reduce(Rank *rank, Mat m)
{
    int R = rank->count, next = (rank->me + 1) % R, previous = (rank->me + R - 1) % R;
    int64_t n = (int64_t)(bytes_of(m) / sizeof(float));
    ArenaMark mark = arena_mark(rank->arena);
    float *received = arena_alloc(rank->arena, (size_t)(n / R + 1) * sizeof(float));

    // Steps 0 … R − 2, reduce-scatter: after them this rank has the sum of part me + 1. The other steps: all-gather of
    // the sums.
    for (int s = 0; s < 2 * (R - 1); s++) {
        bool reduces = s < R - 1;
        Part out = part_of(n, (rank->me - s % (R - 1) + (reduces ? 0 : 1) + R) % R, R);
        Part in = part_of(n, (rank->me - s % (R - 1) + (reduces ? 0 : 1) + R - 1) % R, R);
        float *to = reduces ? received : m.at + in.first;
        RankMessage *receiving = rank_receive(rank, previous, to, (size_t)in.count * sizeof(float), "a part of a sum");
        rank_wait(rank, rank_send(rank, next, m.at + out.first, (size_t)out.count * sizeof(float), "a part of a sum"));
        rank_wait(rank, receiving);
        if (!reduces) continue;
        for (int64_t i = 0; i < in.count; i++) m.at[in.first + i] += received[i];
    }
    arena_release(rank->arena, mark);
}

void rank_all_to_all(Rank *rank, const Mat *into, const Mat *parts)
{
    RankMessage *out[RANKS_MOST], *in[RANKS_MOST];
    for (int i = 0; i < rank->count; i++) {
        if (i == rank->me) continue;
        in[i] = rank_receive_mat(rank, i, into[i], "a share of all to all");
        out[i] = rank_send_mat(rank, i, parts[i], "a share of all to all");
    }
    mat_set(into[rank->me], parts[rank->me]);
    for (int i = 0; i < rank->count; i++) {
        if (i == rank->me) continue;
        rank_wait(rank, in[i]);
        rank_wait(rank, out[i]);
    }
}

void rank_gather(Rank *rank, Mat whole, Mat m)
{
    int rows = m.rows, counts[RANKS_MOST];
    rank_gather_bytes(rank, rank->me == 0 ? counts : NULL, &rows, sizeof rows);
    if (rank->me > 0) {
        rank_wait(rank, rank_send_mat(rank, 0, m, "a share of what was computed"));
        return;
    }
    mat_set(mat_rows(whole, 0, rows), m);
    for (int i = 1, first = rows; i < rank->count; first += counts[i], i++)
        rank_wait(rank, rank_receive_mat(rank, i, mat_rows(whole, first, counts[i]), "a share of what was computed"));
}

void rank_gather_bytes(Rank *rank, void *whole, const void *mine, size_t bytes)
{
    if (rank->me > 0) {
        rank_wait(rank, rank_send(rank, 0, mine, bytes, "what a rank has counted"));
        return;
    }
    memcpy(whole, mine, bytes);
    for (int i = 1; i < rank->count; i++)
        rank_wait(rank, rank_receive(rank, i, (char *)whole + (size_t)i * bytes, bytes, "what a rank has counted"));
}
