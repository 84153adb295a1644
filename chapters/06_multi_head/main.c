// Chapter 06. Multi-head attention: several questions at once.
// Run build/chapters/06_multi_head with README.md of this folder open beside it.
#include "attention/dot_product.h"
#include "base/portable_math.h"
#include "lesson/dump.h"
#include "steps.h"

MultiHead identity_heads(Lesson *lesson, int D, int H)
{
    MultiHead m = multi_head_new(lesson->arena, D, H);
    for (int i = 0; i < D; i++)
        for (int part = 0; part < 3; part++) *mat_ref(m.wqkv, i, part * D + i) = 1.0f;
    m.wo = (Mat){ 0 };
    return m;
}

// ---- 1. The bank

// Two questions in one block of weights. The first half of the columns asks where, the second asks what was done.
typedef struct {
    const char *matrix, *row;
    int half, col;
    float strength;
} Entry; // col counts from that half on

static const Entry bank_entries[] = {
    { "Wq", "place", 0, 0, 40.0f }, { "Wk", "place", 0, 0, 1.0f }, // a place asks for places
    { "Wq", "noun", 1, 0, 24.0f },  { "Wk", "verb", 1, 0, 1.0f },  // a noun asks for its verb
    { "Wv", "place", 0, 0, 1.0f },  { "Wv", "trade", 1, 0, 1.0f }, { "Wv", "past", 1, 1, 1.0f },
};
enum { BANK_ENTRIES = sizeof bank_entries / sizeof *bank_entries };

MultiHead bank_weights(Lesson *lesson, const Embeddings *book, int H)
{
    MultiHead m = multi_head_new(lesson->arena, book->D, H);
    m.wo = (Mat){ 0 };
    HeadWeights all = multi_head_weights((MultiHead){ 1, m.wqkv, m.wo }, 0);
    for (int e = 0; e < BANK_ENTRIES; e++) {
        Entry entry = bank_entries[e];
        Mat w = entry.matrix[1] == 'q' ? all.wq : entry.matrix[1] == 'k' ? all.wk : all.wv;
        *mat_ref(w, embeddings_column(book, entry.row), entry.half * book->D / 2 + entry.col) = entry.strength;
    }
    return m;
}

static void show_bank_weights(Lesson *lesson, const Embeddings *book)
{
    static const char *const columns[] = { "column", "entry" };
    Rows rows = rows_of(lesson, "all that is not 0 in Wq, Wk and Wv", columns, 2);
    rows.table.decimals = -1;
    rows.table.units = COLUMNS_APART;
    rows.table.given = true;
    for (int e = 0; e < BANK_ENTRIES; e++)
        rows_add(&rows,
                 ROW((float)(bank_entries[e].half * book->D / 2 + bank_entries[e].col), bank_entries[e].strength),
                 "%s, row %s", bank_entries[e].matrix, bank_entries[e].row);
    show_rows(lesson, &rows);
}

// The rows of the three nouns, with the row of `bank` framed.
static void figure_of_the_bank(Lesson *lesson, const Sentence *s, const Mat maps[3])
{
    enum { COUNT = 3 };
    static const int nouns[COUNT] = { BANK, 4, 7 }; // bank, river, statement
    static const char *const titles[] = { "one head: both questions in one score", "head 0 of 2: where is it?",
                                          "head 1 of 2: what did it do?" };
    const Mat from[] = { maps[1], mat_rows(maps[2], 0, s->T), mat_rows(maps[2], s->T, s->T) };
    const char *words[COUNT];
    Heatmap pictures[3];
    for (int i = 0; i < COUNT; i++) words[i] = s->words[nouns[i]];
    Sentence queries = { COUNT, words, { 0 } };
    for (int m = 0; m < 3; m++) {
        Mat rows = mat_new(lesson->arena, COUNT, s->T);
        for (int i = 0; i < COUNT; i++) mat_set(mat_rows(rows, i, 1), mat_rows(from[m], nouns[i], 1));
        pictures[m] = map_of_weights(titles[m], rows, &queries, s);
        pictures[m].mark_row = pictures[m].mark_col = pictures[m].mark_rows = 1;
        pictures[m].mark_cols = s->T;
    }
    figure_maps(lesson, "bank.png", "the same matrices as one head and as two; framed: the row of bank",
                "One head must share, two need not", pictures, 3, 1);
}

static void the_bank(Lesson *lesson)
{
    enum { RIVER = 4, ISSUED = 5 };
    step(lesson, "One head, two questions");
    Arena *arena = lesson->arena;
    Embeddings book;
    embeddings_of_the_book(&book, arena);
    Sentence s = book_sentence(lesson, BANK_SENTENCE);
    show_bank_weights(lesson, &book);
    Mat out[3], maps[3]; // [1] with one head, [2] with two, of the same weights
    for (int H = 1; H <= 2; H++) {
        out[H] = mat_new(arena, s.T, book.D);
        maps[H] = mat_new(arena, H * s.T, s.T);
        multi_head_fused(out[H], maps[H], s.x, bank_weights(lesson, &book, H), (Mask){ 0 });
    }
    Rows rows = rows_of(lesson, "what bank attends to", s.words, s.T);
    rows.table.high = 1;
    rows_add_from(&rows, maps[1], BANK, "one head");
    rows_add_from(&rows, maps[2], BANK, "head 0");
    rows_add_from(&rows, maps[2], s.T + BANK, "head 1");
    show_rows(lesson, &rows);

    HeadProjections p = head_project(arena, s.x, s.x, multi_head_weights(bank_weights(lesson, &book, 1), 0));
    double place = (double)dot_product(mat_row(p.q, BANK), mat_row(p.k, RIVER), 1, book.D);
    double verb = (double)dot_product(mat_row(p.q, BANK), mat_row(p.k, ISSUED), 1, book.D);
    check(lesson, fabs(place - verb) < 1e-4, "before the division bank scores %.1f with river and %.1f with issued",
          place, verb);
    double river = mat_value(maps[1], BANK, RIVER), issued = mat_value(maps[1], BANK, ISSUED);
    check(lesson, river < 0.6 && issued < 0.6 && river + issued <= 1.0,
          "one head must share: river %.2f, issued %.2f, of a sum of 1", river, issued);
    river = mat_value(maps[2], BANK, RIVER);
    issued = mat_value(maps[2], s.T + BANK, ISSUED);
    check(lesson, river > 0.9 && issued > 0.9, "two heads need not: river %.2f in head 0, issued %.2f in head 1", river,
          issued);
    int half = book.D / 2;
    say(lesson, "What bank receives, one head: place %.2f, trade %.2f. Two heads: place %.2f, trade %.2f.",
        mat_value(out[1], BANK, 0), mat_value(out[1], BANK, half), mat_value(out[2], BANK, 0),
        mat_value(out[2], BANK, half));

    // A column in which only these two words answer, one with 1 and one with 0, receives the weight of the one with 1.
    double one[] = { mat_value(maps[1], BANK, RIVER), mat_value(maps[1], BANK, ISSUED) };
    double head_0[] = { mat_value(maps[2], BANK, RIVER), mat_value(maps[2], BANK, ISSUED) };
    double head_1[] = { mat_value(maps[2], s.T + BANK, RIVER), mat_value(maps[2], s.T + BANK, ISSUED) };
    check(lesson, fabs(one[0] - one[1]) < 1e-5 && fabs(head_0[0] - head_0[1]) > 0.9,
          "if only river hands over 1, one head hears %.2f, two hear %.2f and %.2f; if only issued does: %.2f, %.2f "
          "and %.2f",
          one[0], head_0[0], head_1[0], one[1], head_0[1], head_1[1]);
    figure_of_the_bank(lesson, &s, maps);
}

// ---- 2. Split, attend, concatenate, mix

static void four_moves(Lesson *lesson, MultiHead m)
{
    step(lesson, "Split, attend, concatenate, mix");
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, out = mat_new(arena, x.rows, x.cols);
    Mat weights = mat_new(arena, m.H * x.rows, x.rows);
    int D = x.cols, d = D / m.H;
    multi_head_fused(out, weights, x, m, (Mask){ 0 });
    say(lesson, "%s, heads: %d, their width: %d. The weights are drawn at random (--seed and --heads change them).",
        lesson->own_words ? "Your sentence" : "The book's sentence", m.H, d);

    Mat q = mat_new(arena, x.rows, D);
    matmul(q, x, mat_cols(m.wqkv, 0, D));
    Mat last = mat_cols(q, (m.H - 1) * d, d);
    check(lesson, last.at == q.at + (m.H - 1) * d && last.stride == q.stride,
          "head %d of q is columns %d … %d of q, in place: splitting copies nothing", m.H - 1, (m.H - 1) * d, D - 1);

    double worst = 0;
    for (int i = 0; i < weights.rows; i++) worst = fmax(worst, fabs(mat_sum(mat_rows(weights, i, 1)) - 1.0));
    check(lesson, worst < 1e-5, "every head has weights of its own: %d map%s of %d × %d, every row sums to 1", m.H,
          m.H == 1 ? "" : "s", x.rows, x.rows);

    const char *const *names = numbered(arena, "head ", m.H);
    Heatmap maps[16];
    for (int h = 0; h < m.H; h++) {
        maps[h] = map_of_weights(names[h], mat_rows(weights, h * x.rows, x.rows), &lesson->sentence, &lesson->sentence);
        maps[h].decimals = -1;
        maps[h].high = 0.0;
    }
    figure_maps(lesson, "random_heads.png", "all heads of random weights: nothing learned yet",
                "Heads of random weights", maps, m.H,
                m.H < 4    ? m.H
                : m.H == 6 ? 3
                           : 4);
    Mat qkv = mat_new(arena, x.rows, 3 * D), k = mat_cols(qkv, D, D);
    matmul(qkv, x, m.wqkv);
    q = mat_cols(qkv, 0, D);
    trace_heads(lesson->trace, (TraceHeads){ .H = m.H,
                                             .x = x,
                                             .q = q,
                                             .k = k,
                                             .v = mat_cols(qkv, 2 * D, D),
                                             .scores = lesson_dump_scores(lesson, q, k, m.H, NULL),
                                             .weights = weights,
                                             .out = out });
}

// ---- 4. Shapes

typedef struct {
    const char *what;
    Mat m;
} Shaped;

static void show_shapes(Lesson *lesson, const Shaped *all, int count)
{
    static const char *const columns[] = { "rows", "columns", "stride" };
    Rows rows = rows_of(lesson, "shapes", columns, 3);
    rows.table.decimals = -1;
    rows.table.units = COLUMNS_APART;
    for (int i = 0; i < count; i++)
        rows_add(&rows, ROW(all[i].m.rows, all[i].m.cols, all[i].m.stride), "%s", all[i].what);
    show_rows(lesson, &rows);
}

static void put_level_with(Arena *arena, DiagramBox *box, const DiagramBox *other)
{
    CanvasRect at = diagram_box(arena, box), level = diagram_box(arena, other);
    box->at.y += level.y + level.height / 2 - (at.y + at.height / 2);
}

// The whole layer, with one head's columns framed on their way.
static void figure_of_the_layer(Lesson *lesson, int T, int D, int H, int head)
{
    enum { X, Q, K, V, A, OF_HEAD, HEADS, OUT, BOXES };
    Arena *arena = lesson->arena;
    Mat numbers = mat_new(arena, 1, H);
    for (int h = 0; h < H; h++) *mat_ref(numbers, 0, h) = (float)h;
    const char *wide = arena_format(arena, "%d × %d", T, D), *narrow = arena_format(arena, "%d × %d", T, D / H);
    const DiagramBox cut = { .values = numbers, .lines = wide, .mark_row = 1, .mark_col = head + 1 };
    DiagramBox boxes[BOXES] = {
        [X] = { .at = { 0, 0, 0, 0 }, .title = "x", .lines = wide },
        [Q] = cut,
        [K] = cut,
        [V] = cut,
        [HEADS] = cut,
        [A] = { .at = { 385, 42, 150, 0 },
                .title = arena_format(arena, "weights of head %d", head),
                .lines = arena_format(arena, "%d × %d", T, T) },
        [OF_HEAD] = { .at = { 385, 0, 150, 0 },
                      .title = arena_format(arena, "output of head %d", head),
                      .lines = narrow },
        [OUT] = { .at = { 785, 0, 0, 0 }, .title = "out", .lines = wide },
    };
    static const char *const names[] = { [Q] = "q", [K] = "k", [V] = "v" };
    static const double tops[] = { [Q] = 0, [K] = 105, [V] = 210 };
    for (int b = Q; b <= V; b++) {
        boxes[b].title = names[b];
        boxes[b].at = (CanvasRect){ 155, tops[b], 0, 0 };
        boxes[b].color = b == Q ? COLOR_MARK : COLOR_SERIES[b - K];
    }
    boxes[HEADS].title = "heads side by side";
    boxes[HEADS].at = (CanvasRect){ 575, 0, 0, 0 };
    put_level_with(arena, &boxes[X], &boxes[K]);
    for (int b = OF_HEAD; b <= OUT; b++) put_level_with(arena, &boxes[b], &boxes[V]);
    const DiagramArrow arrows[] = {
        { .from = X, .to = Q, .label = "Wq" },
        { .from = X, .to = K, .label = "Wk" },
        { .from = X, .to = V, .label = "Wv" },
        { .from = Q, .to = A, .label = narrow, .to_shift = -8 },
        { .from = K, .to = A, .label = narrow, .to_shift = 8 },
        { .from = V, .to = OF_HEAD, .label = narrow },
        { .from = A, .to = OF_HEAD, .label = "times v" },
        { .from = OF_HEAD, .to = HEADS },
        { .from = HEADS, .to = OUT, .label = "Wo" },
    };
    figure_diagram(lesson, "layer.png", arena_format(arena, "the whole layer; framed: the columns of head %d", head),
                   (Diagram){ .title = arena_format(arena, "A layer of %d heads, and the way of head %d", H, head),
                              .boxes = boxes,
                              .box_count = BOXES,
                              .arrows = arrows,
                              .arrow_count = sizeof arrows / sizeof *arrows });
}

static void shapes(Lesson *lesson)
{
    enum { T = 10, D = 512, H = 8, d = D / H };
    step(lesson, "Shape by shape: T = 10, D = 512, H = 8");
    Arena *arena = lesson->arena;
    MultiHead m = hand_made_random_heads(lesson, D, H);
    Mat x = mat_new(arena, T, D), qkv = mat_new(arena, T, 3 * D), heads = mat_new(arena, T, D);
    Mat out = mat_new(arena, T, D), weights = mat_new(arena, H * T, T);
    random_normals(&lesson->random, x);
    Cost before = cost_counted;
    matmul(qkv, x, m.wqkv);
    Mat q = mat_cols(qkv, 0, D), k = mat_cols(qkv, D, D), v = mat_cols(qkv, 2 * D, D);
    multi_head_attend(heads, weights, q, k, v, H, (Mask){ 0 });
    matmul(out, heads, m.wo);

    Shaped all[] = {
        { "x", x },
        { "Wq | Wk | Wv", m.wqkv },
        { "q | k | v = x (Wq | Wk | Wv)", qkv },
        { "q, a view of it", q },
        { "q of head 3, a view of q", mat_cols(q, 3 * d, d) },
        { "weights of head 3", mat_rows(weights, 3 * T, T) },
        { "output of head 3, in its place", mat_cols(heads, 3 * d, d) },
        { "Wo", m.wo },
        { "out = heads Wo", out },
    };
    show_shapes(lesson, all, sizeof all / sizeof *all);
    figure_of_the_layer(lesson, T, D, H, 3);
    cost(lesson, "multiplications", cost_since(before).multiplies, "4·T·D² + 2·T²·D",
         4 * (int64_t)T * D * D + 2 * (int64_t)T * T * D);
    say(lesson, "Not run here: the paper's BLEU with other splits of 512 columns (table 3). 1 head 24.9, 4 heads 25.5, "
                "8 heads 25.8, 16 heads 25.8, 32 heads 25.4.");
}

// ---- 5. Three equal forms

// One head whose three matrices are the identity is the attention of chapter 03: q = k = v = X.
static void chapter_three_again(Lesson *lesson)
{
    enum { IT = 7, ANIMAL = 1 };
    const Sentence *s = &lesson->sentence;
    MultiHead m = identity_heads(lesson, s->x.cols, 1);
    Mat out = mat_new(lesson->arena, s->T, s->x.cols), weights = mat_new(lesson->arena, s->T, s->T);
    multi_head_fused(out, weights, s->x, m, (Mask){ 0 });
    float weight = *mat_ref(weights, IT, ANIMAL);
    check(lesson, fabsf(weight - 0.113f) < 0.0005f, "one head of identity matrices is chapter 03: it gives animal %.3f",
          (double)weight);
}

static void three_forms(Lesson *lesson, MultiHead m)
{
    step(lesson, "Three forms, the same numbers");
    Mat x = lesson->sentence.x, out[3];
    void (*forms[])(Mat, Mat, Mat, MultiHead, Mask) = { multi_head_separate, multi_head_views, multi_head_fused };
    int64_t work[3];
    for (int f = 0; f < 3; f++) {
        out[f] = mat_new(lesson->arena, x.rows, x.cols);
        Cost before = cost_counted;
        forms[f](out[f], (Mat){ 0 }, x, m, (Mask){ .causal = true });
        work[f] = cost_since(before).multiplies;
    }
    int D = x.cols;
    check(lesson, mat_equal(out[0], out[1]),
          "3·H = %d projections, %d × %d each, are three of D × D = %d × %d, to the bit", 3 * m.H, D, D / m.H, D, D);
    check(lesson, mat_equal(out[1], out[2]), "those three are one of D × 3·D = %d × %d, to the bit", D, 3 * D);
    check(lesson, work[0] == work[1] && work[1] == work[2], "and all three multiply equally often");
    if (!lesson->own_words) chapter_three_again(lesson);
}

// ---- 6. The wrong reshape

// Head h as the rows of memory that come after head h − 1's: what reshape(T, D) → (H, T, d) gives. It compiles, it
// runs, and it is wrong.
static Mat wrong_head(Mat m, int h, int H)
{
    int d = m.cols / H;
    return (Mat){ m.at + (ptrdiff_t)h * m.rows * d, m.rows, d, d };
}

// Heads that are wrong on the way in and right on the way out.
static Mat wrong_heads(Arena *arena, Mat q, int H, Mask mask)
{
    Mat out = mat_new(arena, q.rows, q.cols);
    int d = q.cols / H;
    for (int h = 0; h < H; h++) {
        Mat share = wrong_head(q, h, H);
        attention_naive((Attended){ .out = mat_cols(out, h * d, d) }, share, share, share, mask);
    }
    return out;
}

// How many heads find something else for some token.
static int heads_moved(Mat before, Mat after, int H)
{
    int moved = 0, d = before.cols / H;
    for (int h = 0; h < H; h++) moved += !mat_equal(mat_cols(before, h * d, d), mat_cols(after, h * d, d));
    return moved;
}

// The first token for which heads find something else; as many as there are tokens: none.
static int first_moved(Mat before, Mat after)
{
    int i = 0;
    while (i < before.rows && mat_equal(mat_rows(before, i, 1), mat_rows(after, i, 1))) i++;
    return i;
}

// Which block of q head 0 is made of, and how its rows come to lie, rightly and wrongly. In the wrong head 1 the row is
// framed that a causal mask lets token 2 see.
static void figure_of_cuts(Lesson *lesson, Mat q, int H)
{
    enum { T = 4, D = 4 };
    static const char *const tokens[T] = { "token 0", "token 1", "token 2", "token 3" };
    static const char *const early[T] = { "row 0: token 0", "row 1: token 0", "row 2: token 1", "row 3: token 1" };
    static const char *const late[T] = { "row 0: token 2", "row 1: token 2", "row 2: token 3", "row 3: token 3" };
    static const char *const columns[D] = { "col 0", "col 1", "col 2", "col 3" };
    const Color good = COLOR_SERIES[0], bad = COLOR_SERIES[1];
    int d = D / H;
    const DiagramBox boxes[] = {
        { .at = { 0, 0, 0, 0 },
          .title = "q",
          .values = q,
          .decimals = 1,
          .rows = tokens,
          .cols = columns,
          .mark_row = 1,
          .mark_col = 1,
          .mark_rows = T,
          .mark_cols = d,
          .color = good },
        { .at = { 380, 0, 0, 0 },
          .title = "head 0",
          .values = mat_cols(q, 0, d),
          .decimals = 1,
          .rows = tokens,
          .cols = columns,
          .color = good },
        { .at = { 0, 222, 0, 0 },
          .title = "q",
          .values = q,
          .decimals = 1,
          .rows = tokens,
          .cols = columns,
          .mark_row = 1,
          .mark_col = 1,
          .mark_rows = T / H,
          .mark_cols = D,
          .color = bad },
        { .at = { 380, 158, 0, 0 },
          .title = "wrong head 0",
          .values = wrong_head(q, 0, H),
          .decimals = 1,
          .rows = early,
          .color = bad },
        { .at = { 380, 302, 0, 0 },
          .title = "wrong head 1",
          .lines = "a causal mask lets\ntoken 2 see row 2",
          .values = wrong_head(q, 1, H),
          .decimals = 1,
          .rows = late,
          .mark_row = 3,
          .mark_col = 1,
          .mark_rows = 1,
          .mark_cols = d,
          .color = bad },
    };
    const DiagramArrow arrows[] = {
        { .from = 0, .to = 1, .label = "a share of the columns", .color = good },
        { .from = 2, .to = 3, .label = "a share of the memory", .color = bad },
        { .from = 2, .to = 4, .label = "the next share", .color = bad },
    };
    figure_diagram(lesson, "cuts.png", "q cut by columns and by memory; framed in the wrong head 1: token 3 in row 2",
                   (Diagram){ .title = "The right cut and the wrong one",
                              .boxes = boxes,
                              .box_count = 5,
                              .arrows = arrows,
                              .arrow_count = 3 });
}

static void wrong_reshape(Lesson *lesson, Mat by_hand, Mask mask)
{
    enum { T = 4, D = 4, H = 2, d = D / H };
    step(lesson, "The wrong reshape beside the right one");
    Arena *arena = lesson->arena;
    Mat q = mat_new(arena, T, D), wrong = mat_new(arena, T, D);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < D; j++) *mat_ref(q, i, j) = (float)i + 0.1f * (float)j;
    for (int h = 0; h < H; h++) mat_set(mat_cols(wrong, h * d, d), wrong_head(q, h, H));
    show_table(lesson, (Table){ .name = "q: 2.3 is token 2, column 3", .values = q, .decimals = 1 });
    show_table(lesson,
               (Table){ .name = "right: head 0 is mat_cols(q, 0, 2)", .values = mat_cols(q, 0, d), .decimals = 1 });
    show_table(lesson, (Table){ .name = "wrong: head 0 is the first half of the memory",
                                .values = wrong_head(q, 0, H),
                                .decimals = 1 });
    int tokens = 1;
    for (int i = 0; i < T; i++) tokens += (int)*mat_ref(wrong, i, 0) + 1 > tokens;
    figure_of_cuts(lesson, q, H);
    check(lesson, tokens == T / H, "the wrong head 0 holds %d of the %d tokens; the others it cannot attend to", tokens,
          T);

    Mat right = mat_new(arena, T, D), out = wrong_heads(arena, q, H, (Mask){ 0 });
    multi_head_attend(right, (Mat){ 0 }, q, q, q, H, (Mask){ 0 });
    double apart = mat_max_difference(right, out);
    check(lesson, apart > 0.5, "no shape is wrong and nothing crashes, but outputs differ by %.2f", apart);
    Mat other = mat_copy(arena, q), right_now = mat_new(arena, T, D);
    for (int j = 0; j < D; j++) *mat_ref(other, T - 1, j) += 1.0f;
    multi_head_attend(right_now, (Mat){ 0 }, other, other, other, H, (Mask){ 0 });
    int notice = heads_moved(right, right_now, H);
    int blind = H - heads_moved(out, wrong_heads(arena, other, H, (Mask){ 0 }), H);
    check(lesson, notice == H && blind > 0,
          "the last token changed: all %d right heads notice, and %d of the wrong "
          "ones does not",
          notice, blind);
    Mask causal = { .causal = true };
    multi_head_attend(right, (Mat){ 0 }, q, q, q, H, causal);
    multi_head_attend(right_now, (Mat){ 0 }, other, other, other, H, causal);
    int early = first_moved(wrong_heads(arena, q, H, causal), wrong_heads(arena, other, H, causal));
    check(lesson, first_moved(right, right_now) == T - 1 && early < T - 1,
          "under a causal mask it changes nothing "
          "before it with the right heads; with the wrong ones it reaches token %d",
          early);
    const float *row = mat_row(wrong_heads(arena, by_hand, H, mask), by_hand.rows - 1);
    say(lesson, "The last token of step 3, with the wrong heads: %.3f %.3f %.3f %.3f.", (double)row[0], (double)row[1],
        (double)row[2], (double)row[3]);
}

// ---- 8. Costs

static void what_it_costs(Lesson *lesson)
{
    enum { T = 12, D = 64 };
    step(lesson, "What it costs, for one head or sixteen");
    static const char *const columns[] = { "d", "parameters", "multiplications", "exps" };
    Rows rows = rows_of(lesson, "T = 12, D = 64: each row was run and counted", columns, 4);
    rows.table.decimals = -1;
    rows.table.units = COLUMNS_APART;
    Mat x = mat_new(lesson->arena, T, D), out = mat_new(lesson->arena, T, D);
    random_normals(&lesson->random, x);
    bool same = true, exps = true;
    for (int H = 1; H <= 16; H *= 2) {
        MultiHead m = hand_made_random_heads(lesson, D, H);
        int parameters = m.wqkv.rows * m.wqkv.cols + m.wo.rows * m.wo.cols;
        Cost before = cost_counted;
        multi_head_fused(out, (Mat){ 0 }, x, m, (Mask){ 0 });
        Cost work = cost_since(before);
        rows_add(&rows, ROW(D / H, parameters, (double)work.multiplies, (double)work.exps), "H = %d", H);
        same = same && parameters == 4 * D * D && work.multiplies == 4 * T * D * D + 2 * T * T * D;
        exps = exps && work.exps == (int64_t)H * T * T;
    }
    show_rows(lesson, &rows);
    check(lesson, same, "4·D² = %d parameters and 4·T·D² + 2·T²·D = %d multiplications, whatever H", 4 * D * D,
          4 * T * D * D + 2 * T * T * D);
    check(lesson, exps, "only the exps grow: H·T², one table of weights for every head");
}

// ---- 9. Batches

static void batches(Lesson *lesson, MultiHead m)
{
    enum { B = 3 };
    step(lesson, "Several sentences at once");
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x;
    int T = x.rows;
    Mat all = mat_new(arena, B * T, x.cols), out = mat_new(arena, B * T, x.cols);
    Mat alone = mat_new(arena, T, x.cols);
    Mask masks[B] = { { 0 }, { .causal = true }, { .padding = T / 2 } };
    for (int b = 0; b < B; b++) {
        mat_set(mat_rows(all, b * T, T), x);
        for (int c = 0; c < x.cols; c++) *mat_ref(all, b * T, c) += (float)b; // so that the sentences differ
    }
    multi_head_batch(out, all, B, m, masks);
    bool same = true;
    for (int b = 0; b < B; b++) {
        multi_head_fused(alone, (Mat){ 0 }, mat_rows(all, b * T, T), m, masks[b]);
        same = same && mat_equal(alone, mat_rows(out, b * T, T));
    }
    check(lesson, same,
          "%d sentences in one matrix of %d rows, each with its own mask, give what each gives alone, "
          "to the bit",
          B, B * T);
}

int main(int argc, char **argv)
{
    static const char *const masks[] = { "causal", "all", "window", NULL };
    static const Mask meant[] = { { .causal = true }, { 0 }, { .causal = true, .window = 2 } };
    int H = 4, mask = 0;
    const char *own = NULL;
    Flag flags[] = {
        flag_count("heads", &H, 1, 16, "N",
                   "heads in steps 2, 5, 7 and 9; must divide the embeddings' width (default 4)"),
        flag_choice("mask", &mask, masks, NULL, "the mask of step 3; a window has 2 keys (default causal)"),
        flag_text("x", &own, "\"1 0 1 0, …\"", "the X of step 3: up to 8 rows of 4 numbers, commas between the rows"),
    };
    Lesson lesson = lesson_open_with(argc, argv, 6, "Multi-head attention", flags, 3);
    lesson_steps(&lesson, 9);
    int D = lesson.embeddings.D;
    if (D % H)
        lesson_misused(lesson.state, "--heads is %d; it must divide D = %d, the columns of %s", H, D,
                       lesson.embeddings.file);
    Mat x = x_by_hand(&lesson, own);
    MultiHead m = hand_made_random_heads(&lesson, D, H);

    the_bank(&lesson);
    four_moves(&lesson, m);
    by_hand(&lesson, x, meant[mask]);
    shapes(&lesson);
    three_forms(&lesson, m);
    wrong_reshape(&lesson, x, meant[mask]);
    what_wo_is_for(&lesson, m);
    what_it_costs(&lesson);
    batches(&lesson, m);
    return lesson_close(&lesson);
}
