// Exercise 22c, solved: worked in ANSWERS.md of the chapter.
#include "base/portable_math.h"

float my_lambda(void);
float my_row_sum(void);
float my_size(void);
float my_value_width(void);
float my_numbers_kept(void);
float my_multiplications(void);

float my_lambda(void) { return expf(0.0f) - expf(logf(2.0f)) + 0.8f; }
float my_row_sum(void) { return 1.0f - my_lambda(); }
float my_size(void) { return 1.0f - 0.8f; }
float my_value_width(void) { return 2048.0f / 8.0f; }
float my_numbers_kept(void) { return 16.0f * 128.0f + 8.0f * 256.0f; }
float my_multiplications(void) { return 16.0f * (128.0f + 256.0f); }
