// Exercise 03b. Find what is wrong: six outputs, of which five are.
//
// Name the causes, then run: make exercise-03b
//
// Two queries, two keys and two values, four numbers in each:
//
//     q = 4 0 0 0     k = 1 0 0 0     v = 10  0 1 0
//         0 2 0 0         0 1 0 0          0 10 0 1
//
// Six programs were to compute softmax(q kᵀ / √d) v. This is what they printed:
//
//     A    9.82  0.18 0.98 0.02      B    8.81  2.69 0.88 0.27      C    8.81  1.19 0.88 0.12
//          1.19  8.81 0.12 0.88           1.19  7.31 0.12 0.73           2.69  7.31 0.27 0.73
//
//     D    7.31  2.69 0.73 0.27      E   20.00  0.00 2.00 0.00      F    0.88  0.12 0.00 0.00
//          3.78  6.22 0.38 0.62           0.00 10.00 0.00 1.00           0.27  0.73 0.00 0.00
typedef enum {
    UNKNOWN,
    RIGHT,        // nothing is wrong
    NO_SCALE,     // the scores are not divided at all
    DIVIDED_BY_D, // by d in place of √d
    TIMES_ROOT,   // multiplied by √d
    NO_SOFTMAX,   // the scores are taken for weights
    SOFTMAX_DOWN, // the softmax runs down the columns
    KEYS_MIXED    // the keys are mixed in place of the values
} Cause;

// Task. What has each of the six done? You need one row of scores, one row of weights, and what you know of mixtures.
void my_diagnosis(Cause cause[6])
{
    for (int output = 0; output < 6; output++) cause[output] = UNKNOWN;
}
