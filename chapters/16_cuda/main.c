// Chapter 16. CUDA: the same numbers on a card, or, without one, in an emulator that runs the same source.
// Run build/chapters/16_cuda with README.md of this folder open beside it.
#include "base/os.h"
#include "lesson/block_map.h"
#include "steps.h"

#include <stdio.h>
#include <string.h>

enum { NO_GPU = 77 }; // the exit status when there is nothing to run the kernels on

static const char *const widths[] = { "64", "128", NULL };

// ---- --check and --bench: on a card, in a program beside this one that make cuda builds

static int on_the_card(Lesson *lesson, const char *program, const char *what)
{
    const char *slash = strrchr(program, '/');
    int folder = slash ? (int)(slash - program) : 1;
    const char *path = arena_format(lesson->arena, "%.*s/16_cuda_gpu", folder, slash ? program : ".");
    os_become(path, what);
    fprintf(stderr, "%s: left out, there are no kernels at %s; make cuda builds them when nvcc is there\n", what, path);
    return NO_GPU;
}

int main(int argc, char **argv)
{
    bool checked = false, timed = false;
    Asked asked = { .swizzle = GPU_SWIZZLE };
    Flag flags[] = {
        flag_given(flag_choice("d", &asked.width, widths, NULL, "the width of a head, in steps 6 to 8, 10, 11 and 13"),
                   &asked.has_width),
        flag_count("swizzle", &asked.swizzle, 0, 7, "BITS",
                   "step 9, last table and figure: which bits of a row are mixed into its chunks (default 7: the "
                   "last three; 0: none)"),
        flag_switch("check", &checked, "hold the kernels against float64, on a card (77: there is none)"),
        flag_switch("bench", &timed, "time them on a card, into build/bench/gpu.tsv (77: there is none)"),
    };
    enum { FLAGS = sizeof flags / sizeof *flags };
    Lesson lesson = lesson_open_with(argc, argv, 16, "CUDA", flags, FLAGS);
    lesson_steps(&lesson, 15);
    if (checked || timed) {
        int status = on_the_card(&lesson, argv[0], timed ? "--bench" : "--check");
        arena_close(lesson.arena);
        return status;
    }

#ifdef __EMSCRIPTEN__
    const char *why = "This browser cannot leave a function half way and come back to it, as their threads do.";
#else
    const char *why = "They are C++, and make has found no compiler for it.";
#endif
    if (!can_run()) say(&lesson, "Left out: kernels that run. %s", why);
    block_map_figure(&lesson, "here.png", BLOCK_MAP_KERNEL);
    a_kernel_and_its_launch(&lesson);              // 1
    where_numbers_live(&lesson);                   // 2
    asked_together(&lesson);                       // 3
    tiles_and_banks(&lesson);                      // 4
    a_barrier_left_out(&lesson);                   // 5
    const Random random = lesson.random;           // --d says how many numbers are drawn from here on
    how_many_warps(&lesson, width_or(asked, 64));  // 6
    no_table(&lesson, width_or(asked, 64));        // 7
    one_instruction(&lesson, width_or(asked, 64)); // 8
    eight_rows(&lesson, asked);                    // 9
    which_tiles(&lesson, width_or(asked, 64));     // 10
    hoppers_own(&lesson, width_or(asked, 128));    // 11
    what_holds_it_up(&lesson);                     // 12
    one_query(&lesson, asked);                     // 13
    lesson.random = random;
    how_far(&lesson);   // 14
    on_a_card(&lesson); // 15
    return lesson_close(&lesson);
}
