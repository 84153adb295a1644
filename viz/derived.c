// Which heads are computed next, and what is kept.
#include "viz/derived.h"

#include "base/measure.h"

#include <stdlib.h>

// Pyramids are kept of this many heads: two that are compared, and the one before them.
enum { KEPT = 3 };

typedef struct {
    Arena *arena; // NULL: unused
    int layer, head;
    long wanted; // the last call that wanted it
    PyramidWork work;
    Pyramid pyramid;
    bool ready;
} Slot;

struct Derived {
    Arena *own, *arena;      // of the cache itself; of the summaries, NULL: no document yet
    int layers, heads, T, S; // of the document
    HeadSummary *summaries;  // (layers · heads)
    int summaries_ready;
    SummaryWork work;
    int begun; // the head whose summary is in progress; −1: none
    Slot slots[KEPT];
    long calls;
};

// ---- memory

Derived *derived_open(void)
{
    Arena *own = arena_open();
    Derived *derived = arena_alloc(own, sizeof *derived);
    derived->own = own;
    return derived;
}

void derived_forget(Derived *derived)
{
    for (int n = 0; n < KEPT; n++) arena_close(derived->slots[n].arena);
    arena_close(derived->arena);
    *derived = (Derived){ .own = derived->own };
}

void derived_close(Derived *derived)
{
    if (!derived) return;
    derived_forget(derived);
    arena_close(derived->own);
}

static void meet(Derived *derived, const Document *d)
{
    if (!derived->arena) {
        derived->arena = arena_open();
        derived->layers = d->layers;
        derived->heads = d->heads;
        derived->T = d->T;
        derived->S = d->S;
        derived->summaries =
            arena_alloc(derived->arena, (size_t)d->layers * (size_t)d->heads * sizeof *derived->summaries);
        derived->work = summary_open(derived->arena, d);
        derived->begun = -1;
    }
    REQUIRE(derived->layers == d->layers && derived->heads == d->heads && derived->T == d->T && derived->S == d->S,
            "the document has %d × %d maps " MAT_SHAPE ", the one before had %d × %d " MAT_SHAPE
            " and was not forgotten",
            d->layers, d->heads, d->T, d->S, derived->layers, derived->heads, derived->T, derived->S);
}

// ---- pyramids

static Slot *slot_of(Derived *derived, int layer, int head)
{
    for (int n = 0; n < KEPT; n++) {
        Slot *slot = &derived->slots[n];
        if (slot->arena && slot->layer == layer && slot->head == head) return slot;
    }
    return NULL;
}

// The slot of a head. A new head takes over the slot, with its memory, that was not wanted for the longest time.
static Slot *slot_for(Derived *derived, const Document *d, int layer, int head)
{
    Slot *slot = slot_of(derived, layer, head);
    if (slot) return slot;
    slot = &derived->slots[0];
    for (int n = 1; n < KEPT; n++)
        if (derived->slots[n].wanted < slot->wanted) slot = &derived->slots[n];
    if (!slot->arena) {
        slot->arena = arena_open();
        slot->work = pyramid_open(slot->arena, d);
    }
    slot->layer = layer;
    slot->head = head;
    slot->ready = false;
    slot->wanted = derived->calls;
    pyramid_begin(&slot->work, layer, head);
    return slot;
}

// One step of building pyramids of the wanted heads. false: all are ready.
static bool step_pyramid(Derived *derived, const Document *d, DerivedWanted wanted)
{
    for (int n = 0; n < 2; n++) {
        if (wanted.head[n] < 0) continue;
        Slot *slot = slot_for(derived, d, wanted.layer[n], wanted.head[n]);
        if (slot->ready) continue;
        slot->ready = pyramid_step(&slot->work, slot->arena);
        if (slot->ready) slot->pyramid = pyramid_kept(&slot->work);
        return true;
    }
    return false;
}

// ---- summaries

// The next head to summarise; −1: none. A summary in progress is finished first.
static int next_summary(const Derived *derived, DerivedWanted wanted)
{
    if (derived->begun >= 0) return derived->begun;
    for (int n = 0; n < 2; n++) {
        int at = wanted.layer[n] * derived->heads + wanted.head[n];
        if (wanted.head[n] >= 0 && !derived->summaries[at].ready) return at;
    }
    if (!wanted.all || derived->summaries_ready == derived->layers * derived->heads) return -1;
    int at = 0;
    while (derived->summaries[at].ready) at++;
    return at;
}

static bool step_summaries(Derived *derived, DerivedWanted wanted)
{
    int at = next_summary(derived, wanted);
    if (at < 0) return false;
    if (derived->begun < 0) summary_begin(&derived->work, derived->arena, at / derived->heads, at % derived->heads);
    bool done = summary_step(&derived->work);
    derived->begun = done ? -1 : at;
    if (done) {
        derived->summaries[at] = derived->work.summary;
        derived->summaries_ready++;
    }
    return true;
}

bool derived_prepare(Derived *derived, const Document *d, DerivedWanted wanted, double seconds)
{
    for (int n = 0; n < 2; n++) {
        int layer = wanted.layer[n], head = wanted.head[n];
        REQUIRE(head < 0 || (head < d->heads && 0 <= layer && layer < d->layers),
                "head %d of layer %d is wanted of %d × %d", head, layer, d->layers, d->heads);
    }
    double end = measure_clock_wall() + seconds;
    meet(derived, d);
    derived->calls++;
    for (int n = 0; n < 2; n++) {
        Slot *slot = slot_of(derived, wanted.layer[n], wanted.head[n]);
        if (slot) slot->wanted = derived->calls;
    }
    do
        if (!step_pyramid(derived, d, wanted) && !step_summaries(derived, wanted)) return true;
    while (measure_clock_wall() < end);
    return false;
}

// ---- what draw reads

const Pyramid *derived_pyramid(const Derived *derived, int layer, int head)
{
    for (int n = 0; n < KEPT; n++) {
        const Slot *slot = &derived->slots[n];
        if (slot->ready && slot->layer == layer && slot->head == head) return &slot->pyramid;
    }
    return NULL;
}

const Pyramid *derived_pyramid_so_far(const Derived *derived, int layer, int head, int *rows)
{
    for (int n = 0; n < KEPT; n++) {
        const Slot *slot = &derived->slots[n];
        *rows = slot->work.band.next;
        if (slot->arena && !slot->ready && slot->layer == layer && slot->head == head && *rows)
            return &slot->work.pyramid;
    }
    *rows = 0;
    return NULL;
}

const HeadSummary *derived_summary(const Derived *derived, int layer, int head)
{
    static const HeadSummary none = { 0 };
    if (!derived->arena) return &none;
    REQUIRE(0 <= layer && layer < derived->layers && 0 <= head && head < derived->heads,
            "head %d of layer %d of %d × %d", head, layer, derived->layers, derived->heads);
    return &derived->summaries[layer * derived->heads + head];
}

int derived_summaries_ready(const Derived *derived) { return derived->summaries_ready; }

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

void derived_order_by(int *order, const double *values, int count)
{
    Arena *scratch = arena_open();
    Ranked *ranked = arena_alloc(scratch, (size_t)count * sizeof *ranked);
    for (int n = 0; n < count; n++) ranked[n] = (Ranked){ values[n], n };
    qsort(ranked, (size_t)count, sizeof *ranked, by_value);
    for (int n = 0; n < count; n++) order[n] = ranked[n].head;
    arena_close(scratch);
}

void derived_order(int *order, const Derived *derived, const Document *d, int summary)
{
    REQUIRE(-1 <= summary && summary < SUMMARY_STATS, "look %d of %d", summary, (int)SUMMARY_STATS);
    int count = d->layers * d->heads;
    Arena *scratch = arena_open();
    double *values = arena_alloc(scratch, (size_t)count * sizeof *values);
    for (int n = 0; n < count; n++) {
        const HeadSummary *of = derived_summary(derived, n / d->heads, n % d->heads);
        values[n] = summary >= 0 && of->ready ? of->stats[summary] : (double)NAN;
    }
    derived_order_by(order, values, count);
    arena_close(scratch);
}
