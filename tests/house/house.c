// Holds the house to its rules: `house FILE …`, from the root of the book. Exits 1 when a file breaks one.
//
// C, CUDA, shell, Python, texts and makefiles are looked at as lines, C as statements, and C and CUDA are held to the
// table of who includes whom, for which all of them must be named.
#include "house/rules.h"

#include "io/file.h"

#include <stdio.h>
#include <string.h>

static bool is_c(const char *path) { return house_ends(path, ".c") || house_ends(path, ".h"); }

static Source read_source(House *house, const char *path)
{
    Bytes file;
    Error error;
    if (file_read(&file, house->arena, path, &error)) return (Source){ path, (const char *)file.at };
    house_complain(house, path, 1, "%s", error.text);
    return (Source){ path, "" };
}

int main(int argc, char **argv)
{
    House house = { .arena = arena_open() };
    Source *sources = arena_alloc(house.arena, (size_t)argc * sizeof *sources);
    int count = 0;
    for (int a = 1; a < argc; a++) {
        Source source = read_source(&house, argv[a]);
        house_lines(&house, source);
        if (is_c(argv[a])) house_statements(&house, source);
        if (is_c(argv[a]) || house_ends(argv[a], ".cu") || house_ends(argv[a], ".cpp")) sources[count++] = source;
    }
    house_rooms(&house, sources, count);
    if (house.said) fputs(house.said, stdout);
    printf("house: %d files, %d problems\n", argc - 1, house.problems);
    int status = house.problems || argc < 2;
    arena_close(house.arena);
    return status;
}
