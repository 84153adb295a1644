// Chapters 25 and 26. Exports the book's own models as folders that common libraries can open. The folders are
// temporary, under TMPDIR or /tmp; they are deleted after opening, or when the program ends.
#ifndef LESSON_EXPORT_HF_H
#define LESSON_EXPORT_HF_H

#include "tokenizer/tokenizer.h"
#include "lesson/lesson.h"
#include "model/pretrained.h"
#include "model/transformer.h"

// Creates a folder, "/tmp/manyheads-models-ab12/NAME". Failure ends the program with a message.
const char *export_hf_folder(Lesson *lesson, const char *name);
void export_hf_folder_gone(const char *folder); // deletes it with its files; mapped files stay readable

// Opens a model folder, an exported one or the reader's. An error ends the program with a message.
typedef struct {
    PretrainedModel *published;
    Tokenizer *tokenizer;
} ExportHfOpened;
ExportHfOpened export_hf_open(Lesson *lesson, const char *folder);

// Exports a model in LLaMA format, opens it and deletes the folder. words: as in llama_export_write
// (model/llama_export.h).
ExportHfOpened export_hf_model(Lesson *lesson, Transformer model, const char *const *words, int T);

// Model C (language/language.h), as trained in the book and as opened from its export. program: argv[0].
typedef struct {
    Transformer model;
    PretrainedModel *published;
    Tokenizer *tokenizer;
} ExportHfModelC;
ExportHfModelC export_hf_model_c(Lesson *lesson, const char *program);
void export_hf_write_model_c(Lesson *lesson, Transformer model, const char *folder); // writes the folder only

// Tokenises a text; `flag` names its origin in messages. A text that does not suit the model ends the program with a
// message.
TokenList export_hf_tokens(const Lesson *lesson, const PretrainedModel *model, const Tokenizer *tokenizer,
                           const char *flag, const char *text);

// The position whose output is the answer: the first [MASK] of a bidirectional model (−1: none), else the last token.
int export_hf_answer_position(const PretrainedModel *model, const Tokenizer *tokenizer, TokenList text);

#endif
