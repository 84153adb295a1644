// Exercise 14c: my_dscores.
#include "attention/dot_product.h"
#include "attention/softmax.h"
#include "exercises/judge.h"

typedef void Dscores(Mat dscores, Mat weights, Mat v, Mat dout, Mat out);
Dscores my_dscores;

static const struct {
    int T, S, dv, keys; // keys in a tile
} cases[] = { { 2, 4, 3, 4 }, { 2, 6, 3, 2 }, { 3, 7, 2, 3 }, { 1, 5, 4, 1 } };

static void tiles_case(Judge *judge, Function f, int n)
{
    int T = cases[n].T, S = cases[n].S, dv = cases[n].dv, keys = cases[n].keys;
    Random random = random_from((uint64_t)(100 * S + keys));
    Mat weights = judge_random(judge, &random, T, S), v = judge_random(judge, &random, S, dv);
    Mat dout = judge_random(judge, &random, T, dv), out = mat_new(judge->arena, T, dv);
    for (int r = 0; r < T; r++) {
        Mat row = mat_rows(weights, r, 1);
        softmax(row.at, row.at, S);
        for (int j = 0; j < S; j++)
            for (int e = 0; e < dv; e++) *mat_ref(out, r, e) += row.at[j] * *mat_ref(v, j, e);
    }
    Mat dscores = judge_output(judge, T, S);
    judge_trying(judge, "my_dscores of %d quer%s and %d keys, in tiles of %d key%s", T, T == 1 ? "y" : "ies", S, keys,
                 keys == 1 ? "" : "s");
    for (int first = 0; first < S; first += keys) {
        int count = keys < S - first ? keys : S - first;
        ((Dscores *)f)(mat_cols(dscores, first, count), mat_cols(weights, first, count), mat_rows(v, first, count),
                       dout, out);
    }
}

enum { RIGHT, OF_THE_TILE, NO_MEAN, NO_WEIGHT, WEIGHT_INSIDE, OF_ROW_0 };

static void faulty_dscores(Mat dscores, Mat weights, Mat v, Mat dout, Mat out)
{
    const int fault = judge_fault;
    for (int r = 0; r < weights.rows; r++) {
        float mean = dot_product(mat_row(dout, r), mat_row(out, r), 1, v.cols), part = 0.0f;
        for (int c = 0; c < v.rows; c++)
            part += *mat_ref(weights, r, c) * dot_product(mat_row(dout, r), mat_row(v, c), 1, v.cols);
        if (fault == OF_THE_TILE) mean = part;
        if (fault == OF_ROW_0) mean = dot_product(mat_row(dout, 0), mat_row(out, 0), 1, v.cols);
        if (fault == NO_MEAN) mean *= 0.0f;
        for (int c = 0; c < v.rows; c++) {
            float dweight = dot_product(mat_row(dout, r), mat_row(v, c), 1, v.cols), weight = *mat_ref(weights, r, c);
            float *to = mat_ref(dscores, r, c);
            *to = weight * (dweight - mean);
            if (fault == NO_WEIGHT) *to = dweight - mean;
            if (fault == WEIGHT_INSIDE) *to = weight * dweight - mean;
        }
    }
}

static const Task tasks[] = {
    { AS(Dscores, my_dscores), AS(Dscores, faulty_dscores), tiles_case, COUNT(cases),
      .hints = { { NULL,
                   "the mean is taken over the whole row, and a tile has a piece of it. What is known of the whole row "
                   "when the way back begins?",
                   "Σⱼ wⱼ (dout · vⱼ), summed the other way round: first Σⱼ wⱼ vⱼ" } },
      .faulty = AS(Dscores, faulty_dscores),
      .wrong = { FAULT(OF_THE_TILE, "the mean is still that of the tile alone: it must be that of the whole row"),
                 FAULT(NO_MEAN, "the mean is gone: without it a row of dscores does not sum to 0"),
                 FAULT(NO_WEIGHT, "the weight before the bracket is missing"),
                 FAULT(WEIGHT_INSIDE, "the weight stands before dweight alone: it belongs before the whole bracket"),
                 FAULT(OF_ROW_0, "the mean of the first query is taken for all: each has its own") } },
};
EXERCISE("14c", tasks)
