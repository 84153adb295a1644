// Chapter 09. Checkpoints: a model as a safetensors file whose metadata suffices to run it or to resume training.
//
// A model file has one tensor per parameter (embedding, layers.0.wqkv, …) and notes: the format, the Config, and the
// caller's own (recipe, command, vocabulary). A training file has each parameter three times, as itself and as AdamW's
// two running means (mean.embedding, square.embedding, …), and notes with the state of the training. It is replaced
// atomically: a training that is killed at any moment resumes from the last complete file and ends with the same bytes.
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

// The model uses the matrices as read, without a copy. `file` receives all notes and the same tensors; NULL if not
// wanted. Refused with an error: another format, inconsistent sizes, tensors that are missing, superfluous or of another
// shape, and numbers that are not finite.
bool checkpoint_read_model(Transformer *model, Tensors *file, Arena *arena, const char *path, Error *error);

// checkpoint_read_training resumes: `training` is new from training_open. A file of another Config or Recipe is refused,
// and the error names the difference.
bool checkpoint_write_training(const char *path, const Training *training, Error *error);
bool checkpoint_read_training(Training *training, const char *path, Error *error);

#endif
