// Exercise 07c: my_head. It is judged by where it looks; what else it likes says why.
#include "attention/attention.h"
#include "attention/positions.h"
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef void Head(Mat q, Mat k, int n, Arena *arena);
Head my_head;

enum { T = 128, d = 16 };

static Mat weights_of(Arena *arena, Mat q, Mat k)
{
    Mat queries = mat_new(arena, T, d), keys = mat_new(arena, T, d), weights = mat_new(arena, T, T);
    RopeTable turns = rope_table(arena, 0, T, d);
    for (int i = 0; i < T; i++) {
        mat_set(mat_rows(queries, i, 1), q);
        mat_set(mat_rows(keys, i, 1), k);
    }
    rope_apply(queries, turns);
    rope_apply(keys, turns);
    attention_weights(weights, queries, keys, (Mask){ .causal = true });
    return weights;
}

static void looks_back(Judge *judge, Head *head, int n)
{
    Arena *arena = judge->arena;
    Mat q = mat_new(arena, 1, d), k = mat_new(arena, 1, d);
    judge_trying(judge, "my_head for %d words back", n);
    head(q, k, n, arena);
    bool empty = true, no_key = true;
    for (int c = 0; c < d; c++) {
        empty = empty && q.at[c] == 0.0f;
        no_key = no_key && k.at[c] == 0.0f;
        bool of_k = !(fabsf(q.at[c]) > 20.0f);
        float value = of_k ? k.at[c] : q.at[c];
        judge_claim(judge, fabsf(value) <= 20.0f,
                    (Hints){ arena_format(arena, "%s[%d] is %.4g; it must lie between -20 and 20", of_k ? "k" : "q", c,
                                          (double)value),
                             "turning keeps the norm of a pair: how large can one of its two numbers become?" });
    }
    judge_claim(judge, !empty, (Hints){ "q is still all zeros: all words get the same" });
    judge_claim(judge, !no_key,
                (Hints){ "k is still all zeros: all scores are 0, all weights equal",
                         .question = "which vector has the largest dot product with q, of all that are as long?" });
    Mat weights = weights_of(arena, q, k);
    for (int i = n; i < T; i++) {
        const float *row = mat_row(weights, i);
        int other = n ? 0 : 1;
        for (int back = 0; back <= i; back++)
            if (back != n && row[i - back] > row[i - other]) other = back;
        judge_claim(judge, row[i - n] >= 0.9f,
                    (Hints){
                        arena_format(arena, "word %d gives the word %d before it %.2f, and the word %d before it %.2f",
                                     i, n, (double)row[i - n], other, (double)row[i - other]),
                        "after how many words is a pair nearly where it was? What tells these two distances apart?",
                        "score at distance x, with k = q turned by n: Σ |q_m|² cos((x - n) ω_m) / √d" });
    }
}

static void check(Judge *judge, Function f)
{
    static const int back[] = { 1, 3, 20 };
    for (int n = 0; n < COUNT(back); n++) looks_back(judge, (Head *)f, back[n]);
}

enum { NOTHING = 1, NO_KEY, AHEAD, ONE_PAIR, TOO_LONG };

// The three fastest pairs, so that no other distance has all of them come round.
static void faulty_head(Mat q, Mat k, int n, Arena *arena)
{
    const int fault = judge_fault, pairs = fault == NOTHING ? 0 : fault == ONE_PAIR ? 1 : 3;
    float size = fault == ONE_PAIR ? 20.0f : fault == TOO_LONG ? 30.0f : 8.0f;
    for (int pair = 0; pair < pairs; pair++) q.at[2 * pair] = size;
    if (fault == NO_KEY) return;
    mat_set(k, q);
    rope_apply(k, rope_table(arena, fault == AHEAD ? -n : n, 1, q.cols));
}

static const Task tasks[] = {
    { AS(Head, my_head), AS(Head, faulty_head), .faulty = AS(Head, faulty_head), .check = check,
      .wrong = { FAULT(NOTHING, "q is still all zeros: all words get the same"),
                 FAULT(NO_KEY, "k is still all zeros: all scores are 0, all weights equal"),
                 FAULT(AHEAD, "word 1 gives the word 1 before it 0.00, and the word 0 before it 1.00"),
                 FAULT(ONE_PAIR, "word 20 gives the word 1 before it 0.75, and the word 20 before it 0.24"),
                 FAULT(TOO_LONG, "q[0] is 30; it must lie between -20 and 20") } },
};
EXERCISE("07c", tasks)
