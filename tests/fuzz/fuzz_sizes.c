// Any bytes as a config.json: sizes whose cache can be computed, or one sentence that begins with the name.
#include "fuzz/mutate.h"
#include "model/sizes.h"

#include <stdlib.h>
#include <string.h>

MUTATED_BY(mutate_json)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *arena = arena_open();
    Sizes s;
    Error error = { .text = "" };
    if (sizes_parse(&s, arena, (FileBytes){ data, size }, "fuzz", &error)) {
        if (s.L < 1 || s.H < 1 || s.G < 1 || s.d < 1 || s.H % s.G || s.windowed < 0 || s.windowed > s.L) abort();
        if (!*s.name || strlen(s.name) > 40 || !*sizes_kind(&s)) abort();
        int64_t at_4k = sizes_cache_bytes(&s, 4096, 2), at_1m = sizes_cache_bytes(&s, 1 << 20, 2);
        if (at_4k < 0 || at_1m < at_4k || (s.role != SIZES_ENCODER && !at_4k)) abort();
    } else if (strncmp(error.text, "fuzz:", 5) || strlen(error.text) > 600) {
        abort();
    }
    arena_close(arena);
    return 0;
}
