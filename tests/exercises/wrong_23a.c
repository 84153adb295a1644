// Exercise 23a, solved wrongly: number WRONG of these gets this answer.
//
// 1: the kernel has not been called
// 2: each block's result is written over
// 3: whatever they weigh
// 4: outputs are added up
// 5: the shift is missing
// 6: the shift has the wrong sign
// 7: right until the ring goes past rank 0
// 8: the block and its shift do not belong together
// 9: the rank's own block is left out
// 10: the last block is left out
// 11: every step works on the rank's own block
// 12: it works on the block that is coming
// 13: the shift counts ranks
// 14: lse stays that of the first block
// 15: they wait for each other
// 16: a message is left alone
// 17: sizes do not fit
// 18: rank 0 has sent
// 19: nothing is sent while the kernel works
// 20: called once a step
// 21: the block and its shift do not belong together
// 22: out and lse are as they were before step 0
// 23: out and lse are as they were before step 0
// 24: rank 0 has a message to or from rank 0, itself: its only step is the last one
// 25: itself: with whom does a rank exchange
// 26: there is no rank 3; behind the last, 2, comes rank 0
// 27: there is no rank -1; before rank 0 comes the last, 2
// 28: blocks go round the other way
// 29: a message is left alone: rank
#include "attention/online.h"
#include "exercises/wrong.h"
#include "ranks/collective.h"

void my_step(Rank *rank, Mat out, Mat lse, Mat q, Mat k, Mat v, Mat next_k, Mat next_v, int t, AttentionKernel *kernel);

static int shift_of(int how, int me, int R, int t, int n)
{
    int owner = (me - t + R) % R;
    if (how == 5) return 0;
    if (how == 6) return (owner - me) * n;
    if (how == 7) return t * n;
    if (how == 13) return me - owner;
    if (how == 21 || how == 28) return (me - (me + t) % R) * n;
    return (me - owner) * n;
}

static void merge(int how, Mat out, Mat lse, Mat part, Mat part_lse, int t)
{
    float kept = how == 4 ? 1.0f : how == 3 && t > 0 ? 0.5f : 0.0f;
    float added = how == 3 && t > 0 ? 0.5f : 1.0f;
    if (how == 2 || how == 3 || how == 4) {
        for (int i = 0; i < out.rows; i++)
            for (int c = 0; c < out.cols; c++)
                *mat_ref(out, i, c) = kept * *mat_ref(out, i, c) + added * *mat_ref(part, i, c);
        mat_set(lse, part_lse);
        return;
    }
    Arena *arena = arena_open();
    Mat old = mat_copy(arena, lse);
    if (how == 22) attention_merge(part, part_lse, out, lse);
    else if (how != 23) attention_merge(out, lse, part, part_lse);
    if (how == 14 && t > 0) mat_set(lse, old);
    arena_close(arena);
}

void my_step(Rank *rank, Mat out, Mat lse, Mat q, Mat k, Mat v, Mat next_k, Mat next_v, int t, AttentionKernel *kernel)
{
    int how = wrong(), R = rank->count, next = (rank->me + 1) % R, last = (rank->me + R - 1) % R, count = 0;
    RankMessage *messages[4];
    if (how == 1) return;
    if (how == 8 || how == 28) next = last;
    if (how == 8 || how == 28) last = (rank->me + 1) % R;
    if (how == 25) next = last = rank->me;
    if (how == 26) next = rank->me + 1;
    if (how == 27) last = rank->me - 1;
    if (how == 15 && R > 1 && t < R - 1) {
        rank_wait(rank, rank_send_mat(rank, next, k, "keys"));
        rank_wait(rank, rank_send_mat(rank, next, v, "values"));
        rank_wait(rank, rank_receive_mat(rank, last, next_k, "keys"));
        rank_wait(rank, rank_receive_mat(rank, last, next_v, "values"));
    } else if (t < R - 1 || (how == 18 && R > 1) || how == 24) {
        bool crossed = how == 17;
        messages[count++] = rank_receive_mat(rank, last, crossed ? next_v : next_k, "keys");
        messages[count++] = rank_receive_mat(rank, last, crossed ? next_k : next_v, "values");
        messages[count++] = rank_send_mat(rank, next, k, "keys");
        messages[count++] = rank_send_mat(rank, next, v, "values");
    }
    for (int i = 0; i < count && (how == 12 || how == 19); i++) rank_wait(rank, messages[i]);
    if (how == 12 && R > 1) k = next_k;
    if (how == 12 && R > 1) v = next_v;
    if (how == 9 && t == 0 && R > 1) count += 0;
    else if (how == 10 && t == R - 1 && R > 1) count += 0;
    else {
        Mat part = mat_new(rank->arena, out.rows, out.cols), part_lse = mat_new(rank->arena, out.rows, 1);
        Mask mask = { .causal = true, .shift = shift_of(how, rank->me, R, t, q.rows) };
        kernel((Attended){ .out = part, .lse = part_lse }, q, k, v, mask);
        if (how == 20) kernel((Attended){ .out = part, .lse = part_lse }, q, k, v, mask);
        merge(how, out, lse, part, part_lse, t);
    }
    if (how == 12 || how == 19) return;
    for (int i = 0; i < count - (how == 16 || how == 29); i++) rank_wait(rank, messages[i]);
    if (how == 11) mat_set(next_k, k);
    if (how == 11) mat_set(next_v, v);
}
