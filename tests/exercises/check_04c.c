// Exercise 04c: the reader's test of a head, given heads that know the order of the words and heads that do not.
#include "attention/self_attention.h"
#include "exercises/judge.h"

typedef void Head(Mat out, Mat x);
typedef bool Test(Head *head, Arena *arena);
Test order_is_invisible;

enum { D = 12, WIDTH = 6 };

// A head of random weights, under a mask. Word i has i · `more` in its first number.
static void attend(Mat out, Mat x, Mask mask, float more)
{
    Arena *arena = arena_open();
    Random random = random_from(4);
    Mat w[3], placed = mat_copy(arena, x);
    for (int m = 0; m < 3; m++) {
        random_normals(&random, w[m] = mat_new(arena, D, WIDTH));
        for (int e = 0; e < D * WIDTH; e++) w[m].at[e] *= 0.5f;
    }
    for (int i = 0; i < x.rows; i++) *mat_ref(placed, i, 0) += more * (float)i;
    self_attention((Attended){ .out = out }, placed, (HeadWeights){ w[0], w[1], w[2] }, mask);
    arena_close(arena);
}

static void plain(Mat out, Mat x) { attend(out, x, (Mask){ 0 }, 0.0f); }
static void causal(Mat out, Mat x) { attend(out, x, (Mask){ .causal = true }, 0.0f); }
static void by_distance(Mat out, Mat x) { attend(out, x, (Mask){ .alibi = 0.3f }, 0.0f); }
static void neighbours(Mat out, Mat x) { attend(out, x, (Mask){ .window = 2 }, 0.0f); }
static void without_the_last(Mat out, Mat x) { attend(out, x, (Mask){ .padding = x.rows > 1 }, 0.0f); }
static void positions_added(Mat out, Mat x) { attend(out, x, (Mask){ 0 }, 0.1f); }

static void copy_row(Mat to, int i, Mat from, int k) { mat_set(mat_rows(to, i, 1), mat_rows(from, k, 1)); }

// Every word receives the mean of all: a dull head, and no order in it.
static void plain_mean(Mat out, Mat x)
{
    mat_fill(out, 0.0f);
    for (int i = 0; i < x.rows; i++)
        for (int e = 0; e < x.rows * WIDTH; e++)
            *mat_ref(out, i, e % WIDTH) += *mat_ref(x, e / WIDTH, e % WIDTH) / (float)x.rows;
}

// The rows come out where others were.
static void one_place_on(Mat out, Mat x)
{
    Arena *arena = arena_open();
    Mat result = mat_new(arena, out.rows, out.cols);
    plain(result, x);
    for (int i = 0; i < x.rows; i++) copy_row(out, (i + 1) % x.rows, result, i);
    arena_close(arena);
}

static void a_little_place(Mat out, Mat x)
{
    plain(out, x);
    for (int i = 0; i < x.rows; i++) *mat_ref(out, i, WIDTH - 1) += 0.01f * (float)i;
}

static const struct {
    Head *head;
    const char *property, *question; // property of a head that does not know the order: what it does
} all[] = {
    { plain, "self-attention" },
    { plain_mean, "it gives every word the mean of all" },
    { causal, "it passes, and no word sees what comes after it", "which word must move for that to show?" },
    { positions_added, "it passes, and a number that grows from place to place is added to every word",
      "does your test move any word?" },
    { by_distance, "it passes, and a word counts less the farther away it is",
      "which shuffles leave all distances as they are? Of two words, each does." },
    { neighbours, "it passes, and a word sees its neighbours only",
      "how many words must there be, for some to be no neighbours?" },
    { without_the_last, "it passes, and the last word is never looked at", "does the last word move in your shuffle?" },
    { one_place_on, "it passes, and gives every word what belongs to the word before it",
      "do you look at who receives what? And does your shuffle do more than move all words on together?" },
    { a_little_place, "it passes, and adds a hundredth of its place to the last number that a word receives",
      "do you look at all numbers? And how near is near? Rounding moves the sixth digit." },
};

// What a test gives to a head: without two orders of the same words no head can show anything.
static struct {
    Head *head;
    Arena *arena;
    int calls;
    bool order_differs;
    Mat first; // the x of the first call
} watched;

static void watching(Mat out, Mat x)
{
    if (watched.calls++ == 0) watched.first = mat_copy(watched.arena, x);
    watched.order_differs |= x.rows != watched.first.rows || !mat_equal(watched.first, x);
    watched.head(out, x);
}

static void check(Judge *judge, Function f)
{
    for (int n = 0; n < COUNT(all); n++) {
        bool truth = !all[n].question;
        judge_trying(judge, "order_is_invisible of a head that %s%s",
                     truth ? "does not know the order: " : "knows the order", truth ? all[n].property : "");
        watched.head = all[n].head, watched.arena = judge->arena, watched.calls = 0, watched.order_differs = false;
        bool said = ((Test *)f)(watching, judge->arena);
        Hints hints = { all[n].property, all[n].question };
        if (said != truth && !watched.order_differs)
            hints = (Hints){ watched.calls
                                 ? "your test gives the head the same words in the same order each time"
                                 : "the answer was given without one call of the head: nothing has been tried yet",
                             "which words must a head be given, and in which orders, for an order to show?" };
        else if (!said && truth)
            hints = (Hints){ "your test says that it does",
                             "when word 3 has moved to place 0, which row of the output belongs to it? And how near is "
                             "near?",
                             "out(x in another order)ᵢ = out(x)ₖ, where k is the old place of the word at i" };
        judge_verdict(judge, said, truth, hints);
    }
}

enum { RIGHT, ALWAYS_YES, EXACT, NO_SHUFFLE };

static bool faulty_test(Head *head, Arena *arena)
{
    enum { T = 9 };
    Random random = random_from(1);
    Mat x = mat_new(arena, T, D), shuffled = mat_new(arena, T, D), before = mat_new(arena, T, WIDTH);
    Mat after = mat_new(arena, T, WIDTH);
    int order[T] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
    if (judge_fault == ALWAYS_YES) return true;
    random_normals(&random, x);
    head(before, x);
    for (int round = 0; round < 8; round++) {
        if (judge_fault != NO_SHUFFLE) random_shuffle(&random, order, T);
        for (int i = 0; i < T; i++) copy_row(shuffled, i, x, order[i]);
        head(after, shuffled);
        for (int i = 0; i < T; i++) {
            double off = mat_max_difference(mat_rows(after, i, 1), mat_rows(before, order[i], 1));
            if (judge_fault == EXACT ? off != 0.0 : !(off < 1e-4)) return false;
        }
    }
    return true;
}

static const Task tasks[] = {
    { AS(Test, order_is_invisible), AS(Test, faulty_test), .faulty = AS(Test, faulty_test), .check = check,
      .wrong = { { .fault = ALWAYS_YES, .told = "without one call of the head" },
                 FAULT(EXACT, "your test says that it does"),
                 { .fault = NO_SHUFFLE, .told = "the same words in the same order each time" } } },
};
EXERCISE("04c", tasks)
