// Exercise 06c, solved.
#include "base/mat.h"

void my_wo(Mat wo);
void my_wo(Mat wo)
{
    for (int c = 0; c < 2; c++) {
        *mat_ref(wo, 4 + c, c) = 1.0f;
        *mat_ref(wo, c, 2 + c) = 0.5f;
        *mat_ref(wo, 2 + c, 2 + c) = 0.5f;
    }
    *mat_ref(wo, 0, 4) = 1.0f;
    *mat_ref(wo, 2, 4) = -1.0f;
}
