// Exercise 11c, solved wrongly: number WRONG of these gets this answer.
//
// 1: a letter from 'A' to 'F'
// 2: token 4 would print 2.5; this program prints 1
// 3: token 1 would print 1; this program prints 0
// 4: token 4 would print 1; this program prints 4
// 5: token 5 would print 3; this program prints 2.75
#include "exercises/wrong.h"

char my_diagnosis(int program);
char my_diagnosis(int program)
{
    static const char *const answers[] = { "CABDE", "?????", "FABDE", "CFBDE", "CABCE", "CABDF" };
    return answers[wrong()][program];
}
