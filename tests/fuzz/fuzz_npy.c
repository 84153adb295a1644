// Any bytes as .npy: an array whose shape and numbers fit together, or one sentence; the same for the two other
// readers.
#include "fuzz/mutate.h"
#include "io/npy.h"

static volatile float seen; // so that no number is left unread

MUTATED_BY(mutate_npy)

FUZZ(600)
{
    NpyArray array;
    NpyDoubles doubles;
    NpyIntegers integers;
    if (npy_parse(&array, arena, file, "fuzz", error)) {
        if (array.count > file.size / 2 || array.axes < 0 || array.axes > NPY_MOST_AXES || !array.at) abort();
        for (int a = 0; a < array.axes; a++)
            if (array.shape[a] < 0) abort();
        if (!npy_parse_f64(&doubles, arena, file, "fuzz", error) || doubles.count != array.count) abort();
        for (size_t i = 0; i < doubles.count; i++) {
            float rounded = (float)doubles.at[i];
            if (memcmp(&rounded, &array.at[i], sizeof rounded) && rounded == rounded) abort();
        }
        return true;
    }
    if (strncmp(error->text, "fuzz:", 5)) abort();
    if (!npy_parse_i64(&integers, arena, file, "fuzz", error)) return false;
    if (integers.count > file.size || !integers.at) abort();
    int64_t all = 0;
    for (size_t i = 0; i < integers.count; i++) all |= integers.at[i];
    seen = (float)all;
    return true;
}
