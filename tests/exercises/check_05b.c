// Exercise 05b: my_leak_test, called with kernels that leak and with kernels that do not.
#include "attention/attention.h"
#include "attention/softmax.h"
#include "exercises/judge.h"

#include <math.h>

bool my_leak_test(AttentionKernel *attend, Arena *arena);

// Attention whose query i sees the first sees[i] keys, made so that a few things in it can be wrong.
typedef struct {
    int   ahead;                   // keys after its own that a query sees
    bool  at_start;                // query 0 sees key 1, too
    bool  counted_late;            // weights of hidden keys are made 0 after the softmax
    bool  next_value;              // weight j meets value j + 1
    float less;                    // what is taken from hidden scores; 0: infinity
    bool  multiplied;              // hidden values are multiplied by their weight of 0
} Fault;

static int last_seen(int i, int S, Fault f)
{
    int last = i + f.ahead + (f.at_start && i == 0);
    return last < S ? last : S - 1;
}

static void weights_with(Mat weights, Mat q, Mat k, Fault f)
{
    attention_scores(weights, q, k, (Mask){ 0 });
    for (int i = 0; i < weights.rows; i++)
        for (int j = last_seen(i, k.rows, f) + 1; j < k.rows && !f.counted_late; j++)
            *mat_ref(weights, i, j) = f.less > 0.0f ? *mat_ref(weights, i, j) - f.less : -INFINITY;
    softmax_rows(weights, weights);
    for (int i = 0; i < weights.rows; i++)
        for (int j = last_seen(i, k.rows, f) + 1; j < k.rows && f.counted_late; j++) *mat_ref(weights, i, j) = 0.0f;
}

static void attend_with(Attended to, Mat q, Mat k, Mat v, Fault f)
{
    Arena *arena = arena_open();
    Mat weights = mat_new(arena, q.rows, k.rows);
    weights_with(weights, q, k, f);
    mat_fill(to.out, 0.0f);
    for (int i = 0; i < q.rows; i++) {
        int last = last_seen(i, k.rows, f);
        for (int j = 0; j <= (f.multiplied || f.less > 0.0f ? k.rows - 1 : last); j++) {
            int from = f.next_value && j + 1 < k.rows ? j + 1 : j;
            for (int c = 0; c < v.cols; c++) *mat_ref(to.out, i, c) += *mat_ref(weights, i, j) * *mat_ref(v, from, c);
        }
    }
    arena_close(arena);
}

static int calls;                  // of any kernel: a test that calls none has tested nothing

static void counted(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    calls++;
    attention_naive(to, q, k, v, mask);
}

static void unmasked(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    (void)mask;
    calls++;
    attention_naive(to, q, k, v, (Mask){ 0 });
}

#define KERNEL(name, ...) \
    static void name(Attended to, Mat q, Mat k, Mat v, Mask mask) \
    { \
        (void)mask; \
        calls++; \
        attend_with(to, q, k, v, (Fault){ __VA_ARGS__ }); \
    }

KERNEL(own_hidden,   .ahead = -1)
KERNEL(one_ahead,    .ahead = 1)
KERNEL(counted_late, .counted_late = true)
KERNEL(next_value,   .next_value = true)
KERNEL(minus_ten,    .less = 10.0f)
KERNEL(at_start,     .at_start = true)
KERNEL(times_zero,   .multiplied = true)

static void check(Judge *judge)
{
    static const struct { AttentionKernel *kernel; bool leaks; const char *what, *question; } all[] = {
        { counted, false, "the library's attention_naive does not leak, and your test says that it does",
          "when word n changes, which outputs may change with it? Which words are still changed from before?" },
        { own_hidden, false, "a kernel that hides a query's own key as well does not leak, and your test says that it "
          "does", "what do you compare its outputs with?" },
        { unmasked, true, "a kernel in which every query sees every key passes your test",
          "what do you change, and where would that show?" },
        { one_ahead, true, "a kernel whose queries see one key ahead passes your test",
          "which word do you change, and do you look at the output just before it?" },
        { counted_late, true, "a kernel passes in which hidden keys are struck out after the softmax: they are still "
          "counted in the sum that it divides by", "a key and a value belong to every word: which do you change?" },
        { next_value, true, "a kernel passes that reads the value of the next word with the weight of this one",
          "a key and a value belong to every word: which do you change?" },
        { at_start, true, "a kernel passes in which a single query leaks: query 0 sees key 1",
          "is one changed word enough? Which pairs of query and later key have you tried?" },
        { minus_ten, true, "a kernel passes that takes 10 from hidden scores, and not ∞: its outputs move in the fifth "
          "digit", "how equal must two outputs be?" },
        { times_zero, true, "a kernel passes that multiplies hidden values by 0",
          "with which value is 0 · value not 0?" },
    };
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        judge_trying(judge, "my_leak_test of kernel %zu of %zu, which %s", n + 1, sizeof all / sizeof *all,
                     all[n].leaks ? "leaks" : "does not leak");
        calls = 0;
        bool passes = my_leak_test(all[n].kernel, judge->arena);
        judge_claim(judge, calls > 0, (Hints){
            .property = "the answer was given without one call of attend: the test has not tried anything yet",
            .question = "what would you have to see twice, to know that a later word makes no difference?" });
        judge_claim(judge, passes != all[n].leaks, (Hints){
            .property = all[n].what, .question = all[n].question,
            .formula = "for all j > i: output i is the same, to the bit, for every k_j and every v_j" });
    }
}

int main(void) { return judge_main("05b", check); }
