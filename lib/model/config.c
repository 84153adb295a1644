// Chapter 09. Validation of a Config, and what follows from it.
#include "model/config.h"

#include "attention/differential.h"
#include "attention/positions.h"
#include "base/portable_math.h"

enum { SIZE_MOST = 1 << 24, LAYERS_MOST = 1 << 12, GATES_MOST = 1 << 16 };

static const char *const position_names[CONFIG_POSITIONS_KINDS] = { "none", "rope", "alibi" };
const char *config_positions_name(ConfigPositions positions) { return position_names[positions]; }

static const char *const mlp_names[CONFIG_MLP_KINDS] = { "relu", "swiglu" };
const char *config_mlp_name(ConfigMlp kind) { return mlp_names[kind]; }

static const char *const sink_names[CONFIG_SINK_KINDS] = { "none", "zero", "logit", "gate" };
const char *config_sink_name(ConfigSink kind) { return sink_names[kind]; }

static const char *const differ_names[CONFIG_DIFFER_KINDS] = { "none", "fixed", "learned" };
const char *config_differ_name(ConfigDiffer kind) { return differ_names[kind]; }

static bool within(const char *name, int value, int least, int most, Error *error)
{
    if (value >= least && value <= most) return true;
    return error_set(error, "%s is %d; it must be %d … %d", name, value, least, most);
}

static bool pairs_fit(const Config *c, Error *error)
{
    if (!within("differ", (int)c->differ, 0, CONFIG_DIFFER_KINDS - 1, error)) return false;
    if (!(c->lambda < 1.0 && c->lambda > -1.0))
        return error_set(error, "lambda is %g; it must be between -1 and 1, or 0 for that of the layer", c->lambda);
    if (c->differ != CONFIG_DIFFER_NONE && c->G % 2) // H is a multiple of G
        return error_set(error, "H = %d, G = %d: maps are subtracted two by two, so both must be even", c->H, c->G);
    if (c->sink == CONFIG_SINK_NONE || (c->differ == CONFIG_DIFFER_NONE && !c->head_norm)) return true;
    return error_set(error, "maps that are subtracted, and heads with a norm, have no sink and no gate; sink is \"%s\"",
                     config_sink_name(c->sink));
}

bool config_fits(const Config *c, Error *error)
{
    if (!within("words", c->words, 1, SIZE_MOST, error) || !within("outputs", c->outputs, 1, SIZE_MOST, error) ||
        !within("D", c->D, 1, SIZE_MOST, error) || !within("H", c->H, 1, c->D, error) ||
        !within("G", c->G, 1, c->H, error) || !within("L", c->L, 1, LAYERS_MOST, error) ||
        !within("share", c->share, 0, c->L, error) || !within("mlp", c->mlp, 0, SIZE_MOST, error) ||
        !within("mlp_kind", (int)c->mlp_kind, 0, CONFIG_MLP_KINDS - 1, error) ||
        !within("sink", (int)c->sink, 0, CONFIG_SINK_KINDS - 1, error) ||
        !within("positions", (int)c->positions, 0, CONFIG_POSITIONS_KINDS - 1, error))
        return false;
    for (int l = 0; l < c->L; l++)
        if (!within("window", config_window(c, l), 0, SIZE_MOST, error)) return false;
    if (c->sink == CONFIG_SINK_GATE && !within("H of gated heads", c->H, 1, GATES_MOST, error)) return false;
    if (c->D % c->H) return error_set(error, "D = %d cannot be split among H = %d heads of equal width", c->D, c->H);
    if (c->H % c->G) return error_set(error, "H = %d heads cannot share G = %d key heads evenly", c->H, c->G);
    if (!pairs_fit(c, error)) return false;
    if (c->positions == CONFIG_POSITIONS_ROPE && c->D / c->H % 2)
        return error_set(error, "a head is %d wide, but RoPE turns pairs: it must be even", c->D / c->H);
    if (!(c->rope_base == 0.0 || (c->rope_base > 1.0 && isfinite(c->rope_base))))
        return error_set(error, "rope_base is %g; it must be over 1, or 0 for 10000", c->rope_base);
    return true;
}

static int64_t mlp_parameters(const Config *c)
{
    int64_t D = c->D, mlp = c->mlp;
    if (!mlp) return 0;
    return (c->bare ? 0 : D) + (c->mlp_kind == CONFIG_MLP_SWIGLU ? 3 * D * mlp : D * mlp + mlp + mlp * D + D);
}

const char *config_beyond(const Config *c)
{
    if (c->share > 1) return "shares keys among layers";
    if (c->sink != CONFIG_SINK_NONE)
        return c->sink == CONFIG_SINK_GATE ? "has gates on its heads" : "has a sink beside the keys";
    if (c->differ != CONFIG_DIFFER_NONE) return "subtracts maps";
    if (c->head_norm) return "has norms of its heads";
    return c->bare ? "has no norms" : NULL;
}

// At the largest sizes this is about 7 · 2⁶⁰ < 2⁶³. A layer that reads another's keys has no Wk and no Wv.
int64_t config_parameters(const Config *c)
{
    int64_t D = c->D, owners = c->share > 1 ? (c->L + c->share - 1) / c->share : c->L;
    int64_t norm = c->bare ? 0 : D, sink = c->sink == CONFIG_SINK_LOGIT  ? c->H
                                           : c->sink == CONFIG_SINK_GATE ? D * c->H + c->H
                                                                         : 0;
    int64_t pairs =
        (c->differ == CONFIG_DIFFER_LEARNED ? 4 * (D / c->H) : 0) + (c->head_norm ? D / config_head_outputs(c) : 0);
    int64_t layers = c->L * (norm + sink + pairs + 2 * D * D + mlp_parameters(c)) + owners * D * 2 * c->G * (D / c->H);
    return c->words * D + layers + norm + D * c->outputs;
}

int config_owner(const Config *c, int layer) { return c->share > 1 ? layer - layer % c->share : layer; }

int config_head_outputs(const Config *c) { return c->differ == CONFIG_DIFFER_NONE ? c->H : c->H / 2; }

double config_lambda(const Config *c, int layer)
{
    return c->lambda != 0.0 ? c->lambda : differential_lambda_init(layer);
}

int config_window(const Config *c, int layer) { return c->window ? c->window[layer] : 0; }

Mask config_mask(const Config *c, int layer, int h)
{
    float slope = c->positions == CONFIG_POSITIONS_ALIBI ? alibi_slope(h, c->H) : 0.0f;
    if (c->slope > 0.0f) slope *= c->slope / alibi_slope(0, c->H);
    return (Mask){ .causal = c->causal, .window = config_window(c, layer), .alibi = slope };
}
