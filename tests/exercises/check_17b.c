// Exercise 17b: my_step. The mistakes that are left are found by making them.
#include "attention/attention.h"
#include "attention/dot_product.h"
#include "attention/positions.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Step(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr);
Step my_step;

static const struct {
    int S, H, c, d, dr, dv;
} cases[] = { { 5, 3, 6, 3, 2, 4 }, { 9, 2, 5, 4, 4, 2 }, { 1, 2, 4, 2, 2, 2 } };

static void step_case(Judge *judge, Function f, int n)
{
    int S = cases[n].S, H = cases[n].H, c = cases[n].c, d = cases[n].d, dr = cases[n].dr, dv = cases[n].dv;
    Random random = random_from((uint64_t)(17 * S + H));
    Mat out = judge_output(judge, 1, H * dv), q = judge_random(judge, &random, 1, H * (d + dr));
    Mat rows = judge_random(judge, &random, S, c + dr), wuk = judge_random(judge, &random, c, H * d);
    Mat wuv = judge_random(judge, &random, c, H * dv), old_q = mat_copy(judge->arena, q);
    Mat old_rows = mat_copy(judge->arena, rows);
    judge_trying(judge, "my_step of %d tokens, H = %d, c = %d, d = %d, dr = %d, dv = %d", S, H, c, d, dr, dv);
    ((Step *)f)(out, q, rows, wuk, wuv, H, dr);
    judge_claim(judge, mat_equal(q, old_q) && mat_equal(rows, old_rows),
                (Hints){ "q or rows are turned in place: the next step would turn them once more",
                         "what were the copies for?" });
}

// The four mistakes; what they may be mended into, and what may be broken beside them.
enum { TURN = 1, COLUMNS = 2, VALUES = 4, SCALE = 8 };
enum { OWN_WIDTH = 16, NO_ROOT = 32, NO_SCALE = 64, ONE_PAST = 128, KEYS_STAY = 256, IN_PLACE = 512, HALF = 1024 };

static void faulty_step(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr)
{
    const int fault = judge_fault;
    Arena *arena = arena_open();
    int S = rows.rows, c = rows.cols - dr, d = q.cols / H - dr, dv = out.cols / H;
    Mat kept = fault & IN_PLACE ? rows : mat_copy(arena, rows), turned = mat_copy(arena, q),
        mixed = mat_new(arena, 1, c);
    float width = (float)(fault & SCALE ? c + dr : fault & OWN_WIDTH ? d : d + dr);
    Mask mask = { .scale = fault & NO_SCALE ? 1.0f : 1.0f / (fault & NO_ROOT ? width : sqrtf(width)) };
    if (!(fault & KEYS_STAY)) rope_apply(mat_cols(kept, c, dr), rope_table(arena, 0, S, dr));
    for (int h = 0; h < H; h++) {
        Mat own = mat_cols(turned, h * (d + dr), d + dr), absorbed = mat_new(arena, 1, c + dr);
        rope_apply(mat_cols(own, d, dr), rope_table(arena, fault & TURN ? 0 : fault & ONE_PAST ? S : S - 1, 1, dr));
        matmul_transposed(mat_cols(absorbed, 0, c), mat_cols(own, 0, d), mat_cols(wuk, fault & COLUMNS ? 0 : h * d, d));
        mat_set(mat_cols(absorbed, c, dr), mat_cols(own, d, dr));
        attention_naive((Attended){ .out = mixed }, absorbed, kept, mat_cols(kept, fault & VALUES ? dr : 0, c), mask);
        matmul(mat_cols(out, h * dv, dv), mixed, mat_cols(wuv, h * dv, dv));
    }
    if (fault & HALF) out.at[0] *= 0.5f;
    arena_close(arena);
}

#define QUERY "Look at the query: where among the tokens does it stand, and where does this put it?"
#define HEADS "Look at head 0 and the others: whose keys do they all look at?"
#define MIXED "Look at what is mixed: of which columns of a row would its values be made?"
#define STEEP "Look at how steep the weights are: whose width is in the root?"
#define ONE   "1 mistake is left. "
#define TWO   "2 mistakes are left. "
#define THREE "3 mistakes are left. "

// clang-format off
static const Task tasks[] = {
    { AS(Step, my_step), AS(Step, faulty_step), step_case, COUNT(cases), 1e-4f, .faulty = AS(Step, faulty_step),
      .hints = { { "the output is not that of keys and values that are made, and none of the four mistakes gives it",
                   "which of the four is mended by half, or what has changed beside them?",
                   "scores (q Wukᵀ · l + turned q · turned r) / √(d + dr), outputs (Σ a l) Wuv" } },
      .wrong = { FAULT(TURN, ONE QUERY), FAULT(COLUMNS, ONE HEADS), FAULT(VALUES, ONE MIXED), FAULT(SCALE, ONE STEEP),
                 FAULT(TURN | COLUMNS, TWO QUERY), FAULT(TURN | VALUES, TWO QUERY), FAULT(TURN | SCALE, TWO QUERY),
                 FAULT(COLUMNS | VALUES, TWO HEADS), FAULT(COLUMNS | SCALE, TWO HEADS), FAULT(VALUES | SCALE, TWO MIXED),
                 FAULT(TURN | COLUMNS | VALUES, THREE QUERY), FAULT(TURN | COLUMNS | SCALE, THREE QUERY),
                 FAULT(TURN | VALUES | SCALE, THREE QUERY), FAULT(COLUMNS | VALUES | SCALE, THREE HEADS),
                 FAULT(TURN | COLUMNS | VALUES | SCALE, "4 mistakes are left. " QUERY),
                 FAULT(OWN_WIDTH, "the scale is that of d alone: the turned part is in the sum, too"),
                 FAULT(NO_ROOT, "the scores are divided by d + dr, and not by its root"),
                 FAULT(NO_SCALE, "the scores are not scaled"),
                 FAULT(ONE_PAST, "the query is turned by S: the last of S tokens stands at S − 1"),
                 FAULT(KEYS_STAY, "the shared keys are not turned any more; that line was right"),
                 { .fault = IN_PLACE, .told = "q or rows are turned in place" },
                 { .fault = HALF, .told = "none of the four mistakes gives it" } } },
};
// clang-format on
EXERCISE("17b", tasks)
