// Any bytes as a model.safetensors.index.json: files of one folder and tensors in them, or one sentence that begins
// with the name.
#include "fuzz/mutate.h"
#include "model/shards.h"

#include <stdlib.h>
#include <string.h>

MUTATED_BY(mutate_json)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_open();
    ShardIndex index;
    Error error = { .text = "" };
    if (shards_index_parse(&index, arena, (FileBytes){ data, size }, "fuzz", &error)) {
        if (index.count < 1 || index.files_count < 1 || index.files_count > index.count) abort();
        for (int f = 0; f < index.files_count; f++)
            if (!*index.files[f] || strchr(index.files[f], '/') || index.files[f][0] == '.') abort();
        for (int n = 0; n < index.count; n++)
            if (index.entries[n].file < 0 || index.entries[n].file >= index.files_count) abort();
    } else if (strncmp(error.text, "fuzz:", 5) || strlen(error.text) > 600) {
        abort();
    }
    arena_close(arena);
    return 0;
}
