// One run of a program in a folder of its own, with a call that fails, and what must hold of it. For fail.c.
#ifndef PROGRAMS_FAIL_RUN_H
#define PROGRAMS_FAIL_RUN_H

#include "io/file.h"

// How a program is called, in the folder that is given to it, and what it does that others do not.
typedef struct {
    const char *line;  // from BUILD on; @ is the root of the book
    int refusal;       // its exit status when something is wrong; 0: 1
    const char *state; // a file from which the next run goes on, and which stands only in between
    const char *tells; // what the lines begin with that it writes to stderr as it goes
    bool varies;       // it measures: no two runs write the same numbers
    bool ranks;        // its threads are ranks, without which it cannot go on
    bool slow;         // it takes seconds: left out of a sample that does not take all programs
} Program;

// What a run has left: the files of its folder by their names, what it said, how it ended (as waitpid says it).
typedef struct {
    const char *name;
    FileBytes bytes;
} Left;
typedef struct {
    Left *files;
    int count;
    FileBytes out, err;
    int status;
} Outcome;

// Where the books and the programs are, and what is loaded before a program.
typedef struct {
    const char *root, *build, *preload, *tmp;
} Place;

// Runs the program, in TMP/NAME, in which `before` stands (its names, with older contents; NULL: nothing). `fail` is as
// in failing.c; NULL: nothing fails. "space:KIB" is a limit to its memory. `report`: where the counts go, or NULL.
void outcome_of(Outcome *out, Arena *arena, const Place *place, const Program *program, const char *name,
                const Outcome *before, const char *fail, const char *report);

// A run of which a call fails (or none: "none:0"), and where needed another one in the same folder, which is removed
// then. NULL: all is as it must be; else what is not.
const char *outcome_fault(Arena *arena, const Place *place, const Program *program, const char *name,
                          const Outcome *clean, const char *fail, const char *report);

#endif
