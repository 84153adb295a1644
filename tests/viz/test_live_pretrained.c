// viz/live_pretrained.c: documents of a pretrained model, compared with its run; answers, ablation and typing. The models
// are the small ones of data/reference/published, with the vocabulary below.
#include "support/viewer.h"
#include "viz/layout.h"

#include "base/portable_math.h"
#include "io/bench.h"
#include "tokenizer/tokenizer.h"
#include "model/pretrained_jobs.h"
#include "model/pretrained_run.h"
#include "support/reference.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static const char *const WORDS[] = { "[PAD]", "[UNK]",  "[CLS]", "[SEP]", "[MASK]", "the",   "animal", "did", "not",
                                     "cross", "street", "it",    "was",   "too",    "tired", "wide",   "." };
static const char TIRED[] = "the animal was too tired", WIDE[] = "the animal was too wide";

static Bench bench;
static Error error;
static Live *live;

// A model folder with the first `count` words, or without a vocabulary.
static const char *a_folder(const char *model, int count)
{
    static const char *const parts[] = { "config.json", "model.safetensors" };
    const char *folder = arena_format(arena, "%s/%s-%d", bench.folder, model, count), *text = "";
    FileBytes bytes;
    ck_assert(file_make_folder(folder, &error));
    for (int n = 0; n < 2; n++) {
        const char *from = arena_format(arena, "data/reference/published/%s/%s", model, parts[n]);
        bool good = file_read(&bytes, arena, from, &error) &&
                    file_write(arena_format(arena, "%s/%s", folder, parts[n]), bytes.at, bytes.size, &error);
        ck_assert_msg(good, "%s", error.text);
    }
    for (int n = 0; n < count; n++) text = arena_format(arena, "%s%s\n", text, WORDS[n]);
    if (count) ck_assert(file_write(arena_format(arena, "%s/vocab.txt", folder), text, strlen(text), &error));
    return folder;
}

enum { ALL_WORDS = sizeof WORDS / sizeof *WORDS };

static void open_model(const char *model)
{
    live_close(live);
    live = NULL;
    ck_assert_msg(live_open_pretrained(&live, arena, a_folder(model, ALL_WORDS), &error), "%s", error.text);
}

static void setup(void)
{
    bench = bench_open();
    live = NULL;
    open_model("gpt2");
}

static void teardown(void)
{
    live_close(live);
    bench_close(&bench);
}
FIXTURE(setup, teardown);

static Document run(LiveRequest request)
{
    Document d;
    ck_assert_msg(live_run(&d, arena, live, request, &error), "%s", error.text);
    return d;
}

static void answer_all(Document *d)
{
    int calls = 0;
    while (!live_answer(live, d, d->T - 1, 0)) ck_assert_int_lt(++calls, 2 * d->T + 2);
}

// The same run without the viewer.
static PretrainedRun plain_run(const char *folder, const char *text, Mat gates, const Mat *instead, TokenList *tokens)
{
    PretrainedModel *model;
    Tokenizer *tokenizer;
    ck_assert_msg(pretrained_open(&model, arena, folder, &error), "%s", error.text);
    ck_assert_msg(tokenizer_read(&tokenizer, arena, folder, &error), "%s", error.text);
    *tokens = tokenizer_encode(arena, tokenizer, text, true);
    PretrainedInput input = { .tokens = tokens->ids, .T = tokens->count, .gates = gates, .instead = instead };
    return pretrained_run(arena, model, input, NULL, NULL);
}

static void assert_field(const Document *d, FieldKind kind, int l, int h, Mat expected)
{
    const Field *f = &d->fields[d->of[kind]];
    ck_assert(f->kind == kind && f->rows == expected.rows && f->cols == expected.cols);
    for (int i = 0; i < expected.rows; i++)
        for (int j = 0; j < expected.cols; j++) {
            double got = (double)field_at(f, l, h, i, j), right = (double)*mat_ref(expected, i, j);
            bool same = got == right || fabs(got - right) <= 1e-5 * fmax(1, fabs(right));
            ck_assert_msg(same, "%s %d.%d (%d, %d): %g, not %g", f->name, l, h, i, j, got, right);
        }
}

static void assert_is_run(const Document *d, const PretrainedRun *r)
{
    const Architecture *is = &r->model->is;
    double scale = is->score_scale * sqrt(is->d);
    for (int l = 0; l < is->L; l++)
        for (int h = 0; h < is->H; h++) {
            const PretrainedStages *s = &r->layers[l];
            int g = h / (is->H / is->G);
            assert_field(d, FIELD_WEIGHTS, l, h, pretrained_weights(arena, r, l, h));
            assert_field(d, FIELD_SCORES, l, h, pretrained_scores(arena, r, l, h));
            assert_field(d, FIELD_OUT, l, h, pretrained_writes(arena, r, l, h));
            assert_field(d, FIELD_K, l, g, mat_cols(s->k, g * is->d, is->d));
            assert_field(d, FIELD_V, l, g, mat_cols(s->v, g * is->d, is->d));
            assert_field(d, FIELD_HEAD, l, h, mat_cols(s->heads, h * is->d, is->d));
            Mat q = mat_new(arena, d->T, is->d);
            for (int t = 0; t < d->T; t++)
                for (int c = 0; c < is->d; c++)
                    *mat_ref(q, t, c) = (float)(scale * (double)*mat_ref(s->q, t, h * is->d + c));
            assert_field(d, FIELD_Q, l, h, q);
        }
}

// ---- what a document holds

TEST_EACH(documents_match_their_run, 6)
{
    static const char *const models[] = { "gpt2", "llama", "bert", "mistral-window", "gemma2", "phi3-half" };
    const char *folder = a_folder(models[_i], ALL_WORDS);
    open_model(models[_i]);
    TokenList tokens;
    PretrainedRun right = plain_run(folder, TIRED, (Mat){ 0 }, NULL, &tokens);
    Document d = run((LiveRequest){ .text = TIRED });
    const Architecture *is = &right.model->is;
    ck_assert(d.T == tokens.count && d.S == d.T && d.layers == is->L && d.heads == is->H && d.groups == is->G);
    ck_assert(d.live && d.maps == d.of[FIELD_WEIGHTS] && d.masked != MASK_MAPS);
    ck_assert_str_eq(d.queries[0], "[CLS]");
    ck_assert_str_eq(d.keys[2], "animal");
    assert_is_run(&d, &right);
    for (int l = 0; l < d.layers; l++)
        for (int i = 0; i < d.T; i++)
            for (int j = 0; j < d.S; j++)
                ck_assert(document_hidden(&d, l, 0, i, j) == !pretrained_sees(&right, l, i, j));
}

// ---- answers

TEST(answers_are_the_likeliest_words)
{
    Document d = run((LiveRequest){ .text = TIRED });
    ck_assert(isnan(d.loss) && !d.answers[0] && !d.predictions[0].word[0] && d.can_add && d.adds_at == -1);
    TokenList tokens;
    Tokenizer *tokenizer;
    const char *folder = a_folder("gpt2", ALL_WORDS);
    PretrainedRun right = plain_run(folder, TIRED, (Mat){ 0 }, NULL, &tokens);
    ck_assert(tokenizer_read(&tokenizer, arena, folder, &error));
    live_answer(live, &d, 2, 0); // the position that is looked at comes first
    ck_assert((d.answers[2] || d.predictions[2].share[0] > 0) && d.adds_at == 2);
    double loss = 0;
    answer_all(&d);
    for (int t = 0; t < d.T; t++) {
        Mat logits = pretrained_logits(arena, &right, t), adds;
        int best = 0;
        double sum = 0, shares = 0;
        for (int w = 1; w < logits.cols; w++) best = logits.at[w] > logits.at[best] ? w : best;
        for (int w = 0; w < logits.cols; w++) sum += exp((double)(logits.at[w] - logits.at[best]));
        const char *word = tokenizer_shown(arena, tokenizer, best);
        if (word) ck_assert_str_eq(d.answers[t], word);
        ck_assert_double_eq_tol((double)d.predictions[t].share[0], 1 / sum, 1e-5);
        for (int k = 0; k < TOP_PREDICTIONS; k++) {
            shares += (double)d.predictions[t].share[k];
            ck_assert(k == 0 || d.predictions[t].share[k] <= d.predictions[t].share[k - 1]);
        }
        ck_assert(shares <= 1.0 + 1e-5);
        loss += log(sum) / d.T;
        if (t < d.T - 1) continue;
        ck_assert(d.adds_at == t && pretrained_attribution(&adds, arena, &right, t, best, -1, &error));
        for (int n = 0; n < d.layers * d.heads; n++)
            ck_assert_double_eq_tol((double)d.adds[n], (double)adds.at[n], 1e-5);
    }
    ck_assert_double_eq_tol(d.loss, loss, 1e-5);
    ck_assert_double_eq_tol(d.whole_loss, loss, 1e-5);
    open_model("bert-base-old"); // without a head of words
    d = run((LiveRequest){ .text = TIRED });
    ck_assert(live_answer(live, &d, 0, 0) && !d.answers && !d.predictions && !d.can_add);
}

// ---- heads that are off

static Mat gates_without(int l, int h, int L, int H)
{
    Mat gates = mat_new(arena, L, H);
    mat_fill(gates, 1);
    *mat_ref(gates, l, h) = 0;
    return gates;
}

// Each kind of ablation equals a run with these outputs.
TEST_EACH(ablated_heads, ABLATIONS)
{
    const char *folder = a_folder("gpt2", ALL_WORDS);
    Document held = run((LiveRequest){ .text = WIDE }), before = run((LiveRequest){ .text = TIRED });
    int L = held.layers, H = held.heads;
    unsigned char *off = arena_alloc(arena, (size_t)(L * H));
    off[1] = 1;
    TokenList tokens;
    PretrainedRun whole = plain_run(folder, TIRED, (Mat){ 0 }, NULL, &tokens);
    PretrainedRun other = plain_run(folder, WIDE, (Mat){ 0 }, NULL, &tokens);
    Mat *instead = arena_alloc(arena, (size_t)L * sizeof *instead);
    for (int l = 0; l < L; l++) {
        Mat from = whole.layers[l].heads;
        instead[l] = mat_new(arena, from.rows, from.cols);
        if (_i == ABLATE_HELD) mat_set(instead[l], other.layers[l].heads);
        for (int t = 0; _i == ABLATE_MEAN && t < from.rows; t++)
            for (int s = 0; s < from.rows; s++)
                for (int c = 0; c < from.cols; c++)
                    *mat_ref(instead[l], t, c) += *mat_ref(from, s, c) / (float)from.rows;
    }
    Document d = run((LiveRequest){ TIRED, off, (AblationKind)_i, &before, &held });
    PretrainedRun right =
        plain_run(folder, TIRED, gates_without(0, 1, L, H), _i == ABLATE_ZERO ? NULL : instead, &tokens);
    assert_is_run(&d, &right);
    answer_all(&d);
    answer_all(&before);
    ck_assert_double_eq_tol(d.whole_loss, before.loss, 1e-6);
    for (int t = 0; t < d.T; t++)
        ck_assert((!d.whole[t] && !before.answers[t]) || !strcmp(d.whole[t], before.answers[t]));
    ck_assert(d.loss != before.loss);
}

// ---- while one types

TEST_EACH(typing_equals_a_fresh_run, 4)
{
    static const char *const typed[] = { "the", "the animal was", TIRED, WIDE, "it was not the animal", "it" };
    static const char *const models[] = { "gpt2", "llama", "bert", "mistral-window" };
    open_model(models[_i]);
    const char *folder = a_folder(models[_i], ALL_WORDS);
    Document before, d;
    for (int n = 0; n < 6; n++) {
        TokenList tokens;
        unsigned char *off = arena_alloc(arena, 4096);
        off[0] = n == 3;
        d = run((LiveRequest){ typed[n], off, ABLATE_ZERO, n ? &before : NULL, NULL });
        Mat gates = n == 3 ? gates_without(0, 0, d.layers, d.heads) : (Mat){ 0 };
        PretrainedRun right = plain_run(folder, typed[n], gates, NULL, &tokens);
        assert_is_run(&d, &right);
        answer_all(&d);
        Document fresh = run((LiveRequest){ typed[n], off, ABLATE_ZERO, NULL, NULL });
        answer_all(&fresh);
        for (int t = 0; d.predictions && t < d.T; t++)
            for (int k = 0; k < TOP_PREDICTIONS; k++)
                ck_assert_double_eq_tol((double)d.predictions[t].share[k], (double)fresh.predictions[t].share[k], 1e-5);
        before = d;
    }
}

static int told;
static void count_layers(void *context, int done, int of) { *(int *)context = done * 100 + of; }

TEST(progress_is_reported_per_layer)
{
    live_set_progress(live, count_layers, &told);
    Document d = run((LiveRequest){ .text = TIRED });
    ck_assert_int_eq(told, d.layers * 101);
}

TEST(unreadable_input_is_refused)
{
    Document d;
    const char *many = "the the the the the the the the the the the the the", *folder = a_folder("gpt2", 0);
    ck_assert(!live_run(&d, arena, live, (LiveRequest){ .text = many }, &error));
    ERROR_HAS(&error, "15 tokens; gpt2-17 has learned 12 positions");
    live_close(live);
    ck_assert(!live_open_pretrained(&live, arena, folder, &error));
    ERROR_HAS(&error, "tokenizer");
    const char *config = arena_format(arena, "%s/config.json", folder), strange[] = "{\"model_type\": \"strange\"}";
    ck_assert(file_write(config, strange, strlen(strange), &error));
    ck_assert(!live_open_pretrained(&live, arena, folder, &error));
    ERROR_HAS(&error, "strange", "data/manyheads.py");
    live = NULL;
}

// ---- how a score is made

// The soft cap is a step of its own and not reported as a bias.
TEST(a_soft_cap_is_no_bias)
{
    open_model("gemma2");
    Document d = run((LiveRequest){ .text = TIRED });
    ck_assert(d.cap > 0);
    double most = 0;
    for (int i = 0; i < d.T; i++)
        for (int j = 0; j <= i; j++) {
            Explained e = document_explain(arena, &d, 0, 0, i, j);
            ck_assert(e.hidden || fabs(e.added) < 1e-5);
            if (!e.hidden) most = fmax(most, fabs(e.capped - e.scaled));
        }
    ck_assert(most > 0);
    open_model("gpt2");
    ck_assert(run((LiveRequest){ .text = TIRED }).cap == 0);
}

// ---- roles

// Roles are learned from texts of repeated tokens, some per call: names of jobs.
TEST(roles_are_learned)
{
    Document d = run((LiveRequest){ .text = TIRED });
    int calls = 1;
    ck_assert_ptr_null(d.roles[0]);
    while (!live_learn_roles(live)) ck_assert_int_lt(++calls, 40);
    ck_assert(calls > 1 && live_learn_roles(live));
    for (int n = 0; n < d.layers * d.heads; n++) {
        bool known = !d.roles[n];
        for (int job = 0; job < PRETRAINED_JOB_KINDS && !known; job++) {
            const char *name = pretrained_job_name((PretrainedJob)job);
            known = !strcmp(d.roles[n], name) || !strcmp(d.roles[n], arena_format(arena, "%s, first", name));
        }
        ck_assert(known);
    }
}

// ---- in the window

// The viewer on a model folder, with more words of a command line.
static void open_viewer(const char *model, const char *more)
{
    viewer_opens(arena_format(arena, "%s%s", a_folder(model, ALL_WORDS), more));
}

TEST(a_folder_is_a_file_to_open)
{
    open_viewer("gpt2", "|--text|the animal");
    ck_assert(!strcmp(app->document.title, "gpt2-17") && app->document.T == 4);
    viewer_press("/ ' was'");
    ck_assert(app->document.T == 5 && !strcmp(app->document.queries[3], "was"));
    viewer_work();
    ck_assert(app->document.predictions[2].word[0] && app->document.loss > 0 && app->document.adds_at == 4);
    files_close(&files);
}

// A model folder dropped on the book's model, whose sentence stays.
TEST(a_folder_is_dropped)
{
    const char *folder = a_folder("llama", ALL_WORDS);
    viewer_opens("");
    viewer_press("a");
    ck_assert(files_show(&files, folder));
    ck_assert(!strcmp(app->document.title, "llama-17") && app->document.live && !app->state.shown.ablated[0]);
    viewer_press("s a");
    ck_assert(app->state.shown.ablated[app->state.shown.layer * app->document.heads + app->state.shown.head]);
    ck_assert_str_eq(app->state.editing.sentence, "The animal didn't cross the street because it was too tired.");
    viewer_work();
    quiet();
    ck_assert(!files_show(&files, bench.folder)); // no model, and no file
    ck_assert_str_eq(app->document.title, "llama-17");
    files_close(&files);
}

// Queued letters run once, and none is lost.
TEST(queued_letters_run_once)
{
    open_viewer("gpt2", "|--text|the");
    viewer_press("/");
    app->defer_run = true;
    viewer_press("' animal' ' was'");
    ck_assert_int_eq(app->document.T, 3);
    app_catch_up(app);
    ck_assert_int_eq(app->document.T, 5);
    app->defer_run = true;
    viewer_press("' too'");
    app->defer_run = true;
    viewer_press("Enter");
    ck_assert(app->document.T == 6 && !strcmp(app->state.editing.sentence, "the animal was too"));
    files_close(&files);
}

// Patches a head from the held sentence; releasing it ends that.
TEST(releasing_the_held_sentence_ends_patching)
{
    open_viewer("gpt2", "|--text|the street|--other-text|the animal|--off|0.1");
    const Document *d = &app->document;
    viewer_press("A A");
    viewer_work();
    double patched = d->loss;
    ck_assert(app->held && app->state.shown.ablation == ABLATE_HELD && d->ablation == ABLATE_HELD);
    viewer_press("b");
    viewer_work();
    ck_assert(!app->held && app->state.shown.ablation == ABLATE_ZERO && d->ablation == ABLATE_ZERO);
    ck_assert(d->loss != patched);
    viewer_press("A A");
    ck_assert(d->ablation == ABLATE_ZERO); // nothing is held
    files_close(&files);
}

static void count_pictures(void *context)
{
    ck_assert(app->state.message.progress > 0 && app->state.message.progress <= 1);
    viewer_draw();
    ++*(int *)context;
}

// Long runs show progress, short ones do not.
TEST(long_runs_show_progress)
{
    int pictures = 0;
    open_viewer("gpt2", "|--text|the");
    app->busy = count_pictures;
    app->busy_context = &pictures;
    viewer_press("/ ' animal'");
    app_progress(app, 1, 2); // what the run says after a layer
    ck_assert_int_eq(pictures, 0);
    app->run_began -= 1;
    app_progress(app, 1, 2);
    app_progress(app, 2, 2); // at once after it
    ck_assert(pictures == 1 && app->state.message.progress == 0.5);
    viewer_press("' was'");
    ck_assert(app->state.message.progress == 0);
    files_close(&files);
}

TEST(heads_are_sorted_by_attribution)
{
    open_viewer("gpt2", "|--text|the animal|--sort|adds");
    int order[MAPS_MOST], heads = app->document.layers * app->document.heads;
    ck_assert(app->state.shown.sort == SORT_ADDS && isnan(state_adds_of_head(&app->state, 0)));
    viewer_work();
    layout_order(order, &app->state, app->derived);
    for (int n = 1; n < heads; n++) ck_assert(app->document.adds[order[n - 1]] >= app->document.adds[order[n]]);
    ck_assert(app->document.adds[order[0]] > app->document.adds[order[heads - 1]]);
    files_close(&files);
    ck_assert(!viewer_tries(arena_format(arena, "%s|--sort|adds", a_folder("bert", ALL_WORDS)), &error));
    ERROR_HAS(&error, "no next token that heads add to");
}
