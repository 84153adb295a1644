// Exercise 16e: the right kernel (fault 0), and wrong ones.
extern "C" int judge_fault;

// As in check_16e.c.
enum { AS_IT_WAS = 1, STAYS, NOT_TURNED, NO_BARRIER, FAR_STORES, FAR_LOADS, UNPADDED, NO_SHARED, RETURNS, WRITE_EDGE };
enum { ROUNDED_DOWN = WRITE_EDGE + 1, ONE_BLOCK, MANY_BLOCKS, MANY_THREADS };

enum { SIDE = 32 };

// What each thread reads goes straight to its place.
static __global__ void straight(float *to, const float *from, int S, int d, int fault)
{
    int x = threadIdx.x, y = threadIdx.y, across = blockIdx.x * SIDE, down = blockIdx.y * SIDE;
    int row = down + (fault == FAR_LOADS ? x : y), col = across + (fault == FAR_LOADS ? y : x);
    if (row < S && col < d) to[fault == AS_IT_WAS ? row * d + col : col * S + row] = from[row * d + col];
}

static __global__ void my_turned(float *to, const float *from, int S, int d, int fault)
{
    __shared__ float square[2][SIDE * (SIDE + 1)];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * SIDE, col = blockIdx.x * SIDE;
    int side = fault == UNPADDED ? SIDE : SIDE + 1;
    bool inside = row + y < S && col + x < d;
    if (fault == RETURNS && !inside) return;
    if (inside) square[0][y * side + x] = from[(row + y) * d + col + x];
    if (fault != NO_BARRIER) __syncthreads();
    int to_row = fault == STAYS ? row : col, to_col = fault == STAYS ? col : row;
    int at = fault == NOT_TURNED ? y * side + x : x * side + y;
    bool within = fault == WRITE_EDGE ? inside : to_row + y < d && to_col + x < S;
    if (within) to[(to_row + y) * S + to_col + x] = square[0][at];
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

extern "C" void launch_turned(float *to, const float *from, int S, int d)
{
    const int fault = judge_fault, more = fault == ROUNDED_DOWN ? 0 : SIDE - 1;
    dim3 threads(SIDE, SIDE), blocks((d + more) / SIDE, (S + more) / SIDE);
    if (fault == ONE_BLOCK) blocks = dim3(1, 1);
    if (fault == MANY_BLOCKS) blocks = dim3(d, S);
    if (fault == MANY_THREADS) threads = dim3(2 * SIDE, SIDE);
    if (fault == NO_SHARED) alone<<<blocks, threads>>>(to, from, S, d);
    else if (fault == AS_IT_WAS || fault == FAR_STORES || fault == FAR_LOADS)
        straight<<<blocks, threads>>>(to, from, S, d, fault);
    else my_turned<<<blocks, threads>>>(to, from, S, d, fault);
}
