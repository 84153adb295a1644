// lib/model/pretrained.c and pretrained_run.c: small models of every family, held to what the common library computes
// with them (data/reference/published.py), layer by layer; and every switch turned, which these vectors must notice.
#include "model/pretrained_run.h"

#include "support/published.h"
#include "support/reference.h"
#include "support/suite.h"

#include <string.h>

static const PublishedCase *cases;
static int count;
static void setup(void) { count = published_cases(&cases, arena); }
FIXTURE(setup, NULL);

static PretrainedModel *opened(const char *folder) { return published_open(arena, folder); }

// ---- the vectors

static void agree(bool plain)
{
    char why[200];
    ck_assert_int_ge(count, 50);
    for (int n = 0; n < count; n++) {
        Arena *scratch = arena_open();
        PretrainedModel *m = opened(cases[n].folder);
        PretrainedRun run = pretrained_run(scratch, m, published_case_input(&cases[n], plain), NULL, NULL);
        bool ok = published_case_agrees(why, sizeof why, &cases[n], &run);
        ck_assert_msg(ok, "%s", why);
        ck_assert_int_eq(m->is.head, mat_empty(cases[n].last));
        pretrained_close(m);
        arena_close(scratch);
    }
}

TEST(every_case_plain) { agree(true); }

TEST(every_case_fast) { agree(false); }

TEST(every_family_has_a_case)
{
    for (int f = 0; f < family_count; f++) {
        bool found = false;
        for (int n = 0; n < count && !found; n++) {
            Architecture is;
            ck_assert(pretrained_config(&is, arena, cases[n].folder, NULL));
            found = is.family == &family_table[f];
        }
        ck_assert_msg(found, "no case is of the family %s", family_table[f].name);
    }
}

// ---- every switch, turned

typedef struct {
    Architecture is;
    Family family;
    FamilyTensorNames names;
    int window[16];
} Turned;

// Each of these changes one field of the table, where it can.
// clang-format off
#define EVERY_SWITCH(X) \
    X(norm, a->norm = a->norm == FAMILY_NORM_RMS ? FAMILY_NORM_RMS_PLUS_ONE : FAMILY_NORM_RMS) \
    X(eps, a->eps = a->eps < 1e-9 ? 1e-5 : 100.0 * a->eps) \
    X(causal, a->causal = !a->causal) \
    X(no_places, a->places = FAMILY_POSITIONS_NONE) \
    X(pairs, a->places = a->places == FAMILY_POSITIONS_ROPE ? FAMILY_POSITIONS_ROPE_PAIRS \
                       : a->places == FAMILY_POSITIONS_ROPE_PAIRS ? FAMILY_POSITIONS_ROPE : FAMILY_POSITIONS_ALIBI) \
    X(first_place, a->first_place += a->places == FAMILY_POSITIONS_LEARNED) \
    X(one_place_less, if (a->places == FAMILY_POSITIONS_LEARNED && a->first_place) a->first_place--, a->positions++) \
    X(fillers_count, a->padding = -1) \
    X(base, a->rope_base *= 0.9) \
    X(turned, if (a->turned > 1) a->turned = a->turned == a->d ? a->d / 2 : a->d; \
              if (a->stretch.kind == ROPE_SCALING_LONGROPE) a->stretch.kind = ROPE_SCALING_NONE) \
    X(no_stretch, a->stretch.kind = ROPE_SCALING_NONE) \
    X(stretch_factor, if (a->stretch.kind % ROPE_SCALING_LONGROPE) a->stretch.factor *= 1.5) \
    X(turns_length, if (a->turned > 0) a->stretch.attention *= 1.1) \
    X(parallel, a->parallel = !a->parallel) \
    X(gated, a->gated = !a->gated) \
    X(tied, if (a->head) a->tied = !a->tied) \
    X(packing, a->packing = a->packing == FAMILY_PACKED_BLOCK ? FAMILY_PACKED_GROUP \
                          : a->packing == FAMILY_PACKED_GROUP ? FAMILY_PACKED_BLOCK : a->packing) \
    X(activation, a->activation = (Activation)((a->activation + 1) % ACTIVATION_KINDS)) \
    X(activation_back, a->activation = (Activation)((a->activation + 3) % ACTIVATION_KINDS)) \
    X(embedding_scale, a->embedding_scale = a->embedding_scale == 1.0 ? 4.0 : 1.0) \
    X(score_scale, a->score_scale *= 1.05) \
    X(score_by_layer, if (a->L > 1) a->score_by_layer = !a->score_by_layer) \
    X(score_cap, a->score_cap = a->score_cap > 0.0 ? 0.0 : 3.0) \
    X(logit_cap, if (a->head) a->logit_cap = a->logit_cap > 0.0 ? 0.0 : 3.0) \
    X(no_window, memset(t->window, 0, sizeof t->window)) \
    X(longer_window, for (int l = 0; l < a->L; l++) t->window[l] += t->window[l] > 0) \
    X(window_everywhere, for (int l = 0; l < a->L; l++) t->window[l] = 3) \
    X(other_layers, int first = t->window[0]; for (int l = 0; l + 1 < a->L; l++) t->window[l] = t->window[l + 1]; \
                    t->window[a->L - 1] = first) \
    X(columns, t->family.columns = !t->family.columns)
#define FUNCTION(name_, ...) \
    static void turn_##name_(Turned *t) { Architecture *a = &t->is; (void)a; __VA_ARGS__; }
#define ROW(name_, ...) { #name_, turn_##name_ },
EVERY_SWITCH(FUNCTION)
static const struct {
    const char *name;
    void (*turn)(Turned *t);
} switches[] = { EVERY_SWITCH(ROW) };
// clang-format on
enum { SWITCHES = sizeof switches / sizeof *switches, NAMES = sizeof(FamilyTensorNames) / sizeof(char *) };

static Turned turned_of(const PublishedCase *c)
{
    Turned t;
    ck_assert(pretrained_config(&t.is, arena, c->folder, NULL));
    ck_assert_int_le(t.is.L, 16);
    t.family = *t.is.family;
    t.names = *t.family.names;
    memset(t.window, 0, sizeof t.window);
    memcpy(t.window, t.is.window, (size_t)t.is.L * sizeof(int));
    return t;
}

static bool same_turned(const Turned *a, const Turned *b)
{
    return !memcmp(&a->is, &b->is, sizeof a->is) && !memcmp(a->window, b->window, sizeof a->window) &&
           !memcmp(&a->names, &b->names, sizeof a->names) && a->family.columns == b->family.columns;
}

// Does the folder refuse to open so, or does the run differ?
static bool noticed(const PublishedCase *c, Turned *t)
{
    char why[200];
    PretrainedModel *m;
    Error error = { .text = "" };
    Arena *scratch = arena_open();
    t->family.names = &t->names;
    t->is.family = &t->family;
    t->is.window = t->window;
    bool ok = pretrained_open_as(&m, scratch, c->folder, &t->is, &error);
    if (ok) {
        PretrainedRun run = pretrained_run(scratch, m, published_case_input(c, true), NULL, NULL);
        ok = published_case_agrees(why, sizeof why, c, &run);
        pretrained_close(m);
    }
    arena_close(scratch);
    return !ok;
}

// Of each family in turn: whatever a switch changes in one of its cases, one of its cases must show.
static void switches_of(const Family *family)
{
    for (int s = 0; s < SWITCHES; s++) {
        bool changes = false, shows = false;
        for (int n = 0; n < count && !shows; n++) {
            Turned before = turned_of(&cases[n]), t = before;
            if (before.is.family != family) continue;
            switches[s].turn(&t);
            if (same_turned(&t, &before)) continue;
            changes = true;
            shows = noticed(&cases[n], &t);
        }
        ck_assert_msg(!changes || shows, "%s: nobody notices the switch \"%s\"", family->name, switches[s].name);
    }
}

TEST_EACH(every_switch_shows, family_count) { switches_of(&family_table[_i]); }

// A name that the table had not would be a norm, a bias or a packed matrix left out. Names of what lies outside the
// layers are tried only where something else hangs on them.
static bool tried_name(const Turned *t, int i)
{
    const char *const *name = (const char *const *)(const void *)&t->names + i;
    const FamilyTensorNames *n = &t->names;
    return *name && name != &n->output && name != &n->output_bias && name != &n->head_dense && name != &n->head_norm &&
           name != &n->embedding && name != &n->o;
}

static void names_of(const Family *family)
{
    for (int i = 0; i < NAMES; i++) {
        bool changes = false, shows = false;
        for (int n = 0; n < count && !shows; n++) {
            Turned t = turned_of(&cases[n]);
            if (t.is.family != family || !tried_name(&t, i)) continue;
            const char **name = (const char **)(void *)&t.names + i;
            if (name == &t.names.places) t.is.places = FAMILY_POSITIONS_NONE;
            *name = NULL;
            changes = true;
            shows = noticed(&cases[n], &t);
        }
        ck_assert_msg(!changes || shows, "%s: nobody misses name %d of its table", family->name, i);
    }
}

TEST_EACH(every_name_shows, family_count) { names_of(&family_table[_i]); }
