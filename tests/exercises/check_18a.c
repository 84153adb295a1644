// Exercise 18a: my_ring.
#include "exercises/judge.h"

void my_ring(int *kept, int sinks, int window, int length);

// Ways to go wrong; RIGHT is none.
typedef enum {
    RIGHT,
    SINKS_WRITTEN_OVER,
    COUNTED_WITH_SINKS,
    ALL_ROWS_ARE_RING,
    ONE_TOO_FEW,
    ONE_TOO_MANY,
    SORTED,
    NEWEST_FIRST,
    STOPS,
    NUMBERS_OF_THE_RING,
    NEWEST_OVER_NEWEST,
    BACKWARDS,
    SINKS_LAST,
    OLDEST_STAYS,
    EMPTY_IS_0,
    FROM_ONE,
    EARLY,
    SINKS_WITHIN,
    STARTS_SECOND,
    SINK_AGAIN
} Way;

// Token by token, as the task says it.
static Mat rows_of(Arena *arena, int sinks, int window, int length, Way way)
{
    int rows = sinks + window, tokens = way == ONE_TOO_FEW ? length - 1 : way == ONE_TOO_MANY ? length + 1 : length;
    Mat kept = mat_new(arena, 1, rows);
    mat_fill(kept, way == EMPTY_IS_0 ? 0.0f : -1.0f);
    for (int row = 0; row < rows && way == EARLY; row++) *mat_ref(kept, 0, row) = (float)row;
    for (int t = 0; t < tokens; t++) {
        int in_ring = t - sinks, row = t < sinks ? t : sinks + in_ring % window;
        if (way == SINKS_WRITTEN_OVER && t >= sinks) row = in_ring < window ? t : in_ring % rows;
        if (way == COUNTED_WITH_SINKS && t >= sinks) row = sinks + t % window;
        if (way == ALL_ROWS_ARE_RING) row = t % rows;
        if (way == STOPS && t >= rows) continue;
        if (way == NEWEST_OVER_NEWEST && t >= rows) row = rows - 1;
        if (way == BACKWARDS && t >= sinks) row = rows - 1 - in_ring % window;
        if (way == SINKS_LAST) row = t < sinks ? window + t : in_ring % window;
        if (way == SINKS_WITHIN && t >= sinks) row = sinks + in_ring % (window > sinks ? window - sinks : 1);
        if (way == STARTS_SECOND && t >= sinks) row = sinks + (in_ring + 1) % window;
        if (way == OLDEST_STAYS && in_ring >= window)
            row = sinks + (in_ring - window) % (window > 1 ? window - 1 : 1) + (window > 1);
        *mat_ref(kept, 0, row) = (float)(way == NUMBERS_OF_THE_RING && t >= sinks ? in_ring : t + (way == FROM_ONE));
    }
    // The newest token that belongs into a row of the ring, by a remainder, though it is a sink and lies elsewhere.
    for (int row = sinks; row < rows && way == SINK_AGAIN; row++) {
        int newest = length - 1 - ((length - 1 - row) % window + window) % window;
        if (newest >= 0 && newest < sinks) *mat_ref(kept, 0, row) = (float)newest;
    }
    for (int row = sinks; row < rows && (way == SORTED || way == NEWEST_FIRST); row++) {
        int oldest = length > rows ? length - window : sinks, t = oldest + row - sinks;
        int newest = length - 1 - (row - sinks);
        *mat_ref(kept, 0, row) = way == SORTED      ? (t < length ? (float)t : -1.0f)
                                 : newest >= oldest ? (float)newest
                                                    : -1.0f;
    }
    return kept;
}

static void one_case(Judge *judge, int sinks, int window, int length)
{
    Arena *arena = judge->arena;
    int rows = sinks + window, kept[64], unwritten = -12345;
    for (int row = 0; row < 64; row++) kept[row] = unwritten;
    judge_trying(judge, "my_ring of %d sink%s, a window of %d, %d token%s", sinks, sinks == 1 ? "" : "s", window,
                 length, length == 1 ? "" : "s");
    my_ring(kept, sinks, window, length);
    Mat got = judge_output(judge, 1, rows);
    int written = 0;
    for (int row = 0; row < rows; row++) {
        written += kept[row] != unwritten;
        *mat_ref(got, 0, row) = (float)kept[row];
    }
    judge_claim(judge, written > 0, (Hints){ "nothing is written into kept yet", NULL, NULL });
    judge_claim(judge, written == rows,
                (Hints){ "some rows of kept are not written: a row without a token is -1", NULL, NULL });
    judge_claim(judge, kept[rows] == unwritten,
                (Hints){ "there are sinks + window rows; one behind them was written", NULL, NULL });
    judge_answer(
        judge,
        (Answer){
            .got = got,
            .expected = rows_of(arena, sinks, window, length, RIGHT),
            .hints = { .property = "a row has another token than it should, or none",
                       .question = "how many tokens of the ring have come before token j, and which row is next then?",
                       .formula =
                           "token j ≥ sinks lies in row sinks + (j − sinks) mod window, until j + window comes" },
            .mistakes = {
                { "the ring turns over the sinks as well: they stay, whatever comes",
                  rows_of(arena, sinks, window, length, ALL_ROWS_ARE_RING) },
                { "when the ring is full it begins anew at row 0: its first row is row `sinks`",
                  rows_of(arena, sinks, window, length, SINKS_WRITTEN_OVER) },
                { "the ring counts j instead of j - sinks: the first token behind the sinks goes into its first row",
                  rows_of(arena, sinks, window, length, COUNTED_WITH_SINKS) },
                { "one token is missing: the newest is number length - 1, and it is there",
                  rows_of(arena, sinks, window, length, ONE_TOO_FEW) },
                { "one token too many: number length has not come yet",
                  rows_of(arena, sinks, window, length, ONE_TOO_MANY) },
                { "these are the right tokens, from the oldest to the newest: in a ring nothing is moved, each stays in "
                  "its row",
                  rows_of(arena, sinks, window, length, SORTED) },
                { "these are the right tokens, from the newest to the oldest: in a ring nothing is moved, each stays in "
                  "its row",
                  rows_of(arena, sinks, window, length, NEWEST_FIRST) },
                { "the ring keeps its first tokens and takes no more: the newest must be there",
                  rows_of(arena, sinks, window, length, STOPS) },
                { "tokens are counted from the first of all, sinks included; here the ring counts from 0",
                  rows_of(arena, sinks, window, length, NUMBERS_OF_THE_RING) },
                { "each new token is written over the newest: it belongs over the oldest",
                  rows_of(arena, sinks, window, length, NEWEST_OVER_NEWEST) },
                { "the ring is filled from its last row on: it begins with its first",
                  rows_of(arena, sinks, window, length, BACKWARDS) },
                { "the sinks lie behind the ring here; they are rows 0 … sinks - 1",
                  rows_of(arena, sinks, window, length, SINKS_LAST) },
                { "the oldest token of the ring stays for ever, as if it were one more sink",
                  rows_of(arena, sinks, window, length, OLDEST_STAYS) },
                { "a row of the ring where no token lies yet has the number of a sink: it is -1",
                  rows_of(arena, sinks, window, length, SINK_AGAIN) },
                { "a row where no token lies yet is -1; 0 is a token",
                  rows_of(arena, sinks, window, length, EMPTY_IS_0) },
                { "a row where no token lies yet names one that has not come yet: it is -1",
                  rows_of(arena, sinks, window, length, EARLY) },
                { "the sinks take rows of the ring here; it has `window` rows behind them",
                  rows_of(arena, sinks, window, length, SINKS_WITHIN) },
                { "the ring is filled from its second row on: it begins with its first",
                  rows_of(arena, sinks, window, length, STARTS_SECOND) },
                { "tokens are numbered from 0 on, here from 1", rows_of(arena, sinks, window, length, FROM_ONE) } } });
}

static void check(Judge *judge)
{
    one_case(judge, 0, 4, 2);
    one_case(judge, 0, 4, 9);
    one_case(judge, 1, 4, 4);
    one_case(judge, 1, 4, 8);
    one_case(judge, 3, 4, 2);
    one_case(judge, 3, 5, 21);
    one_case(judge, 2, 1, 7);
    one_case(judge, 0, 3, 0);
    one_case(judge, 4, 12, 20000);
}

int main(void) { return judge_main("18a", check); }
