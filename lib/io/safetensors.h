// safetensors files: named float tensors and a dictionary of strings, in one file. Format: 8 bytes length (little
// endian), that many bytes of JSON, then the numbers. Reads F64, F32, F16 and BF16 (all become float32); writes F32.
// A header above 16 MiB is refused. Tensors are read in the order of the header and written in the order given.
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

// The tensors where they stand in the file, C order, little endian: nothing is copied, so a large file may be mapped.
// other: a type that is none of these, as the file calls it ("I64"), where such tensors are looked at, too; else NULL.
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
// The same for files in which tensors of other types stand beside: whole numbers, float8. Their place is checked, their
// `stored` and steps mean nothing.
bool safetensors_look_all(TensorViews *out, Arena *arena, FileBytes file, const char *name, Error *error);

bool safetensors_parse(Tensors *out, Arena *arena, FileBytes file, const char *name, Error *error);
bool safetensors_read(Tensors *out, Arena *arena, const char *path, Error *error);
// Deterministic: the same tensors and notes give the same bytes. Names that stand twice give an error.
bool safetensors_write(const char *path, const Tensors *tensors, Error *error);

const NpyArray *tensors_find(const Tensors *tensors, const char *name);             // NULL when there is none
const char *tensors_note(const Tensors *tensors, const char *key);                  // NULL when there is none
const char *tensors_find_note(const TensorNote *notes, int count, const char *key); // the same, of notes alone

#endif
