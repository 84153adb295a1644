// Exercise 12c: my_finding.
#include "exercises/judge.h"

#include <string.h>

char my_finding(int row);

enum { ROWS = 5 };
static const struct {
    int L, D, H, G, d;
    long bytes;
    char mistake;
} table[ROWS] = {
    { 32, 4096, 32, 8, 128, 524288, 'B' },   { 80, 8192, 64, 8, 128, 163840, 'A' },
    { 118, 18432, 48, 1, 256, 181248, 'D' }, { 60, 8192, 128, 8, 64, 2048, 'E' },
    { 40, 5120, 40, 10, 128, 409600, 'C' },
};

// Bytes of a token in that row, with that mistake; any other letter: with none.
static long bytes_with(int row, char mistake)
{
    long heads = mistake == 'B' ? table[row].H : table[row].G;
    long width = mistake == 'D' ? table[row].D / table[row].H : table[row].d;
    long numbers = (mistake == 'A' ? 1 : 2) * heads * width;
    if (mistake == 'F') numbers += (long)table[row].H * table[row].d;
    return numbers * (mistake == 'E' ? 1 : table[row].L) * (mistake == 'C' ? 4 : 2);
}

static void check(Judge *judge)
{
    for (int row = 0; row < ROWS; row++) {
        REQUIRE(bytes_with(row, table[row].mistake) == table[row].bytes, "row %d has %ld", row,
                bytes_with(row, table[row].mistake));
        char said = my_finding(row);
        judge_trying(judge, "my_finding of row %d: '%c'", row, said ? said : '0');
        const char *property =
            !said || !strchr("ABCDEF", said)
                ? "the answer is a letter from 'A' to 'F'"
                : arena_format(judge->arena,
                               "with the mistake '%c' row %d would have %ld bytes, and without a mistake %ld", said,
                               row, bytes_with(row, said), bytes_with(row, 0));
        judge_claim(judge, said == table[row].mistake,
                    (Hints){ property, "by what factor is the row off, and which of its numbers have that quotient?",
                             "bytes = 2 · G · d · L · 2" });
    }
}

int main(void) { return judge_main("12c", check); }
