// Exercise 12b: heads_are_right.
#include "attention/attention.h"
#include "exercises/judge.h"

#include <math.h>

typedef void Shared(Mat out, Mat q, Mat k, Mat v, int H);
bool heads_are_right(Shared *shared, Arena *arena);

// Which key head and which value head query head h reads, and of which queries: of h itself, but for a mistake.
typedef struct {
    int key, value, query;
    bool causal, keys_as_values;
} Reads;
typedef Reads Reader(int h, int H, int G);

static void by(Reader *reader, Mat out, Mat q, Mat k, Mat v, int H)
{
    int d = q.cols / H, G = k.cols / d;
    for (int h = 0; h < H; h++) {
        Reads r = reader(h, H, G);
        attention_naive((Attended){ .out = mat_cols(out, h * d, d) }, mat_cols(q, r.query * d, d),
                        mat_cols(k, r.key * d, d), mat_cols(r.keys_as_values ? k : v, r.value * d, d),
                        (Mask){ .causal = r.causal });
    }
}

#define SHARED(name, ...) \
    static Reads name##_reads(int h, int H, int G) \
    { \
        int g = h / (H / G); \
        (void)g; \
        return (Reads){ __VA_ARGS__ }; \
    } \
    static void name(Mat out, Mat q, Mat k, Mat v, int H) { by(name##_reads, out, q, k, v, H); }

SHARED(right, g, g, h, false, false)
SHARED(by_remainder, h % G, h % G, h, false, false)
SHARED(first_head, 0, 0, h, false, false)
SHARED(by_groups, h / G % G, h / G % G, h, false, false)
SHARED(other_values, g, h % G, h, false, false)
SHARED(from_the_end, G - 1 - g, G - 1 - g, h, false, false)
SHARED(one_query, g, g, g *(H / G), false, false)
SHARED(with_a_mask, g, g, h, true, false)
SHARED(keys_twice, g, g, h, false, true)

// Other sums have other last bits: here every float is the next one.
static void right_otherwise(Mat out, Mat q, Mat k, Mat v, int H)
{
    right(out, q, k, v, H);
    for (int i = 0; i < out.rows; i++)
        for (int c = 0; c < out.cols; c++) *mat_ref(out, i, c) = nextafterf(*mat_ref(out, i, c), INFINITY);
}

static const struct {
    Shared *shared;
    const char *question;
} WRONG_ONES[] = {
    { first_head, "is there a case with more than one key head, and are all query heads compared?" },
    { by_remainder, "is there a case with 1 < G < H, and are all query heads compared?" },
    { with_a_mask, "is there more than one query, and does the first of them have to see the last key?" },
    { keys_twice, "are k and v different?" },
    { other_values, "are k and v different, and is there a case with 1 < G < H?" },
    { from_the_end, "which key head must query head 0 read?" },
    { one_query, "do the heads of one group have different queries in your test, and keys that tell them apart?" },
    { by_groups, "H = 4 and G = 2 are a special case: 4 / 2 = 2. Is there a case in which H / G is not G?" },
};
enum { WRONGS = sizeof WRONG_ONES / sizeof *WRONG_ONES };

static void rate(Judge *judge, Shared *shared, bool wanted, const char *what, Hints hints)
{
    judge_trying(judge, "heads_are_right of a function that is %s", what);
    judge_claim(judge, heads_are_right(shared, judge->arena) == wanted, hints);
}

static void check(Judge *judge)
{
    int passed = 0;
    rate(judge, right, true, "right",
         (Hints){ .property = "a right function is refused",
                  .question = "which key head does each query head read, and do shapes fit: k has G heads, not H?" });
    rate(judge, right_otherwise, true, "right, with other last bits",
         (Hints){ .property = "a function that is right within rounding is refused",
                  .question = "how far may two floats be apart that should be the same?" });
    judge_trying(judge, "heads_are_right of %d functions that are wrong", WRONGS);
    for (int w = 0; w < WRONGS; w++) passed += heads_are_right(WRONG_ONES[w].shared, judge->arena);
    for (int w = 0; w < WRONGS; w++)
        rate(judge, WRONG_ONES[w].shared, false, "wrong",
             (Hints){ .property = passed == WRONGS
                                      ? "every wrong function passes: nothing is tried yet"
                                      : arena_format(judge->arena, "of %d wrong functions %d pass", WRONGS, passed),
                      .question = WRONG_ONES[w].question });
}

int main(void) { return judge_main("12b", check); }
