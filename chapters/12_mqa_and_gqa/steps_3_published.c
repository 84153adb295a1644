// Chapter 12, step 3. The caches of published models, from their sizes.
#include "base/portable_math.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

static double bytes_of(const Sizes *s, int64_t tokens, int bits)
{
    return (double)sizes_cache_bytes(s, tokens, 1) * bits / 8;
}

static double gigabytes(const Sizes *s, int64_t tokens) { return bytes_of(s, tokens, 16) / 1e9; }

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

static void show_sizes(Lesson *lesson, const Models *models, int bits, double memory)
{
    static const char *const shape[] = { "layers", "H", "G", "d", "bytes", "fit" }, *const lengths[] = { "4,096",
                                                                                                         "32,768",
                                                                                                         "131,072" };
    int n = models->count;
    const char *title = "bytes a token, in %d bits; tokens that fit into %g GB";
    Rows sizes = rows_of(lesson, arena_format(lesson->arena, title, bits, memory), shape, 6);
    Rows cache = rows_of(lesson, "the cache of one sequence, in GB, by its tokens", lengths, LENGTHS_COUNT);
    Mat hidden = mat_new(lesson->arena, n, 6), none = mat_new(lesson->arena, n, LENGTHS_COUNT);
    sizes.table.hidden = hidden;
    sizes.table.decimals = -1;
    sizes.table.given = true; // the sizes are; the GB below are worth a guess
    cache.table.hidden = none;
    for (int i = 0; i < n; i++) {
        const Sizes *s = &models->at[i];
        double token = bytes_of(s, 1, bits);
        rows_add(&sizes, ROW(s->L, s->H, s->G, s->d, token, token > 0 ? floor(1e9 * memory / token) : 0), "%s, %s%s",
                 s->name, sizes_kind(s), s->window ? ", window" : "");
        *mat_ref(hidden, i, 2) = s->latent > 0;
        *mat_ref(hidden, i, 4) = s->role == SIZES_ENCODER;
        *mat_ref(hidden, i, 5) = s->role == SIZES_ENCODER || s->window > 0;
        mat_fill(mat_rows(none, i, 1), s->role == SIZES_ENCODER ? 1.0f : 0.0f);
        double taken[LENGTHS_COUNT];
        for (int l = 0; l < LENGTHS_COUNT; l++) taken[l] = bytes_of(s, LENGTHS[l], bits) / 1e9;
        rows_add(&cache, taken, "%s", s->name);
    }
    show_rows(lesson, &sizes);
    show_rows(lesson, &cache);
}

// How many 10⁹ weights, as the name says: "LLaMA 2 70B". GPT-2's sizes have names of their own. 0: not known.
static double billions(const char *name)
{
    if (!strcmp(name, "GPT-2 small")) return 0.124;
    if (!strcmp(name, "GPT-2 XL")) return 1.5;
    const char *last = strrchr(name, ' ');
    char *end;
    double size = last ? strtod(last, &end) : 0.0;
    return last && *end == 'B' ? size : 0.0;
}

typedef struct {
    double x[MODELS_MOST], y[MODELS_MOST];
    const char *names[MODELS_MOST];
    int count;
} Dots;

// In the order of x. A model near one that is there already has its name added to that one's.
static void add_dot(Lesson *lesson, Dots *to, const Sizes *s)
{
    double x = billions(s->name), y = bytes_of(s, 1, 16) / 1e3;
    const char *name = s->name;
    for (int i = 0; i < to->count && name; i++) {
        if (fabs(log(x / to->x[i])) > 1.2 || fabs(log(y / to->y[i])) > 0.15 || !to->names[i]) continue;
        to->names[i] = arena_format(lesson->arena, "%s, %s", to->names[i], s->name);
        name = NULL;
    }
    int at = to->count++;
    for (; at > 0 && to->x[at - 1] > x; at--) {
        to->x[at] = to->x[at - 1];
        to->y[at] = to->y[at - 1];
        to->names[at] = to->names[at - 1];
    }
    to->x[at] = x;
    to->y[at] = y;
    to->names[at] = name;
}

static void caches_figure(Lesson *lesson, const Models *models)
{
    static const char *const names[] = { "MHA", "GQA", "MQA", "MLA" };
    static Dots kinds[4];
    PlotSeries series[4];
    int count = 0;
    for (int k = 0; k < 4; k++) kinds[k].count = 0;
    for (int i = 0; i < models->count; i++) {
        const Sizes *s = &models->at[i];
        if (s->role != SIZES_DECODER || billions(s->name) <= 0) continue;
        for (int k = 0; k < 4; k++)
            if (!strcmp(sizes_kind(s), names[k])) add_dot(lesson, &kinds[k], s);
    }
    for (int k = 0; k < 4; k++)
        if (kinds[k].count)
            series[count++] = (PlotSeries){ .name = names[k],
                                            .x = kinds[k].x,
                                            .y = kinds[k].y,
                                            .count = kinds[k].count,
                                            .dots = true,
                                            .labels = kinds[k].names };
    figure_plot(lesson, "caches.png", "what a token takes, by the size of the model and by kind",
                (Plot){ .title = "What the cache keeps of a token",
                        .x_title = "weights of the model, in 10⁹",
                        .y_title = "KB a token, in 16 bits",
                        .series = series,
                        .count = count,
                        .log_x = true,
                        .log_y = true,
                        .width = 900,
                        .height = 480 });
}

static void say_own(Lesson *lesson, const Sizes *s)
{
    static const char *const roles[] = { "an encoder", "a decoder", "the decoder of two halves" };
    const char *heads = arena_format(lesson->arena, "%d key head%s of %d", s->G, s->G == 1 ? "" : "s", s->d);
    if (s->latent) heads = arena_format(lesson->arena, "a latent of %d + %d", s->latent, s->rope);
    say(lesson, "%s: %s, %d layers, %d query heads, %s: %s, %lld bytes a token.", s->name, roles[s->role], s->L, s->H,
        heads, sizes_kind(s), (long long)sizes_cache_bytes(s, 1, 2));
    if (s->window) say(lesson, "A window of %d tokens in %d of its %d layers.", s->window, s->windowed, s->L);
}

void published_models(Lesson *lesson, const Models *models, int bits, double memory)
{
    step(lesson, "The caches of published models");
    const char *width = bits < 8 ? "1/2" : arena_format(lesson->arena, "%d", bits / 8);
    say(lesson,
        "bytes = layers · 2 · G · d · tokens · %s; with MLA, layers · (512 + 64) · tokens · %s. A GB is "
        "1,000,000,000 bytes.%s",
        width, width, bits == 16 ? "" : " What is claimed below is said of 16 bits.");
    show_sizes(lesson, models, bits, memory);
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
    check(lesson, sizes_cache_bytes(&mistral, 131072, 2) == sizes_cache_bytes(&mistral, 4096, 2),
          "Mistral 7B, with its window of 4,096: %.2f GB, and never more", gigabytes(&mistral, 131072));
    int64_t kept = sizes_layer_numbers(&v2), mha = 2 * (int64_t)v2.H * v2.d;
    check(lesson, kept == 576,
          "DeepSeek-V2 keeps %d + %d = %d numbers of a token in a layer; keys and values of its "
          "%d heads would be %d",
          v2.latent, v2.rope, (int)kept, v2.H, (int)mha);
    caches_figure(lesson, models);
    const Sizes *last = &models->at[models->count - 1];
    if (!strncmp(last->name, "yours", 5)) say_own(lesson, last);
}
