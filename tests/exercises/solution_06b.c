// Exercise 06b, solved with the library's own function.
#include "attention/multi_head.h"

void my_layer(Mat out, Mat x, Mat wqkv, Mat wo, int H, Arena *arena);
void my_layer(Mat out, Mat x, Mat wqkv, Mat wo, int H, Arena *arena)
{
    (void)arena;
    multi_head_fused(out, (Mat){ 0 }, x, (MultiHead){ H, wqkv, wo }, (Mask){ .causal = true });
}
