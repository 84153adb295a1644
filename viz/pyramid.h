// Mip levels of a map: level n has a cell for 2ⁿ × 2ⁿ cells of the map. The map is read a band of rows at a time, so
// that a window can handle events between two bands. For derived.c, head_summary.c and page.c.
#ifndef VIZ_PYRAMID_H
#define VIZ_PYRAMID_H

#include "base/portable_math.h"
#include "viz/document.h"

// `sum` adds over keys and averages over queries: a row of cells sums to what the rows of the map sum to, on average.
// `most` is the largest value. Masked cells do not count; where all are masked, `most` is −∞ and the cell is hidden. A
// query that sees no key counts as a row of zeros. NaN spreads. Cells at the right and lower edge may stand for fewer.
//
// A cell of −∞ counts as masked, whatever the document's mask is: a mask leaves −∞ in scores.
typedef struct {
    int fold;      // 1, 2, 4, …
    Mat sum, most; // (⌈T / fold⌉, ⌈S / fold⌉)
} PyramidLevel;

bool pyramid_hidden(const PyramidLevel *level, int i, int j);

enum { PYRAMID_LEVELS = 21, THUMB = 64 }; // SIDE_MOST is 2²⁰
enum { PYRAMID_CELLS = 1 << 22 };         // a level with more cells than this is not kept
typedef struct {
    PyramidLevel level[PYRAMID_LEVELS]; // level[n].fold = 2ⁿ, up to one cell in all
    int first, count;                   // levels below `first` are empty; level 0 is the map itself, kept up to 4096²
} Pyramid;

// ---- reading rows

// Some rows of a map, with −∞ for masked cells.
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

int pyramid_queries(int fold, int r, int T); // queries that row r of a level covers

// Cells of a side: ⌈n / fold⌉.
static inline int pyramid_cells(int n, int fold) { return n / fold + (n % fold != 0); }

// What a value adds to a sum; and the larger of two, where a NaN is larger than everything.
static inline float pyramid_shown(float value) { return value == -INFINITY ? 0.0f : value; }
static inline float pyramid_larger(float a, float b)
{
    float most = a > b ? a : b;
    return a != a ? a : most; // and a NaN of b is in `most`
}

// ---- building, from the map upwards, as the rows are read; the map itself is not kept. Of 4096² cells: 45 MB.

typedef struct {
    RowBand band;
    Pyramid pyramid;      // a level that is not kept has room for two rows
    float *hidden, *zero; // (S) the row below an odd last row
    int allocated;        // matrices
} PyramidWork;

PyramidWork pyramid_open(Arena *arena, const Document *d);
void pyramid_begin(PyramidWork *work, int layer, int head); // reuses the memory of the previous head
bool pyramid_step(PyramidWork *work, Arena *arena);         // allocates a matrix, or reads a band; true: done
Pyramid pyramid_kept(const PyramidWork *work);

#endif
