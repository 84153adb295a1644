// Chapter 12. MQA and GQA: query heads that share their keys and values.
// Run build/chapters/12_mqa_and_gqa with README.md of this folder open beside it.
#include "attention/dot_product.h"
#include "attention/fast.h"
#include "attention/grouped.h"
#include "attention/multi_head.h"
#include "base/threads.h"
#include "io/table.h"
#include "language/grammar.h"
#include "language/translator.h"
#include "lesson/dump.h"
#include "lesson/lesson.h"
#include "model/pooling.h"
#include "model/sizes.h"
#include "train/shipped.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SENTENCES = 600, SHARE = 20 };                // trained on for one SHAREth of the steps: 5 %

static Mat random_mat(Lesson *lesson, int rows, int cols)
{
    Mat m = mat_new(lesson->arena, rows, cols);
    random_normals(&lesson->random, m);
    return m;
}

// ---- 1. One expression

typedef struct { Mat q, k, v; int H; } Heads;        // q (T, H d), k and v (T, G d)

// Queries, keys and values of the sentence, from random weights; G follows from how many columns Wk and Wv have.
static Heads project_sentence(Lesson *lesson, int H, int G, int d)
{
    Mat x = lesson->sentence.x;
    Heads heads = { mat_new(lesson->arena, x.rows, H * d), mat_new(lesson->arena, x.rows, G * d),
                    mat_new(lesson->arena, x.rows, G * d), H };
    matmul(heads.q, x, random_mat(lesson, x.cols, H * d));
    matmul(heads.k, x, random_mat(lesson, x.cols, G * d));
    matmul(heads.v, x, random_mat(lesson, x.cols, G * d));
    return heads;
}

static Attended attended_by(Lesson *lesson, Heads a, const Mask *masks)
{
    Attended to = { .out = mat_new(lesson->arena, a.q.rows, a.q.cols),
                    .weights = mat_new(lesson->arena, a.H * a.q.rows, a.k.rows) };
    grouped_attend(to, a.q, a.k, a.v, a.H, masks, attention_naive);
    return to;
}

// Each of the G heads of m (S, G d), copied H / G times: (S, H d). What grouped_attend does not need.
static Mat repeated(Lesson *lesson, Mat m, int H, int G)
{
    int d = m.cols / G;
    Mat all = mat_new(lesson->arena, m.rows, H * d);
    for (int h = 0; h < H; h++) mat_set(mat_cols(all, h * d, d), mat_cols(m, h / (H / G) * d, d));
    return all;
}

// The well-known mistake: query head h reads key head h % G. Every shape is right.
static Mat attended_by_remainder(Lesson *lesson, Heads a, const Mask *masks)
{
    int d = a.q.cols / a.H, G = a.k.cols / d;
    Mat out = mat_new(lesson->arena, a.q.rows, a.q.cols);
    for (int h = 0; h < a.H; h++)
        attention_naive((Attended){ .out = mat_cols(out, h * d, d) }, mat_cols(a.q, h * d, d),
                        mat_cols(a.k, h % G * d, d), mat_cols(a.v, h % G * d, d), masks[h]);
    return out;
}

static void who_reads_whom(Lesson *lesson, int H)
{
    static const char *const kinds[] = { "MHA", "GQA", "GQA", "MQA" };
    const char *rows[4], *titles[4], **heads = arena_alloc(lesson->arena, (size_t)H * sizeof *heads);
    Mat table = mat_new(lesson->arena, 4, H);
    for (int h = 0; h < H; h++) heads[h] = arena_format(lesson->arena, "h = %d", h);
    for (int n = 0, G = H; n < 4; n++, G /= 2) {
        rows[n] = arena_format(lesson->arena, "G = %d", G);
        titles[n] = arena_format(lesson->arena, "%s, G = %d", kinds[n], G);
        for (int h = 0; h < H; h++) *mat_ref(table, n, h) = (float)(h / (H / G));
    }
    show_table(lesson, (Table){ .name = "the key head that query head h reads: h / (H / G)", .values = table,
                                .rows = rows, .cols = heads, .decimals = -1 });
    figure_map(lesson, "sharing.png", "the same as a picture: one colour, one key head",
               (HeatMap){ .title = "Which key head a query head reads", .values = table, .row_labels = titles,
                          .col_labels = heads, .col_title = "query head", .colors = VIRIDIS, .low = 0, .high = H - 1,
                          .decimals = 0, .cell = 52, .bar_title = "key head" });
}

static void one_expression(Lesson *lesson)
{
    enum { H = 8, d = 4 };
    step(lesson, "One expression");
    who_reads_whom(lesson, H);
    Mask masks[H];
    masks_for_heads(masks, H, (Mask){ .causal = true }, false);
    bool as_repeated = true;
    double wrong[4];
    for (int n = 0, G = H; G >= 1; n++, G /= 2) {
        Heads a = project_sentence(lesson, H, G, d),
            b = { a.q, repeated(lesson, a.k, H, G), repeated(lesson, a.v, H, G), H };
        Attended shared = attended_by(lesson, a, masks), copied = attended_by(lesson, b, masks);
        as_repeated = as_repeated && mat_equal(shared.out, copied.out) && mat_equal(shared.weights, copied.weights);
        wrong[n] = mat_max_difference(shared.out, attended_by_remainder(lesson, a, masks));
        if (G == H) {
            Mat out = mat_new(lesson->arena, a.q.rows, H * d), maps = mat_new(lesson->arena, H * a.q.rows, a.k.rows);
            heads_attend(out, maps, a.q, a.k, a.v, H, masks[0]);
            check(lesson, mat_equal(shared.out, out) && mat_equal(shared.weights, maps),
                  "G = H = %d is chapter 06: the same outputs and weights, to the bit", H);
        }
        if (G == 2)
            trace_heads(lesson->trace, (TraceHeads){ .H = H, .q = a.q, .k = a.k, .v = a.v, .weights = shared.weights,
                                                     .scores = dump_scores(lesson, a.q, a.k, H, masks) });
    }
    check(lesson, as_repeated,
          "keys and values copied H / G times and then given to H heads: the same, to the bit, for every G");
    check(lesson, wrong[0] == 0.0 && wrong[3] == 0.0, "with h %% G instead: the same for G = 8 and for G = 1");
    if (lesson->sentence.T > 1)
        check(lesson, wrong[1] > 0.01 && wrong[2] > 0.01,
              "with h %% G and G = 4 the outputs differ by %.2f, with G = 2 by %.2f, and nothing crashes",
              wrong[1], wrong[2]);
}

// ---- 2. What gets smaller

static void what_gets_smaller(Lesson *lesson)
{
    enum { T = 12, D = 64, H = 8, d = D / H };
    step(lesson, "What gets smaller, and what does not");
    static const char *const cols[] = { "parameters", "projections", "attention", "cache" };
    const char *rows[4];
    Mat table = mat_new(lesson->arena, 4, 4), x = random_mat(lesson, T, D), out = mat_new(lesson->arena, T, D);
    Mask masks[H] = { { 0 } };
    bool as_formula = true;
    for (int n = 0, G = H; G >= 1; n++, G /= 2) {
        Mat w = random_mat(lesson, D, (H + 2 * G) * d), wo = random_mat(lesson, D, D),
            heads = mat_new(lesson->arena, T, D);
        Mat qkv = mat_new(lesson->arena, T, w.cols);
        Cost start = counted;
        matmul(qkv, x, w);
        int64_t projections = cost_since(start).multiplies;
        start = counted;
        grouped_attend((Attended){ .out = heads }, mat_cols(qkv, 0, D), mat_cols(qkv, D, G * d),
                       mat_cols(qkv, D + G * d, G * d), H, masks, attention_naive);
        int64_t attention = cost_since(start).multiplies;
        start = counted;
        matmul(out, heads, wo);
        projections += cost_since(start).multiplies;
        int parameters = w.rows * w.cols + wo.rows * wo.cols, cache = qkv.cols - D;
        rows[n] = arena_format(lesson->arena, "G = %d", G);
        mat_set(mat_rows(table, n, 1), mat_of(lesson->arena, 1, 4, (float[]){ (float)parameters, (float)projections,
                                                                          (float)attention, (float)cache }));
        as_formula = as_formula && parameters == 2 * D * d * (H + G) && projections == (int64_t)T * parameters
            && attention == 2 * T * T * H * d && cache == 2 * G * d;
    }
    show_table(lesson, (Table){ .name = "T = 12, D = 64, H = 8",
                                .values = table, .rows = rows, .cols = cols, .decimals = -1 });
    check(lesson, as_formula,
          "parameters 2·D·d·(H + G); multiplications T times as many, and 2·T²·H·d, whatever G; the cache 2·G·d a "
          "token");
}

// ---- 3. Published models

static const int64_t LENGTHS[] = { 4096, 32768, 131072 };
enum { LENGTHS_COUNT = 3, MODELS_MOST = 64 };

static double gigabytes(const Sizes *s, int64_t tokens) { return (double)cache_bytes(s, tokens, 2) / 1e9; }

typedef struct { Sizes at[MODELS_MOST]; int count; } Models;

static Models all_models(Lesson *lesson, const char *path)
{
    Models models = { .count = 0 };
    const Sizes *book;
    int count = sizes_of_the_book(&book, lesson->arena);
    REQUIRE(count < MODELS_MOST, "the table has %d models; there is room for %d", count, MODELS_MOST - 1);
    for (int i = 0; i < count; i++) models.at[models.count++] = book[i];
    if (!path) return models;
    Error error;
    Sizes own;
    if (!sizes_read(&own, lesson->arena, path, &error)) lesson_fail(&error);
    own.name = arena_format(lesson->arena, "yours: %s", own.name);
    models.at[models.count++] = own;
    return models;
}

static const Sizes *named(const Models *models, const char *name)
{
    for (int i = 0; i < models->count; i++)
        if (!strcmp(models->at[i].name, name)) return &models->at[i];
    return NULL;
}

static void show_sizes(Lesson *lesson, const Models *models)
{
    static const char *const shape[] = { "layers", "H", "G", "d", "bytes" },
        *const lengths[] = { "4,096", "32,768", "131,072" };
    int n = models->count;
    Mat sizes = mat_new(lesson->arena, n, 5), hidden = mat_new(lesson->arena, n, 5);
    Mat cache = mat_new(lesson->arena, n, LENGTHS_COUNT), none = mat_new(lesson->arena, n, LENGTHS_COUNT);
    const char **rows = arena_alloc(lesson->arena, (size_t)n * sizeof *rows);
    const char **names = arena_alloc(lesson->arena, (size_t)n * sizeof *names);
    for (int i = 0; i < n; i++) {
        const Sizes *s = &models->at[i];
        float values[] = { (float)s->L, (float)s->H, (float)s->G, (float)s->d, (float)cache_bytes(s, 1, 2) };
        mat_set(mat_rows(sizes, i, 1), mat_of(lesson->arena, 1, 5, values));
        *mat_ref(hidden, i, 2) = s->latent > 0;
        *mat_ref(hidden, i, 4) = s->role == ENCODER;
        mat_fill(mat_rows(none, i, 1), s->role == ENCODER ? 1.0f : 0.0f);
        for (int l = 0; l < LENGTHS_COUNT; l++) *mat_ref(cache, i, l) = (float)gigabytes(s, LENGTHS[l]);
        rows[i] = arena_format(lesson->arena, "%s, %s%s", s->name, sizes_kind(s), s->window ? ", window" : "");
        names[i] = s->name;
    }
    show_table(lesson, (Table){ .name = "sizes, and bytes of the cache a token, in 16 bits", .values = sizes,
                                .hidden = hidden, .rows = rows, .cols = shape, .decimals = -1 });
    show_table(lesson, (Table){ .name = "the cache of one sequence, in GB, by its tokens", .values = cache,
                                .hidden = none, .rows = names, .cols = lengths });
}

static void caches_figure(Lesson *lesson, const Models *models)
{
    static const char *const series[] = { "4,096 tokens", "32,768", "131,072" };
    const char *names[MODELS_MOST];
    double values[MODELS_MOST * LENGTHS_COUNT];
    int count = 0;
    for (int i = 0; i < models->count; i++) {
        if (models->at[i].role != DECODER) continue;
        names[count] = models->at[i].name;
        for (int l = 0; l < LENGTHS_COUNT; l++)
            values[count * LENGTHS_COUNT + l] = gigabytes(&models->at[i], LENGTHS[l]);
        count++;
    }
    figure_bars(lesson, "caches.png", "what the cache of one sequence takes, model by model",
                (Bars){ .title = "The cache of one sequence", .y_title = "GB in 16 bits", .groups = names,
                        .series = series, .group_count = count, .series_count = LENGTHS_COUNT, .values = values,
                        .decimals = -1, .log = true,
                        .width = 900, .height = 480 });
}

static void say_own(Lesson *lesson, const Sizes *s)
{
    static const char *const roles[] = { "an encoder", "a decoder", "the decoder of two halves" };
    const char *heads = arena_format(lesson->arena, "%d key head%s of %d", s->G, s->G == 1 ? "" : "s", s->d);
    if (s->latent) heads = arena_format(lesson->arena, "a latent of %d + %d", s->latent, s->rope);
    say(lesson, "%s: %s, %d layers, %d query heads, %s: %s, %lld bytes a token.", s->name, roles[s->role], s->L, s->H,
        heads, sizes_kind(s), (long long)cache_bytes(s, 1, 2));
    if (s->window) say(lesson, "A window of %d tokens in %d of its %d layers.", s->window, s->windowed, s->L);
}

static void published_models(Lesson *lesson, const Models *models)
{
    step(lesson, "The caches of published models");
    say(lesson, "bytes = layers · 2 · G · d · tokens · 2; with MLA, layers · (c + 64) · tokens · 2. A GB is "
        "1,000,000,000 bytes.");
    show_sizes(lesson, models);
    Sizes seven = *named(models, "LLaMA 2 7B"), seventy = *named(models, "LLaMA 2 70B"),
        v2 = *named(models, "DeepSeek-V2 236B");
    Sizes palm = *named(models, "PaLM 540B"), mistral = *named(models, "Mistral 7B");
    double as_mha = gigabytes(&seventy, 32768) * seventy.H / seventy.G;
    check(lesson, fabs(gigabytes(&seventy, 32768) - 10.7) < 0.05,
          "LLaMA 2 70B at 32,768 tokens: 80 · 2 · 8 · 128 · 32,768 · 2 bytes = %.1f GB", gigabytes(&seventy, 32768));
    check(lesson, fabs(gigabytes(&seven, 32768) - 17.2) < 0.05,
          "LLaMA 2 7B, with all its key heads: 32 · 2 · 32 · 128 · 32,768 · 2 bytes = %.1f GB",
          gigabytes(&seven, 32768));
    check(lesson, as_mha > 85.0, "with a key head for each query head LLaMA 2 70B would keep %.1f GB", as_mha);
    check(lesson, gigabytes(&palm, 32768) < gigabytes(&seven, 32768) / 4, "PaLM 540B, one key head of 256: %.1f GB",
          gigabytes(&palm, 32768));
    check(lesson, cache_bytes(&mistral, 131072, 2) == cache_bytes(&mistral, 4096, 2),
          "Mistral 7B, with its window of 4,096: %.2f GB, and never more", gigabytes(&mistral, 131072));
    int64_t kept = layer_numbers(&v2), mha = 2 * (int64_t)v2.H * v2.d;
    check(lesson, kept == 576, "DeepSeek-V2 keeps %d + %d = %d numbers of a token in a layer; keys and values of its "
          "%d heads would be %d", v2.latent, v2.rope, (int)kept, v2.H, (int)mha);
    caches_figure(lesson, models);
    const Sizes *last = &models->at[models->count - 1];
    if (!strncmp(last->name, "yours", 5)) say_own(lesson, last);
}

// ---- 4. A trained model turned into others

// What takes long was computed before: data/models/groups.tsv, made by --retrain.

// The share of words that are glossed right, in `count` fresh sentences, always the same ones.
static double accuracy(Transformer model, int count)
{
    Arena *scratch = arena_open();
    Glossed *sentences = arena_alloc(scratch, (size_t)count * sizeof *sentences);
    Random random = random_from(2);
    for (int b = 0; b < count; b++) sentence_test(&sentences[b], &random);
    Batch batch = sentences_batch(scratch, sentences, count);
    Run run = transformer_run(scratch, model, batch, (Mat){ 0 });
    int right = 0, words = batch.start[count];
    for (int b = 0; b < count; b++)
        for (int t = 0; t < sentences[b].T; t++) right += run_answer(&run, b, t) == sentences[b].glosses[t];
    arena_close(scratch);
    return (double)right / words;
}

// The recipe of chapter 09, for one SHAREth of its steps, and its bonus whole from the start. Other sentences: the seed
// is another.
static Recipe short_recipe(uint64_t seed)
{
    Recipe recipe = translator_recipe(1000 + seed);
    recipe.steps /= SHARE;
    recipe.warmup = 10;
    recipe.plateau = 0.5;
    recipe.ramp = 0.0;
    return recipe;
}

// Trains a model of this shape; from the parameters of `from` on, or from its own random ones when that is NULL.
static Transformer trained(Arena *arena, const char *name, Config config, Recipe recipe,
                           const Transformer *from)
{
    Training *t = training_open(arena, config, recipe);
    Progress progress = progress_from(name, 0);
    if (from) transformer_set(t->model, *from);
    while (t->step < recipe.steps)
        progress_show(&progress, t->step, recipe.steps, training_step(t, translator_batch, NULL));
    training_close(t);
    return t->model;
}

// Key and value heads as transformer_init draws them; all else stays.
static void draw_anew(Transformer model, uint64_t seed)
{
    Random random = random_from(2000 + seed);
    int D = model.config.D;
    for (int l = 0; l < model.config.L; l++) {
        Mat heads = mat_cols(model.layers[l].wqkv, D, model.layers[l].wqkv.cols - D);
        random_normals(&random, heads);
        for (int i = 0; i < heads.rows; i++)
            for (int c = 0; c < heads.cols; c++) *mat_ref(heads, i, c) /= sqrtf((float)D);
    }
}

// One line of the table: all ways to a model with H query heads and G key heads, from one seed.
static const char *one_line(Arena *arena, Transformer full, int G, uint64_t seed)
{
    static const char *const ways[] = { "mean", "first", "new" };
    const char *name = arena_format(arena, "H = %d, G = %d, seed %d", full.config.H, G, (int)seed), *line = name;
    for (int way = 0; way < 3; way++) {
        Transformer pooled = transformer_pooled(arena, full, G, way ? POOL_FIRST : POOL_MEAN);
        if (way == 2) draw_anew(pooled, seed);
        Transformer on = trained(arena, arena_format(arena, "%s, %s", name, ways[way]), pooled.config,
                                 short_recipe(seed), &pooled);
        line = arena_format(arena, "%s\t%.4f\t%.4f", line, accuracy(pooled, SENTENCES), accuracy(on, SENTENCES));
    }
    Config config = full.config;
    config.G = G;
    Transformer early = trained(arena, arena_format(arena, "%s, 5 %% from scratch", name), config, short_recipe(seed),
                                NULL);
    Transformer whole = full;
    if (G < full.config.H) whole = trained(arena, arena_format(arena, "%s, from the start", name), config,
                                           translator_recipe(seed), NULL);
    return arena_format(arena, "%s\t%.4f\t%.4f\n", line, accuracy(early, SENTENCES), accuracy(whole, SENTENCES));
}

// The table is written anew after every line, so that an interrupted run has not been for nothing.
static void retrain(Lesson *lesson, const char *folder)
{
    static const struct { int H, seeds; } families[] = { { 4, 5 }, { 8, 3 } };
    const char *text = arena_format(lesson->arena, "# build/chapters/12_mqa_and_gqa --retrain %s\n# heads\tmean pooled\t"
                                    "trained on for 5 %%\tfirst head kept\ttrained on for 5 %%\tkey heads drawn anew\t"
                                    "trained on for 5 %%\t5 %% from scratch\tall steps from scratch\n", folder);
    const char *path = arena_format(lesson->arena, "%s/groups.tsv", folder);
    Error error;
    if (!folder_make(folder, &error) || !file_write(path, text, strlen(text), &error)) lesson_fail(&error);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (int seed = 0, H = families[f].H; seed < families[f].seeds; seed++) {
            Arena *arena = arena_open();
            Transformer full = trained(arena, arena_format(arena, "H = G = %d, seed %d", H, seed),
                                       translator_config(H, H), translator_recipe((uint64_t)seed), NULL);
            for (int G = H; G >= 1; G /= 2) {
                text = arena_format(lesson->arena, "%s%s", text, one_line(arena, full, G, (uint64_t)seed));
                if (!file_write(path, text, strlen(text), &error)) lesson_fail(&error);
            }
            arena_close(arena);
        }
}

// Columns of the table, and its rows: H = 4 and 8, every G, some seeds.
enum { MEAN, MEAN_ON, FIRST, FIRST_ON, NEW, NEW_ON, SHORT, WHOLE, WAYS };

typedef struct { int H, G, seeds; double mean[WAYS]; } Group;

// Means over the seeds: rows of the same H and G.
static int groups_of(Group *groups, int most, NamedRows rows)
{
    int count = 0;
    for (int i = 0; i < rows.values.rows; i++) {
        int H = 0, G = 0, g = 0;
        if (sscanf(rows.names[i], "H = %d, G = %d", &H, &G) != 2) continue;
        while (g < count && (groups[g].H != H || groups[g].G != G)) g++;
        if (g == most) continue;
        if (g == count) groups[count++] = (Group){ .H = H, .G = G };
        for (int w = 0; w < WAYS; w++)
            groups[g].mean[w] += ((double)*mat_ref(rows.values, i, w) - groups[g].mean[w]) / (groups[g].seeds + 1);
        groups[g].seeds++;
    }
    return count;
}

typedef struct { Transformer model[16]; double right[16]; const char *name[16]; int count; } Pooled;

static void measure_pooled(int i, void *context)
{
    enum { FEW = 200 };
    Pooled *pooled = context;
    pooled->right[i] = accuracy(pooled->model[i], FEW);
}

// The book's own models, pooled here and now: two columns, mean and first.
static Pooled pool_shipped(Lesson *lesson, const char *program)
{
    static const char *const names[] = { "glosses-4", "glosses-8" };
    Pooled pooled = { .count = 0 };
    Error error;
    for (int m = 0; m < 2; m++) {
        Transformer model;
        if (!shipped_model(&model, lesson->arena, program, names[m], NULL, &error)) lesson_fail(&error);
        for (int G = model.config.H; G >= 1; G /= 2)
            for (int way = 0; way < 2; way++) {
                pooled.name[pooled.count] = arena_format(lesson->arena, "%s, G = %d", names[m], G);
                pooled.model[pooled.count++] = transformer_pooled(lesson->arena, model, G, (Pooling)way);
            }
    }
    parallel_for(pooled.count, measure_pooled, &pooled);
    return pooled;
}

static void show_pooled(Lesson *lesson, const Pooled *pooled)
{
    static const char *const cols[] = { "mean", "first" };
    Mat table = mat_new(lesson->arena, pooled->count / 2, 2);
    const char *rows[8];
    double worst = 0.0;
    for (int i = 0; i < pooled->count; i++) {
        *mat_ref(table, i / 2, i % 2) = (float)pooled->right[i];
        rows[i / 2] = pooled->name[i];
        if (pooled->model[i].config.G < pooled->model[i].config.H) worst = fmax(worst, pooled->right[i]);
    }
    show_table(lesson, (Table){ .name = "pooled, and not trained: words glossed right", .values = table, .rows = rows,
                                .cols = cols, .low = 0, .high = 1 });
    check(lesson, worst < 0.7, "pooling alone leaves less than 0.7 of the words right, whatever G < H");
}

static void show_groups(Lesson *lesson, const Group *groups, int count, NamedRows rows)
{
    static const char *const cols[] = { "mean", "mean+5", "first", "first+5", "new", "new+5", "scratch", "all" };
    Mat table = mat_new(lesson->arena, count, WAYS);
    const char **names = arena_alloc(lesson->arena, (size_t)count * sizeof *names);
    double least_on = 1.0, least_whole = 1.0;
    for (int g = 0; g < count; g++) {
        names[g] = arena_format(lesson->arena, "H = %d, G = %d", groups[g].H, groups[g].G);
        for (int w = 0; w < WAYS; w++) *mat_ref(table, g, w) = (float)groups[g].mean[w];
        least_on = fmin(least_on, groups[g].mean[MEAN_ON]);
        least_whole = fmin(least_whole, groups[g].mean[WHOLE]);
    }
    say(lesson, "Now trained on, for %d of %d steps; the mean of %d seeds for H = 4 and of %d for H = 8.",
        short_recipe(0).steps, translator_recipe(0).steps, groups[0].seeds, groups[count - 1].seeds);
    show_table(lesson, (Table){ .name = "words glossed right", .values = table, .rows = names,
                                .cols = cols, .decimals = 3, .low = 0, .high = 1 });
    int pairs = 0, before = 0, after = 0, above_new = 0, first_above_new = 0;
    for (int i = 0; i < rows.values.rows; i++) {
        const float *row = mat_row(rows.values, i);
        if (row[MEAN] == row[FIRST]) continue;                       // G = H: there is nothing to pool
        pairs++;
        before += row[MEAN] > row[FIRST];
        after += row[MEAN_ON] > row[FIRST_ON];
        above_new += row[MEAN_ON] > row[NEW_ON];
        first_above_new += row[FIRST_ON] > row[NEW_ON];
    }
    check(lesson, before == pairs && after == pairs,
          "in all %d cases with G < H the mean is better than the first head, before the 5 %% and after", pairs);
    check(lesson, above_new == pairs, "after the 5 %% it is better than new heads in all of them; the first head is in %d "
          "of %d", first_above_new, pairs);
    check(lesson, least_on > 0.97, "mean pooled and trained on for 5 %%: above 0.97 for every G");
    check(lesson, least_whole > 0.99, "trained from the start, for all steps: above 0.99 for every G");
}

// What was pooled here agrees with the table's row of the seed that the model was trained from.
static void agrees_with_table(Lesson *lesson, const Pooled *pooled, NamedRows rows)
{
    double apart = 0.0;
    for (int i = 0; i < pooled->count; i++) {
        int H = pooled->model[i].config.H, seed = H == 4 ? 4 : 1;                        // of the shipped models
        const char *name = arena_format(lesson->arena, "H = %d, G = %d, seed %d", H, pooled->model[i].config.G, seed);
        for (int r = 0; r < rows.values.rows; r++)
            if (!strcmp(rows.names[r], name))
                apart = fmax(apart, fabs(pooled->right[i] - (double)*mat_ref(rows.values, r, i % 2 ? FIRST : MEAN)));
    }
    check(lesson, apart < 0.04, "pooled here, the book's own two models are within 0.04 of their rows in the table");
}

static void groups_figure(Lesson *lesson, const Group *groups, int count, int H)
{
    static const char *const names[] = { "mean", "mean, then 5 %", "first", "first, then 5 %", "new",
                                         "new, then 5 %", "scratch, 5 %", "all steps" };
    static const int order[] = { WHOLE, MEAN_ON, FIRST_ON, NEW_ON, MEAN, FIRST, SHORT };
    enum { LINES = sizeof order / sizeof *order };
    double x[8], y[WAYS][8];
    int n = 0;
    for (int g = 0; g < count && n < 8; g++) {
        if (groups[g].H != H) continue;
        x[n] = H / groups[g].G;
        for (int w = 0; w < WAYS; w++) y[w][n] = groups[g].mean[w];
        n++;
    }
    Series series[LINES];
    for (int s = 0; s < LINES; s++)
        series[s] = (Series){ .name = names[order[s]], .x = x, .y = y[order[s]], .count = n,
                              .dashed = order[s] == SHORT };
    figure_plot(lesson, "pooling.png", "words glossed right, by how many query heads share a key head",
                (Plot){ .title = arena_format(lesson->arena, "%d query heads share their key heads", H),
                        .x_title = "query heads that share a key head, H / G", .y_title = "words glossed right",
                        .series = series, .count = LINES, .log_x = true, .y_low = 0,
                        .y_high = 1 });
}

static void turned_into_others(Lesson *lesson, const char *program, const char *folder, int steps)
{
    step(lesson, "Fewer key heads from a trained model");
    NamedRows rows;
    Error error;
    if (!shipped_rows(&rows, lesson->arena, program, folder, "groups.tsv", WAYS, &error)) lesson_fail(&error);
    Group groups[16];
    int count = groups_of(groups, 16, rows);
    Pooled pooled = pool_shipped(lesson, program);
    show_pooled(lesson, &pooled);
    show_groups(lesson, groups, count, rows);
    if (!folder) agrees_with_table(lesson, &pooled, rows);
    groups_figure(lesson, groups, count, 8);
    for (int i = 0; steps && i < pooled.count; i += 2) {
        Recipe recipe = short_recipe(0);
        recipe.steps = steps;
        Config config = pooled.model[i].config;
        if (config.G == config.H) continue;
        Transformer on = trained(lesson->arena, pooled.name[i], config, recipe, &pooled.model[i]);
        say(lesson, "%s, mean pooled, trained on here for %d steps: %.3f", pooled.name[i], steps,
            accuracy(on, SENTENCES));
    }
}

// ---- 5. What a token reads

// A cache of S keys and values as wide as G heads need, in memory that is there already.
static Mat cache_of(Mat memory, int S, int G, int d) { return (Mat){ memory.at, S, G * d, G * d }; }

typedef void Decode(Mat out, Mat q, Mat k, Mat v, int H, const Mask *masks);

static void decode_shared(Mat out, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    grouped_decode((Attended){ .out = out }, q, k, v, H, masks);
}

// The same head by head: each goes through the cache on its own, and fetches what the head before it has fetched.
static void decode_alone(Mat out, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    int d = q.cols / H, G = k.cols / d;
    for (int h = 0; h < H; h++)
        grouped_decode((Attended){ .out = mat_cols(out, h * d, d) }, mat_cols(q, h * d, d),
                       mat_cols(k, h / (H / G) * d, d), mat_cols(v, h / (H / G) * d, d), 1, &masks[h]);
}

// Chapter 15's: rows shared too, and the arithmetic no longer in the way.
static void decode_fast(Mat out, Mat q, Mat k, Mat v, int H, const Mask *masks)
{
    attention_fast_decode((Attended){ .out = out }, q, k, v, H, masks);
}

static void what_a_token_reads(Lesson *lesson)
{
    enum { H = 32, d = 128, S = 128, ROWS = 6 };
    step(lesson, "What a token reads");
    static const char *const cols[] = { "alone", "shared", "multiplies" }, *const lengths[] = { "4,096", "32,768" };
    const char *rows[ROWS];
    Mat q = random_mat(lesson, 1, H * d), k = random_mat(lesson, S, H * d), v = random_mat(lesson, S, H * d);
    Mat out = mat_new(lesson->arena, 1, H * d), one = mat_new(lesson->arena, 1, H * d),
        want = mat_new(lesson->arena, 1, H * d);
    Mat table = mat_new(lesson->arena, ROWS, 3), megabytes = mat_new(lesson->arena, ROWS, 2);
    Mask masks[H] = { { 0 } };
    double apart = 0.0;
    bool as_formula = true;
    for (int n = 0, G = H; G >= 1; n++, G /= 2) {
        Mat keys = cache_of(k, S, G, d), values = cache_of(v, S, G, d);
        Cost start = counted;
        decode_alone(one, q, keys, values, H, masks);
        int64_t alone = cost_since(start).reads;
        start = counted;
        decode_shared(out, q, keys, values, H, masks);
        Cost shared = cost_since(start);
        grouped_attend((Attended){ .out = want }, q, keys, values, H, masks, attention_naive);
        apart = fmax(apart, fmax(mat_max_difference(out, want), mat_max_difference(one, want)));
        as_formula = as_formula && alone == 2 * S * H * d + H * d && shared.reads == 2 * S * G * d + H * d
            && shared.multiplies == 2 * S * H * d;
        float values_of_row[] = { (float)alone, (float)shared.reads, (float)shared.multiplies };
        mat_set(mat_rows(table, n, 1), mat_of(lesson->arena, 1, 3, values_of_row));
        for (int l = 0; l < 2; l++)
            *mat_ref(megabytes, n, l) = (float)(4e-6 * (2.0 * (double)LENGTHS[l] * G * d + H * d));
        rows[n] = arena_format(lesson->arena, "G = %d", G);
    }
    show_table(lesson, (Table){ .name = "H = 32, d = 128, 128 keys: numbers read; multiplications",
                                .values = table, .rows = rows, .cols = cols, .decimals = -1 });
    check(lesson, apart < 1e-5, "all three give the same: grouped_attend, head by head, and a group at a time");
    check(lesson, as_formula,
          "counted: alone 2·S·H·d + H·d, shared 2·S·G·d + H·d; multiplications 2·S·H·d, whatever G");
    show_table(lesson, (Table){ .name = "MB read for a token in one layer, shared, in 32 bits, by keys",
                                .values = megabytes, .rows = rows, .cols = lengths });
    double fall = (double)(*mat_ref(megabytes, 0, 0) / *mat_ref(megabytes, ROWS - 1, 0));
    check(lesson, fall > 31.8 && fall < 32.0, "from G = 32 to G = 1 it falls by %.1f, not by 32: the queries stay",
          fall);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Median milliseconds of `rounds` tokens, for every G in turn: one table for one number of keys.
static void time_decoding(Lesson *lesson, Mat memory, int S, int rounds)
{
    enum { H = 32, d = 128, ROWS = 6, WAYS_TIMED = 3, ROUNDS_MOST = 100 };
    static Decode *const ways[] = { decode_alone, decode_shared, decode_fast };
    static const char *const cols[] = { "alone", "shared", "fall", "ch. 15", "fall", "H / G", "GB/s" };
    static double times[ROWS][WAYS_TIMED][ROUNDS_MOST];
    const char *rows[ROWS];
    Mat q = random_mat(lesson, 1, H * d), out = mat_new(lesson->arena, 1, H * d),
        table = mat_new(lesson->arena, ROWS, 7);
    Mask masks[H] = { { 0 } };
    threads_set(1);
    for (int r = -1; r < rounds; r++)                              // round −1 warms up
        for (int n = 0, G = H; n < ROWS; n++, G /= 2)
            for (int w = 0; w < WAYS_TIMED; w++) {
                Mat v = { memory.at + (ptrdiff_t)S * H * d, S, G * d, G * d };
                double start = seconds();
                ways[w](out, q, cache_of(memory, S, G, d), v, H, masks);
                if (r >= 0) times[n][w][r] = 1e3 * (seconds() - start);
            }
    for (int n = 0, G = H; n < ROWS; n++, G /= 2) {
        for (int w = 0; w < WAYS_TIMED; w++) qsort(times[n][w], (size_t)rounds, sizeof(double), by_size);
        double alone = times[n][0][rounds / 2], shared = times[n][1][rounds / 2], fast = times[n][2][rounds / 2];
        float row[] = { (float)alone, (float)shared, (float)(times[0][1][rounds / 2] / shared), (float)fast,
                        (float)(times[0][2][rounds / 2] / fast), (float)(H / G), (float)(8e-6 * S * G * d / fast) };
        mat_set(mat_rows(table, n, 1), mat_of(lesson->arena, 1, 7, row));
        rows[n] = arena_format(lesson->arena, "G = %d", G);
    }
    threads_set(0);
    const char *name = arena_format(lesson->arena, "%d keys: ms a token a layer, one thread, median of %d", S, rounds);
    show_table(lesson, (Table){ .name = name, .values = table, .rows = rows, .cols = cols });
    double most = times[0][1][rounds / 2], least = times[ROWS - 1][1][rounds / 2], each = (most - least) / (H - 1);
    say(lesson, "Shared: about %.2f ms for each key head, and %.2f ms that do not depend on G.", each, least - each);
}

static void time_it(Lesson *lesson, int rounds)
{
    enum { LONG = 32768, WIDTH = 32 * 128 };
    Mat memory = mat_new(lesson->arena, 2 * LONG, WIDTH);            // 1.07 GB
    for (int i = 0; i < memory.rows; i++)
        for (int c = 0; c < WIDTH; c++) *mat_ref(memory, i, c) = (float)((i * 31 + c * 17) % 97) / 97.0f - 0.5f;
    time_decoding(lesson, memory, 4096, rounds);
    time_decoding(lesson, memory, LONG, rounds);
}

int main(int argc, char **argv)
{
    const char *folder = NULL, *model = NULL;
    int steps = 0, rounds = 0;
    Flag flags[] = {
        { "model", FLAG_TEXT, &model, 0, 0, "a config.json of Hugging Face: adds its row in step 3" },
        { "train", FLAG_INT, &steps, 0, 2000, "step 4: train the pooled models on, here, for N steps (default 0)" },
        { "time", FLAG_INT, &rounds, 0, 100, "step 5: time N tokens of decoding; takes 1.1 GB of memory (default 0)" },
        { "retrain", FLAG_TEXT, &folder, 0, 0, "a folder: train all that step 4 compares anew, write the table there" },
    };
    Lesson lesson = lesson_open_with(argc, argv, 12, "MQA and GQA", flags, 4);
    Models models = all_models(&lesson, model);

    one_expression(&lesson);
    what_gets_smaller(&lesson);
    published_models(&lesson, &models);
    if (folder) retrain(&lesson, folder);
    turned_into_others(&lesson, argv[0], folder, steps);
    what_a_token_reads(&lesson);
    if (rounds) time_it(&lesson, rounds);
    return lesson_close(&lesson);
}
