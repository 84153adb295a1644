// Exercise 20a: my_row, my_scores and my_append.
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef int Row(const int *table, int size, int t);
typedef void Scores(float *scores, const float *q, const float *keys, const int *table, int length, int size, int d);
typedef int Append(int *table, int length, int size, int *holders, int *free, int *left, float *memory, float x);
Row my_row;
Scores my_scores;
Append my_append;

enum { PAGES = 6, SIZE = 4, ROWS = PAGES * SIZE, ENTRIES = 4 };
static const int order[ENTRIES] = { 3, 0, 5, 1 };

// ---- 1

static const struct {
    const char *what;
    int table[ENTRIES], size, tokens;
} tables[] = {
    { "0, 1, 2", { 0, 1, 2 }, 4, 12 },
    { "5, 2, 4", { 5, 2, 4 }, 4, 10 },
    { "3, 0, 5, 1", { 3, 0, 5, 1 }, 1, 4 },
};

static void row_case(Judge *judge, Function f, int n)
{
    Mat rows = judge_output(judge, 1, tables[n].tokens);
    judge_trying(judge, "my_row of tokens 0 to %d, pages of %d, table %s", tables[n].tokens - 1, tables[n].size,
                 tables[n].what);
    for (int t = 0; t < tables[n].tokens; t++) rows.at[t] = (float)((Row *)f)(tables[n].table, tables[n].size, t);
}

#define ROW(name, row) \
    static int name(const int *table, int size, int t) { return (void)table, (void)size, row; }
ROW(right_row, table[t / size] * size + t % size)
ROW(no_table, t)
ROW(in_pages, table[t / size] * size + t / size)
ROW(page_as_row, table[t / size] + t % size)
ROW(from_first_page, table[0] * size + t)

// ---- 2

static void scores_case(Judge *judge, Function f, int n)
{
    const int length = n ? 10 : 4, d = n ? 5 : 3;
    Random random = random_from((uint64_t)(20 + d));
    Mat q = judge_random(judge, &random, 1, d), keys = judge_random(judge, &random, ROWS, d);
    Mat scores = judge_output(judge, 1, length);
    judge_trying(judge, "my_scores of %d tokens of %d numbers, pages of %d", length, d, SIZE);
    ((Scores *)f)(scores.at, q.at, keys.at, order, length, SIZE, d);
}

#define SCORES(name, row, divisor) \
    static void name(float *scores, const float *q, const float *keys, const int *table, int length, int size, int d) \
    { \
        for (int j = 0; j < length; j++) { \
            int r = row(table, size, j); \
            scores[j] = 0.0f; \
            for (int c = 0; c < d; c++) scores[j] += q[c] * keys[r * d + c] / divisor; \
        } \
    }
SCORES(right_scores, right_row, 1.0f)
SCORES(first_keys, no_table, 1.0f)
SCORES(read_on, from_first_page, 1.0f)
SCORES(over_root, right_row, sqrtf((float)d))

// ---- 3

// A text of `length` tokens in pages 3, 0, 5 …, the last of which has that many holders; `left` pages are free.
static const struct {
    const char *what;
    int length, holders, left;
} texts[] = {
    { "the last page has room, and is the text's alone", 6, 1, 3 },
    { "the last page is full, and a page is free", 8, 1, 3 },
    { "the first token of all", 0, 0, 3 },
    { "the last page has room, but two hold it", 7, 2, 3 },
    { "the last page is full, and two hold it", 8, 2, 3 },
    { "no page is free, but the last one has room", 5, 1, 0 },
    { "no page is free, and the last one is shared", 5, 3, 0 },
    { "no page is free, and the last one is full", 8, 1, 0 },
};
enum { TABLE = 1, MEMORY = TABLE + ENTRIES, HOLDERS = MEMORY + ROWS, LEFT = HOLDERS + PAGES }; // in the output

static void append_case(Judge *judge, Function f, int n)
{
    int table[ENTRIES], holders[PAGES] = { 0 }, free[PAGES] = { 4, 1, 2 }, left = texts[n].left;
    int last = (texts[n].length + SIZE - 1) / SIZE - 1;
    float memory[ROWS], *out = judge_output(judge, 1, LEFT + 1 + PAGES).at;
    for (int i = 0; i < ENTRIES; i++) table[i] = i <= last ? order[i] : -1;
    for (int i = 0; i <= last; i++) holders[order[i]] = i == last ? texts[n].holders : 2;
    for (int r = 0; r < ROWS; r++) memory[r] = 100.0f + (float)r;
    judge_trying(judge, "my_append: %s", texts[n].what);
    out[0] = (float)((Append *)f)(table, texts[n].length, SIZE, holders, free, &left, memory, 9.0f);
    judge_claim(judge, left >= 0,
                (Hints){ "*left is less than 0 now: a page was taken, and there was none",
                         "what does the task say of a page that is needed where none is left?" });
    judge_claim(judge, left <= PAGES, (Hints){ "*left is more than all pages" });
    for (int i = 0; i < ENTRIES; i++) out[TABLE + i] = (float)table[i];
    for (int r = 0; r < ROWS; r++) out[MEMORY + r] = memory[r];
    for (int p = 0; p < PAGES; p++) out[HOLDERS + p] = (float)holders[p];
    out[LEFT] = (float)left;
    for (int p = 0; p < PAGES; p++) out[LEFT + 1 + p] = p < left ? (float)free[p] : -1.0f;
}

enum { NO_COPY = 1, EMPTY_COPY, NOT_DROPPED, ALWAYS_COPIES, NOT_TAKEN, FAILS_LATE };

static int append_by(int *table, int length, int size, int *holders, int *free, int *left, float *memory, float x)
{
    const int fault = judge_fault;
    int entry = length / size, row = length % size, page = table[entry], old = page;
    bool shared = row && (holders[old] > 1 || fault == ALWAYS_COPIES) && fault != NO_COPY;
    if ((shared || !row) && *left == 0) {
        if (fault == FAILS_LATE && shared) holders[old]--;
        return 0;
    }
    if (shared || !row) {
        page = free[*left - 1];
        *left -= fault != NOT_TAKEN;
        holders[page] = 1;
        for (int i = 0; i < row && fault != EMPTY_COPY; i++) memory[page * size + i] = memory[old * size + i];
        if (shared && fault != NOT_DROPPED && --holders[old] == 0) free[(*left)++] = old;
        table[entry] = page;
    }
    memory[page * size + row] = x;
    return 1;
}

static Hints append_hints(Judge *judge, Difference d)
{
    int n = 0;
    while (d.got.at[n] == d.expected.at[n]) n++;
    const char *property =
        n == 0 ? d.got.at[0] == 0.0f ? "there are pages enough, but 0 came back" : "no page is left, but 1 came back"
        : n < MEMORY  ? "entry %d of the table is not right"
        : n < HOLDERS ? "row %d of memory is not what it should be"
        : n < LEFT    ? "the holders of page %d are not counted rightly"
                      : "the free pages are not right";
    int from = n < MEMORY ? TABLE : n < HOLDERS ? MEMORY : HOLDERS;
    return (
        Hints){ arena_format(judge->arena, property, n - from),
                "is there a row left in the last page, and whose is it to write?",
                "length mod size is 0: a new page. Else, where holders > 1: a new page and its rows, and one holder "
                "less of the old one" };
}

static const Task tasks[] = {
    { AS(Row, my_row), AS(Row, right_row), row_case, COUNT(tables),
      .hints = { { "a token is not found where it stands",
                   "which entry of the table is it, and which row of that page?",
                   "table[t / size] · size + t mod size" } },
      .wrong = { { AS(Row, no_table), "the table is not looked at: token t would stand in row t" },
                 { AS(Row, in_pages), "the row within the page is counted in pages: it is what is left of t" },
                 { AS(Row, page_as_row), "page p does not begin in row p: the pages before it have rows, too" },
                 { AS(Row, from_first_page),
                   "the pages are taken to follow the first one; each has an entry of its own" } } },
    { AS(Scores, my_scores), AS(Scores, right_scores), scores_case, 2, 1e-4f,
      .hints = { { "a score is not that of the query and the token's key",
                   "in which row does key j stand, and where does that row begin?",
                   "scores[j] = Σ q[c] · keys[my_row(j) · d + c]" } },
      .wrong = { { AS(Scores, first_keys), "the keys are read from row 0 on: these belong to others, too" },
                 { AS(Scores, read_on), "the keys are read on behind the first page; the next page may lie elsewhere" },
                 { AS(Scores, over_root), "this is divided by √d: the task asks for the bare product" } } },
    { AS(Append, my_append), AS(Append, append_by), append_case, COUNT(texts), .explain = append_hints,
      .faulty = AS(Append, append_by),
      .wrong = { FAULT(NO_COPY, "a page was written that others hold: they read the new row as theirs"),
                 FAULT(EMPTY_COPY, "the page of its own lacks what stood in the old one"),
                 FAULT(NOT_DROPPED, "the text is still counted as a holder of the page that it has left"),
                 FAULT(ALWAYS_COPIES,
                       "a page was copied that nobody else holds: its free rows are the text's to write"),
                 FAULT(NOT_TAKEN, "the page that was taken still stands among the free ones"),
                 FAULT(FAILS_LATE, "no page is left, and yet something was changed") } },
};
EXERCISE("20a", tasks)
