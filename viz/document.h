// What the viewer shows: the matrices of one file, each with its heads and its words. Knows nothing of windows or files.
#ifndef VIZ_DOCUMENT_H
#define VIZ_DOCUMENT_H

#include "io/safetensors.h"

typedef struct {
    const char *name;
    int         heads;             // 0: a single matrix
    Mat         stack;             // (rows, cols), or (heads · rows, cols): one head below the other
} Item;

// The walk of a tiled kernel over one map (chapter 14), a frame a tile.
typedef struct {
    int weights, state;            // items: (frames, T, S), and (frames, T, 3) with m, l and rescale of every query
    Mat tiles;                     // (frames, 4)  first query, queries, first key, keys; empty: the file has no walk
} Walk;

typedef struct {
    const char        *title;      // "06 Multi-head attention", or the file's name
    Item              *items;
    int                count;      // at least 1
    const char *const *queries;    // words of the rows and of the columns; used where their number fits
    const char *const *keys;
    int                queries_count, keys_count;
    Walk               walk;
} Document;

// Understands what a chapter's --dump writes. Refuses a file without a two- or three-axis tensor.
bool document_parse(Document *out, Arena *arena, Bytes file, const char *name, Error *error);

Mat document_map(const Document *document, int item, int head);        // head is ignored where there are none

#endif
