// Chapter 10, step 12. What a head that is gone saves, in parameters and in multiplications.
#include "attention/positions.h"
#include "steps.h"

void what_it_saves(Lesson *lesson, const Studied *s, const Pruned *pruned)
{
    step(lesson, "What it saves");
    Arena *arena = lesson->arena;
    Config c = s->model.config;
    GlossedSentence g;
    grammar_sentence_of_the_book(&g, false);
    RunBatch one = run_batch_of_one(arena, g.words, g.T);
    int64_t T = g.T, D = c.D, d = c.D / c.H;
    int gone = heads_within(pruned, s->heads, 0.05), first = pruned->order[0];

    // A head that is off, and a head whose rows of Wo are 0.
    Transformer emptied = transformer_new(arena, c);
    transformer_set(emptied, s->model);
    mat_fill(mat_rows(emptied.layers[first / c.H].wo, first % c.H * (int)d, (int)d), 0.0f);
    Run off = run_transformer(arena, s->model, one, gates_without(arena, gates_all(arena, s, 1.0f), first));
    Run zeros = run_transformer(arena, emptied, one, (Mat){ 0 });
    check(lesson, mat_max_difference(off.logits, zeros.logits) == 0.0,
          "a gate of 0 is %d rows of zeros in Wo: the same logits", (int)d);

    Cost before = cost_counted;
    run_transformer(arena, s->model, one, (Mat){ 0 });
    int64_t all = cost_since(before).multiplies, head = 4 * T * D * d + 2 * T * T * d;
    before = cost_counted;
    rope_table(arena, 0, (int)T, (int)d);
    int64_t turning = c.positions == CONFIG_POSITIONS_ROPE ? cost_since(before).multiplies + c.L * 4 * T * D : 0;
    cost(lesson, "multiplications of a sentence, less the turns of RoPE", all - turning, "L(4TD² + 2T²D + 2TDM) + TDV",
         c.L * (4 * T * D * D + 2 * T * T * D + 2 * T * D * c.mlp) + T * D * c.outputs);
    say(lesson, "One head: 4·D·d = %d parameters of %d, and 4TDd + 2T²d = %d of these multiplications, at T = %d.",
        (int)(4 * D * d), (int)transformer_numbers(s->model), (int)head, (int)T);
    say(lesson, "%d heads: %.1f %% of the parameters, %.1f %% of the multiplications.", gone,
        100.0 * gone * (double)(4 * D * d) / (double)transformer_numbers(s->model),
        100.0 * gone * (double)head / (double)(all - turning));
    check(lesson,
          4 * D * d * c.H == (int64_t)s->model.layers[0].wqkv.rows * s->model.layers[0].wqkv.cols +
                                 (int64_t)s->model.layers[0].wo.rows * s->model.layers[0].wo.cols,
          "the heads of a layer share all of Wqkv and Wo: 4·D·d each");
}
