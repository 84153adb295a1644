// Chapter 14. Tiled attention: the same numbers without the table.
// Run build/chapters/14_tiled_attention with README.md of this folder open beside it. What each step does:
// steps_1_table.c … steps_8_time.c.
#include "steps.h"

int main(int argc, char **argv)
{
    int size = 4, time_at = 0;
    Flag flags[] = {
        flag_count("tile", &size, 1, 1000, "N", "rows and columns of a tile in step 2 (default 4)"),
        flag_count("time", &time_at, 0, 16384, "N", "time three kernels at this T in step 8 (default 0: do not)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 14, "Tiled attention", flags, 2);

    the_table(&lesson);                                        // 1
    one_tile_at_a_time(&lesson, size);                         // 2
    scratch_of_a_tile(&lesson);                                // 3
    to_and_fro(&lesson);                                       // 4
    tiles_out_of_sight(&lesson);                               // 5
    backward_without_the_table(&lesson);                       // 6
    split_keys(&lesson);                                       // 7
    no_faster_yet(&lesson, time_at);                           // 8
    return lesson_close(&lesson);
}
