// Exercise 16d: my_predictions.
#include "base/portable_math.h"
#include "exercises/judge.h"

extern double my_predictions[15];

#define BANKS  "write down the banks of lanes 0, 1, 2, 3 …: which come twice?", "the most different numbers in one bank"
#define PIECES "how many bytes lie between what lane 0 and lane 31 read?", "the different ⌊byte / 32⌋ of 32 lanes"
#define WHOLE  "it is a whole number: what is begun counts in full, or not at all"

// clang-format off
static const Prediction predictions[] = {
    { "prediction 1", 1, 0, BANKS, {
        { 32, "neighbours lie in different banks" },
        { 0, "one turn is the least" } } },
    { "prediction 2", 32, 0, BANKS, {
        { 1, "a row further is 32 numbers further: which bank is that?" },
        { 8, "eight rows of 16-bit numbers take eight; these are 32" } } },
    { "prediction 3", 1, 0, BANKS, {
        { 32, "a row is 33 numbers long now: how far apart are banks?" },
        { 2, "33 is odd: lane · 33 % 32 takes every value once" } } },
    { "prediction 4", 4, 0, BANKS, {
        { 1, "one number more a row is enough; four more come round to the same banks after eight rows" },
        { 32, "rows begin four banks apart" },
        { 8, "how many different banks are asked, by 32 lanes?" } } },
    { "prediction 5", 8, 0, BANKS, {
        { 1, "eight rows begin in the same bank" },
        { 32, "four lanes of a row read neighbours" },
        { 4, "how many rows are asked?" } } },
    { "prediction 6", 1, 0, BANKS, {
        { 32, "they all want the same number: one answer serves all" } } },
    { "prediction 7", 2, 0, BANKS, {
        { 1, "only the even banks are asked: how many are these?" },
        { 32, "lanes 0 and 1 read from banks 0 and 2" },
        { 16, "lanes 0 and 16 meet in a bank: who else does?" } } },
    { "prediction 8", 4, 0, PIECES, {
        { 32, "neighbours share a piece" },
        { 1, "a piece has 32 bytes: how many have 32 float numbers?" },
        { 8, "so many numbers has a piece: how many pieces have the numbers?" } } },
    { "prediction 9", 2, 0, PIECES, {
        { 4, "these numbers have 16 bits, not 32" },
        { 1, "32 bytes are sixteen of these numbers" } } },
    { "prediction 10", 32, 0, PIECES, {
        { 1, "a row of x is 64 numbers long: how many bytes lie between lanes 0 and 1?" },
        { 4, "the numbers lie a row apart: which of them share a piece?" },
        { 64, "one number lies in one piece" },
        { 256, "only one number of each row is read" } } },
    { "prediction 11", 16, 0, PIECES, {
        { 1, "the lanes are 16 bytes apart: how many share a piece?" },
        { 4, "between two that are read lie three that are not" },
        { 32, "two that are read share a piece: they lie 16 bytes apart" },
        { 8, "lanes 0 and 1 share a piece; does lane 2?" } } },
    { "prediction 12", 40, 0, "how many scores are there, and how many does a block make?", "⌈T · S / threads⌉", {
        { 39, "the last scores need a block, too: round up" },
        { 5000, "a block has 128 threads" },
        { 100, "a thread has one score, not a row of them" },
        { 39.0625, WHOLE } } },
    { "prediction 13", 120, 0, "how many threads are there in all?", "blocks · threads − T · S", {
        { 5120, "so many threads are there in all" },
        { 0, "blocks have 128 threads each, whatever is left to do" },
        { 8, "so many are busy in the last block" },
        { 56, "in blocks of 64 threads it would be so many; these have 128" } } },
    { "prediction 14", 5, 0, "how many fit by registers, how many by shared memory, how many by warps?",
      "the least of ⌊registers⌋, ⌊shared memory⌋, ⌊warps⌋", {
        { 16, "so many have room by their warps: by registers and shared memory, too?" },
        { 682, "so many threads have registers: how many blocks is that?" },
        { 6, "a block that does not fit whole does not fit" },
        { 5.7, WHOLE } } },
    { "prediction 15", 31.25, 0.5, "how many warps has a block?", "100 · blocks · threads / 32 / 64", {
        { 7.8125, "that is blocks in 64: a block has more warps than one" },
        { 100, "that would be sixteen blocks" },
        { 0.3125, "in percent" },
        { 20, "so many warps: which share of 64 is that?" } } },
};
// clang-format on

static void check(Judge *judge, Function f)
{
    (void)f;
    for (int n = 0; n < COUNT(predictions); n++) {
        Prediction p = predictions[n];
        p.low = p.right;
        p.high = HUGE_VAL;
        p.outside = "it is more";
        p.otherwise = "it is less";
        judge_prediction(judge, my_predictions[n] < 0.0 ? (double)NAN : my_predictions[n], p);
    }
}

static const Task tasks[] = { { .check = check } };
EXERCISE("16d", tasks)
