// Chapter 11, step 4. Where the queries of a chunk stand among the keys.
#include "attention/self_attention.h"
#include "lesson/hand_made.h"
#include "steps.h"

// The causal mask as it is often written, tril(ones(T, S)): query i sees keys 0 … i, wherever the chunk stands.
static void top_left(Mat out, Mat weights, Mat q, Mat k, Mat v)
{
    for (int i = 0; i < q.rows; i++) {
        int seen = i + 1;
        Attended to = { .out = mat_rows(out, i, 1), .weights = mat_block(weights, i, 1, 0, seen) };
        attention_naive(to, mat_rows(q, i, 1), mat_rows(k, 0, seen), mat_rows(v, 0, seen), (Mask){ 0 });
    }
}

static Mat not_seen(Arena *arena, Mat weights)
{
    Mat hidden = mat_new(arena, weights.rows, weights.cols);
    for (int i = 0; i < hidden.rows; i++)
        for (int j = 0; j < hidden.cols; j++) *mat_ref(hidden, i, j) = *mat_ref(weights, i, j) == 0.0f;
    return hidden;
}

int newest_word(const Lesson *lesson)
{
    enum { IT = 7 };
    return lesson->own_words ? lesson->sentence.T - 1 : IT;
}

// The newest word comes alone. The head is the one made by hand in chapter 04.
void bottom_right(Lesson *lesson)
{
    step(lesson, "Where a new word stands");
    Arena *arena = lesson->arena;
    int T = newest_word(lesson) + 1;
    Mat x = mat_rows(lesson->sentence.x, 0, T);
    HeadProjections p = head_project(arena, x, x, hand_made(lesson).w);
    Mat last = mat_rows(p.q, T - 1, 1), maps = mat_new(arena, 2, T), out = mat_new(arena, 2, HAND_MADE_WIDTH);
    attention_naive((Attended){ .out = mat_rows(out, 0, 1), .weights = mat_rows(maps, 0, 1) }, last, p.k, p.v,
                    (Mask){ .causal = true });
    top_left(mat_rows(out, 1, 1), mat_rows(maps, 1, 1), last, p.k, p.v);
    static const char *const rows[] = { "bottom-right", "top-left" };
    const char *name = arena_format(arena, "\"%s\" comes alone: its weights", lesson->sentence.words[T - 1]);
    show_table(lesson, (Table){ .name = name,
                                .values = maps,
                                .hidden = not_seen(arena, maps),
                                .rows = rows,
                                .cols = lesson->sentence.words,
                                .low = 0,
                                .high = 1 });
    check(lesson, *mat_ref(maps, 1, 0) == 1.0f && (T < 2 || *mat_ref(maps, 1, T - 1) == 0.0f),
          "top-left, a word that comes alone sees the first word and nothing else");
    double apart = mat_max_difference(mat_rows(out, 0, 1), mat_rows(out, 1, 1));
    trace_mat(lesson->trace, "made.q", p.q);
    trace_mat(lesson->trace, "made.k", p.k);
    trace_mat(lesson->trace, "made.v", p.v);
    if (!lesson->own_words) check(lesson, apart > 0.1, "what it takes from them differs by %.2f", apart);

    Mat right = mat_new(arena, T, HAND_MADE_WIDTH), wrong = mat_new(arena, T, HAND_MADE_WIDTH);
    attention_naive((Attended){ .out = right }, p.q, p.k, p.v, (Mask){ .causal = true });
    top_left(wrong, mat_new(arena, T, T), p.q, p.k, p.v);
    check(lesson, mat_equal(right, wrong), "all %d word%s in one chunk: both are the same, to the bit", T,
          T == 1 ? "" : "s");
}
