// Chapter 15. Fast on the CPU: the same numbers, at the speed of the machine.
// Run build/chapters/15_fast_on_the_cpu with README.md of this folder open beside it. What each step does:
// steps_1_ladder.c … steps_14_here_and_now.c. Steps 11 to 13 are those of PROCESSORS.md.
#include "kernels/kernels.h"
#include "lesson/block_map.h"
#include "steps.h"

// The names of all rungs, and a NULL behind them.
static const char *const *rung_names(Arena *arena)
{
    const char **names = arena_alloc(arena, ((size_t)attention_kernels_count + 1) * sizeof *names);
    for (int r = 0; attention_rung(r); r++) names[r] = attention_rung(r)->name;
    return names;
}

int main(int argc, char **argv)
{
    Arena *arena = arena_open();
    Wanted wanted = { .T = 1024, .d = 64 };
    bool given[4] = { false };
    Flag flags[] = {
        flag_count("time", &wanted.seconds, 0, 600, "N",
                   "time the ladder here and now, for about N seconds (default 0: do not)"),
        flag_given(flag_count("tokens", &wanted.T, 1, 8192, "T",
                              "with --time: so many queries and keys (default 1024)"),
                   &given[0]),
        flag_given(flag_count("d", &wanted.d, 1, 512, "D", "with --time: the width of a head (default 64)"), &given[1]),
        flag_given(flag_choice("rung", &wanted.rung, rung_names(arena), "NAME", "with --time, one rung alone:"),
                   &given[2]),
        flag_given(flag_switch("causal", &wanted.causal, "with --time: through a causal mask"), &given[3]),
    };
    enum { FLAGS = sizeof flags / sizeof *flags };
    Lesson lesson = lesson_open_with(argc, argv, 15, "Fast on the CPU", flags, FLAGS);
    for (int f = 1; f < FLAGS; f++)
        if (given[f - 1] && !wanted.seconds)
            lesson_misused(lesson.state, "--%s says what to time: it needs --time N beside it", flags[f].name);
    if (!given[2]) wanted.rung = -1;
    lesson_steps(&lesson, wanted.seconds ? 14 : 13);

    block_map_figure(&lesson, "here.png", BLOCK_MAP_KERNEL);
    what_the_machine_could_do(&lesson); // 1
    one_rung_at_a_time(&lesson);        // 2
    neighbours(&lesson);                // 3
    lanes_are_queries(&lesson);         // 4
    two_to_the_x(&lesson);              // 5
    sums_are_registers(&lesson);        // 6
    seldom_raised(&lesson);             // 7
    what_the_mask_cuts(&lesson);        // 8
    threads_and_wide_rows(&lesson);     // 9
    how_cost_grows(&lesson);            // 10
    other_processors(&lesson);          // 11
    other_numbers(&lesson);             // 12
    sixteen_bits(&lesson);              // 13
    if (wanted.seconds) here_and_now(&lesson, wanted);
    arena_close(arena);
    return lesson_close(&lesson);
}
