// The scene: which heads are wanted, whose turn it is, and what is kept.
#include "viz/look.h"

#include "base/measure.h"

#include <stdlib.h>

// Levels of so many heads are kept: of two that are held against each other, and of the one before them.
enum { KEPT = 3 };

typedef struct {
    Arena *arena; // NULL: never used
    int layer, head;
    long wanted; // the call that wanted it last
    LevelsWork work;
    Levels levels;
    bool ready;
} Slot;

struct Scene {
    Arena *own, *arena;      // of the scene itself; of the looks, NULL: no document has been seen
    int layers, heads, T, S; // of the document
    HeadLook *looks;         // (layers · heads)
    int looks_ready;
    LookWork work;
    int begun; // the head, layer · heads + head, whose look is not complete; −1: none
    Slot slots[KEPT];
    long calls;
};

// ---- memory

Scene *scene_open(void)
{
    Arena *own = arena_open();
    Scene *scene = arena_alloc(own, sizeof *scene);
    scene->own = own;
    return scene;
}

void scene_forget(Scene *scene)
{
    for (int n = 0; n < KEPT; n++) arena_close(scene->slots[n].arena);
    arena_close(scene->arena);
    *scene = (Scene){ .own = scene->own };
}

void scene_close(Scene *scene)
{
    if (!scene) return;
    scene_forget(scene);
    arena_close(scene->own);
}

static void meet(Scene *scene, const Document *d)
{
    if (!scene->arena) {
        scene->arena = arena_open();
        scene->layers = d->layers;
        scene->heads = d->heads;
        scene->T = d->T;
        scene->S = d->S;
        scene->looks = arena_alloc(scene->arena, (size_t)d->layers * (size_t)d->heads * sizeof *scene->looks);
        scene->work = look_open(scene->arena, d);
        scene->begun = -1;
    }
    REQUIRE(scene->layers == d->layers && scene->heads == d->heads && scene->T == d->T && scene->S == d->S,
            "the document has %d × %d maps " MAT_SHAPE ", the one before had %d × %d " MAT_SHAPE
            " and was not forgotten",
            d->layers, d->heads, d->T, d->S, scene->layers, scene->heads, scene->T, scene->S);
}

// ---- levels

static Slot *slot_of(Scene *scene, int layer, int head)
{
    for (int n = 0; n < KEPT; n++) {
        Slot *slot = &scene->slots[n];
        if (slot->arena && slot->layer == layer && slot->head == head) return slot;
    }
    return NULL;
}

// The slot of a wanted head. One that has none takes that which was wanted the longest time ago, with its memory.
static Slot *slot_for(Scene *scene, const Document *d, int layer, int head)
{
    Slot *slot = slot_of(scene, layer, head);
    if (slot) return slot;
    slot = &scene->slots[0];
    for (int n = 1; n < KEPT; n++)
        if (scene->slots[n].wanted < slot->wanted) slot = &scene->slots[n];
    if (!slot->arena) {
        slot->arena = arena_open();
        slot->work = levels_open(slot->arena, d);
    }
    slot->layer = layer;
    slot->head = head;
    slot->ready = false;
    slot->wanted = scene->calls;
    levels_begin(&slot->work, layer, head);
    return slot;
}

// One step on the levels of the wanted heads. false: there is none to take.
static bool step_levels(Scene *scene, const Document *d, Wanted wanted)
{
    for (int n = 0; n < 2; n++) {
        if (wanted.head[n] < 0) continue;
        Slot *slot = slot_for(scene, d, wanted.layer[n], wanted.head[n]);
        if (slot->ready) continue;
        slot->ready = levels_step(&slot->work, slot->arena);
        if (slot->ready) slot->levels = levels_kept(&slot->work);
        return true;
    }
    return false;
}

// ---- looks

// The head whose look comes next; −1: there is none to make. What is begun comes to its end first: that is soon.
static int next_look(const Scene *scene, Wanted wanted)
{
    if (scene->begun >= 0) return scene->begun;
    for (int n = 0; n < 2; n++) {
        int at = wanted.layer[n] * scene->heads + wanted.head[n];
        if (wanted.head[n] >= 0 && !scene->looks[at].ready) return at;
    }
    if (!wanted.all || scene->looks_ready == scene->layers * scene->heads) return -1;
    int at = 0;
    while (scene->looks[at].ready) at++;
    return at;
}

static bool step_looks(Scene *scene, Wanted wanted)
{
    int at = next_look(scene, wanted);
    if (at < 0) return false;
    if (scene->begun < 0) look_begin(&scene->work, scene->arena, at / scene->heads, at % scene->heads);
    bool done = look_step(&scene->work);
    scene->begun = done ? -1 : at;
    if (done) {
        scene->looks[at] = scene->work.look;
        scene->looks_ready++;
    }
    return true;
}

bool scene_prepare(Scene *scene, const Document *d, Wanted wanted, double seconds)
{
    for (int n = 0; n < 2; n++) {
        int layer = wanted.layer[n], head = wanted.head[n];
        REQUIRE(head < 0 || (head < d->heads && 0 <= layer && layer < d->layers),
                "head %d of layer %d is wanted of %d × %d", head, layer, d->layers, d->heads);
    }
    double end = measure_clock_wall() + seconds;
    meet(scene, d);
    scene->calls++;
    for (int n = 0; n < 2; n++) {
        Slot *slot = slot_of(scene, wanted.layer[n], wanted.head[n]);
        if (slot) slot->wanted = scene->calls;
    }
    do
        if (!step_levels(scene, d, wanted) && !step_looks(scene, wanted)) return true;
    while (measure_clock_wall() < end);
    return false;
}

// ---- what draw reads

const Levels *scene_levels(const Scene *scene, int layer, int head)
{
    for (int n = 0; n < KEPT; n++) {
        const Slot *slot = &scene->slots[n];
        if (slot->ready && slot->layer == layer && slot->head == head) return &slot->levels;
    }
    return NULL;
}

const Levels *scene_levels_so_far(const Scene *scene, int layer, int head, int *rows)
{
    for (int n = 0; n < KEPT; n++) {
        const Slot *slot = &scene->slots[n];
        *rows = slot->work.band.next;
        if (slot->arena && !slot->ready && slot->layer == layer && slot->head == head && *rows)
            return &slot->work.levels;
    }
    *rows = 0;
    return NULL;
}

const HeadLook *scene_look(const Scene *scene, int layer, int head)
{
    static const HeadLook none = { 0 };
    if (!scene->arena) return &none;
    REQUIRE(0 <= layer && layer < scene->layers && 0 <= head && head < scene->heads, "head %d of layer %d of %d × %d",
            head, layer, scene->layers, scene->heads);
    return &scene->looks[layer * scene->heads + head];
}

int scene_looks_ready(const Scene *scene) { return scene->looks_ready; }

typedef struct {
    double value;
    int head;
} Ranked;

static int by_value(const void *one, const void *other)
{
    const Ranked *a = one, *b = other;
    if (isnan(a->value) != isnan(b->value)) return isnan(a->value) ? 1 : -1;
    if (a->value != b->value && !isnan(a->value)) return a->value > b->value ? -1 : 1;
    return a->head - b->head;
}

void order_by(int *order, const double *values, int count)
{
    Arena *scratch = arena_open();
    Ranked *ranked = arena_alloc(scratch, (size_t)count * sizeof *ranked);
    for (int n = 0; n < count; n++) ranked[n] = (Ranked){ values[n], n };
    qsort(ranked, (size_t)count, sizeof *ranked, by_value);
    for (int n = 0; n < count; n++) order[n] = ranked[n].head;
    arena_close(scratch);
}

void scene_order(int *order, const Scene *scene, const Document *d, int look)
{
    REQUIRE(-1 <= look && look < LOOKS, "look %d of %d", look, (int)LOOKS);
    int count = d->layers * d->heads;
    Arena *scratch = arena_open();
    double *values = arena_alloc(scratch, (size_t)count * sizeof *values);
    for (int n = 0; n < count; n++) {
        const HeadLook *of = scene_look(scene, n / d->heads, n % d->heads);
        values[n] = look >= 0 && of->ready ? of->looks[look] : (double)NAN;
    }
    order_by(order, values, count);
    arena_close(scratch);
}
