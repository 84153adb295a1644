// Chapter 25. The tensors of a pretrained model, memory-mapped from one file or several: model.safetensors, or the shards
// listed in model.safetensors.index.json.
#ifndef MODEL_SHARDS_H
#define MODEL_SHARDS_H

#include "io/safetensors.h"

typedef struct {
    const char *name;         // without the family's prefix; gamma and beta are renamed weight and bias
    const char *whole, *file; // name in the file, and the file's path
    NpyView view;
    const char *other; // its dtype if it is not a float of 16 to 64 bits; else NULL
    bool used;         // set by the code that opens a model, to report unused tensors
} ShardTensor;

typedef struct {
    ShardTensor *tensors; // sorted by name
    int count;
    FileMap *maps;
    int maps_count;
    const char *where; // path of the file or the index, for messages
} Shards;

// prefixes (most): the first one that a name starts with is removed; NULL ends the list. false with an error: a file is
// missing, truncated or invalid, the index is invalid or names a tensor that is not where it says, or two tensors have
// the same name without prefix.
bool shards_open(Shards *out, Arena *arena, const char *folder, const char *const *prefixes, int most, Error *error);
void shards_close(Shards *shards);

// The index alone: the file of each tensor. `name` is for messages.
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

ShardTensor *shards_find(const Shards *shards, const char *name); // NULL: not found

#endif
