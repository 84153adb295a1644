// Chapter 05, step 6. Several texts in one sequence: a mask of blocks, made of calls.
#include "steps.h"

enum { TEXTS = 3 };

static const char *const texts[TEXTS] = { "The dog slept", "She ran", "The bank paid money" };
static const Mask CAUSAL = { .causal = true };

// Texts one behind the other: text n is rows first[n] … first[n + 1] − 1. Each is a call of its own on views, so of the
// T × T table only blocks on the diagonal are ever computed.
static void attend_packed(Mat out, Mat weights, HeadProjections p, const int *first, int count, Mask mask)
{
    for (int n = 0; n < count; n++) {
        int at = first[n], T = first[n + 1] - at;
        Attended to = { .out = mat_rows(out, at, T), .weights = mat_block(weights, at, T, at, T) };
        attention_naive(to, mat_rows(p.q, at, T), mat_rows(p.k, at, T), mat_rows(p.v, at, T), mask);
    }
}

// The texts as one sequence, and where each begins.
static Sentence joined(Lesson *lesson, int first[TEXTS + 1])
{
    const char *all = arena_format(lesson->arena, "%s %s %s", texts[0], texts[1], texts[2]);
    first[0] = 0;
    for (int n = 0; n < TEXTS; n++) first[n + 1] = first[n] + book_sentence(lesson, texts[n]).T;
    return book_sentence(lesson, all);
}

static Mat hidden_outside(Arena *arena, const int *first, int T)
{
    Mat hidden = mat_new(arena, T, T);
    mat_fill(hidden, 1.0f);
    for (int n = 0; n < TEXTS; n++)
        for (int i = first[n]; i < first[n + 1]; i++) mat_fill(mat_block(hidden, i, 1, first[n], i - first[n] + 1), 0);
    return hidden;
}

static void counted_pairs(Lesson *lesson, HeadProjections p, const int *first)
{
    Arena *arena = lesson->arena;
    int T = p.q.rows, d = p.q.cols, dv = p.v.cols, longest = 0, pairs = 0;
    for (int n = 0; n < TEXTS; n++) {
        int own = first[n + 1] - first[n];
        if (own > longest) longest = own;
        pairs += own * (own + 1) / 2;
    }
    Mat out = mat_new(arena, T, dv), weights = mat_new(arena, T, T);
    Cost before = cost_counted;
    attend_packed(out, weights, p, first, TEXTS, CAUSAL);
    cost(lesson, "multiplications", cost_since(before).multiplies,
         arena_format(arena, "pairs·(d + dv) = %d·(%d + %d)", pairs, d, dv), (int64_t)pairs * (d + dv));
    check(lesson, TEXTS * longest > T, "packed, %d rows and no filler; padded, %d rows, %d of them filler", T,
          TEXTS * longest, TEXTS * longest - T);
}

// How many outputs of the texts behind the first move when its first word becomes another.
static int moved_behind(Lesson *lesson, Sentence s, HeadWeights w, const int *first, bool as_blocks)
{
    Mat out[2], x = mat_copy(lesson->arena, s.x);
    for (int n = 0; n < 2; n++) {
        HeadProjections p = head_project(lesson->arena, x, x, w);
        out[n] = attend(lesson->arena, p.q, p.k, p.v, CAUSAL).out;
        if (as_blocks) attend_packed(out[n], mat_new(lesson->arena, s.T, s.T), p, first, TEXTS, CAUSAL);
        mat_set(mat_rows(x, 0, 1), mat_rows(s.x, s.T - 1, 1));
    }
    return rows_moved(mat_rows(out[0], first[1], s.T - first[1]), mat_rows(out[1], first[1], s.T - first[1]),
                      s.T - first[1]);
}

void packed(Lesson *lesson, Lesson *book)
{
    step(lesson, "Packed: several texts in one sequence");
    Arena *arena = lesson->arena;
    int first[TEXTS + 1];
    Sentence s = joined(lesson, first);
    HeadWeights w = hand_made(book).w;
    HeadProjections p = head_project(arena, s.x, s.x, w);
    Mat out = mat_new(arena, s.T, p.v.cols), weights = mat_new(arena, s.T, s.T);
    Attended open = attend(arena, p.q, p.k, p.v, CAUSAL);
    attend_packed(out, weights, p, first, TEXTS, CAUSAL);
    show_table(lesson, (Table){ .name = "three texts, causal",
                                .values = weights,
                                .rows = s.words,
                                .cols = s.words,
                                .hidden = hidden_outside(arena, first, s.T) });

    double away = mat_sum(mat_block(open.weights, first[2] + 1, 1, 0, first[2]));
    check(lesson, away > 0.2, "with the causal mask alone, bank gives %.2f of its weight to other texts", away);
    bool alone = true;
    for (int n = 0; n < TEXTS; n++) {
        Mat x = book_sentence(lesson, texts[n]).x;
        HeadProjections own = head_project(arena, x, x, w);
        Mat outputs = mat_rows(out, first[n], x.rows);
        alone = alone && rows_moved(attend(arena, own.q, own.k, own.v, CAUSAL).out, outputs, x.rows) == 0;
    }
    check(lesson, alone, "packed, every text has the outputs that it has alone, to the bit");
    int mixed = moved_behind(lesson, s, w, first, false);
    check(lesson, mixed == s.T - first[1] && moved_behind(lesson, s, w, first, true) == 0,
          "the first text's first word changed: causal alone, all %d outputs behind that text move; packed, none",
          mixed);
    counted_pairs(lesson, p, first);

    Heatmap maps[] = { map_of_weights("causal alone: texts mix", open.weights, &s, &s),
                       map_of_weights("packed: blocks on the diagonal", weights, &s, &s) };
    maps[0].hidden = mat_hidden(arena, CAUSAL, s.T, s.T);
    maps[1].hidden = hidden_outside(arena, first, s.T);
    figure_maps(lesson, "packed.png", "three texts in one sequence, with the causal mask alone and packed",
                "Three texts in one sequence", maps, 2, 2);
}
