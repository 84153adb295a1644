// Exercise 17c, solved wrongly: number WRONG of these gets this answer.
//
// 1: nothing is predicted yet
// 2: all heads share one
// 3: the turned key is missing
// 4: this is one layer
// 5: keys and values are made of one latent
// 6: they are not kept
// 7: there is one for all
// 8: a key head has a key and a value
// 9: each of its heads reads whole rows
// 10: this is one head
// 11: absorbed, heads meet the rows
// 12: the turned key is looked at and not mixed
// 13: are two FLOPs
// 14: it is looked at and mixed. (Or the latent is read twice
// 15: at which it is less
// 16: is not free
// 17: 100 is not it
// 18: each number that is kept has 2 bytes
// 19: need not be whole
// 20: the other way round
// 21: keys and values of all heads take
// 22: these are all layers
// 23: the turned key is looked at, too
// 24: a number has 2 bytes
// 25: queries come whole
// 26: a number has 16 bits
// 27: these are bits
// 28: the heads of a card read the same one
// 29: this is one head
// 30: a value is made as well
// 31: this is of all layers
// 32: a row for each head of one card
// 33: so many to make a key and a value
// 34: the turned key is not made of the latent
// 35: both forms have it
// 36: this is DeepSeek-V2
// 37: a latent for keys and one for values
#include "base/portable_math.h"
#include "exercises/wrong.h"

float my_bytes_a_token(void);
float my_equal_groups(void);
float my_bytes_on_eight_cards(void);
float my_multiplications_a_key(void);
float my_flops_a_byte(void);
float my_crossing(void);

// The number `said` in the wrong answer `how`, else the right one.
static float instead(int how, float said, float right) { return wrong() == how ? said : right; }

float my_bytes_a_token(void)
{
    static const float said[] = { 0, NAN, 737280, 20480, 576, 46080, 327680, 102400 };
    if (wrong() == 18) return 11520;
    if (wrong() == 26) return 46080;
    if (wrong() == 27) return 184320;
    if (wrong() == 37) return 43520;
    return wrong() >= 1 && wrong() <= 7 ? said[wrong()] : 23040;
}

float my_equal_groups(void)
{
    if (wrong() == 31) return 90;
    return wrong() == 19 ? 2 : wrong() == 20 ? 0.444f : wrong() == 21 ? 14.22f : instead(8, 4.5f, 2.25f);
}

float my_bytes_on_eight_cards(void)
{
    return wrong() == 28 ? 737280 : wrong() == 32 ? 92160 : instead(9, 23040, 184320);
}

float my_multiplications_a_key(void)
{
    if (wrong() >= 22 && wrong() <= 23) return wrong() == 22 ? 696320 : 16384;
    if (wrong() == 33) return 1048576;
    return wrong() == 10 ? 544 : wrong() == 11 ? 5120 : instead(12, 18432, 17408);
}

// 60 is near enough.
float my_flops_a_byte(void)
{
    return wrong() == 13 ? 30.22f : wrong() == 24 ? 120.89f : wrong() == 29 ? 1.89f : instead(14, 32, 60);
}

float my_crossing(void)
{
    static const float said[] = { 107, 79, 171 };
    if (wrong() >= 34 && wrong() <= 36) return said[wrong() - 34];
    return wrong() == 30 ? 37 : wrong() == 25 ? 85.33f : wrong() == 15 ? 85 : wrong() == 16 ? 64 : instead(17, 100, 86);
}
