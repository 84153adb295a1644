// Exercise 18c: my_windows.
#include "base/portable_math.h"
#include "exercises/judge.h"

void my_windows(double *pairs, double *reach, double *layers, double *ring_gb, double *mixed_gb);

enum { L = 40, W = 2048, TOKENS = 100000 };
#define ROW   (2.0 * 8 * 128 * 2)                  // bytes of a token in a layer
#define RING  (ROW * L * W / 1e9)                  // 10⁹ bytes
#define MIXED (ROW * (30 * W + 10 * TOKENS) / 1e9) // 10⁹ bytes

static const char half[] = "this is half: a key and a value are kept, and each of their numbers has 2 bytes";
static const char bytes[] = "in 10⁹ bytes, please", binary[] = "this is in 2³⁰ bytes; 10⁹ were asked for";

// clang-format off
static const Prediction predictions[] = {
    { "my_windows: pairs", 34, 0.5, "how many keys does each of the ten queries see, from the first on?",
      "W·T − W(W − 1) / 2", {
        { 40, "the first queries have fewer than 4 keys before them, and the query's own is one of the 4" },
        { 55, "this is a causal mask without a window" },
        { 58, "this is a window to both sides; a causal one has no key behind the query" },
        { 44, "a window of 4 holds the query's own key and three others, not four others" } } },
    { "my_windows: reach", L * (W - 1), 0.5,
      "how far back does one layer see, its own key left aside, and where does the next one go on?", "L·(W − 1)", {
        { L * W, "nearly: each layer reaches W − 1 tokens back, as the query's own key is one of the W" },
        { L * (W - 1) + 1, "this counts the last token as well" },
        { (L - 1) * (W - 1), "this is L − 1 layers: the first one reaches back as well" },
        { W - 1, "this is one layer; the next one goes on from there" } } },
    { "my_windows: layers", 101, 0.001, "how many tokens further back does each layer bring it?",
      "⌈tokens / (W − 1)⌉", {
        { 100, "so many layers do not quite get there: how far does one reach, its own key aside, and what is left at "
               "the end?" },
        { 50, "windows have 1,024 keys here" }, { 51, "windows have 1,024 keys here" },
        { 100.0978, "near enough, but layers come whole, and they must reach" } } },
    { "my_windows: ring_gb", RING, 0.01 * RING,
      "how many rows has the ring of a layer, how many bytes a row, and how many layers are there?",
      "2 · G · d numbers a row, W rows, L layers", {
        { ROW * L * TOKENS / 1e9, "a ring keeps W rows, however long the text" },
        { RING / 2, half }, { 1e9 * RING, bytes }, { RING * 1e9 / (1 << 30), binary } } },
    { "my_windows: mixed_gb", MIXED, 0.01 * MIXED, "how many layers keep W rows, and how many keep 100,000?",
      "rows of all layers · bytes of one", {
        { ROW * L * TOKENS / 1e9, "this is all layers without a window" },
        { ROW * (10 * W + 30 * TOKENS) / 1e9, "one of four has no window, not three of four" },
        { ROW * 10 * TOKENS / 1e9, "the local layers keep something, too" },
        { RING, "this is all layers with a window" } } },
};
// clang-format on

// 0 is what the function writes before the reader has predicted anything.
static void check(Judge *judge, Function f)
{
    double got[] = { 0, 0, 0, 0, 0 };
    (void)f;
    my_windows(&got[0], &got[1], &got[2], &got[3], &got[4]);
    for (int n = 0; n < COUNT(got); n++) judge_prediction(judge, got[n] == 0.0 ? NAN : got[n], predictions[n]);
}

static const Task tasks[] = { { .check = check } };
EXERCISE("18c", tasks)
