// Chapter 08. Gradients: what a wish about the output says about every number before it.
// Run build/chapters/08_gradients with README.md of this folder open beside it. What each step does: steps_1_loss.c …
// steps_8_costs.c.
#include "lesson/dump.h"
#include "steps.h"

// The word that a flag names; without it, `usual` where there is one, else place `last_resort`.
static int place_of(Lesson *lesson, const char *flag, const char *word, const char *usual, int last_resort)
{
    int place = sentence_find(&lesson->sentence, word ? word : usual);
    if (place < 0 && word) lesson_misused(lesson->state, "--%s: the sentence has no \"%.60s\"", flag, word);
    return place < 0 ? last_resort : place;
}

static Head run_head(Lesson *lesson, int word, int other)
{
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x;
    Head h = { .head = hand_made(lesson), .out = mat_new(arena, x.rows, HAND_MADE_WIDTH) };
    h.kept = backward_keep_cross_attention(arena, h.out, x, x, h.head.w, EVERYTHING);
    h.wish = (Wish){ word, other, mat_copy(arena, mat_rows(h.kept.p.v, other, 1)) };
    return h;
}

int main(int argc, char **argv)
{
    const char *word = NULL, *other = NULL;
    int H = 4, steps = 50;
    float rate = 1.0f;
    Flag flags[] = {
        flag_text("word", &word, "WORD", "the word whose output has a wish (default it, or the last)"),
        flag_text("wish", &other, "WORD", "the word whose value it should receive (default animal, or the first)"),
        flag_count("steps", &steps, 1, 500, "N", "steps of gradient descent in step 7 (default 50)"),
        flag_float("rate", &rate, 0, 1000, "X", "their learning rate, the size of a step (default 1)"),
        flag_count("heads", &H, 1, 16, "N", "heads in steps 7 and 9; must divide the embeddings' width (default 4)"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 8, "Gradients", flags, 5);
    lesson_steps(&lesson, 9);
    int last = lesson.sentence.T - 1, D = lesson.embeddings.D;
    int place = place_of(&lesson, "word", word, "it", last), wish = place_of(&lesson, "wish", other, "animal", 0);
    if (D % H)
        lesson_misused(lesson.state, "--heads: found %d; it must divide D = %d, the columns of %s", H, D,
                       lesson.embeddings.file);
    Head head = run_head(&lesson, place, wish);
    MultiHead m = hand_made_random_heads(&lesson, D, H);

    Mat dx = one_number(&lesson, &head);               // 1
    a_product(&lesson);                                // 2
    softmax_backwards(&lesson, &head);                 // 3
    one_head(&lesson, &head, dx);                      // 4
    by_hand(&lesson);                                  // 5
    hidden_keys(&lesson, &head, dx);                   // 6
    a_wish_comes_true(&lesson, &head, m, steps, rate); // 7
    what_must_be_kept(&lesson, &head);                 // 8
    what_it_costs(&lesson, m);                         // 9
    trace_mat(lesson.trace, "wq", head.head.w.wq);
    trace_mat(lesson.trace, "wk", head.head.w.wk);
    trace_mat(lesson.trace, "wv", head.head.w.wv);
    HeadProjections p = head.kept.p;
    trace_heads(lesson.trace, (TraceHeads){ .x = head.kept.x,
                                            .q = p.q,
                                            .k = p.k,
                                            .v = p.v,
                                            .scores = lesson_dump_scores(&lesson, p.q, p.k, 1, NULL),
                                            .weights = head.kept.weights,
                                            .heads = head.out });
    return lesson_close(&lesson);
}
