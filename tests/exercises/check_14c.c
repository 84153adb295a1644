// Exercise 14c: my_dscores.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

void my_dscores(Mat dscores, Mat weights, Mat v, Mat dout, Mat out);

typedef enum {
    RIGHT,
    OF_THE_TILE,
    OF_THE_TILE_DIVIDED,
    NO_MEAN,
    ADDED,
    NO_WEIGHT,
    OUT_ALONE,
    WEIGHT_INSIDE,
    TURNED,
    NOTHING,
    OWN_ALONE,
    OUT_FOR_DOUT,
    MEAN_OF_KEYS,
    MEAN_OF_WIDTH,
    MEAN_ALONE,
    TILE_TWICE,
    ONCE_A_KEY,
    OF_TILE_WEIGHTS,
    WEIGHT_TWICE,
    SUM_OF_OUT,
    OF_ROW_0,
    SCALED,
    SHARED_AGAIN,
    HOWS
} How;

// All tiles of `keys` keys, with one mistake or none.
static void fill(Mat dscores, Mat weights, Mat v, Mat dout, Mat out, int keys, How how)
{
    for (int r = 0; r < weights.rows; r++)
        for (int c = 0; c < weights.cols; c++) {
            int first = c / keys * keys, end = first + keys < v.rows ? first + keys : v.rows;
            float part = 0.0f, sum = 0.0f, whole = dot_product(mat_row(dout, r), mat_row(out, r), 1, v.cols);
            for (int j = first; j < end; j++) {
                part += *mat_ref(weights, r, j) * dot_product(mat_row(dout, r), mat_row(v, j), 1, v.cols);
                sum += *mat_ref(weights, r, j);
            }
            float mean = how == OF_THE_TILE ? part : how == OF_THE_TILE_DIVIDED ? part / sum : whole;
            if (how == NO_MEAN) mean = 0.0f;
            if (how == ADDED) mean = -mean;
            if (how == OUT_ALONE) mean = dot_product(mat_row(out, r), mat_row(out, r), 1, v.cols);
            if (how == MEAN_OF_KEYS) mean /= (float)(end - first);
            if (how == MEAN_OF_WIDTH) mean /= (float)v.cols;
            if (how == TILE_TWICE) mean += part;
            if (how == ONCE_A_KEY) mean *= (float)(end - first);
            if (how == OF_TILE_WEIGHTS) mean *= sum;
            if (how == WEIGHT_TWICE) mean *= *mat_ref(weights, r, c);
            if (how == SUM_OF_OUT) mean = (float)mat_sum(mat_rows(out, r, 1));
            if (how == OF_ROW_0) mean = dot_product(mat_row(dout, 0), mat_row(out, 0), 1, v.cols);
            float weight = how == NO_WEIGHT ? 1.0f : *mat_ref(weights, r, c);
            float dweight = dot_product(mat_row(how == OUT_FOR_DOUT ? out : dout, r), mat_row(v, c), 1, v.cols);
            if (how == OWN_ALONE) mean = weight * dweight;
            if (how == MEAN_ALONE) dweight = 2.0f * mean;
            if (how == SCALED) weight /= sqrtf((float)v.cols);
            if (how == SHARED_AGAIN) weight /= sum;
            if (how == TURNED || how == NOTHING) weight *= how == TURNED ? -1.0f : 0.0f;
            *mat_ref(dscores, r, c) = how == WEIGHT_INSIDE ? weight * dweight - mean : weight * (dweight - mean);
        }
}

// The row that is farthest from its sum of 0; when all are there, the first that is wrong.
static const char *property_of(Arena *arena, Mat got, Mat want)
{
    int worst = 0, wrong = 0;
    double far = 0.0;
    for (int r = got.rows - 1; r >= 0; r--) {
        double sum = mat_sum(mat_rows(got, r, 1));
        if (!(fabs(sum) < fabs(far))) worst = r;
        if (worst == r) far = sum;
        if (!(mat_max_difference(mat_rows(got, r, 1), mat_rows(want, r, 1)) <= 1e-5)) wrong = r;
    }
    if (isnan(far))
        return arena_format(arena, "row %d of dscores is NaN: is it written, or added to what stood there?", worst);
    if (fabs(far) <= 1e-5)
        return arena_format(arena, "every row of dscores sums to 0, as it must; row %d is wrong all the same", wrong);
    return arena_format(arena,
                        "a row of dscores sums to 0 over all its keys, as adding the same to all scores changes "
                        "nothing; row %d sums to %.4g",
                        worst, far);
}

static void all_tiles(Mat dscores, Mat weights, Mat v, Mat dout, Mat out, int keys)
{
    for (int first = 0; first < v.rows; first += keys) {
        int count = keys < v.rows - first ? keys : v.rows - first;
        my_dscores(mat_cols(dscores, first, count), mat_cols(weights, first, count), mat_rows(v, first, count), dout,
                   out);
    }
}

static void tiles_case(Judge *judge, int T, int S, int dv, int keys)
{
    Arena *arena = judge->arena;
    Random random = random_from((uint64_t)(100 * S + keys));
    Mat weights = mat_new(arena, T, S), v = mat_new(arena, S, dv), dout = mat_new(arena, T, dv);
    Mat out = mat_new(arena, T, dv), got = judge_output(judge, T, S), as[HOWS];
    random_normals(&random, weights);
    random_normals(&random, v);
    random_normals(&random, dout);
    for (int r = 0; r < T; r++) {
        float sum = 0.0f;
        for (int j = 0; j < S; j++) sum += *mat_ref(weights, r, j) = expf(*mat_ref(weights, r, j));
        for (int j = 0; j < S; j++) *mat_ref(weights, r, j) /= sum;
        for (int j = 0; j < S; j++)
            for (int n = 0; n < dv; n++) *mat_ref(out, r, n) += *mat_ref(weights, r, j) * *mat_ref(v, j, n);
    }
    for (How how = RIGHT; how < HOWS; how++) {
        as[how] = mat_new(arena, T, S);
        fill(as[how], weights, v, dout, out, keys, how);
    }
    judge_trying(judge, "my_dscores of %d quer%s and %d keys, in tiles of %d key%s", T, T == 1 ? "y" : "ies", S, keys,
                 keys == 1 ? "" : "s");
    all_tiles(got, weights, v, dout, out, keys);
    Mat again = mat_copy(arena, got);
    all_tiles(again, weights, v, dout, out, keys);
    bool remembers = mat_max_difference(got, again) > 1e-4;
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = as[RIGHT],
            .hints = { .property = property_of(arena, got, as[RIGHT]),
                       .question =
                           "the mean is taken over the whole row, and a tile has a piece of it. What is known of "
                           "the whole row when the way back begins?",
                       .formula = "Σⱼ wⱼ (dout · vⱼ), summed the other way round: first Σⱼ wⱼ vⱼ" },
            .mistakes = {
                { "the mean is still that of the tile alone: it must be that of the whole row", as[OF_THE_TILE] },
                { "the tile's mean, divided by the tile's weights, is a mean of this tile still: the others of "
                  "the row are not in it",
                  as[OF_THE_TILE_DIVIDED] },
                { "the mean is gone: without it a row of dscores does not sum to 0", as[NO_MEAN] },
                { "the sign of the mean: it is taken away", as[ADDED] },
                { "the bracket is turned round: the mean is taken away from dweight", as[TURNED] },
                { "every number of dscores is 0: here the loss does change with the scores", as[NOTHING] },
                { "of the mean this takes away the key's own share alone: a score changes all weights of its row",
                  as[OWN_ALONE] },
                { "dweight is dout · v, and here it is out · v", as[OUT_FOR_DOUT] },
                { "the mean is divided by the number of keys: the weights have shared it out already",
                  as[MEAN_OF_KEYS] },
                { "the mean is divided by dv: dout · out is a sum over the columns", as[MEAN_OF_WIDTH] },
                { "only the mean is in the bracket: where is this key's dweight?", as[MEAN_ALONE] },
                { "the weight before the bracket is missing", as[NO_WEIGHT] },
                { "the weight stands before dweight alone: it belongs before the whole bracket", as[WEIGHT_INSIDE] },
                { "out · out is no mean of dw: how the loss changes must be in it", as[OUT_ALONE] },
                { "the sum of out is no mean of dw: how the loss changes must be in it", as[SUM_OF_OUT] },
                { "the mean of the row has this tile's share in it already, and here it is added once more",
                  as[TILE_TWICE] },
                { "the mean is added up once for each key of the tile: it is one number for the row", as[ONCE_A_KEY] },
                { "the mean is multiplied by the weights of this tile: it is that of the whole row already",
                  as[OF_TILE_WEIGHTS] },
                { "the mean has a weight of its own in the bracket: the one before the bracket is enough",
                  as[WEIGHT_TWICE] },
                { "the mean of the first query is taken for all: each has its own", as[OF_ROW_0] },
                { "dscores is divided by √dv: a scale belongs to the way from scores to q and k", as[SCALED] },
                { "the weights are divided by their sum over the tile: they are shares of the whole row already",
                  as[SHARED_AGAIN] },
                { remembers ? "the same tiles give something else the second time: what is remembered between "
                              "two calls, or added to what stood in dscores?"
                            : NULL,
                  got } } });
}

static void check(Judge *judge)
{
    tiles_case(judge, 2, 4, 3, 4);
    tiles_case(judge, 2, 6, 3, 2);
    tiles_case(judge, 3, 7, 2, 3);
    tiles_case(judge, 1, 5, 4, 1);
}

int main(void) { return judge_main("14c", check); }
