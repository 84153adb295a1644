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
const Mistake mistakes[] = {
    // Masks.
    { "causal_missing", "c", NULL }, { "causal_missing", "cw", NULL }, { "causal_missing", "ca", NULL },
    { "causal_missing", "cl", NULL }, { "causal_missing", "cq", NULL }, { "causal_missing", "ct", NULL },
    { "causal_added", "u", NULL }, { "causal_added", "uq", NULL }, { "causal_added", "ua", NULL },
    { "causal_reversed", "c", NULL }, { "causal_reversed", "cq", NULL }, { "inverted", "c", NULL },
    { "inverted", "cw", NULL }, { "inverted", "cq", NULL }, { "top_left", "c", NULL }, { "top_left", "cw", NULL },
    { "top_left", "ca", NULL }, { "top_left", "ct", NULL }, { "own_length", "cl", NULL },
    { "own_length", "clw", NULL }, { "diagonal_hidden", "c", NULL }, { "diagonal_hidden", "cq", NULL },
    { "diagonal_hidden", "ca", NULL }, { "one_ahead", "c", NULL }, { "one_ahead", "cq", NULL },
    { "one_ahead", "cw", NULL }, { "window_missing", "cw", NULL }, { "window_missing", "uw", NULL },
    { "window_larger", "cw", NULL }, { "window_larger", "uw", NULL }, { "window_smaller", "cw", NULL },
    { "window_smaller", "uw", NULL }, { "window_behind", "uw", NULL }, { "sinks_missing", "cws", NULL },
    { "sinks_more", "cws", NULL }, { "sinks_fewer", "cws", NULL }, { "sinks_missing", "uwst", NULL },
    { "sinks_ahead", "cwsf", NULL }, { "padding_seen", "l", NULL }, { "padding_seen", "lb", NULL },
    { "padding_seen", "ul", NULL }, { "padding_in_front", "ul", NULL }, { "padding_in_front", "lb", NULL },
    { "length_longer", "ul", NULL }, { "length_longer", "lb", NULL }, { "length_shorter", "ul", NULL },
    { "length_shorter", "lb", NULL }, { "length_next", "ulb", NULL }, { "length_next", "lb", NULL },
    { "length_before", "ulb", NULL }, { "length_first", "ulb", NULL }, { "length_reversed", "ulb", NULL },
    { "padded_zero", "lq", NULL }, { "zero_score", "c", NULL }, { "zero_score", "ul", NULL },
    { "zero_score", "uw", NULL }, { "zero_weight", "c", NULL }, { "zero_weight", "ul", NULL },
    { "zero_weight", "cw", NULL }, { "mask_added", "c", NULL }, { "mask_added", "ul", NULL },
    { "hidden_added", "c", NULL }, { "hidden_added", "ul", NULL }, { "mask_unused", "cw", NULL },
    { "mask_unused", "cl", NULL }, { "empty_nan", "cf", NULL }, { "empty_mean", "cf", NULL },
    { "first_key", "c", NULL }, { "first_key", "u", NULL }, { "first_key", "t", NULL }, { "last_key", "u", NULL },
    { "last_key", "c", NULL }, { "last_key", "tu", NULL },

    // Scores.
    { "scale_missing", "", NULL }, { "scale_missing", "q", NULL }, { "scale_missing", "t", NULL },
    { "scale_missing", "a", NULL }, { "scale_d", "", NULL }, { "scale_d", "m", NULL }, { "scale_D", "", NULL },
    { "scale_D", "g", NULL }, { "scale_times", "", NULL }, { "scale_times", "q", NULL }, { "scale_dv", "m", NULL },
    { "scale_default", "x", NULL }, { "scale_default", "xq", NULL }, { "scale_half", "", NULL },
    { "scale_half", "q", NULL }, { "scale_keys", "", NULL }, { "scale_negative", "", NULL },
    { "scale_negative", "a", NULL }, { "scale_zero", "", NULL }, { "scale_zero", "a", NULL },
    { "q_reshaped", "", NULL }, { "k_reshaped", "", NULL }, { "k_reshaped", "q", NULL }, { "d_last", "", NULL },
    { "d_last", "h", NULL }, { "d_first", "", NULL }, { "base2", "", NULL }, { "base2", "a", NULL },
    { "normed", "", NULL }, { "normed", "q", NULL }, { "rope_halves", "q", NULL }, { "rope_halves", "h", NULL },
    { "rope_pairs", "q", NULL }, { "rope_pairs", "h", NULL }, { "alibi_missing", "a", NULL },
    { "alibi_missing", "ua", NULL }, { "alibi_added", "", NULL }, { "alibi_from_one", "a", NULL },
    { "alibi_sign", "a", NULL }, { "alibi_signed", "ua", NULL }, { "alibi_powers", "ga", NULL },
    { "alibi_scaled", "a", NULL }, { "alibi_scaled", "ua", NULL }, { "alibi_reversed", "a", NULL },
    { "alibi_reversed", "ga", NULL }, { "alibi_key_heads", "am", NULL }, { "alibi_one", "a", NULL },

    // Softmax.
    { "over_queries", "", NULL }, { "over_queries", "q", NULL }, { "over_queries", "u", NULL },
    { "over_heads", "", NULL }, { "over_heads", "u", NULL }, { "over_heads", "g", NULL }, { "over_batch", "b", NULL },
    { "over_batch", "ub", NULL }, { "over_all", "", NULL }, { "over_all", "q", NULL }, { "undivided", "", NULL },
    { "undivided", "q", NULL }, { "undivided_plain", "", NULL }, { "undivided_plain", "q", NULL },
    { "softmax_twice", "u", NULL }, { "softmax_twice", "c", NULL }, { "no_softmax", "u", NULL },
    { "no_softmax", "c", NULL }, { "sigmoid", "u", NULL }, { "sigmoid", "c", NULL }, { "hard_max", "u", NULL },
    { "hard_max", "c", NULL }, { "shares", "u", NULL }, { "relu", "u", NULL }, { "relu", "c", NULL },
    { "log_softmax", "u", NULL }, { "own_key", "q", NULL }, { "plus_one", "u", NULL }, { "plus_one", "c", NULL },
    { "plus_one_max", "u", NULL }, { "plus_one_max", "c", NULL }, { "scale_after", "", NULL },
    { "scale_after", "q", NULL }, { "scale_again", "", NULL }, { "weights_transposed", "qu", NULL },
    { "out_unscaled=1", "t", NULL }, { "out_unscaled=4", "t", NULL }, { "out_unscaled=8", "t", NULL },
    { "out_unscaled=16", "tu", NULL }, { "out_unscaled=32", "tu", NULL }, { "sum_unscaled=1", "t", NULL },
    { "sum_unscaled=4", "t", NULL }, { "sum_unscaled=8", "t", NULL }, { "sum_unscaled=16", "tu", NULL },
    { "sum_unscaled=32", "tu", NULL }, { "both_unscaled=4", "t", NULL }, { "both_unscaled=8", "t", NULL },
    { "both_unscaled=16", "tu", NULL }, { "corrected_up=4", "t", NULL }, { "corrected_up=8", "t", NULL },
    { "tiles_alone=4", "t", NULL }, { "tiles_alone=8", "t", NULL }, { "tiles_alone=16", "tu", NULL },
    { "tile_left_out=16", "tu", NULL }, { "tile_left_out=8", "tu", NULL },

    // Heads and sequences.
    { "kv_mod", "m", NULL }, { "kv_mod", "mu", NULL }, { "k_mod", "m", NULL }, { "v_mod", "m", NULL },
    { "kv_first", "g", NULL }, { "kv_first", "m", NULL }, { "k_first", "g", NULL }, { "v_first", "g", NULL },
    { "v_first", "m", NULL }, { "kv_next", "g", NULL }, { "k_next", "g", NULL }, { "v_next", "g", NULL },
    { "v_next", "m", NULL }, { "kv_before", "g", NULL }, { "k_before", "g", NULL }, { "v_before", "g", NULL },
    { "kv_reversed", "g", NULL }, { "k_reversed", "g", NULL }, { "v_reversed", "g", NULL },
    { "kv_of_first", "b", NULL }, { "k_of_first", "b", NULL }, { "v_of_first", "b", NULL },
    { "kv_of_next", "b", NULL }, { "k_of_next", "b", NULL }, { "v_of_next", "b", NULL },
    { "kv_of_reversed", "b", NULL }, { "kv_ahead", "c", NULL }, { "k_ahead", "", NULL }, { "k_ahead", "u", NULL },
    { "v_ahead", "", NULL }, { "v_ahead", "u", NULL }, { "kv_behind", "c", NULL }, { "k_behind", "", NULL },
    { "v_behind", "", NULL }, { "k_for_v", "q", NULL }, { "v_for_k", "q", NULL }, { "k_v_swapped", "q", NULL },
    { "q_k_swapped", "q", NULL }, { "q_k_swapped", "qu", NULL }, { "plus_q", "q", NULL }, { "plus_v", "", NULL },
    { "plus_v", "q", NULL }, { "heads_one", "h", NULL }, { "heads_half", "h", NULL }, { "heads_quarter", "h", NULL },
    { "heads_twice", "h", NULL }, { "heads_fourfold", "h", NULL }, { "heads", "", "moved" },
    { "heads", "g", "moved" }, { "sequences", "b", "moved" }, { "first", "b", "moved" }, { "queries", "", "moved" },
    { "queries", "q", "moved" }, { "channels", "", "moved" },

    // Axes.
    { "split", "", NULL }, { "split", "h", NULL }, { "split_q", "", NULL }, { "split_q", "h", NULL },
    { "split_k", "g", NULL }, { "split_v", "g", NULL }, { "split_kv", "g", NULL }, { "split_back", "", NULL },
    { "split_back_q", "", NULL }, { "split_back_k", "g", NULL }, { "split_back_v", "g", NULL },
    { "interleaved", "", NULL }, { "interleaved_q", "", NULL }, { "interleaved_k", "g", NULL },
    { "interleaved_v", "g", NULL }, { "split_and_back", "h", NULL }, { "split_back_and_forth", "h", NULL },
    { "interleaved_both", "", NULL }, { "merged", "", NULL }, { "merged", "h", NULL }, { "unmerged", "", NULL },
    { "out_interleaved", "", NULL }, { "transposed", "", NULL }, { "transposed", "q", NULL },
    { "all_reversed", "", NULL }, { "other_order", "", NULL },

    // Small ones, which are no rounding.
    { "soft_cap=10", "", NULL }, { "soft_cap=20", "", NULL }, { "soft_cap=30", "q", NULL },
    { "soft_cap=50", "h", NULL }, { "soft_cap=3", "u", NULL }, { "scale=1.003", "", NULL },
    { "scale=0.997", "", NULL }, { "scale=1.01", "", NULL }, { "scale=0.99", "q", NULL }, { "scale=1.3", "", NULL },
    { "scale=0.6", "", NULL }, { "scale=-0.5", "", NULL }, { "scale=1.002", "t", NULL },
    { "epsilon=0.001", "", NULL }, { "epsilon=0.01", "", NULL }, { "epsilon=0.1", "q", NULL },
    { "epsilon_plain=0.01", "", NULL }, { "epsilon_plain=0.1", "u", NULL }, { "hidden_low=-8", "c", NULL },
    { "hidden_low=-6", "ct", NULL }, { "hidden_low=-5", "ul", NULL }, { "hidden_low=-2", "cq", NULL },
    { "hidden_at=-8", "c", NULL }, { "hidden_at=-6", "ct", NULL }, { "hidden_at=-5", "ul", NULL },
    { "hidden_at=-3", "cw", NULL }, { "added=0.001", "", NULL }, { "added=-0.5", "q", NULL },
    { "multiplied=1.25", "", NULL }, { "multiplied=1.001", "", NULL }, { "multiplied=0.5", "u", NULL },
    { "multiplied=-1", "", NULL }, { "alibi_times=2", "a", NULL }, { "alibi_times=0.99", "a", NULL },

    // Less usual ones, and those that attend has no name for: none may be called by another's.
    { "window_half", "cv", NULL }, { "window_half", "uv", NULL }, { "window_added=5", "c", NULL },
    { "window_added=11", "ct", NULL }, { "window_added=3+scale_missing", "c", NULL }, { "window_blocks", "cw", NULL },
    { "window_blocks", "uw", NULL }, { "sinks_in_window", "cws", NULL },
    { "filler_counted", "lb", "hidden_counted|filler_counted" }, { "hidden_counted", "c", NULL },
    { "hidden_counted", "ul", NULL }, { "length_in_turn", "ulb", NULL }, { "length_in_turn", "clb", NULL },
    { "filler_zero", "cl", NULL }, { "filler_zero", "clb", NULL }, { "filler_after", "cl", NULL },
    { "filler_after", "clb", NULL }, { "self_hidden", "u", NULL }, { "self_hidden", "uq", NULL },
    { "causal_tiles=4", "c", NULL }, { "causal_tiles=4", "cq", NULL }, { "causal_tiles=8", "ct", NULL },
    { "causal_tiles_short=4", "c", NULL }, { "causal_tiles_short=4", "cq", NULL },
    { "causal_tiles_short=4", "ct", NULL }, { "rows_padded+padding_seen", "lq", "padding_seen+padded_zero" },
    { "diagonal_hidden+window_larger", "cw", NULL }, { "causal_in_head_0", "c", "part:causal_missing" },
    { "q_normed", "", NULL }, { "k_normed", "", NULL }, { "q_normed", "q", NULL }, { "k_normed", "q", NULL },
    { "rms_normed", "", NULL }, { "rms_normed", "q", NULL }, { "alibi_halves", "a", NULL },
    { "alibi_halves", "ga", NULL }, { "distance", "", NULL }, { "relu_shares", "u", NULL },
    { "relu_shares", "c", NULL }, { "sigmoid_shares", "u", NULL }, { "sigmoid_shares", "c", NULL },
    { "exp_series", "", "small" }, { "exp_series", "q", "small" }, { "sum_short", "u", NULL },
    { "sum_short", "c", NULL }, { "mix_short", "u", NULL }, { "mix_short", "c", NULL }, { "out_kept", "u", NULL },
    { "out_kept", "c", NULL }, { "tiles_alone=16+multiplied=3", "tu", NULL }, { "weights_squared", "", NULL },
    { "kv_by_groups", "m", NULL }, { "q_next", "q", NULL }, { "q_next", "g", NULL }, { "q_ahead", "u", NULL },
    { "q_ahead", "c", NULL }, { "q_behind", "c", NULL }, { "q_behind", "q", NULL }, { "q_of_first", "b", NULL },
    { "v_of_before", "b", NULL }, { "k_of_reversed", "b", NULL }, { "qkv_turned", "q", NULL },
    { "unwritten_last_query", "", "where:yours is 0 in all" },
    { "unwritten_last_query", "h", "where:yours is 0 in all" },
    { "unwritten_first_query", "q", "where:yours is 0 in all" }, { "unwritten_head", "", "where:yours is 0 in all" },
    { "unwritten_channel", "", "where:yours is 0 in all" }, { "unwritten_sequence", "b", "where:yours is 0 in all" },
    { "relu_out", "", NULL }, { "abs_out", "", NULL }, { "plus_k", "q", NULL },
    { "plus_k+causal_missing", "cq", NULL }, { "int8_keys_and_values", "", "small" },
    { "int8_keys_and_values", "t", "small" }, { "value_3_zero", "", NULL }, { "value_3_zero", "t", NULL },
    { "k_normed+causal_missing", "c", NULL }, { "mix_short+scale_missing", "c", NULL },
    { "out_kept+scale_missing", "c", NULL }, { "causal_tiles=4+scale_missing", "c", NULL },
    { "q_v_swapped", "q", NULL }, { "qkv_turned_back", "q", NULL }, { "q_first", "", NULL }, { "q_first", "g", NULL },
    { "q_of_next", "b", NULL }, { "window_blocks", "cv", NULL }, { "d_tail=4", "", NULL }, { "d_tail=4", "f", NULL },
    { "self_hidden", "ul", NULL }, { "q_first+scale_missing", "", NULL },
    { "length_in_turn+scale_missing", "lb", NULL }, { "k_for_v+k_v_swapped", "q", NULL },

    // Two, and three.
    { "scale_missing+causal_missing", "c", NULL }, { "scale_missing+kv_mod", "m", NULL },
    { "scale_missing+top_left", "c", NULL }, { "scale_d+diagonal_hidden", "c", NULL },
    { "causal_missing+kv_first", "cg", NULL }, { "split+scale_missing", "", NULL },
    { "merged+causal_missing", "c", NULL }, { "over_queries+scale_missing", "", NULL },
    { "padding_seen+scale_missing", "lb", NULL }, { "padding_seen+one_ahead", "clb", NULL },
    { "kv_mod+one_ahead", "cm", NULL }, { "transposed+scale_d", "", NULL }, { "undivided+top_left", "c", NULL },
    { "alibi_missing+causal_missing", "ca", NULL }, { "alibi_sign+scale_missing", "a", NULL },
    { "window_larger+kv_mod", "cwm", NULL }, { "window_missing+sinks_missing", "cws", "window_missing" },
    { "k_reshaped+scale_missing", "", NULL }, { "split_q+causal_missing", "c", NULL },
    { "plus_one+causal_missing", "c", NULL }, { "base2+kv_mod", "m", NULL },
    { "zero_score+scale_missing", "c", NULL }, { "interleaved+transposed", "h", NULL },
    { "softmax_twice+top_left", "c", NULL }, { "v_next+one_ahead", "cg", NULL },
    { "rope_halves+scale_missing", "q", NULL }, { "plus_v+scale_missing", "q", NULL },
    { "normed+scale_missing", "", NULL }, { "heads_half+causal_missing", "ch", NULL },
    { "soft_cap=20+causal_missing", "c", NULL }, { "scale=1.3+kv_mod", "m", NULL },
    { "multiplied=2+causal_missing", "c", NULL }, { "scale=0.9+merged", "", NULL },
    { "kv_mod+epsilon=0.1", "m", NULL }, { "scale_missing+causal_missing+kv_mod", "cm", NULL },
    { "scale_missing+top_left+merged", "c", NULL }, { "scale_d+diagonal_hidden+kv_mod", "cm", NULL },
    { "split+scale_missing+causal_missing", "c", NULL }, { "kv_first+scale_missing+one_ahead", "cg", NULL },
    { "padding_seen+causal_missing+scale_missing", "clb", "mask_unused+scale_missing" },
    { "alibi_missing+scale_missing+causal_missing", "ca", NULL }, { "transposed+scale_missing+top_left", "c", NULL },
    { "plus_v+scale_missing+causal_missing", "cq", NULL }, { "v_mod+scale_missing+top_left", "cm", NULL },

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
