// The command line: every flag, and every wrong value with its sentence.
#include "viz/options.h"

#include "support/maps.h"
#include "support/reference.h"
#include "viz/update.h"
#include "viz/views.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Arena *arena;
static ViewerOptions o;
static Error error;
static Document d, walk, other;
static State s;
static StateBuffers buffers;

static void setup(void)
{
    Random random = random_from(1);
    arena = arena_open();
    d = document_random(arena, &random, (Shape){ 2, 3, 4, 6, 4, 5, .words = true });
    other = document_random(arena, &random, (Shape){ 1, 5, 4, 6, 4, 5, .words = true });
    walk = document_walk(arena, &random, 6, 2);
    s = state_of(&buffers, &d, 1280, 800, 1);
}

static void teardown(void) { arena_close(arena); }

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

static void applies(const char *line) { ck_assert_msg(apply(line), "%s: %s", line, error.text); }

START_TEST(nothing_asked_for)
{
    parses("");
    ck_assert(!o.file && !o.compare && !o.picture && !o.folder && !o.text && !o.model && !o.off && !o.largest);
    ck_assert(o.width == 1280 && o.height == 800 && o.dpi == 96 && o.zoom == 1);
    ck_assert(o.layer == -1 && o.head == -1 && o.hide == -1 && o.frame == -1 && o.view == -1 && o.scale == -1 &&
              o.colors == -1 && o.stage == -1 && o.sort == -1);
    State before = s;
    applies("");
    ck_assert(s.shown.view == before.shown.view && s.shown.layer == 0 && s.shown.head == 0 &&
              s.selection.pinned.row == -1 && s.shown.sort == SORT_NONE && s.camera.zoom == 1);
}
END_TEST

START_TEST(every_flag)
{
    char *folder = arena_format(arena, "/tmp/manyheads-options-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    char *picture = arena_format(arena, "%s/a.png", folder), *all = arena_format(arena, "%s/all", folder);
    parses(arena_format(arena,
                        "a.npy --compare b.npy --tokens t.txt --key-tokens k.json --axes HTS --export %s "
                        "--export-all %s --dpi 192 --zoom 1.5 "
                        "--view lines --scale log --colors magma --stage out --sort first --other 1.2 "
                        "--cell 3,4 --layer 1 --head 2 --hide 3 "
                        "--frame 5 --largest --size 640x400",
                        picture, all));
    ck_assert_int_eq(rmdir(all), 0); // it was made, and the picture's file was not
    ck_assert_int_eq(rmdir(folder), 0);
    ck_assert_str_eq(o.file, "a.npy");
    ck_assert_str_eq(o.compare, "b.npy");
    ck_assert_str_eq(o.tokens, "t.txt");
    ck_assert_str_eq(o.key_tokens, "k.json");
    ck_assert_str_eq(o.axes, "HTS");
    ck_assert_str_eq(o.picture, picture);
    ck_assert_str_eq(o.folder, all);
    ck_assert(o.dpi == 192 && o.zoom == 1.5 && o.width == 640 && o.height == 400);
    ck_assert(o.view == VIEW_LINES && o.scale == SCALE_LOG && o.colors == COLOR_MAGMA && o.stage == STAGE_OUT);
    ck_assert(o.sort == SUMMARY_FIRST && !strcmp(o.other, "1.2") && !strcmp(o.cell, "3,4"));
    ck_assert(o.layer == 1 && o.head == 2 && o.hide == 3 && o.frame == 5 && o.largest);
    parses("--model m.safetensors --text it --off 0.1");
    ck_assert(!strcmp(o.model, "m.safetensors") && !strcmp(o.text, "it") && !strcmp(o.off, "0.1"));
}
END_TEST

START_TEST(the_name_of_a_picture)
{
    static const struct {
        const char *name;
        bool good;
        PictureKind kind;
    } names[] = {
        { "a.png", true, PICTURE_PNG },     { "a.PNG", true, PICTURE_PNG },  { "b/.svg", true, PICTURE_SVG },
        { "a.png.SVG", true, PICTURE_SVG }, { "a.jpg", false, PICTURE_PNG }, { "png", false, PICTURE_PNG },
        { "a.svg/b", false, PICTURE_PNG },  { "", false, PICTURE_PNG },      { "a.svg.html", true, PICTURE_PAGE },
        { "html", false, PICTURE_PNG },
    };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        PictureKind kind;
        ck_assert_msg(viewer_options_picture(&kind, names[n].name) == names[n].good, "%s", names[n].name);
        ck_assert_msg(kind == names[n].kind, "%s", names[n].name);
    }
}
END_TEST

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
    { "/tmp/a.svg --export /tmp/../tmp/a.svg", "--export /tmp/../tmp/a.svg and FILE /tmp/a.svg are one file" },
};
// clang-format on

START_TEST(wrong_flags)
{
    ck_assert_msg(!parse(wrong[_i][0]), "accepted: %s", wrong[_i][0]);
    ck_assert_msg(strstr(error.text, wrong[_i][1]) && !strchr(error.text, '\n'), "%s: \"%s\" has no \"%s\"",
                  wrong[_i][0], error.text, wrong[_i][1]);
}
END_TEST

START_TEST(the_state_that_is_asked_for)
{
    applies("--view lines --layer 1 --head 2 --scale uniform --colors cividis "
            "--hide 3 --largest --sort diagonal --cell 3,5 --zoom 2");
    ck_assert(s.shown.view == VIEW_LINES && s.shown.layer == 1 && s.shown.head == 2 && s.shown.scale == SCALE_UNIFORM &&
              s.shown.colors == COLOR_CIVIDIS);
    ck_assert(s.shown.hide_keys == 3 && s.shown.use_largest && s.shown.sort == SUMMARY_DIAGONAL &&
              s.selection.pinned.row == 3 && s.selection.pinned.col == 5 && s.camera.zoom == 2);
    static const char *const views[] = { "heads", "head", "lines", "stages", "compare" };
    for (int v = 0; v < 5; v++) {
        applies(arena_format(arena, "--view %s", views[v]));
        ck_assert_int_eq(s.shown.view, v);
    }
    static const char *const scales[] = { "linear", "head", "log", "uniform" }, *const colors[] = { "viridis",
                                                                                                    "cividis",
                                                                                                    "magma" };
    static const char *const stages[] = { "dots", "scaled", "masked", "weights", "mixed", "out" };
    static const char *const stats[] = { "entropy", "distance", "previous", "diagonal", "induction", "first" };
    for (int k = 0; k < 4; k++) {
        applies(arena_format(arena, "--scale %s", scales[k]));
        ck_assert_int_eq(s.shown.scale, k);
    }
    for (int k = 0; k < 3; k++) {
        applies(arena_format(arena, "--colors %s", colors[k]));
        ck_assert_int_eq(s.shown.colors, k);
    }
    for (int k = 0; k < 6; k++) {
        applies(arena_format(arena, "--sort %s", stats[k]));
        ck_assert_int_eq(s.shown.sort, k);
    }
    applies("--cell 1,1 --sort cell");
    ck_assert_int_eq(s.shown.sort, SORT_CELL);
    s.selection.pinned = (HeadCell){ -1, -1 };
    ck_assert(!apply("--sort cell") && strstr(error.text, "needs --cell"));
    for (int k = 0; k < 6; k++) {
        applies(arena_format(arena, "--stage %s", stages[k]));
        ck_assert(s.shown.view == VIEW_STAGES && (int)s.shown.stage == k);
    }
    s = state_of(&buffers, &walk, 1280, 800, 1);
    applies("--view tiles --frame 2");
    ck_assert(s.shown.view == VIEW_TILES && s.shown.frame == 2);
}
END_TEST

START_TEST(lines_that_are_asked_for)
{
    static const unsigned char queries[] = { 0, 0, 1, 1 }, keys[] = { 0, 0, 0, 1, 1, 1 };
    applies("--lines layers");
    ck_assert(s.shown.view == VIEW_LINES && s.shown.lines == LINES_LAYERS);
    applies("--lines layer --cell 2,3 --by-key");
    ck_assert(s.shown.lines == LINES_LAYER && s.selection.pinned.col == 3 && s.selection.pinned_by_key);
    applies("--only 1.0,1.2 --layer 1"); // heads of one layer
    ck_assert(s.shown.lines == LINES_LAYER && !s.shown.hidden_heads[3] && s.shown.hidden_heads[4] &&
              !s.shown.hidden_heads[5] && s.shown.hidden_heads[0] && !s.selection.pinned_by_key);
    applies("--only 0.1,1.2");
    ck_assert(s.shown.lines == LINES_LAYERS && !s.shown.hidden_heads[1] && !s.shown.hidden_heads[5] &&
              s.shown.hidden_heads[0] && s.shown.hidden_heads[3]);
    ck_assert(!apply("--lines kinds") && strstr(error.text, "--lines kinds: by hand has not so many"));
    ck_assert(!apply("--only 0.9") && strstr(error.text, "--only 0.9: layer.head is needed"));
    ck_assert(!apply("--only 0.1;1.1") && strstr(error.text, "where a comma or the end is needed"));
    ck_assert(!apply("--parts ab") && strstr(error.text, "--parts: the words of by hand are of one sentence"));
    ck_assert(!parse("--by-key") && strstr(error.text, "needs --cell"));
    d.query_sentence = queries;
    d.key_sentence = keys;
    applies("--parts ba");
    ck_assert(s.shown.view == VIEW_LINES && s.shown.pair == PAIR_BA);
    applies("--view head --parts ab");
    ck_assert(s.shown.view == VIEW_HEAD && s.shown.pair == PAIR_AB);
    applies("--view head --parts aa --lines layer");
    ck_assert(s.shown.view == VIEW_HEAD && s.shown.pair == PAIR_AA && s.shown.lines == LINES_LAYER);
    ck_assert(!parse("a.npy --other-text it") && strstr(error.text, "--other-text goes without one"));
    ck_assert(!parse("--compare a.npy --other-text it") && strstr(error.text, "one is possible"));
    parses("--other-text it --kind cross");
    ck_assert(!strcmp(o.other_text, "it") && o.kind == 1);
}
END_TEST

START_TEST(the_other_head)
{
    applies("--view compare --layer 1 --head 1");
    ck_assert(s.shown.layer == 1 && s.shown.head == 1 && s.shown.other_layer == 0 && s.shown.other_head == 0);
    s = state_of(&buffers, &d, 1280, 800, 1);
    applies("--view compare"); // not the head itself
    ck_assert(s.shown.other_head == 1);
    applies("--view compare --other 1.2");
    ck_assert(s.shown.other_layer == 1 && s.shown.other_head == 2);
    s = state_of(&buffers, &d, 1280, 800, 1);
    applies("--view compare --other 0.0"); // but that when it is asked for
    ck_assert(s.shown.other_layer == 0 && s.shown.other_head == 0);
    s.shown.other_document = &other;
    applies("--other 0.4"); // counted in the other file
    ck_assert(s.shown.other_head == 4);
    ck_assert(!apply("--other 1.2") && strstr(error.text, "from 1 layer of 5 heads"));
}
END_TEST

// clang-format off
static const char *const refused[][2] = {
    { "--layer 2", "--layer 2: there are 2 layers, counted from 0" }, { "--head 3", "--head 3: there are 3 heads" },
    { "--frame 0", "--frame 0: there are 0 tiles" },
    { "--view tiles", "--view: by hand has nothing to show there" },
    { "--cell 4,0", "--cell 4,0: query,key is needed, such as 0,0; there are 4 × 6" }, { "--cell 0,6",
    "there are 4 × 6" },
    { "--cell 1", "query,key is needed" }, { "--cell 1,1,1", "query,key is needed" }, { "--cell -1,0",
    "query,key is needed" },
    { "--other 2.0", "--other 2.0: layer.head is needed" }, { "--other 1", "layer.head is needed" }, { "--other x",
    "layer.head is needed" },
    { "--other -1.0", "layer.head is needed" }, { "--off 0.0", "in a model only, not in by hand" },
};
// clang-format on

START_TEST(what_the_document_has_not)
{
    ck_assert_msg(!apply(refused[_i][0]), "accepted: %s", refused[_i][0]);
    ck_assert_msg(strstr(error.text, refused[_i][1]) != NULL, "%s: \"%s\" has no \"%s\"", refused[_i][0], error.text,
                  refused[_i][1]);
}
END_TEST

START_TEST(stages_need_what_they_are_made_of)
{
    Mat map = mat_of(arena, 1, 1, (float[]){ 1 });
    Document bare = document_of_maps(arena, 1, 1, &map);
    s = state_of(&buffers, &bare, 1280, 800, 1);
    ck_assert(!apply("--stage dots") && strstr(error.text, "--stage: by hand does not hold"));
    ck_assert(!apply("--view stages") && strstr(error.text, "nothing to show"));
    ck_assert(!apply("--view compare") && strstr(error.text, "nothing to show"));
}
END_TEST

START_TEST(heads_that_are_off)
{
    d.live = true;
    applies("--off 0.2,1.0");
    for (int h = 0; h < 6; h++) ck_assert_int_eq(s.shown.ablated[h], h == 2 || h == 3);
    static const char *const lists[] = { "2.0", "0.3", "0", "0.1;1.0", "0.1,x", ",", "0.1 1.0" };
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        o.off = lists[k];
        ck_assert_msg(!viewer_options_apply(&s, &o, &error) && strstr(error.text, "--off"), "%s: %s", lists[k],
                      error.text);
    }
}
END_TEST

Suite *options_suite(void)
{
    Suite *suite = suite_create("viz/options");
    TCase *tests = tcase_create("options");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, nothing_asked_for);
    tcase_add_test(tests, every_flag);
    tcase_add_test(tests, the_name_of_a_picture);
    tcase_add_loop_test(tests, wrong_flags, 0, (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tests, the_state_that_is_asked_for);
    tcase_add_test(tests, lines_that_are_asked_for);
    tcase_add_test(tests, the_other_head);
    tcase_add_loop_test(tests, what_the_document_has_not, 0, (int)(sizeof refused / sizeof *refused));
    tcase_add_test(tests, stages_need_what_they_are_made_of);
    tcase_add_test(tests, heads_that_are_off);
    suite_add_tcase(suite, tests);
    return suite;
}
