// Any bytes as safetensors: tensors that can be read through and found again, or one sentence.
#include "fuzz/mutate.h"
#include "io/safetensors.h"

static volatile float seen; // so that no number is left unread

MUTATED_BY(mutate_safetensors)

FUZZ(1000)
{
    Tensors tensors;
    if (!safetensors_parse(&tensors, arena, file, "fuzz", error)) return false;
    float sum = 0;
    size_t count = 0;
    for (int t = 0; t < tensors.count; t++) {
        const NpyArray *array = &tensors.tensors[t].array;
        if (tensors_find(&tensors, tensors.tensors[t].name) != array) abort();
        for (size_t i = 0; i < array->count; i++) sum += array->at[i];
        count += array->count;
    }
    seen = sum;
    if (count > file.size / 2) abort();
    for (int i = 0; i < tensors.notes_count; i++)
        if (tensors_note(&tensors, tensors.notes[i].key) != tensors.notes[i].value) abort();
    return true;
}
