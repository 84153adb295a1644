// Chapters 25 and 26. The book's own models as folders that common libraries open: made in a place of the program's
// own, under TMPDIR or /tmp, and gone when they are open, or when the program ends.
#ifndef LESSON_FOLDERS_H
#define LESSON_FOLDERS_H

#include "tokenizer/tokenizer.h"
#include "lesson/lesson.h"
#include "model/published.h"
#include "model/transformer.h"

// A new folder; "/tmp/manyheads-models-ab12/NAME". When it cannot be made, the program ends with a sentence.
const char *lesson_folder(Lesson *lesson, const char *name);
void lesson_folder_gone(const char *folder); // with its files; what is mapped can still be read

// A folder opened, the program's own or the reader's. What is wrong with it ends the program with a sentence.
typedef struct {
    Published *published;
    Tokenizer *tokenizer;
} OpenedFolder;
OpenedFolder lesson_folder_open(Lesson *lesson, const char *folder);

// A model of LLaMA's form, saved, opened, and its folder gone. words as in llama_write (model/llama.h).
OpenedFolder lesson_as_folder(Lesson *lesson, Transformer model, const char *const *words, int T);

// Model C (language/language.h), as the book has it and so. program: argv[0].
typedef struct {
    Transformer model;
    Published *published;
    Tokenizer *tokenizer;
} ModelC;
ModelC lesson_model_c(Lesson *lesson, const char *program);
void lesson_write_model_c(Lesson *lesson, Transformer model, const char *folder); // the folder alone

// A text as tokens that the model has; `flag` says where it is from. What does not fit ends the program, with a word
// why.
TokenList lesson_tokens(const Lesson *lesson, const Published *model, const Tokenizer *tokenizer, const char *flag,
                        const char *text);

// The place that answers: of a model that sees both sides the first [MASK], −1 without one; else the last token.
int lesson_place_of_answer(const Published *model, const Tokenizer *tokenizer, TokenList text);

#endif
