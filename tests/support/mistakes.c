// The table, and how its words become numbers.
//
// needs: the shapes (q square, g several key heads, m fewer key heads than heads, b several sequences, t many keys,
// h heads that can be split otherwise, f more queries than keys; else T, S, d and dv all differ), and what is asked for
// on all three (c causal, u no mask, w a window, s sinks, a ALiBi, l lengths, x a scale). Without those the first is
// causal, the second has no mask, the third is causal and has lengths.
//
// made: "head:NAME" makes it in head 1 alone, "sequence:NAME", "rows:NAME" in the last sequence, the last two queries;
// "but:NAME" everywhere, and one row is wrong besides. right: "part:NAME" and "but:NAME" for these, "alike", "moved",
// "rounding:NAME", "where:WORDS" for what is said of the place when there is no cause, "garbage" when nothing is,
// "small" when it may be said that it could be rounding, but not that it is.
#include "base/portable_math.h"
#include "support/mistakes.h"

#include <stdlib.h>
#include <string.h>

// clang-format off
// M3(mistake, needs, needs, needs): as often as it has needs.
#define M(made_, needs_) { made_, needs_, NULL }
#define M2(m_, a_, b_) M(m_, a_), M(m_, b_)
#define M3(m_, a_, b_, c_) M2(m_, a_, b_), M(m_, c_)
#define M4(m_, a_, b_, c_, d_) M3(m_, a_, b_, c_), M(m_, d_)
#define M5(m_, a_, b_, c_, d_, e_) M4(m_, a_, b_, c_, d_), M(m_, e_)
#define M6(m_, a_, b_, c_, d_, e_, f_) M5(m_, a_, b_, c_, d_, e_), M(m_, f_)
const Mistake mistakes[] = {
    // Masks.
    M6("causal_missing", "c", "cw", "ca", "cl", "cq", "ct"), M3("causal_added", "u", "uq", "ua"),
    M2("causal_reversed", "c", "cq"), M3("inverted", "c", "cw", "cq"), M4("top_left", "c", "cw", "ca", "ct"),
    M2("own_length", "cl", "clw"), M3("diagonal_hidden", "c", "cq", "ca"), M3("one_ahead", "c", "cq", "cw"),
    M2("window_missing", "cw", "uw"), M2("window_larger", "cw", "uw"), M2("window_smaller", "cw", "uw"),
    M("window_behind", "uw"), M("sinks_missing", "cws"), M("sinks_more", "cws"), M("sinks_fewer", "cws"),
    M("sinks_missing", "uwst"), M("sinks_ahead", "cwsf"), M3("padding_seen", "l", "lb", "ul"),
    M2("padding_in_front", "ul", "lb"), M2("length_longer", "ul", "lb"), M2("length_shorter", "ul", "lb"),
    M2("length_next", "ulb", "lb"), M("length_before", "ulb"), M("length_first", "ulb"), M("length_reversed", "ulb"),
    M("padded_zero", "lq"), M3("zero_score", "c", "ul", "uw"), M3("zero_weight", "c", "ul", "cw"),
    M2("mask_added", "c", "ul"), M2("hidden_added", "c", "ul"), M2("mask_unused", "cw", "cl"), M("empty_nan", "cf"),
    M("empty_mean", "cf"), M3("first_key", "c", "u", "t"), M3("last_key", "u", "c", "tu"),

    // Scores.
    M4("scale_missing", "", "q", "t", "a"), M2("scale_d", "", "m"), M2("scale_D", "", "g"),
    M2("scale_times", "", "q"), M("scale_dv", "m"), M2("scale_default", "x", "xq"), M2("scale_half", "", "q"),
    M("scale_keys", ""), M2("scale_negative", "", "a"), M2("scale_zero", "", "a"), M("q_reshaped", ""),
    M2("k_reshaped", "", "q"), M2("d_last", "", "h"), M("d_first", ""), M2("base2", "", "a"), M2("normed", "", "q"),
    M2("rope_halves", "q", "h"), M2("rope_pairs", "q", "h"), M2("alibi_missing", "a", "ua"), M("alibi_added", ""),
    M("alibi_from_one", "a"), M("alibi_sign", "a"), M("alibi_signed", "ua"), M("alibi_powers", "ga"),
    M2("alibi_scaled", "a", "ua"), M2("alibi_reversed", "a", "ga"), M("alibi_key_heads", "am"), M("alibi_one", "a"),

    // Softmax.
    M3("over_queries", "", "q", "u"), M3("over_heads", "", "u", "g"), M2("over_batch", "b", "ub"),
    M2("over_all", "", "q"), M2("undivided", "", "q"), M2("undivided_plain", "", "q"), M2("softmax_twice", "u", "c"),
    M2("no_softmax", "u", "c"), M2("sigmoid", "u", "c"), M2("hard_max", "u", "c"), M("shares", "u"),
    M2("relu", "u", "c"), M("log_softmax", "u"), M("own_key", "q"), M2("plus_one", "u", "c"),
    M2("plus_one_max", "u", "c"), M2("scale_after", "", "q"), M("scale_again", ""), M("weights_transposed", "qu"),
    M("out_unscaled=1", "t"), M("out_unscaled=4", "t"), M("out_unscaled=8", "t"), M("out_unscaled=16", "tu"),
    M("out_unscaled=32", "tu"), M("sum_unscaled=1", "t"), M("sum_unscaled=4", "t"), M("sum_unscaled=8", "t"),
    M("sum_unscaled=16", "tu"), M("sum_unscaled=32", "tu"), M("both_unscaled=4", "t"), M("both_unscaled=8", "t"),
    M("both_unscaled=16", "tu"), M("corrected_up=4", "t"), M("corrected_up=8", "t"), M("tiles_alone=4", "t"),
    M("tiles_alone=8", "t"), M("tiles_alone=16", "tu"), M("tile_left_out=16", "tu"), M("tile_left_out=8", "tu"),

    // Heads and sequences.
    M2("kv_mod", "m", "mu"), M("k_mod", "m"), M("v_mod", "m"), M2("kv_first", "g", "m"), M("k_first", "g"),
    M2("v_first", "g", "m"), M("kv_next", "g"), M("k_next", "g"), M2("v_next", "g", "m"), M("kv_before", "g"),
    M("k_before", "g"), M("v_before", "g"), M("kv_reversed", "g"), M("k_reversed", "g"), M("v_reversed", "g"),
    M("kv_of_first", "b"), M("k_of_first", "b"), M("v_of_first", "b"), M("kv_of_next", "b"), M("k_of_next", "b"),
    M("v_of_next", "b"), M("kv_of_reversed", "b"), M("kv_ahead", "c"), M2("k_ahead", "", "u"), M2("v_ahead", "", "u"),
    M("kv_behind", "c"), M("k_behind", ""), M("v_behind", ""), M("k_for_v", "q"), M("v_for_k", "q"),
    M("k_v_swapped", "q"), M2("q_k_swapped", "q", "qu"), M("plus_q", "q"), M2("plus_v", "", "q"), M("heads_one", "h"),
    M("heads_half", "h"), M("heads_quarter", "h"), M("heads_twice", "h"), M("heads_fourfold", "h"),
    { "heads", "", "moved" }, { "heads", "g", "moved" }, { "sequences", "b", "moved" }, { "first", "b", "moved" },
    { "queries", "", "moved" }, { "queries", "q", "moved" }, { "channels", "", "moved" },

    // Axes.
    M2("split", "", "h"), M2("split_q", "", "h"), M("split_k", "g"), M("split_v", "g"), M("split_kv", "g"),
    M("split_back", ""), M("split_back_q", ""), M("split_back_k", "g"), M("split_back_v", "g"), M("interleaved", ""),
    M("interleaved_q", ""), M("interleaved_k", "g"), M("interleaved_v", "g"), M("split_and_back", "h"),
    M("split_back_and_forth", "h"), M("interleaved_both", ""), M2("merged", "", "h"), M("unmerged", ""),
    M("out_interleaved", ""), M2("transposed", "", "q"), M("all_reversed", ""), M("other_order", ""),

    // Small ones, which are no rounding.
    M("soft_cap=10", ""), M("soft_cap=20", ""), M("soft_cap=30", "q"), M("soft_cap=50", "h"), M("soft_cap=3", "u"),
    M("scale=1.003", ""), M("scale=0.997", ""), M("scale=1.01", ""), M("scale=0.99", "q"), M("scale=1.3", ""),
    M("scale=0.6", ""), M("scale=-0.5", ""), M("scale=1.002", "t"), M("epsilon=0.001", ""), M("epsilon=0.01", ""),
    M("epsilon=0.1", "q"), M("epsilon_plain=0.01", ""), M("epsilon_plain=0.1", "u"), M("hidden_low=-8", "c"),
    M("hidden_low=-6", "ct"), M("hidden_low=-5", "ul"), M("hidden_low=-2", "cq"), M("hidden_at=-8", "c"),
    M("hidden_at=-6", "ct"), M("hidden_at=-5", "ul"), M("hidden_at=-3", "cw"), M("added=0.001", ""),
    M("added=-0.5", "q"), M("multiplied=1.25", ""), M("multiplied=1.001", ""), M("multiplied=0.5", "u"),
    M("multiplied=-1", ""), M("alibi_times=2", "a"), M("alibi_times=0.99", "a"),

    // Less usual ones, and those that attend has no name for: none may be called by another's.
    M2("window_half", "cv", "uv"), M("window_added=5", "c"), M("window_added=11", "ct"),
    M("window_added=3+scale_missing", "c"), M2("window_blocks", "cw", "uw"), M("sinks_in_window", "cws"),
    { "filler_counted", "lb", "hidden_counted|filler_counted" }, M2("hidden_counted", "c", "ul"),
    M2("length_in_turn", "ulb", "clb"), M2("filler_zero", "cl", "clb"), M2("filler_after", "cl", "clb"),
    M2("self_hidden", "u", "uq"), M2("causal_tiles=4", "c", "cq"), M("causal_tiles=8", "ct"),
    M3("causal_tiles_short=4", "c", "cq", "ct"), { "rows_padded+padding_seen", "lq", "padding_seen+padded_zero" },
    M("diagonal_hidden+window_larger", "cw"), { "causal_in_head_0", "c", "part:causal_missing" }, M("q_normed", ""),
    M("k_normed", ""), M("q_normed", "q"), M("k_normed", "q"), M2("rms_normed", "", "q"),
    M2("alibi_halves", "a", "ga"), M("distance", ""), M2("relu_shares", "u", "c"), M2("sigmoid_shares", "u", "c"),
    { "exp_series", "", "small" }, { "exp_series", "q", "small" }, M2("sum_short", "u", "c"),
    M2("mix_short", "u", "c"), M2("out_kept", "u", "c"), M("tiles_alone=16+multiplied=3", "tu"),
    M("weights_squared", ""), M("kv_by_groups", "m"), M2("q_next", "q", "g"), M2("q_ahead", "u", "c"),
    M2("q_behind", "c", "q"), M("q_of_first", "b"), M("v_of_before", "b"), M("k_of_reversed", "b"),
    M("qkv_turned", "q"), { "unwritten_last_query", "", "where:yours is 0 in all" },
    { "unwritten_last_query", "h", "where:yours is 0 in all" },
    { "unwritten_first_query", "q", "where:yours is 0 in all" }, { "unwritten_head", "", "where:yours is 0 in all" },
    { "unwritten_channel", "", "where:yours is 0 in all" }, { "unwritten_sequence", "b", "where:yours is 0 in all" },
    M("relu_out", ""), M("abs_out", ""), M("plus_k", "q"), M("plus_k+causal_missing", "cq"),
    { "int8_keys_and_values", "", "small" }, { "int8_keys_and_values", "t", "small" }, M2("value_3_zero", "", "t"),
    M("k_normed+causal_missing", "c"), M("mix_short+scale_missing", "c"), M("out_kept+scale_missing", "c"),
    M("causal_tiles=4+scale_missing", "c"), M("q_v_swapped", "q"), M("qkv_turned_back", "q"), M2("q_first", "", "g"),
    M("q_of_next", "b"), M("window_blocks", "cv"), M2("d_tail=4", "", "f"), M("self_hidden", "ul"),
    M("q_first+scale_missing", ""), M("length_in_turn+scale_missing", "lb"), M("k_for_v+k_v_swapped", "q"),

    // Two, and three.
    M("scale_missing+causal_missing", "c"), M("scale_missing+kv_mod", "m"), M("scale_missing+top_left", "c"),
    M("scale_d+diagonal_hidden", "c"), M("causal_missing+kv_first", "cg"), M("split+scale_missing", ""),
    M("merged+causal_missing", "c"), M("over_queries+scale_missing", ""), M("padding_seen+scale_missing", "lb"),
    M("padding_seen+one_ahead", "clb"), M("kv_mod+one_ahead", "cm"), M("transposed+scale_d", ""),
    M("undivided+top_left", "c"), M("alibi_missing+causal_missing", "ca"), M("alibi_sign+scale_missing", "a"),
    M("window_larger+kv_mod", "cwm"), { "window_missing+sinks_missing", "cws", "window_missing" },
    M("k_reshaped+scale_missing", ""), M("split_q+causal_missing", "c"), M("plus_one+causal_missing", "c"),
    M("base2+kv_mod", "m"), M("zero_score+scale_missing", "c"), M("interleaved+transposed", "h"),
    M("softmax_twice+top_left", "c"), M("v_next+one_ahead", "cg"), M("rope_halves+scale_missing", "q"),
    M("plus_v+scale_missing", "q"), M("normed+scale_missing", ""), M("heads_half+causal_missing", "ch"),
    M("soft_cap=20+causal_missing", "c"), M("scale=1.3+kv_mod", "m"), M("multiplied=2+causal_missing", "c"),
    M("scale=0.9+merged", ""), M("kv_mod+epsilon=0.1", "m"), M("scale_missing+causal_missing+kv_mod", "cm"),
    M("scale_missing+top_left+merged", "c"), M("scale_d+diagonal_hidden+kv_mod", "cm"),
    M("split+scale_missing+causal_missing", "c"), M("kv_first+scale_missing+one_ahead", "cg"),
    { "padding_seen+causal_missing+scale_missing", "clb", "mask_unused+scale_missing" },
    M("alibi_missing+scale_missing+causal_missing", "ca"), M("transposed+scale_missing+top_left", "c"),
    M("plus_v+scale_missing+causal_missing", "cq"), M("v_mod+scale_missing+top_left", "cm"),

    // In some places only.
    { "head:causal_missing", "c", "part:causal_missing" }, { "head:scale_missing", "", "part:scale_missing" },
    { "head:undivided", "", "part:undivided" }, { "head:v_next", "g", "part:v_next" },
    { "sequence:causal_missing", "cb", "part:causal_missing" },
    { "sequence:scale_missing", "b", "part:scale_missing" },
    { "sequence:padding_seen", "lb", "part:padding_seen|padding_seen" },
    { "rows:scale_missing", "", "part:scale_missing" }, { "rows:undivided", "u", "part:undivided" },
    { "but:causal_missing", "ch", "but:causal_missing" }, { "but:scale_missing", "h", "but:scale_missing" },
    { "but:kv_mod", "m", "but:kv_mod" }, { "but:merged", "h", "but:merged|part:merged" }, { "row", "", "where:1 of" },
    { "row", "q", "where:1 of" }, { "number", "", "where:1 of" }, { "number", "t", "where:1 of" },
    { "one-nan", "", "where:1 of" }, { "one-nan", "q", "where:1 of" }, { "channel", "", "where:channel 1" },
    { "head-zero", "", "where:head 1" },

    // What no cause gives.
    { "zero", "", "alike" }, { "nan", "", "alike" }, { "constant", "", "alike" },
    { "float16", "", "rounding:float16" }, { "bfloat16", "", "rounding:bfloat16" },
    { "float16", "t", "rounding:float16" }, { "bfloat16", "q", "rounding:bfloat16" },
    { "bfloat16", "h", "rounding:bfloat16" }, { "noise", "", "garbage" }, { "noise", "q", "garbage" },
    { "noise", "g", "garbage" }, { "mixed", "", "garbage" }, { "mixed", "h", "garbage" }, { "drift", "", "garbage" },
    { "drift", "q", "garbage" }, { "drift", "t", "garbage" },
};
// clang-format on
const int mistakes_count = sizeof mistakes / sizeof *mistakes;

// ---- problems

static JudgeShape shape_of(const char *needs, int n)
{
    static const struct {
        char letter;
        JudgeShape of[3];
    } shapes[] = {
        { 'q', { { 1, 2, 2, 9, 9, 4, 4 }, { 2, 4, 4, 6, 6, 6, 6 }, { 3, 3, 3, 8, 8, 4, 4 } } },
        { 'g', { { 1, 6, 3, 5, 8, 4, 6 }, { 2, 12, 4, 7, 7, 4, 4 }, { 1, 3, 3, 6, 9, 6, 4 } } },
        { 'm', { { 1, 4, 2, 6, 8, 4, 6 }, { 2, 6, 3, 5, 7, 6, 3 }, { 2, 8, 2, 7, 9, 4, 5 } } },
        { 'b', { { 3, 2, 2, 6, 10, 4, 3 }, { 4, 4, 2, 5, 9, 4, 4 }, { 3, 4, 1, 7, 8, 6, 4 } } },
        { 't', { { 1, 2, 1, 9, 41, 4, 4 }, { 2, 2, 2, 4, 37, 4, 3 }, { 1, 4, 2, 6, 70, 4, 4 } } },
        { 'h', { { 1, 8, 8, 5, 7, 8, 8 }, { 2, 8, 8, 6, 9, 8, 4 }, { 1, 8, 8, 7, 6, 4, 8 } } },
        { 'f', { { 1, 4, 2, 9, 6, 4, 3 }, { 2, 3, 3, 8, 5, 4, 4 }, { 1, 2, 1, 12, 9, 6, 5 } } },
    };
    static const JudgeShape others[3] = { { 2, 4, 2, 7, 9, 6, 5 }, { 1, 6, 1, 5, 12, 4, 4 }, { 3, 4, 4, 6, 10, 4, 3 } };
    for (size_t e = 0; e < sizeof shapes / sizeof *shapes; e++)
        if (strchr(needs, shapes[e].letter)) return shapes[e].of[n];
    return others[n];
}

Toy mistakes_toy(Arena *arena, const Mistake *mistake, int n)
{
    const char *needs = mistake->needs;
    const char *other = getenv("MISTAKES_SEED");
    uint64_t seed = other ? 1000000 * strtoull(other, NULL, 10) : 0;
    Random random = random_from(seed + (uint64_t)(mistake - mistakes) * 3 + (uint64_t)n);
    Toy toy = toy_of(arena, &random, shape_of(needs, n));
    JudgeRules *r = &toy.setting.rules;
    bool asked = strpbrk(needs, "cul") != NULL;
    r->causal = asked ? strchr(needs, 'c') != NULL : n != 1;
    r->alibi = strchr(needs, 'a') != NULL;
    r->window = strchr(needs, 'w') ? 3 : strchr(needs, 'v') ? 6 : 0;
    r->sinks = strchr(needs, 's') ? 2 : 0;
    if (strchr(needs, 'x')) r->scale = 0.3;
    toy.setting.has_scale = strchr(needs, 'x') != NULL;
    toy.setting.has_lengths = asked ? strchr(needs, 'l') != NULL : n == 2;
    if (toy.setting.has_lengths) toy.problem.lengths = toy.lengths;
    toy.setting.memory = n == 1 ? "htd" : "thd";
    return toy;
}

// ---- in some places, and what is no mistake of causes_list.h

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

// Is row (b, h, i) one that the mistake is made in?
static bool among(const char *made, JudgeShape is, int b, int h, int i)
{
    return begins(made, "head:")       ? h == 1
           : begins(made, "sequence:") ? b == is.B - 1
           : begins(made, "rows:")     ? i >= is.T - 2
                                       : true;
}

// Which row of the right output stands at (b, h, i).
static int moved_row(const char *made, JudgeShape is, int b, int h, int i)
{
    if (!strcmp(made, "heads")) h = is.H - 1 - h;
    if (!strcmp(made, "sequences")) b = (b + 1) % is.B;
    if (!strcmp(made, "first")) b = 0;
    if (!strcmp(made, "queries")) i = (i + 1) % is.T;
    return (b * is.H + h) * is.T + i;
}

static double spoilt(const char *made, JudgeShape is, Random *random, int row, int c, double right)
{
    int middle = is.B * is.H * is.T / 2, h = row / is.T % is.H;
    if ((!strcmp(made, "row") || begins(made, "but:")) && row == middle) return right + 0.5 + 0.1 * c;
    if (!strcmp(made, "number") && row == middle && c == 1) return right + 0.01;
    if (!strcmp(made, "one-nan") && row == middle && c == 1) return (double)NAN;
    if (!strcmp(made, "channel") && c == 1) return right * (1 + 0.5 * (double)random_normal(random));
    if (!strcmp(made, "head-zero") && h == 1) return 0;
    if (!strcmp(made, "zero")) return 0;
    if (!strcmp(made, "nan")) return (double)NAN;
    if (!strcmp(made, "constant")) return 0.25;
    if (!strcmp(made, "noise")) return (double)random_normal(random);
    if (!strcmp(made, "mixed")) return right + 0.3 * (double)random_normal(random);
    if (!strcmp(made, "drift")) return right * (1 + 0.05 * row + 0.3 * c * c);
    return right;
}

// All that goes in and comes out is rounded.
static double *in_precision(Arena *arena, const Toy *toy, JudgePrecision precision)
{
    JudgeShape is = toy->problem.is;
    Toy low = *toy;
    double **arrays[] = { &low.q, &low.k, &low.v }, *out;
    int counts[] = { is.B * is.H * is.T * is.d, is.B * is.G * is.S * is.d, is.B * is.G * is.S * is.dv };
    for (int a = 0; a < 3; a++) {
        double *rounded = arena_alloc(arena, (size_t)counts[a] * sizeof *rounded);
        for (int e = 0; e < counts[a]; e++) rounded[e] = judge_rounded((*arrays[a])[e], precision);
        *arrays[a] = rounded;
    }
    out = toy_output(arena, &low, "");
    for (int e = 0; e < is.B * is.H * is.T * is.dv; e++) out[e] = judge_rounded(out[e], precision);
    return out;
}

double *mistakes_output(Arena *arena, const Mistake *mistake, const Toy *toy)
{
    JudgeShape is = toy->problem.is;
    const char *made = mistake->made, *colon = strchr(made, ':');
    Random random = random_from(99);
    bool is_cause = colon || strchr(made, '_') || strchr(made, '=');
    static const char *const plain[] = { "inverted", "undivided",  "sigmoid", "shares",      "relu",
                                         "normed",   "base2",      "split",   "interleaved", "merged",
                                         "unmerged", "transposed", "distance" };
    for (size_t e = 0; e < sizeof plain / sizeof *plain; e++) is_cause |= !strcmp(made, plain[e]);
    if (!strcmp(made, "float16")) return in_precision(arena, toy, JUDGE_FLOAT16);
    if (!strcmp(made, "bfloat16")) return in_precision(arena, toy, JUDGE_BFLOAT16);
    double *right = toy_output(arena, toy, ""), *wrong = right;
    if (is_cause) wrong = toy_output(arena, toy, colon ? colon + 1 : made);
    double *out = arena_alloc(arena, (size_t)(is.B * is.H * is.T * is.dv) * sizeof *out), *to = out;
    for (int b = 0; b < is.B; b++)
        for (int h = 0; h < is.H; h++)
            for (int i = 0; i < is.T; i++)
                for (int c = 0; c < is.dv; c++) {
                    int own = (b * is.H + h) * is.T + i, row = moved_row(made, is, b, h, i);
                    int column = !strcmp(made, "channels") ? is.dv - 1 - c : c;
                    const double *from = among(made, is, b, h, i) ? wrong : right;
                    *to++ = (double)(float)spoilt(made, is, &random, own, c, from[row * is.dv + column]);
                }
    return out;
}
