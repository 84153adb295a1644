// Exercise 02b, predicted rightly.
void my_prediction(float weights[2], float *raised, float *doubled, float *third, float *hidden, float *bits);
void my_prediction(float weights[2], float *raised, float *doubled, float *third, float *hidden, float *bits)
{
    weights[0] = 0.25f;
    weights[1] = 0.75f;
    *raised = 0.25f;
    *doubled = 0.1f;
    *third = 0.6f;
    *hidden = 0.0f;
    *bits = 1.75f;
}
