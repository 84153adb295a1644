// Chapter 23. Ring attention: heads, or a sequence, shared out among many machines.
// Run build/chapters/23_ring_attention with README.md of this folder open beside it; or, on processes,
// mpirun --oversubscribe -n 4 build/chapters/23_ring_attention (more processes than processors). What each step does:
// steps_1_why.c … steps_11_wrong.c.
#include "lesson/lesson_ranks.h"
#include "steps.h"

static void checked(const Lesson *lesson, const Asked *asked, bool placed)
{
    int count = asked->ranks->count;
    if (asked->heads % asked->keys)
        lesson_misused(lesson->state, "--key-heads %d: it must divide the %d heads", asked->keys, asked->heads);
    if (asked->fault == NO_FAULT && placed)
        lesson_misused(lesson->state, "--of %d --at %d: they say where a --fault is, and there is none", asked->of,
                       asked->at);
    if (asked->fault != NO_FAULT && (asked->of >= count || asked->at >= count))
        lesson_misused(lesson->state, "--of %d --at %d: there are ranks and steps 0 to %d", asked->of, asked->at,
                       count - 1);
}

int main(int argc, char **argv)
{
    Ranks ranks = ranks_open(works, works_count);
    Asked asked = { .ranks = &ranks,
                    .tokens = 97,
                    .layout = SHARE_CONTIGUOUS,
                    .mask = MASK_CAUSAL,
                    .heads = 4,
                    .keys = 2,
                    .of = 1,
                    .at = 1 };
    int count = 0;
    bool of = false, at = false;
    Flag flags[] = {
        flag_count("ranks", &count, 1, 16, "R", "ranks, as threads (default 4); under mpirun what it has started"),
        flag_real("deadline", &ranks.deadline, 0.1, 60, "SECONDS", "how long a rank waits for another (default 5)"),
        flag_count("tokens", &asked.tokens, 1, 512, "T", "of the ring in steps 5 and 7 (default 97)"),
        flag_count("heads", &asked.heads, 1, 16, "H", "of that ring (default 4)"),
        flag_count("key-heads", &asked.keys, 1, 16, "G", "of that ring (default 2)"),
        flag_choice("layout", &asked.layout, share_layout_names, NULL, "of that ring (default contiguous)"),
        flag_choice("mask", &asked.mask, mask_names, NULL, "of that ring (default causal)"),
        flag_choice("fault", &asked.fault, fault_names, NULL, "in step 11, of one rank (default none)"),
        flag_count("of", &asked.of, 0, 63, "RANK", "whose fault it is (default 1)"),
        flag_count("at", &asked.at, 0, 63, "STEP", "of the ring, where it happens (default 1)"),
        flag_output("measure", &asked.measure, "FILE.tsv",
                    "time sends and work on this machine, write data/bench/"
                    "ring.tsv's numbers into FILE.tsv, draw the figure of step 10 from them, and end"),
    };
    flags[8].given = &of;
    flags[9].given = &at;
    Lesson lesson = lesson_open_with(argc, argv, 23, "Ring attention", flags, 11);
    lesson_ranks(&lesson, &ranks, count);
    checked(&lesson, &asked, of || at);
    if (asked.measure) {
        measure_ring(&lesson, &asked);
        return lesson_close(&lesson);
    }
    lesson_steps(&lesson, 12);
    too_large(&lesson);                // 1
    first_messages(&lesson, &asked);   // 2
    heads_split(&lesson, &asked);      // 3
    a_sentence_split(&lesson, &asked); // 4
    the_ring(&lesson, &asked);         // 5
    memory_of_a_rank(&lesson, &asked); // 6
    the_way_back(&lesson, &asked);     // 7
    who_waits(&lesson, &asked);        // 8
    the_other_way(&lesson, &asked);    // 9
    behind_the_work(&lesson, &asked);  // 10
    what_goes_wrong(&lesson, &asked);  // 11
    in_the_large(&lesson);             // 12
    return lesson_close(&lesson);
}
