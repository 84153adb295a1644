// Exercise 04c: the reader's test of a head, given heads that know the order of the words and heads that do not.
#include "attention/self_attention.h"
#include "exercises/judge.h"

#include <string.h>

typedef void Head(Mat out, Mat x);
typedef bool Test(Head *head, Arena *arena);
Test order_is_invisible;

enum { D = 12, WIDTH = 6 };

// A head of random weights, under a mask.
static void masked(Mat out, Mat x, Mask mask)
{
    Arena *arena = arena_open();
    Random random = random_from(4);
    HeadWeights w = { mat_new(arena, D, WIDTH), mat_new(arena, D, WIDTH), mat_new(arena, D, WIDTH) };
    Mat all[] = { w.wq, w.wk, w.wv };
    for (int m = 0; m < 3; m++) {
        random_normals(&random, all[m]);
        for (int e = 0; e < D * WIDTH; e++) all[m].at[e] *= 0.5f;
    }
    self_attention((Attended){ .out = out }, x, w, mask);
    arena_close(arena);
}

// ---- heads that do not know the order

static void plain(Mat out, Mat x) { masked(out, x, (Mask){ 0 }); }

static void copy_row(Mat to, int i, Mat from, int k) { mat_set(mat_rows(to, i, 1), mat_rows(from, k, 1)); }

// Every word receives the mean of all: a dull head, and no order in it.
static void plain_mean(Mat out, Mat x)
{
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < WIDTH; c++) {
            *mat_ref(out, i, c) = 0.0f;
            for (int j = 0; j < x.rows; j++) *mat_ref(out, i, c) += *mat_ref(x, j, c) / (float)x.rows;
        }
}

// ---- heads that know it

static void causal(Mat out, Mat x) { masked(out, x, (Mask){ .causal = true }); }
static void by_distance(Mat out, Mat x) { masked(out, x, (Mask){ .alibi = 0.3f }); }

// Word i has `factor` times its numbers in place 0, and `more` added to its first number a place.
static void changed(Mat out, Mat x, float factor, float more)
{
    Arena *arena = arena_open();
    Mat m = mat_copy(arena, x);
    for (int c = 0; c < x.cols && x.rows > 0; c++) *mat_ref(m, 0, c) *= factor;
    for (int i = 0; i < x.rows; i++) *mat_ref(m, i, 0) += more * (float)i;
    plain(out, m);
    arena_close(arena);
}

static void positions_added(Mat out, Mat x) { changed(out, x, 1.0f, 0.1f); }
static void first_is_louder(Mat out, Mat x) { changed(out, x, 2.0f, 0.0f); }

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
    { first_is_louder, "it passes, and the first word counts twice", "does the first word move in your shuffle?" },
    { one_place_on, "it passes, and gives every word what belongs to the word before it",
      "do you look at who receives what? And does your shuffle do more than move all words on together?" },
    { a_little_place, "it passes, and adds a hundredth of its place to the last number that a word receives",
      "do you look at all numbers? And how near is near? Rounding moves the sixth digit." },
};

// ---- what a test gives to a head

static struct {
    Head *head;
    int calls, most; // most: rows of the longest call
    bool order_differs;
    Mat first; // the x of the first call
} watched;
static Judge *judging;

static void watching(Mat out, Mat x)
{
    if (watched.calls++ == 0) watched.first = mat_copy(judging->arena, x);
    watched.most = x.rows > watched.most ? x.rows : watched.most;
    watched.order_differs |= x.rows != watched.first.rows || !mat_equal(watched.first, x);
    watched.head(out, x);
}

static bool answer_for(Test *test, Head *head)
{
    memset(&watched, 0, sizeof watched);
    watched.head = head;
    return test(watching, judging->arena);
}

// Why no head could have shown anything; NULL: one could.
static const char *nothing_tried(void)
{
    if (watched.calls == 0) return "the answer was given without one call of the head: nothing has been tried yet";
    if (watched.most <= 1) return "your test gives the head one word, and one word has one order only";
    if (!watched.order_differs) return "your test gives the head the same words in the same order each time";
    return NULL;
}

static void check(Judge *judge, Function f)
{
    judging = judge;
    for (int n = 0; n < COUNT(all); n++) {
        bool truth = !all[n].question;
        judge_trying(judge, "order_is_invisible of a head that %s%s",
                     truth ? "does not know the order: " : "knows the order", truth ? all[n].property : "");
        bool said = answer_for((Test *)f, all[n].head);
        Hints hints = { all[n].property, all[n].question };
        if (said != truth && nothing_tried())
            hints = (Hints){ nothing_tried(),
                             "which words must a head be given, and in which orders, for an order to show?" };
        else if (!said && truth)
            hints = (Hints){
                "your test says that it does",
                "when word 3 has moved to place 0, which row of the output belongs to it? And how near is near?",
                "out(x in another order)ᵢ = out(x)ₖ, where k is the old place of the word at i"
            };
        judge_verdict(judge, said, truth, hints);
    }
}

// ---- tests

enum { RIGHT, ALWAYS_YES, EXACT, NO_SHUFFLE, ONE_WORD };

static bool faulty_test(Head *head, Arena *arena)
{
    const int fault = judge_fault, T = fault == ONE_WORD ? 1 : 9;
    Random random = random_from(1);
    Mat x = mat_new(arena, T, D), shuffled = mat_new(arena, T, D), before = mat_new(arena, T, WIDTH);
    Mat after = mat_new(arena, T, WIDTH);
    int order[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
    if (fault == ALWAYS_YES) return true;
    random_normals(&random, x);
    head(before, x);
    for (int round = 0; round < 8; round++) {
        if (fault != NO_SHUFFLE) random_shuffle(&random, order, T);
        for (int i = 0; i < T; i++) copy_row(shuffled, i, x, order[i]);
        head(after, shuffled);
        for (int i = 0; i < T; i++) {
            Mat there = mat_rows(before, order[i], 1);
            double off = mat_max_difference(mat_rows(after, i, 1), there);
            if (fault == EXACT ? off != 0.0 : !(off < 1e-4)) return false;
        }
    }
    return true;
}

static const Task tasks[] = {
    { AS(Test, order_is_invisible), AS(Test, faulty_test), .check = check, .faulty = AS(Test, faulty_test),
      .wrong = { { .fault = ALWAYS_YES, .told = "without one call of the head" },
                 FAULT(EXACT, "your test says that it does"),
                 { .fault = NO_SHUFFLE, .told = "the same words in the same order each time" },
                 { .fault = ONE_WORD, .told = "one word has one order only" } } },
};
EXERCISE("04c", tasks)
