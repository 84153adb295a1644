// Exercise 24c, solved wrongly: number WRONG of these gets this answer.
//
// 1: nothing is predicted yet
// 2: the anchor is seen, too
// 3: does not see them twice
// 4: without blocks
// 5: the last block has two tokens
// 6: an answer comes back
// 7: nothing to itself
// 8: this is one token
// 9: only with the last rank
// 10: 16 bits are 2 bytes
// 11: this is one layer
// 12: the queries must go out, too
// 13: an lse for each head
// 14: G is for keys and values
// 15: go to all seven others
// 16: this is what one rank sends
// 17: G heads, not H
// 18: sees its anchor, too
// 19: all ranks of the ring
// 20: the anchor reads itself as well
// 21: upside down
// 22: 777 is not it
// 23: units of 2³⁰ bytes
#include "exercises/wrong.h"

void my_star(double *pairs, double *messages, double *token_mb, double *ring_gb, double *times);
void my_star(double *pairs, double *messages, double *token_mb, double *ring_gb, double *times)
{
    static const double of_pairs[] = { 0, 0, 23, 43, 55, 42 }, of_messages[] = { 35, 80, 14, 280 };
    static const double of_times[] = { 8, 16, 8.0 / 3, 0.5, 777 };
    int how = wrong();
    double token = 32 * 7 * 32 * 257 * 2 / 1e6, ring = 32.0 * 7 * 80000 * 8 * 256 * 2 / 1e9;
    const double of_token[] = { 2 * token, token / 32, token * 129 / 257, token * 256 / 257, token / 4 };
    const double of_ring[] = { ring / 7, ring / 8, ring * 4 };
    if (how == 23) ring = ring * 1e9 / (1 << 30);
    *pairs = how >= 1 && how <= 5 ? of_pairs[how] : 35;
    *messages = how >= 6 && how <= 9 ? of_messages[how - 6] : 70;
    *token_mb = how >= 10 && how <= 14 ? of_token[how - 10] : token;
    *ring_gb = how >= 15 && how <= 17 ? of_ring[how - 15] : ring;
    *times = how >= 18 && how <= 22 ? of_times[how - 18] : 2;
}
