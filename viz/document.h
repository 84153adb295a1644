// What the viewer shows: the matrices of one file, or of one run of a model, with their words. Knows nothing of
// windows, and of files only their bytes; it never copies an array that a file holds, so a file of gigabytes may be
// mapped.
#ifndef VIZ_DOCUMENT_H
#define VIZ_DOCUMENT_H

#include "io/trace.h"

// What the numbers of a field are: what io/trace.h has a name for, a head at a time, or something else. Rows of the
// first two are queries, columns are keys.
typedef enum {
    FIELD_WEIGHTS = TRACE_WEIGHTS, // what a softmax gave: the maps that every view shows
    FIELD_SCORES = TRACE_SCORES,   // what went into it: q · k / √d, −∞ where a mask hides the key
    FIELD_Q = TRACE_Q,             // (T, d)
    FIELD_K = TRACE_K,             // (S, d)   K and V may have fewer heads, which groups share
    FIELD_V = TRACE_V,             // (S, dv)
    FIELD_HEAD = TRACE_HEADS,      // (T, dv)  weights · v
    FIELD_OUT = TRACE_OUT,         // (T, D)   what the head adds to the sum of all, after its part of Wo
    FIELD_OTHER = TRACE_KINDS,
    FIELD_KINDS
} FieldKind;

// Where a matrix begins that is made when it is looked at: it stands until `make` has been asked for a few others.
typedef const unsigned char *MakePlane(void *maker, FieldKind kind, int plane);

// layers × heads matrices (rows, cols) of one kind, as they stand in memory, whatever their type and order.
typedef struct {
    const char *name; // as in the file
    FieldKind kind;
    int layers, heads; // 1 each where the file has no such axis
    int rows, cols;
    const unsigned char *const *planes; // (layers · heads) where each matrix begins; NULL: `make` says it
    MakePlane *make;
    void *maker;
    ptrdiff_t row_step, col_step; // bytes
    Dtype stored;
    bool big_endian;
} Field;

// A block of one matrix as float32: out (n, m) = rows row … row + n − 1, columns col … col + m − 1.
void field_read(Mat out, const Field *field, int layer, int head, int row, int col);
float field_at(const Field *field, int layer, int head, int row, int col);

// The walk over one map: of a tiled kernel (chapter 14), a frame a tile; or of many ranks at a time (chapter 23), a
// frame a step of them all. Weights, states and ranks are fields whose heads are the frames.
typedef struct {
    int frames;      // 0: the file has no walk
    int weights;     // (frames, T, S)
    int state;       // (frames, T, 3) with m, l and rescale of every query; of tiles alone
    Mat tiles;       // (frames, 4)  first query, queries, first key, keys; empty: it is one of ranks
    int ranks, many; // (frames, T, S) with 1 + who computed this score, or 0; how many ranks there are
} Walk;

enum { SIDE_MOST = 1 << 20, MAPS_MOST = 4096 }; // T and S are at most SIDE_MOST, layers · heads at most MAPS_MOST

// What heads that are off give instead of their output: nothing; the mean of theirs over the text's own positions; or,
// position by position, what they gave in the text that is held.
typedef enum { ABLATE_ZERO, ABLATE_MEAN, ABLATE_HELD, ABLATIONS } AblationKind;
const char *ablation_word(AblationKind ablation); // "zero", "mean", "held"

// The likeliest answers at a position, the likeliest first. word[0] NULL: they are not known yet.
enum { TOP_PREDICTIONS = 5 };
typedef struct {
    const char *word[TOP_PREDICTIONS];
    float share[TOP_PREDICTIONS];
} TopPredictions;

typedef enum { MASK_NONE, MASK_CAUSAL, MASK_SCORES, MASK_MAPS } Masked;

typedef struct Document {
    const char *title;  // "06 Multi-head attention", "glosses", or the file's name
    const char *source; // the path or the model; goes into what is saved
    Field *fields;
    int count;                  // at least 1
    int of[FIELD_KINDS];        // the field of each kind that belongs to the maps; −1: there is none
    int maps;                   // the field that the views show: of[FIELD_WEIGHTS] where there is one
    int layers, heads, T, S;    // of that field
    int groups;                 // G: heads that share keys and values stand side by side; H where nothing is shared
    Masked masked;              // how it is known which cells are hidden: above the diagonal; −∞ in scores; in maps
    const char *const *queries; // (T) words of the rows, as a reader expects them; NULL: positions
    const char *const *keys;    // (S)
    // Of two sentences in one, of which sentence each is: 0 A, 1 B. NULL: it is one sentence.
    const unsigned char *query_sentence, *key_sentence; // (T) (S)
    Walk walk;
    // Maps of several kinds in one file: the encoder's, the decoder's, cross attention's, each a document of its own
    // with the same kinds. kind_count 0: there is but one.
    const struct Document *kinds;
    int kind_count, kind_at; // kinds[kind_at] is this document
    const char *kind;        // "cross"; NULL: it has no name
    // What was understood on loading, for the header and the status line.
    const char *shape;   // "2 layers × 4 heads · 16 tokens · bidirectional"
    const char *range;   // "0.000 … 1.000, rows sum to 1"
    const char *warning; // "rows do not sum to 1: these look like logits"; NULL: none
    const char *note;    // why words that were found are not used; NULL: they are, or there were none
    // Of maps that are made of others alone (viz/made.h); NULL and false otherwise.
    const struct Document *reduced_from; // the document whose maps they are made of
    const char *reduced_name;            // "rollout", "mean of the layer's heads"
    bool unnormalized;                   // its rows are no shares of 1
    // Of a live model alone (viz/live.h); NULL and 0 otherwise.
    const char *const *answers;           // (T) what the model answers at each position; NULL each until that is known
    const char *const *whole;             // (T) what it answers with every head on
    double cap;                           // of scores: cap · tanh(q · k / √d / cap); 0: none
    const char *answer_is;                // "gloss of this word", "next word"
    const char *answer_one, *answer_many; // "gloss", "glosses"
    const TopPredictions *predictions;    // (T) of a model that has more to answer than one word
    const char *const *roles;             // (layers · heads) "previous", "it", …; NULL each until they are known
    double loss, whole_loss; // mean −log p of the whole model's answers: now, with every head on. NaN: not yet
    AblationKind ablation;
    // What each head adds, at position adds_at, to the logit of the likeliest answer there; adds_at −1: not known yet.
    bool can_add; // the model's last word is a sum that they are parts of
    int adds_at;
    const float *adds; // (layers · heads)
    const void *run;   // what made it (viz/live.h)
    bool live;
} Document;

// Which axes a three- or more-axis array of a .npy file has: letters of L, H, T, S and 1, such as "HTS". NULL: guessed.
typedef struct {
    const char *axes;
    const char *tokens, *key_tokens;           // contents of token files, 0-terminated; NULL: none
    const char *tokens_name, *key_tokens_name; // their names, for messages
    bool guessed; // nobody has named them: words that do not fit are left out, and d->aside says why
} Reading;

// Understands a trace (io/trace.h, safetensors), as a chapter's --dump writes it, and NumPy's .npy, told apart by their
// first bytes. `file` must outlive the document, which reads from it. false, with one sentence that says what was
// found, for anything else; a pickle gets the Python lines that convert it.
bool document_parse(Document *out, Arena *arena, FileBytes file, const char *name, Reading reading, Error *error);

enum { KINDS_MOST = 3 };
const char *kind_name(int kind); // "decoder", "cross", "encoder": 0 … KINDS_MOST − 1

const Field *document_maps(const Document *d);
bool document_hidden(const Document *d, int layer, int head, int i, int j); // a mask hides key j of query i
int document_allowed(const Document *d, int layer, int head, int i);        // keys that query i may see
const char *document_query(Arena *arena, const Document *d, int i);         // its word, or its position as text
const char *document_key(Arena *arena, const Document *d, int j);

// The stages of a head, as far as the document has what they are made of. Empty where it has not.
typedef enum { STAGE_DOTS, STAGE_SCALED, STAGE_MASKED, STAGE_WEIGHTS, STAGE_MIXED, STAGE_OUT, STAGES } Stage;
const char *stage_word(Stage stage); // for flags: "dots", "scaled", "masked", "weights", "mixed", "out"
const char *stage_name(Stage stage); // "q · k", "÷ √d", "+ mask", "softmax", "· V", "· Wo"
bool document_has_stage(const Document *d, Stage stage);
Mat document_stage(Arena *arena, const Document *d, int layer, int head, Stage stage);

// How one weight came about, from the program's own numbers. Where q and k are not in the file `terms` is 0; where
// there are no scores either, only what follows from the weights is set, and `from_scores` is false.
typedef struct {
    int terms;          // d
    const float *q, *k; // (d) each
    bool from_scores, hidden;
    double dot, scaled, capped; // Σ q k;  ÷ √d;  behind the soft cap, if there is one
    double added;               // what mask or ALiBi added (0, a bias, −∞)
    double max, exp, sum;       // of the row; exp(score − max); Σ exp of the row
    double weight, row_sum;     // as the file has it; the sum of the row's weights
    int dv;                     // 0: no values
    const float *v;             // (dv) of the key
    double pull;                // weight · |v| / |Σ weight v|, how far it moves the output; NaN without values
} Explained;
Explained document_explain(Arena *arena, const Document *d, int layer, int head, int i, int j);

#endif
