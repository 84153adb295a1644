// One table of flags: for reading them, and for --help.
#include "judge/options.h"

#include "attention/kernels.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    enum { TEXT, COUNT, REAL, SWITCH } kind;
    size_t      value, given;                        // where in Options; given: of a REAL, 0 for none
    int         least;                               // of a COUNT
    const char *example, *meaning;                   // meaning: lines
} Flag;

#define AT(field) offsetof(Options, field)

static const Flag flags[] = {
    { "q", TEXT, AT(q), 0, 0, "FILE.npy", "queries" },
    { "k", TEXT, AT(k), 0, 0, "FILE.npy", "keys" },
    { "v", TEXT, AT(v), 0, 0, "FILE.npy", "values" },
    { "heads", COUNT, AT(heads), 0, 1, "H", "query heads" },
    { "kv-heads", COUNT, AT(kv_heads), 0, 1, "G",
      "key and value heads; must divide H (default: H)\nquery head h reads key head h / (H / G)" },
    { "layout", TEXT, AT(layout), 0, 0, "AXES",
      "the axes in their order: one of T,Hd  H,T,d  T,H,d  B,T,Hd\n"
      "B,H,T,d  B,T,H,d (default: told from the shapes, H and G)" },
    { "causal", SWITCH, AT(causal), 0, 0, NULL, "key j is hidden from query i when j > p" },
    { "window", COUNT, AT(window), 0, 1, "W",
      "keys W or more away are hidden: with --causal the keys\n"
      "p − W + 1 … p remain, without it p − W + 1 … p + W − 1" },
    { "sinks", COUNT, AT(sinks), 0, 0, "N", "with --window: the first N keys stay in sight" },
    { "alibi", SWITCH, AT(alibi), 0, 0, NULL, "−2^(−8 (h + 1) / H) · |p − j| is added to a score of head h" },
    { "scale", REAL, AT(scale), AT(has_scale), 0, "X", "what q · k is multiplied with (default: 1/√d)" },
    { "key-lengths", TEXT, AT(lengths), 0, 0, "FILE.npy",
      "(B) whole numbers: sequence b has that many keys, the\nothers are filler and hidden; p does not change" },
    { "kernel", TEXT, AT(kernel), 0, 0, "NAME", "what computes (default: float64)" },
    { "out", TEXT, AT(out), 0, 0, "FILE.npy", "write the output, in the layout of q" },
    { "weights", TEXT, AT(weights), 0, 0, "FILE.npy", "write the weights, (B, H, T, S), or (H, T, S) if q has no B" },
    { "lse", TEXT, AT(lse), 0, 0, "FILE.npy", "write log Σ exp(score), (B, H, T), or (H, T) if q has no B" },
    { "compare", TEXT, AT(compare), 0, 0, "FILE.npy", "your output, in one of the layouts" },
    { "compare-weights", TEXT, AT(compare_weights), 0, 0, "FILE.npy", "your weights, shaped as --weights writes them" },
    { "compare-lse", TEXT, AT(compare_lse), 0, 0, "FILE.npy", "your logsumexp, shaped as --lse writes it" },
    { "rtol", REAL, AT(rtol), AT(has_rtol), 0, "R", "yours may be off by A + R · |ours|" },
    { "atol", REAL, AT(atol), AT(has_atol), 0, "A",
      "(default: R 1e-4, A 1e-5; R 1e-2, A 1e-3 where your file is\nfloat16)" },
    { "help", SWITCH, AT(help), 0, 0, NULL, "this text" },
};
enum { FLAGS = sizeof flags / sizeof *flags };

// ---- reading

static bool set_count(int *value, const Flag *flag, const char *word, Error *error)
{
    char *end;
    errno = 0;
    long number = strtol(word, &end, 10);
    if (end != word && !*end && !errno && number >= flag->least && number <= INT_MAX / 4) {
        *value = (int)number;
        return true;
    }
    return error_set(error, "--%s: found \"%.60s\"; a whole number from %d to %d is needed", flag->name, word,
                     flag->least, INT_MAX / 4);
}

static bool set_real(double *value, const Flag *flag, const char *word, Error *error)
{
    char *end;
    double number = strtod(word, &end);
    bool may_be_negative = !strcmp(flag->name, "scale");
    if (end != word && !*end && isfinite(number) && (number >= 0 || may_be_negative)) {
        *value = number;
        return true;
    }
    return error_set(error, "--%s: found \"%.60s\"; a number%s is needed", flag->name, word,
                     may_be_negative ? "" : " of 0 or more");
}

static bool set_value(Options *options, const Flag *flag, const char *word, Error *error)
{
    char *at = (char *)options + flag->value;
    if (flag->given) *(bool *)((char *)options + flag->given) = true;
    switch (flag->kind) {
    case TEXT:   *(const char **)at = word; return true;
    case SWITCH: *(bool *)at = true; return true;
    case COUNT:  return set_count((int *)at, flag, word, error);
    case REAL:   return set_real((double *)at, flag, word, error);
    }
    return false;
}

static const Flag *flag_named(const char *name, size_t length)
{
    for (int f = 0; f < FLAGS; f++)
        if (strlen(flags[f].name) == length && !strncmp(flags[f].name, name, length)) return &flags[f];
    return NULL;
}

// --name value, --name=value, or --name alone for a switch; each at most once.
static bool read_words(Options *options, int argc, char **argv, Error *error)
{
    bool seen[FLAGS] = { false };
    for (int a = 1; a < argc; a++) {
        const char *word = argv[a], *equals = strchr(word, '=');
        if (strncmp(word, "--", 2))
            return error_set(error, "found \"%.60s\"; flags begin with two dashes (--help lists them)", word);
        const Flag *flag = flag_named(word + 2, equals ? (size_t)(equals - word) - 2 : strlen(word + 2));
        if (!flag) return error_set(error, "there is no flag %.60s (--help lists them)", word);
        if (seen[flag - flags]) return error_set(error, "--%s is given twice", flag->name);
        seen[flag - flags] = true;

        if (flag->kind == SWITCH && equals) return error_set(error, "--%s takes no value", flag->name);
        const char *value = equals ? equals + 1 : NULL;
        if (flag->kind != SWITCH && !equals) {
            if (a + 1 >= argc || !strncmp(argv[a + 1], "--", 2))
                return error_set(error, "--%s needs a value (--help lists the flags)", flag->name);
            value = argv[++a];
        }
        if (!set_value(options, flag, value, error)) return false;
    }
    return true;
}

// Two results must not be written to one file, nor a result over what is read.
static bool outputs_differ(const Options *o, Error *error)
{
    enum { OUTPUTS = 3, ALL = 10 };
    const char *const names[ALL] = { "out", "weights", "lse", "q", "k", "v", "key-lengths", "compare",
                                     "compare-weights", "compare-lse" };
    const char *const paths[ALL] = { o->out, o->weights, o->lse, o->q, o->k, o->v, o->lengths, o->compare,
                                     o->compare_weights, o->compare_lse };
    for (int a = 0; a < OUTPUTS; a++)
        for (int b = a + 1; b < ALL; b++)
            if (paths[a] && paths[b] && !strcmp(paths[a], paths[b]))
                return error_set(error, "--%s and --%s both name %s%s", names[a], names[b], paths[a],
                                 b < OUTPUTS ? "" : ", which would be lost");
    return true;
}

static bool known_kernel(const char *name, Error *error)
{
    char list[300] = "float64";
    if (!strcmp(name, "float64") || attention_kernel(name)) return true;
    for (int i = 0; i < attention_kernels_count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), ", %s", attention_kernels[i].name);
    return error_set(error, "--kernel: there is no kernel \"%.60s\"; there are: %s", name, list);
}

bool options_read(Options *options, int argc, char **argv, Error *error)
{
    *options = (Options){ 0 };
    Options *o = options;
    if (!read_words(o, argc, argv, error)) return false;
    if (o->help) return true;

    const char *missing = !o->q ? "q" : !o->k ? "k" : !o->v ? "v" : !o->heads ? "heads" : NULL;
    if (missing) return error_set(error, "--%s is missing (--help lists the flags)", missing);
    if (!o->kv_heads) o->kv_heads = o->heads;
    if (!o->kernel) o->kernel = "float64";
    if (o->heads % o->kv_heads)
        return error_set(error, "--heads %d is not divisible by --kv-heads %d: every key head needs as many query "
                         "heads", o->heads, o->kv_heads);
    if (o->sinks && !o->window)
        return error_set(error, "--sinks %d needs --window: without one the first keys are in sight anyway", o->sinks);
    if (!known_kernel(o->kernel, error)) return false;
    bool compares = o->compare || o->compare_weights || o->compare_lse;
    if ((o->has_rtol || o->has_atol) && !compares)
        return error_set(error, "--%s needs --compare: nothing is compared", o->has_rtol ? "rtol" : "atol");
    if (!compares && !o->out && !o->weights && !o->lse)
        return error_set(error, "there is nothing to do: give --compare, --out, --weights or --lse");
    return outputs_differ(o, error);
}

// ---- --help

static int columns_of(const char *text)
{
    int columns = 0;
    for (; *text; text++) columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

static void print_flag(const Flag *flag)
{
    enum { LEFT = 19 };
    char head[80];
    snprintf(head, sizeof head, "  --%s%s%s", flag->name, flag->example ? " " : "", flag->example ? flag->example : "");
    int column = printf("%s", head);
    if (column >= LEFT) column = printf("\n") - 1;
    for (const char *line = flag->meaning; *line;) {
        int length = (int)strcspn(line, "\n");
        printf("%*s%.*s\n", LEFT - column, "", length, line);
        column = 0;
        line += length + (line[length] == '\n');
    }
}

void options_help(void)
{
    printf("attend: is your attention right?\n\n"
           "usage: attend --q q.npy --k k.npy --v v.npy --heads H [--compare yours.npy] …\n\n"
           "Computes softmax(q kᵀ / √d + mask) v in float64, compares your result with it,\n"
           "and looks for the mistake that gives your numbers. Arrays are float16, float32\n"
           "or float64: q holds T queries for each of H heads of width d, k and v hold S\n"
           "keys and values for each of G heads; values may be of another width. Query i\n"
           "stands at position p = i + S − T among the keys, so the last query stands at\n"
           "the last key. A query that sees no key gets 0.\n\n");
    for (int f = 0; f < FLAGS; f++) print_flag(&flags[f]);
    printf("\nkernels: float64 (own loops, from the definition)");
    int column = columns_of("kernels: float64 (own loops, from the definition)");
    for (int i = 0; i < attention_kernels_count; i++) {
        const char *name = attention_kernels[i].name;
        bool wraps = column + 2 + columns_of(name) > 79;
        column = (wraps ? 9 : column + 2) + columns_of(name);
        printf(wraps ? ",\n         %s" : ", %s", name);
    }
    printf("\n\nexit status: 0 when all is within tolerance, or nothing was compared; 1 when\n"
           "something is not; 2 for a wrong flag, bad data, or a result that cannot be\n"
           "written\n");
}
