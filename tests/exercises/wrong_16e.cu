// Exercise 16e, solved wrongly: number WRONG of these gets this answer.
//
// 1: written nothing into its output
// 2: stand as they were
// 3: stays in its place
// 4: is not turned itself
// 5: which nobody has written
// 6: pieces of memory are written
// 7: pieces of memory are read
// 8: a load from shared memory takes 32 turns
// 9: a store to shared memory takes 32 turns
// 10: out of bounds
// 11: which nobody has written
// 12: round up
// 13: are not reached
// 14: which nobody has written
// 15: out of bounds
// 16: race in my_turned
// 17: does not stand in row c
// 18: an array without __shared__
// 19: 200 blocks are launched for 2 squares
// 20: the launch is refused
// 21: the others have ended
// 22: which nobody has written
// 21, HINT=2: come to this barrier, and equally often
// 22, HINT=2: Does every thread come to the barrier
#include "exercises/wrong.h"

enum { SIDE = 32 };

// What each thread reads goes straight to its place, or what it writes comes straight from there.
static __global__ void straight(float *to, const float *from, int S, int d, int how)
{
    int x = threadIdx.x, y = threadIdx.y, across = blockIdx.x * SIDE, down = blockIdx.y * SIDE;
    int row = down + (how == 7 ? x : y), col = across + (how == 7 ? y : x);
    if (row < S && col < d) to[how == 2 ? row * d + col : col * S + row] = from[row * d + col];
}

static __global__ void my_turned(float *to, const float *from, int S, int d, int how)
{
    __shared__ float square[2][SIDE * (SIDE + 1)];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * SIDE, col = blockIdx.x * SIDE;
    int side = how == 8 || how == 9 ? SIDE : SIDE + 1;
    bool inside = row + y < S && col + x < d;
    if (how == 21 && !inside) return;
    if (inside || how == 10) square[0][how == 9 ? x * side + y : y * side + x] = from[(row + y) * d + col + x];
    if (how != 5 && (inside || how != 22)) __syncthreads();
    int to_row = how == 3 ? row : col, to_col = how == 3 ? col : row;
    int at = how == 4 || how == 9 ? y * side + x : how == 17 ? (SIDE - 1 - x) * side + y : x * side + y;
    bool within = how == 14 ? inside : to_row + y < d && to_col + x < S;
    if (within || how == 11) to[(to_row + y) * (how == 15 ? d : S) + to_col + x] = square[0][at];
    if (how == 16) square[0][0] = 1.0f;
}

// The square is each thread's own.
static __global__ void alone(float *to, const float *from, int S, int d)
{
    float square[SIDE][SIDE] = { { 0.0f } };
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * SIDE, col = blockIdx.x * SIDE;
    if (row + y < S && col + x < d) square[y][x] = from[(row + y) * d + col + x];
    __syncthreads();
    if (col + y < d && row + x < S) to[(col + y) * S + row + x] = square[x][y];
}

// What the checker calls; both pointers are into the card's memory.
extern "C" void my_launch(float *to, const float *from, int S, int d)
{
    int how = wrong(), more = how == 12 ? 0 : SIDE - 1;
    dim3 threads(SIDE, SIDE), blocks(how == 13 ? 1 : (d + more) / SIDE, how == 13 ? 1 : (S + more) / SIDE);
    if (how == 1) return;
    if (how == 19) blocks = dim3(d, S);
    if (how == 20) threads = dim3(2 * SIDE, SIDE);
    if (how == 18) alone<<<blocks, threads>>>(to, from, S, d);
    else if (how == 2 || how == 6 || how == 7) straight<<<blocks, threads>>>(to, from, S, d, how);
    else my_turned<<<blocks, threads>>>(to, from, S, d, how);
}
