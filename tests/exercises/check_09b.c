// Exercise 09b: my_layer, which has three mistakes to begin with. Each case shows one property of a right layer.
#include "attention/attention.h"
#include "attention/product.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

void my_layer(Mat out, Mat x, Mat gain, Mat wqkv, Mat wo, int H);

enum { T = 5, D = 8 };
typedef struct {
    Mat x, gain, wqkv, wo;
} Given;

// Ways to write it.
typedef enum {
    RIGHT,
    SUM,
    CENTRED,
    NO_GAIN,
    NO_WO,
    NO_ROOT,
    BY_D,
    BY_T,
    BY_HEAD,
    NOT_NORMED,
    SWAPPED,
    ON_AND_ON,
    ONE_MORE,
    TURNED_ROUND,
    VALUES_FIRST,
    TWICE_SCALED,
    HEAD_BY_HEAD
} Way;

// What a row is multiplied by.
static float scale_of(float sum, int H, Way way)
{
    float mean = sum / (float)(way == SUM ? 1 : way == BY_T ? T : way == BY_HEAD ? D / H : D);
    if (way == NO_ROOT) return 1.0f / (mean + 1e-6f);
    if (way == TURNED_ROUND) return sqrtf(mean + 1e-6f);
    return way == BY_D ? (float)D / sqrtf(sum + 1e-6f) : 1.0f / sqrtf(mean + 1e-6f);
}

static Mat normed(Arena *arena, Mat x, Mat gain, int H, Way way)
{
    if (way == NOT_NORMED) return x;

    Mat y = mat_new(arena, x.rows, x.cols);
    float sum = 0.0f;
    for (int i = 0; i < x.rows; i++) {
        float mean = 0.0f;
        if (way != ON_AND_ON) sum = 0.0f;
        for (int c = 0; c < D; c++) mean += *mat_ref(x, i, c) / (float)D;
        if (way != CENTRED) mean = 0.0f;
        for (int c = 0; c < D; c++) sum += (*mat_ref(x, i, c) - mean) * (*mat_ref(x, i, c) - mean);
        float scale = scale_of(sum, H, way);
        for (int c = 0; c < D; c++)
            *mat_ref(y, i, c) = (*mat_ref(x, i, c) - mean) * scale *
                                (way == NO_GAIN ? 1.0f : *mat_ref(gain, 0, c) + (way == ONE_MORE ? 1.0f : 0.0f));
    }
    return y;
}

static Mat layer(Arena *arena, Given g, int H, Way way)
{
    int d = D / H;
    Mat in = normed(arena, g.x, g.gain, H, way), out = mat_copy(arena, g.x);
    Mat qkv = mat_new(arena, T, 3 * D), found = mat_new(arena, T, D);
    product_add(qkv, in, g.wqkv);
    for (int h = 0; h < H; h++) {
        bool by_head = way == HEAD_BY_HEAD;
        Mat part[3]; // queries, keys, values
        for (int n = 0; n < 3; n++) part[n] = mat_cols(qkv, by_head ? (3 * h + n) * d : n * D + h * d, d);
        int q = way == SWAPPED, k = way == VALUES_FIRST ? 2 : !q, v = way == VALUES_FIRST ? 1 : 2;
        Mask mask = { .causal = true, .scale = way == TWICE_SCALED ? 1.0f / (float)d : 0.0f };
        attention_naive((Attended){ .out = mat_cols(found, h * d, d) }, part[q], part[k], part[v], mask);
    }
    if (way == NO_WO) {
        for (int i = 0; i < T; i++)
            for (int c = 0; c < D; c++) *mat_ref(out, i, c) += *mat_ref(found, i, c);
    } else {
        product_add(out, found, g.wo);
    }
    return out;
}

static Given given(Judge *judge, uint64_t seed)
{
    Random random = random_from(seed);
    Given g = { mat_new(judge->arena, T, D), mat_new(judge->arena, 1, D), mat_new(judge->arena, D, 3 * D),
                mat_new(judge->arena, D, D) };
    random_normals(&random, g.x);
    random_normals(&random, g.gain);
    random_normals(&random, g.wqkv);
    random_normals(&random, g.wo);
    return g;
}

static Mat run(Judge *judge, Given g, int H)
{
    Mat out = judge_output(judge, T, D);
    my_layer(out, g.x, g.gain, g.wqkv, g.wo, H);
    return out;
}

// Heads that write nothing: the stream passes as it came.
static void nothing_is_written(Judge *judge)
{
    Given g = given(judge, 1);
    mat_fill(g.wo, 0.0f);
    judge_trying(judge, "my_layer with Wo = 0, so that no head can write");
    judge_answer(
        judge,
        (Answer){
            .got = run(judge, g, 2),
            .expected = g.x,
            .hints = { .property = "with Wo = 0 the layer adds nothing, and what comes out is x itself; here it is not",
                       .question = "what does the layer add to: to the stream as it came, or to something made of it?",
                       .formula = "out = x + (…) Wo" },
            .mistakes = {
                { "what comes out went through the norm: the norm is for what the heads read, and the stream "
                  "itself stays as it is",
                  normed(judge->arena, g.x, g.gain, 2, RIGHT) },
                { "Wo is missing: what the heads found does not go through it", layer(judge->arena, g, 2, NO_WO) } } });
}

static double change(Mat after, Mat before, int row)
{
    return mat_max_difference(mat_rows(after, row, 1), mat_rows(before, row, 1));
}

// Only the last token changes: what came before it must not notice.
static void the_future(Judge *judge)
{
    Given g = given(judge, 2), other = g;
    other.x = mat_copy(judge->arena, g.x);
    for (int c = 0; c < D; c++) *mat_ref(other.x, T - 1, c) = -1.0f;
    judge_trying(judge, "rows 0 to %d of my_layer, before and after the last token was changed", T - 2);
    Mat before = mat_rows(run(judge, g, 2), 0, T - 1), after = mat_rows(run(judge, other, 2), 0, T - 1);
    int row = 0;
    while (row < T - 2 && change(after, before, row) < 1e-5) row++;
    judge_answer(judge,
                 (Answer){
                     .got = after,
                     .expected = before,
                     .tolerance = 1e-6f,
                     .hints = { .property = arena_format(judge->arena,
                                                         "another last token changes row %d by up to %.2f: it can see "
                                                         "what comes after it",
                                                         row, (double)change(after, before, row)),
                                .question = "which keys may a query of model A look at?",
                                .formula = "query i sees the keys j ≤ i" } });
}

static void all_of_it(Judge *judge, uint64_t seed, int H)
{
    Given g = given(judge, seed);
    judge_trying(judge, "my_layer of %d tokens, D = %d, H = %d", T, D, H);
    judge_answer(
        judge,
        (Answer){
            .got = run(judge, g, H),
            .expected = layer(judge->arena, g, H, RIGHT),
            .tolerance = 1e-4f,
            .hints = { .property =
                           "the stream passes, the future is hidden, and yet what is added to the stream is not "
                           "what it should be",
                       .question = "how large is a row of norm(x), before the gain: what is the mean of its squares?",
                       .formula = "norm(x) = x / √((1/D) Σ x² + ε) · gain" },
            .mistakes = {
                { "what reaches Wqkv is too small: before the gain, the squares of a normed row must have the mean 1",
                  layer(judge->arena, g, H, SUM) },
                { "the mean is taken away first: that is LayerNorm; an RMS norm only divides",
                  layer(judge->arena, g, H, CENTRED) },
                { "the gain is missing", layer(judge->arena, g, H, NO_GAIN) },
                { "what comes out is x itself: what the heads found is not in it", g.x },
                { "a row is divided by the mean of its squares: the root is missing",
                  layer(judge->arena, g, H, NO_ROOT) },
                { "the root is taken first and then divided by D: the other way round",
                  layer(judge->arena, g, H, BY_D) },
                { "a row has D numbers, and their squares are divided by T", layer(judge->arena, g, H, BY_T) },
                { "a row has D numbers: the norm comes before the heads, and the width of one head does not matter to it",
                  layer(judge->arena, g, H, BY_HEAD) },
                { "what reaches Wqkv is the stream itself: heads read it through the norm",
                  layer(judge->arena, g, H, NOT_NORMED) },
                { "queries and keys are swapped: q is the first third of qkv, k the second",
                  layer(judge->arena, g, H, SWAPPED) },
                { "the sum of one row goes on into the next: it begins at 0 for each",
                  layer(judge->arena, g, H, ON_AND_ON) },
                { "the gain is learned as it is: nothing is added to it", layer(judge->arena, g, H, ONE_MORE) },
                { "a row is multiplied by its root mean square: divide by it",
                  layer(judge->arena, g, H, TURNED_ROUND) },
                { "keys and values are swapped: k is the second third of qkv, v the third",
                  layer(judge->arena, g, H, VALUES_FIRST) },
                { "the scores are divided by √d twice: attention_naive does that itself",
                  layer(judge->arena, g, H, TWICE_SCALED) },
                { "the columns of qkv are all queries, then all keys, then all values, not head by head",
                  layer(judge->arena, g, H, HEAD_BY_HEAD) },
            } });
}

static void check(Judge *judge)
{
    nothing_is_written(judge);
    the_future(judge);
    all_of_it(judge, 3, 1);
    all_of_it(judge, 4, 2);
    all_of_it(judge, 5, 4);
}

int main(void) { return judge_main("09b", check); }
