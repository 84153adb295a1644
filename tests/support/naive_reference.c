// A small attention program with a switch for every mistake, in the words of someone who makes it.
#include "base/portable_math.h"
#include "support/naive_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- random problems

static double *normals(Arena *arena, Random *random, int count)
{
    double *at = arena_alloc(arena, (size_t)count * sizeof *at);
    for (int e = 0; e < count; e++) at[e] = (double)random_normal(random);
    return at;
}

Toy toy_of(Arena *arena, Random *random, JudgeShape is)
{
    Toy toy = { 0 };
    toy.q = normals(arena, random, is.B * is.H * is.T * is.d);
    toy.k = normals(arena, random, is.B * is.G * is.S * is.d);
    toy.v = normals(arena, random, is.B * is.G * is.S * is.dv);
    toy.lengths = arena_alloc(arena, (size_t)is.B * sizeof *toy.lengths);
    for (int b = 0; b < is.B; b++) toy.lengths[b] = is.S - 1 - 2 * b > 1 ? is.S - 1 - 2 * b : 1;
    toy.problem = (JudgeProblem){ is, toy.q, toy.k, toy.v, NULL };
    toy.setting = (CauseSetting){ is, { .scale = 1 / sqrt(is.d) }, false, false, true, "htd", false };
    return toy;
}

Toy toy_random(Arena *arena, Random *random)
{
    static const int heads[][2] = {
        { 1, 1 }, { 2, 2 }, { 4, 2 }, { 4, 4 }, { 6, 2 }, { 6, 3 }, { 8, 2 }, { 3, 1 }, { 8, 4 },
    };
    const int *pair = heads[random_below(random, 9)];
    JudgeShape is = { .B = 1 + random_below(random, 3), .H = pair[0], .G = pair[1] };
    is.T = 2 + random_below(random, 11);
    is.S = 2 + random_below(random, 14);
    is.d = 2 + random_below(random, 5);
    is.dv = random_below(random, 2) ? is.d : 2 + random_below(random, 5);
    Toy toy = toy_of(arena, random, is);
    for (int b = 0; b < is.B; b++) toy.lengths[b] = is.S - random_below(random, is.S / 2 + 1);
    bool padded = random_below(random, 3) == 0;
    if (padded) toy.problem.lengths = toy.lengths;

    JudgeRules rules = { .causal = random_below(random, 2), .alibi = random_below(random, 3) == 0 };
    if (random_below(random, 3) == 0) rules.window = 1 + random_below(random, 5);
    if (rules.window) rules.sinks = random_below(random, 3);
    bool scaled = random_below(random, 4) == 0;
    rules.scale = scaled ? 0.3 + (double)random_uniform(random) : 1 / sqrt(is.d);
    toy.setting = (CauseSetting){ is, rules, padded, scaled, true, random_below(random, 2) ? "htd" : "thd", false };
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

static double *copy_of(Arena *arena, const double *from, int count)
{
    double *to = arena_alloc(arena, (size_t)count * sizeof *to);
    memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

// ---- the program

// Which key head and sequence are read for a head and a sequence, and which key for a key: so many further on.
typedef struct {
    int head[64], sequence[8], ahead;
} Reads;

typedef struct {
    Toy toy;
    JudgeShape is;
    const char *mistakes;
    double *q, *k, *v;
    Reads queries, keys, values;
} Program;

// Where the name stands among the mistakes, or NULL.
static const char *mistake_at(const Program *p, const char *name)
{
    for (const char *at = p->mistakes; at; at = strchr(at, '+')) {
        at += *at == '+';
        if (*at != *name) continue;
        size_t length = strcspn(at, "+=");
        if (!strncmp(at, name, length) && !name[length]) return at;
    }
    return NULL;
}

static bool made(const Program *p, const char *name) { return mistake_at(p, name) != NULL; }

// The number behind a mistake, or another one if it was not made.
static double number_of(const Program *p, const char *name, double otherwise)
{
    const char *at = mistake_at(p, name);
    return at ? strtod(strchr(at, '=') + 1, NULL) : otherwise;
}

// ---- who sees what

static int keys_in(const Program *p, int b, int h)
{
    int B = p->is.B, S = p->is.S;
    if (!p->toy.problem.lengths) return S;
    int whose = made(p, "length_next")       ? b + 1
                : made(p, "length_before")   ? b + B - 1
                : made(p, "length_first")    ? 0
                : made(p, "length_reversed") ? B - 1 - b
                : made(p, "length_in_turn")  ? b * p->is.H + h
                                             : b;
    int keys = p->toy.problem.lengths[whose % B] + made(p, "length_longer") - made(p, "length_shorter");
    return keys > S ? S : keys < 0 ? 0 : keys;
}

static int place(const Program *p, int b, int i)
{
    if (made(p, "top_left")) return i;
    bool own = made(p, "own_length") && p->toy.problem.lengths;
    return (own ? p->toy.problem.lengths[b] : p->is.S) - (p->is.T - i);
}

static bool filler(const Program *p, int b, int h, int j)
{
    int keys = keys_in(p, b, h);
    return !made(p, "padding_seen") && (made(p, "padding_in_front") ? j < p->is.S - keys : j >= keys);
}

// The last key that a causal mask shows.
static int newest_of(const Program *p, int own)
{
    int whole = (int)number_of(p, "causal_tiles", 0), full = (int)number_of(p, "causal_tiles_short", 0);
    if (whole) return own < 0 ? -1 : (own / whole + 1) * whole - 1;
    if (full) return (own + 1) / full * full - 1;
    return own + made(p, "one_ahead") - made(p, "diagonal_hidden");
}

static bool in_window(const Program *p, int own, int j, int sinks)
{
    int W = (int)number_of(p, "window_added", p->toy.setting.rules.window);
    W += made(p, "window_larger") - made(p, "window_smaller");
    if (made(p, "window_half")) W = W / 2 + 1;
    if (made(p, "sinks_in_window")) W -= sinks;
    if (made(p, "window_blocks")) return own >= 0 && j / W == own / W;
    return own - W + 1 <= j && (j <= own + W - 1 || made(p, "window_behind"));
}

// Filler or not.
static bool through(const Program *p, int b, int h, int i, int j)
{
    JudgeRules r = p->toy.setting.rules;
    int own = place(p, b, i);
    bool causal = made(p, "causal_added") || (r.causal && !made(p, "causal_missing"));
    int sinks = made(p, "sinks_missing") ? 0 : r.sinks + made(p, "sinks_more") - made(p, "sinks_fewer");
    if (made(p, "sinks_ahead") && j < sinks) return true;
    if (made(p, "self_hidden") && j == own) return false;
    if (made(p, "causal_in_head_0") && h > 0) causal = false;
    if (causal && made(p, "causal_reversed") && own > j) return false;
    if (causal && !made(p, "causal_reversed") && newest_of(p, own) < j) return false;
    bool windowed = made(p, "window_added") || (r.window && !made(p, "window_missing"));
    return !windowed || j < sinks || in_window(p, own, j, sinks);
}

// Is the key there at all, for the loop over the keys?
static bool looped(const Program *p, int j)
{
    int tile = (int)number_of(p, "tile_left_out", 1), end = p->is.S / tile * tile - made(p, "last_key");
    return j >= made(p, "first_key") && j < end;
}

static bool visible(const Program *p, int b, int h, int i, int j)
{
    return looped(p, j) && (through(p, b, h, i, j) && !filler(p, b, h, j)) == !made(p, "inverted");
}

// ---- which head, which sequence

// The mistake of this end that was made, of keys and values or of one of them: "kv_next" or "k_next" of k.
static bool made_of(const Program *p, const char *of, const char *how)
{
    char name[2][24];
    snprintf(name[0], sizeof name[0], "kv_%s", how);
    snprintf(name[1], sizeof name[1], "%s_%s", of, how);
    return (*of != 'q' && made(p, name[0])) || made(p, name[1]);
}

// Of queries every head has its own. Blocks of H / G query heads to a key head, counted off; or dealt out in turn.
static int head_of(const Program *p, int h, const char *of)
{
    int H = p->is.H, G = *of == 'q' ? H : p->is.G, g = 0;
    for (int seen = H / G; h >= seen; seen += H / G) g++;
    return made_of(p, of, "mod")         ? h % G
           : made_of(p, of, "by_groups") ? h / G % G
           : made_of(p, of, "clamped")   ? h < G ? h : G - 1
           : made_of(p, of, "first")     ? 0
           : made_of(p, of, "next")      ? (g + 1) % G
           : made_of(p, of, "before")    ? (g + G - 1) % G
           : made_of(p, of, "reversed")  ? G - 1 - g
                                         : g;
}

static int sequence_of(const Program *p, int b, const char *of)
{
    int B = p->is.B;
    return made_of(p, of, "of_first")      ? 0
           : made_of(p, of, "of_next")     ? (b + 1) % B
           : made_of(p, of, "of_before")   ? (b + B - 1) % B
           : made_of(p, of, "of_reversed") ? B - 1 - b
                                           : b;
}

// All of that is found once, before the loops.
static void find_reads(Reads *reads, const Program *p, const char *of)
{
    for (int h = 0; h < p->is.H; h++) reads->head[h] = head_of(p, h, of);
    for (int b = 0; b < p->is.B; b++) reads->sequence[b] = sequence_of(p, b, of);
    reads->ahead = made_of(p, of, "ahead") - made_of(p, of, "behind");
}

// Which row of k or v is read for key j.
static int row_of(const Program *p, const Reads *reads, int b, int h, int j)
{
    int S = p->is.S;
    return (reads->sequence[b] * p->is.G + reads->head[h]) * S + (j + S + reads->ahead) % S;
}

// ---- scores

static double slope_of(const Program *p, int h)
{
    int H = p->is.H, G = p->is.G;
    double times = number_of(p, "alibi_times", made(p, "alibi_sign") ? -1 : 1);
    if (made(p, "alibi_halves")) return pow(2, -(h + 1));
    static const double of_six[] = { 1 / 4.0, 1 / 16.0, 1 / 64.0, 1 / 256.0, 1 / 2.0, 1 / 8.0 };
    static const double of_three[] = { 1 / 16.0, 1 / 256.0, 1 / 4.0 };
    if (made(p, "alibi_powers") && H == 6) return of_six[h];
    if (made(p, "alibi_powers") && H == 3) return of_three[h];
    if (made(p, "alibi_key_heads")) return pow(256, -((h * G / H) + 1.0) / G);
    int order = made(p, "alibi_reversed") ? H - 1 - h : made(p, "alibi_one") ? 0 : h - made(p, "alibi_from_one");
    return times * pow(256, -(order + 1.0) / H);
}

static double factor(const Program *p)
{
    JudgeShape is = p->toy.setting.is;
    double asked = p->toy.setting.rules.scale, own = p->toy.setting.has_scale ? asked : pow(p->is.d, -0.5);
    return made(p, "scale_missing") || made(p, "scale_after") ? 1
           : made(p, "scale_d")                               ? 1.0 / is.d
           : made(p, "scale_D")                               ? pow(is.H * is.d, -0.5)
           : made(p, "scale_times")                           ? sqrt(is.d)
           : made(p, "scale_dv")                              ? pow(is.dv, -0.5)
           : made(p, "scale_default")                         ? pow(is.d, -0.5)
           : made(p, "scale_half")                            ? sqrt(pow(is.d, -0.5))
           : made(p, "scale_keys")                            ? pow(is.S, -0.5)
           : made(p, "scale_negative")                        ? -asked
           : made(p, "scale_zero")                            ? 0
                                                              : own * number_of(p, "scale", 1);
}

// q · k, or what is taken for it.
static double product(const Program *p, const double *q, const double *k)
{
    int d = p->is.d, tail = (int)number_of(p, "d_tail", 0), end = tail ? d / tail * tail : d - made(p, "d_last");
    double sum = 0;
    for (int c = made(p, "d_first"); c < end; c++)
        sum += made(p, "distance") ? -(q[c] - k[c]) * (q[c] - k[c]) : q[c] * k[c];
    return sum;
}

static double raw_score(const Program *p, int b, int h, int i, int j)
{
    JudgeShape is = p->is;
    const Reads *queries = &p->queries;
    int from = queries->sequence[b] * is.H + queries->head[h];
    const double *q = p->q + (from * is.T + (i + is.T + queries->ahead) % is.T) * is.d;
    const double *k = (made(p, "v_for_k") ? p->v : p->k) + row_of(p, &p->keys, b, h, j) * is.d;
    double score = product(p, q, k) * factor(p), cap = number_of(p, "soft_cap", 0);
    if (cap > 0) score = cap * (1 - 2 / (exp(2 * score / cap) + 1));
    if ((p->toy.setting.rules.alibi && !made(p, "alibi_missing")) || made(p, "alibi_added")) {
        int apart = place(p, b, i) - j;
        double far = apart < 0 && !made(p, "alibi_signed") ? -apart : apart;
        double bias = slope_of(p, h) * far;
        score -= bias * (made(p, "alibi_scaled") ? factor(p) : 1);
    }
    return made(p, "base2") ? score * 0.69314718055994530942 : score;
}

static double score_of(const Program *p, int b, int h, int i, int j)
{
    if (!looped(p, j)) return -INFINITY;
    double score = raw_score(p, b, h, i, j);
    if (visible(p, b, h, i, j) || made(p, "zero_weight") || made(p, "mask_unused")) return score;
    if (through(p, b, h, i, j)) { // then it is hidden for being a filler
        if (made(p, "filler_zero") || made(p, "filler_counted")) return 0;
        if (made(p, "filler_after")) return score;
    }
    if (made(p, "hidden_counted")) return 0;
    if (made(p, "mask_added")) return score - 1;
    if (made(p, "hidden_added")) return score + 1;
    if (made(p, "hidden_low")) return score + number_of(p, "hidden_low", 0);
    if (made(p, "hidden_at")) return number_of(p, "hidden_at", 0);
    return made(p, "zero_score") ? 0 : -INFINITY;
}

// (B, H, T, S)
static size_t at_of(const Program *p, int b, int h, int i, int j)
{
    return (size_t)(((b * p->is.H + h) * p->is.T + i) * p->is.S + j);
}

// ---- weights

// Σ exp over the axis that the softmax runs over.
static double sum_of(const Program *p, const double *scores, int b, int h, int i, int j)
{
    JudgeShape is = p->is;
    const double *row = scores + at_of(p, b, h, i, 0);
    double sum = 0, most = -INFINITY;
    for (int e = 0; e < is.S; e++) most = fmax(most, row[e]);
    if (made(p, "over_queries"))
        for (int e = 0; e < is.T; e++) sum += exp(scores[at_of(p, b, h, e, j)]);
    else if (made(p, "over_heads"))
        for (int e = 0; e < is.H; e++) sum += exp(scores[at_of(p, b, e, i, j)]);
    else if (made(p, "over_batch"))
        for (int e = 0; e < is.B; e++) sum += exp(scores[at_of(p, e, h, i, j)]);
    else if (made(p, "over_all"))
        for (int e = 0; e < is.T * is.S; e++) sum += exp(scores[at_of(p, b, h, 0, e)]);
    else if (made(p, "undivided_plain")) sum = 1;
    else if (made(p, "undivided")) sum = exp(most);
    else
        for (int e = 0; e < is.S - made(p, "sum_short"); e++) sum += exp(row[e]);
    sum += exp(most) * (number_of(p, "epsilon", 0) + made(p, "plus_one_max"));
    return sum + number_of(p, "epsilon_plain", 0) + made(p, "plus_one");
}

static double softmax_of(const Program *p, const double *scores, int b, int h, int i, int j)
{
    const double *row = scores + at_of(p, b, h, i, 0);
    double own = row[j], all = 0;
    bool any = false, gone = made(p, "zero_weight") || made(p, "filler_after");
    for (int e = 0; e < p->is.S; e++) any |= row[e] > -INFINITY;
    if (!any) return made(p, "empty_nan") ? (double)NAN : made(p, "empty_mean") ? 1.0 / p->is.S : 0;
    gone |= made(p, "filler_counted") || made(p, "hidden_counted");
    if ((gone && !visible(p, b, h, i, j)) || exp(own) == 0) return 0;
    if (made(p, "exp_series")) { // (1 + s / 64)^64
        for (int e = 0; e < p->is.S; e++) all += row[e] > -INFINITY ? pow(1 + row[e] / 64, 64) : 0;
        return pow(1 + own / 64, 64) / all;
    }
    return exp(own) / sum_of(p, scores, b, h, i, j);
}

// A share of what is taken for exp s.
static double share_of(const Program *p, const double *scores, int b, int h, int i, int j)
{
    double sum = 0, mine = 0;
    for (int e = 0; e < p->is.S; e++) {
        double s = scores[at_of(p, b, h, i, e)], taken = made(p, "relu_shares") ? fmax(s, 0) : 1 / (exp(-s) + 1);
        if (!visible(p, b, h, i, e)) continue;
        sum += taken;
        if (e == j) mine = taken;
    }
    return sum > 0 ? mine / sum : 0;
}

// What is no softmax at all.
static double other_of(const Program *p, const double *scores, int b, int h, int i, int j)
{
    double own = scores[at_of(p, b, h, i, j)], sum = 0, most = -INFINITY;
    if (!visible(p, b, h, i, j)) return 0;
    for (int e = 0; e < p->is.S; e++) {
        most = fmax(most, scores[at_of(p, b, h, i, e)]);
        if (visible(p, b, h, i, e)) sum += scores[at_of(p, b, h, i, e)];
    }
    if (made(p, "relu_shares") || made(p, "sigmoid_shares")) return share_of(p, scores, b, h, i, j);
    if (made(p, "sigmoid")) return exp(own) / (exp(own) + 1);
    if (made(p, "hard_max")) return own < most ? 0 : 1;
    if (made(p, "relu")) return own > 0 ? own : 0;
    if (made(p, "log_softmax")) return log(softmax_of(p, scores, b, h, i, j));
    if (made(p, "own_key")) return j == place(p, b, i);
    return made(p, "shares") ? own / sum : own;
}

static bool no_softmax(const Program *p)
{
    static const char *const names[] = { "sigmoid", "hard_max",   "relu",        "log_softmax",   "own_key",
                                         "shares",  "no_softmax", "relu_shares", "sigmoid_shares" };
    for (int e = 0; e < 9; e++)
        if (made(p, names[e])) return true;
    return false;
}

// (B, H, T, S) from the scores.
static double *weights_of(Arena *arena, const Program *p, const double *scores)
{
    JudgeShape is = p->is;
    double *weights = arena_alloc(arena, (size_t)(is.B * is.H * is.T * is.S) * sizeof *weights), *to = weights;
    for (int b = 0; b < is.B; b++)
        for (int h = 0; h < is.H; h++)
            for (int i = 0; i < is.T; i++, to += is.S) {
                double sum = 0, all = 0;
                for (int j = 0; j < is.S; j++) {
                    to[j] = no_softmax(p) ? other_of(p, scores, b, h, i, j) : softmax_of(p, scores, b, h, i, j);
                    all += to[j];
                    sum += exp(to[j]);
                }
                if (!made(p, "softmax_twice") || all == 0) continue;
                for (int j = 0; j < is.S; j++) to[j] = exp(to[j]) / sum;
            }
    return weights;
}

// ---- values

static const double *value_of(const Program *p, int b, int h, int j)
{
    JudgeShape is = p->is;
    const double *from = made(p, "k_for_v") ? p->k : p->v;
    return from + row_of(p, &p->values, b, h, j) * is.dv;
}

static bool tiled(const Program *p)
{
    return made(p, "out_unscaled") || made(p, "sum_unscaled") || made(p, "both_unscaled") || made(p, "corrected_up") ||
           made(p, "tiles_alone");
}

// One row by an online softmax, tile after tile, with what is forgotten in it.
static void online_row(double *out, const Program *p, const double *scores, int b, int h)
{
    JudgeShape is = p->is;
    double once = number_of(p, "out_unscaled", 0) + number_of(p, "sum_unscaled", 0) + number_of(p, "both_unscaled", 0);
    int tile = (int)(once + number_of(p, "corrected_up", 0) + number_of(p, "tiles_alone", 0)), tiles = 0;
    double most = -INFINITY, sum = 0;
    for (int first = 0; first < is.S; first += tile, tiles++) {
        double old = most, own[16] = { 0 }, own_sum = 0;
        if (made(p, "tiles_alone")) most = -INFINITY;
        int end = first + tile < is.S ? first + tile : is.S;
        for (int j = first; j < end; j++) most = fmax(most, scores[j]);
        if (most == -INFINITY) continue;
        double again = made(p, "corrected_up") && sum > 0 ? exp(most - old) : exp(old - most);
        for (int j = first; j < end; j++) {
            own_sum += exp(scores[j] - most);
            for (int c = 0; c < is.dv; c++) own[c] += exp(scores[j] - most) * value_of(p, b, h, j)[c];
        }
        if (made(p, "tiles_alone")) {
            for (int c = 0; c < is.dv; c++) out[c] += own[c] / own_sum;
            continue;
        }
        bool keeps_out = made(p, "out_unscaled") || made(p, "both_unscaled");
        bool keeps_sum = made(p, "sum_unscaled") || made(p, "both_unscaled");
        sum = sum * (keeps_sum ? 1 : again) + own_sum;
        for (int c = 0; c < is.dv; c++) out[c] = out[c] * (keeps_out ? 1 : again) + own[c];
    }
    double by = made(p, "tiles_alone") ? tiles : sum > 0 ? sum : 1;
    for (int c = 0; c < is.dv; c++) out[c] /= by;
}

// ---- all of it

static bool never_written(const Program *p, int b, int h, int i, int c)
{
    JudgeShape is = p->is;
    return (made(p, "unwritten_first_query") && i == 0) || (made(p, "unwritten_last_query") && i == is.T - 1) ||
           (made(p, "unwritten_head") && h == is.H - 1) || (made(p, "unwritten_channel") && c == is.dv - 1) ||
           (made(p, "unwritten_sequence") && b == is.B - 1);
}

static void finish_row(double *out, const Program *p, int b, int h, int i)
{
    JudgeShape is = p->is;
    double again = made(p, "scale_after") || made(p, "scale_again") ? p->toy.setting.rules.scale : 1;
    for (int c = 0; c < is.dv; c++) {
        out[c] = out[c] * again * number_of(p, "multiplied", 1) + number_of(p, "added", 0);
        if (made(p, "plus_q")) out[c] += p->q[((b * is.H + h) * is.T + i) * is.d + c];
        if (made(p, "plus_v")) out[c] += value_of(p, b, h, i + is.S - is.T)[c];
        if (made(p, "plus_k")) out[c] += p->k[row_of(p, &p->keys, b, h, i + is.S - is.T) * is.d + c];
        if (made(p, "relu_out")) out[c] = fmax(out[c], 0);
        if (made(p, "abs_out")) out[c] = fabs(out[c]);
        if (never_written(p, b, h, i, c)) out[c] = 0;
        if (made(p, "padded_zero") && i >= keys_in(p, b, h)) out[c] = 0;
    }
}

static void mix_row(double *out, const Program *p, const double *weights, int b, int h, int i)
{
    bool mirrored = made(p, "weights_transposed");
    for (int j = 0; j < p->is.S; j++) {
        double weight = weights[mirrored ? at_of(p, b, h, j, i) : at_of(p, b, h, i, j)];
        if (made(p, "weights_squared")) weight *= weight;
        if (made(p, "mix_short") && j == p->is.S - 1) continue;
        for (int c = 0; c < p->is.dv; c++) out[c] += weight * value_of(p, b, h, j)[c];
    }
}

static void normed(double *rows, int count, int d)
{
    for (double *row = rows; row < rows + count * d; row += d) {
        double length = 0;
        for (int c = 0; c < d; c++) length = hypot(length, row[c]);
        for (int c = 0; c < d && length > 0; c++) row[c] /= length;
    }
}

static double *run(Arena *arena, const Program *p)
{
    JudgeShape is = p->is;
    size_t count = (size_t)(is.B * is.H * is.T);
    double *out = arena_alloc(arena, count * (size_t)is.dv * sizeof *out), *to = out;
    double *scores = arena_alloc(arena, count * (size_t)is.S * sizeof *scores);
    for (int b = 0; b < is.B; b++)
        for (int h = 0; h < is.H; h++)
            for (int i = 0; i < is.T; i++)
                for (int j = 0; j < is.S; j++) scores[at_of(p, b, h, i, j)] = score_of(p, b, h, i, j);
    double *weights = weights_of(arena, p, scores);
    for (int b = 0; b < is.B; b++)
        for (int h = 0; h < is.H; h++)
            for (int i = 0; i < is.T; i++, to += is.dv) {
                if (tiled(p)) online_row(to, p, scores + at_of(p, b, h, i, 0), b, h);
                else mix_row(to, p, weights, b, h, i);
                finish_row(to, p, b, h, i);
                for (int c = 0; c < is.dv && i > 0 && made(p, "out_kept"); c++) to[c] += to[c - is.dv];
            }
    return out;
}

// ---- arrays

typedef struct {
    const char *mistake, *of, *to, *as;
} Axes; // of: q, k, v, o for the output

// clang-format off
static const Axes axes[] = {
    { "split", "qkv", "thd", "htd" }, { "split_q", "q", "thd", "htd" }, { "split_k", "k", "thd", "htd" },
    { "split_v", "v", "thd", "htd" }, { "split_kv", "kv", "thd", "htd" }, { "split_and_back", "qkv", "thd", "htd" },
    { "split_and_back", "o", "htd", "thd" }, { "split_back", "qkv", "htd", "thd" },
    { "split_back_q", "q", "htd", "thd" }, { "split_back_k", "k", "htd", "thd" },
    { "split_back_v", "v", "htd", "thd" }, { "split_back_and_forth", "qkv", "htd", "thd" },
    { "split_back_and_forth", "o", "thd", "htd" }, { "interleaved", "qkv", "thd", "tdh" },
    { "interleaved_q", "q", "thd", "tdh" }, { "interleaved_k", "k", "thd", "tdh" },
    { "interleaved_v", "v", "thd", "tdh" }, { "interleaved_both", "qkv", "thd", "tdh" },
    { "interleaved_both", "o", "tdh", "thd" }, { "merged", "o", "htd", "thd" }, { "unmerged", "o", "thd", "htd" },
    { "out_interleaved", "o", "tdh", NULL }, { "transposed", "o", "hdt", NULL }, { "all_reversed", "o", "dth", NULL },
    { "other_order", "o", "dht", NULL }, { "q_reshaped", "q", "htd", "hdt" }, { "k_reshaped", "k", "htd", "hdt" },
};
// clang-format on

static void reread(Arena *arena, const Program *p, double *array, char of, int B, int H, int T, int d)
{
    for (size_t e = 0; e < sizeof axes / sizeof *axes; e++) {
        if (!made(p, axes[e].mistake) || !strchr(axes[e].of, of)) continue;
        const char *as = axes[e].as ? axes[e].as : p->toy.setting.memory;
        for (int b = 0; b < B; b++) mistake_axes(arena, array + b * H * T * d, H, T, d, axes[e].to, as);
    }
}

// To a mean square of 1.
static void standard(double *rows, int count, int d)
{
    for (double *row = rows; row < rows + count * d; row += d) {
        double square = 0;
        for (int c = 0; c < d; c++) square += row[c] * row[c] / d;
        for (int c = 0; c < d; c++) row[c] /= sqrt(square);
    }
}

// A rotation as a product of complex numbers.
static void rotated(double *rows, int count, int T, int d, bool pairs, int first)
{
    for (int r = 0; r < count; r++, rows += d)
        for (int c = 0; c < d / 2; c++) {
            double *x = rows + (pairs ? 2 * c : c), *y = pairs ? x + 1 : x + d / 2;
            double angle = (r % T + first) / exp(log(10000) * 2 * c / d), real = *x * cos(angle) - *y * sin(angle);
            *y = *x * sin(angle) + *y * cos(angle);
            *x = real;
        }
}

// (B, H, T, d) as columns, (B, T, H·d), and these as `heads` heads.
static double *resplit(Arena *arena, const double *from, int B, int H, int T, int d, int heads)
{
    int D = H * d, width = D / heads;
    double *to = arena_alloc(arena, (size_t)(B * T * D) * sizeof *to);
    for (int b = 0; b < B; b++)
        for (int t = 0; t < T; t++)
            for (int c = 0; c < D; c++)
                to[((b * heads + c / width) * T + t) * width + c % width] = from[((b * H + c / d) * T + t) * d + c % d];
    return to;
}

static int heads_of(const Program *p)
{
    int H = p->is.H;
    return made(p, "heads_one")        ? 1
           : made(p, "heads_half")     ? H / 2
           : made(p, "heads_quarter")  ? H / 4
           : made(p, "heads_twice")    ? 2 * H
           : made(p, "heads_fourfold") ? 4 * H
                                       : H;
}

// What of the three arrays each is taken for.
static const char *order_of(const Program *p)
{
    return made(p, "q_v_swapped")       ? "vkq"
           : made(p, "qkv_turned")      ? "kvq"
           : made(p, "qkv_turned_back") ? "vqk"
           : made(p, "q_k_swapped")     ? "kqv"
           : made(p, "k_v_swapped")     ? "qvk"
                                        : "qkv";
}

static const double *array_of(const Toy *toy, char name)
{
    return name == 'q' ? toy->q : name == 'k' ? toy->k : toy->v;
}

static void change_numbers(Program *p)
{
    JudgeShape is = p->is;
    int queries = is.B * is.H * is.T, keys = is.B * is.G * is.S;
    bool both = made(p, "normed"), pairs = made(p, "rope_pairs");
    if (made(p, "rms_normed")) standard(p->q, queries, is.d);
    if (made(p, "rms_normed")) standard(p->k, keys, is.d);
    if (both || made(p, "q_normed")) normed(p->q, queries, is.d);
    if (both || made(p, "k_normed")) normed(p->k, keys, is.d);
    if (pairs || made(p, "rope_halves")) {
        rotated(p->q, queries, is.T, is.d, pairs, is.S - is.T);
        rotated(p->k, keys, is.S, is.d, pairs, 0);
    }
    if (made(p, "int8_keys_and_values")) {
        for (int e = 0; e < keys * is.d; e++) p->k[e] = nearbyint(p->k[e] * 32) / 32;
        for (int e = 0; e < keys * is.dv; e++) p->v[e] = nearbyint(p->v[e] * 32) / 32;
    }
    if (made(p, "value_3_zero")) memset(p->v + 3 * is.dv, 0, (size_t)is.dv * sizeof *p->v);
}

static void change_arrays(Arena *arena, Program *p)
{
    JudgeShape is = p->is;
    const char *order = order_of(p);
    p->q = copy_of(arena, array_of(&p->toy, order[0]), is.B * is.H * is.T * is.d);
    p->k = copy_of(arena, array_of(&p->toy, order[1]), is.B * is.G * is.S * is.d);
    p->v = copy_of(arena, array_of(&p->toy, order[2]), is.B * is.G * is.S * is.dv);
    reread(arena, p, p->q, 'q', is.B, is.H, is.T, is.d);
    reread(arena, p, p->k, 'k', is.B, is.G, is.S, is.d);
    reread(arena, p, p->v, 'v', is.B, is.G, is.S, is.dv);
    change_numbers(p);
    int heads = heads_of(p), groups = is.G * heads / is.H;
    p->q = resplit(arena, p->q, is.B, is.H, is.T, is.d, heads);
    p->k = resplit(arena, p->k, is.B, is.G, is.S, is.d, groups);
    p->v = resplit(arena, p->v, is.B, is.G, is.S, is.dv, groups);
    p->is = (JudgeShape){ is.B, heads, groups, is.T, is.S, is.H * is.d / heads, is.H * is.dv / heads };
}

double *toy_output(Arena *arena, const Toy *toy, const char *mistakes)
{
    JudgeShape is = toy->setting.is;
    Program p = { .toy = *toy, .is = is, .mistakes = mistakes };
    change_arrays(arena, &p);
    find_reads(&p.queries, &p, "q");
    find_reads(&p.keys, &p, "k");
    find_reads(&p.values, &p, "v");
    double *out = resplit(arena, run(arena, &p), is.B, p.is.H, is.T, p.is.dv, is.H);
    reread(arena, &p, out, 'o', is.B, is.H, is.T, is.dv);
    return out;
}
