// A model that runs while one types, as a document: the book's own translator, or another of its kind (live.c); or a
// published one (live_pretrained.c).
#ifndef VIZ_LIVE_H
#define VIZ_LIVE_H

#include "model/run.h"
#include "viz/document.h"

typedef struct Live Live;

// `name` is the title ("glosses"), `source` the path. Both and the model must outlive it, as `arena` does, where it
// lives. false, with one sentence that says what it reads instead, for a model that does not read the book's
// dictionary; or for one with more heads than MAPS_MOST.
bool live_open(Live **out, Arena *arena, Transformer model, const char *name, const char *source, Error *error);

// The same of a folder that holds a published model (model/pretrained.h) and its tokenizer. false, with one sentence
// that names the file and what is wrong there. live_close: what it maps stays until then.
bool live_open_pretrained(Live **out, Arena *arena, const char *folder, Error *error);
void live_close(Live *live); // NULL is allowed

int live_layers(const Live *live);
int live_heads(const Live *live);

// What is to be run, and what for.
typedef struct {
    const char *text;
    const unsigned char *off; // (layers · heads): 1 switches a head off; NULL: none
    AblationKind by;          // what it then gives
    const Document *before;   // a run of this model that still stands: what begins alike need not be done again.
                              // NULL: there is none
    const Document *held;     // ABLATION_HELD: the run of the same length that gives what heads that are off give
} LiveRequest;

// Runs a text: of the book's translator words as in chapter 09's --sentence. There is a field of every kind: weights,
// scores, q, k, v, the heads (weights v) and what each adds after Wo. Weights, scores and what is added are made when
// they are read; a few are kept. Everything lives in `arena`, which may be closed for the next run. false, with the
// sentence that names the word, leaves *out as it was. The book's translator runs the same sentence with other heads
// off once, any other twice: for what the whole model answers.
bool live_run(Document *out, Arena *arena, Live *live, LiveRequest ask, Error *error);

// Called after each layer of a run, with how many of how many are done: where it takes long, a window says so.
typedef void LiveProgress(void *context, int done, int of);
void live_set_progress(Live *live, LiveProgress *tell, void *context);

// Some of what a document of a run is still to say: answers, that of position `at` first, and what each head adds to
// it. For about `seconds`, one position at least. true: nothing is left.
bool live_answer(Live *live, Document *d, int at, double seconds);
bool live_is_slow(const Live *live); // a run may take long: of many letters that wait, the last counts

// Finds out what each head does from the sentences of chapter 09 (lib/language/head_roles.h), eight a call, so that a window
// can do it while it waits: 38 calls. true when it is done; the names then stand in the roles of all its documents, at
// most two a head and the best first, at most 14 characters: "it, verb".
bool live_learn_roles(Live *live);

const char *live_sentence(const Live *live); // the book's sentence

// Where a run is worth a look: at the head of the last layer through which `it` reaches furthest, on that cell; marks
// such as [start] do not count. false: nowhere.
typedef struct {
    int layer, head, query, key;
} NotableCell;
bool live_notable_cell(NotableCell *out, const Document *d);

// The book's own translator: its file in data/models, and what it is called.
extern const char LIVE_WEIGHTS[], LIVE_TITLE[];

#endif
