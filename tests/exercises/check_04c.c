// Exercise 04c: the reader's test of a head, given heads that know the order of the words and heads that do not.
#include "attention/self_attention.h"
#include "base/random.h"
#include "exercises/judge.h"

typedef void Head(Mat out, Mat x);

enum { D = 12, WIDTH = 6, MOST = 64 };

bool order_is_invisible(Head *head, Arena *arena);

static Mat random_mat(Arena *arena, Random *random, int rows, int cols)
{
    Mat m = mat_new(arena, rows, cols);
    random_normals(random, m);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) *mat_ref(m, i, j) *= 0.5f;
    return m;
}

// A head of random weights, under a mask.
static void masked(Mat out, Mat x, Mask mask)
{
    Arena *arena = arena_open();
    Random random = random_from(4);
    HeadWeights w = { random_mat(arena, &random, D, WIDTH), random_mat(arena, &random, D, WIDTH),
                      random_mat(arena, &random, D, WIDTH) };
    self_attention((Attended){ .out = out }, x, w, mask);
    arena_close(arena);
}

// ---- heads that do not know the order

static void self_attention_head(Mat out, Mat x) { masked(out, x, (Mask){ 0 }); }

// The rows in reverse, and back: the same sums, added up from the other end.
static void turned_round(Mat out, Mat x)
{
    Arena *arena = arena_open();
    Mat turned = mat_new(arena, x.rows, x.cols), result = mat_new(arena, out.rows, out.cols);
    for (int i = 0; i < x.rows; i++) mat_set(mat_rows(turned, i, 1), mat_rows(x, x.rows - 1 - i, 1));
    masked(result, turned, (Mask){ 0 });
    for (int i = 0; i < x.rows; i++) mat_set(mat_rows(out, i, 1), mat_rows(result, x.rows - 1 - i, 1));
    arena_close(arena);
}

// Every word receives the mean of all: a dull head, and no order in it.
static void plain_mean(Mat out, Mat x)
{
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < WIDTH; c++) {
            float sum = 0.0f;
            for (int j = 0; j < x.rows; j++) sum += *mat_ref(x, j, c);
            *mat_ref(out, i, c) = sum / (float)x.rows;
        }
}

// ---- heads that know it

static void causal(Mat out, Mat x) { masked(out, x, (Mask){ .causal = true }); }
static void by_distance(Mat out, Mat x) { masked(out, x, (Mask){ .alibi = 0.3f }); }
static void neighbours(Mat out, Mat x) { masked(out, x, (Mask){ .window = 2 }); }
static void without_the_last(Mat out, Mat x) { masked(out, x, (Mask){ .padding = x.rows > 1 }); }

static void positions_added(Mat out, Mat x)
{
    Arena *arena = arena_open();
    Mat moved = mat_copy(arena, x);
    for (int i = 0; i < x.rows; i++) *mat_ref(moved, i, 0) += 0.1f * (float)i;
    masked(out, moved, (Mask){ 0 });
    arena_close(arena);
}

// What every word receives goes to the word at its place in another order: the rows come out where others stood.
static void one_place_on(Mat out, Mat x)
{
    Arena *arena = arena_open();
    Mat result = mat_new(arena, out.rows, out.cols);
    masked(result, x, (Mask){ 0 });
    for (int i = 0; i < x.rows; i++) mat_set(mat_rows(out, (i + 1) % x.rows, 1), mat_rows(result, i, 1));
    arena_close(arena);
}

// The first word alone speaks twice as loud.
static void first_is_louder(Mat out, Mat x)
{
    Arena *arena = arena_open();
    Mat louder = mat_copy(arena, x);
    for (int c = 0; c < x.cols && x.rows > 0; c++) *mat_ref(louder, 0, c) *= 2.0f;
    masked(out, louder, (Mask){ 0 });
    arena_close(arena);
}

// One word receives half of what is meant for it: the one in the middle, whoever stands there.
static void half_in_the_middle(Mat out, Mat x)
{
    masked(out, x, (Mask){ 0 });
    for (int c = 0; c < WIDTH && x.rows > 1; c++) *mat_ref(out, x.rows / 2, c) *= 0.5f;
}

// A hundredth of its place is added to the last number that a word receives: little, and much more than rounding.
static void a_little_place(Mat out, Mat x)
{
    masked(out, x, (Mask){ 0 });
    for (int i = 0; i < x.rows; i++) *mat_ref(out, i, WIDTH - 1) += 0.01f * (float)i;
}

// ---- what a test gives to a head

static struct {
    Head *head;
    int calls, rows, most; // rows of the first call, and of the longest
    bool words_differ, order_differs;
    float first[MOST * D]; // the x of the first call
} watched;

static void watching(Mat out, Mat x)
{
    bool known = x.rows <= MOST && x.cols == D;
    Mat first = { watched.first, x.rows, D, D };
    if (watched.calls++ == 0) {
        watched.rows = x.rows;
        if (known) mat_set(first, x);
    }
    watched.most = x.rows > watched.most ? x.rows : watched.most;
    watched.order_differs = watched.order_differs || !known || x.rows != watched.rows || !mat_equal(first, x);
    for (int i = 1; i < x.rows; i++)
        watched.words_differ = watched.words_differ || !mat_equal(mat_rows(x, 0, 1), mat_rows(x, i, 1));
    watched.head(out, x);
}

static bool answer_for(Judge *judge, Head *head)
{
    watched.head = head;
    watched.calls = watched.most = 0;
    watched.words_differ = watched.order_differs = false;
    return order_is_invisible(watching, judge->arena);
}

// Why no head could have shown anything; NULL: one could.
static const char *nothing_tried(void)
{
    if (watched.calls == 0) return "the answer was given without one call of the head: nothing has been tried yet";
    if (watched.most == 0) return "your test gives the head no word at all";
    if (watched.most == 1) return "your test gives the head one word, and one word has one order only";
    if (!watched.words_differ) return "the words that your test gives the head are all the same: no order shows";
    if (!watched.order_differs) return "your test gives the head the same words in the same order each time";
    return NULL;
}

static const char *const what_to_try = "which words must a head be given, and in which orders, for an order to show?";

// A test that finds order where there is none may answer the wrong way round: then these do not know it.
static void must_not_be_turned(Judge *judge)
{
    bool turned = answer_for(judge, causal) && answer_for(judge, positions_added) && answer_for(judge, one_place_on);
    judge_claim(judge, !turned || nothing_tried(),
                (Hints){ .property = "your test says that it does, and of three that know the order, that they do not",
                         .question = "which of the two answers is true to mean?" });
}

static void must_pass(Judge *judge, const char *which, Head *head)
{
    judge_trying(judge, "order_is_invisible of a head that does not know the order: %s", which);
    bool passes = answer_for(judge, head);
    const char *property = watched.calls ? "your test says that it does" : nothing_tried();
    if (!passes && !nothing_tried()) {
        must_not_be_turned(judge);
        bool alike_passes = answer_for(judge, plain_mean);
        property = alike_passes ? "your test says that it does, and lets one pass that gives every word the same"
                                : "your test says that it does, and that of one that gives every word the same, too";
    }
    judge_claim(
        judge, passes,
        (Hints){
            .property = property,
            .question =
                nothing_tried()
                    ? what_to_try
                    : "when word 3 has moved to place 0, which row of the output belongs to it? And how near is near?",
            .formula = "out(x in another order)ᵢ = out(x)ₖ, where k is the old place of the word at i" });
}

static void must_fail(Judge *judge, const char *property, const char *question, Head *head)
{
    judge_trying(judge, "order_is_invisible of a head that knows the order");
    bool passes = answer_for(judge, head);
    const char *blind = nothing_tried();
    judge_claim(judge, !passes, (Hints){ blind ? blind : property, blind ? what_to_try : question, NULL });
}

static void check(Judge *judge)
{
    must_pass(judge, "self-attention", self_attention_head);
    must_pass(judge, "it adds up from the last word to the first", turned_round);
    must_pass(judge, "it gives every word the mean of all", plain_mean);
    must_fail(judge, "it passes, and no word sees what comes after it", "which word must move for that to show?",
              causal);
    must_fail(judge, "it passes, and a number that grows from place to place is added to every word",
              "does your test move any word?", positions_added);
    must_fail(judge, "it passes, and a word counts less the farther away it is",
              "which shuffles leave all distances as they are? Of two words, each does.", by_distance);
    must_fail(judge, "it passes, and a word sees its neighbours only",
              "how many words must there be, for some to be no neighbours?", neighbours);
    must_fail(judge, "it passes, and the last word is never looked at", "does the last word move in your shuffle?",
              without_the_last);
    must_fail(judge, "it passes, and the first word counts twice", "does the first word move in your shuffle?",
              first_is_louder);
    must_fail(judge, "it passes, and gives every word what belongs to the word before it",
              "do you look at who receives what? And does your shuffle do more than move all words on together?",
              one_place_on);
    must_fail(judge, "it passes, and the word in the middle, at place T / 2, receives half",
              "do you look at every word? And does another word come to every place, in some shuffle?",
              half_in_the_middle);
    must_fail(judge, "it passes, and adds a hundredth of its place to the last number that a word receives",
              "do you look at all numbers? And how near is near? Rounding moves the sixth digit.", a_little_place);
}

int main(void) { return judge_main("04c", check); }
