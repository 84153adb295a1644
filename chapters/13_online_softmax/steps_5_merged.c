// Chapter 13, steps 5 and 6. Two partial results become one, in any order and any tree.
#include "steps.h"

// ---- 5

// The picture: a result is a strip of length 1, and a key's piece of it is as long as its weight. The merged one stands
// between the two.
enum { STRIP = 640, THICK = 32, EDGE = 8, UPPER = 28, TALL = UPPER + THICK + 28, APART = TALL + 40 };

typedef struct {
    DiagramBox *boxes;
    DiagramLabel *labels;
    int box_count, label_count;
} Strips;

static int add_box(Strips *s, DiagramBox box)
{
    s->boxes[s->box_count] = box;
    return s->box_count++;
}

// Pieces of `count` keys from (x, y) on, against this lse. A word that is too long for its piece is cut.
static double add_keys(Strips *s, Arena *arena, const Followed *f, int first, int count, float lse, double x, double y,
                       Color color)
{
    const CanvasText word = { .size = 11, .color = COLOR_INK, .anchor = CANVAS_AT_MIDDLE };
    const CanvasText number = { .size = 11, .face = CANVAS_MONO, .color = COLOR_QUIET, .anchor = CANVAS_AT_MIDDLE };
    for (int j = first; j < first + count; j++) {
        double weight = exp((double)*mat_ref(f->scores, j, 0) - (double)lse), width = STRIP * weight;
        bool followed = f->book && j == 1;
        if (width < 1.0) continue;
        add_box(s, (DiagramBox){ .at = { x, y, width, THICK }, .color = color, .marked = followed });
        const char *cut = canvas_text_fit(arena, word, f->keys[j], width - 4),
                   *share = arena_format(arena, "%.3f", weight);
        if (canvas_text_width(number, share) > width - 2) share = arena_format(arena, "%.2f", weight);
        if (width > 26) s->labels[s->label_count++] = (DiagramLabel){ x + width / 2, y + THICK / 2.0 + 4, word, cut };
        if (canvas_text_width(number, share) < width)
            s->labels[s->label_count++] = (DiagramLabel){ x + width / 2, y + THICK + 16, number, share };
        x += width;
    }
    return x;
}

// The frame of strip number n, with its name and what it has found. Answers the box.
static int add_frame(Strips *s, Arena *arena, const Followed *f, int n, const char *name, Part part)
{
    const char *title = arena_format(arena, "%s: lse %.3f, %s %.3f", name, (double)*part.lse.at, f->what,
                                     mat_value(part.out, 0, f->column));
    return add_box(s, (DiagramBox){ .at = { 0, n * APART, STRIP + 2 * EDGE, TALL }, .title = title, .group = true });
}

static void figure_merge(Lesson *lesson, const Followed *f, int cut, Part first, Part second, Part both)
{
    Arena *arena = lesson->arena;
    int S = f->k.rows;
    Strips s = { arena_alloc(arena, (size_t)(2 * S + 7) * sizeof(DiagramBox)),
                 arena_alloc(arena, (size_t)(4 * S) * sizeof(DiagramLabel)), 0, 0 };
    add_frame(&s, arena, f, 0, arena_format(arena, "the first %d keys", cut), first);
    add_frame(&s, arena, f, 1, "merged", both);
    add_frame(&s, arena, f, 2, arena_format(arena, "the other %d", S - cut), second);
    add_keys(&s, arena, f, 0, cut, *first.lse.at, EDGE, UPPER, COLOR_SERIES[0]);
    double middle = add_keys(&s, arena, f, 0, cut, *both.lse.at, EDGE, APART + UPPER, COLOR_SERIES[0]);
    add_keys(&s, arena, f, cut, S - cut, *both.lse.at, middle, APART + UPPER, COLOR_SERIES[1]);
    add_keys(&s, arena, f, cut, S - cut, *second.lse.at, EDGE, 2 * APART + UPPER, COLOR_SERIES[1]);

    double share = exp((double)*first.lse.at - (double)*both.lse.at),
           x[] = { (EDGE + middle) / 2, (middle + EDGE + STRIP) / 2 };
    int ends[4];
    for (int e = 0; e < 4; e++)
        ends[e] =
            add_box(&s, (DiagramBox){ .at = { x[e / 2], (double[]){ TALL, APART, 2 * APART, APART + TALL }[e], 0, 0 },
                                      .bare = true });
    DiagramArrow arrows[] = {
        { .from = ends[0], .to = ends[1], .color = COLOR_SERIES[0], .label = arena_format(arena, "× %.3f", share) },
        { .from = ends[2], .to = ends[3], .color = COLOR_SERIES[1], .label = arena_format(arena, "× %.3f", 1 - share) },
    };
    figure_diagram(lesson, "merge.png", "two partial softmaxes, each of length 1, and what they are of the whole",
                   (Diagram){ .title = arena_format(arena, "The row of %s, in two parts and merged", f->name),
                              .boxes = s.boxes,
                              .box_count = s.box_count,
                              .arrows = arrows,
                              .arrow_count = 2,
                              .labels = s.labels,
                              .label_count = s.label_count });
}

void two_parts(Lesson *lesson, const Followed *f)
{
    step(lesson, "Two partial results become one");
    Arena *arena = lesson->arena;
    const char *const columns[] = { "lse", "share", f->what };
    int S = f->k.rows, cut = (S + 1) / 2;
    Part first = of_keys(arena, f->q, f->k, f->v, 0, cut), second = of_keys(arena, f->q, f->k, f->v, cut, S - cut);
    Part both = merged(arena, first, second), whole = of_keys(arena, f->q, f->k, f->v, 0, S);
    const struct {
        const char *name;
        Part part;
    } parts[] = {
        { arena_format(arena, "the first %d keys", cut), first },
        { arena_format(arena, "the other %d", S - cut), second },
        { "merged", both },
        { "all keys at once", whole },
    };
    Rows rows = rows_of(lesson, arena_format(arena, "what %s finds", f->name), columns, 3);
    rows.table.decimals = 3;
    for (int p = 0; p < 4; p++) {
        float lse = *parts[p].part.lse.at;
        rows_add(&rows, ROW(lse, expf(lse - *both.lse.at), mat_value(parts[p].part.out, 0, f->column)), "%s",
                 parts[p].name);
    }
    show_rows(lesson, &rows);
    check(lesson, parts_close(both, whole, mat_magnitude(f->v)),
          "merged is all at once, in every column and in lse, within 1e-5");
    figure_merge(lesson, f, cut, first, second, both);
    if (!f->book) return;

    float inside = expf(*mat_ref(f->scores, 1, 0) - *first.lse.at), share = expf(*first.lse.at - *both.lse.at);
    check(lesson, fabsf(inside * share - 0.113f) < 0.0005f,
          "animal has %.3f of the first part, and that has %.3f of all: %.3f", inside, share, inside * share);
}

// ---- 6

enum { PARTS = 64, KEYS = 256 };

// The keys that were dealt to one part, and what the queries find there.
static Part of_dealt(Arena *arena, Mat q, Mat k, Mat v, const int *whose, int part)
{
    Mat own_k = mat_new(arena, k.rows, k.cols), own_v = mat_new(arena, v.rows, v.cols);
    int count = 0;
    for (int j = 0; j < k.rows; j++) {
        if (whose[j] != part) continue;
        mat_set(mat_rows(own_k, count, 1), mat_rows(k, j, 1));
        mat_set(mat_rows(own_v, count, 1), mat_rows(v, j, 1));
        count++;
    }
    return of_keys(arena, q, own_k, own_v, 0, count);
}

// Keys dealt at random to up to PARTS parts, some of them empty, merged two at a time in a random order.
static Part dealt_and_merged(Lesson *lesson, Mat q, Mat k, Mat v)
{
    Random *random = &lesson->random;
    Part parts[PARTS];
    int left = 1 + random_below(random, PARTS), whose[KEYS];
    for (int j = 0; j < k.rows; j++) whose[j] = random_below(random, left);
    for (int p = 0; p < left; p++) parts[p] = of_dealt(lesson->arena, q, k, v, whose, p);
    for (; left > 1; left--) {
        int a = random_below(random, left), b = (a + 1 + random_below(random, left - 1)) % left;
        attention_merge(parts[a].out, parts[a].lse, parts[b].out, parts[b].lse);
        parts[b] = parts[left - 1];
    }
    return parts[0];
}

static void random_splits(Lesson *lesson)
{
    enum { ROUNDS = 100 };
    Arena *arena = lesson->arena;
    Mat q = mat_new(arena, 1, 8), k = mat_new(arena, KEYS, 8), v = mat_new(arena, KEYS, 4);
    bool near = true;
    for (int round = 0; round < ROUNDS; round++) {
        ArenaMark mark = arena_mark(arena);
        random_normals(&lesson->random, q);
        random_normals(&lesson->random, k);
        random_normals(&lesson->random, v);
        Part whole = of_keys(arena, q, k, v, 0, KEYS);
        near = near && parts_close(dealt_and_merged(lesson, q, k, v), whole, 1.0);
        arena_release(arena, mark);
    }
    check(lesson, near,
          "%d times: %d keys dealt at random to up to %d parts, merged two at a time in a random order: "
          "always the result of all keys at once, within 1e-5",
          ROUNDS, KEYS, PARTS);
}

void any_tree(Lesson *lesson, const Followed *f)
{
    step(lesson, "Any order, any tree");
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, q = mat_rows(x, f->word, 1), sick = mat_copy(arena, x);
    int T = x.rows, one = T / 3, two = 2 * T / 3;
    Part a = of_keys(arena, q, x, x, 0, one), b = of_keys(arena, q, x, x, one, two - one);
    Part c = of_keys(arena, q, x, x, two, T - two), nothing = of_keys(arena, q, x, x, 0, 0);
    Part left = merged(arena, merged(arena, a, b), c), right = merged(arena, a, merged(arena, b, c));
    check(lesson, parts_close(left, right, mat_magnitude(x)), "associative: (a + b) + c is a + (b + c), within 1e-5");
    check(lesson, parts_same(merged(arena, a, b), merged(arena, b, a)), "commutative: a + b is b + a, to the bit");
    random_splits(lesson);
    check(lesson, mat_magnitude(nothing.out) == 0.0 && *nothing.lse.at == -INFINITY,
          "over no keys at all: out is 0, lse is -∞");
    check(lesson, parts_same(merged(arena, c, nothing), c) && parts_same(merged(arena, nothing, c), c),
          "merged with that, on either side, a result stays as it is, to the bit");
    check(lesson, isnan(expf(-INFINITY - -INFINITY)), "without a test for it: exp(-∞ - (-∞)) is NaN");
    mat_fill(mat_rows(sick, T - 1, 1), NAN);
    Part bad = of_keys(arena, q, sick, sick, two, T - two);
    check(lesson, isnan(*merged(arena, a, bad).lse.at) && isnan(*merged(arena, bad, a).out.at),
          "NaN in one part is NaN in the whole: trouble does not vanish in a merge");
}
