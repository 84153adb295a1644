// Exercise 05b: my_leak_test, called with kernels that leak and with kernels that do not.
#include "attention/attention.h"
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef bool Test(AttentionKernel *attend, Arena *arena);
Test my_leak_test;

// ---- what a test asks of a kernel: one that never calls it has tested nothing

static int calls;
static bool unasked; // a call wanted no causal mask

typedef enum { NAIVE, OWN_HIDDEN, UNMASKED, ONE_AHEAD, AT_START, FAR, COUNTED_LATE, NEXT_VALUE, LESS_10, TIMES_0 } How;

static bool sees(int i, int j, int T, How how)
{
    if ((how == AT_START && i == 0 && j == 1) || (how == FAR && i == 0 && j == T - 1)) return true;
    return how == UNMASKED || j <= i + (how == ONE_AHEAD) - (how == OWN_HIDDEN);
}

static void attend_with(Attended to, Mat q, Mat k, Mat v, Mask mask, How how)
{
    calls++, unasked |= !mask.causal;
    if (how == NAIVE) {
        attention_naive(to, q, k, v, mask);
        return;
    }
    Arena *arena = arena_open();
    Mat weights = mat_new(arena, q.rows, k.rows);
    attention_scores(weights, q, k, (Mask){ 0 });
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows && how != COUNTED_LATE; j++)
            if (!sees(i, j, k.rows, how))
                *mat_ref(weights, i, j) = how == LESS_10 ? *mat_ref(weights, i, j) - 10.0f : -INFINITY;
    softmax_rows(weights, weights);
    mat_fill(to.out, 0.0f);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < k.rows; j++) {
            int from = how == NEXT_VALUE && j + 1 < k.rows ? j + 1 : j;
            if (!sees(i, j, k.rows, how) && how != LESS_10 && how != TIMES_0) continue;
            for (int c = 0; c < v.cols; c++) *mat_ref(to.out, i, c) += *mat_ref(weights, i, j) * *mat_ref(v, from, c);
        }
    arena_close(arena);
}

#define KERNEL(name, how) \
    static void name(Attended to, Mat q, Mat k, Mat v, Mask mask) { attend_with(to, q, k, v, mask, how); }
KERNEL(naive, NAIVE)
KERNEL(own_hidden, OWN_HIDDEN)
KERNEL(unmasked, UNMASKED)
KERNEL(one_ahead, ONE_AHEAD)
KERNEL(counted_late, COUNTED_LATE)
KERNEL(next_value, NEXT_VALUE)
KERNEL(at_start, AT_START)
KERNEL(far_ahead, FAR)
KERNEL(minus_ten, LESS_10)
KERNEL(times_zero, TIMES_0)

static const struct {
    AttentionKernel *kernel;
    bool right;
    const char *what, *question;
} all[] = {
    { naive, true, "the library's attention_naive does not leak, and your test says that it does",
      "when word n changes, which outputs may change with it? Which words are still changed from before?" },
    { own_hidden, true, "a kernel that hides a query's own key as well does not leak, and your test says that it does",
      "what do you compare its outputs with?" },
    { unmasked, false, "a kernel in which every query sees every key passes your test",
      "what do you change, and where would that show?" },
    { one_ahead, false, "a kernel whose queries see one key ahead passes your test",
      "which word do you change, and do you look at the output just before it?" },
    { counted_late, false,
      "a kernel passes in which hidden keys are struck out after the softmax: they are still counted in the sum that it "
      "divides by",
      "a key and a value belong to every word: which do you change?" },
    { next_value, false, "a kernel passes that reads the value of the next word with the weight of this one",
      "a key and a value belong to every word: which do you change?" },
    { at_start, false, "a kernel passes in which a single query leaks: query 0 sees key 1",
      "is one changed word enough? Which pairs of query and later key have you tried?" },
    { far_ahead, false,
      "a kernel passes in which a single query leaks, and not to its neighbour: query 0 sees the last key",
      "at which outputs do you look, for each word that you change?" },
    { minus_ten, false,
      "a kernel passes that takes 10 from hidden scores, and not ∞: its outputs move in the fifth digit",
      "how equal must two outputs be?" },
    { times_zero, false, "a kernel passes that multiplies hidden values by 0", "with which value is 0 · value not 0?" },
};

static void check(Judge *judge, Function f)
{
    Test *test = (Test *)f;
    for (int n = 0; n < COUNT(all); n++) {
        judge_trying(judge, "my_leak_test of kernel %d of %d, which %s", n + 1, COUNT(all),
                     all[n].right ? "does not leak" : "leaks");
        calls = 0, unasked = false;
        bool said = test(all[n].kernel, judge->arena);
        judge_claim(judge, calls > 0,
                    (Hints){ "the answer was given without one call of attend: the test has not tried anything yet",
                             "what would you have to see twice, to know that a later word makes no difference?" });
        Hints hints = { all[n].what, all[n].question,
                        "for all j > i: output i is the same, to the bit, for every k_j and every v_j" };
        if (!said && n == 0 && unasked)
            hints.property =
                "attention_naive was called without a causal mask: what it gives then may depend on every word";
        judge_verdict(judge, said, all[n].right, hints);
    }
}

// ---- tests: every word in turn, with everything after it changed to other numbers, then to NaN

enum { SAYS_YES = 1, NO_MASK };

static bool faulty_test(AttentionKernel *attend, Arena *arena)
{
    const int fault = judge_fault, T = 7;
    Random random = random_from(1);
    Mat qkv[3], before = mat_new(arena, T, 4), after = mat_new(arena, T, 4);
    Mask mask = { .causal = fault != NO_MASK };
    if (fault == SAYS_YES) return true;
    for (int m = 0; m < 3; m++) random_normals(&random, qkv[m] = mat_new(arena, T, 4));
    attend((Attended){ .out = before }, qkv[0], qkv[1], qkv[2], mask);
    for (int from = 1; from < T; from++)
        for (int nan = 0; nan < 2; nan++) {
            Mat k = mat_copy(arena, qkv[1]), v = mat_copy(arena, qkv[2]);
            mat_fill(mat_rows(k, from, T - from), nan ? NAN : 1.0f);
            mat_fill(mat_rows(v, from, T - from), nan ? NAN : 1.0f);
            attend((Attended){ .out = after }, qkv[0], k, v, mask);
            if (!mat_equal(mat_rows(before, 0, from), mat_rows(after, 0, from))) return false;
        }
    return true;
}

static const Task tasks[] = {
    { AS(Test, my_leak_test), AS(Test, faulty_test), .faulty = AS(Test, faulty_test), .check = check,
      .wrong = { { .fault = SAYS_YES, .told = "without one call of attend" },
                 { .fault = NO_MASK, .told = "without a causal mask" } } },
};
EXERCISE("05b", tasks)
