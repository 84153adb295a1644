// Parses command lines by a table of flags, and checks input and output paths against each other before the work
// starts.
#include "io/flags.h"

#include "base/os.h"
#include "base/portable_math.h"
#include "base/version.h"
#include "io/file.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- constructors of flags

static Flag text_of(FlagKind kind, const char *name, const char **to, const char *example, const char *meaning)
{
    return (Flag){ .kind = kind, .name = name, .to.text = to, .example = example, .meaning = meaning };
}

Flag flag_text(const char *name, const char **to, const char *example, const char *meaning)
{
    return text_of(FLAG_TEXT, name, to, example, meaning);
}

Flag flag_input(const char *name, const char **to, const char *example, const char *meaning)
{
    return text_of(FLAG_INPUT, name, to, example, meaning);
}

Flag flag_output(const char *name, const char **to, const char *example, const char *meaning)
{
    return text_of(FLAG_OUTPUT, name, to, example, meaning);
}

Flag flag_folder(const char *name, const char **to, const char *example, const char *meaning)
{
    return text_of(FLAG_FOLDER, name, to, example, meaning);
}

Flag flag_count(const char *name, int *to, int least, int most, const char *example, const char *meaning)
{
    return (Flag){ .kind = FLAG_COUNT,
                   .name = name,
                   .to.number = to,
                   .least = least,
                   .most = most,
                   .example = example,
                   .meaning = meaning };
}

Flag flag_seed(const char *name, uint64_t *to, const char *example, const char *meaning)
{
    return (Flag){ .kind = FLAG_SEED, .name = name, .to.seed = to, .example = example, .meaning = meaning };
}

Flag flag_real(const char *name, double *to, double least, double most, const char *example, const char *meaning)
{
    return (Flag){ .kind = FLAG_REAL,
                   .name = name,
                   .to.real = to,
                   .least = least,
                   .most = most,
                   .example = example,
                   .meaning = meaning };
}

Flag flag_float(const char *name, float *to, float least, float most, const char *example, const char *meaning)
{
    return (Flag){ .kind = FLAG_FLOAT,
                   .name = name,
                   .to.narrow = to,
                   .least = (double)least,
                   .most = (double)most,
                   .example = example,
                   .meaning = meaning };
}

Flag flag_choice(const char *name, int *to, const char *const *names, const char *example, const char *meaning)
{
    return (Flag){
        .kind = FLAG_CHOICE, .name = name, .to.number = to, .names = names, .example = example, .meaning = meaning
    };
}

Flag flag_switch(const char *name, bool *to, const char *meaning)
{
    return (Flag){ .kind = FLAG_SWITCH, .name = name, .to.on = to, .meaning = meaning };
}

Flag flag_heading(const char *words) { return (Flag){ .kind = FLAG_HEADING, .name = words }; }

Flag flag_argument(Flag flag)
{
    flag.argument = true;
    return flag;
}

Flag flag_needed(Flag flag)
{
    flag.needed = true;
    return flag;
}

Flag flag_given(Flag flag, bool *given)
{
    flag.given = given;
    return flag;
}

// ---- parts of error messages

typedef struct {
    char text[64];
} Word;

// An excerpt of what was typed: at most 60 bytes, whole UTF-8 characters, control characters as spaces.
static Word word_shown(const char *typed)
{
    enum { MOST = 60 };
    Word word;
    int bytes = 0;
    for (; typed[bytes] && bytes < MOST; bytes++)
        word.text[bytes] = (unsigned char)typed[bytes] < ' ' ? ' ' : typed[bytes];
    while (bytes > 0 && ((unsigned char)typed[bytes] & 0xC0) == 0x80) bytes--;
    word.text[bytes] = 0;
    return word;
}

// The name of a flag, "--heads", or of an argument, "FILE".
static Word word_of(const Flag *flag)
{
    Word word;
    snprintf(word.text, sizeof word.text, "%s%s", flag->argument ? "" : "--", flag->name);
    return word;
}

// "a, b or c".
static const char *names_listed(char *list, size_t capacity, const char *const *names)
{
    list[0] = 0;
    for (int n = 0; names[n]; n++) {
        size_t used = strlen(list);
        const char *between = n == 0 ? "" : names[n + 1] ? ", " : " or ";
        snprintf(list + used, capacity - used, "%s%s", between, names[n]);
    }
    return list;
}

static bool number_wrong(const Flag *flag, const char *typed, Error *error)
{
    Word found = word_shown(typed), name = word_of(flag);
    const char *kind = flag->kind == FLAG_COUNT ? "whole " : "";
    if (flag->most < DBL_MAX)
        return error_set(error, "%s: found \"%s\"; a %snumber from %.10g to %.10g is needed", name.text, found.text,
                         kind, flag->least, flag->most);
    if (flag->least > -DBL_MAX)
        return error_set(error, "%s: found \"%s\"; a number of %.10g or more is needed", name.text, found.text,
                         flag->least);
    return error_set(error, "%s: found \"%s\"; a number is needed", name.text, found.text);
}

// ---- values

static bool set_count(const Flag *flag, const char *typed, Error *error)
{
    char *end;
    errno = 0;
    long number = strtol(typed, &end, 10);
    bool whole = end != typed && !typed[strspn(typed, "+-0123456789")] && !*end && !errno;
    if (!whole || (double)number < flag->least || (double)number > flag->most) return number_wrong(flag, typed, error);
    *flag->to.number = (int)number;
    return true;
}

static bool set_seed(const Flag *flag, const char *typed, Error *error)
{
    errno = 0;
    unsigned long long number = strtoull(typed, NULL, 10);
    if (*typed && !typed[strspn(typed, "0123456789")] && !errno) {
        *flag->to.seed = number;
        return true;
    }
    return error_set(error, "--%s: found \"%s\"; a whole number from 0 to 18446744073709551615 is needed", flag->name,
                     word_shown(typed).text);
}

// A finite decimal number. A nonzero number that underflows to 0 or to a subnormal is an error.
static bool set_real(const Flag *flag, const char *typed, Error *error)
{
    char *end;
    double number = strtod(typed, &end), smallest = flag->kind == FLAG_FLOAT ? (double)FLT_MIN : DBL_MIN;
    bool decimal = end != typed && !*end && !typed[strspn(typed, "+-.0123456789eE")];
    if (!decimal || !(number >= flag->least && number <= flag->most)) return number_wrong(flag, typed, error);
    bool zero = strcspn(typed, "123456789") >= strcspn(typed, "eE");
    if (!zero && fabs(number) < smallest)
        return error_set(error, "--%s: found \"%s\", which would become 0; write 0, or a number of %.3g or more",
                         flag->name, word_shown(typed).text, smallest);
    if (flag->kind == FLAG_FLOAT) *flag->to.narrow = (float)number;
    else *flag->to.real = number;
    return true;
}

static bool set_choice(const Flag *flag, const char *typed, Error *error)
{
    char list[512];
    for (int n = 0; flag->names[n]; n++)
        if (!strcmp(flag->names[n], typed)) {
            *flag->to.number = n;
            return true;
        }
    return error_set(error, "%s: found \"%s\"; it must be %s", word_of(flag).text, word_shown(typed).text,
                     names_listed(list, sizeof list, flag->names));
}

static bool set_value(const Flag *flag, const char *typed, Error *error)
{
    if (flag->given) *flag->given = true;
    switch (flag->kind) {
    case FLAG_SWITCH: *flag->to.on = true; return true;
    case FLAG_INPUT:
    case FLAG_OUTPUT:
    case FLAG_FOLDER:
        os_slashes((char *)typed);
        *flag->to.text = typed;
        return true;
    case FLAG_TEXT: *flag->to.text = typed; return true;
    case FLAG_COUNT: return set_count(flag, typed, error);
    case FLAG_SEED: return set_seed(flag, typed, error);
    case FLAG_REAL:
    case FLAG_FLOAT: return set_real(flag, typed, error);
    case FLAG_CHOICE: return set_choice(flag, typed, error);
    case FLAG_HEADING: break;
    }
    return false;
}

// ---- parsing the arguments

typedef struct {
    const Flag *flags;
    int count;
    bool *seen;
} Reading;

// Index of the flag with this name; −1: none.
static int flag_named(const Reading *r, const char *name, size_t length)
{
    for (int f = 0; f < r->count; f++) {
        const Flag *flag = &r->flags[f];
        bool takes_name = flag->kind != FLAG_HEADING && !flag->argument;
        if (takes_name && strlen(flag->name) == length && !strncmp(flag->name, name, length)) return f;
    }
    return -1;
}

// Positional arguments fill their flags in order.
static bool read_argument(Reading *r, const char *word, Error *error)
{
    const Flag *last = NULL;
    for (int f = 0; f < r->count; f++) {
        if (!r->flags[f].argument) continue;
        last = &r->flags[f];
        if (r->seen[f]) continue;
        r->seen[f] = true;
        return set_value(last, word, error);
    }
    if (last)
        return error_set(error, "found \"%s\" after %s, which was given before (--help lists the flags)",
                         word_shown(word).text, last->name);
    return error_set(error, "found \"%s\"; flags begin with two dashes (--help lists them)", word_shown(word).text);
}

// Parses the flag at `word`. Returns the number of words consumed (1 or 2), or 0 on an error.
static int read_flag(Reading *r, const char *word, const char *next, Error *error)
{
    size_t length = strcspn(word + 2, "=");
    const char *value = word[2 + length] ? word + 2 + length + 1 : NULL;
    int f = flag_named(r, word + 2, length), words = 1;
    if (f < 0) {
        Word name = word_shown(word + 2);
        error_set(error, "there is no flag --%.*s (--help lists them)", (int)strcspn(name.text, "="), name.text);
        return 0;
    }
    const char *name = r->flags[f].name;
    bool is_switch = r->flags[f].kind == FLAG_SWITCH;
    if (!is_switch && !value && next && strncmp(next, "--", 2)) {
        value = next;
        words = 2;
    }
    bool ok = true;
    if (r->seen[f]) ok = error_set(error, "--%s is given twice", name);
    else if (is_switch && value) ok = error_set(error, "--%s takes no value", name);
    else if (!is_switch && !value) ok = error_set(error, "--%s needs a value (--help lists the flags)", name);
    r->seen[f] = true;
    return ok && set_value(&r->flags[f], value, error) ? words : 0;
}

static bool read_words(Reading *r, int argc, char **argv, Error *error)
{
    for (int a = 1; a < argc;) {
        const char *word = strcmp(argv[a], "-h") ? argv[a] : "--help", *next = a + 1 < argc ? argv[a + 1] : NULL;
        int words = 1;
        if (!strncmp(word, "--", 2)) words = read_flag(r, word, next, error);
        else if (*word == '-')
            return error_set(error, "found \"%s\"; flags begin with two dashes (--help lists them)",
                             word_shown(word).text);
        else if (!read_argument(r, word, error)) return false;
        if (!words) return false;
        a += words;
    }
    return true;
}

static bool check_needed(const Reading *r, Error *error)
{
    char list[512];
    for (int f = 0; f < r->count; f++) {
        const Flag *flag = &r->flags[f];
        if (!flag->needed || r->seen[f]) continue;
        if (flag->kind != FLAG_CHOICE)
            return error_set(error, "%s is missing (--help lists the flags)", word_of(flag).text);
        return error_set(error, "%s is missing; it must be %s (--help lists the flags)", word_of(flag).text,
                         names_listed(list, sizeof list, flag->names));
    }
    return true;
}

// ---- paths

static const char *path_of(const Flag *flag, FlagKind kind) { return flag->kind == kind ? *flag->to.text : NULL; }

// An output must be neither another output nor an input.
static bool output_differs(const Flags *flags, int out, Error *error)
{
    const Flag *flag = &flags->flags[out];
    const char *path = path_of(flag, FLAG_OUTPUT);
    if (!path) return true;
    for (int f = 0; f < flags->count; f++) {
        const Flag *other = &flags->flags[f];
        bool input = other->kind == FLAG_INPUT, later = other->kind == FLAG_OUTPUT && f > out;
        const char *other_path = input || later ? *other->to.text : NULL;
        if (other_path && file_same(path, other_path))
            return error_set(error, "%s %s and %s %s are one file, which would be lost", word_of(flag).text, path,
                             word_of(other).text, other_path);
    }
    return true;
}

static bool outputs_differ(const Flags *flags, Error *error)
{
    for (int f = 0; f < flags->count; f++)
        if (!output_differs(flags, f, error)) return false;
    return true;
}

// Prefixes the message with the name of the flag.
static bool prefix_flag(const Flag *flag, Error *error)
{
    Error what = *error;
    return error_set(error, "%s: %s", word_of(flag).text, what.text);
}

// Checks folders first: an output may be inside one of them.
static bool may_write_all(Arena *scratch, const Flags *flags, Error *error)
{
    for (int f = 0; f < flags->count; f++) {
        const char *folder = path_of(&flags->flags[f], FLAG_FOLDER);
        if (!folder) continue;
        bool ok =
            file_make_folder(folder, error) && file_may_write(arena_format(scratch, "%s/.manyheads", folder), error);
        if (!ok) return prefix_flag(&flags->flags[f], error);
    }
    for (int f = 0; f < flags->count; f++) {
        const char *path = path_of(&flags->flags[f], FLAG_OUTPUT);
        if (path && !file_may_write(path, error)) return prefix_flag(&flags->flags[f], error);
    }
    return true;
}

// ---- entry points

static FlagsRead print_about(const char *text, Error *error)
{
    fputs(text, stdout);
    return flags_printed(error) ? FLAGS_HELP : FLAGS_TROUBLE;
}

static FlagsRead read_all(Arena *scratch, const Flags *flags, int argc, char **argv, Error *error)
{
    bool help = false, version = false;
    Reading r = { .count = flags->count + 2 };
    Flag *all = arena_alloc(scratch, (size_t)r.count * sizeof *all);
    r.flags = all;
    r.seen = arena_alloc(scratch, (size_t)r.count * sizeof *r.seen);
    for (int f = 0; f < flags->count; f++) all[f] = flags->flags[f];
    all[flags->count] = flag_switch("help", &help, "");
    all[flags->count + 1] = flag_switch("version", &version, "");

    if (!read_words(&r, argc, argv, error)) return FLAGS_WRONG;
    if (help) return print_about(flags_help(scratch, flags), error);
    if (version) return print_about("manyheads " MANYHEADS_VERSION "\n", error);
    if (!check_needed(&r, error) || !outputs_differ(flags, error)) return FLAGS_WRONG;
    return may_write_all(scratch, flags, error) ? FLAGS_FINE : FLAGS_TROUBLE;
}

FlagsRead flags_read(const Flags *flags, int argc, char **argv, Error *error)
{
    os_begin();
    Arena *scratch = arena_open();
    FlagsRead read = read_all(scratch, flags, argc, argv, error);
    arena_close(scratch);
    return read;
}

int flags_exit(FlagsRead read, const char *program, const Error *error)
{
    if (read == FLAGS_HELP || read == FLAGS_FINE) return 0;
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", program, error->text);
    return read == FLAGS_WRONG ? 2 : 1;
}

bool flags_printed(Error *error)
{
    int why = fflush(stdout) ? errno : 0;
    if (!why && !ferror(stdout)) return true;
    return error_set(error, "the output cannot be written%s%s", why ? ": " : "", why ? strerror(why) : "");
}
