// Floating-point numbers as they stand in files, and how many of them a shape holds.
#ifndef BASE_DTYPE_H
#define BASE_DTYPE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64 } Dtype;

size_t dtype_size(Dtype as); // bytes of one number

// One number as float32, which holds every float16 and bfloat16 exactly. A float64 is rounded; beyond the range of
// float32 it becomes ±INFINITY, as in NumPy. NaN stays NaN.
float dtype_read(const unsigned char *at, Dtype as, bool big_endian);

// A row of them, `step` bytes apart, the same values. float32 as this machine has it is copied as it stands.
void dtype_read_row(float *to, const unsigned char *from, ptrdiff_t step, size_t count, Dtype as, bool big_endian);

// The same as float64, which holds every one of them exactly.
double dtype_read_f64(const unsigned char *at, Dtype as, bool big_endian);

// Little endian, which is what all writers write.
void dtype_write_f32(unsigned char *at, const float *from, size_t count);
void dtype_write_f64(unsigned char *at, const double *from, size_t count);

// The product of the axes; false when it does not fit into 63 bits. With an axis of 0 it is 0, whatever the others are.
bool shape_count(int64_t *count, int axes, const int64_t *shape);

// The shape as Python writes it: (), (3,), (3, 4).
char *shape_text(Arena *arena, int axes, const int64_t *shape);

#endif
