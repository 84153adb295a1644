// Chapter 11. The KV cache: keys and values are computed once and kept.
// Run build/chapters/11_kv_cache with README.md of this folder open beside it.
#include "attention/grouped.h"
#include "attention/kernels.h"
#include "attention/kv_cache.h"
#include "attention/self_attention.h"
#include "language/chunks.h"
#include "lesson/dump.h"
#include "lesson/hand_made.h"
#include "lesson/lesson.h"
#include "model/decode.h"
#include "train/shipped.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { PERIOD = 8, PROMPT = PERIOD + 1, LONG = 256, WORDS_SPLIT = 12, H_MOST = 4 };

// ---- 1. The past stays

// Two layers of one head on the words themselves: what the second one is given has already looked at other words.
static Mat two_layers(Arena *arena, Mat x, Mask mask)
{
    Mat first = mat_new(arena, x.rows, x.cols), second = mat_new(arena, x.rows, x.cols);
    attention_naive((Attended){ .out = first }, x, x, x, mask);
    attention_naive((Attended){ .out = second }, first, first, first, mask);
    return second;
}

static void the_past_stays(Lesson *lesson)
{
    step(lesson, "The past stays as it was");
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x;
    int late = (x.rows + 2) / 3, before = x.rows - late;
    Mat moved = mat_new(arena, 2, before);
    for (int causal = 0; causal < 2; causal++) {
        Mask mask = { .causal = causal };
        Mat all = two_layers(arena, x, mask), fewer = two_layers(arena, mat_rows(x, 0, before), mask);
        for (int i = 0; i < before; i++)
            *mat_ref(moved, causal, i) = (float)mat_max_difference(mat_rows(all, i, 1), mat_rows(fewer, i, 1));
    }
    static const char *const rows[] = { "no mask", "causal" };
    if (before)
        show_table(lesson, (Table){
            .name = arena_format(arena, "two layers: how far each word moves when the last %d come", late),
            .values = moved, .rows = rows, .cols = lesson->sentence.words });
    check(lesson, mat_sum(mat_rows(moved, 1, 1)) == 0.0, "with the causal mask no earlier word moves, to the bit");
    if (!lesson->own_words)
        check(lesson, mat_sum(mat_rows(moved, 0, 1)) > 0.1,
              "without it they move: what was kept of them would be wrong");
}

// ---- 2. A cache

// Heads for words of this width: four where that divides it.
static int heads_for(Mat x) { return x.cols % H_MOST ? 1 : H_MOST; }

static void word_by_word(Lesson *lesson)
{
    step(lesson, "Two matrices and a length");
    Arena *arena = lesson->arena;
    Mat x = lesson->sentence.x, whole = mat_new(arena, x.rows, x.cols), out = mat_new(arena, x.rows, x.cols);
    int T = x.rows, H = heads_for(x);
    Mat weights = mat_new(arena, H * T, T), table = mat_new(arena, T, 3);
    Mask masks[H_MOST];
    masks_for_heads(masks, H, (Mask){ .causal = true }, false);
    grouped_attend((Attended){ .out = whole, .weights = weights }, x, x, x, H, masks, attention_naive);

    KvCache cache = kv_cache_new(arena, T, x.cols, x.cols);
    for (int t = 0; t < T; t++) {
        int before = cache.length;
        Mat word = mat_rows(x, t, 1);
        kv_cache_attend((Attended){ .out = mat_rows(out, t, 1) }, &cache, word, word, word, H, masks, attention_naive);
        float row[] = { (float)(cache.length - before), (float)cache.length, (float)kv_cache_bytes(cache) };
        mat_set(mat_rows(table, t, 1), mat_of(arena, 1, 3, row));
    }
    static const char *const cols[] = { "joins", "kept", "bytes" };
    show_table(lesson, (Table){ .name = "word by word", .values = table, .rows = lesson->sentence.words, .cols = cols,
                                .decimals = -1 });
    check(lesson, mat_equal(out, whole), "%d words one by one give what they give all at once, to the bit", T);
    trace_heads(lesson->trace, (TraceHeads){ .H = H, .q = x, .k = x, .v = x, .weights = weights, .heads = out,
                                             .scores = dump_scores(lesson, x, x, H, masks) });
}

// ---- 3. Prefill and decode

// A sequence and what attention gives for all of it at once.
typedef struct { Mat q, k, v, whole; int H; Mask masks[H_MOST]; } Sequence;

// Fed in chunks: one ends behind token t where bit t of `split` is set, and behind the last. Is every row the same?
static bool same_when_split(Arena *arena, const Sequence *s, int split)
{
    int T = s->q.rows;
    KvCache cache = kv_cache_new(arena, T, s->k.cols, s->v.cols);
    Mat out = mat_new(arena, T, s->whole.cols);
    for (int first = 0, t = 0; t < T; t++) {
        if (!(split >> t & 1) && t < T - 1) continue;
        int n = t + 1 - first;
        kv_cache_attend((Attended){ .out = mat_rows(out, first, n) }, &cache, mat_rows(s->q, first, n),
                        mat_rows(s->k, first, n), mat_rows(s->v, first, n), s->H, s->masks, attention_naive);
        first = t + 1;
    }
    return mat_equal(out, s->whole);
}

static int splits_that_agree(Lesson *lesson, Mat x, int H, int G, Mask mask, bool alibi)
{
    int same = 0, d = x.cols / H;
    Mat k = mat_cols(x, 0, G * d);
    Sequence s = { .q = x, .k = k, .v = k, .whole = mat_new(lesson->arena, x.rows, x.cols), .H = H };
    masks_for_heads(s.masks, H, mask, alibi);
    grouped_attend((Attended){ .out = s.whole }, s.q, s.k, s.v, H, s.masks, attention_naive);
    for (int split = 0; split < 1 << (x.rows - 1); split++) {
        ArenaMark mark = arena_mark(lesson->arena);
        same += same_when_split(lesson->arena, &s, split);
        arena_release(lesson->arena, mark);
    }
    return same;
}

static void every_split(Lesson *lesson)
{
    step(lesson, "Prefill and decode are one call");
    Mat x = lesson->sentence.x;
    int T = x.rows < WORDS_SPLIT ? x.rows : WORDS_SPLIT, H = heads_for(x), columns = 0, all = 1 << (T - 1);
    static const struct { const char *name; Mask mask; bool alibi; } kinds[] = {
        { "causal", { .causal = true }, false },
        { "window of 4, 1 sink", { .causal = true, .window = 4, .sinks = 1 }, false },
        { "causal, ALiBi", { .causal = true }, true },
    };
    const char *names[H_MOST], *rows[3];
    Mat table = mat_new(lesson->arena, 3, H == 1 ? 1 : 3);
    for (int G = H; G >= 1; G /= 2) names[columns++] = arena_format(lesson->arena, "G = %d", G);
    bool same = true;
    for (int m = 0; m < 3; m++) {
        rows[m] = kinds[m].name;
        for (int c = 0; c < columns; c++) {
            int agree = splits_that_agree(lesson, mat_rows(x, 0, T), H, H >> c, kinds[m].mask, kinds[m].alibi);
            *mat_ref(table, m, c) = (float)agree;
            same = same && agree == all;
        }
    }
    say(lesson, "%d words can be dealt into chunks in 2^%d = %d ways, from one by one to all at once. H = %d heads, G "
        "key heads.", T, T - 1, all, H);
    show_table(lesson, (Table){ .name = "splits that give what one piece gives, to the bit", .values = table,
                                .rows = rows, .cols = names, .decimals = -1 });
    check(lesson, same, "every split, every mask, every G");
}

// ---- 4. Bottom-right

// The causal mask as it is often written, tril(ones(T, S)): query i sees keys 0 … i, wherever the chunk stands.
static void top_left(Mat out, Mat weights, Mat q, Mat k, Mat v)
{
    for (int i = 0; i < q.rows; i++) {
        int seen = i + 1;
        Attended to = { .out = mat_rows(out, i, 1), .weights = mat_block(weights, i, 1, 0, seen) };
        attention_naive(to, mat_rows(q, i, 1), mat_rows(k, 0, seen), mat_rows(v, 0, seen), (Mask){ 0 });
    }
}

static Mat not_seen(Arena *arena, Mat weights)
{
    Mat hidden = mat_new(arena, weights.rows, weights.cols);
    for (int i = 0; i < hidden.rows; i++)
        for (int j = 0; j < hidden.cols; j++) *mat_ref(hidden, i, j) = *mat_ref(weights, i, j) == 0.0f;
    return hidden;
}

// "It" has just come, or the last of the reader's words. The head is the one made by hand in chapter 04.
static void bottom_right(Lesson *lesson)
{
    enum { IT = 7 };
    step(lesson, "Where a new word stands");
    Arena *arena = lesson->arena;
    int T = lesson->own_words ? lesson->sentence.T : IT + 1;
    Mat x = mat_rows(lesson->sentence.x, 0, T);
    Projected p = project(arena, x, x, hand_made(lesson).w);
    Mat last = mat_rows(p.q, T - 1, 1), maps = mat_new(arena, 2, T), out = mat_new(arena, 2, HAND_MADE_WIDTH);
    attention_naive((Attended){ .out = mat_rows(out, 0, 1), .weights = mat_rows(maps, 0, 1) }, last, p.k, p.v,
                    (Mask){ .causal = true });
    top_left(mat_rows(out, 1, 1), mat_rows(maps, 1, 1), last, p.k, p.v);
    static const char *const rows[] = { "bottom-right", "top-left" };
    const char *name = arena_format(arena, "\"%s\" comes alone: its weights", lesson->sentence.words[T - 1]);
    show_table(lesson, (Table){ .name = name, .values = maps, .hidden = not_seen(arena, maps), .rows = rows,
                                .cols = lesson->sentence.words, .low = 0, .high = 1 });
    check(lesson, *mat_ref(maps, 1, 0) == 1.0f && (T < 2 || *mat_ref(maps, 1, T - 1) == 0.0f),
          "top-left, a word that comes alone sees the first word and nothing else");
    double apart = mat_max_difference(mat_rows(out, 0, 1), mat_rows(out, 1, 1));
    if (!lesson->own_words) check(lesson, apart > 0.1, "what it takes from them differs by %.2f", apart);

    Mat right = mat_new(arena, T, HAND_MADE_WIDTH), wrong = mat_new(arena, T, HAND_MADE_WIDTH);
    attention_naive((Attended){ .out = right }, p.q, p.k, p.v, (Mask){ .causal = true });
    top_left(wrong, mat_new(arena, T, T), p.q, p.k, p.v);
    check(lesson, mat_equal(right, wrong), "all %d words in one chunk: both are the same, to the bit", T);
}

// ---- 5. A model

// As decoder_continue, with a whole run for every token.
static void continue_without(Transformer model, int *tokens, int P, int n, Mat logits)
{
    for (int t = P; t <= n; t++) {
        Arena *scratch = arena_open();
        Run run = transformer_run(scratch, model, batch_of_one(scratch, tokens, t), (Mat){ 0 });
        mat_set(mat_rows(logits, 0, t), run.logits);
        if (t < n) tokens[t] = run_answer(&run, 0, t - 1);
        arena_close(scratch);
    }
}

// The mistake: the position is counted from the start of the chunk. A token that comes alone is then turned by 0.
static void forget_positions(Decoder *decoder, int P)
{
    Mat tables[] = { decoder->turns.cosine, decoder->turns.sine };
    for (int t = 0; t < 2; t++)
        for (int i = P; i < tables[t].rows; i++) mat_set(mat_rows(tables[t], i, 1), mat_rows(tables[t], 0, 1));
}

static int equal_from(const int *a, const int *b, int first, int end)
{
    int same = 0;
    for (int t = first; t < end; t++) same += a[t] == b[t];
    return same;
}

static int *copy_of(Arena *arena, const int *tokens, int count, int n)
{
    int *copy = arena_alloc(arena, (size_t)n * sizeof *copy);
    for (int t = 0; t < count; t++) copy[t] = tokens[t];
    return copy;
}

enum { TRUE_TOKENS, NO_CACHE, CACHE, FROM_ZERO, WAYS };

static void show_tokens(Lesson *lesson, int *const *tokens, int ways, int n)
{
    Mat values = mat_new(lesson->arena, ways, n), hidden = mat_new(lesson->arena, ways, n);
    for (int w = 0; w < ways; w++)
        for (int t = 0; t < n; t++) {
            *mat_ref(values, w, t) = (float)tokens[w][t];
            *mat_ref(hidden, w, t) = w != TRUE_TOKENS && t < PROMPT;
        }
    static const char *const rows[] = { "the sequence", "no cache", "cache", "turned from 0" };
    show_table(lesson, (Table){ .name = "tokens", .values = values, .hidden = hidden, .rows = rows, .decimals = -1 });
}

static int prompts_that_agree(Lesson *lesson, Transformer model, const int *tokens, Mat whole)
{
    int same = 0;
    for (int split = 0; split < 1 << (PROMPT - 1); split++) {
        ArenaMark mark = arena_mark(lesson->arena);
        Decoder decoder = decoder_new(lesson->arena, model, PROMPT);
        Mat logits = mat_new(lesson->arena, PROMPT, whole.cols);
        for (int first = 0, t = 0; t < PROMPT; t++) {
            if (!(split >> t & 1) && t < PROMPT - 1) continue;
            decoder_feed(mat_rows(logits, first, t + 1 - first), &decoder, tokens + first, t + 1 - first);
            first = t + 1;
        }
        same += mat_equal(logits, whole);
        arena_release(lesson->arena, mark);
    }
    return same;
}

// One sequence is luck: some repeat so neatly that the mistake does not show.
static void many_sequences(Lesson *lesson, Transformer model)
{
    enum { SEQUENCES = 40, N = CHUNKS_T, ASKED = SEQUENCES * (N - PROMPT) };
    int right = 0, forgotten = 0;
    for (int s = 0; s < SEQUENCES; s++) {
        ArenaMark mark = arena_mark(lesson->arena);
        int tokens[N], targets[N], said[N];
        repeated_sequence(tokens, targets, N, PERIOD, model.config.words, &lesson->random);
        Mat logits = mat_new(lesson->arena, N, model.config.outputs);
        for (int w = 0; w < 2; w++) {
            Decoder decoder = decoder_new(lesson->arena, model, N);
            if (w) forget_positions(&decoder, PROMPT);
            memcpy(said, tokens, PROMPT * sizeof *said);
            decoder_continue(logits, &decoder, said, PROMPT, N);
            *(w ? &forgotten : &right) += equal_from(said, tokens, PROMPT, N);
        }
        arena_release(lesson->arena, mark);
    }
    check(lesson, 10 * right > 9 * ASKED && 3 * forgotten < 2 * right,
          "%d more sequences of %d: of %d tokens %d continue theirs; turned from 0, %d", SEQUENCES, N, ASKED, right,
          forgotten);
}

static void a_model_continues(Lesson *lesson, Transformer model, int n, int capacity, bool ours,
                              AttentionKernel *kernel)
{
    step(lesson, "A model continues");
    Arena *arena = lesson->arena;
    const Config *c = &model.config;
    int *tokens[WAYS], *targets = arena_alloc(arena, (size_t)n * sizeof *targets);
    int ways = c->positions == POSITIONS_ROPE ? WAYS : FROM_ZERO;
    Mat logits[WAYS];
    tokens[TRUE_TOKENS] = arena_alloc(arena, (size_t)n * sizeof(int));
    repeated_sequence(tokens[TRUE_TOKENS], targets, n, PERIOD, c->words, &lesson->random);
    for (int w = NO_CACHE; w < WAYS; w++) {
        tokens[w] = copy_of(arena, tokens[TRUE_TOKENS], PROMPT, n);
        logits[w] = mat_new(arena, n, c->outputs);
    }
    continue_without(model, tokens[NO_CACHE], PROMPT, n, logits[NO_CACHE]);
    Decoder decoder = decoder_new(arena, model, capacity), forgetful = decoder_new(arena, model, n);
    decoder.kernel = kernel;
    decoder_continue(logits[CACHE], &decoder, tokens[CACHE], PROMPT, n);
    if (ways == WAYS) {
        forget_positions(&forgetful, PROMPT);
        decoder_continue(logits[FROM_ZERO], &forgetful, tokens[FROM_ZERO], PROMPT, n);
    }

    int asked = n - PROMPT;
    say(lesson, "%d random tokens, then the first of them again: a prompt of %d. The model goes on to %d.", PERIOD,
        PROMPT, n);
    show_tokens(lesson, tokens, ways, n);
    check(lesson, equal_from(tokens[CACHE], tokens[NO_CACHE], PROMPT, n) == asked,
          "with and without a cache: the same %d tokens", asked);
    if (kernel == attention_naive)
        check(lesson, mat_equal(logits[CACHE], logits[NO_CACHE]), "and the same logits at all %d positions, to the bit",
              n);
    else
        check(lesson, mat_max_difference(logits[CACHE], logits[NO_CACHE]) < 1e-3,
              "and logits that are less than 0.001 apart at all %d positions: this kernel adds up in another order", n);
    check(lesson, prompts_that_agree(lesson, model, tokens[TRUE_TOKENS], mat_rows(logits[NO_CACHE], 0, PROMPT))
          == 1 << (PROMPT - 1), "so too for all %d splits of the prompt", 1 << (PROMPT - 1));
    if (!ours) return;
    say(lesson, "Turned by their true positions, %d of %d tokens continue the sequence; turned from 0, %d.",
        equal_from(tokens[CACHE], tokens[TRUE_TOKENS], PROMPT, n), asked,
        equal_from(tokens[FROM_ZERO], tokens[TRUE_TOKENS], PROMPT, n));
    many_sequences(lesson, model);
}

// ---- 6. Work

// What the formulas below are written for: the shape of model A.
static bool plain(const Config *c)
{
    for (int l = 0; l < c->L; l++)
        if (config_window(c, l)) return false;
    return c->G == c->H && !c->mlp && c->positions == POSITIONS_ROPE;
}

// After each of n tokens the next is asked for: at[t] is what had been done by then.
typedef struct { int64_t keys, multiplies; } Done;
typedef struct { Done without[LONG + 1], with[LONG + 1]; } Work;

static Work count_work(Lesson *lesson, Transformer model)
{
    Work work = { 0 };
    int tokens[LONG], targets[LONG], L = model.config.L;
    repeated_sequence(tokens, targets, LONG, PERIOD, model.config.words, &lesson->random);
    Cost start = counted;
    for (int t = 1; t <= LONG; t++) {
        Arena *scratch = arena_open();
        Run run = transformer_run(scratch, model, batch_of_one(scratch, tokens, t), (Mat){ 0 });
        work.without[t] = (Done){ work.without[t - 1].keys, cost_since(start).multiplies };
        for (int l = 0; l < L; l++) work.without[t].keys += run.layers[l].qkv.rows;
        arena_close(scratch);
    }
    start = counted;
    Decoder decoder = decoder_new(lesson->arena, model, LONG);
    Mat logits = mat_new(lesson->arena, 1, model.config.outputs);
    for (int t = 1; t <= LONG; t++) {
        decoder_feed(logits, &decoder, tokens + t - 1, 1);
        work.with[t].multiplies = cost_since(start).multiplies;
        for (int l = 0; l < L; l++) work.with[t].keys += decoder.cache[l].length;
    }
    return work;
}

static void show_work(Lesson *lesson, const Work *work)
{
    enum { ROWS = 4 };
    static const char *const cols[] = { "no cache", "cache", "ratio" };
    const char *rows[ROWS];
    Mat keys = mat_new(lesson->arena, ROWS, 3), millions = mat_new(lesson->arena, ROWS, 3);
    for (int r = 0, n = LONG >> (2 * ROWS - 2); r < ROWS; r++, n *= 4) {
        const Done *without = &work->without[n], *with = &work->with[n];
        double many = (double)without->multiplies / 1e6, few = (double)with->multiplies / 1e6;
        float key_row[] = { (float)without->keys, (float)with->keys, (float)without->keys / (float)with->keys };
        float million_row[] = { (float)many, (float)few, (float)(many / few) };
        rows[r] = arena_format(lesson->arena, "n = %d", n);
        mat_set(mat_rows(keys, r, 1), mat_of(lesson->arena, 1, 3, key_row));
        mat_set(mat_rows(millions, r, 1), mat_of(lesson->arena, 1, 3, million_row));
    }
    show_table(lesson, (Table){ .name = "keys projected for n tokens", .values = keys, .rows = rows, .cols = cols,
                                .decimals = 1 });
    show_table(lesson, (Table){ .name = "millions of multiplications", .values = millions, .rows = rows,
                                .cols = cols });
}

static void check_work(Lesson *lesson, const Config *c, const Work *work)
{
    int64_t n = LONG, L = c->L, D = c->D, V = c->outputs, d = D / c->H;
    const Done *without = &work->without[n], *with = &work->with[n];
    cost(lesson, "keys projected without a cache", without->keys, "L·n(n+1)/2", L * n * (n + 1) / 2);
    cost(lesson, "with it", with->keys, "L·n", L * n);
    int64_t token = L * (4 * D * D + 4 * D) + D * V, pairs = n * (n + 1) / 2, squares = n * (n + 1) * (2 * n + 1) / 6;
    cost(lesson, "multiplications without it", without->multiplies, "w·n(n+1)/2 + 2LD·n(n+1)(2n+1)/6 + d/2·n(n+1)/2",
         token * pairs + 2 * L * D * squares + d / 2 * pairs);
    cost(lesson, "with it", with->multiplies, "w·n + 2LD·n(n+1)/2 + d/2·n", token * n + 2 * L * D * pairs + d / 2 * n);
    say(lesson, "w = L(4D² + 4D) + DV = %d multiplications of a token with the weights, and to turn its query and key; "
        "the last term is RoPE's table.", (int)token);
    check(lesson, without->multiplies > 100 * with->multiplies, "at n = %d the cache saves a factor of more than 100",
          LONG);
}

// One row a step: how often each key is projected in it, once or not at all. What is hatched has not come yet.
static void figure_triangle(Lesson *lesson, Transformer model)
{
    enum { STEPS = 16, N = PROMPT + STEPS - 1 };
    int tokens[N], targets[N];
    Arena *arena = lesson->arena;
    repeated_sequence(tokens, targets, N, PERIOD, model.config.words, &lesson->random);
    Mat maps[2] = { mat_new(arena, STEPS, N), mat_new(arena, STEPS, N) }, hidden = mat_new(arena, STEPS, N);
    const char *rows[STEPS], *cols[N];
    Decoder decoder = decoder_new(arena, model, N);
    for (int s = 0; s < STEPS; s++) {
        int n = s ? 1 : PROMPT, kept = decoder_length(&decoder), seen = kept + n;
        Run run = transformer_run(arena, model, batch_of_one(arena, tokens, seen), (Mat){ 0 });
        decoder_feed(mat_new(arena, n, model.config.outputs), &decoder, tokens + kept, n);
        for (int j = 0; j < N; j++) {
            *mat_ref(maps[0], s, j) = (float)(j < run.layers[0].qkv.rows);
            *mat_ref(maps[1], s, j) = (float)(j >= kept && j < decoder_length(&decoder));
            *mat_ref(hidden, s, j) = j >= seen;
        }
        rows[s] = s ? arena_format(arena, "%d", s) : "prompt";
    }
    for (int j = 0; j < N; j++) cols[j] = j % 4 ? "" : arena_format(arena, "%d", j);
    HeatMap map = { .hidden = hidden, .row_labels = rows, .col_labels = cols, .row_title = "step",
                    .hidden_title = "not there", .col_title = "key of token", .colors = VIRIDIS, .low = 0.0, .high = 1.0, .decimals = -1,
                    .cell = 13, .bar_title = "projections" };
    HeatMap both[] = { map, map };
    both[0].title = "without a cache", both[0].values = maps[0];
    both[1].title = "with a cache", both[1].values = maps[1];
    figure_maps(lesson, "triangle.png", "which keys are projected in which step", NULL, both, 2, 2);
}

static void figure_work(Lesson *lesson, const Work *work)
{
    enum { POINTS = 9 };
    static double x[POINTS], y[2][POINTS];
    for (int p = 0; p < POINTS; p++) {
        x[p] = 1 << p;
        y[0][p] = (double)work->without[1 << p].multiplies;
        y[1][p] = (double)work->with[1 << p].multiplies;
    }
    Series series[] = { { "no cache", x, y[0], POINTS, false, false, NULL },
                        { "cache", x, y[1], POINTS, false, false, NULL } };
    figure_plot(lesson, "work.png", "multiplications until n tokens are there",
                (Plot){ .title = "Work for n tokens, counted", .x_title = "tokens n", .y_title = "multiplications",
                        .series = series, .count = 2, .log_x = true, .log_y = true });
}

static void what_is_saved(Lesson *lesson, Transformer model)
{
    step(lesson, "What is not computed again");
    Work work = count_work(lesson, model);
    say(lesson, "After each of %d tokens, the model is asked for the next one.", LONG);
    show_work(lesson, &work);
    if (plain(&model.config)) check_work(lesson, &model.config, &work);
    figure_triangle(lesson, model);
    figure_work(lesson, &work);
}

// ---- 7. Memory

enum { LLAMA_L = 32, LLAMA_G = 32, LLAMA_D = 128, HALF = 2 };           // LLaMA 2 7B; bytes of a float of 16 bits

static double llama_gigabytes(double tokens) { return 2.0 * LLAMA_G * LLAMA_D * LLAMA_L * HALF * tokens / 1e9; }

static void what_it_takes(Lesson *lesson, Transformer model)
{
    step(lesson, "What it costs: memory");
    const Config *c = &model.config;
    int n = 1000, d = c->D / c->H;
    Decoder decoder = decoder_new(lesson->arena, model, n);
    int *tokens = arena_alloc(lesson->arena, (size_t)n * sizeof *tokens);
    Mat logits = mat_new(lesson->arena, 100, c->outputs);
    decoder_feed(mat_rows(logits, 0, 1), &decoder, tokens, 1);
    cost(lesson, "bytes of cache after one token", decoder_bytes(&decoder), "4 · 2·G·d · L", 4LL * 2 * c->G * d * c->L);
    decoder_feed(mat_rows(logits, 0, 99), &decoder, tokens, 99);
    cost(lesson, "after 100", decoder_bytes(&decoder), "100 times as many", 100LL * 4 * 2 * c->G * d * c->L);
    while (decoder_length(&decoder) < n) decoder_feed(logits, &decoder, tokens, 100);
    cost(lesson, "after 1000", decoder_bytes(&decoder), "1000 times as many", 1000LL * 4 * 2 * c->G * d * c->L);
    int weights = 4 * (int)transformer_numbers(model);
    say(lesson, "The model's own weights are %d bytes: as much as %d tokens.", weights,
        (int)(weights / (decoder_bytes(&decoder) / n)));

    say(lesson, "LLaMA 2 7B has L = 32 layers of G = 32 key heads with d = 128. In 16 bits a token takes 2 · 2·G·d · L "
        "= %d bytes, so %.1f GB for 4,096 tokens and %.1f GB for 32,768. Its 7 billion weights take %.0f GB.",
        2 * 2 * LLAMA_G * LLAMA_D * LLAMA_L, llama_gigabytes(4096), llama_gigabytes(32768), 7e9 * HALF / 1e9);

    enum { POINTS = 9 };
    static double x[POINTS], y[3][POINTS];
    for (int p = 0; p < POINTS; p++) {
        x[p] = 4096.0 * p;
        y[0][p] = 7e9 * HALF / 1e9;
        y[1][p] = llama_gigabytes(x[p]);
        y[2][p] = 4 * y[1][p];
    }
    Series series[] = { { "weights", x, y[0], POINTS, true, false, NULL },
                        { "one sequence", x, y[1], POINTS, false, false, NULL },
                        { "four", x, y[2], POINTS, false, false, NULL } };
    figure_plot(lesson, "memory.png", "the cache of LLaMA 2 7B in 16 bits, by the formula",
                (Plot){ .title = "Cache of LLaMA 2 7B, 16 bits", .x_title = "tokens in each sequence",
                        .y_title = "GB", .series = series, .count = 3 });
}

// ---- 8. Operations a byte

static double flops(Cost work) { return 2.0 * (double)work.multiplies; }
static double bytes(Cost work) { return 4.0 * (double)(work.reads + work.writes); }
static double flops_a_byte(Cost work) { return flops(work) / bytes(work); }

// Attention alone: n tokens at once into an empty cache, or the last of them into a cache of the others.
static Cost attention_cost(Arena *arena, int n, bool decode)
{
    enum { H = 4, D = 64 };
    Mat x = mat_new(arena, n, D);
    Mask masks[H];
    masks_for_heads(masks, H, (Mask){ .causal = true }, false);
    KvCache cache = kv_cache_new(arena, n, D, D);
    int first = decode ? n - 1 : 0;
    kv_cache_append(&cache, mat_rows(x, 0, first), mat_rows(x, 0, first));
    Mat chunk = mat_rows(x, first, n - first);
    Cost start = counted;
    Attended to = { .out = mat_new(arena, chunk.rows, D) };
    kv_cache_attend(to, &cache, chunk, chunk, chunk, H, masks, attention_naive);
    return cost_since(start);
}

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

enum { SIZES = 8, FED = 1 << (SIZES - 1) };                            // chunks of 1, 2, 4 … FED tokens

typedef struct { double n[SIZES], prefill[SIZES], decode[SIZES], model[SIZES], wide[SIZES]; } Intensity;

static void attention_alone(Lesson *lesson, Intensity *all)
{
    Mat table = mat_new(lesson->arena, 2, SIZES);
    static const char *const rows[] = { "n tokens at once", "1 token, n keys" };
    const char *cols[SIZES];
    bool formulas = true;
    for (int s = 0; s < SIZES; s++) {
        int n = 1 << s;
        all->n[s] = n;
        all->prefill[s] = flops_a_byte(attention_cost(lesson->arena, n, false));
        all->decode[s] = flops_a_byte(attention_cost(lesson->arena, n, true));
        formulas = formulas && near(all->prefill[s], (n + 1) / 16.0) && near(all->decode[s], n / (2.0 * n + 6));
        cols[s] = arena_format(lesson->arena, "n=%d", n);
        *mat_ref(table, 0, s) = (float)all->prefill[s];
        *mat_ref(table, 1, s) = (float)all->decode[s];
    }
    show_table(lesson, (Table){ .name = "attention alone, G = H: FLOPs a byte", .values = table, .rows = rows,
                                .cols = cols, .decimals = 3 });
    check(lesson, formulas, "prefill: (n + 1) / 16; decode: n / (2n + 6), never more than 0.5");
}

// FED tokens in chunks of n: always the same multiplications, but not the same traffic.
static Cost model_cost(Transformer model, int n)
{
    Arena *scratch = arena_open();
    Decoder decoder = decoder_new(scratch, model, FED);
    int *tokens = arena_alloc(scratch, FED * sizeof *tokens);
    Mat logits = mat_new(scratch, n, model.config.outputs);
    Cost start = counted;
    for (int t = 0; t < FED; t += n) decoder_feed(logits, &decoder, tokens + t, n);
    Cost work = cost_since(start);
    arena_close(scratch);
    return work;
}

static int64_t floats_moved(const Config *c, int n)
{
    int64_t N = FED, m = N / n, L = c->L, D = c->D, V = c->outputs;
    return m * (4 * L * D * D + D * V) + N * (m + 1) * L * D + N * (12 * L * D + D + V);
}

static Transformer wide_model(Lesson *lesson)
{
    Config config = { .words = 32, .outputs = 32, .D = 256, .H = 4, .G = 4, .L = 1, .positions = POSITIONS_ROPE,
                      .causal = true };
    Transformer wide = transformer_new(lesson->arena, config);
    transformer_init(wide, &lesson->random);
    return wide;
}

static void whole_models(Lesson *lesson, Transformer model, Transformer wide, Intensity *all)
{
    Mat table = mat_new(lesson->arena, SIZES, 4);
    static const char *const cols[] = { "MFLOP", "MB moved", "FLOPs/byte", "the model" };
    const char *rows[SIZES];
    bool same_work = true, formulas = true;
    Cost one_by_one = model_cost(wide, 1);
    for (int s = 0; s < SIZES; s++) {
        int n = 1 << s;
        Cost work = model_cost(wide, n), small = model_cost(model, n);
        all->wide[s] = flops_a_byte(work);
        all->model[s] = flops_a_byte(small);
        same_work = same_work && work.multiplies == one_by_one.multiplies;
        formulas = formulas && work.reads + work.writes == floats_moved(&wide.config, n);
        rows[s] = arena_format(lesson->arena, "chunks of %d", n);
        double row[] = { flops(work) / 1e6, bytes(work) / 1e6, all->wide[s], all->model[s] };
        for (int c = 0; c < 4; c++) *mat_ref(table, s, c) = (float)row[c];
    }
    const char *name = arena_format(lesson->arena, "%d tokens: a layer of width 256, and the model", FED);
    show_table(lesson, (Table){ .name = name, .values = table, .rows = rows, .cols = cols });
    check(lesson, same_work, "the same multiplications in every row");
    check(lesson, formulas, "floats moved = m(4LD² + DV) + N(m+1)LD + N(12LD + D + V), for N tokens in m chunks");
    check(lesson, all->wide[0] < 0.5 && all->wide[SIZES - 1] > 30 * all->wide[0],
          "one by one, less than 0.5 FLOPs a byte; in one chunk, more than 30 times as many");
}

static void operations_a_byte(Lesson *lesson, Transformer model, Transformer wide)
{
    step(lesson, "What it costs: bytes moved");
    static Intensity all;
    attention_alone(lesson, &all);
    whole_models(lesson, model, wide, &all);
    Series series[] = { { "width 256, chunks of n", all.n, all.wide, SIZES, false, false, NULL },
                        { "attention, n at once", all.n, all.prefill, SIZES, false, false, NULL },
                        { "attention, 1 on n keys", all.n, all.decode, SIZES, false, false, NULL } };
    figure_plot(lesson, "intensity.png", "operations for each byte that is moved",
                (Plot){ .title = "Prefill has much to do with each byte, decode has not", .x_title = "n",
                        .y_title = "FLOPs a byte", .series = series, .count = 3, .log_x = true, .log_y = true,
                        .width = 700 });
}

// ---- --time

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_without(Transformer model, const int *tokens)
{
    double start = seconds();
    for (int t = 1; t <= LONG; t++) {
        Arena *scratch = arena_open();
        transformer_run(scratch, model, batch_of_one(scratch, tokens, t), (Mat){ 0 });
        arena_close(scratch);
    }
    return seconds() - start;
}

static double time_with(Transformer model, const int *tokens, int count, int n)
{
    Arena *scratch = arena_open();
    Mat logits = mat_new(scratch, n, model.config.outputs);
    double start = seconds();
    Decoder decoder = decoder_new(scratch, model, count);
    for (int t = 0; t < count; t += n) decoder_feed(logits, &decoder, tokens + t, n);
    double took = seconds() - start;
    arena_close(scratch);
    return took;
}

// The best of some runs, after one that only warms up.
static void show_times(Lesson *lesson, Transformer model, Transformer wide, int runs)
{
    int tokens[LONG] = { 0 };
    double best[4] = { INFINITY, INFINITY, INFINITY, INFINITY };
    for (int r = 0; r <= runs; r++) {
        double took[] = { time_without(model, tokens), time_with(model, tokens, LONG, 1),
                          time_with(wide, tokens, FED, 1), time_with(wide, tokens, FED, FED) };
        for (int i = 0; i < 4 && r; i++) best[i] = fmin(best[i], took[i]);
    }
    double work = flops(model_cost(wide, FED));
    say(lesson, "Timed here, best of %d: %d tokens of the model take %.1f ms without a cache and %.2f ms with one, a "
        "factor of %.0f. The layer of width 256 computes %.2f GFLOP/s one by one and %.2f GFLOP/s in one chunk.", runs,
        LONG, 1e3 * best[0], 1e3 * best[1], best[0] / best[1], 1e-9 * work / best[2], 1e-9 * work / best[3]);
}

// A causal model whose outputs are its words, as only such a one can go on from what it said.
static Transformer load(Lesson *lesson, const char *program, const char *path)
{
    Transformer model;
    Error error;
    if (!shipped_model(&model, lesson->arena, program, "induction-32", path, &error)) lesson_fail(&error);
    const Config *c = &model.config;
    if (!c->causal || c->words != c->outputs || c->words < PERIOD) {
        error_set(&error, "%s: found %d words, %d outputs, %s; a model that continues a text must be causal, with as "
                  "many outputs as words, %d or more", path ? path : "induction-32", c->words, c->outputs,
                  c->causal ? "causal" : "not causal", PERIOD);
        lesson_fail(&error);
    }
    return model;
}

static const char *kernel_names(Arena *arena)
{
    const char *names = attention_kernels[0].name;
    for (int i = 1; i < attention_kernels_count; i++)
        names = arena_format(arena, "%s, %s", names, attention_kernels[i].name);
    return names;
}

int main(int argc, char **argv)
{
    const char *path = NULL, *name = "naive";
    int tokens = CHUNKS_T, capacity = 512, runs = 0;
    Flag flags[] = {
        { "tokens", FLAG_INT, &tokens, PROMPT + 1, 4096, "tokens in step 5, the prompt's 9 among them (default 32)" },
        { "capacity", FLAG_INT, &capacity, 1, 1 << 16, "tokens that the cache of step 5 has room for (default 512)" },
        { "model", FLAG_TEXT, &path, 0, 0, "weights (default induction-32 of data/models)" },
        { "kernel", FLAG_TEXT, &name, 0, 0, "attention in step 5: naive, online, tiled, fast … (default naive)" },
        { "time", FLAG_INT, &runs, 0, 1000, "time it, so many runs, at the end of step 8 (default 0: only counted)" },
    };
    Lesson lesson = lesson_open_with(argc, argv, 11, "The KV cache", flags, 5);
    const NamedKernel *kernel = attention_kernel(name);
    if (!kernel)
        lesson_misused(lesson.state, "--kernel: found \"%s\"; there are %s", name, kernel_names(lesson.arena));
    if (tokens > capacity)
        lesson_misused(lesson.state, "--tokens is %d, but the cache has room for %d; a --capacity of %d or more is "
                       "needed", tokens, capacity, tokens);
    Transformer model = load(&lesson, argv[0], path), wide = wide_model(&lesson);

    the_past_stays(&lesson);
    word_by_word(&lesson);
    every_split(&lesson);
    bottom_right(&lesson);
    a_model_continues(&lesson, model, tokens, capacity, !path, kernel->run);
    what_is_saved(&lesson, model);
    what_it_takes(&lesson, model);
    operations_a_byte(&lesson, model, wide);
    if (runs) show_times(&lesson, model, wide, runs);
    return lesson_close(&lesson);
}
