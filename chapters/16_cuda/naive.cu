// Chapter 16, rung 1. Chapter 03's kernel: a table of all scores in the card's memory, three kernels one after the
// other.
#include "device.h"

// A thread a score: hidden ones are −INFINITY.
template <HalfKind kind> static __global__ void score_one_by_one(GpuProblem p)
{
    int64_t n = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, rows = (int64_t)p.B * p.H * p.T;
    if (n >= rows * p.S) return;
    int j = n % p.S, i = n / p.S % p.T, h = n / p.S / p.T % p.H, b = n / p.S / p.T / p.H;
    const uint16_t *q = p.q + gpu_offset(p.q_step, b, h, i);
    const uint16_t *k = p.k + gpu_offset(p.kv_step, b, gpu_key_head(h, p.H, p.G), j);
    float score = 0.0f;
    for (int c = 0; c < p.d; c++) score += value_of<kind>(q[c]) * value_of<kind>(k[c]);
    p.scratch[n] = j < gpu_keys_seen(i, p.T, p.S, p.causal) ? score * p.scale : -INFINITY;
}

INLINE float over_warp(float x, bool largest)
{
    for (int bits = GPU_LANES / 2; bits; bits /= 2) {
        float other = __shfl_xor_sync(0xFFFFFFFF, x, bits);
        x = largest ? fmaxf(x, other) : x + other;
    }
    return x;
}

// A warp a row: scores become weights, in place.
static __global__ void soften_table(GpuProblem p)
{
    int64_t row = (int64_t)blockIdx.x * GPU_WARPS + threadIdx.x / GPU_LANES;
    if (row >= (int64_t)p.B * p.H * p.T) return;
    float *score = p.scratch + row * p.S, max = -INFINITY, sum = 0.0f;
    for (int j = threadIdx.x % GPU_LANES; j < p.S; j += GPU_LANES) max = fmaxf(max, score[j]);
    max = over_warp(max, true);
    bool blind = max == -INFINITY;
    for (int j = threadIdx.x % GPU_LANES; j < p.S; j += GPU_LANES) {
        score[j] = blind ? 0.0f : exp2_fast((score[j] - max) * LOG2E);
        sum += score[j];
    }
    sum = over_warp(sum, false);
    for (int j = threadIdx.x % GPU_LANES; j < p.S && !blind; j += GPU_LANES) score[j] /= sum;
    if (p.lse && threadIdx.x % GPU_LANES == 0) p.lse[row] = blind ? -INFINITY : max + logf(sum);
}

// A thread an output.
template <HalfKind kind> static __global__ void mix_one_by_one(GpuProblem p)
{
    int64_t n = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, rows = (int64_t)p.B * p.H * p.T;
    if (n >= rows * p.d) return;
    int c = n % p.d, i = n / p.d % p.T, h = n / p.d / p.T % p.H, b = n / p.d / p.T / p.H;
    const uint16_t *v = p.v + gpu_offset(p.kv_step, b, gpu_key_head(h, p.H, p.G), 0) + c;
    const float *weights = p.scratch + n / p.d * p.S;
    float sum = 0.0f;
    for (int j = 0; j < p.S; j++) sum += weights[j] * value_of<kind>(v[j * p.kv_step.row]);
    p.out[gpu_offset(p.out_step, b, h, i) + c] = rounded<kind>(sum);
}

static unsigned blocks_for(int64_t threads) { return (unsigned)((threads + GPU_THREADS - 1) / GPU_THREADS); }

// The step that tiles.cu shares.
cudaError_t gpu_soften_table(const GpuProblem *p)
{
    int64_t rows = (int64_t)p->B * p->H * p->T;
    if (rows > 0) soften_table<<<blocks_for(rows * GPU_LANES), GPU_THREADS>>>(*p);
    return cudaGetLastError();
}

template <HalfKind kind> static cudaError_t run(const GpuProblem *p)
{
    int64_t rows = (int64_t)p->B * p->H * p->T;
    if (rows * p->S > 0) score_one_by_one<kind><<<blocks_for(rows * p->S), GPU_THREADS>>>(*p);
    cudaError_t error = gpu_soften_table(p);
    if (rows > 0) mix_one_by_one<kind><<<blocks_for(rows * p->d), GPU_THREADS>>>(*p);
    return error ? error : cudaGetLastError();
}

extern "C" cudaError_t gpu_naive(const GpuProblem *p)
{
    return p->kind == HALF_BFLOAT16 ? run<HALF_BFLOAT16>(p) : run<HALF_FLOAT16>(p);
}

extern "C" int gpu_multiprocessors(void)
{
    int device = 0, count = 1;
    if (cudaGetDevice(&device) || cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device)) return 1;
    return count;
}
