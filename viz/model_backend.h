// What kinds of models have in common. For live.c and live_pretrained.c only.
#ifndef VIZ_MODEL_BACKEND_H
#define VIZ_MODEL_BACKEND_H

#include "viz/live.h"

// A kind of model: how it runs a text, how it learns what its heads do, and what is to be said of a run afterwards.
typedef struct {
    bool (*run)(Document *out, Arena *arena, Live *live, const LiveRequest *ask, Error *error);
    bool (*learn)(Live *live);                                       // NULL: there is nothing to be learned
    bool (*answer)(Live *live, Document *d, int at, double seconds); // NULL: all is said at once
    void (*close)(Live *live);                                       // NULL: nothing but memory of the arena
    bool waits;
} ModelBackend;

struct Live {
    const ModelBackend *kind;
    void *of; // the model, as its kind has it
    int layers, heads;
    const char *name, *source, *sentence; // the sentence to begin with
    const char **roles;                   // (layers · heads)
    LiveProgress *tell;
    void *progress_context;
    Arena *arena;
};

// false, with one sentence, for more heads than can be shown and switched off.
bool live_new(Live **out, Arena *arena, const Live *as, Error *error);

bool live_length_error(const Document *held, int T, Error *error); // false: heads are taken from texts of one length

// ---- fields of what is made when it is read

// Makes plane (layer, head) of a kind into `to`.
typedef void LiveMake(Mat to, const void *run, FieldKind kind, int layer, int head);

typedef struct LiveMaker LiveMaker;
LiveMaker *live_maker(Arena *arena, LiveMake *make, const void *run, int layers, int heads);
Field live_field_lazy(LiveMaker *maker, FieldKind kind, int rows, int cols);
// … and of matrices that stand: (layers · heads), all of the same shape and stride.
Field live_field_stored(Arena *arena, FieldKind kind, int layers, int heads, const Mat *views);

const char *live_shape(Arena *arena, const Live *live, int G, int T, const char *more); // "2 layers × 4 heads · …"

#endif
