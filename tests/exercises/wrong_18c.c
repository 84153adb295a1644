// Exercise 18c, solved wrongly: number WRONG of these gets this answer.
//
// 1: nothing is predicted yet
// 2: have fewer than 4 keys before them
// 3: without a window
// 4: a window to both sides
// 5: not four others
// 6: as the query's own key is one of the W
// 7: the last token as well
// 8: the next one goes on from there
// 9: do not quite get there
// 10: one layer too many
// 11: windows have 1,024 keys here
// 12: W rows, however long the text
// 13: this is half
// 14: this is one layer
// 15: 16 bits are 2 bytes, not 4
// 16: all layers without a window
// 17: not three of four
// 18: keep something, too
// 19: no ring beside its cache
// 20: 777 is not it
// 21: one of the 4
// 22: query 0 as well
// 23: every query with every key
// 24: one key head of 8
// 25: this is in 2³⁰ bytes
// 26: this is half
// 27: this is in 2³⁰ bytes
// 28: too many are taken away
// 29: this is L − 1 layers
// 30: each layer's own key
// 31: layers come whole
// 32: this is in millions
// 33: these are ten, not four
// 34: this is in millions
#include "exercises/wrong.h"

void my_windows(double *pairs, double *reach, double *layers, double *ring_gb, double *mixed_gb);
void my_windows(double *pairs, double *reach, double *layers, double *ring_gb, double *mixed_gb)
{
    static const double of_pairs[] = { 0, 0, 40, 55, 58, 44, 40, 30, 100 };
    static const double of_reach[] = { 81920, 81881, 2047 }, of_layers[] = { 100, 102, 50 };
    int how = wrong();
    double row = 2.0 * 8 * 128 * 2, ring = row * 40 * 2048 / 1e9;
    const double of_ring[] = { row * 40 * 1e5 / 1e9, ring / 2, ring / 40, 2 * ring };
    const double of_mixed[] = { row * 40 * 1e5 / 1e9, row * (10 * 2048 + 30e5) / 1e9, row * 10e5 / 1e9,
                                row * (40 * 2048 + 10e5) / 1e9 };
    *pairs = how >= 1 && how <= 5 ? of_pairs[how] : how >= 21 && how <= 23 ? of_pairs[how - 15] : 34;
    *reach = how >= 6 && how <= 8 ? of_reach[how - 6] : how == 20 ? 777 : 81880;
    *layers = how >= 9 && how <= 11 ? of_layers[how - 9] : 101;
    *ring_gb = how >= 12 && how <= 15 ? of_ring[how - 12] : ring;
    *mixed_gb = how >= 16 && how <= 19 ? of_mixed[how - 16] : row * (30 * 2048 + 10e5) / 1e9;
    if (how == 28) *pairs = 28;
    if (how == 29) *reach = 39 * 2047;
    if (how == 30) *reach = 40 * 2048 - 1;
    if (how == 31) *layers = 102400.0 / 1023;
    if (how == 32) *ring_gb *= 1000;
    if (how == 33) *mixed_gb = row * (36 * 2048 + 4e5) / 1e9;
    if (how == 34) *mixed_gb *= 1000;
    if (how == 24) *ring_gb /= 8;
    if (how == 25) *ring_gb *= 1e9 / (1 << 30);
    if (how == 26) *mixed_gb /= 2;
    if (how == 27) *mixed_gb *= 1e9 / (1 << 30);
}
