// Chapter 07. Positions: how a head learns which word came first.
// Run build/chapters/07_positions with README.md of this folder open beside it. What each step does: steps_1_added.c …
// steps_7_costs.c.
#include "steps.h"

int main(int argc, char **argv)
{
    int H = 8, window = 4, back = 5;
    Flag flags[] = {
        flag_count("back", &back, 1, 64, "N", "how many words back the turned key of step 3 looks (default 5)"),
        flag_count("heads", &H, 1, 16, "N", "heads that get a slope in step 5 (default 8)"),
        flag_count("window", &window, 1, 48, "N",
                   "keys in a window of step 6, the query's own included (default 4)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 7, "Positions", flags, 3), book = lesson;
    embeddings_of_the_book(&book.embeddings, lesson.arena);    // for the steps that need particular words
    HeadWeights w = head_with_order(&lesson);

    the_problem(&lesson, &book);                               // 1
    added(&lesson, &book);                                     // 2
    rotation(&lesson, back);                                   // 3
    on_the_sentence(&lesson, &book, w);                        // 4
    slopes(&lesson, H);                                        // 5
    no_positions(&lesson, &book, w, window);                   // 6
    what_it_costs(&lesson);                                    // 7
    return lesson_close(&lesson);
}
