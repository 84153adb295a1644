// Chapter 25. Families of published models: a row of switches each, and nothing else.
//
// One forward (model/pretrained_run.h) runs all of them. What differs between GPT-2 and Gemma 2 is which of six slots
// for norms have a name, where positions enter, how queries, keys and values are packed, and a few constants.
#ifndef MODEL_FAMILY_H
#define MODEL_FAMILY_H

#include "kernels/activation.h"
#include "io/json.h"
#include "model/rope_frequencies.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { FAMILY_NORM_LAYER, FAMILY_NORM_RMS, FAMILY_NORM_RMS_PLUS_ONE } FamilyNorm; // gain g, or 1 + g
typedef enum {
    FAMILY_POSITIONS_NONE,
    FAMILY_POSITIONS_LEARNED,
    FAMILY_POSITIONS_ROPE,
    FAMILY_POSITIONS_ROPE_PAIRS, // turned together: columns m and m + n/2; 2m and 2m + 1
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
} FamilyPacking; // q, k, v apart; q | k | v; a group's q | k | v
enum {
    FAMILY_BIAS_QKV = 1,
    FAMILY_BIAS_O = 2,
    FAMILY_BIAS_MLP = 4,
    FAMILY_BIAS_ATTENTION = FAMILY_BIAS_QKV | FAMILY_BIAS_O,
    FAMILY_BIAS_ALL = 7
};

// Names of tensors, without the prefix and without .weight or .bias. # is the number of the layer, | stands between two
// names of which the first that is there counts, and where a name ends with ? there may be none.
typedef struct {
    const char *embedding, *places, *kinds, *embedding_norm, *last_norm;
    const char *before_attention, *after_attention, *sum_attention; // the six slots for norms
    const char *before_mlp, *after_mlp, *sum_mlp;
    const char *qkv, *q, *k, *v, *o, *q_norm, *k_norm;
    const char *gate_up, *gate, *up, *down;
    const char *head_dense, *head_norm, *output, *output_bias;
} FamilyTensorNames;

enum { FAMILY_POSITION_AFTER_PADDING = -1, FAMILY_MOST_PREFIXES = 3 };

// A row. A key is the name of a number in config.json; what stands behind it is the value where the config is silent.
typedef struct {
    const char *name; // model_type
    const FamilyTensorNames *names;
    const char *prefixes[FAMILY_MOST_PREFIXES];
    bool causal, parallel, gated, tied;
    int biased; // products of a layer that have a bias in every model of the family …
    struct {
        const char *key;
        int of;
        bool silent;
    } biases[2];  // … and where the config says it; or is silent
    bool columns; // weights stored (in, out)
    bool scaled;  // embeddings times √D
    FamilyPacking packing;
    FamilyNorm norm;
    const char *eps_key; // NULL: always eps
    double eps;
    FamilyPositions places;
    int first_place; // learned: the row of position 0; FAMILY_POSITION_AFTER_PADDING: rows count words, not fillers
    const char *turned_key; // how much of a head RoPE turns: a share, or, from 2 on, columns
    double turned;
    FamilyWindow window;
    int window_default; // where the config does not speak of one; null says that there is none
    const char *act_keys[2];
    Activation activation;
    const char *parallel_key;
    const char *score_key;       // scores are divided by the root of this; NULL: by that of d, or by 1
    double score;                // 0: d
    double score_cap, logit_cap; // of attn_logit_softcapping and final_logit_softcapping; 0: it has none
    int head_width;              // 0: D / H
    int keys;                    // key heads; 0: as many as heads
    bool mlp_four;               // 4 D hidden neurons, where the config does not say it
} Family;

// A published model as its config.json says it, with its family's defaults where that is silent. One value a switch:
// nothing is left to be decided when it runs.
typedef struct {
    const Family *family;
    const char *name;         // "gpt2": the model_type
    int words, D, L, H, G, d; // d is no more than a usual D / H
    int mlp;                  // hidden neurons
    int positions;            // the longest text it was made for; 0: not said
    int kinds;                // sentences that it tells apart
    FamilyNorm norm;
    double eps;
    FamilyPositions places;
    int first_place; // learned: row of position 0
    int padding;     // a token that has no position of its own: row padding, not counted; −1: none
    double rope_base;
    int turned; // columns of a head that RoPE turns
    RopeScaling stretch;
    bool causal, parallel, gated, tied;
    int biased; // the products of a layer that have a bias; no others have
    FamilyPacking packing;
    Activation activation;
    double embedding_scale;      // 1, or √D
    double score_scale;          // what q · k is multiplied by
    bool score_by_layer;         // … and in layer l (from 0) divided by l + 1
    double score_cap, logit_cap; // c tanh(x / c); 0: none
    bool head;                   // it has logits: no bare encoder
    bool head_said;              // the config says so; otherwise the tensors do
    const int *window;           // (L) W: keys nearer than W, the word's own counted; 0: all
} Architecture;

extern const Family family_table[]; // family_rows.c
extern const int family_count;
const char *family_name(const Family *family);
const char *family_known(Arena *arena); // "gpt2, bert, …": for a sentence

extern const char *const family_activation_names[ACTIVATION_KINDS]; // "gelu", "gelu_pytorch_tanh", …

// config.json. `name` is its path, for the message. false, with one sentence, when no row fits, when a value is missing
// or of a wrong kind, or when it says something that the forward does not know, which is named.
bool architecture_parse(Architecture *out, Arena *arena, const Json *config, const char *name, Error *error);

#endif
