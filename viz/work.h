// Inside of scene.c: what takes time, a band of rows at a time, so that a window can go on between two bands.
#ifndef VIZ_WORK_H
#define VIZ_WORK_H

#include "attention/head_stats.h"
#include "viz/scene.h"

#include <math.h>

// Some rows of a map, with −∞ for what is masked.
typedef struct {
    const Document *d;
    int layer, head;
    Mat rows, scores;              // (n, S) room; scores are empty where no mask is read from them
    int next;                      // the first row that has not been read
} Band;

Band band_open(Arena *arena, const Document *d);
void band_begin(Band *band, int layer, int head);
Mat  band_read(Band *band);                          // the next rows, an even number but at the end; none after it

int keys_seen(const Document *d, int i);             // keys 0 … n − 1 of query i are not behind a causal mask
int queries_of(int fold, int r, int T);              // how many queries row r of a level stands for

// Cells of a side: ⌈n / fold⌉.
static inline int folded(int n, int fold) { return n / fold + (n % fold != 0); }

// What a value adds to a sum; and the larger of two, where a NaN is larger than everything.
static inline float shown(float value) { return value == -INFINITY ? 0.0f : value; }
static inline float larger(float a, float b)
{
    float most = a > b ? a : b;
    return a != a ? a : most;                        // and a NaN of b is in `most`
}

// ---- levels

typedef struct {
    Band   band;
    Levels levels;                 // one that is not kept has room for two rows
    float *hidden, *zero;          // (S) what stands below a last row that has none below it
    int    made;                   // matrices that have memory
} LevelsWork;

LevelsWork levels_open(Arena *arena, const Document *d);
void   levels_begin(LevelsWork *work, int layer, int head);    // in the memory of the head before
bool   levels_step(LevelsWork *work, Arena *arena);            // memory for a matrix, or one band. true: done
Levels levels_kept(const LevelsWork *work);

// ---- looks

// Tokens as numbers, for statistics on repeated ones. The nearest key before the position of a query, and before a key,
// that has its token; −1: there is none.
typedef struct { int *query, *key; } Repeats;        // (T) and (S); NULL: no words
Repeats repeats_of(Arena *arena, const Document *d);

typedef struct {
    Band     band;
    Repeats  repeats;
    HeadLook look;
    Mean     stats[HEAD_STATS];
} LookWork;

LookWork look_open(Arena *arena, const Document *d);
void look_begin(LookWork *work, Arena *arena, int layer, int head);      // the thumb is made in this arena
bool look_step(LookWork *work);                      // one band. true: done

// log₂ of positive, normal numbers, relative error below 10⁻⁶. 0 gives something finite, so that 0 · log₂ 0 is 0.
typedef float Four __attribute__((vector_size(16), may_alias));
Four log2_four(Four x);

#endif
