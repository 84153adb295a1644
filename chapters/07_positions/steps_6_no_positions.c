// Chapter 07, step 6. NoPE: what a causal mask says of order by itself, and layers of both kinds.
#include "steps.h"

#include <math.h>

// One layer: what each word receives is added to what it was, in the columns of the same names.
static Mat layer(Lesson *lesson, Lesson *words, Mat x, Projected p, Mask mask, Mat *weights)
{
    HandMade head = hand_made(words);
    Attended a = attend(lesson->arena, p, mask);
    Mat after = mat_copy(lesson->arena, x);
    for (int c = 0; c < HAND_MADE_WIDTH; c++) {
        int column = column_index(words, head.handed[c]);
        for (int i = 0; i < x.rows; i++) *mat_ref(after, i, column) += *mat_ref(a.out, i, c);
    }
    if (weights) *weights = a.weights;
    return after;
}

static void mask_alone(Lesson *lesson, Lesson *book)
{
    enum { STOP = 5 };
    Arena *arena = lesson->arena;
    static const char *const rows[] = { "dog, the dog followed the cat", "dog, the cat followed the dog" };
    HandMade head = hand_made(book);
    HeadWeights w = head.w;
    Mat out[2], first[2], second[2];
    bool alone = true;
    for (int r = 0; r < 2; r++) {
        Mat x = book_sentence(lesson, arena_format(arena, "%s .", followed[r])).x;
        Projected p = project(arena, x, x, w);
        out[r] = outputs(lesson, x, w, CAUSAL);
        alone = alone && mat_equal(mat_rows(out[r], 0, 1), mat_rows(p.v, 0, 1));
        first[r] = layer(lesson, book, x, p, CAUSAL, NULL);
        second[r] = layer(lesson, book, first[r], project(arena, first[r], first[r], w), CAUSAL, NULL);
    }
    show_table(lesson, (Table){ .name = "what dog receives, causal, no positions", .rows = rows, .cols = head.handed,
                                .values = both_rows(arena, out, DOG, moved_to[DOG]) });
    check(lesson, told_apart(arena, out) > 0.1, "a causal mask alone tells the two sentences apart");
    check(lesson, alone, "the first word sees only itself: it receives its own value, to the bit");
    Mat stops[] = { both_rows(arena, first, STOP, STOP), both_rows(arena, second, STOP, STOP) };
    double one = mat_max_difference(mat_rows(stops[0], 0, 1), mat_rows(stops[0], 1, 1));
    double two = mat_max_difference(mat_rows(stops[1], 0, 1), mat_rows(stops[1], 1, 1));
    check(lesson, one <= 1e-6, "a full stop at the end sees all and is the same in both after one layer, within 1e-6");
    check(lesson, two > 0.001, "after two layers it differs, by %.3f: the second reads words that differ", two);
}

static void counting(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    static const char *const rows[] = { "weight of word 0" };
    const Sentence *s = &lesson->sentence;
    HeadWeights w = hand_made(lesson).w;
    Mat first = mat_new(arena, 1, s->T);
    w.wq = mat_new(arena, w.wq.rows, w.wq.cols);
    Mat weights = attend(arena, project(arena, s->x, s->x, w), CAUSAL).weights;
    bool counts = true;
    for (int i = 0; i < s->T; i++) {
        *mat_ref(first, 0, i) = *mat_ref(weights, i, 0);
        counts = counts && fabsf(*mat_ref(first, 0, i) * (float)(i + 1) - 1.0f) <= 1e-5f;
    }
    show_table(lesson, (Table){ .name = "a causal head that asks nothing (Wq = 0)", .values = first, .rows = rows,
                                .cols = s->words });
    check(lesson, counts, "word i gives word 0 the share 1 / (i + 1): a head can count");
}

// Three layers with RoPE and a window, then one without positions that sees everything before it.
static void pattern_of_layers(Lesson *lesson, HeadWeights w, int W)
{
    enum { LAYERS = 4 };
    Arena *arena = lesson->arena;
    static const char *const cols[] = { "keys in sight", "words back" };
    Rows rows = rows_of(lesson, "how far back the last word reaches", cols, 2);
    rows.table.decimals = -1;
    const Sentence *s = &lesson->sentence;
    Mat x = s->x;
    int last = s->T - 1, oldest = last, three = 0;
    HeatMap maps[LAYERS];
    for (int l = 0; l < LAYERS; l++) {
        bool local = l + 1 < LAYERS;
        Mask mask = local ? (Mask){ .causal = true, .window = W } : CAUSAL;
        Projected p = project(arena, x, x, w);
        Mat weights;
        x = layer(lesson, lesson, x, local ? placed(arena, p, 0) : p, mask, &weights);
        int reads = oldest, sight = 0;
        while (oldest > 0 && mask_sees(mask, reads, oldest - 1, s->T, s->T)) oldest--;
        for (int j = 0; j < s->T; j++) sight += mask_sees(mask, last, j, s->T, s->T);
        if (local) three = last - oldest;
        const char *name = local ? arena_format(arena, "layer %d: RoPE, window %d", l, W)
                                 : arena_format(arena, "layer %d: no positions, all", l);
        rows_add(&rows, ROW(sight, last - oldest), "%s", name);
        maps[l] = map_of_weights(name, weights, s, s);
        maps[l].hidden = mat_hidden(arena, mask, s->T, s->T);
        maps[l].decimals = -1;
    }
    show_rows(lesson, &rows);
    int expected = (LAYERS - 1) * (W - 1) < last ? (LAYERS - 1) * (W - 1) : last;
    check(lesson, three == expected && oldest == 0, "three local layers reach %d words back, the fourth reaches all %d",
          three, last);
    figure_maps(lesson, "layers.png", "the pattern of layers: three local ones with RoPE, one open one without", NULL,
                maps, LAYERS, 2);
}

void no_positions(Lesson *lesson, Lesson *book, HeadWeights w, int W)
{
    step(lesson, "NoPE: no positions, and a pattern of layers");
    mask_alone(lesson, book);
    counting(lesson);
    pattern_of_layers(lesson, w, W);
}
