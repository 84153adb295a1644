// Exercise 16d: my_predictions. Turns are counted; no answer is printed.
#include "base/portable_math.h"
#include "exercises/judge.h"

extern double my_predictions[15];

enum { LANES = 32, BANKS = 32 };
typedef struct {
    double wrong;
    const char *words;
} Known;
typedef struct {
    double right;
    Known known[4];
    const char *question, *formula;
} Question;

// The most different numbers that lie in one bank.
static double turns_of(int number(int lane))
{
    int most = 0;
    for (int bank = 0; bank < BANKS; bank++) {
        int different = 0;
        for (int lane = 0; lane < LANES; lane++) {
            bool asked_before = false;
            for (int other = 0; other < lane; other++) asked_before = asked_before || number(other) == number(lane);
            different += number(lane) % BANKS == bank && !asked_before;
        }
        most = different > most ? different : most;
    }
    return most;
}

// Bytes at which the lanes read, to pieces.
static double pieces_of(int step)
{
    bool seen[LANES * 256 / 32] = { false };
    int pieces = 0;
    for (int lane = 0; lane < LANES; lane++) {
        pieces += !seen[lane * step / 32];
        seen[lane * step / 32] = true;
    }
    return pieces;
}

static int row_of_tile(int lane) { return lane; }
static int column_of_32(int lane) { return 32 * lane; }
static int column_of_33(int lane) { return 33 * lane; }
static int column_of_36(int lane) { return 36 * lane; }
static int four_by_four(int lane) { return 32 * (lane / 4) + lane % 4; }
static int the_same(int lane) { return 0 * lane; }
static int every_other(int lane) { return 2 * lane; }

static void ask(Judge *judge, int n, Question q)
{
    double said = my_predictions[n], near = n == 14 ? 0.5 : 1e-6; // a share, rounded to a percent, will do
    judge_trying(judge, "prediction %d: %.10g", n + 1, said);
    judge_claim(judge, said >= 0, (Hints){ .property = "nothing is predicted yet" });
    Hints hints = { said > q.right ? "it is less" : "it is more", q.question, q.formula };
    if (n != 14 && said != floor(said))
        hints.property = "it is a whole number: what is begun counts in full, or not at all";
    for (int e = 0; e < 4 && q.known[e].words; e++)
        if (n == 14 ? fabs(said - q.known[e].wrong) <= near : said == q.known[e].wrong)
            hints.property = q.known[e].words;
    judge_claim(judge, fabs(said - q.right) <= near, hints);
}

static void banks(Judge *judge)
{
    static const char *const which = "write down the banks of lanes 0, 1, 2, 3 …: which come twice?";
    static const char *const rule = "the most different numbers in one bank";
    ask(judge, 0,
        (Question){ turns_of(row_of_tile),
                    { { 32, "neighbours lie in different banks" }, { 0, "one turn is the least" } },
                    which,
                    rule });
    ask(judge, 1,
        (Question){ turns_of(column_of_32),
                    { { 1, "a row further is 32 numbers further: which bank is that?" },
                      { 8, "eight rows of 16-bit numbers take eight; these are 32" } },
                    which,
                    rule });
    ask(judge, 2,
        (Question){ turns_of(column_of_33),
                    { { 32, "a row is 33 numbers long now: how far apart are banks?" },
                      { 2, "33 is odd: lane · 33 % 32 takes every value once" } },
                    which,
                    rule });
    ask(judge, 3,
        (Question){ turns_of(column_of_36),
                    { { 1, "one number more a row is enough; four more come round to the same banks after eight rows" },
                      { 32, "rows begin four banks apart" },
                      { 8, "how many different banks are asked, by 32 lanes?" } },
                    which,
                    rule });
    ask(judge, 4,
        (Question){ turns_of(four_by_four),
                    { { 1, "eight rows begin in the same bank" },
                      { 32, "four lanes of a row read neighbours" },
                      { 4, "how many rows are asked?" } },
                    which,
                    rule });
    ask(judge, 5,
        (Question){
            turns_of(the_same), { { 32, "they all want the same number: one answer serves all" } }, which, rule });
    ask(judge, 6,
        (Question){ turns_of(every_other),
                    { { 1, "only the even banks are asked: how many are these?" },
                      { 32, "lanes 0 and 1 read from banks 0 and 2" },
                      { 16, "lanes 0 and 16 meet in a bank: who else does?" } },
                    which,
                    rule });
}

static void pieces(Judge *judge)
{
    static const char *const which = "how many bytes lie between what lane 0 and lane 31 read?";
    static const char *const rule = "the different ⌊byte / 32⌋ of 32 lanes";
    ask(judge, 7,
        (Question){ pieces_of(4),
                    { { 32, "neighbours share a piece" },
                      { 1, "a piece has 32 bytes: how many have 32 float numbers?" },
                      { 8, "so many numbers has a piece: how many pieces have the numbers?" } },
                    which,
                    rule });
    ask(judge, 8,
        (Question){ pieces_of(2),
                    { { 4, "these numbers have 16 bits, not 32" }, { 1, "32 bytes are sixteen of these numbers" } },
                    which,
                    rule });
    ask(judge, 9,
        (Question){ pieces_of(256),
                    { { 1, "a row of x is 64 numbers long: how many bytes lie between lanes 0 and 1?" },
                      { 4, "the numbers lie a row apart: which of them share a piece?" },
                      { 64, "one number lies in one piece" },
                      { 256, "only one number of each row is read" } },
                    which,
                    rule });
    ask(judge, 10,
        (Question){ pieces_of(16),
                    { { 1, "the lanes are 16 bytes apart: how many share a piece?" },
                      { 4, "between two that are read lie three that are not" },
                      { 32, "two that are read share a piece: they lie 16 bytes apart" },
                      { 8, "lanes 0 and 1 share a piece; does lane 2?" } },
                    which,
                    rule });
}

static void launches(Judge *judge)
{
    const double scores = 100 * 50, threads = 128, blocks = ceil(scores / threads);
    const double by_registers = floor(65536 / (threads * 96)), by_shared = floor(228.0 / 40);
    double fit = fmin(fmin(by_registers, by_shared), 64 / (threads / 32));
    ask(judge, 11,
        (Question){ blocks,
                    { { floor(scores / threads), "the last scores need a block, too: round up" },
                      { scores, "a block has 128 threads" },
                      { 100, "a thread has one score, not a row of them" } },
                    "how many scores are there, and how many does a block make?",
                    "⌈T · S / threads⌉" });
    ask(judge, 12,
        (Question){ blocks * threads - scores,
                    { { blocks * threads, "so many threads are there in all" },
                      { 0, "blocks have 128 threads each, whatever is left to do" },
                      { 8, "so many are busy in the last block" },
                      { 56, "in blocks of 64 threads it would be so many; these have 128" } },
                    "how many threads are there in all?",
                    "blocks · threads − T · S" });
    ask(judge, 13,
        (Question){ fit,
                    { { 16, "so many have room by their warps: by registers and shared memory, too?" },
                      { 682, "so many threads have registers: how many blocks is that?" },
                      { 6, "a block that does not fit whole does not fit" } },
                    "how many fit by registers, how many by shared memory, how many by warps?",
                    "the least of ⌊registers⌋, ⌊shared memory⌋, ⌊warps⌋" });
    ask(judge, 14,
        (Question){ 100 * fit * threads / 32 / 64,
                    { { 100 * fit / 64, "that is blocks in 64: a block has more warps than one" },
                      { 100, "that would be sixteen blocks" },
                      { fit * threads / 32 / 64, "in percent" },
                      { fit * threads / 32, "so many warps: which share of 64 is that?" } },
                    "how many warps has a block?",
                    "100 · blocks · threads / 32 / 64" });
}

static void check(Judge *judge)
{
    banks(judge);
    pieces(judge);
    launches(judge);
}

int main(void) { return judge_main("16d", check); }
