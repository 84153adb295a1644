// Exercise 19c, solved: worked in ANSWERS.md of the chapter.
#include "base/portable_math.h"

void my_bytes(double *bits, double *token, double *newest, double *pairs, double *kept);
void my_bytes(double *bits, double *token, double *newest, double *pairs, double *kept)
{
    *bits = 4 + 32.0 / 64;
    *token = 32 * 2 * 8 * 128 * *bits / 8;
    *newest = 63.0 * 32 * 2 * 8 * 128 * 4;
    *pairs = *token / 2;
    *kept = floor(65536 * *token / (32 * 2 * 8 * 128 * 2 + 32 * 8 * 8));
}
