// Chapter 07, step 10. What turning costs.
#include "steps.h"

void what_it_costs(Lesson *lesson)
{
    enum { d = 64 };
    step(lesson, "What it costs");
    Arena *arena = lesson->arena;
    static const char *const cols[] = { "angles", "turning q, k", "scores", "turning, %" };
    Rows rows = rows_of(lesson, "one head, d = 64: multiplications, run and counted", cols, 4);
    rows.table.decimals = -1;
    rows.table.units = COLUMNS_APART;
    bool right = true;
    for (int T = 4; T <= 256; T *= 4) {
        Mat q = mat_new(arena, T, d), k = mat_new(arena, T, d), scores = mat_new(arena, T, T);
        Cost before = cost_counted;
        RopeTable turns = rope_table(arena, 0, T, d);
        int64_t angles = cost_since(before).multiplies;
        before = cost_counted;
        rope_apply(q, turns);
        rope_apply(k, turns);
        int64_t turning = cost_since(before).multiplies;
        before = cost_counted;
        attention_scores(scores, q, k, EVERYTHING);
        int64_t scoring = cost_since(before).multiplies;
        right = right && angles == T * d / 2 && turning == 4 * T * d && scoring == (int64_t)T * T * d;
        double percent = 100.0 * (double)turning / (double)scoring;
        rows_add(&rows, ROW((double)angles, (double)turning, (double)scoring, percent), "T = %d", T);
    }
    show_rows(lesson, &rows);
    check(lesson, right, "angles T·d/2, once for all heads; turning 4·T·d, four for each pair; scores T²·d");
    double share = mat_value(rows.table.values, 2, 3);
    check(lesson, share == 400.0 / 64.0, "turning is 4/T of the scores: %.2f %% at T = 64", share);
    say(lesson,
        "Parameters: 0 in all of this chapter. A learned table of positions such as GPT-2's has T·D = "
        "%d·%d = %d.",
        1024, 768, 1024 * 768);
}
