// Chapter 09. Configuration of a transformer: sizes, variants of its parts, and which keys each layer sees.
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

// ReLU: relu(x W1 + b1) W2 + b2. SwiGLU: (silu(x Wgate) ⊙ (x Wup)) Wdown, without biases, silu(z) = z / (1 + e⁻ᶻ)
// [Shazeer 2020, arXiv:2002.05202], as in LLaMA.
typedef enum { CONFIG_MLP_RELU, CONFIG_MLP_SWIGLU, CONFIG_MLP_KINDS } ConfigMlp;
const char *config_mlp_name(ConfigMlp kind); // "relu", "swiglu"

// How a head can attend to nothing: not at all (its weight goes to some token, an attention sink); by an extra score in
// the softmax without a value, which is 0 or learned per head; or by a gate, a sigmoid of the query's token.
typedef enum { CONFIG_SINK_NONE, CONFIG_SINK_ZERO, CONFIG_SINK_LOGIT, CONFIG_SINK_GATE, CONFIG_SINK_KINDS } ConfigSink;
const char *config_sink_name(ConfigSink kind); // "none", "zero", "logit", "gate"

// Differential attention: the attention map is the difference of two. λ is constant, or learned through four vectors.
typedef enum { CONFIG_DIFFER_NONE, CONFIG_DIFFER_FIXED, CONFIG_DIFFER_LEARNED, CONFIG_DIFFER_KINDS } ConfigDiffer;
const char *config_differ_name(ConfigDiffer kind); // "none", "fixed", "learned"

typedef struct {
    int words, outputs; // vocabulary size: tokens are 0 … words − 1; number of logits
    int D, H, G;        // model width; query heads; KV heads. d = D / H; query head h reads KV head h / (H / G)
    int L;              // layers
    int share; // cross-layer sharing: layer l reads the keys and values of layer l − l % share; 0: no sharing
    int mlp;   // hidden neurons of the MLP; 0: no MLP
    ConfigMlp mlp_kind;
    ConfigPositions positions;
    double rope_base; // θ of RoPE; 0: 10⁴
    float slope;      // of ALiBi's first head, the others in proportion; 0: alibi_slope(0, H)
    ConfigSink sink;
    ConfigDiffer differ; // maps 2p and 2p + 1 are subtracted: H and G are even, and the values of a pair are 2d wide
    double lambda;       // λ_init of every layer, below 1; 0: differential_lambda_init of the layer
    bool head_norm;      // RMSNorm of each head's output, or each pair's; pairs are also scaled by 1 − λ_init.
                         //   `differ` and `head_norm` do not combine with a sink or a gate
    bool bare;           // no norms: norm(x) = x
    bool causal;
    const int *window; // (L) as in Mask: W > 0: sliding window of W keys; 0: all keys. NULL: all 0
} Config;

// Validates a Config, for example one read from a file. false with an error: sizes do not fit together, or exceed the
// limits that keep shapes from overflowing (sizes of 2²⁴, 4096 layers).
bool config_fits(const Config *config, Error *error);

// Names a feature beyond the basic transformer (norms, per-layer KV heads, MLP), such as "shares keys among layers", for
// an error message. NULL: none. For code that counts operations by formula or exports to another format.
const char *config_beyond(const Config *config);

int64_t config_parameters(const Config *config);   // number of parameters
int config_owner(const Config *config, int layer); // the layer whose keys and values it reads: itself or a lower one
int config_window(const Config *config, int layer);
int config_head_outputs(const Config *config);         // attention outputs per layer: H heads, or H / 2 pairs
double config_lambda(const Config *config, int layer); // λ_init of a layer
Mask config_mask(const Config *config, int layer, int h);

#endif
