// A command line: one table of flags, from which it is read, its paths are held against each other, and --help is made.
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
// Exit statuses, the same in every program: 0 after --help and --version, 2 for wrong words, 1 for trouble with files, also when what
// is printed cannot be written. (attend says 2 for trouble, too; its 1 is a verdict.)
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
    const char *name;              // without the two dashes; of an argument as usage has it: FILE
    const char *example, *meaning; // for --help
    union {
        bool *on;
        const char **text;
        int *number;
        uint64_t *seed;
        double *real;
        float *narrow;
    } to;
    double least, most;       // of numbers, ends included
    const char *const *names; // of a choice, up to a NULL
    bool *given;              // NULL: nobody asks
    bool argument, needed;
} Flag;

// What a flag says goes to where it points, which holds the default until then. A meaning is wrapped; it may hold line
// ends of its own. Kinds of text, for which NULL means that nothing was said:
Flag flag_text(const char *name, const char **to, const char *example, const char *meaning);
Flag flag_input(const char *name, const char **to, const char *example, const char *meaning);  // a file that is read
Flag flag_output(const char *name, const char **to, const char *example, const char *meaning); // one that is written
Flag flag_folder(const char *name, const char **to, const char *example, const char *meaning); // is written into

// Numbers, from `least` to `most`. One that is not 0 and would become 0 is refused, too.
Flag flag_count(const char *name, int *to, int least, int most, const char *example, const char *meaning);
Flag flag_seed(const char *name, uint64_t *to, const char *example, const char *meaning);
Flag flag_real(const char *name, double *to, double least, double most, const char *example, const char *meaning);
Flag flag_float(const char *name, float *to, float least, float most, const char *example, const char *meaning);

// The place in `names` of the one that was chosen. Without an example the names stand in its place, else behind the
// meaning.
Flag flag_choice(const char *name, int *to, const char *const *names, const char *example, const char *meaning);

Flag flag_switch(const char *name, bool *to, const char *meaning); // true when it is there; takes no value
Flag flag_heading(const char *words);                              // in --help, above the flags that follow
Flag flag_argument(Flag flag);                                     // a word without dashes, by its place
Flag flag_needed(Flag flag);                                       // must be given
Flag flag_given(Flag flag, bool *given);                           // true afterwards when it was

// A program's table. --help, -h and --version belong to every program: they need no line in it and are listed last.
typedef struct {
    const char *above, *below; // of --help: what the program does, usage; NULL: nothing more is said
    int column;                // in which meanings begin
    const Flag *flags;
    int count;
} Flags;

typedef enum { FLAGS_FINE, FLAGS_HELP, FLAGS_WRONG, FLAGS_TROUBLE } FlagsRead;

// Reads `--name value`, `--name=value`, `--name` of a switch, each at most once, and arguments. Then, so that no work
// ends in the loss of what it was for: no output may be another output or an input, folders are made, and every output
// and folder is tried (file_may_write). FLAGS_WRONG, FLAGS_TROUBLE: one sentence in `error`. FLAGS_HELP: the list or the
// version has been printed, since --help or --version was given and no word was wrong; paths are not checked then.
//
// Also sees to it that a limit to the size of files is an error and not the program's end, and that no file is opened
// in the place of a standard stream that is closed.
FlagsRead flags_read(const Flags *flags, int argc, char **argv, Error *error);

// The sentence on stderr, behind the program's name. Answers the exit status.
int flags_exit(FlagsRead read, const char *program, const Error *error);

// Has all that was printed reached stdout? To be asked before a program ends with 0.
bool flags_printed(Error *error);

char *flags_help(Arena *arena, const Flags *flags); // flags_help.c: the list, 80 columns wide

#endif
