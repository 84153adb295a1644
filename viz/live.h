// A model that runs while the user types, as a document: the book's translator or a similar model (live_translator.c),
// or a pretrained one (live_pretrained.c).
#ifndef VIZ_LIVE_H
#define VIZ_LIVE_H

#include "model/run.h"
#include "viz/document.h"

typedef struct Live Live;

// `name` is the title ("glosses"), `source` the path. Both, the model and `arena` must outlive it. Fails for a model
// that does not use the book's dictionary, or has more than MAPS_MOST heads.
bool live_open(Live **out, Arena *arena, Transformer model, const char *name, const char *source, Error *error);

// Opens a folder with a pretrained model (model/pretrained.h) and its tokenizer. On failure the error names the file and
// what is wrong. Mapped files stay open until live_close.
bool live_open_pretrained(Live **out, Arena *arena, const char *folder, Error *error);
void live_close(Live *live); // NULL is allowed

int live_layers(const Live *live);
int live_heads(const Live *live);

// What to run.
typedef struct {
    const char *text;
    const unsigned char *ablated; // (layers · heads): 1 ablates a head; NULL: none
    AblationKind ablation;        // the output of these heads
    const Document *before;       // an earlier run of this model: a common prefix is not computed again; NULL: none
    const Document *held;         // ABLATE_HELD: the run of equal length that ablated heads take their output from
} LiveRequest;

// Runs a text; for the book's translator, words as for --sentence. The document has a field of every kind: weights,
// scores, q, k, v, heads (weights · v), and each head's part of the output. Weights, scores and outputs are computed
// when they are read, and a few are cached. Everything is allocated in `arena`, which may be closed for the next run.
// On failure the error names the word, and *out is unchanged. With ablated heads the model also runs without ablation,
// for comparison; the translator caches that.
bool live_run(Document *out, Arena *arena, Live *live, LiveRequest request, Error *error);

// Called after each layer with the number of layers done, so that a window can show progress.
typedef void LiveProgress(void *context, int done, int of);
void live_set_progress(Live *live, LiveProgress *tell, void *context);

// Computes some of the answers, that of position `at` first, and each head's attribution to it. For about `seconds`, at
// least one position. true: all is done.
bool live_answer(Live *live, Document *d, int at, double seconds);
bool live_is_slow(const Live *live); // runs may be slow: of queued keys only the last one runs

// Learns the roles of heads from the sentences of lib/language/head_roles.h, eight per call, 38 calls in all, so that a
// window stays responsive. true: done; all documents then have roles, at most two per head, best first, at most 14
// characters: "it, verb".
bool live_learn_roles(Live *live);

const char *live_sentence(const Live *live); // the default sentence

// The cell to show first: in the head of the last layer with the most distant attention of `it`; special tokens do not
// count. false: none.
typedef struct {
    int layer, head, query, key;
} NotableCell;
bool live_notable_cell(NotableCell *out, const Document *d);

// The book's translator: its file in data/models, and its title.
extern const char LIVE_WEIGHTS[], LIVE_TITLE[];

#endif
