// Any bytes as a model.safetensors.index.json: files of one folder and tensors in them, or one sentence that begins
// with the name.
#include "fuzz/mutate.h"
#include "model/shards.h"

MUTATED_BY(mutate_json)

FUZZ(600)
{
    ShardIndex index;
    if (!shards_index_parse(&index, arena, file, "fuzz", error)) return false;
    if (index.count < 1 || index.files_count < 1 || index.files_count > index.count) abort();
    for (int f = 0; f < index.files_count; f++)
        if (!*index.files[f] || strchr(index.files[f], '/') || index.files[f][0] == '.') abort();
    for (int n = 0; n < index.count; n++)
        if (index.entries[n].file < 0 || index.entries[n].file >= index.files_count) abort();
    return true;
}
