// Chapter 24. Star attention: blocks behind an anchor, each read by one machine alone, and one query for all.
// Run build/chapters/24_star_attention with README.md of this folder open beside it. What each step does:
// steps_1_phases.c … steps_10_bytes.c.
#include "lesson/lesson_ranks.h"
#include "steps.h"
#include "train/bundled.h"

static RankWork *const works[] = { heads_work, model_work, wire_work };
enum { WORKS = sizeof works / sizeof *works };

// Model C, which reads documents: from data/models, whose path every rank is told.
static Transformer load(Lesson *lesson, Asked *asked)
{
    Transformer model;
    Error error;
    asked->model_path = bundled_path(lesson->arena, asked->program, "language-64.safetensors", &error);
    if (!asked->model_path ||
        !bundled_plain_model(&model, lesson->arena, asked->program, NULL, asked->model_path, &error))
        lesson_fail(&error);
    return model;
}

int main(int argc, char **argv)
{
    Ranks ranks = ranks_open(works, WORKS);
    Asked asked = { .program = argv[0], .block = 2, .anchor = 2, .ranks = &ranks };
    int count = 0;
    Flag flags[] = {
        flag_count("ranks", &count, 1, RANKS_MOST, "N", "ranks, as threads (default 4); under mpirun it says how many"),
        flag_real("deadline", &ranks.deadline, 0, 3600, "SECONDS",
                  "the longest wait for another rank (default 5; 0: none)"),
        flag_count("block", &asked.block, 1, 22, "N", "words in a block, in steps 1 to 3 (default 2)"),
        flag_count("anchor", &asked.anchor, 0, 22, "N", "first words before each other block, there (default 2)"),
        flag_output("measure", &asked.measured, "FILE.tsv", "measure this machine for step 11, with two ranks"),
        flag_folder("retrain", &asked.folder, "DIR",
                    "train the model of step 9 and measure what steps 7 and 8 compare, into DIR: minutes"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 24, "Star attention", flags, sizeof flags / sizeof *flags);
    lesson_steps(&lesson, 11);
    if (asked.anchor > asked.block)
        lesson_misused(lesson.state, "--anchor is %d, --block %d: an anchor is a block at most", asked.anchor,
                       asked.block);
    lesson_ranks(&lesson, &ranks, count);
    Transformer model = load(&lesson, &asked);
    if (asked.measured) measure_speeds(&lesson, &asked);
    if (asked.folder) train_facts(asked.folder);
    if (asked.folder) write_losses(&lesson, model, asked.folder);

    blocks_and_an_anchor(&lesson, &asked);    // 1
    nothing_is_sent(&lesson, &asked);         // 2
    one_query_for_all(&lesson, &asked);       // 3
    any_cut(&lesson, &asked);                 // 4
    three_mistakes(&lesson);                  // 5
    a_model_on_ranks(&lesson, model, &asked); // 6
    what_it_costs(&lesson, model, &asked);    // 7
    spent_otherwise(&lesson, &asked);         // 8
    what_an_anchor_is_for(&lesson, &asked);   // 9
    what_is_sent(&lesson, &asked);            // 10
    a_million_tokens(&lesson, &asked);        // 11
    return lesson_close(&lesson);
}
