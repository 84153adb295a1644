// Exercise 16c, solved.
enum { THREADS = 128, WARPS = 4 };

// Over the 32 lanes of a warp, in all of them.
static __device__ float over_warp(float x, bool largest)
{
    for (int bits = 16; bits; bits /= 2) {
        float other = __shfl_xor_sync(0xFFFFFFFF, x, bits);
        x = largest ? fmaxf(x, other) : x + other;
    }
    return x;
}

// weights, scores (rows, S)
static __global__ void my_softmax(float *weights, const float *scores, int rows, int S)
{
    __shared__ float parts[WARPS];
    int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;

    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const float *score = scores + row * S;
        float *weight = weights + row * S;
        float max = -INFINITY, sum = 0.0f;

        // 1. The largest score of the row.
        for (int j = thread; j < S; j += THREADS) max = fmaxf(max, score[j]);
        max = over_warp(max, true);
        if (lane == 0) parts[warp] = max;
        __syncthreads();
        for (int w = 0; w < WARPS; w++) max = fmaxf(max, parts[w]);
        __syncthreads();

        // 2. The sum of the weights.
        for (int j = thread; j < S; j += THREADS) sum += expf(score[j] - max);
        sum = over_warp(sum, false);
        if (lane == 0) parts[warp] = sum;
        __syncthreads();
        sum = 0.0f;
        for (int w = 0; w < WARPS; w++) sum += parts[w];
        __syncthreads();

        // 3. The weights.
        for (int j = thread; j < S; j += THREADS) weight[j] = expf(score[j] - max) / sum;
    }
}

// What the checker calls; all pointers are into the card's memory.
extern "C" void my_launch(float *weights, const float *scores, int rows, int S, int blocks)
{
    my_softmax<<<blocks, THREADS>>>(weights, scores, rows, S);
}
