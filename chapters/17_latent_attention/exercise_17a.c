// Exercise 17a. Attention over latents, without making a key.
//
// Write the two functions, then run: make exercise-17a
#include "attention/attention.h"
#include "attention/dot_product.h"
#include "base/portable_math.h"

// What is kept of token j is row j of rows (S, c + dr): its latent l of c numbers, and behind it the turned key r of
// dr. The key of head h would be lⱼ Wuk, with the d columns h d … h d + d − 1 of wuk (c, H d), and behind these the dr
// numbers of rⱼ. Its value would be lⱼ Wuv, with the dv columns h dv … of wuv (c, H dv).

// Task 1. q (T, H (d + dr)) holds the heads side by side: of each the d numbers that meet its own key, and behind them
// the dr that meet r. to (T, H (c + dr)) gets, for each head, the query that meets a row of `rows` as it stands: the
// scores q · k must come out, before any scale.
void my_absorbed(Mat to, Mat q, Mat wuk, int H, int dr)
{
    (void)to;
    (void)q;
    (void)wuk;
    (void)H;
    (void)dr;
    // your code goes here
}

// Task 2. All of it: out (T, H dv) = what H heads of softmax attention over these keys and values give, every query
// seeing every key, and the scores times 1/√(d + dr). Use task 1's queries, and make no key and no value of a token.
// attention_naive(to, q, k, v, (Mask){ .scale = … }) takes v of another width than k.
void my_latent_attention(Mat out, Mat q, Mat rows, Mat wuk, Mat wuv, int H, int dr)
{
    (void)out;
    (void)q;
    (void)rows;
    (void)wuk;
    (void)wuv;
    (void)H;
    (void)dr;
    // and here
}
