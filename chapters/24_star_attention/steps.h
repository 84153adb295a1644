// Chapter 24. What its steps share, and the steps.
#ifndef CHAPTER_24_STEPS_H
#define CHAPTER_24_STEPS_H

#include "io/table.h"
#include "language/documents.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"
#include "model/decode.h"
#include "ranks/star.h"

// What the flags say, and the ranks.
typedef struct {
    const char *program, *folder, *measured; // argv[0]; --retrain; --measure
    const char *model_path;                  // where model C lies
    int block, anchor;                       // of the sentence, in words
    Ranks *ranks;
} Asked;

// ---- steps_0_ranks.c: heads on ranks

enum { INPUTS_MOST = 48 * 18, HEADS_MOST = 8 }; // a sentence has 48 words at most

// Keys, values and queries are drawn from `seed` by every rank; or, with a seed of 0, they are in `inputs`: q (T, H d),
// k (T, G d), v (T, G dv), one behind the other. T: the context and `query` tokens, which come `chunk` at a time.
typedef struct {
    Star star;
    StarHeads heads;
    int query, chunk;
    float alibi; // slope of head 0; head h has that / (h + 1)
    uint64_t seed;
    float inputs[INPUTS_MOST];
} HeadsTask;

// What a rank counted, in phase 1 and phase 2; tokens of the context that it keeps, and the most memory it held.
typedef struct {
    int64_t messages[2], bytes[2], multiplies[2];
    int tokens, blocks;
    int64_t kept, peak;
} RankCount;
typedef struct {
    Mat out, lse;
    RankCount counts[RANKS_MOST];
} HeadsResult;

typedef struct {
    Mat q, k, v;
} Inputs;
Inputs heads_inputs(Arena *arena, const HeadsTask *task);
void heads_masks(Mask *masks, const HeadsTask *task);
RankWork heads_work;

// The same on R ranks, and through the mask in one process: out (T, H dv), lse (T, H).
HeadsResult heads_on_ranks(Arena *arena, Ranks *ranks, int R, const HeadsTask *task);
HeadsResult heads_masked(Arena *arena, const HeadsTask *task);

// ---- steps_0_reading.c: model C reads a context in blocks, and goes on with the query

// What is put before a block, and where RoPE says that it stands.
typedef enum { BEFORE_FIRST, BEFORE_PREVIOUS, BEFORE_SHUFFLED, BEFORE_RANDOM, BEFORE_ONE_WORD } Before;
typedef enum { STANDS_FIRST, STANDS_JUST_BEFORE } Stands;

// Blocks of `block` tokens with `anchor` tokens before each but the first; or, with a window, each token sees the
// `window` newest, and no blocks; `narrow`: so does the query. block 0 and window 0: full attention.
typedef struct {
    int block, anchor;
    Before before;
    Stands stands;
    int window;
    bool narrow;
} Reading;

// Over the last QUERY words of each document, behind a context of CONTEXT. In nats a word: the loss, and how far the
// chances are from those of full attention (Kullback and Leibler). agree: how often the likeliest word is the same.
enum { CONTEXT = 96, QUERY = 32 };
typedef struct {
    double loss, divergence, agree;
} Read;
Read reading_measured(Transformer model, RunBatch documents, Reading reading);

StarHeads star_heads(const Config *config);

// ---- steps_0_facts.c: a model of two layers that finds facts in a context of 64 tokens

void train_facts(const char *folder); // star-facts.safetensors
Transformer load_facts(Lesson *lesson, const Asked *asked);

// The share that is found, where each block but the first is read behind the context's first `first` tokens and the
// `previous` ones just before it. cut: the share of facts that an edge cuts in two.
double facts_found(Transformer model, int block, int first, int previous, double *cut);

// ---- the steps
HeadsTask sentence_task(Lesson *lesson, const Asked *asked);
void blocks_and_an_anchor(Lesson *lesson, const Asked *asked);                // 1
void nothing_is_sent(Lesson *lesson, const Asked *asked);                     // 2
void one_query_for_all(Lesson *lesson, const Asked *asked);                   // 3
void any_cut(Lesson *lesson, const Asked *asked);                             // 4
void three_mistakes(Lesson *lesson);                                          // 5
void a_model_on_ranks(Lesson *lesson, Transformer model, const Asked *asked); // 6
RankWork model_work;
void what_it_costs(Lesson *lesson, Transformer model, const Asked *asked); // 7
void spent_otherwise(Lesson *lesson, const Asked *asked);                  // 8
void write_losses(Lesson *lesson, Transformer model, const char *folder);  // --retrain: star.tsv
void what_an_anchor_is_for(Lesson *lesson, const Asked *asked);            // 9
void what_is_sent(Lesson *lesson, const Asked *asked);                     // 10
void a_million_tokens(Lesson *lesson, const Asked *asked);                 // 11
void measure_speeds(Lesson *lesson, const Asked *asked);                   // --measure
RankWork wire_work;

#endif
