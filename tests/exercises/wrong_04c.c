// Exercise 04c, with tests that miss something: number WRONG of these gets this answer.
//
// 1: without one call of the head
// 2: without one call of the head
// 3: of one that gives every word the same
// 4: lets one pass that gives every word the same
// 5: a word counts less the farther away it is
// 6: the last word is never looked at
// 7: the first word counts twice
// 8: what belongs to the word before it
// 9: a word counts less the farther away it is
// 10: what belongs to the word before it
// 11: all the same: no order shows
// 12: in the same order each time
// 13: one word has one order only
// 14: at place T / 2
// 15: a hundredth of its place
// 16: no word sees what comes after it
// 17: of three that know the order
// 18: the last number that a word receives
// 19: no word at all
#include "base/random.h"
#include "exercises/wrong.h"

#include <math.h>
#include <stdbool.h>

typedef void Head(Mat out, Mat x);

bool order_is_invisible(Head *head, Arena *arena);

// The order of the second sentence: what the number leaves out stays where it is.
static void reorder(int *order, int T)
{
    Random random = random_from(2);
    int how = wrong();
    for (int i = 0; i < T; i++) order[i] = how == 5 ? T - 1 - i : i;
    if (how == 6) random_shuffle(&random, order, T - 1);
    else if (how == 7) random_shuffle(&random, order + 1, T - 1);
    else if (how == 9) {
        order[0] = 1;
        order[1] = 0;
    } else if (how == 10) {
        for (int i = 0; i < T; i++) order[i] = (i + 1) % T;
    } else if (how == 14) { // the first and the last change places, no other
        order[0] = T - 1;
        order[T - 1] = 0;
    } else if (how == 16) { // the words move, and nobody looks at them
        order[1] = 2;
        order[2] = 1;
    } else if (how != 5 && how != 12) random_shuffle(&random, order, T);
}

// Is there, for each word before, some word after that receives the same?
static bool same_rows(Mat before, Mat after)
{
    for (int i = 0; i < before.rows; i++) {
        bool found = false;
        for (int k = 0; k < after.rows; k++)
            found = found || mat_max_difference(mat_rows(before, i, 1), mat_rows(after, k, 1)) < 1e-4;
        if (!found) return false;
    }
    return true;
}

bool order_is_invisible(Head *head, Arena *arena)
{
    enum { D = 12, WIDTH = 6, MOST = 9 };
    int how = wrong(), T = how == 9 ? 2 : how == 13 ? 1 : how == 19 ? 0 : MOST, order[MOST];
    Random random = random_from(1);
    Mat x = mat_new(arena, T, D), shuffled = mat_new(arena, T, D), before = mat_new(arena, T, WIDTH);
    Mat after = mat_new(arena, T, WIDTH);
    if (how == 1 || how == 2) return how == 1;
    reorder(order, T);
    if (how != 11) random_normals(&random, x);
    for (int i = 0; i < T; i++) mat_set(mat_rows(shuffled, i, 1), mat_rows(x, order[i], 1));
    head(before, x);
    head(after, shuffled);
    if (how == 4) return mat_max_difference(before, after) < 1e-4;
    if (how == 8) return same_rows(before, after);
    for (int i = how == 16 ? 3 : 0; i < T; i++) {
        Mat here = mat_rows(after, i, 1), there = mat_rows(before, order[i], 1);
        double off = how == 18 ? (double)fabsf(here.at[0] - there.at[0]) : mat_max_difference(here, there);
        if (how == 3 ? off != 0.0 : !(off < (how == 15 ? 0.2 : 1e-4))) return how == 17;
    }
    return how != 17;
}
