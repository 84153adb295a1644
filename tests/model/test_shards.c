// lib/model/shards.c, and pretrained_open on folders in which something is wrong: what is missing, cut off, of another
// type or shape, named in one sentence.
#include "model/shards.h"

#include "io/bench.h"
#include "model/pretrained.h"
#include "support/suite.h"

#include <stdint.h>

static Bench bench;
static void setup(void) { bench = bench_open(); }
static void teardown(void) { bench_close(&bench); }
FIXTURE(setup, teardown);

static void copy(const char *from, const char *name)
{
    FileBytes file;
    ck_assert(file_read(&file, bench.arena, from, NULL));
    ck_assert(file_write(bench_path(&bench, name), file.at, file.size, NULL));
}

static const char *of_case(const char *name, const char *file)
{
    return arena_format(bench.arena, "data/reference/published/%s/%s", name, file);
}

static void text(const char *name, const char *words)
{
    ck_assert(file_write(bench_path(&bench, name), words, strlen(words), NULL));
}

static void refused(const char *const *words)
{
    PretrainedModel *m;
    bool ok = pretrained_open(&m, bench.arena, bench.folder, &bench.error);
    ck_assert_msg(!ok, "the folder is opened");
    error_has(&bench.error, words);
}
#define REFUSED(...) refused((const char *const[]){ bench.folder, __VA_ARGS__, NULL })

// ---- one file

static Tensors tensors_of(const char *name)
{
    Tensors t;
    ck_assert(safetensors_read(&t, bench.arena, of_case(name, "model.safetensors"), NULL));
    copy(of_case(name, "config.json"), "config.json");
    return t;
}

static Tensor *tensor(Tensors *t, const char *name)
{
    for (int i = 0; i < t->count; i++)
        if (!strcmp(t->tensors[i].name, name)) return &t->tensors[i];
    ck_abort_msg("there is no %s", name);
}

static void write_all(const Tensors *t)
{
    ck_assert(safetensors_write(bench_path(&bench, "model.safetensors"), t, NULL));
}

static void leave_out(Tensors *t, const char *name)
{
    Tensor *gone = tensor(t, name);
    *gone = t->tensors[--t->count];
}

TEST(as_it_should_be)
{
    Tensors t = tensors_of("gpt2");
    PretrainedModel *m;
    write_all(&t);
    ck_assert(pretrained_here(bench.folder));
    ck_assert_msg(pretrained_open(&m, bench.arena, bench.folder, &bench.error), "%s", bench.error.text);
    int64_t numbers = 0;
    for (int i = 0; i < t.count; i++) numbers += (int64_t)t.tensors[i].array.count;
    ck_assert_int_eq(m->bytes, 4 * numbers);
    ck_assert_int_eq(m->shards.count, t.count);
    pretrained_close(m);
    pretrained_close(m);
}

TEST(nothing_there)
{
    ck_assert(!pretrained_here(bench.folder));
    REFUSED("/config.json: there is no such file");
    copy(of_case("gpt2", "config.json"), "config.json");
    ck_assert(pretrained_here(bench.folder));
    REFUSED("/model.safetensors: there is no such file");
    text("config.json", "{\"model_type\": ");
    REFUSED("/config.json:1:");
}

TEST(tensors_that_are_missing)
{
    static const struct {
        const char *model, *tensor, *why;
    } cases[] = {
        { "gpt2", "transformer.wte.weight", "there is no tensor wte.weight; gpt2 models need it" },
        { "gpt2", "transformer.h.1.attn.c_attn.bias", "there is no tensor h.1.attn.c_attn.bias; gpt2" },
        { "bert", "cls.predictions.bias", "there is no tensor cls.predictions.bias; bert" },
        { "qwen2", "model.layers.0.self_attn.q_proj.bias", "there is no tensor layers.0.self_attn.q_proj.bias; qwen2" },
        { "mistral", "lm_head.weight", "there is no tensor lm_head.weight; mistral models need it" },
        { "opt", "model.decoder.layers.1.fc1.bias", "there is no tensor layers.1.fc1.bias; opt models need it" },
        { "gpt_neo", "transformer.h.0.attn.attention.out_proj.bias",
          "there is no tensor h.0.attn.attention.out_proj.bias; gpt_neo" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Tensors t = tensors_of(cases[i].model);
        leave_out(&t, cases[i].tensor);
        write_all(&t);
        REFUSED("/model.safetensors: ", cases[i].why);
    }
}

TEST(other_shapes)
{
    Tensors t = tensors_of("mistral");
    Tensor *k = tensor(&t, "model.layers.0.self_attn.k_proj.weight");
    k->array.shape[0] = 3;
    k->array.count /= 2;
    write_all(&t);
    REFUSED("tensor \"model.layers.0.self_attn.k_proj.weight\" has the shape (3, 20); by config.json it must be "
            "(6, 20)");
    t = tensors_of("mistral");
    tensor(&t, "model.norm.weight")->array.axes = 2;
    tensor(&t, "model.norm.weight")->array.shape[1] = 1;
    write_all(&t);
    REFUSED("tensor \"model.norm.weight\" has the shape (20, 1); by config.json it must be (20,)");
}

TEST(tensors_that_are_not_known)
{
    Tensors t = tensors_of("mistral");
    tensor(&t, "lm_head.weight")->name = "model.layers.1.self_attn.q_norm.weight";
    text("config.json",
         "{\"model_type\": \"mistral\", \"vocab_size\": 29, \"hidden_size\": 20, \"head_dim\": 6, "
         "\"num_hidden_layers\": 2, \"num_attention_heads\": 5, \"num_key_value_heads\": 1, \"intermediate_size\": 24, "
         "\"tie_word_embeddings\": true}");
    write_all(&t);
    REFUSED("tensor \"model.layers.1.self_attn.q_norm.weight\" belongs to a layer; in mistral models of 2 layers it is "
            "not known");
}

TEST(the_same_twice)
{
    Tensors t = tensors_of("mistral");
    tensor(&t, "lm_head.weight")->name = "norm.weight";
    write_all(&t);
    REFUSED("\"norm.weight\"", "\"model.norm.weight\"", "are one and the same; there must be one of each");
}

// A header by hand: types that are not read.
static void write_header(const char *header, size_t data)
{
    size_t length = strlen(header), size = 8 + length + data;
    unsigned char *file = arena_alloc(bench.arena, size);
    for (int i = 0; i < 8; i++) file[i] = (unsigned char)((uint64_t)length >> 8 * i);
    memcpy(file + 8, header, length);
    ck_assert(file_write(bench_path(&bench, "model.safetensors"), file, size, NULL));
}

TEST(other_types)
{
    copy(of_case("gpt2", "config.json"), "config.json");
    write_header("{\"wte.weight\":{\"dtype\":\"I64\",\"shape\":[29,20],\"data_offsets\":[0,4640]}}", 4640);
    REFUSED("tensor \"wte.weight\" is of type \"I64\"; F32, F16 and BF16 are read");
    write_header("{\"wte.weight\":{\"dtype\":\"F8_E4M3\",\"shape\":[29,20],\"data_offsets\":[0,581]}}", 581);
    REFUSED("shape (29, 20) of F8_E4M3 needs 580 bytes");
    write_header("{\"wte.weight\":{\"dtype\":\"X9\",\"shape\":[29,20],\"data_offsets\":[0,580]}}", 580);
    REFUSED("dtype \"X9\"");
}

// ---- several files

static const char *const parts[] = { "model-00001-of-00003.safetensors", "model-00002-of-00003.safetensors",
                                     "model-00003-of-00003.safetensors" };

static void copy_shards(void)
{
    const char *folder = "data/reference/published/gpt2-untied";
    DIR *all = opendir(folder);
    ck_assert_ptr_nonnull(all);
    for (struct dirent *entry; (entry = readdir(all));)
        if (entry->d_name[0] != '.') copy(arena_format(bench.arena, "%s/%s", folder, entry->d_name), entry->d_name);
    closedir(all);
}

TEST(shards)
{
    PretrainedModel *m;
    copy_shards();
    ck_assert_msg(pretrained_open(&m, bench.arena, bench.folder, &bench.error), "%s", bench.error.text);
    ck_assert_int_gt(m->shards.maps_count, 2);
    ck_assert_ptr_nonnull(shards_find(&m->shards, "h.0.ln_1.weight"));
    ck_assert_ptr_null(shards_find(&m->shards, "h.9.ln_1.weight"));
    pretrained_close(m);
}

TEST(a_shard_is_cut)
{
    Shards all;
    FileBytes file;
    copy_shards();
    ck_assert(shards_open(&all, bench.arena, bench.folder, family_table[0].prefixes, FAMILY_MOST_PREFIXES, NULL));
    const char *first = all.tensors[0].file;
    ck_assert(file_read(&file, bench.arena, first, NULL));
    ck_assert(file_write(first, file.at, file.size - 1, NULL));
    REFUSED(first, "it is cut off");
    ck_assert_int_eq(unlink(first), 0);
    REFUSED(first, "there is no such file");
}

static void index_refused(const char *index, const char *why)
{
    copy(of_case("gpt2", "config.json"), "config.json");
    text("model.safetensors.index.json", index);
    REFUSED("/model.safetensors.index.json:", why);
}

TEST(indexes)
{
    index_refused("{", "1:2");
    index_refused("{\"weight_map\": {}}", "1:16: weight_map is empty");
    index_refused("{\"weight_map\": {\"a\": \"/etc/b\"}}",
                  "is said to be in \"/etc/b\"; it must be a file of this folder");
    index_refused("{\"weight_map\": {\"a\": 1}}",
                  "1:22: tensor \"a\" is said to be in what is no name; it must be a file");
    index_refused("{\"weight_map\": {\"a\": \"../b\"}}",
                  "tensor \"a\" is said to be in \"../b\"; it must be a file of this");
    index_refused("{\"weight_map\": {\"a\": \"\"}}", "is said to be in \"\"; it must be a file of this folder");
    Tensors t = tensors_of("gpt2");
    ck_assert(safetensors_write(bench_path(&bench, parts[0]), &t, NULL));
    index_refused("{\"weight_map\": {\"a\": \"model-00001-of-00003.safetensors\"}}", " tensor \"a\" is said to be in ");
}
