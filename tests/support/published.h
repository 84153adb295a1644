// Folders of small published models with what the common library computes with them: data/reference/published.
#ifndef SUPPORT_PUBLISHED_H
#define SUPPORT_PUBLISHED_H

#include "model/pretrained_run.h"

typedef struct {
    const char *name, *folder;
    int T, padding, *tokens, *kinds; // kinds: NULL where there are none
    Mat logits, last;                // one of them is empty
    Mat hidden, maps;                // ((L + 1) T, D), (L H T, T)
} PublishedCase;

// All of them, by name. They live in `arena`.
int published_cases(const PublishedCase **out, Arena *arena);
PretrainedModel *published_open(Arena *arena, const char *folder); // must succeed
const PublishedCase *published_case(Arena *arena, const char *name);

PretrainedInput published_case_input(const PublishedCase *c, bool plain);

// Is the run what the library computed? Otherwise `why` names the first stage that differs, and by how much. Logits and
// the stream relative to the largest number of their stage, within 2e-5; maps within 1e-5.
bool published_case_agrees(char *why, size_t room, const PublishedCase *c, const PretrainedRun *run);

#endif
