// Chapter 19. What its steps share, and the steps.
#ifndef CHAPTER_19_STEPS_H
#define CHAPTER_19_STEPS_H

#include "attention/evicting.h"
#include "attention/quantised.h"
#include "io/table.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"
#include "model/run.h"

// What the reader may set.
typedef struct {
    const char *program, *folder; // argv[0]; --retrain's
    int bits, block;              // of codes; tokens in a block
    float outlier;                // the planted channel is that many times as large
    int budget, policy;           // tokens that are kept; EvictPolicy
    bool as_table;                // model, bits, block and outlier are those of a row of cache.tsv
} Choices;

// ---- steps_0_shared.c

// A way to keep tokens.
// KEEP_PAIRS: in float32, but two layers share one cache, in a model that was trained with one for each.
typedef enum { KEEP_FLOATS, KEEP_CODES, KEEP_SOME, KEEP_PAIRS } Keeping;
typedef struct {
    Keeping keeping;
    QuantisedFormat format;
    EvictPolicy policy;
    int budget;
} Way;

// Mean −log p of the next word, in nats, and bytes a token of all layers, when a model decodes over such caches. Every
// document is fed in one piece: so all keys of whole blocks are read from their codes.
// error: |given − right| / |right| over what the heads of all layers give, where each layer has the queries, keys and
// values of the model as it is. tenth: the share of its squares in the worst tenth of all words in all heads.
typedef struct {
    double loss, bytes, error, tenth;
} Measured;
Measured measure_way(Transformer model, RunBatch documents, Way way);

RunBatch documents_of(Arena *arena, int count); // model C's documents, never seen in training
Transformer with_outlier(Arena *arena, Transformer model, float s);
QuantisedFormat format_of(QuantisedKind kind, int block); // keys per channel, values per token and head
Mat random_mat(Lesson *lesson, int rows, int cols);
double float_bytes(const Config *config); // of a token, in float32

// A row of data/models/cache.tsv by its name, or of shared-layers.tsv, which has no error. A missing one ends the
// program.
enum { LOSS, BYTES, ERROR, COLUMNS };
Measured from_table(TableRows rows, const char *name);

// ---- the steps
void layers_that_share(Lesson *lesson, Transformer model);
void a_grid(Lesson *lesson);
void scales_and_zeros(Lesson *lesson, Transformer model, const Choices *choices);
void an_outlier(Lesson *lesson, Transformer model, const Choices *choices);
void read_in_parts(Lesson *lesson);
void what_is_lost(Lesson *lesson, Transformer model, TableRows rows, const Choices *choices);
void who_goes(Lesson *lesson, Transformer model, TableRows rows, const Choices *choices);
void all_of_it(Lesson *lesson, Transformer model, TableRows rows, TableRows shared, bool ours);
void measure_all(Lesson *lesson, Transformer model, const char *folder); // --retrain: cache.tsv
void train_shared(Lesson *lesson, const char *folder);                   // … and shared-layers.tsv
void time_it(Lesson *lesson, int rounds);                                // --time

#endif
