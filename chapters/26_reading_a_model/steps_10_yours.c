// Chapter 26, step 10. A published model on two texts that differ in a word: the reader's own, or model C saved as such
// a folder. What heads say, what is missed without them, what moves; and rollout beside that.
#include "attention/rollout.h"
#include "base/portable_math.h"
#include "base/progress.h"
#include "lesson/export_hf.h"
#include "model/pretrained_run.h"
#include "steps.h"

#include <stdlib.h>

enum { SHOWN = 10, MAP_MOST = 512, ROLLOUT_MOST = 512 };

// Two texts of as many tokens, their runs, and the place that answers: the first [MASK], or the last token. word: what
// each of them answers there. lead: of the first text's answer over the second's, in each.
typedef struct {
    const PretrainedModel *model;
    const Tokenizer *tokenizer;
    TokenList text[BOTH];
    PretrainedRun run[BOTH];
    int at, word[BOTH];
    double lead[BOTH];
    bool plain;
} Traced;

// ---- runs

static PretrainedInput input_of(const Traced *t, int which)
{
    return (PretrainedInput){ .tokens = t->text[which].ids, .T = t->text[which].count, .plain = t->plain };
}

// The logit of the first text's answer less that of the second's.
static double leads(const Traced *t, const PretrainedRun *run)
{
    Arena *scratch = arena_open();
    Mat logits = pretrained_logits(scratch, run, t->at);
    double lead = mat_value(logits, 0, t->word[0]) - mat_value(logits, 0, t->word[1]);
    arena_close(scratch);
    return lead;
}

// The lead of text `which` when heads first … first + count − 1 of a layer give 0 (from −1), or what they gave in text
// `from`; at one place, or everywhere with place −1.
static double leads_with(const Traced *t, int which, int from, int layer, int first, int count, int place)
{
    const Architecture *is = &t->model->is;
    Arena *arena = arena_open();
    PretrainedInput input = input_of(t, which);
    Mat gates = mat_new(arena, is->L, is->H), *instead = arena_alloc(arena, (size_t)is->L * sizeof *instead);
    mat_fill(gates, 1.0f);
    for (int h = first; h < first + count; h++) *mat_ref(gates, layer, h) = 0.0f;
    for (int l = 0; l < is->L; l++) {
        Mat gave = t->run[which].layers[l].heads;
        instead[l] = from < 0 ? mat_new(arena, gave.rows, gave.cols) : mat_copy(arena, gave);
    }
    if (from >= 0) {
        int row = place < 0 ? 0 : place, rows = place < 0 ? input.T : 1;
        Mat gave = t->run[from].layers[layer].heads;
        mat_set(mat_rows(instead[layer], row, rows), mat_rows(gave, row, rows));
    }
    input.gates = gates;
    input.instead = instead;
    PretrainedRun run = pretrained_run_after(arena, &t->run[which], input, NULL, NULL);
    double lead = leads(t, &run);
    arena_close(arena);
    return lead;
}

// The lead of the first text when one row of its stream before a layer (L: at the end) is that of the other text.
static double leads_with_row(const Traced *t, int layer, int row)
{
    Arena *arena = arena_open();
    const PretrainedStages *from = t->run[1].layers;
    Mat stream = layer < t->model->is.L ? from[layer].in : from[layer - 1].out;
    StreamPatch patch = { layer, row, mat_rows(stream, row, 1) };
    PretrainedInput input = input_of(t, 0);
    input.patch = &patch;
    PretrainedRun run = pretrained_run_after(arena, &t->run[0], input, NULL, NULL);
    double lead = leads(t, &run);
    arena_close(arena);
    return lead;
}

// How far a lead has gone from that of text `which` to that of the other one.
static double moves(const Traced *t, int which, double lead)
{
    return (lead - t->lead[which]) / (t->lead[!which] - t->lead[which]);
}

// ---- two texts

static int place_of_answer(const Traced *t)
{
    int place = export_hf_answer_position(t->model, t->tokenizer, t->text[0]);
    return place < 0 ? t->text[0].count - 1 : place;
}

static const char *shown(Lesson *lesson, const Traced *t, int id)
{
    return tokenizer_shown(lesson->arena, t->tokenizer, id);
}

// false where there is nothing to trace, which is said.
static bool read_both(Lesson *lesson, Traced *t, const char *const text[BOTH])
{
    static const char *const flags[] = { "--text", "--other-text" };
    for (int k = 0; k < BOTH; k++) t->text[k] = export_hf_tokens(lesson, t->model, t->tokenizer, flags[k], text[k]);
    if (t->text[0].count != t->text[1].count)
        lesson_misused(lesson->state,
                       "--text has %d tokens, --other-text %d: place is held against place, so there "
                       "must be as many",
                       t->text[0].count, t->text[1].count);
    t->at = place_of_answer(t);
    for (int k = 0; k < BOTH; k++) {
        t->run[k] = pretrained_run(lesson->arena, t->model, input_of(t, k), NULL, NULL);
        Mat logits = pretrained_logits(lesson->arena, &t->run[k], t->at);
        if (mat_empty(logits)) {
            say(lesson, "It has no words to answer with: it is an encoder alone, and nothing can be traced to them.");
            return false;
        }
        t->word[k] = mat_argmax(logits, 0);
    }
    if (t->word[0] != t->word[1]) {
        for (int k = 0; k < BOTH; k++) t->lead[k] = leads(t, &t->run[k]);
        return true;
    }
    say(lesson, "Both are answered by %s: there is no difference to trace.", shown(lesson, t, t->word[0]));
    return false;
}

// ---- heads

// Of one head: its share in the lead of the first text, what is lost with 0 in its place, and how far the answer moves
// when it gives what it gave in the other text, both ways.
typedef struct {
    int layer, h;
    double says, lost, in, out;
} HeadFound;

static int by_moves(const void *a, const void *b)
{
    const HeadFound *x = a, *y = b;
    double left = fabs(x->in), right = fabs(y->in);
    if (left != right) return left < right ? 1 : -1;
    return x->layer != y->layer ? x->layer - y->layer : x->h - y->h;
}

// Those that move it most, the first `count` of them with all that is known of them. Answers what all heads say
// together; NaN where that cannot be told.
static double heads_of(Lesson *lesson, const Traced *t, HeadFound *found, int count)
{
    const Architecture *is = &t->model->is;
    Mat says = { 0 };
    Error error;
    if (!pretrained_attribution(&says, lesson->arena, &t->run[0], t->at, t->word[0], t->word[1], &error))
        say(lesson, "What a head says cannot be told here: %s.", error.text);
    double whole = t->lead[0], sum = mat_empty(says) ? NAN : 0.0;
    int all = is->L * is->H;
    Progress progress;
    progress_begin(&progress, "heads", all);
    for (int n = 0; n < all; n++) {
        int l = n / is->H, h = n % is->H;
        found[n] = (HeadFound){ .layer = l, .h = h, .in = moves(t, 0, leads_with(t, 0, 1, l, h, 1, -1)) };
        found[n].says = mat_empty(says) ? NAN : mat_value(says, l, h);
        sum += found[n].says;
        progress_add(&progress);
    }
    progress_end(&progress);
    qsort(found, (size_t)all, sizeof *found, by_moves);
    for (int n = 0; n < count && n < all; n++) {
        HeadFound *f = &found[n];
        f->lost = whole - leads_with(t, 0, -1, f->layer, f->h, 1, -1);
        f->out = moves(t, 1, leads_with(t, 1, 0, f->layer, f->h, 1, -1));
    }
    return sum;
}

static void show_heads(Lesson *lesson, const HeadFound *found, int count)
{
    static const char *const cols[] = { "says", "lost with 0", "put in", "taken out" };
    Rows rows = rows_of(lesson, "the heads that move it most", cols, 4);
    for (int n = 0; n < count && n < SHOWN; n++)
        rows_add(&rows, ROW(found[n].says, found[n].lost, found[n].in, found[n].out), "%d.%d", found[n].layer,
                 found[n].h);
    show_rows(lesson, &rows);
}

// ---- places

static const char *const *names_of(Lesson *lesson, const Traced *t)
{
    const char **words = arena_alloc(lesson->arena, (size_t)t->text[0].count * sizeof *words);
    for (int i = 0; i < t->text[0].count; i++) words[i] = shown(lesson, t, t->text[0].ids[i]);
    return words;
}

// Before the texts differ a causal model has the same rows in both.
static int first_other(const Traced *t)
{
    int first = 0;
    while (t->model->is.causal && t->text[0].ids[first] == t->text[1].ids[first]) first++;
    return first;
}

// How far it moves with (L + 1, T) one row of the stream, before every layer and at the end; and with (L, T) all heads
// of a layer at one place.
typedef struct {
    Mat rows, heads;
} AtPlaces;

static AtPlaces places_of(Lesson *lesson, const Traced *t)
{
    const Architecture *is = &t->model->is;
    int T = t->text[0].count;
    AtPlaces map = { mat_new(lesson->arena, is->L + 1, T), mat_new(lesson->arena, is->L, T) };
    int first = first_other(t);
    Progress progress;
    progress_begin(&progress, "places", (is->L + 1) * (T - first));
    for (int l = 0; l <= is->L; l++)
        for (int i = first; i < T; i++) {
            *mat_ref(map.rows, l, i) = (float)moves(t, 0, leads_with_row(t, l, i));
            if (l < is->L) *mat_ref(map.heads, l, i) = (float)moves(t, 0, leads_with(t, 0, 1, l, 0, is->H, i));
            progress_add(&progress);
        }
    progress_end(&progress);
    return map;
}

static void figure_of(Lesson *lesson, const Traced *t, AtPlaces map)
{
    int L = map.heads.rows, T = map.heads.cols;
    const char **before = arena_alloc(lesson->arena, (size_t)(L + 1) * sizeof *before);
    for (int l = 0; l <= L; l++) before[l] = l < L ? arena_format(lesson->arena, "before layer %d", l) : "at the end";
    Heatmap rows = { .title = "One row of the stream",
                     .values = map.rows,
                     .row_labels = before,
                     .col_labels = names_of(lesson, t),
                     .colors = COLOR_DIVERGING,
                     .low = -1,
                     .high = 1,
                     .decimals = T > 24 ? -1 : 2,
                     .cell = T > 24 ? 16 : 36,
                     .bar_title = "how far it moves" };
    Heatmap maps[] = { rows, rows };
    maps[1].title = "All heads of a layer, there";
    maps[1].values = map.heads;
    maps[1].row_labels = numbered(lesson->arena, "layer ", L);
    figure_maps(lesson, "yours.png",
                "how far the answer moves with a row of the stream, or a layer's heads there, "
                "from the other text",
                "What differs, on its way to the answer", maps, 2, 1);
}

static int most_in(Mat m, int row)
{
    int most = 0;
    for (int i = 1; i < m.cols; i++)
        if (fabs(mat_value(m, row, i)) > fabs(mat_value(m, row, most))) most = i;
    return most;
}

// Which row of the stream moves it most, layer after layer: said where it is another one than before.
static void say_rows(Lesson *lesson, const Traced *t, Mat rows)
{
    const char *line = "One row of the stream moves it most";
    for (int l = 0, last = -1; l < rows.rows; l++) {
        int most = most_in(rows, l);
        if (most == last) continue;
        line = arena_format(lesson->arena, "%s%s %s at %d, %.2f", line,
                            l == 0               ? ": before layer 0"
                            : l == rows.rows - 1 ? "; at the end"
                                                 : arena_format(lesson->arena, "; from layer %d on", l),
                            shown(lesson, t, t->text[0].ids[most]), most, mat_value(rows, l, most));
        last = most;
    }
    say(lesson, "%s.", line);
}

// Which layer's heads at which word move it most, and how far any others do.
static void say_heads(Lesson *lesson, const Traced *t, Mat heads, bool ours)
{
    int layer = 0, place = 0;
    double others = 0.0;
    for (int n = 0; n < heads.rows * heads.cols; n++)
        if (fabs((double)heads.at[n]) > fabs(mat_value(heads, layer, place))) {
            layer = n / heads.cols;
            place = n % heads.cols;
        }
    for (int n = 0; n < heads.rows * heads.cols; n++)
        if (n != layer * heads.cols + place) others = fmax(others, fabs((double)heads.at[n]));
    say(lesson, "All heads of a layer, at one word: most in layer %d at %s, %.2f; anywhere else no more than %.2f.",
        layer, shown(lesson, t, t->text[0].ids[place]), mat_value(heads, layer, place), others);
    if (ours) check(lesson, layer == 0 && place == t->at && others < 0.2, "it is layer 0, at the last word");
}

static void the_places(Lesson *lesson, const Traced *t, bool ours)
{
    if (t->model->is.L * t->text[0].count > MAP_MOST) return;
    AtPlaces map = places_of(lesson, t);
    say_rows(lesson, t, map.rows);
    say_heads(lesson, t, map.heads, ours);
    figure_of(lesson, t, map);
}

// ---- rollout

static Mat rollout_of(Arena *arena, const PretrainedRun *run)
{
    const Architecture *is = &run->model->is;
    int T = run->input.T;
    Mat all = { 0 };
    for (int l = 0; l < is->L; l++) {
        Mat step = mat_new(arena, T, T);
        for (int h = 0; h < is->H; h++) {
            Mat weights = pretrained_weights(arena, run, l, h);
            for (int i = 0; i < T; i++)
                for (int j = 0; j < T; j++) *mat_ref(step, i, j) += *mat_ref(weights, i, j) / (float)is->H;
        }
        rollout_step(step, step);
        Mat joined = l ? mat_new(arena, T, T) : step;
        if (l) rollout_join(joined, step, all);
        all = joined;
    }
    return all;
}

// Where the texts differ the answer comes from: what rollout gives these places, and what it gives most.
static void say_rollout(Lesson *lesson, const Traced *t)
{
    int T = t->text[0].count, best = -1;
    if (T > ROLLOUT_MOST) return;
    Arena *scratch = arena_open();
    Mat all = rollout_of(scratch, &t->run[0]);
    double differing = 0.0;
    for (int j = 0; j < T; j++) {
        if (t->text[0].ids[j] != t->text[1].ids[j]) differing += mat_value(all, t->at, j);
        if (j != t->at && (best < 0 || mat_value(all, t->at, j) > mat_value(all, t->at, best))) best = j;
    }
    bool found = best >= 0 && t->text[0].ids[best] != t->text[1].ids[best];
    say(lesson, "Rollout gives what differs %.2f, itself %.2f%s.", differing, mat_value(all, t->at, t->at),
        best < 0 ? ""
        : found && differing == mat_value(all, t->at, best)
            ? ", and every other place less"
            : arena_format(lesson->arena, ", and of all others most to %s at %d, %.2f",
                           shown(lesson, t, t->text[0].ids[best]), best, mat_value(all, t->at, best)));
    arena_close(scratch);
}

// Model C in the book's own form: the same shares, and those of all other parts.
static void in_own_form(Lesson *lesson, const Traced *t, Transformer model, const HeadFound *found)
{
    Arena *scratch = arena_open();
    const Config *c = &model.config;
    Run run = run_transformer(scratch, model, run_batch_of_one(scratch, t->text[0].ids, t->text[0].count), (Mat){ 0 });
    ReadingAttribution a = reading_attribution(scratch, &run, t->at, t->word[0], t->word[1]);
    double off = 0.0, mlps[BOTH] = { mat_value(a.mlps, 0, 0), mat_value(a.mlps, 0, c->L - 1) };
    for (int n = 0; n < c->L * c->H; n++)
        off = fmax(off, fabs(found[n].says - mat_value(a.heads, found[n].layer, found[n].h)));
    say(lesson, "In the book's own form: embedding %.2f, MLP of layer 0 %.2f, of layer 1 %.2f.", a.embedding, mlps[0],
        mlps[1]);
    check(lesson, off < 1e-3, "there each head says the same: less than 0.001 apart");
    arena_close(scratch);
}

static Traced traced(Lesson *lesson, Transformer *model, const char *program, const char *folder)
{
    if (folder) {
        ExportHfOpened opened = export_hf_open(lesson, folder);
        return (Traced){ .model = opened.published, .tokenizer = opened.tokenizer };
    }
    ExportHfModelC c = export_hf_model_c(lesson, program);
    *model = c.model;
    return (Traced){ .model = c.published, .tokenizer = c.tokenizer, .plain = true };
}

void a_model_of_your_own(Lesson *lesson, const char *program, const char *folder, const char *const text[BOTH],
                         bool ours)
{
    step(lesson, "A model of your own");
    Transformer model_c = { .count = 0 };
    Traced t = traced(lesson, &model_c, program, folder);
    if (!read_both(lesson, &t, text)) return;
    for (int k = 0; k < BOTH; k++) say(lesson, "%s → %s", text[k], shown(lesson, &t, t.word[k]));
    const Architecture *is = &t.model->is;
    say(lesson, "%s, L = %d, H = %d; %d tokens. Lead of %s over %s: %.2f in the first text, %.2f in the other.",
        is->name, is->L, is->H, t.text[0].count, shown(lesson, &t, t.word[0]), shown(lesson, &t, t.word[1]), t.lead[0],
        t.lead[1]);
    HeadFound *found = arena_alloc(lesson->arena, (size_t)(is->L * is->H) * sizeof *found);
    double said = heads_of(lesson, &t, found, SHOWN);
    show_heads(lesson, found, is->L * is->H);
    HeadFound most = found[0];
    if (!isnan(said)) say(lesson, "All heads together say %.2f; the rest are the embedding, MLPs and biases.", said);
    if (!folder) in_own_form(lesson, &t, model_c, found);
    if (ours)
        check(lesson, most.in > 0.95 && most.out > 0.95 && fabs(most.says) < 0.05 * t.lead[0],
              "head %d.%d alone moves it more than 0.95 of the way, both ways, and says less than a twentieth",
              most.layer, most.h);
    the_places(lesson, &t, ours);
    say_rollout(lesson, &t);
}
