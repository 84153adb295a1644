// Exercise 05c, solved wrongly: number WRONG of these gets this answer.
//
// 1: no letter has been written
// 2: seven letters are wanted
// 3: G would give 0.33 in row 0, column 0 (both from 0); there stands 1.00
// 4: A would give 0.40 in row 0, column 3
// 5: H would give 1.00 in row 0, column 0 (both from 0); there stands 0.33
// 6: E would give 0.12 in row 0, column 0
// 7: F would give 0.10 in row 0, column 0 (both from 0); there stands 0.17
// 8: J would give 0.29 in row 1, column 1
// 9: the letters A to J
// 10: for this table yet
// 11: and nothing between them
// 12: I would give 0.33 in row 0
#include "exercises/wrong.h"

const char *my_causes(void);
const char *my_causes(void)
{
    static const char *const answers[] = { "HFGCDBI", "???????",       "HFG",     "GFHCDBI", "HAGCDBI",
                                           "HFHCDBI", "HFGEDBI",       "HFGCFBI", "HFGCDJI", "HFGCDBK",
                                           "?FGCDBI", "H F G C D B I", "hfgcdib" };
    return answers[wrong()];
}
