// Chapter 11, step 5. A model continues a sequence, with a cache and without, and with positions forgotten.
#include "attention/attention_product.h"
#include "base/portable_math.h"
#include "kernels/bf16.h"
#include "language/chunks.h"
#include "model/decode.h"
#include "steps.h"

#include <string.h>

// As decoder_continue, with a whole run for every token.
static void continue_without(Transformer model, int *tokens, int P, int n, Mat logits)
{
    for (int t = P; t <= n; t++) {
        Arena *scratch = arena_open();
        Run run = run_transformer(scratch, model, run_batch_of_one(scratch, tokens, t), (Mat){ 0 });
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

// How many tokens are what follows the one before them in a sequence that repeats after PERIOD?
static int followers(const int *said, const int *sequence, int first, int end)
{
    int count = 0;
    for (int t = first; t < end; t++) {
        bool follows = false;
        for (int j = 0; j < PERIOD; j++)
            follows = follows || (said[t - 1] == sequence[j] && said[t] == sequence[j + 1]);
        count += follows;
    }
    return count;
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

static Decoder decoder_with(Arena *arena, Transformer model, int capacity, AttentionKernel *kernel)
{
    Decoder decoder = decoder_new(arena, model, capacity);
    decoder.kernel = kernel;
    return decoder;
}

// The first tokens in chunks: one ends behind token t where bit t of `split` is set, and behind the last.
static void feed_split(Mat logits, Transformer model, AttentionKernel *kernel, const int *tokens, int split)
{
    Arena *scratch = arena_open();
    int P = logits.rows;
    Decoder decoder = decoder_with(scratch, model, P, kernel);
    for (int first = 0, t = 0; t < P; t++) {
        if (!(split >> t & 1) && t < P - 1) continue;
        decoder_feed(mat_rows(logits, first, t + 1 - first), &decoder, tokens + first, t + 1 - first);
        first = t + 1;
    }
    arena_close(scratch);
}

// How many ways to deal the first tokens into chunks give the logits of all at once, with this kernel and (P, …)
// without a cache; and how far any is from the latter.
typedef struct {
    int same, same_without;
    double apart;
} Splits;

static Splits try_splits(Lesson *lesson, Transformer model, AttentionKernel *kernel, const int *tokens, Mat without)
{
    Splits splits = { 0 };
    ArenaMark mark = arena_mark(lesson->arena);
    Mat whole = mat_new(lesson->arena, without.rows, without.cols);
    Mat logits = mat_new(lesson->arena, without.rows, without.cols);
    feed_split(whole, model, kernel, tokens, 0);
    for (int split = 0; split < 1 << (without.rows - 1); split++) {
        feed_split(logits, model, kernel, tokens, split);
        splits.same += mat_equal(logits, whole);
        splits.same_without += mat_equal(logits, without);
        splits.apart = fmax(splits.apart, mat_max_difference(logits, without));
    }
    arena_release(lesson->arena, mark);
    return splits;
}

// One sequence is luck: in some the mistake does not show at all.
static void many_sequences(Lesson *lesson, Transformer model, AttentionKernel *kernel)
{
    enum { SEQUENCES = 40, N = CHUNKS_T, ASKED = SEQUENCES * (N - PROMPT) };
    int right = 0, forgotten = 0, unnoticed = 0;
    Arena *arena = lesson->arena;
    for (int s = 0; s < SEQUENCES; s++) {
        ArenaMark mark = arena_mark(arena);
        int tokens[N], targets[N], said[N];
        chunks_repeated_sequence(tokens, targets, N, PERIOD, model.config.words, &lesson->random);
        Mat logits = mat_new(arena, N, model.config.outputs);
        for (int w = 0; w < 2; w++) {
            Decoder decoder = decoder_with(arena, model, N, kernel);
            if (w) forget_positions(&decoder, PROMPT);
            memcpy(said, tokens, PROMPT * sizeof *said);
            decoder_continue(logits, &decoder, said, PROMPT, N);
            int same = equal_from(said, tokens, PROMPT, N);
            *(w ? &forgotten : &right) += same;
            unnoticed += w && same == N - PROMPT;
        }
        arena_release(arena, mark);
    }
    check(lesson, 10 * right > 9 * ASKED && 3 * forgotten < 2 * right,
          "%d more sequences of %d: of %d tokens %d continue theirs; turned from 0, %d, and in %d sequences all %d",
          SEQUENCES, N, ASKED, right, forgotten, unnoticed, N - PROMPT);
}

// The kernels that add up in the order of a run without a cache.
static bool in_order(AttentionKernel *kernel) { return kernel == attention_naive || kernel == attention_product; }

static void check_continued(Lesson *lesson, const Mat *logits, AttentionKernel *kernel, int n)
{
    double apart = mat_max_difference(logits[CACHE], logits[NO_CACHE]);
    if (in_order(kernel))
        check(lesson, mat_equal(logits[CACHE], logits[NO_CACHE]), "and the same logits at all %d positions, to the bit",
              n);
    else if (kernel == attention_bf16)
        say(lesson, "Logits are up to %.2f apart: this kernel rounds to 16 bits (chapter 15).", apart);
    else
        check(lesson, apart < 1e-3,
              "and logits that are less than 0.001 apart at all %d positions: this kernel, with the cache only, adds "
              "up in another order",
              n);
}

static void check_prompts(Lesson *lesson, Transformer model, AttentionKernel *kernel, const int *tokens, Mat logits,
                          int given)
{
    int P = given <= PROMPT ? given : PROMPT, all = 1 << (P - 1);
    if (P == 1) return; // one token cannot be split
    const char *of = P == given ? "the prompt" : arena_format(lesson->arena, "the prompt's first %d tokens", P);
    Splits splits = try_splits(lesson, model, kernel, tokens, mat_rows(logits, 0, P));
    if (in_order(kernel)) {
        check(lesson, splits.same_without == all, "so too for all %d splits of %s", all, of);
        return;
    }
    if (kernel != attention_bf16) check(lesson, splits.apart < 1e-3, "so too for all %d splits of %s", all, of);
    say(lesson,
        "With this kernel %d of the %d splits of %s give what it gives for all at once, to the bit. From what "
        "comes without a cache they are up to %.1g away.",
        splits.same, all, of, splits.apart);
}

void a_model_continues(Lesson *lesson, Transformer model, Prompt prompt, int n, int capacity, bool ours,
                       AttentionKernel *kernel)
{
    step(lesson, "A model continues");
    Arena *arena = lesson->arena;
    const Config *c = &model.config;
    int *tokens[WAYS], *targets = arena_alloc(arena, (size_t)n * sizeof *targets);
    int ways = c->positions == CONFIG_POSITIONS_ROPE ? WAYS : FROM_ZERO, P = prompt.count ? prompt.count : PROMPT;
    Mat logits[WAYS];
    tokens[TRUE_TOKENS] = arena_alloc(arena, (size_t)n * sizeof(int));
    chunks_repeated_sequence(tokens[TRUE_TOKENS], targets, n, PERIOD, c->words, &lesson->random);
    for (int t = 0; t < prompt.count; t++) tokens[TRUE_TOKENS][t] = prompt.tokens[t];
    for (int w = NO_CACHE; w < WAYS; w++) {
        tokens[w] = copy_of(arena, tokens[TRUE_TOKENS], P, n);
        logits[w] = mat_new(arena, n, c->outputs);
    }
    continue_without(model, tokens[NO_CACHE], P, n, logits[NO_CACHE]);
    Decoder decoder = decoder_with(arena, model, capacity, kernel), forgetful = decoder_with(arena, model, n, kernel);
    decoder_continue(logits[CACHE], &decoder, tokens[CACHE], P, n);
    if (ways == WAYS) {
        forget_positions(&forgetful, P);
        decoder_continue(logits[FROM_ZERO], &forgetful, tokens[FROM_ZERO], P, n);
    }

    int asked = n - P;
    if (prompt.count) say(lesson, "Your prompt of %d. The model goes on to %d.", P, n);
    else
        say(lesson, "%d random tokens, then the first of them again: a prompt of %d. The model goes on to %d.", PERIOD,
            P, n);
    show_tokens(lesson, tokens, ways, P, n, prompt.count > 0);
    check(lesson, equal_from(tokens[CACHE], tokens[NO_CACHE], P, n) == asked,
          "with and without a cache: the same %d token%s", asked, asked == 1 ? "" : "s");
    check_continued(lesson, logits, kernel, n);
    check_prompts(lesson, model, kernel, tokens[TRUE_TOKENS], logits[NO_CACHE], P);
    if (!ours || prompt.count) return;
    say(lesson,
        "Turned by their true positions, %d of %d tokens continue the sequence; turned from 0, %d. Of those "
        "%d, %d are what followed the token before.",
        equal_from(tokens[CACHE], tokens[TRUE_TOKENS], P, n), asked,
        equal_from(tokens[FROM_ZERO], tokens[TRUE_TOKENS], P, n), asked,
        followers(tokens[FROM_ZERO], tokens[TRUE_TOKENS], P, n));
    many_sequences(lesson, model, kernel);
}
