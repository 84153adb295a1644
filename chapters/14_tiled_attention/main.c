// Chapter 14. Tiled attention: the same numbers without the table.
// Run build/chapters/14_tiled_attention with README.md of this folder open beside it. What each step does:
// steps_1_table.c … steps_8_time.c.
#include "steps.h"

#include <stdlib.h>

// "4" or "4x8". Anything else is answered in terms of the flag.
static TileSizes tiles_read(Lesson *lesson, const char *text)
{
    enum { MOST = 1000 };
    char *end;
    long queries = strtol(text, &end, 10), keys = queries;
    bool fine = end != text;
    if (fine && *end == 'x') {
        const char *second = end + 1;
        keys = strtol(second, &end, 10);
        fine = end != second;
    }
    if (!fine || *end || queries < 1 || queries > MOST || keys < 1 || keys > MOST)
        lesson_misused(lesson->state, "--tile is %s; it must be 4 or 4x8: queries and keys of a tile, from 1 to %d",
                       text, MOST);
    return (TileSizes){ (int)queries, (int)keys };
}

int main(int argc, char **argv)
{
    static const char *const mask_names[] = { "none", "causal", "window", NULL };
    static const Mask masks[] = { { 0 }, { .causal = true }, { .causal = true, .window = 4 } };
    const char *tile = "4";
    int mask = 0, kib = 0, time_at = 0;
    Flag flags[] = {
        flag_text("tile", &tile, "N or NxM", "queries and keys of a tile in step 2 (default 4)"),
        flag_choice("mask", &mask, mask_names, "NAME", "mask in step 2; a window is causal, of 4 keys (default none):"),
        flag_count("fast-memory", &kib, 0, 1 << 20, "KIB", "one more fast memory in step 4, in KiB (default 0: none)"),
        flag_count("time", &time_at, 0, 16384, "N", "step 8: time three kernels at T = N/8, N/4, N/2, N (default 0)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 14, "Tiled attention", flags, 4);
    lesson_steps(&lesson, 8);
    TileSizes tiles = tiles_read(&lesson, tile);
    if (kib && tile_sizes_fit(1024LL * kib, WIDTH, WIDTH).queries < 1)
        lesson_misused(lesson.state, "--fast-memory is %d: not even one query with 16 keys of %d numbers fits", kib,
                       WIDTH);

    the_table(&lesson);                              // 1
    one_tile_at_a_time(&lesson, tiles, masks[mask]); // 2
    scratch_of_a_tile(&lesson);                      // 3
    to_and_fro(&lesson, kib);                        // 4
    tiles_out_of_sight(&lesson);                     // 5
    backward_without_the_table(&lesson);             // 6
    split_keys(&lesson);                             // 7
    tiles_alone(&lesson, time_at);                   // 8
    return lesson_close(&lesson);
}
