// Chapter 15. Fast on the CPU: the same numbers, at the speed of the machine.
// Run build/chapters/15_fast_on_the_cpu with README.md of this folder open beside it. What each step does:
// steps_1_ladder.c … steps_10_here_and_now.c.
#include "steps.h"

int main(int argc, char **argv)
{
    int seconds = 0;
    Flag flags[] = {
        flag_count("time", &seconds, 0, 600, "N",
                   "time the ladder here and now, for about N seconds (default 0: do not)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 15, "Fast on the CPU", flags, 1);

    what_the_machine_could_do(&lesson);                        // 1
    one_rung_at_a_time(&lesson);                               // 2
    lanes_are_queries(&lesson);                                // 3
    two_to_the_x(&lesson);                                     // 4
    seldom_raised(&lesson);                                    // 5
    what_the_mask_cuts(&lesson);                               // 6
    in_out_and_threads(&lesson);                               // 7
    one_query(&lesson);                                        // 8
    how_cost_grows(&lesson);                                   // 9
    if (seconds) here_and_now(&lesson, seconds);
    return lesson_close(&lesson);
}
