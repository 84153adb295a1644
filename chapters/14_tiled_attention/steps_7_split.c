// Chapter 14, step 7. One query has no tiles to share: its keys are split.
#include "attention/kv_segments.h"
#include "base/threads.h"
#include "steps.h"

// A part of the keys of the sentence, as one worker sees it.
typedef struct {
    MaskRange keys;
    double lse, share, weight;
    int behind;
} PartOfIt;

enum { PARTS = 3 };

// What is handed over: out and lse. The weight is not: it says what lies in out.
static const char *handed_over(Arena *arena, double lse, const char *word, double weight)
{
    return arena_format(arena, "out, lse %.3f\n(%s weighs %.3f in out)", lse, word, weight);
}

// Three workers side by side, each with its keys, and what they hand over.
static void figure_split(Lesson *lesson, const PartOfIt *parts, int word, int key, double lse)
{
    enum { WIDE = 236, APART = 256 };
    Arena *arena = lesson->arena;
    const char *const *words = lesson->sentence.words;
    DiagramBox boxes[2 * PARTS + 2];
    DiagramArrow arrows[3 * PARTS];
    boxes[0] = (DiagramBox){ .at = { APART, 0, WIDE, 0 },
                             .title = arena_format(arena, "the query of %s", words[word]),
                             .color = COLOR_SERIES[1] };
    boxes[1] = (DiagramBox){ .at = { APART, 250, WIDE, 0 },
                             .marked = true,
                             .title = "merged",
                             .lines = handed_over(arena, lse, words[key],
                                                  parts[0].share * parts[0].weight + parts[1].share * parts[1].weight +
                                                      parts[2].share * parts[2].weight) };
    for (int n = 0; n < PARTS; n++) {
        const PartOfIt *p = &parts[n];
        boxes[2 + n] =
            (DiagramBox){ .at = { n * APART, 60, WIDE, 44 },
                          .color = COLOR_SERIES[0],
                          .title = arena_format(arena, "worker %d", n),
                          .lines = arena_format(arena, "keys %s, shift %d", name_of_keys(lesson, p->keys), p->behind) };
        boxes[2 + PARTS + n] = (DiagramBox){ .at = { n * APART, 146, WIDE, 0 },
                                             .color = COLOR_SERIES[2],
                                             .lines = handed_over(arena, p->lse, words[key], p->weight) };
        DiagramSide side = n == 0 ? DIAGRAM_LEFT : n == 1 ? DIAGRAM_BOTTOM : DIAGRAM_RIGHT;
        double bend = n == 1 ? 0 : 1;
        arrows[3 * n] = (DiagramArrow){ .from = 0, .to = 2 + n, .leaves = side, .enters = DIAGRAM_TOP, .bend = bend };
        arrows[3 * n + 1] = (DiagramArrow){ .from = 2 + n, .to = 2 + PARTS + n };
        arrows[3 * n + 2] = (DiagramArrow){ .from = 2 + PARTS + n,
                                            .to = 1,
                                            .leaves = DIAGRAM_BOTTOM,
                                            .bend = bend,
                                            .enters = n == 1 ? DIAGRAM_TOP : side,
                                            .label = arena_format(arena, "× %.3f", p->share) };
    }
    figure_diagram(lesson, "split.png", "one query, its keys in three parts, and what the workers hand over",
                   (Diagram){ .title = "One query, three workers",
                              .boxes = boxes,
                              .box_count = 2 * PARTS + 2,
                              .arrows = arrows,
                              .arrow_count = 3 * PARTS });
}

static PartOfIt part_of(Lesson *lesson, Mat q, Mat x, int n, int key, double whole)
{
    Arena *arena = lesson->arena;
    int T = x.rows, first = (T * n + PARTS - 1) / PARTS, end = (T * (n + 1) + PARTS - 1) / PARTS, count = end - first;
    Attended part = room_for(arena, 1, x.cols);
    part.weights = mat_new(arena, 1, count);
    Mat keys = mat_rows(x, first, count);
    Mask mask = mask_of_part(EVERYTHING, T, first, count);
    attention_tiled(part, q, keys, keys, mask);
    double lse = mat_value(part.lse, 0, 0);
    return (PartOfIt){ { first, count },
                       lse,
                       exp(lse - whole),
                       key >= first && key < end ? mat_value(part.weights, 0, key - first) : 0.0,
                       mask.shift };
}

// Three parts of the sentence, the longer ones first: how much of `it` each one has, and what it says of animal.
static void parts_of_the_sentence(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    const char *const *words = lesson->sentence.words;
    Mat x = lesson->sentence.x;
    int T = x.rows, word = place_of(lesson, "it", T - 1), key = place_of(lesson, "animal", 0);
    Mat q = mat_rows(x, word, 1);
    Attended whole = room_for(arena, 1, x.cols);
    attention_tiled(whole, q, x, x, EVERYTHING);
    const char *columns[] = { "lse", "share", words[key], "product" };
    Rows rows = rows_of(lesson, arena_format(arena, "%s, its keys in %d parts", words[word], PARTS), columns, 4);
    rows.table.decimals = 3;
    PartOfIt parts[PARTS];
    double shares = 0, animal = 0, lse = mat_value(whole.lse, 0, 0);
    for (int n = 0; n < PARTS; n++) {
        PartOfIt p = parts[n] = part_of(lesson, q, x, n, key, lse);
        rows_add(&rows, ROW(p.lse, p.share, p.weight, p.share * p.weight), "%s", name_of_keys(lesson, p.keys));
        shares += p.share;
        animal += p.share * p.weight;
    }
    show_rows(lesson, &rows);
    check(lesson, fabs(shares - 1) < 1e-5, "the shares sum to %.3f", shares);
    if (!lesson->own_words)
        check(lesson, fabs(animal - 0.113) < 0.0005,
              "animal: its weight in its part times the share of the part is %.3f", animal);
    figure_split(lesson, parts, word, key, lse);
}

void split_keys(Lesson *lesson)
{
    step(lesson, "One query: split the keys");
    parts_of_the_sentence(lesson);

    enum { S = 1000, d = 32, MASKS = 4, SPLITS = 6 };
    const Mask masks[MASKS] = { { 0 },
                                { .causal = true, .padding = 100 },
                                { .causal = true, .alibi = 0.01f },
                                { .causal = true, .window = 300, .sinks = 4 } };
    static const int parts[SPLITS] = { 1, 2, 3, 7, 64, 1000 };
    Arena *arena = lesson->arena;
    HeadProjections p = random_qkv(lesson, 1, S, d, d);
    Attended naive = room_for(arena, 1, d), split = room_for(arena, 1, d), one = room_for(arena, 1, d);
    bool same = true, threads = true;
    for (int m = 0; m < MASKS; m++) {
        attention_naive(naive, p.q, p.k, p.v, masks[m]);
        for (int n = 0; n < SPLITS; n++) {
            threads_set(0);
            kv_segments_split(split, p.q, p.k, p.v, masks[m], parts[n], attention_tiled);
            same = same && apart(naive, split) < 1e-5;
            threads_set(1);
            kv_segments_split(one, p.q, p.k, p.v, masks[m], parts[n], attention_tiled);
            threads = threads && mat_equal(one.out, split.out) && mat_equal(one.lse, split.lse);
        }
    }
    threads_set(0);
    check(lesson, same, "T = 1, S = %d in 1, 2, 3, 7, 64 and 1000 parts, four masks: attention_naive, within 0.00001",
          S);
    check(lesson, threads, "the number of threads changes no bit");
    cost_counted = (Cost){ 0 };
    kv_segments_split(split, p.q, p.k, p.v, EVERYTHING, 7, attention_tiled);
    cost(lesson, "floats read with 7 parts", cost_counted.reads,
         "S·(d + dv) + 7·(d + dv + 1): every key "
         "and value once; for each part the query again, and its out and lse to merge",
         S * 2 * d + 7 * (2 * d + 1));
}
