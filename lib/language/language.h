// Chapters 17, 19, 20, 21 and 25. Model C: a small causal language model of LLaMA's architecture, trained on documents
// of known entropy (language/documents.h); and two smaller draft models for it.
//
// Architecture: pre-norm RMSNorm, RoPE, grouped-query attention, SwiGLU, no biases, untied embeddings.
// data/models/README.md says what each model learns. [Touvron et al. 2023, §2.2, arXiv:2302.13971]
#ifndef LANGUAGE_LANGUAGE_H
#define LANGUAGE_LANGUAGE_H

#include "language/link_scores.h"
#include "train/train.h"

// D 64: the target, two layers. D 32 and D 16: the drafts, one layer. Two query heads read each KV head.
Config language_config(int D);

// The target without positions (NoPE) and with multi-head attention: the model that is converted to latent attention.
Config language_config_nope(void);

TrainingRecipe language_recipe(int D, uint64_t seed);

// Adds the same random vector, of variance 1 / D, to every embedding of a model new from training_open. Without a common
// component a head must learn every word before it can attend by position alone.
void language_begin(Transformer model, uint64_t seed);

// Measured on documents, in nats per word. `over` is loss − entropy for the words of each kind of recall: what the model
// does not know of what the document determines.
typedef struct {
    double loss, entropy; // means over all words
    double over[DOCUMENT_RECALL_KINDS];
    double right[DOCUMENT_RECALL_KINDS]; // accuracy: fraction of words with the largest logit
    int count[DOCUMENT_RECALL_KINDS];
} LanguageScores;

// gates (L, H): head mask, as in run_transformer; empty: all on.
LanguageScores language_scores(Transformer model, Mat gates, const DocumentSample *documents, int count);

// Link scores of every head on the same documents: scores (L · H).
void language_links(LinkScores *scores, Transformer model, const DocumentSample *documents, int count);

#endif
