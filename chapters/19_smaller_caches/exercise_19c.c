// Exercise 19c. What a smaller cache takes: predict, with a pencil.
//
// Write the numbers, then run: make exercise-19c

// Task. A model like LLaMA 3.1 8B has L = 32 layers, G = 8 key heads and d = 128. In 16 bits a token takes
// 32 · 2 · 8 · 128 · 2 bytes. Scale and zero have 16 bits each.
//   bits      of a number as INT4 in groups of 64, its share of scale and zero included;
//   token     bytes of a token with keys and values like that, blocks and groups of 64, all of them complete;
//   newest    bytes, at most, of what still waits in float32 for its block of 64 to be complete, all layers, keys and
//             values;
//   pairs     bytes of a token when, besides, two neighbouring layers share keys and values;
//   kept      how many tokens may an evicting cache keep, in 16 bits, and take no more than 65,536 tokens do as INT4,
//             complete? Each kept token has 4 bytes more in each key head of each layer, for its weight, and 4 for its
//             number.
// kept is exact, as tokens come whole; of the others one in a hundred is near enough.
void my_bytes(double *bits, double *token, double *newest, double *pairs, double *kept)
{
    *bits = 0;
    *token = 0;
    *newest = 0;
    *pairs = 0;
    *kept = 0;
}
