// Chapter 07. Positions: how a head learns which word came first.
// Run build/chapters/07_positions with README.md of this folder open beside it. What each step does: steps_1_added.c …
// steps_10_costs.c.
#include "steps.h"

int main(int argc, char **argv)
{
    int H = 8, window = 4, back = 5;
    double base = 500000.0, stretch = 4.0;
    Flag flags[] = {
        flag_count("back", &back, 1, 64, "N", "how many words back the turned key of step 5 looks (default 5)"),
        flag_count("heads", &H, 1, 16, "N", "heads that get a slope in step 8 (default 8)"),
        flag_count("window", &window, 1, 48, "N", "keys in a window of step 9, the query's own included (default 4)"),
        flag_real("base", &base, 2, 1e12, "X", "another base of RoPE's angles, in step 7 (default 500000)"),
        flag_real("stretch", &stretch, 1, 1000, "X", "how many times longer the text of step 7 is (default 4)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 7, "Positions", flags, 5), book = lesson;
    lesson_steps(&lesson, 10);
    embeddings_of_the_book(&book.embeddings, lesson.arena); // for the steps that need particular words
    HeadWeights w = head_with_order(&lesson);

    the_problem(&lesson, &book);                                                 // 1
    added(&lesson, &book);                                                       // 2
    two_positions(&lesson, &book);                                               // 3
    Mat drawn = rotation(&lesson);                                               // 4
    distance_alone(&lesson, mat_rows(drawn, 0, 1), mat_rows(drawn, 1, 1), back); // 5
    on_the_sentence(&lesson, &book, w);                                          // 6
    longer_texts(&lesson, base, stretch);                                        // 7
    slopes(&lesson, H);                                                          // 8
    no_positions(&lesson, &book, window);                                        // 9
    what_it_costs(&lesson);                                                      // 10
    return lesson_close(&lesson);
}
