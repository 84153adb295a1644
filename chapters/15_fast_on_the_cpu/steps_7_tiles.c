// Chapter 15, steps 7 and 8. What is done twice, and what a causal mask leaves out.
#include "base/portable_math.h"
#include "kernels/fast.h"
#include "attention/tiled.h"
#include "lesson/reference.h"
#include "steps.h"

// ---- 7

// |Σ 2^(s − c) v / Σ 2^(s − c) : what it is in float64 − 1|, in float32 with c = max − below; the sum of weights too.
static double stale_error(Mat scores, Mat v, float below, float *sum)
{
    float max = -INFINITY, out = 0.0f;
    double exact_sum = 0, exact = 0;
    *sum = 0.0f;
    for (int j = 0; j < scores.cols; j++) max = fmaxf(max, scores.at[j]);
    for (int j = 0; j < scores.cols; j++) {
        float weight = fast_exp2(scores.at[j] - (max - below));
        double exact_weight = exp2((double)scores.at[j] - (double)max);
        *sum += weight;
        out += weight * v.at[j];
        exact_sum += exact_weight;
        exact += exact_weight * (double)v.at[j];
    }
    return fabs((double)(out / *sum) / (exact / exact_sum) - 1);
}

// What is subtracted may be any number: here from scores that are spread over some powers of two.
static void any_number_will_do(Lesson *lesson)
{
    enum { S = 1000, OUTPUTS = 100, WAYS = 3 };
    static const float below[WAYS] = { 0.0f, 10.3f, 39.7f };
    static const char *const columns[] = { "log₂ of sum", "error, 10⁻⁷" };
    const char *name = arena_format(lesson->arena, "outputs of %d keys, %d of them; what is subtracted", S, OUTPUTS);
    Rows table = rows_of(lesson, name, columns, 2);
    double off[WAYS] = { 0 };
    float sums[WAYS];
    table.table.decimals = 1;
    for (int n = 0; n < OUTPUTS; n++) {
        ArenaMark mark = arena_mark(lesson->arena);
        HeadProjections p = random_qkv(lesson, 1, 1, S, S);
        for (int j = 0; j < S; j++) {
            p.k.at[j] *= 4;
            p.v.at[j] += 3;
        }
        for (int w = 0; w < WAYS; w++) off[w] += stale_error(p.k, p.v, below[w], &sums[w]) / OUTPUTS;
        arena_release(lesson->arena, mark);
    }
    bool alike = true;
    for (int w = 0; w < WAYS; w++) {
        rows_add(&table, ROW(log2((double)sums[w]), 1e7 * off[w]), "max − %.1f", (double)below[w]);
        alike = alike && off[w] < 2 * off[0] && off[w] < 1e-6;
    }
    show_rows(lesson, &table);
    check(lesson, alike, "as near, whatever is subtracted (errors: means of %d outputs)", OUTPUTS);
    check(lesson, isinf(exp2f(128.0f)), "but 128 below would be too much: 2¹²⁸ is no float any more");
}

void seldom_raised(Lesson *lesson)
{
    step(lesson, "A maximum that is seldom raised");
    any_number_will_do(lesson);

    enum { T = 192, S = 1024, d = 16 };
    HeadProjections p = random_qkv(lesson, T, S, d, d);
    const int64_t once = (int64_t)T * S * 2 * d, again = (int64_t)T * (S / 2 - KEYS) * d;
    cost(lesson, "multiply-adds, random scores", multiplies_of(lesson, p, EVERYTHING), "T·S·(d + dv)", once);

    mat_fill(p.q, 1.0f); // now scores are what k says: 30 more with every other tile
    for (int j = 0; j < S; j++) mat_fill(mat_rows(p.k, j, 1), (float)(30 * (j / KEYS / 2)) / sqrtf(d));
    cost(lesson, "multiply-adds, scores that rise by 30 with every other tile", multiplies_of(lesson, p, EVERYTHING),
         "as many, and T·(S/2 − 64)·d: where they rise, a tile is looked at twice", once + again);
    for (int j = 0; j < S; j++) mat_fill(mat_rows(p.k, j, 1), (float)(30 * (j / KEYS)) / sqrtf(d));
    cost(lesson, "multiply-adds, scores that rise with every tile", multiplies_of(lesson, p, EVERYTHING),
         "T·S·(d + dv): behind a leap all scores of a tile are made before the first weight", once);
    Mat out = mat_new(lesson->arena, T, d);
    attention_fast((Attended){ .out = out }, p.q, p.k, p.v, EVERYTHING);
    check(lesson, reference_error(out, reference_compute(lesson->arena, p.q, p.k, p.v, EVERYTHING)) < 1e-6,
          "and it is right all the same");
}

// ---- 8

// Pairs of query and key that a causal head of T queries works on, with tiles that are cut into strips of `strip` keys.
static int64_t causal_pairs(int T, int lanes, int vectors, int strip)
{
    int64_t pairs = 0;
    int block = lanes * vectors;
    for (int i = 0; i < T; i += block)
        for (int j = 0; j < T; j += KEYS) {
            int rows = T - i < block ? T - i : block;
            TileKind kind = tile_kind(CAUSAL, (MaskRange){ i, rows }, (MaskRange){ j, KEYS }, T, T);
            if (kind == TILE_FULL) pairs += (int64_t)rows * KEYS;
            if (kind != TILE_CUT) continue;
            for (int part = 0; part < KEYS; part += strip) {
                int first = 0;
                while (first < rows && i + first + lanes - 1 < j + part) first += lanes; // blind vectors
                pairs += (int64_t)(rows - first) * strip;
            }
        }
    return pairs;
}

static void counted_strips(Lesson *lesson)
{
    enum { T = 768, d = 32 };
    static const char *const columns[] = { "all tiles", "not empty", "strips" };
    const char *name = arena_format(lesson->arena, "causal, T = S = %d: pairs worked on, for each pair seen", T);
    Rows table = rows_of(lesson, name, columns, 3);
    table.table.decimals = 3;
    HeadProjections p = random_qkv(lesson, T, T, d, d);
    double seen = (double)T * (T + 1) / 2;
    bool as_counted = true;
    for (int n = 0; n < VERSIONS; n++) {
        Version v = versions[n];
        int64_t strips = causal_pairs(T, v.lanes, v.vectors, v.lanes);
        int64_t tiles = causal_pairs(T, v.lanes, v.vectors, KEYS);
        rows_add(&table, ROW(T * T / seen, (double)tiles / seen, (double)strips / seen), "%d lanes", v.lanes);
        if (fast_choose(v.name)) as_counted = as_counted && multiplies_of(lesson, p, CAUSAL) == strips * 2 * d;
    }
    fast_choose(NULL);
    show_rows(lesson, &table);
    check(lesson, as_counted, "counted, in every version that this processor can run: the last column");
}

void what_the_mask_cuts(Lesson *lesson)
{
    step(lesson, "What the mask cuts");
    counted_strips(lesson);

    enum { T = 70, S = 90, d = 8, STRANGE = 75 };
    HeadProjections p = random_qkv(lesson, T, S, d, d);
    Mat clean = mat_new(lesson->arena, T, d), out = mat_new(lesson->arena, T, d);
    attention_fast((Attended){ .out = clean }, p.q, p.k, p.v, CAUSAL);
    mat_fill(mat_rows(p.v, STRANGE, 1), NAN);
    mat_fill(mat_rows(p.k, STRANGE, 1), NAN);
    attention_fast((Attended){ .out = out }, p.q, p.k, p.v, CAUSAL);
    int before = STRANGE - (S - T); // the first query that sees the key
    bool spared = mat_max_difference(mat_rows(out, 0, before), mat_rows(clean, 0, before)) < 1e-6, felt = true;
    for (int i = before; i < T; i++) felt = felt && isnan(*mat_ref(out, i, 0));
    check(lesson, spared, "a key and its value are NaN: queries that do not see them do not feel them");
    check(lesson, felt, "all that do see them give NaN");
}
