// Any bytes as safetensors: tensors that can be read through and found again, or one sentence.
#include "fuzz/mutate.h"
#include "io/safetensors.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static volatile float seen; // so that no number is left unread

MUTATED_BY(mutate_safetensors)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_open();
    Tensors tensors;
    Error error = { .text = "" };
    if (safetensors_parse(&tensors, arena, (FileBytes){ data, size }, "fuzz", &error)) {
        float sum = 0;
        size_t count = 0;
        for (int t = 0; t < tensors.count; t++) {
            const NpyArray *array = &tensors.tensors[t].array;
            if (tensors_find(&tensors, tensors.tensors[t].name) != array) abort();
            for (size_t i = 0; i < array->count; i++) sum += array->at[i];
            count += array->count;
        }
        seen = sum;
        if (count > size / 2) abort();
        for (int i = 0; i < tensors.notes_count; i++)
            if (tensors_note(&tensors, tensors.notes[i].key) != tensors.notes[i].value) abort();
    } else if (strncmp(error.text, "fuzz:", 5) || strlen(error.text) > 1000) {
        abort();
    }
    arena_close(arena);
    return 0;
}
