// Exercise 09c: my_induction_head. Many matrices are right: what is judged is where the head looks and what it hands
// on.
#include "attention/attention.h"
#include "base/cost.h"
#include "exercises/judge.h"

#include <math.h>

void my_induction_head(Mat wq, Mat wk, Mat wv);

enum { TOKENS = 4, MOST = 12 };
typedef struct {
    int T, at[MOST];
} Sequence;
typedef struct {
    Mat weights, out;
} Head;
typedef struct {
    Mat wq, wk, wv;
} Matrices;

static Mat stream(Arena *arena, const Sequence *s)
{
    Mat x = mat_new(arena, s->T, 2 * TOKENS);
    for (int t = 0; t < s->T; t++) {
        *mat_ref(x, t, s->at[t]) = 1.0f;
        if (t) *mat_ref(x, t, TOKENS + s->at[t - 1]) = 1.0f;
    }
    return x;
}

static Mat times(Arena *arena, Mat x, Mat w)
{
    Mat out = mat_new(arena, x.rows, w.cols);
    for (int i = 0; i < x.rows; i++)
        for (int c = 0; c < w.cols; c++)
            for (int k = 0; k < w.rows; k++) *mat_ref(out, i, c) += *mat_ref(x, i, k) * *mat_ref(w, k, c);
    return out;
}

static Head head_of(Arena *arena, Mat x, Matrices m)
{
    Head head = { mat_new(arena, x.rows, x.rows), mat_new(arena, x.rows, TOKENS) };
    Attended to = { .out = head.out, .weights = head.weights };
    attention_naive(to, times(arena, x, m.wq), times(arena, x, m.wk), times(arena, x, m.wv), (Mask){ .causal = true });
    return head;
}

// Places j that stand to query t as a kind of head wants them.
typedef enum { AFTER_SAME, SAME, SAME_NOTE, NOTED_HERE } Places;

static bool is_place(const Sequence *s, Places places, int t, int j)
{
    const int *at = s->at;
    if (places == AFTER_SAME) return j > 0 && at[j - 1] == at[t];
    if (places == SAME) return at[j] == at[t];
    if (places == SAME_NOTE) return j > 0 && t > 0 && at[j - 1] == at[t - 1];
    return t > 0 && at[j] == at[t - 1];
}

// Has an answer: its token stood there before.
static bool is_asked(const Sequence *s, int t)
{
    for (int j = 1; j <= t; j++)
        if (is_place(s, AFTER_SAME, t, j)) return true;
    return false;
}

static double mass(const Sequence *s, Mat weights, Places places)
{
    double sum = 0.0;
    int rows = 0;
    for (int t = 0; t < s->T; t++) {
        if (!is_asked(s, t)) continue;
        for (int j = 0; j <= t; j++)
            if (is_place(s, places, t, j)) sum += (double)*mat_ref(weights, t, j);
        rows++;
    }
    return rows ? sum / rows : 1.0;
}

static Mat number(Judge *judge, double value) { return mat_of(judge->arena, 1, 1, (float[]){ (float)value }); }

// A mistake that was made, or one that cannot be met.
static Mat when(Judge *judge, bool made, Mat got)
{
    Mat never = mat_new(judge->arena, got.rows, got.cols);
    mat_fill(never, INFINITY);
    return made ? got : never;
}

static const char *words_of(Judge *judge, const Sequence *s)
{
    const char *list = "";
    for (int t = 0; t < s->T; t++) list = arena_format(judge->arena, "%s%s%d", list, t ? " " : "", s->at[t]);
    return list;
}

static bool all_finite(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++)
            if (!isfinite(*mat_ref(m, i, c))) return false;
    return true;
}

static bool all_zero(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int c = 0; c < m.cols; c++)
            if (*mat_ref(m, i, c) != 0.0f) return false;
    return true;
}

// The mass on the right places if all scores were this many times as large: with 20 a head that looks for the right
// thing gets it all, with -20 one whose sign is wrong.
static double mass_when_sharp(Judge *judge, const Sequence *s, Matrices m, float times_as_large)
{
    Mat large = mat_copy(judge->arena, m.wq);
    for (int e = 0; e < large.rows * large.cols; e++) large.at[e] *= times_as_large;
    m.wq = large;
    return mass(s, head_of(judge->arena, stream(judge->arena, s), m).weights, AFTER_SAME);
}

// A copy without its rows for the token (half 0) or for the note (half 1).
static Mat without_half(Judge *judge, Mat m, int half)
{
    Mat left = mat_copy(judge->arena, m);
    mat_fill(mat_rows(left, half * TOKENS, TOKENS), 0.0f);
    return left;
}

// Finds enough when a half of the queries, or of the keys, is taken away: that half is what disturbs.
static bool too_much_in_q(Judge *judge, const Sequence *s, Matrices m)
{
    m.wq = without_half(judge, m.wq, 1);
    return mass_when_sharp(judge, s, m, 1.0f) > 0.9;
}

static bool too_much_in_k(Judge *judge, const Sequence *s, Matrices m)
{
    m.wk = without_half(judge, m.wk, 0);
    return mass_when_sharp(judge, s, m, 1.0f) > 0.9;
}

// How well the query of token a fits the note of token b.
static double fit(Matrices m, int a, int b)
{
    double sum = 0.0;
    for (int c = 0; c < m.wq.cols; c++) sum += (double)(*mat_ref(m.wq, a, c) * *mat_ref(m.wk, TOKENS + b, c));
    return sum;
}

// NULL, or a token whose query fits the note of another one as well as its own or better, in words.
static const char *fits_another(Judge *judge, Matrices m)
{
    for (int a = 0; a < TOKENS; a++)
        for (int b = 0; b < TOKENS; b++)
            if (a != b && fit(m, a, b) > 0.0 && fit(m, a, b) >= fit(m, a, a))
                return arena_format(judge->arena,
                                    "what the query of token %d asks for fits the note of token %d as "
                                    "well as its own, or better: compare their columns",
                                    a, b);
    return NULL;
}

// All tokens ask for the same.
static bool queries_alike(Matrices m)
{
    for (int a = 1; a < TOKENS; a++)
        if (mat_max_difference(mat_rows(m.wq, a, 1), mat_rows(m.wq, 0, 1)) > 0.0) return false;
    return !all_zero(mat_rows(m.wq, 0, 1));
}

// The only token for which too little is found, when the others have enough; −1: none, or more than one.
static int odd_one(const Sequence *s, Mat weights)
{
    int odd = -1;
    for (int t = 0; t < s->T; t++) {
        double sum = 0.0;
        for (int j = 0; j <= t; j++)
            if (is_place(s, AFTER_SAME, t, j)) sum += (double)*mat_ref(weights, t, j);
        if (!is_asked(s, t) || sum > 0.9 || s->at[t] == odd) continue;
        if (odd >= 0) return -1;
        odd = s->at[t];
    }
    return odd;
}

// What is more than enough counts as enough.
static void looks(Judge *judge, const Sequence *s, Matrices m)
{
    const double enough = 0.9;
    Mat weights = head_of(judge->arena, stream(judge->arena, s), m).weights;
    double after = mass(s, weights, AFTER_SAME), same = mass(s, weights, SAME), twin = mass(s, weights, SAME_NOTE);
    double here = mass(s, weights, NOTED_HERE);
    judge_trying(judge, "where my_induction_head looks, in the tokens %s", words_of(judge, s));
    Mat got = number(judge, after < enough || isnan(after) ? after : enough);
    bool flat = all_zero(m.wq) || all_zero(m.wk), finite = all_finite(m.wq) && all_finite(m.wk);
    bool says_token = !all_zero(mat_rows(m.wk, 0, TOKENS));
    const char *another = finite ? fits_another(judge, m) : NULL;
    int odd = odd_one(s, weights);
    bool others = odd >= 0 && s->T == 8; // there each of the four tokens is asked
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = number(judge, enough),
            .tolerance = 1e-3f,
            .hints = { .property = arena_format(judge->arena,
                                                "of the weight of such tokens %.2f goes to the places after "
                                                "the same token, and %.2f to tokens that are the same",
                                                after, same),
                       .question =
                           "what does a key have to say of itself, so that a query which says its own token finds "
                           "the place after it?",
                       .formula = "q · k is large where the token at t is the token in the note at j" },
            .mistakes = {
                { "Wq or Wk holds something that is no finite number", when(judge, !finite, got) },
                { "weights that are no numbers: q · k is beyond the largest float, about 3e38; far smaller entries are "
                  "enough",
                  when(judge, isnan(after), got) },
                { "all keys get the same weight: Wq or Wk is 0", when(judge, flat, got) },
                { arena_format(judge->arena,
                               "it looks for the right thing, but only %.2f of the weight goes there: scores "
                               "this small leave too much to the other places",
                               after),
                  when(judge, mass_when_sharp(judge, s, m, 20.0f) > enough, got) },
                { "it looks at its own token again, at itself first of all: the key says which token stands there, and "
                  "not which stood before",
                  when(judge, says_token && same > 0.8 && twin < 0.8, got) },
                { "it looks for its own note in other notes: places that follow the same token as it does itself",
                  when(judge, twin > 0.8 && !all_zero(mat_rows(m.wq, TOKENS, TOKENS)), got) },
                { "all tokens ask for the same: their rows of Wq are alike", when(judge, queries_alike(m), got) },
                { another ? another : "", when(judge, another, got) },
                { "the key says which token stands there as well: only its note should decide",
                  when(judge, too_much_in_k(judge, s, m), got) },
                { "the query says its note as well: only its token should decide",
                  when(judge, too_much_in_q(judge, s, m), got) },
                { arena_format(judge->arena, "the others find their place; the token %d does not", odd),
                  when(judge, others, got) },
                { "it looks for the token before it: the query reads its note where it must read its token",
                  when(judge, here > 0.8, got) },
                { "it looks everywhere but there: the sign",
                  when(judge, mass_when_sharp(judge, s, m, -20.0f) > enough, got) } } });
}

// The largest column of each row that is asked.
static Mat answers(Judge *judge, const Sequence *s, Mat out)
{
    Mat list = mat_new(judge->arena, 1, s->T);
    for (int t = 0; t < s->T; t++) {
        int best = 0;
        for (int c = 1; c < TOKENS; c++)
            if (*mat_ref(out, t, c) > *mat_ref(out, t, best)) best = c;
        list.at[t] = is_asked(s, t) ? (float)best : -1.0f;
    }
    return list;
}

// NULL, or what the rows of Wv for the tokens lack, in words.
static const char *nothing_of_its_own(Judge *judge, Mat wv)
{
    bool alike = true;
    for (int a = 0; a < TOKENS; a++) {
        if (all_zero(mat_rows(wv, a, 1)) && !all_zero(mat_rows(wv, 0, TOKENS)))
            return arena_format(judge->arena, "token %d hands on nothing: its row of Wv is 0", a);
        alike = alike && mat_max_difference(mat_rows(wv, a, 1), mat_rows(wv, 0, 1)) == 0.0;
    }
    return alike && !all_zero(mat_rows(wv, 0, 1)) ? "all tokens hand on the same: their rows of Wv are alike" : NULL;
}

static Mat own_tokens(Judge *judge, const Sequence *s)
{
    Mat list = mat_new(judge->arena, 1, s->T);
    for (int t = 0; t < s->T; t++) list.at[t] = is_asked(s, t) ? (float)s->at[t] : -1.0f;
    return list;
}

static void hands_on(Judge *judge, const Sequence *s, Matrices m)
{
    Mat x = stream(judge->arena, s), right = mat_new(judge->arena, 2 * TOKENS, TOKENS);
    for (int a = 0; a < TOKENS; a++) *mat_ref(right, a, a) = 1.0f;
    Mat weights = head_of(judge->arena, x, m).weights, found = mat_new(judge->arena, s->T, TOKENS);
    mat_set(found, times(judge->arena, weights, times(judge->arena, x, right)));
    judge_trying(judge, "what my_induction_head hands on, in the tokens %s (-1: not asked)", words_of(judge, s));
    const char *half = "which half of the row it looks at is the answer?";
    const char *formula = "v of row j has its largest column at the token at j";
    // Of nothing the first column counts as the largest, which may be the answer.
    judge_claim(judge, !all_zero(m.wv), (Hints){ "nothing is handed on: Wv is 0", half, formula });
    Mat got = answers(judge, s, head_of(judge->arena, x, m).out), wanted = answers(judge, s, found);
    Matrices token = { m.wq, m.wk, without_half(judge, m.wv, 1) }, turned = m;
    turned.wv = mat_copy(judge->arena, m.wv);
    for (int e = 0; e < turned.wv.rows * turned.wv.cols; e++) turned.wv.at[e] *= -1.0f;
    Mat token_alone = answers(judge, s, head_of(judge->arena, x, token).out);
    Mat other_sign = answers(judge, s, head_of(judge->arena, x, turned).out);
    const char *lacks = nothing_of_its_own(judge, m.wv);
    judge_answer(
        judge,
        (Answer){ .got = got,
                  .expected = wanted,
                  .hints = { .property =
                                 "it looks at the right places, and what it hands on is not largest at the token "
                                 "that stands there",
                             .question = half,
                             .formula = formula },
                  .mistakes = {
                      { lacks ? lacks : "", when(judge, lacks, got) },
                      { "the sign: the token that stands there gets the smallest number",
                        when(judge, mat_max_difference(other_sign, wanted) == 0.0, got) },
                      { "the note is handed on, too, beside the token that stands there",
                        when(judge, !all_zero(token.wv) && mat_max_difference(token_alone, wanted) == 0.0, got) },
                      { "it hands on its own token: that is what the note says of the place it looks at, and not what "
                        "stands there",
                        own_tokens(judge, s) } } });
}

static void check(Judge *judge)
{
    static const Sequence sequences[] = { { 6, { 2, 0, 1, 2, 3, 2 } },
                                          { 8, { 0, 1, 2, 3, 0, 1, 2, 3 } },
                                          { 12, { 3, 1, 0, 2, 1, 0, 3, 1, 0, 2, 1, 0 } } };
    Matrices m = { mat_new(judge->arena, 8, 4), mat_new(judge->arena, 8, 4), mat_new(judge->arena, 8, 4) };
    judge_trying(judge, "my_induction_head");
    my_induction_head(m.wq, m.wk, m.wv);
    for (int s = 0; s < 3; s++) {
        looks(judge, &sequences[s], m);
        hands_on(judge, &sequences[s], m);
    }
}

int main(void) { return judge_main("09c", check); }
