// A small attention program with a switch for every mistake, in the words of someone who makes it.
#include "support/toy.h"

#include <math.h>
#include <string.h>

// ---- random problems

static double *normals(Arena *arena, Random *random, int count)
{
    double *at = arena_alloc(arena, (size_t)count * sizeof *at);
    for (int e = 0; e < count; e++) at[e] = (double)random_normal(random);
    return at;
}

Toy toy_random(Arena *arena, Random *random)
{
    static const int heads[][2] = {
        { 1, 1 }, { 2, 2 }, { 4, 2 }, { 4, 4 }, { 6, 2 }, { 6, 3 }, { 8, 2 }, { 3, 1 }, { 8, 4 },
    };
    const int *pair = heads[random_below(random, 9)];
    Shape is = { .B = 1 + random_below(random, 3), .H = pair[0], .G = pair[1] };
    is.T = 2 + random_below(random, 11);
    is.S = 2 + random_below(random, 14);
    is.d = 2 + random_below(random, 5);
    is.dv = random_below(random, 2) ? is.d : 2 + random_below(random, 5);
    Toy toy = { 0 };
    toy.q = normals(arena, random, is.B * is.H * is.T * is.d);
    toy.k = normals(arena, random, is.B * is.G * is.S * is.d);
    toy.v = normals(arena, random, is.B * is.G * is.S * is.dv);
    toy.lengths = arena_alloc(arena, (size_t)is.B * sizeof *toy.lengths);
    for (int b = 0; b < is.B; b++) toy.lengths[b] = is.S - random_below(random, is.S / 2 + 1);
    bool padded = random_below(random, 3) == 0;
    toy.problem = (Problem){ is, toy.q, toy.k, toy.v, padded ? toy.lengths : NULL };

    Rules rules = { .causal = random_below(random, 2), .alibi = random_below(random, 3) == 0 };
    if (random_below(random, 3) == 0) rules.window = 1 + random_below(random, 5);
    if (rules.window) rules.sinks = random_below(random, 3);
    bool scaled = random_below(random, 4) == 0;
    rules.scale = scaled ? 0.3 + (double)random_uniform(random) : 1 / sqrt(is.d);
    toy.setting = (Setting){ is, rules, padded, scaled, true, random_below(random, 2) ? "htd" : "thd" };
    return toy;
}

// ---- axes

// places[n]: where the n-th number of memory stands in an array (H, T, d), when memory has its axes in this order.
static int *places_of(Arena *arena, int H, int T, int d, const char *order)
{
    int n = 0, size[128] = { ['h'] = H, ['t'] = T, ['d'] = d }, at[128];
    int a = order[0], b = order[1], c = order[2], *places = arena_alloc(arena, (size_t)(H * T * d) * sizeof *places);
    for (at[a] = 0; at[a] < size[a]; at[a]++)
        for (at[b] = 0; at[b] < size[b]; at[b]++)
            for (at[c] = 0; at[c] < size[c]; at[c]++) places[n++] = (at['h'] * T + at['t']) * d + at['d'];
    return places;
}

// Writes an array (H, T, d) into memory in the order `to`, and reads it as if it were in the order `as`.
static void mistake_axes(Arena *arena, double *array, int H, int T, int d, const char *to, const char *as)
{
    double *memory = arena_alloc(arena, (size_t)(H * T * d) * sizeof *memory);
    int *written = places_of(arena, H, T, d, to), *read = places_of(arena, H, T, d, as);
    for (int n = 0; n < H * T * d; n++) memory[n] = array[written[n]];
    for (int n = 0; n < H * T * d; n++) array[read[n]] = memory[n];
}

static void axes_of_all(Arena *arena, double *array, int B, int H, int T, int d, const char *to, const char *as)
{
    for (int b = 0; b < B; b++) mistake_axes(arena, array + b * H * T * d, H, T, d, to, as);
}

static double *copy_of(Arena *arena, const double *from, int count)
{
    double *to = arena_alloc(arena, (size_t)count * sizeof *to);
    memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

// ---- the program

typedef struct { Toy toy; const char *mistake; } Program;

static bool made(const Program *p, const char *mistake) { return !strcmp(p->mistake, mistake); }

static int keys_in(const Program *p, int b)
{
    return p->toy.problem.lengths ? p->toy.problem.lengths[b] : p->toy.setting.is.S;
}

static int place(const Program *p, int b, int i)
{
    Shape is = p->toy.setting.is;
    if (made(p, "top-left")) return i;
    int after = is.T - 1 - i, last = made(p, "own-length") ? keys_in(p, b) - 1 : is.S - 1;
    return last - after;
}

static bool through(const Program *p, int b, int i, int j)
{
    Rules r = p->toy.setting.rules;
    int own = place(p, b, i);
    bool causal = made(p, "causal-added") || (r.causal && !made(p, "causal-missing"));
    int newest = made(p, "diagonal-hidden") ? own - 1 : made(p, "one-ahead") ? own + 1 : own;
    if (j >= keys_in(p, b) && !made(p, "padding-seen")) return false;
    if (causal && made(p, "causal-reversed") && own > j) return false;
    if (causal && !made(p, "causal-reversed") && newest < j) return false;
    if (!r.window || made(p, "window-missing")) return true;
    int W = r.window + made(p, "window-larger") - made(p, "window-smaller");
    int sinks = made(p, "sinks-missing") ? 0 : r.sinks + made(p, "sinks-more") - made(p, "sinks-fewer");
    return j < sinks || (own - W + 1 <= j && j <= own + W - 1);
}

static bool visible(const Program *p, int b, int i, int j)
{
    bool passes = through(p, b, i, j);
    return made(p, "inverted") ? !passes : passes;
}

static double slope_of(const Program *p, int h)
{
    int H = p->toy.setting.is.H;
    if (made(p, "alibi-from-one")) return pow(2, -8.0 * h / H);
    static const double of_six[] = { 1 / 4.0, 1 / 16.0, 1 / 64.0, 1 / 256.0, 1 / 2.0, 1 / 8.0 };
    static const double of_three[] = { 1 / 16.0, 1 / 256.0, 1 / 4.0 };
    if (made(p, "alibi-powers") && H == 6) return of_six[h];
    if (made(p, "alibi-powers") && H == 3) return of_three[h];
    return pow(2, -8.0 * (h + 1) / H) * (made(p, "alibi-sign") ? -1 : 1);
}

static double factor(const Program *p)
{
    Shape is = p->toy.setting.is;
    return made(p, "scale-missing") ? 1 : made(p, "scale-d") ? 1.0 / is.d : made(p, "scale-D") ? pow(is.H * is.d, -0.5)
         : made(p, "scale-times") ? sqrt(is.d) : made(p, "scale-dv") ? pow(is.dv, -0.5)
         : made(p, "scale-default") ? pow(is.d, -0.5)
         : made(p, "unsplit") && !p->toy.setting.has_scale ? pow(is.d * is.H, -0.5) : p->toy.setting.rules.scale;
}

// Blocks of H / G query heads to a key head, counted off; or dealt out in turn.
static int key_head_of(const Program *p, int h, bool of_values)
{
    Shape is = p->toy.setting.is;
    if (made(p, "kv-first")) return 0;
    if (made(p, "kv-mod") || made(p, of_values ? "v-mod" : "k-mod")) return h % is.G;
    int g = 0;
    for (int seen = is.H / is.G; h >= seen; seen += is.H / is.G) g++;
    return g;
}

static double score_of(const Program *p, int b, int h, int i, int j)
{
    Shape is = p->toy.setting.is;
    const double *q = made(p, "q-k-swapped") ? p->toy.k : p->toy.q;
    const double *k = made(p, "q-k-swapped") ? p->toy.q : made(p, "k-v-swapped") ? p->toy.v : p->toy.k;
    double product = 0;
    for (int e = 0; e < is.H; e++) {
        if (e != h && !made(p, "unsplit")) continue;
        const double *qe = q + ((b * is.H + e) * is.T + i) * is.d;
        const double *ke = k + (b * is.G + key_head_of(p, e, false)) * is.S * is.d;
        for (int c = 0; c < is.d; c++) product += qe[c] * (made(p, "k-reshaped") ? ke[c * is.S + j] : ke[j * is.d + c]);
    }
    double score = factor(p) * product;
    if ((p->toy.setting.rules.alibi && !made(p, "alibi-missing")) || made(p, "alibi-added")) {
        int apart = place(p, b, i) - j;
        score -= slope_of(p, h) * (apart < 0 && !made(p, "alibi-signed") ? -apart : apart);
    }
    if (visible(p, b, i, j) || made(p, "zero-weight")) return score;
    return made(p, "zero-score") ? 0 : -INFINITY;
}

// Σ exp over the axis that the softmax runs over, and the largest score of the row.
static double sum_of(const Program *p, int b, int h, int i, int j)
{
    Shape is = p->toy.setting.is;
    double sum = 0;
    if (made(p, "over-queries")) for (int e = 0; e < is.T; e++) sum += exp(score_of(p, b, h, e, j));
    else if (made(p, "over-heads")) for (int e = 0; e < is.H; e++) sum += exp(score_of(p, b, e, i, j));
    else if (made(p, "undivided-plain")) sum = 1;
    else if (made(p, "undivided")) for (int e = 0; e < is.S; e++) sum = fmax(sum, exp(score_of(p, b, h, i, e)));
    else for (int e = 0; e < is.S; e++) sum += exp(score_of(p, b, h, i, e));
    return sum;
}

static double weight_of(const Program *p, int b, int h, int i, int j)
{
    bool any = false;
    for (int e = 0; e < p->toy.setting.is.S; e++) any |= score_of(p, b, h, i, e) > -INFINITY;
    if (!any) return made(p, "empty-nan") ? (double)NAN : made(p, "empty-mean") ? 1.0 / p->toy.setting.is.S : 0;
    if (made(p, "zero-weight") && !visible(p, b, i, j)) return 0;
    if (made(p, "no-softmax")) return visible(p, b, i, j) ? score_of(p, b, h, i, j) : 0;
    double mine = exp(score_of(p, b, h, i, j));
    return mine == 0 ? 0 : mine / sum_of(p, b, h, i, j);
}

// What the values are multiplied by.
static double last_weight(const Program *p, int b, int h, int i, int j)
{
    double sum = 0, own = weight_of(p, b, h, i, j), all = 0;
    if (made(p, "weights-transposed")) return weight_of(p, b, h, j, i);
    if (!made(p, "softmax-twice")) return own;
    for (int e = 0; e < p->toy.setting.is.S; e++) {
        all += weight_of(p, b, h, i, e);
        sum += exp(weight_of(p, b, h, i, e));
    }
    return all > 0 ? exp(own) / sum : 0;
}

static double *run(Arena *arena, const Program *p)
{
    Shape is = p->toy.setting.is;
    double *out = arena_alloc(arena, (size_t)(is.B * is.H * is.T * is.dv) * sizeof *out), *to = out;
    for (int b = 0; b < is.B; b++)
        for (int h = 0; h < is.H; h++)
            for (int i = 0; i < is.T; i++, to += is.dv)
                for (int j = 0; j < is.S; j++) {
                    double weight = last_weight(p, b, h, i, j);
                    const double *value = made(p, "k-for-v") || made(p, "k-v-swapped") ? p->toy.k : p->toy.v;
                    value += ((b * is.G + key_head_of(p, h, true)) * is.S + j) * is.dv;
                    for (int c = 0; c < is.dv; c++) to[c] += weight * value[c];
                }
    return out;
}

double *toy_output(Arena *arena, const Toy *toy, const char *mistake)
{
    static const struct { const char *mistake, *to, *as; bool of_output; } axes[] = {
        { "split", "thd", "htd", false },
        { "split-and-back", "thd", "htd", false }, { "split-and-back", "htd", "thd", true },
        { "split-back", "htd", "thd", false }, { "split-back-and-forth", "htd", "thd", false },
        { "split-back-and-forth", "thd", "htd", true }, { "interleaved", "thd", "tdh", false },
        { "interleaved-both", "thd", "tdh", false }, { "interleaved-both", "tdh", "thd", true },
        { "merged", "htd", "thd", true }, { "unmerged", "thd", "htd", true }, { "out-interleaved", "tdh", NULL, true },
        { "transposed", "hdt", NULL, true }, { "all-reversed", "dth", NULL, true },
        { "other-order", "dht", NULL, true },
    };
    Program p = { *toy, mistake };
    Shape is = toy->setting.is;
    p.toy.q = copy_of(arena, toy->q, is.B * is.H * is.T * is.d);
    p.toy.k = copy_of(arena, toy->k, is.B * is.G * is.S * is.d);
    p.toy.v = copy_of(arena, toy->v, is.B * is.G * is.S * is.dv);
    for (size_t e = 0; e < sizeof axes / sizeof *axes; e++) {
        if (strcmp(axes[e].mistake, mistake) || axes[e].of_output) continue;
        axes_of_all(arena, p.toy.q, is.B, is.H, is.T, is.d, axes[e].to, axes[e].as);
        axes_of_all(arena, p.toy.k, is.B, is.G, is.S, is.d, axes[e].to, axes[e].as);
        axes_of_all(arena, p.toy.v, is.B, is.G, is.S, is.dv, axes[e].to, axes[e].as);
    }
    double *out = run(arena, &p);
    for (size_t e = 0; e < sizeof axes / sizeof *axes; e++)
        if (!strcmp(axes[e].mistake, mistake) && axes[e].of_output)
            axes_of_all(arena, out, is.B, is.H, is.T, is.dv, axes[e].to, axes[e].as ? axes[e].as : toy->setting.memory);
    return out;
}
