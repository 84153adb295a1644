// Chapters 17 and 25. Tensors under LLaMA's names, and three small JSON files.
#include "model/llama_export.h"

#include "io/file.h"
#include "io/json.h"
#include "io/safetensors.h"

#include <string.h>

// ---- is the model a LLaMA?

static bool is_llama(const Config *c, Error *error)
{
    const char *what = !c->causal                                    ? "sees later words"
                       : c->positions != CONFIG_POSITIONS_ROPE       ? "has no RoPE"
                       : !c->mlp || c->mlp_kind != CONFIG_MLP_SWIGLU ? "has no SwiGLU"
                       : c->words != c->outputs                      ? "answers in other words than it reads"
                                                                     : config_beyond(c);
    for (int l = 0; l < c->L; l++)
        if (!what && config_window(c, l)) what = "has windows";
    return !what || error_set(error,
                              "the model %s, and a LLaMA does not; only a model of LLaMA's form can be written "
                              "as its folder",
                              what);
}

// ---- tensors

typedef struct {
    Arena *arena;
    Tensor *at;
    int count;
} Writer;

static void add(Writer *w, const char *name, Mat m, bool row)
{
    NpyArray array = { .axes = row ? 1 : 2,
                       .shape = { row ? m.cols : m.rows, m.cols },
                       .at = m.at,
                       .count = (size_t)m.rows * (size_t)m.cols };
    w->at[w->count++] = (Tensor){ name, array };
}

// The weight x w, transposed as the library stores it: (out, in).
static void add_transposed(Writer *w, const char *name, Mat m)
{
    Mat transposed = mat_new(w->arena, m.cols, m.rows);
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++) *mat_ref(transposed, j, i) = *mat_ref(m, i, j);
    add(w, name, transposed, false);
}

static void add_row(Writer *w, const char *name, Mat m) { add(w, name, mat_copy(w->arena, m), true); }

// Permutes columns 2m and 2m + 1 of each head to m and m + d/2 (interleaved to rotate_half).
static Mat rotate_half_columns(Arena *arena, Mat m, int d)
{
    Mat dealt = mat_new(arena, m.rows, m.cols);
    for (int c = 0; c < m.cols; c++) {
        int head = c / d * d, pair = c % d / 2;
        mat_set(mat_cols(dealt, head + pair + (c % 2 ? d / 2 : 0), 1), mat_cols(m, c, 1));
    }
    return dealt;
}

static void add_layer(Writer *w, const Config *c, TransformerLayer layer, int l)
{
    int d = c->D / c->H, keys = c->G * d;
    const char *prefix = arena_format(w->arena, "model.layers.%d.", l);
    const char *attention = arena_format(w->arena, "%sself_attn.", prefix),
               *mlp = arena_format(w->arena, "%smlp.", prefix);
#define NAMED(before, name) arena_format(w->arena, "%s" name ".weight", before)
    add_row(w, NAMED(prefix, "input_layernorm"), layer.norm);
    add_transposed(w, NAMED(attention, "q_proj"), rotate_half_columns(w->arena, mat_cols(layer.wqkv, 0, c->D), d));
    add_transposed(w, NAMED(attention, "k_proj"), rotate_half_columns(w->arena, mat_cols(layer.wqkv, c->D, keys), d));
    add_transposed(w, NAMED(attention, "v_proj"), mat_cols(layer.wqkv, c->D + keys, keys));
    add_transposed(w, NAMED(attention, "o_proj"), layer.wo);
    add_row(w, NAMED(prefix, "post_attention_layernorm"), layer.mlp_norm);
    add_transposed(w, NAMED(mlp, "gate_proj"), layer.gate);
    add_transposed(w, NAMED(mlp, "up_proj"), layer.up);
    add_transposed(w, NAMED(mlp, "down_proj"), layer.down);
#undef NAMED
}

static bool write_tensors(Arena *arena, const char *folder, Transformer m, Error *error)
{
    enum { IN_LAYER = 9, OUTSIDE = 3 };
    Writer w = { arena, arena_alloc(arena, (size_t)(OUTSIDE + IN_LAYER * m.config.L) * sizeof(Tensor)), 0 };
    add(&w, "model.embed_tokens.weight", mat_copy(arena, m.embedding), false);
    for (int l = 0; l < m.config.L; l++) add_layer(&w, &m.config, m.layers[l], l);
    add_row(&w, "model.norm.weight", m.norm);
    add_transposed(&w, "lm_head.weight", m.output);
    TensorNote format = { "format", "pt" }; // required by the library
    Tensors file = { w.at, w.count, &format, 1 };
    return safetensors_write(arena_format(arena, "%s/model.safetensors", folder), &file, error);
}

// ---- JSON

static bool write_text(Arena *arena, const char *folder, const char *name, const char *text, Error *error)
{
    return file_write(arena_format(arena, "%s/%s", folder, name), text, strlen(text), error);
}

static const char *config_text(Arena *arena, const Config *c, int T)
{
    return arena_format(
        arena,
        "{\n  \"architectures\": [\"LlamaForCausalLM\"],\n  \"model_type\": \"llama\",\n"
        "  \"torch_dtype\": \"float32\",\n"
        "  \"vocab_size\": %d,\n  \"hidden_size\": %d,\n  \"intermediate_size\": %d,\n  \"num_hidden_layers\": %d,\n"
        "  \"num_attention_heads\": %d,\n  \"num_key_value_heads\": %d,\n  \"head_dim\": %d,\n"
        "  \"max_position_embeddings\": %d,\n  \"rope_theta\": %.17g,\n  \"rms_norm_eps\": 1e-06,\n"
        "  \"hidden_act\": \"silu\",\n  \"attention_bias\": false,\n  \"mlp_bias\": false,\n"
        "  \"tie_word_embeddings\": false,\n  \"bos_token_id\": 0,\n  \"eos_token_id\": null\n}\n",
        c->words, c->D, c->mlp, c->L, c->H, c->G, c->D / c->H, T, c->rope_base > 0.0 ? c->rope_base : 10000.0);
}

// Words are separated by spaces and marks, in lower case; unknown words are refused.
static const char *tokenizer_text(Arena *arena, const char *const *words, int count)
{
    const char *first = json_quote(arena, words[0]), *list = "";
    for (int i = 0; i < count; i++)
        list = arena_format(arena, "%s%s\n      %s: %d", list, i ? "," : "", json_quote(arena, words[i]), i);
    const char *text = arena_format(
        arena,
        "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n  \"added_tokens\": [{ \"id\": 0, "
        "\"content\": %s, \"single_word\": false,\n    \"lstrip\": false, \"rstrip\": false, \"normalized\": false, "
        "\"special\": true }],\n  \"normalizer\": { \"type\": \"Lowercase\" },\n",
        first);
    return arena_format(
        arena,
        "%s  \"pre_tokenizer\": { \"type\": \"Whitespace\" },\n  \"post_processor\": {\n    \"type\": "
        "\"TemplateProcessing\",\n    \"single\": [{ \"SpecialToken\": { \"id\": %s, \"type_id\": 0 } }, { "
        "\"Sequence\": { \"id\": \"A\", \"type_id\": 0 } }],\n    \"pair\": [{ \"Sequence\": { \"id\": \"A\", "
        "\"type_id\": 0 } }, { \"Sequence\": { \"id\": \"B\", \"type_id\": 1 } }],\n"
        "    \"special_tokens\": { %s: { \"id\": %s, "
        "\"ids\": [0], \"tokens\": [%s] } }\n  },\n  \"decoder\": null,\n  \"model\": {\n    \"type\": \"WordLevel\",\n"
        "    \"vocab\": {%s\n    },\n    \"unk_token\": \"[no such word]\"\n  }\n}\n",
        text, first, first, first, first, list);
}

bool llama_export_write(const char *folder, Transformer model, const char *const *words, int T, Error *error)
{
    const Config *c = &model.config;
    if (!is_llama(c, error) || !file_make_folder(folder, error)) return false;
    Arena *scratch = arena_open();
    const char *about = arena_format(scratch,
                                     "{\n  \"tokenizer_class\": \"PreTrainedTokenizerFast\",\n"
                                     "  \"bos_token\": %s,\n  \"model_max_length\": %d\n}\n",
                                     json_quote(scratch, words[0]), T);
    bool ok = write_tensors(scratch, folder, model, error) &&
              write_text(scratch, folder, "tokenizer.json", tokenizer_text(scratch, words, c->words), error) &&
              write_text(scratch, folder, "tokenizer_config.json", about, error) &&
              write_text(scratch, folder, "config.json", config_text(scratch, c, T), error);
    arena_close(scratch);
    return ok;
}
