// Chapter 25. Families of published models: one table row of switches per family.
//
// One forward pass (model/pretrained_run.h) runs all of them. Families differ in which of six norms they have, in the
// positional encoding, in how Q, K and V are packed, and in a few constants.
#ifndef MODEL_FAMILY_H
#define MODEL_FAMILY_H

#include "kernels/activation.h"
#include "io/json.h"
#include "model/rope_frequencies.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    FAMILY_NORM_LAYER,
    FAMILY_NORM_RMS,
    FAMILY_NORM_RMS_PLUS_ONE
} FamilyNorm; // the norm multiplies by g, or by 1 + g
typedef enum {
    FAMILY_POSITIONS_NONE,
    FAMILY_POSITIONS_LEARNED,
    FAMILY_POSITIONS_ROPE,
    FAMILY_POSITIONS_ROPE_PAIRS, // rotated pairs: columns m and m + n/2 (rotate_half); 2m and 2m + 1 (interleaved)
    FAMILY_POSITIONS_ALIBI
} FamilyPositions;
typedef enum {
    FAMILY_WINDOW_NONE,
    FAMILY_WINDOW_ALL,
    FAMILY_WINDOW_EVEN,
    FAMILY_WINDOW_FROM,
    FAMILY_WINDOW_LISTED
} FamilyWindow;
typedef enum {
    FAMILY_PACKED_SPLIT,
    FAMILY_PACKED_BLOCK,
    FAMILY_PACKED_GROUP
} FamilyPacking; // separate q, k, v; q | k | v; q | k | v per KV group
enum {
    FAMILY_BIAS_QKV = 1,
    FAMILY_BIAS_O = 2,
    FAMILY_BIAS_MLP = 4,
    FAMILY_BIAS_ATTENTION = FAMILY_BIAS_QKV | FAMILY_BIAS_O,
    FAMILY_BIAS_ALL = 7
};

// Names of tensors, without the prefix and without .weight or .bias. # is the layer number, | separates alternatives of
// which the first that exists is used, and a final ? marks an optional tensor.
typedef struct {
    const char *embedding, *places, *kinds, *embedding_norm, *last_norm;
    const char *before_attention, *after_attention, *sum_attention; // the six norms
    const char *before_mlp, *after_mlp, *sum_mlp;
    const char *qkv, *q, *k, *v, *o, *q_norm, *k_norm;
    const char *gate_up, *gate, *up, *down;
    const char *head_dense, *head_norm, *output, *output_bias;
} FamilyTensorNames;

enum { FAMILY_POSITION_AFTER_PADDING = -1, FAMILY_MOST_PREFIXES = 3 };

// A row of the table. `…_key` is the name of a value in config.json; the field after it is the default.
typedef struct {
    const char *name; // model_type
    const FamilyTensorNames *names;
    const char *prefixes[FAMILY_MOST_PREFIXES];
    bool causal, parallel, gated, tied;
    int biased; // linear layers that have a bias in every model of the family …
    struct {
        const char *key;
        int of;
        bool silent;
    } biases[2];  // … and those for which the config decides; `silent`: the default
    bool columns; // weights are stored (in, out)
    bool scaled;  // embeddings are multiplied by √D
    FamilyPacking packing;
    FamilyNorm norm;
    const char *eps_key; // NULL: always eps
    double eps;
    FamilyPositions places;
    int first_place;        // learned: the row of position 0; FAMILY_POSITION_AFTER_PADDING: padding has no position
    const char *turned_key; // the part of a head that RoPE rotates: a fraction, or a number of columns if ≥ 2
    double turned;
    FamilyWindow window;
    int window_default; // if the config has no window; an explicit null means no window
    const char *act_keys[2];
    Activation activation;
    const char *parallel_key;
    const char *score_key;       // scores are divided by the square root of this; NULL: of d, or by 1
    double score;                // 0: d
    double score_cap, logit_cap; // soft-capping (attn_logit_softcapping, final_logit_softcapping); 0: none
    int head_width;              // 0: D / H
    int keys;                    // KV heads; 0: as many as heads
    bool mlp_four;               // the MLP is 4 D wide by default
} Family;

// The architecture of one model: its config.json, completed by the family's defaults. All switches are resolved.
typedef struct {
    const Family *family;
    const char *name;         // "gpt2": the model_type
    int words, D, L, H, G, d; // d is at most D / H in most models
    int mlp;                  // hidden neurons
    int positions;            // maximum context length; 0: unknown
    int kinds;                // token types (segments)
    FamilyNorm norm;
    double eps;
    FamilyPositions places;
    int first_place; // learned: row of position 0
    int padding;     // token id of padding, which has no position of its own; −1: none
    double rope_base;
    int turned; // columns of a head that RoPE rotates
    RopeScaling stretch;
    bool causal, parallel, gated, tied;
    int biased; // the linear layers of a layer that have a bias
    FamilyPacking packing;
    Activation activation;
    double embedding_scale;      // 1, or √D
    double score_scale;          // what q · k is multiplied by
    bool score_by_layer;         // in layer l (from 0) also divide by l + 1
    double score_cap, logit_cap; // soft-capping: c tanh(x / c); 0: none
    bool head;                   // it has a language-modelling head
    bool head_said;              // decided by the config; otherwise by the tensors
    const int *window;           // (L) sliding window: the last W keys, own token included; 0: all
} Architecture;

extern const Family family_table[]; // family_rows.c
extern const int family_count;
const char *family_name(const Family *family);
const char *family_known(Arena *arena); // "gpt2, bert, …": for messages

extern const char *const family_activation_names[ACTIVATION_KINDS]; // "gelu", "gelu_pytorch_tanh", …

// Parses config.json. `name` is its path, for messages. Fails when no family fits, when a value is missing or has the
// wrong type, or when a setting is not supported by the forward pass; the error names it.
bool architecture_parse(Architecture *out, Arena *arena, const Json *config, const char *name, Error *error);

#endif
