// Exercise 05b: my_leak_test, called with kernels that leak and with kernels that do not.
#include "attention/attention.h"
#include "attention/softmax.h"
#include "base/random.h"
#include "exercises/judge.h"

#include <math.h>

bool my_leak_test(AttentionKernel *attend, Arena *arena);

// Attention whose query i sees the first sees[i] keys, made so that a few things in it can be wrong.
typedef struct {
    int ahead;         // keys after its own that a query sees
    bool at_start;     // query 0 sees key 1, too
    bool later;        // a query after it, drawn at random, sees the key after its own
    bool far;          // query 0 sees the last key, too, and none between
    bool counted_late; // weights of hidden keys are made 0 after the softmax
    bool next_value;   // weight j meets value j + 1
    float less;        // what is taken from hidden scores; 0: infinity
    bool multiplied;   // hidden values are multiplied by their weight of 0
} Fault;

// The query that leaks alone: one of 1 … S − 2, which have a key after their own, or 0 where there is none of these.
static int drawn(int S)
{
    Random random = random_from((uint64_t)S);
    return S > 2 ? 1 + random_below(&random, S - 2) : 0;
}

static int last_seen(int i, int S, Fault f)
{
    int last = i + f.ahead + (f.at_start && i == 0) + (f.later && i == drawn(S));
    return last < S ? last : S - 1;
}

static bool sees(int i, int j, int S, Fault f) { return j <= last_seen(i, S, f) || (f.far && i == 0 && j == S - 1); }

static void weights_with(Mat weights, Mat q, Mat k, Fault f)
{
    attention_scores(weights, q, k, (Mask){ 0 });
    for (int i = 0; i < weights.rows; i++)
        for (int j = 0; j < k.rows && !f.counted_late; j++)
            if (!sees(i, j, k.rows, f))
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
        for (int j = 0; j < k.rows; j++) {
            if (!f.multiplied && f.less == 0.0f && !sees(i, j, k.rows, f)) continue;
            int from = f.next_value && j + 1 < k.rows ? j + 1 : j;
            for (int c = 0; c < v.cols; c++) *mat_ref(to.out, i, c) += *mat_ref(weights, i, j) * *mat_ref(v, from, c);
        }
    }
    arena_close(arena);
}

// What a test asks of a kernel: one that never calls it has tested nothing.
typedef struct {
    int calls, T;    // T: of the longest call
    bool unasked;    // a call wanted no causal mask
    bool others;     // keys or values were others than in the first call
    bool first_word; // those of word 0 were, too, with the same queries
    Mat q, k, v;     // of the first call
} Seen;

static Seen seen;
static Judge *judging;

// NaN is equal to NaN here: what counts is whether something was changed.
static bool same(Mat a, Mat b)
{
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.cols; j++) {
            float x = *mat_ref(a, i, j), y = *mat_ref(b, i, j);
            if (x != y && !(isnan(x) && isnan(y))) return false;
        }
    return true;
}

static void see(Mat q, Mat k, Mat v, Mask mask)
{
    seen.unasked |= !mask.causal;
    seen.T = k.rows > seen.T ? k.rows : seen.T;
    if (!seen.calls++) {
        seen.q = mat_copy(judging->arena, q);
        seen.k = mat_copy(judging->arena, k);
        seen.v = mat_copy(judging->arena, v);
        return;
    }
    bool as_large = k.rows == seen.k.rows && k.cols == seen.k.cols && v.cols == seen.v.cols;
    seen.others |= !as_large || !same(k, seen.k) || !same(v, seen.v);
    bool same_q = q.rows == seen.q.rows && q.cols == seen.q.cols && same(q, seen.q);
    seen.first_word |=
        as_large && same_q && k.rows &&
        (!same(mat_rows(k, 0, 1), mat_rows(seen.k, 0, 1)) || !same(mat_rows(v, 0, 1), mat_rows(seen.v, 0, 1)));
}

static void counted(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    see(q, k, v, mask);
    attention_naive(to, q, k, v, mask);
}

static void unmasked(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    see(q, k, v, mask);
    attention_naive(to, q, k, v, (Mask){ 0 });
}

static Mat without_nan(Arena *arena, Mat m)
{
    Mat swept = mat_copy(arena, m);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            if (isnan(*mat_ref(m, i, j))) *mat_ref(swept, i, j) = 0.0f;
    return swept;
}

static void nan_swept_out(Attended to, Mat q, Mat k, Mat v, Mask mask)
{
    Arena *arena = arena_open();
    see(q, k, v, mask);
    attention_naive(to, q, without_nan(arena, k), without_nan(arena, v), (Mask){ 0 });
    arena_close(arena);
}

#define KERNEL(name, ...) \
    static void name(Attended to, Mat q, Mat k, Mat v, Mask mask) \
    { \
        see(q, k, v, mask); \
        attend_with(to, q, k, v, (Fault){ __VA_ARGS__ }); \
    }

KERNEL(own_hidden, .ahead = -1)
KERNEL(one_ahead, .ahead = 1)
KERNEL(counted_late, .counted_late = true)
KERNEL(next_value, .next_value = true)
KERNEL(minus_ten, .less = 10.0f)
KERNEL(at_start, .at_start = true)
KERNEL(one_later, .later = true)
KERNEL(times_zero, .multiplied = true)
KERNEL(far_ahead, .far = true)

// Why a test may say that attention_naive leaks: it asked for another attention, or it means true by false.
static const char *not_of_naive(Judge *judge, const char *else_words)
{
    if (seen.unasked)
        return "attention_naive was called without a causal mask: what it gives then may depend on every word";
    if (seen.first_word)
        return "attention_naive was called again with another key or value of word 0, which every query may see: "
               "change what comes after a word, and look at the outputs up to it";
    return my_leak_test(unmasked, judge->arena)
               ? "your test says false of attention_naive, and true of a kernel in which every query sees every key: have "
                 "the two answers changed places?"
               : else_words;
}

// Why a test may find no leak at all.
static const char *no_leak_found(const char *else_words)
{
    if (seen.T < 2) return "a text of one word was tried: it has no later word that could be seen";
    if (!seen.others)
        return "every call had the same keys and the same values: what a kernel reads of later words shows when these "
               "change";
    return else_words;
}

static void check(Judge *judge)
{
    static const struct {
        AttentionKernel *kernel;
        bool leaks;
        const char *what, *question;
    } all[] = {
        { counted, false, "the library's attention_naive does not leak, and your test says that it does",
          "when word n changes, which outputs may change with it? Which words are still changed from before?" },
        { own_hidden, false,
          "a kernel that hides a query's own key as well does not leak, and your test says that it "
          "does",
          "what do you compare its outputs with?" },
        { unmasked, true, "a kernel in which every query sees every key passes your test",
          "what do you change, and where would that show?" },
        { one_ahead, true, "a kernel whose queries see one key ahead passes your test",
          "which word do you change, and do you look at the output just before it?" },
        { counted_late, true,
          "a kernel passes in which hidden keys are struck out after the softmax: they are still "
          "counted in the sum that it divides by",
          "a key and a value belong to every word: which do you change?" },
        { next_value, true, "a kernel passes that reads the value of the next word with the weight of this one",
          "a key and a value belong to every word: which do you change?" },
        { at_start, true, "a kernel passes in which a single query leaks: query 0 sees key 1",
          "is one changed word enough? Which pairs of query and later key have you tried?" },
        { one_later, true,
          "a kernel passes in which a single query leaks, one after query 0: it sees the key after "
          "its own",
          "at which outputs do you look, for each word that you change?" },
        { far_ahead, true,
          "a kernel passes in which a single query leaks, and not to its neighbour: query 0 sees the "
          "last key",
          "at which outputs do you look, for each word that you change?" },
        { minus_ten, true,
          "a kernel passes that takes 10 from hidden scores, and not ∞: its outputs move in the fifth "
          "digit",
          "how equal must two outputs be?" },
        { times_zero, true, "a kernel passes that multiplies hidden values by 0",
          "with which value is 0 · value not 0?" },
        { nan_swept_out, true,
          "a kernel passes in which every query sees every key, but which makes 0 of each NaN "
          "first",
          "can a leak show in outputs that are all numbers?" },
    };
    judging = judge;
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        judge_trying(judge, "my_leak_test of kernel %zu of %zu, which %s", n + 1, sizeof all / sizeof *all,
                     all[n].leaks ? "leaks" : "does not leak");
        seen = (Seen){ 0 };
        bool passes = my_leak_test(all[n].kernel, judge->arena);
        judge_claim(judge, seen.calls > 0,
                    (Hints){ .property =
                                 "the answer was given without one call of attend: the test has not tried anything yet",
                             .question =
                                 "what would you have to see twice, to know that a later word makes no difference?" });
        judge_claim(judge, passes != all[n].leaks,
                    (Hints){ .property = n == 0   ? not_of_naive(judge, all[n].what)
                                         : passes ? no_leak_found(all[n].what)
                                                  : all[n].what,
                             .question = all[n].question,
                             .formula =
                                 "for all j > i: output i is the same, to the bit, for every k_j and every v_j" });
    }
}

int main(void) { return judge_main("05b", check); }
