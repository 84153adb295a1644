// Chapter 11, step 5. A model continues a sequence, with a cache and without, and with positions forgotten.
#include "attention/bf16.h"
#include "language/chunks.h"
#include "model/decode.h"
#include "steps.h"

#include <string.h>

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

// What was given is not shown again. Of a reader's prompt nobody knows how it ought to go on.
static void show_tokens(Lesson *lesson, int *const *tokens, int ways, int given, int n, bool own)
{
    Mat values = mat_new(lesson->arena, ways, n), hidden = mat_new(lesson->arena, ways, n);
    for (int w = 0; w < ways; w++)
        for (int t = 0; t < n; t++) {
            *mat_ref(values, w, t) = (float)tokens[w][t];
            *mat_ref(hidden, w, t) = w == TRUE_TOKENS ? own && t >= given : t < given;
        }
    const char *const rows[] = { own ? "your prompt" : "the sequence", "no cache", "cache", "turned from 0" };
    show_table(lesson, (Table){ .name = "tokens", .values = values, .hidden = hidden, .rows = rows, .decimals = -1 });
}

// In how many ways the first tokens can be dealt into chunks and still give the logits of all at once, whole (P, …).
static int prompts_that_agree(Lesson *lesson, Transformer model, const int *tokens, Mat whole)
{
    int same = 0, P = whole.rows;
    Arena *arena = lesson->arena;
    for (int split = 0; split < 1 << (P - 1); split++) {
        ArenaMark mark = arena_mark(arena);
        Decoder decoder = decoder_new(arena, model, P);
        Mat logits = mat_new(arena, P, whole.cols);
        for (int first = 0, t = 0; t < P; t++) {
            if (!(split >> t & 1) && t < P - 1) continue;
            decoder_feed(mat_rows(logits, first, t + 1 - first), &decoder, tokens + first, t + 1 - first);
            first = t + 1;
        }
        same += mat_equal(logits, whole);
        arena_release(arena, mark);
    }
    return same;
}

// One sequence is luck: some repeat so neatly that the mistake does not show.
static void many_sequences(Lesson *lesson, Transformer model)
{
    enum { SEQUENCES = 40, N = CHUNKS_T, ASKED = SEQUENCES * (N - PROMPT) };
    int right = 0, forgotten = 0;
    Arena *arena = lesson->arena;
    for (int s = 0; s < SEQUENCES; s++) {
        ArenaMark mark = arena_mark(arena);
        int tokens[N], targets[N], said[N];
        repeated_sequence(tokens, targets, N, PERIOD, model.config.words, &lesson->random);
        Mat logits = mat_new(arena, N, model.config.outputs);
        for (int w = 0; w < 2; w++) {
            Decoder decoder = decoder_new(arena, model, N);
            if (w) forget_positions(&decoder, PROMPT);
            memcpy(said, tokens, PROMPT * sizeof *said);
            decoder_continue(logits, &decoder, said, PROMPT, N);
            *(w ? &forgotten : &right) += equal_from(said, tokens, PROMPT, N);
        }
        arena_release(arena, mark);
    }
    check(lesson, 10 * right > 9 * ASKED && 3 * forgotten < 2 * right,
          "%d more sequences of %d: of %d tokens %d continue theirs; turned from 0, %d", SEQUENCES, N, ASKED, right,
          forgotten);
}

static void check_continued(Lesson *lesson, const Mat *logits, AttentionKernel *kernel, int n)
{
    double apart = mat_max_difference(logits[CACHE], logits[NO_CACHE]);
    if (kernel == attention_naive)
        check(lesson, mat_equal(logits[CACHE], logits[NO_CACHE]), "and the same logits at all %d positions, to the bit",
              n);
    else if (kernel == attention_bf16)
        say(lesson, "Logits are up to %.2f apart: this kernel rounds to 16 bits (chapter 15).", apart);
    else
        check(lesson, apart < 1e-3,
              "and logits that are less than 0.001 apart at all %d positions: this kernel adds up in another order", n);
}

static void check_prompts(Lesson *lesson, Transformer model, const int *tokens, Mat logits, int given)
{
    int P = given <= PROMPT ? given : PROMPT;
    if (P == 1) return;                              // one token cannot be split
    const char *of = P == given ? "the prompt" : arena_format(lesson->arena, "the prompt's first %d tokens", P);
    check(lesson, prompts_that_agree(lesson, model, tokens, mat_rows(logits, 0, P)) == 1 << (P - 1),
          "so too for all %d splits of %s", 1 << (P - 1), of);
}

void a_model_continues(Lesson *lesson, Transformer model, Prompt prompt, int n, int capacity, bool ours,
                       AttentionKernel *kernel)
{
    step(lesson, "A model continues");
    Arena *arena = lesson->arena;
    const Config *c = &model.config;
    int *tokens[WAYS], *targets = arena_alloc(arena, (size_t)n * sizeof *targets);
    int ways = c->positions == POSITIONS_ROPE ? WAYS : FROM_ZERO, P = prompt.count ? prompt.count : PROMPT;
    Mat logits[WAYS];
    tokens[TRUE_TOKENS] = arena_alloc(arena, (size_t)n * sizeof(int));
    repeated_sequence(tokens[TRUE_TOKENS], targets, n, PERIOD, c->words, &lesson->random);
    for (int t = 0; t < prompt.count; t++) tokens[TRUE_TOKENS][t] = prompt.tokens[t];
    for (int w = NO_CACHE; w < WAYS; w++) {
        tokens[w] = copy_of(arena, tokens[TRUE_TOKENS], P, n);
        logits[w] = mat_new(arena, n, c->outputs);
    }
    continue_without(model, tokens[NO_CACHE], P, n, logits[NO_CACHE]);
    Decoder decoder = decoder_new(arena, model, capacity), forgetful = decoder_new(arena, model, n);
    decoder.kernel = kernel;
    decoder_continue(logits[CACHE], &decoder, tokens[CACHE], P, n);
    if (ways == WAYS) {
        forget_positions(&forgetful, P);
        decoder_continue(logits[FROM_ZERO], &forgetful, tokens[FROM_ZERO], P, n);
    }

    int asked = n - P;
    if (prompt.count) say(lesson, "Your prompt of %d. The model goes on to %d.", P, n);
    else say(lesson, "%d random tokens, then the first of them again: a prompt of %d. The model goes on to %d.", PERIOD,
             P, n);
    show_tokens(lesson, tokens, ways, P, n, prompt.count > 0);
    check(lesson, equal_from(tokens[CACHE], tokens[NO_CACHE], P, n) == asked,
          "with and without a cache: the same %d token%s", asked, asked == 1 ? "" : "s");
    check_continued(lesson, logits, kernel, n);
    check_prompts(lesson, model, tokens[TRUE_TOKENS], logits[NO_CACHE], P);
    if (!ours || prompt.count) return;
    say(lesson, "Turned by their true positions, %d of %d tokens continue the sequence; turned from 0, %d.",
        equal_from(tokens[CACHE], tokens[TRUE_TOKENS], P, n), asked,
        equal_from(tokens[FROM_ZERO], tokens[TRUE_TOKENS], P, n));
    many_sequences(lesson, model);
}
