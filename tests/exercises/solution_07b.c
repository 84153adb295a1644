// Exercise 07b, solved: several words and distances, moved a little, far, and very far.
#include "attention/dot_product.h"
#include "base/random.h"

#include <math.h>

typedef double Score(Mat q, int i, Mat k, int j);

bool my_distance_test(Score *score, Arena *arena);
bool my_distance_test(Score *score, Arena *arena)
{
    static const int moves[] = { 1, 10, 300, 3000, 40000, 999000 };
    Random random = random_from(7);
    Mat q = mat_new(arena, 1, 8), k = mat_new(arena, 1, 8);
    for (int words = 0; words < 10; words++) {
        random_normals(&random, q);
        random_normals(&random, k);
        double most = 2e-4 * (double)(vector_norm(q.at, 8) * vector_norm(k.at, 8));
        for (int n = 0; n < 6; n++)
            for (int apart = -8; apart <= 300; apart += 7) {
                int i = apart < 0 ? 0 : apart, j = i - apart;
                if (fabs(score(q, i + moves[n], k, j + moves[n]) - score(q, i, k, j)) > most) return false;
            }
    }
    return true;
}
