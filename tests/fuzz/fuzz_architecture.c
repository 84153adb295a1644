// Any bytes as the config.json of a published model: an Architecture whose numbers fit together and whose frequencies
// can be computed, or one sentence that begins with the name.
#include "base/portable_math.h"
#include "fuzz/mutate.h"
#include "io/file.h"
#include "model/family.h"

MUTATED_BY(mutate_json)

static void check(Arena *arena, const Architecture *a)
{
    if (a->words < 1 || a->D < 1 || a->L < 1 || a->H < 1 || a->G < 1 || a->H % a->G || a->d < 1 || a->mlp < 1) abort();
    if (!(a->eps >= 0.0) || !(a->score_scale > 0.0) || !(a->embedding_scale >= 1.0) || a->kinds < 0) abort();
    if (a->activation >= ACTIVATION_KINDS || a->stretch.kind >= ROPE_SCALING_KINDS) abort();
    for (int l = 0; l < a->L; l++)
        if (a->window[l] < 0) abort();
    if (a->places == FAMILY_POSITIONS_LEARNED && (a->positions < 1 || a->first_place < 0)) abort();
    if (a->padding >= 0 && a->padding >= a->first_place) abort();
    if (a->places != FAMILY_POSITIONS_ROPE && a->places != FAMILY_POSITIONS_ROPE_PAIRS) return;
    if (a->turned < 1 || 2 * ((a->turned + 1) / 2) > a->d || !(a->stretch.attention > 0.0)) abort();
    Mat f = mat_new(arena, 1, (a->turned + 1) / 2);
    rope_frequencies(f, a->rope_base, a->turned, &a->stretch, a->positions, 100);
}

FUZZ(600)
{
    Architecture a;
    Json *config;
    if (!json_parse(&config, arena, (const char *)file.at, file.size, "fuzz", error)) return true;
    if (!architecture_parse(&a, arena, config, "fuzz", error)) return false;
    check(arena, &a);
    return true;
}
