// lib/model/llama_export.c: pretrained_open reads the folder, and its logits are the model's; and what the common library
// made of the same folder (data/reference/llama_logits.py).
#include "model/llama_export.h"

#include "base/portable_math.h"
#include "io/bench.h"
#include "io/json.h"
#include "io/npy.h"
#include "io/safetensors.h"
#include "language/documents.h"
#include "model/pretrained_run.h"
#include "support/config_sizes.h"
#include "support/flat.h"
#include "support/reference.h"
#include "train/checkpoint.h"
#include "support/suite.h"

BENCH_FIXTURE;

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

static const char *const *names_of(int count)
{
    const char **names = arena_alloc(arena, (size_t)count * sizeof *names);
    for (int i = 0; i < count; i++) names[i] = arena_format(arena, i == 2 ? "quoted \"%d\"" : "word%d", i);
    return names;
}

static Transformer some_model(Config config)
{
    Random random = random_from(6);
    return flat_random(arena, config, &random, 0.1f);
}

static const Config cases[] = {
    { CONFIG_SIZES(9, 9, 8, 2, 2, 1), .mlp = 5, .mlp_kind = CONFIG_MLP_SWIGLU, .causal = true,
      .positions = CONFIG_POSITIONS_ROPE },
    { CONFIG_SIZES(11, 11, 24, 4, 2, 3), .mlp = 7, .mlp_kind = CONFIG_MLP_SWIGLU, .causal = true,
      .positions = CONFIG_POSITIONS_ROPE, .rope_base = 123.5 },
    { CONFIG_SIZES(5, 5, 36, 6, 1, 2), .mlp = 40, .mlp_kind = CONFIG_MLP_SWIGLU, .causal = true,
      .positions = CONFIG_POSITIONS_ROPE },
};

static void assert_folder(const char *folder, const int *tokens, int T, Mat logits, double atol)
{
    PretrainedModel *m;
    ck_assert_msg(pretrained_open(&m, bench.arena, folder, &bench.error), "%s", bench.error.text);
    PretrainedInput input = { .tokens = tokens, .T = T, .plain = true };
    PretrainedRun run = pretrained_run(bench.arena, m, input, NULL, NULL);
    for (int t = 0; t < T; t++)
        assert_close(pretrained_logits(bench.arena, &run, t), table_of(bench.arena, mat_rows(logits, t, 1)).at, 2e-5,
                     atol);
    pretrained_close(m);
}

TEST_EACH(the_folder_has_the_same_logits, 3)
{
    enum { T = 13 };
    Transformer m = some_model(cases[_i]);
    int tokens[T];
    Random random = random_from(8);
    for (int t = 0; t < T; t++) tokens[t] = random_below(&random, m.config.words);
    const char *folder = bench_path(&bench, "a/new/folder");
    ck_assert_msg(llama_export_write(folder, m, names_of(m.config.words), 64, &bench.error), "%s", bench.error.text);
    Run run = run_transformer(bench.arena, m, run_batch_of_one(bench.arena, tokens, T), (Mat){ 0 });
    assert_folder(folder, tokens, T, run.logits, 5e-6);
    ck_assert_int_eq(entries_in(folder), 4);
}

TEST(tensors_have_the_shapes_of_the_library)
{
    Transformer m = some_model(cases[1]);
    const char *folder = bench_path(&bench, "folder");
    ck_assert(llama_export_write(folder, m, names_of(11), 64, &bench.error));
    Tensors file;
    ck_assert(safetensors_read(&file, bench.arena, arena_format(arena, "%s/model.safetensors", folder), &bench.error));
    ck_assert_str_eq(tensors_note(&file, "format"), "pt");
    ck_assert_int_eq(file.count, 3 + 9 * 3);
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
        const NpyArray *array = tensors_find(&file, shapes[i].name);
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
    assert_folder(folder, ids, T, theirs, 2e-5);
}
