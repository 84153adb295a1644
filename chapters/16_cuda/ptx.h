// Chapter 16. Every instruction that C++ has no words for, under a name: PTX, and nothing else. The emulator has a twin
// of each function (emulator/ptx.h), so what uses them runs on a CPU, too. [NVIDIA, PTX ISA, §9.7]
#ifndef PTX_H
#define PTX_H

#include "kernels.h"

#ifdef EMULATED
    #include "emulator/ptx.h"
#else

    #include <cuda.h>

    #define INLINE __device__ __forceinline__

typedef CUtensorMap TensorMap;

// ---- numbers

INLINE float float_of_half(uint16_t bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

INLINE uint16_t half_of_float(float value)
{
    uint16_t half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}

// 2ˣ, off by about two units in the last place.
INLINE float exp2_fast(float x)
{
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

// x, 32 bits of which the compiler knows nothing: what is made of it is computed where it stands, not kept.
template <typename Word> INLINE Word computed_again(Word x)
{
    asm volatile("" : "+r"(x));
    return x;
}

    #if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800

// Two numbers as one register, `low` in the lower half.
template <HalfKind kind> INLINE uint32_t packed(float low, float high)
{
    uint32_t word;
    if (kind == HALF_BFLOAT16) asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    else asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
    return word;
}

// ---- Ampere: copies that nobody waits for until he says so, and products by a warp

INLINE uint32_t shared_address(const void *at) { return (uint32_t)__cvta_generic_to_shared(at); }

// 16 bytes from global to shared memory; zeros where there is nothing to copy. `from` must be valid all the same.
INLINE void copy_async(uint32_t to, const void *from, bool real)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(to), "l"(from), "r"(real ? 16 : 0) : "memory");
}

INLINE void copies_commit() { asm volatile("cp.async.commit_group;" : : : "memory"); }

// Waits until at most `newest` of the committed groups are still on their way.
template <int newest> INLINE void copies_wait() { asm volatile("cp.async.wait_group %0;" : : "n"(newest) : "memory"); }

INLINE void load_matrices(uint32_t (&to)[4], uint32_t at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at));
}

INLINE void load_transposed(uint32_t (&to)[4], uint32_t at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at));
}

        #define MMA(type) \
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 " \
                         "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                         : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))

// c += a b
template <HalfKind kind> INLINE void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    if (kind == HALF_BFLOAT16) MMA("bf16");
    else MMA("f16");
}

        #undef MMA
    #endif

    #if defined __CUDA_ARCH_FEAT_SM90_ALL || !defined __CUDA_ARCH__

// ---- Hopper: barriers in shared memory that copies arrive at

// Complete when `arrivals` threads have arrived and all announced bytes have come; then its next phase begins.
INLINE void barrier_init(uint32_t barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(barrier), "r"(arrivals) : "memory");
}

// Whoever copies asynchronously sees the barriers, too.
INLINE void barriers_made() { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }

INLINE void barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(barrier) : "memory");
}

// Arrives, and announces bytes.
INLINE void barrier_expect(uint32_t barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(barrier), "r"(bytes) : "memory");
}

// Until the phase of this parity, 0 or 1, is complete. Who waits sleeps, ten milliseconds at most, and tries again.
INLINE void barrier_wait(uint32_t barrier, int parity)
{
    const int nanoseconds = 10000000;
    uint32_t complete;
    do
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p; }"
                     : "=r"(complete)
                     : "r"(barrier), "r"(parity), "r"(nanoseconds)
                     : "memory");
    while (!complete);
}

// ---- Hopper: the copy engine

// A box of a tensor (batch, head, row, channel) into shared memory, laid out as the map says; what lies beyond the
// tensor becomes 0. Its bytes arrive at the barrier. By one thread.
INLINE void copy_box(uint32_t to, const TensorMap *map, uint32_t barrier, int channel, int row, int head, int batch)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6}], [%2];"
                 :
                 : "r"(to), "l"(map), "r"(barrier), "r"(channel), "r"(row), "r"(head), "r"(batch)
                 : "memory");
}

// The other way; what lies beyond the tensor is left out. Boxes are waited for by the thread that has committed them:
// until they have been read, not until they have arrived.
INLINE void copy_box_out(const TensorMap *map, uint32_t from, int channel, int row, int head, int batch)
{
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5}], [%1];"
                 :
                 : "l"(map), "r"(from), "r"(channel), "r"(row), "r"(head), "r"(batch)
                 : "memory");
}

INLINE void boxes_commit() { asm volatile("cp.async.bulk.commit_group;" : : : "memory"); }
INLINE void boxes_wait() { asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory"); }

// What this thread has stored in shared memory, the engine sees.
INLINE void stores_before_engine() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }

// ---- Hopper: barriers by number, for some warps of a block

// Until `threads` threads have come to barrier number `barrier`, 1 … 15; those count that only arrive, and go on.
INLINE void named_sync(int barrier, int threads)
{
    asm volatile("bar.sync %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}

INLINE void named_arrive(int barrier, int threads)
{
    asm volatile("bar.arrive %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}

// ---- Hopper: products by a warp group, four warps, that nobody waits for until he says so

// Registers change hands between warp groups.
template <int all> INLINE void registers_take() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(all)); }
template <int all> INLINE void registers_give() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(all)); }

// Before the first product: registers are as they were left.
INLINE void products_begin() { asm volatile("wgmma.fence.sync.aligned;" : : : "memory"); }
INLINE void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory"); }

// Waits until at most `newest` of the committed groups are still being worked on.
template <int newest> INLINE void products_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(newest) : "memory");
}

// After a wait: the compiler must not have used these registers for anything else before it, nor know what they hold.
template <int fragments> INLINE void settled(float (&c)[fragments][4])
{
        #pragma unroll
    for (int e = 0; e < fragments * 4; e++) asm volatile("" : "+f"(c[e / 4][e % 4]) : : "memory");
}

        #define C1(n) "+f"(c[n][0]), "+f"(c[n][1]), "+f"(c[n][2]), "+f"(c[n][3])
        #define C4(n) C1(n), C1(n + 1), C1(n + 2), C1(n + 3)
        #define C8(n) C4(n), C4(n + 4)

        #define D64 \
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, " \
            "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31 "
        #define WGMMA64(type) \
            asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0; " \
                         "wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type " {" D64 "}, " \
                         "%32, %33, p, 1, 1, 0, 0; }" \
                         : C8(0) \
                         : "l"(a), "l"(b), "r"((int)add))
        #define WGMMA64R(type) \
            asm volatile("{ .reg .pred p; setp.ne.b32 p, %37, 0; " \
                         "wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type " {" D64 "}, " \
                         "{%32, %33, %34, %35}, %36, p, 1, 1, 1; }" \
                         : C8(0) \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1))

        #define D128 \
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, " \
            "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, " \
            "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, " \
            "%59, %60, %61, %62, %63 "
        #define WGMMA128(type) \
            asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0; " \
                         "wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " {" D128 "}, " \
                         "%64, %65, p, 1, 1, 0, 0; }" \
                         : C8(0), C8(8) \
                         : "l"(a), "l"(b), "r"((int)add))
        #define WGMMA128R(type) \
            asm volatile("{ .reg .pred p; setp.ne.b32 p, %69, 0; " \
                         "wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " {" D128 "}, " \
                         "{%64, %65, %66, %67}, %68, p, 1, 1, 1; }" \
                         : C8(0), C8(8) \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1))

// c (64, 8 · fragments) = a bᵀ, or c += a bᵀ: a (64, 16) and b (8 · fragments, 16) lie in shared memory, as their
// descriptors say.
template <HalfKind kind, int fragments>
INLINE void multiply_group(float (&c)[fragments][4], uint64_t a, uint64_t b, bool add)
{
    static_assert(fragments == 8 || fragments == 16, "64 or 128 columns");
    if constexpr (fragments == 8) {
        if (kind == HALF_BFLOAT16) WGMMA64("bf16");
        else WGMMA64("f16");
    } else {
        if (kind == HALF_BFLOAT16) WGMMA128("bf16");
        else WGMMA128("f16");
    }
}

// c += a b: a (64, 16) in registers, each warp's rows as a fragment A; b (16, 8 · fragments) in shared memory.
template <HalfKind kind, int fragments>
INLINE void multiply_group(float (&c)[fragments][4], const uint32_t (&a)[4], uint64_t b)
{
    static_assert(fragments == 8 || fragments == 16, "64 or 128 columns");
    if constexpr (fragments == 8) {
        if (kind == HALF_BFLOAT16) WGMMA64R("bf16");
        else WGMMA64R("f16");
    } else {
        if (kind == HALF_BFLOAT16) WGMMA128R("bf16");
        else WGMMA128R("f16");
    }
}

    #endif

#endif

#endif
