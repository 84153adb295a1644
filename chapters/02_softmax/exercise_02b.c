// Exercise 02b. Predict, then run.
//
// Write the numbers, then run: make exercise-02b. build/chapters/02_softmax --scores 0,1.0986 shows some of them.

// Task. Two keys have the scores 0 and log 3 = 1.0986, so that their exponentials are 1 and 3. Without running
// anything, to two decimals:
//   weights    of the two keys;
//   raised     the weight of the first key when 5 is added to both scores;
//   doubled    its weight when both scores are doubled;
//   third      the weight of the second key when a third one joins them, with a score of 0;
//   hidden     the weight of the first key when the scores are −∞ and −∞;
//   bits       the entropy of the weights 1/2, 1/4, 1/8, 1/8.
void my_prediction(float weights[2], float *raised, float *doubled, float *third, float *hidden, float *bits)
{
    (void)weights;
    (void)raised;
    (void)doubled;
    (void)third;
    (void)hidden;
    (void)bits;
}
