// Any bytes as a config.json: sizes whose cache can be computed, or one sentence that begins with the name.
#include "fuzz/mutate.h"
#include "model/sizes.h"

MUTATED_BY(mutate_json)

FUZZ(600)
{
    Sizes s;
    if (!sizes_parse(&s, arena, file, "fuzz", error)) return false;
    if (s.L < 1 || s.H < 1 || s.G < 1 || s.d < 1 || s.H % s.G || s.windowed < 0 || s.windowed > s.L) abort();
    if (!*s.name || strlen(s.name) > 40 || !*sizes_kind(&s)) abort();
    int64_t at_4k = sizes_cache_bytes(&s, 4096, 2), at_1m = sizes_cache_bytes(&s, 1 << 20, 2);
    if (at_4k < 0 || at_1m < at_4k || (s.role != SIZES_ENCODER && !at_4k)) abort();
    return true;
}
