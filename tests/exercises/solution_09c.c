// Exercise 09c, solved.
#include "base/mat.h"

void my_induction_head(Mat wq, Mat wk, Mat wv);
void my_induction_head(Mat wq, Mat wk, Mat wv)
{
    for (int a = 0; a < 4; a++) {
        *mat_ref(wq, a, a) = 5.0f;
        *mat_ref(wk, 4 + a, a) = 5.0f;
        *mat_ref(wv, a, a) = 1.0f;
    }
}
