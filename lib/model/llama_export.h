// Chapters 17 and 25. A model as a folder that common libraries open as a LLaMA: config.json, model.safetensors,
// tokenizer.json and tokenizer_config.json, as Hugging Face's transformers saves a LlamaForCausalLM.
//
// There a weight is stored (out, in), and RoPE turns columns m and m + d/2 of a head where ours turns 2m and 2m + 1:
// so the columns of Wq and Wk are dealt anew, and the logits are the same up to rounding.
//
// Reading such a folder, and those of other families: model/pretrained.h.
#ifndef MODEL_LLAMA_EXPORT_H
#define MODEL_LLAMA_EXPORT_H

#include "model/transformer.h"

// Writes the four files into `folder`, which is made if it is not there, each whole or not at all, config.json last.
// words (config.words): what the tokens are called, words[0] the one that every text begins with; T: the longest text
// of training. false, with one sentence, when it cannot be written, or when the model is no LLaMA: not causal, other
// positions than RoPE, another MLP than SwiGLU, windows, keys of other layers, other words out than in.
bool llama_export_write(const char *folder, Transformer model, const char *const *words, int T, Error *error);

#endif
