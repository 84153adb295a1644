// Exercise 24c: my_star.
#include "base/portable_math.h"
#include "exercises/judge.h"

void my_star(double *pairs, double *messages, double *token_mb, double *ring_gb, double *times);

#define TOKEN (32 * 7 * 32 * 257 * 2 / 1e6)
#define RING  (32.0 * 7 * 80000 * 8 * 256 * 2 / 1e9)

// clang-format off
static const Prediction predictions[] = {
    { "my_star: pairs", 35, 0.5, "how many keys does each of the ten tokens see, in its own block and in the anchor?",
      "Σ over blocks of b(b + 1)/2 + a·b, the first without its a·b", {
        { 23, "the anchor is seen, too, from every block but the first" },
        { 43, "block 0 has the anchor's tokens itself: it does not see them twice" },
        { 55, "this is causal attention without blocks" },
        { 41, "each block's anchor is read once more, but no token of the context asks there" },
        { 42, "the last block has two tokens" },
        { 60, "no token sees a later one: half a block's square, and its diagonal" } } },
    { "my_star: messages", 70, 0.5, "whom does the last rank ask for each token, and what comes back?",
      "2 (R − 1) for each token", {
        { 35, "an answer comes back for every question" },
        { 80, "the last rank sends nothing to itself" },
        { 40, "the last rank sends nothing to itself, and answers come back" },
        { 14, "this is one token" },
        { 280, "the others do not talk with each other: only with the last rank" },
        { 560, "the others do not talk with each other: only with the last rank" } } },
    { "my_star: token_mb", TOKEN, 0.001 * TOKEN,
      "what goes to each of the seven others in a layer, what comes back, and how many bytes has a number?",
      "L (R − 1) (H d + H (dv + 1)) numbers", {
        { 2 * TOKEN, "16 bits are 2 bytes, not 4" },
        { TOKEN / 32, "this is one layer" },
        { TOKEN * 8 / 7, "the last rank sends nothing to itself" },
        { TOKEN * 129 / 257, "the queries must go out, too" },
        { TOKEN * 128 / 257, "the answers must come back, too" },
        { TOKEN * 256 / 257, "an answer has an lse for each head, beside the outputs" },
        { TOKEN / 4, "queries and outputs have H heads; G is for keys and values, which stay" } } },
    { "my_star: ring_gb", RING, 0.01 * RING,
      "how many other ranks does each key and value come to, and how many numbers are they?",
      "L (R − 1) T G (d + dv) numbers", {
        { RING / 7, "every rank's keys and values go to all seven others" },
        { RING * 8 / 7, "a rank sends nothing to itself" },
        { RING / 8, "this is what one rank sends" },
        { RING / 2, "keys and values go round, and a number has 2 bytes: this is half" },
        { RING / 32, "this is one layer" },
        { RING * 4, "keys and values have G heads, not H" },
        { 2 * RING, "16 bits are 2 bytes, not 4" },
        { RING * 1e9 / (1 << 30), "these are units of 2³⁰ bytes: asked for are 10⁹" } } },
    { "my_star: times", 2, 0.02,
      "T²/2 pairs are shared by 8 ranks; which pairs has one of the star, its own, the anchor's, and those between?",
      "(T²/2 / R) / (b²/2 + b² + b²/2), T = R b", {
        { 8, "a rank of the star sees its anchor, too" },
        { 64, "causal attention is half of the square, on 8 ranks; and the star sees an anchor" },
        { 16, "this is all ranks of the ring against one of the star" },
        { 4, "the star's blocks are causal, too, and it reads the anchor beside its block" },
        { 8.0 / 3, "the anchor reads itself as well: b²/2 more" },
        { 0.5, "upside down: the star has less to do" },
        { 1, "causal attention of T tokens is T²/2 pairs; of the star's rank three shares count" } } },
};
// clang-format on

static void check(Judge *judge, Function f)
{
    double got[5] = { 0 };
    (void)f;
    my_star(&got[0], &got[1], &got[2], &got[3], &got[4]);
    if (got[0] == 0.0) got[0] = NAN; // nothing is predicted yet
    for (int n = 0; n < COUNT(predictions); n++) {
        Prediction p = predictions[n];
        for (int b = 0; b < MOST_BELIEFS && n >= 2; b++) // as near, in proportion, as what is right has to be
            if (fabs(got[n] - p.beliefs[b].value) <= p.tolerance / p.right * p.beliefs[b].value)
                p.beliefs[b].value = got[n];
        judge_prediction(judge, got[n], p);
    }
}

static const Task tasks[] = { { .check = check } };
EXERCISE("24c", tasks)
