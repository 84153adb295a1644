// Chapter 20. What its steps share, and the steps.
#ifndef CHAPTER_20_STEPS_H
#define CHAPTER_20_STEPS_H

#include "language/documents.h"
#include "lesson/verbs.h"
#include "lesson/matrices.h"
#include "model/workload.h"
#include "model/server.h"

// What the reader may set.
typedef struct {
    int pages, size;   // of the server
    int answer;        // words of an answer, at most
    double rate;       // requests a second, in step 6
    const char *serve; // a file of prompts, or "-"
} Choices;

// ---- steps_0_shared.c

// Prompts of model C's language, cut out of documents that were never trained on; and the words that the model says
// after each when it is asked alone. A prompt of P words and its answer stand in tokens[0 … P + answer − 1].
typedef struct {
    int prompt, answer, tokens[DOCUMENT_T];
} Asked;
Asked *prompts_of(Arena *arena, int count, uint64_t seed, int shortest, int longest, int answer);
void answer_alone(Asked *asked, Transformer model); // through a cache in one piece
bool same_answer(const Server *server, int number, const Asked *asked);

// What a second of serving is reckoned with: LLaMA 2 7B in 16 bits on an H100, by their data sheets, and a load.
enum { ROOM = 16384, LONGEST = 2048 }; // tokens that its cache has room for; of one request
WorkloadMachine the_machine(void);
ScheduleRequest *the_load(Arena *arena, double rate, int count);

// A way to serve: in pages of `size` tokens, all of which together have ROOM.
typedef struct {
    const char *name;
    int size;
    bool together;
} Way;
extern const Way RESERVED_TOGETHER, RESERVED, PAGED;
typedef struct {
    WorkloadRun run;
    Schedule schedule;
    ScheduleRequest *requests;
    int count;
} Served;
Served serve_load(Arena *arena, Way way, double rate, int count, double every);

// ---- the steps
void tables_of_pages(Lesson *lesson);
void to_the_bit(Lesson *lesson);
void what_reserving_wastes(Lesson *lesson);
void copy_on_write(Lesson *lesson, Transformer model);
void a_tree(Lesson *lesson, Transformer model);
void on_and_off(Lesson *lesson, double rate);
void out_of_pages(Lesson *lesson, Transformer model);
void a_server(Lesson *lesson, Transformer model, const Choices *choices);

// ---- steps_9_serve.c: --serve. Returns the exit status.
int serve_prompts(Lesson *lesson, Transformer model, const Choices *choices);

#endif
