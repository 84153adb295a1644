// Exercise 03c, predicted rightly.
void my_prediction(float *variance, float *divisor, float *equal, float *ahead, float *highest, float *numbers,
                   float *products);
void my_prediction(float *variance, float *divisor, float *equal, float *ahead, float *highest, float *numbers,
                   float *products)
{
    *variance = 9.0f * 4.0f * 4.0f;
    *divisor = 12.0f;
    *equal = 3.0f;
    *ahead = 2.0f;
    *highest = 4.0f;
    *numbers = 3.0f * 2.0f;
    *products = 3.0f * 5.0f * (8.0f + 2.0f);
}
