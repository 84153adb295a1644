// Chapter 23. What all ranks do together: sums of all, everything to everyone, shares to and from rank 0. Made of
// messages between two ranks each, so that their bytes are counted where they are sent.
//
// Every rank of the task calls the same function, in the same order. Matrices lie in one piece: stride = cols.
#ifndef RANKS_COLLECTIVE_H
#define RANKS_COLLECTIVE_H

#include "base/mat.h"
#include "ranks/rank.h"

// Waits until all are here.
void rank_barrier(Rank *rank);

// m becomes the sum of all ranks' m, the same bits on each. Round a ring: R − 1 steps that add, R − 1 that hand on, so
// that each rank sends 2 (R − 1) / R of the matrix, rounded to whole parts.          [Patarasuk and Yuan 2009, §3]
void rank_all_reduce(Rank *rank, Mat m);

// parts[i] of this rank becomes into[me] of rank i, shapes equal; its own is copied.
void rank_all_to_all(Rank *rank, const Mat *into, const Mat *parts);

// m of every rank one below another in `whole`, which is rank 0's (empty elsewhere); ranks may have different rows.
void rank_gather(Rank *rank, Mat whole, Mat m);

// `bytes` bytes of every rank, in the order of ranks, in `whole`, which is rank 0's (NULL elsewhere).
void rank_gather_bytes(Rank *rank, void *whole, const void *mine, size_t bytes);

// A matrix in one message.
RankMessage *rank_send_mat(Rank *rank, int to, Mat m, const char *what);
RankMessage *rank_receive_mat(Rank *rank, int from, Mat m, const char *what);

#endif
