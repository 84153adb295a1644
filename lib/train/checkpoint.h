// Chapter 09. A model in a file: safetensors, with everything in the metadata that is needed to run it, or to train on.
//
// A model file has one tensor for each parameter (embedding, layers.0.wqkv, …) and notes: the format, the Config,
// and what the caller adds (recipe, command, vocabulary). A training file has every parameter three times, as it is and
// its two running means of AdamW (mean.embedding, square.embedding, …), and notes that say where the training stands.
// It is replaced in one step, so a training that is killed, at whatever moment, goes on from the last whole file, and
// ends with the same bytes.
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "io/safetensors.h"
#include "train/train.h"

typedef struct {
    TensorNote *at;
    int count;
} CheckpointNotes;

CheckpointNotes checkpoint_notes_of_config(Arena *arena, const Config *config);
CheckpointNotes checkpoint_notes_of_recipe(Arena *arena, const TrainingRecipe *recipe);
CheckpointNotes checkpoint_notes_join(Arena *arena, CheckpointNotes first, CheckpointNotes second);

bool checkpoint_write_model(const char *path, Transformer model, CheckpointNotes more, Error *error);

// The model's matrices are those that were read; they are not copied. `file` gets all notes and these same tensors;
// NULL if they are not wanted. Refused, with one sentence, are another format, sizes that do not fit together, tensors
// that are missing, of another shape, or too many, and numbers that are not finite.
bool checkpoint_read_model(Transformer *model, Tensors *file, Arena *arena, const char *path, Error *error);

// checkpoint_read_training goes on where the file stands: `training` is fresh from training_open. A file of another Config or
// Recipe is refused, and what differs is named.
bool checkpoint_write_training(const char *path, const Training *training, Error *error);
bool checkpoint_read_training(Training *training, const char *path, Error *error);

#endif
