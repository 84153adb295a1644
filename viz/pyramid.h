// A map read a band of rows at a time, so that a window can go on between two bands, and the levels made of it. For
// scene.c, look.c, levels.c and page.c only.
#ifndef VIZ_LEVELS_H
#define VIZ_LEVELS_H

#include "viz/derived.h"

#include <math.h>

// Some rows of a map, with −∞ for what is masked.
typedef struct {
    const Document *d;
    int layer, head;
    Mat rows, scores; // (n, S) room; scores are empty where no mask is read from them
    int next;         // the first row that has not been read
} RowBand;

RowBand row_band_open(Arena *arena, const Document *d);
void row_band_begin(RowBand *band, int layer, int head);
Mat row_band_read(RowBand *band); // the next rows, an even number but at the end; none after it

int row_band_keys(const Document *d, int i); // keys 0 … n − 1 of query i are not behind a causal mask

int pyramid_queries(int fold, int r, int T); // how many queries row r of a level stands for

// Cells of a side: ⌈n / fold⌉.
static inline int pyramid_cells(int n, int fold) { return n / fold + (n % fold != 0); }

// What a value adds to a sum; and the larger of two, where a NaN is larger than everything.
static inline float pyramid_shown(float value) { return value == -INFINITY ? 0.0f : value; }
static inline float pyramid_larger(float a, float b)
{
    float most = a > b ? a : b;
    return a != a ? a : most; // and a NaN of b is in `most`
}

// ---- levels: from bottom to top, as the field is read; the map itself is not kept. Those of 4096² make 45 MB.

typedef struct {
    RowBand band;
    Pyramid pyramid;      // one that is not kept has room for two rows
    float *hidden, *zero; // (S) what stands below a last row that has none below it
    int made;             // matrices that have memory
} PyramidWork;

PyramidWork pyramid_open(Arena *arena, const Document *d);
void pyramid_begin(PyramidWork *work, int layer, int head); // in the memory of the head before
bool pyramid_step(PyramidWork *work, Arena *arena);         // memory for a matrix, or one band. true: done
Pyramid pyramid_kept(const PyramidWork *work);

#endif
