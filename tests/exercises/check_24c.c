// Exercise 24c: my_star.
#include "exercises/predicted.h"

void my_star(double *pairs, double *messages, double *token_mb, double *ring_gb, double *times);

// Exact, or one in a hundred, or in a thousand; of a well-known wrong number as well.
static void number_case(Judge *judge, double got, double near, Prediction p)
{
    p.tolerance = near > 0.0 ? near * p.right : 0.5;
    for (int b = 0; b < MOST_BELIEFS; b++)
        if (near > 0.0 && fabs(got - p.beliefs[b].value) <= near * p.beliefs[b].value)
            p.beliefs[b].value = (double)(float)got;
    judge_prediction(judge, (float)got, p);
}

static void small_cases(Judge *judge, double pairs, double messages)
{
    if (pairs == 0) pairs = NAN; // nothing is predicted yet
    number_case(judge, pairs, 0,
                (Prediction){
                    .what = "my_star: pairs",
                    .right = 35,
                    .question = "how many keys does each of the ten tokens see, in its own block and in the anchor?",
                    .formula = "Σ over blocks of b(b + 1)/2 + a·b, the first without its a·b",
                    .beliefs = {
                        { 23, "the anchor is seen, too, from every block but the first" },
                        { 43, "block 0 has the anchor's tokens itself: it does not see them twice" },
                        { 55, "this is causal attention without blocks" },
                        { 41, "each block's anchor is read once more, but no token of the context asks there" },
                        { 42, "the last block has two tokens" },
                        { 60, "no token sees a later one: half a block's square, and its diagonal" } } });
    number_case(judge, messages, 0,
                (Prediction){
                    .what = "my_star: messages",
                    .right = 70,
                    .question = "whom does the last rank ask for each token, and what comes back?",
                    .formula = "2 (R − 1) for each token",
                    .beliefs = { { 35, "an answer comes back for every question" },
                                 { 80, "the last rank sends nothing to itself" },
                                 { 40, "the last rank sends nothing to itself, and answers come back" },
                                 { 14, "this is one token" },
                                 { 280, "the others do not talk with each other: only with the last rank" },
                                 { 560, "the others do not talk with each other: only with the last rank" } } });
}

static void large_cases(Judge *judge, double token_mb, double ring_gb, double times)
{
    double token = 32 * 7 * 32 * 257 * 2 / 1e6, ring = 32.0 * 7 * 80000 * 8 * 256 * 2 / 1e9;
    number_case(judge, token_mb, 0.001,
                (Prediction){
                    .what = "my_star: token_mb",
                    .right = token,
                    .question =
                        "what goes to each of the seven others in a layer, what comes back, and how many bytes has a "
                        "number?",
                    .formula = "L (R − 1) (H d + H (dv + 1)) numbers",
                    .beliefs = {
                        { 2 * token, "16 bits are 2 bytes, not 4" },
                        { token / 32, "this is one layer" },
                        { token * 8 / 7, "the last rank sends nothing to itself" },
                        { token * 129 / 257, "the queries must go out, too" },
                        { token * 128 / 257, "the answers must come back, too" },
                        { token * 256 / 257, "an answer has an lse for each head, beside the outputs" },
                        { token / 4, "queries and outputs have H heads; G is for keys and values, which stay" } } });
    number_case(judge, ring_gb, 0.01,
                (Prediction){
                    .what = "my_star: ring_gb",
                    .right = ring,
                    .question = "how many other ranks does each key and value come to, and how many numbers are they?",
                    .formula = "L (R − 1) T G (d + dv) numbers",
                    .beliefs = { { ring / 7, "every rank's keys and values go to all seven others" },
                                 { ring * 8 / 7, "a rank sends nothing to itself" },
                                 { ring / 8, "this is what one rank sends" },
                                 { ring / 2, "keys and values go round, and a number has 2 bytes: this is half" },
                                 { ring / 32, "this is one layer" },
                                 { ring * 4, "keys and values have G heads, not H" },
                                 { 2 * ring, "16 bits are 2 bytes, not 4" },
                                 { ring * 1e9 / (1 << 30), "these are units of 2³⁰ bytes: asked for are 10⁹" } } });
    number_case(judge, times, 0.01,
                (Prediction){
                    .what = "my_star: times",
                    .right = 2,
                    .question =
                        "T²/2 pairs are shared by 8 ranks; which pairs has one of the star, its own, the anchor's, and "
                        "those between?",
                    .formula = "(T²/2 / R) / (b²/2 + b² + b²/2), T = R b",
                    .beliefs = {
                        { 8, "a rank of the star sees its anchor, too" },
                        { 64, "causal attention is half of the square, on 8 ranks; and the star sees an anchor" },
                        { 16, "this is all ranks of the ring against one of the star" },
                        { 4, "the star's blocks are causal, too, and it reads the anchor beside its block" },
                        { 8.0 / 3, "the anchor reads itself as well: b²/2 more" },
                        { 0.5, "upside down: the star has less to do" },
                        { 1, "causal attention of T tokens is T²/2 pairs; of the star's rank three shares count" } } });
}

static void check(Judge *judge)
{
    double pairs = 0, messages = 0, token_mb = 0, ring_gb = 0, times = 0;
    my_star(&pairs, &messages, &token_mb, &ring_gb, &times);
    small_cases(judge, pairs, messages);
    large_cases(judge, token_mb, ring_gb, times);
}

int main(void) { return judge_main("24c", check); }
