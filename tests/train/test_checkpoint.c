// lib/train/checkpoint.c: models and trainings go to the disk and back; what does not fit is refused with one sentence.
#include "train/checkpoint.h"

#include "base/portable_math.h"
#include "io/bench.h"
#include "io/json.h"
#include "language/induction.h"
#include "support/config_sizes.h"
#include "support/flat.h"
#include "support/reference.h"
#include "support/suite.h"

BENCH_FIXTURE;

static Config some_config(void)
{
    static const int window[] = { 4, 0 };
    return (Config){ CONFIG_SIZES(5, 6, 8, 4, 2, 2), .mlp = 3, .positions = CONFIG_POSITIONS_ROPE, .causal = true,
                     .window = window };
}

// With every note that a file of the first models has not.
static Config llama_config(void)
{
    // clang-format off
    return (Config){ CONFIG_SIZES(5, 6, 8, 4, 2, 4),
                     .mlp = 3, .mlp_kind = CONFIG_MLP_SWIGLU, .share = 2, .positions = CONFIG_POSITIONS_ROPE,
                     .rope_base = 12345.678901, .causal = true, .sink = CONFIG_SINK_GATE, .bare = true };
    // clang-format on
}

static Config differential_config(void)
{
    return (Config){ CONFIG_SIZES(5, 6, 8, 4, 2, 1), .differ = CONFIG_DIFFER_LEARNED, .lambda = 0.123456789,
                     .head_norm = true };
}

static Transformer some_model(void)
{
    Random random = random_from(3);
    Transformer m = transformer_new(arena, some_config());
    transformer_init(m, &random);
    return m;
}

static void assert_same_config(const Config *a, const Config *b)
{
    ck_assert(a->words == b->words && a->outputs == b->outputs && a->D == b->D && a->H == b->H && a->G == b->G);
    ck_assert(a->share == b->share && a->mlp_kind == b->mlp_kind && a->sink == b->sink && a->bare == b->bare);
    ck_assert_double_eq(a->rope_base, b->rope_base);
    ck_assert(a->differ == b->differ && a->head_norm == b->head_norm);
    ck_assert_double_eq(a->lambda, b->lambda);
    ck_assert(a->L == b->L && a->mlp == b->mlp && a->positions == b->positions && a->causal == b->causal);
    for (int l = 0; l < a->L; l++) ck_assert_int_eq(config_window(a, l), config_window(b, l));
}

TEST(a_model_comes_back)
{
    Transformer m = some_model(), back;
    Tensors file;
    const char *words[] = { "[start]", "the", "\"quoted\"", "ä", "" }, **read;
    int count;
    TensorNote notes[] = { { "command", "train --seed 3" }, { "vocabulary", json_strings(bench.arena, words, 5) } };
    char *path = bench_path(&bench, "m.safetensors");
    ck_assert_msg(checkpoint_write_model(path, m, (CheckpointNotes){ notes, 2 }, &bench.error), "%s", bench.error.text);
    ck_assert_msg(checkpoint_read_model(&back, &file, bench.arena, path, &bench.error), "%s", bench.error.text);
    assert_same(flat_copy(bench.arena, back), flat_copy(bench.arena, m));
    assert_same_config(&back.config, &m.config);
    ck_assert_str_eq(tensors_note(&file, "command"), "train --seed 3");
    Json *list;
    const Json *wrong;
    const char *note = tensors_note(&file, "vocabulary");
    ck_assert(json_parse(&list, bench.arena, note, strlen(note), "m", &bench.error));
    ck_assert(json_strings_of(&read, &count, bench.arena, list, &wrong));
    ck_assert_int_eq(count, 5);
    for (int i = 0; i < 5; i++) ck_assert_str_eq(read[i], words[i]);
}

// What a model has beyond the first ones comes back too; the first ones' files say nothing of it.
TEST(what_is_new_is_noted_where_it_is_used)
{
    static const char *const tensors[][3] = { { "layers.1.wq", "layers.2.wqkv", "layers.3.down" },
                                              { "layers.0.lambda", "layers.0.head_norm", "layers.0.wqkv" } };
    const Config configs[] = { llama_config(), differential_config() };
    Random random = random_from(4);
    Transformer back;
    Tensors file;
    char *path = bench_path(&bench, "m.safetensors");
    for (int e = 0; e < 2; e++) {
        Transformer m = transformer_new(bench.arena, configs[e]);
        transformer_init(m, &random);
        ck_assert(checkpoint_write_model(path, m, (CheckpointNotes){ 0 }, &bench.error));
        ck_assert_msg(checkpoint_read_model(&back, &file, bench.arena, path, &bench.error), "%s", bench.error.text);
        assert_same(flat_copy(bench.arena, back), flat_copy(bench.arena, m));
        assert_same_config(&back.config, &m.config);
        for (int n = 0; n < 3; n++) ck_assert(tensors_find(&file, tensors[e][n]));
    }
    ck_assert(checkpoint_write_model(path, some_model(), (CheckpointNotes){ 0 }, &bench.error));
    ck_assert(checkpoint_read_model(&back, &file, bench.arena, path, &bench.error));
    ck_assert_int_eq(file.notes_count, 11);
}

// The file of a model as it is read, to be changed in one thing.
static Tensors a_file(Transformer m)
{
    Tensors file;
    char *path = bench_path(&bench, "whole.safetensors");
    ck_assert(checkpoint_write_model(path, m, (CheckpointNotes){ 0 }, &bench.error));
    ck_assert(safetensors_read(&file, bench.arena, path, &bench.error));
    return file;
}

// Changes a note, takes it out if `value` is NULL, or adds it.
static void set_note(Tensors *file, const char *key, const char *value)
{
    TensorNote note = { value ? key : "other", value ? value : "" };
    for (int i = 0; i < file->notes_count; i++)
        if (!strcmp(file->notes[i].key, key)) {
            file->notes[i] = note;
            return;
        }
    CheckpointNotes all = checkpoint_notes_join(bench.arena, (CheckpointNotes){ file->notes, file->notes_count },
                                                (CheckpointNotes){ &note, 1 });
    file->notes = all.at;
    file->notes_count = all.count;
}

static void assert_refused(const Tensors *file, const char *says)
{
    Transformer m = { .count = -7 };
    char *path = bench_path(&bench, "changed.safetensors");
    ck_assert_msg(safetensors_write(path, file, &bench.error), "%s", bench.error.text);
    ck_assert_msg(!checkpoint_read_model(&m, NULL, bench.arena, path, &bench.error), "read, but: %s", says);
    ck_assert_msg(strstr(bench.error.text, says) && strstr(bench.error.text, "changed.safetensors"),
                  "\"%s\" has not \"%s\"", bench.error.text, says);
    ck_assert_int_eq(m.count, -7);
}

TEST(models_that_are_refused)
{
    // clang-format off
    static const struct {
        const char *key, *value, *says;
    } notes[] = {
        { "format", "something", "the format is \"something\"" }, { "format", NULL, "there is no format" },
        { "D", NULL, "there is no D" }, { "D", "8x", "D is \"8x\"" }, { "D", "", "D is \"\"" },
        { "D", "99999999999", "D is \"99999999999\"" }, { "D", "16", "describe a model of" },
        { "H", "3", "cannot be split" }, { "L", "9", "windows is" }, { "positions", "sine", "positions is \"sine\"" },
        { "causal", "maybe", "causal is \"maybe\"" }, { "windows", "4", "windows is \"4\"" },
        { "windows", "4 0 0", "windows is" }, { "windows", "4 -1", "window is -1" }, { "mlp", "-3", "mlp is -3" },
        { "share", "x", "share is \"x\"; it must be a whole number" }, { "share", "5", "share is 5; it must be 0 … 2" },
        { "mlp_kind", "gelu", "mlp_kind is \"gelu\"" }, { "sink", "kitchen", "sink is \"kitchen\"" },
        { "norms", "no", "describe a model of" }, { "differ", "indeed", "differ is \"indeed\"" },
        { "head_norm", "maybe", "head_norm is \"maybe\"" }, { "lambda", "1.5", "lambda is 1.5; it must be between" },
        { "lambda", "much", "lambda is \"much\"" }, { "rope_base", "inf", "it must be a number" },
        { "rope_base", "0.5", "rope_base is 0.5; it must be over 1" }, { "rope_base", "", "it must be a number" },
    };
    // clang-format on
    Transformer m = some_model();
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        Tensors changed = a_file(m);
        set_note(&changed, notes[i].key, notes[i].value);
        assert_refused(&changed, notes[i].says);
    }
    Tensors file = a_file(m);
    file.tensors[3].array.at[5] = NAN;
    assert_refused(&file, "number 5 is");
    file = a_file(m);
    file.tensors[0].array.at[0] = INFINITY;
    assert_refused(&file, "all must be finite");
    file = a_file(m);
    file.tensors[2].name = "layers.0.wx";
    assert_refused(&file, "there is no tensor layers.0.wqkv");
    file = a_file(m);
    file.tensors[0].array.shape[0] = 8;
    file.tensors[0].array.shape[1] = 5;
    assert_refused(&file, "tensor embedding has another shape");
    file = a_file(m);
    file.count--;
    assert_refused(&file, "describe a model of");
}

TEST(files_that_are_cut_off)
{
    Transformer m = some_model(), back;
    char *path = bench_path(&bench, "m.safetensors"), *cut = bench_path(&bench, "cut.safetensors");
    FileBytes bytes;
    ck_assert(checkpoint_write_model(path, m, (CheckpointNotes){ 0 }, &bench.error) &&
              file_read(&bytes, bench.arena, path, &bench.error));
    for (size_t size = 0; size < bytes.size; size += size < 1200 ? 13 : 97) {
        ck_assert(file_write(cut, bytes.at, size, &bench.error));
        ck_assert(!checkpoint_read_model(&back, NULL, bench.arena, cut, &bench.error));
        ck_assert_msg(strstr(bench.error.text, "cut.safetensors"), "%s", bench.error.text);
    }
    ck_assert(!checkpoint_read_model(&back, NULL, bench.arena, bench_path(&bench, "none"), &bench.error));
}

static Training *some_training(uint64_t seed)
{
    TrainingRecipe recipe = induction_recipe(seed);
    recipe.steps = 20;
    return training_open(bench.arena, induction_config(16, 2), recipe);
}

TEST(a_training_that_is_interrupted_ends_with_the_same_bytes)
{
    char *path = bench_path(&bench, "t.safetensors");
    Training *whole = some_training(1);
    for (int s = 0; s < 20; s++) training_step(whole, induction_batch, NULL);
    for (int stop = 0; stop <= 20; stop += 5) {
        Training *first = some_training(1), *second = some_training(1);
        for (int s = 0; s < stop; s++) training_step(first, induction_batch, NULL);
        ck_assert_msg(checkpoint_write_training(path, first, &bench.error), "%s", bench.error.text);
        ck_assert_msg(checkpoint_read_training(second, path, &bench.error), "%s", bench.error.text);
        ck_assert_int_eq(second->step, stop);
        while (second->step < 20) training_step(second, induction_batch, NULL);
        case_is("stopped after %d", stop);
        assert_same(flat_copy(bench.arena, second->model), flat_copy(bench.arena, whole->model));
        assert_same(flat_copy(bench.arena, second->square), flat_copy(bench.arena, whole->square));
        training_close(first);
        training_close(second);
    }
    training_close(whole);
}

TEST(trainings_that_are_refused)
{
    char *path = bench_path(&bench, "t.safetensors");
    Training *t = some_training(1), *other = some_training(2);
    ck_assert(checkpoint_write_training(path, t, &bench.error));
    ck_assert(!checkpoint_read_training(other, path, &bench.error));
    ERROR_HAS(&bench.error, "t.safetensors", "seed is \"1\" there and \"2\" here", "only the same training");
    ck_assert(checkpoint_write_model(path, t->model, (CheckpointNotes){ 0 }, &bench.error));
    ck_assert(!checkpoint_read_training(t, path, &bench.error));
    ERROR_HAS(&bench.error, "the format is", "manyheads model 1", "manyheads training 2");
    Config turned = t->model.config;
    turned.rope_base = 512.0;
    Training *faster = training_open(bench.arena, turned, t->recipe);
    ck_assert(checkpoint_write_training(path, faster, &bench.error) &&
              !checkpoint_read_training(t, path, &bench.error));
    ERROR_HAS(&bench.error, "rope_base is \"512\" there and not set here", "only the same training");
    ck_assert(checkpoint_write_training(path, t, &bench.error) &&
              !checkpoint_read_training(faster, path, &bench.error));
    ERROR_HAS(&bench.error, "rope_base is not set there and \"512\" here");
    training_close(faster);
    transformer_fill(t->model, 0.5f);
    mat_fill(t->square.layers[1].wo, INFINITY);
    ck_assert(checkpoint_write_training(path, t, &bench.error) && !checkpoint_read_training(t, path, &bench.error));
    ERROR_HAS(&bench.error, "tensor square.layers.1.wo", "number 0 is", "finite");
    ck_assert(*mat_ref(t->model.embedding, 0, 0) == 0.5f);
    training_close(t);
    training_close(other);
}
