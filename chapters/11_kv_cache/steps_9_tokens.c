// Chapter 11, step 9. How fast tokens can come: bandwidth over what each step must read. Worked for one card.
#include "base/portable_math.h"
#include "lesson/machines.h"
#include "steps.h"

// LLaMA 2 7B in 16 bits.
enum { LAYERS = 32, WIDTH = 32 * 128, TABLE = LLAMA_TOKENS * WIDTH, CONTEXT = 4096 };
static const double TOKEN = 2.0 * WIDTH * LAYERS * 2; // bytes of the cache, in 16 bits

static double weight_bytes(void) { return 2 * llama_weights(); }

// FLOPs of one token: two for each weight, and for each number of its cache, as G = H.
static double flops_a_token(double cache) { return weight_bytes() + cache; }

// The whole prompt in one chunk: two FLOPs a weight and token, and four for each pair in sight and column of a layer.
// Of the tables of tokens at both ends one is looked up in, and the other multiplies the last token alone.
static void the_prompt(Lesson *lesson, double cache)
{
    double pairs = CONTEXT * (CONTEXT + 1.0) / 2.0;
    double flops = CONTEXT * (weight_bytes() - 4.0 * TABLE) + 2.0 * TABLE + 4.0 * WIDTH * LAYERS * pairs;
    double seconds = flops / (1e9 * MACHINE_H100.gflops);
    check(lesson, flops / (weight_bytes() + cache) > machine_ridge(MACHINE_H100),
          "a prompt of 4,096 tokens, all at once: now arithmetic is the limit");
    say(lesson,
        "The prompt is %.1f · 10¹² FLOPs: 2 for each token and weight of the layers, 4·H·d for each pair in "
        "sight and layer, and the last token's logits. They take %.1f ms at least, and each token of a single user's "
        "answer %.1f ms.",
        flops / 1e12, 1e3 * seconds, 1e3 / machine_tokens(MACHINE_H100, weight_bytes(), cache, 1));
}

void tokens_a_second(Lesson *lesson)
{
    static const char *const columns[] = { "GB read", "tokens/s", "each", "FLOPs/byte" };
    step(lesson, "How fast tokens can come");
    double cache = TOKEN * CONTEXT, weights = weight_bytes();
    int most = (int)((1e9 * MACHINE_H100.memory - weights) / cache);
    Rows rows = rows_of(lesson, "LLaMA 2 7B on one H100, 4,096 tokens a user: at most", columns, 4);
    rows.table.decimals = 1;
    const int users[] = { 1, 4, 16, most };
    bool waits = true;
    for (int u = 0; u < 4; u++) {
        double read = weights + users[u] * cache, tokens = machine_tokens(MACHINE_H100, weights, cache, users[u]);
        double intensity = users[u] * flops_a_token(cache) / read;
        waits = waits && intensity < machine_ridge(MACHINE_H100);
        rows_add(&rows, ROW(read / 1e9, tokens, tokens / users[u], intensity), "%d user%s", users[u],
                 users[u] == 1 ? "" : "s");
    }
    show_rows(lesson, &rows);
    check(lesson, waits, "in every row memory is the limit: it would take %.0f FLOPs a byte to reach the other",
          machine_ridge(MACHINE_H100));
    const double many = 1e9, work = flops_a_token(cache), never = work / cache;
    check(lesson, many * work / (weights + many * cache) < never && never < machine_ridge(MACHINE_H100),
          "however many users there is room for: fewer than (weights + cache) / cache = %.1f FLOPs a byte", never);
    say(lesson,
        "All in 16 bits. (All weights count as read: %.0f %% too many, as a step looks up only rows in the "
        "table of tokens.) More than %d such caches do not fit in %.0f GB beside the weights. With 32,768 tokens, one "
        "user gets %.1f tokens/s at most. On one core, with 4,096: %.2f.",
        100.0 * TABLE / llama_weights(), most, MACHINE_H100.memory,
        machine_tokens(MACHINE_H100, weights, TOKEN * 32768, 1), machine_tokens(machine_core(), weights, cache, 1));
    the_prompt(lesson, cache);
}
