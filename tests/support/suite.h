// How a test declares itself. A suite is a file tests/<part>/test_<name>.c, and tests/run.c runs every TEST in it.
//
//     TEST(name) { … }             one test
//     TEST_EACH(name, n) { … }     n tests; the index _i goes from 0 to n − 1
//     TEST_ABORTS(name, n) { … }   n tests, each of which must end by SIGABRT
//     TEST_EXITS(name, n, s) { … } n tests, each of which must end with exit status s
//
// Every test finds `arena` open and `random_state` started at 1: tests/run.c does both. FIXTURE(setup, teardown) runs
// more around each test of its file.
#ifndef SUPPORT_SUITE_H
#define SUPPORT_SUITE_H

#include "base/arena.h"
#include "base/random.h"

#include <check.h>
#include <signal.h>

typedef struct SuiteTest {
    const char *file;
    const TTest *test;
    int count, signal, status;
    char suite[64]; // set by suite_add_test
    struct SuiteTest *next;
} SuiteTest;
void suite_add_test(SuiteTest *test);

typedef struct SuiteFixture {
    const char *file;
    void (*setup)(void), (*teardown)(void);
    struct SuiteFixture *next;
} SuiteFixture;
void suite_add_fixture(SuiteFixture *fixture);

extern Arena *arena;
extern Random random_state;

// The test registers itself before main.
#define TEST_ENDS(name_, count_, signal_, status_) \
    static const TTest *name_; \
    __attribute__((constructor)) static void name_##_add(void) \
    { \
        static SuiteTest test; \
        test = (SuiteTest){ __FILE__, name_, (count_), (signal_), (status_), "", NULL }; \
        suite_add_test(&test); \
    } \
    START_TEST(name_)

#define TEST(name_)                        TEST_ENDS(name_, 1, 0, 0)
#define TEST_EACH(name_, count_)           TEST_ENDS(name_, count_, 0, 0)
#define TEST_ABORTS(name_, count_)         TEST_ENDS(name_, count_, SIGABRT, 0)
#define TEST_EXITS(name_, count_, status_) TEST_ENDS(name_, count_, 0, status_)

#define FIXTURE(setup_, teardown_) \
    __attribute__((constructor)) static void fixture_add(void) \
    { \
        static SuiteFixture fixture = { __FILE__, setup_, teardown_, NULL }; \
        suite_add_fixture(&fixture); \
    } \
    _Static_assert(1, "takes the semicolon")

#endif
