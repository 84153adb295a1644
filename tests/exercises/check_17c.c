// Exercise 17c: six predictions.
#include "exercises/predicted.h"

float my_bytes_a_token(void);
float my_equal_groups(void);
float my_bytes_on_eight_cards(void);
float my_multiplications_a_key(void);
float my_flops_a_byte(void);
float my_crossing(void);

enum { L = 40, H = 32, D = 64, C = 256, DR = 32 };

static void check(Judge *judge)
{
    double token = 2.0 * L * (C + DR), key = H * (2.0 * C + DR), both = 2.0 * D;
    judge_prediction(
        judge, my_bytes_a_token(),
        (Prediction){
            .what = "the bytes of one token",
            .right = token,
            .tolerance = 0.5,
            .question = "which numbers are kept of a token in a layer, and does it matter how many heads read them?",
            .formula = "L · (c + dr) · 2",
            .beliefs = {
                { token * H, "this has a latent for each head: all heads share one" },
                { 2.0 * L * C, "the turned key is missing: it is kept beside the latent" },
                { token / L, "this is one layer" },
                { 2 * token, "twice too much: a number has 16 bits, and keys and values are made of one latent" },
                { token / 2, "half of it: each number that is kept has 2 bytes" },
                { 4.0 * L * H * D, "these are the keys and values of all heads: they are not kept" },
                { 2.0 * L * (C + H * DR), "this has a turned key for each head: there is one for all" },
                { 2.0 * L * (2 * C + DR), "this has a latent for keys and one for values: both are made of one" },
                { 8 * token, "these are bits: a byte has 8" } } });
    judge_prediction(judge, my_equal_groups(),
                     (Prediction){
                         .what = "key heads of GQA for as many bytes",
                         .right = (C + DR) / both,
                         .question = "how many numbers does GQA keep of a token in a layer for each key head?",
                         .formula = "(c + dr) / 2d",
                         .beliefs = {
                             { (double)(C + DR) / D,
                               "a key head has a key and a value; and its numbers have 2 bytes, too" },
                             { L * (C + DR) / both, "this is of all layers: GQA has its key heads in each of them" },
                             { C / both, "the turned key is kept, too; and the number need not be whole" },
                             { both / (C + DR), "the other way round" },
                             { H * both / (C + DR),
                               "this is how many times as much keys and values of all heads take" } } });
    judge_prediction(judge, my_bytes_on_eight_cards(),
                     (Prediction){
                         .what = "what 8 cards hold of a token",
                         .right = 8 * token,
                         .tolerance = 0.5,
                         .question = "which part of a row do the heads of one card read?",
                         .formula = "8 · L · (c + dr) · 2",
                         .beliefs = {
                             { token,
                               "each card would keep an eighth of each row; but each of its heads reads whole rows" },
                             { H / 8 * token, "this has a row for each head of one card: they read the same one" },
                             { token / 8, "this is an eighth of what one card held" },
                             { H * token, "this has a row for each head: the heads of a card read the same one" } } });
    judge_prediction(judge, my_multiplications_a_key(),
                     (Prediction){
                         .what = "multiplications a key, absorbed",
                         .right = key,
                         .tolerance = 0.5,
                         .question = "how wide is what a head's query meets, and how wide is what it mixes?",
                         .formula = "H · (2c + dr)",
                         .beliefs = {
                             { key / H, "this is one head" },
                             { H * (both + DR),
                               "these are keys and values that were made; absorbed, heads meet the rows" },
                             { L * key, "these are all layers; one was asked for" },
                             { 2.0 * H * C, "the turned key is looked at, too" },
                             { 2.0 * H * (C + DR), "the turned key is looked at and not mixed" },
                             { H * C * both, "so many to make a key and a value in all heads; absorbed, none is made" },
                             { 2 * key, "a multiplication with its addition counts once here" },
                             { H * (double)(C + DR), "this is what is looked at; values are mixed as well" } } });
    judge_prediction(judge, my_flops_a_byte(),
                     (Prediction){
                         .what = "FLOPs a byte",
                         .right = 2 * key / (2.0 * (C + DR)),
                         .tolerance = 0.5,
                         .question = "how many bytes is a row, and is the latent read a second time where it is mixed?",
                         .formula = "2 · H · (2c + dr) / (2 · (c + dr))",
                         .beliefs = { { key / (2.0 * (C + DR)),
                                        "half of it: a multiplication and its addition are two FLOPs, and "
                                        "a number has 2 bytes" },
                                      { 2 * key / (C + DR), "twice as much: a number has 2 bytes" },
                                      { key / (2.0 * C + DR),
                                        "values are mixed of the same row: it is looked at and mixed. (Or the "
                                        "latent is read twice: once is enough)" },
                                      { 2.0 * H, "nearly: the turned key is looked at, but not mixed" },
                                      { 2 * key / H / (2.0 * (C + DR)),
                                        "this is one head: all heads meet the bytes of one row" } } });
    double crossing = C * both / (2.0 * C - both);
    judge_prediction(
        judge, my_crossing(),
        (Prediction){
            .what = "queries from which it pays to make keys and values",
            .right = ceil(crossing),
            .tolerance = 0.01,
            .question = "what does making one key and value cost, for one head, and how much less does each query then "
                        "take with it?",
            .formula = "c (d + dv) / (2c − d − dv)",
            .beliefs = { { floor(crossing), "to the next whole number at which it is less" },
                         { crossing, "queries come whole: the next whole number is asked for" },
                         { ceil(C * both / (2.0 * C)), "a query with a key that was made is not free" },
                         { ceil(C * (both + DR) / (2.0 * C - both)), "the turned key is not made of the latent: it is "
                                                                     "kept" },
                         { ceil(C * both / (2.0 * C + DR - both)), "dr makes no difference: both forms have it" },
                         { 171, "this is DeepSeek-V2, of step 6; here c and d are half of that" },
                         { ceil(C * D / (2.0 * C - both)), "keys alone: values are made, too" },
                         { ceil(C * D / (2.0 * C - D)),
                           "keys alone: a value is made as well, and it is a value of dv that "
                           "is mixed then" } } });
}

int main(void) { return judge_main("17c", check); }
