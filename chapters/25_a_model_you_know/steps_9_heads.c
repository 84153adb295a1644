// Chapter 25, steps 9 and 10. What each head looks at; and a model of the reader's own.
#include "attention/softmax.h"
#include "base/portable_math.h"
#include "io/file.h"
#include "base/progress.h"
#include "lesson/machines.h"
#include "model/pretrained_jobs.h"
#include "steps.h"
#include "train/bundled.h"

#include <stdlib.h>
#include <string.h>

// ---- how many numbers

static int64_t numbers_of(const Weight *w) { return w->at ? (int64_t)w->in * w->out : 0; }
static int64_t numbers_in(const PretrainedLinear *l)
{
    return numbers_of(&l->weight) + (l->bias.at ? l->bias.cols : 0);
}
static int64_t numbers_of_norm(const PretrainedNorm *n)
{
    return (n->gain.at ? n->gain.cols : 0) + (n->bias.at ? n->bias.cols : 0);
}

// All numbers that are used, tied ones once.
static int64_t numbers_of_model(const PretrainedModel *m)
{
    int64_t sum = numbers_of(&m->embedding) + numbers_of(&m->places) + numbers_of(&m->kinds) +
                  numbers_of_norm(&m->embedding_norm) + numbers_of_norm(&m->last_norm) + numbers_in(&m->head_dense) +
                  numbers_of_norm(&m->head_norm);
    if (m->output.weight.at != m->embedding.at) sum += numbers_in(&m->output);
    for (int l = 0; l < m->is.L; l++) {
        const PretrainedLayer *p = &m->layers[l];
        const PretrainedNorm *norms[] = { &p->before_attention, &p->after_attention, &p->sum_attention, &p->before_mlp,
                                          &p->after_mlp,        &p->sum_mlp,         &p->q_norm,        &p->k_norm };
        const PretrainedLinear *parts[] = { &p->q, &p->k, &p->v, &p->o, &p->gate, &p->up, &p->down };
        for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) sum += numbers_of_norm(norms[i]);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) sum += numbers_in(parts[i]);
    }
    return sum;
}

// ---- 9

enum { TEXTS = 8, TEXTS_OF_LARGE = 2, LARGE = 300000000, MANY = 16, BEST_OF_MANY = 2, DUMPED_MOST = 256 };
static const double ENOUGH = 0.4;

// Tokens that are no special ones; what every text begins with.
static PretrainedJobTexts texts_for(Lesson *lesson, const Own *own, int period)
{
    Arena *arena = lesson->arena;
    const PretrainedModel *model = own->model;
    const Tokenizer *tokenizer = own->tokenizer;
    int *drawn = arena_alloc(arena, (size_t)model->is.words * sizeof *drawn), count = 0;
    for (int w = 0; w < model->is.words; w++)
        if (tokenizer_token(tokenizer, w) && !tokenizer_is_special(tokenizer, w)) drawn[count++] = w;
    TokenList start = tokenizer_encode(arena, tokenizer, "", true);
    bool begins = start.count > 0 && start.ids[0] < model->is.words;
    PretrainedJobTexts texts = { .before = start.ids,
                                 .befores = begins,
                                 .drawn = drawn,
                                 .count = count,
                                 .texts = numbers_of_model(model) < LARGE ? TEXTS : TEXTS_OF_LARGE,
                                 .seed = lesson->random.state,
                                 .plain = own->ours };
    int room = model->is.positions ? (model->is.positions - texts.befores) / 2 : period;
    texts.period = period < room ? period : room;
    if (texts.period > count) texts.period = count;
    return texts;
}

// The jobs that are shown: nobody looks at the next token where only those before are seen.
static int shown_jobs(PretrainedJob out[PRETRAINED_JOB_KINDS], bool causal)
{
    int count = 0;
    for (int job = 0; job < PRETRAINED_JOB_KINDS; job++)
        if (job != PRETRAINED_JOB_NEXT || !causal) out[count++] = (PretrainedJob)job;
    return count;
}

static void add_head(Rows *rows, const PretrainedJobs *jobs, const PretrainedJob *shown, int n)
{
    double mass[PRETRAINED_JOB_KINDS];
    int H = jobs->mass[0].cols, count = rows->table.values.cols;
    for (int c = 0; c < count; c++) mass[c] = mat_value(jobs->mass[shown[c]], n / H, n % H);
    rows_add(rows, mass, "head %d.%d", n / H, n % H);
}

// Of many heads those few that have the most for each job; each of them once.
static void add_best(Rows *rows, const PretrainedJobs *jobs, const PretrainedJob *shown, int shown_count, int heads)
{
    bool *said = arena_alloc(rows->arena, (size_t)heads * sizeof *said);
    for (int c = 0; c < shown_count; c++) {
        const float *mass = jobs->mass[shown[c]].at;
        for (int count = 0; count < BEST_OF_MANY; count++) {
            int most = -1;
            for (int n = 0; n < heads; n++)
                if (!said[n] && (most < 0 || mass[n] > mass[most])) most = n;
            said[most] = true;
            add_head(rows, jobs, shown, most);
        }
    }
}

static int heads_with(const PretrainedJobs *jobs, PretrainedJob job)
{
    int count = 0, heads = jobs->mass[job].rows * jobs->mass[job].cols;
    for (int n = 0; n < heads; n++) count += (double)jobs->mass[job].at[n] >= ENOUGH;
    return count;
}

static void show_jobs(Lesson *lesson, const char *name, bool causal, const PretrainedJobs *jobs)
{
    PretrainedJob shown[PRETRAINED_JOB_KINDS];
    const char *columns[PRETRAINED_JOB_KINDS], *counts = "";
    int heads = jobs->mass[0].rows * jobs->mass[0].cols, count = shown_jobs(shown, causal);
    for (int c = 0; c < count; c++) {
        columns[c] = pretrained_job_name(shown[c]);
        counts =
            arena_format(lesson->arena, "%s%s%s %d", counts, c ? ", " : "", columns[c], heads_with(jobs, shown[c]));
    }
    Rows rows = rows_of(lesson, arena_format(lesson->arena, "%s: mean weight", name), columns, count);
    if (heads > MANY) add_best(&rows, jobs, shown, count, heads);
    for (int n = 0; n < heads && heads <= MANY; n++) add_head(&rows, jobs, shown, n);
    show_rows(lesson, &rows);
    say(lesson, "Heads with %.1f or more, of %d: %s. A head that looks at all keys in sight alike has %.3f for each.",
        ENOUGH, heads, counts, jobs->chance);
}

static Heatmap map_of_jobs(const char *title, Mat values, bool small)
{
    return (Heatmap){ .title = title,
                      .values = values,
                      .high = 1.0,
                      .decimals = small ? 2 : -1,
                      .cell = small ? 40 : 0,
                      .bar_title = "mean weight" };
}

static void figure_jobs(Lesson *lesson, bool causal, const PretrainedJobs *jobs)
{
    int L = jobs->mass[0].rows, H = jobs->mass[0].cols;
    Heatmap maps[PRETRAINED_JOB_KINDS];
    PretrainedJob shown[PRETRAINED_JOB_KINDS];
    int count = shown_jobs(shown, causal);
    for (int c = 0; c < count; c++) {
        maps[c] = map_of_jobs(pretrained_job_name(shown[c]), jobs->mass[shown[c]], L * H <= 48);
        maps[c].row_labels = numbered(lesson->arena, "layer ", L);
        maps[c].col_labels = numbered(lesson->arena, "", H);
        maps[c].col_title = c ? NULL : "head";
    }
    figure_maps(lesson, "jobs.png", "what every head looks at, on random tokens said twice",
                "Random tokens, said twice", maps, count, 2);
}

// Two models of few heads side by side: a row a head, a column a job.
static void figure_two(Lesson *lesson, const PretrainedModel *const models[2], const PretrainedJobs jobs[2])
{
    static const char *const titles[] = { "model A", "model C" };
    Heatmap maps[2];
    for (int m = 0; m < 2; m++) {
        PretrainedJob shown[PRETRAINED_JOB_KINDS];
        int H = models[m]->is.H, heads = models[m]->is.L * H, count = shown_jobs(shown, models[m]->is.causal);
        const char **rows = arena_alloc(lesson->arena, (size_t)heads * sizeof *rows);
        const char **columns = arena_alloc(lesson->arena, (size_t)count * sizeof *columns);
        Mat values = mat_new(lesson->arena, heads, count);
        for (int n = 0; n < heads; n++) {
            rows[n] = arena_format(lesson->arena, "%d.%d", n / H, n % H);
            for (int c = 0; c < count; c++) *mat_ref(values, n, c) = jobs[m].mass[shown[c]].at[n];
        }
        for (int c = 0; c < count; c++) columns[c] = pretrained_job_name(shown[c]);
        maps[m] = map_of_jobs(titles[m], values, true);
        maps[m].row_labels = rows;
        maps[m].col_labels = columns;
    }
    figure_maps(lesson, "jobs.png", "what every head looks at, on random tokens said twice",
                "Random tokens, said twice", maps, 2, 2);
}

static int heads_for(const PretrainedJobs *jobs, PretrainedJob job, int layer)
{
    int count = 0;
    for (int h = 0; h < jobs->mass[job].cols; h++) count += mat_value(jobs->mass[job], layer, h) >= ENOUGH;
    return count;
}

// ---- a run that is kept

// A row a head, and one for chance; columns as in Job.
static void keep_jobs(Lesson *lesson, const char *file, const PretrainedJobs *jobs)
{
    Arena *arena = lesson->arena;
    Error error;
    int H = jobs->mass[0].cols, heads = jobs->mass[0].rows * H;
    const char *text = arena_format(arena,
                                    "# build/chapters/25_a_model_you_know --model DIR --only 9 --keep FILE, %s\n"
                                    "# head",
                                    machine_today(arena));
    for (int job = 0; job < PRETRAINED_JOB_KINDS; job++)
        text = arena_format(arena, "%s\t%s", text, pretrained_job_name((PretrainedJob)job));
    for (int n = 0; n <= heads; n++) {
        text = arena_format(arena, n < heads ? "%s\n%d.%d" : "%s\nchance", text, n / H, n % H);
        for (int job = 0; job < PRETRAINED_JOB_KINDS; job++)
            text = arena_format(arena, "%s\t%.6f", text, n < heads ? (double)jobs->mass[job].at[n] : jobs->chance);
    }
    text = arena_format(arena, "%s\n", text);
    if (!file_write(file, text, strlen(text), &error)) lesson_fail(&error);
}

// What this step finds in a BERT of 6 layers, which is not among the book's files.
static void a_kept_run(Lesson *lesson, const char *program)
{
    enum { L = 6, H = 12 };
    TableRows kept;
    Error error;
    if (!bundled_rows(&kept, lesson->arena, program, NULL, "minilm.tsv", PRETRAINED_JOB_KINDS, &error))
        lesson_fail(&error);
    REQUIRE(kept.values.rows == L * H + 1, "%d rows of minilm.tsv", kept.values.rows);
    PretrainedJobs jobs = { .chance = mat_value(kept.values, L * H, 0) };
    for (int job = 0; job < PRETRAINED_JOB_KINDS; job++) {
        jobs.mass[job] = mat_new(lesson->arena, L, H);
        for (int n = 0; n < L * H; n++) jobs.mass[job].at[n] = *mat_ref(kept.values, n, job);
    }
    say(lesson,
        "Kept, from a run with --model (data/models/minilm.tsv): the %d heads with most of each, each head "
        "once.",
        BEST_OF_MANY);
    show_jobs(lesson, "all-MiniLM-L6-v2", false, &jobs);
}

static void the_books_models(Lesson *lesson, const Subject *c, const Asked *asked)
{
    double off;
    Own a = model_a(lesson, asked->program, &off);
    PretrainedJobTexts texts = texts_for(lesson, &a, asked->period);
    say(lesson, "%d texts of %d random tokens, said twice%s.", texts.texts, texts.period,
        texts.period < asked->period ? ": longer ones do not fit into model A" : "");
    PretrainedJobs jobs[2] = { pretrained_jobs(lesson->arena, a.model, texts) };
    show_jobs(lesson, "model A", true, &jobs[0]);
    check(lesson, off < 5e-6, "model A has no MLP; saved with one that adds nothing, it has its own logits");
    if (asked->period >= 8)
        check(lesson,
              heads_for(jobs, PRETRAINED_JOB_PREVIOUS, 0) > 0 && heads_for(jobs, PRETRAINED_JOB_ITSELF, 0) > 0 &&
                  heads_for(jobs, PRETRAINED_JOB_INDUCTION, 1) > 0,
              "looking at the token before, layer 0: %d heads; at itself: %d; induction, layer 1: %d",
              heads_for(jobs, PRETRAINED_JOB_PREVIOUS, 0), heads_for(jobs, PRETRAINED_JOB_ITSELF, 0),
              heads_for(jobs, PRETRAINED_JOB_INDUCTION, 1));
    texts = texts_for(lesson, &(Own){ c->published, c->tokenizer, true }, asked->period);
    say(lesson, "For model C, %d texts of %d.", texts.texts, texts.period);
    jobs[1] = pretrained_jobs(lesson->arena, c->published, texts);
    show_jobs(lesson, "model C", true, &jobs[1]);
    figure_two(lesson, (const PretrainedModel *const[]){ a.model, c->published }, jobs);
    if (asked->keep) keep_jobs(lesson, asked->keep, &jobs[1]);
    a_kept_run(lesson, asked->program);
}

static void add_layer(void *progress, int layers_done)
{
    (void)layers_done;
    progress_add(progress);
}

void heads_and_jobs(Lesson *lesson, const Subject *c, const Own *own, const Asked *asked)
{
    step(lesson, "Random tokens, said twice");
    if (own->ours) {
        the_books_models(lesson, c, asked);
        return;
    }
    PretrainedJobTexts texts = texts_for(lesson, own, asked->period);
    if (texts.period < 2) {
        say(lesson, "The model has no room for random tokens, or no tokens to draw from.");
        return;
    }
    say(lesson, "%d texts of %d random tokens, said twice%s.", texts.texts, texts.period,
        texts.period < asked->period ? ": longer ones do not fit into this model" : "");
    Progress progress;
    progress_begin(&progress, "random tokens", texts.texts * own->model->is.L);
    texts.tell = add_layer;
    texts.context = &progress;
    PretrainedJobs jobs = pretrained_jobs(lesson->arena, own->model, texts);
    progress_end(&progress);
    show_jobs(lesson, own->model->is.name, own->model->is.causal, &jobs);
    figure_jobs(lesson, own->model->is.causal, &jobs);
    if (asked->keep) keep_jobs(lesson, asked->keep, &jobs);
}

// ---- 10

static void say_sizes(Lesson *lesson, const PretrainedModel *m)
{
    const Architecture *is = &m->is;
    int64_t numbers = numbers_of_model(m), cache = is->causal ? (int64_t)4 * is->L * is->G * is->d : 0;
    say(lesson,
        "%s: L = %d, D = %d, H = %d, G = %d, d = %d, %d hidden neurons, %d words. %lld numbers in %lld bytes; "
        "%s",
        is->name, is->L, is->D, is->H, is->G, is->d, is->mlp, is->words, (long long)numbers, (long long)m->bytes,
        cache ? arena_format(lesson->arena, "a token's cache has %lld bytes in 16 bits.", (long long)cache)
              : "it keeps no cache.");
}

static const char *in_one_line(Arena *arena, const Tokenizer *tokenizer, const int *ids, int count)
{
    const char *line = "";
    for (int n = 0; n < count; n++)
        line = arena_format(arena, "%s%s%s", line, n ? " " : "", tokenizer_shown(arena, tokenizer, ids[n]));
    return line;
}

enum { BEST = 5 };

// The likeliest words at one place, the best first.
static void best_words(int best[BEST], Mat logits)
{
    for (int n = 0; n < BEST; n++) {
        best[n] = -1;
        for (int w = 0; w < logits.cols; w++) {
            bool taken = false;
            for (int m = 0; m < n; m++) taken = taken || best[m] == w;
            if (!taken && (best[n] < 0 || *mat_ref(logits, 0, w) > *mat_ref(logits, 0, best[n]))) best[n] = w;
        }
    }
}

static void show_best(Lesson *lesson, const Tokenizer *tokenizer, Mat logits, const char *name, const int best[BEST])
{
    static const char *const columns[] = { "chance", "logit" };
    Rows rows = rows_of(lesson, name, columns, 2);
    rows.table.decimals = 3;
    for (int n = 0; n < BEST && best[n] >= 0; n++) {
        double logit = mat_value(logits, 0, best[n]);
        rows_add(&rows, ROW(exp(logit - (double)logsumexp(mat_row(logits, 0), logits.cols)), logit), "%s",
                 tokenizer_shown(lesson->arena, tokenizer, best[n]));
    }
    show_rows(lesson, &rows);
}

static double of_head(Mat m, int n) { return mat_value(m, n / m.cols, n % m.cols); }

// The heads that add most, whatever the sign.
static void show_attribution(Lesson *lesson, const PretrainedRun *run, const Tokenizer *tokenizer, int at,
                             const int best[BEST])
{
    Mat adds;
    Error error;
    if (!pretrained_attribution(&adds, lesson->arena, run, at, best[0], best[1], &error)) {
        say(lesson, "What a head adds to a logit cannot be told here: %s.", error.text);
        return;
    }
    static const char *const columns[] = { "adds" };
    Rows rows = rows_of(lesson,
                        arena_format(lesson->arena, "what heads add to the logit of %s, less that of %s",
                                     tokenizer_shown(lesson->arena, tokenizer, best[0]),
                                     tokenizer_shown(lesson->arena, tokenizer, best[1])),
                        columns, 1);
    int H = adds.cols, heads = adds.rows * H;
    bool *said = arena_alloc(lesson->arena, (size_t)heads * sizeof *said);
    memset(said, 0, (size_t)heads * sizeof *said);
    for (int n = 0; n < BEST && n < heads; n++) {
        int most = -1;
        for (int i = 0; i < heads; i++)
            if (!said[i] && (most < 0 || fabs(of_head(adds, i)) > fabs(of_head(adds, most)))) most = i;
        said[most] = true;
        rows_add(&rows, ROW(of_head(adds, most)), "head %d.%d", most / H, most % H);
    }
    show_rows(lesson, &rows);
    if (run->model->is.logit_cap > 0.0) return;
    double all = 0.0;
    for (int i = 0; i < heads; i++) all += of_head(adds, i);
    Mat logits = pretrained_logits(lesson->arena, run, at);
    double gap = mat_value(logits, 0, best[0]) - mat_value(logits, 0, best[1]);
    say(lesson, "The gap is %.3f: all %d heads together %.3f, the rest, embedding and MLPs and biases, %.3f.", gap,
        heads, all, gap - all);
}

TokenList tokens_of(Lesson *lesson, const Own *own, const char *text)
{
    static int words[DOCUMENT_T];
    int T;
    Error error;
    if (own->ours && !document_read(words, &T, DOCUMENT_T, text, &error))
        lesson_misused(lesson->state, "--text: %s", error.text);
    return export_hf_tokens(lesson, own->model, own->tokenizer, "--text", text);
}

// For the viewer: every layer's maps, and what they are made of.
static void dump(Lesson *lesson, const PretrainedRun *run, const Own *own, TokenList text)
{
    Arena *arena = lesson->arena;
    const Architecture *is = &own->model->is;
    const char **words = arena_alloc(arena, (size_t)text.count * sizeof *words);
    if (is->L * is->H > DUMPED_MOST) return;
    for (int t = 0; t < text.count; t++) words[t] = tokenizer_shown(arena, own->tokenizer, text.ids[t]);
    trace_words(lesson->trace, words, text.count, words, text.count);
    for (int l = 0; l < is->L; l++) {
        Mat weights = mat_new(arena, is->H * text.count, text.count);
        Mat scores = mat_new(arena, weights.rows, weights.cols);
        for (int h = 0; h < is->H; h++) {
            mat_set(mat_rows(weights, h * text.count, text.count), pretrained_weights(arena, run, l, h));
            mat_set(mat_rows(scores, h * text.count, text.count), pretrained_scores(arena, run, l, h));
        }
        const PretrainedStages *at = &run->layers[l];
        trace_layer(lesson->trace, l,
                    (TraceHeads){ .H = is->H,
                                  .x = at->in,
                                  .q = at->q,
                                  .k = at->k,
                                  .v = at->v,
                                  .scores = scores,
                                  .weights = weights,
                                  .heads = at->heads });
    }
}

void your_own(Lesson *lesson, const Own *own, const Asked *asked)
{
    step(lesson, "A model of your own");
    Arena *arena = lesson->arena;
    const PretrainedModel *model = own->model;
    const Tokenizer *tokenizer = own->tokenizer;
    say_sizes(lesson, model);
    TokenList text = tokens_of(lesson, own, asked->text);
    say(lesson, "%d tokens: %s", text.count, in_one_line(arena, tokenizer, text.ids, text.count));
    PretrainedInput input = { .tokens = text.ids, .T = text.count, .plain = own->ours };
    Progress progress;
    progress_begin(&progress, "text", model->is.L);
    PretrainedRun run = pretrained_run(arena, model, input, add_layer, &progress);
    progress_end(&progress);
    int at = export_hf_answer_position(model, tokenizer, text), best[BEST];
    Mat logits = pretrained_logits(arena, &run, at < 0 ? 0 : at);
    if (mat_empty(logits) || at < 0) {
        say(lesson, mat_empty(logits) ? "It has no words to answer with: it is an encoder alone."
                                      : "An encoder has no next word: it answers where the text has its [MASK].");
        dump(lesson, &run, own, text);
        return;
    }
    best_words(best, logits);
    show_best(lesson, tokenizer, logits, model->is.causal ? "what comes next" : "what stands at [MASK]", best);
    show_attribution(lesson, &run, tokenizer, at, best);
    if (own->ours && !asked->own_text) {
        int adjectives = 0;
        for (int n = 0; n < BEST; n++) adjectives += document_word(best[n])->class == WORD_ADJECTIVE;
        check(lesson, adjectives == BEST, "after \"it was too\" the %d likeliest words are adjectives", adjectives);
    }
    dump(lesson, &run, own, text);
}
