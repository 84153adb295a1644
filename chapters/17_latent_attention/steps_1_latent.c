// Chapter 17, steps 1 and 2. What is kept, and what need not be made of it.
#include "attention/dot_product.h"
#include "attention/grouped.h"
#include "base/portable_math.h"
#include "lesson/block_map.h"
#include "steps.h"

Mat random_mat(Lesson *lesson, int rows, int cols)
{
    Mat m = mat_new(lesson->arena, rows, cols);
    random_normals(&lesson->random, m);
    return m;
}

static Mat random_weights(Lesson *lesson, int rows, int cols)
{
    Mat m = random_mat(lesson, rows, cols);
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < cols; c++) *mat_ref(m, i, c) /= sqrtf((float)rows);
    return m;
}

Heads sentence_heads(Lesson *lesson, Shape s, int first)
{
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x;
    Random random = lesson->random; // the same weights for the same shape, whoever asks
    Heads heads = { .x = x, .q = mat_new(arena, x.rows, s.H * (s.d + s.dr)) };
    heads.rows = mat_new(arena, x.rows, s.c + s.dr);
    Mat wuk = random_weights(lesson, s.c, s.H * s.d), wuv = random_weights(lesson, s.c, s.H * s.d);
    heads.w = (LatentHeads){ wuk, wuv, s.H, s.dr };
    Mat wq = random_weights(lesson, x.cols, s.H * (s.d + s.dr)), wdown = random_weights(lesson, x.cols, s.c + s.dr);
    for (int i = 0; i < wq.rows; i++)
        for (int c = 0; c < wq.cols; c++) *mat_ref(wq, i, c) *= 3.0f; // so that heads choose
    RopeTable turns = rope_table(arena, first, x.rows, s.dr ? s.dr : 2);
    latent_project(heads.q, heads.rows, x, wq, wdown, s.H, s.dr, turns);
    for (int h = 0; h < s.H; h++) heads.masks[h].causal = true;
    lesson->random = random;
    return heads;
}

double off_by(Mat got, Mat want)
{
    double off = 0.0, all = 0.0;
    for (int i = 0; i < want.rows; i++)
        for (int c = 0; c < want.cols; c++) {
            double right = mat_value(want, i, c), wrong = mat_value(got, i, c) - right;
            off += wrong * wrong;
            all += right * right;
        }
    return all > 0.0 ? sqrt(off / all) : 0.0;
}

// ---- 1. One latent for all heads

static void figure_forms(Lesson *lesson)
{
    enum { TOKEN, LATENT, KEYS, VALUES, HEADS, PLAIN, QUERY, MOVED, MIXED, OUT, BOXES };
    static const DiagramBox boxes[BOXES] = {
        [TOKEN] = { .at = { 0, 96, 90, 48 }, .title = "x", .lines = "D numbers" },
        [LATENT] = { .at = { 155, 96, 120, 48 }, .title = "latent", .lines = "c numbers, kept", .marked = true },
        [KEYS] = { .at = { 350, 0, 130, 48 }, .title = "keys", .lines = "H · d numbers" },
        [VALUES] = { .at = { 350, 64, 130, 48 }, .title = "values", .lines = "H · dv numbers" },
        [HEADS] = { .at = { 530, 32, 110, 48 }, .title = "attention", .lines = "H key heads" },
        [PLAIN] = { .at = { 530, 106, 110, 44 }, .title = "queries", .lines = "H · d numbers" },
        [QUERY] = { .at = { 350, 170, 130, 48 }, .title = "queries · Wukᵀ", .lines = "H · c numbers" },
        [MOVED] = { .at = { 530, 170, 110, 48 }, .title = "attention", .lines = "one key head" },
        [MIXED] = { .at = { 680, 170, 120, 48 }, .title = "· Wuv", .lines = "H · dv numbers" },
        [OUT] = { .at = { 820, 84, 90, 48 }, .title = "heads", .lines = "the same" },
    };
    static const DiagramArrow arrows[] = {
        { .from = TOKEN, .to = LATENT, .label = "Wdown" },
        { .from = LATENT, .to = KEYS, .label = "Wuk", .label_x = -12, .label_y = -8 },
        { .from = LATENT, .to = VALUES, .label = "Wuv", .label_x = 12, .label_y = 14 },
        { .from = KEYS, .to = HEADS },
        { .from = VALUES, .to = HEADS },
        { .from = PLAIN, .to = HEADS, .leaves = DIAGRAM_TOP, .enters = DIAGRAM_BOTTOM },
        { .from = LATENT,
          .to = MOVED,
          .leaves = DIAGRAM_BOTTOM,
          .enters = DIAGRAM_BOTTOM,
          .bend = 28,
          .dashed = true,
          .label = "as it is: keys, and values" },
        { .from = QUERY, .to = MOVED },
        { .from = MOVED, .to = MIXED },
        { .from = HEADS, .to = OUT, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_TOP, .bend = 1 },
        { .from = MIXED, .to = OUT, .leaves = DIAGRAM_RIGHT, .enters = DIAGRAM_BOTTOM, .bend = 1 },
    };
    figure_diagram(lesson, "forms.png", "above, keys and values are made; below, the latents are read as they are",
                   (Diagram){ .title = "Two ways to read the same latents",
                              .boxes = boxes,
                              .box_count = BOXES,
                              .arrows = arrows,
                              .arrow_count = sizeof arrows / sizeof *arrows });
}

void one_latent(Lesson *lesson, Shape s)
{
    step(lesson, "One latent for all heads");
    block_map_figure(lesson, "here.png", BLOCK_MAP_LATENT);
    Arena *arena = lesson->arena;
    Shape plain = { s.H, s.c, 0, s.d };
    Heads a = sentence_heads(lesson, plain, 0);
    int T = a.x.rows;
    Mat k = mat_new(arena, T, s.H * s.d), v = mat_new(arena, T, s.H * s.d);
    latent_expand(k, v, a.rows, a.w.wuk, a.w.wuv, 0);

    static const char *const cols[] = { "numbers", "bytes" };
    Rows table = rows_of(lesson, arena_format(arena, "kept of a word, H = %d, heads of %d", s.H, s.d), cols, 2);
    table.table.decimals = -1;
    rows_add(&table, ROW(2 * s.H * s.d, 8 * s.H * s.d), "MHA");
    rows_add(&table, ROW(2 * s.d, 8 * s.d), "MQA");
    rows_add(&table, ROW(s.c, 4 * s.c), "a latent");
    show_rows(lesson, &table);
    LatentCache cache = latent_cache_new(arena, T, s.c, 0);
    latent_cache_append(&cache, a.rows);
    KvSegment kept = latent_cache_filled(cache);
    check(lesson, latent_cache_bytes(cache) == (int64_t)4 * T * s.c && kept.v.at == kept.k.at,
          "%d words take %d bytes: keys and values are made of the same numbers in memory", T,
          (int)latent_cache_bytes(cache));
    Mat first = mat_cols(k, 0, s.d), other = mat_cols(k, (s.H - 1) * s.d, s.d);
    if (s.H > 1)
        check(lesson, mat_max_difference(first, other) > 0.01,
              "the keys of heads 0 and %d, made of it, differ by %.2f: each head has its own", s.H - 1,
              mat_max_difference(first, other));
    figure_forms(lesson);
}

// ---- 2. Absorbed

// All words at once, or one by one over a cache; in one form.
typedef void Form(Attended to, LatentCache *cache, Mat q, Mat rows, LatentHeads w, const Mask *masks,
                  AttentionKernel *kernel);

static Attended attend_by(Lesson *lesson, Form *form, const Heads *a, Shape s, int chunk)
{
    int T = a->x.rows;
    Attended to = { .out = mat_new(lesson->arena, T, s.H * s.d) };
    if (chunk == T) to.weights = mat_new(lesson->arena, s.H * T, T);
    LatentCache cache = latent_cache_new(lesson->arena, T, s.c, s.dr);
    for (int t = 0; t < T; t += chunk)
        form((Attended){ .out = mat_rows(to.out, t, chunk), .weights = to.weights }, &cache, mat_rows(a->q, t, chunk),
             mat_rows(a->rows, t, chunk), a->w, a->masks, attention_naive);
    return to;
}

// One score with c = d = 2, both ways: small enough for pencil and paper.
static void absorbed_by_hand(Lesson *lesson)
{
    Arena *arena = lesson->arena;
    Mat q = mat_of(arena, 1, 2, (const float[]){ 2, -1 }), l = mat_of(arena, 1, 2, (const float[]){ 1, 2 });
    Mat wuk = mat_of(arena, 2, 2, (const float[]){ 1, 3, 2, 0 }), key = mat_new(arena, 1, 2);
    Mat moved = mat_new(arena, 1, 2), turned = mat_new(arena, 1, 2), scores = mat_new(arena, 1, 3);
    matmul(key, l, wuk);
    matmul_transposed(moved, q, wuk);
    matmul(turned, q, wuk);
    matmul_transposed(mat_cols(scores, 0, 1), q, key);
    matmul_transposed(mat_cols(scores, 1, 1), moved, l);
    matmul_transposed(mat_cols(scores, 2, 1), turned, l);

    Table table = { .decimals = -1, .given = true, .name = "Wuk", .values = wuk };
    show_table(lesson, table);
    say(lesson,
        "q = (%g, %g) meets the latent l = (%g, %g). Its key is l Wuk = (%g, %g), and q · (%g, %g) = %g. Or: q "
        "Wukᵀ = (%g, %g), and (%g, %g) · l = %g.",
        (double)q.at[0], (double)q.at[1], (double)l.at[0], (double)l.at[1], (double)key.at[0], (double)key.at[1],
        (double)key.at[0], (double)key.at[1], (double)scores.at[0], (double)moved.at[0], (double)moved.at[1],
        (double)moved.at[0], (double)moved.at[1], (double)scores.at[1]);
    check(lesson, scores.at[0] == scores.at[1] && scores.at[2] != scores.at[0],
          "one score, both ways; with Wuk where Wukᵀ should be it would be %g", (double)scores.at[2]);
}

void absorbed(Lesson *lesson, Shape shape)
{
    step(lesson, "The keys need not be made");
    absorbed_by_hand(lesson);
    Shape s = { shape.H, shape.c, 0, shape.d };
    Heads a = sentence_heads(lesson, s, 0);
    int T = a.x.rows;
    Attended made = attend_by(lesson, latent_attend_expanded, &a, s, T);
    Attended read = attend_by(lesson, latent_attend, &a, s, T);
    Attended words = attend_by(lesson, latent_attend, &a, s, 1);
    say(lesson, "q · (l Wuk) = (q Wukᵀ) · l for a key, and Σ a (l Wuv) = (Σ a l) Wuv for what is mixed.");
    check(lesson, off_by(read.weights, made.weights) < 2e-6 && off_by(read.out, made.out) < 2e-6,
          "absorbed and expanded: the same weights and outputs, within 2 · 10⁻⁶ of their size");
    check(lesson, off_by(words.out, made.out) < 2e-6, "word by word over the cache: the same");

    // The scale of a kernel that is left to itself: 1/√ of the width that it sees, which is c.
    Mat q = mat_new(lesson->arena, T, s.H * s.c), mixed = mat_new(lesson->arena, T, s.H * s.c);
    Mat wrong = mat_new(lesson->arena, T, s.H * s.d);
    latent_absorb(q, a.q, a.w.wuk, s.H, 0);
    grouped_attend((Attended){ .out = mixed }, q, a.rows, mat_cols(a.rows, 0, s.c), s.H, a.masks, attention_naive);
    latent_outputs(wrong, mixed, a.w.wuv, s.H);
    if (s.c != s.d && !lesson->own_words) // the same word over and over: every mixture is the same
        check(lesson, off_by(wrong, made.out) > 1e-5,
              "with 1/√c, the width that the kernel sees, in the place of 1/√d: off by %.3f", off_by(wrong, made.out));

    Cost start = cost_counted;
    LatentCache cache = latent_cache_new(lesson->arena, T, s.c, 0);
    latent_cache_append(&cache, mat_rows(a.rows, 0, T - 1));
    LatentCache again = cache;
    again.rows = mat_copy(lesson->arena, cache.rows);
    Attended to = { .out = mat_new(lesson->arena, 1, s.H * s.d) };
    start = cost_counted;
    latent_attend_expanded(to, &cache, mat_rows(a.q, T - 1, 1), mat_rows(a.rows, T - 1, 1), a.w, a.masks,
                           attention_naive);
    int64_t many = cost_since(start).multiplies;
    start = cost_counted;
    latent_attend(to, &again, mat_rows(a.q, T - 1, 1), mat_rows(a.rows, T - 1, 1), a.w, a.masks, attention_naive);
    int64_t S = T, H = s.H, c = s.c, d = s.d;
    cost(lesson, "multiplications for the last word, expanded", many, "S·c·2Hd + S·2Hd",
         S * c * 2 * H * d + S * 2 * H * d);
    cost(lesson, "multiplications for it, absorbed", cost_since(start).multiplies, "2Hdc + S·2Hc",
         2 * H * d * c + S * 2 * H * c);
}
