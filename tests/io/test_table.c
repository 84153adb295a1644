// lib/io/table.c: names and numbers, and what is refused.
#include "bench.h"

#include "io/table.h"
#include "support/suite.h"

#include <string.h>

BENCH_FIXTURE;

// The text is handed over without a 0 at its end.
static bool parse(TableRows *out, const char *text, int columns)
{
    FileBytes bytes = exact(text, strlen(text));
    bool ok = table_parse(out, bench.arena, bytes, columns, "t.tsv", &bench.error);
    free((void *)(uintptr_t)bytes.at);
    return ok;
}

TEST(names_and_numbers)
{
    TableRows rows;
    ck_assert_msg(parse(&rows, "# x\ty\n\nH = 4, G\t1\t-2.5\nb\t1e3\t0", 2), "%s", bench.error.text);
    ck_assert_int_eq(rows.values.rows, 2);
    ck_assert_int_eq(rows.values.cols, 2);
    ck_assert_str_eq(rows.names[0], "H = 4, G");
    ck_assert_str_eq(rows.names[1], "b");
    ck_assert_float_eq(*mat_ref(rows.values, 0, 0), 1.0f);
    ck_assert_float_eq(*mat_ref(rows.values, 0, 1), -2.5f);
    ck_assert_float_eq(*mat_ref(rows.values, 1, 0), 1000.0f);
    ck_assert_float_eq(*mat_ref(rows.values, 1, 1), 0.0f);
}

TEST(nothing_in_it)
{
    TableRows rows;
    static const char *const texts[] = { "", "\n", "# only words", "#\n\n#\n" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert_msg(parse(&rows, texts[i], 3), "%s", bench.error.text);
        ck_assert_int_eq(rows.values.rows, 0);
    }
}

static const char *const broken[] = {
    "a\t1\n",   "a\t1\t2\t3\n", "a\t1\t\n",    "a\t1\tx\n",  "a\t1\t2x\n", "a 1 2\n",
    "\t1\t2\n", "a\t1\tnan\n",  "a\tinf\t2\n", "a\t1 \t2\n", "a\t1\t2 \n", "a\t1\t1e99\n",
};

TEST_EACH(refused, sizeof broken / sizeof *broken)
{
    TableRows rows;
    const char *text = broken[_i];
    char all[64];
    snprintf(all, sizeof all, "# head\nfine\t1\t2\n%s", text);
    ck_assert_msg(!parse(&rows, all, 2), "read: %s", text);
    ck_assert_msg(!strncmp(bench.error.text, "t.tsv:3: found \"", 16), "%s", bench.error.text);
    ck_assert_ptr_nonnull(strstr(bench.error.text, "a name and 2 numbers"));
}

TEST(files)
{
    TableRows rows;
    ck_assert(!table_read(&rows, bench.arena, "/nowhere/at/all.tsv", 2, &bench.error));
    ck_assert_ptr_nonnull(strstr(bench.error.text, "/nowhere/at/all.tsv"));
}

TEST(inside_a_program)
{
    static const char *const lines[] = { "# card: A, 2\n", "# date: 3\n",     "# x\ty\n",
                                         "b\t1.5\t0\n",    "# peers: late\n", "c\t2\t-1\n" };
    TableRows rows = TABLE_EMBEDDED(bench.arena, lines, 2, "t.tsv");
    ck_assert_int_eq(rows.values.rows, 2);
    ck_assert_str_eq(rows.names[1], "c");
    ck_assert_float_eq(*mat_ref(rows.values, 0, 0), 1.5f);
    ck_assert_float_eq(*mat_ref(rows.values, 1, 1), -1.0f);
    ck_assert_str_eq(table_fact(bench.arena, lines, 6, "card: "), "A, 2");
    ck_assert_str_eq(table_fact(bench.arena, lines, 6, "date: "), "3");
    ck_assert_str_eq(table_fact(bench.arena, lines, 6, "peers: "), "not recorded"); // behind the first numbers
}
