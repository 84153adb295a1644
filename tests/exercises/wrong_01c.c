// Exercise 01c, solved wrongly: number WRONG of these gets this answer.
//
// 1: its dot product is -1.10 with animal and -0.69 with it
// 2: its cosine is 0.90 with it and 1.00 with animal
// 3: its cosine with it is 1.000: this is it once more
// 4: its cosine with animal is 0.352, and should be 0
// 5: its cosine with tired is 0.76, and should be above 0.9
// 6: one of the numbers is infinite or NaN
// 7: all twelve numbers are 0
// 8: its cosine with it is 0.72, and should be above 0.9
#include "exercises/wrong.h"

#include <math.h>
#include <string.h>

void my_louder(float word[12]);
void my_apart(float word[12]);

static const float animal[12] = { 1, 0, 0, 0, 1, 0, 0, 0.4f }, it[12] = { 0.6f, 0, 0, 0.2f, 0.5f, 0.2f };
static const float tired[12] = { 0, 0, 1, 0, 0.8f, 0, 0, -0.3f }, adjective[12] = { 0, 0, 1 };

void my_louder(float word[12])
{
    int how = wrong();
    memcpy(word, how == 2 ? animal : it, sizeof it);
    if (how == 1)
        for (int k = 0; k < 12; k++) word[k] = -word[k];
    if (how == 6) word[0] = NAN;
    if (how == 7) memset(word, 0, sizeof it);
    if (how == 8) memset(word, 0, sizeof it);
    if (how == 8) word[0] = 1.0f;
    else if (how > 3 || how == 0) word[2] = how == 7 ? 0.0f : 0.3f;
}

void my_apart(float word[12]) { memcpy(word, wrong() == 5 ? adjective : tired, sizeof tired); }
