// Exercise 23a. One step of the ring.
//
// Write the function, then run: make exercise-23a
#include "attention/online.h"
#include "ranks/collective.h"

// R ranks share a causal attention of one head. Rank r has n rows: the queries, keys and values of positions
// r n … r n + n − 1. In step t = 0 … R − 1 it works on the block k (n, d), v (n, dv) that is here: in step 0 its own,
// in step t that of rank r − t, round the ring. out (n, dv) and lse (n, 1) are what is known so far: 0 and −INFINITY
// before step 0.
//
// Task. In this order:
//   1. Unless this is the last step: start to receive the next block from the rank before, into next_k (n, d) and
//      next_v (n, dv), and to send k and v to the rank behind: rank_receive_mat, rank_send_mat. The ranks stand in a
//      ring: behind the last one comes rank 0.
//   2. Call kernel((Attended){ .out = …, .lse = … }, q, k, v, mask) once, with room of your own (mat_new(rank->arena,
//      rows, cols)), and attention_merge what it gives into out and lse. Queries and keys are parts of a sequence:
//      Mask.shift says how many positions the queries of this rank stand behind those of the block (negative: before).
//   3. Wait for all messages: rank_wait.
void my_step(Rank *rank, Mat out, Mat lse, Mat q, Mat k, Mat v, Mat next_k, Mat next_v, int t, AttentionKernel *kernel)
{
    (void)rank;
    (void)out;
    (void)lse;
    (void)q;
    (void)k;
    (void)v;
    (void)next_k;
    (void)next_v;
    (void)t;
    (void)kernel;
    // your code goes here
}
