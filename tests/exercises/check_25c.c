// Exercise 25c: my_config.
#include "exercises/predicted.h"

void my_config(double *attention, double *mlp, double *words, double *all, double *cache);

static void number_case(Judge *judge, double got, Prediction p)
{
    judge_predicted(judge, got == 0 ? NAN : got, 0.0, p);
}

enum { D = 4096, LAYERS = 32, KEYS = 8 * 128, MLP = 14336 };

static void parts(Judge *judge, double attention, double mlp, double words)
{
    double square = (double)D * D, keys = (double)D * KEYS, one = (double)D * MLP, table = 128256.0 * D;
    number_case(judge, attention,
                (Prediction){
                    .what = "my_config: attention",
                    .right = 2 * square + 2 * keys,
                    .question = "how wide is what Wk makes, when eight key heads have d columns each?",
                    .formula = "2 D H d + 2 D G d",
                    .beliefs = { { 4 * square, "there are 8 key heads, not 32: what Wk and Wv make is narrower" },
                                 { square + 2 * keys, "what the heads give goes through Wo" },
                                 { square + 3 * keys, "Wo takes what all 32 query heads give" },
                                 { 3 * square, "there are four matrices, and two of them are narrower" },
                                 { 2 * square + keys, "keys and values have a matrix each" },
                                 { LAYERS * (2 * square + 2 * keys), "this is all layers" } } });
    number_case(judge, mlp,
                (Prediction){
                    .what = "my_config: mlp",
                    .right = 3 * one,
                    .question = "which matrices does SwiGLU have?",
                    .formula = "3 D · hidden",
                    .beliefs = { { 2 * one, "a gated MLP has a gate beside what goes up and down" },
                                 { one, "this is one matrix of it" },
                                 { 8 * square, "hidden neurons are not 4 D here: the config says how many there are" },
                                 { 3 * one + 2 * MLP + D, "there are no biases" },
                                 { LAYERS * 3 * one, "this is all layers" } } });
    number_case(judge, words,
                (Prediction){
                    .what = "my_config: words",
                    .right = 2 * table,
                    .question = "is the matrix that answers the one that embeds?",
                    .formula = "2 · words · D, when they are not tied",
                    .beliefs = { { table, "tie_word_embeddings is false: the output has a matrix of its own" },
                                 { 128256, "each word has D numbers" },
                                 { 2 * table + 128256, "there are no biases" } } });
}

static void check(Judge *judge)
{
    double attention = 0, mlp = 0, words = 0, all = 0, cache = 0, layer = 41943040.0 + 176160768.0;
    my_config(&attention, &mlp, &words, &all, &cache);
    parts(judge, attention, mlp, words);
    double right = LAYERS * (layer + 2 * D) + 1050673152.0 + D;
    judge_trying(judge, "my_config: all");
    Hints hints = { NULL, "what has a layer beside attention and MLP, and what stands behind the last one?",
                    "L (attention + mlp + 2 D) + words + D" };
    hints.property = all == right - D ? "a last norm stands before the words"
                     : all == right - LAYERS * 2 * D - D || all == right - LAYERS * 2 * D ? "norms have gains"
                     : all == right - LAYERS * D                                          ? "each layer has two norms"
                     : all == right - 1050673152.0 / 2 ? "the words are there twice: tie_word_embeddings is false"
                     : all == right - 1050673152.0     ? "the words belong to the model"
                     : all == 0                        ? "nothing is predicted yet"
                                                       : arena_format(judge->arena, "%.0f is not it", all);
    judge_claim(judge, all == right, hints);
    double bytes = 2.0 * LAYERS * KEYS * 2;
    number_case(judge, cache,
                (Prediction){
                    .what = "my_config: cache",
                    .right = bytes,
                    .question = "what is kept of a token in each layer, and in how many bytes?",
                    .formula = "2 · L · G · d · 2 bytes",
                    .beliefs = { { bytes / 2, "keys and values are both kept, in 2 bytes each" },
                                 { bytes * 4, "there are 8 key heads, not 32: only these are kept" },
                                 { bytes * 8, "there are 8 key heads, not 32, and a number has 2 bytes" },
                                 { bytes / LAYERS, "this is one layer" },
                                 { bytes * 4 / LAYERS, "this is one layer, and of 32 key heads: there are 8" },
                                 { bytes * 2, "a number has 2 bytes here, not 4" } } });
}

int main(void) { return judge_main("25c", check); }
