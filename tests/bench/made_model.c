// A folder as Hugging Face saves it, of random numbers.
#include "bench/made_model.h"

#include "base/arena.h"
#include "base/half.h"
#include "base/random.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

// A tensor: rows × cols, or, with 0 rows, cols numbers along one axis. A name with a # is that of a layer.
typedef struct {
    const char *name;
    int layer, rows, cols;
} Made;
enum { TABLE = 4, EACH = 12 }; // tensors outside of layers and of a layer: at most

MadeShape made_gpt2(int L) { return (MadeShape){ "gpt2", L, 768, 12, 12, 3072, 50257, 1024 }; }
MadeShape made_qwen2(void) { return (MadeShape){ "qwen2", 24, 896, 14, 2, 4864, 151936, 32768 }; }

static bool is_gpt2(MadeShape s) { return !strcmp(s.family, "gpt2"); }
static int keys_of(MadeShape s) { return s.D / s.H * s.G; }

double made_layer_numbers(MadeShape s)
{
    double attention = 2.0 * s.D * (s.D + keys_of(s)), mlp = (is_gpt2(s) ? 2.0 : 3.0) * s.D * s.mlp;
    return s.L * (attention + mlp);
}

double made_cache_numbers(MadeShape s) { return 2.0 * s.L * keys_of(s); }

static int tensors_of(Made *out, MadeShape s)
{
    int D = s.D, keys = keys_of(s), n = 0;
    const Made gpt2[] = {
        { "wte.weight", 0, s.words, D },
        { "wpe.weight", 0, s.positions, D },
        { "ln_f.weight", 0, 0, D },
        { "ln_f.bias", 0, 0, D },
        { "h.#.ln_1.weight", 0, 0, D },
        { "h.#.ln_1.bias", 0, 0, D },
        { "h.#.attn.c_attn.weight", 0, D, 3 * D },
        { "h.#.attn.c_attn.bias", 0, 0, 3 * D },
        { "h.#.attn.c_proj.weight", 0, D, D },
        { "h.#.attn.c_proj.bias", 0, 0, D },
        { "h.#.ln_2.weight", 0, 0, D },
        { "h.#.ln_2.bias", 0, 0, D },
        { "h.#.mlp.c_fc.weight", 0, D, s.mlp },
        { "h.#.mlp.c_fc.bias", 0, 0, s.mlp },
        { "h.#.mlp.c_proj.weight", 0, s.mlp, D },
        { "h.#.mlp.c_proj.bias", 0, 0, D },
    };
    const Made qwen2[] = {
        { "embed_tokens.weight", 0, s.words, D },           { "norm.weight", 0, 0, D },
        { "layers.#.input_layernorm.weight", 0, 0, D },     { "layers.#.post_attention_layernorm.weight", 0, 0, D },
        { "layers.#.self_attn.q_proj.weight", 0, D, D },    { "layers.#.self_attn.q_proj.bias", 0, 0, D },
        { "layers.#.self_attn.k_proj.weight", 0, keys, D }, { "layers.#.self_attn.k_proj.bias", 0, 0, keys },
        { "layers.#.self_attn.v_proj.weight", 0, keys, D }, { "layers.#.self_attn.v_proj.bias", 0, 0, keys },
        { "layers.#.self_attn.o_proj.weight", 0, D, D },    { "layers.#.mlp.gate_proj.weight", 0, s.mlp, D },
        { "layers.#.mlp.up_proj.weight", 0, s.mlp, D },     { "layers.#.mlp.down_proj.weight", 0, D, s.mlp },
    };
    const Made *all = is_gpt2(s) ? gpt2 : qwen2;
    int count = is_gpt2(s) ? (int)(sizeof gpt2 / sizeof *gpt2) : (int)(sizeof qwen2 / sizeof *qwen2);
    for (int l = -1; l < s.L; l++)
        for (int i = 0; i < count; i++) {
            if ((l >= 0) != (strchr(all[i].name, '#') != NULL)) continue;
            out[n] = all[i];
            out[n++].layer = l;
        }
    return n;
}

static int64_t numbers_of(const Made *m) { return (int64_t)(m->rows ? m->rows : 1) * m->cols; }

static const char *name_of(Arena *arena, const Made *m)
{
    const char *at = strchr(m->name, '#');
    return at ? arena_format(arena, "%.*s%d%s", (int)(at - m->name), m->name, m->layer, at + 1) : m->name;
}

static const char *header_of(Arena *arena, const Made *made, int count, MadeShape s, Dtype stored)
{
    const char *text = "{\"__metadata__\":{\"format\":\"pt\"}";
    int64_t at = 0;
    for (int i = 0; i < count; i++) {
        int64_t end = at + numbers_of(&made[i]) * (int64_t)dtype_size(stored);
        const char *shape = made[i].rows ? arena_format(arena, "%d,%d", made[i].rows, made[i].cols)
                                         : arena_format(arena, "%d", made[i].cols);
        text = arena_format(arena, "%s,\"%s%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%lld,%lld]}", text,
                            is_gpt2(s) ? "" : "model.", name_of(arena, &made[i]), stored == DTYPE_F32 ? "F32" : "BF16",
                            shape, (long long)at, (long long)end);
        at = end;
    }
    text = arena_format(arena, "%s}", text);
    while (strlen(text) % 8) text = arena_format(arena, "%s ", text);
    return text;
}

static const char *config_of(Arena *arena, MadeShape s, Dtype stored)
{
    const char *type = stored == DTYPE_F32 ? "float32" : "bfloat16";
    if (is_gpt2(s))
        return arena_format(
            arena,
            "{\"model_type\": \"gpt2\", \"architectures\": [\"GPT2LMHeadModel\"], "
            "\"vocab_size\": %d, \"n_embd\": %d, \"n_layer\": %d, \"n_head\": %d, \"n_positions\": %d, \"torch_dtype\": "
            "\"%s\"}\n",
            s.words, s.D, s.L, s.H, s.positions, type);
    return arena_format(
        arena,
        "{\"model_type\": \"qwen2\", \"architectures\": [\"Qwen2ForCausalLM\"], \"vocab_size\": "
        "%d, \"hidden_size\": %d, \"num_hidden_layers\": %d, \"num_attention_heads\": %d, \"num_key_value_heads\": %d, "
        "\"intermediate_size\": %d, \"max_position_embeddings\": %d, \"rms_norm_eps\": 1e-6, \"rope_theta\": 1e6, "
        "\"hidden_act\": \"silu\", \"tie_word_embeddings\": true, \"torch_dtype\": \"%s\"}\n",
        s.words, s.D, s.L, s.H, s.G, s.mlp, s.positions, type);
}

// Numbers as GPT-2's are spread; gains near 1.
static void write_numbers(FILE *file, const Made *m, Dtype stored, Random *random)
{
    bool gain = !m->rows && (strstr(m->name, "ln_") || strstr(m->name, "norm")) && strstr(m->name, "weight");
    for (int64_t i = 0; i < numbers_of(m); i++) {
        float x = (random_uniform(random) - 0.5f) * 0.07f + (gain ? 1.0f : 0.0f);
        uint16_t bits = half_of(HALF_BFLOAT16, x);
        if (stored == DTYPE_F32) fwrite(&x, sizeof x, 1, file);
        else fwrite(&bits, sizeof bits, 1, file);
    }
}

static bool write_all(Arena *arena, const char *folder, MadeShape s, Dtype stored, Error *error)
{
    Made *made = arena_alloc(arena, (size_t)(TABLE + EACH * s.L) * sizeof *made);
    int count = tensors_of(made, s);
    const char *header = header_of(arena, made, count, s, stored), *config = config_of(arena, s, stored);
    if (!file_make_folder(folder, error) ||
        !file_write(arena_format(arena, "%s/config.json", folder), config, strlen(config), error))
        return false;
    const char *path = arena_format(arena, "%s/model.safetensors", folder);
    FILE *file = fopen(path, "wb");
    if (!file) return error_set(error, "%s: it cannot be written", path);
    unsigned char length[8] = { 0 };
    for (int i = 0; i < 4; i++) length[i] = (unsigned char)(strlen(header) >> 8 * i);
    fwrite(length, 1, sizeof length, file);
    fputs(header, file);
    Random random = random_from(25);
    for (int i = 0; i < count; i++) write_numbers(file, &made[i], stored, &random);
    bool ok = !ferror(file);
    return !fclose(file) && ok ? true : error_set(error, "%s: it cannot be written whole", path);
}

bool made_model(const char *folder, MadeShape shape, Dtype stored, Error *error)
{
    Arena *arena = arena_open();
    bool ok = write_all(arena, folder, shape, stored, error);
    arena_close(arena);
    return ok;
}
