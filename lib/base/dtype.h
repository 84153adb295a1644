// Floating-point types of files, and the number of elements of a shape.
#ifndef BASE_DTYPE_H
#define BASE_DTYPE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64 } Dtype;

size_t dtype_size(Dtype dtype); // bytes of one number

// One number as float32, which holds every float16 and bfloat16 exactly. A float64 is rounded; beyond the range of
// float32 it becomes ±INFINITY, as in NumPy. NaN stays NaN.
float dtype_read(const unsigned char *at, Dtype dtype, bool big_endian);

// A strided row: `count` numbers, `step` bytes apart. Contiguous float32 in this machine's byte order is copied with
// memcpy.
void dtype_read_row(float *to, const unsigned char *from, ptrdiff_t step, size_t count, Dtype dtype, bool big_endian);

// One number as float64, which represents all four types exactly.
double dtype_read_f64(const unsigned char *at, Dtype dtype, bool big_endian);

// Writes little endian.
void dtype_write_f32(unsigned char *at, const float *from, size_t count);
void dtype_write_f64(unsigned char *at, const double *from, size_t count);

// Number of elements: the product of the axes. false: it does not fit into 63 bits. It is 0 if any axis is 0, even if
// the product of the others would not fit.
bool shape_count(int64_t *count, int axes, const int64_t *shape);

// The shape as Python writes it: (), (3,), (3, 4).
char *shape_text(Arena *arena, int axes, const int64_t *shape);

#endif
