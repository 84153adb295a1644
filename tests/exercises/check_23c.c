// Exercise 23c: seven numbers of bytes.
#include "exercises/predicted.h"

float my_block(void);
float my_forward(void);
float my_backward(void);
float my_ulysses(void);
float my_all_reduce(void);
float my_all_key_heads(void);
float my_sixteen_ranks(void);

// All answers are asked for in MiB, and all may come in MB, 10^6 bytes: that is one more belief.
static void predicted(Judge *judge, float got, Prediction p)
{
    int known = 0;
    while (known < MOST_BELIEFS - 1 && p.beliefs[known].words) known++;
    if (fabs((double)got - p.right * 1.048576) <= 0.06)
        p.beliefs[known] = (Belief){ got, "this is in MB, 10^6 bytes; a MiB has 2^20" };
    judge_prediction(judge, got, p);
}

static void of_the_ring(Judge *judge)
{
    predicted(judge, my_block(),
              (Prediction){
                  .what = "my_block",
                  .right = 32,
                  .question =
                      "how many rows has a rank, how many key heads are in a row, and what is in it beside keys?",
                  .formula = "T/R · G · (d + dv) · 2 bytes",
                  .beliefs = { { 16, "keys and values both are in a block; or a number has two bytes" },
                               { 128, "a block has key heads, not query heads" },
                               { 256, "these are all ranks' keys and values" },
                               { 64, "numbers have 2 bytes here" },
                               { 4, "every key head is in the block" },
                               { 8, "keys and values both are in a block, and a number has 2 bytes" } } });
    predicted(judge, my_forward(),
              (Prediction){
                  .what = "my_forward",
                  .right = 224,
                  .question = "how many steps are there, and in which of them is nothing sent?",
                  .formula = "(R − 1) blocks",
                  .beliefs = {
                      { 256, "in the last step nothing is sent" },
                      { 32, "this is one step" },
                      { 28, "a rank passes whole blocks on, not a part of one" },
                      { 448, "that is what it sends and receives together" },
                      { 1792, "this is what all ranks send" },
                      { 112, "keys and values both are sent on, whether a rank's queries see them or not" } } });
    predicted(judge, my_backward(),
              (Prediction){
                  .what = "my_backward",
                  .right = 448,
                  .question = "what goes round, and how often is each of these sent? What never leaves its owner?",
                  .formula = "keys and values R − 1 times, and their gradients R − 1 times",
                  .beliefs = { { 224, "keys and values go round again; their gradients go with them" },
                               { 480, "the owner's own part of the gradients never leaves it: R − 1 sends, not R" },
                               { 512, "nothing is sent R times" },
                               { 672, "this is there and back together" },
                               { 896, "queries and their gradients stay at home" } } });
}

static void of_others(Judge *judge)
{
    predicted(judge, my_ulysses(),
              (Prediction){
                  .what = "my_ulysses",
                  .right = 140,
                  .question =
                      "how wide is a row of queries, of keys, of values, of outputs, and which share of it leaves?",
                  .formula = "(R − 1)/R · T/R · (H d + G d + G dv + H dv) · 2 bytes",
                  .beliefs = {
                      { 160, "a rank keeps what is its own: an R-th does not leave" },
                      { 84, "the outputs must be sent back" },
                      { 224, "keys and values have 8 heads, not 32" },
                      { 112, "keys and values are sent, too" },
                      { 1120, "this is what all ranks send; or each gets all of a rank's heads, not an R-th of them" },
                      { 28, "queries and outputs are sent, too" },
                      { 980, "(R − 1)/R of a rank's rows go to all others together, not to each" } } });
    predicted(judge, my_all_reduce(),
              (Prediction){ .what = "my_all_reduce",
                            .right = 896,
                            .question = "how many parts does each rank send, and how large are they?",
                            .formula = "2 (R − 1)/R · T D · 2 bytes",
                            .beliefs = { { 448, "sums grow once round, and then they are sent round" },
                                         { 1024, "a rank sends R − 1 of R parts each time" },
                                         { 512, "this is the output itself" },
                                         { 112, "the whole output has T rows, not T/R" },
                                         { 3584, "nobody sends all to all" },
                                         { 1792, "numbers have 2 bytes; and what a rank receives is not counted" } } });
    predicted(judge, my_all_key_heads(),
              (Prediction){ .what = "my_all_key_heads",
                            .right = 896,
                            .question = "by what does a block grow?",
                            .formula = "as before, with G = 32",
                            .beliefs = { { 224, "blocks consist of key heads: four times as many" },
                                         { 1024, "in the last step nothing is sent" },
                                         { 448, "all of a block is key heads: keys and values" } } });
    predicted(judge, my_sixteen_ranks(),
              (Prediction){ .what = "my_sixteen_ranks",
                            .right = 240,
                            .question = "how large is a block now, and how many are sent?",
                            .formula = "(R − 1)/R of all keys and values",
                            .beliefs = { { 480, "there are more steps, but blocks are half as large" },
                                         { 112, "blocks are half as large, but there are more steps" },
                                         { 256, "in the last step nothing is sent" },
                                         { 224, "it grows a little, towards all keys and values" } } });
}

static void check(Judge *judge)
{
    of_the_ring(judge);
    of_others(judge);
}

int main(void) { return judge_main("23c", check); }
