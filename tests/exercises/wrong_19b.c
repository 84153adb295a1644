// Exercise 19b, solved wrongly: number WRONG of these gets this answer.
//
// 1: a letter from 'A' to 'F'
// 2: with the mistake 'B' channel 1 of key 0 would be 0.00; this cache gives 10.00
// 3: with the mistake 'C' channel 1 of key 0 would be 10.67; this cache gives 10.00
// 4: with the mistake 'D' channel 0 of key 1 would be 0.50; this cache gives 0.90
// 5: with the mistake 'F' channel 1 of key 0 would be 10.67; this cache gives 0.00
// 6: with the mistake 'A' channel 1 of key 0 would be 10.00; this cache gives 0.00
// 7: with the mistake 'E' channel 0 of key 1 would be 0.75; this cache gives 0.50
// 8: with the mistake 'A' channel 0 of key 1 would be 0.90; this cache gives 0.50
// 9: with the mistake 'F' channel 0 of key 1 would be 1.00; this cache gives 0.00
// 10: with the mistake 'E' channel 1 of key 0 would be 10.00; this cache gives 10.67
// 11: with the mistake 'D' channel 0 of key 1 would be 0.50; this cache gives 0.75
// 12: with the mistake 'C' channel 1 of key 0 would be 10.67; this cache gives 10.00
#include "exercises/wrong.h"

char my_diagnosis(int cache);
char my_diagnosis(int cache)
{
    static const char *const answers[] = { "ABDCE", "?????", "BBDCE", "CBDCE", "DBDCE", "AFDCE", "AADCE",
                                           "ABECE", "ABACE", "ABDFE", "ABDEE", "ABDCD", "ABDCC" };
    return answers[wrong()][cache];
}
