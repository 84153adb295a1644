// Exercise 15c. Predict, then run.
//
// Write the numbers, then run: make exercise-15c
//
// 1. In one step of the inner loop, 2 numbers meet 3 vectors. How many loads is that, if each number and each vector is
//    loaded once?
// 2. And how many for each multiply-add of a vector?
// 3. How many vector registers does it need: for its sums, for the vectors, and for a number that is spread over a
//    vector, one at a time?
// 4. A core begins two multiply-adds of vectors in a cycle, and each takes four cycles. In a loop with 4 sums each
//    multiply-add waits for the one before on its own sum. Which share of the core does it get, at best, in percent?
// 5. And with 12 sums?
// 6. attention_fast, no mask, T = 192, S = 256, d = 32, dv = 16: how many multiply-adds does it do? All scores of the
//    last 64 keys lie far above the others, so that these are computed twice, and nothing else is.
// 7. Causal, T = S = 192, by a kernel that works on tiles of 64 × 64 and skips empty ones: how many pairs of a query
//    and a key does it work on?

double my_predictions[7] = { -1, -1, -1, -1, -1, -1, -1 };
