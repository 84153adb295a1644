// Expands causes_list.h into one function per cause and a table.
#include "judge/causes.h"

#include "base/portable_math.h"

static bool has_positions(const CauseSetting *s) { return s->rules.causal || s->rules.window || s->rules.alibi; }
static bool hides(const CauseSetting *s) { return s->rules.causal || s->rules.window || s->has_lengths; }
static bool hides_twice(const CauseSetting *s) { return s->rules.causal + (s->rules.window > 0) + s->has_lengths > 1; }
static bool hides_more(const CauseSetting *s) { return s->has_lengths && (s->rules.causal || s->rules.window); }
static bool square(const CauseSetting *s) { return s->is.T == s->is.S && s->is.H == s->is.G && s->is.T > 1; }

// With G = H or G = 1, h / (H / G) and h % G are the same.
static bool mixed(JudgeShape is) { return is.G > 1 && is.G < is.H; }

// Is the last key in the same tile as the first query, for tiles of this many keys?
static bool one_tile(JudgeShape is, int tile) { return is.T <= is.S && (is.S - is.T) / tile == (is.S - 1) / tile; }

static void hide_by(JudgeRules *r, JudgeHiddenBy how, double score)
{
    r->hidden = how;
    r->hidden_score = score;
}

static void hide_filler_by(JudgeRules *r, JudgeHiddenBy how)
{
    hide_by(r, how, 0);
    r->only_filler = true;
}

static void scale_after(JudgeRules *r)
{
    r->times = r->scale;
    r->scale = 1;
}

// With q and k swapped, a softmax over queries of a column becomes a softmax over keys of a query. The mask is
// transposed.
static void transpose_weights(CauseVariation *v)
{
    v->rules.softmax = JUDGE_OVER_QUERIES;
    v->rules.future = true;
    v->q_k_swapped = true;
}

// Can the columns of q, k and v be split into `more` / `fewer` times as many heads?
static bool other_heads(const CauseSetting *s, int more, int fewer)
{
    JudgeShape is = s->is;
    bool parts = is.d % more == 0 && is.dv % more == 0, heads = is.H % fewer == 0 && is.G % fewer == 0;
    return s->is_output && parts && heads && more != fewer;
}

// The scale follows the head dimension, unless --scale was given.
static void split_among(CauseVariation *v, const CauseSetting *s, int heads)
{
    v->heads = heads;
    if (!s->has_scale) v->rules.scale = 1 / sqrt((double)s->is.H * s->is.d / heads);
}

static void read_all(CauseVariation *v, const char *as) { v->q_as = v->k_as = v->v_as = as; }

static void read_and_write(CauseVariation *v, const char *in, const char *back)
{
    read_all(v, in);
    v->out_back = back;
}

// The memory of the output was in another order than its file claims.
static const char *written(const CauseSetting *s, const char *heads_first, const char *rows_first)
{
    return s->is_output && s->memory[0] == 'h' ? heads_first : rows_first;
}

static void tile_by(JudgeRules *r, const CauseSetting *s, JudgeTiles kind, int tile)
{
    r->tiles = kind;
    r->tile = tile;
    if (kind == JUDGE_TILES_RIGHT) r->skip_last = s->is.S % tile;
}

// ---- combining two causes

bool cause_is_another(const CauseVariation *first, const CauseVariation *both, const CauseSetting *asked)
{
#define KEPT(field)      (one->field == was->field || one->field == two->field)
#define KEPT_VIEW(field) (!first->field || first->field == both->field)
    const JudgeRules *was = &asked->rules, *one = &first->rules, *two = &both->rules;
    bool masks = KEPT(causal) && KEPT(window) && KEPT(sinks) && KEPT(position) && KEPT(shift) && KEPT(causal_tile) &&
                 KEPT(length_of) && KEPT(longer) && KEPT(skip_first) && KEPT(skip_last) && KEPT(hidden) &&
                 KEPT(hidden_score) && KEPT(empty);
    bool scores = KEPT(scale) && KEPT(cap) && KEPT(alibi) && KEPT(slopes) && KEPT(slope_times) && KEPT(d_skip_first) &&
                  KEPT(d_skip_last);
    bool softmax = KEPT(softmax) && KEPT(below) && KEPT(below_plain) && KEPT(tiles) && KEPT(tile) && KEPT(lse);
    bool heads = KEPT(q_head) && KEPT(k_head) && KEPT(v_head) && KEPT(q_sequence) && KEPT(k_sequence) &&
                 KEPT(v_sequence) && KEPT(q_ahead) && KEPT(k_ahead) && KEPT(v_ahead);
    bool outputs = KEPT(residual) && KEPT(times) && KEPT(plus) && (!first->heads || first->heads == both->heads);
    bool arrays = KEPT_VIEW(q_as) && KEPT_VIEW(k_as) && KEPT_VIEW(v_as) && KEPT_VIEW(out_back) && KEPT_VIEW(order);
    return masks && scores && softmax && heads && outputs && arrays;
#undef KEPT
#undef KEPT_VIEW
}

// ---- functions

#define FUNCTION(name, when, change) \
    static bool name##_applied(CauseVariation *v, const CauseSetting *s, double n) \
    { \
        JudgeRules *r = &v->rules; \
        JudgeShape is = s->is; \
        (void)is; \
        (void)n; \
        (void)r; \
        change; \
        return when; \
    }
#define CAUSE(name, when, change, words)                           FUNCTION(name, when, change)
#define TILED(name, when, change, words)                           FUNCTION(name, when, change)
#define WHOLE(name, when, change, words)                           FUNCTION(name, when, change)
#define FIT(name, when, change, from, to, steps, by_factor, words) FUNCTION(name, when, change)
#include "judge/causes_list.h"
#undef CAUSE
#undef TILED
#undef WHOLE
#undef FIT

// ---- the table

#define CAUSE(name, when, change, words) { #name, words, name##_applied, CAUSE_NO_NUMBER, 0, 0, 0, false },
#define TILED(name, when, change, words) { #name, words, name##_applied, CAUSE_TILE, 0, 0, 0, false },
#define WHOLE(name, when, change, words) { #name, words, name##_applied, CAUSE_SMALL_WHOLE, 0, 0, 0, false },
#define FIT(name, when, change, from, to, steps, by_factor, words) \
    { #name, words, name##_applied, CAUSE_FITTED, from, to, steps, by_factor },

const Cause cause_table[] = {
#include "judge/causes_list.h"
};
const int cause_count = sizeof cause_table / sizeof *cause_table;
