// The command line: every flag, every invalid value with its error, and the states that flags lead to.
#include "viz/options.h"

#include "support/maps.h"
#include "support/reference.h"
#include "support/viewer.h"
#include "viz/update.h"
#include "viz/views.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ViewerOptions o;
static Error error;
static Document d, walk, other, bare;
static State s;
static StateBuffers buffers;

static void setup(void)
{
    Random random = random_from(1);
    d = document_random(arena, &random, (Shape){ 2, 3, 4, 6, 4, 5, .words = true });
    other = document_random(arena, &random, (Shape){ 1, 5, 4, 6, 4, 5, .words = true });
    walk = document_walk(arena, &random, 6, 2);
    s = state_of(&buffers, &d, 1280, 800, 1);
}
static void teardown(void) {}
FIXTURE(setup, teardown);

// A command line, its words apart at single spaces.
static bool parse(const char *line)
{
    static char words[1000], *argv[80];
    int argc = 1;
    argv[0] = "viewer";
    ck_assert_uint_lt(strlen(line), sizeof words);
    strcpy(words, line);
    for (char *at = words; *line && at; argc++) {
        argv[argc] = at;
        if ((at = strchr(at, ' '))) *at++ = 0;
    }
    argv[argc] = NULL;
    error.text[0] = 0;
    return viewer_options_read(&o, argc, argv, &error) == FLAGS_FINE;
}

static void parses(const char *line) { ck_assert_msg(parse(line), "%s: %s", line, error.text); }

static bool apply(const char *line)
{
    parses(line);
    return viewer_options_apply(&s, &o, &error);
}

TEST(no_flags)
{
    parses("");
    ck_assert(!o.file && !o.compare && !o.picture && !o.folder && !o.text && !o.model && !o.off && !o.largest);
    ck_assert(o.width == 1280 && o.height == 800 && o.dpi == 96 && o.zoom == 1 && o.layer == -1 && o.view == -1);
    ck_assert(apply(""));
    ck_assert_str_eq(facts_of(&s), "head 0.0");
}

TEST(every_flag)
{
    char *folder = arena_format(arena, "/tmp/manyheads-options-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    char *picture = arena_format(arena, "%s/a.png", folder), *all = arena_format(arena, "%s/all", folder);
    parses(arena_format(arena,
                        "a.npy --compare b.npy --tokens t.txt --key-tokens k.json --axes HTS --export %s "
                        "--export-all %s --dpi 192 --frame 5 --size 640x400",
                        picture, all));
    ck_assert_int_eq(rmdir(all), 0); // it was made, and the picture's file was not
    ck_assert_int_eq(rmdir(folder), 0);
    const char *const words[][2] = { { o.file, "a.npy" },        { o.compare, "b.npy" }, { o.tokens, "t.txt" },
                                     { o.key_tokens, "k.json" }, { o.axes, "HTS" },      { o.picture, picture },
                                     { o.folder, all } };
    for (int n = 0; n < 7; n++) ck_assert_str_eq(words[n][0], words[n][1]);
    ck_assert(o.dpi == 192 && o.width == 640 && o.height == 400 && o.frame == 5);
    parses("--model m.safetensors --text it --off 0.1");
    ck_assert(!strcmp(o.model, "m.safetensors") && !strcmp(o.text, "it") && !strcmp(o.off, "0.1"));
}

TEST(the_name_of_a_picture)
{
    static const char *const names[] = { "a.PNG", "a.png.SVG", "a.svg.html", "a.jpg", "png", "a.svg/b", "" };
    static const PictureKind kinds[] = { PICTURE_PNG, PICTURE_SVG, PICTURE_PAGE };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        PictureKind kind;
        ck_assert_msg(viewer_options_picture(&kind, names[n]) == (n < 3), "%s", names[n]);
        if (n < 3) ck_assert_msg(kind == kinds[n], "%s", names[n]);
    }
}

// clang-format off
static const char *const wrong[][2] = {
    { "--nonsense", "no flag --nonsense" }, { "--", "no flag --" },
    { "a.npy b.npy", "found \"b.npy\" after FILE" }, { "-a", "\"-a\"; flags begin with two dashes" },
    { "--export", "--export needs a value" }, { "--layer --head", "--layer needs a value" },
    { "--largest=1", "--largest takes no value" }, { "--head 1 --head=1", "--head is given twice" },
    { "--layer -1", "--layer: found \"-1\"; a whole number from 0 to 1000000" },
    { "--head 1.5", "--head: found \"1.5\"; a whole number" }, { "--hide x", "--hide: found \"x\"; a whole" },
    { "--frame ", "--frame: found \"\"; a whole number" }, { "--head 99999999999999999999", "a whole number" },
    { "a.npy --dpi x --export a.png", "--dpi: found \"x\"; a number from 24 to 1200" }, { "--dpi 96x", "--dpi: found" },
    { "--zoom ", "--zoom: found \"\"; a number" }, { "--dpi 5", "24 to 1200" }, { "--dpi nan", "24 to 1200" },
    { "--dpi 1e999", "24 to 1200" }, { "--zoom 0.4", "a number from 0.5 to 3" }, { "--zoom -inf", "0.5 to 3" },
    { "--zoom nan", "0.5 to 3" }, { "--dpi 1201", "24 to 1200" },
    { "--view nowhere", "--view: found \"nowhere\"; it must be heads, head, lines, stages, compare or tiles" },
    { "--view ", "it must be heads" }, { "--scale big", "linear, head, log or uniform" },
    { "--colors jet", "viridis, cividis or magma" }, { "--stage x", "dots, scaled, masked, weights, mixed or out" },
    { "--sort x", "entropy, distance, previous, diagonal, induction, first, cell, found, adds or role" },
    { "--size=", "--size: found \"\"; width and height" }, { "--size 640", "--size: found \"640\"; width" },
    { "--size 0x10", "such as 1280x800" }, { "--size 10x", "width and height" },
    { "--size 10x10x10", "width and height" }, { "--size 20000x10", "1 to 16384" }, { "--size nanx5", "1 to 16384" },
    { "--size -5x5", "1 to 16384" }, { "--size 16000x10 --dpi 300 --export /tmp/a.png", "50000 pixels a side; 16384" },
    { "a.npy --text it", "a.npy is a file of maps; --model and --text go without one" },
    { "a.npy --model m", "go without one" },
    { "--tokens t.txt", "--tokens needs FILE" }, { "--key-tokens t.txt", "--key-tokens needs FILE" },
    { "--axes HTS", "--axes needs FILE" },
    { "--export /tmp/a.jpg", "--export: found \"/tmp/a.jpg\"; a name that ends in .png, .svg or .html is needed" },
    { "--by-key", "needs --cell" }, { "a.npy --other-text it", "--other-text goes without one" },
    { "--compare a.npy --other-text it", "one is possible" },
    { "/tmp/a.svg --export /tmp/../tmp/a.svg", "--export /tmp/../tmp/a.svg and FILE /tmp/a.svg are one file" },
};
// clang-format on

TEST_EACH(wrong_flags, (int)(sizeof wrong / sizeof *wrong))
{
    ck_assert_msg(!parse(wrong[_i][0]), "accepted: %s", wrong[_i][0]);
    ck_assert_msg(strstr(error.text, wrong[_i][1]) && !strchr(error.text, '\n'), "%s: \"%s\" has no \"%s\"",
                  wrong[_i][0], error.text, wrong[_i][1]);
}

// What flags make of a state (support/viewer.h), or the beginning of the sentence that refuses them.
// clang-format off
static const struct {
    const char *document, *flags, *facts;
} states[] = {
    { "d", "--view lines --layer 1 --head 2 --scale uniform --colors cividis --hide 3 --largest --sort diagonal --cell 3,5 --zoom 2", "lines 1.2 by diagonal scale uniform cividis hides 3 largest pinned 3,5 zoom 2.00" },
    { "d", "--cell 1,1 --sort cell", "head 0.0 by cell pinned 1,1" },
    { "d", "--sort role --dark --formulas", "head 0.0 by role dark formulas" },
    { "d", "--stage out", "stages 0.0 stage out" },
    { "walk", "--view tiles --frame 2", "tiles 0.0 frame 2" },
    { "d", "--lines layer --cell 2,3 --by-key", "lines 0.0 of layer pinned 2,3 by key" },
    { "d", "--only 1.0,1.2 --layer 1", "lines 1.0 of layer without 0.0 without 0.1 without 0.2 without 1.1" },
    { "pair", "--parts ba", "lines 0.0 B → A" },
    { "pair", "--view head --parts ab", "head 0.0 A → B" },
    { "pair", "--view head --parts aa --lines layer", "head 0.0 of layer A → A" },
    { "d", "--view compare --layer 1 --head 1", "compare 1.1 and 0.0" },
    { "d", "--view compare --other 1.2", "compare 0.0 and 1.2" },
    { "two", "--view compare --other 0.4", "compare 0.0 and 0.4" },
    { "live", "--off 0.2,1.0", "head 0.0 off 0.2 off 1.0" },
    { "live", "--off 0.2 --off-by mean", "head 0.0 gives mean off 0.2" },
    { "d", "--of mean", "head 0.0 as mean" },
    { "d", "--sort cell", "--sort cell needs --cell, such as --cell 0,0" },
    { "d", "--lines kinds", "--lines kinds: by hand has not so many" },
    { "d", "--only 0.9", "--only 0.9: layer.head is needed, such as 0.1, from 2 layers of 3 heads" },
    { "d", "--only 0.1;1.1", "--only: \";1.1\" stands where a comma or the end is needed" },
    { "d", "--parts ab", "--parts: the words of by hand are of one sentence" },
    { "two", "--other 1.2", "--other 1.2: layer.head is needed, such as 0.1, from 1 layer of 5 heads" },
    { "bare", "--stage dots", "--stage: by hand does not hold what that is made of" },
    { "bare", "--view compare", "--view: by hand has nothing to show there" },
    { "live", "--off 0.1;1.0", "--off: \";1.0\" stands where a comma or the end is needed" },
    { "live", "--off ,", "--off ,: layer.head is needed, such as 0.1, from 2 layers of 3 heads" },
    { "d", "--of rollout", "--of rollout: that cannot be made of by hand" },
    { "d", "--layer 2", "--layer 2: there are 2 layers, counted from 0" },
    { "d", "--head 3", "--head 3: there are 3 heads, counted from 0" },
    { "d", "--frame 0", "--frame 0: there are 0 tiles, counted from 0" },
    { "d", "--view tiles", "--view: by hand has nothing to show there" },
    { "d", "--cell 4,0", "--cell 4,0: query,key is needed, such as 0,0; there are 4 × 6" },
    { "d", "--cell 1,1,1", "--cell 1,1,1: query,key is needed, such as 0,0; there are 4 × 6" },
    { "d", "--off 0.0", "--off: heads can be switched off in a model only, not in by hand" },
};
// clang-format on

static void open_named(const char *name)
{
    static const unsigned char queries[] = { 0, 0, 1, 1 }, keys[] = { 0, 0, 0, 1, 1, 1 };
    Mat map = mat_of(arena, 1, 1, (float[]){ 1 });
    d.query_sentence = strcmp(name, "pair") ? NULL : queries;
    d.key_sentence = strcmp(name, "pair") ? NULL : keys;
    d.live = !strcmp(name, "live");
    bare = document_of_maps(arena, 1, 1, &map);
    s = state_of(&buffers, !strcmp(name, "walk") ? &walk : !strcmp(name, "bare") ? &bare : &d, 1280, 800, 1);
    if (!strcmp(name, "two")) s.shown.other_document = &other;
}

TEST(flags_lead_to_states)
{
    for (size_t n = 0; n < sizeof states / sizeof *states; n++) {
        open_named(states[n].document);
        const char *is = apply(states[n].flags) ? facts_of(&s) : error.text;
        ck_assert_msg(!strcmp(is, states[n].facts), "%s: %s\n   is: %s\n  not: %s", states[n].document, states[n].flags,
                      is, states[n].facts);
    }
}
