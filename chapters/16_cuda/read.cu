// Reading alone, as fast as the card can: the yardstick of decoding.
#include "kernels.h"

#include <stddef.h>
#include <stdint.h>

static __global__ void read_all(const uint4 *from, size_t count, float *sums)
{
    uint32_t sum = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x; n < count; n += 4 * step) {
        uint4 four[4] = {};
#pragma unroll
        for (int e = 0; e < 4; e++)
            if (n + e * step < count) four[e] = __ldcs(from + n + e * step);
#pragma unroll
        for (int e = 0; e < 4; e++) sum += four[e].x ^ four[e].y ^ four[e].z ^ four[e].w;
    }
    if (sum == 0x12345678) sums[0] = 1;              // hardly ever, but the compiler cannot know
}

extern "C" cudaError_t gpu_read(const void *from, size_t bytes, float *sums)
{
    int device = 0, multiprocessors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    read_all<<<8 * multiprocessors, 256>>>((const uint4 *)from, bytes / sizeof(uint4), sums);
    return cudaGetLastError();
}
