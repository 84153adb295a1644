// lib/train/bundled.c: where the weights are found, and what is said of those that cannot be run.
#include "train/bundled.h"

#include "base/portable_math.h"
#include "io/bench.h"
#include "support/config_sizes.h"
#include "support/flat.h"
#include "support/reference.h"
#include "train/checkpoint.h"
#include "support/suite.h"

BENCH_FIXTURE;

// No file of this name is among the book's own, so it is found only where a test has put it.
static const char FILE_NAME[] = "of-this-test.tsv";

static void folders(const char *path)
{
    ck_assert_msg(file_make_folder(bench_path(&bench, path), &bench.error), "%s", bench.error.text);
}

static void put(const char *path, const char *text)
{
    ck_assert_msg(file_write(bench_path(&bench, path), text, strlen(text), &bench.error), "%s", bench.error.text);
}

// What is found for `program` is a file with this text; NULL: nothing is found, and the sentence names the file.
static void finds(const char *program, const char *text)
{
    FileBytes file;
    const char *path = bundled_path(bench.arena, program, FILE_NAME, &bench.error);
    if (!text) {
        ck_assert_msg(!path, "%s: %s", program, path);
        ERROR_HAS(&bench.error, "there is no data/models/of-this-test.tsv", "run this in the book's folder");
        return;
    }
    ck_assert_msg(path != NULL, "%s: %s", program, bench.error.text);
    ck_assert_msg(file_read(&file, bench.arena, path, &bench.error), "%s", bench.error.text);
    ck_assert_msg(file.size == strlen(text) && !memcmp(file.at, text, file.size), "%s: %s", program, path);
}

TEST(from_the_folder_of_the_program_upwards)
{
    folders("book/data/models");
    folders("book/build/some/where/else/chapters");
    put("book/data/models/of-this-test.tsv", "of the book");
    folders("book/build/chapters");
    finds(bench_path(&bench, "book/build/chapters/09"), "of the book");
    finds(bench_path(&bench, "book/build/viewer"), "of the book");
    finds(bench_path(&bench, "book/build/some/where/else/09"), "of the book");
    finds(bench_path(&bench, "book/build/some/where/else/chapters/09"), NULL); // five up: too far
    finds(bench_path(&bench, "book/09"), "of the book");                       // a release: programs next to data
    finds(bench_path(&bench, "none/09"), NULL);
}

TEST(where_they_were_installed)
{
    folders("usr/bin");
    folders("usr/share/manyheads/models");
    put("usr/share/manyheads/models/of-this-test.tsv", "installed");
    finds(bench_path(&bench, "usr/bin/manyheads-09"), "installed");
    folders("data/models"); // a book beside it comes first
    put("data/models/of-this-test.tsv", "of the book");
    finds(bench_path(&bench, "usr/bin/manyheads-09"), "of the book");
}

// Started by its name, a program does not know its folder; PATH does.
TEST(by_its_name_alone)
{
    folders("usr/bin");
    folders("usr/share/manyheads/models");
    put("usr/share/manyheads/models/of-this-test.tsv", "installed");
    put("usr/bin/manyheads-of-this-test", "#!");
    setenv("PATH", arena_format(bench.arena, "/nowhere::%s:/bin", bench_path(&bench, "usr/bin")), 1);
    finds("manyheads-of-this-test", NULL); // it cannot be run, so it is not what was
    ck_assert_int_eq(chmod(bench_path(&bench, "usr/bin/manyheads-of-this-test"), 0755), 0);
    finds("manyheads-of-this-test", "installed");
    finds("manyheads-of-no-test", NULL);
    setenv("PATH", "", 1);
    finds("manyheads-of-this-test", NULL);
    unsetenv("PATH");
    finds("manyheads-of-this-test", NULL);
}

TEST(in_the_folder_it_was_started_in)
{
    folders("data/models");
    put("data/models/of-this-test.tsv", "here");
    ck_assert_int_eq(chdir(bench.folder), 0);
    finds("/nowhere/09", "here");
    ck_assert_int_eq(chdir("/"), 0);
    finds("/nowhere/09", NULL);
}

// ---- weights

static bool loads(Transformer *model, const char *path)
{
    return bundled_model(model, bench.arena, "/nowhere/09", "induction-32", path, &bench.error);
}

TEST(the_books_own_weights)
{
    Transformer model;
    ck_assert_msg(loads(&model, NULL), "%s", bench.error.text);
    ck_assert(model.config.D == 32 && model.config.causal);
    ck_assert(!bundled_model(&model, bench.arena, "/nowhere/09", "no-such-model", NULL, &bench.error));
    ERROR_HAS(&bench.error, "there is no data/models/no-such-model.safetensors");
}

static Transformer small_model(void)
{
    Config config = { CONFIG_SIZES(5, 4, 8, 2, 2, 1) };
    Transformer m = transformer_new(bench.arena, config);
    Random random = random_from(2);
    transformer_init(m, &random);
    return m;
}

// A chapter that speaks of models as chapter 09 made them says what another one has.
TEST(a_plain_model)
{
    Transformer model;
    char *path = bench_path(&bench, "own.safetensors");
    ck_assert(bundled_plain_model(&model, bench.arena, "/nowhere/09", "induction-32", NULL, &bench.error));
    ck_assert(model.config.D == 32);
    for (int n = 0; n < 6; n++) {
        static const char *const says[] = { "shares keys among layers", "a sink", "gates", "no norms", "subtracts maps",
                                            "norms of its heads" };
        Config config = { CONFIG_SIZES(5, 4, 8, 2, 2, 2) };
        config.share = n == 0 ? 2 : 0;
        config.sink = n == 1 ? CONFIG_SINK_LOGIT : n == 2 ? CONFIG_SINK_GATE : CONFIG_SINK_NONE;
        config.bare = n == 3;
        config.differ = n == 4 ? CONFIG_DIFFER_FIXED : CONFIG_DIFFER_NONE;
        config.head_norm = n == 5;
        ck_assert_str_ne(config_beyond(&config), "");
        ck_assert(
            checkpoint_write_model(path, transformer_new(bench.arena, config), (CheckpointNotes){ 0 }, &bench.error));
        ck_assert(loads(&model, path));
        ck_assert(!bundled_plain_model(&model, bench.arena, "/nowhere/09", "induction-32", path, &bench.error));
        ERROR_HAS(&bench.error, path, says[n]);
    }
}

TEST(weights_that_cannot_be_run)
{
    Transformer m = small_model(), read;
    char *path = bench_path(&bench, "own.safetensors");
    ck_assert(checkpoint_write_model(path, m, (CheckpointNotes){ 0 }, &bench.error) && loads(&read, path));
    assert_same(flat_copy(bench.arena, read), flat_copy(bench.arena, m));

    // 1. A number that is none.
    *mat_ref(m.layers[0].wo, 3, 1) = NAN;
    ck_assert(checkpoint_write_model(path, m, (CheckpointNotes){ 0 }, &bench.error) && !loads(&read, path));
    ERROR_HAS(&bench.error, path, "layers.0.wo", "number 25 is", "finite");

    // 2. No weights at all.
    ck_assert(!loads(&read, bench_path(&bench, "none")));
    ERROR_HAS(&bench.error, "none");
    put("own.safetensors", "not weights");
    ck_assert(!loads(&read, path));
    ERROR_HAS(&bench.error, path);
}
