// Recomputes the scores of all heads.
#include "lesson/dump.h"

Mat lesson_dump_scores(Lesson *lesson, Mat q, Mat k, int H, const Mask *masks)
{
    REQUIRE(H > 0 && q.cols % H == 0, "q is " MAT_SHAPE ", which %d heads cannot share", MAT_SHAPED(q), H);
    int T = q.rows, d = q.cols / H, G = k.cols / d;
    REQUIRE(G > 0 && H % G == 0 && k.cols == G * d, "q is " MAT_SHAPE ", k is " MAT_SHAPE ", heads: %d", MAT_SHAPED(q),
            MAT_SHAPED(k), H);
    Mat scores = mat_new(lesson->arena, H * T, k.rows);
    for (int h = 0; h < H; h++)
        attention_scores(mat_rows(scores, h * T, T), mat_cols(q, h * d, d), mat_cols(k, h / (H / G) * d, d),
                         masks ? masks[h] : (Mask){ 0 });
    return scores;
}
