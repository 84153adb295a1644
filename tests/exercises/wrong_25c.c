// Exercise 25c, solved wrongly: number WRONG of these gets this answer.
//
// 1: there are 8 key heads, not 32
// 2: what the heads give goes through Wo
// 3: there are four matrices
// 4: keys and values have a matrix each
// 5: this is all layers
// 6: a gated MLP has a gate
// 7: this is one matrix of it
// 8: the config says how many
// 9: there are no biases
// 10: the output has a matrix of its own
// 11: each word has D numbers
// 12: a last norm stands
// 13: norms have gains
// 14: each layer has two norms
// 15: the words are there twice
// 16: the words belong to the model
// 17: 777 is not it
// 18: keys and values are both kept
// 19: only these are kept
// 20: this is one layer
// 21: a number has 2 bytes here
// 22: nothing is predicted yet
// 23: 778 is not it
// 24: Wo takes what all 32
// 25: this is all layers
// 26: there are no biases
// 27: 8 key heads, not 32, and a number has 2 bytes
// 28: one layer, and of 32 key heads
// 29: 41943041 is not it
#include "exercises/wrong.h"

void my_config(double *attention, double *mlp, double *words, double *all, double *cache);

// One of a list, where `wrong` is between its first number and its last; else what is right.
static double one_of(const double *list, int first, int count, double right)
{
    int how = wrong();
    return how >= first && how < first + count ? list[how - first] : right;
}

void my_config(double *attention, double *mlp, double *words, double *all, double *cache)
{
    double square = 4096.0 * 4096, keys = 4096.0 * 1024, one = 4096.0 * 14336, table = 128256.0 * 4096;
    double whole = 32 * (2 * square + 2 * keys + 3 * one + 2 * 4096) + 2 * table + 4096;
    const double attentions[] = { 4 * square, square + 2 * keys, 3 * square, 2 * square + keys,
                                  32 * (2 * square + 2 * keys) };
    const double mlps[] = { 2 * one, one, 8 * square, 3 * one + 2 * 14336 + 4096 };
    const double tables[] = { table, 128256 };
    const double alls[] = { whole - 4096, whole - 65 * 4096, whole - 32 * 4096, whole - table, whole - 2 * table, 777 };
    const double caches[] = { 65536, 524288, 4096, 262144 };
    *attention = one_of(attentions, 1, 5, 2 * square + 2 * keys);
    *mlp = one_of(mlps, 6, 4, 3 * one);
    *words = one_of(tables, 10, 2, 2 * table);
    *all = one_of(alls, 12, 6, whole);
    *cache = one_of(caches, 18, 4, 131072);
    if (wrong() == 22) *cache = 0;
    if (wrong() == 23) *mlp = 778;
    if (wrong() == 24) *attention = square + 3 * keys;
    if (wrong() == 25) *mlp = 32 * 3 * one;
    if (wrong() == 27) *cache = 1048576;
    if (wrong() == 28) *cache = 16384;
    if (wrong() == 29) *attention = 41943041;
    if (wrong() == 26) *words = 2 * table + 128256;
}
