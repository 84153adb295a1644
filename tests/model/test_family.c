// lib/model/family.c: configs with what they say and with what they leave out, families' defaults, and everything that
// must be refused in one sentence. What the switches do is test_pretrained.c's.
#include "model/family.h"

#include "base/portable_math.h"
#include "support/reference.h"
#include "support/suite.h"

#include <string.h>

// Here and in messages ' stands for ", so that it can be read.
static void replace_all(char *text, char from, char to)
{
    for (char *at = text; (at = strchr(at, from));) *at = to;
}

static bool parse(Architecture *a, const char *quoted, Error *error)
{
    Json *config;
    char *text = arena_format(arena, "%s", quoted);
    replace_all(text, '\'', '"');
    bool read = json_parse(&config, arena, text, strlen(text), "config.json", error);
    ck_assert_msg(read, "%s", error->text);
    return architecture_parse(a, arena, config, "config.json", error);
}

static Architecture parsed(const char *text)
{
    Architecture a;
    Error error = { .text = "" };
    bool ok = parse(&a, text, &error);
    ck_assert_msg(ok, "%s", error.text);
    return a;
}

#define SHAPE_OF_TWO \
    "'vocab_size': 7, 'hidden_size': 64, 'num_hidden_layers': 3, 'num_attention_heads': 32, " \
    "'intermediate_size': 5, 'max_position_embeddings': 16"
#define OF(family, more) "{'model_type': '" family "', " SHAPE_OF_TWO more "}"

// ---- what a config says

TEST(gpt2_in_its_own_words)
{
    Architecture a = parsed("{'model_type': 'gpt2', 'vocab_size': 50257, 'n_embd': 768, 'n_layer': 12, "
                            "'n_head': 12, 'n_positions': 1024, 'architectures': ['GPT2LMHeadModel']}");
    ck_assert_str_eq(a.name, "gpt2");
    ck_assert(a.words == 50257 && a.D == 768 && a.L == 12 && a.H == 12 && a.G == 12 && a.d == 64 && a.mlp == 3072);
    ck_assert(a.positions == 1024 && a.first_place == 0 && a.places == FAMILY_POSITIONS_LEARNED && a.tied && a.causal);
    ck_assert(a.norm == FAMILY_NORM_LAYER && a.activation == ACTIVATION_GELU_TANH && a.packing == FAMILY_PACKED_BLOCK &&
              a.head);
    ck_assert(a.eps == 1e-5 && a.score_scale == 0.125 && a.embedding_scale == 1.0 && a.score_cap == 0.0);
    ck_assert(!a.parallel && !a.gated && !a.score_by_layer && a.window[0] == 0 && a.window[11] == 0);
}

TEST(gemma2_by_default)
{
    Architecture a = parsed(OF("gemma2", ""));
    ck_assert(a.G == 4 && a.d == 256 && a.tied && a.gated && a.norm == FAMILY_NORM_RMS_PLUS_ONE && a.eps == 1e-6);
    ck_assert(a.score_scale == 0.0625 && a.score_cap == 50.0 && a.logit_cap == 30.0 && a.embedding_scale == 8.0);
    ck_assert(a.window[0] == 4096 && a.window[1] == 0 && a.window[2] == 4096 && a.rope_base == 10000.0);
    ck_assert(a.activation == ACTIVATION_GELU_TANH && a.turned == 256 && a.head && !a.head_said);
}

// Absent is not null.
TEST(windows)
{
    // clang-format off
    static const struct {
        const char *text;
        int window[3];
    } cases[] = {
        { OF("mistral", ""), { 4096, 4096, 4096 } }, { OF("mistral", ", 'sliding_window': null"), { 0, 0, 0 } },
        { OF("phi3", ""), { 0, 0, 0 } },
        { OF("qwen2", ", 'sliding_window': 9, 'max_window_layers': 1"), { 0, 0, 0 } },
        { OF("qwen2", ", 'sliding_window': 9, 'max_window_layers': 1, 'use_sliding_window': true"), { 0, 9, 9 } },
        { OF("qwen3", ", 'sliding_window': 9, 'use_sliding_window': true, 'layer_types': ['sliding_attention', "
          "'full_attention', 'sliding_attention']"), { 9, 0, 9 } },
        { OF("gemma2", ", 'sliding_window': 9, 'layer_types': ['full_attention', 'sliding_attention', "
          "'full_attention']"), { 0, 9, 0 } },
        { OF("gpt_neo", ""), { 0, 256, 0 } },
        { OF("gpt_neo", ", 'window_size': 4, 'attention_types': [[['local', 'global'], 1], [['local'], 1]]"), { 4, 0,
          4 } },
        { OF("gpt_neo", ", 'window_size': 4, 'attention_layers': ['global', 'global', 'local']"), { 0, 0, 4 } },
        { OF("llama", ", 'sliding_window': 9"), { 0, 0, 0 } },
    };
    // clang-format on
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Architecture a = parsed(cases[i].text);
        for (int l = 0; l < 3; l++)
            ck_assert_msg(a.window[l] == cases[i].window[l], "case %zu, layer %d: %d", i, l, a.window[l]);
    }
}

TEST(key_heads)
{
    ck_assert_int_eq(parsed(OF("llama", "")).G, 32);
    ck_assert_int_eq(parsed(OF("mistral", "")).G, 8);
    ck_assert_int_eq(parsed(OF("mistral", ", 'num_key_value_heads': null")).G, 32);
    ck_assert_int_eq(parsed(OF("llama", ", 'num_key_value_heads': 2")).G, 2);
    ck_assert_int_eq(parsed(OF("falcon", ", 'multi_query': true")).G, 1);
    ck_assert_int_eq(parsed(OF("falcon", ", 'multi_query': false")).G, 32);
    ck_assert_int_eq(parsed(OF("falcon", ", 'multi_query': true, 'new_decoder_architecture': true, "
                                         "'num_kv_heads': 4"))
                         .G,
                     4);
    ck_assert_int_eq(parsed(OF("starcoder2", "")).G, 2);
    ck_assert_int_eq(parsed(OF("qwen3", "")).d, 128);
    ck_assert_int_eq(parsed(OF("qwen2", "")).d, 2);
    ck_assert_int_eq(parsed(OF("llama", ", 'head_dim': 6")).d, 6);
}

TEST(positions)
{
    Architecture a = parsed(OF("roberta", ", 'pad_token_id': 3"));
    ck_assert(a.padding == 3 && a.first_place == 4 && a.positions == 12);
    a = parsed(OF("roberta", ""));
    ck_assert(a.padding == 1 && a.first_place == 2 && a.positions == 14);
    a = parsed(OF("opt", ""));
    ck_assert(a.padding == -1 && a.first_place == 2 && a.positions == 16);
    a = parsed(OF("gpt_neox", ", 'head_dim': 12"));
    ck_assert_int_eq(a.turned, 3);
    ck_assert_int_eq(parsed(OF("phi", ", 'head_dim': 12")).turned, 6);
    ck_assert_int_eq(parsed(OF("gptj", ", 'head_dim': 12, 'rotary_dim': 4")).turned, 4);
    ck_assert(parsed(OF("gpt_neox", ", 'head_dim': 12, 'rotary_emb_base': 77")).rope_base == 77.0);
}

// transformers 5 puts all of RoPE into one object.
TEST(rope_of_version_5)
{
    Architecture a = parsed(OF("gpt_neox", ", 'head_dim': 12, 'rope_parameters': {'rope_type': 'linear', "
                                           "'factor': 3.0, 'rope_theta': 500, 'partial_rotary_factor': 0.5}"));
    ck_assert(a.turned == 6 && a.rope_base == 500.0 && a.stretch.kind == ROPE_SCALING_LINEAR &&
              a.stretch.factor == 3.0);
}

TEST(stretches)
{
    Architecture a = parsed(OF("llama", ", 'rope_scaling': {'type': 'yarn', 'factor': 4}"));
    ck_assert(a.stretch.kind == ROPE_SCALING_YARN && a.stretch.original == 16 && a.stretch.fast == 32.0);
    ck_assert_double_eq_tol(a.stretch.attention, 0.1 * log(4.0) + 1.0, 1e-15);
    a = parsed(OF("llama", ", 'rope_scaling': {'rope_type': 'yarn', 'factor': 4, 'attention_factor': 2}"));
    ck_assert(a.stretch.attention == 2.0);
    a = parsed(OF("phi3", ", 'head_dim': 4, 'original_max_position_embeddings': 4, 'rope_scaling': {'type': "
                          "'su', 'short_factor': [1, 2], 'long_factor': [3, 4]}"));
    ck_assert(a.stretch.kind == ROPE_SCALING_LONGROPE && a.stretch.original == 4 && a.stretch.factor == 4.0);
    ck_assert_double_eq_tol(a.stretch.attention, sqrt(1.0 + 1.0), 1e-15);
    ck_assert(*mat_ref(a.stretch.long_factor, 0, 1) == 4.0f && *mat_ref(a.stretch.short_factor, 0, 0) == 1.0f);
    a = parsed(OF("llama", ", 'rope_scaling': null"));
    ck_assert(a.stretch.kind == ROPE_SCALING_NONE && a.stretch.attention == 1.0);
}

TEST(heads_by_class)
{
    ck_assert(!parsed(OF("bert", ", 'architectures': ['BertModel']")).head);
    ck_assert(parsed(OF("bert", ", 'architectures': ['BertForPreTraining']")).head);
    ck_assert(parsed(OF("bert", ", 'architectures': ['BertForMaskedLM']")).head_said);
    ck_assert(!parsed(OF("llama", ", 'architectures': ['LlamaForSequenceClassification']")).head);
    ck_assert(!parsed(OF("llama", ", 'architectures': []")).head_said);
}

TEST(biases)
{
    // clang-format off
    static const struct {
        const char *text;
        int of;
    } cases[] = {
        { OF("qwen2", ""), FAMILY_BIAS_QKV }, { OF("gpt_neo", ""), FAMILY_BIAS_O | FAMILY_BIAS_MLP },
        { OF("gptj", ", 'rotary_dim': 2"), FAMILY_BIAS_MLP }, { OF("mistral", ", 'attention_bias': true"), 0 },
        { OF("phi3", ""), 0 }, { OF("gpt_neox", ", 'rotary_pct': 1"), FAMILY_BIAS_ALL },
        { OF("gpt_neox", ", 'rotary_pct': 1, 'attention_bias': false"), FAMILY_BIAS_MLP }, { OF("llama", ""), 0 },
        { OF("llama", ", 'attention_bias': true"), FAMILY_BIAS_ATTENTION },
        { OF("llama", ", 'mlp_bias': true"), FAMILY_BIAS_MLP }, { OF("qwen3", ""), 0 }, { OF("gemma2", ""), 0 },
        { OF("olmo2", ", 'attention_bias': true"), FAMILY_BIAS_ATTENTION }, { OF("opt", ""), FAMILY_BIAS_ALL },
        { OF("opt", ", 'enable_bias': false"), 0 },
        { OF("stablelm", ", 'partial_rotary_factor': 1, 'use_qkv_bias': true"), FAMILY_BIAS_QKV },
        { OF("falcon", ""), 0 }, { OF("falcon", ", 'bias': true"), FAMILY_BIAS_ALL },
        { OF("starcoder2", ""), FAMILY_BIAS_ALL }, { OF("starcoder2", ", 'use_bias': false"), 0 },
    };
    // clang-format on
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(parsed(cases[i].text).biased == cases[i].of, "case %zu: %s", i, cases[i].text);
}

TEST(all_are_known_by_name)
{
    const char *known = family_known(arena);
    for (int f = 0; f < family_count; f++) {
        ck_assert_ptr_nonnull(strstr(known, family_name(&family_table[f])));
        ck_assert_ptr_nonnull(family_table[f].prefixes[0]);
        ck_assert_str_eq(parsed(arena_format(arena,
                                             "{'model_type': '%s', " SHAPE_OF_TWO ", 'rotary_dim': 2, "
                                             "'num_key_value_heads': 32, 'rotary_pct': 1, "
                                             "'partial_rotary_factor': 1}",
                                             family_table[f].name))
                             .name,
                         family_table[f].name);
    }
}

// ---- what is refused

TEST(refusals)
{
    // clang-format off
    static const struct {
        const char *text, *why;
    } cases[] = {
        { "[]", "config.json:1:1: a config.json is an object, in braces" },
        { "{}", "config.json:1:1: this object has no model_type, a string; it is needed" },
        { "{'model_type': 3}", "config.json:1:16: this object has no model_type, a string; it is needed" },
        { OF("t5", ""), "config.json:1:16: 'model_type' is 't5'; known families are gpt2, bert, " },
        { "{'model_type': 'llama'}", "config.json:1:1: this object has no vocab_size; it is needed" },
        { OF("llama", ", 'head_dim': 0"), "'head_dim' is 0; it must be a whole number from 1 to 8192" },
        { OF("llama", ", 'num_key_value_heads': 5"), "there are 5 key heads; they must divide the 32 query heads" },
        { OF("llama", ", 'hidden_act': 'relu6'"), "'hidden_act' is 'relu6'; known are gelu, gelu_new, " },
        { OF("llama", ", 'rms_norm_eps': -1"), "'rms_norm_eps' is -1; it must be a number from 0 to 1" },
        { OF("llama", ", 'tie_word_embeddings': 1"), "'tie_word_embeddings' is 1; it must be true or false" },
        { OF("llama", ", 'quantization_config': {}"), "'quantization_config' is an object; weights in fewer bits" },
        { OF("llama", ", 'rope_scaling': {'type': 'ntk'}"), "'type' is 'ntk'; known are default, linear, dynamic" },
        { OF("llama", ", 'rope_scaling': {'type': 'yarn', 'mscale': 1}"), "'mscale' is 1; it is not known here" },
        { OF("llama", ", 'rope_scaling': {'type': 'llama3', 'low_freq_factor': 4}"),
          "'rope_scaling' is an object; high_freq_factor must be above low_freq_factor" },
        { OF("llama", ", 'rope_scaling': {'type': 'dynamic', 'factor': 2}"),
          "'rope_scaling' is an object; with it four columns or more must turn" },
        { OF("phi3", ", 'rope_scaling': {'type': 'su', 'short_factor': [1, 2], 'long_factor': [1]}"),
          "short_factor has 2 numbers; there are 1 pairs of columns to turn" },
        { OF("llama", ", 'rope_parameters': {'full_attention': {}}"), "one for each kind of layer is not known" },
        { OF("llama", ", 'rope_parameters': {'partial_rotary_factor': 0.5}"), "this family turns whole heads" },
        { OF("gpt_neox", ", 'rotary_pct': 0"), "RoPE would turn 0 of the 2 columns of a head" },
        { OF("gptj", ", 'head_dim': 9, 'rotary_dim': 3"), "RoPE would turn 3 of the 9 columns of a head" },
        { OF("roberta", ", 'pad_token_id': 15"), "'pad_token_id' is 15; it must be a whole number that leaves rows" },
        { OF("bert", ", 'is_decoder': true"),
          "'is_decoder' is true; of the family bert only models where it is false" },
        { OF("bert", ", 'position_embedding_type': 'relative_key'"), "only 'absolute' is known" },
        { OF("opt", ", 'word_embed_proj_dim': 32"),
          "'word_embed_proj_dim' is 32; only models where it is hidden_size" },
        { OF("gpt_neo", ", 'attention_layers': ['global']"), "attention_layers lists 1 layers; there are 3" },
        { OF("gpt_neo", ", 'attention_types': [[['global', 'x'], 2]]"), "an entry is 'x'; known are full_attention" },
        { OF("gpt_neo", ", 'attention_types': [[['global', 'local'], 2]]"),
          "lists more layers than the 3 that there" },
        { OF("gemma2", ", 'layer_types': ['chunked_attention', 1, 2]"),
          "an entry is 'chunked_attention'; known are" },
        { "{'model_type': 'gpt2', 'vocab_size': 9, 'n_embd': 8, 'n_layer': 1, 'n_head': 2}",
          "config.json:1:1: this object has no max_position_embeddings; it is needed" },
        { "{'model_type': 'gpt2', 'vocab_size': 9, 'n_embd': 9, 'n_layer': 1, 'n_head': 2}",
          "this object has no head_dim, and a width of 9 cannot be split among 2 heads" },
    };
    // clang-format on
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Architecture a;
        Error error = { .text = "" };
        ck_assert_msg(!parse(&a, cases[i].text, &error), "case %zu is read: %s", i, cases[i].text);
        replace_all(error.text, '"', '\'');
        ck_assert_msg(strstr(error.text, cases[i].why) != NULL, "case %zu: %s", i, error.text);
        ck_assert_msg(!strncmp(error.text, "config.json:1:", 14), "case %zu: %s", i, error.text);
    }
}
