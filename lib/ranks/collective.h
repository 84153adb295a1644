// Chapter 23. Collectives: barrier, all-reduce, all-to-all, gather. Built from point-to-point messages, so that their
// traffic is counted where it is sent.
//
// Every rank of the task calls the same functions in the same order. Matrices must be contiguous: stride = cols.
#ifndef RANKS_COLLECTIVE_H
#define RANKS_COLLECTIVE_H

#include "base/mat.h"
#include "ranks/rank.h"

// Returns when every rank has called it.
void rank_barrier(Rank *rank);

// m becomes the sum of all ranks' m, bit-identical on every rank. Ring algorithm: a reduce-scatter of R − 1 steps, then
// an all-gather of R − 1 steps; each rank sends 2 (R − 1) / R of the matrix, up to rounding. [Patarasuk and Yuan 2009,
// §3]
void rank_all_reduce(Rank *rank, Mat m);

// parts[i] of this rank is copied to into[me] of rank i; shapes must match. The rank's own part is copied locally.
void rank_all_to_all(Rank *rank, const Mat *into, const Mat *parts);

// Concatenates the rows of every rank's m in `whole` on rank 0 (empty elsewhere). Ranks may have different numbers of
// rows.
void rank_gather(Rank *rank, Mat whole, Mat m);

// Gathers `bytes` bytes of every rank, in rank order, in `whole` on rank 0 (NULL elsewhere).
void rank_gather_bytes(Rank *rank, void *whole, const void *mine, size_t bytes);

// Sends or receives a matrix as one message.
RankMessage *rank_send_mat(Rank *rank, int to, Mat m, const char *what);
RankMessage *rank_receive_mat(Rank *rank, int from, Mat m, const char *what);

#endif
