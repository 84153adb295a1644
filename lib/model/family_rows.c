// Chapter 25. The table of families. Omitted fields are 0.
#include "model/family.h"

// ---- names of tensors

#define ATTENTION_OF_LLAMA \
    .q = "layers.#.self_attn.q_proj", .k = "layers.#.self_attn.k_proj", .v = "layers.#.self_attn.v_proj"
#define GATED_OF_LLAMA .gate = "layers.#.mlp.gate_proj", .up = "layers.#.mlp.up_proj", .down = "layers.#.mlp.down_proj"
#define ENDS_OF_LLAMA \
    .embedding = "embed_tokens", .last_norm = "norm", .output = "lm_head", .o = "layers.#.self_attn.o_proj"
#define NORMS_OF_LLAMA .before_attention = "layers.#.input_layernorm", .before_mlp = "layers.#.post_attention_layernorm"
#define NORMS_OF_HEADS .q_norm = "layers.#.self_attn.q_norm", .k_norm = "layers.#.self_attn.k_norm"

static const FamilyTensorNames llama = { ENDS_OF_LLAMA, NORMS_OF_LLAMA, ATTENTION_OF_LLAMA, GATED_OF_LLAMA };
static const FamilyTensorNames qwen3 = { ENDS_OF_LLAMA, NORMS_OF_LLAMA, ATTENTION_OF_LLAMA, GATED_OF_LLAMA,
                                         NORMS_OF_HEADS };
static const FamilyTensorNames gemma2 = {
    ENDS_OF_LLAMA,
    ATTENTION_OF_LLAMA,
    GATED_OF_LLAMA,
    .before_attention = "layers.#.input_layernorm",
    .after_attention = "layers.#.post_attention_layernorm",
    .before_mlp = "layers.#.pre_feedforward_layernorm",
    .after_mlp = "layers.#.post_feedforward_layernorm",
};
static const FamilyTensorNames olmo2 = {
    ENDS_OF_LLAMA,
    ATTENTION_OF_LLAMA,
    GATED_OF_LLAMA,
    NORMS_OF_HEADS,
    .after_attention = "layers.#.post_attention_layernorm",
    .after_mlp = "layers.#.post_feedforward_layernorm",
};
static const FamilyTensorNames phi3 = {
    ENDS_OF_LLAMA,
    NORMS_OF_LLAMA,
    .qkv = "layers.#.self_attn.qkv_proj",
    .gate_up = "layers.#.mlp.gate_up_proj",
    .down = "layers.#.mlp.down_proj",
};
static const FamilyTensorNames stablelm = {
    ENDS_OF_LLAMA,
    ATTENTION_OF_LLAMA,
    GATED_OF_LLAMA,
    .before_attention = "layers.#.input_layernorm",
    .before_mlp = "layers.#.post_attention_layernorm?",
};
static const FamilyTensorNames starcoder2 = {
    ENDS_OF_LLAMA, NORMS_OF_LLAMA, ATTENTION_OF_LLAMA, .up = "layers.#.mlp.c_fc", .down = "layers.#.mlp.c_proj",
};
static const FamilyTensorNames phi = {
    .embedding = "embed_tokens",
    .last_norm = "final_layernorm",
    .output = "lm_head",
    .output_bias = "lm_head.bias",
    .before_attention = "layers.#.input_layernorm",
    ATTENTION_OF_LLAMA,
    .o = "layers.#.self_attn.dense",
    .up = "layers.#.mlp.fc1",
    .down = "layers.#.mlp.fc2",
};
static const FamilyTensorNames opt = {
    .embedding = "embed_tokens",
    .places = "embed_positions",
    .last_norm = "final_layer_norm",
    .output = "lm_head",
    .before_attention = "layers.#.self_attn_layer_norm",
    .before_mlp = "layers.#.final_layer_norm",
    ATTENTION_OF_LLAMA,
    .o = "layers.#.self_attn.out_proj",
    .up = "layers.#.fc1",
    .down = "layers.#.fc2",
};
static const FamilyTensorNames gpt2 = {
    .embedding = "wte",
    .places = "wpe",
    .last_norm = "ln_f",
    .output = "lm_head",
    .before_attention = "h.#.ln_1",
    .before_mlp = "h.#.ln_2",
    .qkv = "h.#.attn.c_attn",
    .o = "h.#.attn.c_proj",
    .up = "h.#.mlp.c_fc",
    .down = "h.#.mlp.c_proj",
};
static const FamilyTensorNames gpt_neo = {
    .embedding = "wte",
    .places = "wpe",
    .last_norm = "ln_f",
    .output = "lm_head",
    .before_attention = "h.#.ln_1",
    .before_mlp = "h.#.ln_2",
    .q = "h.#.attn.attention.q_proj",
    .k = "h.#.attn.attention.k_proj",
    .v = "h.#.attn.attention.v_proj",
    .o = "h.#.attn.attention.out_proj",
    .up = "h.#.mlp.c_fc",
    .down = "h.#.mlp.c_proj",
};
static const FamilyTensorNames gptj = {
    .embedding = "wte",
    .last_norm = "ln_f",
    .output = "lm_head",
    .output_bias = "lm_head.bias",
    .before_attention = "h.#.ln_1",
    .q = "h.#.attn.q_proj",
    .k = "h.#.attn.k_proj",
    .v = "h.#.attn.v_proj",
    .o = "h.#.attn.out_proj",
    .up = "h.#.mlp.fc_in",
    .down = "h.#.mlp.fc_out",
};
static const FamilyTensorNames gpt_neox = {
    .embedding = "embed_in",
    .last_norm = "final_layer_norm",
    .output = "embed_out",
    .before_attention = "layers.#.input_layernorm",
    .before_mlp = "layers.#.post_attention_layernorm",
    .qkv = "layers.#.attention.query_key_value",
    .o = "layers.#.attention.dense",
    .up = "layers.#.mlp.dense_h_to_4h",
    .down = "layers.#.mlp.dense_4h_to_h",
};
static const FamilyTensorNames falcon = {
    .embedding = "word_embeddings",
    .last_norm = "ln_f",
    .output = "lm_head",
    .before_attention = "h.#.ln_attn|h.#.input_layernorm",
    .before_mlp = "h.#.ln_mlp|h.#.post_attention_layernorm?",
    .qkv = "h.#.self_attention.query_key_value",
    .o = "h.#.self_attention.dense",
    .up = "h.#.mlp.dense_h_to_4h",
    .down = "h.#.mlp.dense_4h_to_h",
};
static const FamilyTensorNames bloom = {
    .embedding = "word_embeddings",
    .embedding_norm = "word_embeddings_layernorm",
    .last_norm = "ln_f",
    .output = "lm_head",
    .before_attention = "h.#.input_layernorm",
    .before_mlp = "h.#.post_attention_layernorm",
    .qkv = "h.#.self_attention.query_key_value",
    .o = "h.#.self_attention.dense",
    .up = "h.#.mlp.dense_h_to_4h",
    .down = "h.#.mlp.dense_4h_to_h",
};

#define EMBEDDINGS_OF_BERT \
    .embedding = "embeddings.word_embeddings", .places = "embeddings.position_embeddings", \
    .embedding_norm = "embeddings.LayerNorm"
#define LAYERS_OF_BERT \
    .kinds = "embeddings.token_type_embeddings", .q = "encoder.layer.#.attention.self.query", \
    .k = "encoder.layer.#.attention.self.key", .v = "encoder.layer.#.attention.self.value", \
    .o = "encoder.layer.#.attention.output.dense", .sum_attention = "encoder.layer.#.attention.output.LayerNorm", \
    .up = "encoder.layer.#.intermediate.dense", .down = "encoder.layer.#.output.dense", \
    .sum_mlp = "encoder.layer.#.output.LayerNorm"

static const FamilyTensorNames bert = {
    EMBEDDINGS_OF_BERT,
    LAYERS_OF_BERT,
    .head_dense = "cls.predictions.transform.dense",
    .head_norm = "cls.predictions.transform.LayerNorm",
    .output = "cls.predictions.decoder",
    .output_bias = "cls.predictions.bias",
};
static const FamilyTensorNames roberta = {
    EMBEDDINGS_OF_BERT,
    LAYERS_OF_BERT,
    .head_dense = "lm_head.dense",
    .head_norm = "lm_head.layer_norm",
    .output = "lm_head.decoder",
    .output_bias = "lm_head.bias",
};
static const FamilyTensorNames distilbert = {
    EMBEDDINGS_OF_BERT,
    .q = "transformer.layer.#.attention.q_lin",
    .k = "transformer.layer.#.attention.k_lin",
    .v = "transformer.layer.#.attention.v_lin",
    .o = "transformer.layer.#.attention.out_lin",
    .sum_attention = "transformer.layer.#.sa_layer_norm",
    .up = "transformer.layer.#.ffn.lin1",
    .down = "transformer.layer.#.ffn.lin2",
    .sum_mlp = "transformer.layer.#.output_layer_norm",
    .head_dense = "vocab_transform",
    .head_norm = "vocab_layer_norm",
    .output = "vocab_projector",
    .output_bias = "vocab_projector.bias",
};

// ---- the rows

#define AS_LLAMA \
    .prefixes = { "model." }, .causal = true, .gated = true, .norm = FAMILY_NORM_RMS, .eps_key = "rms_norm_eps", \
    .eps = 1e-6, .places = FAMILY_POSITIONS_ROPE, .turned = 1.0, .act_keys = { "hidden_act" }
#define AS_GEMMA \
    .prefixes = { "model." }, .causal = true, .gated = true, .norm = FAMILY_NORM_RMS_PLUS_ONE, \
    .eps_key = "rms_norm_eps", .eps = 1e-6, .places = FAMILY_POSITIONS_ROPE, .turned = 1.0, \
    .act_keys = { "hidden_activation", "hidden_act" }, .activation = ACTIVATION_GELU_TANH, .scaled = true, \
    .tied = true, .head_width = 256
#define AS_BERT .tied = true, .biased = FAMILY_BIAS_ALL, .norm = FAMILY_NORM_LAYER, .places = FAMILY_POSITIONS_LEARNED

const Family family_table[] = {
    { "gpt2", &gpt2, .prefixes = { "transformer." }, .causal = true, .tied = true, .biased = FAMILY_BIAS_ALL,
      .columns = true, .packing = FAMILY_PACKED_BLOCK, .eps_key = "layer_norm_epsilon", .eps = 1e-5,
      .places = FAMILY_POSITIONS_LEARNED, .act_keys = { "activation_function" }, .activation = ACTIVATION_GELU_TANH,
      .mlp_four = true },
    { "bert", &bert, AS_BERT, .prefixes = { "bert." }, .eps_key = "layer_norm_eps", .eps = 1e-12,
      .act_keys = { "hidden_act" } },
    { "roberta", &roberta, AS_BERT, .prefixes = { "roberta." }, .eps_key = "layer_norm_eps", .eps = 1e-12,
      .first_place = FAMILY_POSITION_AFTER_PADDING, .act_keys = { "hidden_act" } },
    { "distilbert", &distilbert, AS_BERT, .prefixes = { "distilbert." }, .eps = 1e-12, .act_keys = { "activation" } },
    { "gpt_neox", &gpt_neox, .prefixes = { "gpt_neox." }, .causal = true, .parallel = true,
      .parallel_key = "use_parallel_residual", .packing = FAMILY_PACKED_GROUP, .eps_key = "layer_norm_eps", .eps = 1e-5,
      .places = FAMILY_POSITIONS_ROPE, .turned_key = "rotary_pct", .turned = 0.25, .act_keys = { "hidden_act" },
      .biased = FAMILY_BIAS_MLP, .biases = { { "attention_bias", FAMILY_BIAS_ATTENTION, true } } },
    { "llama", &llama, AS_LLAMA, .activation = ACTIVATION_SILU,
      .biases = { { "attention_bias", FAMILY_BIAS_ATTENTION, false }, { "mlp_bias", FAMILY_BIAS_MLP, false } } },
    { "mistral", &llama, AS_LLAMA, .activation = ACTIVATION_SILU, .window = FAMILY_WINDOW_ALL, .window_default = 4096,
      .keys = 8 },
    { "qwen2", &llama, AS_LLAMA, .activation = ACTIVATION_SILU, .biased = FAMILY_BIAS_QKV, .window = FAMILY_WINDOW_FROM,
      .keys = 32 },
    { "qwen3", &qwen3, AS_LLAMA, .activation = ACTIVATION_SILU, .window = FAMILY_WINDOW_FROM, .keys = 32,
      .head_width = 128, .biases = { { "attention_bias", FAMILY_BIAS_ATTENTION, false } } },
    { "gemma", &llama, AS_GEMMA, .keys = 16, .biases = { { "attention_bias", FAMILY_BIAS_ATTENTION, false } } },
    { "gemma2", &gemma2, AS_GEMMA, .keys = 4, .window = FAMILY_WINDOW_EVEN, .window_default = 4096,
      .score_key = "query_pre_attn_scalar", .score = 256.0, .score_cap = 50.0, .logit_cap = 30.0,
      .biases = { { "attention_bias", FAMILY_BIAS_ATTENTION, false } } },
    { "phi3", &phi3, .prefixes = { "model." }, .causal = true, .gated = true, .packing = FAMILY_PACKED_BLOCK,
      .norm = FAMILY_NORM_RMS, .eps_key = "rms_norm_eps", .eps = 1e-5, .places = FAMILY_POSITIONS_ROPE,
      .turned_key = "partial_rotary_factor", .turned = 1.0, .window = FAMILY_WINDOW_ALL, .act_keys = { "hidden_act" },
      .activation = ACTIVATION_SILU },
    { "opt", &opt, .prefixes = { "model.decoder.", "decoder.", "model." }, .causal = true, .tied = true, .eps = 1e-5,
      .places = FAMILY_POSITIONS_LEARNED, .first_place = 2, .act_keys = { "activation_function" },
      .activation = ACTIVATION_RELU, .biases = { { "enable_bias", FAMILY_BIAS_ALL, true } } },
    { "phi", &phi, .prefixes = { "model." }, .causal = true, .parallel = true, .biased = FAMILY_BIAS_ALL,
      .eps_key = "layer_norm_eps", .eps = 1e-5, .places = FAMILY_POSITIONS_ROPE, .turned_key = "partial_rotary_factor",
      .turned = 0.5, .act_keys = { "hidden_act" }, .activation = ACTIVATION_GELU_TANH },
    { "stablelm", &stablelm, .prefixes = { "model." }, .causal = true, .gated = true,
      .parallel_key = "use_parallel_residual", .eps_key = "layer_norm_eps", .eps = 1e-5,
      .places = FAMILY_POSITIONS_ROPE, .turned_key = "partial_rotary_factor", .turned = 0.25,
      .act_keys = { "hidden_act" }, .activation = ACTIVATION_SILU, .keys = 32,
      .biases = { { "use_qkv_bias", FAMILY_BIAS_QKV, false } } },
    { "falcon", &falcon, .prefixes = { "transformer." }, .causal = true, .parallel = true,
      .parallel_key = "parallel_attn", .tied = true, .packing = FAMILY_PACKED_GROUP, .eps_key = "layer_norm_epsilon",
      .eps = 1e-5, .places = FAMILY_POSITIONS_ROPE, .turned = 1.0, .act_keys = { "activation" }, .mlp_four = true,
      .biases = { { "bias", FAMILY_BIAS_ALL, false } } },
    { "starcoder2", &starcoder2, .prefixes = { "model." }, .causal = true, .tied = true, .eps_key = "norm_epsilon",
      .eps = 1e-5, .places = FAMILY_POSITIONS_ROPE, .turned = 1.0, .window = FAMILY_WINDOW_ALL,
      .act_keys = { "hidden_act" }, .activation = ACTIVATION_GELU_TANH, .keys = 2,
      .biases = { { "use_bias", FAMILY_BIAS_ALL, true } } },
    { "olmo2", &olmo2, .prefixes = { "model." }, .causal = true, .gated = true, .norm = FAMILY_NORM_RMS,
      .eps_key = "rms_norm_eps", .eps = 1e-5, .places = FAMILY_POSITIONS_ROPE, .turned = 1.0,
      .act_keys = { "hidden_act" }, .activation = ACTIVATION_SILU,
      .biases = { { "attention_bias", FAMILY_BIAS_ATTENTION, false } } },
    { "gpt_neo", &gpt_neo, .prefixes = { "transformer." }, .causal = true, .tied = true,
      .eps_key = "layer_norm_epsilon", .eps = 1e-5, .places = FAMILY_POSITIONS_LEARNED, .window = FAMILY_WINDOW_LISTED,
      .window_default = 256, .score = 1.0, .act_keys = { "activation_function" }, .activation = ACTIVATION_GELU_TANH,
      .mlp_four = true, .biased = FAMILY_BIAS_O | FAMILY_BIAS_MLP },
    { "gptj", &gptj, .prefixes = { "transformer." }, .causal = true, .parallel = true, .eps_key = "layer_norm_epsilon",
      .eps = 1e-5, .places = FAMILY_POSITIONS_ROPE_PAIRS, .turned_key = "rotary_dim", .turned = 64.0,
      .act_keys = { "activation_function" }, .activation = ACTIVATION_GELU_TANH, .mlp_four = true,
      .biased = FAMILY_BIAS_MLP },
    { "bloom", &bloom, .prefixes = { "transformer." }, .causal = true, .tied = true, .biased = FAMILY_BIAS_ALL,
      .packing = FAMILY_PACKED_GROUP, .eps_key = "layer_norm_epsilon", .eps = 1e-5, .places = FAMILY_POSITIONS_ALIBI,
      .activation = ACTIVATION_GELU_TANH, .mlp_four = true },
};
const int family_count = sizeof family_table / sizeof *family_table;
