// Chapter 13. Online softmax: the same weights in one pass, and how two partial results become one.
// Run build/chapters/13_online_softmax with README.md of this folder open beside it. What each step does:
// steps_1_passes.c … steps_7_rounding.c.
#include "attention/dot_product.h"
#include "steps.h"

#include <string.h>

// The first word that is spelt like this, capitals included: The and the are two rows. −1: there is none.
static int place_as_typed(const Sentence *s, const char *word)
{
    for (int t = 0; t < s->T; t++)
        if (!strcmp(s->words[t], word)) return t;
    return -1;
}

static Followed follow(Lesson *lesson, const char *query)
{
    const Sentence *s = &lesson->sentence;
    const char *wanted = query ? query : "it";
    int place = place_as_typed(s, wanted);
    if (place < 0 && query) lesson_misused(lesson->state, "--query is %s; it must be a word of the sentence", query);
    Followed f = { .word = place < 0 ? s->T - 1 : place, .book = !lesson->own_words && !strcmp(wanted, "it"),
                   .scores = mat_new(lesson->arena, s->T, 1),
                   .alive = mat_cols(s->x, column_index(lesson, "alive"), 1) };
    attention_scores(f.scores, s->x, mat_rows(s->x, f.word, 1), EVERYTHING);       // q = k: x · word is word · x
    return f;
}

int main(int argc, char **argv)
{
    const char *query = NULL;
    Flag flags[] = { flag_text("query", &query, "WORD", "the word whose row is followed (default it)") };
    Lesson lesson = lesson_open_with(argc, argv, 13, "Online softmax", flags, 1);
    Followed f = follow(&lesson, query);

    three_passes(&lesson, &f);                                 // 1
    a_running_row(&lesson, &f);                                // 2
    the_kernel(&lesson, &f);                                   // 3
    what_it_costs(&lesson);                                    // 4
    two_parts(&lesson, &f);                                    // 5
    any_tree(&lesson, &f);                                     // 6
    large_scores(&lesson);                                     // 7
    long_rows(&lesson);                                        // 8
    return lesson_close(&lesson);
}
