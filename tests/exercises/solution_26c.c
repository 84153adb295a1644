// Exercise 26c, solved.
#include "base/portable_math.h"

float my_lead(void);
float my_share(void);
float my_loss(void);
float my_return(void);
float my_loss_with_mean(void);
float my_rollout(void);
float my_chance(void);

static float lead(float x, float y) { return (x + y) / sqrtf((x * x + y * y) / 2.0f); }

float my_lead(void) { return lead(3, 5); }
float my_share(void) { return 5.0f / sqrtf(17.0f); }
float my_loss(void) { return lead(3, 5) - lead(3, 0); }
float my_return(void) { return my_share() - my_loss(); }
float my_loss_with_mean(void) { return lead(3, 5) - lead(2, 5); }
float my_rollout(void) { return 0.1f * 1.0f + 0.9f * 0.3f; }
float my_chance(void) { return 1.0f / sqrtf(256.0f); }
