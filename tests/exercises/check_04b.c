// Exercise 04b: my_wq on the book's sentence.
#include "attention/self_attention.h"
#include "base/portable_math.h"
#include "exercises/judge.h"
#include "lesson/hand_made.h"
#include "lesson/matrices.h"

enum { ANIMAL = 1, STREET = 5, IT = 7, TIRED = 10, WORDS = 11 };

typedef void Wq(Mat wq);
Wq my_wq;

static const char *const TEXT = "The animal didn't cross the street because it was too tired";

static Mat weights_of(Arena *arena, Mat x, HeadWeights w)
{
    Mat out = mat_new(arena, x.rows, w.wv.cols), weights = mat_new(arena, x.rows, x.rows);
    self_attention((Attended){ .out = out, .weights = weights }, x, w, (Mask){ 0 });
    return weights;
}

// The words that a row gave most to, all of those that had the same: true when one of them has less than another now.
static bool fell_behind(Mat before, Mat weights, int t, int *which)
{
    double most = mat_value(before, t, mat_argmax(before, t)), now = mat_value(weights, t, mat_argmax(weights, t));
    for (int j = 0; j < WORDS; j++) {
        *which = j;
        if (mat_value(before, t, j) >= most - 1e-6 && mat_value(weights, t, j) < now - 1e-6) return true;
    }
    return false;
}

// What *it* does, and what *tired* does.
static void it_and_tired(Judge *judge, Mat weights)
{
    double street = mat_value(weights, IT, STREET), animal = mat_value(weights, IT, ANIMAL);
    const char *gives = arena_format(judge->arena, "it gives street %.3f and animal %.3f", street, animal);
    judge_claim(judge, mat_argmax(weights, IT) == STREET,
                (Hints){ gives, "what has street that animal has not, and how much of it does *it* ask for?",
                         "q of it = 0.6 Wq[noun] + 0.2 Wq[link] + 0.5 Wq[alive] + 0.2 Wq[place]" });
    double kept = mat_value(weights, TIRED, ANIMAL);
    gives =
        arena_format(judge->arena, "tired gives animal %.3f and street %.3f", kept, mat_value(weights, TIRED, STREET));
    judge_claim(judge, kept >= 0.4 && mat_argmax(weights, TIRED) == ANIMAL,
                (Hints){ gives, "which rows of Wq do *it* and *tired* share, and which has *it* alone?",
                         "q of tired = 1.0 Wq[adj] + 0.8 Wq[alive] − 0.3 Wq[moves]" });
}

static void check_wq(Judge *judge, Function f)
{
    Lesson lesson = { .arena = judge->arena };
    Sentence s;
    Error error;
    embeddings_of_the_book(&lesson.embeddings, judge->arena);
    REQUIRE(sentence_look_up(&s, judge->arena, &lesson.embeddings, TEXT, &error), "%s", error.text);
    HeadWeights w = hand_made(&lesson).w;
    Mat before = weights_of(judge->arena, s.x, w), made = mat_copy(judge->arena, w.wq);
    judge_trying(judge, "my_wq");
    ((Wq *)f)(w.wq);
    judge_claim(judge, !mat_equal(made, w.wq),
                (Hints){ arena_format(judge->arena, "wq is as it was, and it gives street %.3f and animal %.3f",
                                      mat_value(before, IT, STREET), mat_value(before, IT, ANIMAL)),
                         "of which rows of Wq is the query of *it* a mixture?",
                         "q of it = 0.6 Wq[noun] + 0.2 Wq[link] + 0.5 Wq[alive] + 0.2 Wq[place]" });
    for (int e = 0; e < w.wq.rows * w.wq.cols; e++) {
        int i = e / w.wq.cols, j = e % w.wq.cols;
        judge_claim(judge, fabsf(*mat_ref(w.wq, i, j)) <= 10.0f,
                    (Hints){ arena_format(judge->arena, "element (%d, %d) of wq is %g", i, j, mat_value(w.wq, i, j)),
                             "which other rows go into the query of *it*?" });
    }
    Mat weights = weights_of(judge->arena, s.x, w);
    it_and_tired(judge, weights);
    for (int t = 0; t < WORDS; t++) {
        int now = mat_argmax(weights, t), lost;
        if (t == IT || !fell_behind(before, weights, t, &lost)) continue;
        judge_claim(judge, false,
                    (Hints){ arena_format(judge->arena, "%s gave most to %s, and now gives most to %s", s.words[t],
                                          s.words[lost], s.words[now]),
                             arena_format(judge->arena,
                                          "what is %s, in the table of embeddings, and which rows of Wq are its own?",
                                          s.words[t]),
                             "q = x Wq: every word takes the rows of what it is" });
    }
}

enum { NOUN = 0, ALIVE = 4, PLACE = 5, ASKS_ALIVE = 3, ASKS_PLACE = 4 };

#define WQ(name, ...) \
    static void name(Mat wq) \
    { \
        const float set[][3] = { __VA_ARGS__ }; \
        for (int n = 0; n < COUNT(set); n++) *mat_ref(wq, (int)set[n][0], (int)set[n][1]) = set[n][2]; \
    }
WQ(right, { ALIVE, ASKS_PLACE, 5 }) // what is alive asks for places as well, a little less than for what is alive
WQ(as_it_was, { ALIVE, ASKS_ALIVE, 6 })
WQ(nothing_alive, { ALIVE, ASKS_ALIVE, 0 }) // then tired asks for a noun, and both are nouns
WQ(too_large, { PLACE, ASKS_PLACE, 20 })
WQ(nouns_ask, { NOUN, ASKS_PLACE, 4 })
WQ(too_little, { ALIVE, ASKS_PLACE, 3 })

static const Task tasks[] = {
    { AS(Wq, my_wq), AS(Wq, right), .check = check_wq,
      .wrong = { { AS(Wq, as_it_was), "wq is as it was, and it gives street 0.114 and animal 0.279" },
                 { AS(Wq, nothing_alive), "tired gives animal 0.245 and street 0.245" },
                 { AS(Wq, too_large), "element (5, 4) of wq is 20" },
                 { AS(Wq, nouns_ask), "street gave most to cross, and now gives most to street" },
                 { AS(Wq, too_little), "it gives street 0.184 and animal 0.245" } } },
};
EXERCISE("04b", tasks)
