// NumPy's .npy files, versions 1, 2 and 3: float16, float32 and float64, both byte orders, both memory orders. Numbers
// are converted to float32 in C order; a float64 beyond float32's range becomes ±INFINITY, as in NumPy. Two more
// readers keep float64 and read integers; the judge (lib/judge) uses them.
//
// A malformed file is rejected with the position, what was found and what is expected.
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
    float *at;    // in C order (row-major)
    size_t count; // number of elements
} NpyArray;

bool npy_parse(NpyArray *out, Arena *arena, FileBytes file, const char *name,
               Error *error); // `name` is printed in error messages
bool npy_read(NpyArray *out, Arena *arena, const char *path, Error *error);
bool npy_read_mat(Mat *out, Arena *arena, const char *path, Error *error); // exactly two axes

// A view of the array in the file: nothing is copied, so a file of gigabytes may be mapped (io/file.h). Element (i, j,
// …) is at at + i · step[0] + j · step[1] + …; dtype_read (base/dtype.h) decodes it. `at` need not be aligned.
typedef struct {
    int axes;
    int64_t shape[NPY_MOST_AXES];
    int64_t step[NPY_MOST_AXES]; // byte stride of each axis
    const unsigned char *at;
    size_t count;
    Dtype stored;
    bool big_endian;
} NpyView;
bool npy_look(NpyView *out, Arena *arena, FileBytes file, const char *name, Error *error);

// Reads any of the floating-point types as float64, which is exact. `stored` is the type in the file.
typedef struct {
    int axes;
    int64_t shape[NPY_MOST_AXES];
    double *at;
    size_t count;
    Dtype stored;
} NpyDoubles;
bool npy_parse_f64(NpyDoubles *out, Arena *arena, FileBytes file, const char *name, Error *error);
bool npy_read_f64(NpyDoubles *out, Arena *arena, const char *path, Error *error);

// Integers: int8 … int64 and uint8 … uint64; a uint64 above INT64_MAX becomes INT64_MAX.
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
