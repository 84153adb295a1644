// How programs take their flags: one test over all of them. `flags BUILD PROGRAM`, from the root of the book; PROGRAM
// is a chapter, attend, train, models, viewer or bench.
//
// Which flags a program has is read from the table in its source. Tried are --help, -h, --version, a wrong word for
// each flag, and places where nothing can be written: all that a flag refuses is in tests/io/test_flags.c, and what a
// full disk does is fail.c's. Refused means: exit 2 for wrong words, 1 for trouble with files (attend: 2), one sentence
// on stderr that names what is wrong, and, where no work is needed to see it, nothing on stdout and little time. Prints what failed, and, as its last line, how much
// passed and failed.
//
// WORK: flags that give a chapter less to do.
// START_MS: the most milliseconds to a chapter's first line; a refusal may take six times as long, of the processor.
#define _DEFAULT_SOURCE 1 // wait4
#include "base/arena.h"
#include "base/error.h"
#include "base/version.h"
#include "io/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_FLAGS = 64, MOST_WORDS = 24, PATIENCE_MS = 600000, WIDEST = 80 };

// Words with which a program does a little work, and what it prints.
typedef struct {
    const char *name, *program, *source; // program: in BUILD; source: where its table stands
    const char *work[12];                // SCRATCH: a folder for what else is written
    int trouble;                         // exit status
    bool talks, slow;                    // on stderr of its progress; a chapter
} Program;

#define REFERENCE "data/reference/attention_"
#define SCRATCH   "scratch"
// clang-format off
static const Program others[] = {
    { "attend", "attend", "lib/judge/options.c",
      { "--q", REFERENCE "q.npy", "--k", REFERENCE "k.npy", "--v", REFERENCE "v.npy", "--heads", "1", "--compare",
        REFERENCE "full.npy" }, 2, false, false },
    { "train", "train", "data/train.c", { "induction-32", "--steps", "1", "--every", "0" }, 1, true, false },
    { "models", "pages/models", "data/models.c", { "--documents", "1" }, 1, false, true },
    { "viewer", "viewer", "viz/flags.c", { NULL }, 1, false, false },
    { "bench", "tests/bench", "tests/bench/bench.c",
      { "--seconds", "0.05", "--length", "8", "--out", SCRATCH }, 1, false, false },
};
// clang-format on

static Arena *arena;
static const char *folder, *scratch, *program_path, *name;
static Program program;
static int passed, failed;

static void pass_if(bool ok, const char *what, const char *why)
{
    passed += ok;
    failed += !ok;
    if (!ok) printf("%s: %.200s: %.400s\n", name, what, why);
}

static const char *path_to(const char *file) { return arena_format(arena, "%s/%s", folder, file); }

// ---- the table of flags, from the source

typedef struct {
    const char *name, *kind;
    bool argument;
} Flag;
static Flag flags[MOST_FLAGS];
static int flags_count;

static bool is_kind(const Flag *flag, const char *kind) { return !strcmp(flag->kind, kind); }
static bool is_number(const Flag *flag) { return strstr("count seed real float", flag->kind) != NULL; }
static bool is_output(const Flag *flag) { return is_kind(flag, "output"); }

static const Flag *flag_named(const char *flag, size_t length)
{
    for (int f = 0; f < flags_count; f++)
        if (strlen(flags[f].name) == length && !strncmp(flags[f].name, flag, length)) return &flags[f];
    return NULL;
}

// Whatever is written flag_KIND("NAME" there.
static void read_table(const char *source)
{
    FileBytes text;
    Error error;
    if (!file_read(&text, arena, source, &error)) {
        pass_if(false, source, error.text);
        return;
    }
    for (const char *at = (const char *)text.at; (at = strstr(at, "flag_")); at += 5) {
        size_t kind = strspn(at + 5, "abcdefghijklmnopqrstuvwxyz");
        const char *open = at + 5 + kind;
        if (strncmp(open, "(\"", 2) || !strncmp(at, "flag_heading", 12)) continue;
        size_t length = strcspn(open + 2, "\"");
        if (flag_named(open + 2, length) || flags_count == MOST_FLAGS) continue;
        bool argument = at - (const char *)text.at > 14 && !strncmp(at - 14, "flag_argument(", 14);
        flags[flags_count++] = (Flag){ arena_format(arena, "%.*s", (int)length, open + 2),
                                       arena_format(arena, "%.*s", (int)kind, at + 5), argument };
    }
}

// ---- running

typedef enum { OUT_READ, OUT_FULL, OUT_CLOSED, OUT_FILE } Out;
typedef struct {
    Out out;
    rlim_t largest_file;
    bool ignores_limit;
} Around; // largest_file 0: no limit
typedef struct {
    const char *words[MOST_WORDS];
    int count;
} Words;
typedef struct {
    int status;
    double ms;
    const char *shown;
    char out[1 << 14], err[4096];
} Ended;

// The program's work, but for what the words say otherwise, and then the words.
static Words with_work(const Words *said)
{
    Words all = { .count = 0 };
    for (int w = 0; program.work[w]; w++) {
        bool flag = !strncmp(program.work[w], "--", 2), again = false;
        for (int s = 0; flag && s < said->count; s++) again = again || !strcmp(said->words[s], program.work[w]);
        if (!again) all.words[all.count++] = program.work[w];
        if (flag) w++;
        if (flag && !again) all.words[all.count++] = strcmp(program.work[w], SCRATCH) ? program.work[w] : scratch;
    }
    for (int s = 0; s < said->count; s++) all.words[all.count++] = said->words[s];
    return all;
}

static _Noreturn void become(const Words *words, const Around *around, int out, int err)
{
    const char *argv[MOST_WORDS + 2] = { program_path };
    for (int w = 0; w < words->count; w++) argv[w + 1] = words->words[w];
    int nothing = open("/dev/null", O_RDONLY), file = out;
    if (around->out == OUT_FULL) file = open("/dev/full", O_WRONLY);
    if (around->out == OUT_FILE) file = open(path_to("printed"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(nothing, 0);
    dup2(err, 2);
    if (around->out == OUT_CLOSED) close(1);
    else dup2(file, 1);
    signal(SIGXFSZ, around->ignores_limit ? SIG_IGN : SIG_DFL);
    struct rlimit limit = { around->largest_file, around->largest_file };
    if (around->largest_file && setrlimit(RLIMIT_FSIZE, &limit)) _exit(98);
    execv(program_path, (char *const *)argv);
    _exit(99);
}

// What comes through a pipe, as much as there is room for. At its end it is forgotten.
static void take(struct pollfd *from, char *to, size_t room, size_t *size)
{
    char text[4096];
    ssize_t got = read(from->fd, text, sizeof text);
    if (got <= 0) from->fd = -1;
    if (got <= 0) return;
    size_t more = (size_t)got < room - 1 - *size ? (size_t)got : room - 1 - *size;
    memcpy(to + *size, text, more);
    *size += more;
    to[*size] = 0;
}

static Ended run_words(const Words *words, Around around)
{
    Ended e = { .status = -1, .shown = "" };
    int out[2], err[2];
    for (int w = 0; w < words->count; w++) e.shown = arena_format(arena, "%s %.60s", e.shown, words->words[w]);
    if (around.out == OUT_FULL) e.shown = arena_format(arena, "%s >/dev/full", e.shown);
    if (around.out == OUT_CLOSED) e.shown = arena_format(arena, "%s >&-", e.shown);
    if (around.largest_file)
        e.shown = arena_format(arena, "%s (files up to %d bytes)", e.shown, (int)around.largest_file);
    if (pipe(out) || pipe(err)) return e;
    for (int end = 0; end < 2; end++) {
        fcntl(out[end], F_SETFD, FD_CLOEXEC);
        fcntl(err[end], F_SETFD, FD_CLOEXEC);
    }
    pid_t child = fork();
    if (!child) become(words, &around, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    struct pollfd from[2] = { { out[0], POLLIN, 0 }, { err[0], POLLIN, 0 } };
    size_t sizes[2] = { 0, 0 };
    while (from[0].fd >= 0 || from[1].fd >= 0) {
        if (poll(from, 2, PATIENCE_MS) <= 0) kill(child, SIGKILL);
        if (from[0].revents) take(&from[0], e.out, sizeof e.out, &sizes[0]);
        if (from[1].revents) take(&from[1], e.err, sizeof e.err, &sizes[1]);
    }
    struct rusage used;
    int status;
    wait4(child, &status, 0, &used);
    close(out[0]);
    close(err[0]);
    e.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    e.ms = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-3;
    return e;
}

static Words said(const char *a, const char *b, const char *c, const char *d)
{
    const char *const words[] = { a, b, c, d };
    Words all = { .count = 0 };
    for (int w = 0; w < 4; w++)
        if (words[w]) all.words[all.count++] = words[w];
    return all;
}

// ---- what is expected

// All of stderr, or, of a program that talks there, its last line.
static bool one_sentence(const char *text)
{
    const char *end = strchr(text, '\n');
    while (program.talks && end && end[1]) {
        text = end + 1;
        end = strchr(text, '\n');
    }
    return end && end > text && !end[1] && !strchr(text, '\r');
}

// This status, and one sentence that holds the word.
static bool refused(const Ended *e, int status, const char *word)
{
    const char *why = NULL;
    if (e->status != status) why = arena_format(arena, "exit %d, not %d: %s", e->status, status, e->err);
    else if (!one_sentence(e->err)) why = arena_format(arena, "stderr is not one sentence: %s", e->err);
    else if (!strstr(e->err, word)) why = arena_format(arena, "\"%s\" is not named in: %s", word, e->err);
    pass_if(!why, e->shown, why ? why : "");
    return !why;
}

// Before any work: nothing is printed, and little time goes by.
static void refused_at_once(int status, const char *word, Words words)
{
    const char *start = getenv("START_MS");
    double most = 6 * (start ? strtod(start, NULL) : 50);
    Words all = with_work(&words);
    Ended e = run_words(&all, (Around){ OUT_READ, 0, false });
    if (!refused(&e, status, word)) return;
    if (e.out[0]) pass_if(false, e.shown, arena_format(arena, "refused, but only after printing: %s", e.out));
    if (e.ms > most)
        pass_if(false, e.shown, arena_format(arena, "refused after %.0f ms; %.0f are the most", e.ms, most));
}

static void wrong(const char *word, const char *a, const char *b) { refused_at_once(2, word, said(a, b, NULL, NULL)); }

static int entries_in(const char *path)
{
    int count = 0;
    DIR *open = opendir(path);
    if (!open) return -1;
    for (struct dirent *entry; (entry = readdir(open));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(open);
    return count;
}

static void make_file(const char *path, const char *text)
{
    Error error;
    if (!file_write(path, text, strlen(text), &error)) pass_if(false, path, error.text);
}

static void empty_folder(const char *path)
{
    DIR *open = opendir(path);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        const char *inner = arena_format(arena, "%s/%s", path, entry->d_name);
        struct stat about;
        if (lstat(inner, &about) == 0 && S_ISDIR(about.st_mode)) empty_folder(inner);
        if (unlink(inner)) rmdir(inner);
    }
    if (open) closedir(open);
}

// ---- --help, -h, --version

// Where a line is wider than 80 characters, or holds what is no text; NULL: nowhere.
static const char *not_plain(const char *text)
{
    int line = 1, columns = 0;
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        bool text_byte = byte == '\n' || (byte >= ' ' && byte != 0x7f);
        if (!text_byte) return arena_format(arena, "line %d: byte 0x%02x", line, byte);
        columns += (byte & 0xc0) != 0x80;
        if (byte == '\n') {
            line++;
            columns = 0;
        }
        if (columns > WIDEST) return arena_format(arena, "line %d is wider than %d columns", line, WIDEST);
    }
    return NULL;
}

// Every flag of the table is listed, once, and no other.
static void list_is_complete(const char *help)
{
    int listed = 0;
    for (int f = 0; f < flags_count; f++) {
        const char *head = arena_format(arena, "\n  %s%s ", flags[f].argument ? "" : "--", flags[f].name);
        const char *line = strstr(help, head);
        if (!line) line = strstr(help, arena_format(arena, "\n  --%s\n", flags[f].name));
        pass_if(line && !strstr(line + 1, head), "--help", arena_format(arena, "%s is not there, once", head + 1));
    }
    for (const char *line = help; (line = strstr(line, "\n  --")); line++) {
        size_t length = strcspn(line + 5, " \n");
        listed += flag_named(line + 5, length) || !strncmp(line + 5, "help ", 5) || !strncmp(line + 5, "version ", 8);
    }
    int options = 2;
    for (int f = 0; f < flags_count; f++) options += !flags[f].argument;
    pass_if(listed == options, "--help", arena_format(arena, "%d flags are listed; there are %d", listed, options));
}

static void help(void)
{
    Words words = said("--help", NULL, NULL, NULL);
    Ended e = run_words(&words, (Around){ OUT_READ, 0, false });
    pass_if(e.status == 0 && !e.err[0], "--help", arena_format(arena, "exit %d, stderr: %s", e.status, e.err));
    const char *where = not_plain(e.out);
    pass_if(!where, "--help", where ? where : "");
    list_is_complete(e.out);
    Words letter = said("-h", NULL, NULL, NULL), version = said("--version", NULL, NULL, NULL);
    Ended same = run_words(&letter, (Around){ OUT_READ, 0, false });
    pass_if(same.status == 0 && !same.err[0] && !strcmp(same.out, e.out), "-h", "it is not --help");
    e = run_words(&version, (Around){ OUT_READ, 0, false });
    pass_if(e.status == 0 && !e.err[0] && !strcmp(e.out, "manyheads " MANYHEADS_VERSION "\n"), "--version", e.out);
    refused_at_once(2, "--version", said("--version", "--version", NULL, NULL));
    const Around lost[] = {
        { OUT_FULL, 0, false }, { OUT_CLOSED, 0, false }, { OUT_FILE, 16, false }, { OUT_FILE, 16, true }
    };
    for (size_t l = 0; l < sizeof lost / sizeof *lost; l++) {
        e = run_words(&words, lost[l]);
        refused(&e, program.trouble, "output");
    }
    empty_folder(folder);
}

// ---- wrong words

static void one_flag(const Flag *flag)
{
    const char *dashed = arena_format(arena, "--%s", flag->name);
    if (flag->argument) return;
    if (is_kind(flag, "switch")) wrong(dashed, arena_format(arena, "%s=yes", dashed), NULL);
    else wrong(dashed, dashed, NULL);
    if (is_kind(flag, "choice") || is_number(flag)) wrong(dashed, dashed, "wrong");
    if (is_number(flag)) wrong(dashed, dashed, "99999999999999999999e999");
}

static void wrong_words(void)
{
    bool arguments = false;
    for (int f = 0; f < flags_count; f++) arguments = arguments || flags[f].argument;
    wrong("--nonsense", "--nonsense", NULL);
    wrong("--nonsense", "--nonsense=3", NULL);
    wrong("--nonsense", "--help", "--nonsense");
    wrong("--", "--", NULL);
    wrong("-x", "-x", NULL);
    wrong("-hx", "-hx", NULL);
    if (!arguments) wrong("nonsense", "nonsense", NULL);
    else wrong("nonsense", "nonsense", "nonsense");
    for (int f = 0; f < flags_count; f++) one_flag(&flags[f]);
}

// ---- paths

// A place in a file, one in a folder that does not exist, and none.
static void places_that_are_none(void)
{
    make_file(path_to("file"), "kept");
    for (int f = 0; f < flags_count; f++) {
        bool is_folder = is_kind(&flags[f], "folder");
        if (!is_folder && !is_output(&flags[f])) continue;
        const char *dashed = arena_format(arena, "--%s", flags[f].name);
        refused_at_once(program.trouble, "empty", said(dashed, "", NULL, NULL));
        refused_at_once(program.trouble, path_to("file"), said(dashed, path_to("file/x.png"), NULL, NULL));
        if (!is_folder)
            refused_at_once(program.trouble, path_to("none"), said(dashed, path_to("none/x.png"), NULL, NULL));
    }
    pass_if(entries_in(folder) == 1, "bad places", "something was left behind");
    empty_folder(folder);
}

// ---- the whole

// A chapter. WORK has its flags for less to do.
static Program chapter(void)
{
    Program c = { .name = name, .trouble = 1, .slow = true };
    c.program = arena_format(arena, "chapters/%s", name);
    c.source = arena_format(arena, "chapters/%s/main.c", name);
    char *work = arena_format(arena, "%s", getenv("WORK") ? getenv("WORK") : "");
    int words = 0;
    for (char *word = strtok(work, " "); word; word = strtok(NULL, " ")) c.work[words++] = word;
    return c;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: flags BUILD PROGRAM\n");
        return 2;
    }
    arena = arena_open();
    name = argv[2];
    char place[] = "/tmp/manyheads-flags-XXXXXX";
    folder = mkdtemp(place);
    if (!folder) {
        perror(place);
        return 2;
    }
    scratch = arena_format(arena, "%s.scratch", folder);
    program = chapter();
    for (size_t o = 0; o < sizeof others / sizeof *others; o++)
        if (!strcmp(others[o].name, name)) program = others[o];
    program_path = arena_format(arena, "%s/%s", argv[1], program.program);
    read_table(program.source);
    if (program.slow) read_table("lib/lesson/lesson_flags.c");

    help();
    wrong_words();
    places_that_are_none();
    empty_folder(folder);
    empty_folder(scratch);
    rmdir(folder);
    rmdir(scratch);
    printf("%d %d\n", passed, failed);
    arena_close(arena);
    return failed > 0;
}
