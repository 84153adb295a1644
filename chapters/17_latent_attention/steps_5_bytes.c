// Chapter 17, step 5. What published models keep, and what their heads would keep otherwise.
#include "base/portable_math.h"
#include "steps.h"

#include <string.h>

static const Sizes *named(const Sizes *book, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(book[i].name, name)) return &book[i];
    REQUIRE(false, "data/sizes.tsv has no %s", name);
    return NULL;
}

// The same model with G key heads of width d in the place of latents.
static int64_t with_heads(const Sizes *s, int G)
{
    Sizes other = *s;
    other.latent = other.rope = 0;
    other.G = G;
    return sizes_cache_bytes(&other, 1, 2);
}

void published_caches(Lesson *lesson)
{
    step(lesson, "The caches of DeepSeek-V2 and V3");
    static const char *const names[] = { "DeepSeek-V2 236B", "DeepSeek-V3 671B" }, *const shorts[] = { "V2", "V3" };
    static const char *const cols[] = { "layers", "H", "d", "c + dr", "MLA", "MHA", "GQA, 8", "MQA" };
    const Sizes *book, *v[2];
    int count = sizes_of_the_book(&book, lesson->arena);
    Rows table = rows_of(lesson, "bytes a token, in 16 bits, and what other kinds would take", cols, 8);
    table.table.decimals = -1;
    for (int m = 0; m < 2; m++) {
        v[m] = named(book, count, names[m]);
        rows_add(&table,
                 ROW(v[m]->L, v[m]->H, v[m]->d, v[m]->latent + v[m]->rope, (double)sizes_cache_bytes(v[m], 1, 2),
                     (double)with_heads(v[m], v[m]->H), (double)with_heads(v[m], 8), (double)with_heads(v[m], 1)),
                 "%s", shorts[m]);
    }
    show_rows(lesson, &table);
    check(lesson, sizes_cache_bytes(v[0], 1, 2) == 69120 && sizes_cache_bytes(v[1], 1, 2) == 70272,
          "60 · 576 · 2 = %d bytes, 61 · 576 · 2 = %d", (int)sizes_cache_bytes(v[0], 1, 2),
          (int)sizes_cache_bytes(v[1], 1, 2));
    double less = (double)with_heads(v[0], v[0]->H) / (double)sizes_cache_bytes(v[0], 1, 2);
    check(lesson, less > 56 && less < 57, "MHA with the same heads would take %.1f times as much", less);
    double groups = (double)sizes_layer_numbers(v[0]) / (2.0 * v[0]->d);
    check(lesson, groups == 2.25,
          "(512 + 64) / (2 · 128): as much as GQA with %.2f key heads, and 128 different ones "
          "are made of it",
          groups);

    // DeepSeek 67B is GQA with 8 key heads of 128 in 95 layers; V2's cache was measured in 6 bits.
    double before = 95 * 2.0 * 8 * 128 * 2, six = (double)sizes_cache_bytes(v[0], 1, 1) * 6 / 8;
    check(lesson, fabs(100 * (1 - six / before) - 93.3) < 0.05,
          "against DeepSeek 67B in 16 bits: %.1f %% less in 16 bits, %.1f %% less in V2's own 6",
          100 * (1 - (double)sizes_cache_bytes(v[0], 1, 2) / before), 100 * (1 - six / before));
}
