// Command lines: every kind of flag, every wrong word with its sentence, paths that are one file, and --help.
#include "io/flags.h"

#include "bench.h"
#include "support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>

// A program with a flag of every kind.
typedef struct {
    const char *file, *second, *text, *in, *out, *other, *folder;
    int count, choice, name;
    uint64_t seed;
    double real, positive;
    float narrow;
    bool on, has_real;
} Said;

static const char *const names[] = { "one", "two", "three", NULL };
enum { MOST_FLAGS = 20 };

static Flags table(Flag *flags, Said *said)
{
    *said = (Said){ .count = 4, .real = 0.25, .positive = 1, .narrow = 0.5f, .seed = 7, .choice = 1 };
    const Flag all[] = {
        flag_argument(flag_input("FILE", &said->file, NULL, "what is shown")),
        flag_argument(flag_input("SECOND", &said->second, NULL, "what else is shown")),
        flag_heading("what is read"),
        flag_text("text", &said->text, "WORDS", "any words"),
        flag_input("in", &said->in, "FILE.npy", "a file that is read; it is not changed, whatever else is asked for"),
        flag_count("count", &said->count, -3, 1000, "N", "whole (default 4)"),
        flag_seed("seed", &said->seed, "N", "all bits"),
        flag_given(flag_real("real", &said->real, -DBL_MAX, DBL_MAX, "X", "any number"), &said->has_real),
        flag_real("positive", &said->positive, 0, DBL_MAX, "X", "none below 0"),
        flag_float("narrow", &said->narrow, 0, 10, "X", "0 … 10"),
        flag_choice("choice", &said->choice, names, NULL, "by its names"),
        flag_choice("name", &said->name, names, "NAME", "one of"),
        flag_heading("what is written"),
        flag_output("out", &said->out, "FILE.npy", "first line\nsecond line"),
        flag_output("a-much-longer-name", &said->other, "FILE.npy", "written, too"),
        flag_folder("folder", &said->folder, "DIR", "figures"),
        flag_switch("on", &said->on, "α − β"),
    };
    memcpy(flags, all, sizeof all);
    return (Flags){ "program: reads flags\n\nusage: program FILE [flags]\n", "exit status: 0\n", 20, flags,
                    sizeof all / sizeof *all };
}

static Said said;
static Bench bench;

static void setup(void) { bench = bench_open(); }
static void teardown(void) { bench_close(&bench); }
FIXTURE(setup, teardown);

// Words up to a NULL.
static FlagsRead flags_of(const char *first, ...)
{
    Flag flags[MOST_FLAGS];
    char *argv[40] = { (char *)"program" };
    int argc = 1;
    Flags all = table(flags, &said);
    va_list words;
    va_start(words, first);
    for (const char *word = first; word; word = va_arg(words, const char *)) argv[argc++] = (char *)word;
    va_end(words);
    bench.error.text[0] = 0;
    return flags_read(&all, argc, argv, &bench.error);
}

#define FINE(...) ck_assert_msg(flags_of(__VA_ARGS__, NULL) == FLAGS_FINE, "%s", bench.error.text)
#define WRONG(words, ...) \
    do { \
        ck_assert_int_eq(flags_of(__VA_ARGS__, NULL), FLAGS_WRONG); \
        ERROR_HAS(&bench.error, words); \
    } while (0)

TEST(nothing_said_keeps_the_defaults)
{
    ck_assert_int_eq(flags_of(NULL), FLAGS_FINE);
    ck_assert(!said.file && !said.text && !said.in && !said.out && !said.other && !said.folder);
    ck_assert(said.count == 4 && said.seed == 7 && said.choice == 1 && said.name == 0 && !said.on && !said.has_real);
    ck_assert(said.real == 0.25 && said.positive == 1 && said.narrow == 0.5f);
}

TEST(every_kind_is_read)
{
    char *out = bench_path(&bench, "out"), *folder = bench_path(&bench, "new/folder");
    FINE("a.npy", "--text", "some words", "--in=b.npy", "--count", "-3", "--seed", "18446744073709551615", "--real",
         "-1.5e-300", "--positive=0", "--narrow", "1e-30", "--choice", "three", "--name=two", "--on", "--out", out,
         "--folder", folder, "second");
    ck_assert_str_eq(said.file, "a.npy");
    ck_assert_str_eq(said.second, "second");
    ck_assert_str_eq(said.text, "some words");
    ck_assert_str_eq(said.in, "b.npy");
    ck_assert_str_eq(said.out, out);
    ck_assert_str_eq(said.folder, folder);
    ck_assert(said.count == -3 && said.seed == UINT64_MAX && said.choice == 2 && said.name == 1 && said.on);
    ck_assert(said.has_real && said.real == -1.5e-300 && said.positive == 0 && said.narrow == 1e-30f);
}

// Behind an equals sign anything may stand, also what looks like a flag, or nothing.
TEST(a_value_behind_an_equals_sign)
{
    FINE("--text=--on");
    ck_assert_str_eq(said.text, "--on");
    ck_assert(!said.on);
    FINE("--text=a=b");
    ck_assert_str_eq(said.text, "a=b");
    FINE("--text=");
    ck_assert_str_eq(said.text, "");
    FINE("--text", "-x");
    ck_assert_str_eq(said.text, "-x");
    FINE("--text", "");
    ck_assert_str_eq(said.text, "");
}

TEST(ends_of_ranges_belong_to_them)
{
    FINE("--count", "1000", "--narrow", "10", "--real", "1.7976931348623157e308");
    ck_assert(said.count == 1000 && said.narrow == 10 && said.real == DBL_MAX);
    FINE("--count", "+12", "--narrow", "0", "--positive", "2.2250738585072014e-308");
    ck_assert(said.count == 12 && said.narrow == 0 && said.positive == DBL_MIN);
    FINE("--seed", "0", "--real", "0e-999", "--positive", "0.000");
    ck_assert(said.seed == 0 && said.real == 0 && said.positive == 0);
}

static const char *const wrong_words[][3] = {
    { "--nonsense", NULL, "there is no flag --nonsense (--help lists them)" },
    { "--counts", "3", "there is no flag --counts (" },
    { "--", NULL, "there is no flag -- (" },
    { "-x", NULL, "found \"-x\"; flags begin with two dashes (--help lists them)" },
    { "--text", NULL, "--text needs a value (--help lists the flags)" },
    { "--text", "--on", "--text needs a value" },
    { "--on=yes", NULL, "--on takes no value" },
    { "--on", "--on", "--on is given twice" },
    { "--count=3", "--count=3", "--count is given twice" },
    { "--help", "--help", "--help is given twice" },
    { "--help", "--nonsense", "there is no flag --nonsense" },
    { "--count", "abc", "--count: found \"abc\"; a whole number from -3 to 1000 is needed" },
    { "--count", "1.5", "a whole number" },
    { "--count", "7 ", "found \"7 \"" },
    { "--count", "1001", "from -3 to 1000" },
    { "--count", "-4", "from -3 to 1000" },
    { "--count", "99999999999999999999", "from -3 to 1000" },
    { "--seed", "-1", "--seed: found \"-1\"; a whole number from 0 to 18446744073709551615 is needed" },
    { "--seed", "18446744073709551616", "a whole number from 0" },
    { "--real", "abc", "--real: found \"abc\"; a number is needed" },
    { "--real", "nan", "a number is needed" },
    { "--real", "0x1p3", "a number is needed" },
    { "--real", "1e999", "found \"1e999\"; a number is needed" },
    { "--real", "1e-400", "--real: found \"1e-400\", which would become 0; write 0, or a number of 2.23e-308 or more" },
    { "--positive", "-1", "--positive: found \"-1\"; a number of 0 or more is needed" },
    { "--narrow", "10.5", "--narrow: found \"10.5\"; a number from 0 to 10 is needed" },
    { "--narrow", "1e-45", "which would become 0; write 0, or a number of 1.18e-38 or more" },
    { "--choice", "four", "--choice: found \"four\"; it must be one, two or three" },
    { "--choice", "One", "it must be one, two or three" },
    { "--count", "a\nb", "found \"a b\"" },
};

TEST_EACH(wrong_words_are_refused, (int)(sizeof wrong_words / sizeof *wrong_words))
{
    const char *const *w = wrong_words[_i];
    WRONG(w[2], w[0], w[1]);
}

// No more than 60 bytes of what was typed, and no half of a character.
TEST(a_long_word_is_cut)
{
    char *word = arena_format(bench.arena, "%059d\xe2\x88\x92%0100d", 0, 0);
    WRONG(arena_format(bench.arena, "found \"%059d\";", 0), "--choice", word);
    WRONG(arena_format(bench.arena, "no flag --%060d (", 0), arena_format(bench.arena, "--%0500d", 0));
}

TEST(arguments_take_their_places)
{
    FINE("--on", "a");
    ck_assert_str_eq(said.file, "a");
    ck_assert_ptr_null(said.second);
    WRONG("found \"c\" after SECOND, which was given before", "a", "b", "c");
    Flag one[] = { flag_switch("on", &said.on, "") };
    char *argv[] = { (char *)"program", (char *)"word", NULL };
    ck_assert_int_eq(flags_read(&(Flags){ NULL, NULL, 20, one, 1 }, 2, argv, &bench.error), FLAGS_WRONG);
    ERROR_HAS(&bench.error, "found \"word\"; flags begin with two dashes (--help lists them)");
}

TEST(what_is_needed)
{
    int choice = 0, count = 0;
    Flag flags[] = {
        flag_needed(flag_argument(flag_choice("NAME", &choice, names, "", "which"))),
        flag_needed(flag_count("count", &count, 0, 9, "N", "how many")),
    };
    Flags all = { NULL, NULL, 20, flags, 2 };
    char *argv[] = { (char *)"program", (char *)"--count=0", (char *)"two", NULL };
    ck_assert_int_eq(flags_read(&all, 1, argv, &bench.error), FLAGS_WRONG);
    ERROR_HAS(&bench.error, "NAME is missing; it must be one, two or three (--help lists the flags)");
    ck_assert_int_eq(flags_read(&all, 2, argv, &bench.error), FLAGS_WRONG);
    ERROR_HAS(&bench.error, "NAME is missing");
    argv[1] = (char *)"three";
    ck_assert_int_eq(flags_read(&all, 2, argv, &bench.error), FLAGS_WRONG);
    ERROR_HAS(&bench.error, "--count is missing (--help lists the flags)");
    argv[2] = (char *)"--count=0";
    ck_assert_int_eq(flags_read(&all, 3, argv, &bench.error), FLAGS_FINE);
    ck_assert(choice == 2 && count == 0);
    argv[1] = (char *)"four";
    ck_assert_int_eq(flags_read(&all, 3, argv, &bench.error), FLAGS_WRONG);
    ERROR_HAS(&bench.error, "NAME: found \"four\"; it must be one, two or three");
}

static void write_text(const char *path, const char *text)
{
    ck_assert_msg(file_write(path, text, strlen(text), &bench.error), "%s", bench.error.text);
}

static void holds(const char *path, const char *text)
{
    FileBytes bytes;
    ck_assert_msg(file_read(&bytes, bench.arena, path, &bench.error), "%s", bench.error.text);
    ck_assert_str_eq((const char *)bytes.at, text);
}

TEST(an_output_is_no_input)
{
    char *a = bench_path(&bench, "a"), *soft = bench_path(&bench, "soft"), *hard = bench_path(&bench, "hard");
    write_text(a, "kept");
    ck_assert_int_eq(symlink("a", soft), 0);
    ck_assert_int_eq(link(a, hard), 0);
    char *const same[] = { a, bench_path(&bench, "./a"), soft, hard };
    for (int s = 0; s < 4; s++) {
        WRONG("are one file, which would be lost", "--in", a, "--out", same[s]);
        WRONG("are one file, which would be lost", "--in", same[s], "--a-much-longer-name", a);
        WRONG("are one file, which would be lost", "--out", same[s], a);
        ERROR_HAS(&bench.error, arena_format(bench.arena, "--out %s and FILE %s are", same[s], a));
        WRONG("are one file, which would be lost", "--out", same[s], "--a-much-longer-name", a);
        FINE("--in", a, same[s]); // what is only read may be read twice
    }
    holds(a, "kept");
    FINE("--in", a, "--out", bench_path(&bench, "b"), "--a-much-longer-name", bench_path(&bench, "c"));
    FINE("--out", "/dev/null", "--in", "/dev/null", "--a-much-longer-name", "/dev/null");
    ck_assert_int_eq(entries_in(bench.folder), 3);
}

TEST(outputs_are_tried)
{
    char *file = bench_path(&bench, "file");
    write_text(file, "kept");
    const char *const bad[][2] = {
        { bench.folder, "this is a folder" },
        { bench_path(&bench, "none/a"), "cannot be written" },
        { bench_path(&bench, "file/a"), "cannot be written" },
        { "", "empty" },
    };
    for (int b = 0; b < 4; b++) {
        ck_assert_int_eq(flags_of("--out", bad[b][0], NULL), FLAGS_TROUBLE);
        ERROR_HAS(&bench.error, "--out: ", bad[b][0], bad[b][1]);
        ck_assert_int_eq(flags_of("--a-much-longer-name", bad[b][0], NULL), FLAGS_TROUBLE);
        ERROR_HAS(&bench.error, "--a-much-longer-name: ", bad[b][1]);
    }
    FINE("--out", file);
    holds(file, "kept");
    ck_assert_int_eq(entries_in(bench.folder), 1);
}

TEST(folders_are_made_first)
{
    char *file = bench_path(&bench, "file"), *folder = bench_path(&bench, "a/b");
    write_text(file, "kept");
    FINE("--out", bench_path(&bench, "a/b/out"), "--folder", folder);
    ck_assert_int_eq(entries_in(folder), 0);
    FINE("--folder", folder);
    ck_assert_int_eq(flags_of("--folder", file, NULL), FLAGS_TROUBLE);
    ERROR_HAS(&bench.error, "--folder: ", file, "not a folder");
    ck_assert_int_eq(flags_of("--folder", bench_path(&bench, "file/a"), NULL), FLAGS_TROUBLE);
    ck_assert_int_eq(flags_of("--folder", "", NULL), FLAGS_TROUBLE);
    ERROR_HAS(&bench.error, "--folder: ", "empty");
    if (access("/proc/self", F_OK) == 0) {
        ck_assert_int_eq(flags_of("--folder", "/proc", NULL), FLAGS_TROUBLE); // is there, and takes no file
        ERROR_HAS(&bench.error, "--folder: /proc", "cannot be written");
    }
}

static const char HELP[] = "program: reads flags\n"
                           "\n"
                           "usage: program FILE [flags]\n"
                           "\n"
                           "  FILE              what is shown\n"
                           "  SECOND            what else is shown\n"
                           "\n"
                           "what is read\n"
                           "  --text WORDS      any words\n"
                           "  --in FILE.npy     a file that is read; it is not changed, whatever else is\n"
                           "                    asked for\n"
                           "  --count N         whole (default 4)\n"
                           "  --seed N          all bits\n"
                           "  --real X          any number\n"
                           "  --positive X      none below 0\n"
                           "  --narrow X        0 … 10\n"
                           "  --choice one|two|three\n"
                           "                    by its names\n"
                           "  --name NAME       one of one, two, three\n"
                           "\n"
                           "what is written\n"
                           "  --out FILE.npy    first line\n"
                           "                    second line\n"
                           "  --a-much-longer-name FILE.npy\n"
                           "                    written, too\n"
                           "  --folder DIR      figures\n"
                           "  --on              α − β\n"
                           "\n"
                           "  --help            this list; also -h\n"
                           "  --version         the version\n"
                           "\n"
                           "exit status: 0\n";

TEST(the_list)
{
    Flag flags[MOST_FLAGS];
    Flags all = table(flags, &said);
    ck_assert_str_eq(flags_help(bench.arena, &all), HELP);
    Flag one[] = { flag_switch("x", &said.on, "a b") };
    ck_assert_str_eq(flags_help(bench.arena, &(Flags){ NULL, NULL, 10, one, 1 }),
                     "  --x     a b\n  --help  this list; also -h\n  --version\n          the version\n");
}

// ---- the program around it: in a child, whose stdout and stderr are files

typedef struct {
    int status;
    const char *out, *err;
} Ended;

static Ended ended(int (*program)(void), const char *out)
{
    char *said_out = bench_path(&bench, "stdout"), *said_err = bench_path(&bench, "stderr");
    FileBytes read_out = { (const unsigned char *)"", 0 }, read_err;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen(said_err, "w", stderr)) _exit(99);
        if (!out) close(1);
        else if (!freopen(*out ? out : said_out, "w", stdout)) _exit(99);
        exit(program());
    }
    int status = 0;
    ck_assert(waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (out && !*out) ck_assert(file_read(&read_out, bench.arena, said_out, &bench.error));
    ck_assert(file_read(&read_err, bench.arena, said_err, &bench.error));
    return (Ended){ WEXITSTATUS(status), (const char *)read_out.at, (const char *)read_err.at };
}

static int asks_for_help(void) { return flags_exit(flags_of("--on", "--help", "a", NULL), "program", &bench.error); }
static int is_wrong(void) { return flags_exit(flags_of("--nonsense", NULL), "program", &bench.error); }
static int has_trouble(void) { return flags_exit(flags_of("--out", "/none/a", NULL), "program", &bench.error); }

TEST(statuses)
{
    Ended e = ended(asks_for_help, "");
    ck_assert_int_eq(e.status, 0);
    ck_assert_str_eq(e.out, HELP);
    ck_assert_str_eq(e.err, "");
    e = ended(is_wrong, "");
    ck_assert_int_eq(e.status, 2);
    ck_assert_str_eq(e.out, "");
    ck_assert_str_eq(e.err, "program: there is no flag --nonsense (--help lists them)\n");
    e = ended(has_trouble, "");
    ck_assert_int_eq(e.status, 1);
    ck_assert_msg(!strncmp(e.err, "program: --out: /none/a: it cannot", 34), "%s", e.err);
}

// No file gets the number of a closed stream, and a limit to files' sizes does not end the program.
static int opens_a_file(void)
{
    close(0);
    if (flags_of("--on", NULL) != FLAGS_FINE) return 10;
    int file = open(bench_path(&bench, "opened"), O_WRONLY | O_CREAT, 0666);
    struct sigaction action;
    sigaction(SIGXFSZ, NULL, &action);
    return (file > 2) + 2 * (action.sa_handler == SIG_IGN) + 4 * (read(0, &action, 1) < 0);
}

TEST(lost_output_is_an_error)
{
    if (access("/dev/full", W_OK)) return;
    Ended full = ended(asks_for_help, "/dev/full");
    ck_assert_int_eq(full.status, 1);
    ck_assert_str_eq(full.err,
                     arena_format(bench.arena, "program: the output cannot be written: %s\n", strerror(ENOSPC)));
}

TEST(streams_keep_their_places) { ck_assert_int_eq(ended(opens_a_file, NULL).status, 7); }
