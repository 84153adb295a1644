// Exercise 12b: heads_are_right, called with functions that are right and with others.
#include "attention/grouped.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Shared(Mat out, Mat q, Mat k, Mat v, int H);
typedef bool Test(Shared *shared, Arena *arena);
Test heads_are_right;

// Attention in which query head h takes the queries of head `query`, and key head `key` with the values of `value`.
#define SHARED(name, key, value, query, values, ...) \
    static void name(Mat out, Mat q, Mat k, Mat v, int H) \
    { \
        int d = q.cols / H, G = k.cols / d; \
        for (int h = 0; h < H; h++) { \
            int g = h / (H / G); \
            (void)g; \
            attention_naive((Attended){ .out = mat_cols(out, h * d, d) }, mat_cols(q, (query)*d, d), \
                            mat_cols(k, (key)*d, d), mat_cols(values, (value)*d, d), (Mask){ __VA_ARGS__ }); \
        } \
        (void)v; \
    }
SHARED(right, g, g, h, v, 0)
SHARED(by_remainder, h % G, h % G, h, v, 0)
SHARED(first_head, 0, 0, h, v, 0)
SHARED(by_groups, h / G % G, h / G % G, h, v, 0)
SHARED(other_values, g, h % G, h, v, 0)
SHARED(from_the_end, G - 1 - g, G - 1 - g, h, v, 0)
SHARED(one_query, g, g, g *(H / G), v, 0)
SHARED(with_a_mask, g, g, h, v, .causal = true)
SHARED(keys_twice, g, g, h, k, 0)

// Sums in another order have other last bits: here every float is the next one.
static void right_otherwise(Mat out, Mat q, Mat k, Mat v, int H)
{
    right(out, q, k, v, H);
    for (int i = 0; i < out.rows; i++)
        for (int c = 0; c < out.cols; c++) *mat_ref(out, i, c) = nextafterf(*mat_ref(out, i, c), INFINITY);
}

// The first two are right; what is said of the others depends on how many pass.
static const struct {
    Shared *shared;
    const char *question, *property;
} tried[] = {
    { right, "which key head does each query head read, and do shapes fit: k has G heads, not H?",
      "a right function is refused" },
    { right_otherwise, "how far may two floats be apart that should be the same?",
      "a function that is right within rounding is refused" },
    { first_head, "is there a case with more than one key head, and are all query heads compared?" },
    { by_remainder, "is there a case with 1 < G < H, and are all query heads compared?" },
    { with_a_mask, "is there more than one query, and does the first of them have to see the last key?" },
    { keys_twice, "are k and v different?" },
    { other_values, "are k and v different, and is there a case with 1 < G < H?" },
    { from_the_end, "which key head must query head 0 read?" },
    { one_query, "do the heads of one group have different queries in your test, and keys that tell them apart?" },
    { by_groups, "H = 4 and G = 2 are a special case: 4 / 2 = 2. Is there a case in which H / G is not G?" },
};

static void check(Judge *judge, Function f)
{
    Test *test = (Test *)f;
    int passed = 0, wrong = COUNT(tried) - 2;
    for (int n = 2; n < COUNT(tried); n++) passed += test(tried[n].shared, judge->arena);
    const char *pass = arena_format(judge->arena, "of %d wrong functions %d pass", wrong, passed);
    if (passed == wrong) pass = "every wrong function passes: nothing is tried yet";
    for (int n = 0; n < COUNT(tried); n++) {
        judge_trying(judge, "heads_are_right of a function that is %s", n < 2 ? "right" : "wrong");
        judge_verdict(judge, test(tried[n].shared, judge->arena), n < 2,
                      (Hints){ n < 2 ? tried[n].property : pass, tried[n].question });
    }
}

enum { SAYS_YES = 1, REFUSES, EXACT, NO_GROUPS, KEYS_ARE_VALUES };

static bool faulty_test(Shared *shared, Arena *arena)
{
    const int fault = judge_fault, d = 16, T = 24, H = 8, G = fault == NO_GROUPS ? H : 2;
    Random random = random_from(12);
    Mat q = mat_new(arena, T, H * d), k = mat_new(arena, T, G * d), v = mat_new(arena, T, G * d);
    Mat got = mat_new(arena, T, H * d), want = mat_new(arena, T, H * d);
    Mask masks[8] = { { 0 } };
    if (fault == SAYS_YES) return true;
    random_normals(&random, q);
    random_normals(&random, k);
    random_normals(&random, v);
    if (fault == KEYS_ARE_VALUES) mat_set(v, k);
    shared(got, q, k, v, H);
    grouped_attend((Attended){ .out = want }, q, k, v, H, masks, attention_naive);
    if (fault == REFUSES) return mat_max_difference(got, q) < 1e-5;
    return fault == EXACT ? mat_equal(got, want) : mat_max_difference(got, want) < 1e-5;
}

static const Task tasks[] = {
    { AS(Test, heads_are_right), AS(Test, faulty_test), .faulty = AS(Test, faulty_test), .check = check,
      .wrong = { FAULT(SAYS_YES, "every wrong function passes: nothing is tried yet"),
                 FAULT(REFUSES, "a right function is refused"),
                 FAULT(EXACT, "a function that is right within rounding is refused"),
                 FAULT(NO_GROUPS, "of 8 wrong functions 3 pass"),
                 FAULT(KEYS_ARE_VALUES, "of 8 wrong functions 1 pass") } },
};
EXERCISE("12b", tasks)
