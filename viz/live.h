// A model that runs while one types: the book's own translator, or another of its kind, as a document.
#ifndef VIZ_LIVE_H
#define VIZ_LIVE_H

#include "model/run.h"
#include "viz/document.h"

typedef struct Live Live;

// `name` is the title ("glosses"), `source` the path. Both and the model must outlive it, as `arena` does, where it
// lives. false, with one sentence that says what it reads instead, for a model that does not read the book's
// dictionary; or for one with more heads than MAPS_MOST.
bool live_open(Live **out, Arena *arena, Transformer model, const char *name, const char *source, Error *error);

int  live_layers(const Live *live);
int  live_heads(const Live *live);

// Runs a sentence: words as in chapter 09's --sentence. off (layers · heads): 1 switches a head off; NULL: none. There
// is a field of every kind: weights, scores, q, k, v, the heads (weights v) and what each adds after Wo. Weights,
// scores and what is added are made when they are read; a few are kept. Everything lives in `arena`, which may be
// closed for the next run. false, with the sentence that names the word, leaves *out as it was. The same sentence with
// other heads off is run once, any other twice: for what the whole model answers.
bool live_run(Document *out, Arena *arena, Live *live, const char *text, const unsigned char *off, Error *error);

// Finds out what each head does from the sentences of chapter 09 (lib/language/roles.h), eight a call, so that a window
// can do it while it waits: 38 calls. true when it is done; the names then stand in the roles of all its documents, at
// most two a head and the best first, at most 14 characters: "it, verb".
bool live_learn_roles(Live *live);

const char *live_sentence(const Live *live);         // the book's sentence

// Where a run is worth a look: at the head of the last layer through which `it` reaches furthest, on that cell; marks
// such as [start] do not count. false: nowhere.
typedef struct { int layer, head, query, key; } LivePlace;
bool live_place(LivePlace *out, const Document *d);

// The book's own translator: its file in data/models, and what it is called.
extern const char LIVE_WEIGHTS[], LIVE_TITLE[];

#endif
