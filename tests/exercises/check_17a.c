// Exercise 17a: my_absorbed and my_latent_attention.
#include "attention/dot_product.h"
#include "attention/latent.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Absorbed(Mat to, Mat q, Mat wuk, int H, int dr);
typedef void Attention(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr);
Absorbed my_absorbed;
Attention my_latent_attention;

static const struct {
    int T, H, c, d, dr;
} absorbs[] = { { 1, 1, 3, 2, 2 }, { 3, 4, 6, 3, 2 }, { 2, 2, 5, 4, 0 } };

static void absorb_case(Judge *judge, Function f, int n)
{
    int T = absorbs[n].T, H = absorbs[n].H, c = absorbs[n].c, d = absorbs[n].d, dr = absorbs[n].dr;
    Random random = random_from((uint64_t)(100 * H + c));
    Mat to = judge_output(judge, T, H * (c + dr));
    Mat q = judge_random(judge, &random, T, H * (d + dr));
    Mat wuk = judge_random(judge, &random, c, H * d);
    judge_trying(judge, "my_absorbed of %d queries, H = %d, c = %d, d = %d, dr = %d", T, H, c, d, dr);
    ((Absorbed *)f)(to, q, wuk, H, dr);
}

enum { NO_ROPE = 1, ROPE_FIRST, HEAD_0, EVERY_D };

static void faulty_absorbed(Mat to, Mat q, Mat wuk, int H, int dr)
{
    const int fault = judge_fault, width = q.cols / H, d = width - dr, c = wuk.rows;
    for (int i = 0; i < q.rows; i++)
        for (int h = 0; h < H; h++) {
            const float *from = mat_row(q, i) + (fault == EVERY_D ? h * d : h * width);
            const int up = fault == HEAD_0 ? 0 : h * d, first = h * (c + dr);
            for (int l = 0; l < c; l++)
                *mat_ref(to, i, first + (fault == ROPE_FIRST ? dr : 0) + l) =
                    dot_product(from, mat_row(wuk, l) + up, 1, d);
            for (int e = 0; e < dr && fault != NO_ROPE; e++)
                *mat_ref(to, i, first + (fault == ROPE_FIRST ? 0 : c) + e) = from[d + e];
        }
}

// The last case has keys and values that no float holds: the first number of token 0's latent is 10³⁰, of token 1's
// −10³⁰, and wuk and wuv make 10⁴⁰ of it. But no query asks for it, and as both tokens have the same r, so the same
// weight, what is mixed of it is exactly 0. A function that makes no key and no value has nothing but usual numbers.
static const int attends[][7] = {
    { 3, 5, 2, 6, 3, 2, 4 }, { 4, 4, 4, 7, 2, 4, 3 }, { 1, 9, 3, 4, 3, 2, 3 }, { 2, 5, 2, 4, 3, 2, 3 }
}; // T, S, H, c, d, dr, dv

static void attend_case(Judge *judge, Function f, int n)
{
    const int *shape = attends[n], T = shape[0], S = shape[1], H = shape[2], c = shape[3], d = shape[4], dr = shape[5];
    const int dv = shape[6];
    bool beyond = n == COUNT(attends) - 1;
    Random random = random_from((uint64_t)(1000 + 100 * H + c));
    Mat out = judge_output(judge, T, H * dv), q = judge_random(judge, &random, T, H * (d + dr));
    Mat rows = judge_random(judge, &random, S, c + dr), wuk = judge_random(judge, &random, c, H * d);
    Mat wuv = judge_random(judge, &random, c, H * dv);
    if (beyond) {
        for (int h = 0; h < H; h++) mat_fill(mat_cols(q, h * (d + dr), d), 0.0f);
        for (int j = 0; j < S; j++) *mat_ref(rows, j, 0) = j == 0 ? 1e30f : j == 1 ? -1e30f : 0.0f;
        mat_set(mat_cols(mat_rows(rows, 1, 1), c, dr), mat_cols(mat_rows(rows, 0, 1), c, dr));
        mat_fill(mat_rows(wuk, 0, 1), 1e10f);
        mat_fill(mat_rows(wuv, 0, 1), 1e10f);
    }
    judge_trying(judge, "my_latent_attention of %d queries and %d tokens, H = %d, c = %d, d = %d, dr = %d, dv = %d%s",
                 T, S, H, c, d, dr, dv, beyond ? "; keys and values of tokens 0 and 1 would be infinite" : "");
    ((Attention *)f)(out, q, rows, wuk, wuv, H, dr);
}

enum { SEEN_WIDTH = 1, NO_SCALE, ONE_QUERY, VALUES_LATE, MADE };

static void faulty_attention(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr)
{
    const int fault = judge_fault, width = q.cols / H, c = wuk.rows, dv = wuv.cols / H;
    int divisor = fault == SEEN_WIDTH ? c + dr : fault == NO_SCALE ? 1 : width;
    Mask mask = { .scale = 1.0f / (sqrtf((float)divisor)) };
    Arena *arena = arena_open();
    Mat own = mat_new(arena, q.rows, H * (c + dr)), mixed = mat_new(arena, q.rows, c),
        v = mat_new(arena, rows.rows, dv);
    latent_absorb(own, q, wuk, H, dr);
    for (int h = 0; h < H; h++) {
        Mat up = mat_cols(wuv, h * dv, dv), to = mat_cols(out, h * dv, dv);
        Mat query = mat_cols(own, (fault == ONE_QUERY ? 0 : h) * (c + dr), c + dr);
        matmul(v, mat_cols(rows, 0, c), up);
        if (fault == MADE) attention_naive((Attended){ .out = to }, query, rows, v, mask);
        else
            attention_naive((Attended){ .out = mixed }, query, rows, mat_cols(rows, fault == VALUES_LATE ? dr : 0, c),
                            mask);
        if (fault != MADE) matmul(to, mixed, up);
    }
    arena_close(arena);
}

static const Task tasks[] = {
    { AS(Absorbed, my_absorbed), AS(Absorbed, latent_absorb), absorb_case, COUNT(absorbs),
      .hints = { { "the scores with the rows as they stand are not those with keys that are made",
                   "q · (l Wuk) is a sum over d and over c: what is left for l when the sum over d is done first? And "
                   "which part of a row does the rest of q meet?",
                   "to[i, h(c + dr) + l] = Σₑ q[i, h(d + dr) + e] wuk[l, hd + e]; behind it the dr numbers of q as "
                   "they are" } },
      .faulty = AS(Absorbed, faulty_absorbed),
      .wrong = { FAULT(NO_ROPE,
                       "the turned part is missing: the last dr numbers of each head are to be written, too, as "
                       "they are"),
                 FAULT(ROPE_FIRST,
                       "the turned part stands before the latent's; in a row of the cache it stands behind"),
                 FAULT(HEAD_0, "every head goes through head 0's columns of wuk"),
                 FAULT(EVERY_D, "a head's numbers in q are taken from h · d on: each head has d + dr of them") } },
    { AS(Attention, my_latent_attention), AS(Attention, faulty_attention), attend_case, COUNT(attends), 1e-4f,
      .hints = { { "the output is not that of heads with keys and values of their own",
                   "what are the keys here, what are the values, and what is still to be done with what is mixed of "
                   "them?",
                   "headₕ = (Σⱼ aⱼ lⱼ) Wuvₕ with a = softmax(absorbedₕ · rowsⱼ / √(d + dr))" } },
      .faulty = AS(Attention, faulty_attention),
      .wrong = { FAULT(SEEN_WIDTH, "the scale is that of rows of c + dr; the scores are those of keys of d + dr"),
                 FAULT(NO_SCALE, "the scores are not scaled"), FAULT(ONE_QUERY, "every head looks with head 0's query"),
                 FAULT(VALUES_LATE, "what is mixed begins in the wrong column of the rows: the latent comes first"),
                 FAULT(MADE, "a key or a value of a token is made: here they are larger than any float, while what is "
                             "absorbed and what is mixed are usual numbers") } },
};
EXERCISE("17a", tasks)
