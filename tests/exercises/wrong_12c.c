// Exercise 12c, solved wrongly: number WRONG of these gets this answer.
//
// 1: a letter from 'A' to 'F'
// 2: with the mistake 'C' row 0 would have 262144 bytes
// 3: with the mistake 'A' row 2 would have 60416 bytes
// 4: with the mistake 'F' row 4 would have 614400 bytes
#include "exercises/wrong.h"

char my_finding(int row);
char my_finding(int row)
{
    static const char *const answers[] = { "BADEC", "?????", "CADEC", "BAAEC", "BADEF" };
    return answers[wrong()][row];
}
