// Exercise 26b, solved wrongly: number WRONG of these gets this answer.
//
// 1: a letter from 'A' to 'H'
// 2: 'D' would show 0.0 0.0, 1.0 1.0; it shows 1.0 1.0, 0.0 0.0
// 3: 'F' would show 1.0 1.0, 1.0 1.0; it shows 1.0 1.0, 0.0 0.0
// 4: 'C' would show 1.0 1.0, 0.0 0.0; it shows 0.0 0.0, 1.0 1.0
// 5: 'G' would show 0.0 0.0, 0.0 0.0; it shows 0.0 0.0, 1.0 1.0
// 6: 'F' would show 1.0 1.0, 1.0 1.0; it shows 0.5 0.5, 0.5 0.5
// 7: 'D' would show 0.0 0.0, 1.0 1.0; it shows 0.0 0.0, 0.0 0.0
// 8: 'B' would show 0.0 1.0, 0.0 1.0; it shows 1.0 1.0, 1.0 1.0
// 9: 'E' would show 0.5 0.5, 0.5 0.5; it shows 1.0 1.0, 1.0 1.0
// 10: 'A' would show 1.0 0.0, 1.0 0.0; it shows 0.0 1.0, 0.0 1.0
// 11: 'E' would show 0.5 0.5, 0.5 0.5; it shows 0.8 0.5, 0.5 0.2
#include "exercises/wrong.h"

char my_diagnosis(int model);
char my_diagnosis(int model)
{
    static const char *const answers[] = { "CDEGFBH", "???????", "DDEGFBH", "FDEGFBH", "CCEGFBH", "CGEGFBH",
                                           "CDFGFBH", "CDEDFBH", "CDEGBBH", "CDEGEBH", "CDEGFAH", "CDEGFBE" };
    return answers[wrong()][model];
}
