// Exercise 11b, solved wrongly: number WRONG of these gets this answer.
//
// 1: nothing is predicted yet
// 2: this is half
// 3: this is one layer with all its heads
// 4: 16 bits are 2 bytes, not 4
// 5: this is 8 times as much
// 6: not 2³⁰
// 7: the weights lie there, too
// 8: a part of a user does not fit
// 9: the cache is read, too
// 10: the weights are read, too
// 11: 8 users share the weights
// 12: a cache of their own
// 13: what each of the 8 gets
// 14: is not it
// 15: queries are not kept
// 16: not 4,000
// 17: this is in 10⁶ bytes
// 18: users come whole
// 19: not all that the card has room for
// 20: in ms
// 21: is not in bytes here
// 22: the caches are read, too
// 23: the weights are read, too
// 24: one head of one layer
// 25: this is in thousands of bytes
// 26: this is in bytes; a GB has 10⁹
// 27: this is what 8 users have together
// 28: tried: my_costs: fit hint: the weights lie there, too
// 29: 13 billion weights of 16 bits take 26
// 30: from the card twice
// 31: they lie there once
// 32: a token's time in seconds
// 33: the cache of all tokens
// 34: it brings 8 tokens
// 35: tried: my_costs: together hint: 13 billion weights of 2 bytes
// 36: tried: my_costs: together hint: a step reads what it needs
// 37: tried: my_costs: fit hint: near enough
// 38: this is in KiB
// 39: one is asked for
// 40: no part of a user's cache
// 41: this is half of it
// 42: so many tokens fit
// 43: they lie there once
// 44: it waits for memory
// 45: and not their rates
// 46: and brings one
// 47: they do not wait for each other
// 48: the other way round
// 49: these are the numbers of one layer, not yet bytes
// 50: hint: a key and a value are kept, and each of their numbers has 2 bytes
#include "exercises/wrong.h"

void my_costs(double *token_bytes, double *user_gb, double *fit, double *alone, double *together);
void my_costs(double *token_bytes, double *user_gb, double *fit, double *alone, double *together)
{
    int how = wrong();
    const double token = 2.0 * 40 * 128 * 40 * 2, user = token * 4096 / 1e9;
    const double first[] = { token, 0, token / 2, token / 40, 2 * token, 8 * token };
    *token_bytes = how <= 5 ? first[how] : how == 14 ? 7 * token : how == 15 ? 1.5 * token : token;
    *user_gb = how == 6 ? token * 4096 / 1073741824.0 : how == 16 ? token * 4e-6 : how == 17 ? 1e3 * user : user;
    *fit = how == 7 ? 23 : how == 8 ? 17 : how == 18 ? 16.1 : 16;
    *alone = how == 9 ? 3350.0 / 26 : how == 10 ? 3350 / user : 3350 / (26 + user);
    if (how == 19) *alone = 3350.0 / 80;
    if (how == 20) *alone = 1e3 / *alone;
    if (how == 21) *alone *= 1e9;
    *together = 8 * 3350 / (26 + 8 * user);
    if (how == 24) *token_bytes = token / 1600;
    if (how == 25) *token_bytes = token / 1e3;
    if (how == 26) *user_gb *= 1e9;
    if (how == 27) *user_gb *= 8;
    if (how == 28) *fit = 80 / user;
    if (how == 29) *fit = 20;
    if (how == 30) *fit = 8;
    if (how == 31) *fit = 2;
    if (how == 37) *fit = 54 / user;
    if (how == 32) *alone = 1 / *alone;
    if (how == 33) *alone = 3350e9 / token;
    if (how == 34) *together = (26 + 8 * user) / 3.35;
    if (how == 35) *together = 8 * 3350 / (13 + 8 * user);
    if (how == 36) *together = 8 * 3350.0 / 80;
    if (how == 38) *token_bytes /= 1024;
    if (how == 39) *token_bytes *= 4096;
    if (how == 40) *user_gb += 26;
    if (how == 41) *user_gb /= 2;
    if (how == 42) *fit = 54e9 / token;
    if (how == 43) *fit = 80 / (26 + user);
    if (how == 44) *alone = 989e12 / 26e9;
    if (how == 45) *alone = 3350.0 / 26 + 3350 / user;
    if (how == 46) *alone *= 4096;
    if (how == 47) *together = *alone / 8;
    if (how == 49) *token_bytes = 2 * 40 * 128;
    if (how == 50) *token_bytes = 40 * 128 * 40;
    if (how == 48) *together = 8 * 3350 / (8 * 26 + user);
    if (how == 11) *together = *alone;
    if (how == 12) *together = 8 * *alone;
    if (how == 13) *together /= 8;
    if (how == 22) *together = 8 * 3350.0 / 26;
    if (how == 23) *together = 3350 / user;
}
