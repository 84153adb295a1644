// Exercise 17a: my_absorbed and my_latent_attention.
#include "attention/attention.h"
#include "base/portable_math.h"
#include "base/random.h"
#include "exercises/judge.h"

void my_absorbed(Mat to, Mat q, Mat wuk, int H, int dr);
void my_latent_attention(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr);

// A view in the middle of a wider matrix of noise, so that a stride that is forgotten shows.
static Mat view_of(Judge *judge, Random *random, int rows, int cols)
{
    Mat wide = mat_new(judge->arena, rows, cols + 3);
    random_normals(random, wide);
    return mat_cols(wide, 2, cols);
}

// What a function was given it must leave as it was: what is expected is computed from it, and others read it again.
static void inputs_stay(Judge *judge, const Mat *given, const Mat *before, const char *const *names, int count)
{
    for (int n = 0; n < count; n++)
        judge_claim(judge, mat_equal(given[n], before[n]),
                    (Hints){ .property = arena_format(judge->arena,
                                                      "afterwards %s is no longer what it was, and it is the caller's",
                                                      names[n]),
                             .question = "which matrix may be written to?" });
}

// ---- 1

typedef enum {
    RIGHT,
    NO_ROPE,
    ROPE_FIRST,
    HEAD_0,
    SCALED,
    OTHER_HEAD,
    LATENTS_FIRST,
    NO_STRIDE,
    DEALT_OUT,
    BEGINS_EVERY_D,
    BOTH_EVERY_D,
    OTHER_TURNED,
    FIRST_AGAIN,
    EXCHANGED,
    TURNED_LAST
} Absorb;

static Mat absorbed(Arena *arena, Mat q, Mat wuk, int H, int dr, Absorb how)
{
    int width = q.cols / H, d = width - dr, c = wuk.rows;
    Mat to = mat_new(arena, q.rows, H * (c + dr));
    for (int i = 0; i < q.rows; i++)
        for (int h = 0; h < H; h++) {
            const float *from = mat_row(q, i) + (how == OTHER_HEAD ? 0 : h * width);
            if (how == NO_STRIDE) from = q.at + i * q.cols + h * width;
            if (how == BEGINS_EVERY_D || how == BOTH_EVERY_D || how == TURNED_LAST) from = mat_row(q, i) + h * d;
            float *row = mat_row(to, i), *latent = row + h * (c + dr), *behind = latent + c;
            if (how == ROPE_FIRST) {
                behind = latent;
                latent = behind + dr;
            }
            if (how == LATENTS_FIRST) {
                latent = row + h * c;
                behind = row + H * c + h * dr;
            }
            for (int l = 0; l < c; l++) {
                float sum = 0.0f;
                const float *up = how == NO_STRIDE ? wuk.at + l * wuk.cols : mat_row(wuk, l);
                for (int e = 0; e < d; e++) {
                    // Exchanged, a column may lie beyond the matrix. There are more rows then: no other memory is read.
                    float by = how == EXCHANGED ? mat_row(wuk, e)[h * d + l]
                                                : up[how == DEALT_OUT ? e * H + h : (how == HEAD_0 ? 0 : h * d) + e];
                    sum += from[e] * by;
                }
                latent[l] = how == SCALED ? sum / sqrtf((float)width) : sum;
            }
            for (int e = 0; e < dr; e++) {
                float turned = how == NO_ROPE ? 0.0f : mat_row(q, i)[h * width + d + e];
                if (how == NO_STRIDE || how == OTHER_HEAD || how == BOTH_EVERY_D) turned = from[d + e];
                if (how == TURNED_LAST) turned = mat_row(q, i)[H * d + h * dr + e];
                if (how == OTHER_TURNED) turned = mat_row(q, i)[d + e];
                if (how == FIRST_AGAIN) turned = from[e % (d > 0 ? d : 1)];
                behind[e] = how == SCALED ? turned / sqrtf((float)width) : turned;
            }
        }
    return to;
}

// What meets the latents is right, and the dr numbers behind it are not written.
static Mat without_turned(Judge *judge, Mat right, int H, int dr)
{
    Mat to = judge_output(judge, right.rows, right.cols);
    int width = right.cols / H;
    for (int h = 0; h < H; h++) mat_set(mat_cols(to, h * width, width - dr), mat_cols(right, h * width, width - dr));
    return to;
}

static void absorb_case(Judge *judge, int T, int H, int c, int d, int dr)
{
    Random random = random_from((uint64_t)(100 * H + c));
    Mat q = view_of(judge, &random, T, H * (d + dr)), wuk = view_of(judge, &random, c, H * d);
    Mat got = judge_output(judge, T, H * (c + dr));
    Mat before[] = { mat_copy(judge->arena, q), mat_copy(judge->arena, wuk) };
    judge_trying(judge, "my_absorbed of %d queries, H = %d, c = %d, d = %d, dr = %d", T, H, c, d, dr);
    my_absorbed(got, q, wuk, H, dr);
    Arena *arena = judge->arena;
    inputs_stay(judge, (const Mat[]){ q, wuk }, before, (const char *const[]){ "q", "wuk" }, 2);
    Mat right = absorbed(arena, q, wuk, H, dr, RIGHT);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = right,
            .hints = { .property = "the scores with the rows as they stand are not those with keys that are made",
                       .question =
                           "q · (l Wuk) is a sum over d and over c: what is left for l when the sum over d is done "
                           "first? And which part of a row does the rest of q meet?",
                       .formula =
                           "to[i, h(c + dr) + l] = Σₑ q[i, h(d + dr) + e] wuk[l, hd + e]; behind it the dr numbers "
                           "of q as they are" },
            .mistakes = {
                { "the turned part is missing: the last dr numbers of each head go on as they are",
                  absorbed(arena, q, wuk, H, dr, NO_ROPE) },
                { "the turned part is missing: the last dr numbers of each head are to be written, too, as they "
                  "are",
                  without_turned(judge, right, H, dr) },
                { "the turned part stands before the latent's; in a row of the cache it stands behind",
                  absorbed(arena, q, wuk, H, dr, ROPE_FIRST) },
                { "every head goes through head 0's columns of wuk", absorbed(arena, q, wuk, H, dr, HEAD_0) },
                { "the scale is applied here already: scores are asked for before any",
                  absorbed(arena, q, wuk, H, dr, SCALED) },
                { "the query of head 0 is taken for every head", absorbed(arena, q, wuk, H, dr, OTHER_HEAD) },
                { "what meets the latents stands first, of all heads; each head's dr numbers belong behind "
                  "its own c",
                  absorbed(arena, q, wuk, H, dr, LATENTS_FIRST) },
                { "columns of wuk are dealt out one by one; a head's d columns are neighbours",
                  absorbed(arena, q, wuk, H, dr, DEALT_OUT) },
                { "a head's numbers in q are taken from h · d on: each head has d + dr of them",
                  absorbed(arena, q, wuk, H, dr, BEGINS_EVERY_D) },
                { "a head's numbers in q are taken from h · d on: each head has d + dr of them",
                  absorbed(arena, q, wuk, H, dr, BOTH_EVERY_D) },
                { "rows and columns of wuk are exchanged: the sum goes over a head's d columns, and there is one "
                  "for each row",
                  absorbed(arena, q, wuk, H, dr, EXCHANGED) },
                { "the dr numbers are taken from behind all heads of q; each head's dr numbers stand behind its "
                  "own d",
                  absorbed(arena, q, wuk, H, dr, TURNED_LAST) },
                { "behind every head's latent part stand the dr numbers of head 0; each head has its own",
                  absorbed(arena, q, wuk, H, dr, OTHER_TURNED) },
                { "the dr numbers behind are the first of the head's; it is the last ones that meet r",
                  absorbed(arena, q, wuk, H, dr, FIRST_AGAIN) },
                { "rows of q and wuk are taken for as far apart as they are wide; they may be part of a wider "
                  "matrix: mat_row and mat_ref know where a row begins",
                  absorbed(arena, q, wuk, H, dr, NO_STRIDE) } } });
}

// ---- 2

typedef enum {
    FINE,
    SEEN_WIDTH,
    OWN_WIDTH,
    LATENT_WIDTH,
    NO_ROOT,
    NO_SCALE,
    CAUSAL,
    ONE_QUERY,
    MIX_HEAD_0,
    VALUES_LATE,
    OTHER_SUM,
    TIMES_ROOT,
    BEGINS_AT_D
} Attend;

static Mat attended(Arena *arena, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr, Attend how)
{
    int width = q.cols / H, c = wuk.rows, d = width - dr, dv = wuv.cols / H;
    Mat own = absorbed(arena, q, wuk, H, dr, RIGHT), out = mat_new(arena, q.rows, H * dv);
    int divisor = how == SEEN_WIDTH ? c + dr : how == OWN_WIDTH ? d : how == NO_SCALE ? 1 : width;
    if (how == LATENT_WIDTH) divisor = c;
    if (how == NO_ROOT) divisor = width * width;
    Mask mask = { .scale = 1.0f / sqrtf((float)divisor), .causal = how == CAUSAL };
    if (how == TIMES_ROOT) mask.scale = sqrtf((float)divisor);
    for (int h = 0; h < H; h++) {
        Mat mixed = mat_new(arena, q.rows, c);
        attention_naive((Attended){ .out = mixed }, mat_cols(own, (how == ONE_QUERY ? 0 : h) * (c + dr), c + dr), rows,
                        mat_cols(rows, how == VALUES_LATE ? dr : 0, c), mask);
        for (int i = 0; i < q.rows; i++)
            for (int e = 0; e < dv; e++) {
                int col = how == MIX_HEAD_0 ? e : how == OTHER_SUM ? e * H + h : h * dv + e;
                if (how == BEGINS_AT_D) col = h * d + e;
                float sum = 0.0f;
                for (int l = 0; l < c; l++) sum += *mat_ref(mixed, i, l) * *mat_ref(wuv, l, col);
                *mat_ref(out, i, h * dv + e) = sum;
            }
    }
    return out;
}

// Keys and values that no float holds: the first number of token 0's latent is 10³⁰, of token 1's −10³⁰, and Wuk and
// Wuv make 10⁴⁰ of it. But no query asks for it, and as both tokens have the same r, so the same weight, what is mixed
// of it is exactly 0. Who makes no key and no value has nothing but usual numbers.
static void beyond_floats(Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr)
{
    int width = q.cols / H, c = wuk.rows;
    for (int h = 0; h < H; h++) mat_fill(mat_cols(q, h * width, width - dr), 0.0f);
    for (int j = 0; j < rows.rows; j++) *mat_ref(rows, j, 0) = j == 0 ? 1e30f : j == 1 ? -1e30f : 0.0f;
    mat_set(mat_cols(mat_rows(rows, 1, 1), c, dr), mat_cols(mat_rows(rows, 0, 1), c, dr));
    mat_fill(mat_rows(wuk, 0, 1), 1e10f);
    mat_fill(mat_rows(wuv, 0, 1), 1e10f);
}

static Mat all_nan(Judge *judge, int rows, int cols)
{
    Mat m = mat_new(judge->arena, rows, cols);
    mat_fill(m, NAN);
    return m;
}

static void attend_case(Judge *judge, int T, int S, int H, int c, int d, int dr, int dv, bool beyond)
{
    Random random = random_from((uint64_t)(1000 + 100 * H + c));
    Mat q = view_of(judge, &random, T, H * (d + dr)), rows = view_of(judge, &random, S, c + dr);
    Mat wuk = view_of(judge, &random, c, H * d), wuv = view_of(judge, &random, c, H * dv);
    if (beyond) beyond_floats(q, rows, wuk, wuv, H, dr);
    Mat got = judge_output(judge, T, H * dv);
    const Mat given[] = { q, rows, wuk, wuv };
    Mat before[4];
    for (int n = 0; n < 4; n++) before[n] = mat_copy(judge->arena, given[n]);
    judge_trying(judge, "my_latent_attention of %d queries and %d tokens, H = %d, c = %d, d = %d, dr = %d, dv = %d%s",
                 T, S, H, c, d, dr, dv, beyond ? "; keys and values of tokens 0 and 1 would be infinite" : "");
    my_latent_attention(got, q, rows, wuk, wuv, H, dr);
    Arena *arena = judge->arena;
    inputs_stay(judge, given, before, (const char *const[]){ "q", "rows", "wuk", "wuv" }, 4);
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = attended(arena, q, rows, wuk, wuv, H, dr, FINE),
            .tolerance = 1e-4f,
            .hints = { .property = "the output is not that of heads with keys and values of their own",
                       .question =
                           "what are the keys here, what are the values, and what is still to be done with what is "
                           "mixed of them?",
                       .formula = "headₕ = (Σⱼ aⱼ lⱼ) Wuvₕ with a = softmax(absorbedₕ · rowsⱼ / √(d + dr))" },
            .mistakes = {
                { beyond ? "a key or a value of a token is made: here they are larger than any float, while what "
                           "is absorbed and what is mixed are usual numbers"
                         : NULL,
                  all_nan(judge, T, H * dv) },
                { "the scale is that of rows of c + dr; the scores are those of keys of d + dr",
                  attended(arena, q, rows, wuk, wuv, H, dr, SEEN_WIDTH) },
                { "the scale is that of d alone: the turned part is in the sum, too",
                  attended(arena, q, rows, wuk, wuv, H, dr, OWN_WIDTH) },
                { "the scale is that of the latent's c numbers; the scores are those of keys of d + dr",
                  attended(arena, q, rows, wuk, wuv, H, dr, LATENT_WIDTH) },
                { "the scores are divided by d + dr, and not by its root",
                  attended(arena, q, rows, wuk, wuv, H, dr, NO_ROOT) },
                { "every head looks with head 0's query", attended(arena, q, rows, wuk, wuv, H, dr, ONE_QUERY) },
                { "the scores are not scaled", attended(arena, q, rows, wuk, wuv, H, dr, NO_SCALE) },
                { "no mask was asked for: every query sees every key",
                  attended(arena, q, rows, wuk, wuv, H, dr, CAUSAL) },
                { "every head's mixture goes through head 0's columns of wuv",
                  attended(arena, q, rows, wuk, wuv, H, dr, MIX_HEAD_0) },
                { "what is mixed begins in the wrong column of the rows: the latent comes first",
                  attended(arena, q, rows, wuk, wuv, H, dr, VALUES_LATE) },
                { "the scores are multiplied by the root of d + dr; they are divided by it",
                  attended(arena, q, rows, wuk, wuv, H, dr, TIMES_ROOT) },
                { "a head's columns of wuv are taken from h · d on: each head has dv of them there",
                  attended(arena, q, rows, wuk, wuv, H, dr, BEGINS_AT_D) },
                { "columns of wuv are dealt out one by one; a head's dv columns are neighbours",
                  attended(arena, q, rows, wuk, wuv, H, dr, OTHER_SUM) } } });
}

static void check(Judge *judge)
{
    absorb_case(judge, 1, 1, 3, 2, 2);
    absorb_case(judge, 3, 4, 6, 3, 2);
    absorb_case(judge, 2, 2, 5, 4, 0);
    attend_case(judge, 3, 5, 2, 6, 3, 2, 4, false);
    attend_case(judge, 4, 4, 4, 7, 2, 4, 3, false);
    attend_case(judge, 1, 9, 3, 4, 3, 2, 3, false);
    attend_case(judge, 2, 5, 2, 4, 3, 2, 3, true);
}

int main(void) { return judge_main("17a", check); }
