// Chapter 09. The sizes of a transformer, its kinds of parts, and which keys its layers see.
#ifndef MODEL_CONFIG_H
#define MODEL_CONFIG_H

#include "attention/mask.h"
#include "base/arena.h"
#include "base/error.h"

#include <stdint.h>

typedef enum {
    CONFIG_POSITIONS_NONE,
    CONFIG_POSITIONS_ROPE,
    CONFIG_POSITIONS_ALIBI,
    CONFIG_POSITIONS_KINDS
} ConfigPositions;
const char *config_positions_name(ConfigPositions positions); // "none", "rope", "alibi"

// What an MLP is: relu(x W1 + b1) W2 + b2, or, without biases, (silu(x Wgate) ⊙ (x Wup)) Wdown with silu(z) = z / (1 +
// e⁻ᶻ) [Shazeer 2020, arXiv:2002.05202], as LLaMA has it.
typedef enum { CONFIG_MLP_RELU, CONFIG_MLP_SWIGLU, CONFIG_MLP_KINDS } ConfigMlp;
const char *config_mlp_name(ConfigMlp kind); // "relu", "swiglu"

// Where a head looks that has nothing to look for (chapter 18): at some token; at a score beside those of the keys,
// with nothing to read there, which is 0 or learned, one a head; or it is shut by a gate, a sigmoid of the word.
typedef enum { CONFIG_SINK_NONE, CONFIG_SINK_ZERO, CONFIG_SINK_LOGIT, CONFIG_SINK_GATE, CONFIG_SINK_KINDS } ConfigSink;
const char *config_sink_name(ConfigSink kind); // "none", "zero", "logit", "gate"

// Does a map stand for itself, or are two of them subtracted (chapter 22)? λ is a number that stays, or one that is
// learned, by way of four vectors.
typedef enum { CONFIG_DIFFER_NONE, CONFIG_DIFFER_FIXED, CONFIG_DIFFER_LEARNED, CONFIG_DIFFER_KINDS } ConfigDiffer;
const char *config_differ_name(ConfigDiffer kind); // "none", "fixed", "learned"

typedef struct {
    int words, outputs; // tokens in: 0 … words − 1; logits out
    int D, H, G;        // width; query heads; key heads. d = D / H; head h reads key head h / (H / G)
    int L;              // layers
    int share;          // layers that share keys and values: l reads those of layer l − l % share; 0: none
    int mlp;            // hidden neurons of the MLP; 0: no MLP
    ConfigMlp mlp_kind;
    ConfigPositions positions;
    double rope_base; // of RoPE; 0: 10⁴
    float slope;      // of ALiBi's first head, the others' in proportion; 0: alibi_slope(0, H)
    ConfigSink sink;
    ConfigDiffer differ; // maps 2p and 2p + 1 are subtracted: H and G are even, and a pair has values of 2d
    double lambda;       // λ_init of every layer, below 1; 0: differential_lambda_init of the layer
    bool head_norm;      // a norm of what each head gives, or each pair; of pairs times 1 − λ_init. Neither
                         //   goes with a sink or a gate
    bool bare;           // no norms: norm(x) = x
    bool causal;
    const int *window; // (L) as in Mask: W > 0 for keys nearer than W only; 0: all keys. NULL: all 0
} Config;

// false, with a sentence that says what does not fit. A Config that comes from a file is tested with it. Its limits lie
// where a shape would overflow: sizes of 2²⁴, 4096 layers.
bool config_fits(const Config *config, Error *error);

// What the model has beside norms, heads with keys and values of their layer's own, and an MLP: "shares keys among
// layers" or the like, for a sentence. NULL: nothing. Whoever counts work by formula, or writes the model in another
// form, asks.
const char *config_beyond(const Config *config);

int64_t config_parameters(const Config *config);   // how many numbers it has
int config_owner(const Config *config, int layer); // whose keys and values it reads: its own, or below
int config_window(const Config *config, int layer);
int config_head_outputs(const Config *config);         // who writes a part of a layer's output: H heads, or H / 2 pairs
double config_lambda(const Config *config, int layer); // λ_init of a layer
Mask config_mask(const Config *config, int layer, int h);

#endif
