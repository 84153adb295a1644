// Exercise 22b, solved wrongly: number WRONG of these gets this answer.
//
// 1: a letter from 'A' to 'H'
// 2: 'A' it would print 0.60 -0.40 -0.20 0.00; it prints 0.75 0.35 0.25 0.15
// 3: 'E' it would print 0.65 0.15 0.05 0.05; it prints 0.75 0.35 0.25 0.15
// 4: 'H' it would print -0.25 0.45 0.25 0.05; it prints 0.75 0.35 0.25 0.15
// 5: 'A' it would print 0.60 -0.40 -0.20 0.00; it prints 0.25 -0.45 -0.25 -0.05
// 6: 'H' it would print -0.25 0.45 0.25 0.05; it prints 0.25 -0.45 -0.25 -0.05
// 7: 'D' it would print 0.65 0.00 0.00 0.05; it prints 1.30 -0.30 -0.10 0.10
// 8: 'G' it would print 0.40 0.18 0.20 0.22; it prints 1.30 -0.30 -0.10 0.10
// 9: 'E' it would print 0.65 0.15 0.05 0.05; it prints 0.65 0.00 0.00 0.05
// 10: 'F' it would print 1.30 -0.30 -0.10 0.10; it prints 0.65 0.00 0.00 0.05
// 11: 'B' it would print 0.25 -0.45 -0.25 -0.05; it prints 0.60 -0.40 -0.20 0.00
// 12: 'C' it would print 0.75 0.35 0.25 0.15; it prints 0.60 -0.40 -0.20 0.00
// 13: 'F' it would print 1.30 -0.30 -0.10 0.10; it prints 0.40 0.18 0.20 0.22
// 14: 'E' it would print 0.65 0.15 0.05 0.05; it prints 0.40 0.18 0.20 0.22
#include "exercises/wrong.h"

char my_diagnosis(int program);
char my_diagnosis(int program)
{
    static const char *const answers[] = { "CBFDAG", "??????", "ABFDAG", "EBFDAG", "HBFDAG",
                                           "CAFDAG", "CHFDAG", "CBDDAG", "CBGDAG", "CBFEAG",
                                           "CBFFAG", "CBFDBG", "CBFDCG", "CBFDAF", "CBFDAE" };
    return answers[wrong()][program];
}
