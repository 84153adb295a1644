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

static PretrainedModel *opened(const char *folder)
{
    PretrainedModel *m;
    Error error = { .text = "" };
    bool ok = pretrained_open(&m, arena, folder, &error);
    ck_assert_msg(ok, "%s", error.text);
    return m;
}

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

static void norm_kind(Turned *t)
{
    t->is.norm = t->is.norm == FAMILY_NORM_RMS ? FAMILY_NORM_RMS_PLUS_ONE : FAMILY_NORM_RMS;
}
static void eps(Turned *t) { t->is.eps = t->is.eps < 1e-9 ? 1e-5 : 100.0 * t->is.eps; }
static void causal(Turned *t) { t->is.causal = !t->is.causal; }
static void no_places(Turned *t) { t->is.places = FAMILY_POSITIONS_NONE; }
static void pairs(Turned *t)
{
    if (t->is.places == FAMILY_POSITIONS_ROPE) t->is.places = FAMILY_POSITIONS_ROPE_PAIRS;
    else if (t->is.places == FAMILY_POSITIONS_ROPE_PAIRS) t->is.places = FAMILY_POSITIONS_ROPE;
    else t->is.places = FAMILY_POSITIONS_ALIBI;
}
static void first_place(Turned *t) { t->is.first_place += t->is.places == FAMILY_POSITIONS_LEARNED; }
static void one_place_less(Turned *t)
{
    if (t->is.places != FAMILY_POSITIONS_LEARNED || t->is.first_place == 0) return;
    t->is.first_place--;
    t->is.positions++;
}
static void fillers_count(Turned *t) { t->is.padding = -1; }
static void base(Turned *t) { t->is.rope_base *= 0.9; }
static void turned_part(Turned *t)
{
    if (t->is.turned > 1) t->is.turned = t->is.turned == t->is.d ? t->is.d / 2 : t->is.d;
    if (t->is.stretch.kind == ROPE_SCALING_LONGROPE) t->is.stretch.kind = ROPE_SCALING_NONE;
}
static void no_stretch(Turned *t) { t->is.stretch.kind = ROPE_SCALING_NONE; }
static void stretch_factor(Turned *t)
{
    if (t->is.stretch.kind % ROPE_SCALING_LONGROPE) t->is.stretch.factor *= 1.5;
}
static void turns_length(Turned *t)
{
    if (t->is.turned > 0) t->is.stretch.attention *= 1.1;
}
static void parallel(Turned *t) { t->is.parallel = !t->is.parallel; }
static void gated(Turned *t) { t->is.gated = !t->is.gated; }
static void tied(Turned *t)
{
    if (t->is.head) t->is.tied = !t->is.tied;
}
static void packing(Turned *t)
{
    if (t->is.packing == FAMILY_PACKED_BLOCK) t->is.packing = FAMILY_PACKED_GROUP;
    else if (t->is.packing == FAMILY_PACKED_GROUP) t->is.packing = FAMILY_PACKED_BLOCK;
}
static void activation(Turned *t) { t->is.activation = (Activation)((t->is.activation + 1) % ACTIVATION_KINDS); }
static void activation_back(Turned *t) { t->is.activation = (Activation)((t->is.activation + 3) % ACTIVATION_KINDS); }
static void embedding_scale(Turned *t) { t->is.embedding_scale = t->is.embedding_scale == 1.0 ? 4.0 : 1.0; }
static void score_scale(Turned *t) { t->is.score_scale *= 1.05; }
static void score_by_layer(Turned *t)
{
    if (t->is.L > 1) t->is.score_by_layer = !t->is.score_by_layer;
}
static void score_cap(Turned *t) { t->is.score_cap = t->is.score_cap > 0.0 ? 0.0 : 3.0; }
static void logit_cap(Turned *t)
{
    if (t->is.head) t->is.logit_cap = t->is.logit_cap > 0.0 ? 0.0 : 3.0;
}
static void no_window(Turned *t) { memset(t->window, 0, sizeof t->window); }
static void longer_window(Turned *t)
{
    for (int l = 0; l < t->is.L; l++) t->window[l] += t->window[l] > 0;
}
static void window_everywhere(Turned *t)
{
    for (int l = 0; l < t->is.L; l++) t->window[l] = 3;
}
static void other_layers(Turned *t)
{
    int first = t->window[0];
    for (int l = 0; l + 1 < t->is.L; l++) t->window[l] = t->window[l + 1];
    t->window[t->is.L - 1] = first;
}
static void columns(Turned *t) { t->family.columns = !t->family.columns; }

typedef struct {
    const char *name;
    void (*turn)(Turned *t);
} Switch;
// clang-format off
static const Switch switches[] = {
    { "norm", norm_kind }, { "eps", eps }, { "causal", causal }, { "no places", no_places }, { "pairs", pairs },
    { "first place", first_place }, { "one place less", one_place_less }, { "fillers count", fillers_count },
    { "base", base }, { "turned", turned_part }, { "no stretch", no_stretch }, { "stretch factor", stretch_factor },
    { "length of turns", turns_length }, { "parallel", parallel }, { "gated", gated }, { "tied", tied },
    { "packing", packing }, { "activation", activation }, { "activation back", activation_back },
    { "embedding scale", embedding_scale }, { "score scale", score_scale }, { "score by layer", score_by_layer },
    { "score cap", score_cap }, { "logit cap", logit_cap }, { "no window", no_window },
    { "longer window", longer_window }, { "window everywhere", window_everywhere }, { "other layers", other_layers },
    { "columns", columns },
};
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
