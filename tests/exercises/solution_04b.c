// Exercise 04b, solved: what is alive asks for places as well, a little less than for what is alive.
#include "base/mat.h"

void my_wq(Mat wq);
void my_wq(Mat wq)
{
    enum { ALIVE = 4, ASKS_PLACE = 4 };
    *mat_ref(wq, ALIVE, ASKS_PLACE) = 5.0f;
}
