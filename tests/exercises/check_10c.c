// Exercise 10c: my_test, tried on right and on wrong gate functions.
#include "exercises/judge.h"

typedef void GateHeads(Mat gated, Mat heads, const float *gates, int H);
typedef bool Test(GateHeads *gate_heads, Arena *arena);
Test my_test;

#define GATE_HEADS(name, step) \
    static void name(Mat gated, Mat heads, const float *gates, int H) \
    { \
        int d = heads.cols / H; \
        for (int i = 0; i < heads.rows; i++) \
            for (int c = 0; c < heads.cols; c++) step; \
        (void)d; \
        (void)gates; \
    }
#define GATED *mat_ref(gated, i, c)
#define HEADS *mat_ref(heads, i, c)
GATE_HEADS(by_column, GATED = gates[c / d] * HEADS)
GATE_HEADS(ignores_gates, GATED = HEADS)
GATE_HEADS(gates_in_turn, GATED = gates[c % H] * HEADS)
GATE_HEADS(first_gate_for_all, GATED = gates[0] * HEADS)
GATE_HEADS(on_or_off, GATED = gates[c / d] == 0.0f ? 0.0f : HEADS)
GATE_HEADS(last_column_missing, GATED = (c < heads.cols - 1 ? gates[c / d] : 1.0f) * HEADS)
GATE_HEADS(first_row, GATED = (i ? 1.0f : gates[c / d]) * HEADS)
GATE_HEADS(adds_up, GATED += gates[c / d] * HEADS)
GATE_HEADS(in_place, GATED = HEADS = gates[c / d] * HEADS)
GATE_HEADS(no_stride, gated.at[i * gated.cols + c] = gates[c / d] * heads.at[i * heads.cols + c])

static void by_head(Mat gated, Mat heads, const float *gates, int H)
{
    int d = heads.cols / H;
    for (int h = 0; h < H; h++) by_column(mat_cols(gated, h * d, d), mat_cols(heads, h * d, d), &gates[h], 1);
}

static const char refused[] = "a right function fails your test";
static const char asked_too_much[] =
    "which number do you expect that the task does not ask for, or more exactly than a float has it?";

static const struct {
    GateHeads *function;
    const char *property, *question;
} tried[] = {
    { by_column, refused, asked_too_much },
    { by_head, refused, asked_too_much },
    { ignores_gates, "a function passes that copies heads and never looks at a gate",
      "what is in gated when a gate is not 1?" },
    { first_gate_for_all, "a function passes that takes the first head's gate for all",
      "do two of your heads have different gates?" },
    { gates_in_turn, "a function passes that deals the gates out column by column",
      "is a head more than one column wide, and do you look at each of its columns?" },
    { on_or_off, "a function passes that knows only on and off", "which of your gates is neither 0 nor 1?" },
    { last_column_missing, "a function passes that leaves out the last column",
      "do you look at the last column, and would it look different without its gate?" },
    { first_row, "a function passes that gates the first row only", "how many rows have you looked at?" },
    { adds_up, "a function passes that adds to what stood in gated before",
      "what have you put into gated before the call?" },
    { in_place, "a function passes that writes over heads", "are heads afterwards as they were?" },
    { no_stride, "a function passes that takes every matrix for one without a stride",
      "is one of your matrices a view of a wider one?" },
};

static void check(Judge *judge, Function f)
{
    for (int n = 0; n < COUNT(tried); n++) {
        judge_trying(judge, "my_test of gate function %d of %d, which is %s", n + 1, COUNT(tried),
                     n < 2 ? "right" : "wrong");
        judge_verdict(judge, ((Test *)f)(tried[n].function, judge->arena), n < 2,
                      (Hints){ tried[n].property, tried[n].question,
                               "gatedᵢ,꜀ = gate of head ⌊c/d⌋ · headsᵢ,꜀ for all i and c; heads stay" });
    }
}

enum { SAYS_YES = 1, IN_DOUBLES };

static bool faulty_test(GateHeads *gate_heads, Arena *arena)
{
    enum { T = 3, H = 2, D = 6 };
    const float gates[H] = { judge_fault == IN_DOUBLES ? 0.3f : 0.5f, -2.0f };
    Mat heads = mat_cols(mat_new(arena, T, D + 2), 1, D), gated = mat_cols(mat_new(arena, T, D + 3), 2, D);
    bool good = true;
    if (judge_fault == SAYS_YES) return true;
    for (int i = 0; i < T; i++)
        for (int c = 0; c < D; c++) *mat_ref(heads, i, c) = (float)(1 + i * D + c);
    mat_fill(gated, 7.0f);
    gate_heads(gated, heads, gates, H);
    for (int i = 0; i < T; i++)
        for (int c = 0; c < D; c++) {
            double value = 1 + i * D + c, wanted = (double)gates[c / (D / H)] * value;
            if (judge_fault != IN_DOUBLES) wanted = (double)(float)wanted;
            good = good && (double)HEADS == value && (double)GATED == wanted;
        }
    return good;
}

static const Task tasks[] = {
    { AS(Test, my_test), AS(Test, faulty_test), .faulty = AS(Test, faulty_test), .check = check,
      .wrong = { FAULT(SAYS_YES, "a function passes that copies heads and never looks at a gate"),
                 FAULT(IN_DOUBLES, "a right function fails your test") } },
};
EXERCISE("10c", tasks)
