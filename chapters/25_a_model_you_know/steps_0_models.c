// Chapter 25. What its steps read: model C and model A as LLaMAs, and a small GPT-2 of random numbers.
#include "base/portable_math.h"
#include "io/file.h"
#include "io/safetensors.h"
#include "language/chunks.h"
#include "steps.h"
#include "train/bundled.h"

#include <string.h>

Random random_of(const Lesson *lesson, uint64_t start)
{
    return random_from(start + 1000003 * (lesson->random.state - 1));
}

// ---- model C

Subject subject(Lesson *lesson, const char *program)
{
    ExportHfModelC c = export_hf_model_c(lesson, program);
    Subject s = { .model = c.model, .published = c.published, .tokenizer = c.tokenizer };
    Random random = random_of(lesson, 2500);
    document_draw(&s.document, DOCUMENT_WORDS, &random);
    s.T = s.document.T - 1;
    return s;
}

Own own_model(Lesson *lesson, const char *folder)
{
    ExportHfOpened opened = export_hf_open(lesson, folder);
    return (Own){ opened.published, opened.tokenizer, false };
}

// ---- model A, with an MLP that adds nothing

Own model_a(Lesson *lesson, const char *program, double *off)
{
    enum { T = 24 };
    Transformer plain, wide;
    Error error;
    Arena *arena = lesson->arena;
    if (!bundled_plain_model(&plain, arena, program, "induction-64", NULL, &error)) lesson_fail(&error);
    Config config = plain.config;
    config.mlp = 1;
    config.mlp_kind = CONFIG_MLP_SWIGLU;
    wide = transformer_new(arena, config);
    for (int p = 0; p < plain.count; p++)
        for (int q = 0; q < wide.count; q++)
            if (!strcmp(plain.table[p].name, wide.table[q].name)) mat_set(wide.table[q].at, plain.table[p].at);
    ExportHfOpened opened = export_hf_model(lesson, wide, numbered(arena, "token", config.words), CHUNKS_T);

    int tokens[T];
    Random random = random_of(lesson, 2503);
    for (int t = 0; t < T; t++) tokens[t] = random_below(&random, config.words);
    Own own = { opened.published, opened.tokenizer, true };
    Run run = run_transformer(arena, plain, run_batch_of_one(arena, tokens, T), (Mat){ 0 });
    *off = off_by(all_logits(arena, own.model, tokens, T), run_logits(&run, 0));
    return own;
}

// ---- a small GPT-2

enum { WIDE = 32, DEEP = 2, HEADS = 4, WORDS = 50, LONGEST = 32, TENSORS = 4 + 12 * DEEP };

typedef struct {
    Arena *arena;
    Random random;
    double size;
    Tensor at[TENSORS];
    int count;
} Writer;

// A matrix (rows, cols) of deviation size / √rows; with rows 0 a row of numbers round `middle`.
static void add(Writer *w, const char *name, int rows, int cols, double middle)
{
    Mat m = mat_new(w->arena, rows ? rows : 1, cols);
    random_normals(&w->random, m);
    double by = rows ? w->size / sqrt(rows) : 0.1;
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < cols; j++) *mat_ref(m, i, j) = (float)(middle + by * (double)*mat_ref(m, i, j));
    NpyArray array = {
        .axes = rows ? 2 : 1, .shape = { rows ? rows : cols, cols }, .at = m.at, .count = (size_t)m.rows * (size_t)cols
    };
    REQUIRE(w->count < TENSORS, "%d tensors, and another one", w->count);
    w->at[w->count++] = (Tensor){ name, array };
}

// GPT-2's four matrices are stored with a row for each input.
static void add_layer(Writer *w, int l)
{
    static const struct {
        const char *name;
        int rows, cols;
        double middle;
    } parts[] = {
        { "ln_1.weight", 0, WIDE, 1.0 },
        { "ln_1.bias", 0, WIDE, 0.0 },
        { "attn.c_attn.weight", WIDE, 3 * WIDE, 0.0 },
        { "attn.c_attn.bias", 0, 3 * WIDE, 0.0 },
        { "attn.c_proj.weight", WIDE, WIDE, 0.0 },
        { "attn.c_proj.bias", 0, WIDE, 0.0 },
        { "ln_2.weight", 0, WIDE, 1.0 },
        { "ln_2.bias", 0, WIDE, 0.0 },
        { "mlp.c_fc.weight", WIDE, 4 * WIDE, 0.0 },
        { "mlp.c_fc.bias", 0, 4 * WIDE, 0.0 },
        { "mlp.c_proj.weight", 4 * WIDE, WIDE, 0.0 },
        { "mlp.c_proj.bias", 0, WIDE, 0.0 },
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add(w, arena_format(w->arena, "transformer.h.%d.%s", l, parts[i].name), parts[i].rows, parts[i].cols,
            parts[i].middle);
}

Random2 random_gpt2(Lesson *lesson, double size, unsigned start)
{
    Random2 gpt2 = { .T = 24 };
    const char *folder = export_hf_folder(lesson, "gpt2");
    Writer w = { .arena = lesson->arena, .random = random_of(lesson, start), .size = size };
    Error error;
    add(&w, "transformer.wte.weight", WORDS, WIDE, 0.0);
    add(&w, "transformer.wpe.weight", LONGEST, WIDE, 0.0);
    for (int l = 0; l < DEEP; l++) add_layer(&w, l);
    add(&w, "transformer.ln_f.weight", 0, WIDE, 1.0);
    add(&w, "transformer.ln_f.bias", 0, WIDE, 0.0);
    TensorNote format = { "format", "pt" };
    Tensors file = { w.at, w.count, &format, 1 };
    if (!safetensors_write(arena_format(w.arena, "%s/model.safetensors", folder), &file, &error)) lesson_fail(&error);
    const char *config = arena_format(
        w.arena,
        "{ \"model_type\": \"gpt2\", \"architectures\": [\"GPT2LMHeadModel\"], \"vocab_size\": %d, \"n_embd\": %d,\n"
        "  \"n_head\": %d, \"n_layer\": %d, \"n_positions\": %d, \"activation_function\": \"gelu_new\",\n"
        "  \"layer_norm_epsilon\": 1e-05 }\n",
        WORDS, WIDE, HEADS, DEEP, LONGEST);
    if (!file_write(arena_format(w.arena, "%s/config.json", folder), config, strlen(config), &error) ||
        !pretrained_open(&gpt2.published, w.arena, folder, &error))
        lesson_fail(&error);
    export_hf_folder_gone(folder);
    for (int t = 0; t < gpt2.T; t++) gpt2.tokens[t] = random_below(&w.random, WORDS);
    return gpt2;
}

// ---- reading them

PretrainedModel *look_alike(Arena *arena, const PretrainedModel *model)
{
    PretrainedModel *copy = arena_alloc(arena, sizeof *copy);
    *copy = *model;
    copy->layers = arena_alloc(arena, (size_t)model->is.L * sizeof *copy->layers);
    for (int l = 0; l < model->is.L; l++) copy->layers[l] = model->layers[l];
    return copy;
}

Mat all_logits(Arena *arena, const PretrainedModel *model, const int *tokens, int T)
{
    PretrainedRun run =
        pretrained_run(arena, model, (PretrainedInput){ .tokens = tokens, .T = T, .plain = true }, NULL, NULL);
    Mat logits = mat_new(arena, T, model->is.words);
    for (int t = 0; t < T; t++) mat_set(mat_rows(logits, t, 1), pretrained_logits(arena, &run, t));
    return logits;
}

double off_by(Mat got, Mat want) { return mat_max_difference(got, want) / mat_magnitude(want); }
