// Chapter 13. Online softmax: the same weights in one pass, and how two partial results become one.
// Run build/chapters/13_online_softmax with README.md of this folder open beside it. What each step does:
// steps_1_passes.c … steps_7_rounding.c.
#include "steps.h"

int main(int argc, char **argv)
{
    const char *query = NULL, *scores = NULL;
    double lazy = 8.0;
    Flag flags[] = {
        flag_text("query", &query, "WORD", "the word whose row is followed (default it)"),
        flag_text("scores", &scores, "1,2,3", "follow a row of these scores instead; key j has the value j"),
        flag_real("lazy", &lazy, 0.0, 1000.0, "BITS",
                  "in step 4, m moves when a score lies more than BITS · log 2 above it (default 8)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 13, "Online softmax", flags, 3);
    lesson_steps(&lesson, 8);
    Followed f = follow(&lesson, query, scores);

    three_passes(&lesson, &f);    // 1
    a_running_row(&lesson, &f);   // 2
    the_kernel(&lesson, &f);      // 3
    what_it_costs(&lesson, lazy); // 4
    two_parts(&lesson, &f);       // 5
    any_tree(&lesson, &f);        // 6
    large_scores(&lesson);        // 7
    long_rows(&lesson);           // 8
    return lesson_close(&lesson);
}
