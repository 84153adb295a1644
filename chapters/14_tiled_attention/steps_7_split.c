// Chapter 14, step 7. One query has no tiles to share: its keys are split.
#include "attention/parts.h"
#include "base/threads.h"
#include "steps.h"

// Three parts of the sentence, the longer ones first: how much of `it` each one has, and what it says of animal.
static void parts_of_the_sentence(Lesson *lesson)
{
    enum { PARTS = 3 };
    Arena *arena = lesson->arena;
    const char *const *words = lesson->sentence.words;
    Mat x = lesson->sentence.x;
    int T = x.rows, word = place_of(lesson, "it", T - 1), key = place_of(lesson, "animal", 0);
    Mat q = mat_rows(x, word, 1);
    Attended whole = room_for(arena, 1, x.cols);
    attention_tiled(whole, q, x, x, EVERYTHING);
    const char *columns[] = { "lse", "share", words[key], "share × it" };
    Rows rows = rows_of(lesson, arena_format(arena, "%s, its keys in %d parts", words[word], PARTS), columns, 4);
    rows.table.decimals = 3;
    double shares = 0, animal = 0;
    for (int n = 0; n < PARTS; n++) {
        int first = (T * n + PARTS - 1) / PARTS, end = (T * (n + 1) + PARTS - 1) / PARTS, count = end - first;
        Attended part = room_for(arena, 1, x.cols);
        part.weights = mat_new(arena, 1, count);
        Mat keys = mat_rows(x, first, count);
        attention_tiled(part, q, keys, keys, mask_of_part(EVERYTHING, T, first, count));
        double lse = mat_value(part.lse, 0, 0), share = exp(lse - mat_value(whole.lse, 0, 0));
        double weight = key >= first && key < end ? mat_value(part.weights, 0, key - first) : 0.0;
        rows_add(&rows, ROW(lse, share, weight, share * weight), "%s", name_of_keys(lesson, (Span){ first, count }));
        shares += share;
        animal += share * weight;
    }
    show_rows(lesson, &rows);
    check(lesson, fabs(shares - 1) < 1e-5, "the shares sum to %.3f", shares);
    if (!lesson->own_words)
        check(lesson, fabs(animal - 0.113) < 0.0005,
              "animal: its weight in its part times the share of the part is %.3f", animal);
}

void split_keys(Lesson *lesson)
{
    step(lesson, "One query: split the keys");
    parts_of_the_sentence(lesson);

    enum { S = 1000, d = 32, MASKS = 4, SPLITS = 6 };
    const Mask masks[MASKS] = { { 0 }, { .causal = true, .padding = 100 }, { .causal = true, .alibi = 0.01f },
                                { .causal = true, .window = 300, .sinks = 4 } };
    static const int parts[SPLITS] = { 1, 2, 3, 7, 64, 1000 };
    Arena *arena = lesson->arena;
    Projected p = drawn(lesson, 1, S, d);
    Attended naive = room_for(arena, 1, d), split = room_for(arena, 1, d), one = room_for(arena, 1, d);
    bool same = true, threads = true;
    for (int m = 0; m < MASKS; m++) {
        attention_naive(naive, p.q, p.k, p.v, masks[m]);
        for (int n = 0; n < SPLITS; n++) {
            threads_set(0);
            attention_split(split, p.q, p.k, p.v, masks[m], parts[n], attention_tiled);
            same = same && apart(naive, split) < 1e-5;
            threads_set(1);
            attention_split(one, p.q, p.k, p.v, masks[m], parts[n], attention_tiled);
            threads = threads && mat_equal(one.out, split.out) && mat_equal(one.lse, split.lse);
        }
    }
    threads_set(0);
    check(lesson, same,
          "T = 1, S = %d in 1, 2, 3, 7, 64 and 1000 parts, four masks: attention_naive, within 0.00001", S);
    check(lesson, threads, "the number of threads changes no bit");
    counted = (Cost){ 0 };
    attention_split(split, p.q, p.k, p.v, EVERYTHING, 7, attention_tiled);
    cost(lesson, "floats read with 7 parts", counted.reads, "S·(d + dv) + 7·(d + dv + 1)", S * 2 * d + 7 * (2 * d + 1));
}
