// Chapter 09. The training loop: draw a batch, forward, backward, optimizer step. The same seed gives the same bytes.
//
// A batch is divided into TRAINING_PARTS parts, independent of the number of threads. Each part has its own gradient,
// and these are added in order. So the result does not depend on the number of threads, to the bit.
//
// lib/train does not depend on any language: lib/language, which may include this, supplies the batches.
#ifndef TRAIN_TRAIN_H
#define TRAIN_TRAIN_H

#include "model/run.h"
#include "train/adamw.h"

typedef struct {
    int steps, batch; // number of steps; sequences per step
    int warmup;       // steps of linear warm-up
    double lr;        // learning rate
    double plateau;   // fraction of the steps after which the rate decays linearly to 0; 1: no decay
    double floor;     // … but not below this fraction of lr
    AdamW adamw;
    double clip;        // maximum gradient norm; 0: no clipping
    double bonus, ramp; // loss term − bonus · mean over rows of Σ P², rising from 0 during this fraction of the steps
    uint64_t seed;
} TrainingRecipe;

// `count` sequences for one step, in `arena`.
typedef RunBatch TrainingDraw(Arena *arena, int count, Random *random, const void *corpus);

enum { TRAINING_PARTS = 8 };

typedef struct {
    TrainingRecipe recipe;
    Transformer model;
    Transformer mean, square; // AdamW's m and v
    Random random;            // used first for the parameters, then for the batches
    Mat gates;                // (L, H) constant head gates, as in run_transformer; empty: all 1. Not in checkpoints
    int step;                 // steps done
    struct {
        Arena *arena;
        Transformer gradient;
        double loss;
    } part[TRAINING_PARTS];
} Training;

// A model with random parameters from recipe.seed. training_close frees the memory of the steps.
Training *training_open(Arena *arena, Config config, TrainingRecipe recipe);
void training_close(Training *training);

// One step. Returns the loss before it: mean cross-entropy in nats, without the bonus.
double training_step(Training *training, TrainingDraw *draw, const void *corpus);

double training_learning_rate(const TrainingRecipe *recipe, int step); // step 0 … steps − 1
double training_peak_bonus(const TrainingRecipe *recipe, int step);

// Progress of a long run, on stderr: a bar redrawn in place on a terminal, otherwise a line for every tenth.
typedef struct {
    const char *name;
    double began, shown;
    int first;
} TrainingProgress;
TrainingProgress training_progress_begin(const char *name, int step);
void training_progress_show(TrainingProgress *progress, int step, int steps, double loss);

#endif
