// What of CUDA's runtime and language the chapter uses, for the emulator: in the place of cuda_runtime_api.h, and given
// to every kernel with -include. Meanings are those of the CUDA runtime API and of the programming guide.
#ifndef RUNTIME_H
#define RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/half.h" // once, before others: C that C++ calls

typedef enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDevice = 101,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999,
} cudaError_t;
typedef enum {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
} cudaMemcpyKind;
typedef enum { cudaDevAttrMultiProcessorCount = 16, cudaDevAttrComputeCapabilityMajor = 75 } cudaDeviceAttr;
typedef enum {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
} cudaFuncAttribute;
struct cudaDeviceProp {
    char name[256];
    int major, minor, multiProcessorCount, l2CacheSize;
    size_t sharedMemPerBlockOptin;
};

const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaMalloc(void **at, size_t bytes);
cudaError_t cudaFree(void *at);
cudaError_t cudaMemset(void *at, int value, size_t bytes);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaGetLastError(void);

// ---- of the driver: maps for the copy engine

typedef struct {
    uint64_t opaque[16];
} __attribute__((aligned(64))) CUtensorMap;
typedef enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 } CUresult;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef enum {
    CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9
} CUtensorMapDataType;
typedef enum { CU_TENSOR_MAP_INTERLEAVE_NONE } CUtensorMapInterleave;
typedef enum {
    CU_TENSOR_MAP_SWIZZLE_NONE,
    CU_TENSOR_MAP_SWIZZLE_32B,
    CU_TENSOR_MAP_SWIZZLE_64B,
    CU_TENSOR_MAP_SWIZZLE_128B
} CUtensorMapSwizzle;
typedef enum {
    CU_TENSOR_MAP_L2_PROMOTION_NONE,
    CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_256B
} CUtensorMapL2promotion;
typedef enum { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE } CUtensorMapFloatOOBfill;

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *from,
                                const cuuint64_t *lengths, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);

typedef enum { cudaEnableDefault } cudaGetDriverEntryPointFlags;
typedef enum { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound } cudaDriverEntryPointQueryResult;
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *result);
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult *result);

#ifdef __cplusplus
}

    #include <math.h>
    #include <string.h>

    // ---- the language

    #define __global__
    #define __device__
    #define __host__
    #define __forceinline__ inline
    #define __grid_constant__
    #define __launch_bounds__(...)
    #define __align__(n) __attribute__((aligned(n)))

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
static inline float2 make_float2(float x, float y) { return { x, y }; }
static inline float4 make_float4(float x, float y, float z, float w) { return { x, y, z, w }; }
static inline uint2 make_uint2(unsigned x, unsigned y) { return { x, y }; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return { x, y, z, w }; }

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

// ---- what the engine does for a kernel

void emulator_variable(void *at, size_t bytes);
struct EmulatorVariables { // static __device__ ones
    template <class... T> explicit EmulatorVariables(T &...all) { (emulator_variable(&all, sizeof all), ...); }
};

void emulator_syncthreads();
void emulator_syncwarp(uint32_t mask);
uint32_t emulator_shuffle(uint32_t mask, uint32_t value, int from); // of the lane `from`
uint32_t emulator_all(uint32_t mask, bool holds);                   // 1: it holds for all of them
void emulator_atomic(void *at, int bytes);                          // nobody can come between
int emulator_lane();
void *emulator_dynamic(const char *kernel, int alignment);
void *emulator_static(const char *kernel, const void *key, size_t bytes, size_t alignment);
void emulator_run(const char *kernel, const void *function, dim3 grid, dim3 block, size_t bytes,
                  void (*call)(const void *), const void *arguments, size_t size);
cudaError_t emulator_set_attribute(const void *function, cudaFuncAttribute attribute, int value);

// All static arrays of one line of the source.
template <class Arrays> Arrays &emulator_static(const char *kernel)
{
    static char key;
    return *(Arrays *)emulator_static(kernel, &key, sizeof(Arrays), alignof(Arrays));
}

template <class... P> struct EmulatorLaunch {
    const char *name;
    void (*kernel)(P...);
    dim3 grid, block;
    size_t bytes;
    template <class... A> void operator()(const A &...arguments) const
    {
        auto call = [kernel = kernel, arguments...] { kernel(arguments...); };
        emulator_run(
            name, (const void *)kernel, grid, block, bytes, [](const void *c) { (*(const decltype(call) *)c)(); },
            &call, sizeof call);
    }
};
template <class... P>
EmulatorLaunch<P...> emulator_launch(const char *name, void (*kernel)(P...), dim3 grid, dim3 block, size_t bytes = 0)
{
    return { name, kernel, grid, block, bytes };
}

template <class T> cudaError_t cudaMalloc(T **at, size_t bytes)
{
    void *there = nullptr;
    cudaError_t error = cudaMalloc(&there, bytes);
    *at = (T *)there;
    return error;
}
template <class K> cudaError_t cudaFuncSetAttribute(K *kernel, cudaFuncAttribute attribute, int value)
{
    return emulator_set_attribute((const void *)kernel, attribute, value);
}

static inline void __syncthreads() { emulator_syncthreads(); }
static inline void __syncwarp(uint32_t mask = 0xFFFFFFFF) { emulator_syncwarp(mask); }
template <class T> static inline T __shfl_sync(uint32_t mask, T value, int from)
{
    static_assert(sizeof(T) == 4, "a register");
    uint32_t bits;
    memcpy(&bits, &value, 4);
    bits = emulator_shuffle(mask, bits, from & 31);
    memcpy(&value, &bits, 4);
    return value;
}
template <class T> static inline T __shfl_xor_sync(uint32_t mask, T value, int bits)
{
    return __shfl_sync(mask, value, emulator_lane() ^ bits);
}
template <class T> static inline T __shfl_down_sync(uint32_t mask, T value, int by)
{
    int from = emulator_lane() + by;
    return __shfl_sync(mask, value, from < 32 ? from : emulator_lane());
}
template <class T> static inline T __shfl_up_sync(uint32_t mask, T value, int by)
{
    int from = emulator_lane() - by;
    return __shfl_sync(mask, value, from >= 0 ? from : emulator_lane());
}

static inline int __all_sync(uint32_t mask, int holds) { return emulator_all(mask, holds != 0) & 1; }
static inline int __any_sync(uint32_t mask, int holds) { return !emulator_all(mask, holds == 0); }
static inline void __threadfence() {}
template <class T> __attribute__((no_sanitize("thread"))) static inline T atomicAdd(T *at, T more)
{
    emulator_atomic(at, sizeof *at);
    T before = *at;
    *at = before + more;
    return before;
}

static inline float __uint_as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}
static inline uint32_t __float_as_uint(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}
template <class T> static inline T __ldg(const T *at) { return *at; }

#endif

#endif
