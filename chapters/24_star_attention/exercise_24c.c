// Exercise 24c. A star in numbers: predict, with a pencil.
//
// Write the numbers, then run: make exercise-24c

// Task. pairs and messages are of small cases:
//   pairs      of query and key in sight in phase 1, for a context of 10 tokens in blocks of 4, with an anchor of 2;
//   messages   sent by all of 8 ranks in one layer, while 5 tokens are generated one after another.
// The others are of a model with L = 32 layers, H = 32 heads, G = 8 key heads, d = dv = 128, all in 16 bits. A context
// of T = 80,000 tokens is read by 8 ranks, in blocks of 10,000, one a rank, with an anchor as long as a block.
//   token_mb   of one generated token, sent by all ranks in all layers, in 10⁶ bytes;
//   ring_gb    what a ring of these ranks sends for the context, in all layers, in 10⁹ bytes;
//   times      so many times as many pairs has a rank of a balanced, causal ring to compute as the busiest rank of the
//              star, which reads its anchor, too.
// pairs and messages are exact; token_mb to one in a thousand; of the others one in a hundred is near enough.
void my_star(double *pairs, double *messages, double *token_mb, double *ring_gb, double *times)
{
    *pairs = 0;
    *messages = 0;
    *token_mb = 0;
    *ring_gb = 0;
    *times = 0;
}
