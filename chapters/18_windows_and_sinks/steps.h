// Chapter 18. What its steps share, and the steps.
#ifndef CHAPTER_18_STEPS_H
#define CHAPTER_18_STEPS_H

#include "language/backcopy.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"
#include "model/decode.h"

// ---- steps_0_streams.c: a model that reads on and on, and what its cache keeps meanwhile

typedef enum { KEEP_ALL, KEEP_SINKS, KEEP_TRUE, KEEP_OTHERS } Keep;

// `sinks` first tokens and the newest up to `room` in all. KEEP_SINKS: the sinks follow the window; KEEP_TRUE: they
// stay at their true positions. KEEP_OTHERS: the `sinks` oldest after the first token, which leaves; its row stays
// empty, and is one more than `room`. KEEP_ALL: all.
typedef struct {
    Keep keep;
    int sinks, room;
} Policy;

Decoder stream_open(Arena *arena, Transformer model, int n, Policy policy);

// Means over the tokens from `from` on: of the divergence after letters, of right answers after marks. right is NaN
// without a mark.
typedef struct {
    double divergence, right;
    int letters, marks;
} Score;
Score stream_score(Transformer model, const Backcopy *corpus, const int *tokens, int n, int from, Policy policy);

// What its head looks at, in texts as long as those of training, from position 8 on.
typedef struct {
    double mass, mark_mass;   // weight on the starts, of letters and of marks
    double each[4];           // … on each start, of letters
    double right, divergence; // marks answered right; divergence after letters
    double first, others;     // |v| of the first start, the mean of other tokens
    double values;            // first over others, the mean of texts
} Looks;
Looks model_looks(Transformer model, const Backcopy *corpus, uint64_t seed);

// ---- steps_0_retrain.c: data/models/sinks*.tsv and the two models; what is measured of each
enum { SEEDS = 5, STREAM = 1024, CACHE = 16, FROM = 64 };
typedef enum {
    MASS,
    MARK_MASS,
    RIGHT,
    DIVERGENCE,
    VALUES,
    FULL,
    FULL_RIGHT,
    LAST_16,
    SINK,
    TRUE_PLACE,
    OTHERS,
    SINK_COLUMNS
} SinkColumn;
enum { KEPT_COLUMNS = 9, CURVE_COLUMNS = 4 };
void retrain(Lesson *lesson, const char *folder);
void write_times(Lesson *lesson, const char *folder); // steps_5_work.c

// The mask of a few tokens as a picture (steps_1_window.c).
Heatmap map_of_mask(Arena *arena, const char *title, Mask mask);

// What the flags say.
typedef struct {
    const char *program, *folder;
    int tokens, sinks, window, globals, rounds;
    bool true_places;
} Asked;

// ---- the steps. `plain` has a sink, `learned` a score of its own in its place.
void a_window(Lesson *lesson);
void globals(Lesson *lesson, int count);
void a_ring(Lesson *lesson, int tokens, int sinks, int window);
void how_far(Lesson *lesson);
void less_to_do(Lesson *lesson, const char *program, const char *folder, int rounds);
void local_and_global(Lesson *lesson);
void nothing_to_look_for(Lesson *lesson, Transformer plain, const Asked *asked, bool ours);
void the_window_breaks(Lesson *lesson, Transformer plain, bool ours);
void many_tokens(Lesson *lesson, Transformer plain, const Asked *asked, bool ours);
void cures(Lesson *lesson, Transformer learned, const Asked *asked);

#endif
