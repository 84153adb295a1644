// Chapters 17, 19, 20, 21 and 25. Model C: a small causal language model of exactly LLaMA's form, trained on documents
// (language/documents.h) whose entropy is known; and two smaller ones that draft for it (chapter 21).
//
// LLaMA's form: RMSNorm before every part and at the end, RoPE, grouped key heads, SwiGLU, no biases, words in and out
// in matrices of their own. data/models/README.md has what each learns. [Touvron et al. 2023, §2.2, arXiv:2302.13971]
#ifndef LANGUAGE_LANGUAGE_H
#define LANGUAGE_LANGUAGE_H

#include "language/link_scores.h"
#include "train/train.h"

// D 64: the target, two layers. D 32 and D 16: its drafts, one layer. Two query heads read each key head.
Config language_config(int D);

// The target without positions and with a key head for each query head: what chapter 17 turns into latent attention.
Config language_config_nope(void);

TrainingRecipe language_recipe(int D, uint64_t seed);

// What all words begin with in common: the same normal numbers, of variance 1 / D, added to every embedding of a model
// that is fresh from training_open. Without it a head has to learn every word before it can look by position alone.
void language_begin(Transformer model, uint64_t seed);

// Measured on documents, all in nats a word. `over` is loss − entropy, of the words of each kind of recall: what the
// model does not know of what the document determines.
typedef struct {
    double loss, entropy; // means over all words
    double over[DOCUMENT_RECALL_KINDS];
    double right[DOCUMENT_RECALL_KINDS]; // share of words that have the largest logit
    int count[DOCUMENT_RECALL_KINDS];
} LanguageScores;

// With heads switched off: gates (L, H), as run_transformer has them; left empty, all are on.
LanguageScores language_scores(Transformer model, Mat gates, const DocumentSample *documents, int count);

// Every head's links on the same documents: scores (L · H).
void language_links(LinkScores *scores, Transformer model, const DocumentSample *documents, int count);

#endif
