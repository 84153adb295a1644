// Chapter 09. Training: draw a batch, run it, go back through it, step. The same seed gives the same bytes.
//
// A batch is split into PARTS parts, whatever the number of threads. Each has its own gradient; the gradients are
// added up in the order of the parts. So the sums, and with them every bit of the model, do not depend on the number
// of threads.
//
// lib/train knows models, and no language: what a batch is drawn from, lib/language says, which may include this.
#ifndef TRAIN_TRAIN_H
#define TRAIN_TRAIN_H

#include "model/run.h"
#include "train/adamw.h"

typedef struct {
    int steps, batch; // steps in all; sequences in a step
    int warmup;       // steps until the learning rate is reached, in a straight line
    double lr;        // learning rate
    double plateau;   // share of the steps after which the rate falls, in a straight line to 0; 1: never
    double floor;     // … but not below this share of lr
    AdamW adamw;
    double clip;        // longest gradient; 0: no limit
    double bonus, ramp; // − bonus · mean over rows of Σ P², rising from 0 during this share of the steps
    uint64_t seed;
} TrainingRecipe;

// `count` sequences for one step, in `arena`.
typedef RunBatch TrainingDraw(Arena *arena, int count, Random *random, const void *corpus);

enum { TRAINING_PARTS = 8 };

typedef struct {
    TrainingRecipe recipe;
    Transformer model;
    Transformer mean, square; // AdamW's m and v
    Random random;            // first for the parameters, then for the batches
    Mat gates;                // (L, H) held fixed, as run_transformer has them; empty: all 1. In no checkpoint
    int step;                 // steps done
    struct {
        Arena *arena;
        Transformer gradient;
        double loss;
    } part[TRAINING_PARTS];
} Training;

// A model with parameters drawn from recipe.seed, and nothing learned. training_close gives back what steps needed.
Training *training_open(Arena *arena, Config config, TrainingRecipe recipe);
void training_close(Training *training);

// One step. Returns the loss before it: mean −log p of the answers, in nats, without the bonus.
double training_step(Training *training, TrainingDraw *draw, const void *corpus);

double training_learning_rate(const TrainingRecipe *recipe, int step); // step 0 … steps − 1
double training_peak_bonus(const TrainingRecipe *recipe, int step);

// Where a long run stands, on stderr: a bar that is drawn over itself on a terminal, a line at every tenth elsewhere.
typedef struct {
    const char *name;
    double began, shown;
    int first;
} TrainingProgress;
TrainingProgress training_progress_begin(const char *name, int step);
void training_progress_show(TrainingProgress *progress, int step, int steps, double loss);

#endif
