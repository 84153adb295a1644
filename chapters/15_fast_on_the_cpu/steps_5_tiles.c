// Chapter 15, steps 5 and 6. What is done twice, and what a causal mask leaves out.
#include "attention/fast.h"
#include "attention/tiled.h"
#include "lesson/exact.h"
#include "steps.h"

#include <math.h>

// ---- 5

void seldom_raised(Lesson *lesson)
{
    step(lesson, "A maximum that is seldom raised");
    enum { T = 192, S = 1024, d = 16 };
    Drawn p = drawn(lesson, T, S, d, d);
    const int64_t once = (int64_t)T * S * 2 * d, peek = (int64_t)T * ROWS * d, again = (int64_t)T * (S - KEYS) * d;
    cost(lesson, "multiply-adds, random scores", multiplies_of(lesson, p, EVERYTHING),
         "T·S·(d + dv) + T·4·d: the first four keys are looked at twice", once + peek);

    mat_fill(p.q, 1.0f);                             // now scores are what k says: `leap` more with every tile
    for (int leap = 1; leap <= 30; leap += 29) {
        for (int j = 0; j < S; j++) mat_fill(mat_rows(p.k, j, 1), (float)(leap * (j / KEYS)) / sqrtf(d));
        if (leap == 1)
            cost(lesson, "and with scores that rise by 1 from tile to tile", multiplies_of(lesson, p, EVERYTHING),
                 "the same", once + peek);
        else
            cost(lesson, "and with scores that rise by 30", multiplies_of(lesson, p, EVERYTHING),
                 "and T·(S − 64)·d: all tiles but the first are looked at twice", once + peek + again);
    }
    Mat out = mat_new(lesson->arena, T, d);
    attention_fast((Attended){ .out = out }, p.q, p.k, p.v, EVERYTHING);
    check(lesson, exact_error(out, exact_attention(lesson->arena, p.q, p.k, p.v, EVERYTHING)) < 1e-6,
          "and it is right all the same");
    check(lesson, exp2f(40.0f) * 1048576.0f < INFINITY, "a million weights of 2⁴⁰ are no overflow: 2⁶⁰ of 2¹²⁷");
}

// ---- 6

// Pairs of query and key that a causal head of T queries works on, with tiles that are cut into strips of `strip` keys.
static int64_t causal_pairs(int T, int lanes, int vectors, int strip)
{
    int64_t pairs = 0;
    int block = lanes * vectors;
    for (int i = 0; i < T; i += block)
        for (int j = 0; j < T; j += KEYS) {
            int rows = T - i < block ? T - i : block;
            TileKind kind = tile_kind(CAUSAL, (Span){ i, rows }, (Span){ j, KEYS }, T, T);
            if (kind == TILE_FULL) pairs += (int64_t)rows * KEYS;
            if (kind != TILE_CUT) continue;
            for (int part = 0; part < KEYS; part += strip) {
                int first = 0;
                while (first < rows && i + first + lanes - 1 < j + part) first += lanes;   // blind vectors
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
    Drawn p = drawn(lesson, T, T, d, d);
    double seen = (double)T * (T + 1) / 2;
    bool as_counted = true;
    for (int n = 0; n < VERSIONS; n++) {
        Version v = versions[n];
        int64_t strips = causal_pairs(T, v.lanes, v.vectors, v.lanes);
        int64_t tiles = causal_pairs(T, v.lanes, v.vectors, KEYS);
        rows_add(&table, ROW(T * T / seen, (double)tiles / seen, (double)strips / seen), "%d lanes", v.lanes);
        if (fast_choose(v.name))
            as_counted = as_counted && multiplies_of(lesson, p, CAUSAL) == strips * 2 * d + (int64_t)T * ROWS * d;
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
    Drawn p = drawn(lesson, T, S, d, d);
    Mat clean = mat_new(lesson->arena, T, d), out = mat_new(lesson->arena, T, d);
    attention_fast((Attended){ .out = clean }, p.q, p.k, p.v, CAUSAL);
    mat_fill(mat_rows(p.v, STRANGE, 1), NAN);
    mat_fill(mat_rows(p.k, STRANGE, 1), NAN);
    attention_fast((Attended){ .out = out }, p.q, p.k, p.v, CAUSAL);
    int before = STRANGE - (S - T);                  // the first query that sees the key
    bool spared = mat_max_difference(mat_rows(out, 0, before), mat_rows(clean, 0, before)) < 1e-6, felt = true;
    for (int i = before; i < T; i++) felt = felt && isnan(*mat_ref(out, i, 0));
    check(lesson, spared, "a key and its value are NaN: queries that do not see them do not feel them");
    check(lesson, felt, "all that do see them give NaN");
}
