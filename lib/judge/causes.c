// One line a mistake. Where a mistake could not change anything (no window, no second group) it is not tried.
#include "judge/causes.h"

#include <math.h>
#include <string.h>

// ---- masks

static bool uses_positions(const Setting *s) { return s->rules.causal || s->rules.window || s->rules.alibi; }

static bool top_left(Variation *v, const Setting *s)
{
    v->rules.position = TOP_LEFT;
    return s->is.T != s->is.S && uses_positions(s);
}

static bool own_length(Variation *v, const Setting *s)
{
    v->rules.position = BY_OWN_LENGTH;
    return s->has_lengths && uses_positions(s);
}

static bool hides(const Setting *s) { return s->rules.causal || s->rules.window || s->has_lengths; }

static bool inverted(Variation *v, const Setting *s) { v->rules.inverted = true; return hides(s); }
static bool causal_missing(Variation *v, const Setting *s) { v->rules.causal = false; return s->rules.causal; }
static bool causal_added(Variation *v, const Setting *s) { v->rules.causal = true; return !s->rules.causal; }
static bool causal_reversed(Variation *v, const Setting *s) { v->rules.future = true; return s->rules.causal; }
static bool diagonal_hidden(Variation *v, const Setting *s) { v->rules.shift = -1; return s->rules.causal; }
static bool one_ahead(Variation *v, const Setting *s) { v->rules.shift = 1; return s->rules.causal; }
static bool window_missing(Variation *v, const Setting *s) { v->rules.window = 0; return s->rules.window > 0; }

static bool window_larger(Variation *v, const Setting *s)
{
    v->rules.window = s->rules.window + 1;
    return s->rules.window > 0;
}

static bool window_smaller(Variation *v, const Setting *s)
{
    v->rules.window = s->rules.window - 1;
    return s->rules.window > 1;
}

static bool sinks_missing(Variation *v, const Setting *s) { v->rules.sinks = 0; return s->rules.sinks > 0; }

static bool sinks_more(Variation *v, const Setting *s)
{
    v->rules.sinks = s->rules.sinks + 1;
    return s->rules.sinks > 0;
}

static bool sinks_fewer(Variation *v, const Setting *s)
{
    v->rules.sinks = s->rules.sinks - 1;
    return s->rules.sinks > 1;
}

static bool padding_seen(Variation *v, const Setting *s) { v->rules.padding_seen = true; return s->has_lengths; }

static bool zero_score(Variation *v, const Setting *s) { v->rules.hidden = SCORE_ZERO; return hides(s); }
static bool zero_weight(Variation *v, const Setting *s) { v->rules.hidden = WEIGHT_ZERO; return hides(s); }
static bool empty_nan(Variation *v, const Setting *s) { v->rules.empty = ROW_NAN; return hides(s); }
static bool empty_mean(Variation *v, const Setting *s) { v->rules.empty = ROW_MEAN; return hides(s); }

// ---- scores

static bool scaled(Variation *v, const Setting *s, double scale)
{
    v->rules.scale = scale;
    return fabs(scale - s->rules.scale) > 1e-9 * fabs(s->rules.scale);
}

static bool scale_missing(Variation *v, const Setting *s) { return scaled(v, s, 1); }
static bool scale_d(Variation *v, const Setting *s) { return s->is.d > 1 && scaled(v, s, 1.0 / s->is.d); }

static bool scale_D(Variation *v, const Setting *s)
{
    return s->is.H > 1 && scaled(v, s, 1 / sqrt((double)s->is.H * s->is.d));
}

static bool scale_times(Variation *v, const Setting *s) { return s->is.d > 1 && scaled(v, s, sqrt((double)s->is.d)); }

static bool scale_dv(Variation *v, const Setting *s)
{
    return s->is.dv != s->is.d && scaled(v, s, 1 / sqrt((double)s->is.dv));
}

static bool scale_default(Variation *v, const Setting *s)
{
    return s->has_scale && scaled(v, s, 1 / sqrt((double)s->is.d));
}

static bool k_reshaped(Variation *v, const Setting *s)
{
    v->rules.k_reshaped = true;
    return s->is.d > 1 && s->is.S > 1;
}

static bool alibi_missing(Variation *v, const Setting *s) { v->rules.alibi = false; return s->rules.alibi; }
static bool alibi_added(Variation *v, const Setting *s) { v->rules.alibi = true; return !s->rules.alibi; }
static bool alibi_from_one(Variation *v, const Setting *s) { v->rules.slopes = SLOPES_FROM_ONE; return s->rules.alibi; }
static bool alibi_sign(Variation *v, const Setting *s) { v->rules.slopes = SLOPES_POSITIVE; return s->rules.alibi; }

static bool alibi_signed(Variation *v, const Setting *s)
{
    v->rules.slopes = SLOPES_SIGNED;
    return s->rules.alibi && !s->rules.causal;
}

static bool alibi_powers(Variation *v, const Setting *s)
{
    v->rules.slopes = SLOPES_OF_POWERS;
    return s->rules.alibi && (s->is.H & (s->is.H - 1));
}

// ---- softmax

static bool over_queries(Variation *v, const Setting *s)
{
    v->rules.softmax = OVER_QUERIES;
    return s->is.T > 1 || s->is.S > 1;
}

static bool over_heads(Variation *v, const Setting *s) { v->rules.softmax = OVER_HEADS; return s->is.H > 1; }
static bool undivided(Variation *v, const Setting *s) { v->rules.softmax = UNDIVIDED; return s->is.S > 1; }

static bool undivided_plain(Variation *v, const Setting *s)
{
    (void)s;
    v->rules.softmax = UNDIVIDED_PLAIN;
    return true;
}

static bool softmax_twice(Variation *v, const Setting *s) { v->rules.softmax = TWICE; return s->is.S > 1; }
static bool no_softmax(Variation *v, const Setting *s) { v->rules.softmax = NO_SOFTMAX; return s->is.S > 0; }

// ---- heads and axes

// With as many groups as heads, or with one, h / (H / G) and h % G are the same.
static bool mixed(const Setting *s) { return s->is.G > 1 && s->is.G < s->is.H; }
static bool kv_mod(Variation *v, const Setting *s) { v->rules.k_head = v->rules.v_head = ROUND_ROBIN; return mixed(s); }
static bool k_mod(Variation *v, const Setting *s) { v->rules.k_head = ROUND_ROBIN; return mixed(s); }
static bool v_mod(Variation *v, const Setting *s) { v->rules.v_head = ROUND_ROBIN; return mixed(s); }

static bool kv_first(Variation *v, const Setting *s)
{
    v->rules.k_head = v->rules.v_head = ONLY_FIRST;
    return s->is.G > 1;
}

static bool k_for_v(Variation *v, const Setting *s) { v->rules.k_for_v = true; return s->is.d == s->is.dv; }
static bool k_v_swapped(Variation *v, const Setting *s) { v->k_v_swapped = true; return s->is.d == s->is.dv; }

static bool q_k_swapped(Variation *v, const Setting *s)
{
    v->q_k_swapped = true;
    return s->is.T == s->is.S && s->is.H == s->is.G && s->is.T > 1;
}

// With q and k swapped, the sum over the rows of a column is the sum over the keys of a query. The mask is mirrored.
static bool weights_transposed(Variation *v, const Setting *s)
{
    v->rules.softmax = OVER_QUERIES;
    v->rules.future = true;
    return q_k_swapped(v, s) && !s->rules.sinks && !s->has_lengths;
}

// Rows of H·d numbers; the scale goes with their width, unless --scale was given.
static bool unsplit(Variation *v, const Setting *s)
{
    v->rules.unsplit = true;
    if (!s->has_scale) v->rules.scale = 1 / sqrt((double)s->is.H * s->is.d);
    return s->is.H > 1 && s->is.G == s->is.H && !s->rules.alibi;
}

static bool reads(Variation *v, const Setting *s, const char *was, const char *taken)
{
    v->in_was = was;
    v->in_taken = taken;
    return s->is.H > 1;
}

static bool writes(Variation *v, const Setting *s, const char *was, const char *taken)
{
    v->out_was = was;
    v->out_taken = taken;
    return s->is_output && strcmp(was, taken) != 0;
}

static bool split(Variation *v, const Setting *s) { return reads(v, s, "thd", "htd"); }
static bool split_and_back(Variation *v, const Setting *s) { return split(v, s) && writes(v, s, "htd", "thd"); }
static bool split_back(Variation *v, const Setting *s) { return reads(v, s, "htd", "thd"); }

static bool split_back_and_forth(Variation *v, const Setting *s)
{
    return split_back(v, s) && writes(v, s, "thd", "htd");
}

static bool interleaved(Variation *v, const Setting *s) { return reads(v, s, "thd", "tdh"); }
static bool interleaved_both(Variation *v, const Setting *s) { return interleaved(v, s) && writes(v, s, "tdh", "thd"); }
static bool merged(Variation *v, const Setting *s) { return s->is.H > 1 && s->is.T > 1 && writes(v, s, "htd", "thd"); }

static bool unmerged(Variation *v, const Setting *s)
{
    return s->is.H > 1 && s->is.T > 1 && writes(v, s, "thd", "htd");
}

static bool out_interleaved(Variation *v, const Setting *s) { return s->is.H > 1 && writes(v, s, "tdh", s->memory); }

static bool transposed(Variation *v, const Setting *s)
{
    return s->is.T > 1 && s->is.dv > 1 && writes(v, s, "hdt", s->memory);
}

static bool all_reversed(Variation *v, const Setting *s) { return s->is.H > 1 && writes(v, s, "dth", s->memory); }
static bool other_order(Variation *v, const Setting *s) { return s->is.H > 1 && writes(v, s, "dht", s->memory); }

const Cause causes[] = {
    { "causal-missing",    "the causal mask is missing", causal_missing },
    { "causal-added",      "later keys are hidden (a causal mask), and --causal was not given", causal_added },
    { "causal-reversed",   "the causal mask is the wrong way round: it hides the earlier keys", causal_reversed },
    { "inverted",          "the mask is inverted: it hides what it must show, and shows the rest", inverted },
    { "top-left",          "positions are aligned top-left: query i stands at i, not at i + S − T", top_left },
    { "own-length",        "positions count from the sequence's own length: i + length − T", own_length },
    { "diagonal-hidden",   "off by one: the causal mask hides a query's own key (j < p, not j ≤ p)", diagonal_hidden },
    { "one-ahead",         "off by one: the causal mask lets key p + 1 through", one_ahead },
    { "window-missing",    "the window is missing", window_missing },
    { "window-larger",     "the window is one key too large", window_larger },
    { "window-smaller",    "the window is one key too small", window_smaller },
    { "sinks-missing",     "the sinks are missing", sinks_missing },
    { "sinks-more",        "there is one sink too many", sinks_more },
    { "sinks-fewer",       "there is one sink too few", sinks_fewer },
    { "padding-seen",      "the softmax runs over the filler keys too: the key lengths are ignored", padding_seen },
    { "zero-score",        "hidden keys get the score 0, not −infinity", zero_score },
    { "zero-weight",       "the mask comes after the softmax: the weights left no longer sum to 1", zero_weight },
    { "empty-nan",         "a query that sees no key gives NaN; it must give 0", empty_nan },
    { "empty-mean",        "a query that sees no key gives the mean of all values; it must give 0", empty_mean },
    { "scale-missing",     "the scale is missing: q · k is used as it is", scale_missing },
    { "scale-d",           "the scale is 1/d (or 1/√d twice)", scale_d },
    { "scale-D",           "the scale is 1/√D with D = H·d, the width of all heads", scale_D },
    { "scale-times",       "q · k is multiplied by √d, not divided", scale_times },
    { "scale-dv",          "the scale is 1/√dv, from the width of the values", scale_dv },
    { "scale-default",     "the scale is 1/√d, not that of --scale", scale_default },
    { "k-reshaped",        "k was reshaped to (d, S); it must be transposed", k_reshaped },
    { "alibi-missing",     "ALiBi is missing", alibi_missing },
    { "alibi-added",       "ALiBi is added, and --alibi was not given", alibi_added },
    { "alibi-from-one",    "ALiBi slopes are off by one head: 2^(−8 h / H), the first is 1", alibi_from_one },
    { "alibi-sign",        "ALiBi has the wrong sign: far keys are favoured", alibi_sign },
    { "alibi-signed",      "ALiBi uses p − j without |…|: later keys are favoured", alibi_signed },
    { "alibi-powers",      "ALiBi slopes as in its authors' code, which differ as H is no power of 2", alibi_powers },
    { "over-queries",      "the softmax runs over the wrong axis: the queries", over_queries },
    { "over-heads",        "the softmax runs over the wrong axis: the heads", over_heads },
    { "undivided",         "exp(s − max) is not divided by its sum", undivided },
    { "undivided-plain",   "exp(s) is not divided by its sum", undivided_plain },
    { "softmax-twice",     "the softmax is taken twice", softmax_twice },
    { "no-softmax",        "there is no softmax: the scores are the weights", no_softmax },
    { "weights-transposed", "the weights are transposed: query i gives key j what j should give i",
      weights_transposed },
    { "q-k-swapped",       "q and k are swapped: the scores are transposed before the mask", q_k_swapped },
    { "k-v-swapped",       "k and v are swapped", k_v_swapped },
    { "unsplit",           "the heads are not split: one head as wide as all of them", unsplit },
    { "kv-mod",            "head h reads key and value head h % G; it must be h / (H / G)", kv_mod },
    { "k-mod",             "head h reads key head h % G; it must be h / (H / G)", k_mod },
    { "v-mod",             "head h reads value head h % G; it must be h / (H / G)", v_mod },
    { "kv-first",          "all heads read key and value head 0", kv_first },
    { "k-for-v",           "the weights mix the keys; they must mix the values", k_for_v },
    { "split",             "heads split by a wrong reshape: (T, H·d) read as (H, T, d)", split },
    { "split-and-back",    "heads split by a wrong reshape, (T, H·d) read as (H, T, d), and back", split_and_back },
    { "split-back",        "heads split by a wrong reshape: (H, T, d) read as (T, H, d)", split_back },
    { "split-back-and-forth", "heads split by a wrong reshape, (H, T, d) read as (T, H, d), and back",
      split_back_and_forth },
    { "interleaved",       "heads take every H-th column, c·H + h; they must take h·d + c", interleaved },
    { "interleaved-both",  "heads take and give every H-th column, c·H + h, not h·d + c", interleaved_both },
    { "merged",            "heads put together by a wrong reshape: (H, T, d) read as (T, H·d)", merged },
    { "unmerged",          "the output's heads by a wrong reshape: (T, H·d) read as (H, T, d)", unmerged },
    { "out-interleaved",   "the output's heads stand in every H-th column, c·H + h, not h·d + c", out_interleaved },
    { "transposed",        "the output is transposed: its memory has the order (H, d, T)", transposed },
    { "all-reversed",      "the output is transposed: its memory has the order (d, T, H)", all_reversed },
    { "other-order",       "the output is transposed: its memory has the order (d, H, T)", other_order },
};
const int causes_count = sizeof causes / sizeof *causes;
