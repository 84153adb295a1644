// Chapters 17 and 25. Export of a model as a folder that common libraries load as a LLaMA: config.json,
// model.safetensors, tokenizer.json and tokenizer_config.json, as Hugging Face's transformers saves a LlamaForCausalLM.
//
// Weights are stored (out, in) there, and its RoPE rotates columns m and m + d/2 of a head (rotate_half), ours 2m and
// 2m + 1 (interleaved). So the columns of Wq and Wk are permuted; the logits are equal up to rounding.
//
// Reading such a folder, and those of other families: model/pretrained.h.
#ifndef MODEL_LLAMA_EXPORT_H
#define MODEL_LLAMA_EXPORT_H

#include "model/transformer.h"

// Writes the four files into `folder`, which is created if necessary; each is written atomically, config.json last.
// words (config.words): the vocabulary, words[0] begins every text; T: the longest training text. false with an error:
// the folder cannot be written, or the model is not a LLaMA: not causal, positions other than RoPE, an MLP other than
// SwiGLU, windows, shared layers, a different output vocabulary.
bool llama_export_write(const char *folder, Transformer model, const char *const *words, int T, Error *error);

#endif
