// Chapter 07, step 9. NoPE: what a causal mask says of order by itself, and layers of both kinds.
#include "base/portable_math.h"
#include "steps.h"

// One causal layer: what each word receives is added to what it was, in the columns of the same names.
static Mat layer(Lesson *lesson, Lesson *words, Mat x, HeadProjections p)
{
    HandMade head = hand_made(words);
    Attended a = attend(lesson->arena, p, CAUSAL);
    Mat after = mat_copy(lesson->arena, x);
    for (int c = 0; c < HAND_MADE_WIDTH; c++) {
        int column = column_index(words, head.handed[c]);
        for (int i = 0; i < x.rows; i++) *mat_ref(after, i, column) += *mat_ref(a.out, i, c);
    }
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
        HeadProjections p = head_project(arena, x, x, w);
        out[r] = outputs(lesson, x, w, CAUSAL);
        alone = alone && mat_equal(mat_rows(out[r], 0, 1), mat_rows(p.v, 0, 1));
        first[r] = layer(lesson, book, x, p);
        second[r] = layer(lesson, book, first[r], head_project(arena, first[r], first[r], w));
    }
    show_table(lesson, (Table){ .name = "what dog receives, causal, no positions",
                                .rows = rows,
                                .cols = head.handed,
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
    Mat weights = attend(arena, head_project(arena, s->x, s->x, w), CAUSAL).weights;
    bool counts = true;
    for (int i = 0; i < s->T; i++) {
        *mat_ref(first, 0, i) = *mat_ref(weights, i, 0);
        counts = counts && fabsf(*mat_ref(first, 0, i) * (float)(i + 1) - 1.0f) <= 1e-5f;
    }
    show_table(lesson, (Table){ .name = "a causal head that asks nothing (Wq = 0)",
                                .values = first,
                                .rows = rows,
                                .cols = s->words });
    check(lesson, counts, "word i gives word 0 the share 1 / (i + 1): a head can count");
}

enum { LAYERS = 4 }; // the last one is open

// Which words the last word's output depends on after each layer: 1 those in sight of that layer, 0.5 those that are
// reached through them, 0 the others.
static Mat reached(Lesson *lesson, const Mask *masks, int T)
{
    Mat reach = mat_new(lesson->arena, LAYERS, T);
    for (int l = 0; l < LAYERS; l++)
        for (int j = 0; j < T; j++) {
            float *at = mat_ref(reach, l, j);
            if (l > 0)
                for (int i = j; i < T; i++)
                    if (*mat_ref(reach, l - 1, i) > 0.0f && mask_sees(masks[l], i, j, T, T)) *at = 0.5f;
            if (mask_sees(masks[l], T - 1, j, T, T)) *at = 1.0f;
        }
    return reach;
}

static void figure_of_layers(Lesson *lesson, Mat reach)
{
    const Sentence *s = &lesson->sentence;
    static const char *const names[LAYERS] = { "layer 0: RoPE", "layer 1: RoPE", "layer 2: RoPE", "layer 3: NoPE" };
    Mat hidden = mat_new(lesson->arena, LAYERS, s->T);
    for (int l = 0; l < LAYERS; l++)
        for (int j = 0; j < s->T; j++) *mat_ref(hidden, l, j) = *mat_ref(reach, l, j) == 0.0f;
    const char *last = s->words[s->T - 1];
    Heatmap map = { .values = reach,
                    .hidden = hidden,
                    .hidden_title = "not yet",
                    .row_labels = names,
                    .col_labels = s->words,
                    .low = 0.0,
                    .high = 1.0,
                    .decimals = -1,
                    .cell = 40,
                    .no_bar = true };
    map.title = arena_format(lesson->arena, "What “%s” depends on after each layer", last);
    map.col_title = "yellow: in sight of that layer; green: through the layers before";
    figure_map(lesson, "layers.png", arena_format(lesson->arena, "which words have reached %s after each layer", last),
               map);
}

// Three layers with RoPE and a window, then one without positions that sees everything before it.
static void pattern_of_layers(Lesson *lesson, int W)
{
    Arena *arena = lesson->arena;
    static const char *const cols[] = { "keys in sight", "words back" };
    Rows rows = rows_of(lesson, "how far back the last word reaches", cols, 2);
    rows.table.decimals = -1;
    rows.table.units = COLUMNS_APART;
    int T = lesson->sentence.T, last = T - 1, back[LAYERS];
    Mask masks[LAYERS];
    const char *names[LAYERS];
    for (int l = 0; l < LAYERS; l++) {
        bool local = l + 1 < LAYERS;
        masks[l] = local ? (Mask){ .causal = true, .window = W } : CAUSAL;
        names[l] = local ? arena_format(arena, "layer %d: RoPE, window %d", l, W)
                         : arena_format(arena, "layer %d: no positions, all", l);
    }
    Mat reach = reached(lesson, masks, T);
    for (int l = 0; l < LAYERS; l++) {
        int sight = 0, oldest = 0;
        for (int j = 0; j < T; j++) sight += mask_sees(masks[l], last, j, T, T);
        while (*mat_ref(reach, l, oldest) == 0.0f) oldest++;
        back[l] = last - oldest;
        rows_add(&rows, ROW(sight, back[l]), "%s", names[l]);
    }
    show_rows(lesson, &rows);
    int three = (LAYERS - 1) * (W - 1) < last ? (LAYERS - 1) * (W - 1) : last;
    check(lesson, back[LAYERS - 2] == three && back[LAYERS - 1] == last,
          "three local layers reach %d words back, the fourth reaches all %d", three, last);
    figure_of_layers(lesson, reach);
}

void no_positions(Lesson *lesson, Lesson *book, int W)
{
    step(lesson, "NoPE: no positions, and a pattern of layers");
    mask_alone(lesson, book);
    counting(lesson);
    pattern_of_layers(lesson, W);
}
