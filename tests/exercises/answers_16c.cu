// Exercise 16c: the right kernel (fault 0), and wrong ones.
extern "C" int judge_fault;

// As in check_16c.c.
enum { NO_FIRST = 1, NO_SECOND, NO_THIRD, NO_LAST, LANE_0_ONLY, IN_LOOP, IDLE_RETURN, ONE_MORE, NOT_DIVIDED };

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
static __global__ void my_softmax(float *weights, const float *scores, int rows, int S, int fault)
{
    __shared__ float parts[WARPS];
    int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    if (fault == IDLE_RETURN && thread >= S) return;

    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const float *score = scores + row * S;
        float *weight = weights + row * S;
        float max = -INFINITY, sum = 0.0f;

        // 1. The largest score of the row.
        for (int j = thread; j < S; j += THREADS) max = fmaxf(max, score[j]);
        max = over_warp(max, true);
        if (lane == 0) {
            parts[warp] = max;
            if (fault == LANE_0_ONLY) __syncthreads();
        }
        if (fault != NO_FIRST && fault != LANE_0_ONLY) __syncthreads();
        for (int w = 0; w < WARPS; w++) max = fmaxf(max, parts[w]);
        if (fault != NO_SECOND) __syncthreads();

        // 2. The sum of the weights.
        for (int j = thread; j < S; j += THREADS) sum += expf(score[j] - max);
        sum = over_warp(sum, false);
        if (lane == 0) parts[warp] = sum;
        if (fault != NO_THIRD) __syncthreads();
        sum = 0.0f;
        for (int w = 0; w < WARPS; w++) sum += parts[w];
        if (fault != NO_LAST) __syncthreads();
        if (fault == ONE_MORE) __syncthreads();

        // 3. The weights.
        for (int j = thread; j < S; j += THREADS) {
            weight[j] = expf(score[j] - max) / (fault == NOT_DIVIDED ? 1.0f : sum);
            if (fault == IN_LOOP) __syncthreads();
        }
    }
}

extern "C" void launch_softmax(float *weights, const float *scores, int rows, int S, int blocks)
{
    my_softmax<<<blocks, THREADS>>>(weights, scores, rows, S, judge_fault);
}
