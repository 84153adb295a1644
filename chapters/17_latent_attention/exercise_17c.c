// Exercise 17c. Predict: bytes, and where one form overtakes the other.
//
// Write the numbers, then run: make exercise-17c
#include "base/portable_math.h"

// A model is to be made with 40 layers, H = 32 heads of d = dv = 64, and MLA: a latent of c = 256 and a turned key of
// dr = 32. Numbers have 16 bits. A MB is 1,000,000 bytes.

// 1. What its cache takes of one token, in bytes.
float my_bytes_a_token(void) { return NAN; }

// 2. How many key heads would GQA have for as many bytes? (Not a whole number, perhaps.)
float my_equal_groups(void) { return NAN; }

// 3. What 8 cards hold together of one token, in bytes, when each has an eighth of the query heads and reads the cache
//    from its own memory.
float my_bytes_on_eight_cards(void) { return NAN; }

// 4. Absorbed, a step of decoding with very many keys: how many multiplications for each key, in one layer, in all
//    heads?
float my_multiplications_a_key(void) { return NAN; }

// 5. FLOPs for each byte of the cache that is read in such a step. (A multiplication with its addition is two.)
float my_flops_a_byte(void) { return NAN; }

// 6. With very many keys, from how many queries at a time on does it take fewer multiplications to make keys and
//    values? To the next whole number.
float my_crossing(void) { return NAN; }
