// Tests of the rules of the house: files that break one, planted in memory, and files that break none.
#include "house/rules.h"

#include <check.h>
#include <string.h>

#define HEAD "// What it does.\n"

static House house;
static void setup(void) { house = (House){ .arena = arena_open() }; }
static void teardown(void) { arena_close(house.arena); }

typedef struct { const char *path, *text, *said; } Case;               // said: NULL when nothing is wrong

// What was said of a file since `before`, which nothing may be left out of.
static void expect(const Case *c)
{
    const char *said = house.said ? house.said : "";
    const char *wanted = c->said ? c->said : "";
    ck_assert_msg(!strcmp(said, wanted), "%s\n%swas said:\n%sand should have been:\n%s", c->path, c->text, said,
                  wanted);
    house.said = NULL;
}

static char wide[512], fits[512];                    // a comment of 121 and one of 120 columns, two bytes each
static const Case lines[] = {
    { "lib/base/a.c", HEAD "int a;\n", NULL },
    { "lib/base/a.c", HEAD "int a;  \n",
      "lib/base/a.c:2: white space at the end; it should end with the last letter\n" },
    { "a.md", "A line break  \n", "a.md:1: white space at the end; it should end with the last letter\n" },
    { "a.md", "a\r\n", "a.md:1: white space at the end; it should end with the last letter\n" },
    { "lib/base/a.h", HEAD "\tint a;\n", "lib/base/a.h:2: a tab; C is indented with four spaces\n" },
    { "Makefile", "all:\n\techo\n", NULL },
    { "lib/base/a.c", HEAD "int a;", "lib/base/a.c:2: the last line does not end; a line end is needed\n" },
    { "lib/base/a.c", HEAD "int a;\n\n", "lib/base/a.c:3: an empty line at the end of the file\n" },
    { "lib/base/a.c", "", "lib/base/a.c:1: no comment heads the file; // and what it does, in a sentence\n"
                          "lib/base/a.c:1: an empty file\n" },
    { "lib/base/a.c", "#include <a.h>\n",
      "lib/base/a.c:1: no comment heads the file; // and what it does, in a sentence\n" },
    { "chapters/16_cuda/a.cu", "int a;\n",
      "chapters/16_cuda/a.cu:1: no comment heads the file; // and what it does, in a sentence\n" },
    { "chapters/16_cuda/emulator/a.cpp", "int a;\n",
      "chapters/16_cuda/emulator/a.cpp:1: no comment heads the file; // and what it does, in a sentence\n" },
    { "tests/a.sh", "#!/bin/sh\n# What it does.\nset -u\n", NULL },
    { "tests/a.sh", "#!/bin/sh\nset -u\n",
      "tests/a.sh:1: not headed by #! and a comment: # and what it does, in a sentence\n" },
    { "tests/a.sh", "# What it does.\nset -u\n",
      "tests/a.sh:1: not headed by #! and a comment: # and what it does, in a sentence\n" },
    { "lib/base/a.c", fits, NULL },
    { "lib/base/a.c", wide, "lib/base/a.c:1: 121 columns wide; 120 is the most\n" },
    { "a.md", wide, "a.md:1: 121 columns wide; 120 is the most\n" },
    { "Makefile", wide, "Makefile:1: 121 columns wide; 120 is the most\n" },
};

// "// " and é up to so many columns.
static void fill(char *line, int columns)
{
    strcpy(line, "// ");
    for (int i = 3; i < columns; i++) strcat(line, "é");
    strcat(line, "\n");
}

START_TEST(each_line)
{
    fill(wide, 121);
    fill(fits, 120);
    house_lines(&house, (Source){ lines[_i].path, lines[_i].text });
    expect(&lines[_i]);
}
END_TEST

START_TEST(a_row_of_a_table_may_be_wide)
{
    fill(wide, 200);
    house_lines(&house, (Source){ "a.md", arena_format(house.arena, "| %s", wide + 3) });
    ck_assert_ptr_null(house.said);
    house_lines(&house, (Source){ "a.c", arena_format(house.arena, "%s| %s", HEAD, wide + 3) });
    ck_assert_int_eq(house.problems, 1);
}
END_TEST

#define JOINED "a.c:1: a comma joins two statements; each is a statement of its own\n"
#define BEGINS "a statement begins after "
#define RIGHT  " spaces; a multiple of 4 is right\n"

static const Case statements[] = {
    // Commas that join, and where.
    { "a.c", "void f(void) { a = 1, b = 2; }\n", JOINED },
    { "a.c", "void f(void) { a = 1, b = 2, c = 3; }\n", JOINED },
    { "a.c", "int f(void) { return g(), 1; }\n", JOINED },
    { "a.c", "void f(void) { if (x) a = 1, b = 2; }\n", JOINED },
    { "a.c", "void f(void) { if (x) g(); else a++, b++; }\n", JOINED },
    { "a.c", "void f(void) { for (;;) a(), b(); }\n", JOINED },
    { "a.c", "void f(void) { do a(), b(); while (c); }\n", JOINED },
    { "a.c", "void f(void) { switch (x) { case 1: a(), b(); break; } }\n", JOINED },
    { "a.c", "void f(void) { (void)a, (void)b; }\n", JOINED },
    { "a.c", "void f(void) { *p = 1, q = 2; }\n", JOINED },
    { "a.c", "void f(void) { a = (Pair){ 1, 2 }, b = 2; }\n", JOINED },
    { "a.c", "void f(void)\n{\n    g();\n    a =\n        1, b = 2;\n}\n",
      "a.c:5: a comma joins two statements; each is a statement of its own\n" },
    { "a.c", "START_TEST(name)\n{\n    a = 1, b = 2;\n}\nEND_TEST\n",
      "a.c:3: a comma joins two statements; each is a statement of its own\n" },

    // Commas that are right: declarations, heads of loops, arguments, lists, text, comments, the preprocessor.
    { "a.c", "void f(void) { int a = 1, b = 2; }\n", NULL },
    { "a.c", "void f(void) { const char *a = \"x\", *b; unsigned char c, d; }\n", NULL },
    { "a.c", "void f(void) { Mat *a, *b; }\n", NULL },
    { "a.c", "void f(void) { for (i = 0, j = 0; i < n; i++, j++) g(i, j); }\n", NULL },
    { "a.c", "void f(void) { return g(a, b)[h(c, d)]; }\n", NULL },
    { "a.c", "void f(void) { Pair a = { 1, 2 }; a = (Pair){ 3, 4 }; g((Pair){ .a = 1, .b = { 2, 3 } }); }\n", NULL },
    { "a.c", "static const int a[] = { 1, 2 };\nenum { A, B };\nenum Name { C, D };\nint c, d;\n", NULL },
    { "a.c", "typedef struct { int a, b; enum { A, B } c, d; } Pair, *Pairs;\n", NULL },
    { "a.c", "void f(void) { enum { A = 1, B }; struct { int a, b; } c, d; }\n", NULL },
    { "a.c", "void f(void) { g(\"a, b; {\", '\\'', ','); /* a, b */ }  // a = 1, b = 2;\n", NULL },
    { "a.c", "#define SWAP(a, b) do { int t = a; \\\n  a = b, b = t; } while (0)\nint a;\n", NULL },
    { "a.c", "void f(void) { if (x) { g(); } else if (y) { int a, b; } }\n", NULL },
    { "a.c", "void f(void) { x = a ? b(1, 2) : c; }\n", NULL },

    // Where statements begin.
    { "a.c", "void f(void)\n{\n   g();\n}\n", "a.c:3: " BEGINS "3" RIGHT },
    { "a.c", "void f(void)\n{\n    if (x)\n      g();\n}\n", "a.c:4: " BEGINS "6" RIGHT },
    { "a.c", "void f(void)\n{\n    /* a\n  b */\n    g();\n  }\n", "a.c:6: " BEGINS "2" RIGHT },
    { "a.c", "typedef struct {\n  int a;\n} Pair;\n", "a.c:2: " BEGINS "2" RIGHT },
    { "a.c", " int a;\n", "a.c:1: " BEGINS "1" RIGHT },
    { "a.c", "void f(void)\n{\n    switch (x) {\n    case 1:   a();\n              b();\n    }\n}\n",
      "a.c:5: " BEGINS "14" RIGHT },

    // Spaces.
    { "a.c", "void f(void) { g(a,b); }\n", "a.c:1: no space behind a comma; f(a, b) is right\n" },
    { "a.c", "void f(void) { g(a , b); }\n", "a.c:1: a space before a comma; f(a, b) is right\n" },
    { "a.c", "void f(void){ g(); }\n", "a.c:1: no space before a block; if (x) { is right\n" },
    { "a.c", "void f(void) { a= 1; }\n", "a.c:1: no space beside an =; a = b is right\n" },
    { "a.c", "void f(void) { a +=1; }\n", "a.c:1: no space beside an =; a = b is right\n" },
    { "a.c", "void f(void) { if(x) g(); }\n", "a.c:1: no space behind if, for, while or switch; if (x) is right\n" },
    { "a.c", "void f(void) { for (i = 0; i <= n; i += 2) a[i] = b == c; g((Mat){ .x = 1 }); }\n", NULL },
    { "a.c", "void f(void)\n{\n    a =\n        b;\n    g(a,\n      b);\n}\n", NULL },

    // Memory.
    { "lib/io/a.c", "void f(void) { at = malloc(3); }\n",
      "lib/io/a.c:1: malloc; an arena, or memory_new and its like, is right\n" },
    { "viz/a.c", "void f(void)\n{\n    return realloc(a, 3);\n}\n",
      "viz/a.c:3: realloc; an arena, or memory_new and its like, is right\n" },
    { "lib/base/memory.c", "void f(void) { at = malloc(3); }\n", NULL },
    { "tests/io/a.c", "void f(void) { at = malloc(3); }\n", NULL },
    { "lib/io/a.c", "void f(void) { arena_alloc(a, 3); }  // malloc(3)\n", NULL },

    // What goes on from the line above may stand anywhere, and so may values and comments.
    { "a.c", "void f(int a,\n       int b)\n{\n    x = a +\n      b;\n    g(a,\n      b);\n}\n", NULL },
    { "a.c", "int a[] = {\n  1, 2,\n   3,\n};\n", NULL },
    { "a.c", "static const Pair a[] = {\n    { 1, (Flag){ 2 },\n      3 },\n};\n", NULL },
    { "a.c", "typedef struct {\n    enum { A,\n           B } a;\n                 // a comment\n    int b;\n} Pair;\n",
      NULL },
    { "a.c", "#if A\n  #define B \\\n   c\n#endif\nint a;\n", NULL },
};

START_TEST(each_statement)
{
    house_statements(&house, (Source){ statements[_i].path, statements[_i].text });
    expect(&statements[_i]);
}
END_TEST

// ---- rooms: one file includes another; both are there

typedef struct { const char *from, *name, *to, *said; } Include;

static const Include includes[] = {
    { "lib/base/a.c", "base/b.h", "lib/base/b.h", NULL },
    { "lib/attention/a.c", "base/b.h", "lib/base/b.h", NULL },
    { "lib/base/a.c", "io/b.h", "lib/io/b.h",
      "lib/base/a.c:2: lib/base includes lib/io/b.h; it may include nothing else\n" },
    { "lib/io/a.h", "attention/b.h", "lib/attention/b.h",
      "lib/io/a.h:2: lib/io includes lib/attention/b.h; it may include lib/base\n" },
    { "lib/figure/a.c", "io/b.h", "lib/io/b.h",
      "lib/figure/a.c:2: lib/figure includes lib/io/b.h; it may include lib/base\n" },
    { "lib/model/a.c", "io/b.h", "lib/io/b.h", NULL },
    { "lib/model/a.c", "figure/b.h", "lib/figure/b.h",
      "lib/model/a.c:2: lib/model includes lib/figure/b.h; it may include lib/base, lib/attention, lib/io\n" },
    { "lib/model/a.c", "train/b.h", "lib/train/b.h",
      "lib/model/a.c:2: lib/model includes lib/train/b.h; it may include lib/base, lib/attention, lib/io\n" },
    { "lib/train/a.c", "model/b.h", "lib/model/b.h", NULL },
    { "lib/language/a.c", "train/b.h", "lib/train/b.h", NULL },
    { "lib/train/a.c", "language/b.h", "lib/language/b.h",
      "lib/train/a.c:2: lib/train includes lib/language/b.h; it may include lib/base, lib/attention, lib/io, "
      "lib/model\n" },
    { "lib/judge/a.c", "model/b.h", "lib/model/b.h", NULL },
    { "lib/judge/a.c", "lesson/b.h", "lib/lesson/b.h",
      "lib/judge/a.c:2: lib/judge includes lib/lesson/b.h; it may include lib/base, lib/attention, lib/io, "
      "lib/model\n" },
    { "lib/lesson/a.c", "language/b.h", "lib/language/b.h", NULL },
    { "chapters/02_softmax/main.c", "lesson/b.h", "lib/lesson/b.h", NULL },
    { "chapters/02_softmax/main.c", "steps.h", "chapters/02_softmax/steps.h", NULL },
    { "chapters/02_softmax/main.c", "chapters/01_dot_product/b.h", "chapters/01_dot_product/b.h",
      "chapters/02_softmax/main.c:2: chapters/02_softmax includes chapters/01_dot_product/b.h; it may include lib/\n" },
    { "chapters/02_softmax/main.c", "viz/b.h", "viz/b.h",
      "chapters/02_softmax/main.c:2: chapters/02_softmax includes viz/b.h; it may include lib/\n" },
    { "lib/lesson/a.c", "viz/b.h", "viz/b.h", "lib/lesson/a.c:2: lib/lesson includes viz/b.h; it may include lib/\n" },
    { "viz/a.c", "viz/b.h", "viz/b.h", NULL },
    { "viz/a.c", "figure/b.h", "lib/figure/b.h", NULL },
    { "viz/a.c", "tests/support/b.h", "tests/support/b.h",
      "viz/a.c:2: viz includes tests/support/b.h; it may include lib/\n" },
    { "data/train.c", "train/b.h", "lib/train/b.h", NULL },
    { "tests/io/test_a.c", "support/b.h", "tests/support/b.h", NULL },
    { "tests/io/test_a.c", "viz/b.h", "viz/b.h", NULL },
    { "tests/io/test_a.c", "lesson/b.h", "lib/lesson/b.h", NULL },
    { "lib/base/a.c", "base/c.h", "lib/base/b.h",
      "lib/base/a.c:2: \"base/c.h\" is neither beside this file nor in lib\n" },
    { "lib/base/a.c", "words.inc", "lib/base/b.h", NULL },             // the Makefile makes it
    { "lib/attic/a.c", "base/b.h", "lib/base/b.h",
      "lib/attic/a.c:1: lib/attic is no folder of the house; the table in tests/house/rooms.c names them\n" },
};

START_TEST(each_include)
{
    const Include *one = &includes[_i];
    const Source both[] = {
        { one->from, arena_format(house.arena, HEAD "#include \"%s\"\n#include <stdio.h>\n", one->name) },
        { one->to, HEAD },
    };
    house_rooms(&house, both, 2);
    expect(&(Case){ one->from, both[0].text, one->said });
}
END_TEST

// A file in the room of the one that includes it stands before one of the same name in lib.
START_TEST(nearest_first)
{
    const Source sources[] = { { "lib/base/a.h", HEAD "#include \"io/b.h\"\n" }, { "lib/base/io/b.h", HEAD },
                               { "lib/io/b.h", HEAD } };
    house_rooms(&house, sources, 3);
    ck_assert_ptr_null(house.said);
}
END_TEST

START_TEST(circles)
{
    const Source sources[] = { { "lib/base/a.h", HEAD "#include \"base/b.h\"\n" },
                               { "lib/base/b.h", HEAD "\n#include \"base/c.h\"\n" },
                               { "lib/base/c.h", HEAD "#include \"base/b.h\"\n" },
                               { "lib/base/d.h", HEAD "#include \"base/d.h\"\n" } };
    house_rooms(&house, sources, 4);
    ck_assert_str_eq(house.said,
                     "lib/base/c.h:2: a circle of includes: lib/base/b.h → lib/base/c.h → lib/base/b.h\n"
                     "lib/base/d.h:2: a circle of includes: lib/base/d.h → lib/base/d.h\n");
    ck_assert_int_eq(house.problems, 2);
}
END_TEST

Suite *house_suite(void);
Suite *house_suite(void)
{
    Suite *suite = suite_create("house");
    TCase *tests = tcase_create("rules");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, each_line, 0, sizeof lines / sizeof *lines);
    tcase_add_test(tests, a_row_of_a_table_may_be_wide);
    tcase_add_loop_test(tests, each_statement, 0, sizeof statements / sizeof *statements);
    tcase_add_loop_test(tests, each_include, 0, sizeof includes / sizeof *includes);
    tcase_add_test(tests, nearest_first);
    tcase_add_test(tests, circles);
    suite_add_tcase(suite, tests);
    return suite;
}
