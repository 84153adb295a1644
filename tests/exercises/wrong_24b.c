// Exercise 24b, solved wrongly: number WRONG of these gets this answer.
//
// 1: a letter from 'A' to 'H'
// 2: 'A' rank 1 would have kept 4 5 6 7; here it has kept 0 1 4 5 6 7
// 3: 'B' the positions would be 0 1 2 3 4 5; here they are 0 1 4 5 6 7
// 4: 'F' rank 1 would have kept 4 5 6 7
// 5: the positions would be 2 3 4 5 6 7; here they are 0 1 2 3 4 5
// 6: 'D' rank 1 would have read 2 3 4 5 6 7; here it has read 0 1 4 5 6 7
// 7: 'G' lse would be 2.485; here it is 2.565
// 8: 'H' lse would be 1.609; here it is 2.565
// 9: 'F' lse would be 2.708; here it is 2.565
// 10: 'C' rank 1 would have kept 0 1 4 5 6 7; here it has kept 4 5 6 7
// 11: 'A' lse would be 2.565; here it is 2.708
// 12: 'E' rank 1 would have read 0 1 4 5 6 7; here it has read 2 3 4 5 6 7
// 13: 'B' the positions would be 0 1 2 3 4 5; here they are 2 3 4 5 6 7
#include "exercises/wrong.h"

char my_diagnosis(int program);
char my_diagnosis(int program)
{
    static const char *const answers[] = { "CBAFDE", "??????", "ABAFDE", "BBAFDE", "FBAFDE", "CEAFDE", "CDAFDE",
                                           "CBGFDE", "CBHFDE", "CBFFDE", "CBCFDE", "CBAADE", "CBAFEE", "CBAFDB" };
    return answers[wrong()][program];
}
