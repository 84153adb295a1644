// Exercise 20c, solved wrongly: number WRONG of these gets this answer.
//
// 1: nothing is predicted yet
// 2: eight tokens more
// 3: pages come whole
// 4: before something is written
// 5: these are tokens: 16
// 6: nothing is predicted yet
// 7: average over many texts
// 8: would not be held
// 9: no multiple of 16
// 10: what is full is held by all
// 11: is still counted
// 12: each has one of its own
// 13: these are the pages of one answer
// 14: once for all
// 15: holds the page alone
// 16: half of that page is empty
// 17: not written any more
// 18: each has eight rows
// 19: but 8,192 are reserved
// 20: here tokens are reserved
// 21: held whole
// 22: these are pages: a text
// 23: with room reserved
// 24: texts come whole
// 25: 77 is not it
// 26: nothing is predicted yet
// 27: nothing is predicted yet
#include "exercises/wrong.h"

void my_pages(double *pages, double *empty, double *shared, double *copied, double *reserved, double *paged);
void my_pages(double *pages, double *empty, double *shared, double *copied, double *reserved, double *paged)
{
    double answers[] = { 63, 8, 132, 72, 16, 130 };
    static const struct {
        int which;
        double said;
    } wrongs[] = {
        { 0, 63 },  { 0, 0 },    { 0, 62 },  { 0, 62.5 },        { 0, 64 },  { 0, 1000 }, { 1, -1 },
        { 1, 7.5 }, { 1, 16 },   { 1, 0 },   { 2, 690 },         { 2, 133 }, { 2, 122 },  { 2, 69 },
        { 2, 70 },  { 3, 80 },   { 3, 144 }, { 3, 10000 },       { 3, 9 },   { 4, 131 },  { 4, 256 },
        { 5, 131 }, { 5, 8192 }, { 5, 16 },  { 5, 8192.0 / 63 }, { 5, 77 },  { 2, 0 },    { 5, 0 },
    };
    answers[wrongs[wrong()].which] = wrongs[wrong()].said;
    *pages = answers[0];
    *empty = answers[1];
    *shared = answers[2];
    *copied = answers[3];
    *reserved = answers[4];
    *paged = answers[5];
}
