// A lesson from outside: what it prints, how it ends, what it dumps.
#include "lesson/hand_made.h"
#include "lesson/lesson.h"
#include "lesson/matrices.h"

#include "io/file.h"
#include "io/safetensors.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *temporary_path(void)
{
    char *path = arena_format(arena, "/tmp/manyheads-lesson-XXXXXX");
    close(mkstemp(path));
    return path;
}

typedef struct {
    int status;
    const char *said;
} Told;

// What is typed while a lesson runs.
static const char *keys = "";

static void type_into_stdin(void)
{
    char *path = temporary_path();
    Error error = { .text = "" };
    ck_assert_msg(file_write(path, keys, strlen(keys), &error), "%s", error.text);
    ck_assert_ptr_nonnull(freopen(path, "r", stdin));
    unlink(path);
}

// Runs a lesson that consists of `body`, with up to two flags, and gives back its exit status and all that it printed.
static Told told(void (*body)(Lesson *lesson), const char *flag, const char *value)
{
    char *argv[] = { (char *)"lesson", (char *)(flag ? flag : "--color"), (char *)(value ? value : "never"), NULL };
    char *path = temporary_path();
    FileBytes file;
    Error error = { .text = "" };
    fflush(stdout);
    type_into_stdin();
    int kept = dup(1);
    ck_assert_ptr_nonnull(freopen(path, "w", stdout));
    Lesson lesson = lesson_open_with(3, argv, 2, "Test", NULL, 0);
    body(&lesson);
    int status = lesson_close(&lesson);
    fflush(stdout);
    dup2(kept, 1);
    close(kept);
    ck_assert_msg(file_read(&file, arena, path, &error), "%s", error.text);
    unlink(path);
    return (Told){ status, (const char *)file.at };
}

static void two_claims(Lesson *lesson)
{
    lesson_step(lesson, "Claims");
    lesson_check(lesson, true, "one is %d", 1);
    lesson_check(lesson, false, "two is %d", 3);
}

static void two_words_of_a_flag(Lesson *lesson)
{
    Sentence words = lesson_words_of_flag(lesson, &lesson->embeddings, "pair", "it street", 2);
    ck_assert_int_eq(words.T, 2);
    ck_assert_str_eq(words.words[1], "street");
    ck_assert(*mat_ref(words.x, 1, lesson_column(lesson, "place")) == 1.0f);
}

static void a_wrong_count(Lesson *lesson) { lesson_cost(lesson, "multiplications", 12, "3·5", 15); }
static void a_right_count(Lesson *lesson) { lesson_cost(lesson, "multiplications", 1234567, "n", 1234567); }

// The cells that are shaded have these colours, and no others are.
static void coloured_as(const char *said, const Color *expected, int count)
{
    for (int c = 0; c < count; c++) {
        const char *back = arena_format(arena, "\033[48;2;%d;%d;%dm", expected[c].r, expected[c].g, expected[c].b);
        said = strstr(said, "\033[48;2;");
        ck_assert_ptr_nonnull(said);
        ck_assert_msg(!strncmp(said, back, strlen(back)), "cell %d: %.20s", c, said + 1);
        said++;
    }
    ck_assert_ptr_null(strstr(said, "\033[48;2;"));
}

static void a_signed_table(Lesson *lesson)
{
    Mat m = mat_of(lesson->arena, 1, 3, (float[]){ -1.0f, 0.0f, 0.5f });
    lesson_show_table(lesson, (LessonTable){ .name = "signed", .values = m, .colors = COLOR_DIVERGING });
}

TEST(signed_values_are_shaded_around_zero)
{
    const char *said = told(a_signed_table, "--color", "always").said;
    Color low = color_at(COLOR_DIVERGING, 0), zero = color_at(COLOR_DIVERGING, 0.5),
          high = color_at(COLOR_DIVERGING, 0.75);
    const Color expected[] = { low, zero, high };
    coloured_as(said, expected, 3);
}

// Two rows or two columns, one of them a hundred times the other; what is hidden scales nothing.
static void two_units(Lesson *lesson, LessonUnits units)
{
    Mat m = units == LESSON_ROWS_APART ? mat_of(lesson->arena, 2, 3, (float[]){ 1, 2, 3, 300, 100, 900 })
                                       : mat_of(lesson->arena, 3, 2, (float[]){ 1, 300, 3, 100, 2, 900 });
    Mat hidden = mat_new(lesson->arena, m.rows, m.cols);
    *mat_ref(hidden, m.rows - 1, m.cols - 1) = 1.0f;
    lesson_show_table(lesson, (LessonTable){ .name = "two units", .values = m, .hidden = hidden, .units = units });
}

static void rows_apart(Lesson *lesson) { two_units(lesson, LESSON_ROWS_APART); }
static void columns_apart(Lesson *lesson) { two_units(lesson, LESSON_COLUMNS_APART); }

static void shaded_as(const char *said, const double *shares, int count)
{
    Color expected[8];
    for (int c = 0; c < count; c++) expected[c] = color_at(COLOR_VIRIDIS, shares[c]);
    coloured_as(said, expected, count);
}

TEST(rows_or_columns_with_units_of_their_own_are_shaded_apart)
{
    shaded_as(told(rows_apart, "--color", "always").said, (double[]){ 0.0, 0.5, 1.0, 1.0, 0.0 }, 5);
    shaded_as(told(columns_apart, "--color", "always").said, (double[]){ 0.0, 1.0, 1.0, 0.0, 0.5 }, 5);
}

// Three columns share a scale, the first has its own. In the other table the first row is of shares, the second signed.
static void one_column_apart(Lesson *lesson)
{
    Mat m = mat_of(lesson->arena, 2, 4, (float[]){ 900, 0, 1, 2, 100, 4, 3, 1 });
    lesson_show_table(lesson, (LessonTable){ .name = "one apart", .values = m, .apart = 1 });
}

static void one_row_around_0(Lesson *lesson)
{
    Mat m = mat_of(lesson->arena, 2, 2, (float[]){ 0.5f, 0.25f, -1, 4 });
    lesson_show_table(lesson, (LessonTable){
                                  .name = "signed", .values = m, .units = LESSON_ROWS_APART, .signed_rows = 1 << 1 });
}

TEST(a_column_may_stand_apart_and_a_row_around_0)
{
    shaded_as(told(one_column_apart, "--color", "always").said, (double[]){ 1.0, 0.0, 0.25, 0.5, 0.0, 1.0, 0.75, 0.25 },
              8);
    const char *said = told(one_row_around_0, "--color", "always").said;
    const Color expected[] = { color_at(COLOR_VIRIDIS, 1), color_at(COLOR_VIRIDIS, 0), color_at(COLOR_DIVERGING, 0.375),
                               color_at(COLOR_DIVERGING, 1) };
    coloured_as(said, expected, 4);
}

// Twelve columns, too many for names that are wider than their numbers to stand on one line.
static void twelve_names(Lesson *lesson)
{
    static const char *const names[] = { "noun",  "verb",  "adj", "link", "alive", "place",
                                         "trade", "moves", "not", "much", "why",   "past" };
    static const char *const label[] = { "one head" };
    lesson_show_table(lesson,
                      (LessonTable){
                          .name = "named", .values = mat_new(lesson->arena, 1, 12), .rows = label, .cols = names });
}

static void a_masked_table(Lesson *lesson)
{
    Mat m = mat_of(lesson->arena, 1, 2, (float[]){ 0.25f, 7.0f });
    Mat hidden = mat_of(lesson->arena, 1, 2, (float[]){ 0, 1 });
    lesson_show_table(lesson, (LessonTable){ .name = "masked", .values = m, .hidden = hidden });
}

// More rows than there was room for at first, whose labels and numbers must all move along.
static void twenty_rows(Lesson *lesson)
{
    static const char *const columns[] = { "n", "n²" };
    LessonRows rows = lesson_rows_of(lesson, "squares", columns, 2);
    rows.table.decimals = -1;
    for (int n = 0; n < 20; n++) lesson_rows_add(&rows, LESSON_ROW(n, n * n), "row %d", n);
    lesson_show_rows(lesson, &rows);
}

// The second of three columns counts something; the third is less sure than the first.
static void a_counted_column(Lesson *lesson)
{
    LessonRows rows = lesson_rows_of(lesson, "mixed", lesson_numbered(lesson->arena, "part ", 3), 3);
    rows.table.decimals = 3;
    rows.table.whole = 1 << 1;
    rows.table.tenths = 1 << 2;
    lesson_rows_add(&rows, LESSON_ROW(1.25, 41600, 338.3), "row");
    lesson_show_rows(lesson, &rows);
}

// Two rows of a matrix in the other order: one of them is the second row of a view.
static void rows_of_a_matrix(Lesson *lesson)
{
    Mat m = mat_of(lesson->arena, 3, 3, (float[]){ 9, 9, 9, 9, 1, 2, 9, 3, 4 }), view = mat_cols(m, 1, 2);
    LessonRows rows = lesson_rows_of(lesson, "copied", lesson_numbered(lesson->arena, "part ", 2), 2);
    rows.table.decimals = -1;
    lesson_rows_add_from(&rows, view, 2, "row %d", 2);
    lesson_rows_add_from(&rows, view, 1, "row %d", 1);
    lesson_show_rows(lesson, &rows);
    lesson_check(lesson, mat_equal(rows.table.values, mat_of(lesson->arena, 2, 2, (float[]){ 3, 4, 1, 2 })), "copied");
}

// clang-format off
static const struct {
    void (*body)(Lesson *lesson);
    int status;
    const char *says, *too; // what is printed
} printed[] = {
    { two_claims, 1, "\n1.  Claims\n", "✓ one is 1\n    ✗ FALSE: two is 3" },
    { two_claims, 1, "2 claims, 1 of them FALSE", "" },
    { two_words_of_a_flag, 0, "", "" },
    { a_wrong_count, 1, "12 multiplications, but 3·5 = 15", "" },
    { a_right_count, 0, "1,234,567 multiplications = n", "" },
    { twelve_names, 0, "\n                  verb      link     place     moves      much      past"
                       "\n             noun       adj     alive     trade       not       why"
                       "\n    one head 0.00 0.00", "" },
    { a_masked_table, 0, " 0.25    ·\n", "" },
    { twenty_rows, 0, "squares  (20 × 2)\n", "    row 0     0    0\n    row 1     1    1\n" },
    { twenty_rows, 0, "    row 19   19  361\n", "" },
    { a_counted_column, 0, "row  1.250  41600  338.3\n", "" },
    { rows_of_a_matrix, 0, "          part 0 part 1\n    row 2      3      4\n    row 1      1      2\n", "" },
};
// clang-format on

TEST_EACH(what_a_lesson_prints, sizeof printed / sizeof *printed)
{
    Told t = told(printed[_i].body, NULL, NULL);
    ck_assert_int_eq(t.status, printed[_i].status);
    ck_assert_msg(strstr(t.said, printed[_i].says) && strstr(t.said, printed[_i].too), "%s", t.said);
}

static void two_heads(Lesson *lesson)
{
    Mat stack = mat_new(lesson->arena, 6, 4);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++) *mat_ref(stack, i, j) = (float)(10 * i + j);
    trace_heads(lesson->trace, (TraceHeads){ .H = 2, .x = mat_rows(stack, 0, 3), .weights = stack });
}

TEST(a_dump_holds_heads_and_words)
{
    char *path = temporary_path();
    Tensors file;
    Error error = { .text = "" };
    ck_assert_int_eq(told(two_heads, "--dump", path).status, 0);
    ck_assert_msg(safetensors_read(&file, arena, path, &error), "%s", error.text);
    unlink(path);
    const NpyArray *weights = tensors_find(&file, "weights"), *x = tensors_find(&file, "x");
    ck_assert_ptr_nonnull(weights);
    ck_assert_int_eq(weights->axes, 3);
    ck_assert_int_eq(weights->shape[0], 2);
    ck_assert_int_eq(weights->shape[1], 3);
    ck_assert_int_eq(weights->shape[2], 4);
    ck_assert_float_eq(weights->at[1 * 12 + 2 * 4 + 3], 53.0f);
    ck_assert_int_eq(x->axes, 2);
    ck_assert_str_eq(tensors_note(&file, "tokens"), "[\"The\",\"animal\",\"didn't\",\"cross\",\"the\",\"street\","
                                                    "\"because\",\"it\",\"was\",\"too\",\"tired\"]");
}

static void three_steps(Lesson *lesson)
{
    lesson_say(lesson, "before");
    lesson_step(lesson, "One");
    lesson_check(lesson, true, "one holds");
    lesson_step(lesson, "Two");
    lesson_say(lesson, "two is said");
    lesson_say_lines(lesson, "two   stands\nin    lines\n");
    lesson_show(lesson, "two is shown", mat_new(lesson->arena, 1, 1));
    lesson_cost(lesson, "twos", 2, "2", 2);
    lesson_step(lesson, "Three");
    lesson_say(lesson, "three is said");
    lesson_say_lines(lesson, "three stands in lines");
    lesson_show(lesson, "three is shown", mat_new(lesson->arena, 1, 1));
    lesson_check(lesson, false, "three holds");
}

TEST(one_step_is_printed_alone_and_all_are_checked)
{
    Told t = told(three_steps, "--only", "2");
    const char *there[] = { "Chapter 02. Test\n\n2.  Two\n",
                            "two is said\n\n    two   stands\n    in    lines\n\n",
                            "two is shown",
                            "counted: 2 twos = 2",
                            "FALSE: three holds",
                            "3 claims, 1 of them FALSE" };
    const char *not_there[] = { "before",        "1.  One",      "one holds",     "3.  Three",
                                "three is said", "three stands", "three is shown" };
    for (int i = 0; i < 6; i++) ck_assert_msg(strstr(t.said, there[i]) != NULL, "no \"%s\" in %s", there[i], t.said);
    for (int i = 0; i < 7; i++) ck_assert_msg(!strstr(t.said, not_there[i]), "\"%s\" in %s", not_there[i], t.said);
    ck_assert_int_eq(t.status, 1);
}

static void three_steps_foretold(Lesson *lesson)
{
    lesson_steps(lesson, 3);
    three_steps(lesson);
}

// What was said on stderr before a lesson was ended with this status, in a process of its own.
static const char *said_by(void (*body)(Lesson *lesson), const char *flag, const char *value, int status)
{
    int ends[2], ended;
    static char said[512];
    ck_assert_int_eq(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        dup2(ends[1], 2);
        told(body, flag, value);
        _exit(0);
    }
    close(ends[1]);
    size_t bytes = 0;
    ssize_t more = 1;
    while (more > 0) {
        more = read(ends[0], said + bytes, sizeof said - 1 - bytes);
        bytes += more > 0 ? (size_t)more : 0;
    }
    said[bytes] = '\0';
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &ended, 0), child);
    ck_assert_msg(WIFEXITED(ended) && WEXITSTATUS(ended) == status, "ended with %d: %s", ended, said);
    return said;
}

static void never(Lesson *lesson)
{
    lesson_steps(lesson, 3);
    _exit(9); // any work
}

TEST(a_step_that_does_not_exist_is_refused)
{
    ck_assert_str_eq(said_by(three_steps, "--only", "4", 2), "chapter 02: --only 4: it has 3 steps\n");
    ck_assert_str_eq(said_by(never, "--only", "4", 2), "chapter 02: --only 4: it has 3 steps\n");
    said_by(never, "--only", "3", 9);
    Told t = told(three_steps_foretold, "--only", "3");
    ck_assert_msg(strstr(t.said, "3.  Three") != NULL, "%s", t.said);
}

static void two_steps_where_three_were_foretold(Lesson *lesson)
{
    lesson_steps(lesson, 3);
    lesson_step(lesson, "One");
    lesson_step(lesson, "Two");
}

TEST_ABORTS(steps_are_as_many_as_foretold, 1) { told(two_steps_where_three_were_foretold, NULL, NULL); }

static void a_banana(Lesson *lesson) { lesson_words_of_flag(lesson, &lesson->embeddings, "pair", "it banana", 2); }
static void one_too_few(Lesson *lesson) { lesson_words_of_flag(lesson, &lesson->embeddings, "pair", "it", 2); }

TEST(a_flag_that_names_no_words_is_refused_by_the_word)
{
    const char *said = said_by(a_banana, NULL, NULL, 2);
    ck_assert_msg(strstr(said, "chapter 02: --pair: word 1 (from 0), \"banana\", is not in ") == said, "%s", said);
    said = said_by(one_too_few, NULL, NULL, 2);
    ck_assert_msg(strstr(said, "--pair: found \"it\"; 2 words of") != NULL, "%s", said);
}

// Ten tables, each with two numbers worth asking, and 0 and 1, which are not.
static void ten_tables(Lesson *lesson)
{
    static const char *const rows[] = { "it", "so" }, *const cols[] = { "a", "b", "c", "d" };
    Mat m = mat_of(lesson->arena, 2, 4, (float[]){ 0, 0.25f, 0, 1, 1, 0, 0.25f, 0 });
    for (int t = 0; t < 10; t++)
        lesson_show_table(lesson, (LessonTable){ .name = "t", .values = m, .rows = rows, .cols = cols });
}

static int count_of(const char *text, const char *wanted)
{
    int count = 0;
    for (; (text = strstr(text, wanted)); text += strlen(wanted)) count++;
    return count;
}

TEST(a_number_is_hidden_now_and_then)
{
    keys = "0.25\n0.26\n0.5\nwhat\n\n0.3\n0.3\n0.3\n0.3\n0.3\n";
    Told t = told(ten_tables, "--ask", "--step");
    int asked = count_of(t.said, "What stands for the ?");
    ck_assert_msg(asked >= 3 && asked <= 9, "%d asked", asked);
    int first = count_of(t.said, ", row \"it\", column \"b\": ");
    int second = count_of(t.said, ", row \"so\", column \"c\": ");
    ck_assert_int_eq(first + second, asked);
    ck_assert_int_eq(count_of(t.said, "It is 0.25."), asked);
    ck_assert_int_eq(count_of(t.said, "   ?"), asked);
    ck_assert_msg(strstr(t.said, "It is 0.25. You said so.\n") != NULL, "%s", t.said);
    ck_assert_msg(strstr(t.said, "It is 0.25. You were off by 0.01.\n") != NULL, "%s", t.said);
    ck_assert_msg(strstr(t.said, "It is 0.25. You were off by 0.25.\n") != NULL, "%s", t.said);
    ck_assert_msg(strstr(t.said, arena_format(arena, "%d numbers were hidden; 2 guesses were within a tenth", asked)) !=
                      NULL,
                  "%s", t.said);
}

TEST(nobody_is_asked_after_the_end_of_the_input)
{
    keys = "";
    Told t = told(ten_tables, "--ask", "--step");
    ck_assert_msg(strstr(t.said, "1 number was hidden; 0 guesses were") != NULL, "%s", t.said);
    ck_assert_int_eq(count_of(t.said, "What stands"), 1);
    ck_assert_int_eq(count_of(told(ten_tables, NULL, NULL).said, "?"), 0);
}

// Twenty tables, of whose six numbers two are no inputs.
static void twenty_tables_of_inputs(Lesson *lesson)
{
    static const char *const rows[] = { "in", "out" }, *const cols[] = { "a", "b", "c" };
    Mat m = mat_of(lesson->arena, 2, 3, (float[]){ 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f });
    for (int t = 0; t < 20; t++)
        lesson_show_table(lesson,
                          (LessonTable){
                              .name = "t", .values = m, .rows = rows, .cols = cols, .given_rows = 1, .given_cols = 1 });
}

// Twenty tables. 0.25 stands twice in a column, 0.26 and 0.261 in a row as the same, and two rows have one name: left
// are 0.3, 0.4 and 0.7.
static void twenty_tables_with_repeats(Lesson *lesson)
{
    static const char *const rows[] = { "  in", "out", "on", "on" }, *const cols[] = { "a", "b", "c", "d" };
    Mat m = mat_of(lesson->arena, 4, 4,
                   (float[]){ 0.25f, 0.26f, 0.3f, 0.261f, 0.25f, 0.4f, 0.7f, 0.0f, 0.1f, 0.2f, 0.5f, 0.6f, 0.8f, 0.9f,
                              0.11f, 0.12f });
    for (int t = 0; t < 20; t++)
        lesson_show_table(lesson, (LessonTable){ .name = "t", .values = m, .rows = rows, .cols = cols });
}

// All numbers that are asked for are in these cells, and each of them is.
static void asks_for(void (*body)(Lesson *lesson), const char *const *cells, int count)
{
    int asked = 0;
    keys = "1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n";
    Told t = told(body, "--ask", "--step");
    for (int c = 0; c < count; c++) {
        int times = count_of(t.said, cells[c]);
        ck_assert_msg(times > 0, "%s is not asked for", cells[c]);
        asked += times;
    }
    ck_assert_int_eq(count_of(t.said, "What stands"), asked);
}

TEST(what_is_given_or_can_be_read_elsewhere_is_not_asked_for)
{
    asks_for(twenty_tables_of_inputs, (const char *[]){ "row \"out\", column \"b\": ", "row \"out\", column \"c\": " },
             2);
    asks_for(twenty_tables_with_repeats,
             (const char *[]){
                 "row \"in\", column \"c\": ", "row \"out\", column \"b\": ", "row \"out\", column \"c\": " },
             3);
}

static void five_counts(Lesson *lesson)
{
    for (int c = 0; c < 12; c++) lesson_cost(lesson, "products", 1200, "3·400", 1200);
}

TEST(a_count_is_asked_for_too)
{
    keys = "1100\n1200\n600\n";
    Told t = told(five_counts, "--ask", "--step");
    ck_assert_msg(strstr(t.said, "How many products = 3·400: ") != NULL, "%s", t.said);
    ck_assert_msg(strstr(t.said, "It is 1,200. You were off by 100.\n") != NULL, "%s", t.said);
    ck_assert_msg(strstr(t.said, "It is 1,200. You said so.\n") != NULL, "%s", t.said);
    ck_assert_msg(strstr(t.said, "It is 1,200. You were off by 600.\n") != NULL, "%s", t.said);
    ck_assert_msg(strstr(t.said, "; 2 guesses were within a tenth") != NULL, "%s", t.said);
}
