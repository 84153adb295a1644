// One WebAssembly program that is many: it is the one by whose name it was called, as build/chapters/06_multi_head. Its
// programs are those of PROGRAMS, which site.mk names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Program(int argc, char **argv);

#define PROGRAM(name) Program program_##name;
PROGRAMS
#undef PROGRAM

static const struct {
    const char *name;
    Program *run;
} programs[] = {
#define PROGRAM(name) { #name, program_##name },
    PROGRAMS
};

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++)
        if (!strcmp(programs[p].name, name)) exit(programs[p].run(argc, argv));
    fprintf(stderr, "%s: there is no such program in this book\n", name);
    return 2;
}
