// Chapter 18. Sampling of the Bigram-Backcopy corpus.
#include "language/backcopy.h"

#include "base/portable_math.h"

enum { MARKS = BACKCOPY_TOKENS - BACKCOPY_LETTERS, STARTS_MOST = 4 };
static const double MARK = 0.05; // probability of each mark after a letter

// u⁶ of a uniform number is below 0.1 two times in three, so a few followers have most of the probability.
static void draw_row(double *row, Random *random)
{
    double sum = 0.0;
    for (int t = 0; t < BACKCOPY_LETTERS; t++) {
        double u = (double)random_uniform(random);
        sum += row[t] = u * u * u * u * u * u;
    }
    for (int t = 0; t < BACKCOPY_LETTERS; t++) row[t] *= (1.0 - MARKS * MARK) / sum;
    for (int t = BACKCOPY_LETTERS; t < BACKCOPY_TOKENS; t++) row[t] = MARK;
}

Backcopy backcopy_new(int starts)
{
    REQUIRE(starts >= 0 && starts <= STARTS_MOST, "%d starts; 0 … %d are possible", starts, STARTS_MOST);
    Backcopy corpus = { .starts = starts };
    Random random = random_from(1234);
    for (int t = 0; t < BACKCOPY_LETTERS; t++) draw_row(corpus.next[t], &random);
    for (int t = 0; t < BACKCOPY_LETTERS; t++) corpus.next[BACKCOPY_START][t] = 1.0 / BACKCOPY_LETTERS;
    return corpus;
}

bool backcopy_is_mark(int token) { return token >= BACKCOPY_LETTERS && token < BACKCOPY_TOKENS; }

char backcopy_name(int token)
{
    static const char names[] = "abcdefghijklmnopqrstu*+=^123";
    return names[token];
}

static int draw(const double *row, Random *random)
{
    double u = (double)random_uniform(random);
    for (int t = 0; t < BACKCOPY_TOKENS - 1; t++) {
        if (u < row[t]) return t;
        u -= row[t];
    }
    return BACKCOPY_TOKENS - 1;
}

// A mark is never first: it needs a token to repeat.
void backcopy_text(int *tokens, int n, const Backcopy *corpus, Random *random)
{
    int before = BACKCOPY_START, last = BACKCOPY_START;
    for (int t = 0; t < n; t++) {
        if (t < corpus->starts) {
            tokens[t] = BACKCOPY_START + t;
            continue;
        }
        tokens[t] = backcopy_is_mark(last) ? before : draw(corpus->next[last], random);
        before = last;
        last = tokens[t];
    }
}

double backcopy_divergence(const Backcopy *corpus, int token, const float *logits, int outputs)
{
    REQUIRE(token >= 0 && token < BACKCOPY_LETTERS, "token %d is no letter", token);
    double most = (double)logits[0], sum = 0.0, divergence = 0.0;
    for (int o = 1; o < outputs; o++) most = fmax(most, (double)logits[o]);
    for (int o = 0; o < outputs; o++) sum += exp((double)logits[o] - most);
    for (int t = 0; t < BACKCOPY_TOKENS; t++) {
        double p = corpus->next[token][t];
        if (p > 0.0) divergence += p * (log(p) - ((double)logits[t] - most - log(sum)));
    }
    return divergence;
}

Config backcopy_config(ConfigSink sink, int starts)
{
    int words = BACKCOPY_TOKENS + (starts > 1 ? starts : 1);
    return (Config){ .words = words,
                     .outputs = words,
                     .D = 32,
                     .H = 1,
                     .G = 1,
                     .L = 1,
                     .positions = CONFIG_POSITIONS_ROPE,
                     .rope_base = 100.0,
                     .sink = sink,
                     .bare = true,
                     .causal = true };
}

TrainingRecipe backcopy_recipe(uint64_t seed)
{
    return (TrainingRecipe){ .steps = 800,
                             .batch = 32,
                             .warmup = 50,
                             .lr = 2e-2,
                             .plateau = 0.5,
                             .floor = 0.02,
                             .clip = 1.0,
                             .seed = seed,
                             .adamw = { 0.9, 0.99, 1e-8, 0.0 } };
}

RunBatch backcopy_batch(Arena *arena, int count, Random *random, const void *corpus)
{
    int *start = arena_alloc(arena, (size_t)(count + 1) * sizeof *start);
    size_t bytes = (size_t)count * BACKCOPY_T * sizeof(int);
    int *tokens = arena_alloc(arena, bytes), *targets = arena_alloc(arena, bytes), text[BACKCOPY_T + 1];
    for (int b = 0; b <= count; b++) start[b] = b * BACKCOPY_T;
    for (int b = 0; b < count; b++) {
        backcopy_text(text, BACKCOPY_T + 1, corpus, random);
        for (int t = 0; t < BACKCOPY_T; t++) {
            tokens[start[b] + t] = text[t];
            targets[start[b] + t] = text[t + 1] < BACKCOPY_TOKENS ? text[t + 1] : -1;
        }
    }
    return (RunBatch){ count, start, tokens, targets };
}
