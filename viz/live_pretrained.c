// A pretrained model (model/pretrained.h) that runs while the user types: tokens by its own tokenizer, maps computed
// when read, answers one position at a time.
#include "viz/model_backend.h"

#include "base/measure.h"
#include "base/portable_math.h"
#include "tokenizer/tokenizer.h"
#include "model/pretrained_jobs.h"
#include "model/pretrained_run.h"

#include <stdlib.h>
#include <string.h>

// Roles are learned from a few texts of repeated random tokens, one text per call.
enum { ROLE_TEXTS = 4, ROLE_PERIOD = 16, ROLE_SEED = 3 };
static const double ROLE_MASS = 0.4;

typedef struct {
    PretrainedModel *model;
    Tokenizer *tokenizer;
    PretrainedJobTexts texts;
    Mat mass[PRETRAINED_JOB_KINDS]; // (L, H) sums over the texts
    Arena *arena;
    int learned;
} Model;

// The likeliest tokens at a position. id[0] −1: not computed yet.
typedef struct {
    int id[TOP_PREDICTIONS];
    float share[TOP_PREDICTIONS];
} Likely;

// A run, and the same text without ablation.
typedef struct {
    const Model *model;
    PretrainedRun whole, run;
    bool gated;                  // heads are ablated: `run` differs from `whole`
    Likely *likely;              // (T) of the run
    int *best;                   // (T) unablated answer; −1: not computed yet
    double *lost, *lost_whole;   // (T) −log p of that answer, in both
    const char **answers, **all; // (T) for the document
    TopPredictions *predictions; // (T) …
    Arena *arena;
} Looked;

static Model *of(const Live *live) { return live->of; }

// ---- tokens ---------------------------------------------------------------------------------------------------------

static bool read_text(TokenList *out, Arena *arena, const Live *live, const char *text, Error *error)
{
    const Architecture *is = &of(live)->model->is;
    int longest = pretrained_longest(of(live)->model);
    *out = tokenizer_encode(arena, of(live)->tokenizer, text, true);
    if (!out->count) return error_set(error, "this text has no tokens; type a word");
    if (longest && out->count > longest)
        return error_set(error, "this text has %d tokens; %s has learned %d positions", out->count, live->name,
                         longest);
    for (int t = 0; t < out->count; t++)
        if (out->ids[t] >= is->words)
            return error_set(error, "\"%s\" is token %d, and %s has the %d tokens 0 … %d: its tokenizer is another's",
                             tokenizer_shown(arena, of(live)->tokenizer, out->ids[t]), out->ids[t], live->name,
                             is->words, is->words - 1);
    return true;
}

// The length of the common prefix of two runs.
static int shared_tokens(const PretrainedRun *a, const PretrainedRun *b)
{
    int n = 0;
    while (n < a->input.T && n < b->input.T && a->input.tokens[n] == b->input.tokens[n]) n++;
    return n;
}

// ---- the run --------------------------------------------------------------------------------------------------------

static void tell(void *context, int done)
{
    const Live *live = context;
    if (live->tell) live->tell(live->progress_context, done, live->layers);
}

static PretrainedRun run_input(Arena *arena, Live *live, const PretrainedRun *before, PretrainedInput input)
{
    if (before) return pretrained_run_after(arena, before, input, tell, live);
    return pretrained_run(arena, of(live)->model, input, tell, live);
}

static bool any_off(const Live *live, const unsigned char *off)
{
    for (int n = 0; off && n < live->layers * live->heads; n++)
        if (off[n]) return true;
    return false;
}

// The mean output of each head over all rows, in every row: (L) of (T, H d).
static Mat *means_of(Arena *arena, const PretrainedRun *run, int L)
{
    Mat *means = arena_alloc(arena, (size_t)L * sizeof *means);
    for (int l = 0; l < L; l++) means[l] = mat_mean_rows(arena, run->layers[l].heads);
    return means;
}

static Mat *heads_of(Arena *arena, const PretrainedRun *run, int L)
{
    Mat *heads = arena_alloc(arena, (size_t)L * sizeof *heads);
    for (int l = 0; l < L; l++) heads[l] = run->layers[l].gated;
    return heads;
}

static bool run_both(Looked *looked, Live *live, const LiveRequest *request, TokenList tokens, Error *error)
{
    Arena *arena = looked->arena;
    const Looked *before = request->before ? request->before->run : NULL,
                 *held = request->held ? request->held->run : NULL;
    PretrainedInput input = { .tokens = tokens.ids, .T = tokens.count };
    looked->gated = any_off(live, request->ablated);
    if (looked->gated && request->ablation == ABLATE_HELD && held->run.input.T != tokens.count)
        return live_length_error(request->held, tokens.count, error);
    looked->whole = looked->run = run_input(arena, live, before ? &before->whole : NULL, input);
    if (!looked->gated) return true;
    input.gates = mat_new(arena, live->layers, live->heads);
    for (int n = 0; n < live->layers * live->heads; n++) input.gates.at[n] = request->ablated[n] ? 0.0f : 1.0f;
    if (request->ablation == ABLATE_MEAN) input.instead = means_of(arena, &looked->whole, live->layers);
    if (request->ablation == ABLATE_HELD) input.instead = heads_of(arena, &held->run, live->layers);
    looked->run = run_input(arena, live, &looked->whole, input);
    return true;
}

// ---- answers --------------------------------------------------------------------------------------------------------

// log Σ exp of the logits; collects the largest, in order.
static double likely_of(Likely *out, Mat logits)
{
    double sum = 0;
    int count = 0;
    for (int w = 0; w < logits.cols; w++) {
        float value = logits.at[w];
        if (count == TOP_PREDICTIONS && !(value > logits.at[out->id[count - 1]])) continue;
        int at = count < TOP_PREDICTIONS ? count++ : count - 1;
        for (; at > 0 && logits.at[out->id[at - 1]] < value; at--) out->id[at] = out->id[at - 1];
        out->id[at] = w;
    }
    double most = count ? (double)logits.at[out->id[0]] : 0;
    for (int w = 0; w < logits.cols; w++) sum += exp((double)logits.at[w] - most);
    for (int k = 0; k < count; k++) out->share[k] = (float)(exp((double)logits.at[out->id[k]] - most) / sum);
    for (int k = count; k < TOP_PREDICTIONS; k++) out->id[k] = -1;
    return most + log(sum);
}

static const char *shown(const Looked *looked, int id)
{
    return id < 0 ? NULL : tokenizer_shown(looked->arena, looked->model->tokenizer, id);
}

static void say_answer(Looked *looked, int t)
{
    const Likely *likely = &looked->likely[t];
    for (int k = 0; k < TOP_PREDICTIONS; k++) {
        looked->predictions[t].word[k] = shown(looked, likely->id[k]);
        looked->predictions[t].share[k] = likely->share[k];
    }
    looked->answers[t] = looked->predictions[t].word[0];
    looked->all[t] = shown(looked, looked->best[t]);
}

static bool is_answered(const Looked *looked, int t) { return looked->likely[t].id[0] >= 0 && looked->best[t] >= 0; }

// Some logits have no token in the tokenizer: answers without a word.
static void find_answer(Looked *looked, int t)
{
    Arena *scratch = arena_open();
    Mat logits = pretrained_logits(scratch, &looked->whole, t);
    Likely whole;
    if (looked->best[t] < 0) {
        double all = likely_of(&whole, logits);
        looked->best[t] = whole.id[0];
        looked->lost_whole[t] = all - (double)logits.at[whole.id[0]];
        if (!looked->gated) looked->likely[t] = whole;
        if (!looked->gated) looked->lost[t] = looked->lost_whole[t];
    }
    if (looked->likely[t].id[0] < 0) {
        logits = pretrained_logits(scratch, &looked->run, t);
        double all = likely_of(&looked->likely[t], logits);
        looked->lost[t] = all - (double)logits.at[looked->best[t]];
    }
    arena_close(scratch);
    say_answer(looked, t);
}

// Reuses the previous run: in a causal model, everything before the first differing token.
static void keep_answers(Looked *looked, const Looked *before)
{
    int T = looked->whole.input.T, same = before ? shared_tokens(&looked->whole, &before->whole) : 0;
    bool causal = looked->model->model->is.causal;
    for (int t = 0; t < T; t++) {
        looked->best[t] = looked->likely[t].id[0] = -1;
        looked->lost[t] = looked->lost_whole[t] = (double)NAN;
        if (t >= same || (!causal && (same < T || before->whole.input.T != T)) || before->best[t] < 0) continue;
        looked->best[t] = before->best[t];
        looked->lost_whole[t] = before->lost_whole[t];
        if (looked->gated || before->gated || before->likely[t].id[0] < 0) continue;
        looked->likely[t] = before->likely[t];
        looked->lost[t] = before->lost[t];
        say_answer(looked, t);
    }
}

static void make_answers(Document *out, Looked *looked, const Looked *before)
{
    Arena *arena = looked->arena;
    size_t T = (size_t)out->T;
    out->loss = out->whole_loss = (double)NAN;
    if (!looked->model->model->is.head) return;
    looked->likely = arena_alloc(arena, T * sizeof *looked->likely);
    looked->best = arena_alloc(arena, T * sizeof *looked->best);
    looked->lost = arena_alloc(arena, T * sizeof *looked->lost);
    looked->lost_whole = arena_alloc(arena, T * sizeof *looked->lost_whole);
    out->answers = looked->answers = arena_alloc(arena, T * sizeof *looked->answers);
    out->whole = looked->all = arena_alloc(arena, T * sizeof *looked->all);
    out->predictions = looked->predictions = arena_alloc(arena, T * sizeof *looked->predictions);
    out->answer_is = looked->model->model->is.causal ? "next token" : "token in this place";
    out->answer_one = "answer";
    out->answer_many = "answers";
    keep_answers(looked, before);
}

// Each head's attribution to the likeliest answer at a position.
static void find_adds(Document *d, Looked *looked, int at)
{
    Error error;
    Mat adds;
    int word = looked->likely[at].id[0];
    d->can_add = pretrained_attribution(&adds, looked->arena, &looked->run, at, word, -1, &error);
    d->adds_at = at;
    d->adds = d->can_add ? adds.at : NULL;
}

static void sum_up(Document *d, const Looked *looked)
{
    d->loss = d->whole_loss = 0;
    for (int t = 0; t < d->T; t++) {
        d->loss += looked->lost[t] / d->T;
        d->whole_loss += looked->lost_whole[t] / d->T;
    }
}

static bool answer(Live *live, Document *d, int at, double seconds)
{
    Looked *looked = (Looked *)(uintptr_t)d->run;
    double end = measure_clock_wall() + seconds;
    if (!of(live)->model->is.head) return true;
    if (!is_answered(looked, at)) find_answer(looked, at);
    else
        for (int t = d->T - 1; t >= 0; t--) {
            if (is_answered(looked, t)) continue;
            find_answer(looked, t);
            if (measure_clock_wall() >= end) break;
        }
    if (d->can_add && d->adds_at != at) find_adds(d, looked, at);
    for (int t = 0; t < d->T; t++)
        if (!is_answered(looked, t)) return false;
    sum_up(d, looked);
    return true;
}

// ---- the document ---------------------------------------------------------------------------------------------------

static void make_matrix(Mat to, const void *run, FieldKind kind, int l, int h)
{
    const Looked *looked = run;
    Arena *scratch = arena_open();
    Mat made = kind == FIELD_WEIGHTS  ? pretrained_weights(scratch, &looked->run, l, h)
               : kind == FIELD_SCORES ? pretrained_scores(scratch, &looked->run, l, h)
                                      : pretrained_writes(scratch, &looked->run, l, h);
    mat_set(to, made);
    arena_close(scratch);
}

// The panel divides q · k by √d. A model with another scale has it multiplied into q.
static Mat scaled_queries(Arena *arena, const Architecture *is, Mat q)
{
    double factor = is->score_scale * sqrt(is->d);
    if (fabs(factor - 1) < 1e-6) return q;
    Mat out = mat_new(arena, q.rows, q.cols);
    for (int i = 0; i < q.rows; i++)
        for (int j = 0; j < q.cols; j++) *mat_ref(out, i, j) = (float)(factor * (double)*mat_ref(q, i, j));
    return out;
}

static void stand(Document *out, Looked *looked, FieldKind kind, int heads)
{
    const Architecture *is = &looked->model->model->is;
    Mat *views = arena_alloc(looked->arena, (size_t)(is->L * heads) * sizeof *views);
    for (int l = 0; l < is->L; l++) {
        const PretrainedStages *s = &looked->run.layers[l];
        Mat all = kind == FIELD_Q   ? scaled_queries(looked->arena, is, s->q)
                  : kind == FIELD_K ? s->k
                  : kind == FIELD_V ? s->v
                                    : s->heads;
        for (int h = 0; h < heads; h++) views[l * heads + h] = mat_cols(all, h * is->d, is->d);
    }
    out->fields[kind] = live_field_stored(looked->arena, kind, is->L, heads, views);
}

static void fill_fields(Document *out, Looked *looked)
{
    const Architecture *is = &looked->model->model->is;
    LiveMaker *maker = live_maker(looked->arena, make_matrix, looked, is->L, is->H);
    out->fields = arena_alloc(looked->arena, FIELD_OTHER * sizeof *out->fields);
    out->count = FIELD_OTHER;
    out->fields[FIELD_WEIGHTS] = live_field_lazy(maker, FIELD_WEIGHTS, out->T, out->S);
    out->fields[FIELD_SCORES] = live_field_lazy(maker, FIELD_SCORES, out->T, out->S);
    out->fields[FIELD_OUT] = live_field_lazy(maker, FIELD_OUT, out->T, is->D);
    stand(out, looked, FIELD_Q, is->H);
    stand(out, looked, FIELD_K, is->G);
    stand(out, looked, FIELD_V, is->G);
    stand(out, looked, FIELD_HEAD, is->H);
    for (int kind = 0; kind < FIELD_OTHER; kind++) out->of[kind] = kind;
    out->of[FIELD_OTHER] = -1;
}

// Without a window shorter than the text the mask is known; otherwise it is read from the scores.
static Masked mask_of(const Architecture *is, int T)
{
    for (int l = 0; l < is->L; l++)
        if (is->window && is->window[l] && is->window[l] < T) return MASK_SCORES;
    return is->causal ? MASK_CAUSAL : MASK_NONE;
}

static bool is_finite(Mat m)
{
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.cols; j++)
            if (!isfinite(*mat_ref(m, i, j))) return false;
    return true;
}

static bool run_published(Document *out, Arena *arena, Live *live, const LiveRequest *request, Error *error)
{
    // 1. Tokens.
    TokenList tokens;
    if (!read_text(&tokens, arena, live, request->text, error)) return false;

    // 2. The run, and the unablated one.
    Looked *looked = arena_alloc(arena, sizeof *looked);
    *looked = (Looked){ .model = of(live), .arena = arena };
    if (!run_both(looked, live, request, tokens, error)) return false;

    // 3. The document.
    const Architecture *is = &of(live)->model->is;
    const char **words = arena_alloc(arena, (size_t)tokens.count * sizeof *words);
    for (int t = 0; t < tokens.count; t++) words[t] = tokenizer_shown(arena, of(live)->tokenizer, tokens.ids[t]);
    const char *more = arena_format(arena, "%s · %s", is->causal ? "causal" : "bidirectional", is->name);
    *out = (Document){ .title = live->name,
                       .source = live->source,
                       .maps = FIELD_WEIGHTS,
                       .layers = is->L,
                       .heads = is->H,
                       .T = tokens.count,
                       .S = tokens.count,
                       .groups = is->G,
                       .masked = mask_of(is, tokens.count),
                       .cap = is->score_cap,
                       .queries = words,
                       .keys = words,
                       .shape = live_shape(arena, live, is->G, tokens.count, more),
                       .roles = live->roles,
                       .live = true,
                       .ablation = request->ablation,
                       .run = looked,
                       .adds_at = -1,
                       .can_add = is->head && is->causal && mat_empty(of(live)->model->layers->sum_attention.gain) };
    bool finite = is_finite(looked->run.last);
    out->range = finite ? "rows sum to 1" : NULL;
    out->warning = finite ? NULL : "some numbers inside the model are too large for float32: its answers are NaN";
    fill_fields(out, looked);
    make_answers(out, looked, request->before ? request->before->run : NULL);
    return true;
}

// ---- roles ----------------------------------------------------------------------------------------------------------

// Tokens that the template adds before a text, and the others.
static void prepare_roles(Model *model, Arena *arena)
{
    TokenList list = tokenizer_encode(arena, model->tokenizer, "a", true);
    int words = model->model->is.words, count = 0, befores = 0;
    if (tokenizer_count(model->tokenizer) < words) words = tokenizer_count(model->tokenizer);
    while (befores < list.count && list.from[befores] == list.to[befores]) befores++;
    int *drawn = arena_alloc(arena, (size_t)(words + 1) * sizeof *drawn);
    for (int id = 0; id < words; id++)
        if (tokenizer_token(model->tokenizer, id) && !tokenizer_is_special(model->tokenizer, id)) drawn[count++] = id;
    int longest = pretrained_longest(model->model), period = ROLE_PERIOD;
    if (longest && period > (longest - befores) / 2) period = (longest - befores) / 2;
    if (period > count) period = count;
    model->texts = (PretrainedJobTexts){ .before = list.ids,
                                         .befores = befores,
                                         .drawn = drawn,
                                         .count = count,
                                         .period = period,
                                         .texts = 1,
                                         .seed = ROLE_SEED };
    if (period < 2) model->learned = ROLE_TEXTS;
}

static void name_roles(Live *live)
{
    PretrainedJobs mean = { .chance = 0 };
    for (int k = 0; k < PRETRAINED_JOB_KINDS; k++) {
        mean.mass[k] = of(live)->mass[k];
        for (int n = 0; n < live->layers * live->heads; n++) mean.mass[k].at[n] /= (float)ROLE_TEXTS;
    }
    for (int n = 0; n < live->layers * live->heads; n++) {
        PretrainedJob jobs[2];
        int count = pretrained_jobs_of(jobs, &mean, n / live->heads, n % live->heads, ROLE_MASS);
        live->roles[n] = count == 2 ? arena_format(of(live)->arena, "%s, %s", pretrained_job_name(jobs[0]),
                                                   pretrained_job_name(jobs[1]))
                         : count    ? pretrained_job_name(jobs[0])
                                    : NULL;
    }
}

static bool learn(Live *live)
{
    Model *model = of(live);
    if (model->learned >= ROLE_TEXTS) return true;
    Arena *scratch = arena_open();
    PretrainedJobTexts texts = model->texts;
    texts.seed += (uint64_t)model->learned;
    PretrainedJobs jobs = pretrained_jobs(scratch, model->model, texts);
    for (int k = 0; k < PRETRAINED_JOB_KINDS; k++)
        for (int l = 0; l < live->layers; l++)
            for (int h = 0; h < live->heads; h++) *mat_ref(model->mass[k], l, h) += *mat_ref(jobs.mass[k], l, h);
    arena_close(scratch);
    if (++model->learned < ROLE_TEXTS) return false;
    name_roles(live);
    return true;
}

// ---- opening --------------------------------------------------------------------------------------------------------

// If no row of the family table matches, the model cannot run here; the error points to data/manyheads.py, which
// exports its attention maps.
static bool is_known(Arena *arena, const char *folder, Error *error)
{
    Architecture is;
    Error why;
    if (pretrained_config(&is, arena, folder, &why)) return true;
    return error_set(error, "%s; data/manyheads.py writes the maps of any model of transformers as a file", why.text);
}

static void close_published(Live *live) { pretrained_close(of(live)->model); }

bool live_open_pretrained(Live **out, Arena *arena, const char *folder, Error *error)
{
    static const ModelBackend kind = { run_published, learn, answer, close_published, true };
    Model *model = arena_alloc(arena, sizeof *model);
    model->arena = arena;
    if (!is_known(arena, folder, error) || !pretrained_open(&model->model, arena, folder, error)) return false;
    const Architecture *is = &model->model->is;
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    size_t from = length;
    while (from > 0 && folder[from - 1] != '/') from--;
    const char *name = arena_format(arena, "%.*s", (int)(length - from), folder + from);
    Live as = { .kind = &kind,
                .of = model,
                .layers = is->L,
                .heads = is->H,
                .name = name,
                .source = arena_format(arena, "%s", folder),
                .sentence = "The animal didn't cross the street because it was too tired." };
    if (!tokenizer_read(&model->tokenizer, arena, folder, error) || !live_new(out, arena, &as, error)) {
        pretrained_close(model->model);
        return false;
    }
    for (int k = 0; k < PRETRAINED_JOB_KINDS; k++) model->mass[k] = mat_new(arena, is->L, is->H);
    prepare_roles(model, arena);
    return true;
}
