// Exercise 07b, solved wrongly: number WRONG of these gets this answer.
//
// 1: without one call of score
// 2: without one call of score
// 3: takes every position from 512 on for 511
// 4: the last pair of the key is not turned
// 5: RoPE's score depends on the distance alone
// 6: angles are computed in float32
// 7: no two calls had the same i - j
// 8: sinusoidal positions added to q and k pass
// 9: the opposite of the right one
// 10: distance 0 alone was tried
// 11: position -1 was asked for
// 12: in every call q or k was 0
#include "attention/dot_product.h"
#include "base/random.h"
#include "exercises/wrong.h"

#include <math.h>

typedef double Score(Mat q, int i, Mat k, int j);

bool my_distance_test(Score *score, Arena *arena);
bool my_distance_test(Score *score, Arena *arena)
{
    static const int moves[] = { 1, 10, 300, 3000, 999000 };
    int how = wrong();
    if (how == 1 || how == 2) return how == 1;
    Random random = random_from(7);
    Mat q = mat_new(arena, 1, 8), k = mat_new(arena, 1, 8);
    random_normals(&random, q);
    random_normals(&random, k);
    for (int c = how == 12 ? 0 : 2; c < 8 && (how == 4 || how == 12); c++) q.at[c] = k.at[c] = 0.0f;
    double most = how == 5 ? 0.0 : 1e-4 * (double)(vector_norm(q.at, 8) * vector_norm(k.at, 8));
    for (int n = 0; n < (how == 3 ? 3 : how == 6 ? 4 : 5); n++)
        for (int apart = 0; apart <= (how == 10 ? 0 : 100); apart += 7) {
            int moved = how == 7 ? 0 : moves[n], by = moves[n]; // 7 moves the query only
            if (how == 11) moved = by = -1;
            double before = score(q, apart, k, 0), after = score(q, apart + by, k, moved);
            if (fabs(after - before) > most && how != 8) return how == 9;
        }
    return how != 9;
}
