// Tests of lib/base/error.c.
#include "base/error.h"

#include "support/reference.h"
#include "support/suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(a_sentence_and_false)
{
    Error error = { .text = "" };
    ck_assert(!error_set(&error, "%s: line %d holds %s, where a number was expected", "a.tsv", 7, "\"x\""));
    ck_assert_str_eq(error.text, "a.tsv: line 7 holds \"x\", where a number was expected");
    ck_assert(!error_set(&error, "another"));
    ck_assert_str_eq(error.text, "another");
}

TEST(the_system_says_why)
{
    Error error;
    ck_assert(!error_set_system(&error, EIO, "%s: it cannot be read", "a.npy"));
    const char *words = error.text + strlen("a.npy: it cannot be read: ");
    ck_assert_int_eq(strncmp(error.text, "a.npy: it cannot be read: ", (size_t)(words - error.text)), 0);
    ck_assert_str_eq(words, strerror(EIO));
    ck_assert_int_eq(error.why, EIO);
    ck_assert(!error_set(&error, "another"));
    ck_assert_int_eq(error.why, 0);
}

TEST(a_long_sentence_is_cut)
{
    Error error;
    memset(&error, 'x', sizeof error);
    ck_assert(!error_set(&error, "%5000d", 1));
    ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
    memset(&error, 'x', sizeof error);
    ck_assert(!error_set_system(&error, EIO, "%1020d", 1));
    ck_assert_uint_eq(strlen(error.text), sizeof error.text - 1);
}

static void broken_contract(int got) { REQUIRE(got == 4, "got is %d; it must be %d", got, 4); }

// What a child says on stderr before it stops.
TEST(require_names_the_place)
{
    int ends[2], status = 0;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        broken_contract(3);
        _exit(0);
    }
    close(ends[1]);
    char said[1000] = "";
    size_t length = 0;
    for (ssize_t n; (n = read(ends[0], said + length, sizeof said - 1 - length)) > 0;) length += (size_t)n;
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    ck_assert_ptr_nonnull(strstr(said, "broken_contract ("));
    ck_assert_ptr_nonnull(strstr(said, "test_error.c:"));
    ck_assert_ptr_nonnull(strstr(said, "): got is 3; it must be 4\n"));
}
