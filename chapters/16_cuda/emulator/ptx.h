// The twin of ../ptx.h: the same functions, carried out by the emulator. What each does is said there.
#ifndef EMULATOR_PTX_H
#define EMULATOR_PTX_H

#include "runtime.h"

#define INLINE static inline

typedef CUtensorMap TensorMap;

// engine.cpp
void emulator_named(int barrier, int threads, bool waits);

// copies.cpp
uint32_t emulator_shared_address(const void *at);
void emulator_copy_async(uint32_t to, const void *from, bool real);
void emulator_copies_commit();
void emulator_copies_wait(int newest);
void emulator_barrier_init(uint32_t barrier, int arrivals);
void emulator_barriers_made();
void emulator_barrier_arrive(uint32_t barrier, int bytes);
void emulator_barrier_wait(uint32_t barrier, int parity);
void emulator_copy_box(uint32_t to, const TensorMap *map, uint32_t barrier, const int (&at)[4]);
void emulator_copy_box_out(uint32_t from, const TensorMap *map, const int (&at)[4]);
void emulator_boxes_commit();
void emulator_boxes_wait();
void emulator_stores_before_engine();

// products.cpp
void emulator_load_matrices(uint32_t *to, uint32_t at, bool transposed);
void emulator_multiply(HalfKind kind, float *c, const uint32_t *a, uint32_t b0, uint32_t b1);
void emulator_products_begin();
void emulator_products_commit();
void emulator_products_wait(int newest);
void emulator_multiply_group(HalfKind kind, int columns, float *c, const uint32_t *fragment, uint64_t a, uint64_t b,
                             bool add);
void emulator_registers(int all, bool take);

INLINE float float_of_half(uint16_t bits) { return half_float16(bits); }
INLINE uint16_t half_of_float(float value) { return half_of(HALF_FLOAT16, value); }

INLINE float exp2_fast(float x)
{
    float power = exp2f(x);
    return power < 0x1p-126f ? 0.0f : power; // .ftz; NaN stays
}

template <HalfKind kind> INLINE uint32_t packed(float low, float high)
{
    return (uint32_t)half_of(kind, high) << 16 | half_of(kind, low);
}

INLINE uint32_t shared_address(const void *at) { return emulator_shared_address(at); }
INLINE void copy_async(uint32_t to, const void *from, bool real) { emulator_copy_async(to, from, real); }
INLINE void copies_commit() { emulator_copies_commit(); }
template <int newest> INLINE void copies_wait() { emulator_copies_wait(newest); }
INLINE void load_matrices(uint32_t (&to)[4], uint32_t at) { emulator_load_matrices(to, at, false); }
INLINE void load_transposed(uint32_t (&to)[4], uint32_t at) { emulator_load_matrices(to, at, true); }

template <HalfKind kind> INLINE void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    emulator_multiply(kind, c, a, b0, b1);
}

INLINE void barrier_init(uint32_t barrier, int arrivals) { emulator_barrier_init(barrier, arrivals); }
INLINE void barriers_made() { emulator_barriers_made(); }
INLINE void barrier_arrive(uint32_t barrier) { emulator_barrier_arrive(barrier, 0); }
INLINE void barrier_expect(uint32_t barrier, int bytes) { emulator_barrier_arrive(barrier, bytes); }
INLINE void barrier_wait(uint32_t barrier, int parity) { emulator_barrier_wait(barrier, parity); }

INLINE void copy_box(uint32_t to, const TensorMap *map, uint32_t barrier, int channel, int row, int head, int batch)
{
    const int at[4] = { channel, row, head, batch };
    emulator_copy_box(to, map, barrier, at);
}

INLINE void copy_box_out(const TensorMap *map, uint32_t from, int channel, int row, int head, int batch)
{
    const int at[4] = { channel, row, head, batch };
    emulator_copy_box_out(from, map, at);
}

INLINE void boxes_commit() { emulator_boxes_commit(); }
INLINE void boxes_wait() { emulator_boxes_wait(); }
INLINE void stores_before_engine() { emulator_stores_before_engine(); }
INLINE void map_prefetch(const TensorMap *) {}

INLINE void named_sync(int number, int threads) { emulator_named(number, threads, true); }
INLINE void named_arrive(int number, int threads) { emulator_named(number, threads, false); }

template <int all> INLINE void registers_take() { emulator_registers(all, true); }
template <int all> INLINE void registers_give() { emulator_registers(all, false); }
INLINE void products_begin() { emulator_products_begin(); }
INLINE void products_commit() { emulator_products_commit(); }
template <int newest> INLINE void products_wait() { emulator_products_wait(newest); }
template <int fragments> INLINE void settled(float (&)[fragments][4]) {}
template <typename Word> INLINE Word computed_again(Word x) { return x; }

template <HalfKind kind, int fragments>
INLINE void multiply_group(float (&c)[fragments][4], uint64_t a, uint64_t b, bool add)
{
    static_assert(fragments == 8 || fragments == 16, "64 or 128 columns");
    emulator_multiply_group(kind, 8 * fragments, c[0], nullptr, a, b, add);
}

template <HalfKind kind, int fragments>
INLINE void multiply_group(float (&c)[fragments][4], const uint32_t (&a)[4], uint64_t b)
{
    static_assert(fragments == 8 || fragments == 16, "64 or 128 columns");
    emulator_multiply_group(kind, 8 * fragments, c[0], a, 0, b, true);
}

#endif
