// safetensors files: named tensors and a dictionary of strings in one file. Format: the length of the header (8 bytes,
// little endian), the header (JSON), the numbers. Reads F64, F32, F16 and BF16, converted to float32; writes F32. A
// header above 16 MiB is rejected. Tensors are read in the order of the header and written in the order given.
#ifndef IO_SAFETENSORS_H
#define IO_SAFETENSORS_H

#include "io/npy.h"

typedef struct {
    const char *name;
    NpyArray array;
} Tensor;
typedef struct {
    const char *key, *value;
} TensorNote; // one entry of __metadata__

typedef struct {
    Tensor *tensors;
    int count;
    TensorNote *notes;
    int notes_count;
} Tensors;

// Views of the tensors in the file, C order, little endian: nothing is copied, so a large file may be mapped.
// other: the name of a type that is not decoded, such as "I64" (safetensors_look_all only); else NULL.
typedef struct {
    const char *name;
    NpyView view;
    const char *other;
} TensorView;

typedef struct {
    TensorView *tensors;
    int count;
    TensorNote *notes;
    int notes_count;
} TensorViews;

bool safetensors_look(TensorViews *out, Arena *arena, FileBytes file, const char *name, Error *error);
// Also accepts tensors of types that are not decoded: integers, float8. Their offsets are checked; `stored` and `step`
// of their views are meaningless.
bool safetensors_look_all(TensorViews *out, Arena *arena, FileBytes file, const char *name, Error *error);

bool safetensors_parse(Tensors *out, Arena *arena, FileBytes file, const char *name, Error *error);
bool safetensors_read(Tensors *out, Arena *arena, const char *path, Error *error);
// Deterministic: the same tensors and notes give the same bytes. Duplicate names are an error.
bool safetensors_write(const char *path, const Tensors *tensors, Error *error);

const NpyArray *tensors_find(const Tensors *tensors, const char *name);             // NULL if not found
const char *tensors_note(const Tensors *tensors, const char *key);                  // NULL if not found
const char *tensors_find_note(const TensorNote *notes, int count, const char *key); // the same, in an array of notes

#endif
