// Command lines. One table of flags defines parsing, the checks of paths, and the text of --help.
//
//     int heads = 4;
//     const char *out = NULL;
//     const Flag flags[] = {
//         flag_count("heads", &heads, 1, 16, "H", "query heads (default 4)"),
//         flag_output("out", &out, "FILE.npy", "write the output"),
//     };
//     FlagsRead read = flags_read(&(Flags){ "usage: …\n", NULL, 20, flags, 2 }, argc, argv, &error);
//     if (read != FLAGS_FINE) return flags_exit(read, "program", &error);
//
// Exit statuses of all programs: 0 after --help and --version, 2 for a wrong command line, 1 for file errors and for
// lost output. (attend returns 2 for file errors too; its 1 is a verdict.)
#ifndef IO_FLAGS_H
#define IO_FLAGS_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    FLAG_SWITCH,
    FLAG_TEXT,
    FLAG_INPUT,
    FLAG_OUTPUT,
    FLAG_FOLDER,
    FLAG_COUNT,
    FLAG_SEED,
    FLAG_REAL,
    FLAG_FLOAT,
    FLAG_CHOICE,
    FLAG_HEADING
} FlagKind;

typedef struct {
    FlagKind kind;
    const char *name;              // without the dashes; of an argument as in usage: FILE
    const char *example, *meaning; // for --help
    union {
        bool *on;
        const char **text;
        int *number;
        uint64_t *seed;
        double *real;
        float *narrow;
    } to;
    double least, most;       // of numbers, inclusive
    const char *const *names; // of a choice, NULL-terminated
    bool *given;              // may be NULL
    bool argument, needed;
} Flag;

// The value is stored in *to, which holds the default before. `meaning` is wrapped in --help and may contain line ends.
// Flags with a text, whose default NULL means "not given":
Flag flag_text(const char *name, const char **to, const char *example, const char *meaning);
Flag flag_input(const char *name, const char **to, const char *example, const char *meaning);  // a file to read
Flag flag_output(const char *name, const char **to, const char *example, const char *meaning); // a file to write
Flag flag_folder(const char *name, const char **to, const char *example, const char *meaning); // a folder to write into

// Numbers from `least` to `most`. A nonzero number that would underflow to 0 is an error.
Flag flag_count(const char *name, int *to, int least, int most, const char *example, const char *meaning);
Flag flag_seed(const char *name, uint64_t *to, const char *example, const char *meaning);
Flag flag_real(const char *name, double *to, double least, double most, const char *example, const char *meaning);
Flag flag_float(const char *name, float *to, float least, float most, const char *example, const char *meaning);

// Stores the index of the chosen name. --help lists the names in place of the example, or after the meaning if there is
// an example.
Flag flag_choice(const char *name, int *to, const char *const *names, const char *example, const char *meaning);

Flag flag_switch(const char *name, bool *to, const char *meaning); // true if given; takes no value
Flag flag_heading(const char *words);                              // a heading in --help
Flag flag_argument(Flag flag);                                     // a positional argument
Flag flag_needed(Flag flag);                                       // required
Flag flag_given(Flag flag, bool *given);                           // sets *given to true if the flag was given

// The flags of a program. --help, -h and --version are added automatically and are listed last.
typedef struct {
    const char *above, *below; // text of --help before and after the list; may be NULL
    int column;                // column of the meanings in --help
    const Flag *flags;
    int count;
} Flags;

typedef enum { FLAGS_FINE, FLAGS_HELP, FLAGS_WRONG, FLAGS_TROUBLE } FlagsRead;

// Parses `--name value`, `--name=value`, `--name` of a switch, each at most once, and arguments. Then checks the paths,
// so that no result is lost after the work: an output must not be another output or an input; folders are created;
// every output and folder is tested (file_may_write). FLAGS_WRONG, FLAGS_TROUBLE: `error` holds the message.
// FLAGS_HELP: --help or --version was given without a wrong flag, and the text has been printed; paths are not checked.
//
// Calls os_begin (base/os.h), so exceeding the file-size limit is an error, and files do not get the descriptors of
// closed standard streams.
FlagsRead flags_read(const Flags *flags, int argc, char **argv, Error *error);

// Prints the message on stderr after the program's name. Returns the exit status.
int flags_exit(FlagsRead read, const char *program, const Error *error);

// Has everything that was printed reached stdout? Call it before exiting with 0.
bool flags_printed(Error *error);

char *flags_help(Arena *arena, const Flags *flags); // flags_help.c: the text of --help, 80 columns wide

#endif
