// Chapter 25. The tensors of a published model, in one file or several, mapped: model.safetensors, or the shards that
// model.safetensors.index.json names.
#ifndef MODEL_SHARDS_H
#define MODEL_SHARDS_H

#include "io/safetensors.h"

typedef struct {
    const char *name;         // without the family's prefix; gamma and beta are weight and bias
    const char *whole, *file; // as the file has it, and which file
    NpyView view;
    const char *other; // a type that is no floating-point number of 16 to 64 bits; else NULL
    bool used;         // for whoever opens a model: to see what is left
} ShardTensor;

typedef struct {
    ShardTensor *tensors; // sorted by name
    int count;
    FileMap *maps;
    int maps_count;
    const char *where; // the file, or the index, for messages
} Shards;

// prefixes (most): the first of them that a name begins with is taken away; NULL ends them. false, with one sentence: a
// file is missing, cut off or none, the index is none, or names a tensor that is not where it says, or two tensors are
// one without their prefix.
bool shards_open(Shards *out, Arena *arena, const char *folder, const char *const *prefixes, int most, Error *error);
void shards_close(Shards *shards);

// The index alone: which file each tensor is in. `name` is for the message.
typedef struct {
    const char *tensor;
    int file;
} ShardEntry;
typedef struct {
    ShardEntry *entries;
    int count;
    const char **files;
    int files_count;
} ShardIndex;
bool shards_index_parse(ShardIndex *out, Arena *arena, FileBytes file, const char *name, Error *error);

ShardTensor *shards_find(const Shards *shards, const char *name); // NULL: there is none

#endif
