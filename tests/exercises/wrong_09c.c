// Exercise 09c, solved wrongly: number WRONG of these gets this answer.
//
// 1: all keys get the same weight
// 2: leave too much to the other places
// 3: it looks at its own token again
// 4: it looks for its own note in other notes
// 5: the query reads its note where it must read its token
// 6: it looks everywhere but there: the sign
// 7: nothing is handed on
// 8: it hands on its own token
// 9: what it hands on is not largest at the token that stands there
// 10: it looks for the right thing, but only 0.40 of the weight
// 11: the query says its note as well
// 12: the query of token 0 asks for fits the note of token 1
// 13: it looks everywhere but there: the sign
// 14: the note is handed on, too
// 15: weights that are no numbers
// 16: holds something that is no finite number
// 17: the key says which token stands there as well
// 18: all tokens ask for the same
// 19: the others find their place; the token 3 does not
// 20: the sign: the token that stands there
// 21: the query of token 0 asks for fits the note of token 3
// 22: the query of token 1 asks for fits the note of token 3
// 23: the query of token 0 asks for fits the note of token 1
// 24: token 0 hands on nothing
// 25: all tokens hand on the same
// 26: 0.06 goes to the places after the same token
#include "base/mat.h"
#include "exercises/wrong.h"

#include <math.h>

void my_induction_head(Mat wq, Mat wk, Mat wv);

// Queries and keys of fewer columns than there are tokens, or of columns that do not meet.
static void keys_otherwise(Mat key, Mat query, int a, int how)
{
    mat_fill(key, 0.0f);
    if (how == 21) *mat_ref(key, 0, (a + 1) % 4) = 6.0f; // the next column
    if (how == 23) *mat_ref(key, 0, 0) = 6.0f;           // one column for all notes
    for (int bit = 0; bit < 2 && how == 22; bit++)       // in two bits
        *mat_ref(key, 0, bit) = *mat_ref(query, 0, bit) = a >> bit & 1 ? 6.0f : 0.0f;
    for (int c = 2; c < 4 && how == 22; c++) *mat_ref(query, 0, c) = 0.0f;
}

void my_induction_head(Mat wq, Mat wk, Mat wv)
{
    int how = wrong(), note = 4;
    for (int a = 0; a < 4; a++) {
        float large = how == 2 ? 2.0f : how == 10 || how == 13 ? 1.0f : how == 15 ? 1e30f : 6.0f;
        if (how == 19 && a == 3) large = 0.0f;
        *mat_ref(wq, (how == 4 || how == 5 ? note : 0) + a,
                 how == 12   ? (a + 1) % 4
                 : how == 18 ? 0
                             : a) = how == 1                ? 0.0f
                                    : how == 16             ? NAN
                                    : how == 6 || how == 13 ? -large
                                                            : large;
        if (how == 11) *mat_ref(wq, note + a, a) = large;
        *mat_ref(wk, (how == 3 || how == 5 ? 0 : note) + a, a) = large;
        if (how == 17) *mat_ref(wk, a, a) = large;
        *mat_ref(wv, (how == 8 ? note : 0) + a, how == 9 ? (a + 1) % 4 : a) = how == 7    ? 0.0f
                                                                              : how == 20 ? -1.0f
                                                                                          : 1.0f;
        if (how == 14) *mat_ref(wv, note + a, a) = 1.0f;
        if (how >= 21 && how <= 23) keys_otherwise(mat_rows(wk, note + a, 1), mat_rows(wq, a, 1), a, how);
        if (how == 24) *mat_ref(wv, a, a) = (float)a;
        for (int c = 0; c < 4 && how == 25; c++) *mat_ref(wv, a, c) = 1.0f;
        for (int c = 0; c < 4 && how == 26; c++) *mat_ref(wk, note + a, c) = -1.0f;
    }
}
