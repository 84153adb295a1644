// lib/model/llama_export.c: the folder, read by another reader: LLaMA's forward pass in float64 as it is published, halves
// turned and weights (out, in), and what the common library made of the same folder (data/reference/llama_logits.py).
#include "model/llama_export.h"

#include "base/portable_math.h"
#include "io/bench.h"
#include "io/json.h"
#include "io/npy.h"
#include "io/safetensors.h"
#include "language/language.h"
#include "support/config_sizes.h"
#include "support/flat.h"
#include "support/reference.h"
#include "train/checkpoint.h"
#include "support/suite.h"

BENCH_FIXTURE;

// ---- the other reader

typedef struct {
    Tensors file;
    int D, H, G, d, L, mlp, words;
    double base;
} Folder;

static const float *weights(const Folder *f, const char *name)
{
    const NpyArray *array = tensors_find(&f->file, name);
    ck_assert_msg(array != NULL, "there is no %s", name);
    return array->at;
}

static const float *of_layer(const Folder *f, int l, const char *name)
{
    char whole[96];
    snprintf(whole, sizeof whole, "model.layers.%d.%s.weight", l, name);
    return weights(f, whole);
}

// out (rows): w (rows, cols) times x.
static void times(double *out, const float *w, const double *x, int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        out[r] = 0;
        for (int c = 0; c < cols; c++) out[r] += (double)w[r * cols + c] * x[c];
    }
}

static void norm(double *y, const double *x, const float *gain, int n)
{
    double squares = 0;
    for (int c = 0; c < n; c++) squares += x[c] * x[c];
    for (int c = 0; c < n; c++) y[c] = (double)gain[c] * x[c] / sqrt(squares / n + 1e-6);
}

// rotate_half: column j is paired with j + d/2.
static void turn(double *head, int position, const Folder *f)
{
    for (int j = 0; j < f->d / 2; j++) {
        double angle = position * pow(f->base, -2.0 * j / f->d), a = head[j], b = head[j + f->d / 2];
        head[j] = a * cos(angle) - b * sin(angle);
        head[j + f->d / 2] = b * cos(angle) + a * sin(angle);
    }
}

enum { WIDE = 256, LONG = 128 };
typedef struct {
    double k[LONG][WIDE], v[LONG][WIDE];
} Cache;

static void attend(double *out, const double *q, const Cache *cache, int t, const Folder *f)
{
    for (int h = 0; h < f->H; h++) {
        int g = h / (f->H / f->G);
        double score[LONG], sum = 0;
        for (int j = 0; j <= t; j++) {
            score[j] = 0;
            for (int e = 0; e < f->d; e++) score[j] += q[h * f->d + e] * cache->k[j][g * f->d + e];
            sum += score[j] = exp(score[j] / sqrt(f->d));
        }
        for (int e = 0; e < f->d; e++) {
            out[h * f->d + e] = 0;
            for (int j = 0; j <= t; j++) out[h * f->d + e] += score[j] / sum * cache->v[j][g * f->d + e];
        }
    }
}

static void layer(double *x, Cache *cache, int t, int l, const Folder *f)
{
    double y[WIDE], q[WIDE], heads[WIDE], gate[WIDE], up[WIDE], add[WIDE];
    norm(y, x, of_layer(f, l, "input_layernorm"), f->D);
    times(q, of_layer(f, l, "self_attn.q_proj"), y, f->D, f->D);
    times(cache->k[t], of_layer(f, l, "self_attn.k_proj"), y, f->G * f->d, f->D);
    times(cache->v[t], of_layer(f, l, "self_attn.v_proj"), y, f->G * f->d, f->D);
    for (int h = 0; h < f->H; h++) turn(q + h * f->d, t, f);
    for (int g = 0; g < f->G; g++) turn(cache->k[t] + g * f->d, t, f);
    attend(heads, q, cache, t, f);
    times(add, of_layer(f, l, "self_attn.o_proj"), heads, f->D, f->D);
    for (int c = 0; c < f->D; c++) x[c] += add[c];
    norm(y, x, of_layer(f, l, "post_attention_layernorm"), f->D);
    times(gate, of_layer(f, l, "mlp.gate_proj"), y, f->mlp, f->D);
    times(up, of_layer(f, l, "mlp.up_proj"), y, f->mlp, f->D);
    for (int m = 0; m < f->mlp; m++) up[m] *= gate[m] / (1 + exp(-gate[m]));
    times(add, of_layer(f, l, "mlp.down_proj"), up, f->D, f->mlp);
    for (int c = 0; c < f->D; c++) x[c] += add[c];
}

static double number(const Json *config, const char *key)
{
    const Json *value = json_member(config, key);
    ck_assert_msg(value && value->kind == JSON_NUMBER, "config.json has no number %s", key);
    return value->number;
}

static Json *json_of(const char *folder, const char *name)
{
    FileBytes bytes;
    Json *json;
    const char *path = arena_format(bench.arena, "%s/%s", folder, name);
    ck_assert_msg(file_read(&bytes, bench.arena, path, &bench.error), "%s", bench.error.text);
    ck_assert_msg(json_parse(&json, bench.arena, (const char *)bytes.at, bytes.size, name, &bench.error), "%s",
                  bench.error.text);
    return json;
}

static Folder folder_read(const char *folder)
{
    const Json *c = json_of(folder, "config.json");
    Folder f = { .D = (int)number(c, "hidden_size"),
                 .H = (int)number(c, "num_attention_heads"),
                 .G = (int)number(c, "num_key_value_heads"),
                 .L = (int)number(c, "num_hidden_layers"),
                 .d = (int)number(c, "head_dim"),
                 .mlp = (int)number(c, "intermediate_size"),
                 .words = (int)number(c, "vocab_size"),
                 .base = number(c, "rope_theta") };
    ck_assert_double_eq(number(c, "rms_norm_eps"), 1e-6);
    ck_assert_str_eq(json_member(c, "hidden_act")->text, "silu");
    ck_assert_str_eq(json_member(c, "model_type")->text, "llama");
    ck_assert(json_member(c, "tie_word_embeddings")->kind == JSON_FALSE);
    ck_assert(f.D <= WIDE && f.mlp <= WIDE);
    const char *path = arena_format(bench.arena, "%s/model.safetensors", folder);
    ck_assert_msg(safetensors_read(&f.file, bench.arena, path, &bench.error), "%s", bench.error.text);
    ck_assert_str_eq(tensors_note(&f.file, "format"), "pt");
    ck_assert_int_eq(f.file.count, 3 + 9 * f.L);
    return f;
}

// logits (T, words)
static double *folder_logits(const Folder *f, const int *tokens, int T)
{
    double *logits = arena_alloc(bench.arena, (size_t)(T * f->words) * sizeof *logits);
    Cache *caches = arena_alloc(bench.arena, (size_t)f->L * sizeof *caches);
    for (int t = 0; t < T; t++) {
        double x[WIDE], y[WIDE];
        for (int c = 0; c < f->D; c++) x[c] = (double)weights(f, "model.embed_tokens.weight")[tokens[t] * f->D + c];
        for (int l = 0; l < f->L; l++) layer(x, &caches[l], t, l, f);
        norm(y, x, weights(f, "model.norm.weight"), f->D);
        times(logits + t * f->words, weights(f, "lm_head.weight"), y, f->words, f->D);
    }
    return logits;
}

// ---- tests

static const char *const *names_of(int count)
{
    const char **names = arena_alloc(arena, (size_t)count * sizeof *names);
    for (int i = 0; i < count; i++) names[i] = arena_format(arena, i == 2 ? "quoted \"%d\"" : "word%d", i);
    return names;
}

static Transformer some_model(Config config)
{
    Random random = random_from(6);
    Transformer m = flat_model(arena, config);
    transformer_init(m, &random);
    Mat all = flat_vector(m);
    for (int i = 0; i < all.cols; i++) all.at[i] += 0.1f * random_normal(&random);
    return m;
}

static const Config cases[] = {
    { CONFIG_SIZES(9, 9, 8, 2, 2, 1), .mlp = 5, .mlp_kind = CONFIG_MLP_SWIGLU, .causal = true,
      .positions = CONFIG_POSITIONS_ROPE },
    { CONFIG_SIZES(11, 11, 24, 4, 2, 3), .mlp = 7, .mlp_kind = CONFIG_MLP_SWIGLU, .causal = true,
      .positions = CONFIG_POSITIONS_ROPE, .rope_base = 123.5 },
    { CONFIG_SIZES(5, 5, 36, 6, 1, 2), .mlp = 40, .mlp_kind = CONFIG_MLP_SWIGLU, .causal = true,
      .positions = CONFIG_POSITIONS_ROPE },
};

TEST_EACH(the_folder_has_the_same_logits, 3)
{
    enum { T = 13 };
    Transformer m = some_model(cases[_i]);
    int tokens[T];
    Random random = random_from(8);
    for (int t = 0; t < T; t++) tokens[t] = random_below(&random, m.config.words);
    const char *folder = bench_path(&bench, "a/new/folder");
    ck_assert_msg(llama_export_write(folder, m, names_of(m.config.words), 64, &bench.error), "%s", bench.error.text);
    Folder f = folder_read(folder);
    Run run = run_transformer(bench.arena, m, run_batch_of_one(bench.arena, tokens, T), (Mat){ 0 });
    assert_close(run.logits, folder_logits(&f, tokens, T), 2e-5, 5e-6);
    ck_assert_int_eq(entries_in(folder), 4);
}

TEST(tensors_have_the_shapes_of_the_library)
{
    Transformer m = some_model(cases[1]);
    const char *folder = bench_path(&bench, "folder");
    ck_assert(llama_export_write(folder, m, names_of(11), 64, &bench.error));
    Folder f = folder_read(folder);
    static const struct {
        const char *name;
        int axes, rows, cols;
    } shapes[] = {
        { "model.layers.1.self_attn.k_proj.weight", 2, 12, 24 },
        { "model.layers.1.mlp.gate_proj.weight", 2, 7, 24 },
        { "model.layers.1.mlp.down_proj.weight", 2, 24, 7 },
        { "lm_head.weight", 2, 11, 24 },
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const NpyArray *array = tensors_find(&f.file, shapes[i].name);
        ck_assert_msg(array && array->axes == shapes[i].axes && array->shape[0] == shapes[i].rows, "%s",
                      shapes[i].name);
        if (array->axes == 2) ck_assert_int_eq(array->shape[1], shapes[i].cols);
    }
}

TEST(the_tokenizer_names_every_word)
{
    Transformer m = some_model(cases[0]);
    const char *folder = bench_path(&bench, "folder");
    ck_assert(llama_export_write(folder, m, names_of(9), 64, &bench.error));
    const Json *vocabulary = json_member(json_member(json_of(folder, "tokenizer.json"), "model"), "vocab");
    int count = 0;
    for (const Json *word = vocabulary->first; word; word = word->next) ck_assert_double_eq(word->number, count++);
    ck_assert_int_eq(count, 9);
    ck_assert_double_eq(json_member(vocabulary, "quoted \"2\"")->number, 2);
    ck_assert_str_eq(json_member(json_of(folder, "tokenizer_config.json"), "bos_token")->text, "word0");
}

TEST(what_is_no_llama_is_refused)
{
#define LLAMA CONFIG_SIZES(9, 9, 8, 2, 2, 2), .mlp = 5, .mlp_kind = CONFIG_MLP_SWIGLU
#define SEES  .causal = true, .positions = CONFIG_POSITIONS_ROPE
    const struct {
        const char *says;
        Config config;
    } wrong[] = {
        { "sees later words", { LLAMA, .positions = CONFIG_POSITIONS_ROPE } },
        { "has no RoPE", { LLAMA, .causal = true } },
        { "has no SwiGLU", { CONFIG_SIZES(9, 9, 8, 2, 2, 2), .mlp = 5, SEES } },
        { "has no SwiGLU", { CONFIG_SIZES(9, 9, 8, 2, 2, 2), .mlp_kind = CONFIG_MLP_SWIGLU, SEES } },
        { "shares keys", { LLAMA, SEES, .share = 2 } },
        { "other words", { CONFIG_SIZES(9, 3, 8, 2, 2, 2), .mlp = 5, .mlp_kind = CONFIG_MLP_SWIGLU, SEES } },
        { "has a sink", { LLAMA, SEES, .sink = CONFIG_SINK_ZERO } },
        { "has gates", { LLAMA, SEES, .sink = CONFIG_SINK_GATE } },
        { "has no norms", { LLAMA, SEES, .bare = true } },
        { "subtracts maps", { LLAMA, SEES, .differ = CONFIG_DIFFER_FIXED } },
        { "has norms of its heads", { LLAMA, SEES, .head_norm = true } },
        { "has windows", { LLAMA, SEES, .window = (const int[]){ 0, 3 } } },
    };
    for (size_t e = 0; e < sizeof wrong / sizeof *wrong; e++) {
        ck_assert(!llama_export_write(bench_path(&bench, "folder"), some_model(wrong[e].config), names_of(9), 64,
                                      &bench.error));
        ERROR_HAS(&bench.error, wrong[e].says, "only a model of LLaMA's form");
    }
    ck_assert_int_eq(entries_in(bench.folder), 0);
}

TEST(what_cannot_be_written_leaves_what_was)
{
    Transformer m = some_model(cases[0]);
    const char *const *names = names_of(9);
    ck_assert(file_write(bench_path(&bench, "file"), "x", 1, &bench.error));
    ck_assert(!llama_export_write(bench_path(&bench, "file"), m, names, 64, &bench.error));
    ERROR_HAS(&bench.error, "file");
    ck_assert(file_make_folder(bench_path(&bench, "folder/config.json"), &bench.error)); // a folder is in the way
    ck_assert(!llama_export_write(bench_path(&bench, "folder"), m, names, 64, &bench.error));
    ERROR_HAS(&bench.error, "config.json");
}

// The shipped target: its folder in this test's reader, and in the common library.
TEST(the_shipped_model_in_the_common_library)
{
    enum { T = 46 };
    Transformer m;
    Mat theirs, tokens;
    const char **names = arena_alloc(bench.arena, (size_t)document_words() * sizeof *names);
    int ids[T];
    for (int i = 0; i < document_words(); i++) names[i] = document_word_text(i);
    ck_assert_msg(checkpoint_read_model(&m, NULL, bench.arena, "data/models/language-64.safetensors", &bench.error),
                  "%s", bench.error.text);
    ck_assert(npy_read_mat(&tokens, bench.arena, "data/reference/llama_tokens.npy", &bench.error));
    ck_assert_msg(npy_read_mat(&theirs, bench.arena, "data/reference/llama_logits.npy", &bench.error), "%s",
                  bench.error.text);
    ck_assert(tokens.cols == T && theirs.rows == T);
    for (int t = 0; t < T; t++) ids[t] = (int)*mat_ref(tokens, 0, t);
    Run run = run_transformer(bench.arena, m, run_batch_of_one(bench.arena, ids, T), (Mat){ 0 });
    float largest = 0.0f;
    for (int t = 0; t < T; t++)
        for (int o = 0; o < theirs.cols; o++) largest = fmaxf(largest, fabsf(*mat_ref(theirs, t, o)));
    ck_assert_double_le(mat_max_difference(run.logits, theirs), 2e-5 * (double)largest);

    const char *folder = bench_path(&bench, "folder");
    ck_assert(llama_export_write(folder, m, names, DOCUMENT_T, &bench.error));
    Folder f = folder_read(folder);
    assert_close(theirs, folder_logits(&f, ids, T), 2e-5, 2e-5);
}
