// Exercise 25c: my_config.
#include "base/portable_math.h"
#include "exercises/judge.h"

void my_config(double *attention, double *mlp, double *words, double *all, double *cache);

enum { D = 4096, LAYERS = 32, HIDDEN = 14336, VOCABULARY = 128256 };
#define SQUARE ((double)D * D)
#define KEYS   (SQUARE / 4)
#define HEADS  (2 * SQUARE + 2 * KEYS)
#define ONE    ((double)D * HIDDEN)
#define TABLE  ((double)VOCABULARY * D)
#define ALL    (LAYERS * (HEADS + 3 * ONE + 2 * D) + 2 * TABLE + D)

// clang-format off
static const Prediction predictions[] = {
    { "my_config: attention", HEADS, 0, "how wide is what Wk makes, when eight key heads have d columns each?",
      "2 D H d + 2 D G d", {
        { 4 * SQUARE, "there are 8 key heads, not 32: what Wk and Wv make is narrower" },
        { SQUARE + 2 * KEYS, "what the heads give goes through Wo" },
        { SQUARE + 3 * KEYS, "Wo takes what all 32 query heads give" },
        { 3 * SQUARE, "there are four matrices, and two of them are narrower" },
        { 2 * SQUARE + KEYS, "keys and values have a matrix each" },
        { LAYERS * HEADS, "this is all layers" } } },
    { "my_config: mlp", 3 * ONE, 0, "which matrices does SwiGLU have?", "3 D · hidden", {
        { 2 * ONE, "a gated MLP has a gate beside what goes up and down" },
        { ONE, "this is one matrix of it" },
        { 8 * SQUARE, "hidden neurons are not 4 D here: the config says how many there are" },
        { 3 * ONE + 2 * HIDDEN + D, "there are no biases" },
        { LAYERS * 3 * ONE, "this is all layers" } } },
    { "my_config: words", 2 * TABLE, 0, "is the matrix that answers the one that embeds?",
      "2 · words · D, when they are not tied", {
        { TABLE, "tie_word_embeddings is false: the output has a matrix of its own" },
        { VOCABULARY, "each word has D numbers" },
        { 2 * TABLE + VOCABULARY, "there are no biases" } } },
    { "my_config: all", ALL, 0, "what has a layer beside attention and MLP, and what stands behind the last one?",
      "L (attention + mlp + 2 D) + words + D", {
        { ALL - D, "a last norm stands before the words" },
        { ALL - LAYERS * 2 * D - D, "norms have gains" },
        { ALL - LAYERS * 2 * D, "norms have gains" },
        { ALL - LAYERS * D, "each layer has two norms" },
        { ALL - TABLE, "the words are there twice: tie_word_embeddings is false" },
        { ALL - 2 * TABLE, "the words belong to the model" } } },
    { "my_config: cache", 131072, 0, "what is kept of a token in each layer, and in how many bytes?",
      "2 · L · G · d · 2 bytes", {
        { 65536, "keys and values are both kept, in 2 bytes each" },
        { 4 * 131072, "there are 8 key heads, not 32: only these are kept" },
        { 8 * 131072, "there are 8 key heads, not 32, and a number has 2 bytes" },
        { 4096, "this is one layer" },
        { 4 * 4096, "this is one layer, and of 32 key heads: there are 8" },
        { 2 * 131072, "a number has 2 bytes here, not 4" } } },
};
// clang-format on

static void check(Judge *judge, Function f)
{
    double got[5] = { 0 };
    (void)f;
    my_config(&got[0], &got[1], &got[2], &got[3], &got[4]);
    for (int n = 0; n < COUNT(predictions); n++) judge_prediction(judge, got[n] == 0.0 ? NAN : got[n], predictions[n]);
}

static const Task tasks[] = { { .check = check } };
EXERCISE("25c", tasks)
