// Runs every suite. `suites [NAME …]` runs only the suites of these names. CK_FORK=no runs them in this process, and
// CK_RUN_CASE=test runs one test. A test may take five minutes, not Check's four seconds: a busy machine is no failure.
#include "base/threads.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUITE(name) Suite *name(void);
#include "suites.inc"
#undef SUITE

// Suites that are functions, besides those whose tests register themselves.
static const struct {
    const char *name;
    Suite *(*make)(void);
} functions[] = {
#define SUITE(name) { #name, name },
#include "suites.inc"
#undef SUITE
    { NULL, NULL },
};

// ---- what tests register

static SuiteTest *tests, **tests_end = &tests;
static SuiteFixture *fixtures;

// tests/io/test_npy.c is npy, and so is npy_suite.
static void suite_name(char name[64], const char *of)
{
    const char *base = strrchr(of, '/');
    base = base ? base + 1 : of;
    if (!strncmp(base, "test_", 5)) base += 5;
    const char *end = strrchr(base, '.');
    if (!end) end = strstr(base, "_suite");
    snprintf(name, 64, "%.*s", (int)(end ? end - base : 63), base);
}

void suite_add_test(SuiteTest *test)
{
    suite_name(test->suite, test->file);
    *tests_end = test;
    tests_end = &test->next;
}

void suite_add_fixture(SuiteFixture *fixture)
{
    fixture->next = fixtures;
    fixtures = fixture;
}

Arena *arena;
Random random_state;

static void setup(void)
{
    arena = arena_open();
    random_state = random_from(1);
}

static void teardown(void)
{
    arena_close(arena);
    threads_set(0);
}

// ---- running

static int wanted(const char *name, int argc, char **argv)
{
    for (int a = 1; a < argc; a++)
        if (!strcmp(argv[a], name)) return 1;
    return argc < 2;
}

// The suite of all tests in the file of `first`, each a case of its own.
static Suite *suite_of(const SuiteTest *first)
{
    Suite *suite = suite_create(first->suite);
    for (const SuiteTest *t = first; t && !strcmp(t->file, first->file); t = t->next) {
        TCase *one = tcase_create(t->test->name);
        tcase_add_checked_fixture(one, setup, teardown);
        for (const SuiteFixture *f = fixtures; f; f = f->next)
            if (!strcmp(f->file, t->file)) tcase_add_checked_fixture(one, f->setup, f->teardown);
        _tcase_add_test(one, t->test, t->signal, t->status, 0, t->count);
        suite_add_tcase(suite, one);
    }
    return suite;
}

int main(int argc, char **argv)
{
    char name[64];
    setenv("CK_DEFAULT_TIMEOUT", "300", 0);
    SRunner *runner = srunner_create(NULL);
    int found = 0;
    const char *last = "";
    for (const SuiteTest *t = tests; t; last = t->file, t = t->next) {
        if (!strcmp(t->file, last) || !wanted(t->suite, argc, argv)) continue;
        srunner_add_suite(runner, suite_of(t));
        found++;
    }
    for (int f = 0; functions[f].name; f++) {
        suite_name(name, functions[f].name);
        if (!wanted(name, argc, argv)) continue;
        srunner_add_suite(runner, functions[f].make());
        found++;
    }
    if (!found) {
        fprintf(stderr, "suites: no suite of that name; there are:");
        last = "";
        for (const SuiteTest *t = tests; t; last = t->file, t = t->next)
            if (strcmp(t->file, last) != 0) fprintf(stderr, " %s", t->suite);
        for (int f = 0; functions[f].name; f++) {
            suite_name(name, functions[f].name);
            fprintf(stderr, " %s", name);
        }
        fputc('\n', stderr);
        return 2;
    }
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
