// Exercise 23c: seven numbers of bytes.
#include "base/portable_math.h"
#include "exercises/judge.h"

typedef float Number(void);
Number my_block, my_forward, my_backward, my_ulysses, my_all_reduce, my_all_key_heads, my_sixteen_ranks;
static Number *const numbers[] = { my_block,      my_forward,       my_backward,     my_ulysses,
                                   my_all_reduce, my_all_key_heads, my_sixteen_ranks };

// All answers are asked for in MiB, and all may come in MB.
#define MB(mib) \
    { \
        mib * 1.048576, "this is in MB, 10^6 bytes; a MiB has 2^20" \
    }

// clang-format off
static const Prediction predictions[] = {
    { "my_block", 32, 0, "how many rows has a rank, how many key heads are in a row, and what is in it beside keys?",
      "T/R · G · (d + dv) · 2 bytes", { MB(32),
        { 16, "keys and values both are in a block; or a number has two bytes" },
        { 128, "a block has key heads, not query heads" },
        { 256, "these are all ranks' keys and values" },
        { 64, "numbers have 2 bytes here" },
        { 4, "every key head is in the block" },
        { 8, "keys and values both are in a block, and a number has 2 bytes" } } },
    { "my_forward", 224, 0, "how many steps are there, and in which of them is nothing sent?", "(R − 1) blocks", {
        MB(224),
        { 256, "in the last step nothing is sent" },
        { 32, "this is one step" },
        { 28, "a rank passes whole blocks on, not a part of one" },
        { 448, "that is what it sends and receives together" },
        { 1792, "this is what all ranks send" },
        { 112, "keys and values both are sent on, whether a rank's queries see them or not" } } },
    { "my_backward", 448, 0, "what goes round, and how often is each of these sent? What never leaves its owner?",
      "keys and values R − 1 times, and their gradients R − 1 times", { MB(448),
        { 224, "keys and values go round again; their gradients go with them" },
        { 480, "the owner's own part of the gradients never leaves it: R − 1 sends, not R" },
        { 512, "nothing is sent R times" },
        { 672, "this is there and back together" },
        { 896, "queries and their gradients stay at home" } } },
    { "my_ulysses", 140, 0,
      "how wide is a row of queries, of keys, of values, of outputs, and which share of it leaves?",
      "(R − 1)/R · T/R · (H d + G d + G dv + H dv) · 2 bytes", { MB(140),
        { 160, "a rank keeps what is its own: an R-th does not leave" },
        { 84, "the outputs must be sent back" },
        { 224, "keys and values have 8 heads, not 32" },
        { 112, "keys and values are sent, too" },
        { 1120, "this is what all ranks send; or each gets all of a rank's heads, not an R-th of them" },
        { 28, "queries and outputs are sent, too" },
        { 980, "(R − 1)/R of a rank's rows go to all others together, not to each" } } },
    { "my_all_reduce", 896, 0, "how many parts does each rank send, and how large are they?",
      "2 (R − 1)/R · T D · 2 bytes", { MB(896),
        { 448, "sums grow once round, and then they are sent round" },
        { 1024, "a rank sends R − 1 of R parts each time" },
        { 512, "this is the output itself" },
        { 112, "the whole output has T rows, not T/R" },
        { 3584, "nobody sends all to all" },
        { 1792, "numbers have 2 bytes; and what a rank receives is not counted" } } },
    { "my_all_key_heads", 896, 0, "by what does a block grow?", "as before, with G = 32", { MB(896),
        { 224, "blocks consist of key heads: four times as many" },
        { 1024, "in the last step nothing is sent" },
        { 448, "all of a block is key heads: keys and values" } } },
    { "my_sixteen_ranks", 240, 0, "how large is a block now, and how many are sent?",
      "(R − 1)/R of all keys and values", { MB(240),
        { 480, "there are more steps, but blocks are half as large" },
        { 112, "blocks are half as large, but there are more steps" },
        { 256, "in the last step nothing is sent" },
        { 224, "it grows a little, towards all keys and values" } } },
};
// clang-format on

static void check(Judge *judge, Function f)
{
    (void)f;
    for (int n = 0; n < COUNT(predictions); n++) {
        Prediction p = predictions[n];
        double got = (double)numbers[n]();
        if (fabs(got - p.beliefs[0].value) <= 0.06) p.beliefs[0].value = got; // one decimal of MB is enough
        judge_prediction(judge, got, p);
    }
}

static const Task tasks[] = { { .check = check } };
EXERCISE("23c", tasks)
