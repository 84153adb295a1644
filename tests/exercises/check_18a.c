// Exercise 18a: my_ring.
#include "exercises/judge.h"

typedef void Ring(int *kept, int sinks, int window, int length);
Ring my_ring;

static const int cases[][3] = { { 0, 4, 2 },  { 0, 4, 9 }, { 1, 4, 4 }, { 1, 4, 8 },     { 3, 4, 2 },
                                { 3, 5, 21 }, { 2, 1, 7 }, { 0, 3, 0 }, { 4, 12, 20000 } };
enum { UNWRITTEN = -12345 };

static void ring_case(Judge *judge, Function f, int n)
{
    int sinks = cases[n][0], window = cases[n][1], length = cases[n][2], rows = sinks + window, all[64], written = 0;
    for (int row = 0; row < COUNT(all); row++) all[row] = UNWRITTEN;
    Mat kept = judge_output(judge, 1, rows);
    judge_trying(judge, "my_ring of %d sink%s, a window of %d, %d token%s", sinks, sinks == 1 ? "" : "s", window,
                 length, length == 1 ? "" : "s");
    ((Ring *)f)(all, sinks, window, length);
    for (int row = 0; row < rows; row++) {
        kept.at[row] = (float)all[row];
        written += all[row] != UNWRITTEN;
    }
    judge_claim(judge, written > 0, (Hints){ "nothing is written into kept yet" });
    judge_claim(judge, written == rows, (Hints){ "some rows of kept are not written: a row without a token is -1" });
    judge_claim(judge, all[rows] == UNWRITTEN, (Hints){ "there are sinks + window rows; one behind them was written" });
}

// The newest token of each row, counted back from the last one.
static void right_ring(int *kept, int sinks, int window, int length)
{
    for (int row = 0; row < sinks; row++) kept[row] = row < length ? row : -1;
    for (int row = 0; row < window; row++) {
        int in_ring = length - sinks, round = in_ring > row ? (in_ring - 1 - row) / window : -1;
        kept[sinks + row] = round < 0 ? -1 : sinks + row + round * window;
    }
}

enum { ALL_IS_RING, BEGINS_AT_0, WITH_SINKS, STOPS, ONE_TOO_FEW, EMPTY_IS_0 };

// Token by token, as the task says it.
static void faulty_ring(int *kept, int sinks, int window, int length)
{
    const int fault = judge_fault, rows = sinks + window;
    for (int row = 0; row < rows; row++) kept[row] = fault == EMPTY_IS_0 ? 0 : -1;
    for (int t = 0; t < length - (fault == ONE_TOO_FEW); t++) {
        int in_ring = t - sinks, row = t < sinks ? t : sinks + in_ring % window;
        if (fault == ALL_IS_RING) row = t % rows;
        if (fault == BEGINS_AT_0 && t >= rows) row = in_ring % rows;
        if (fault == WITH_SINKS && t >= sinks) row = sinks + t % window;
        if (fault == STOPS && t >= rows) break;
        kept[row] = t;
    }
}

static const Task tasks[] = {
    { AS(Ring, my_ring), AS(Ring, right_ring), ring_case, COUNT(cases), .faulty = AS(Ring, faulty_ring),
      .hints = { { "a row has another token than it should, or none",
                   "how many tokens of the ring have come before token j, and which row is next then?",
                   "token j ≥ sinks lies in row sinks + (j − sinks) mod window, until j + window comes" } },
      .wrong = { FAULT(ALL_IS_RING, "the ring turns over the sinks as well: they stay, whatever comes"),
                 FAULT(BEGINS_AT_0, "when the ring is full it begins anew at row 0: its first row is row `sinks`"),
                 FAULT(WITH_SINKS, "the ring counts j instead of j - sinks: the first token behind the sinks goes into "
                                   "its first row"),
                 FAULT(STOPS, "the ring keeps its first tokens and takes no more: the newest must be there"),
                 FAULT(ONE_TOO_FEW, "one token is missing: the newest is number length - 1, and it is there"),
                 FAULT(EMPTY_IS_0, "a row where no token lies yet is -1; 0 is a token") } },
};
EXERCISE("18a", tasks)
