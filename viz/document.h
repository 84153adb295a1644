// A document: the matrices of a file or of one run of a model, with their words. Arrays are read in place and never
// copied.
#ifndef VIZ_DOCUMENT_H
#define VIZ_DOCUMENT_H

#include "io/trace.h"

// What a field is, per head: a kind that io/trace.h names, or other. Rows of weights and scores are queries, columns
// are keys.
typedef enum {
    FIELD_WEIGHTS = TRACE_WEIGHTS, // after softmax: the maps that every view shows
    FIELD_SCORES = TRACE_SCORES,   // before softmax: q · k / √d, −∞ where masked
    FIELD_Q = TRACE_Q,             // (T, d)
    FIELD_K = TRACE_K,             // (S, d)   K and V may have fewer heads than Q (GQA)
    FIELD_V = TRACE_V,             // (S, dv)
    FIELD_HEAD = TRACE_HEADS,      // (T, dv)  weights · v
    FIELD_OUT = TRACE_OUT,         // (T, D)   the head's part of the output, after its rows of Wo
    FIELD_OTHER = TRACE_KINDS,
    FIELD_KINDS
} FieldKind;

// Computes a matrix on demand; the pointer is valid until a few others have been computed.
typedef const unsigned char *MakePlane(void *maker, FieldKind kind, int plane);

// layers × heads matrices (rows, cols) of one kind, in place, with their own type and strides.
typedef struct {
    const char *name; // as in the file
    FieldKind kind;
    int layers, heads; // 1 where the file has no such axis
    int rows, cols;
    const unsigned char *const *planes; // (layers · heads) first bytes; NULL: computed by `make`
    MakePlane *make;
    void *maker;
    ptrdiff_t row_step, col_step; // bytes
    Dtype stored;
    bool big_endian;
} Field;

// A block of one matrix as float32: out (n, m) = rows row … row + n − 1, columns col … col + m − 1.
void field_read(Mat out, const Field *field, int layer, int head, int row, int col);
float field_at(const Field *field, int layer, int head, int row, int col);

// A walk over one map, in frames: the tiles of a tiled kernel, or the steps of several ranks. Its fields have frames in
// place of heads.
typedef struct {
    int frames;      // 0: no walk
    int weights;     // (frames, T, S)
    int state;       // (frames, T, 3) m, l and rescale of every query; tiles only
    Mat tiles;       // (frames, 4)  first query, queries, first key, keys; empty: a walk of ranks
    int ranks, many; // (frames, T, S) 1 + the rank that computed this score, or 0; number of ranks
} Walk;

enum { SIDE_MOST = 1 << 20, MAPS_MOST = 4096 }; // T and S are at most SIDE_MOST, layers · heads at most MAPS_MOST

// The output of ablated heads: zero; their mean over the text's positions; or, per position, their output in the held
// text.
typedef enum { ABLATE_ZERO, ABLATE_MEAN, ABLATE_HELD, ABLATIONS } AblationKind;
const char *ablation_word(AblationKind ablation); // "zero", "mean", "held"

// The likeliest answers at a position, best first. word[0] NULL: not computed yet.
enum { TOP_PREDICTIONS = 5 };
typedef struct {
    const char *word[TOP_PREDICTIONS];
    float share[TOP_PREDICTIONS];
} TopPredictions;

typedef enum { MASK_NONE, MASK_CAUSAL, MASK_SCORES, MASK_MAPS } Masked;

typedef struct Document {
    const char *title;  // "06 Multi-head attention", "glosses", or the file's name
    const char *source; // path or model, written into saved files
    Field *fields;
    int count;                  // at least 1
    int of[FIELD_KINDS];        // index of each kind that fits the maps; −1: none
    int maps;                   // the field that views show: of[FIELD_WEIGHTS] if it exists
    int layers, heads, T, S;    // of that field
    int groups;                 // G: number of KV heads; H without sharing
    Masked masked;              // where the mask is known from
    const char *const *queries; // (T) words for display; NULL: positions
    const char *const *keys;    // (S)
    // Two sentences in one text: 0 for words of A, 1 for B. NULL: one sentence.
    const unsigned char *query_sentence, *key_sentence; // (T) (S)
    Walk walk;
    // Encoder, decoder and cross attention in one file: each is a document, and all share `kinds`. kind_count 0: one
    // kind.
    const struct Document *kinds;
    int kind_count, kind_at; // kinds[kind_at] is this document
    const char *kind;        // "cross"; NULL: unnamed
    // For the header and the status line.
    const char *shape;   // "2 layers × 4 heads · 16 tokens · bidirectional"
    const char *range;   // "0.000 … 1.000, rows sum to 1"
    const char *warning; // "rows do not sum to 1: these look like logits"; NULL: none
    const char *note;    // why a tokens file was not used; NULL: nothing to report
    // Reductions only (viz/aggregate.h); NULL and false otherwise.
    const struct Document *reduced_from; // the document that was reduced
    const char *reduced_name;            // "rollout", "mean of the layer's heads"
    bool unnormalized;                   // rows do not sum to 1
    // Live models only (viz/live.h); NULL and 0 otherwise.
    const char *const *answers;           // (T) the model's answers; NULL: not computed yet
    const char *const *whole;             // (T) answers without ablation
    double cap;                           // soft cap of scores: cap · tanh(q · k / √d / cap); 0: none
    const char *answer_is;                // "gloss of this word", "next word"
    const char *answer_one, *answer_many; // "gloss", "glosses"
    const TopPredictions *predictions;    // (T) for next-word models
    const char *const *roles;             // (layers · heads) "previous", "it", …; NULL: not known yet
    double loss, whole_loss; // mean −log p of the unablated answers: now, and without ablation. NaN: not computed yet
    AblationKind ablation;
    // Direct logit attribution: what each head adds, at position adds_at, to the logit of the best answer there;
    // adds_at −1: not computed yet.
    bool can_add; // attribution is possible
    int adds_at;
    const float *adds; // (layers · heads)
    const void *run;   // the run behind it (viz/live.h)
    bool live;
} Document;

// axes: the axes of a .npy array, as letters of L, H, T, S and 1, such as "HTS"; NULL: guess.
typedef struct {
    const char *axes;
    const char *tokens, *key_tokens;           // contents of token files, 0-terminated; NULL: none
    const char *tokens_name, *key_tokens_name; // their names, for messages
    bool guessed; // found beside the file, not named by the user: ignored if they do not fit, and d->note says why
} Reading;

// Loads a trace (io/trace.h, safetensors) as a chapter's --dump writes it, or a NumPy .npy; recognised by their first
// bytes. `file` must outlive the document. On failure the error says what was found; for a pickle it gives Python code
// that converts it.
bool document_parse(Document *out, Arena *arena, FileBytes file, const char *name, Reading reading, Error *error);

enum { KINDS_MOST = 3 };
const char *kind_name(int kind); // "decoder", "cross", "encoder": 0 … KINDS_MOST − 1

const Field *document_maps(const Document *d);
bool document_hidden(const Document *d, int layer, int head, int i, int j); // is key j masked for query i?
int document_allowed(const Document *d, int layer, int head, int i);        // number of keys that query i may see
const char *document_query(Arena *arena, const Document *d, int i);         // its word, or its position as text
const char *document_key(Arena *arena, const Document *d, int j);

// The stages of a head's computation; empty where the document lacks the fields for it.
typedef enum { STAGE_DOTS, STAGE_SCALED, STAGE_MASKED, STAGE_WEIGHTS, STAGE_MIXED, STAGE_OUT, STAGES } Stage;
const char *stage_word(Stage stage); // for flags: "dots", "scaled", "masked", "weights", "mixed", "out"
const char *stage_name(Stage stage); // "q · k", "÷ √d", "+ mask", "softmax", "· V", "· Wo"
bool document_has_stage(const Document *d, Stage stage);
Mat document_stage(Arena *arena, const Document *d, int layer, int head, Stage stage);

// How one weight was computed, from the document's numbers. terms is 0 without q and k; without scores only what
// follows from the weights is set, and from_scores is false.
typedef struct {
    int terms;          // d
    const float *q, *k; // (d) each
    bool from_scores, hidden;
    double dot, scaled, capped; // Σ q k;  ÷ √d;  after the soft cap
    double added;               // added by a mask or ALiBi (0, a bias, −∞)
    double max, exp, sum;       // of the row; exp(score − max); Σ exp of the row
    double weight, row_sum;     // in the file; sum of the row
    int dv;                     // 0: no values
    const float *v;             // (dv) of the key
    double pull;                // weight · |v| / |Σ weight v|: the key's influence on the output; NaN without values
} Explained;
Explained document_explain(Arena *arena, const Document *d, int layer, int head, int i, int j);

#endif
