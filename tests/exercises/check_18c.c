// Exercise 18c: my_windows.
#include "exercises/predicted.h"

void my_windows(double *pairs, double *reach, double *layers, double *ring_gb, double *mixed_gb);

static const double LAYERS = 40, WINDOW = 2048, TOKENS = 100000, FAR = 102400;
static const double ROW = 2.0 * 8 * 128 * 2; // bytes of a token

// Exact, or one in a hundred; of a well-known wrong number as well.
static void number_case(Judge *judge, double got, double near, Prediction p)
{
    p.tolerance = near > 0.0 ? near * p.right : 0.5;
    for (int b = 0; b < MOST_BELIEFS; b++)
        if (near > 0.0 && fabs(got - p.beliefs[b].value) <= near * p.beliefs[b].value)
            p.beliefs[b].value = (double)(float)got;
    judge_prediction(judge, (float)got, p);
}

static void sight_cases(Judge *judge, double pairs, double reach, double layers)
{
    if (pairs == 0) pairs = NAN; // nothing is predicted yet
    number_case(judge, pairs, 0,
                (Prediction){
                    .what = "my_windows: pairs",
                    .right = 34,
                    .question = "how many keys does each of the ten queries see, from the first on?",
                    .formula = "W·T − W(W − 1) / 2",
                    .beliefs = {
                        { 40, "the first queries have fewer than 4 keys before them, and the query's own is one of "
                              "the 4" },
                        { 55, "this is a causal mask without a window" },
                        { 58, "this is a window to both sides; a causal one has no key behind the query" },
                        { 44, "a window of 4 holds the query's own key and three others, not four others" },
                        { 30, "each query sees its own key, query 0 as well, and that is one of the 4" },
                        { 24, "the query's own key counts, too" },
                        { 28, "too many are taken away: how many keys do the first queries lack?" },
                        { 100, "this is every query with every key: there is a causal mask, and a window" } } });
    number_case(judge, reach, 0,
                (Prediction){
                    .what = "my_windows: reach",
                    .right = LAYERS * (WINDOW - 1),
                    .question =
                        "how far back does one layer see, its own key left aside, and where does the next one go on?",
                    .formula = "L·(W − 1)",
                    .beliefs = {
                        { LAYERS * WINDOW,
                          "nearly: each layer reaches W − 1 tokens back, as the query's own key is one "
                          "of the W" },
                        { LAYERS * (WINDOW - 1) + 1, "this counts the last token as well" },
                        { (LAYERS - 1) * (WINDOW - 1), "this is L − 1 layers: the first one reaches back as well" },
                        { LAYERS * WINDOW - 1, "each layer's own key is one of its W, not that of one layer alone" },
                        { WINDOW - 1, "this is one layer; the next one goes on from there" },
                        { WINDOW, "this is one layer, and the query's own key is one of the 2048" },
                        { LAYERS, "this is the number of layers" } } });
    judge_trying(judge, "my_windows: layers");
    judge_claim(judge, layers == floor(layers) || fabs(layers - FAR / 1023) > 0.01,
                (Hints){ "near enough, but layers come whole, and they must reach", NULL, NULL });
    number_case(judge, layers, 0,
                (Prediction){
                    .what = "my_windows: layers",
                    .right = ceil(FAR / 1023),
                    .question = "how many tokens further back does each layer bring it?",
                    .formula = "⌈tokens / (W − 1)⌉",
                    .beliefs = { { floor(FAR / 1023),
                                   "so many layers do not quite get there: how far does one reach, its own key "
                                   "aside, and what is left at the end?" },
                                 { ceil(FAR / WINDOW), "windows have 1,024 keys here" },
                                 { ceil(FAR / (WINDOW - 1)), "windows have 1,024 keys here" },
                                 { ceil(FAR / 1023) + 1, "one layer too many: the last token itself takes none" } } });
}

static void byte_cases(Judge *judge, double ring, double mixed)
{
    double right = ROW * LAYERS * WINDOW / 1e9, global = 10;
    double both = ROW * ((LAYERS - global) * WINDOW + global * TOKENS);
    number_case(judge, ring, 0.01,
                (Prediction){
                    .what = "my_windows: ring_gb",
                    .right = right,
                    .question =
                        "how many rows has the ring of a layer, how many bytes a row, and how many layers are there?",
                    .formula = "2 · G · d numbers a row, W rows, L layers",
                    .beliefs = { { ROW * LAYERS * TOKENS / 1e9, "a ring keeps W rows, however long the text" },
                                 { right / 2,
                                   "this is half: a key and a value are kept, and each of their numbers has 2 bytes" },
                                 { right / LAYERS, "this is one layer" },
                                 { 2 * right, "this is double: 16 bits are 2 bytes, not 4" },
                                 { right / 4, "a key and a value, and 2 bytes each: this is a quarter" },
                                 { right * 1e9, "in 10⁹ bytes, please" },
                                 { right * 1e3, "in 10⁹ bytes, please: this is in millions" },
                                 { right / 8, "this is one key head of 8" },
                                 { right * 1e9 / (1 << 30), "this is in 2³⁰ bytes; 10⁹ were asked for" } } });
    number_case(judge, mixed, 0.01,
                (Prediction){
                    .what = "my_windows: mixed_gb",
                    .right = both / 1e9,
                    .question = "how many layers keep W rows, and how many keep 100,000?",
                    .formula = "rows of all layers · bytes of one",
                    .beliefs = {
                        { ROW * LAYERS * TOKENS / 1e9, "this is all layers without a window" },
                        { ROW * (10 * WINDOW + 30 * TOKENS) / 1e9, "one of four has no window, not three of four" },
                        { ROW * global * TOKENS / 1e9, "the local layers keep something, too" },
                        { right, "this is all layers with a window" },
                        { both, "in 10⁹ bytes, please" },
                        { both / 1e6, "in 10⁹ bytes, please: this is in millions" },
                        { ROW * (36 * WINDOW + 4 * TOKENS) / 1e9,
                          "every fourth of 40 layers: these are ten, not four" },
                        { ROW * (LAYERS * WINDOW + global * TOKENS) / 1e9,
                          "a global layer has no ring beside its cache" },
                        { both / 2e9,
                          "this is half: a key and a value are kept, and each of their numbers has 2 bytes" },
                        { both / (1 << 30), "this is in 2³⁰ bytes; 10⁹ were asked for" } } });
}

static void check(Judge *judge)
{
    double pairs = 0, reach = 0, layers = 0, ring_gb = 0, mixed_gb = 0;
    my_windows(&pairs, &reach, &layers, &ring_gb, &mixed_gb);
    sight_cases(judge, pairs, reach, layers);
    byte_cases(judge, ring_gb, mixed_gb);
}

int main(void) { return judge_main("18c", check); }
