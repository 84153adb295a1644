// Exercise 10c: my_test, tried on right and on wrong gate functions.
#include "exercises/judge.h"

typedef void GateHeads(Mat gated, Mat heads, const float *gates, int H);
bool my_test(GateHeads *gate_heads, Arena *arena);

// ---- right ones

static void by_column(Mat gated, Mat heads, const float *gates, int H)
{
    int d = heads.cols / H;
    for (int i = 0; i < heads.rows; i++)
        for (int c = 0; c < heads.cols; c++) *mat_ref(gated, i, c) = gates[c / d] * *mat_ref(heads, i, c);
}

static void by_head(Mat gated, Mat heads, const float *gates, int H)
{
    int d = heads.cols / H;
    for (int h = 0; h < H; h++)
        for (int i = 0; i < heads.rows; i++)
            for (int c = 0; c < d; c++) *mat_ref(gated, i, h * d + c) = *mat_ref(heads, i, h * d + c) * gates[h];
}

// ---- wrong ones

static void ignores_gates(Mat gated, Mat heads, const float *gates, int H)
{
    (void)gates;
    (void)H;
    mat_set(gated, heads);
}

static void gates_in_turn(Mat gated, Mat heads, const float *gates, int H)
{
    for (int i = 0; i < heads.rows; i++)
        for (int c = 0; c < heads.cols; c++) *mat_ref(gated, i, c) = gates[c % H] * *mat_ref(heads, i, c);
}

static void first_gate_for_all(Mat gated, Mat heads, const float *gates, int H)
{
    (void)H;
    for (int i = 0; i < heads.rows; i++)
        for (int c = 0; c < heads.cols; c++) *mat_ref(gated, i, c) = gates[0] * *mat_ref(heads, i, c);
}

static void on_or_off(Mat gated, Mat heads, const float *gates, int H)
{
    int d = heads.cols / H;
    for (int i = 0; i < heads.rows; i++)
        for (int c = 0; c < heads.cols; c++)
            *mat_ref(gated, i, c) = gates[c / d] == 0.0f ? 0.0f : *mat_ref(heads, i, c);
}

static void first_row(Mat gated, Mat heads, const float *gates, int H)
{
    mat_set(gated, heads);
    by_column(mat_rows(gated, 0, 1), mat_rows(heads, 0, 1), gates, H);
}

static void last_column_missing(Mat gated, Mat heads, const float *gates, int H)
{
    by_column(gated, heads, gates, H);
    for (int i = 0; i < heads.rows; i++) *mat_ref(gated, i, heads.cols - 1) = *mat_ref(heads, i, heads.cols - 1);
}

static void in_place(Mat gated, Mat heads, const float *gates, int H)
{
    by_column(gated, heads, gates, H);
    mat_set(heads, gated);
}

static void adds_up(Mat gated, Mat heads, const float *gates, int H)
{
    int d = heads.cols / H;
    for (int i = 0; i < heads.rows; i++)
        for (int c = 0; c < heads.cols; c++) *mat_ref(gated, i, c) += gates[c / d] * *mat_ref(heads, i, c);
}

static void no_stride(Mat gated, Mat heads, const float *gates, int H)
{
    int d = heads.cols / H;
    for (int i = 0; i < heads.rows; i++)
        for (int c = 0; c < heads.cols; c++) gated.at[i * gated.cols + c] = gates[c / d] * heads.at[i * heads.cols + c];
}

static const struct {
    GateHeads *function;
    const char *what, *question;
} WRONG_ONES[] = {
    { ignores_gates, "copies heads and never looks at a gate", "what is in gated when a gate is not 1?" },
    { first_gate_for_all, "takes the first head's gate for all", "do two of your heads have different gates?" },
    { gates_in_turn, "deals the gates out column by column",
      "is a head more than one column wide, and do you look at each of its columns?" },
    { on_or_off, "knows only on and off", "which of your gates is neither 0 nor 1?" },
    { first_row, "gates the first row only", "how many rows have you looked at?" },
    { last_column_missing, "leaves out the last column",
      "do you look at the last column, and would it look different without its gate?" },
    { in_place, "writes over heads", "are heads afterwards as they were?" },
    { adds_up, "adds to what stood in gated before", "what have you put into gated before the call?" },
    { no_stride, "takes every matrix for one without a stride", "is one of your matrices a view of a wider one?" },
};

// What a test that fails a right function does otherwise.
static const char *failing(Judge *judge, GateHeads *right)
{
    enum { COUNT = sizeof WRONG_ONES / sizeof *WRONG_ONES };
    int passed = 0;
    for (int w = 0; w < COUNT; w++) passed += my_test(WRONG_ONES[w].function, judge->arena);
    if (my_test(right, judge->arena)) return "a right function fails your test once, and passes it the next time";
    return passed == 0       ? "a right function fails your test, as every other one does: does it ever answer true?"
           : passed == COUNT ? "a right function fails your test, and all wrong ones pass: the answer is turned round"
                             : "a right function fails your test";
}

static void passes(Judge *judge, const char *what, GateHeads *right)
{
    judge_trying(judge, "my_test of a right gate function, %s", what);
    if (my_test(right, judge->arena)) return;
    judge_claim(
        judge, false,
        (Hints){ .property = failing(judge, right),
                 .question =
                     "which number do you expect that the task does not ask for, or more exactly than a float has it?",
                 .formula = "gatedᵢ,꜀ = gate of head ⌊c/d⌋ · headsᵢ,꜀" });
}

static void check(Judge *judge)
{
    enum { COUNT = sizeof WRONG_ONES / sizeof *WRONG_ONES };
    passes(judge, "which goes column by column", by_column);
    passes(judge, "which goes head by head", by_head);
    for (int w = 0; w < COUNT; w++) {
        judge_trying(judge, "my_test of wrong gate function %d of %d", w + 1, COUNT);
        judge_claim(judge, !my_test(WRONG_ONES[w].function, judge->arena),
                    (Hints){ .property = arena_format(judge->arena, "a function passes that %s", WRONG_ONES[w].what),
                             .question = WRONG_ONES[w].question,
                             .formula = "gatedᵢ,꜀ = gate of head ⌊c/d⌋ · headsᵢ,꜀ for all i and c; heads stay" });
    }
}

int main(void) { return judge_main("10c", check); }
