// Exercise 12c: my_finding.
#include "exercises/judge.h"

Letters my_finding;

static const struct {
    int L, D, H, G, d;
    long bytes; // as the exercise's table has them
} table[] = {
    { 32, 4096, 32, 8, 128, 524288 }, { 80, 8192, 64, 8, 128, 163840 },  { 118, 18432, 48, 1, 256, 181248 },
    { 60, 8192, 128, 8, 64, 2048 },   { 40, 5120, 40, 10, 128, 409600 },
};
static const char right[] = "BADEC";

// Bytes of a token in that row, with that mistake; 0: with none.
static long bytes_with(int row, char mistake)
{
    long heads = mistake == 'B' ? table[row].H : table[row].G;
    long width = mistake == 'D' ? table[row].D / table[row].H : table[row].d;
    long numbers = (mistake == 'A' ? 1 : 2) * heads * width;
    if (mistake == 'F') numbers += (long)table[row].H * table[row].d;
    return numbers * (mistake == 'E' ? 1 : table[row].L) * (mistake == 'C' ? 4 : 2);
}

static const char *property(Arena *arena, char named, int row)
{
    REQUIRE(bytes_with(row, right[row]) == table[row].bytes, "row %d has other bytes", row);
    return arena_format(arena, "with the mistake '%c' row %d would have %ld bytes, and without a mistake %ld", named,
                        row, bytes_with(row, named), bytes_with(row, 0));
}

#define QUESTION "by what factor is the row off, and which of its numbers have that quotient?"
static const char *const questions[] = { QUESTION, QUESTION, QUESTION, QUESTION, QUESTION };

static void check(Judge *judge, Function f)
{
    judge_letters(judge, (Letters *)f,
                  (Diagnosis){ "my_finding of row", right, 'F', questions, "bytes = 2 · G · d · L · 2", property });
}

static char truth(int row) { return right[row]; }
static char no_letter(int row) { return "?ADEC"[row]; }
static char first(int row) { return "CADEC"[row]; }
static char last(int row) { return "BADEF"[row]; }

static const Task tasks[] = {
    { AS(Letters, my_finding), AS(Letters, truth), .check = check,
      .wrong = { { AS(Letters, no_letter), "the answer is a letter from 'A' to 'F'" },
                 { AS(Letters, first), .told = "with the mistake 'C' row 0 would have 262144 bytes" },
                 { AS(Letters, last), .told = "with the mistake 'F' row 4 would have 614400 bytes" } } },
};
EXERCISE("12c", tasks)
