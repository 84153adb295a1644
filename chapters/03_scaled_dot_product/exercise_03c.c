// Exercise 03c. Predict, then check.
//
// Write the numbers, then run: make exercise-03c

// Task. Without running anything:
//   variance     of q · k, when all entries have mean 0 and variance 4, and d is 9;
//   divisor      what such scores must be divided by, for their variance to be 1;
//   equal        the output, when all scores are equal and the values are 1, 2 and 6;
//   ahead        the output, when the second of these values has a score that is 100 ahead of the two others;
//   highest      the largest output that any query can get from the values -1, 4 and 2;
//   numbers      how many numbers the output has, for T = 3 queries, S = 5 keys, d = 8 and dv = 2;
//   products     and how many multiplications scores and mixture take together.
void my_prediction(float *variance, float *divisor, float *equal, float *ahead, float *highest, float *numbers,
                   float *products)
{
    (void)variance;
    (void)divisor;
    (void)equal;
    (void)ahead;
    (void)highest;
    (void)numbers;
    (void)products;
}
