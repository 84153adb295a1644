// Chapter 12, step 3. The caches of published models, from their sizes.
#include "steps.h"

#include <math.h>
#include <string.h>

static double gigabytes(const Sizes *s, int64_t tokens) { return (double)cache_bytes(s, tokens, 2) / 1e9; }

Models all_models(Lesson *lesson, const char *path)
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
    Rows sizes = rows_of(lesson, "sizes, and bytes of the cache a token, in 16 bits", shape, 5);
    Rows cache = rows_of(lesson, "the cache of one sequence, in GB, by its tokens", lengths, LENGTHS_COUNT);
    Mat hidden = mat_new(lesson->arena, n, 5), none = mat_new(lesson->arena, n, LENGTHS_COUNT);
    sizes.table.hidden = hidden;
    sizes.table.decimals = -1;
    cache.table.hidden = none;
    for (int i = 0; i < n; i++) {
        const Sizes *s = &models->at[i];
        rows_add(&sizes, ROW(s->L, s->H, s->G, s->d, (double)cache_bytes(s, 1, 2)), "%s, %s%s", s->name,
                 sizes_kind(s), s->window ? ", window" : "");
        *mat_ref(hidden, i, 2) = s->latent > 0;
        *mat_ref(hidden, i, 4) = s->role == ENCODER;
        mat_fill(mat_rows(none, i, 1), s->role == ENCODER ? 1.0f : 0.0f);
        double taken[LENGTHS_COUNT];
        for (int l = 0; l < LENGTHS_COUNT; l++) taken[l] = gigabytes(s, LENGTHS[l]);
        rows_add(&cache, taken, "%s", s->name);
    }
    show_rows(lesson, &sizes);
    show_rows(lesson, &cache);
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
                        .decimals = -1, .log = true, .width = 900, .height = 480 });
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

void published_models(Lesson *lesson, const Models *models)
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
