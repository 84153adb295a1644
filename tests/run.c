// Runs every suite. `suites [NAME …]` runs only the suites of these names. CK_FORK=no runs them in this process.
// A test that sets no limit may take a minute, not Check's four seconds: a busy machine is no failure.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUITE(name) Suite *name(void);
#include "suites.inc"
#undef SUITE

typedef struct {
    const char *name;
    Suite *(*make)(void);
} Entry;

static const Entry entries[] = {
#define SUITE(name) { #name, name },
#include "suites.inc"
#undef SUITE
};

static int wanted(const char *name, int argc, char **argv)
{
    size_t length = strlen(name) - strlen("_suite");
    for (int a = 1; a < argc; a++)
        if (strlen(argv[a]) == length && !strncmp(argv[a], name, length)) return 1;
    return argc < 2;
}

int main(int argc, char **argv)
{
    setenv("CK_DEFAULT_TIMEOUT", "60", 0);
    SRunner *runner = NULL;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (!wanted(entries[i].name, argc, argv)) continue;
        if (runner) srunner_add_suite(runner, entries[i].make());
        else runner = srunner_create(entries[i].make());
    }
    if (!runner) {
        fprintf(stderr, "suites: no suite of that name; there are:");
        for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
            fprintf(stderr, " %.*s", (int)(strlen(entries[i].name) - strlen("_suite")), entries[i].name);
        fputc('\n', stderr);
        return 2;
    }
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
