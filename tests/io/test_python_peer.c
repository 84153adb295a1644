// The reason that is reported when the script or Python is missing, or the script prints something else.
#include "io/python_peer.h"

#include "bench.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

BENCH_FIXTURE;

static void refuses(const char *script, const char *words)
{
    char why[256] = "";
    ck_assert(python_peer_start(script, why, sizeof why) == NULL);
    ck_assert_msg(strstr(why, words) != NULL, "\"%s\" is not in \"%s\"", words, why);
}

TEST(reasons_for_no_peer)
{
    const char *script = bench_path(&bench, "script");
    refuses(script, "there is no "); // a book that was moved: Python itself would tell it, on stderr
    refuses(script, "/script");
    ck_assert(file_write(script, "echo 3 is not it\n", 17, &bench.error));
    setenv("PYTHON", "/nonexistent/python", 1);
    refuses(script, "there is no /nonexistent/python");
    setenv("PYTHON", "sh", 1);
    refuses(script, "3 is not it");
    ck_assert(file_write(script, "exit\n", 5, &bench.error));
    refuses(script, "printed nothing");
}
