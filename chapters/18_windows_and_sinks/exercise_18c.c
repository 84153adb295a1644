// Exercise 18c. Windows in numbers: predict, with a pencil.
//
// Write the numbers, then run: make exercise-18c

// Task. A model has L = 40 layers, G = 8 key heads of d = 128, all in 16 bits, and in every layer a causal window
// of W = 2048 keys, the query's own among them.
//   pairs      how many pairs of query and key are in sight, for a window of 4 and 10 tokens, in one layer;
//   reach      how many tokens before the last one stands the first that can move it;
//   layers     how many layers it takes, at least, to reach 102,400 tokens back, with windows of 1,024;
//   ring_gb    what the caches of all layers take, in 10⁹ bytes, for a text of 100,000 tokens;
//   mixed_gb   the same, when every fourth layer has no window, and keeps all tokens.
// pairs, reach and layers are exact; of the others one in a hundred is near enough.
void my_windows(double *pairs, double *reach, double *layers, double *ring_gb, double *mixed_gb)
{
    *pairs = 0;
    *reach = 0;
    *layers = 0;
    *ring_gb = 0;
    *mixed_gb = 0;
}
