// Exercise 10b, solved.
#include <math.h>

typedef struct {
    double lead, right_without_0, right_without_both, slope_0, rise_without_0, lead_with_mean;
} Prediction;
Prediction my_prediction(void);

Prediction my_prediction(void)
{
    double lead = 2 + 2 + 0.5 - 1, without = lead - 2;
    return (
        Prediction){ lead, 1, 0, -2 / (1 + exp(lead)), log(1 + exp(-without)) - log(1 + exp(-lead)), without + 0.75 };
}
