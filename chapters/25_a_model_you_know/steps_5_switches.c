// Chapter 25, steps 5 and 6. Model C and a small GPT-2, read with one switch as another family has it.
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "steps.h"

#include <stdlib.h>

// ---- one switch turned

typedef enum {
    ON_SUMS,
    ON_BRANCHES,
    LAYER_NORM,
    PLUS_ONE,
    EPS,
    PAIRS,
    BASE,
    QUARTER,
    NO_PLACES,
    BOTH_SIDES,
    GELU_FOR_SILU,
    GATE_AND_UP,
    PARALLEL,
    EMBEDDING_SCALE,
    TIED,
    SCORE_SCALE,
    CAPS,
    TURNED_WO,
    NARROW,
    SCALING,
    SWITCHES
} Switch;

// What is wrong, and which family has it so.
static const struct {
    const char *name, *whose;
} switches[SWITCHES] = {
    [ON_SUMS] = { "norms on the sums", "BERT" },
    [ON_BRANCHES] = { "norms behind", "OLMo 2" },
    [LAYER_NORM] = { "LayerNorm", "GPT-2" },
    [PLUS_ONE] = { "gains 1 + w", "Gemma" },
    [EPS] = { "ε = 10⁻⁵", "Phi-3" },
    [PAIRS] = { "RoPE: 2m, 2m + 1", "GPT-J" },
    [BASE] = { "RoPE: base 5·10⁵", "LLaMA 3" },
    [QUARTER] = { "RoPE: a quarter", "GPT-NeoX" },
    [NO_PLACES] = { "no positions", "" },
    [BOTH_SIDES] = { "not causal", "BERT" },
    [GELU_FOR_SILU] = { "GELU for SiLU", "Gemma" },
    [GATE_AND_UP] = { "gate, up swapped", "" },
    [PARALLEL] = { "MLP beside", "GPT-NeoX" },
    [EMBEDDING_SCALE] = { "embeddings × √D", "Gemma" },
    [TIED] = { "output tied", "GPT-2" },
    [SCORE_SCALE] = { "scores not scaled", "GPT-Neo" },
    [CAPS] = { "caps 50 and 30", "Gemma 2" },
    [TURNED_WO] = { "Wo (in, out)", "GPT-2" },
    [NARROW] = { "a window of 8", "Mistral" },
    [SCALING] = { "rope_scaling", "LLaMA 3.1" },
};

static void move_norms(PretrainedModel *m, Switch to)
{
    for (int l = 0; l < m->is.L; l++) {
        PretrainedLayer *layer = &m->layers[l];
        *(to == ON_SUMS ? &layer->sum_attention : &layer->after_attention) = layer->before_attention;
        *(to == ON_SUMS ? &layer->sum_mlp : &layer->after_mlp) = layer->before_mlp;
        layer->before_attention = layer->before_mlp = (PretrainedNorm){ 0 };
    }
}

static void exchange(PretrainedLinear *a, PretrainedLinear *b)
{
    PretrainedLinear kept = *a;
    *a = *b;
    *b = kept;
}

// A square matrix has the same shape both ways: only the steps tell inputs from outputs.
static void turn_over(Weight *w)
{
    ptrdiff_t step = w->in_step;
    REQUIRE(w->in == w->out, "%d by %d is not square", w->in, w->out);
    w->in_step = w->out_step;
    w->out_step = step;
}

// LayerNorm's biases, which an RMSNorm has not: zeros.
static void layer_norms(Arena *arena, PretrainedModel *m)
{
    Mat zeros = mat_new(arena, 1, m->is.D);
    m->is.norm = FAMILY_NORM_LAYER;
    m->last_norm.bias = zeros;
    for (int l = 0; l < m->is.L; l++) m->layers[l].before_attention.bias = m->layers[l].before_mlp.bias = zeros;
}

static const int *windows_of(Arena *arena, int L, int W)
{
    int *window = arena_alloc(arena, (size_t)L * sizeof *window);
    for (int l = 0; l < L; l++) window[l] = W;
    return window;
}

// As its config.json has it.
static const RopeScaling of_llama_31 = {
    .kind = ROPE_SCALING_LLAMA3, .factor = 8.0, .original = 8192, .low = 1.0, .high = 4.0, .attention = 1.0
};

static void turn(Arena *arena, PretrainedModel *m, Switch which)
{
    Architecture *is = &m->is;
    switch (which) {
    case ON_SUMS:
    case ON_BRANCHES: move_norms(m, which); break;
    case LAYER_NORM: layer_norms(arena, m); break;
    case PLUS_ONE: is->norm = FAMILY_NORM_RMS_PLUS_ONE; break;
    case EPS: is->eps = 1e-5; break;
    case PAIRS: is->places = FAMILY_POSITIONS_ROPE_PAIRS; break;
    case BASE: is->rope_base = 500000.0; break;
    case QUARTER: is->turned = is->d / 4; break;
    case NO_PLACES: is->places = FAMILY_POSITIONS_NONE; break;
    case BOTH_SIDES: is->causal = false; break;
    case GELU_FOR_SILU: is->activation = ACTIVATION_GELU; break;
    case GATE_AND_UP:
        for (int l = 0; l < is->L; l++) exchange(&m->layers[l].gate, &m->layers[l].up);
        break;
    case PARALLEL: is->parallel = true; break;
    case EMBEDDING_SCALE: is->embedding_scale = sqrt(is->D); break;
    case TIED: m->output.weight = m->embedding; break;
    case SCORE_SCALE: is->score_scale = 1.0; break;
    case CAPS:
        is->score_cap = 50.0;
        is->logit_cap = 30.0;
        break;
    case TURNED_WO:
        for (int l = 0; l < is->L; l++) turn_over(&m->layers[l].o.weight);
        break;
    case SCALING: is->stretch = of_llama_31; break;
    case NARROW: is->window = windows_of(arena, is->L, 8); break;
    case SWITCHES: break;
    }
}

// ---- 5

// The largest error of a logit; nats a word; that error of the first word, read alone; and the first word of the
// document that has one.
typedef struct {
    double off, loss, alone;
    int from;
} Read;

static const double NOTHING = 1e-6;

static double loss_of(const DocumentSample *document, Mat logits)
{
    double sum = 0.0;
    for (int t = 0; t < logits.rows; t++)
        sum += (double)(logsumexp(mat_row(logits, t), logits.cols) - *mat_ref(logits, t, document->words[t + 1]));
    return sum / logits.rows;
}

// Documents that only the loss is of, so that it is not one document's luck.
enum { MORE = 7 };

static double mean_loss(const Lesson *lesson, const PretrainedModel *model, const Subject *c, Mat logits)
{
    static DocumentSample document;
    Random random = random_of(lesson, 2504);
    double sum = loss_of(&c->document, logits);
    for (int n = 0; n < MORE; n++) {
        Arena *scratch = arena_open();
        document_draw(&document, DOCUMENT_WORDS, &random);
        sum += loss_of(&document, all_logits(scratch, model, document.words, document.T - 1));
        arena_close(scratch);
    }
    return sum / (MORE + 1);
}

static Read read_with(const Lesson *lesson, const Subject *c, Switch which, Mat right)
{
    Arena *scratch = arena_open();
    PretrainedModel *model = look_alike(scratch, c->published);
    turn(scratch, model, which);
    Mat logits = all_logits(scratch, model, c->document.words, c->T);
    Mat alone = all_logits(scratch, model, c->document.words, 1), first = mat_rows(right, 0, 1);
    Read read = { off_by(logits, right), mean_loss(lesson, model, c, logits), off_by(alone, first), c->T };
    for (int t = c->T - 1; t >= 0; t--)
        if (mat_max_difference(mat_rows(logits, t, 1), mat_rows(right, t, 1)) > NOTHING * mat_magnitude(right))
            read.from = t;
    arena_close(scratch);
    return read;
}

// What changes which keys are seen, and how much, and nothing else. A word that is alone has one key, and its weight
// is 1.
enum { OF_SCORES = 8 };
static bool of_scores(Switch s)
{
    return s == PAIRS || s == BASE || s == QUARTER || s == NO_PLACES || s == BOTH_SIDES || s == SCORE_SCALE ||
           s == NARROW || s == SCALING;
}

static const Read *sorted_by;
static int by_error(const void *a, const void *b)
{
    double first = sorted_by[*(const int *)a].off, second = sorted_by[*(const int *)b].off;
    return (first < second) - (first > second);
}

// What a word costs beyond what it should, sorted as the table is.
static void figure_losses(Lesson *lesson, const Read *read, const int *order, double loss)
{
    static const char *const series[] = { "scores alone are wrong", "more than scores" };
    const char **names = arena_alloc(lesson->arena, SWITCHES * sizeof *names);
    double values[2 * SWITCHES];
    for (int n = 0; n < SWITCHES; n++) {
        bool scores = of_scores((Switch)order[n]);
        names[n] = switches[order[n]].name;
        values[2 * n] = scores ? read[order[n]].loss - loss : (double)NAN;
        values[2 * n + 1] = scores ? (double)NAN : read[order[n]].loss - loss;
    }
    figure_bars(lesson, "wrong.png", "what one wrong switch costs model C, sorted by the error of its logits",
                (PlotBars){ .title = "One wrong switch",
                            .y_title = "nats a word beyond the right model's; sorted by error",
                            .groups = names,
                            .series = series,
                            .group_count = SWITCHES,
                            .series_count = 2,
                            .values = values,
                            .decimals = -1,
                            .width = 900,
                            .height = 420 });
}

void one_wrong_switch(Lesson *lesson, const Subject *c)
{
    step(lesson, "One wrong switch");
    static const char *const columns[] = { "error", "loss", "alone", "from" };
    Read read[SWITCHES];
    int order[SWITCHES];
    Mat right = all_logits(lesson->arena, c->published, c->document.words, c->T);
    double loss = mean_loss(lesson, c->published, c, right);
    for (int s = 0; s < SWITCHES; s++) {
        read[s] = read_with(lesson, c, (Switch)s, right);
        order[s] = s;
    }
    sorted_by = read;
    qsort(order, SWITCHES, sizeof *order, by_error);
    Rows rows = rows_of(lesson, "one wrong switch", columns, 4);
    rows.table.decimals = 5;
    rows.table.whole = 8;
    for (int n = 0; n < SWITCHES; n++) {
        const Read *r = &read[order[n]];
        const char *whose = switches[order[n]].whose;
        rows_add(&rows, ROW(r->off, r->loss, r->alone, r->from), "%-9s %s", whose, switches[order[n]].name);
    }
    show_rows(lesson, &rows);
    int worse = 0, silent = 0;
    for (int s = 0; s < SWITCHES; s++) {
        worse += read[s].loss > loss + 0.05;
        silent += of_scores((Switch)s) && read[s].alone == 0.0;
    }
    say(lesson,
        "error: the largest of a logit, in units of the largest logit. loss: nats a word, of "
        "%d documents; as it is, %.5f. "
        "alone: the error of the first word, read alone. from: the first word of the document that is wrong.",
        MORE + 1, loss);
    check(lesson, worse > SWITCHES / 2, "%d of %d cost more than 0.05 nats a word", worse, (int)SWITCHES);
    check(lesson, silent == OF_SCORES,
          "the %d that change scores alone: none is seen in a word that is read alone, whose only weight is 1", silent);
    figure_losses(lesson, read, order, loss);
}
