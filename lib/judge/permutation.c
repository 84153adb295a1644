// Compares each slice along one axis of (B, H, T, width) with our slices at all indices of that axis.
#include "judge/permutation.h"

#include "base/portable_math.h"

const char *permutation_alike(Arena *arena, const HypothesisCase *c)
{
    static const char *const names[] = { "output is", "weights are", "logsumexp is" };
    size_t count = c->found.count, same = 0, nan = 0;
    for (size_t e = 0; e < count; e++) {
        same += c->theirs[e] == c->theirs[0];
        nan += isnan(c->theirs[e]) != 0;
    }
    if (nan == count) return arena_format(arena, "your %s all NaN", names[c->what]);
    if (same < count || count < 4) return NULL;
    if (c->theirs[0] == 0) return arena_format(arena, "your %s all zero", names[c->what]);
    return arena_format(arena, "your %s %.6g everywhere", names[c->what], c->theirs[0]);
}

// An axis with `count` indices. A slice consists of runs of `step` numbers, which are `count` · `step` apart.
typedef struct {
    const char *name, *many;
    size_t count, step;
} Axis;

static bool same_slice(const HypothesisCase *c, const Axis *axis, size_t theirs, size_t ours)
{
    size_t stride = axis->count * axis->step;
    for (size_t first = 0; first < c->found.count; first += stride) {
        const double *their_run = c->theirs + first + theirs * axis->step,
                     *our_run = c->ours + first + ours * axis->step;
        for (size_t e = 0; e < axis->step; e++)
            if (compare_arrays(&their_run[e], &our_run[e], 1, c->tolerance).out) return false;
    }
    return true;
}

static bool zero_slice(const HypothesisCase *c, const Axis *axis, size_t at)
{
    for (size_t first = 0; first < c->found.count; first += axis->count * axis->step)
        for (size_t e = 0; e < axis->step; e++)
            if (c->theirs[first + at * axis->step + e] != 0) return false;
    return true;
}

// A slice of zeros equals any other slice of zeros, so it does not count as moved.
static const char *moved_along(Arena *arena, const HypothesisCase *c, const Axis *axis)
{
    const char *list = "";
    size_t count = axis->count;
    bool *used = arena_alloc(arena, count), twice = false, moved = false;
    for (size_t e = 0; e < count; e++) {
        size_t from = 0;
        while (from < count && !same_slice(c, axis, e, from)) from++;
        if (from == count) return NULL;
        bool any = !zero_slice(c, axis, e);
        moved |= any && from != e;
        twice |= any && used[from];
        used[from] |= any;
        if (e < 8) list = arena_format(arena, "%s%s%zu", list, e ? ", " : "", from);
    }
    if (!moved) return NULL;
    return arena_format(arena, "the %s %s: yours are our %s %s%s", axis->many,
                        twice ? "are not all their own" : "are in another order", axis->many, list,
                        count > 8 ? ", …" : "");
}

const char *permutation_slices(Arena *arena, const HypothesisCase *c, const char **name)
{
    JudgeShape is = c->problem->is;
    size_t width = (size_t)hypothesis_width(c), T = (size_t)is.T, H = (size_t)is.H;
    const Axis axes[] = {
        { "sequences_moved", "sequences", (size_t)is.B, H * T * width },
        { "heads_moved", "heads", H, T * width },
        { "queries_moved", "queries", T, width },
        { "channels_moved", c->what == HYPOTHESIS_WEIGHTS ? "keys" : "channels", width, 1 },
    };
    for (int a = 0; a < 4; a++) {
        if (axes[a].count < 2) continue;
        const char *words = moved_along(arena, c, &axes[a]);
        *name = axes[a].name;
        if (words) return words;
    }
    return NULL;
}
