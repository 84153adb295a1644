// Exercise 06a, solved with the library's own function.
#include "attention/multi_head.h"

void my_heads(Mat out, Mat q, Mat k, Mat v, int H);
void my_heads(Mat out, Mat q, Mat k, Mat v, int H) { multi_head_attend(out, (Mat){ 0 }, q, k, v, H, (Mask){ 0 }); }
