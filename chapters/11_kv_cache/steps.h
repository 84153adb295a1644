// Chapter 11. What its steps share, and the steps.
#ifndef CHAPTER_11_STEPS_H
#define CHAPTER_11_STEPS_H

#include "attention/attention.h"
#include "lesson/verbs.h"
#include "model/transformer.h"

// Sequences of the model that the book ships repeat after PERIOD tokens; a prompt is one period and a token.
enum { PERIOD = 8, PROMPT = PERIOD + 1 };

enum { LONG = 256 }; // tokens that are counted and timed

// ---- steps_0_prompt.c: what step 5 begins with: --prompt, or with count 0 a period and a token
enum { PROMPT_MOST = 64 };
typedef struct {
    int tokens[PROMPT_MOST], count;
} Prompt;

Prompt prompt_read(Lesson *lesson, const char *text, int words);

// ---- steps_4_new_word.c: the word that comes alone: "it", or the last of the reader's words
int newest_word(const Lesson *lesson);

// ---- steps_7_memory.c: how many weights LLaMA 2 7B has
enum { LLAMA_TOKENS = 32000 };
double llama_weights(void);

// ---- the steps. `wide` is a layer of random weights, wide enough that reading them is what takes long.
void the_past_stays(Lesson *lesson);
void word_by_word(Lesson *lesson);
void a_word_joins(Lesson *lesson); // a part of step 2
void every_split(Lesson *lesson);
void bottom_right(Lesson *lesson);
void a_model_continues(Lesson *lesson, Transformer model, Prompt prompt, int n, int capacity, bool ours,
                       AttentionKernel *kernel);
void what_is_saved(Lesson *lesson, Transformer model);
void what_it_takes(Lesson *lesson, Transformer model);
void operations_a_byte(Lesson *lesson, Transformer model, Transformer wide);
void tokens_a_second(Lesson *lesson);
Transformer wide_model(Lesson *lesson);
void show_times(Lesson *lesson, Transformer model, Transformer wide, int runs); // --time

#endif
