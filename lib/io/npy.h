// NumPy's .npy files, versions 1, 2 and 3: float16, float32 and float64, both byte orders, both memory orders.
// Everything becomes float32 in C order; a float64 beyond float32's range becomes ±INFINITY, as in NumPy. For the judge
// under lib/judge there are two more readers: one keeps float64, one reads whole numbers.
// Anything malformed is refused with the place, what was found and what would be right.
#ifndef IO_NPY_H
#define IO_NPY_H

#include "base/mat.h"
#include "io/file.h"
#include "base/dtype.h"

#include <stdint.h>

enum { NPY_MOST_AXES = 8 };

typedef struct {
    int axes; // 0 … NPY_MOST_AXES; 0 is a single number
    int64_t shape[NPY_MOST_AXES];
    float *at;    // C order: the last axis moves fastest
    size_t count; // elements: the product of the shape
} NpyArray;

bool npy_parse(NpyArray *out, Arena *arena, FileBytes file, const char *name,
               Error *error); // `name` is for the message
bool npy_read(NpyArray *out, Arena *arena, const char *path, Error *error);
bool npy_read_mat(Mat *out, Arena *arena, const char *path, Error *error); // exactly two axes

// The same array where it stands in the file: nothing is copied, so a file of gigabytes may be mapped (io/file.h).
// Element (i, j, …) begins at at + i · step[0] + j · step[1] + …, and dtype_read of base/dtype.h gives its value. `at`
// need not be aligned.
typedef struct {
    int axes;
    int64_t shape[NPY_MOST_AXES];
    int64_t step[NPY_MOST_AXES]; // bytes from one element to the next along each axis, whatever the memory order
    const unsigned char *at;
    size_t count;
    Dtype stored;
    bool big_endian;
} NpyView;
bool npy_look(NpyView *out, Arena *arena, FileBytes file, const char *name, Error *error);

// Any of the floating-point types as float64, which holds each of them exactly. `stored` says which it was.
typedef struct {
    int axes;
    int64_t shape[NPY_MOST_AXES];
    double *at;
    size_t count;
    Dtype stored;
} NpyDoubles;
bool npy_parse_f64(NpyDoubles *out, Arena *arena, FileBytes file, const char *name, Error *error);
bool npy_read_f64(NpyDoubles *out, Arena *arena, const char *path, Error *error);

// Whole numbers: int8 … int64 and uint8 … uint64, where a uint64 beyond INT64_MAX becomes INT64_MAX.
typedef struct {
    int axes;
    int64_t shape[NPY_MOST_AXES];
    int64_t *at;
    size_t count;
} NpyIntegers;
bool npy_parse_i64(NpyIntegers *out, Arena *arena, FileBytes file, const char *name, Error *error);
bool npy_read_i64(NpyIntegers *out, Arena *arena, const char *path, Error *error);

bool npy_write(const char *path, const float *at, int axes, const int64_t *shape, Error *error); // float32, version 1
bool npy_write_f64(const char *path, const double *at, int axes, const int64_t *shape, Error *error);
bool npy_write_mat(const char *path, Mat m, Error *error);

#endif
