// Exercise 03b, diagnosed.
typedef enum { UNKNOWN, RIGHT, NO_SCALE, DIVIDED_BY_D, TIMES_ROOT, NO_SOFTMAX, SOFTMAX_DOWN, KEYS_MIXED } Cause;

void my_diagnosis(Cause cause[6]);
void my_diagnosis(Cause cause[6])
{
    static const Cause causes[6] = { NO_SCALE, SOFTMAX_DOWN, RIGHT, DIVIDED_BY_D, NO_SOFTMAX, KEYS_MIXED };
    for (int output = 0; output < 6; output++) cause[output] = causes[output];
}
