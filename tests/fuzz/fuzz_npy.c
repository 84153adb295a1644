// Any bytes as .npy: an array whose shape and numbers fit together, or one sentence; the same for the two other
// readers.
#include "fuzz/mutate.h"
#include "io/npy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static volatile float seen; // so that no number is left unread

MUTATED_BY(mutate_npy)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_open();
    NpyArray array;
    NpyDoubles doubles;
    NpyIntegers integers;
    Error error = { .text = "" };
    if (npy_parse(&array, arena, (FileBytes){ data, size }, "fuzz", &error)) {
        if (array.count > size / 2 || array.axes < 0 || array.axes > NPY_MOST_AXES || !array.at) abort();
        float sum = 0;
        for (size_t i = 0; i < array.count; i++) sum += array.at[i];
        seen = sum;
        for (int a = 0; a < array.axes; a++)
            if (array.shape[a] < 0) abort();
        bool both = npy_parse_f64(&doubles, arena, (FileBytes){ data, size }, "fuzz", &error);
        if (!both || doubles.count != array.count) abort();
        for (size_t i = 0; i < doubles.count; i++) {
            float rounded = (float)doubles.at[i];
            if (memcmp(&rounded, &array.at[i], sizeof rounded) && rounded == rounded) abort();
        }
    } else if (strncmp(error.text, "fuzz:", 5) || strlen(error.text) > 600) {
        abort();
    }
    if (npy_parse_i64(&integers, arena, (FileBytes){ data, size }, "fuzz", &error)) {
        if (integers.count > size || !integers.at) abort();
        int64_t all = 0;
        for (size_t i = 0; i < integers.count; i++) all |= integers.at[i];
        seen = (float)all;
    } else if (strncmp(error.text, "fuzz:", 5) || strlen(error.text) > 600) {
        abort();
    }
    arena_close(arena);
    return 0;
}
