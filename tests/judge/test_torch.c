// lib/judge/torch.c: what is said where there is no script, no Python, or one that says something else.
#include "judge/torch.h"

#include "io/bench.h"

#include <stdlib.h>
#include <string.h>

static void refuses(const char *script, const char *words)
{
    char why[256] = "";
    ck_assert(torch_start(script, why, sizeof why) == NULL);
    ck_assert_msg(strstr(why, words) != NULL, "\"%s\" is not in \"%s\"", words, why);
}

START_TEST(what_is_missing_is_said)
{
    Bench bench = bench_open();
    const char *script = bench_path(&bench, "script");
    refuses(script, "there is no "); // a book that was moved: Python itself would tell it, on stderr
    refuses(script, "/script");
    ck_assert(file_write(script, "echo 3 is not it\n", 17, &bench.error));
    setenv("PYTHON", "/nonexistent/python", 1);
    refuses(script, "there is no /nonexistent/python");
    setenv("PYTHON", "sh", 1);
    refuses(script, "3 is not it");
    ck_assert(file_write(script, "exit\n", 5, &bench.error));
    refuses(script, "says nothing");
    bench_close(&bench);
}
END_TEST

Suite *torch_suite(void);
Suite *torch_suite(void)
{
    Suite *suite = suite_create("judge/torch");
    TCase *tests = tcase_create("torch");
    tcase_add_test(tests, what_is_missing_is_said);
    suite_add_tcase(suite, tests);
    return suite;
}
