// Chapters 25 and 26. The book's own models as folders that common libraries open: made in a place of the program's
// own, under TMPDIR or /tmp, and gone when they are open, or when the program ends.
#ifndef LESSON_EXPORT_HF_H
#define LESSON_EXPORT_HF_H

#include "tokenizer/tokenizer.h"
#include "lesson/lesson.h"
#include "model/pretrained.h"
#include "model/transformer.h"

// A new folder; "/tmp/manyheads-models-ab12/NAME". When it cannot be made, the program ends with a sentence.
const char *export_hf_folder(Lesson *lesson, const char *name);
void export_hf_folder_gone(const char *folder); // with its files; what is mapped can still be read

// A folder opened, the program's own or the reader's. What is wrong with it ends the program with a sentence.
typedef struct {
    PretrainedModel *published;
    Tokenizer *tokenizer;
} ExportHfOpened;
ExportHfOpened export_hf_open(Lesson *lesson, const char *folder);

// A model of LLaMA's form, saved, opened, and its folder gone. words as in llama_export_write (model/llama_export.h).
ExportHfOpened export_hf_model(Lesson *lesson, Transformer model, const char *const *words, int T);

// Model C (language/language.h), as the book has it and so. program: argv[0].
typedef struct {
    Transformer model;
    PretrainedModel *published;
    Tokenizer *tokenizer;
} ExportHfModelC;
ExportHfModelC export_hf_model_c(Lesson *lesson, const char *program);
void export_hf_write_model_c(Lesson *lesson, Transformer model, const char *folder); // the folder alone

// A text as tokens that the model has; `flag` says where it is from. What does not fit ends the program, with a word
// why.
TokenList export_hf_tokens(const Lesson *lesson, const PretrainedModel *model, const Tokenizer *tokenizer,
                           const char *flag, const char *text);

// The place that answers: of a model that sees both sides the first [MASK], −1 without one; else the last token.
int export_hf_answer_position(const PretrainedModel *model, const Tokenizer *tokenizer, TokenList text);

#endif
