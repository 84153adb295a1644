// Exercise 09c: my_induction_head. Many matrices are right: what is judged is where the head looks and what it hands on.
#include "attention/attention.h"
#include "attention/dot_product.h"
#include "exercises/judge.h"
#include "lesson/matrices.h"

typedef void InductionHead(Mat wq, Mat wk, Mat wv);
InductionHead my_induction_head;

enum { TOKENS = 4, MOST = 12 };
typedef struct {
    int T, at[MOST];
    const char *words;
} Sequence;
typedef struct {
    Mat q, k, v;
} Matrices;

static Attended head_of(Arena *arena, const Sequence *s, Matrices m)
{
    Mat x = mat_new(arena, s->T, 2 * TOKENS);
    for (int t = 0; t < s->T; t++) {
        *mat_ref(x, t, s->at[t]) = 1.0f;
        if (t) *mat_ref(x, t, TOKENS + s->at[t - 1]) = 1.0f;
    }
    const Mat w[] = { m.q, m.k, m.v };
    Mat qkv[3];
    for (int n = 0; n < 3; n++) matmul(qkv[n] = mat_new(arena, s->T, TOKENS), x, w[n]);
    Attended head = { .out = mat_new(arena, s->T, TOKENS), .weights = mat_new(arena, s->T, s->T) };
    attention_naive(head, qkv[0], qkv[1], qkv[2], (Mask){ .causal = true });
    return head;
}

// Its token has been there before, so it has an answer.
static bool is_asked(const Sequence *s, int t)
{
    for (int j = 0; j < t; j++)
        if (s->at[j] == s->at[t]) return true;
    return false;
}

// How much of the weight of tokens that are asked goes to the places `after` the same token: 1 behind it, or 0: to it.
static double mass(const Sequence *s, Mat weights, int after)
{
    double sum = 0.0;
    int rows = 0;
    for (int t = 0; t < s->T; t++) {
        for (int j = after; j <= t && is_asked(s, t); j++)
            if (s->at[j - after] == s->at[t]) sum += (double)*mat_ref(weights, t, j);
        rows += is_asked(s, t);
    }
    return sum / rows;
}

static bool all_zero(Mat m)
{
    return mat_max_difference(m, (Mat){ (float[8 * TOKENS]){ 0 }, m.rows, m.cols, m.cols }) == 0.0;
}

static const char *not_found(Arena *arena, const Sequence *s, Matrices m, Mat weights)
{
    double after = mass(s, weights, 1), same = mass(s, weights, 0);
    Mat large = mat_copy(arena, m.q);
    for (int e = 0; e < large.rows * large.cols; e++) large.at[e] *= 20.0f;
    if (all_zero(m.q) || all_zero(m.k)) return "all keys get the same weight: Wq or Wk is 0";
    if (mass(s, head_of(arena, s, (Matrices){ large, m.k, m.v }).weights, 1) > 0.9)
        return arena_format(arena,
                            "it looks for the right thing, but only %.2f of the weight goes there: scores this small "
                            "leave too much to the other places",
                            after);
    if (!all_zero(mat_rows(m.k, 0, TOKENS)) && same > 0.8)
        return "it looks at its own token again, at itself first of all: the key says which token stands there, and not "
               "which stood before";
    return arena_format(arena,
                        "of the weight of such tokens %.2f goes to the places after the same token, and %.2f to tokens "
                        "that are the same",
                        after, same);
}

// Is the largest column of each row that is asked at the token that v hands on?
static bool hands_on(Arena *arena, const Sequence *s, Matrices m, Mat v)
{
    Matrices given = { m.q, m.k, v }, right = { m.q, m.k, mat_new(arena, 2 * TOKENS, TOKENS) };
    for (int a = 0; a < TOKENS; a++) *mat_ref(right.v, a, a) = 1.0f;
    Mat out = head_of(arena, s, given).out, wanted = head_of(arena, s, right).out;
    for (int t = 0; t < s->T; t++)
        if (is_asked(s, t) && mat_argmax(out, t) != mat_argmax(wanted, t)) return false;
    return true;
}

static void check(Judge *judge, Function f)
{
    static const Sequence sequences[] = { { 6, { 2, 0, 1, 2, 3, 2 }, "2 0 1 2 3 2" },
                                          { 12, { 3, 1, 0, 2, 1, 0, 3, 1, 0, 2, 1, 0 }, "3 1 0 2 1 0 3 1 0 2 1 0" } };
    Arena *arena = judge->arena;
    Matrices m = { mat_new(arena, 8, 4), mat_new(arena, 8, 4), mat_new(arena, 8, 4) };
    judge_trying(judge, "my_induction_head");
    ((InductionHead *)f)(m.q, m.k, m.v);
    for (int n = 0; n < COUNT(sequences); n++) {
        const Sequence *s = &sequences[n];
        Mat weights = head_of(arena, s, m).weights;
        judge_trying(judge, "where my_induction_head looks, in the tokens %s", s->words);
        if (!(mass(s, weights, 1) >= 0.9 - 1e-3))
            judge_claim(judge, false,
                        (Hints){
                            not_found(arena, s, m, weights),
                            "what does a key have to say of itself, so that a query which says its own token finds "
                            "the place after it?",
                            "q · k is large where the token at t is the token in the note at j" });
        judge_trying(judge, "what my_induction_head hands on, in the tokens %s", s->words);
        if (all_zero(m.v) || !hands_on(arena, s, m, m.v))
            judge_claim(
                judge, false,
                (Hints){
                    all_zero(m.v)
                        ? "nothing is handed on: Wv is 0"
                        : "it looks at the right places, and what it hands on is not largest at the token that stands "
                          "there",
                    "which half of the row it looks at is the answer?",
                    "v of row j has its largest column at the token at j" });
    }
}

enum { NO_QUERY = 1, TOO_SMALL, OWN_TOKEN, NO_VALUE, OTHER_TOKEN };

static void faulty_head(Mat wq, Mat wk, Mat wv)
{
    const int fault = judge_fault, note = TOKENS;
    float k = fault == TOO_SMALL ? 1.0f : 6.0f, q = fault == NO_QUERY ? 0.0f : k;
    for (int a = 0; a < TOKENS; a++) {
        *mat_ref(wq, a, a) = q;
        *mat_ref(wk, (fault == OWN_TOKEN ? 0 : note) + a, a) = k;
        *mat_ref(wv, a, fault == OTHER_TOKEN ? (a + 1) % 4 : a) = fault == NO_VALUE ? 0.0f : 1.0f;
    }
}

static const Task tasks[] = {
    { AS(InductionHead, my_induction_head), AS(InductionHead, faulty_head), .faulty = AS(InductionHead, faulty_head),
      .check = check,
      .wrong = { FAULT(NO_QUERY, "all keys get the same weight: Wq or Wk is 0"),
                 { .fault = TOO_SMALL, .told = "it looks for the right thing, but only 0.40 of the weight" },
                 { .fault = OWN_TOKEN, .told = "it looks at its own token again" },
                 FAULT(NO_VALUE, "nothing is handed on: Wv is 0"),
                 { .fault = OTHER_TOKEN, .told = "is not largest at the token that stands there" } } },
};
EXERCISE("09c", tasks)
