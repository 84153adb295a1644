// Exercise 20b, solved wrongly: number WRONG of these gets this answer.
//
// 1: a letter from 'A' to 'F'
// 2: with the mistake 'D' 3 pages would be free in the end; here 2 are
// 3: with the mistake 'A' b would read aa as its word 6; here it reads bb
// 4: with the mistake 'E' b would read c0 as its word 0; here it reads a0
// 5: with the mistake 'B' b would read -- as its word 4; here it reads a4
// 6: with the mistake 'F' b would read c0 as its word 0; here it reads a0
// 7: with the mistake 'C' b would read bb as its word 6; here it reads aa
// 8: with the mistake 'F' b would read aa as its word 6; here it reads bb
// 9: with the mistake 'A' b would read a0 as its word 0; here it reads c0
// 10: with the mistake 'A' b would read a4 as its word 4; here it reads --
// 11: with the mistake 'D' b would read a4 as its word 4; here it reads --
// 12: with the mistake 'C' 2 pages would be free in the end; here 3 are
// 13: with the mistake 'B' b would read -- as its word 4; here it reads a4
#include "exercises/wrong.h"

char my_diagnosis(int pool);
char my_diagnosis(int pool)
{
    static const char *const answers[] = { "CAEBD", "?????", "DAEBD", "AAEBD", "EAEBD", "BAEBD", "CFEBD",
                                           "CCEBD", "CAFBD", "CAABD", "CAEAD", "CAEDD", "CAEBC", "CAEBB" };
    return answers[wrong()][pool];
}
