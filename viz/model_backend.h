// Shared by live*.c: a model backend, and fields that are computed on demand.
#ifndef VIZ_MODEL_BACKEND_H
#define VIZ_MODEL_BACKEND_H

#include "viz/live.h"

// A backend: runs a text, learns roles of heads, computes answers after a run.
typedef struct {
    bool (*run)(Document *out, Arena *arena, Live *live, const LiveRequest *request, Error *error);
    bool (*learn)(Live *live);                                       // NULL: no roles
    bool (*answer)(Live *live, Document *d, int at, double seconds); // NULL: `run` computes all answers
    void (*close)(Live *live);                                       // NULL: only memory of the arena
    bool waits;
} ModelBackend;

struct Live {
    const ModelBackend *kind;
    void *of; // the backend's model
    int layers, heads;
    const char *name, *source, *sentence; // the default sentence
    const char **roles;                   // (layers · heads)
    LiveProgress *tell;
    void *progress_context;
    Arena *arena;
};

// Fails for more heads than can be shown and ablated.
bool live_new(Live **out, Arena *arena, const Live *as, Error *error);

bool live_length_error(const Document *held, int T,
                       Error *error); // sets the error for texts of different lengths; returns false

// ---- fields of what is made when it is read

// Computes plane (layer, head) of a kind into `to`.
typedef void LiveMake(Mat to, const void *run, FieldKind kind, int layer, int head);

typedef struct LiveMaker LiveMaker;
LiveMaker *live_maker(Arena *arena, LiveMake *make, const void *run, int layers, int heads);
Field live_field_lazy(LiveMaker *maker, FieldKind kind, int rows, int cols);
// A field of stored matrices: (layers · heads), of equal shape and stride.
Field live_field_stored(Arena *arena, FieldKind kind, int layers, int heads, const Mat *views);

const char *live_shape(Arena *arena, const Live *live, int G, int T, const char *more); // "2 layers × 4 heads · …"

#endif
